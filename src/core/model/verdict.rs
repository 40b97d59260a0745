//! Answers of synthesis. Realizability is nowhere represented by a `bool`.

use super::circuit::Circuit;
use super::machine::{CounterStrategy, Mealy};
use super::progress::Stage;
use crate::base::Limit;

/// In which sense a specification is unrealizable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Abstraction {
    /// No controller exists for the LTL abstraction; a TSL controller may still exist.
    Ltl,
    /// No controller exists: every play of the counter-strategy is consistent with some interpretation of the
    /// predicates and functions. For plain LTL this is the only notion.
    Tsl,
}

/// An answer without a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The stage that was interrupted.
    pub stage: Stage,
    /// The limit that was reached.
    pub limit: Limit,
}

impl std::fmt::Display for Unknown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} while {}: {}", self.limit.kind, self.stage, self.limit.what)
    }
}

/// A strategy in one of two forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StrategyRepr<M> {
    /// A machine with explicit states.
    Explicit(M),
    /// A circuit, used when the explicit machine would be large.
    Circuit(Circuit),
}

impl<M> StrategyRepr<M> {
    /// The explicit machine, if it is one.
    pub fn explicit(self) -> Option<M> {
        match self {
            Self::Explicit(machine) => Some(machine),
            Self::Circuit(_) => None,
        }
    }
    /// The explicit machine, if it is one.
    pub fn as_explicit(&self) -> Option<&M> {
        match self {
            Self::Explicit(machine) => Some(machine),
            Self::Circuit(_) => None,
        }
    }
}

/// The answer to "is there a controller?".
#[derive(Clone, Debug)]
pub enum Verdict {
    /// This strategy keeps the specification.
    Realizable(StrategyRepr<Mealy>),
    /// This counter-strategy defeats every machine: none keeps the specification.
    Unrealizable(StrategyRepr<CounterStrategy>, Abstraction),
    /// Neither strategy was found within the limits.
    Unknown(Unknown),
}
