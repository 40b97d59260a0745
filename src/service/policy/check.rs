//! `check` of a policy: what is found in it before anything runs.

use super::super::{Failure, Input, Session, VERSION};
use super::check_findings as findings;
use crate::base::Budget;
use crate::control::policy::CompiledPolicy;
use crate::control::policy::analysis::{
    Conflicts, Copying, Frame, Grounding, Joint, Lint, Oddity, RecordedSession, SEARCH_STATES, Search, Stuck,
    TrajectoryStep, conflicts, copies, ground, joint, lints, oddities, search,
};
use crate::diag::Diagnostics;
use crate::logic::Letter;
use crate::source::SourceMap;
use crate::spec::policy::LawId;
use crate::wire::{
    CheckDiagnostic, PolicyCheckDocument, PolicyConflict, PolicyCopies, PolicyGrounding, PolicyOddity,
    PolicyResult, PolicyStep, PolicyStuck,
};

/// Asks what is wrong with a policy.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PolicyCheckRequest {
    /// The policy.
    pub policy: Input,
    /// So many states of the world are searched at most.
    pub states: usize,
}

impl PolicyCheckRequest {
    /// Asks about this policy.
    pub fn new(policy: Input) -> Self {
        Self { policy, states: SEARCH_STATES }
    }
}

/// A session that a policy is held to.
#[derive(Clone, Debug, Default)]
pub struct HeldSession {
    /// Its name.
    pub name: String,
    /// Its letters, with the propositions of registers.
    pub letters: Vec<Letter>,
}

impl RecordedSession for HeldSession {
    fn name(&self) -> &str {
        &self.name
    }
    fn letters(&self) -> &[Letter] {
        &self.letters
    }
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyVerdict {
    /// In no state that can be reached do the laws leave no action.
    Consistent,
    /// In some state that can be reached they leave none, or a law can never hold.
    OverConstrained,
    /// That is not known.
    Unknown,
}

impl PolicyVerdict {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Consistent => "CONSISTENT",
            Self::OverConstrained => "OVER-CONSTRAINED",
            Self::Unknown => "UNKNOWN",
        }
    }
}

/// What was found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PolicyCheckReport {
    /// The name of the text.
    pub name: String,
    /// The policy.
    pub compiled: CompiledPolicy,
    /// The answer.
    pub verdict: PolicyVerdict,
    /// Why, in a sentence.
    pub reason: Option<String>,
    /// Sets of laws that leave no action, each with a shortest legal way there.
    pub stuck: Vec<Stuck>,
    /// The search of the world that the declared effects describe.
    pub search: Search,
    /// Pairs of laws that exclude each other.
    pub conflicts: Conflicts,
    /// Laws that say nothing, or that others imply.
    pub oddities: Vec<(LawId, Oddity)>,
    /// Laws with copies.
    pub copies: Vec<(LawId, Copying)>,
    /// What is never used or cannot happen.
    pub lints: Vec<Lint>,
    /// The names of the sessions that the policy was held to.
    pub sessions: Vec<String>,
    /// What the sessions tell, one entry for each law; empty without sessions.
    pub grounding: Vec<Grounding>,
    /// Errors, warnings and notes.
    pub diagnostics: Diagnostics,
}

/// What gives the sessions that a policy is held to, once the policy is known.
pub type HeldSessions<'p> = dyn Fn(&CompiledPolicy) -> Result<Vec<HeldSession>, Failure> + Sync + 'p;

impl Session<'_> {
    /// Finds what is wrong with a policy.
    ///
    /// # Errors
    /// Errors of the text, or a limit.
    pub fn check_policy(&mut self, request: &PolicyCheckRequest) -> Result<PolicyCheckReport, Failure> {
        self.check_policy_against(request, &|_| Ok(Vec::new()))
    }

    /// The same, held to sessions.
    ///
    /// # Errors
    /// Errors of the text, a limit, or what the port says.
    pub fn check_policy_against(
        &mut self,
        request: &PolicyCheckRequest,
        sessions: &HeldSessions<'_>,
    ) -> Result<PolicyCheckReport, Failure> {
        self.deep(|session| {
            let loaded = session.policy_here(&request.policy)?;
            let sessions = sessions(&loaded.compiled)?;
            let budget = session.budget();
            let mut report = analyze(request, loaded.compiled, &sessions, &budget)?;
            report.diagnostics.append(loaded.diagnostics);
            findings::tell(&mut report);
            report.diagnostics.sort();
            Ok(report)
        })
    }
}

