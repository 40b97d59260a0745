//! Predecessors of sets of states. The *answers* of a circuit, its outputs on which latches depend, are variables,
//! related to latches and inputs by the functions of the outputs; the next values of latches are functions of all
//! these. A controller's latches depend on its answers, and its answers on nearly every latch: if the answers were
//! substituted, the function of each latch would repeat them.

use super::diagrams::{Bdd, Diagrams, Replacement};
use super::model::CircuitModel;
use super::structure::Cone;
use tsl_synth_core::base::{Limit, Variable};

/// The steps of a cone, backward.
pub(crate) struct Preimage {
    /// Replaces latches by their functions over latches, inputs and answers.
    step: Replacement,
    /// The variables to quantify that no cluster mentions.
    alone: Bdd,
    /// The relation of the answers, with the variables that no later cluster mentions.
    clusters: Vec<(Bdd, Bdd)>,
}

impl Preimage {
    /// The steps of a cone with additional state: `pairs` are variables with functions, over the variables `read`, that
    /// give their values in the next step.
    pub(crate) fn new(
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
    pub(crate) fn leading(&self, d: &Diagrams, states: &Bdd) -> Result<Bdd, Limit> {
        d.replace(states, &self.step)
    }

    /// The states in which one of the moves that are in a relation can be made.
    pub(crate) fn of(&self, d: &Diagrams, moves: &Bdd, relation: &Bdd) -> Result<Bdd, Limit> {
        let mut states = d.and_exists(moves, relation, &self.alone)?;
        for (cluster, freed) in &self.clusters {
            states = d.and_exists(&states, cluster, freed)?;
        }
        Ok(states)
    }

    /// The moves restricted to the circuit's answers in the state `here`.
    pub(crate) fn answered(&self, d: &Diagrams, moves: Bdd, here: &Bdd) -> Result<Bdd, Limit> {
        self.clusters.iter().try_fold(moves, |moves, (cluster, _)| d.and(&moves, &d.restrict(cluster, here)?))
    }
}
