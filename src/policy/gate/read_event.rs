//! Events that are not proposals.

use super::session::GateSession;
use super::solver::GateSolver;
use crate::language::LawId;
use crate::{EventContent, EventFault, Excuse, SeenLetter, SessionState, Turns};
use tsl_synth_core::base::IdVec;
use tsl_synth_core::model::HostEvent;

/// The result of reading an event that is not a proposal.
#[derive(Clone, Debug, Default)]
pub struct EventReport {
    /// The letters that it added, in the first of the states that the session may be in.
    pub letters: Vec<SeenLetter>,
    /// The faults of the event.
    pub faults: Vec<EventFault>,
    /// The laws of all kinds that it newly violates.
    pub violated: Vec<LawId>,
}

impl GateSolver {
    /// Reads an event that is not a proposal, such as a result or an observation. A call is taken as one that was made
    /// without a decision.
    pub fn read_event(&self, session: &mut GateSession, event: &HostEvent<'_>) -> EventReport {
        let mut report = EventReport::default();
        let reported = session.interpreter.read(&self.compiled, event, &mut report.faults);
        if matches!(reported, EventContent::Nothing) {
            return report;
        }
        let before = self.violated_copies(&session.state);
        report.letters = session.state.read(&self.compiled, reported, event.time);
        report.violated = self.newly_violated(&before, &session.state);
        session.last = report.letters.last().cloned().or_else(|| session.last.take());
        session.end_event(&self.compiled);
        report
    }
    /// Reads a call that was refused and made nevertheless. The hard laws that it violates are reported, and go on
    /// forbidding calls as if it had not been made.
    pub fn read_disobeyed(&self, session: &mut GateSession, call: &HostEvent<'_>) -> EventReport {
        session.state.set_excuse(Excuse::Hard);
        let report = self.read_event(session, call);
        session.state.set_excuse(Excuse::NotDenied);
        report
    }
    /// Whether a refused call that was made nevertheless becomes part of the session. If the action is chosen before
    /// the rest of its letter, it does not: only the whole letter determines the laws that it violates.
    pub fn counts_refused(&self) -> bool {
        self.stepping.turns() != Turns::CallFirst
    }
    /// For each law the least number of its violated copies over the states that a session may be in.
    pub(super) fn violated_copies(&self, state: &SessionState) -> IdVec<LawId, usize> {
        let least = |law| state.worlds().iter().map(|world| world.violated_copies(&self.compiled, law)).min();
        self.compiled.policy.laws.ids().map(|law| least(law).unwrap_or(0)).collect()
    }
    /// The laws of which more copies than these are violated in some state, or whose violation is excused in some state.
    pub(super) fn newly_violated(&self, before: &IdVec<LawId, usize>, after: &SessionState) -> Vec<LawId> {
        let excused = after.excused();
        let is_new = |(law, &least): (LawId, &usize)| {
            let more = after.worlds().iter().any(|world| world.violated_copies(&self.compiled, law) > least);
            (more || excused.contains(&law)).then_some(law)
        };
        before.enumerate().filter_map(is_new).collect()
    }
}
