//! The solution of a game as plain data: diagrams that are evaluated without a store. It can be saved and read again,
//! and a game that has it needs no solver.

use super::arena::{GameStep, PolicyArena};
use super::layout::{GameLayout, VariableKind};
use super::solve::Solution;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::logic::{BitId, Guard, GuardDiagrams};

/// The most diagram nodes of the ways to an accepted end, which are for information only.
const WAY_NODES: usize = 1 << 18;

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
    /// For each variable of a call: the choices with it after which all answers of the world stay winning.
    pub allowed: Vec<(BitId, Guard)>,
    /// The same for choices after which no answer of the world violates a law in the same letter.
    pub legal: Vec<(BitId, Guard)>,
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
    /// The classes of letters.
    pub classes: Vec<LetterMoves>,
}

/// The effect of the letters of one class on a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LetterMoves {
    /// The variable of the call that the letters have; `None` for letters of the world.
    pub call: Option<BitId>,
    /// For each layer the letters that lead into it, with the answers of the world; only allowed calls.
    pub into: Vec<Guard>,
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
    /// For each call the choices that are allowed.
    allowed: Vec<Guard>,
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
        let (mut allowed, mut legal) = (Vec::new(), Vec::new());
        for call in &mut arena.calls {
            allowed.push(call.safe_choices(&mut arena.store, closed));
            legal.push(call.safe_choices(&mut arena.store, Guard::TRUE));
        }
        arena.tick(budget)?;
        let (mut diagrams, mut done) = (GuardDiagrams::new(), FxHashMap::default());
        let mut own = |guard: Guard| diagrams.add(&arena.store, guard, &mut done);
        let [own_winning, own_closed, end] = [winning, closed, arena.end].map(&mut own);
        let calls: Vec<BitId> = arena.calls.iter().filter_map(|call| call.call).collect();
        let mut of_calls =
            |guards: &[Guard]| calls.iter().zip(guards).map(|(&call, &guard)| (call, own(guard))).collect();
        let (own_allowed, own_legal) = (of_calls(&allowed), of_calls(&legal));
        let solved = Self {
            layout: hash_of(layout),
            made: arena.made(),
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
        let mut guards = vec![self.winning, self.closed, self.end];
        let mut bits: Vec<BitId> = self.diagrams.nodes().iter().map(|&(bit, ..)| bit).collect();
        for &(bit, guard) in self.allowed.iter().chain(&self.legal) {
            guards.push(guard);
            bits.push(bit);
        }
        if let Some(ways) = &self.ways {
            if ways.layers.is_empty() {
                return false;
            }
            guards.extend(&ways.layers);
            for moves in &ways.classes {
                if moves.into.len() != ways.layers.len() {
                    return false;
                }
                guards.extend(&moves.into);
                guards.extend(moves.next.iter().chain(&moves.computed).map(|&(_, guard)| guard));
                bits.extend(moves.next.iter().map(|&(bit, _)| bit).chain(moves.call));
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
        arena.store.lower_limit(arena.store.node_count() + WAY_NODES);
        let mut layers = vec![arena.store.and(arena.end, self.closed)];
        let mut into: Vec<Vec<Guard>> = vec![Vec::new(); arena.worlds.len() + arena.calls.len()];
        loop {
            let last = layers[layers.len() - 1];
            let mut next = last;
            let PolicyArena { worlds, calls, store, .. } = arena;
            let (of_worlds, of_calls) = into.split_at_mut(worlds.len());
            for (world, into) in worlds.iter_mut().zip(of_worlds) {
                let letters = world.world_before(store, last);
                into.push(letters);
                let some = store.exists(letters, &|bit| world.chosen.answer[bit]);
                next = store.or(next, some);
            }
            for ((call, into), &allowed) in calls.iter_mut().zip(of_calls).zip(&self.allowed) {
                let good = call.before(store, last);
                let letters = store.and(allowed, call.legal);
                let letters = store.and(letters, good);
                into.push(letters);
                let calls = store.exists(letters, &|bit| call.chosen.answer[bit]);
                let calls = call.choose(store, calls);
                next = store.or(next, calls);
            }
            next = arena.store.and(next, self.closed);
            arena.tick(budget)?;
            if next == last {
                break;
            }
            layers.push(next);
        }
        let Self { arena, mut done, .. } = self;
        let mut own = |guard: Guard| solved.diagrams.add(&arena.store, guard, &mut done);
        let layers = layers.into_iter().map(&mut own).collect();
        let mut moves = |(step, into): (&GameStep, Vec<Guard>)| {
            let mut next: Vec<(BitId, Guard)> = step.next.iter().map(|(&bit, &next)| (bit, next)).collect();
            next.retain(|&(bit, _)| kinds[bit] == VariableKind::State);
            next.sort_unstable();
            let mut each =
                |pairs: &[(BitId, Guard)]| pairs.iter().map(|&(bit, guard)| (bit, own(guard))).collect();
            LetterMoves {
                call: step.call,
                next: each(&next),
                computed: each(&step.computed),
                into: into.into_iter().map(&mut own).collect(),
            }
        };
        let classes = arena.worlds.iter().chain(&arena.calls).zip(into).map(&mut moves).collect();
        solved.made = arena.made();
        solved.ways = Some(Ways { layers, classes });
        Ok(())
    }
}
