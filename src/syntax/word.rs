//! Words of texts: kinds and spans.

use std::ops::Range;

/// What a word is, as far as it shows without its surroundings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WordKind {
    /// `// text`, `/* text */`
    Comment,
    /// A word of sections.
    Keyword,
    /// An operator, in letters or signs.
    Operator,
    /// `true`, `false`
    Constant,
    /// Any other word. Operators of LTL that are glued to a proposition are a part of it.
    Name,
    /// Digits.
    Number,
    /// Between double quotes.
    Text,
    /// `( ) [ ] { }`
    Bracket,
    /// `; , : ..` and what means nothing.
    Sign,
}

/// A word with its span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// What it is.
    pub kind: WordKind,
    /// Its bytes.
    pub range: Range<usize>,
}

/// What signs are in every language.
pub(super) fn sign(text: &str) -> WordKind {
    match text {
        "(" | ")" | "[" | "]" | "{" | "}" => WordKind::Bracket,
        ";" | "," | "." | ".." | ":" | ":=" => WordKind::Sign,
        _ => WordKind::Operator,
    }
}
