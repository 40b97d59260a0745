//! From strategies that allow several answers to machines with one answer for each letter.

use crate::game::PositionStrategy;
use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::logic::{Alphabet, BitId, Guard, Guards, Letter, Player};
use tsl_synth_core::model::{
    CounterEdge, CounterState, CounterStrategy, Mealy, MealyEdge, MealyState, StateId,
};

/// The bits of `letter` that a player owns, cells canonically coded.
fn part(alphabet: &Alphabet, letter: &Letter, player: Player) -> Letter {
    alphabet.canonical(letter).iter().filter(|&bit| alphabet.owner(bit) == player).collect()
}

/// The machine of a winning strategy of the system. Among the allowed answers it prefers one that stays in the
/// position, then the first letter in the order that compares bits from the first on, false before true: self-updates
/// are coded 0.
pub fn mealy(strategy: &PositionStrategy, alphabet: &Alphabet) -> Mealy {
    let mut guards = strategy.guards.clone();
    let is_output = |bit: BitId| alphabet.owner(bit) == Player::System;
    let mut states = IdVec::new();
    for (p, moves) in strategy.moves.iter().enumerate() {
        let mut edges: Vec<MealyEdge> = Vec::new();
        let mut answered = Guard::FALSE;
        let mut ordered: Vec<_> = moves.iter().collect();
        ordered.sort_by_key(|m| (m.next != p, m.next));
        for m in ordered {
            let inputs = guards.minus(m.inputs, answered);
            if inputs == Guard::FALSE {
                continue;
            }
            debug_assert!(!guards.support(inputs).into_iter().any(is_output));
            let Some(letter) = guards.pick(m.outputs) else { continue };
            answered = guards.or(answered, inputs);
            let output = part(alphabet, &letter, Player::System);
            edges.push(MealyEdge { guard: inputs, output, next: StateId::from_index(m.next) });
        }
        states.push(MealyState { edges: merge_edges(&mut guards, edges) });
    }
    Mealy { guards, states, initial: StateId::from_index(0) }
}

/// One edge per output and next state, in canonical order.
pub(super) fn merge_edges(guards: &mut Guards, edges: Vec<MealyEdge>) -> Vec<MealyEdge> {
    let mut merged: Vec<MealyEdge> = Vec::new();
    for edge in edges {
        match merged.iter_mut().find(|e| e.output == edge.output && e.next == edge.next) {
            Some(same) => same.guard = guards.or(same.guard, edge.guard),
            None => merged.push(edge),
        }
    }
    merged
}

/// The counter-strategy of a winning strategy of the environment.
pub fn counter_strategy(strategy: &PositionStrategy, alphabet: &Alphabet) -> CounterStrategy {
    let mut guards = strategy.guards.clone();
    let mut states = IdVec::new();
    for moves in &strategy.moves {
        let input = moves.first().and_then(|m| guards.pick(m.inputs)).unwrap_or_default();
        let input = part(alphabet, &input, Player::Environment);
        let mut edges: Vec<CounterEdge> = Vec::new();
        for m in moves {
            let next = StateId::from_index(m.next);
            match edges.iter_mut().find(|e| e.next == next) {
                Some(same) => same.guard = guards.or(same.guard, m.outputs),
                None => edges.push(CounterEdge { guard: m.outputs, next }),
            }
        }
        states.push(CounterState { input, edges });
    }
    CounterStrategy { guards, states, initial: StateId::from_index(0) }
}
