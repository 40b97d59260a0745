//! Events that are no proposals.

use super::judge::Judge;
use super::session::GateSession;
use crate::control::policy::{Fault, SeenLetter, SessionState, Told};
use crate::model::HostEvent;
use crate::spec::policy::LawId;

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
        session.restart_soft(&self.compiled);
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
