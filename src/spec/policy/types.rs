//! What a policy says, with names resolved.

use super::atoms::{ActionId, Atoms, PropositionId};
use super::formula::LawFormula;
use crate::base::{Decimal, Glob, IdVec};
use crate::define_id;
use crate::logic::Guards;
use crate::model::{Pointer, ValueCondition};
use crate::source::Span;
use crate::syntax::shell::ArgvPattern;

define_id! {
    /// A law of a policy.
    pub struct LawId;
}
define_id! {
    /// A register of a policy.
    pub struct RegisterId;
}

/// What becomes of a call that no table names; the strictest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unmatched {
    /// It is refused.
    Deny,
    /// A person is asked.
    Ask,
    /// It passes, and is reported.
    Warn,
    /// It passes.
    Allow,
}

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Runs are finite words.
    Finite,
    /// Runs are infinite words.
    Infinite,
}

/// How events become letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceMode {
    /// Each event forms its own letters.
    PerEvent,
    /// All truths since the last action join one letter with the action.
    PerAction,
    /// A letter only where some proposition changes.
    StateChange,
}

/// Whether the action of a letter is chosen before or after the rest of it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// After.
    Same,
    /// Before.
    Next,
}

/// Whose promise a law is, and how much it binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LawKind {
    /// The world keeps it.
    Assume,
    /// The agent keeps it, always.
    Hard,
    /// The agent keeps it where it can.
    Soft,
}

/// What happens to a call that violates a law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnViolation {
    /// It is refused.
    Deny,
    /// A person is asked.
    Ask,
    /// It passes with a warning.
    Warn,
    /// It passes, and is recorded.
    Log,
}

/// A law.
#[derive(Clone, Debug)]
pub struct Law {
    /// Its name.
    pub id: String,
    /// Where it stands.
    pub span: Span,
    /// Whose promise it is.
    pub kind: LawKind,
    /// The bound values of which each has its own copy of the law.
    pub for_each: Vec<String>,
    /// What it says, over letters.
    pub formula: LawFormula,
    /// The formula in LTL.
    pub ltl: String,
    /// The pattern it was written with.
    pub rule: Option<String>,
    /// Why, in the words of its author; may be empty.
    pub why: String,
    /// What happens to a call that violates it.
    pub on_violation: OnViolation,
}

/// What a register adds up.
#[derive(Clone, Debug, PartialEq)]
pub enum Amount {
    /// One for each letter.
    One,
    /// The number at this place of the arguments.
    Sum(Pointer),
}

/// A number computed from the events, and a proposition that holds while it is large.
#[derive(Clone, Debug)]
pub struct LawRegister {
    /// Where it stands.
    pub span: Span,
    /// The proposition.
    pub proposition: PropositionId,
    /// What is added.
    pub amount: Amount,
    /// The actions whose letters are counted: their calls, or with an outcome.
    pub on: crate::logic::Guard,
    /// The proposition holds while the number is above this.
    pub above: f64,
    /// The same number, exactly.
    pub limit: Decimal,
    /// Letters after which the number is 0 again.
    pub reset_on: crate::logic::Guard,
    /// Only what is not older than this is counted, in milliseconds.
    pub window: Option<i64>,
}

/// A bounded quantity of the world that actions change, for the search of trajectories.
#[derive(Clone, Debug)]
pub struct Quantity {
    /// Its name.
    pub name: String,
    /// Its value before the first letter.
    pub initial: u32,
    /// More is never kept.
    pub most: u32,
    /// Propositions that hold while the quantity is at least this.
    pub thresholds: Vec<(PropositionId, u32)>,
}

/// What an action may do to the world.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// Propositions that may become true.
    pub may_set: Vec<PropositionId>,
    /// Propositions that may become false.
    pub may_clear: Vec<PropositionId>,
    /// Propositions that become true.
    pub sets: Vec<PropositionId>,
    /// Propositions that become false.
    pub clears: Vec<PropositionId>,
    /// Quantities and by how much they change.
    pub changes: Vec<(usize, i32)>,
    /// Quantities of which there must be so much; else the action changes nothing.
    pub needs: Vec<(usize, u32)>,
}

/// Which events a table is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum On {
    /// The session begins.
    Start,
    /// A message.
    Message,
    /// A call of a tool.
    Call,
    /// The result of a call.
    Result,
    /// Truths about the world.
    Observe,
    /// Time passed.
    Tick,
    /// The agent wants to stop.
    End,
}

/// A shell command that a table is about.
#[derive(Clone, Debug)]
pub struct ShellMatch {
    /// Where the command stands in the arguments.
    pub pointer: Pointer,
    /// The words of a simple command.
    pub argv: ArgvPattern,
    /// What becomes of a command that cannot be read.
    pub opaque: Unmatched,
}

/// A table that turns an event into letters.
#[derive(Clone, Debug)]
pub struct Match {
    /// Where it stands.
    pub span: Span,
    /// Which events.
    pub on: On,
    /// Names of tools; empty for all.
    pub tools: Vec<Glob>,
    /// Names of MCP servers; empty for all.
    pub servers: Vec<Glob>,
    /// The shell command it is about.
    pub shell: Option<ShellMatch>,
    /// Whether the result is a success, for results.
    pub ok: Option<bool>,
    /// Who speaks, for messages: the user, or the agent.
    pub user: Option<bool>,
    /// What the message says.
    pub regex: Option<regex::Regex>,
    /// Conditions on arguments (`/arguments/..`) and results (`/result/..`).
    pub conditions: Vec<ValueCondition>,
    /// The action it names.
    pub action: Option<ActionId>,
    /// The propositions that it sets or clears.
    pub set: Vec<(PropositionId, bool)>,
    /// Values that it binds, and where they stand.
    pub bind: Vec<(String, Pointer)>,
}

/// What becomes of soft laws where all laws together leave no action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fallback {
    /// They refuse all actions with the others.
    #[default]
    None,
    /// They give way (`fallback = "hard"`).
    Hard,
}

/// A policy.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Its name.
    pub name: String,
    /// What becomes of a call that no table names.
    pub unmatched: Unmatched,
    /// Whether the agent may do nothing.
    pub idle: bool,
    /// How runs end.
    pub end: Ending,
    /// Whether `X` at the end of a run is false: the reading of the papers on safety chips and LTLCrit.
    pub strong_next: bool,
    /// How events become letters.
    pub trace: TraceMode,
    /// When the action of a letter is chosen.
    pub timing: Timing,
    /// Whether decisions look ahead; else only the letter at hand is judged.
    pub look_ahead: bool,
    /// What becomes of soft laws where all laws together leave no action and nothing is looked ahead.
    pub fallback: Fallback,
    /// Consecutive refusals of `end` before it is let go.
    pub end_refusals: u32,
    /// Values of one law that are distinguished.
    pub max_values: usize,
    /// What becomes of calls with further values.
    pub on_overflow: Unmatched,
    /// Propositions, actions, and the bits of letters.
    pub atoms: Atoms,
    /// Owns the guards of laws and registers.
    pub guards: Guards,
    /// What actions may do.
    pub effects: IdVec<ActionId, Option<Effects>>,
    /// Quantities of the world.
    pub quantities: Vec<Quantity>,
    /// Registers.
    pub registers: IdVec<RegisterId, LawRegister>,
    /// Tables, in the order of the text.
    pub matches: Vec<Match>,
    /// Laws, in the order of the text.
    pub laws: IdVec<LawId, Law>,
}
