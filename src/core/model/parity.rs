//! Deterministic parity automata.

use super::automaton::NodeId;
use crate::base::IdVec;
use crate::logic::{Guard, Guards, Lasso};

/// A deterministic automaton with priorities on edges: a run accepts if it never ends and the least priority that
/// occurs infinitely often is even. With priorities 0 and 1 it is a Büchi automaton.
///
/// Invariant: the guards of a state are disjoint; a letter without an edge ends the run.
#[derive(Clone, Debug)]
pub struct Parity {
    /// Owns the guards of all edges.
    pub guards: Guards,
    /// The edges of every state, in canonical order.
    pub edges: IdVec<NodeId, Vec<ParityEdge>>,
    /// Where every run begins.
    pub initial: NodeId,
}

/// An edge of a [`Parity`] automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ParityEdge {
    /// The next state.
    pub next: NodeId,
    /// Smaller priorities outrank larger ones; even ones accept.
    pub priority: u32,
    /// The letters on which it is taken.
    pub guard: Guard,
}

impl Parity {
    /// Whether a word is accepted. O(|word| · states).
    pub fn accepts(&self, word: &Lasso) -> bool {
        let mut seen: Vec<(usize, NodeId)> = Vec::new();
        let mut priorities = Vec::new();
        let (mut position, mut state) = (0, self.initial);
        loop {
            if let Some(back) = seen.iter().position(|&known| known == (position, state)) {
                return priorities[back..].iter().min().is_some_and(|least| least % 2 == 0);
            }
            seen.push((position, state));
            let taken =
                self.edges[state].iter().find(|edge| self.guards.contains(edge.guard, word.letter(position)));
            let Some(edge) = taken else { return false };
            priorities.push(edge.priority);
            state = edge.next;
            position = word.successor(position);
        }
    }
}
