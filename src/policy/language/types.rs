//! The data types of a policy with its names resolved.

use super::atoms::{ActionId, Atoms, PropositionId};
use super::for_each::split_for_each;
use super::formula::LawFormula;
use std::borrow::Cow;
use tsl_synth_core::base::{Decimal, Glob, IdVec};
use tsl_synth_core::define_id;
use tsl_synth_core::logic::Guards;
use tsl_synth_core::model::{Pointer, ValueCondition};
use tsl_synth_core::source::Span;
use tsl_synth_shell::CommandClause;

define_id! {
    /// A law of a policy.
    pub struct LawId;
}
define_id! {
    /// A register of a policy.
    pub struct RegisterId;
}

/// The decision on a call that the policy does not cover; the strictest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DefaultRuling {
    /// It is refused.
    Deny,
    /// A person is asked.
    Ask,
    /// It passes, and is reported.
    Warn,
    /// It passes.
    Allow,
}

/// Whether runs are finite or infinite.
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
    /// All propositions reported since the last action join one letter with the next action.
    PerAction,
    /// A letter is formed only when some proposition changes.
    StateChange,
}

/// Whether the action of a letter is chosen before or after the rest of the letter is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// After.
    Same,
    /// Before.
    Next,
}

/// Whether a law is an assumption about the world or an obligation of the agent, and whether it is strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LawKind {
    /// An assumption: the world satisfies it.
    Assume,
    /// The agent must satisfy it.
    Hard,
    /// The agent satisfies it if it can.
    Soft,
}

/// What happens to a call that violates a law, from the strictest answer to the mildest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
    /// Its span in the policy file.
    pub span: Span,
    /// Whether it is an assumption, hard or soft.
    pub kind: LawKind,
    /// The names of bound values; each combination of values has its own instance of the law.
    pub for_each: Vec<String>,
    /// Its formula over letters.
    pub formula: LawFormula,
    /// The formula in LTL.
    pub ltl: String,
    /// The text of the pattern that it was written with; `None` if it was written in LTL.
    pub rule: Option<String>,
    /// The explanation by its author; may be empty.
    pub why: String,
    /// What happens to a call that violates it.
    pub on_violation: OnViolation,
    /// Whether it limits a register that has one number for each combination of bound values. It only forbids letters that
    /// the register counts, so it is checked in each letter and left out of games.
    pub is_value_limit: bool,
}

impl Law {
    /// What the law says, for whom it refuses a call: the explanation of its author, or else the rule or the formula.
    pub fn says(&self) -> Cow<'_, str> {
        let why = self.why.trim_end();
        if !why.is_empty() {
            return why.into();
        }
        let text = self.pattern().unwrap_or(&self.ltl);
        let values = self.for_each.join(" and ");
        if values.is_empty() { text.into() } else { format!("{text}, for each {values}").into() }
    }
    /// The text of the pattern that it was written with, without `for each` at its end.
    pub fn pattern(&self) -> Option<&str> {
        self.rule.as_deref().map(|rule| split_for_each(rule).0)
    }
}

/// The amount that a register adds for a letter.
#[derive(Clone, Debug, PartialEq)]
pub enum Amount {
    /// One for each letter.
    One,
    /// The number at this pointer into the arguments.
    Sum(Pointer),
    /// One for each letter whose value for this bound name was not counted before. A value that is not known is new.
    Distinct(String),
}

impl Amount {
    /// Whether each counted letter adds one, whatever it says.
    pub fn is_one(&self) -> bool {
        *self == Self::One
    }
}

/// A number computed from the events, and a proposition that holds while the number is above a limit.
#[derive(Clone, Debug)]
pub struct LawRegister {
    /// Its span in the policy file.
    pub span: Span,
    /// The proposition.
    pub proposition: PropositionId,
    /// The amount added for each counted letter.
    pub amount: Amount,
    /// The names of bound values; each combination of values has a number of its own. Empty for one number.
    pub for_each: Vec<String>,
    /// The letters that are counted, such as those with a call or an outcome of an action.
    pub on: tsl_synth_core::logic::Guard,
    /// The proposition holds while the number is above this.
    pub above: f64,
    /// The exact value of `above`.
    pub limit: Decimal,
    /// Letters whose amounts are taken back, such as those in which a counted call has failed.
    pub returned_on: tsl_synth_core::logic::Guard,
    /// Letters after which the number is 0 again.
    pub reset_on: tsl_synth_core::logic::Guard,
    /// Only letters of the last so many milliseconds are counted; `None` counts all.
    pub window: Option<i64>,
    /// If the letters of all sessions of a store are counted: the name under which the store keeps them.
    pub over_sessions: Option<String>,
    /// What a result without a readable amount, or a call without a known value, counts.
    pub unknown: UnknownAmount,
}

