//! The data types that the other modules exchange, with their invariants and without algorithms.

mod automaton;
mod behavior;
mod cache;
mod cause;
mod circuit;
mod condition;
mod contract;
mod deterministic;
mod dfa;
mod gate;
mod law;
mod law_edit;
mod machine;
mod monitor;
mod on_broken;
mod outside;
mod parity;
mod prefer;
mod program;
mod progress;
mod register;
mod scripts;
mod session;
mod trace;
mod verdict;

pub use automaton::{Acceptance, AcceptanceClause, Buchi, Edge, EmersonLei, Marks, NodeId};
pub use behavior::{AgentStateId, BehaviorAutomaton, BehaviorNode, BehaviorNodeId};
pub use cache::Cache;
pub use cause::{Cause, Counterfactual, InputEvent, NecessaryEvent, PeriodicSteps};
pub use circuit::{Circuit, CircuitBuilder, Latch, Literal, Valuation};
pub use condition::{
    POINTER_PARTS, Pointer, RegexExpression, Relation, Scalar, ValueComparison, ValueCondition,
};
pub use contract::{Contract, Role};
pub use deterministic::{DeterministicBuchi, RunEdge, RunStateId};
pub use dfa::Dfa;
pub use gate::{ProposalAnswer, Ruling};
pub use law::{LawMonitor, LawStatus};
pub use law_edit::{EditKind, LawEdit};
pub use machine::{CounterEdge, CounterState, CounterStrategy, Mealy, MealyEdge, MealyState, StateId};
pub use monitor::{Monitor, MonitorEdge, MonitorState, MonitorStateId};
pub use on_broken::OnBroken;
pub use outside::{OutsideFacts, PROBE_OUTPUT, ProbeAnswer};
pub use parity::{Parity, ParityEdge};
pub use prefer::Prefer;
pub use program::{
    Coverage, EnvironmentNode, FormulaBlock, LocationId, MoveId, ProgramAtom, ProgramCertificate,
    ProgramFormula, ProgramGame, ProgramMove, ProgramNodes, ProgramRegion, ProgramSort, ProgramStart,
    ProgramStartProof, ProgramStep, ProgramText, ProgramVariable, SystemNode, SystemOption, SystemProof,
};
pub use progress::{Counter, Engine, Observer, Phase, Silent, SolvedBy, Stage};
pub use register::Register;
pub use scripts::{ReadScript, ReadScripts, SCRIPT_FILE_LENGTH, ScriptContent};
pub use session::{
    CallOutcome, HostEvent, HostEventKind, JsonText, SessionOrigin, Speaker, UntoldFacts, split_mcp,
};
pub use trace::{Observation, Trace};
pub use verdict::{Abstraction, StrategyRepr, Unknown, Verdict};
