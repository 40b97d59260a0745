//! The result of `check` for a policy.

use super::super::VERSION;
use super::spelling_verdicts::{ListedSpellings, spellings_document};
use std::collections::BTreeMap;
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::{
    CheckDiagnostic, PolicyCheckDocument, PolicyConflict, PolicyCopies, PolicyGrounding, PolicyOddity,
    PolicyResult, PolicyStep, PolicyStuck, PolicyTrap, PolicyTrapStep,
};
use tsl_synth_policy::analysis::{
    Conflicts, Copying, Grounding, LawFinding, Lint, LookAhead, SearchReport, Stuck, TableSpellings,
    TrajectoryStep, Trap, letter_names,
};
use tsl_synth_policy::language::{LawAtom, LawId};
use tsl_synth_policy::{CompiledPolicy, WayStep};

/// The verdict on a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyVerdict {
    /// In every reachable state the laws leave some action.
    Consistent,
    /// In some reachable state the laws leave no action, or a law can never hold.
    OverConstrained,
    /// Whatever the agent does, the world can make it impossible to keep the hard laws.
    Unrealizable,
    /// Not decided.
    Unknown,
}

impl PolicyVerdict {
    /// The verdict in capital letters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Consistent => "CONSISTENT",
            Self::OverConstrained => "OVER-CONSTRAINED",
            Self::Unrealizable => "UNREALIZABLE",
            Self::Unknown => "UNKNOWN",
        }
    }
}

/// The result of checking a policy.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PolicyCheckReport {
    /// The name of the text.
    pub name: String,
    /// The policy.
    pub compiled: CompiledPolicy,
    /// The verdict.
    pub verdict: PolicyVerdict,
    /// Why, in a sentence.
    pub reason: Option<String>,
    /// Sets of laws that leave no action, each with a shortest legal way there.
    pub stuck: Vec<Stuck>,
    /// The result of the game of all hard laws: whether some agent can act and stop, and traps.
    pub ahead: LookAhead,
    /// What a gate of this policy would deny because a game is too large, and why, if there is such a game.
    pub gate_limit: Option<String>,
    /// The search of the world that the declared effects describe.
    pub search: SearchReport,
    /// Pairs of laws that exclude each other.
    pub conflicts: Conflicts,
    /// Laws that always or never hold, that nothing can violate, or that others imply.
    pub law_findings: Vec<(LawId, LawFinding)>,
    /// Laws with copies.
    pub copies: Vec<(LawId, Copying)>,
    /// Propositions that are not used, tables that never match, and calls that are two actions of one group.
    pub lints: Vec<Lint>,
    /// Equivalent spellings for each table about shell commands, those of vocabularies excepted.
    pub spellings: Vec<TableSpellings>,
    /// The same with similar commands and with verdicts; empty unless requested.
    pub listed: Vec<ListedSpellings>,
    /// The names of the sessions against which the policy was checked.
    pub sessions: Vec<String>,
    /// The grounding of each law in the sessions; empty without sessions.
    pub grounding: Vec<Grounding>,
    /// Actions and propositions that no session has; empty without sessions.
    pub never_seen: Vec<LawAtom>,
    /// Tools whose calls no table matches, and how many calls.
    pub unmatched: BTreeMap<String, u64>,
    /// Names of observations that the policy does not have, and how often they occur.
    pub unknown: BTreeMap<String, u64>,
    /// Errors, warnings and notes.
    pub diagnostics: Diagnostics,
}

/// "12 legal steps"
pub(super) fn legal_steps(stuck: &Stuck) -> String {
    steps(stuck.trajectory.len())
}

/// "2 legal steps", the last of which is the trap.
pub(super) fn trap_steps(trap: &Trap) -> String {
    steps(trap.way.iter().filter(|step| step.is_agents).count())
}

/// The sentence for a policy under which no agent can act and stop.
pub(super) fn unrealizable(laws: &[String]) -> String {
    format!("whatever the agent does, the world can make it impossible to keep {}", laws.join(" and "))
}

fn steps(count: usize) -> String {
    if count == 1 { "1 legal step".into() } else { format!("{count} legal steps") }
}

