//! Deterministic monitors of safety properties: they run in parallel to a machine and detect the letter after which no
//! continuation can keep the property.

use crate::base::IdVec;
use crate::define_id;
use crate::logic::{Guard, Guards, Letter};

define_id! {
    /// A state of a [`Monitor`].
    pub struct MonitorStateId;
}

/// A deterministic automaton over letters of both players.
///
/// Invariants: the guards of a live state are disjoint and cover every letter; a dead state is never left.
#[derive(Clone, Debug)]
pub struct Monitor {
    /// Owns the guards of all edges; they mention bits of both players.
    pub guards: Guards,
    /// The states.
    pub states: IdVec<MonitorStateId, MonitorState>,
    /// Where every word begins.
    pub initial: MonitorStateId,
}

/// A state of a [`Monitor`].
#[derive(Clone, Debug, Default)]
pub struct MonitorState {
    /// Whether the property is violated, whatever follows. Edges of a dead state are ignored.
    pub dead: bool,
    /// The edges in canonical order.
    pub edges: Vec<MonitorEdge>,
}

/// An edge of a [`Monitor`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MonitorEdge {
    /// The letters on which this edge is taken.
    pub guard: Guard,
    /// The next state.
    pub next: MonitorStateId,
}

impl Monitor {
    /// The state after a letter; a dead state stays.
    pub fn step(&self, state: MonitorStateId, letter: &Letter) -> MonitorStateId {
        if self.states[state].dead {
            return state;
        }
        let taken = self.states[state].edges.iter().find(|edge| self.guards.contains(edge.guard, letter));
        taken.map_or(state, |edge| edge.next)
    }
}
