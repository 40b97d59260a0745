//! An overview of a machine that is too large to be drawn state by state: its states in groups by their distance from
//! the start.

use super::graph::{GraphEdge, GraphState};
use super::view::counted;
use std::collections::{BTreeMap, VecDeque};

/// Machines with more states, or with more edges and more than [`MOST_GROUPS`] states, are drawn as groups of states.
const MOST_STATES: usize = 128;
const MOST_EDGES: usize = 1_000;
/// The most groups.
const MOST_GROUPS: usize = 24;
/// Edges between two groups with more different labels are only counted.
const MOST_LABELS: usize = 3;

/// What is drawn of a machine.
pub(super) struct Shown {
    /// The states, or groups of them.
    pub(super) states: Vec<GraphState>,
    /// A sentence about the groups.
    pub(super) note: Option<String>,
}

/// The number of edges.
fn edges(states: &[GraphState]) -> usize {
    states.iter().map(|state| state.edges.len()).sum()
}

/// Whether these are too many states or edges for a drawing.
pub(super) fn is_large(states: &[GraphState]) -> bool {
    states.len() > MOST_STATES || edges(states) > MOST_EDGES && states.len() > MOST_GROUPS
}

/// All states, or an overview if these are too many for a drawing.
pub(super) fn shown(states: Vec<GraphState>) -> Shown {
    if !is_large(&states) {
        return Shown { states, note: None };
    }
    let edges = edges(&states);
    let distances = distances(&states);
    let farthest = distances.iter().flatten().max().copied().unwrap_or(0);
    let groups = (farthest + 1).min(MOST_GROUPS);
    let group = |distance: &Option<usize>| distance.map_or(groups - 1, |d| d * groups / (farthest + 1));
    let of_state: Vec<usize> = distances.iter().map(group).collect();
    let drawn: Vec<GraphState> =
        (0..groups).map(|number| merged(&states, &of_state, &distances, number)).collect();
    let note = format!(
        "An overview: {} with {} in {} by their distance from the start. `emit --lang text` lists all of them.",
        counted(states.len(), "state"),
        counted(edges, "edge"),
        counted(groups, "group"),
    );
    Shown { states: drawn, note: Some(note) }
}

/// The number of steps from the start to each state, where there is a way.
fn distances(states: &[GraphState]) -> Vec<Option<usize>> {
    let mut distances = vec![None; states.len()];
    let mut queue = VecDeque::new();
    for (i, _) in states.iter().enumerate().filter(|(_, state)| state.start) {
        distances[i] = Some(0);
        queue.push_back((i, 0));
    }
    while let Some((i, distance)) = queue.pop_front() {
        for edge in &states[i].edges {
            if distances[edge.next].is_none() {
                distances[edge.next] = Some(distance + 1);
                queue.push_back((edge.next, distance + 1));
            }
        }
    }
    distances
}

/// A group as a state.
fn merged(
    states: &[GraphState],
    of_state: &[usize],
    distances: &[Option<usize>],
    group: usize,
) -> GraphState {
    let own: Vec<usize> = (0..states.len()).filter(|&i| of_state[i] == group).collect();
    // No group is empty: there is a state at every distance up to the largest one.
    let (first, last) = (own[0], own[own.len() - 1]);
    let name = if own.len() == 1 {
        states[first].name.clone()
    } else if last - first + 1 == own.len() {
        format!("{} to {}", states[first].name, states[last].name)
    } else {
        format!("{} and {} more", states[first].name, own.len() - 1)
    };
    let mut inside = 0;
    let mut labels: BTreeMap<usize, (usize, Vec<String>)> = BTreeMap::new();
    for edge in own.iter().flat_map(|&i| &states[i].edges) {
        if of_state[edge.next] == group {
            inside += 1;
            continue;
        }
        let (count, labels) = labels.entry(of_state[edge.next]).or_default();
        *count += 1;
        let label = edge.text();
        if labels.len() <= MOST_LABELS && !labels.contains(&label) {
            labels.push(label);
        }
    }
    let mut edges = Vec::new();
    for (next, (count, labels)) in labels {
        if labels.len() <= MOST_LABELS {
            edges.extend(labels.into_iter().map(|label| GraphEdge::labeled(next, label)));
        } else {
            edges.push(GraphEdge::labeled(next, counted(count, "edge")));
        }
    }
    let steps: Vec<usize> = own.iter().filter_map(|&i| distances[i]).collect();
    let mut letter = Vec::new();
    if own.len() > 1 {
        letter.push(counted(own.len(), "state"));
    }
    match (steps.iter().min(), steps.iter().max()) {
        (Some(&low), Some(&high)) if low < high => {
            letter.push(format!("{low} to {high} steps from the start"));
        }
        (Some(&0) | None, _) => {}
        (Some(&low), _) => letter.push(format!("{} from the start", counted(low, "step"))),
    }
    if inside > 0 {
        letter.push(format!("{} inside", counted(inside, "edge")));
    }
    GraphState {
        name,
        letter,
        start: own.iter().any(|&i| states[i].start),
        sink: own.iter().all(|&i| states[i].sink),
        edges,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(count: usize) -> Vec<GraphState> {
        let state = |i: usize| GraphState {
            name: format!("S{i}"),
            letter: Vec::new(),
            start: i == 0,
            sink: false,
            edges: vec![GraphEdge::labeled((i + 1) % count, format!("on{i}"))],
        };
        (0..count).map(state).collect()
    }

    #[test]
    fn small_machines_are_drawn_as_they_are() {
        for count in [1, 2, 30, MOST_STATES] {
            let shown = shown(ring(count));
            assert_eq!((shown.states.len(), shown.note), (count, None));
        }
    }

    #[test]
    fn every_state_and_every_edge_of_a_large_machine_is_counted() {
        for count in [MOST_STATES + 1, 256, 1_000, 4_096] {
            let shown = shown(ring(count));
            assert_eq!(shown.states.len(), MOST_GROUPS);
            assert!(shown.note.is_some_and(|note| note.contains(&format!("{count} states"))));
            let number =
                |text: &str| text.split(' ').next().and_then(|n| n.parse::<usize>().ok()).unwrap_or(0);
            let sum = |word: &str| -> usize {
                let lines = shown.states.iter().flat_map(|state| &state.letter);
                lines.filter(|line| line.ends_with(word)).map(|line| number(line)).sum()
            };
            assert_eq!(sum(" states"), count);
            let outside: usize = shown.states.iter().map(|state| state.edges.len()).sum();
            assert_eq!(sum(" inside") + outside, count);
        }
    }

    #[test]
    fn many_edges_make_an_overview_too() {
        let mut states = ring(100);
        for state in &mut states {
            state.edges.extend((0..20).map(|next| GraphEdge::labeled(next, format!("to{next}"))));
        }
        let shown = shown(states);
        assert!(shown.states.len() <= MOST_GROUPS && shown.note.is_some());
    }
}
