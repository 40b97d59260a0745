//! Errors in rules and sentences.

use std::fmt;
use std::ops::Range;
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::source::{SourceId, Span};

/// An error in a text, with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The code of the diagnostic.
    pub code: Code,
    /// One sentence: the error and what was expected.
    pub message: String,
    /// The bytes of the text that it is about.
    pub range: Range<usize>,
    /// Suggested corrections; may be empty.
    pub hints: Vec<String>,
}

impl Refused {
    pub(super) fn new(code: Code, range: Range<usize>, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), range, hints: Vec::new() }
    }
    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
    /// The diagnostic, for a text whose first byte is at `offset` of a source.
    pub fn diagnostic(&self, source: SourceId, offset: usize) -> Diagnostic {
        let span = Span::new(source, offset + self.range.start, offset + self.range.end);
        let diagnostic = Diagnostic::error(self.code, self.message.clone()).at(span, "here");
        self.hints.iter().fold(diagnostic, |diagnostic, hint| diagnostic.hint(hint.clone()))
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.hints.iter().try_for_each(|hint| write!(f, "; {hint}"))
    }
}

impl std::error::Error for Refused {}
