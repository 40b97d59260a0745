//! From an invariant to a machine with few edges. Every answer that keeps the invariant is allowed, and the choices of
//! different states and classes are independent: in each state the moves are chosen greedily so that few of them cover
//! all classes.

use super::classes::LetterClass;
use super::encode::ExactMachine;
use super::universal::Universal;
use crate::mealy::quotient_mealy;
use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::logic::{Alphabet, Guard, Letter};
use tsl_synth_core::model::{Mealy, MealyEdge, MealyState, StateId};

/// The machine of an invariant.
pub(super) fn decode(
    universal: &Universal,
    classes: &[LetterClass],
    alphabet: &Alphabet,
    found: &ExactMachine,
) -> Mealy {
    let mut letters: Vec<Letter> = vec![Letter::new()];
    for (letter, _) in found.answers.iter().flatten() {
        let letter = alphabet.canonical(letter);
        if !letters.contains(&letter) {
            letters.push(letter);
        }
    }
    letters.sort_by_key(|letter| (letter.len(), letter.iter().collect::<Vec<_>>()));
    let mut guards = universal.guards.clone();
    let states: IdVec<StateId, MealyState> = (0..found.n)
        .map(|s| {
            let moves = moves(universal, classes, found, &letters, s);
            let edges = moves.into_iter().map(|(letter, next, covered)| {
                let inputs = covered.iter().map(|&i| classes[i].inputs);
                let guard = inputs.fold(Guard::FALSE, |sum, inputs| guards.or(sum, inputs));
                MealyEdge { guard, output: letters[letter].clone(), next: StateId::from_index(next) }
            });
            MealyState { edges: edges.collect() }
        })
        .collect();
    quotient_mealy(&Mealy { guards, states, initial: StateId::from_index(0) })
}

/// Moves of a state (index of a letter, next state, classes), every class in exactly one.
fn moves(
    universal: &Universal,
    classes: &[LetterClass],
    found: &ExactMachine,
    letters: &[Letter],
    s: usize,
) -> Vec<(usize, usize, Vec<usize>)> {
    let mut candidates: Vec<(usize, usize, Vec<usize>)> = Vec::new();
    // Ties go to the first: a move that stays, then the letter with the fewest true bits.
    let nexts = std::iter::once(s).chain((0..found.n).filter(|&next| next != s));
    for next in nexts {
        for (l, letter) in letters.iter().enumerate() {
            let keeps = |&i: &usize| keeps(universal, &classes[i], found, s, letter, next);
            candidates.push((l, next, (0..classes.len()).filter(keeps).collect()));
        }
    }
    let mut open: Vec<bool> = vec![true; classes.len()];
    let mut chosen = Vec::new();
    while open.contains(&true) {
        let gain = |covered: &[usize]| covered.iter().filter(|&&i| open[i]).count();
        let best = candidates.iter().rev().max_by_key(|(_, _, covered)| gain(covered));
        let (l, next, covered) = best.expect("there are candidates");
        let covered: Vec<usize> = covered.iter().copied().filter(|&i| open[i]).collect();
        assert!(!covered.is_empty(), "the solver's own answers keep the invariant");
        for &i in &covered {
            open[i] = false;
        }
        chosen.push((*l, *next, covered));
    }
    chosen
}

/// Whether the answer keeps the invariant.
fn keeps(
    universal: &Universal,
    class: &LetterClass,
    found: &ExactMachine,
    s: usize,
    letter: &Letter,
    next: usize,
) -> bool {
    universal.nodes.iter().enumerate().all(|(q, node)| {
        // The largest counter is the strongest requirement.
        let Some(largest) = found.reached[s][q].checked_sub(1) else { return true };
        let met = |edge: &&super::universal::UniversalEdge| {
            universal.guards.contains(class.outputs[edge.label], letter)
        };
        node.edges.iter().filter(met).all(|edge| {
            universal
                .counter(q, edge, largest, &found.levels)
                .is_some_and(|counter| counter < found.reached[next][edge.next])
        })
    })
}
