//! Files with shell scripts that were read for a proposed call.

use crate::base::sha256;
use serde::{Deserialize, Serialize};

/// Longer files are not read, in bytes.
pub const SCRIPT_FILE_LENGTH: usize = 64 << 10;
/// How many bytes at the beginning of a file decide whether it is a program: as many as bash inspects.
const HEAD: usize = 80;

/// What a file holds that a command runs as a script.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptContent {
    /// A text.
    Text {
        /// The text.
        text: String,
        /// SHA-256 of the text, in hexadecimal digits.
        sha256: String,
    },
    /// A program that no shell reads.
    Program,
    /// There is no such file.
    Missing,
    /// It cannot be read, or is no file.
    Unreadable,
    /// It is longer than [`SCRIPT_FILE_LENGTH`].
    TooLong,
    /// It is not UTF-8 text, or has zero bytes, a byte order mark or CRLF line ends, which shells treat differently.
    NoText,
    /// The folder that its path is relative to is not known.
    NoFolder,
}

impl ScriptContent {
    /// The content of a file with these bytes, which are all of it or more than [`SCRIPT_FILE_LENGTH`].
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let head = &bytes[..bytes.len().min(HEAD)];
        let first_line = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
        if !bytes.starts_with(b"#!") && (first_line.contains(&0) || bytes.starts_with(b"\x7fELF")) {
            return Self::Program;
        }
        if bytes.len() > SCRIPT_FILE_LENGTH {
            return Self::TooLong;
        }
        match std::str::from_utf8(bytes) {
            Ok(text) if !text.contains(['\0', '\r']) && !text.starts_with('\u{feff}') => {
                Self::Text { text: text.to_owned(), sha256: sha256(bytes) }
            }
            _ => Self::NoText,
        }
    }
    /// Why its text is not known, in a few words; `None` if it is known, or if it is no script.
    pub fn fault(&self) -> Option<&'static str> {
        match self {
            Self::Text { .. } => None,
            Self::Program => Some("a program in place of a script"),
            Self::Missing => Some("a script that is not there"),
            Self::Unreadable => Some("a script that cannot be read"),
            Self::TooLong => Some("a script of more than 64 KiB"),
            Self::NoText => Some("a script that is no plain text: UTF-8 with lines as on Unix"),
            Self::NoFolder => Some("a script in a folder that is not known"),
        }
    }
}

/// A file with a script.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ReadScript {
    /// Its path as the command names it, seen from the folder in which the command begins.
    pub path: String,
    /// What it holds.
    pub content: ScriptContent,
    /// Its canonical path: absolute, without links. `None` if the file has several hard links or is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// The files with scripts that were read for a proposed call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ReadScripts {
    /// The files, in the order in which they were read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<ReadScript>,
    /// The canonical paths of files that the command writes; `None` where a file has several hard links or its path is not
    /// known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<(String, Option<String>)>,
    /// Whether another call that has not ended may change files while this one is decided or runs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pending: bool,
}

impl ReadScripts {
    /// What the file at a path holds, if it was read.
    pub fn at(&self, path: &str) -> Option<&ScriptContent> {
        self.files.iter().find(|file| file.path == path).map(|file| &file.content)
    }
    /// The canonical path of a file that was read.
    pub fn place(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|file| file.path == path)?.place.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_apart_by_their_bytes() {
        let of = |bytes: &[u8]| ScriptContent::of_bytes(bytes);
        assert!(matches!(of(b"ls\n"), ScriptContent::Text { sha256, .. } if sha256.len() == 64));
        assert!(matches!(of(b""), ScriptContent::Text { .. }));
        assert!(matches!(of("echo ä".as_bytes()), ScriptContent::Text { .. }));
        assert_eq!(of(b"\x7fELF\x02\x01\x01\0\0"), ScriptContent::Program);
        assert_eq!(of(b"\xfe\xed\0\0"), ScriptContent::Program);
        // A zero byte after the first line makes a shell read it all the same.
        assert_eq!(of(b"git push\n\0\0"), ScriptContent::NoText);
        assert_eq!(of(b"#!/bin/sh\0\ngit push"), ScriptContent::NoText);
        assert_eq!(of(b"#!/bin/sh\n# \xff\ngit push\n"), ScriptContent::NoText);
        assert_eq!(of(b"#!/bin/sh\r\ngit push\r\n"), ScriptContent::NoText);
        assert_eq!(of("\u{feff}git push".as_bytes()), ScriptContent::NoText);
        assert_eq!(of(&vec![b'#'; SCRIPT_FILE_LENGTH + 1]), ScriptContent::TooLong);
        assert!(matches!(of(&vec![b'#'; SCRIPT_FILE_LENGTH]), ScriptContent::Text { .. }));
    }
}
