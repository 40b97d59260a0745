//! Policies: reading them, checking them, and judging logs by them.

mod admit;
mod ask;
mod check;
mod check_findings;
mod check_report;
mod critic;
mod critic_loop;
mod emit;
mod explain;
mod logged;
mod monitor;
mod sentences;
mod spelling_verdicts;
mod stuck;
mod try_calls;

pub use admit::{Refusal, RefusalWitness, RefusedBecause};
pub use ask::{AskReport, AskRequest};
pub use check::PolicyCheckRequest;
pub use check_report::{PolicyCheckReport, PolicyVerdict};
pub use critic::{CriticGoal, CriticReport, CriticRequest, JudgedEdit};
pub use critic_loop::{CriticLoopReport, CriticLoopRequest, LoopActor, LoopIteration};
pub use emit::{PolicyAgentRequest, PolicyEmitRequest};
pub(super) use explain::laws_in_words;
pub use explain::{ExampleWord, LawInWords, PolicyInWords};
pub use logged::{LoadSessions, LoggedSession, LoggedSessions, LoggedSessionsBuilder};
pub use monitor::{
    GroupTotals, LawTotal, MonitorGroup, MonitorRow, MonitorRun, MonitorTotals, MonitorWindow, NamedLetter,
    RowLaw, SeenViolation,
};

pub use sentences::{LawOfSentence, SentencesReport, SentencesRequest, patterns_document};
pub use spelling_verdicts::ListedSpellings;
pub(super) use try_calls::read_call;
pub use try_calls::{TryReport, TryRequest};

use super::{Failure, Input};
use crate::Session;
use tsl_synth_gate::LoadedPolicy;

impl Session<'_> {
    /// Reads and compiles a policy.
    ///
    /// # Errors
    /// Errors of the text, or a limit on the monitor of a law.
    pub fn policy(&mut self, input: &Input) -> Result<LoadedPolicy, Failure> {
        self.deep(|session| session.policy_here(input))
    }

    pub(super) fn policy_here(&mut self, input: &Input) -> Result<LoadedPolicy, Failure> {
        let source = self.source(input)?;
        let budget = self.budget();
        Ok(LoadedPolicy::read(&mut self.sources, source, &budget)?)
    }
}
