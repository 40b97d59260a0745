//! The solution of a game as plain data: diagrams that are evaluated without a store. It can be saved and read again,
//! and a game that has it needs no solver.

use super::arena::{GameStep, PolicyArena};
use super::layout::{GameLayout, VariableKind};
use super::solve::Solution;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::logic::{BitId, Guard, GuardDiagrams};

/// The solution of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolvedGame {
    /// A hash of the layout; for another layout the diagrams are meaningless.
    pub layout: u64,
    /// The number of nodes that the solver created.
    pub made: usize,
    /// The nodes of all diagrams.
    pub diagrams: GuardDiagrams,
    /// The winning positions.
    pub winning: Guard,
    /// Those that stay winning whatever the world does before the agent's next choice.
    pub closed: Guard,
    /// Calls after which all answers of the world stay winning.
    pub allowed: Guard,
    /// Calls after which no answer of the world violates a law in the same letter.
    pub legal: Guard,
    /// Positions in which the end is accepted.
    pub end: Guard,
    /// The ways to an accepted end, once they were computed.
    pub ways: Option<Ways>,
}

/// The ways to an accepted end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ways {
    /// At index `n` the positions of the closed set from which at most `n` letters lead to an accepted end, each call
    /// being allowed. The last layer has all of them.
    pub layers: Vec<Guard>,
    /// For each layer the allowed calls that lead into it, with the answers of the world.
    pub calls: Vec<Guard>,
    /// For each layer the letters of the world that lead into it.
    pub worlds: Vec<Guard>,
    /// The effect of a letter with a call.
    pub call: LetterMoves,
    /// The effect of a letter of the world; `None` if the world has no letters of its own.
    pub world: Option<LetterMoves>,
}

/// The effect of a letter on a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LetterMoves {
    /// The variables of the next position; those that are not listed are unchanged.
    pub next: Vec<(BitId, Guard)>,
    /// The computed propositions, with the conditions under which they hold in the letter.
    pub computed: Vec<(BitId, Guard)>,
}

/// A solved game with the diagrams that its ways are computed from.
#[derive(Clone, Debug)]
pub(super) struct SolvedDiagrams {
    arena: PolicyArena,
    closed: Guard,
    allowed: Guard,
    /// The diagrams that are already part of the solution, with their roots in it.
    done: FxHashMap<Guard, Guard>,
}

/// A hash of the variables of a game.
pub(super) fn hash_of(layout: &GameLayout) -> u64 {
    let mut hasher = FxHasher::default();
    layout.hash(&mut hasher);
    hasher.finish()
}

impl SolvedGame {
    /// The solution of a game, without ways to an accepted end.
    ///
    /// # Errors
    /// The budget.
    pub(super) fn new(
        mut arena: PolicyArena,
        layout: &GameLayout,
        solution: Solution,
        budget: &Budget,
    ) -> Result<(Self, SolvedDiagrams), Limit> {
        let Solution { winning, closed } = solution;
        let allowed = arena.call.safe_choices(&mut arena.store, closed);
        let legal = arena.call.safe_choices(&mut arena.store, Guard::TRUE);
        arena.tick(budget)?;
        let (mut diagrams, mut done) = (GuardDiagrams::new(), FxHashMap::default());
        let [own_winning, own_closed, own_allowed, own_legal, end] =
            [winning, closed, allowed, legal, arena.end]
                .map(|one| diagrams.add(&arena.store, one, &mut done));
        let solved = Self {
            layout: hash_of(layout),
            made: arena.store.node_count(),
            diagrams,
            winning: own_winning,
            closed: own_closed,
            allowed: own_allowed,
            legal: own_legal,
            end,
            ways: None,
        };
        Ok((solved, SolvedDiagrams { arena, closed, allowed, done }))
    }
    /// Whether all guards exist and the solution is over the variables of a layout.
    pub(super) fn fits(&self, layout: &GameLayout) -> bool {
        let mut guards = vec![self.winning, self.closed, self.allowed, self.legal, self.end];
        let mut bits: Vec<BitId> = self.diagrams.nodes().iter().map(|&(bit, ..)| bit).collect();
        if let Some(ways) = &self.ways {
            let steps = ways.layers.len();
            if steps == 0 || ways.calls.len() != steps || ways.worlds.len() != steps {
                return false;
            }
            guards.extend(ways.layers.iter().chain(&ways.calls).chain(&ways.worlds));
            for moves in std::iter::once(&ways.call).chain(&ways.world) {
                guards.extend(moves.next.iter().chain(&moves.computed).map(|&(_, guard)| guard));
                bits.extend(moves.next.iter().map(|&(bit, _)| bit));
            }
        }
        self.layout == hash_of(layout)
            && guards.into_iter().all(|guard| self.diagrams.has(guard))
            && bits.into_iter().all(|bit| bit.index() < layout.kinds.len())
    }
}

impl SolvedDiagrams {
    /// Adds the ways to an accepted end to the solution of the game.
    ///
    /// # Errors
    /// The budget, or the limit of nodes.
    pub(super) fn add_ways(
        mut self,
        solved: &mut SolvedGame,
        kinds: &IdVec<BitId, VariableKind>,
        budget: &Budget,
    ) -> Result<(), Limit> {
        let arena = &mut self.arena;
        let mut layers = vec![arena.store.and(arena.end, self.closed)];
        let (mut all_calls, mut worlds) = (Vec::new(), Vec::new());
        loop {
            let last = layers[layers.len() - 1];
            let good = arena.call.before(&mut arena.store, last);
            let calls = arena.store.and(self.allowed, arena.call.legal);
            all_calls.push(arena.store.and(calls, good));
            worlds.push(arena.world_before(last));
            let world = arena.world_some(last);
            let calls = arena.call.hopeful_choices(&mut arena.store, last);
            let calls = arena.store.and(calls, self.allowed);
            let calls = arena.call.choose(&mut arena.store, calls);
            let mut next = arena.store.or(world, calls);
            next = arena.store.and(next, self.closed);
            next = arena.store.or(next, last);
            arena.tick(budget)?;
            if next == last {
                break;
            }
            layers.push(next);
        }
        let Self { arena, mut done, .. } = self;
        let mut own = |guard: Guard| solved.diagrams.add(&arena.store, guard, &mut done);
        let mut each = |guards: Vec<Guard>| -> Vec<Guard> { guards.into_iter().map(&mut own).collect() };
        let (layers, calls, worlds) = (each(layers), each(all_calls), each(worlds));
        let mut moves = |step: &GameStep| LetterMoves {
            next: step
                .next
                .enumerate()
                .filter(|&(bit, _)| kinds[bit] == VariableKind::State)
                .filter_map(|(bit, next)| next.map(|next| (bit, own(next))))
                .collect(),
            computed: step.computed.iter().map(|&(bit, holds)| (bit, own(holds))).collect(),
        };
        let (call, world) = (moves(&arena.call), arena.world.as_ref().map(&mut moves));
        solved.made = arena.store.node_count();
        solved.ways = Some(Ways { layers, calls, worlds, call, world });
        Ok(())
    }
}
