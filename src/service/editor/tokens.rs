//! Words with their kinds, for syntax highlighting.

use super::hover::role;
use super::reading::KnownNames;
use super::sketch::{NameRole, Sketch};
use std::ops::Range;
use tsl_synth_ltl::word::WordKind;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HighlightKind {
    /// A comment.
    Comment,
    /// A word of sections and declarations.
    Keyword,
    /// An operator.
    Operator,
    /// A number, `true`, `false`.
    Number,
    /// A text between quotes.
    Text,
    /// A sort.
    Sort,
    /// A name.
    Name(NameRole),
}

/// A word to color. It may go over several lines if it is a comment or text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HighlightToken {
    /// Its byte range.
    pub range: Range<usize>,
    /// Its kind.
    pub kind: HighlightKind,
    /// Whether the name is introduced here.
    pub introduces: bool,
    /// Whether it is the target of an update.
    pub written: bool,
}

impl Sketch {
    /// All words that have a color, in order; none overlap.
    pub fn tokens(&self, known: &KnownNames) -> Vec<HighlightToken> {
        let plain = |range: &Range<usize>, kind| HighlightToken {
            range: range.clone(),
            kind,
            introduces: false,
            written: false,
        };
        let mut tokens: Vec<HighlightToken> = self
            .mentions
            .iter()
            .map(|mention| {
                let thing = &self.things[mention.thing];
                let introduces = thing.introduced.as_ref() == Some(&mention.range);
                let kind = HighlightKind::Name(role(thing, known));
                HighlightToken { introduces, written: mention.written, ..plain(&mention.range, kind) }
            })
            .collect();
        for word in &self.words {
            let kind = match word.kind {
                WordKind::Comment => HighlightKind::Comment,
                WordKind::Keyword => HighlightKind::Keyword,
                WordKind::Operator => HighlightKind::Operator,
                WordKind::Constant | WordKind::Number => HighlightKind::Number,
                WordKind::Text => HighlightKind::Text,
                WordKind::Name
                    if self
                        .sorts
                        .iter()
                        .any(|sort| sort.start <= word.range.start && word.range.end <= sort.end) =>
                {
                    HighlightKind::Sort
                }
                WordKind::Name | WordKind::Bracket | WordKind::Sign => continue,
            };
            tokens.push(plain(&word.range, kind));
        }
        // If words overlap, such as names in comments of LTL, the outer one is split around the inner one.
        tokens.sort_by_key(|token| (token.range.start, token.range.end));
        let mut apart: Vec<HighlightToken> = Vec::new();
        for token in tokens {
            if token.range.is_empty() {
                continue;
            }
            if let Some(last) = apart.last_mut()
                && last.range.end > token.range.start
            {
                let rest = token.range.end..last.range.end;
                let kind = last.kind;
                last.range.end = token.range.start;
                if last.range.is_empty() {
                    apart.pop();
                }
                apart.push(token);
                if !rest.is_empty() {
                    apart.push(plain(&rest, kind));
                }
                continue;
            }
            apart.push(token);
        }
        apart
    }
}
