//! The point of a losing play at which each guarantee is lost.
//!
//! After a step, what remains to be kept is known by progression ([`super::progress`]). A guarantee is
//! hopeless there when no controller keeps what remains of it under what remains of the assumptions, even if
//! it were the only guarantee: asked and certified like everything else. For TSL the question is about cells
//! with any values: what the play says about them is known only as far as the formulas say it.

use super::ask::{SynthesisAnswer, Synthesizer, part};
use super::play::LosingPlay;
use super::progress::after;
use super::tuning::{LOSS_QUESTIONS, UNANSWERED};
use crate::logic::FormulaId;
use crate::model::{Observer, Phase, Role};
use crate::spec::{ClauseId, Problem};
use crate::synth::{FailedCertificate, Options};

/// When a guarantee is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The guarantee.
    pub clause: ClauseId,
    /// After this many steps it is hopeless; `None` if not within the play, or if that is not known.
    pub after: Option<usize>,
}

/// When each of the guarantees is lost in a play. Facts that refinement found must be among the clauses.
///
/// # Errors
/// An answer to one of the questions failed its certificate check.
pub fn lost(
    problem: &Problem,
    guarantees: &[ClauseId],
    play: &LosingPlay,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Vec<Lost>, FailedCertificate> {
    observer.phase(Phase::Losses);
    let mut asker = Synthesizer::new(options, observer);
    asker.allow(LOSS_QUESTIONS, UNANSWERED);
    let mut problem = problem.clone();
    // Later in the play cells no longer have their initial values.
    for symbol in &mut problem.signature.symbols {
        symbol.initial = None;
    }
    let mut lost: Vec<Lost> = guarantees.iter().map(|&clause| Lost { clause, after: None }).collect();
    for step in 0..=play.steps.len() {
        for entry in lost.iter_mut().filter(|entry| entry.after.is_none()) {
            let alone = part(&problem, |id, c| c.role != Role::Guarantee || id == entry.clause);
            if matches!(asker.ask(&alone)?, SynthesisAnswer::Unrealizable(..)) {
                entry.after = Some(step);
            }
        }
        let Some(now) = play.steps.get(step) else { break };
        // In the last step of a play that ends every answer fails.
        let Some(output) = &now.output else { break };
        let mut letter = now.input.clone();
        letter.union_with(output);
        let roots: Vec<FormulaId> = problem.clauses.iter().map(|c| c.formula).collect();
        let rest = after(&mut problem.formulas, &problem.alphabet, &roots, &letter);
        for (clause, formula) in problem.clauses.iter_mut().zip(rest) {
            clause.formula = formula;
            // What remains of a fact tells what the play has shown, which nobody could find again.
            clause.constraint = None;
        }
    }
    Ok(lost)
}
