//! The run of a machine on an observed word: it fills in the outputs that were not observed, or reports the first step
//! at which the observation differs from the machine.

use super::simulate::{PlaySoFar, Strategist};
use super::tuning::CLOSING_STEPS;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Limit, LimitKind};
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, Lasso, Letter, Player};
use tsl_synth_core::model::{Observation, StateId, Trace};

/// How a finite trace is continued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Continuation {
    /// The environment repeats its last input letter forever.
    #[default]
    Last,
    /// Nothing is assumed: the run ends where the trace does.
    Any,
}

/// A run of a machine: letter i is read and answered in state i.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineRun {
    /// The letters, inputs and outputs, cells canonically coded.
    pub letters: Vec<Letter>,
    /// The states in which the letters were read, and then the final state.
    pub states: Vec<StateId>,
    /// The step to which the run returns after the last letter; `None` for a finite run.
    pub back: Option<usize>,
    /// The number of letters from the trace; the others continue it.
    pub observed: usize,
}

impl MachineRun {
    /// The infinite word of the run; `None` if it is finite.
    pub fn lasso(&self) -> Option<Lasso> {
        let back = self.back?;
        Some(Lasso { prefix: self.letters[..back].to_vec(), cycle: self.letters[back..].to_vec() })
    }
}

/// Why a trace has no run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deviation {
    /// The letter of the machine differs from the observation.
    Outputs {
        /// The step, from 0; past the first round of the cycle if the trace is a lasso.
        step: usize,
        /// The state of the machine.
        state: StateId,
        /// An atom whose value in the trace differs from the machine's.
        atom: AtomId,
        /// The letter of the machine, inputs and outputs.
        expected: Letter,
        /// The observation of the step.
        given: Observation,
    },
    /// The machine has no edge for the input letter of a step. This never happens for certified machines.
    Stuck {
        /// The step, from 0.
        step: usize,
        /// The state of the machine.
        state: StateId,
    },
    /// The run does not close within the limit.
    TooLong(Limit),
}

/// Runs a strategy on the opponent's choices in a trace and compares its answers with the observed ones. Choices that
/// were not observed are as in `default`. A cycle is unrolled until the strategy starts it in the same state again:
/// O(length · states).
///
/// # Errors
/// The first step at which the strategy differs from the trace.
pub fn complete(
    alphabet: &Alphabet,
    strategist: Strategist<'_>,
    trace: &Trace,
    continuation: Continuation,
    default: &Letter,
) -> Result<MachineRun, Deviation> {
    let mut play = PlaySoFar::new(alphabet, strategist);
    let back = play.follow(trace, continuation, default)?;
    Ok(MachineRun {
        letters: play.letters().to_vec(),
        states: play.states().to_vec(),
        back,
        observed: trace.len(),
    })
}

impl PlaySoFar<'_> {
    /// Plays the opponent's choices in a trace and compares everything else that was observed. Choices that were not
    /// observed are as in `default`. Returns the step to which the play returns after the last letter, if it is
    /// infinite; see [`complete`].
    ///
    /// # Errors
    /// The first step at which the strategy differs from the trace; the steps before it were taken.
    pub fn follow(
        &mut self,
        trace: &Trace,
        continuation: Continuation,
        default: &Letter,
    ) -> Result<Option<usize>, Deviation> {
        for observation in &trace.prefix {
            self.advance(observation, default)?;
        }
        let last;
        let cycle = match (trace.cycle.as_slice(), continuation, self.letters().last()) {
            ([], Continuation::Last, Some(letter)) => {
                // Only the opponent's choices are repeated.
                let (alphabet, chooser) = (self.alphabet(), self.chooser());
                let mut chosen = Observation::default();
                for atom in alphabet.atoms().ids().filter(|&atom| alphabet.player(atom) == chooser) {
                    chosen.record(atom, alphabet.holds(atom, letter));
                }
                last = [chosen];
                &last[..]
            }
            (cycle, ..) => cycle,
        };
        if cycle.is_empty() {
            return Ok(None);
        }
        // The step at which the cycle was started in each state.
        let mut begun: FxHashMap<StateId, usize> = FxHashMap::default();
        loop {
            let here = self.letters().len();
            if let Some(&back) = begun.get(&self.state()) {
                return Ok(Some(back));
            }
            if here > CLOSING_STEPS {
                let what = format!("the run on the trace does not close within {CLOSING_STEPS} steps");
                return Err(Deviation::TooLong(Limit::new(LimitKind::Size, what)));
            }
            begun.insert(self.state(), here);
            for observation in cycle {
                self.advance(observation, default)?;
            }
        }
    }

    fn advance(&mut self, given: &Observation, default: &Letter) -> Result<(), Deviation> {
        let (step, state) = (self.letters().len(), self.state());
        let choice = choice(self.alphabet(), self.chooser(), given, default);
        let Some((letter, _)) = self.peek(&choice) else { return Err(Deviation::Stuck { step, state }) };
        if let Some(atom) = given.differs(self.alphabet(), &letter) {
            return Err(Deviation::Outputs { step, state, atom, expected: letter, given: given.clone() });
        }
        self.step(&choice);
        Ok(())
    }
}

/// A player's choices in an observation; those not observed are as in `default`.
pub fn choice(alphabet: &Alphabet, chooser: Player, given: &Observation, default: &Letter) -> Letter {
    let mut letter = default.clone();
    for atom in alphabet.atoms().ids().filter(|&atom| alphabet.player(atom) == chooser) {
        match (alphabet.atoms()[atom].kind, given.value(atom)) {
            (_, Some(true)) => alphabet.choose(atom, &mut letter),
            (AtomKind::Input(bit) | AtomKind::Output(bit), Some(false)) => {
                letter.remove(bit);
            }
            _ => {}
        }
    }
    if chooser == Player::System {
        for (id, cell) in alphabet.cells().enumerate() {
            let denied = |option: AtomId| given.value(option) == Some(false);
            if denied(alphabet.chosen(&letter, id))
                && let Some(&other) = cell.options.iter().find(|&&option| !denied(option))
            {
                alphabet.choose(other, &mut letter);
            }
        }
    }
    letter
}
