//! Steps of loops, and by how much they change the cells.

use tsl_synth_arithmetic::Polyhedron;
use tsl_synth_core::base::Rational;
use tsl_synth_core::logic::Sum;

/// The least and the greatest amount by which a step changes a cell, where they are known.
pub(crate) type Change = (Option<Rational>, Option<Rational>);

/// A way from a location back to it, or to a copy of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    /// The states from which it begins.
    pub(crate) guard: Polyhedron,
    /// By how much each cell changes.
    pub(crate) changes: Vec<Change>,
}

impl Step {
    /// The most by which a step changes the left side of an inequality; `None` if that is not known.
    pub(crate) fn most(&self, sum: &Sum) -> Option<Rational> {
        let mut most = Rational::ZERO;
        for (variable, factor) in sum.terms() {
            // What is not a cell, as the bound of a distance, stays.
            let Some(&(least, greatest)) = self.changes.get(variable as usize) else { continue };
            let change = if factor.is_positive() { greatest? } else { least? };
            most = most.plus(factor.times(change)?)?;
        }
        Some(most)
    }
}
