//! Fair plays, forward: Somenzi, Ravi and Bloem, "Analysis of symbolic SCC hull algorithms" (FMCAD 2002), with images only.
//!
//! Every state of a fair cycle has predecessors within the cycle and is reached within it from a move of each fairness
//! condition. What is left when all other states are dropped, again and again, contains every fair cycle, and nothing is
//! left where there is none and no state reaches itself. What a controller keeps track of is determined by the past: images stay
//! small where predecessors, which include states that are never reached, do not. O(states²) steps in the worst case.

use super::diagrams::Bdd;
use super::moves::{ModelMoves, PlayParts};
use super::successors::Successors;
use crate::base::Limit;
use crate::certify::tuning::MAX_FORWARD_CLAIMS;

impl ModelMoves<'_, '_> {
    /// States that the last parts of all fair plays come to, and those among which they go on forever; none of these if
    /// there is no such play and the reached states are exact. The way from the entry to a cycle is in the former only.
    pub(in crate::certify) fn hull(
        &self,
        steps: &Successors,
        parts: &PlayParts,
    ) -> Result<(Bdd, Bdd), Limit> {
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
