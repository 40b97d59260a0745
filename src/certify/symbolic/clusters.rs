//! A relation as a conjunction of clusters with early quantification: Burch, Clarke and Long, "Symbolic model checking
//! with partitioned transition relations" (VLSI 1991); Ranjan et al. (IWLS 1995).

use super::diagrams::{Bdd, Diagrams};
use super::model::Model;
use super::structure::Leaf;
use crate::base::Limit;
use std::rc::Rc;

/// Nodes of a cluster.
const CLUSTER: usize = 2000;

/// Relations of steps that are remembered: with latches, and of answers alone.
const RECENT: usize = 2;

/// The relation of the steps of a cone.
pub(super) struct Recent {
    latches: Vec<usize>,
    answers: Vec<usize>,
    steps: Rc<Clusters>,
}

/// Clusters in the making, in the order in which they are conjoined.
pub(super) struct Clusters {
    relations: Vec<Bdd>,
    /// The last cluster that mentions each variable.
    last: Vec<Option<usize>>,
}

impl Clusters {
    pub(super) fn new(d: &Diagrams) -> Self {
        Self { relations: Vec::new(), last: vec![None; d.count()] }
    }

    /// A cluster of its own.
    pub(super) fn push(&mut self, relation: Bdd, mentions: impl IntoIterator<Item = usize>) {
        self.relations.push(relation);
        self.mention(mentions);
    }

    /// A part of the relation, in the last cluster if that stays small.
    fn join(
        &mut self,
        d: &Diagrams,
        part: Bdd,
        mentions: impl IntoIterator<Item = usize>,
    ) -> Result<(), Limit> {
        let joined = match self.relations.last() {
            Some(cluster) => Some(d.and(cluster, &part)?),
            None => None,
        };
        match joined.filter(|joined| oxidd::Function::node_count(joined) <= CLUSTER) {
            Some(joined) => *self.relations.last_mut().expect("it was joined to the last") = joined,
            None => self.relations.push(part),
        }
        self.mention(mentions);
        Ok(())
    }

    /// The relation of some answers and of the next values of some latches. Questions about one cone follow each
    /// other: the last few are remembered.
    pub(super) fn steps(model: &Model<'_>, latches: &[usize], answers: &[usize]) -> Result<Rc<Self>, Limit> {
        let mut recent = model.recent.borrow_mut();
        let place = recent.iter().position(|made| made.latches == latches && made.answers == answers);
        let made = match place {
            Some(place) => recent.remove(place),
            None => Recent {
                latches: latches.to_vec(),
                answers: answers.to_vec(),
                steps: Rc::new(Self::made(model, latches, answers)?),
            },
        };
        let steps = Rc::clone(&made.steps);
        recent.truncate(RECENT - 1);
        recent.insert(0, made);
        Ok(steps)
    }

    fn made(model: &Model<'_>, latches: &[usize], answers: &[usize]) -> Result<Self, Limit> {
        let d = &model.diagrams;
        let mut steps = Self::new(d);
        let support = |leaves: &[Leaf]| leaves.iter().map(|leaf| model.variable_of(leaf)).collect::<Vec<_>>();
        let (mut latches, mut answers) = (latches.to_vec(), answers.to_vec());
        answers.sort_by_key(|&o| model.answers[o]);
        for o in answers {
            let part = d.iff(d.variable(model.answers[o]), model.output(o))?;
            steps.join(
                d,
                part,
                support(&model.structure.outputs[o]).into_iter().chain([model.answers[o]]),
            )?;
        }
        latches.sort_by_key(|&i| model.latches[i].now);
        for i in latches {
            let part = d.iff(d.variable(model.latches[i].next), model.next(i))?;
            steps.join(d, part, support(&model.structure.local[i]))?;
        }
        Ok(steps)
    }

    /// The clusters of another relation, after these.
    pub(super) fn extend(&mut self, other: &Self) {
        let before = self.relations.len();
        self.relations.extend(other.relations.iter().cloned());
        for (last, &other) in self.last.iter_mut().zip(&other.last) {
            *last = other.map(|cluster| before + cluster).or(*last);
        }
    }

    fn mention(&mut self, variables: impl IntoIterator<Item = usize>) {
        for variable in variables {
            self.last[variable] = Some(self.relations.len() - 1);
        }
    }

    /// The variables that some cluster mentions.
    pub(super) fn mentioned(&self) -> Vec<usize> {
        (0..self.last.len()).filter(|&variable| self.last[variable].is_some()).collect()
    }

    /// The clusters, each with those of the variables that no later one mentions; and those that none mentions.
    pub(super) fn freeing(
        &self,
        d: &Diagrams,
        variables: impl IntoIterator<Item = usize>,
    ) -> Result<(Vec<(Bdd, Bdd)>, Bdd), Limit> {
        let mut freed: Vec<Vec<usize>> = vec![Vec::new(); self.relations.len()];
        let mut alone = Vec::new();
        for variable in variables {
            // There may be more variables than when the clusters were made.
            match self.last.get(variable).copied().flatten() {
                Some(cluster) => freed[cluster].push(variable),
                None => alone.push(variable),
            }
        }
        let clusters = self.relations.iter().cloned().zip(freed);
        let clusters = clusters.map(|(relation, variables)| Ok((relation, d.cube(variables)?)));
        Ok((clusters.collect::<Result<_, Limit>>()?, d.cube(alone)?))
    }
}
