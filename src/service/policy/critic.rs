//! `critic`: edits of the laws of a policy from recorded runs, each admitted or refused with the reason, until nothing
//! changes (LTLCrit, Gokhale, Srivastava and Bullo 2025, section 3.4).

use super::super::{Failure, Input};
use super::admit::{Admission, Edited, Refusal, RefusedBecause};
use super::logged::LoadSessions;
use super::stuck::StuckStates;
use crate::Session;
use std::sync::Arc;
use tsl_synth_agents::{AnswerKind, Conversation, Log, NoOracle, Oracle, OracleAnswer, OracleRequest, Port};
use tsl_synth_core::base::Budget;
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::model::LawEdit;
use tsl_synth_documents::{CriticDocument, CriticEdit, PolicyStep};
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::analysis::{AnalysisFrame, SEARCH_STATES, Stuck, TrajectoryStep};
use tsl_synth_policy::critic::{
    Feature, Goal, MineOptions, PromptParts, RecordedRun, Run, delete, features, mine, prompt, relax, run,
};
use tsl_synth_policy::law_edits::read_edits;

/// What runs are to reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CriticGoal {
    /// A formula without temporal operators over propositions and results of the policy.
    Condition(String),
    /// A goal that the environment reports by this name.
    Reported(String),
}

impl CriticGoal {
    /// Its text.
    pub fn text(&self) -> &str {
        match self {
            Self::Condition(text) | Self::Reported(text) => text,
        }
    }
    fn goal(&self, compiled: &CompiledPolicy) -> Result<Goal, Diagnostic> {
        match self {
            Self::Condition(text) => Goal::read(text, compiled),
            Self::Reported(name) => Ok(Goal::reported(name)),
        }
    }
}

/// Asks for edits of the laws of a policy.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CriticRequest {
    /// The policy.
    pub policy: Input,
    /// What the runs are to reach, in order.
    pub goals: Vec<CriticGoal>,
    /// The largest number of rounds.
    pub rounds: u32,
    /// The largest number of states that are searched for one that has no action left.
    pub states: usize,
    /// The number of attempts for one question to an oracle.
    pub attempts: u32,
    /// The evidence that mining requires.
    pub mining: MineOptions,
}

impl CriticRequest {
    /// Asks for edits of this policy.
    pub fn new(policy: Input) -> Self {
        let mining = MineOptions::default();
        Self { policy, goals: Vec::new(), rounds: 10, states: SEARCH_STATES, attempts: 3, mining }
    }
}

/// An edit and the decision about it.
#[derive(Clone, Debug)]
pub struct JudgedEdit {
    /// The round, from 1.
    pub round: u32,
    /// The edit; `None` for an answer that could not be read.
    pub edit: Option<LawEdit>,
    /// Why it is refused; `None` if it is admitted.
    pub refusal: Option<Refusal>,
}

impl JudgedEdit {
    fn document(&self) -> CriticEdit {
        let edit = self.edit.as_ref();
        let some = |text: &String| (!text.is_empty()).then(|| text.clone());
        let witness = self.refusal.as_ref().and_then(|refusal| refusal.witness.as_ref());
        let step =
            |step: &TrajectoryStep| PolicyStep { truths: step.truths.clone(), action: step.action.clone() };
        CriticEdit {
            round: self.round,
            op: edit.map(|edit| edit.kind.name().into()),
            law: edit.map(|edit| edit.id.clone()),
            ltl: edit.and_then(|edit| some(&edit.ltl)),
            explanation: edit.and_then(|edit| some(&edit.why)),
            admitted: self.refusal.is_none(),
            because: self.refusal.as_ref().map(|refusal| refusal.because.name().into()),
            message: self.refusal.as_ref().map(|refusal| refusal.message.clone()),
            laws: witness.map(|witness| witness.laws.clone()).unwrap_or_default(),
            trajectory: witness.map(|witness| witness.steps.iter().map(step).collect()).unwrap_or_default(),
        }
    }
}

/// The result of the critic.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CriticReport {
    /// The name of the policy's text.
    pub name: String,
    /// The text as it was.
    pub before: String,
    /// The text with all admitted edits.
    pub after: String,
    /// All edits, in the order in which they were judged.
    pub edits: Vec<JudgedEdit>,
    /// The number of rounds.
    pub rounds: u32,
    /// Whether the last round changed nothing.
    pub is_settled: bool,
    /// The number of recorded runs.
    pub runs: usize,
    /// The number of runs that reach the last goal; `None` without goals.
    pub reaching: Option<usize>,
    /// The sets of laws that leave no action in some state: before, and after.
    pub stuck: [usize; 2],
    /// Why there may be more such sets afterwards; `None` if there are none.
    pub undecided: Option<String>,
}

