//! Fewer states for deterministic Büchi automata: of two states with the same language one is removed if redirecting
//! its incoming edges to the other keeps the language.
//!
//! Bisimilar states have been merged before (`coarsest_partition`). States with the same language whose edges accept at
//! different steps can still be redundant: for `G (a | F b)` the breakpoint construction makes two states that record
//! whether a breakpoint has just been reached. The new automaton is compared with the old one on their product. (A
//! smallest automaton is NP-hard to find: Schewe, FSTTCS 2010.) Polynomial: a product for each pair of states with the
//! same language. Checked by the lasso semantics in the tests of the construction.

use super::scc::components;
use super::tuning::REDIRECTED_STATES;
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::logic::{Guard, Guards};
use tsl_synth_core::model::{DeterministicBuchi, RunEdge, RunStateId};

type States = IdVec<RunStateId, Vec<RunEdge>>;

/// The same language, perhaps with fewer states.
///
/// # Errors
/// A limit.
pub(super) fn redirected(
    mut automaton: DeterministicBuchi,
    budget: &Budget,
) -> Result<DeterministicBuchi, Limit> {
    let dead = automaton.dead;
    let waits = |e: &RunEdge| !e.accepting && Some(e.next) != dead;
    let waits = |(q, out): (RunStateId, &Vec<RunEdge>)| Some(q) != dead && out.iter().any(waits);
    // States of a safety automaton with the same language are bisimilar.
    if automaton.states.len() > REDIRECTED_STATES || !automaton.states.enumerate().any(waits) {
        return Ok(automaton);
    }
    'smaller: loop {
        let DeterministicBuchi { guards, states, initial, dead } = &mut automaton;
        let starts: Vec<_> = states.ids().flat_map(|p| states.ids().map(move |q| (p, q))).collect();
        let unequal = different(guards, (states, states), &starts, budget)?;
        for (q, p) in starts.into_iter().rev().filter(|pair| pair.0 != pair.1 && !unequal.contains(pair)) {
            let (fewer, renamed) = redirect(states, *initial, q, p);
            let first = (*initial, RunStateId::from_index(0));
            if !different(guards, (states, &fewer), &[first], budget)?.contains(&first) {
                *dead = dead.and_then(|dead| renamed[dead]);
                (*states, *initial) = (fewer, first.1);
                continue 'smaller;
            }
        }
        return Ok(automaton);
    }
}

/// Redirects the edges to `q` to `p`. Returns the reachable states, the initial one first, and the new number of each
/// state.
fn redirect(
    states: &States,
    initial: RunStateId,
    q: RunStateId,
    p: RunStateId,
) -> (States, IdVec<RunStateId, Option<RunStateId>>) {
    let target = |state| if state == q { p } else { state };
    let mut renamed = IdVec::filled(None, states.len());
    let mut reached = vec![target(initial)];
    renamed[target(initial)] = Some(RunStateId::from_index(0));
    let mut fewer = States::new();
    while fewer.len() < reached.len() {
        let mut out = states[reached[fewer.len()]].clone();
        for e in &mut out {
            let next = target(e.next);
            e.next = *renamed[next].get_or_insert_with(|| {
                reached.push(next);
                RunStateId::from_index(reached.len() - 1)
            });
        }
        fewer.push(out);
    }
    (fewer, renamed)
}

/// The pairs of states with different languages, among the pairs reachable from `starts`. Each pair of edges is visited
/// once per pair of states.
fn different(
    guards: &mut Guards,
    (left, right): (&States, &States),
    starts: &[(RunStateId, RunStateId)],
    budget: &Budget,
) -> Result<FxHashSet<(RunStateId, RunStateId)>, Limit> {
    let mut pairs = starts.to_vec();
    let mut index: FxHashMap<_, usize> = pairs.iter().enumerate().map(|(i, &pair)| (pair, i)).collect();
    // Source, target, and whether the left and the right edge accept.
    let mut edges: Vec<(usize, usize, bool, bool)> = Vec::new();
    let mut done = 0;
    while let Some(&(a, b)) = pairs.get(done) {
        for (e, f) in left[a].iter().flat_map(|e| right[b].iter().map(move |f| (e, f))) {
            budget.tick(1, || "fewer states of a deterministic automaton".into())?;
            if guards.and(e.guard, f.guard) == Guard::FALSE {
                continue;
            }
            let to = *index.entry((e.next, f.next)).or_insert_with_key(|&pair| {
                pairs.push(pair);
                pairs.len() - 1
            });
            edges.push((done, to, e.accepting, f.accepting));
        }
        done += 1;
    }
    // Cycles on which only one of the two automata accepts.
    let mut bad = vec![false; pairs.len()];
    for one in [true, false] {
        let mut successors = vec![Vec::new(); pairs.len()];
        let others = |&&(.., l, r): &&(usize, usize, bool, bool)| !(if one { r } else { l });
        for &(from, to, ..) in edges.iter().filter(others) {
            successors[from].push(to);
        }
        let component = components(&successors);
        for &(from, to, l, r) in edges.iter().filter(others) {
            bad[from] |= component[from] == component[to] && if one { l } else { r };
        }
    }
    let mut before = vec![Vec::new(); pairs.len()];
    for &(from, to, ..) in &edges {
        before[to].push(from);
    }
    let mut open: Vec<usize> = (0..pairs.len()).filter(|&i| bad[i]).collect();
    while let Some(i) = open.pop() {
        for &j in &before[i] {
            if !std::mem::replace(&mut bad[j], true) {
                open.push(j);
            }
        }
    }
    Ok(pairs.into_iter().zip(bad).filter(|&(_, bad)| bad).map(|(pair, _)| pair).collect())
}