/// How much an amount counts that is not known: what the laws permit least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownAmount {
    /// More than the limit, or another value than all before: laws forbid what they forbid above the limit.
    #[default]
    Above,
    /// Nothing: some law permits a call only above the limit.
    Nothing,
}

impl LawRegister {
    /// What an amount counts that cannot be read.
    pub fn unreadable(&self) -> Decimal {
        match self.unknown {
            UnknownAmount::Above => self.limit.plus(&Decimal::one()).unwrap_or_default(),
            UnknownAmount::Nothing => Decimal::default(),
        }
    }
    /// Whether look-ahead counts it exactly: each letter that it counts adds one, and nothing else changes it.
    pub fn is_exact(&self) -> bool {
        self.amount.is_one() && self.over_sessions.is_none()
    }
}

/// A bounded quantity of the world that actions change, for the search of trajectories.
#[derive(Clone, Debug)]
pub struct Quantity {
    /// Its name.
    pub name: String,
    /// Its value before the first letter.
    pub initial: u32,
    /// Its upper bound; larger values are clamped to it.
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
    /// Quantities with the least values that the action needs; below them it changes nothing.
    pub needs: Vec<(usize, u32)>,
}

impl Effects {
    /// The propositions that they name; some may be named twice.
    pub fn named(&self) -> impl Iterator<Item = PropositionId> {
        [&self.may_set, &self.may_clear, &self.sets, &self.clears].into_iter().flatten().copied()
    }
}

/// The kind of events that a table matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventKind {
    /// The session begins.
    Start,
    /// A message.
    Message,
    /// A call of a tool.
    Call,
    /// The result of a call.
    Result,
    /// An observation of propositions about the world.
    Observe,
    /// Time passed.
    Tick,
    /// The agent wants to stop.
    End,
}

/// The shell commands that a table matches.
#[derive(Clone, Debug)]
pub struct ShellMatch {
    /// The pointer to the command in the arguments.
    pub pointer: Pointer,
    /// What it says about a simple command.
    pub clause: CommandClause,
    /// Names that are bound to the file that the command writes (`true`) or reads, if it is one that is known.
    pub files: Vec<(String, bool)>,
    /// The decision on a command that cannot be parsed.
    pub opaque: DefaultRuling,
}

/// A `[[match]]` table: the action and the propositions that it assigns to matching events.
#[derive(Clone, Debug)]
pub struct Match {
    /// Its span in the policy file.
    pub span: Span,
    /// The kind of events that it matches.
    pub on: EventKind,
    /// Names of tools; empty for all.
    pub tools: Vec<Glob>,
    /// Names of MCP servers; empty for all.
    pub servers: Vec<Glob>,
    /// The shell commands that it matches; `None` for any call.
    pub shell: Option<ShellMatch>,
    /// Whether the result is a success, for results.
    pub ok: Option<bool>,
    /// For messages, whether the speaker is the user (`true`) or the agent (`false`).
    pub user: Option<bool>,
    /// For messages, a regular expression that the text must match.
    pub regex: Option<regex::Regex>,
    /// Conditions on arguments (`/arguments/..`) and results (`/result/..`).
    pub conditions: Vec<ValueCondition>,
    /// Conditions on arguments that ask what was said before.
    pub said: Vec<SaidCondition>,
    /// The action that a matching call is mapped to.
    pub action: Option<ActionId>,
    /// The propositions that it sets or clears.
    pub set: Vec<(PropositionId, bool)>,
    /// The names of bound values, with pointers to the values.
    pub bind: Vec<(String, Pointer)>,
}

impl Match {
    /// Whether the table sets or clears a proposition.
    pub fn sets(&self, proposition: PropositionId) -> bool {
        self.set.iter().any(|&(own, _)| own == proposition)
    }
}

/// A condition on an argument of a call: that it occurs in what was said before, or that it does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaidCondition {
    /// The argument.
    pub pointer: Pointer,
    /// The sources that count: 0 is the user, `i + 1` is `Policy::sources[i]`.
    pub sources: Vec<usize>,
    /// Whether it has to occur there (`said_in`), or must not (`not_said_in`).
    pub is_said: bool,
}

/// Results of tools whose texts count as said in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name.
    pub name: String,
    /// Names of tools; empty for all.
    pub tools: Vec<Glob>,
    /// Names of MCP servers; empty for all.
    pub servers: Vec<Glob>,
    /// The part of the result, `/result/..`.
    pub pointer: Pointer,
    /// The keys under which the texts stand, at any depth; empty for all texts.
    pub keys: Vec<String>,
}

/// A command of the policy that is run when a call is decided, and whose answer tables ask for.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Its span in the policy file.
    pub span: Span,
    /// Its name.
    pub name: String,
    /// The program and its arguments.
    pub run: Vec<String>,
    /// How long it may take, in milliseconds.
    pub timeout: u64,
    /// The folder in which it runs; `None` for that of the call.
    pub folder: Option<String>,
    /// Commands of the same call that do not change what it finds.
    pub unchanged_by: Vec<CommandClause>,
}