impl PolicyCheckReport {
    /// The name of a law.
    pub fn law(&self, law: LawId) -> &str {
        &self.compiled.policy.laws[law].id
    }
    fn names(&self, laws: &[LawId]) -> Vec<String> {
        laws.iter().map(|&law| self.law(law).to_string()).collect()
    }
    /// The result of `check --format json`.
    pub fn result(&self, sources: &SourceMap) -> PolicyResult {
        let diagnostics = self.diagnostics.iter().map(|d| CheckDiagnostic::new(sources, d)).collect();
        let mut result = PolicyResult::new(&self.name, self.verdict.name(), diagnostics);
        let steps = |steps: &[TrajectoryStep]| -> Vec<PolicyStep> {
            let step = |s: &TrajectoryStep| PolicyStep { truths: s.truths.clone(), action: s.action.clone() };
            steps.iter().map(step).collect()
        };
        result.reason.clone_from(&self.reason);
        result.laws = self.compiled.policy.laws.len();
        result.states = self.search.states;
        result.is_complete = self.search.is_complete;
        result.not_searched = self.search.not_searched.map(str::to_string);
        let stuck = |one: &Stuck| PolicyStuck {
            laws: self.names(&one.core),
            steps: one.trajectory.len(),
            trajectory: steps(&one.trajectory.steps),
        };
        result.over_constrained = self.stuck.iter().map(stuck).collect();
        for conflict in &self.conflicts.found {
            result.conflicts.push(PolicyConflict {
                laws: self.names(&conflict.laws),
                trajectory: steps(&conflict.trajectory.steps),
                others: self.names(&conflict.others),
            });
        }
        self.look_ahead(&mut result);
        result.spellings = spellings_document(&self.compiled, &self.listed, sources);
        result.undecided = self.conflicts.undecided.iter().map(|pair| self.names(pair)).collect();
        for (law, finding) in &self.law_findings {
            let (kind, by) = match finding {
                LawFinding::Vacuous => ("vacuous", None),
                LawFinding::Impossible => ("impossible", None),
                LawFinding::NeverFires => ("never-fires", None),
                LawFinding::NeverTogether(_) => ("never-together", None),
                LawFinding::ImpliedBy(by) => ("implied", Some(*by)),
                LawFinding::EquivalentTo(by) => ("equivalent", Some(*by)),
            };
            let by = by.map(|by| self.law(by).to_string());
            result.oddities.push(PolicyOddity { law: self.law(*law).into(), kind: kind.into(), by });
        }
        for (law, copying) in &self.copies {
            let reason = if let Copying::Open(reason) = copying { Some(reason.clone()) } else { None };
            result.copies.push(PolicyCopies {
                law: self.law(*law).into(),
                independent: reason.is_none(),
                reason,
            });
        }
        result.sessions.clone_from(&self.sessions);
        let atoms = &self.compiled.policy.atoms;
        result.never_seen = self.never_seen.iter().map(|&atom| atoms.bit_name(atoms.bit(atom))).collect();
        result.unmatched.clone_from(&self.unmatched);
        result.unknown.clone_from(&self.unknown);
        for (law, own) in self.compiled.policy.laws.ids().zip(&self.grounding) {
            result.against.push(PolicyGrounding {
                law: self.law(law).into(),
                grounded: own.is_grounded,
                steps: own.steps.clone(),
                violated: own.violated.clone(),
                owed: own.owed.clone(),
                undecided: own.undecided.clone(),
            });
        }
        result
    }
    fn look_ahead(&self, result: &mut PolicyResult) {
        let ahead = &self.ahead;
        result.can_act_and_stop = ahead.can_act_and_stop;
        result.lost = self.names(&ahead.lost);
        result.positions = ahead.positions;
        result.is_all_positions = ahead.is_complete;
        result.is_of_one_value = ahead.is_of_one_value;
        result.no_look_ahead = ahead.not_decided.clone().or(ahead.not_searched.map(str::to_string));
        for trap in &ahead.traps {
            let step = |step: &WayStep| PolicyTrapStep {
                by: if step.is_agents { "agent" } else { "world" }.into(),
                names: letter_names(&self.compiled, &step.letter),
            };
            result.traps.push(PolicyTrap {
                action: self.compiled.policy.atoms.actions[trap.action].name.clone(),
                laws: self.names(&trap.laws),
                steps: trap.way.iter().filter(|step| step.is_agents).count(),
                trajectory: trap.way.iter().map(step).collect(),
            });
        }
    }
    /// The document of `check --format json`.
    pub fn document(&self, sources: &SourceMap) -> PolicyCheckDocument {
        PolicyCheckDocument::new(VERSION, vec![self.result(sources)])
    }
}
