//! One session of a policy: events in, letters and verdicts out.

use super::compiled::CompiledPolicy;
use super::game::Conjunction;
use super::interpret::Interpreter;
use super::observation::{EventContent, EventFault};
use super::possible_state::{PossibleState, SeenLetter};
use super::state::{SessionState, StandingRange};
use super::untold::{FollowedEvent, UntoldMonitor, letters_of, seen, untold_totals};
use crate::language::{LawId, LawKind};
use std::borrow::Cow;
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, LawStatus};

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
    /// The laws that facts concern which the log does not tell, if there are such facts or outcomes that are not known.
    untold: Option<Box<UntoldMonitor>>,
}

impl<'p> PolicyMonitor<'p> {
    /// A new session.
    pub fn new(compiled: &'p CompiledPolicy) -> Self {
        Self::with_interpreter(compiled, Interpreter::new(compiled))
    }
    /// A new session, with an interpreter that has read no event.
    pub fn with_interpreter(compiled: &'p CompiledPolicy, interpreter: Interpreter) -> Self {
        Self { compiled, interpreter, state: SessionState::new(compiled), conjunction: None, untold: None }
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
        let untold = self.untold.as_ref().and_then(|untold| untold.standing(self.compiled, law));
        untold.unwrap_or_else(|| self.state.standing(self.compiled, law))
    }

    /// Whether some letter of the session mattered to a law, if there are facts that concern it and are not told.
    pub fn has_moved(&self, law: LawId) -> Option<bool> {
        self.untold.as_ref()?.has_moved(law)
    }
    /// The standing of the conjunction of all hard laws: that of its worst law, or violated if no continuation keeps
    /// all of them.
    pub fn joint(&self) -> StandingRange {
        let hard = self.compiled.policy.laws.enumerate().filter(|(_, law)| law.kind == LawKind::Hard);
        let is_open = self.untold.as_ref().is_some_and(|untold| untold.concerns_some());
        let (mut worst, mut best) = (LawStatus::Satisfied, LawStatus::Satisfied);
        for (id, _) in hard {
            let own = self.standing(id);
            (worst, best) = (worst.min(own.worst), best.min(own.best));
        }
        if let Some(conjunction) = self.conjunction.filter(|_| worst != LawStatus::Violated && !is_open) {
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
        if let HostEventKind::Untold(facts) = &event.kind {
            self.untold.get_or_insert_default().add(*facts);
        }
        let compiled = self.compiled;
        let policy = &compiled.policy;
        // Logs do not tell them; journals of the gate do.
        let has_outside = !policy.probes.is_empty() || policy.registers_over_sessions().next().is_some();
        let is_unknown = matches!(event.kind, HostEventKind::Result { outcome: CallOutcome::Unknown, .. });
        if has_outside || is_unknown {
            self.untold.get_or_insert_default();
        }
        let is_all_told = self.untold.as_ref().is_none_or(|untold| untold.is_idle());
        let Some(mut untold) = self.untold.take_if(|_| !is_all_told || has_outside || is_unknown) else {
            return self.read(event);
        };
        let mut open = untold.open(compiled, &self.interpreter, self.state.worlds(), event);
        let choices = untold.choices(compiled, &self.interpreter, self.state.worlds(), event);
        let mut event = Cow::Borrowed(event);
        if let HostEventKind::Result { outcome, .. } = &event.kind
            && untold.outcome(*outcome) != *outcome
            && let HostEventKind::Result { outcome, .. } = &mut event.to_mut().kind
        {
            *outcome = untold.outcome(*outcome);
        }
        self.state.read_totals(compiled, &event);
        let before = self.state.worlds().to_vec();
        let was_lost = self.state.is_lost();
        let (mut step, content) = self.content(&event);
        let mut letters = letters_of(compiled, &before, &content);
        step.letters = self.state.read(compiled, content.clone(), event.time);
        letters.extend(seen(&step.letters));
        open.totals = untold_totals(compiled, &event, &letters);
        let (time, is_lost) = (event.time, was_lost || self.state.is_lost());
        let followed = FollowedEvent { content: &content, choices, letters: &letters, open, time, is_lost };
        untold.follow(compiled, &before, followed);
        self.untold = Some(untold);
        step
    }
    fn read(&mut self, event: &HostEvent<'_>) -> MonitorReaction {
        self.state.read_totals(self.compiled, event);
        let (mut step, reported) = self.content(event);
        step.letters = self.state.read(self.compiled, reported, event.time);
        step
    }
    fn content(&mut self, event: &HostEvent<'_>) -> (MonitorReaction, EventContent) {
        let mut step = MonitorReaction::default();
        let reported = self.interpreter.read(self.compiled, event, &mut step.faults);
        step.unmatched = matches!(&reported, EventContent::Call { unmatched: Some(_), .. });
        step.ends = matches!(&reported, EventContent::End { .. } | EventContent::Step { ends: true, .. });
        step.closes = matches!(&reported, EventContent::Close);
        (step, reported)
    }
}