fn analyze(
    request: &PolicyCheckRequest,
    compiled: CompiledPolicy,
    sessions: &[HeldSession],
    budget: &Budget,
) -> Result<PolicyCheckReport, Failure> {
    let mut frame = Frame::new(&compiled, budget)?;
    let conflicts = conflicts(&mut frame, budget)?;
    let oddities = oddities(&mut frame, budget)?;
    let search = search(&mut frame, request.states, budget)?;
    let mut stuck = search.found.clone();
    let copies = copies(&frame);
    let is_closed = search.not_searched.is_none();
    let joint = if is_closed && search.is_complete { Joint::Open } else { joint(&mut frame, budget)? };
    if !is_closed {
        if let Joint::Stuck(found) = &joint {
            stuck.clone_from(found);
        }
        for conflict in conflicts.found.iter().filter(|conflict| conflict.others.is_empty()) {
            let core = conflict.laws.to_vec();
            if stuck.iter().all(|known| known.core != core) {
                stuck.push(Stuck { core, trajectory: conflict.trajectory.clone() });
            }
        }
        stuck.sort_by_key(|one| one.trajectory.len());
    }
    let impossible = oddities.iter().find(|(_, oddity)| *oddity == Oddity::Impossible);
    let laws = &compiled.policy.laws;
    let (verdict, reason) = if let Some((law, _)) = impossible {
        (PolicyVerdict::OverConstrained, Some(format!("the law `{}` can never hold", laws[*law].id)))
    } else if let Some(first) = stuck.first() {
        (PolicyVerdict::OverConstrained, Some(format!("over-constrained after {}", legal_steps(first))))
    } else if (is_closed && search.is_complete) || joint == Joint::Never {
        (PolicyVerdict::Consistent, None)
    } else if is_closed {
        let states = search.states;
        (PolicyVerdict::Unknown, Some(format!("no over-constrained state within {states} states")))
    } else {
        let why = search.not_searched.unwrap_or_default();
        (
            PolicyVerdict::Unknown,
            Some(format!("over-constrained states are not excluded, and not searched: {why}")),
        )
    };
    let grounding = if sessions.is_empty() { Vec::new() } else { ground(&compiled, sessions) };
    let lints = lints(&compiled);
    drop(frame);
    Ok(PolicyCheckReport {
        name: request.policy.shown(),
        compiled,
        verdict,
        reason,
        stuck,
        search,
        conflicts,
        oddities,
        copies,
        lints,
        sessions: sessions.iter().map(|session| session.name.clone()).collect(),
        grounding,
        diagnostics: Diagnostics::new(),
    })
}

/// "12 legal steps"
pub(super) fn legal_steps(stuck: &Stuck) -> String {
    match stuck.trajectory.len() {
        1 => "1 legal step".into(),
        steps => format!("{steps} legal steps"),
    }
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
        result.undecided = self.conflicts.undecided.iter().map(|pair| self.names(pair)).collect();
        for (law, oddity) in &self.oddities {
            let (kind, by) = match oddity {
                Oddity::Vacuous => ("vacuous", None),
                Oddity::Impossible => ("impossible", None),
                Oddity::NeverFires => ("never-fires", None),
                Oddity::ImpliedBy(by) => ("implied", Some(*by)),
                Oddity::EquivalentTo(by) => ("equivalent", Some(*by)),
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
        for (law, own) in self.compiled.policy.laws.ids().zip(&self.grounding) {
            result.against.push(PolicyGrounding {
                law: self.law(law).into(),
                grounded: own.is_grounded,
                steps: own.steps.clone(),
                violated: own.violated.clone(),
                owed: own.owed.clone(),
            });
        }
        result
    }
    /// The document of `check --format json`.
    pub fn document(&self, sources: &SourceMap) -> PolicyCheckDocument {
        PolicyCheckDocument::new(VERSION, vec![self.result(sources)])
    }
}
