//! A session whose calls the gate decides about.

use super::{Decision, Reason};
use crate::language::LawKind;
use crate::{CompiledPolicy, Interpreter, SeenLetter, SessionState};
use tsl_synth_core::model::Ruling;

/// The state of a session after the events so far.
#[derive(Clone, Debug)]
pub struct GateSession {
    pub(super) interpreter: Interpreter,
    pub(super) state: SessionState,
    /// The last letter.
    pub(super) last: Option<SeenLetter>,
    /// How many times in a row the end was refused.
    pub(super) end_refusals: u32,
    /// A state of the session from which all laws can be kept whatever the world does, if one was met: where a later
    /// state is the same, that is not asked again.
    pub(super) known: Option<SessionState>,
}

/// A call that was decided and is not yet part of the session.
#[derive(Clone, Debug)]
pub struct OpenProposal {
    /// The decision.
    pub decision: Decision,
    /// The number of the call.
    pub(super) call: Option<u64>,
    /// The session after the call.
    pub(super) after: SessionState,
    /// The last letter that the call completes.
    pub(super) last: Option<SeenLetter>,
    /// Whether all laws can be kept after the call whatever the world does.
    pub(super) is_closed: bool,
}

impl GateSession {
    pub(super) fn new(interpreter: Interpreter, state: SessionState) -> Self {
        Self { interpreter, state, last: None, end_refusals: 0, known: None }
    }
    /// The interpreter of further events.
    pub fn interpreter(&self) -> &Interpreter {
        &self.interpreter
    }
    /// A session restored from its parts.
    pub fn restored(
        interpreter: Interpreter,
        state: SessionState,
        last: Option<SeenLetter>,
        end_refusals: u32,
    ) -> Self {
        Self { interpreter, state, last, end_refusals, known: None }
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
    /// Sets how many times in a row the end was refused, from a record.
    pub fn set_end_refusals(&mut self, refusals: u32) {
        self.end_refusals = refusals;
    }
    /// Grants the call: its letters become part of the session.
    pub fn grant(&mut self, compiled: &CompiledPolicy, proposal: OpenProposal) {
        self.state = proposal.after;
        self.last = proposal.last.or_else(|| self.last.take());
        self.end_refusals = 0;
        if proposal.is_closed {
            self.known = Some(self.state.clone());
        }
        self.end_event(compiled);
    }
    /// Refuses the call: the session forgets it.
    pub fn refuse(&mut self, proposal: &OpenProposal) {
        if let Some(call) = proposal.call {
            self.interpreter.forget(call);
        }
    }
    /// Ends an event: excused violations are forgotten, violated soft laws restart, and states that no later event can
    /// tell apart are joined.
    pub(super) fn end_event(&mut self, compiled: &CompiledPolicy) {
        self.state.end_event();
        restart_soft(&mut self.state, compiled);
        self.state.join_indistinguishable(compiled);
    }
}

/// Restarts the violated soft laws.
pub(super) fn restart_soft(state: &mut SessionState, compiled: &CompiledPolicy) {
    for (id, _) in compiled.policy.laws.enumerate().filter(|(_, law)| law.kind == LawKind::Soft) {
        state.restart(compiled, id);
    }
}

impl Decision {
    /// Allowed, without reasons.
    pub(super) fn allow() -> Self {
        Self {
            ruling: Ruling::Allow,
            reasons: Vec::new(),
            letters: Vec::new(),
            dropped: Vec::new(),
            is_lost: false,
            left_owed: Vec::new(),
        }
    }
    /// Makes the answer at least as strict, for this reason.
    pub(super) fn add(&mut self, ruling: Ruling, reason: Reason) {
        self.ruling = self.ruling.max(ruling);
        self.reasons.push(reason);
    }
}
