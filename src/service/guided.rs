//! Plays together with the facts of their specification: an input that a letter leaves open gets the value that the
//! facts determine, such as the value of a cell after its updates.

use super::Failure;
use super::tuning::ROUNDS;
use crate::trace_terms::missing_inputs;
use tsl_synth_core::base::{Limit, LimitKind};
use tsl_synth_core::logic::{AtomId, AtomKind, FormulaId, Guard, Guards, Letter, Player};
use tsl_synth_core::model::{Observation, Role, Trace};
use tsl_synth_engine::mealy::{Deviation, PlaySoFar};
use tsl_synth_explain::ClauseWatch;
use tsl_synth_formats::trace::TraceText;
use tsl_synth_lang::spec::{ClauseId, Problem};

/// A play, and the residuals of the watched clauses of its specification.
pub(super) struct Guided<'a> {
    pub(super) play: PlaySoFar<'a>,
    pub(super) watch: Option<ClauseWatch<'a>>,
}

/// Why a trace has no play.
pub(super) enum NoPlayReason {
    /// The machine has another answer than the trace.
    Deviation(Deviation),
    /// The system has no such play; the text says why.
    Invalid(String),
    /// An error in the trace, such as an input that is neither named nor determined by the facts.
    Wrong(Failure),
}

impl<'a> Guided<'a> {
    /// A play that is empty, with all clauses of these roles watched.
    pub(super) fn new(play: PlaySoFar<'a>, problem: Option<&'a Problem>, roles: &[Role]) -> Self {
        let watch = problem.map(|problem| ClauseWatch::new(problem, roles));
        Self { play, watch }
    }
    /// The input letters after which no clause of these roles is lost, as far as the letter decides it.
    pub(super) fn inputs(&self, roles: &[Role], guards: &mut Guards) -> Guard {
        let Some(watch) = &self.watch else { return Guard::TRUE };
        let mut allowed = Guard::TRUE;
        for &role in roles {
            let kept = watch.allowed(&[role], guards);
            allowed = guards.and(allowed, kept);
        }
        self.play.inputs(allowed, guards)
    }
    /// The input letters that keep the facts and agree with an observation.
    pub(super) fn inputs_of(&self, given: &Observation, guards: &mut Guards) -> Guard {
        let alphabet = self.play.alphabet();
        let mut inputs = self.inputs(&[Role::Fact], guards);
        for atom in alphabet.inputs() {
            if let (Some(value), AtomKind::Input(bit)) = (given.value(atom), alphabet.atoms()[atom].kind) {
                let literal = guards.literal(bit, value);
                inputs = guards.and(inputs, literal);
            }
        }
        inputs
    }
    /// Takes a step; returns the watched clauses that are lost by it. `None`, and no step, if the strategy has no
    /// answer.
    pub(super) fn step(&mut self, choice: &Letter) -> Option<Vec<ClauseId>> {
        let letter = self.play.step(choice)?;
        Some(self.watch.as_mut().map_or_else(Vec::new, |watch| watch.step(letter)))
    }
    /// Compares the answer of the strategy to this choice with an observation; the error is the deviation.
    pub(super) fn compare(&self, choice: &Letter, given: &Observation) -> Result<(), Deviation> {
        let (step, state) = (self.play.letters().len(), self.play.state());
        let Some((letter, _)) = self.play.peek(choice) else { return Err(Deviation::Stuck { step, state }) };
        match given.differs(self.play.alphabet(), &letter) {
            Some(atom) => {
                Err(Deviation::Outputs { step, state, atom, expected: letter, given: given.clone() })
            }
            None => Ok(()),
        }
    }
    /// The residuals of the facts before a step, which determine the values of cells, for example.
    pub(super) fn facts(&self, step: usize) -> Option<Vec<FormulaId>> {
        self.watch.as_ref().map(|watch| watch.remainder(step, Role::Fact))
    }
    /// The first of these steps before which the state of the machine and the residuals of the facts were as they are
    /// now.
    pub(super) fn returned(&self, mut steps: impl Iterator<Item = usize>) -> Option<usize> {
        let (states, here) = (self.play.states(), self.play.letters().len());
        let now = self.facts(here);
        steps.find(|&step| states[step] == states[here] && self.facts(step) == now)
    }
    /// As `returned`, at the beginning of a round of a cycle; `begun` has the beginnings of the rounds so far.
    pub(super) fn begin_round(&self, begun: &mut Vec<usize>) -> Result<Option<usize>, Deviation> {
        if let Some(back) = self.returned(begun.iter().copied()) {
            return Ok(Some(back));
        }
        if begun.len() >= ROUNDS {
            let what = format!("the run on the trace does not close within {ROUNDS} rounds");
            return Err(Deviation::TooLong(Limit::new(LimitKind::Size, what)));
        }
        begun.push(self.play.letters().len());
        Ok(None)
    }

    /// The trace with a value for every input: an open input gets the value that the facts determine; if they determine
    /// none, it is false, or an error. The machine must be one that answers inputs, and the play must be empty.
    pub(super) fn fill(
        mut self,
        text: &TraceText,
        trace: &Trace,
        default_false: bool,
    ) -> Result<Trace, NoPlayReason> {
        let mut filled = Trace::default();
        for (given, letter) in trace.prefix.iter().zip(&text.prefix) {
            let given = self.filled(given, letter.span, default_false)?;
            filled.prefix.push(given);
        }
        let mut begun = Vec::new();
        while !trace.cycle.is_empty() {
            if let Some(back) = self.begin_round(&mut begun).map_err(NoPlayReason::Deviation)? {
                filled.cycle = filled.prefix.split_off(back);
                break;
            }
            for (given, letter) in trace.cycle.iter().zip(&text.cycle) {
                let given = self.filled(given, letter.span, default_false)?;
                filled.prefix.push(given);
            }
        }
        Ok(filled)
    }

    fn filled(
        &mut self,
        given: &Observation,
        span: tsl_synth_core::source::Span,
        default_false: bool,
    ) -> Result<Observation, NoPlayReason> {
        let alphabet = self.play.alphabet();
        let mut guards = Guards::new();
        let mut inputs = self.inputs_of(given, &mut guards);
        let mut filled = given.clone();
        let mut missing: Vec<AtomId> = Vec::new();
        for atom in alphabet.inputs().filter(|&atom| given.value(atom).is_none()) {
            let AtomKind::Input(bit) = alphabet.atoms()[atom].kind else { continue };
            let [holds, fails] = [true, false].map(|value| {
                let literal = guards.literal(bit, value);
                guards.and(inputs, literal)
            });
            // A letter that violates a fact determines nothing; the violation is reported later.
            let value = holds != Guard::FALSE && fails == Guard::FALSE;
            if holds != Guard::FALSE && fails != Guard::FALSE && !default_false {
                missing.push(atom);
                continue;
            }
            if inputs != Guard::FALSE {
                inputs = if value { holds } else { fails };
            }
            filled.record(atom, value);
        }
        let step = self.play.letters().len();
        if !missing.is_empty() {
            let missing = missing_inputs(alphabet, &missing, &format!("step {step}"), span);
            return Err(NoPlayReason::Wrong(missing.into()));
        }
        let choice = filled.input(alphabet);
        debug_assert!(self.play.chooser() == Player::Environment);
        self.compare(&choice, &filled).map_err(NoPlayReason::Deviation)?;
        self.step(&choice);
        Ok(filled)
    }
}
