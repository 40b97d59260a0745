//! Determinization of Büchi automata with acceptance on edges, step by step: the states of the deterministic
//! parity automaton are made on demand.
//!
//! Source: Schewe, *Tighter bounds for the determinisation of Büchi automata* (FoSSaCS 2009), in the form with nodes
//! named by age (Piterman, *From nondeterministic Büchi and Streett automata to deterministic parity automata*, LMCS
//! 2007; Redziejowski, *An improved construction of deterministic omega-automaton using derivatives*, 2012). At most
//! 2·n + 3 priorities and 2^O(n log n) states. A run accepts if the least priority seen infinitely often is even.
//! Checked on lasso words in the tests.

use std::collections::BTreeMap;

/// The priority of a step in which no node ends or closes.
const NOTHING: u32 = u32::MAX;

/// A state: for every state of the Büchi automaton that is reached the nodes of the history tree that hold it,
/// from the root down; nodes are numbered by age, the root is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HistoryTree(Vec<(usize, Box<[u32]>)>);

impl HistoryTree {
    /// The initial state.
    pub fn new(initial: impl IntoIterator<Item = usize>) -> Self {
        let mut states: Vec<usize> = initial.into_iter().collect();
        states.sort_unstable();
        states.dedup();
        Self(states.into_iter().map(|s| (s, Box::from([0]))).collect())
    }
    /// The states that are reached, in order.
    pub fn states(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.0.iter().map(|(s, _)| *s)
    }
    /// The next state and the priority of the step. `successors` returns the edges of a state on the letter: the target
    /// and whether the edge is accepting.
    pub fn step<I: IntoIterator<Item = (usize, bool)>>(
        &self,
        mut successors: impl FnMut(usize) -> I,
    ) -> (Self, u32) {
        let mut fresh = self.0.iter().flat_map(|(_, path)| path.iter().copied()).max().map_or(0, |n| n + 1);
        let before = fresh;
        let mut next: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        // The accepting edges from states of one node open one new node together.
        let mut opened: BTreeMap<u32, u32> = BTreeMap::new();
        for (s, path) in &self.0 {
            let innermost = path.last().copied().unwrap_or(0);
            for (t, accepting) in successors(*s) {
                let mut path = path.to_vec();
                if accepting {
                    path.push(*opened.entry(innermost).or_insert_with(|| {
                        fresh += 1;
                        fresh - 1
                    }));
                }
                match next.entry(t) {
                    std::collections::btree_map::Entry::Vacant(entry) => {
                        entry.insert(path);
                    }
                    std::collections::btree_map::Entry::Occupied(mut entry) => {
                        if precedes(&path, entry.get()) {
                            entry.insert(path);
                        }
                    }
                }
            }
        }
        let priority = settle(&mut next, before, fresh);
        (Self(next.into_iter().map(|(t, path)| (t, path.into_boxed_slice())).collect()), priority)
    }
}

/// Older nodes first, and among nested paths the deeper one.
fn precedes(a: &[u32], b: &[u32]) -> bool {
    match a.iter().zip(b).find(|(x, y)| x != y) {
        Some((x, y)) => x < y,
        None => a.len() > b.len(),
    }
}

/// Closes nodes whose states are all in children, removes empty ones and renumbers the rest by age. Returns the
/// priority of the step: the least of 2i + 1 for each node i that ends and 2i + 2 for each node i that closes.
fn settle(next: &mut BTreeMap<usize, Vec<u32>>, before: u32, fresh: u32) -> u32 {
    let mut held = vec![false; fresh as usize];
    let mut own = vec![false; fresh as usize];
    for path in next.values() {
        for &node in path {
            held[node as usize] = true;
        }
        if let Some(&last) = path.last() {
            own[last as usize] = true;
        }
    }
    let mut priority = NOTHING;
    for path in next.values_mut() {
        // The highest node without states of its own closes over its descendants.
        if let Some(at) = path.iter().position(|&node| !own[node as usize]) {
            path.truncate(at + 1);
            priority = priority.min(2 * path[at] + 2);
        }
    }
    let mut alive = vec![false; fresh as usize];
    for path in next.values() {
        for &node in path {
            alive[node as usize] = true;
        }
    }
    // An old node that holds no state has ended; so has an old node that is merged into a closing ancestor.
    for node in 0..before {
        if !alive[node as usize] {
            let odd = 2 * node + 1;
            debug_assert!(!held[node as usize] || priority < odd, "an older node closed");
            priority = priority.min(odd);
        }
    }
    let mut name = vec![0; fresh as usize];
    let mut count = 0;
    for (node, alive) in alive.iter().enumerate() {
        if *alive {
            name[node] = count;
            count += 1;
        }
    }
    for path in next.values_mut() {
        for node in path.iter_mut() {
            *node = name[*node as usize];
        }
    }
    priority
}
