//! Fair plays, forward: Somenzi, Ravi and Bloem, "Analysis of symbolic SCC hull algorithms" (FMCAD 2002), with images only.
//!
//! Every state of a fair cycle has predecessors within the cycle and is reached within it from a move of each fairness
//! condition. The set that is left after dropping all other states repeatedly contains every fair cycle. It is empty if
//! there is none: a component of it into which no edge leads from outside would be fair. The state of a controller is
//! determined by the past: images often stay small where sets of predecessors, which include unreachable states, do
//! not. O(states²) steps in the worst case.

use super::diagrams::Bdd;
use super::moves::{ModelMoves, PlayParts};
use super::successors::Successors;
use crate::tuning::MAX_FORWARD_CLAIMS;
use tsl_synth_core::base::Limit;

impl ModelMoves<'_, '_> {
    /// Supersets of the states that fair plays visit in their last part, and of those that they visit infinitely often.
    /// The second is empty if no state of `reached` is on a fair cycle. States between the entry and a cycle are in the
    /// first only.
    pub(crate) fn hull(&self, steps: &Successors, parts: &PlayParts) -> Result<(Bdd, Bdd), Limit> {
        let (d, shape) = (&self.model.diagrams, self.shape);
        let PlayParts { opening, relation, settled, conditions } = parts;
        let reset = self.model.reset(&self.cone.latches)?;
        let mut region = self.reached.clone();
        if *relation != d.top && self.claimed <= MAX_FORWARD_CLAIMS {
            let first = d.and(&region, &steps.of(d, &reset, opening)?)?;
            region = steps.closure(d, &region, first, relation)?;
        }
        if shape.entry != d.top {
            let at_once = steps.of(d, &reset, &d.and(opening, &d.and(&shape.entry, &shape.stable)?)?)?;
            let later = steps.of(d, &region, &d.and(settled, &shape.entry)?)?;
            let first = d.and(self.reached, &d.or(&at_once, &later)?)?;
            region = steps.closure(d, self.reached, first, settled)?;
        }
        let mut left = region.clone();
        steps.fair(d, &mut left, settled, conditions)?;
        Ok((region, left))
    }
}
