//! Deterministic Büchi automata, read also as deterministic co-Büchi automata of the complement.

use crate::base::IdVec;
use crate::define_id;
use crate::logic::{Guard, Guards, Letter};

define_id! {
    /// A state of a [`DeterministicBuchi`] automaton.
    pub struct RunStateId;
}

/// A deterministic Büchi automaton with acceptance on edges: the one run of a word is accepting if it takes
/// accepting edges infinitely often.
///
/// Invariants: the guards of a state are disjoint and cover every letter; the dead state is never left.
#[derive(Clone, Debug)]
pub struct DeterministicBuchi {
    /// Owns the guards of all edges.
    pub guards: Guards,
    /// The edges of every state in canonical order.
    pub states: IdVec<RunStateId, Vec<RunEdge>>,
    /// The state in which every run begins.
    pub initial: RunStateId,
    /// The state from which no word is accepted; `None` if it is not reachable.
    pub dead: Option<RunStateId>,
}

/// An edge of a [`DeterministicBuchi`] automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunEdge {
    /// The next state.
    pub next: RunStateId,
    /// Whether it is accepting.
    pub accepting: bool,
    /// The letters on which it is taken.
    pub guard: Guard,
}

impl DeterministicBuchi {
    /// The edge taken on a letter.
    ///
    /// # Panics
    /// If the guards of the state do not cover the letter.
    pub fn edge(&self, state: RunStateId, letter: &Letter) -> RunEdge {
        let taken = self.states[state].iter().find(|e| self.guards.contains(e.guard, letter));
        *taken.expect("the guards of a state cover every letter")
    }
}
