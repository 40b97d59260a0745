//! Automata over letters, with symbolic guards.

use crate::base::IdVec;
use crate::define_id;
use crate::logic::{Guard, Guards};

define_id! {
    /// A state of an automaton.
    pub struct NodeId;
}

/// A nondeterministic Büchi automaton with acceptance on edges: a run is accepting if it takes accepting
/// edges infinitely often. Read as a universal co-Büchi automaton, the same edges are *rejecting*.
#[derive(Clone, Debug)]
pub struct Buchi {
    /// Owns the guards of all edges.
    pub guards: Guards,
    /// The edges of every state, in canonical order.
    pub edges: IdVec<NodeId, Vec<Edge>>,
    /// Where runs begin. Empty for the empty language.
    pub initial: Vec<NodeId>,
}

/// An edge of a [`Buchi`] automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// The next state.
    pub next: NodeId,
    /// Whether taking it infinitely often accepts.
    pub accepting: bool,
    /// The letters on which it can be taken.
    pub guard: Guard,
}
