//! Whether an edit of a law is admitted: it must be readable, new, and grounded in the sessions, and must leave an
//! action in every state.

use super::super::{Failure, Input};
use super::LoadedPolicy;
use super::check_report::legal_steps;
use super::logged::{LoadSessions, LoggedSessions};
use super::stuck::{StuckStates, stuck_states};
use crate::Session;
use std::sync::Arc;
use tsl_synth_core::base::{Budget, Id};
use tsl_synth_core::diag::Severity;
use tsl_synth_core::logic::{BitId, Guard};
use tsl_synth_core::model::{EditKind, LawEdit};
use tsl_synth_policy::analysis::{
    AnalysisFrame, EditEffect, JointAnswer, LawFinding, TrajectoryStep, conflicts, edit_effect, ground_law,
    implies, is_never_stuck, joint, law_finding,
};
use tsl_synth_policy::language::words::LawTree;
use tsl_synth_policy::language::{LawId, LawKind, Policy, names_of};
use tsl_synth_policy::policy_text::edit_law;

/// Why an edit is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusedBecause {
    /// The answer, the edit or its formula cannot be read.
    Malformed,
    /// It names something that the policy does not have.
    UnknownName,
    /// It edits a law that is not soft.
    NotSoft,
    /// The law adds nothing: it always holds, can never be violated, or another law implies it.
    Duplicate,
    /// The law can never hold.
    Impossible,
    /// The situations that the law is about do not occur in the sessions.
    NotGrounded,
    /// With it the laws leave no action in a reachable state.
    OverConstrains,
    /// It is not decided within the limits whether they leave one.
    NotDecided,
}

impl RefusedBecause {
    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::UnknownName => "unknown-name",
            Self::NotSoft => "not-soft",
            Self::Duplicate => "duplicate",
            Self::Impossible => "impossible",
            Self::NotGrounded => "not-grounded",
            Self::OverConstrains => "over-constrains",
            Self::NotDecided => "not-decided",
        }
    }
}

/// Why an edit is refused, with the witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The kind of reason.
    pub because: RefusedBecause,
    /// The reason as a sentence without a full stop.
    pub message: String,
    /// The laws and a legal way into a state without action, if this is the reason.
    pub witness: Option<RefusalWitness>,
}

/// A state in which laws leave no action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusalWitness {
    /// The ids of the laws.
    pub laws: Vec<String>,
    /// A shortest legal way there.
    pub steps: Vec<TrajectoryStep>,
}

impl Refusal {
    pub(super) fn new(because: RefusedBecause, message: impl Into<String>) -> Self {
        Self { because, message: message.into(), witness: None }
    }
}

/// The largest number of laws that a sentence names.
const NAMED: usize = 3;

/// A policy as text and compiled, with the sessions as it reads them.
pub(super) struct Edited {
    pub text: String,
    pub loaded: LoadedPolicy,
    pub log: Arc<LoggedSessions>,
}

/// The settings for judging edits.
pub(super) struct Admission<'a> {
    /// The name under which the text of the policy is shown.
    pub name: String,
    pub is_json: bool,
    /// The largest number of states that are searched.
    pub states: usize,
    pub sessions: &'a LoadSessions<'a>,
}

fn law_of(policy: &Policy, id: &str) -> Option<LawId> {
    policy.laws.enumerate().find(|(_, law)| law.id == id).map(|(law, _)| law)
}

/// The names of the bits of letters.
fn bit_names(policy: &Policy) -> Vec<String> {
    (0..policy.atoms.bits()).map(|bit| policy.atoms.bit_name(BitId::from_index(bit))).collect()
}

