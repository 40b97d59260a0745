//! Registers: values that are stored from one step to the next.

use crate::logic::{AtomId, FormulaId};

/// An input atom that replaces a past operator: its value is that of a formula in the previous step, and false in the
/// first step. The environment does not choose it, and no input provides it: the previous letters determine it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// The atom.
    pub atom: AtomId,
    /// The formula whose value is stored; it has no temporal operators, and its atoms may be registers.
    pub now: FormulaId,
}
