//! Answers. There is no `bool` for realizability anywhere.

use super::machine::{CounterStrategy, Mealy};
use crate::base::Limit;

/// In which sense a specification is unrealizable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Notion {
    /// No controller exists for the LTL abstraction; a TSL controller may still exist.
    Ltl,
    /// No controller exists: every play of the counter-strategy is consistent with some meaning of the
    /// predicates and functions. For plain LTL this is the only notion.
    Tsl,
}

/// An answer without a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// What was being done: "bounded game", "certificate of UNREALIZABLE".
    pub stage: String,
    /// The limit that was reached.
    pub limit: Limit,
}

/// The answer to "is there a controller?".
#[derive(Clone, Debug)]
pub enum Verdict {
    /// This machine keeps the specification.
    Realizable(Mealy),
    /// This counter-strategy keeps every machine from keeping the specification.
    Unrealizable(CounterStrategy, Notion),
    /// Neither was found within the limits.
    Unknown(Unknown),
}
