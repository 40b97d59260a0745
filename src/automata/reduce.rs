//! Language-preserving reductions of Büchi automata: useless states, useless marks, direct simulation.
//!
//! Source: Etessami and Holzmann, *Optimizing Büchi automata*, CONCUR 2000; direct simulation with acceptance
//! on edges. O(n² · m) guard operations for the simulation, done only below [`MAX_SIMULATION`] states.

use super::scc::{ComponentId, components};
use super::tuning::MAX_SIMULATION;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::logic::Guard;
use tsl_synth_core::model::{Buchi, Edge, Marks, NodeId};

pub(super) fn reduce(automaton: &mut Buchi, budget: &Budget) -> Result<(), Limit> {
    loop {
        let before = (automaton.edges.len(), edge_count(automaton));
        trim(automaton);
        merge_equal(automaton);
        if automaton.edges.len() <= MAX_SIMULATION {
            simulate(automaton, budget)?;
            trim(automaton);
        }
        if (automaton.edges.len(), edge_count(automaton)) == before {
            break;
        }
    }
    for out in &mut automaton.edges {
        out.sort_unstable();
    }
    Ok(())
}

fn edge_count(automaton: &Buchi) -> usize {
    automaton.edges.iter().map(Vec::len).sum()
}

/// Drops states that are unreachable or reach no accepting cycle, and marks of edges on no accepting cycle.
fn trim(automaton: &mut Buchi) {
    let n = automaton.edges.len();
    let successors: Vec<Vec<usize>> =
        automaton.edges.iter().map(|out| out.iter().map(|e| e.next.index()).collect()).collect();
    let component = components(&successors);
    let mut seen: IdVec<ComponentId, Option<Marks>> = component.table(None);
    for (q, out) in automaton.edges.enumerate() {
        for e in out {
            if component[q.index()] == component[e.next.index()] {
                let marks = seen[component[q.index()]].unwrap_or_default();
                seen[component[q.index()]] = Some(marks.union(e.marks));
            }
        }
    }
    let all = Marks::all(automaton.sets);
    let accepting: IdVec<ComponentId, bool> =
        seen.iter().map(|marks| marks.is_some_and(|m| m.covers(all))).collect();
    // Components are in reverse topological order: successors first.
    let mut by_component: Vec<usize> = (0..n).collect();
    by_component.sort_by_key(|&q| component[q]);
    let mut live = accepting.clone();
    for &q in &by_component {
        if successors[q].iter().any(|&r| live[component[r]]) {
            live[component[q]] = true;
        }
    }
    for (q, out) in automaton.edges.iter_mut().enumerate() {
        out.retain(|e| live[component[e.next.index()]]);
        for e in out {
            if component[q] != component[e.next.index()] || !accepting[component[q]] {
                e.marks = Marks::NONE;
            }
        }
    }
    automaton.initial.retain(|q| live[component[q.index()]]);
    keep_reachable(automaton);
}

fn keep_reachable(automaton: &mut Buchi) {
    let mut map: Vec<Option<NodeId>> = vec![None; automaton.edges.len()];
    let mut order = Vec::new();
    let visit = |q: NodeId, map: &mut Vec<Option<NodeId>>, order: &mut Vec<NodeId>| {
        *map[q.index()].get_or_insert_with(|| {
            order.push(q);
            NodeId::from_index(order.len() - 1)
        })
    };
    let initial: Vec<NodeId> = automaton.initial.iter().map(|&q| visit(q, &mut map, &mut order)).collect();
    let mut edges = IdVec::new();
    while edges.len() < order.len() {
        let out: Vec<Edge> = automaton.edges[order[edges.len()]]
            .iter()
            .map(|e| Edge { next: visit(e.next, &mut map, &mut order), ..*e })
            .collect();
        edges.push(out);
    }
    automaton.initial = initial;
    automaton.initial.sort_unstable();
    automaton.initial.dedup();
    automaton.edges = edges;
    merge_parallel(automaton);
}

