//! The run of a machine on an observed word: the outputs that were left out, or the first step at which what
//! was observed is not what the machine does.

use crate::base::{Limit, LimitKind};
use crate::logic::{Alphabet, AtomId, Lasso, Letter};
use crate::model::{Mealy, Observation, StateId, Trace};
use rustc_hash::FxHashMap;

/// A run that closes after more steps than this is past the limit.
const STEPS: usize = 1 << 22;

/// How a finite trace goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Continuation {
    /// The environment repeats its last input letter for ever.
    #[default]
    Last,
    /// Nothing is assumed: the run ends where the trace does.
    Any,
}

/// A run of a machine: letter i is given and answered in state i.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The letters, inputs and outputs, cells canonically coded.
    pub letters: Vec<Letter>,
    /// The states in which they were read; one more for the state in the end.
    pub states: Vec<StateId>,
    /// After the last letter the run goes on as from this step; `None` for a finite run.
    pub back: Option<usize>,
    /// How many of the letters are from the trace; the others continue it.
    pub observed: usize,
}

impl Run {
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
        /// The letter of the machine.
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

/// Runs a machine on the inputs of a trace and compares the outputs, as far as they were observed. A cycle is
/// unrolled until the machine is at its beginning in a state it had there before: O(length · states).
///
/// # Errors
/// The first step at which the machine does something else.
pub fn complete(
    alphabet: &Alphabet,
    mealy: &Mealy,
    trace: &Trace,
    continuation: Continuation,
) -> Result<Run, Deviation> {
    let mut run = Run { letters: Vec::new(), states: vec![mealy.initial], back: None, observed: 0 };
    for observation in &trace.prefix {
        advance(alphabet, mealy, observation, &mut run)?;
    }
    run.observed = trace.len();
    let last;
    let cycle = match (trace.cycle.as_slice(), continuation, trace.prefix.last()) {
        ([], Continuation::Last, Some(observation)) => {
            // Only its inputs are repeated.
            let mut inputs = Observation::default();
            for atom in alphabet.inputs() {
                inputs.say(atom, observation.holds.contains(atom));
            }
            last = [inputs];
            &last[..]
        }
        (cycle, ..) => cycle,
    };
    if cycle.is_empty() {
        return Ok(run);
    }
    // Where each state was at the beginning of the cycle.
    let mut begun: FxHashMap<StateId, usize> = FxHashMap::default();
    loop {
        let here = run.letters.len();
        let state = run.states[here];
        if let Some(&back) = begun.get(&state) {
            run.back = Some(back);
            return Ok(run);
        }
        if here > STEPS {
            let what = format!("the run on the trace does not close within {STEPS} steps");
            return Err(Deviation::TooLong(Limit::new(LimitKind::Size, what)));
        }
        begun.insert(state, here);
        for observation in cycle {
            advance(alphabet, mealy, observation, &mut run)?;
        }
    }
}

fn advance(alphabet: &Alphabet, mealy: &Mealy, given: &Observation, run: &mut Run) -> Result<(), Deviation> {
    let step = run.letters.len();
    let state = run.states[step];
    let mut letter = given.input(alphabet);
    let Some(edge) = mealy.edge(state, &letter) else { return Err(Deviation::Stuck { step, state }) };
    letter.union_with(&edge.output);
    let letter = alphabet.canonical(&letter);
    if let Some(atom) = given.differs(alphabet, &letter) {
        return Err(Deviation::Outputs { step, state, atom, expected: letter, given: given.clone() });
    }
    run.letters.push(letter);
    run.states.push(edge.next);
    Ok(())
}
