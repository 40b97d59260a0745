//! Strongly connected components, iteratively (Tarjan 1972; `petgraph::tarjan_scc` recurses as deep as the
//! graph).

use std::ops::Index;
use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::define_id;

define_id! {
    /// A strongly connected component of a graph.
    pub struct ComponentId;
}

/// The strongly connected components of a graph, numbered in reverse topological order: an edge never leads to a
/// component with a larger number. Indexed by the nodes of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    of: Vec<ComponentId>,
    count: usize,
}

impl Components {
    /// How many components there are.
    pub fn count(&self) -> usize {
        self.count
    }
    /// The component of each node, in the order of the nodes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = ComponentId> + '_ {
        self.of.iter().copied()
    }
    /// A table with the same value for every component.
    pub fn table<T: Clone>(&self, value: T) -> IdVec<ComponentId, T> {
        IdVec::filled(value, self.count)
    }
}

impl Index<usize> for Components {
    type Output = ComponentId;
    fn index(&self, node: usize) -> &ComponentId {
        &self.of[node]
    }
}

/// The components of the graph with these successors of each node. Linear.
pub fn components(successors: &[Vec<usize>]) -> Components {
    const UNSEEN: usize = usize::MAX;
    let n = successors.len();
    let mut of = vec![ComponentId::from_index(0); n];
    let (mut order, mut low, mut closed) = (vec![UNSEEN; n], vec![0; n], vec![false; n]);
    let (mut stack, mut counter, mut count) = (Vec::new(), 0, 0);
    for root in 0..n {
        if order[root] != UNSEEN {
            continue;
        }
        let mut calls = vec![(root, 0)];
        while let Some(&mut (v, ref mut i)) = calls.last_mut() {
            if *i == 0 {
                order[v] = counter;
                low[v] = counter;
                counter += 1;
                stack.push(v);
            }
            if let Some(&w) = successors[v].get(*i) {
                *i += 1;
                if order[w] == UNSEEN {
                    calls.push((w, 0));
                } else if !closed[w] {
                    low[v] = low[v].min(order[w]);
                }
                continue;
            }
            calls.pop();
            if low[v] == order[v] {
                while let Some(w) = stack.pop() {
                    (of[w], closed[w]) = (ComponentId::from_index(count), true);
                    if w == v {
                        break;
                    }
                }
                count += 1;
            }
            if let Some(&(parent, _)) = calls.last() {
                low[parent] = low[parent].min(low[v]);
            }
        }
    }
    Components { of, count }
}