/// The treatment of soft laws when all laws together allow no action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fallback {
    /// They stay in force, so that every action is refused.
    #[default]
    None,
    /// They are ignored (`fallback = "hard"`).
    Hard,
}

/// What becomes of a session whose policy is edited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnChange {
    /// The new policy decides, and reads the session from its beginning (`on_change = "replay"`).
    #[default]
    Replay,
    /// Everything is denied (`on_change = "deny"`).
    Deny,
}

/// What becomes of a session that continues another one which its host does not name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFork {
    /// Every call is denied (`on_fork = "deny"`).
    #[default]
    Deny,
    /// It begins with the history of the session that it continues if that can be found, else every call is denied
    /// (`on_fork = "inherit"`).
    Inherit,
    /// It begins without history (`on_fork = "blind"`).
    Blind,
}

/// A policy.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the format")]
pub struct Policy {
    /// Its name.
    pub name: String,
    /// The decision on a call that no table matches.
    pub unmatched: DefaultRuling,
    /// Whether the agent may do nothing.
    pub idle: bool,
    /// How runs end.
    pub end: Ending,
    /// Whether `X` is false at the end of a run, as in the papers on safety chips and LTLCrit.
    pub strong_next: bool,
    /// How events become letters.
    pub trace: TraceMode,
    /// When the action of a letter is chosen.
    pub timing: Timing,
    /// Whether decisions look ahead; otherwise only the current letter is checked.
    pub look_ahead: bool,
    /// The treatment of soft laws when all laws together allow no action, if decisions do not look ahead.
    pub fallback: Fallback,
    /// The number of consecutive refusals of `end` after which it is accepted.
    pub end_refusals: u32,
    /// The largest number of values that are distinguished for one law with `for_each`.
    pub max_values: usize,
    /// The decision on calls with values beyond `max_values`.
    pub on_overflow: DefaultRuling,
    /// What becomes of a session whose policy is edited.
    pub on_change: OnChange,
    /// What becomes of a session that continues another one which its host does not name.
    pub on_fork: OnFork,
    /// For how long after its last event a session is kept, in milliseconds; `None` if it is never removed.
    pub retain: Option<i64>,
    /// Whether the scripts that commands run are read when a call is decided.
    pub read_scripts: bool,
    /// Propositions, actions, and the bits of letters.
    pub atoms: Atoms,
    /// Owns the guards of laws and registers.
    pub guards: Guards,
    /// The declared effects of actions; `None` if nothing is declared.
    pub effects: IdVec<ActionId, Option<Effects>>,
    /// Quantities of the world.
    pub quantities: Vec<Quantity>,
    /// Registers.
    pub registers: IdVec<RegisterId, LawRegister>,
    /// Results of tools that count as said.
    pub sources: Vec<Source>,
    /// Probes.
    pub probes: Vec<Probe>,
    /// Tables, in the order of the text.
    pub matches: Vec<Match>,
    /// Laws, in the order of the text.
    pub laws: IdVec<LawId, Law>,
}

impl Policy {
    /// Whether some table asks what was said before.
    pub fn asks_what_was_said(&self) -> bool {
        self.matches.iter().any(|table| !table.said.is_empty())
    }
    /// Whether some table asks for what was said before, or for the answer of a probe, which no event tells.
    pub fn asks_outside_of_events(&self) -> bool {
        self.asks_what_was_said() || !self.probes.is_empty()
    }
    /// The probe whose answer a pointer is into.
    pub fn probe_at(&self, pointer: &Pointer) -> Option<&Probe> {
        let [first, name, ..] = pointer.parts() else { return None };
        self.probes.iter().find(|probe| **first == *"probe" && *probe.name == **name)
    }
    /// The registers that count the letters of all sessions of a store, with the names under which it keeps them.
    pub fn registers_over_sessions(&self) -> impl Iterator<Item = (RegisterId, &str)> {
        let all = self.registers.enumerate();
        all.filter_map(|(id, register)| Some((id, register.over_sessions.as_deref()?)))
    }
    /// Whether a table stands in the same text as the laws, and not in a vocabulary.
    pub fn is_own(&self, table: &Match) -> bool {
        self.laws.iter().next().is_some_and(|law| law.span.source == table.span.source)
    }
    /// The action that a table names and the propositions that it sets; with `!` those that it clears.
    pub fn table_names(&self, table: &Match) -> Vec<String> {
        let action = table.action.map(|action| self.atoms.actions[action].name.clone());
        let set = table.set.iter().map(|(id, value)| {
            let name = &self.atoms.propositions[*id].name;
            if *value { name.clone() } else { format!("!{name}") }
        });
        action.into_iter().chain(set).collect()
    }
}
