//! Results on standard output or in a file; errors of the call on standard error.

use crate::exit::Exit;
use crate::terminal::{eprint, escape_lines, print};
use anyhow::Context;
use serde::Serialize;
use std::path::Path;
use tsl_synth_service::is_stdin;

/// Whether a result that goes there is printed, and not written to a file.
pub(crate) fn is_printed(file: Option<&Path>) -> bool {
    file.is_none_or(is_stdin)
}

/// Buffered output: standard output can be flushed in parts, a file is written in one piece at the end.
pub(crate) struct Output<'a> {
    file: Option<&'a Path>,
    pending: String,
    error: Option<anyhow::Error>,
}

impl<'a> Output<'a> {
    /// To this file, or to standard output.
    pub(crate) fn new(file: Option<&'a Path>) -> Self {
        Self { file: file.filter(|path| !is_stdin(path)), pending: String::new(), error: None }
    }
    pub(crate) fn push(&mut self, text: &str) {
        self.pending.push_str(text);
    }
    /// Writes the pending text if the result goes to standard output. The error itself is kept for `finish`.
    pub(crate) fn flush(&mut self) -> Result<(), ()> {
        if self.file.is_some() || self.pending.is_empty() {
            return Ok(());
        }
        print(&std::mem::take(&mut self.pending)).map_err(|error| {
            self.error = Some(anyhow::Error::new(error).context("cannot write to standard output"));
        })
    }
    /// Writes the rest.
    ///
    /// # Errors
    /// Why it cannot be written.
    pub(crate) fn finish(mut self) -> anyhow::Result<()> {
        let _ = self.flush();
        if let Some(error) = self.error {
            return Err(error);
        }
        match self.file {
            Some(path) => write_file(path, self.pending.as_bytes()),
            None => Ok(()),
        }
    }
}

/// Writes a file whole or not at all.
///
/// # Errors
/// Why it cannot be written, with the name of the file.
pub(crate) fn write_file(path: &Path, contents: &[u8]) -> anyhow::Result<()> {
    crate::files::write(path, contents).with_context(|| format!("cannot write `{}`", path.display()))
}

/// Prints a text, or writes it to a file.
pub(crate) fn deliver(file: Option<&Path>, text: &str) -> anyhow::Result<()> {
    let mut out = Output::new(file);
    out.push(text);
    out.finish()
}

/// A document as JSON, ending in a line feed.
pub(crate) fn json(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(document).expect("our documents have string keys only");
    text.push('\n');
    text
}

/// Reports an error of the call or the input on standard error.
pub(crate) fn wrong(message: &str) -> Exit {
    eprint(&format!("error: {}\n", escape_lines(message)));
    Exit::Wrong
}

/// Reports an error of the call or the input with its chain of causes.
pub(crate) fn error(error: &anyhow::Error) -> Exit {
    wrong(&format!("{error:#}"))
}

/// Reports a bug of the program, with the position of the first panic, if there was one.
pub(crate) fn internal(message: &str) -> Exit {
    let place = crate::panics::panicked_at().map_or(String::new(), |place| format!(" ({place})"));
    eprint(&format!(
        "internal error: {}{place}\nThis is a defect of tsl-synth, and there is no answer. Please report it with the specification.\n",
        escape_lines(message)
    ));
    Exit::Internal
}