/// One edge per target and marks; an edge with more marks covers one with fewer.
fn merge_parallel(automaton: &mut Buchi) {
    let guards = &mut automaton.guards;
    for out in &mut automaton.edges {
        out.sort_unstable_by_key(|e| (e.next, e.marks));
        let mut merged: Vec<Edge> = Vec::new();
        for e in out.drain(..) {
            match merged.last_mut() {
                Some(last) if last.next == e.next && last.marks == e.marks => {
                    last.guard = guards.or(last.guard, e.guard);
                }
                _ => merged.push(e),
            }
        }
        for i in 0..merged.len() {
            for j in 0..merged.len() {
                let (e, other) = (merged[i], merged[j]);
                if e.next == other.next && e.marks != other.marks && other.marks.covers(e.marks) {
                    merged[i].guard = guards.minus(e.guard, other.guard);
                }
            }
        }
        merged.retain(|e| e.guard != Guard::FALSE);
        *out = merged;
    }
}

/// Merges states with equal edges, to a fixpoint.
fn merge_equal(automaton: &mut Buchi) {
    loop {
        let mut index: FxHashMap<Vec<Edge>, NodeId> = FxHashMap::default();
        let mut map: IdVec<NodeId, NodeId> = IdVec::new();
        let mut changed = false;
        for (q, out) in automaton.edges.enumerate() {
            let mut key = out.clone();
            // A self-loop is the same edge in every copy.
            for e in &mut key {
                if e.next == q {
                    e.next = NodeId::from_index(u32::MAX as usize);
                }
            }
            key.sort_unstable();
            let representative = *index.entry(key).or_insert(q);
            changed |= representative != q;
            map.push(representative);
        }
        if !changed {
            return;
        }
        redirect(automaton, &map);
    }
}

fn redirect(automaton: &mut Buchi, map: &IdVec<NodeId, NodeId>) {
    for out in &mut automaton.edges {
        for e in out {
            e.next = map[e.next];
        }
    }
    for q in &mut automaton.initial {
        *q = map[*q];
    }
    keep_reachable(automaton);
}

/// Merges direct-simulation-equivalent states and drops edges and initial states that others simulate.
fn simulate(automaton: &mut Buchi, budget: &Budget) -> Result<(), Limit> {
    let n = automaton.edges.len();
    // above[p][q]: q simulates p.
    let mut above = vec![vec![true; n]; n];
    let mut changed = true;
    while changed {
        changed = false;
        for p in 0..n {
            budget.tick(n as u64, || "reducing a Büchi automaton".to_owned())?;
            for q in 0..n {
                if p != q && above[p][q] && !simulates(automaton, &above, p, q) {
                    above[p][q] = false;
                    changed = true;
                }
            }
        }
    }
    let map: IdVec<NodeId, NodeId> = (0..n)
        .map(|p| NodeId::from_index((0..n).find(|&q| above[p][q] && above[q][p]).unwrap_or(p)))
        .collect();
    // Drop the part of an edge that another edge of the state simulates; of equivalent edges keep the first.
    for q in 0..n {
        let q = NodeId::from_index(q);
        let out = automaton.edges[q].clone();
        let mut kept: Vec<Edge> = out.clone();
        for (i, e) in out.iter().enumerate() {
            let mut guard = e.guard;
            for (j, other) in out.iter().enumerate() {
                let (a, b) = (e.next.index(), other.next.index());
                let covers = above[a][b] && other.marks.covers(e.marks);
                let covered_back = above[b][a] && e.marks.covers(other.marks);
                if i != j && covers && (!covered_back || j < i) {
                    guard = automaton.guards.minus(guard, other.guard);
                }
            }
            kept[i].guard = guard;
        }
        kept.retain(|e| e.guard != Guard::FALSE);
        automaton.edges[q] = kept;
    }
    let initial = automaton.initial.clone();
    automaton.initial.retain(|p| {
        !initial.iter().any(|q| {
            let (a, b) = (p.index(), q.index());
            a != b && above[a][b] && (!above[b][a] || b < a)
        })
    });
    redirect(automaton, &map);
    Ok(())
}

/// Whether every edge of `p` is matched by edges of `q` into simulating states.
fn simulates(automaton: &mut Buchi, above: &[Vec<bool>], p: usize, q: usize) -> bool {
    let (p, q) = (NodeId::from_index(p), NodeId::from_index(q));
    for i in 0..automaton.edges[p].len() {
        let e = automaton.edges[p][i];
        let mut rest = e.guard;
        for j in 0..automaton.edges[q].len() {
            let f = automaton.edges[q][j];
            if above[e.next.index()][f.next.index()] && f.marks.covers(e.marks) {
                rest = automaton.guards.minus(rest, f.guard);
                if rest == Guard::FALSE {
                    break;
                }
            }
        }
        if rest != Guard::FALSE {
            return false;
        }
    }
    true
}
