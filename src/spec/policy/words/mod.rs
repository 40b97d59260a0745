//! Policies in words: named patterns, English sentences for laws, and sentences read back as laws.

mod clause;
mod counts;
mod english;
mod explanation;
mod families;
mod ground;
mod meaning;
mod names;
mod pattern;
mod pattern_print;
mod pattern_read;
mod recognize;
mod refused;
mod sentence;
mod slot;
mod text_against_formula;
mod tree;
mod tree_read;
mod visits;

pub use english::english;
pub use ground::ground_phrase;
pub use names::{ACT, NameKind, Names, OUTCOMES};
pub use pattern::{
    Condition, CountRequest, EXPANDED_COUNTS, PATTERNS, Pattern, PatternForm, PatternRow, Reset, Subject,
    Window, pattern_table,
};
pub use pattern_read::read_pattern;
pub use refused::Refused;
pub use sentence::{Sentence, read_sentence, sentences};
pub use text_against_formula::{TextFlag, text_against_formula};
pub use tree::{LAW_DEPTH, LawTree, Link, Temporal};
