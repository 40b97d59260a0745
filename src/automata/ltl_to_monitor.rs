//! Deterministic monitors of syntactic safety formulas: the subset construction on the looping automaton,
//! then minimization. 2^2^O(n) states in the worst case, a handful per clause in practice. Checked by the
//! lasso semantics in the tests.

use super::ltl_to_buchi::ltl_to_buchi;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit, LimitKind, coarsest_partition};
use tsl_synth_core::logic::{Alphabet, BitId, FormulaId, Formulas, Guard, Guards};
use tsl_synth_core::model::{Buchi, Monitor, MonitorEdge, MonitorState, MonitorStateId, NodeId};

/// The monitor of a formula: it is dead once no continuation satisfies the formula. It decides the language if the
/// formula's normal form is in [`tsl_synth_core::logic::Class::SAFETY`], else it accepts the smallest safety property that
/// includes the language.
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
    ltl_to_monitor_without(formulas, alphabet, f, &|_| false, max_states, budget)
}

/// As [`ltl_to_monitor`], with the hidden bits quantified existentially, so that the monitor does not read them.
///
/// # Errors
/// A limit, among them more than `max_states` states.
pub fn ltl_to_monitor_without(
    formulas: &mut Formulas,
    alphabet: &Alphabet,
    f: FormulaId,
    hidden: &dyn Fn(BitId) -> bool,
    max_states: usize,
    budget: &Budget,
) -> Result<Monitor, Limit> {
    let mut looping = ltl_to_buchi(formulas, alphabet, f, max_states, budget)?;
    for edge in looping.edges.iter_mut().flatten() {
        edge.guard = looping.guards.exists(edge.guard, hidden);
    }
    let monitor = determinize(looping, max_states, budget)?;
    Ok(minimize(monitor))
}

/// The subset automaton, before minimization.
struct Subsets {
    guards: Guards,
    edges: IdVec<NodeId, Vec<(Guard, NodeId)>>,
    dead: Option<NodeId>,
}

fn determinize(mut looping: Buchi, max_states: usize, budget: &Budget) -> Result<Subsets, Limit> {
    let what = || format!("a safety monitor with more than {max_states} states");
    let mut subsets: Vec<Box<[NodeId]>> = Vec::new();
    let mut index: FxHashMap<Box<[NodeId]>, NodeId> = FxHashMap::default();
    let mut id = |subset: Box<[NodeId]>, subsets: &mut Vec<Box<[NodeId]>>| {
        *index.entry(subset).or_insert_with_key(|subset| {
            subsets.push(subset.clone());
            NodeId::from_index(subsets.len() - 1)
        })
    };
    id(looping.initial.clone().into(), &mut subsets);
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
    Ok(Subsets { guards: looping.guards, edges, dead })
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
    // Merge parts with equal targets.
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

/// The coarsest partition; blocks are numbered by their first state, so the initial one is the first.
fn minimize(subsets: Subsets) -> Monitor {
    let Subsets { mut guards, edges, dead } = subsets;
    let initial = edges.ids().map(|q| usize::from(Some(q) == dead)).collect();
    let block =
        coarsest_partition(initial, |q, block| quotient(&mut guards, &edges[NodeId::from_index(q)], block));
    let blocks = block.iter().max().map_or(0, |last| last + 1);
    let mut states: IdVec<MonitorStateId, MonitorState> = IdVec::filled(MonitorState::default(), blocks);
    for (q, out) in edges.enumerate() {
        let edges = quotient(&mut guards, out, &block);
        let edges = edges
            .into_iter()
            .map(|(next, guard)| MonitorEdge { guard, next: MonitorStateId::from_index(next.index()) });
        states[MonitorStateId::from_index(block[q.index()])] =
            MonitorState { dead: Some(q) == dead, edges: edges.collect() };
    }
    Monitor { guards, states, initial: MonitorStateId::from_index(block[0]) }
}

/// One edge per block, in the order of the blocks.
fn quotient(guards: &mut Guards, out: &[(Guard, NodeId)], block: &[usize]) -> Vec<(NodeId, Guard)> {
    let mut merged: Vec<(Guard, NodeId)> = Vec::new();
    for &(guard, r) in out {
        push_merged(guards, &mut merged, guard, NodeId::from_index(block[r.index()]));
    }
    let mut sorted: Vec<_> = merged.into_iter().map(|(guard, b)| (b, guard)).collect();
    sorted.sort_unstable();
    sorted
}
