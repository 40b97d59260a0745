//! Automata over letters, with symbolic guards.

use crate::base::IdVec;
use crate::define_id;
use crate::logic::{Guard, Guards};

define_id! {
    /// A state of an automaton.
    pub struct NodeId;
}

/// A nondeterministic generalized Büchi automaton with acceptance on edges: a run is accepting if it takes
/// edges of every acceptance set infinitely often; without sets every infinite run is. Read as a universal
/// co-Büchi automaton, a run that is accepting here is *rejecting*.
#[derive(Clone, Debug)]
pub struct Buchi {
    /// Owns the guards of all edges.
    pub guards: Guards,
    /// The edges of every state, in canonical order.
    pub edges: IdVec<NodeId, Vec<Edge>>,
    /// Where runs begin. Empty for the empty language.
    pub initial: Vec<NodeId>,
    /// How many acceptance sets there are; at most [`Marks::MAX_SETS`].
    pub sets: usize,
}

/// A set of acceptance sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Marks(u64);

impl Marks {
    /// As many acceptance sets can be told apart.
    pub const MAX_SETS: usize = 64;
    /// No set.
    pub const NONE: Self = Self(0);

    /// The first `sets` sets.
    pub fn all(sets: usize) -> Self {
        (0..sets).map(Self::of).fold(Self::NONE, Self::union)
    }
    /// One set.
    pub fn of(set: usize) -> Self {
        Self(1 << set)
    }
    /// The sets in either.
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    /// Whether all sets of `other` are here.
    pub fn covers(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// An edge of a [`Buchi`] automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// The next state.
    pub next: NodeId,
    /// The acceptance sets it is in.
    pub marks: Marks,
    /// The letters on which it can be taken.
    pub guard: Guard,
}
