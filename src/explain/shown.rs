//! Losing plays as the game of the specification is played.
//!
//! With Moore semantics the system answers before it sees the inputs of the step. It is solved as the game in which the
//! inputs of a step come one step later ([`Problem::answers_first`]); here they come back to their own step.

use super::play::{LosingPlay, PlayEnding};
use super::progress::after;
use tsl_synth_core::logic::{FormulaId, Letter};
use tsl_synth_lang::spec::Problem;

/// One step of a play as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownStep {
    /// The true bits of the environment; `None` if the system, which answers first, has lost before.
    pub input: Option<Letter>,
    /// The true bits of the system; `None` if every answer loses.
    pub output: Option<Letter>,
}

/// The steps of a losing play, each input in its own step. They end and repeat as those of the play.
pub fn shown_steps(problem: &Problem, play: &LosingPlay) -> Vec<ShownStep> {
    let step = |input: Option<Letter>, output: Option<Letter>| ShownStep { input, output };
    if !problem.answers_first {
        let steps = play.steps.iter();
        return steps.map(|s| step(Some(s.input.clone()), s.output.clone())).collect();
    }
    let last = play.steps.len() - 1;
    let next = |i: usize| match play.ending {
        PlayEnding::Repeats(from) if i == last => from,
        _ => i + 1,
    };
    let outputs = play.steps.iter().enumerate().filter(|(_, s)| s.output.is_some());
    let inputs = outputs.map(|(i, s)| (play.steps.get(next(i)), s));
    let mut steps: Vec<ShownStep> =
        inputs.map(|(later, s)| step(later.map(|later| later.input.clone()), s.output.clone())).collect();
    if play.ending == PlayEnding::Violated && (steps.is_empty() || !is_lost(problem, play, &steps)) {
        steps.push(step(None, None));
    }
    steps
}

/// The last step in which something is decided, as it is shown.
pub(super) fn last_step(problem: &Problem, play: &LosingPlay) -> usize {
    shown_steps(problem, play).len() - 1
}

/// Whether the clause that fails is violated by these steps, whatever the next answer is.
fn is_lost(problem: &Problem, play: &LosingPlay, steps: &[ShownStep]) -> bool {
    let [only] = play.failures.as_slice() else { return false };
    let mut problem = problem.clone();
    let mut rest: Vec<FormulaId> = vec![problem.written_formula(problem.clauses[only.clause].formula)];
    for step in steps {
        let (Some(input), Some(output)) = (&step.input, &step.output) else { return false };
        let mut letter = input.clone();
        letter.union_with(output);
        rest = after(&mut problem.formulas, &problem.alphabet, &rest, &letter);
    }
    rest == [problem.formulas.bottom()]
}
