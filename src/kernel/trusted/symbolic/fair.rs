//! Fair plays of the product of a circuit with a tableau: Emerson and Lei, "Efficient model checking in fragments of
//! the propositional mu-calculus" (LICS 1986), with fairness on transitions.
//!
//! A state consists of a state of the circuit and the pending claims. A move reads a letter and makes claims. The
//! region is the greatest set of states from which, for every fairness condition, some moves within the set lead to one
//! that satisfies it. Predecessors: `preimage`. O(states²) steps in the worst case.

use super::diagrams::Bdd;
use super::moves::{ModelMoves, PlayParts};
use tsl_synth_core::base::Limit;

/// The moves that lead to a fairness condition, nearest states first: states and the moves to make there.
pub(crate) type Layers = Vec<(Bdd, Bdd)>;

/// The moves and states of the plays that satisfy some conjuncts.
pub(crate) struct FairRegion {
    /// The first moves.
    pub(crate) opening: Bdd,
    /// Layers that lead to the region, by moves of `relation`; empty if the first move enters the region.
    pub(crate) way: Layers,
    pub(crate) relation: Bdd,
    /// States from which each condition can be met infinitely often, by settled moves.
    pub(crate) region: Bdd,
    /// The moves that lead to the region.
    pub(crate) inside: Bdd,
    pub(crate) settled: Bdd,
    pub(crate) conditions: Vec<Bdd>,
}

impl ModelMoves<'_, '_> {
    /// Whether the forward search leaves any state; true if there is no forward search.
    pub(crate) fn may_be_fair(&self) -> Result<bool, Limit> {
        match self.successors {
            Some(steps) => {
                let (d, parts) = (self.d(), self.parts()?);
                let reset = self.model.reset(&self.cone.latches)?;
                let first = self.steps.answered(d, d.restrict(&parts.opening, &reset)?, &reset)?;
                Ok(first != d.bottom && self.hull(steps, &parts)?.1 != d.bottom)
            }
            None => Ok(true),
        }
    }

    /// The region of the plays that satisfy the conjuncts; `None` if there are none.
    pub(crate) fn fair_region(&self) -> Result<Option<FairRegion>, Limit> {
        let (d, shape) = (self.d(), self.shape);
        let parts = self.parts()?;
        let reset = self.model.reset(&self.cone.latches)?;
        let first = self.steps.answered(d, d.restrict(&parts.opening, &reset)?, &reset)?;
        if first == d.bottom {
            return Ok(None);
        }
        let mut later = shape.entry != d.top || shape.stable != d.top;
        let mut region = self.reached.clone();
        if let Some(steps) = self.successors {
            // The states before the entry may be missing in the region, but not those after it.
            let (entered, left) = self.hull(steps, &parts)?;
            if left == d.bottom {
                return Ok(None);
            }
            region = if shape.entry == d.top { left } else { entered };
            later = true;
        }
        let PlayParts { relation, settled, conditions, .. } = parts;
        loop {
            let before = region.clone();
            for condition in &conditions {
                let inside = self.prune(&mut region, &settled)?;
                if inside == d.bottom || !later && !self.starts(&first, &inside, &reset)? {
                    return Ok(None);
                }
                let layers = self.layers(&region, &inside, condition, &settled, false)?;
                region = layers.last().map_or(d.bottom.clone(), |(states, _)| states.clone());
            }
            if region == before {
                break;
            }
        }
        let inside = self.steps.leading(d, &region)?;
        // If the first move cannot enter the region, layers that lead to it are computed.
        let mut goal = d.and(&inside, &d.and(&shape.entry, &shape.stable)?)?;
        let mut way: Layers = Vec::new();
        if !self.starts(&first, &goal, &reset)? {
            if !later {
                return Ok(None);
            }
            way = self.layers(self.reached, &d.top, &goal, &relation, true)?;
            goal = way.last().map_or(Ok(d.bottom.clone()), |(states, _)| self.steps.leading(d, states))?;
            if !self.starts(&first, &goal, &reset)? {
                return Ok(None);
            }
        }
        let opening = d.and(&first, &d.restrict(&goal, &reset)?)?;
        Ok(Some(FairRegion { opening, way, relation, region, inside, settled, conditions }))
    }

    /// Drops states without an infinite play in the region, one round of predecessors at a time: cheaper than in the
    /// search for each condition. Returns the moves that lead to the remaining states.
    fn prune(&self, region: &mut Bdd, relation: &Bdd) -> Result<Bdd, Limit> {
        let d = self.d();
        loop {
            let inside = self.steps.leading(d, region)?;
            let left = d.and(region, &self.steps.of(d, &inside, relation)?)?;
            if left == *region {
                return Ok(inside);
            }
            *region = left;
        }
    }

    fn starts(&self, first: &Bdd, inside: &Bdd, reset: &Bdd) -> Result<bool, Limit> {
        let d = self.d();
        Ok(d.and(first, &d.restrict(inside, reset)?)? != d.bottom)
    }

    /// The states of the region from which moves inside of it lead to the condition; only the last layer unless `all`.
    pub(crate) fn layers(
        &self,
        region: &Bdd,
        inside: &Bdd,
        condition: &Bdd,
        relation: &Bdd,
        all: bool,
    ) -> Result<Layers, Limit> {
        let d = self.d();
        let goal = d.and(inside, condition)?;
        let states = d.and(region, &self.steps.of(d, &goal, relation)?)?;
        let mut layers = vec![(states, goal)];
        loop {
            let (known, _) = layers.last().expect("there is a first layer");
            if known == region {
                return Ok(layers);
            }
            let closer = d.and(inside, &self.steps.leading(d, known)?)?;
            let states = d.and(region, &self.steps.of(d, &closer, relation)?)?;
            let states = d.or(known, &states)?;
            if states == *known {
                return Ok(layers);
            }
            if !all {
                layers.clear();
            }
            layers.push((states, closer));
        }
    }
}
