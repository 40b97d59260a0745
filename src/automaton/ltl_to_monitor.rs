//! Deterministic monitors of syntactic safety formulas: the subset construction on the looping automaton,
//! then minimization. 2^2^O(n) states in the worst case, a handful per clause in practice. Checked by the
//! lasso semantics in the tests.

use super::ltl_to_buchi::ltl_to_buchi;
use crate::base::{Budget, Id, IdVec, Limit, LimitKind};
use crate::logic::{Alphabet, FormulaId, Formulas, Guard, Guards};
use crate::model::{Buchi, Monitor, NodeId};
use rustc_hash::FxHashMap;

/// The monitor of a formula whose normal form is in [`crate::logic::Class::SAFETY`].
///
/// # Errors
/// A limit, among them more than `max_states` states.
pub fn ltl_to_monitor(
    formulas: &mut Formulas,
    alphabet: &Alphabet,
    f: FormulaId,
    max_states: usize,
    budget: &Budget,
) -> Result<Monitor, Limit> {
    let looping = ltl_to_buchi(formulas, alphabet, f, max_states, budget)?;
    let monitor = determinize(looping, max_states, budget)?;
    Ok(minimize(monitor))
}

fn determinize(mut looping: Buchi, max_states: usize, budget: &Budget) -> Result<Monitor, Limit> {
    let what = || format!("a safety monitor with more than {max_states} states");
    let mut subsets: Vec<Box<[NodeId]>> = Vec::new();
    let mut index: FxHashMap<Box<[NodeId]>, NodeId> = FxHashMap::default();
    let mut id = |subset: Box<[NodeId]>, subsets: &mut Vec<Box<[NodeId]>>| {
        *index.entry(subset).or_insert_with_key(|subset| {
            subsets.push(subset.clone());
            NodeId::from_index(subsets.len() - 1)
        })
    };
    let initial = id(looping.initial.clone().into(), &mut subsets);
    let mut edges: IdVec<NodeId, Vec<(Guard, NodeId)>> = IdVec::new();
    while edges.len() < subsets.len() {
        let subset = subsets[edges.len()].clone();
        let mut parts: Vec<(Guard, Vec<NodeId>)> = vec![(Guard::TRUE, Vec::new())];
        for &q in &subset {
            for e in looping.edges[q].clone() {
                budget.tick(parts.len() as u64, what)?;
                parts = refine(&mut looping.guards, parts, e.guard, e.next);
            }
        }
        let mut out: Vec<(Guard, NodeId)> = Vec::new();
        for (guard, next) in parts {
            let next = id(next.into(), &mut subsets);
            push_merged(&mut looping.guards, &mut out, guard, next);
        }
        edges.push(out);
        if subsets.len() > max_states {
            return Err(Limit::new(LimitKind::Size, what()));
        }
    }
    let dead = subsets.iter().position(|s| s.is_empty()).map(NodeId::from_index);
    Ok(Monitor { guards: looping.guards, edges, initial, dead })
}

/// Adds `state` to the parts inside `guard`.
fn refine(
    guards: &mut Guards,
    parts: Vec<(Guard, Vec<NodeId>)>,
    guard: Guard,
    state: NodeId,
) -> Vec<(Guard, Vec<NodeId>)> {
    let mut refined: Vec<(Guard, Vec<NodeId>)> = Vec::with_capacity(parts.len() + 1);
    for (part, targets) in parts {
        let inside = guards.and(part, guard);
        let outside = guards.minus(part, guard);
        if inside != Guard::FALSE {
            let mut with = targets.clone();
            if let Err(i) = with.binary_search(&state) {
                with.insert(i, state);
            }
            refined.push((inside, with));
        }
        if outside != Guard::FALSE {
            refined.push((outside, targets));
        }
    }
    // Parts with equal targets are one part.
    refined.sort_by(|a, b| a.1.cmp(&b.1));
    let mut merged: Vec<(Guard, Vec<NodeId>)> = Vec::with_capacity(refined.len());
    for (part, targets) in refined {
        match merged.last_mut() {
            Some(last) if last.1 == targets => last.0 = guards.or(last.0, part),
            _ => merged.push((part, targets)),
        }
    }
    merged
}

fn push_merged(guards: &mut Guards, out: &mut Vec<(Guard, NodeId)>, guard: Guard, next: NodeId) {
    match out.iter_mut().find(|(_, q)| *q == next) {
        Some(edge) => edge.0 = guards.or(edge.0, guard),
        None => out.push((guard, next)),
    }
}

/// Moore's partition refinement; blocks are numbered by their first state.
fn minimize(mut monitor: Monitor) -> Monitor {
    let n = monitor.edges.len();
    let mut block: Vec<usize> =
        (0..n).map(|q| usize::from(Some(NodeId::from_index(q)) == monitor.dead)).collect();
    loop {
        let mut index: FxHashMap<(usize, Vec<(usize, Guard)>), usize> = FxHashMap::default();
        let mut next = Vec::with_capacity(n);
        for (q, out) in monitor.edges.enumerate() {
            let mut signature: Vec<(usize, Guard)> = Vec::new();
            for &(guard, r) in out {
                let b = block[r.index()];
                match signature.iter_mut().find(|(c, _)| *c == b) {
                    Some(entry) => entry.1 = monitor.guards.or(entry.1, guard),
                    None => signature.push((b, guard)),
                }
            }
            signature.sort_unstable();
            let count = index.len();
            next.push(*index.entry((block[q.index()], signature)).or_insert(count));
        }
        let stable = index.len() == block.iter().collect::<rustc_hash::FxHashSet<_>>().len();
        block = next;
        if stable {
            break;
        }
    }
    let count = block.iter().max().map_or(0, |b| b + 1);
    let mut edges: IdVec<NodeId, Vec<(Guard, NodeId)>> = IdVec::filled(Vec::new(), count);
    for (q, out) in monitor.edges.enumerate() {
        let b = NodeId::from_index(block[q.index()]);
        if edges[b].is_empty() {
            let mut merged = Vec::new();
            for &(guard, r) in out {
                push_merged(&mut monitor.guards, &mut merged, guard, NodeId::from_index(block[r.index()]));
            }
            edges[b] = merged;
        }
    }
    let map = |q: NodeId| NodeId::from_index(block[q.index()]);
    Monitor { initial: map(monitor.initial), dead: monitor.dead.map(map), edges, guards: monitor.guards }
}
