//! The result of parsing sentences, and words that several sentence parsers use.

use super::pattern::CountRequest;
use super::tree::LawTree;

/// The meaning of a text of one or more sentences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// The conjunction of all sentences.
    pub law: LawTree,
    /// The registers that it needs.
    pub registers: Vec<CountRequest>,
    /// Notes that tell the user which reading of an ambiguous sentence was chosen.
    pub notes: Vec<String>,
}

/// Single words that join two halves of a sentence.
pub(super) const JOINT_WORDS: &[&str] = &[
    "unless", "without", "means", "implies", "while", "during", "whenever", "if", "when", "before", "until",
    "once", "after",
];
