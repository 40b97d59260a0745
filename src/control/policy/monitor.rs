//! One session of a policy: events in, letters and verdicts out.

use super::compiled::CompiledPolicy;
use super::game::Conjunction;
use super::interpret::Interpreter;
use super::observation::{EventContent, EventFault};
use super::state::{SessionState, StandingRange};
use super::world::{SeenLetter, World};
use crate::model::{HostEvent, Standing};
use crate::spec::policy::{LawId, LawKind};

/// What came of one event.
#[derive(Clone, Debug, Default)]
pub struct MonitorReaction {
    /// The letters, in one of the possible orders.
    pub letters: Vec<SeenLetter>,
    /// Whether no table names the call.
    pub unmatched: bool,
    /// What is wrong with the event.
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
    /// Tells where no continuation keeps all hard laws, though each has one.
    conjunction: Option<&'p Conjunction>,
}

impl<'p> PolicyMonitor<'p> {
    /// A session that begins.
    pub fn new(compiled: &'p CompiledPolicy) -> Self {
        Self::with_interpreter(compiled, Interpreter::new(compiled))
    }
    /// A session that begins, whose events are read by an interpreter that has read none.
    pub fn with_interpreter(compiled: &'p CompiledPolicy, interpreter: Interpreter) -> Self {
        Self { compiled, interpreter, state: SessionState::new(compiled), conjunction: None }
    }
    /// With the question solved whether all hard laws can still be kept; without it the conjunction stands as its worst law.
    pub fn with_conjunction(self, conjunction: Option<&'p Conjunction>) -> Self {
        Self { conjunction, ..self }
    }
    /// The possible states.
    pub fn worlds(&self) -> &[World] {
        self.state.worlds()
    }
    /// How a law stands.
    pub fn standing(&self, law: LawId) -> StandingRange {
        self.state.standing(self.compiled, law)
    }

    /// How the conjunction of all hard laws stands: no worse than its worst law, and violated where no continuation keeps all
    /// of them.
    pub fn joint(&self) -> StandingRange {
        let hard = self.compiled.policy.laws.enumerate().filter(|(_, law)| law.kind == LawKind::Hard);
        let (mut worst, mut best) = (Standing::Satisfied, Standing::Satisfied);
        for (id, _) in hard {
            let own = self.standing(id);
            (worst, best) = (worst.min(own.worst), best.min(own.best));
        }
        if let Some(conjunction) = self.conjunction.filter(|_| worst != Standing::Violated) {
            let dead = |world: &&World| {
                let states: Vec<u32> =
                    conjunction.laws().iter().map(|&law| world.law(law).some_state()).collect();
                conjunction.standing(self.compiled, &states) == Standing::Violated
            };
            let lost = self.worlds().iter().filter(dead).count();
            if lost > 0 {
                worst = Standing::Violated;
            }
            if lost == self.worlds().len() {
                best = Standing::Violated;
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