impl CriticReport {
    /// The edits that are admitted.
    pub fn admitted(&self) -> impl Iterator<Item = &LawEdit> {
        self.edits.iter().filter(|own| own.refusal.is_none()).filter_map(|own| own.edit.as_ref())
    }
    /// The document of `critic --format json`, without the difference of the texts.
    pub fn document(&self, tool_version: &str) -> CriticDocument {
        let mut document = CriticDocument::new(tool_version, &self.name);
        (document.runs, document.reaching) = (self.runs, self.reaching);
        (document.rounds, document.is_settled) = (self.rounds, self.is_settled);
        document.edits = self.edits.iter().map(JudgedEdit::document).collect();
        [document.over_constrained_before, document.over_constrained_after] = self.stuck;
        document.undecided.clone_from(&self.undecided);
        document
    }
}

impl Session<'_> {
    /// Edits the laws of a policy in rounds, until nothing changes. The edits come from the oracle; without an oracle
    /// they are mined from the sessions.
    ///
    /// # Errors
    /// Errors of the policy, a goal that is no formula over propositions and results, sessions without steps, an oracle
    /// without an answer, or a limit.
    pub fn critic(
        &mut self,
        request: &CriticRequest,
        sessions: &LoadSessions<'_>,
        mut oracle: Option<&mut dyn Oracle>,
        log: &mut dyn Log,
    ) -> Result<CriticReport, Failure> {
        let source = self.source(&request.policy)?;
        let text = self.sources.get(source).text.clone();
        let admission = Admission {
            name: request.policy.shown(),
            is_json: is_json(&request.policy.shown(), &text),
            states: request.states,
            sessions,
        };
        let (mut current, mut stuck) = self.deep(|session| {
            let loaded = admission.load(session, text.clone())?;
            let log = Arc::new((admission.sessions)(&loaded.compiled)?);
            let budget = session.budget();
            let stuck = admission.stuck(&mut AnalysisFrame::new(&loaded.compiled, &budget)?, &budget)?;
            Ok((Edited { text: text.clone(), loaded, log }, stuck))
        })?;
        let mut seen = FeatureRuns::new(&current, &request.goals)?;
        let mut report = CriticReport {
            name: request.policy.shown(),
            before: text.clone(),
            after: String::new(),
            edits: Vec::new(),
            rounds: 0,
            is_settled: false,
            runs: seen.runs.len(),
            reaching: (!request.goals.is_empty())
                .then(|| seen.runs.iter().filter(|run| run.reached.iter().all(Option::is_some)).count()),
            stuck: [stuck.found.len(), 0],
            undecided: None,
        };
        let mut all_refused = false;
        while report.rounds < request.rounds && !report.is_settled {
            let proposed = if let Some(oracle) = &mut oracle {
                let prompt = asked(&current, &stuck, &seen, request, &report.edits);
                ask(request, prompt, *oracle, log)?
            } else {
                let mined = seen.mined(&current, &stuck, &report.edits, request.mining, &self.budget())?;
                mined.into_iter().map(Ok).collect()
            };
            let known = |edit: &LawEdit| {
                // Mining the same runs proposes refused edits again in each round.
                oracle.is_none()
                    && report.edits.iter().any(|own| own.edit.as_ref().is_some_and(|own| same(own, edit)))
            };
            let proposed: Vec<_> =
                proposed.into_iter().filter(|one| !one.as_ref().is_ok_and(&known)).collect();
            // A weaker law that is refused leads to its deletion; where nothing new is proposed the last round was the end.
            if all_refused && proposed.is_empty() {
                report.is_settled = true;
                break;
            }
            report.rounds += 1;
            let round = report.rounds;
            let log = Arc::clone(&current.log);
            let (next, judged) = self.deep(|session| session.judge(&admission, current, proposed, round))?;
            current = next;
            all_refused = judged.iter().all(|own| own.refusal.is_some());
            report.is_settled = judged.is_empty() || all_refused && oracle.is_some();
            report.edits.extend(judged);
            if !all_refused {
                stuck = self.deep(|session| {
                    let budget = session.budget();
                    admission.stuck(&mut AnalysisFrame::new(&current.loaded.compiled, &budget)?, &budget)
                })?;
            }
            // The sessions are read again only where an edit changes the names of the policy.
            if !Arc::ptr_eq(&log, &current.log) {
                seen = FeatureRuns::new(&current, &request.goals)?;
            }
        }
        report.stuck[1] = stuck.found.len();
        report.undecided = stuck.undecided();
        report.after = current.text;
        Ok(report)
    }

    /// Judges the edits of a round one after another, and makes those that are admitted.
    fn judge(
        &mut self,
        admission: &Admission<'_>,
        mut current: Edited,
        proposed: Vec<Result<LawEdit, String>>,
        round: u32,
    ) -> Result<(Edited, Vec<JudgedEdit>), Failure> {
        let budget = self.budget();
        let mut judged: Vec<JudgedEdit> = Vec::new();
        for one in proposed {
            judged.push(match one {
                Err(why) => {
                    let refusal = Some(Refusal::new(RefusedBecause::Malformed, why));
                    JudgedEdit { round, edit: None, refusal }
                }
                Ok(edit) => {
                    let refusal = match admission.make(self, &current, &edit, &budget)? {
                        Ok(next) => {
                            current = next;
                            None
                        }
                        Err(refusal) => Some(refusal),
                    };
                    JudgedEdit { round, edit: Some(edit), refusal }
                }
            });
        }
        Ok((current, judged))
    }
}

