//! The point of a losing play at which each guarantee is lost.
//!
//! After a step, the remainders of the clauses are computed by progression ([`super::progress`]). A guarantee is lost
//! there if no controller satisfies its remainder under the remainders of the assumptions, even if it were the only
//! guarantee; the answers are certified. For TSL the cells have arbitrary values in these questions: the play
//! constrains them only through the remainders.

use super::play::LosingPlay;
use super::progress::after;
use super::synthesis_queries::{SynthesisAnswer, Synthesizer, part};
use super::tuning::{LOSS_QUESTIONS, UNANSWERED};
use tsl_synth_core::logic::FormulaId;
use tsl_synth_core::model::{Observer, Phase};
use tsl_synth_engine::synth::{FailedCertificate, SolverOptions};
use tsl_synth_lang::spec::{ClauseId, Constraint, Problem};

/// When a guarantee is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The guarantee.
    pub clause: ClauseId,
    /// The number of steps after which it is lost; `None` if it could be kept by itself after each of the steps.
    pub after: Option<usize>,
}

/// When each of the guarantees is lost in a play, without those of which that is not known. Facts that refinement found must
/// be among the clauses.
///
/// # Errors
/// An answer to one of the questions failed its certificate check.
pub fn lost(
    problem: &Problem,
    guarantees: &[ClauseId],
    play: &LosingPlay,
    options: &SolverOptions,
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
    // Nor do the facts about their first values follow from anything but the play.
    for clause in problem.clauses.iter_mut().filter(|c| c.constraint == Some(Constraint::Arithmetic)) {
        clause.constraint = None;
    }
    let mut lost: Vec<Lost> = guarantees.iter().map(|&clause| Lost { clause, after: None }).collect();
    let mut unknown: Vec<ClauseId> = Vec::new();
    for step in 0..=play.steps.len() {
        // What every answer to the last step breaks is lost there.
        let is_last = play.steps.get(step).is_some_and(|now| now.output.is_none());
        let is_broken = |clause: ClauseId| {
            is_last && play.failures.iter().any(|broken| broken.clause == clause && broken.answer.is_none())
        };
        for entry in lost.iter_mut().filter(|entry| entry.after.is_none()) {
            let alone = part(&problem, |id, c| !c.is_duty() || id == entry.clause);
            match asker.ask(&alone)? {
                SynthesisAnswer::Unrealizable(..) => entry.after = Some(step),
                _ if is_broken(entry.clause) => entry.after = Some(step),
                SynthesisAnswer::Realizable(_) => {}
                SynthesisAnswer::Unknown => unknown.push(entry.clause),
            }
        }
        let Some(now) = play.steps.get(step) else { break };
        // In the last step of a finite play every answer fails.
        let Some(output) = &now.output else { break };
        let mut letter = now.input.clone();
        letter.union_with(output);
        let roots: Vec<FormulaId> = problem.clauses.iter().map(|c| c.formula).collect();
        let rest = after(&mut problem.formulas, &problem.alphabet, &roots, &letter);
        for (clause, formula) in problem.clauses.iter_mut().zip(rest) {
            clause.formula = formula;
            // The remainder of a fact depends on the play, so refinement could not find it again: it must not be
            // dropped.
            clause.constraint = None;
        }
    }
    lost.retain(|entry| entry.after.is_some() || !unknown.contains(&entry.clause));
    Ok(lost)
}
