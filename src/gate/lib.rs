//! The gate in front of an agent's calls: sessions, tickets and journals around the decisions of
//! [`tsl_synth_policy::gate`].
//!
//! Every decision is written to the journal before it is returned. Any problem with a proposed call is an error, which
//! the caller answers with a denial.
//!
//! Programs that embed a gate use [`Policy`], [`Gate`] and a [`Store`].
//!
//! This crate is internal to `tsl-synth` and may change in any version.

#![forbid(unsafe_code)]

mod answer;
mod around;
mod checkpoint;
mod commands;
mod decide;
mod describe;
mod embedded;
mod explain;
mod grants;
mod host;
mod inherit;
mod journal;
mod kept;
mod limit;
mod loaded;
mod mcp;
mod open;
mod policy;
mod probes;
mod records;
mod rewritten;
mod scenario;
mod scripts;
mod service;
mod shared;
mod state;
mod store;
mod text;
mod totals;
mod tried;

pub use answer::{GateCommand, GateDocument, GateWayStep, OwedFor};
pub use around::Surroundings;
pub use decide::{GateAnswer, decided};
pub use describe::describe;
pub use embedded::{Call, Decision, Gate, GateError, Heard};
pub use explain::{GateChange, GateExplanation, explain_refusal};
pub use grants::{FORWARDED, forwarded, unused_grant};
pub use inherit::LoggedHistory;
pub use journal::{GateJournal, MemoryJournal};
pub use limit::{GateLimit, WITHOUT_LOOK_AHEAD, gate_limit};
pub use loaded::{LoadedPolicy, UnusablePolicy};
pub use mcp::{Forward, McpGate, McpProxy, McpStep};
pub use policy::{Policy, PolicyError, PolicyFinding, PolicyText};
pub use probes::ProbeRunner;
pub use records::{JournalEntry, told_records};
pub use scenario::{Scenario, ScenarioFault, StepReport, scenario_of};
pub use scripts::{FileLimits, ScriptReader, read_wanted};
pub use service::GateService;
pub use shared::SharedSolver;
pub use store::{MemoryStore, Store};
pub use tried::{TriedAnswer, TriedCall, rulings_at_start, try_calls};
pub use tsl_synth_core::model::{Ruling, Speaker};

/// The field of records and checkpoints with the number of milliseconds for which a session is kept after its last
/// record; the last record that has the field or is of the kind [`POLICY_RECORD`] holds.
pub const RETAIN: &str = "retain";
/// The kind of records that name the policy that decides from here on.
pub const POLICY_RECORD: &str = "policy";

/// The version that is written into checkpoints and the keys of solved games.
const VERSION: &str = env!("CARGO_PKG_VERSION");