fn same(a: &LawEdit, b: &LawEdit) -> bool {
    a.kind == b.kind && a.ltl == b.ltl && (!a.ltl.is_empty() || a.id == b.id)
}

/// Whether a text is JSON, as the reader of policies decides it.
pub(super) fn is_json(name: &str, text: &str) -> bool {
    match std::path::Path::new(name).extension().and_then(|ending| ending.to_str()) {
        Some("json") => true,
        Some("toml") => false,
        _ => text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '[']),
    }
}

/// The recorded runs as a policy sees them.
struct FeatureRuns {
    features: Vec<Feature>,
    runs: Vec<Run>,
}

impl FeatureRuns {
    fn new(edited: &Edited, goals: &[CriticGoal]) -> Result<Self, Failure> {
        let compiled: &CompiledPolicy = &edited.loaded.compiled;
        let sessions = &edited.log.sessions;
        let goals = goals.iter().map(|goal| goal.goal(compiled));
        let goals = goals.collect::<Result<Vec<Goal>, Diagnostic>>()?;
        let features = features(compiled);
        let recorded =
            sessions.iter().map(|own| RecordedRun { letters: &own.letters, reached: &own.reached });
        let runs: Vec<Run> = recorded.map(|own| run(compiled, &features, &goals, own)).collect();
        if runs.iter().all(|run| run.steps.is_empty()) {
            let message = "the trajectories have no step: none of their calls is an action of the policy";
            return Err(Diagnostic::error(Code::LOG_NOT_READ, message).into());
        }
        Ok(Self { features, runs })
    }
    /// Edits without a model: relaxations for over-constrained states, and if there are none, laws that the runs
    /// support.
    fn mined(
        &self,
        edited: &Edited,
        stuck: &StuckStates,
        judged: &[JudgedEdit],
        options: MineOptions,
        budget: &Budget,
    ) -> Result<Vec<LawEdit>, Failure> {
        let compiled = &edited.loaded.compiled;
        let mut relaxed: Vec<LawEdit> = Vec::new();
        let was_refused = |edit: &LawEdit| {
            let refused = judged.iter().filter(|own| own.refusal.is_some());
            refused.filter_map(|own| own.edit.as_ref()).any(|own| same(own, edit))
        };
        let relaxation = |one: &Stuck| {
            relax(compiled, &one.core).map(|edit| {
                // A law whose weaker form was refused is deleted.
                if was_refused(&edit) { delete(compiled, &one.core).unwrap_or(edit) } else { edit }
            })
        };
        for edit in stuck.found.iter().filter_map(relaxation) {
            if relaxed.iter().all(|own| own.id != edit.id) {
                relaxed.push(edit);
            }
        }
        if !relaxed.is_empty() {
            return Ok(relaxed);
        }
        let mut frame = AnalysisFrame::new(compiled, budget)?;
        Ok(mine(&mut frame, &self.features, &self.runs, options))
    }
}

/// The prompt for an oracle.
fn asked(
    current: &Edited,
    stuck: &StuckStates,
    seen: &FeatureRuns,
    request: &CriticRequest,
    judged: &[JudgedEdit],
) -> String {
    let reported = |own: &JudgedEdit| {
        let why = &own.refusal.as_ref()?.message;
        let edit = own.edit.as_ref().map(|edit| format!("{} `{}`: {why}", edit.kind.name(), edit.id));
        Some(edit.unwrap_or_else(|| why.clone()))
    };
    let refused: Vec<String> = judged.iter().filter_map(reported).collect();
    let notes: Vec<&[(usize, String)]> =
        current.log.sessions.iter().map(|session| session.notes.as_slice()).collect();
    let goals: Vec<String> = request.goals.iter().map(|goal| goal.text().to_owned()).collect();
    let parts = PromptParts {
        goals: &goals,
        features: &seen.features,
        runs: &seen.runs,
        notes: &notes,
        stuck: &stuck.found,
        refused: &refused,
    };
    prompt(&current.loaded.compiled, parts)
}

/// The edits that an oracle answers with.
fn ask(
    request: &CriticRequest,
    prompt: String,
    oracle: &mut dyn Oracle,
    log: &mut dyn Log,
) -> Result<Vec<Result<LawEdit, String>>, Failure> {
    let (mut evaluator, mut user, mut world) = (NoOracle, NoOracle, NoOracle);
    let mut conversation =
        Conversation::new(&mut evaluator, oracle, &mut user, &mut world, log, request.attempts);
    match conversation.ask(Port::Generator, &OracleRequest::new(AnswerKind::Generate, "edits", prompt)) {
        Ok(OracleAnswer::Text(answer)) => Ok(read_edits(&answer).unwrap_or_else(|why| vec![Err(why)])),
        Ok(_) => Err(Failure::internal("an oracle's answer was not checked")),
        // A script at its end has no more edits.
        Err(stop) if stop.is_end() => Ok(Vec::new()),
        Err(stop) => Err(Diagnostic::error(Code::TRANSLATION, stop.to_string()).into()),
    }
}
