//! Words of texts: kinds and spans.

use std::ops::Range;

/// The kinds of words, as far as they can be distinguished without context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WordKind {
    /// `// text`, `/* text */`
    Comment,
    /// A word of section headers.
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
    /// `; , : ..` and the like.
    Sign,
}

/// A word with its span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The kind of the word.
    pub kind: WordKind,
    /// Its bytes.
    pub range: Range<usize>,
}

/// The kind of a sign, the same in every language.
pub fn sign(text: &str) -> WordKind {
    match text {
        "(" | ")" | "[" | "]" | "{" | "}" => WordKind::Bracket,
        ";" | "," | "." | ".." | ":" | ":=" => WordKind::Sign,
        _ => WordKind::Operator,
    }
}
