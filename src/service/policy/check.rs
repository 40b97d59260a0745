//! `check` of a policy: its static analysis.

use super::super::{Failure, Input};
use super::check_findings as findings;
use super::check_report::{PolicyCheckReport, PolicyVerdict, legal_steps, unrealizable};
use super::logged::{LoadSessions, LoggedSessions};
use super::spelling_verdicts::listed_spellings;
use super::stuck::stuck_states;
use crate::Session;
use std::sync::Arc;
use tsl_synth_core::base::Budget;
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_gate::gate_limit;
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::analysis::{
    AnalysisFrame, LawFinding, Lint, LookAhead, SEARCH_STATES, TRAP_POSITIONS, conflicts, copies, emptied,
    ground, law_findings, lints, look_ahead, spellings,
};
use tsl_synth_policy::language::OnViolation;

/// Asks for the findings on a policy.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PolicyCheckRequest {
    /// The policy.
    pub policy: Input,
    /// The largest number of states of the world that are searched.
    pub states: usize,
    /// The largest number of positions of the game that are searched for traps.
    pub positions: usize,
    /// Whether equivalent and similar commands are listed for each table about shell commands, with verdicts.
    pub spellings: bool,
}

impl PolicyCheckRequest {
    /// Asks about this policy.
    pub fn new(policy: Input) -> Self {
        Self { policy, states: SEARCH_STATES, positions: TRAP_POSITIONS, spellings: false }
    }
}

impl Session<'_> {
    /// Analyzes a policy.
    ///
    /// # Errors
    /// Errors of the text, or a limit.
    pub fn check_policy(&mut self, request: &PolicyCheckRequest) -> Result<PolicyCheckReport, Failure> {
        self.check_policy_against(request, &|_| Ok(LoggedSessions::default()))
    }

    /// Analyzes a policy, and checks it against recorded sessions.
    ///
    /// # Errors
    /// Errors of the text, a limit, or an error of the port.
    pub fn check_policy_against(
        &mut self,
        request: &PolicyCheckRequest,
        sessions: &LoadSessions<'_>,
    ) -> Result<PolicyCheckReport, Failure> {
        self.deep(|session| {
            let loaded = session.policy_here(&request.policy)?;
            let log = sessions(&loaded.compiled)?;
            let budget = session.budget();
            let mut report = analyze(request, loaded.compiled, &log, &budget)?;
            report.diagnostics.append(loaded.diagnostics);
            findings::add(&mut report);
            report.diagnostics.sort();
            Ok(report)
        })
    }
}

fn analyze(
    request: &PolicyCheckRequest,
    compiled: CompiledPolicy,
    log: &LoggedSessions,
    budget: &Budget,
) -> Result<PolicyCheckReport, Failure> {
    let mut frame = AnalysisFrame::new(&compiled, budget)?;
    let conflicts = conflicts(&mut frame, budget)?;
    let law_findings = law_findings(&mut frame, budget)?;
    let states = stuck_states(&mut frame, &conflicts, request.states, budget)?;
    let (stuck, search) = (states.found, states.search);
    let copies = copies(&compiled);
    let impossible = law_findings.iter().find(|(law, finding)| {
        *finding == LawFinding::Impossible && compiled.policy.laws[*law].on_violation == OnViolation::Deny
    });
    let ahead = match impossible {
        Some(_) => LookAhead { not_decided: Some("a law can never hold".into()), ..LookAhead::default() },
        None => look_ahead(&Arc::new(compiled.clone()), request.positions, budget)?,
    };
    let gate_limit = gate_limit(&Arc::new(compiled.clone()), None, budget)?.map(|limit| limit.to_string());
    let laws = &compiled.policy.laws;
    let (verdict, reason) = if let Some((law, _)) = impossible {
        (PolicyVerdict::OverConstrained, Some(format!("the law `{}` can never hold", laws[*law].id)))
    } else if let Some(first) = stuck.first() {
        (PolicyVerdict::OverConstrained, Some(format!("over-constrained after {}", legal_steps(first))))
    } else if ahead.can_act_and_stop == Some(false) {
        let names: Vec<String> = ahead.lost.iter().map(|&law| format!("`{}`", laws[law].id)).collect();
        (PolicyVerdict::Unrealizable, Some(unrealizable(&names)))
    } else if states.is_decided {
        (PolicyVerdict::Consistent, None)
    } else if search.not_searched.is_none() {
        let states = search.states;
        (PolicyVerdict::Unknown, Some(format!("no over-constrained state within {states} states")))
    } else {
        let why = search.not_searched.unwrap_or_default();
        (
            PolicyVerdict::Unknown,
            Some(format!("over-constrained states are not excluded, and not searched: {why}")),
        )
    };
    let is_held = !log.sessions.is_empty();
    let grounding = if is_held { ground(&compiled, &log.sessions) } else { Vec::new() };
    let never_seen = if is_held { log.never_seen(&compiled) } else { Vec::new() };
    let mut lints = lints(&compiled);
    lints.extend(emptied(&mut frame).into_iter().map(|(law, table)| Lint::Emptied(law, table)));
    drop(frame);
    let spellings = spellings(&compiled.policy);
    let listed = if request.spellings { listed_spellings(&compiled, &spellings)? } else { Vec::new() };
    Ok(PolicyCheckReport {
        name: request.policy.shown(),
        compiled,
        verdict,
        reason,
        stuck,
        ahead,
        gate_limit,
        search,
        conflicts,
        law_findings,
        copies,
        lints,
        spellings,
        listed,
        sessions: log.sessions.iter().map(|session| session.name.clone()).collect(),
        grounding,
        never_seen,
        unmatched: log.unmatched.clone(),
        unknown: log.unknown.clone(),
        diagnostics: Diagnostics::new(),
    })
}
