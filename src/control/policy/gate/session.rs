//! One session in front of the gate.

use super::judge::Judge;
use super::{Decision, Reason};
use crate::control::policy::interpret::{Fault, Interpreter, Told};
use crate::control::policy::state::SessionState;
use crate::control::policy::world::SeenLetter;
use crate::model::HostEvent;
use crate::spec::policy::{LawId, LawKind};

/// What a session has told so far.
#[derive(Clone, Debug)]
pub struct GateSession {
    pub(super) interpreter: Interpreter,
    pub(super) state: SessionState,
    /// The last letter.
    pub(super) last: Option<SeenLetter>,
    /// How many times in a row the end was refused.
    pub(super) end_refusals: u32,
}

/// A call that was decided and is not yet part of the session.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// What is decided.
    pub decision: Decision,
    /// The number of the call.
    pub(super) call: Option<u64>,
    /// The session after the call.
    pub(super) after: SessionState,
}

/// What came of an event that is no proposal.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    /// The letters that it added, in the first of the states that the session may be in.
    pub letters: Vec<SeenLetter>,
    /// What is wrong with it.
    pub faults: Vec<Fault>,
    /// The laws of all kinds that are violated since.
    pub violated: Vec<LawId>,
}

impl GateSession {
    pub(super) fn new(interpreter: Interpreter, state: SessionState) -> Self {
        Self { interpreter, state, last: None, end_refusals: 0 }
    }
    /// How calls are read from here on.
    pub fn interpreter(&self) -> &Interpreter {
        &self.interpreter
    }
    /// A session as it was.
    pub fn restored(
        interpreter: Interpreter,
        state: SessionState,
        last: Option<SeenLetter>,
        end_refusals: u32,
    ) -> Self {
        Self { interpreter, state, last, end_refusals }
    }
    /// The states that the session may be in.
    pub fn state(&self) -> &SessionState {
        &self.state
    }
    /// The last letter.
    pub fn last(&self) -> Option<&SeenLetter> {
        self.last.as_ref()
    }
    /// How many times in a row the end was refused.
    pub fn end_refusals(&self) -> u32 {
        self.end_refusals
    }
    /// Sets how many times in a row the end was refused, as a record says.
    pub fn set_end_refusals(&mut self, refusals: u32) {
        self.end_refusals = refusals;
    }
    /// The call is made: its letters are part of the session.
    pub fn grant(&mut self, judge: &Judge, proposal: Proposal) {
        self.state = proposal.after;
        self.last = proposal.decision.letters.last().cloned().or_else(|| self.last.take());
        self.end_refusals = 0;
        self.restart_soft(judge);
    }
    /// The call is not made.
    pub fn refuse(&mut self, proposal: &Proposal) {
        if let Some(call) = proposal.call {
            self.interpreter.forget(call);
        }
    }
    /// A soft law that is violated begins again.
    fn restart_soft(&mut self, judge: &Judge) {
        let policy = &judge.compiled.policy;
        for (id, _) in policy.laws.enumerate().filter(|(_, law)| law.kind == LawKind::Soft) {
            self.state.restart(&judge.compiled, id);
        }
    }
}

impl Judge {
    /// Reads an event that is no proposal: what the world says. A call is taken as made without being asked for.
    pub fn hear(&self, session: &mut GateSession, event: &HostEvent<'_>) -> Heard {
        let mut heard = Heard::default();
        let told = session.interpreter.read(&self.compiled, event, &mut heard.faults);
        let is_silent = matches!(told, Told::Nothing);
        let before = session.state.clone();
        heard.letters = session.state.read(&self.compiled, told, event.time);
        if is_silent {
            return heard;
        }
        heard.violated = self.newly_violated(&before, &session.state);
        session.last = heard.letters.last().cloned().or_else(|| session.last.take());
        session.restart_soft(self);
        heard
    }
    /// The laws of which more copies are violated in some state of the second than in all of the first.
    pub(super) fn newly_violated(&self, before: &SessionState, after: &SessionState) -> Vec<LawId> {
        let compiled = &self.compiled;
        let count = |state: &SessionState, law, most: bool| {
            let all = state.worlds().iter().map(|world| world.violated_copies(compiled, law));
            if most { all.max() } else { all.min() }
        };
        compiled
            .policy
            .laws
            .ids()
            .filter(|&law| count(after, law, true) > count(before, law, false))
            .collect()
    }
}

impl Decision {
    /// Allowed, with nothing to say.
    pub(super) fn allow() -> Self {
        Self {
            ruling: crate::model::Ruling::Allow,
            reasons: Vec::new(),
            letters: Vec::new(),
            dropped: Vec::new(),
            is_lost: false,
            left_owed: Vec::new(),
        }
    }
    /// Makes the answer at least as strict, for this reason.
    pub(super) fn add(&mut self, ruling: crate::model::Ruling, reason: Reason) {
        self.ruling = self.ruling.max(ruling);
        self.reasons.push(reason);
    }
}
