//! What sentences mean, and the words that several readers of sentences know.

use super::pattern::CountRequest;
use super::tree::LawTree;

/// What a text of one or more sentences means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// The conjunction of all sentences.
    pub law: LawTree,
    /// The registers that it needs.
    pub registers: Vec<CountRequest>,
    /// Where a sentence has more than one reading, which one was taken.
    pub notes: Vec<String>,
}

/// Single words that join two halves of a sentence.
pub(super) const JOINT_WORDS: &[&str] = &[
    "unless", "without", "means", "implies", "while", "during", "whenever", "if", "when", "before", "until",
    "once", "after",
];
