//! Complement and intersection of Büchi automata.
//!
//! The complement is the dual of the determinized automaton (see [`super::HistoryTree`]), over explicit letters of the
//! propositions in use: 2^O(n log n) states.

use super::determinize::HistoryTree;
use super::emerson_lei_to_buchi::emerson_lei_to_buchi;
use super::tuning::ENUMERATED_BITS;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit, LimitKind};
use tsl_synth_core::logic::{BitId, Guard, Letter};
use tsl_synth_core::model::{Acceptance, AcceptanceClause, Buchi, Edge, EmersonLei, Marks, NodeId};

/// An automaton of the words that `automaton` does not accept; `max_states` also limits the intermediate automata.
///
/// # Errors
/// A limit.
pub fn complement(automaton: &Buchi, max_states: usize, budget: &Budget) -> Result<Buchi, Limit> {
    let mut bits: Vec<BitId> =
        automaton.edges.iter().flatten().flat_map(|edge| automaton.guards.support(edge.guard)).collect();
    bits.sort_unstable();
    bits.dedup();
    if bits.len() > ENUMERATED_BITS {
        let what = format!("the complement of an automaton over more than {ENUMERATED_BITS} propositions");
        return Err(Limit::new(LimitKind::Size, what));
    }
    let what = || format!("the complement of an automaton with more than {max_states} states");
    // Degeneralization: a state is paired with a counter over the acceptance sets; completing a round is the only set.
    let sets = automaton.sets.max(1);
    let number = |q: NodeId, level: usize| q.index() * sets + level;
    let start = automaton.initial.iter().map(|&q| number(q, 0));
    let mut trees = vec![HistoryTree::new(start)];
    let mut index: FxHashMap<HistoryTree, usize> = FxHashMap::default();
    index.insert(trees[0].clone(), 0);
    let mut guards = automaton.guards.clone();
    let mut targets: Vec<Vec<(Guard, usize, u32)>> = Vec::new();
    while targets.len() < trees.len() {
        let tree = trees[targets.len()].clone();
        let mut out: Vec<(Guard, usize, u32)> = Vec::new();
        for code in 0..1usize << bits.len() {
            budget.tick(1 + tree.states().len() as u64, what)?;
            let on = bits.iter().enumerate().filter(|(i, _)| code >> i & 1 == 1).map(|(_, &bit)| bit);
            let letter: Letter = on.collect();
            let (next, priority) = tree.step(|state| {
                let (q, level) = (NodeId::from_index(state / sets), state % sets);
                let open = automaton.edges[q].iter().filter(|e| automaton.guards.contains(e.guard, &letter));
                open.map(|edge| {
                    let (level, full) = advance(automaton.sets, level, edge.marks);
                    (number(edge.next, level), full)
                })
                .collect::<Vec<_>>()
            });
            let to = *index.entry(next.clone()).or_insert_with(|| {
                trees.push(next);
                trees.len() - 1
            });
            if trees.len() > max_states {
                return Err(Limit::new(LimitKind::Size, what()));
            }
            let cube = guards.valuation(bits.iter().copied(), &letter);
            match out.iter_mut().find(|(_, t, p)| (*t, *p) == (to, priority)) {
                Some(edge) => edge.0 = guards.or(edge.0, cube),
                None => out.push((cube, to, priority)),
            }
        }
        targets.push(out);
    }
    let mut priorities: Vec<u32> = targets.iter().flatten().map(|t| t.2).collect();
    priorities.sort_unstable();
    priorities.dedup();
    if priorities.len() > Marks::MAX_SETS {
        return Err(Limit::new(LimitKind::Size, "a parity automaton with more than 64 priorities"));
    }
    let set = |priority: u32| priorities.partition_point(|&other| other < priority);
    let edges: IdVec<NodeId, Vec<Edge>> = targets
        .iter()
        .map(|out| {
            let edge = |&(guard, to, priority): &(Guard, usize, u32)| Edge {
                next: NodeId::from_index(to),
                marks: Marks::of(set(priority)),
                guard,
            };
            out.iter().map(edge).collect()
        })
        .collect();
    // The determinized automaton rejects the words whose least priority seen infinitely often is odd.
    let clause = |i: usize| AcceptanceClause { inf: Marks::of(i), fin: Marks::all(i) };
    let odd = (0..priorities.len()).filter(|&i| priorities[i] % 2 == 1);
    let acceptance = Acceptance { sets: priorities.len(), clauses: odd.map(clause).collect() };
    let parity = EmersonLei { guards, edges, initial: vec![NodeId::from_index(0)], acceptance };
    emerson_lei_to_buchi(&parity, max_states, budget)
}

/// The counter after an edge, and whether it has passed all sets.
fn advance(sets: usize, level: usize, marks: Marks) -> (usize, bool) {
    let onwards = |from: usize| (from..sets).find(|&set| !marks.covers(Marks::of(set))).unwrap_or(sets);
    match onwards(level) {
        full if full == sets => {
            let again = onwards(0);
            (if again == sets { 0 } else { again }, true)
        }
        next => (next, false),
    }
}

/// An automaton of the words that both automata accept.
///
/// # Errors
/// A limit, among them more than `max_states` states.
pub fn intersect(a: &Buchi, b: &Buchi, max_states: usize, budget: &Budget) -> Result<Buchi, Limit> {
    let what = || format!("the intersection of two automata with more than {max_states} states");
    if a.sets + b.sets > Marks::MAX_SETS {
        return Err(Limit::new(LimitKind::Size, what()));
    }
    let mut guards = a.guards.clone();
    let mut pairs: Vec<(NodeId, NodeId)> = Vec::new();
    let mut index: FxHashMap<(NodeId, NodeId), NodeId> = FxHashMap::default();
    let mut state = |pair: (NodeId, NodeId), pairs: &mut Vec<(NodeId, NodeId)>| {
        *index.entry(pair).or_insert_with(|| {
            pairs.push(pair);
            NodeId::from_index(pairs.len() - 1)
        })
    };
    let starts = a.initial.iter().flat_map(|&p| b.initial.iter().map(move |&q| (p, q)));
    let initial = starts.map(|pair| state(pair, &mut pairs)).collect();
    let mut edges: IdVec<NodeId, Vec<Edge>> = IdVec::new();
    while edges.len() < pairs.len() {
        let (p, q) = pairs[edges.len()];
        let mut out = Vec::new();
        for left in &a.edges[p] {
            for right in &b.edges[q] {
                budget.tick(1, what)?;
                let copy = b.guards.copy_into(right.guard, &mut guards);
                let guard = guards.and(left.guard, copy);
                if guard != Guard::FALSE {
                    let shifted = right.marks.iter().map(|set| Marks::of(set + a.sets));
                    let marks = shifted.fold(left.marks, Marks::union);
                    out.push(Edge { next: state((left.next, right.next), &mut pairs), marks, guard });
                }
            }
        }
        edges.push(out);
        if pairs.len() > max_states {
            return Err(Limit::new(LimitKind::Size, what()));
        }
    }
    Ok(Buchi { guards, edges, initial, sets: a.sets + b.sets })
}
