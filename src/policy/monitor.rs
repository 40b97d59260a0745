//! One session of a policy: events in, letters and verdicts out.

use super::compiled::CompiledPolicy;
use super::game::Conjunction;
use super::interpret::Interpreter;
use super::observation::{EventContent, EventFault};
use super::possible_state::{PossibleState, SeenLetter};
use super::state::{SessionState, StandingRange};
use crate::language::{LawId, LawKind};
use tsl_synth_core::model::{HostEvent, LawStatus};

/// The result of reading one event.
#[derive(Clone, Debug, Default)]
pub struct MonitorReaction {
    /// The letters, in one of the possible orders.
    pub letters: Vec<SeenLetter>,
    /// Whether no table names the call.
    pub unmatched: bool,
    /// The faults of the event.
    pub faults: Vec<EventFault>,
    /// Whether the agent wants to stop.
    pub ends: bool,
    /// Whether the session is over.
    pub closes: bool,
}

/// A session of a policy.
#[derive(Debug)]
pub struct PolicyMonitor<'p> {
    compiled: &'p CompiledPolicy,
    interpreter: Interpreter,
    state: SessionState,
    /// Detects states in which no continuation keeps all hard laws, although each law alone can be kept.
    conjunction: Option<&'p Conjunction>,
}

impl<'p> PolicyMonitor<'p> {
    /// A new session.
    pub fn new(compiled: &'p CompiledPolicy) -> Self {
        Self::with_interpreter(compiled, Interpreter::new(compiled))
    }
    /// A new session, with an interpreter that has read no event.
    pub fn with_interpreter(compiled: &'p CompiledPolicy, interpreter: Interpreter) -> Self {
        Self { compiled, interpreter, state: SessionState::new(compiled), conjunction: None }
    }
    /// Adds the solved conjunction of all hard laws; without it the standing of the conjunction is that of its worst
    /// law.
    pub fn with_conjunction(self, conjunction: Option<&'p Conjunction>) -> Self {
        Self { conjunction, ..self }
    }
    /// The possible states.
    pub fn worlds(&self) -> &[PossibleState] {
        self.state.worlds()
    }
    /// The standing of a law.
    pub fn standing(&self, law: LawId) -> StandingRange {
        self.state.standing(self.compiled, law)
    }

    /// The standing of the conjunction of all hard laws: that of its worst law, or violated if no continuation keeps
    /// all of them.
    pub fn joint(&self) -> StandingRange {
        let hard = self.compiled.policy.laws.enumerate().filter(|(_, law)| law.kind == LawKind::Hard);
        let (mut worst, mut best) = (LawStatus::Satisfied, LawStatus::Satisfied);
        for (id, _) in hard {
            let own = self.standing(id);
            (worst, best) = (worst.min(own.worst), best.min(own.best));
        }
        if let Some(conjunction) = self.conjunction.filter(|_| worst != LawStatus::Violated) {
            let dead = |world: &&PossibleState| {
                let states: Vec<u32> =
                    conjunction.laws().iter().map(|&law| world.law(law).some_state()).collect();
                conjunction.standing(self.compiled, &states) == LawStatus::Violated
            };
            let lost = self.worlds().iter().filter(dead).count();
            if lost > 0 {
                worst = LawStatus::Violated;
            }
            if lost == self.worlds().len() {
                best = LawStatus::Violated;
            }
        }
        StandingRange { worst, best }
    }

    /// Reads an event.
    pub fn event(&mut self, event: &HostEvent<'_>) -> MonitorReaction {
        let mut step = MonitorReaction::default();
        let reported = self.interpreter.read(self.compiled, event, &mut step.faults);
        step.unmatched = matches!(&reported, EventContent::Call { unmatched: Some(_), .. });
        step.ends = matches!(&reported, EventContent::End { .. } | EventContent::Step { ends: true, .. });
        step.closes = matches!(&reported, EventContent::Close);
        step.letters = self.state.read(self.compiled, reported, event.time);
        step
    }
}
