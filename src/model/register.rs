//! What is remembered from one step to the next.

use crate::logic::{AtomId, FormulaId};

/// An input atom that a past operator stands for: it says what a formula was in the step before, and is false in the
/// first step. The environment has no choice in it, and nobody has to give it: it follows from the letters before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// The atom.
    pub atom: AtomId,
    /// What is remembered: a formula without temporal operators, over atoms that may be registers.
    pub now: FormulaId,
}
