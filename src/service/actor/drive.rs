//! The loop of an actor: each step reads the state of the environment, proposes an action, has the gate judge it, and
//! only then executes it.

use super::prompts::DONE;
use super::{ActorEnd, ActorKind, ActorOptions, ActorOutcome, prompts};
use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use tsl_synth_agents::world::{BEGIN, Offer, ToolCall, WorldMessage};
use tsl_synth_agents::{AnswerKind, Conversation, OracleAnswer, OracleRequest, Port, StopReason};
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, JsonText, LawStatus, Ruling};
use tsl_synth_documents::{ActorRefusal, ActorStepDocument};
use tsl_synth_gate::decided;
use tsl_synth_policy::gate::{Decision, GateSession, GateSolver, Reason};
use tsl_synth_policy::language::{EventKind, LawId, LawKind, Match, Named};

/// The name of the session in events.
const SESSION: &str = "actor";

/// The gate's decision about an action.
pub(super) struct TriedAction {
    /// The session after the action.
    pub(super) after: GateSession,
    /// The names of its calls.
    pub(super) calls: Vec<String>,
    /// Why it is refused.
    pub(super) refused: Option<ActorRefusal>,
    /// The laws that it violates at once.
    violated: Vec<String>,
    /// The soft laws that were dropped.
    dropped: Vec<String>,
}

/// The choice of a step.
pub(super) enum ActorStep {
    Act(Offer, Box<TriedAction>),
    Done,
    End(ActorEnd),
}

pub(super) struct Drive<'a, 'c> {
    pub(super) judge: &'a mut GateSolver,
    pub(super) options: &'a ActorOptions,
    pub(super) conversation: &'a mut Conversation<'c>,
    pub(super) session: GateSession,
    pub(super) steps: Vec<ActorStepDocument>,
    /// The number of calls so far; the ids of calls are numbered with it.
    pub(super) calls: u64,
    /// Whether some law, register or table refers to the results of calls.
    reads_results: bool,
    /// The actions that the gate allows in this step, if that could be decided.
    allowed: Option<Vec<String>>,
    /// The propositions that the environment reported last.
    truths: Vec<String>,
    /// The rest of the plan of a plan actor.
    pub(super) planned: VecDeque<String>,
}

impl<'a, 'c> Drive<'a, 'c> {
    pub(super) fn new(
        judge: &'a mut GateSolver,
        options: &'a ActorOptions,
        conversation: &'a mut Conversation<'c>,
    ) -> Self {
        let session = judge.session();
        let compiled = judge.compiled();
        let policy = &compiled.policy;
        let reads_results = policy.matches.iter().any(|table| table.on == EventKind::Result)
            || policy.atoms.actions.ids().any(|action| compiled.reads_outcome(action));
        let steps = Vec::new();
        Self {
            judge,
            options,
            conversation,
            session,
            steps,
            calls: 0,
            reads_results,
            allowed: None,
            truths: Vec::new(),
            planned: VecDeque::new(),
        }
    }

    pub(super) fn run(mut self, heard: &mut dyn FnMut(&ActorStepDocument)) -> ActorOutcome {
        let mut reached = false;
        let end = self.loop_until_end(&mut reached, heard);
        let mut state = self.session.state().clone();
        let compiled = self.judge.compiled();
        state.flush(compiled, None);
        let standing = |law: LawId| state.standing(compiled, law).worst;
        let is_hard = |law: &LawId| compiled.policy.laws[*law].kind == LawKind::Hard;
        let hard: Vec<LawId> = compiled.policy.laws.ids().filter(is_hard).collect();
        let named = |laws: Vec<LawId>| laws.iter().map(|&law| compiled.policy.laws[law].id.clone()).collect();
        let violated = hard.iter().copied().filter(|&law| standing(law) == LawStatus::Violated).collect();
        let owed = self.judge.owed(&self.session).into_iter().filter(is_hard).collect();
        let (violated, owed) = (named(violated), named(owed));
        ActorOutcome { steps: self.steps, end, reached, truths: self.truths, violated, owed }
    }

