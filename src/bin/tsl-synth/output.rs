//! Results on standard output or in a file; errors of the call on standard error.

use crate::exit::Exit;
use crate::terminal::{escape_lines, print, say};
use serde::Serialize;
use std::path::Path;

/// A result on its way out. To a file it goes whole, at the end.
pub(crate) struct Output<'a> {
    file: Option<&'a Path>,
    pending: String,
    error: Option<String>,
}

impl<'a> Output<'a> {
    /// To this file, or to standard output.
    pub(crate) fn new(file: Option<&'a Path>) -> Self {
        Self { file: file.filter(|path| path.as_os_str() != "-"), pending: String::new(), error: None }
    }
    /// Adds text.
    pub(crate) fn push(&mut self, text: &str) {
        self.pending.push_str(text);
    }
    /// Lets standard output have what there is so far.
    pub(crate) fn flush(&mut self) -> Result<(), ()> {
        if self.file.is_some() {
            return Ok(());
        }
        print(&std::mem::take(&mut self.pending)).map_err(|error| {
            self.error = Some(format!("cannot write to standard output: {error}"));
        })
    }
    /// Writes the rest.
    ///
    /// # Errors
    /// Why it cannot be written.
    pub(crate) fn finish(mut self) -> Result<(), String> {
        let _ = self.flush();
        if let Some(error) = self.error {
            return Err(error);
        }
        match self.file {
            Some(path) => write_file(path, &self.pending),
            None => Ok(()),
        }
    }
}

/// Writes a file whole or not at all.
///
/// # Errors
/// Why it cannot be written, with the name of the file.
pub(crate) fn write_file(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), String> {
    crate::files::write(path, contents.as_ref())
        .map_err(|e| format!("cannot write `{}`: {e}", path.display()))
}

/// A document as JSON, ending in a line feed.
pub(crate) fn json(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(document).expect("our documents have string keys only");
    text.push('\n');
    text
}

/// Says what is wrong with the call.
pub(crate) fn wrong(message: &str) -> Exit {
    say(&format!("error: {}\n", escape_lines(message)));
    Exit::Wrong
}

/// Says that something is wrong with the program.
pub(crate) fn internal(message: &str) -> Exit {
    say(&format!(
        "internal error: {}\nThis is a defect of tsl-synth, and there is no answer. Please report it with the specification.\n",
        escape_lines(message)
    ));
    Exit::Internal
}
