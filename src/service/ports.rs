//! The ports to the outside, and trivial implementations for programs that do not need them.

use super::report::CheckReport;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tsl_synth_core::model::{Observer, Silent};
use tsl_synth_core::source::SourceMap;
use tsl_synth_lang::spec::{LoadError, Loaded, Loader as ImportLoader};

/// The maximal size of a file in bytes; larger ones are refused. Texts inside a request are not limited.
pub const MAX_INPUT: u64 = 64 << 20;

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadError {
    /// The loader cannot read it; the text says why.
    Unreadable(String),
    /// It is larger than [`MAX_INPUT`].
    TooLarge,
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unreadable(why) => f.write_str(why),
            Self::TooLarge => write!(f, "it is larger than {} MiB", MAX_INPUT >> 20),
        }
    }
}

impl std::error::Error for ReadError {}

/// A source of files: a file system, or the open texts of an editor.
pub trait Loader: Sync {
    /// The bytes of a file that a request or a trace names. The path `-` is standard input.
    ///
    /// # Errors
    /// The file does not exist, is not readable, or is too large.
    fn read(&self, path: &Path) -> Result<Vec<u8>, ReadError>;
    /// A name that is the same for the same file however it is reached; imports are relative to it.
    fn canonical(&self, path: &Path) -> String {
        shown(path)
    }
    /// The loader for the imports of a specification whose first file is `main`, which is `None` for texts and
    /// formulas; [`NoImports`](tsl_synth_lang::spec::NoImports) if there are no imports.
    fn imports<'l>(&'l self, main: Option<&Path>) -> Box<dyn ImportLoader + 'l>;
}

/// Whether a path means standard input, which has neither a folder nor an ending.
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The name under which a file is shown.
pub fn shown(path: &Path) -> String {
    if is_stdin(path) { "<stdin>".into() } else { path.to_string_lossy().into_owned() }
}

/// No files: requests carry their texts.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Loader for NoFiles {
    fn read(&self, _path: &Path) -> Result<Vec<u8>, ReadError> {
        Err(ReadError::Unreadable("this session has no files".into()))
    }
    fn imports<'l>(&'l self, _main: Option<&Path>) -> Box<dyn ImportLoader + 'l> {
        Box::new(tsl_synth_lang::spec::NoImports)
    }
}

/// Files in memory, by their paths, with `/` and without `.` and `..`.
#[derive(Clone, Debug, Default)]
pub struct Texts(pub BTreeMap<PathBuf, String>);

impl Texts {
    /// The file that `path` names when written in `from`: `..` and `.` are resolved by name.
    fn near(from: &Path, path: &str) -> PathBuf {
        let mut found = from.parent().map(Path::to_path_buf).unwrap_or_default();
        for part in Path::new(path).components() {
            match part {
                std::path::Component::ParentDir => {
                    found.pop();
                }
                std::path::Component::CurDir => {}
                other => found.push(other),
            }
        }
        found
    }
}

impl Loader for Texts {
    fn read(&self, path: &Path) -> Result<Vec<u8>, ReadError> {
        let text = self.0.get(path).ok_or_else(|| ReadError::Unreadable("there is no such file".into()))?;
        Ok(text.clone().into_bytes())
    }
    fn imports<'l>(&'l self, _main: Option<&Path>) -> Box<dyn ImportLoader + 'l> {
        Box::new(TextImports(self))
    }
}

struct TextImports<'l>(&'l Texts);

impl ImportLoader for TextImports<'_> {
    fn load(&self, from: &str, path: &str) -> Result<Loaded, LoadError> {
        let found = Texts::near(Path::new(from), path);
        let name = found.to_string_lossy().into_owned();
        match self.0.0.get(&found) {
            Some(text) => Ok(Loaded { canonical: name.clone(), name, text: text.clone() }),
            None => Err(LoadError::NotFound(name)),
        }
    }
}

/// A source of the time.
pub trait Clock: Sync {
    /// The time since some fixed moment; never goes back.
    fn now(&self) -> Duration;
}

/// A clock that always returns zero.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoClock;

impl Clock for NoClock {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

/// The preliminary reports of a session.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'e> {
    /// `check`, or `explain` of a specification, has found REALIZABLE or UNREALIZABLE, certified unless certificates are turned off; the explanation
    /// follows. It is not sent for UNKNOWN.
    Verdict {
        /// The report so far.
        report: &'e CheckReport,
        /// The texts that its spans point into.
        sources: &'e SourceMap,
    },
    /// More of the explanation of the verdict was found.
    Explained {
        /// The report so far.
        report: &'e CheckReport,
        /// The texts that its spans point into.
        sources: &'e SourceMap,
    },
}

/// Receives the progress and the preliminary reports of a session, from any of its threads.
pub trait SessionObserver: Observer {
    /// Receives a preliminary report.
    fn event(&self, _event: Event<'_>) {}
}

impl SessionObserver for Silent {}
