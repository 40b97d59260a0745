//! The types that travel between rooms, with their invariants and no algorithm.

mod automaton;
mod behavior;
mod cause;
mod circuit;
mod condition;
mod contract;
mod deterministic;
mod dfa;
mod law;
mod machine;
mod monitor;
mod on_broken;
mod parity;
mod progress;
mod register;
mod session;
mod trace;
mod verdict;

pub use automaton::{Acceptance, AcceptanceClause, Buchi, Edge, EmersonLei, Marks, NodeId};
pub use behavior::{AgentStateId, BehaviorAutomaton, BehaviorNode, BehaviorNodeId};
pub use cause::{Cause, Counterfactual, Event, NecessaryEvent, Steps};
pub use circuit::{Circuit, CircuitBuilder, Latch, Literal, Valuation};
pub use condition::{Comparison, Condition, Expression, POINTER_PARTS, Pointer, Relation, Scalar};
pub use contract::{Contract, Role};
pub use deterministic::{DeterministicBuchi, RunEdge, RunStateId};
pub use dfa::Dfa;
pub use law::{LawMonitor, Standing};
pub use machine::{CounterEdge, CounterState, CounterStrategy, Mealy, MealyEdge, MealyState, StateId};
pub use monitor::{Monitor, MonitorEdge, MonitorState, MonitorStateId};
pub use on_broken::OnBroken;
pub use parity::{Parity, ParityEdge};
pub use progress::{Counter, Engine, Observer, Phase, Silent, SolvedBy, Stage};
pub use register::Register;
pub use session::{HostEvent, HostEventKind, JsonText, Outcome, Speaker};
pub use trace::{Observation, Trace};
pub use verdict::{Form, Notion, Unknown, Verdict};
