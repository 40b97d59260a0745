//! Emptiness of explicit graphs whose acceptance is a conjunction of generalized Büchi marks and a parity condition:
//! decomposition into strongly connected components per even priority (Emerson and Lei, *Modalities for model
//! checking*, 1987). O(priorities · arrows). Witnesses are checked by the lasso semantics in the tests.

use super::scc::{ComponentId, components};
use std::collections::VecDeque;
use tsl_synth_core::model::Marks;

/// An edge of an explicit graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParityArrow {
    /// The target node.
    pub to: usize,
    /// The Büchi sets it is in.
    pub marks: Marks,
    /// Its priority: a path accepts if the least one that it sees infinitely often is even.
    pub priority: u32,
}

/// An infinite path that is ultimately periodic: pairs of a node and the number of the arrow taken there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The arrows before the cycle.
    pub prefix: Vec<(usize, usize)>,
    /// The arrows of the cycle; never empty.
    pub cycle: Vec<(usize, usize)>,
}

/// A path from `initial` that visits each of `sets` Büchi sets infinitely often and whose least priority seen
/// infinitely often is even. Deterministic, but not always shortest: a shortest path to the first accepting component,
/// then shortest paths to the edges needed there.
pub fn accepting_loop(graph: &[Vec<ParityArrow>], initial: &[usize], sets: usize) -> Option<Loop> {
    let reach = breadth_first(graph, initial, |_, _| true);
    let mut priorities: Vec<u32> = graph
        .iter()
        .zip(&reach)
        .filter(|(_, seen)| seen.is_some())
        .flat_map(|(arrows, _)| arrows.iter().map(|arrow| arrow.priority))
        .filter(|priority| priority % 2 == 0)
        .collect();
    priorities.sort_unstable();
    priorities.dedup();
    for &priority in &priorities {
        let inside = |v: usize, arrow: &ParityArrow| reach[v].is_some() && arrow.priority >= priority;
        let successors: Vec<Vec<usize>> = graph
            .iter()
            .enumerate()
            .map(|(v, arrows)| arrows.iter().filter(|a| inside(v, a)).map(|a| a.to).collect())
            .collect();
        let component = components(&successors);
        let mut seen = component.table((Marks::NONE, false));
        for (v, arrows) in graph.iter().enumerate() {
            for arrow in arrows.iter().filter(|a| inside(v, a) && component[v] == component[a.to]) {
                let (marks, even) = &mut seen[component[v]];
                *marks = marks.union(arrow.marks);
                *even |= arrow.priority == priority;
            }
        }
        let good = |c: ComponentId| seen[c].1 && seen[c].0.covers(Marks::all(sets));
        let start = (0..graph.len())
            .filter(|&v| good(component[v]))
            .filter_map(|v| reach[v].map(|r| (r.distance, v)))
            .min();
        if let Some((_, start)) = start {
            let within =
                |v: usize, arrow: &ParityArrow| inside(v, arrow) && component[v] == component[arrow.to];
            let cycle = around(graph, start, &within, priority, sets);
            return Some(Loop { prefix: way(&reach, start), cycle });
        }
    }
    None
}

#[derive(Clone, Copy)]
struct Predecessor {
    distance: usize,
    by: Option<(usize, usize)>,
}

fn breadth_first(
    graph: &[Vec<ParityArrow>],
    from: &[usize],
    allowed: impl Fn(usize, &ParityArrow) -> bool,
) -> Vec<Option<Predecessor>> {
    let mut reach: Vec<Option<Predecessor>> = vec![None; graph.len()];
    let mut queue = VecDeque::new();
    for &v in from {
        if reach[v].is_none() {
            reach[v] = Some(Predecessor { distance: 0, by: None });
            queue.push_back((v, 0));
        }
    }
    while let Some((v, distance)) = queue.pop_front() {
        for (i, arrow) in graph[v].iter().enumerate() {
            if reach[arrow.to].is_none() && allowed(v, arrow) {
                reach[arrow.to] = Some(Predecessor { distance: distance + 1, by: Some((v, i)) });
                queue.push_back((arrow.to, distance + 1));
            }
        }
    }
    reach
}

fn way(reach: &[Option<Predecessor>], to: usize) -> Vec<(usize, usize)> {
    let mut arrows = Vec::new();
    let mut here = reach[to];
    while let Some(Predecessor { by: Some((v, i)), .. }) = here {
        arrows.push((v, i));
        here = reach[v];
    }
    arrows.reverse();
    arrows
}

/// A cycle through `start` inside its component that takes an arrow of this priority and one of each set.
fn around(
    graph: &[Vec<ParityArrow>],
    start: usize,
    within: &impl Fn(usize, &ParityArrow) -> bool,
    priority: u32,
    sets: usize,
) -> Vec<(usize, usize)> {
    let mut cycle: Vec<(usize, usize)> = Vec::new();
    let mut here = start;
    let (mut marks, mut even) = (Marks::NONE, false);
    loop {
        let done = even && marks.covers(Marks::all(sets));
        if done && here == start && !cycle.is_empty() {
            return cycle;
        }
        let reach = breadth_first(graph, &[here], within);
        let useful = |arrow: &ParityArrow| {
            if done {
                arrow.to == start
            } else {
                !even && arrow.priority == priority || !marks.covers(arrow.marks)
            }
        };
        let next = graph
            .iter()
            .enumerate()
            .filter_map(|(v, arrows)| reach[v].map(|r| (r.distance, v, arrows)))
            .flat_map(|(d, v, arrows)| arrows.iter().enumerate().map(move |(i, arrow)| (d, v, i, arrow)))
            .filter(|(_, v, _, arrow)| within(*v, arrow) && useful(arrow))
            .map(|(d, v, i, _)| (d, v, i))
            .min();
        let Some((_, v, i)) = next else { unreachable!("the component contains all required edges") };
        let mut part = way(&reach, v);
        part.push((v, i));
        for &(v, i) in &part {
            marks = marks.union(graph[v][i].marks);
            even |= graph[v][i].priority == priority;
        }
        here = graph[v][i].to;
        cycle.extend(part);
    }
}
