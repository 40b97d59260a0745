//! Predecessors of sets of places. The letters that a circuit gives are variables, related to latches and inputs by
//! the functions of its outputs; latches become functions of all these. A controller's latches depend on what it
//! answers, and its answers on nearly every latch: composed with the answers, the function of each latch would repeat
//! them. The relation is kept in clusters with early quantification (Burch, Clarke and Long, VLSI 1991).

use super::diagrams::{Bdd, Diagrams, Replacement};
use super::model::Model;
use super::structure::{Cone, Leaf};
use crate::base::Limit;

/// Nodes of a cluster of the relation.
const CLUSTER: usize = 2000;

/// The steps of a cone, backward.
pub(super) struct Preimage {
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
    pub(super) fn new(
        model: &Model<'_>,
        cone: &Cone,
        pairs: impl Iterator<Item = (usize, Bdd)>,
        read: Vec<usize>,
    ) -> Result<Self, Limit> {
        let d = &model.diagrams;
        let mut last: Vec<Option<usize>> = vec![None; d.count()];
        let mut relations: Vec<Bdd> = Vec::new();
        let mut answers = cone.answers.clone();
        answers.sort_by_key(|&o| model.answers[o]);
        for o in answers {
            let part = d.iff(d.variable(model.answers[o]), model.output(o))?;
            let joined = match relations.last() {
                Some(cluster) => Some(d.and(cluster, &part)?),
                None => None,
            };
            match joined.filter(|joined| oxidd::Function::node_count(joined) <= CLUSTER) {
                Some(joined) => *relations.last_mut().expect("it was joined to the last") = joined,
                None => relations.push(part),
            }
            last[model.answers[o]] = Some(relations.len() - 1);
            for leaf in &model.structure.outputs[o] {
                if let Leaf::Input(i) = *leaf {
                    last[model.inputs[i]] = Some(relations.len() - 1);
                }
            }
        }
        let mut freed: Vec<Vec<usize>> = vec![Vec::new(); relations.len()];
        let mut alone = Vec::new();
        let inputs = cone.inputs.iter().map(|&i| model.inputs[i]);
        let answers = cone.answers.iter().map(|&o| model.answers[o]);
        for variable in inputs.chain(answers).chain(read) {
            match last[variable] {
                Some(cluster) => freed[cluster].push(variable),
                None => alone.push(variable),
            }
        }
        let mut clusters = Vec::new();
        for (relation, variables) in relations.into_iter().zip(freed) {
            clusters.push((relation, d.cube(variables)?));
        }
        let latches = cone.latches.iter().map(|&i| (model.latches[i].now, model.next(i).clone()));
        let step = Diagrams::replacement(latches.chain(pairs).collect());
        Ok(Self { step, alone: d.cube(alone)?, clusters })
    }

    /// The moves that lead to some places.
    pub(super) fn leading(&self, d: &Diagrams, places: &Bdd) -> Result<Bdd, Limit> {
        d.replace(places, &self.step)
    }

    /// The places where some of the moves can be made that are in a relation.
    pub(super) fn of(&self, d: &Diagrams, moves: &Bdd, relation: &Bdd) -> Result<Bdd, Limit> {
        let mut places = d.and_exists(moves, relation, &self.alone)?;
        for (cluster, freed) in &self.clusters {
            places = d.and_exists(&places, cluster, freed)?;
        }
        Ok(places)
    }

    /// The moves with the circuit's answers, in the place that `here` describes.
    pub(super) fn answered(&self, d: &Diagrams, moves: Bdd, here: &Bdd) -> Result<Bdd, Limit> {
        self.clusters.iter().try_fold(moves, |moves, (cluster, _)| d.and(&moves, &d.restrict(cluster, here)?))
    }
}
