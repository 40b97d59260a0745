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
    /// The largest number of acceptance sets.
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
    /// Whether some set is in both.
    pub fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
    /// How many sets there are.
    pub fn count(self) -> u32 {
        self.0.count_ones()
    }
    /// The sets in order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..Self::MAX_SETS).filter(move |&set| self.covers(Self::of(set)))
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

/// An automaton with Emerson-Lei acceptance on edges: a run is accepting if for some clause of the acceptance
/// it takes edges of every set of `inf` infinitely often and edges of sets of `fin` finitely often.
#[derive(Clone, Debug)]
pub struct EmersonLei {
    /// Owns the guards of all edges.
    pub guards: Guards,
    /// The edges of every state, in canonical order.
    pub edges: IdVec<NodeId, Vec<Edge>>,
    /// Where runs begin. Empty for the empty language.
    pub initial: Vec<NodeId>,
    /// The acceptance condition.
    pub acceptance: Acceptance,
}

/// A disjunction of [`AcceptanceClause`]s; without clauses no run is accepting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Acceptance {
    /// How many acceptance sets there are; at most [`Marks::MAX_SETS`].
    pub sets: usize,
    /// The clauses, minimal and in canonical order.
    pub clauses: Vec<AcceptanceClause>,
}

impl Acceptance {
    /// Whether every infinite run is accepting, by the condition alone.
    pub fn is_true(&self) -> bool {
        self.clauses.contains(&AcceptanceClause::default())
    }
}

/// A clause: all sets of `inf` are met infinitely often, and all sets of `fin` only finitely often.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AcceptanceClause {
    /// The sets that must be met infinitely often.
    pub inf: Marks,
    /// The sets that must be met only finitely often.
    pub fin: Marks,
}
