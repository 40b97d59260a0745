//! The cheapest counterfactual: the input sequence with the fewest flips that breaks the effect. With finitely
//! many flips it is inclusion-minimal too; where only infinitely many break the effect, one with few flips per
//! round.
//!
//! Dijkstra's algorithm on the automaton of the counterfactuals with the number of flips as weight, ties broken by
//! steps. O(m log m); for the infinite case once per accepting edge, up to a number of starts.

use super::counterfactuals::{Arc, Counterfactuals};
use super::flips::Flips;
use crate::tuning::CLOSING_EDGES;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tsl_synth_automata::components;
use tsl_synth_core::base::{Budget, Limit};

/// Flips per step: those of the prefix, then those of the cycle, forever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FlipWord {
    pub(super) prefix: Vec<Flips>,
    /// Empty when nothing is flipped after the prefix.
    pub(super) cycle: Vec<Flips>,
}

/// The least number of flips from each state to a top state; `None` if no finite number is enough.
pub(super) fn distances(counterfactuals: &Counterfactuals) -> Vec<Option<usize>> {
    ranks(counterfactuals).into_iter().map(|rank| rank.map(|(flips, _)| flips)).collect()
}

/// The cost of a cheapest path: the number of flipped inputs, then the number of steps. `None` if there is no path.
type Rank = Option<(usize, usize)>;

fn ranks(counterfactuals: &Counterfactuals) -> Vec<Rank> {
    let mut before: Vec<Vec<(usize, usize)>> = vec![Vec::new(); counterfactuals.arcs.len()];
    for (s, arcs) in counterfactuals.arcs.iter().enumerate() {
        for arc in arcs {
            before[arc.next].push((s, weight(arc)));
        }
    }
    let tops = (0..counterfactuals.arcs.len()).filter(|&s| counterfactuals.top[s]);
    dijkstra(&before, tops)
}

fn weight(arc: &Arc) -> usize {
    arc.label.need.count_ones() as usize
}

/// The cost of a cheapest path to each state from one of the states in `from`.
fn dijkstra(graph: &[Vec<(usize, usize)>], from: impl Iterator<Item = usize>) -> Vec<Rank> {
    search(graph, from).0
}

/// As [`dijkstra`], with the predecessor of each state on a cheapest path.
fn search(graph: &[Vec<(usize, usize)>], from: impl Iterator<Item = usize>) -> (Vec<Rank>, Vec<usize>) {
    let mut rank: Vec<Rank> = vec![None; graph.len()];
    let mut before: Vec<usize> = vec![usize::MAX; graph.len()];
    let mut heap: BinaryHeap<Reverse<((usize, usize), usize)>> = BinaryHeap::new();
    for s in from {
        rank[s] = Some((0, 0));
        heap.push(Reverse(((0, 0), s)));
    }
    while let Some(Reverse((cost, s))) = heap.pop() {
        if rank[s] != Some(cost) {
            continue;
        }
        for &(t, weight) in &graph[s] {
            let next = (cost.0 + weight, cost.1 + 1);
            if rank[t].is_none_or(|known| next < known) {
                rank[t] = Some(next);
                before[t] = s;
                heap.push(Reverse((next, t)));
            }
        }
    }
    (rank, before)
}

/// The cheapest counterfactual; `None` when nothing breaks the effect.
///
/// # Errors
/// A limit.
pub(super) fn nearest(counterfactuals: &Counterfactuals, budget: &Budget) -> Result<Option<FlipWord>, Limit> {
    budget.tick(counterfactuals.arcs.len() as u64, || "the nearest counterfactual".into())?;
    let rank = ranks(counterfactuals);
    let start =
        counterfactuals.initial.iter().copied().filter(|&s| rank[s].is_some()).min_by_key(|&s| rank[s]);
    if let Some(mut state) = start {
        let mut prefix = Vec::new();
        while !counterfactuals.top[state] {
            let cost = |arc: &&Arc| {
                rank[arc.next].map_or((usize::MAX, 0), |(flips, steps)| (flips + weight(arc), steps + 1))
            };
            let Some(arc) = counterfactuals.arcs[state].iter().min_by_key(cost) else { break };
            prefix.push(arc.label.need);
            state = arc.next;
        }
        return Ok(Some(FlipWord { prefix, cycle: Vec::new() }));
    }
    infinite(counterfactuals, budget)
}

/// A cycle through an accepting edge with few flips per round, and a cheapest path to it.
fn infinite(counterfactuals: &Counterfactuals, budget: &Budget) -> Result<Option<FlipWord>, Limit> {
    let graph: Vec<Vec<(usize, usize)>> = counterfactuals
        .arcs
        .iter()
        .map(|arcs| arcs.iter().map(|arc| (arc.next, weight(arc))).collect())
        .collect();
    let successors: Vec<Vec<usize>> =
        graph.iter().map(|out| out.iter().map(|&(next, _)| next).collect()).collect();
    let component = components(&successors);
    let (reach, way) = search(&graph, counterfactuals.initial.iter().copied());
    let mut closing: Vec<(usize, usize)> = Vec::new();
    for (s, arcs) in counterfactuals.arcs.iter().enumerate() {
        for (i, arc) in arcs.iter().enumerate() {
            if arc.accepting && component[s] == component[arc.next] && reach[s].is_some() {
                closing.push((s, i));
            }
        }
    }
    closing.sort_by_key(|&(s, i)| (weight(&counterfactuals.arcs[s][i]), reach[s], s, i));
    closing.truncate(CLOSING_EDGES);
    let mut best: Option<((usize, usize, usize, usize), FlipWord)> = None;
    for (s, i) in closing {
        budget.tick(counterfactuals.arcs.len() as u64, || "the nearest counterfactual".into())?;
        let arc = &counterfactuals.arcs[s][i];
        let (back, way_back) = search(&graph, std::iter::once(arc.next));
        let (Some((flips, steps)), Some((before, length))) = (back[s], reach[s]) else { continue };
        // Rounds of different lengths are compared by their flips per round.
        let cost = (flips + weight(arc), steps + 1, before, length);
        if best.as_ref().is_none_or(|(known, _)| cost < *known) {
            let prefix = path(counterfactuals, &reach, &way, s);
            let mut cycle = vec![arc.label.need];
            cycle.extend(path(counterfactuals, &back, &way_back, s));
            best = Some((cost, FlipWord { prefix, cycle }));
        }
    }
    Ok(best.map(|(_, word)| word))
}

/// The flips along a cheapest path to `to`, as a search found it.
fn path(counterfactuals: &Counterfactuals, rank: &[Rank], before: &[usize], to: usize) -> Vec<Flips> {
    let mut flips = Vec::new();
    let mut here = to;
    while let (Some((cost, 1..)), Some(arcs)) = (rank[here], counterfactuals.arcs.get(before[here])) {
        let from = rank[before[here]].map_or(0, |(cost, _)| cost);
        let taken = arcs.iter().find(|arc| arc.next == here && from + weight(arc) == cost);
        let Some(arc) = taken else { break };
        flips.push(arc.label.need);
        here = before[here];
    }
    flips.reverse();
    flips
}