impl Admission<'_> {
    /// A policy from its text.
    pub(super) fn load(&self, session: &mut Session<'_>, text: String) -> Result<LoadedPolicy, Failure> {
        session.policy_here(&Input::Text { name: self.name.clone(), text })
    }
    /// The states in which the laws leave no action.
    pub(super) fn stuck(
        &self,
        frame: &mut AnalysisFrame<'_>,
        budget: &Budget,
    ) -> Result<StuckStates, Failure> {
        if is_never_stuck(frame, budget)? {
            return Ok(StuckStates { is_decided: true, ..StuckStates::default() });
        }
        let conflicts = conflicts(frame, budget)?;
        let mut stuck = stuck_states(frame, &conflicts, self.states, budget)?;
        // Where the search finds no way into a state without action and cannot exclude one, the states of this kind
        // are known all the same.
        if stuck.found.is_empty()
            && !stuck.is_decided
            && let JointAnswer::Stuck(found) = joint(frame, budget)?
        {
            stuck.found = found;
        }
        Ok(stuck)
    }
    /// The policy with one edit made, or why it is refused.
    pub(super) fn make(
        &self,
        session: &mut Session<'_>,
        before: &Edited,
        edit: &LawEdit,
        budget: &Budget,
    ) -> Result<Result<Edited, Refusal>, Failure> {
        let policy = &before.loaded.compiled.policy;
        if let Some(refusal) = refused_by_names(policy, edit) {
            return Ok(Err(refusal));
        }
        let text = match edit_law(&before.text, self.is_json, edit) {
            Ok(text) => text,
            Err(fault) => return Ok(Err(Refusal::new(RefusedBecause::Malformed, fault.0))),
        };
        let loaded = match self.load(session, text.clone()) {
            Ok(loaded) => loaded,
            Err(failure) => {
                let mut errors = failure.diagnostics.iter().filter(|one| one.severity == Severity::Error);
                return match errors.next() {
                    Some(first) => Ok(Err(Refusal::new(RefusedBecause::Malformed, first.message.clone()))),
                    None => Err(failure),
                };
            }
        };
        let log = if bit_names(policy) == bit_names(&loaded.compiled.policy) {
            Arc::clone(&before.log)
        } else {
            Arc::new((self.sessions)(&loaded.compiled)?)
        };
        let edited = Edited { text, loaded, log };
        let Some(law) = law_of(&edited.loaded.compiled.policy, &edit.id) else { return Ok(Ok(edited)) };
        let is_replaced = law_of(policy, &edit.id).is_some();
        let is_weaker = |session: &mut Session<'_>| {
            self.is_weaker(session, before, edit, budget).map(|weaker| is_replaced && weaker)
        };
        let mut frame = AnalysisFrame::new(&edited.loaded.compiled, budget)?;
        match fault(&mut frame, law, &edited.log, budget)? {
            // A law that asks for less needs no evidence.
            Some(own) if own.because == RefusedBecause::NotGrounded && is_weaker(session)? => {}
            Some(own) => return Ok(Err(own)),
            None => {}
        }
        let effect = if is_replaced {
            self.effect(session, before, edit, budget)?
        } else {
            edit_effect(&mut frame, None, Some(law), budget)?
        };
        // No state loses its last action, whether it can be reached or not.
        if matches!(effect, Some(EditEffect::Shrinks | EditEffect::Same)) {
            drop(frame);
            return Ok(Ok(edited));
        }
        let refusal = self.leaves_nothing(&mut frame, law, budget)?;
        drop(frame);
        match refusal {
            Some(own) if own.because == RefusedBecause::NotDecided && is_weaker(session)? => Ok(Ok(edited)),
            Some(own) => Ok(Err(own)),
            None => Ok(Ok(edited)),
        }
    }
    /// The policy before an edit that replaces a law, with the new law beside the old one; `None` if it cannot be read.
    fn beside(
        &self,
        session: &mut Session<'_>,
        before: &Edited,
        edit: &LawEdit,
    ) -> Option<(LoadedPolicy, LawId, LawId)> {
        let id = format!("{} replaced", edit.id);
        let added = LawEdit { kind: EditKind::Add, id: id.clone(), ..edit.clone() };
        let text = edit_law(&before.text, self.is_json, &added).ok()?;
        let loaded = self.load(session, text).ok()?;
        let (old, new) = (law_of(&loaded.compiled.policy, &edit.id)?, law_of(&loaded.compiled.policy, &id)?);
        Some((loaded, old, new))
    }
    /// How an edit that replaces a law changes the over-constrained states.
    fn effect(
        &self,
        session: &mut Session<'_>,
        before: &Edited,
        edit: &LawEdit,
        budget: &Budget,
    ) -> Result<Option<EditEffect>, Failure> {
        let Some((loaded, old, new)) = self.beside(session, before, edit) else { return Ok(None) };
        let mut frame = AnalysisFrame::new(&loaded.compiled, budget)?;
        Ok(edit_effect(&mut frame, Some(old), Some(new), budget)?)
    }
    /// The refusal of a law that, with others, leaves no action in some state, or for which this is not decided.
    fn leaves_nothing(
        &self,
        frame: &mut AnalysisFrame<'_>,
        law: LawId,
        budget: &Budget,
    ) -> Result<Option<Refusal>, Failure> {
        let laws = &frame.compiled.policy.laws;
        let stuck = self.stuck(frame, budget)?;
        let Some(one) = stuck.found.iter().find(|one| one.core.contains(&law)) else {
            return Ok(stuck.undecided().map(|why| {
                let message = format!("whether it leaves a state without action is not decided: {why}");
                Refusal::new(RefusedBecause::NotDecided, message)
            }));
        };
        let ids: Vec<String> = one.core.iter().map(|&law| laws[law].id.clone()).collect();
        let mut names: Vec<String> = ids.iter().take(NAMED).map(|id| format!("`{id}`")).collect();
        if ids.len() > NAMED {
            names.push(format!("{} more laws", ids.len() - NAMED));
        }
        let verb = if ids.len() == 1 { "leaves" } else { "leave" };
        let message = format!("after {} {} {verb} no action", legal_steps(one), names.join(" and "));
        let witness = RefusalWitness { laws: ids, steps: one.trajectory.steps.clone() };
        Ok(Some(Refusal { because: RefusedBecause::OverConstrains, message, witness: Some(witness) }))
    }
    /// Whether the law that an edit replaces implies the new one.
    fn is_weaker(
        &self,
        session: &mut Session<'_>,
        before: &Edited,
        edit: &LawEdit,
        budget: &Budget,
    ) -> Result<bool, Failure> {
        let Some((loaded, old, new)) = self.beside(session, before, edit) else { return Ok(false) };
        let mut frame = AnalysisFrame::new(&loaded.compiled, budget)?;
        Ok(implies(&mut frame, old, new, budget)?)
    }
}

