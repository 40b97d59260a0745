//! Source texts of a run, and spans and positions in them.

use crate::base::IdVec;
use crate::define_id;
use std::sync::Arc;

define_id! {
    /// A source text in a [`SourceMap`].
    pub struct SourceId;
}

/// A range of bytes in one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Which source.
    pub source: SourceId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes `start..end` of `source`.
    ///
    /// # Panics
    /// If an offset does not fit 32 bits.
    pub fn new(source: SourceId, start: usize, end: usize) -> Self {
        let fit = |n| u32::try_from(n).expect("sources are smaller than 4 GiB");
        Self { source, start: fit(start), end: fit(end) }
    }
    /// The smallest span that covers `self` and `other`; `self` if the two are in different sources.
    pub fn to(self, other: Self) -> Self {
        if self.source != other.source {
            return self;
        }
        Self { source: self.source, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
    /// The byte range.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A line and a column, both from 1; columns count Unicode scalar values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// A text with the name it is shown under.
#[derive(Clone, Debug)]
pub struct Source {
    /// The name shown to the user: the path as it was given, or `<stdin>`, `<formula>`.
    pub name: String,
    /// The text.
    pub text: String,
    line_starts: Vec<u32>,
}

impl Source {
    /// The position of a byte offset.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line_starts.partition_point(|&s| s <= offset).saturating_sub(1);
        let start = self.line_starts[line] as usize;
        let end = (offset as usize).min(self.text.len());
        let column = self.text.get(start..end).map_or(0, |s| s.chars().count());
        Position { line: line as u32 + 1, column: column as u32 + 1 }
    }
}

/// All source texts of a run.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    sources: IdVec<SourceId, Source>,
}

impl SourceMap {
    /// The empty map.
    pub fn new() -> Self {
        Self::default()
    }
    /// Adds a text.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        let text = text.into();
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1));
        self.sources.push(Source { name: name.into(), text, line_starts })
    }
    /// The source with this id.
    pub fn get(&self, id: SourceId) -> &Source {
        &self.sources[id]
    }
    /// The text under a span.
    pub fn text(&self, span: Span) -> &str {
        self.sources[span.source].text.get(span.range()).unwrap_or("")
    }
    /// Start and end of a span as positions.
    pub fn positions(&self, span: Span) -> (Position, Position) {
        let source = &self.sources[span.source];
        (source.position(span.start), source.position(span.end))
    }
    /// All sources in the order they were added.
    pub fn iter(&self) -> impl Iterator<Item = (SourceId, &Source)> {
        self.sources.enumerate()
    }
}

/// A name with its span.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// As written, dots and primes included.
    pub text: Arc<str>,
    /// Where.
    pub span: Span,
}
