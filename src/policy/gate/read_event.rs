//! Events that are not proposals.

use super::session::GateSession;
use super::solver::GateSolver;
use crate::language::LawId;
use crate::{EventContent, EventFault, Excuse, PossibleState, SeenLetter, SessionState, Turns};
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
    /// without a decision of this policy, such as a refused call that was made nevertheless, or one from before the policy
    /// was edited. The hard laws that an event violates are reported, and go on forbidding calls as if it had not been.
    pub fn read_event(&self, session: &mut GateSession, event: &HostEvent<'_>) -> EventReport {
        let mut report = EventReport::default();
        session.state.read_totals(&self.compiled, event);
        let ends = session.interpreter.possible_ends(&self.compiled, event);
        let reported = session.interpreter.read(&self.compiled, event, &mut report.faults);
        if matches!(reported, EventContent::Nothing) {
            return report;
        }
        let before = session.state.clone();
        session.state.set_excuse(Excuse::Hard);
        let (state, time) = (&mut session.state, event.time);
        report.letters = match reported {
            EventContent::Result { call, letter, .. }
                if self.compiled.assumes_outcomes() && !ends.is_empty() =>
            {
                state.result_of_unknown_outcome(&self.compiled, call, &letter, &ends, time)
            }
            reported => state.read(&self.compiled, reported, time),
        };
        report.violated = self.newly_violated(&before, &session.state);
        session.last = report.letters.last().cloned().or_else(|| session.last.take());
        session.state.set_excuse(Excuse::NotDenied);
        session.end_event(&self.compiled);
        report
    }
    /// Whether a refused call that was made nevertheless becomes part of the session. If the action is chosen before
    /// the rest of its letter, it does not: only the whole letter determines the laws that it violates.
    pub fn counts_refused(&self) -> bool {
        self.stepping.turns() != Turns::CallFirst
    }
    /// The least number of violated copies of a law over the states that a session may be in.
    pub(super) fn violated_copies(&self, state: &SessionState, law: LawId) -> usize {
        let least = state.worlds().iter().map(|world| world.violated_copies(&self.compiled, law)).min();
        least.unwrap_or(0)
    }
    /// Whether more copies of a law are violated in a state than in a session before it.
    pub(super) fn is_newly_violated(&self, before: &SessionState, world: &PossibleState, law: LawId) -> bool {
        let is_untouched = |known: &PossibleState| known.law(law).is_untouched(world.law(law));
        !matches!(before.worlds(), [known] if is_untouched(known))
            && world.violated_copies(&self.compiled, law) > self.violated_copies(before, law)
    }
    /// The laws of which more copies are violated in some state than before, or whose violation is excused in some
    /// state.
    pub(super) fn newly_violated(&self, before: &SessionState, after: &SessionState) -> Vec<LawId> {
        let excused = after.excused();
        let is_new = |law: &LawId| {
            excused.contains(law)
                || after.worlds().iter().any(|world| self.is_newly_violated(before, world, *law))
        };
        self.compiled.policy.laws.ids().filter(is_new).collect()
    }
}
