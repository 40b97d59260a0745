//! Policies in words: named patterns, English sentences for laws, and sentences read back as laws.

mod clause;
mod counts;
mod english;
#[cfg(test)]
mod english_table;
mod explanation;
mod families;
mod ground;
mod hints;
mod meaning;
mod modality;
mod names;
mod next;
mod pattern;
mod pattern_print;
mod pattern_read;
mod pattern_table;
mod phrased;
mod question;
mod reading;
mod recognize;
mod refused;
mod rephrase;
mod sentence;
mod slot;
mod text_against_formula;
mod tree;
mod tree_read;
mod visits;

pub use english::english;
pub use ground::ground_phrase;
pub use names::{ACT, NameKind, OUTCOMES, PolicyNames};
pub use pattern::{
    CountRequest, EXPANDED_COUNTS, LawPattern, NameCondition, PATTERNS, PatternForm, PatternSubject, Reset,
    Window,
};
pub use pattern_table::{PatternRow, pattern_table};
pub use question::{PolicyQuestion, QuestionKind, read_question};
pub use reading::Sentence;
pub use refused::Refused;
pub use rephrase::read_pattern;
pub use sentence::{read_sentence, sentences};
pub use text_against_formula::{TextFlag, sentence_against_formula, text_against_formula};
pub use tree::{LAW_DEPTH, LawTree, Link, Temporal};