    fn loop_until_end(&mut self, reached: &mut bool, heard: &mut dyn FnMut(&ActorStepDocument)) -> ActorEnd {
        let mut message = match self.world(BEGIN) {
            Ok(message) => message,
            Err(end) => return end,
        };
        if let Some(why) = self.unknown(&message) {
            return ActorEnd::World(why);
        }
        for number in 0..self.options.steps {
            *reached = message.reached;
            if message.reached && !message.ends {
                return ActorEnd::Goal;
            }
            let truths = message.truths.iter().flatten().cloned().collect();
            let mut step = ActorStepDocument { number, truths, ..ActorStepDocument::default() };
            (step.broken, step.lost) = self.read_event(&message);
            self.look(&mut step);
            let chosen = self.choose(&message, &mut step);
            let end = match chosen {
                ActorStep::End(end) => Some(end),
                ActorStep::Done => {
                    step.action = Some(DONE.into());
                    step.ok = true;
                    Some(ActorEnd::Done)
                }
                ActorStep::Act(offer, tried) => match self.act(&offer, *tried, &mut step, &message.goals) {
                    Ok(next) => {
                        message = next;
                        None
                    }
                    Err(end) => Some(end),
                },
            };
            heard(&step);
            self.steps.push(step);
            if let Some(end) = end {
                return end;
            }
        }
        *reached = message.reached;
        if message.reached && !message.ends {
            // The state that the last action led to is part of the session, too.
            self.read_event(&message);
            return ActorEnd::Goal;
        }
        ActorEnd::Limit
    }

