//! Patterns of files.

use super::word::{Certainty, ShellWord, WordPiece};
use tsl_synth_core::base::{BadGlob, Glob, GlobKind, from_home};

/// A pattern of files. One without a `/` is about the last part of a path, in any folder; a folder is matched by the
/// pattern of what is in it, so that `src/**` also matches `src`. In a list, files of a pattern with `!` before it are
/// none of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileGlob {
    glob: Glob,
    is_name: bool,
    excludes: bool,
}

/// What is no file: standard input and output, and devices that hold nothing.
const DEVICES: &[&str] = &["-", "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty"];
/// A part of a path that no pattern names.
const SOME_FILE: &str = "\u{1}";

impl FileGlob {
    /// Reads a pattern.
    ///
    /// # Errors
    /// If it is no glob.
    pub fn new(text: &str) -> Result<Self, BadGlob> {
        let (text, excludes) = text.strip_prefix('!').map_or((text, false), |rest| (rest, true));
        let is_name = !text.contains('/') && text != "**";
        let kind = if is_name { GlobKind::Name } else { GlobKind::Path };
        Ok(Self { glob: Glob::new(text, kind)?, is_name, excludes })
    }
    /// The glob, unless its files are excluded.
    pub(super) fn included(&self) -> Option<&Glob> {
        (!self.excludes).then_some(&self.glob)
    }
    /// Whether it is about addresses such as `/dev/tcp/HOST/PORT`, which only redirections of the shell open.
    pub(super) fn is_address(&self) -> bool {
        ["/dev/tcp/", "/dev/udp/"].iter().any(|folder| self.glob.as_str().starts_with(folder))
    }
    /// Whether a word names a file of the pattern.
    pub(super) fn matches(&self, word: &ShellWord) -> Certainty {
        if let Some(text) = word.text() {
            return if self.is_known(text) {
                Certainty::Yes
            } else if self.is_below(text) || self.is_at_home(text) {
                Certainty::Maybe
            } else {
                Certainty::No
            };
        }
        // A pipe of the shell, as `<(..)` is one.
        let is_pipe =
            matches!(word.pieces.first(), Some(WordPiece::Text(text)) if text.starts_with("/dev/fd/"));
        if is_pipe
            && word.pieces.get(1..) == Some(&[WordPiece::Plain])
            && !self.glob.as_str().starts_with("/dev/")
        {
            return Certainty::No;
        }
        let last = match word.pieces.last() {
            Some(WordPiece::Text(end)) if self.is_name => end.rsplit_once('/').map(|(_, name)| name),
            _ => None,
        };
        match last {
            Some(name) if !name.is_empty() && !word.splits => {
                if self.glob.matches(name) {
                    Certainty::Yes
                } else {
                    Certainty::No
                }
            }
            // A home folder is no device.
            _ if word.home && self.glob.as_str().starts_with("/dev/") => Certainty::No,
            _ if !self.may_end_like(word) => Certainty::No,
            _ if word.splits => word.matches(&self.glob).min(Certainty::Maybe),
            _ => word.matches(&self.glob),
        }
    }
    /// Whether a file, or a folder of files, of the pattern may have the last part of a path whose end is known.
    fn may_end_like(&self, word: &ShellWord) -> bool {
        let Some(WordPiece::Text(end)) = word.pieces.last() else { return true };
        let Some((_, name)) = end.rsplit_once('/').filter(|(_, name)| !name.is_empty() && !word.splits)
        else {
            return true;
        };
        let glob = self.glob.as_str();
        let Some((_, last)) = glob.rsplit_once('/') else { return true };
        // A part of the pattern that is a pattern by itself, and that does not match what is in a folder of any name.
        let is_whole = last.matches('{').count() == last.matches('}').count();
        if !is_whole || glob.contains("**") || matches!(name, "." | "..") {
            return true;
        }
        Glob::new(last, GlobKind::Path).is_ok_and(|last| last.matches(name) || last.matches(SOME_FILE))
    }
    /// Whether a path from the root, or above the working folder, may be one that the pattern names from the working folder.
    fn is_below(&self, path: &str) -> bool {
        let own = self.glob.as_str();
        let is_from_folder = !self.is_name && !own.starts_with(['/', '~', '*']);
        let path = normal(path);
        is_from_folder
            && path.starts_with(['/', '.'])
            && path.match_indices('/').any(|(at, _)| self.is_known(&path[at + 1..]))
    }
    /// Whether a path may be one that the pattern names from the home folder, or the other way round.
    fn is_at_home(&self, path: &str) -> bool {
        let own = self.glob.as_str();
        if own.starts_with("~/") {
            return from_home(&normal(path)).is_some_and(|path| self.is_known(&path));
        }
        let glob = from_home(own).filter(|_| path.starts_with("~/")).and_then(|glob| Self::new(&glob).ok());
        glob.is_some_and(|glob| glob.is_known(path))
    }
    /// Whether a path that is known names a file of the pattern, or a folder of such files.
    fn is_known(&self, path: &str) -> bool {
        let path = normal(path);
        if DEVICES.contains(&path.as_str()) || path.starts_with("/dev/fd/") {
            return self.glob.as_str().starts_with("/dev/") && self.glob.matches(&path);
        }
        if self.is_name {
            return self.glob.matches(path.rsplit('/').next().unwrap_or(&path));
        }
        let inside = format!("{path}/{SOME_FILE}");
        self.glob.matches(&path) || self.glob.matches(&inside)
    }
}

/// A path without `.`, `..` and empty parts, as far as they can be resolved without the file system.
pub(super) fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            ".." if path.starts_with('/') => {}
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if path.starts_with('/') { format!("/{joined}") } else { joined }
}

/// Whether one of the words names a file that the list of patterns matches: a file of a pattern without `!`, and of none
/// with `!`.
pub(super) fn any<'g>(
    words: &[ShellWord],
    globs: &(impl Iterator<Item = &'g FileGlob> + Clone),
) -> Certainty {
    let of = |word: &ShellWord, excludes: bool| {
        let own = globs.clone().filter(|glob| glob.excludes == excludes);
        own.map(|glob| glob.matches(word)).max().unwrap_or(Certainty::No)
    };
    let one = |word: &ShellWord| match of(word, true) {
        Certainty::Yes => Certainty::No,
        Certainty::Maybe => of(word, false).min(Certainty::Maybe),
        Certainty::No => of(word, false),
    };
    words.iter().map(one).max().unwrap_or(Certainty::No)
}
