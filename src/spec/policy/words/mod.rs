//! Policies in words: named patterns, English sentences for laws, and sentences read back as laws.

mod names;
mod pattern;
mod pattern_print;
mod pattern_read;
mod refused;
mod tree;

pub use names::{ACT, NameKind, Names, OUTCOMES};
pub use pattern::{
    Condition, CountRequest, EXPANDED_COUNTS, PATTERNS, Pattern, PatternForm, Reset, Subject, Window,
};
pub use pattern_read::read_pattern;
pub use refused::Refused;
pub use tree::{LAW_DEPTH, LawTree, Link, Temporal};
