//! The deterministic automaton of a behavior: which states of an agent may follow each other.

use crate::base::{Id, IdVec};
use crate::define_id;

define_id! {
    /// A state that an agent declares: `Thought`, `Action`. Ids are in the order of declaration.
    pub struct AgentStateId;
    /// A node of a [`BehaviorAutomaton`]: a position in its runs.
    pub struct BehaviorNodeId;
}

/// A position in the runs of a behavior.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BehaviorNode {
    /// The agent's state at this position; `None` before the beginning of a run.
    pub state: Option<AgentStateId>,
    /// Whether the run may end here.
    pub may_end: bool,
    /// The states that may follow, in the order of declaration, each with the node that it leads to.
    pub next: Vec<(AgentStateId, BehaviorNodeId)>,
}

/// All runs of a behavior. Every node can be reached from the first one, which is before the beginning of a run; nodes
/// are numbered in breadth-first order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BehaviorAutomaton {
    nodes: IdVec<BehaviorNodeId, BehaviorNode>,
}

impl BehaviorAutomaton {
    /// The automaton with these nodes, the first of which is the start.
    ///
    /// # Panics
    /// If there are none.
    pub fn new(nodes: IdVec<BehaviorNodeId, BehaviorNode>) -> Self {
        assert!(!nodes.is_empty(), "there is a start");
        Self { nodes }
    }
    /// The node before the beginning of a run.
    pub fn start(&self) -> BehaviorNodeId {
        BehaviorNodeId::from_index(0)
    }
    /// The node with this id.
    pub fn node(&self, id: BehaviorNodeId) -> &BehaviorNode {
        &self.nodes[id]
    }
    /// All nodes.
    pub fn nodes(&self) -> impl Iterator<Item = (BehaviorNodeId, &BehaviorNode)> {
        self.nodes.enumerate()
    }
    /// How many nodes there are, with the start.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }
    /// The node to which a state leads; `None` if the state may not follow.
    pub fn step(&self, from: BehaviorNodeId, state: AgentStateId) -> Option<BehaviorNodeId> {
        self.nodes[from].next.iter().find(|(next, _)| *next == state).map(|(_, to)| *to)
    }
}
