//! The run of a machine on an observed word: the outputs that were left out, or the first step at which what
//! was observed is not what the machine does.

use super::simulate::{PlaySoFar, Strategist};
use super::tuning::CLOSING_STEPS;
use crate::base::{Limit, LimitKind};
use crate::logic::{Alphabet, AtomId, AtomKind, Lasso, Letter, Player};
use crate::model::{Observation, StateId, Trace};
use rustc_hash::FxHashMap;

/// How a finite trace goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Continuation {
    /// The environment repeats its last input letter forever.
    #[default]
    Last,
    /// Nothing is assumed: the run ends where the trace does.
    Any,
}

/// A run of a machine: letter i is given and answered in state i.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineRun {
    /// The letters, inputs and outputs, cells canonically coded.
    pub letters: Vec<Letter>,
    /// The states in which they were read; one more for the state in the end.
    pub states: Vec<StateId>,
    /// After the last letter the run goes on as from this step; `None` for a finite run.
    pub back: Option<usize>,
    /// How many of the letters are from the trace; the others continue it.
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
    /// The machine does something else than what was observed.
    Outputs {
        /// The step, from 0; past the first round of the cycle if the trace is a lasso.
        step: usize,
        /// The state of the machine.
        state: StateId,
        /// The atom of which trace and machine say different things.
        atom: AtomId,
        /// The letter of the machine, inputs and outputs.
        expected: Letter,
        /// What was observed.
        given: Observation,
    },
    /// The machine has no edge for the input letter of a step. Never for machines that were certified.
    Stuck {
        /// The step, from 0.
        step: usize,
        /// The state of the machine.
        state: StateId,
    },
    /// The run does not close within the limit.
    TooLong(Limit),
}

/// Plays a strategy on the choices of a trace and compares its own, as far as they were observed. What a letter leaves
/// open of a choice is as in `default`. A cycle is unrolled until the strategy is at its beginning in a state it had
/// there before: O(length · states).
///
/// # Errors
/// The first step at which the strategy does something else.
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
    /// Plays the choices of a trace and compares everything else that was observed. What a letter leaves open
    /// of a choice is as in `default`. Returns the step to which the play goes back in the end, if it is
    /// infinite; see [`complete`].
    ///
    /// # Errors
    /// The first step at which the strategy does something else; the steps before it were taken.
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
                // Only what was chosen is repeated.
                let (alphabet, chooser) = (self.alphabet(), self.chooser());
                let mut chosen = Observation::default();
                for atom in alphabet.atoms().ids().filter(|&atom| alphabet.player(atom) == chooser) {
                    chosen.say(atom, alphabet.holds(atom, letter));
                }
                last = [chosen];
                &last[..]
            }
            (cycle, ..) => cycle,
        };
        if cycle.is_empty() {
            return Ok(None);
        }
        // Where each state was at the beginning of the cycle.
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

/// What an observation says of a player's choices; the rest as in `default`.
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
