//! A relation as a conjunction of clusters with early quantification: Burch, Clarke and Long, "Symbolic model checking
//! with partitioned transition relations" (VLSI 1991); Ranjan et al. (IWLS 1995).

use super::diagrams::{Bdd, Diagrams};
use crate::tuning::CLUSTER_NODES;
use tsl_synth_core::base::{BooleanFunction as _, IdVec, Limit, Variable};

/// The clusters of a relation, in the order in which they are conjoined.
pub(crate) struct Clusters {
    relations: Vec<Bdd>,
    /// The last cluster that mentions each variable.
    last: IdVec<Variable, Option<usize>>,
}

impl Clusters {
    pub(crate) fn new(d: &Diagrams) -> Self {
        Self { relations: Vec::new(), last: IdVec::filled(None, d.count()) }
    }

    /// Adds a separate cluster.
    pub(crate) fn push(&mut self, relation: Bdd, mentions: impl IntoIterator<Item = Variable>) {
        self.relations.push(relation);
        self.mention(mentions);
    }

    /// Adds a part of the relation, to the last cluster if that stays small.
    pub(crate) fn join(
        &mut self,
        d: &Diagrams,
        part: Bdd,
        mentions: impl IntoIterator<Item = Variable>,
    ) -> Result<(), Limit> {
        let joined = match self.relations.last() {
            Some(cluster) => Some(d.and(cluster, &part)?),
            None => None,
        };
        match joined.filter(|joined| joined.node_count() <= CLUSTER_NODES) {
            Some(joined) => *self.relations.last_mut().expect("it was joined to the last") = joined,
            None => self.relations.push(part),
        }
        self.mention(mentions);
        Ok(())
    }

    /// Appends the clusters of another relation.
    pub(crate) fn extend(&mut self, other: &Self) {
        let before = self.relations.len();
        self.relations.extend(other.relations.iter().cloned());
        for (last, &other) in self.last.iter_mut().zip(&other.last) {
            *last = other.map(|cluster| before + cluster).or(*last);
        }
    }

    fn mention(&mut self, variables: impl IntoIterator<Item = Variable>) {
        for variable in variables {
            self.last[variable] = Some(self.relations.len() - 1);
        }
    }

    /// The variables that some cluster mentions.
    pub(crate) fn mentioned(&self) -> Vec<Variable> {
        self.last.ids().filter(|&variable| self.last[variable].is_some()).collect()
    }

    /// The clusters, each with those of the given variables that no later cluster mentions; and the variables that no
    /// cluster mentions.
    pub(crate) fn freeing(
        &self,
        d: &Diagrams,
        variables: impl IntoIterator<Item = Variable>,
    ) -> Result<(Vec<(Bdd, Bdd)>, Bdd), Limit> {
        let mut freed: Vec<Vec<Variable>> = vec![Vec::new(); self.relations.len()];
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
