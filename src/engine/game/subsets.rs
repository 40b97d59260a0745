//! Determinization over shared memory: one bit for each state of a nondeterministic automaton, true when a run
//! can be there.
//!
//! The subset construction (Rabin and Scott 1959) with n bits for a subset instead of up to 2ⁿ states. It decides the
//! language if every infinite run is accepting (a word is then accepted if the subset never becomes empty) or if a run
//! is accepting if and only if it enters a state that is never left (a word is then accepted if the subset ever
//! contains such a state). Safety formulas have automata of the first kind and co-safety formulas of the second; for
//! their negations the kinds are exchanged. Linear in the automaton.

use super::memory::Memory;
use super::tuning::VALUE_NODES_PER_WORK;
use tsl_synth_automata::{ComponentId, components};
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::logic::{BitId, Formulas, Guard, Guards};
use tsl_synth_core::model::{Buchi, DeterministicBuchi, Marks, NodeId, RunEdge, RunStateId};

/// The event that decides whether a word is accepted.
pub(super) enum SubsetEvent {
    /// No run is left: the word is not in the language.
    Empty,
    /// A run is in a state that accepts every word: the word is in the language.
    Accepting,
}

/// An automaton of two states, over new bits of memory, for the language of `automaton` or, if `negated`, for its
/// complement. `None`, with the memory unchanged, if the event does not decide every word.
///
/// # Errors
/// Those of the budget.
pub(super) fn over_subsets(
    memory: &mut Memory,
    formulas: &mut Formulas,
    automaton: &Buchi,
    event: &SubsetEvent,
    negated: bool,
    budget: &Budget,
) -> Result<Option<DeterministicBuchi>, Limit> {
    let sinks = match event {
        SubsetEvent::Empty if automaton.sets > 0 => return Ok(None),
        SubsetEvent::Empty => Vec::new(),
        SubsetEvent::Accepting => match sinks(automaton) {
            Some(sinks) => sinks,
            None => return Ok(None),
        },
    };
    let begun = memory.started_bit(formulas, 1);
    let bits: IdVec<NodeId, BitId> = automaton.edges.ids().map(|_| memory.reserve()).collect();
    let guards = memory.guards_mut();
    let mut counted = guards.node_count();
    let begun_now = guards.bit(begun);
    let first = guards.not(begun_now);
    let mut next: IdVec<NodeId, Guard> = IdVec::filled(Guard::FALSE, bits.len());
    for (q, edges) in automaton.edges.enumerate() {
        let mut here = guards.bit(bits[q]);
        if automaton.initial.contains(&q) {
            here = guards.or(here, first);
        }
        for edge in edges {
            let guard = automaton.guards.copy_into(edge.guard, guards);
            let moved = guards.and(here, guard);
            next[edge.next] = guards.or(next[edge.next], moved);
            let nodes = guards.node_count();
            let made = (nodes - std::mem::replace(&mut counted, nodes)) as u64;
            budget
                .tick(1 + made / VALUE_NODES_PER_WORK, || "memory of a nondeterministic automaton".into())?;
        }
    }
    for (q, &bit) in bits.enumerate() {
        memory.define(bit, next[q]);
    }
    let mut guards = Guards::new();
    let watched: Vec<BitId> = match event {
        SubsetEvent::Empty => bits.iter().copied().collect(),
        SubsetEvent::Accepting => sinks.iter().map(|&q| bits[q]).collect(),
    };
    let some = watched.iter().fold(Guard::FALSE, |some, &bit| {
        let here = guards.bit(bit);
        guards.or(some, here)
    });
    let (decided, inside) = match event {
        SubsetEvent::Empty => {
            let begun = guards.bit(begun);
            (guards.minus(begun, some), negated)
        }
        SubsetEvent::Accepting => (some, !negated),
    };
    let undecided = guards.not(decided);
    let [open, closed] = [0, 1].map(RunStateId::from_index);
    let stay = RunEdge { next: open, accepting: !inside, guard: undecided };
    let leave = RunEdge { next: closed, accepting: inside, guard: decided };
    let rest = RunEdge { next: closed, accepting: inside, guard: Guard::TRUE };
    let states = IdVec::from(vec![vec![stay, leave], vec![rest]]);
    Ok(Some(DeterministicBuchi { guards, states, initial: open, dead: (!inside).then_some(closed) }))
}

/// The states that are never left and accept every word, if no other cycle is accepting.
fn sinks(automaton: &Buchi) -> Option<Vec<NodeId>> {
    let all = Marks::all(automaton.sets);
    let sink = |q: NodeId| {
        automaton.edges[q].iter().any(|e| e.next == q && e.guard == Guard::TRUE && e.marks == all)
    };
    let sinks: Vec<NodeId> = automaton.edges.ids().filter(|&q| sink(q)).collect();
    let others = |q: NodeId| {
        let edges = if sinks.contains(&q) { &[][..] } else { &automaton.edges[q][..] };
        edges.iter().filter(|e| !sinks.contains(&e.next))
    };
    let successors: Vec<Vec<usize>> =
        automaton.edges.ids().map(|q| others(q).map(|e| e.next.index()).collect()).collect();
    let component = components(&successors);
    let mut met: IdVec<ComponentId, Option<Marks>> = component.table(None);
    for q in automaton.edges.ids() {
        let here = component[q.index()];
        for e in others(q).filter(|e| component[e.next.index()] == here) {
            met[here] = Some(met[here].unwrap_or_default().union(e.marks));
        }
    }
    (!met.as_slice().contains(&Some(all))).then_some(sinks)
}
