//! Generalized Büchi acceptance on edges to Büchi acceptance on edges, by a counter of sets seen.

use crate::base::{Id, IdVec};
use crate::logic::{Guard, Guards};
use crate::model::{Buchi, Edge, NodeId};
use rustc_hash::FxHashMap;

/// A generalized Büchi automaton with acceptance on edges.
#[derive(Debug)]
pub(super) struct Generalized {
    pub(super) guards: Guards,
    /// Guard, next state, membership in each acceptance set.
    pub(super) edges: IdVec<NodeId, Vec<(Guard, NodeId, Vec<bool>)>>,
    pub(super) initial: Vec<NodeId>,
    pub(super) sets: usize,
}

/// A state is a state and the number of sets seen since the last accepting edge. At most `sets` copies.
pub(super) fn degeneralize(automaton: Generalized) -> Buchi {
    let sets = automaton.sets;
    let mut index: FxHashMap<(NodeId, usize), NodeId> = FxHashMap::default();
    let mut states: Vec<(NodeId, usize)> = Vec::new();
    let mut id = |key: (NodeId, usize), states: &mut Vec<(NodeId, usize)>| {
        *index.entry(key).or_insert_with(|| {
            states.push(key);
            NodeId::from_index(states.len() - 1)
        })
    };
    let initial = automaton.initial.iter().map(|&q| id((q, 0), &mut states)).collect();
    let mut edges: IdVec<NodeId, Vec<Edge>> = IdVec::new();
    while edges.len() < states.len() {
        let (q, level) = states[edges.len()];
        let mut out = Vec::new();
        for (guard, next, marks) in &automaton.edges[q] {
            let mut reached = level;
            while reached < sets && marks[reached] {
                reached += 1;
            }
            let accepting = reached == sets;
            if accepting {
                // Sets seen on this edge count for the next round, too.
                reached = 0;
                while reached < sets && marks[reached] {
                    reached += 1;
                }
                reached %= sets.max(1);
            }
            out.push(Edge { next: id((*next, reached), &mut states), accepting, guard: *guard });
        }
        edges.push(out);
    }
    Buchi { guards: automaton.guards, edges, initial }
}
