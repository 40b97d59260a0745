//! The steps of a circuit, forward: images of sets of states, and fixpoints of images.

use super::diagrams::{Bdd, Diagrams, Replacement};
use super::model::CircuitModel;
use super::structure::Cone;
use tsl_synth_core::base::{BooleanFunction as _, Limit, Variable};

/// The steps of a cone with additional state, forward.
pub(crate) struct Successors {
    /// The relation of answers and next values, with the variables that no later cluster mentions.
    clusters: Vec<(Bdd, Bdd)>,
    /// The variables to quantify that no cluster mentions.
    alone: Bdd,
    /// Replaces the variables of the next step by those of this step.
    rename: Replacement,
}

impl Successors {
    /// The steps of a cone with additional pairs of variables: the first of a pair in one step is the second in the
    /// next step.
    pub(crate) fn new(
        model: &CircuitModel<'_>,
        cone: &Cone,
        pairs: &[(Variable, Variable)],
    ) -> Result<Self, Limit> {
        let d = &model.diagrams;
        let steps = model.steps(&cone.latches, &cone.answers)?;
        let latches = cone.latches.iter().map(|&i| model.latches[i]);
        let mut freed: Vec<Variable> = latches.clone().map(|latch| latch.now).collect();
        freed.extend(cone.inputs.iter().map(|&i| model.inputs[i]));
        freed.extend(cone.answers.iter().map(|&o| model.answer(o)));
        freed.extend(pairs.iter().map(|&(_, pending)| pending));
        let (clusters, alone) = steps.freeing(d, freed)?;
        let renamed = latches.map(|latch| (latch.next, latch.now)).chain(pairs.iter().copied());
        let renamed = renamed.map(|(next, now)| (next, d.variable(now).clone()));
        Ok(Self { clusters, alone, rename: Diagrams::replacement(renamed.collect()) })
    }

    /// The states to which moves of a relation lead.
    pub(crate) fn of(&self, d: &Diagrams, states: &Bdd, relation: &Bdd) -> Result<Bdd, Limit> {
        let mut image = d.and_exists(states, relation, &self.alone)?;
        for (cluster, freed) in &self.clusters {
            image = d.and_exists(&image, cluster, freed)?;
        }
        d.replace(&image, &self.rename)
    }

    /// The states of the region that are reachable within it.
    pub(crate) fn closure(&self, d: &Diagrams, region: &Bdd, from: Bdd, moves: &Bdd) -> Result<Bdd, Limit> {
        let (mut all, mut frontier) = (from.clone(), from);
        while frontier != d.bottom {
            let next = d.and(region, &self.of(d, &frontier, moves)?)?;
            frontier = d.minus(&next, &all)?;
            all = d.or(&all, &next)?;
            if frontier != d.bottom && all.node_count() < frontier.node_count() {
                // A smaller diagram: it adds only states whose successors are known.
                frontier = all.clone();
            }
        }
        Ok(all)
    }

    /// Shrinks the region to a set with all states that its fair plays visit infinitely often; empty if the region has
    /// no fair cycle. After a limit, the search can be continued with the remaining region.
    pub(crate) fn fair(
        &self,
        d: &Diagrams,
        region: &mut Bdd,
        moves: &Bdd,
        conditions: &[Bdd],
    ) -> Result<(), Limit> {
        loop {
            let before = region.clone();
            loop {
                let left = d.and(region, &self.of(d, region, moves)?)?;
                if left == *region {
                    break;
                }
                *region = left;
            }
            for condition in conditions.iter().filter(|&condition| *condition != d.top) {
                let met = d.and(region, &self.of(d, region, &d.and(moves, condition)?)?)?;
                *region = self.closure(d, region, met, moves)?;
            }
            if *region == before || *region == d.bottom {
                return Ok(());
            }
        }
    }
}
