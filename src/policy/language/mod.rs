//! Policies: contracts between an agent and its world over the events that a host reports.

mod atoms;
mod bare;
mod commands;
mod context;
mod counted;
mod fields;
mod for_each;
mod formula;
mod law_lint;
mod lookup;
mod probes;
mod read;
mod repeated;
mod rule;
mod short;
mod sources;
mod tables;
mod types;
mod unknown_amounts;
mod vocabulary;
#[cfg(test)]
mod declarations;
pub mod words;

pub use atoms::{
    Action, ActionId, Atoms, LawAtom, Named, OUTCOMES, Proposition, PropositionId, outcome_name,
};
pub use commands::SHELL_TOOLS;
pub(crate) use commands::is_powershell;
pub use formula::{LawFormula, MAX_GUARDS};
pub use read::load_policy;
pub use rule::names_of;
pub use types::{
    Amount, DefaultRuling, Effects, Ending, EventKind, Fallback, Law, LawId, LawKind, LawRegister, Match,
    OnChange, OnFork, OnViolation, Policy, Probe, Quantity, RegisterId, SaidCondition, ShellMatch, Source,
    Timing, TraceMode, UnknownAmount,
};
pub use vocabulary::{VOCABULARIES, Vocabulary, vocabulary};
