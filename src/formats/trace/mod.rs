//! Traces as text: trace JSON, ITF, JSON lines, and words in Spot's form. Terms are read as they are written; they are
//! interpreted later, over a specification or machine.

mod documents;
mod words;

use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::{SourceId, SourceMap, Span};

pub use words::{read_letter, read_word};

/// A piece of a trace as written, quotes and escapes resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceString {
    /// The text.
    pub text: String,
    /// Where it is.
    pub span: Span,
}

/// The value of a term in a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceValue {
    /// It holds or not.
    Holds(bool),
    /// The update of a cell: the term it is set to.
    Term(TraceString),
}

/// A term and its value in a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceEntry {
    /// A predicate term, an update, a proposition, or a cell.
    pub term: TraceString,
    /// Its value.
    pub value: TraceValue,
}

/// A letter as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceLetter {
    /// Where it is.
    pub span: Span,
    /// Its entries, in the order of the text.
    pub entries: Vec<TraceEntry>,
}

/// A trace as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceText {
    /// The specification it is about, relative to the trace's own folder.
    pub spec: Option<TraceString>,
    /// The machine it is about, relative to the trace's own folder.
    pub machine: Option<TraceString>,
    /// The id that the machine must have.
    pub machine_id: Option<TraceString>,
    /// The effect to be explained.
    pub effect: Option<TraceString>,
    /// The letters before the cycle.
    pub prefix: Vec<TraceLetter>,
    /// The letters that repeat; none for a finite trace.
    pub cycle: Vec<TraceLetter>,
}

/// Reads a trace in any of its forms: a text that begins with `{` is JSON, everything else is a word.
///
/// # Errors
/// A malformed trace, with the position of the error.
pub fn read_trace(map: &SourceMap, source: SourceId) -> Result<TraceText, Diagnostics> {
    let text = map.get(source).text.as_str();
    let start = text.trim_start_matches('\u{feff}').trim_start();
    let result = if start.starts_with('{') || start.starts_with("[{") || start == "[]" {
        documents::read(text, source)
    } else {
        read_word(text, Span::new(source, 0, text.len()))
    };
    result.map_err(|diagnostic| {
        let mut diagnostics = Diagnostics::new();
        diagnostics.push(diagnostic);
        diagnostics
    })
}

fn error(span: Span, message: impl Into<String>, label: &str) -> Diagnostic {
    Diagnostic::error(Code::BAD_TRACE, message).at(span, label)
}