    pub(super) fn event(kind: HostEventKind<'static>) -> HostEvent<'static> {
        HostEvent::new(SESSION, 0, kind)
    }

    fn law_ids(&self, laws: &[LawId]) -> Vec<String> {
        laws.iter().map(|&law| self.judge.compiled().policy.laws[law].id.clone()).collect()
    }

    /// The report of the environment after an action. It is requested only once: a second request would execute the
    /// action again.
    fn world(&mut self, action: &str) -> Result<WorldMessage, ActorEnd> {
        let request = OracleRequest::new(AnswerKind::Act, action, action);
        let text = self.conversation.text(Port::World, &request).map_err(ActorEnd::Stopped)?;
        let message = WorldMessage::read(&text).map_err(ActorEnd::World)?;
        self.truths = message.truths.iter().flatten().cloned().collect();
        Ok(message)
    }

    /// The error if the environment belongs to another policy: it reports no proposition and offers no action or tool
    /// of this one.
    fn unknown(&self, message: &WorldMessage) -> Option<String> {
        let policy = &self.judge.compiled().policy;
        let tells = |name: &String| matches!(policy.atoms.named(name), Some(Named::Proposition(_)));
        let matches = |table: &Match, tool: &str| {
            table.on == EventKind::Call
                && (table.tools.is_empty() || table.tools.iter().any(|glob| glob.matches(tool)))
        };
        let acts = |call: &ToolCall| {
            matches!(policy.atoms.named(&call.tool), Some(Named::Action(_)))
                || policy.matches.iter().any(|table| matches(table, &call.tool))
        };
        let is_own = message.actions.is_empty()
            || message.truths.iter().flatten().any(tells)
            || message.actions.iter().flat_map(|offer| &offer.calls).any(acts);
        (!is_own).then(|| "the policy has no proposition and no action that the environment reports".into())
    }

    /// Adds the report of the environment to the session; returns the assumptions and the hard laws that it violates.
    pub(super) fn read_event(&mut self, message: &WorldMessage) -> (Vec<String>, Vec<String>) {
        let mut broken = Vec::new();
        for call in &message.happened {
            let (_, event) = self.call(call);
            broken.extend(self.judge.read_event(&mut self.session, &event).violated);
        }
        if let Some(truths) = &message.truths {
            let atoms = &self.judge.compiled().policy.atoms;
            let knows = |name: &&String| matches!(atoms.named(name), Some(Named::Proposition(id)) if !atoms.propositions[id].is_computed);
            let truths: BTreeMap<Cow<'static, str>, bool> =
                truths.iter().filter(knows).map(|name| (Cow::Owned(name.clone()), true)).collect();
            let event = Self::event(HostEventKind::Observe { truths, complete: true });
            broken.extend(self.judge.read_event(&mut self.session, &event).violated);
        }
        let of_kind = |kind: LawKind| -> Vec<String> {
            let is_it = |law: &&LawId| self.judge.compiled().policy.laws[**law].kind == kind;
            self.law_ids(&broken.iter().filter(is_it).copied().collect::<Vec<_>>())
        };
        (of_kind(LawKind::Assume), of_kind(LawKind::Hard))
    }

    fn call(&mut self, call: &ToolCall) -> (String, HostEvent<'static>) {
        self.calls += 1;
        let id = format!("c{}", self.calls);
        let event = Self::event(HostEventKind::Call {
            id: Some(id.clone().into()),
            server: None,
            tool: call.tool.clone().into(),
            arguments: JsonText::of(&call.arguments),
        });
        (id, event)
    }

    /// Computes the actions that are allowed in this step and, if the laws over-constrain it, a minimal set of laws
    /// that leaves no action.
    fn look(&mut self, step: &mut ActorStepDocument) {
        self.allowed = None;
        let Ok(options) = self.judge.options(&self.session) else { return };
        let actions = &self.judge.compiled().policy.atoms.actions;
        self.allowed = Some(options.allowed.iter().map(|&action| actions[action].name.clone()).collect());
        if options.is_over_constrained
            && let Ok(blocked) = self.judge.blocked(&self.session)
        {
            let core = self.judge.over_constraining(&blocked);
            step.core = self.law_ids(&core);
        }
    }

    /// Whether the gate lets an action through. If the tools are the actions of the policy by name, `look` has already
    /// answered this for all of them; the chosen action is still proposed before it is executed.
    fn is_let_through(&mut self, offer: &Offer) -> bool {
        let policy = &self.judge.compiled().policy;
        if policy.matches.is_empty()
            && *offer == Offer::plain(offer.name.as_str())
            && let Some(allowed) = &self.allowed
        {
            return allowed.contains(&offer.name);
        }
        self.tried(offer).refused.is_none()
    }

    /// Proposes all calls of an action in order, on a copy of the session.
    pub(super) fn tried(&mut self, offer: &Offer) -> TriedAction {
        let mut tried = TriedAction {
            after: self.session.clone(),
            calls: Vec::new(),
            refused: None,
            violated: Vec::new(),
            dropped: Vec::new(),
        };
        let before = self.calls;
        for call in &offer.calls {
            let (id, event) = self.call(call);
            let proposal = self.judge.propose(&mut tried.after, &event);
            let decision = &proposal.decision;
            for law in self.law_ids(&decision.dropped) {
                if !tried.dropped.contains(&law) {
                    tried.dropped.push(law);
                }
            }
            // No person can approve a call here: `Ask` is a refusal, too.
            if decision.ruling >= Ruling::Ask {
                tried.violated.extend(self.law_ids(&violated(decision)));
                if tried.refused.is_none() {
                    let document = decided(self.judge, &tried.after, SESSION, decision, None);
                    tried.refused = Some(ActorRefusal {
                        action: offer.name.clone(),
                        by: document.by,
                        reason: document.reason,
                    });
                }
                if !self.options.shadow {
                    break;
                }
            }
            tried.after.grant(self.judge.compiled(), proposal);
            tried.calls.push(id);
        }
        if tried.refused.is_some() && !self.options.shadow {
            self.calls = before;
        }
        tried
    }

    /// Ends the session if nothing is owed; otherwise returns the refusal.
    pub(super) fn may_end(&mut self) -> Result<(), ActorRefusal> {
        let decision = self.judge.end(&mut self.session, &Self::event(HostEventKind::End));
        if decision.ruling < Ruling::Ask {
            return Ok(());
        }
        let document = decided(self.judge, &self.session, SESSION, &decision, None);
        Err(ActorRefusal { action: DONE.into(), by: document.by, reason: document.reason })
    }

    fn choose(&mut self, message: &WorldMessage, step: &mut ActorStepDocument) -> ActorStep {
        let mut offers = message.actions.clone();
        if offers.is_empty() {
            let actions = &self.judge.compiled().policy.atoms.actions;
            offers = actions.iter().map(|action| Offer::plain(action.name.as_str())).collect();
        }
        if message.ends {
            offers.retain(|offer| offer.name != DONE);
            offers.push(Offer { name: DONE.into(), calls: Vec::new() });
        }
        match self.options.kind {
            ActorKind::Monologue => self.monologue(message, offers, step),
            ActorKind::Score => self.score(message, offers, step),
            ActorKind::Plan => self.plan(message, &offers, step),
        }
    }

    /// Whether no action at all is let through.
    pub(super) fn is_stuck(&mut self, offers: &[Offer]) -> bool {
        !self.options.shadow && offers.iter().all(|offer| offer.name != DONE && !self.is_let_through(offer))
    }

    fn monologue(
        &mut self,
        message: &WorldMessage,
        mut offers: Vec<Offer>,
        step: &mut ActorStepDocument,
    ) -> ActorStep {
        if !step.core.is_empty() && self.is_stuck(&offers) {
            return ActorStep::End(ActorEnd::Stuck);
        }
        for _ in 0..=self.options.retries {
            if offers.is_empty() {
                return ActorStep::End(ActorEnd::Stuck);
            }
            let choices: Vec<&Offer> = offers.iter().collect();
            let request = prompts::choose(self.options, &self.steps, message, step, &choices);
            let answer = match self.conversation.ask(Port::Generator, &request) {
                Ok(answer) => answer,
                Err(stop) => return ActorStep::End(ActorEnd::Stopped(stop)),
            };
            let chosen = match answer {
                OracleAnswer::Choice(chosen) => chosen,
                OracleAnswer::Reasoned { thought, choice } => {
                    step.thought = thought;
                    choice
                }
                _ => return ActorStep::End(no_answer(&request)),
            };
            // A refused action is not offered again in this step.
            let offer = offers.remove(chosen);
            if let Some(chosen) = self.decide(offer, step) {
                return chosen;
            }
        }
        ActorStep::End(ActorEnd::Refused(step.refused.len()))
    }

    /// Accepts an action that the gate lets through. A refusal is recorded; in shadow mode the action is accepted all
    /// the same.
    pub(super) fn decide(&mut self, offer: Offer, step: &mut ActorStepDocument) -> Option<ActorStep> {
        if offer.name == DONE {
            return match self.may_end() {
                Ok(()) => Some(ActorStep::Done),
                Err(refusal) => {
                    step.refused.push(refusal);
                    self.options.shadow.then_some(ActorStep::Done)
                }
            };
        }
        let tried = self.tried(&offer);
        if let Some(refusal) = &tried.refused {
            step.refused.push(refusal.clone());
            if !self.options.shadow {
                return None;
            }
        }
        Some(ActorStep::Act(offer, Box::new(tried)))
    }

    fn score(
        &mut self,
        message: &WorldMessage,
        offers: Vec<Offer>,
        step: &mut ActorStepDocument,
    ) -> ActorStep {
        let shadow = self.options.shadow;
        let is_offered =
            |drive: &mut Self, offer: &Offer| shadow || offer.name == DONE || drive.is_let_through(offer);
        let mut offers: Vec<Offer> = offers.into_iter().filter(|offer| is_offered(self, offer)).collect();
        if offers.is_empty() {
            return ActorStep::End(ActorEnd::Stuck);
        }
        let request = prompts::score(self.options, &self.steps, message, &offers.iter().collect::<Vec<_>>());
        let answer = match self.conversation.ask(Port::Generator, &request) {
            Ok(answer) => answer,
            Err(stop) => return ActorStep::End(ActorEnd::Stopped(stop)),
        };
        let OracleAnswer::Scores(mut scores) = answer else { return ActorStep::End(no_answer(&request)) };
        // `DONE` may still be refused: then the action with the next highest score is tried.
        while let Some(best) = best(&scores) {
            scores.remove(best);
            if let Some(chosen) = self.decide(offers.remove(best), step) {
                return chosen;
            }
        }
        ActorStep::End(ActorEnd::Stuck)
    }

    /// Adds the results of calls to the session, if some law or table is about outcomes: else a result would only add a
    /// letter.
    pub(super) fn read_results(&mut self, calls: &[String], ok: bool) {
        let outcome = if ok { CallOutcome::Ok } else { CallOutcome::Failed };
        for call in calls.iter().filter(|_| self.reads_results) {
            let call = Some(call.clone().into());
            let event = Self::event(HostEventKind::Result { call, outcome, result: None });
            self.judge.read_event(&mut self.session, &event);
        }
    }

    /// Executes an action that was let through.
    fn act(
        &mut self,
        offer: &Offer,
        tried: TriedAction,
        step: &mut ActorStepDocument,
        goals: &[String],
    ) -> Result<WorldMessage, ActorEnd> {
        self.session = tried.after;
        step.action = Some(offer.name.clone());
        if *offer != Offer::plain(offer.name.as_str()) {
            let calls = offer.calls.iter().map(|call| (call.tool.clone(), call.arguments.clone()));
            step.calls = calls.collect();
        }
        step.violated = tried.violated;
        step.dropped = tried.dropped;
        let message = self.world(&offer.name)?;
        self.read_results(&tried.calls, message.ok);
        step.ok = message.ok;
        step.text.clone_from(&message.text);
        step.goals = message.goals.iter().filter(|goal| !goals.contains(goal)).cloned().collect();
        Ok(message)
    }
}

/// The laws that a decision reports as violated at once.
fn violated(decision: &Decision) -> Vec<LawId> {
    let laws = decision.reasons.iter().filter_map(|reason| match reason {
        Reason::Violates(laws) => Some(laws),
        _ => None,
    });
    laws.flatten().copied().collect()
}

/// The index of the highest number; the first one if several are equal.
fn best(scores: &[f64]) -> Option<usize> {
    let mut best: Option<usize> = None;
    for (i, score) in scores.iter().enumerate() {
        if best.is_none_or(|best| *score > scores[best]) {
            best = Some(i);
        }
    }
    best
}

/// The end for an answer of another kind than requested; the conversation rejects such answers before.
pub(super) fn no_answer(request: &OracleRequest) -> ActorEnd {
    let last = tsl_synth_agents::OracleError::Unusable("an answer of another kind".into());
    ActorEnd::Stopped(StopReason {
        port: Port::Generator,
        subject: request.subject.clone(),
        attempts: 1,
        last,
    })
}
