//! Predecessors of sets of states. The letters that a circuit gives are variables, related to latches and inputs by
//! the functions of its outputs; latches become functions of all these. A controller's latches depend on what it
//! answers, and its answers on nearly every latch: composed with the answers, the function of each latch would repeat
//! them.

use super::diagrams::{Bdd, Diagrams, Replacement};
use super::model::CircuitModel;
use super::structure::Cone;
use crate::base::{Limit, Variable};

/// The steps of a cone, backward.
pub(in crate::certify) struct Preimage {
    /// Latches become their functions over latches, inputs and answers.
    step: Replacement,
    /// What is read and no cluster mentions.
    alone: Bdd,
    /// The relation of the answers, with the variables that no later cluster mentions.
    clusters: Vec<(Bdd, Bdd)>,
}

impl Preimage {
    /// The steps of a cone beside more state: `pairs` of variables that hold in the next step what others, among
    /// `read`, hold in this one.
    pub(in crate::certify) fn new(
        model: &CircuitModel<'_>,
        cone: &Cone,
        pairs: impl Iterator<Item = (Variable, Bdd)>,
        read: Vec<Variable>,
    ) -> Result<Self, Limit> {
        let d = &model.diagrams;
        let answers = model.steps(&[], &cone.answers)?;
        let inputs = cone.inputs.iter().map(|&i| model.inputs[i]);
        let given = cone.answers.iter().map(|&o| model.answer(o));
        let (clusters, alone) = answers.freeing(d, inputs.chain(given).chain(read))?;
        let latches = cone.latches.iter().map(|&i| (model.latches[i].now, model.next(i).clone()));
        let step = Diagrams::replacement(latches.chain(pairs).collect());
        Ok(Self { step, alone, clusters })
    }

    /// The moves that lead to some states.
    pub(in crate::certify) fn leading(&self, d: &Diagrams, states: &Bdd) -> Result<Bdd, Limit> {
        d.replace(states, &self.step)
    }

    /// The states where some of the moves can be made that are in a relation.
    pub(in crate::certify) fn of(&self, d: &Diagrams, moves: &Bdd, relation: &Bdd) -> Result<Bdd, Limit> {
        let mut states = d.and_exists(moves, relation, &self.alone)?;
        for (cluster, freed) in &self.clusters {
            states = d.and_exists(&states, cluster, freed)?;
        }
        Ok(states)
    }

    /// The moves with the circuit's answers, in the state that `here` describes.
    pub(in crate::certify) fn answered(&self, d: &Diagrams, moves: Bdd, here: &Bdd) -> Result<Bdd, Limit> {
        self.clusters.iter().try_fold(moves, |moves, (cluster, _)| d.and(&moves, &d.restrict(cluster, here)?))
    }
}
