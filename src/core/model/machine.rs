//! Finite-state strategies of both players, with explicit states and symbolic guards.

use crate::base::IdVec;
use crate::define_id;
use crate::logic::{Guard, Guards, Letter};

define_id! {
    /// A state of a machine.
    pub struct StateId;
}

/// A Mealy machine of the system: in every step it reads an input letter and answers with an output letter.
///
/// Invariants, checked by the certifier and not by construction: the guards of a state mention only bits of
/// the environment, are disjoint and cover every input letter.
#[derive(Clone, Debug)]
pub struct Mealy {
    /// Owns the guards of all edges.
    pub guards: Guards,
    /// The states.
    pub states: IdVec<StateId, MealyState>,
    /// Where every run begins.
    pub initial: StateId,
}

/// A state of a [`Mealy`] machine.
#[derive(Clone, Debug, Default)]
pub struct MealyState {
    /// The edges in canonical order.
    pub edges: Vec<MealyEdge>,
}

/// An edge of a [`Mealy`] machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MealyEdge {
    /// The input letters on which this edge is taken.
    pub guard: Guard,
    /// The output letter: true bits of the system; the code of every cell is that of an option.
    pub output: Letter,
    /// The next state.
    pub next: StateId,
}

impl Mealy {
    /// The edge taken in a state on an input letter.
    pub fn edge(&self, state: StateId, input: &Letter) -> Option<&MealyEdge> {
        self.states[state].edges.iter().find(|edge| self.guards.contains(edge.guard, input))
    }
}

/// A Moore machine of the environment: in every state it gives an input letter, then reads the system's
/// output letter of the same step.
///
/// Invariants, checked by the certifier: the guards of a state mention only bits of the system, are disjoint
/// and cover every output letter.
#[derive(Clone, Debug)]
pub struct CounterStrategy {
    /// Owns the guards of all edges.
    pub guards: Guards,
    /// The states.
    pub states: IdVec<StateId, CounterState>,
    /// Where every run begins.
    pub initial: StateId,
}

/// A state of a [`CounterStrategy`].
#[derive(Clone, Debug, Default)]
pub struct CounterState {
    /// The input letter given in this state: true bits of the environment.
    pub input: Letter,
    /// The edges in canonical order.
    pub edges: Vec<CounterEdge>,
}

/// An edge of a [`CounterStrategy`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterEdge {
    /// The output letters on which this edge is taken.
    pub guard: Guard,
    /// The next state.
    pub next: StateId,
}

impl CounterStrategy {
    /// The edge taken in a state on an output letter.
    pub fn edge(&self, state: StateId, output: &Letter) -> Option<&CounterEdge> {
        self.states[state].edges.iter().find(|edge| self.guards.contains(edge.guard, output))
    }
}
