//! Diagnostics are data: a code, a severity, a message, labelled spans and hints, many at once.

mod codes;

pub use codes::{Code, all_codes, explanation};

use crate::source::Span;
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// How serious a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Probably not what was meant.
    Warning,
    /// The input cannot be used.
    Error,
}

/// A span with a remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// The remark about the span; may be empty.
    pub text: String,
}

/// One finding about an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code, `TSLnnnn`.
    pub code: Code,
    /// How serious the finding is.
    pub severity: Severity,
    /// One sentence, what is wrong and what was expected.
    pub message: String,
    /// The first label marks the finding itself, the others related spans. Empty if no text can be shown.
    pub labels: Vec<Label>,
    /// What to do: "did you mean `X X a`?".
    pub hints: Vec<String>,
}

impl Diagnostic {
    /// An error without a span.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            labels: Vec::new(),
            hints: Vec::new(),
        }
    }
    /// A warning without a span.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }
    /// A note without a span.
    pub fn note(code: Code, message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, ..Self::error(code, message) }
    }
    /// Adds a label.
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }
    /// Adds a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Diagnostic {}

/// Diagnostics in the order they were found.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    items: Vec<Diagnostic>,
    /// Hashes of all items, to find repeated ones without comparing each pair.
    hashes: FxHashSet<u64>,
}

impl Diagnostics {
    /// The empty list.
    pub fn new() -> Self {
        Self::default()
    }
    /// Adds a diagnostic, unless an equal one is in the list already.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let mut hasher = FxHasher::default();
        (diagnostic.code.0, &diagnostic.message).hash(&mut hasher);
        for span in diagnostic.labels.iter().map(|label| label.span) {
            (span.start, span.end).hash(&mut hasher);
        }
        if self.hashes.insert(hasher.finish()) || !self.items.contains(&diagnostic) {
            self.items.push(diagnostic);
        }
    }
    /// Adds all of `other`.
    pub fn append(&mut self, other: Self) {
        for diagnostic in other.items {
            self.push(diagnostic);
        }
    }
    /// Whether any is an error.
    pub fn has_errors(&self) -> bool {
        self.items.iter().any(|d| d.severity == Severity::Error)
    }
    /// All, in the order they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.items.iter()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Sorts by span; stable.
    pub fn sort(&mut self) {
        self.items.sort_by_key(|d| d.labels.first().map(|l| l.span));
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<T: IntoIterator<Item = Diagnostic>>(&mut self, items: T) {
        items.into_iter().for_each(|diagnostic| self.push(diagnostic));
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(items: I) -> Self {
        let mut all = Self::new();
        items.into_iter().for_each(|diagnostic| all.push(diagnostic));
        all
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}
