//! States reachable by some moves, computed forward: images by clusters of the transition relation with early
//! quantification (Burch, Clarke and Long, "Symbolic model checking with partitioned transition relations", VLSI 1991).
//!
//! Unreachable positions do not matter to the game, and a circuit may do anything there. The certifier does not rely on
//! this: it checks the circuit.

use super::arena::SymbolicArena;
use super::diagrams::{Bdd, Diagrams, Replacement};
use crate::game::tuning::{CLUSTER_NODES, REACH_NODES, REACH_ROUNDS, REACH_WORK};
use tsl_synth_core::base::{BooleanFunction as _, IdVec, Limit, LimitKind, Variable};

/// The transition relation of an arena.
pub(super) struct TransitionRelation<'s, 'a> {
    arena: &'s SymbolicArena<'a>,
    /// Each cluster with the variables that no later one mentions.
    clusters: Vec<(Bdd, Bdd)>,
    /// Variables that no cluster mentions.
    alone: Bdd,
    /// Renames next-state variables to state variables.
    shift: Replacement,
}

impl<'s, 'a> TransitionRelation<'s, 'a> {
    pub(super) fn new(arena: &'s SymbolicArena<'a>) -> Result<Self, Limit> {
        let d = &arena.diagrams;
        let mut parts = Vec::new();
        for (v, function) in &arena.step_functions {
            let next = d.variable(SymbolicArena::next(*v));
            parts.push((*v, d.iff(next, function)?, function));
        }
        parts.sort_by_key(|part| part.0);
        let mut relations: Vec<Bdd> = Vec::new();
        let mut last: IdVec<Variable, Option<usize>> = IdVec::filled(None, d.count());
        for (_, part, function) in parts {
            let joined = relations.last().map(|cluster| d.and(cluster, &part)).transpose()?;
            match joined.filter(|joined| joined.node_count() <= CLUSTER_NODES) {
                Some(joined) => *relations.last_mut().expect("it was joined to the last") = joined,
                None => relations.push(part),
            }
            for v in function.support() {
                last[v] = Some(relations.len() - 1);
            }
        }
        let now = arena.step_functions.iter().map(|&(v, _)| v).chain(arena.bit_of.keys().copied());
        let mut freed: Vec<Vec<Variable>> = vec![Vec::new(); relations.len() + 1];
        for v in now {
            freed[last[v].unwrap_or(relations.len())].push(v);
        }
        let mut cubes = Vec::new();
        for mut variables in freed {
            variables.sort_unstable();
            cubes.push(d.conjunction(variables.into_iter().map(|v| d.variable(v)))?);
        }
        let alone = cubes.pop().expect("one more than there are clusters");
        let (now, later) = arena
            .step_functions
            .iter()
            .map(|&(v, _)| (d.variable(v).clone(), SymbolicArena::next(v)))
            .unzip();
        let shift = Diagrams::replacement(later, now);
        Ok(Self { arena, clusters: relations.into_iter().zip(cubes).collect(), alone, shift })
    }

    /// The states after some moves.
    fn image(&self, moves: &Bdd) -> Result<Bdd, Limit> {
        let d = &self.arena.diagrams;
        let mut image = d.exists(moves, &self.alone)?;
        for (relation, freed) in &self.clusters {
            image = d.and_exists(&image, relation, freed)?;
        }
        d.replace(&image, &self.shift)
    }

    /// The states that the moves reach from the first one; `None` if the search exceeds its limits.
    ///
    /// # Errors
    /// Limits, but not of memory.
    pub(super) fn reachable(&self, moves: &Bdd) -> Result<Option<Bdd>, Limit> {
        match self.search(moves) {
            Err(limit) if limit.kind == LimitKind::Memory => Ok(None),
            result => result,
        }
    }

    fn search(&self, moves: &Bdd) -> Result<Option<Bdd>, Limit> {
        let d = &self.arena.diagrams;
        let before = d.budget.work();
        let most = before.max(REACH_WORK);
        let mut reached = d.cube(&self.arena.initial())?;
        let mut frontier = reached.clone();
        for _ in 0..REACH_ROUNDS {
            let image = self.image(&d.and(&frontier, moves)?)?;
            frontier = d.minus(&image, &reached)?;
            if frontier == d.bottom {
                return Ok(Some(reached));
            }
            reached = d.or(&reached, &frontier)?;
            if reached.node_count() > REACH_NODES || d.budget.work() - before > most {
                break;
            }
        }
        Ok(None)
    }
}
