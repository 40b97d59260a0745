//! The game by its definition, as the reference for positions in sessions of the gate.

use crate::policy_game::explicit::{Bounds, Explicit, Position, Rules};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use tsl_synth_core::base::Id;
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::language::LawId;

/// Larger games are not compared.
const FEW: Bounds = Bounds { nodes: 160, letters: 12_000 };

/// The properties of one position by the definition.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) winning: bool,
    pub(super) closed: bool,
    pub(super) end: bool,
    /// Actions with some choice that is allowed.
    pub(super) allowed: BTreeSet<usize>,
}

/// Games by their definition, solved on demand from given positions.
pub(super) struct Oracle<'a> {
    compiled: &'a CompiledPolicy,
    known: HashMap<(Vec<LawId>, usize, Position), Option<Known>>,
}

impl<'a> Oracle<'a> {
    pub(super) fn new(compiled: &'a CompiledPolicy) -> Self {
        Self { compiled, known: HashMap::new() }
    }
    pub(super) fn ask(&mut self, kept: &[LawId], copies: usize, place: &Position) -> Option<Known> {
        let key = (kept.to_vec(), copies, place.clone());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let rules = Rules::new(self.compiled, kept, copies);
        let Some(explicit) = Explicit::from(rules, vec![vec![place.clone()]], FEW) else {
            self.known.insert(key, None);
            return None;
        };
        for node in 0..explicit.len() {
            let graph = &explicit.graph;
            let set =
                |safe: &[bool]| explicit.actions(node, safe).iter().map(|action| action.index()).collect();
            let known = Known {
                winning: graph.winning[node],
                closed: graph.closed[node],
                end: graph.end[node],
                allowed: set(&graph.closed),
            };
            self.known.insert((kept.to_vec(), copies, explicit.position(node).clone()), Some(known));
        }
        self.known.get(&key).cloned().flatten()
    }
    /// The same for a position with two copies, for the value and for values not seen: each copy alone, and both
    /// together.
    pub(super) fn views(&mut self, kept: &[LawId], place: &Position) -> Option<(Vec<Known>, Option<Known>)> {
        if place.laws.iter().all(|states| states.len() == 1) {
            return Some((vec![self.ask(kept, 1, place)?], None));
        }
        let singles = [0, 1].map(|copy| self.ask(kept, 1, &self.single(place, copy)));
        let together = self.ask(kept, 2, place)?;
        Some((singles.into_iter().collect::<Option<_>>()?, Some(together)))
    }
    /// One copy of a position with two.
    fn single(&self, place: &Position, copy: usize) -> Position {
        let mut pending = BTreeMap::new();
        let rules = Rules::new(self.compiled, &[], 1);
        for (&(action, mask), &count) in &place.pending {
            let slot = pending.entry((action, mask >> copy & 1)).or_insert(0);
            *slot = (*slot + count).min(rules.counted(action));
        }
        let laws =
            place.laws.iter().map(|states| vec![states[if states.len() > 1 { copy } else { 0 }]]).collect();
        Position { laws, pending, ..place.clone() }
    }
}
