//! Policies: reading them, checking them, and judging logs by them.

mod admit;
mod check;
mod check_findings;
mod check_report;
mod critic;
mod emit;
mod explain;
mod logged;
mod monitor;
mod sentences;
mod stuck;

pub use admit::{Refusal, RefusalWitness, RefusedBecause};
pub use check::PolicyCheckRequest;
pub use check_report::{PolicyCheckReport, PolicyVerdict};
pub use critic::{CriticReport, CriticRequest, JudgedEdit};
pub use emit::PolicyEmitRequest;
pub(super) use explain::laws_in_words;
pub use explain::{ExampleWord, LawInWords, PolicyInWords};
pub use logged::{LoadSessions, LoggedSession, LoggedSessions, LoggedSessionsBuilder};
pub use monitor::{LawTotal, MonitorRow, MonitorRun, MonitorTotals, NamedLetter, RowLaw, SeenViolation};

pub use sentences::{LawOfSentence, SentencesReport, SentencesRequest, patterns_document};

use super::{Failure, Input};
use crate::Session;
use tsl_synth_core::base::{Budget, sha256};
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_policy::language::{LawId, LawKind, load_policy};
use tsl_synth_policy::{CompiledPolicy, Conjunction};

/// A policy, ready to be used.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoadedPolicy {
    /// The policy and the monitors of its laws.
    pub compiled: CompiledPolicy,
    /// Warnings and notes about the text.
    pub diagnostics: Diagnostics,
    /// SHA-256 of the text.
    pub sha256: String,
}

/// The maximal number of nodes of the diagrams of the conjunction of all hard laws.
const CONJUNCTION_NODES: usize = 1 << 17;

impl LoadedPolicy {
    /// The solved question whether all hard laws without copies can still be kept together; `None` past a limit, or for
    /// fewer than two laws.
    pub fn conjunction(&self, budget: &Budget) -> Option<Conjunction> {
        let hard: Vec<LawId> = self
            .compiled
            .policy
            .laws
            .enumerate()
            .filter(|(_, law)| law.kind == LawKind::Hard && law.for_each.is_empty())
            .map(|(id, _)| id)
            .collect();
        if hard.len() < 2 {
            return None;
        }
        Conjunction::new(&self.compiled, &hard, CONJUNCTION_NODES, budget).ok()
    }
}

impl Session<'_> {
    /// Reads and compiles a policy.
    ///
    /// # Errors
    /// Errors of the text, or a limit on the monitor of a law.
    pub fn policy(&mut self, input: &Input) -> Result<LoadedPolicy, Failure> {
        self.deep(|session| session.policy_here(input))
    }

    pub(super) fn policy_here(&mut self, input: &Input) -> Result<LoadedPolicy, Failure> {
        let mut diagnostics = Diagnostics::new();
        let source = self.source(input)?;
        let sha256 = sha256(self.sources.get(source).text.as_bytes());
        let policy = load_policy(&mut self.sources, source, &mut diagnostics);
        let Some(policy) = policy else { return Err(diagnostics.into()) };
        let compiled = CompiledPolicy::new(policy, &self.budget())?;
        Ok(LoadedPolicy { compiled, diagnostics, sha256 })
    }
}