/// The refusal of a law that is faulty on its own, relative to other laws, or in the sessions.
fn fault(
    frame: &mut AnalysisFrame<'_>,
    law: LawId,
    log: &LoggedSessions,
    budget: &Budget,
) -> Result<Option<Refusal>, Failure> {
    let compiled = frame.compiled;
    let (first, bad) = (frame.first(), frame.bad(law, 0));
    if frame.guards.minus(first, bad) == Guard::FALSE {
        let message = "whatever a session begins with violates the law";
        return Ok(Some(Refusal::new(RefusedBecause::Impossible, message)));
    }
    let (because, message) = match law_finding(frame, law, budget)? {
        Some(LawFinding::ImpliedBy(by) | LawFinding::EquivalentTo(by)) => {
            (RefusedBecause::Duplicate, format!("`{}` says this already", compiled.policy.laws[by].id))
        }
        Some(LawFinding::Impossible) => (RefusedBecause::Impossible, "the law can never hold".into()),
        Some(LawFinding::Vacuous) => (RefusedBecause::Duplicate, "the law always holds".into()),
        Some(LawFinding::NeverFires) => (RefusedBecause::Duplicate, "nothing can violate the law".into()),
        Some(LawFinding::NeverTogether(_)) | None if ground_law(compiled, law, &log.sessions).is_grounded => {
            return Ok(None);
        }
        Some(LawFinding::NeverTogether(_)) | None => {
            let message = "what the law is about does not occur in the sessions";
            (RefusedBecause::NotGrounded, message.into())
        }
    };
    Ok(Some(Refusal::new(because, message)))
}

/// The refusal of an edit because of a name: that of the law, or one in its formula.
fn refused_by_names(policy: &Policy, edit: &LawEdit) -> Option<Refusal> {
    let known = law_of(policy, &edit.id);
    match (edit.kind, known) {
        (EditKind::Add, Some(_)) => {
            let message = format!("there is a law `{}` already", edit.id);
            return Some(Refusal::new(RefusedBecause::Duplicate, message));
        }
        (EditKind::Replace | EditKind::Delete, None) => {
            let message = format!("the policy has no law `{}`", edit.id);
            return Some(Refusal::new(RefusedBecause::UnknownName, message));
        }
        (EditKind::Replace | EditKind::Delete, Some(law)) if policy.laws[law].kind != LawKind::Soft => {
            let message = format!("the law `{}` is not soft, and only soft laws are edited", edit.id);
            return Some(Refusal::new(RefusedBecause::NotSoft, message));
        }
        _ => {}
    }
    if edit.kind == EditKind::Delete {
        return None;
    }
    let names = names_of(&policy.atoms);
    let tree = match LawTree::read(&edit.ltl, &names) {
        Ok(tree) => tree,
        Err(refused) => return Some(Refusal::new(RefusedBecause::Malformed, refused.message)),
    };
    let unknown = tree.atoms().into_iter().find(|atom| !names.knows(atom))?;
    let near = names.nearest(&unknown).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    Some(Refusal::new(RefusedBecause::UnknownName, format!("there is no name `{unknown}`{near}")))
}
