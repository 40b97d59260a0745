//! The synthesis procedure: runs the engines, refines the abstraction of TSL, minimizes machines, and certifies every
//! answer. No other module combines these steps.

mod prefer_friendly;
mod closure;
mod equivalent;
mod fixed;
mod found;
mod friendliness;
mod friendly;
mod growth;
mod lazy;
mod least_change;
mod likely;
mod monitored;
mod numbers;
mod options;
mod parts;
mod bounded_portfolio;
mod run;
mod solve_contract;
mod portfolio;
mod terms;
mod tuning;
mod verify;

pub use crate::game::StrategyForm;
pub use found::controller_ref;
pub use friendliness::Friendliness;
pub use least_change::{keeping_updates, writing_updates};
pub use likely::likely_winner;
pub use options::{
    Certificate, CheckMethod, FactCheck, FailedCertificate, Outcome, Progress, SolverOptions, Statistics,
};
pub use prefer_friendly::{
    friendliness_of, friendliness_of_candidate, prefer_friendly, without_early_minimization,
};
pub use terms::vocabulary;
pub use tsl_synth_core::model::{Engine, Prefer};
pub use verify::{MachineCandidate, MachineVerdict, Verification, VerifyOptions, verify};

use run::Synthesis;
use tsl_synth_core::base::{Limit, LimitKind};
use tsl_synth_core::model::{Observer, Stage, Unknown, Verdict};
use tsl_synth_lang::spec::{OpenTerms, Problem, open_terms};

/// Decides a problem and certifies the answer.
///
/// The arena of formulas grows; the clauses of the problem stay. Facts found by refinement are in
/// [`Outcome::constraints`]; the verdict holds for the problem with them.
///
/// # Errors
/// The certifier refutes an engine's answer, which is a bug of this program.
pub fn synthesize(
    problem: &mut Problem,
    options: &SolverOptions,
    observer: &dyn Observer,
) -> Result<Outcome, FailedCertificate> {
    let mut outcome = decided(problem, options, observer)?;
    if matches!(outcome.verdict, Verdict::Unrealizable(..))
        && rests_on_open_terms(problem, options, observer)?
    {
        let what = "remainders, quotients or products that are not computed";
        let limit = Limit::new(LimitKind::Work, what);
        outcome.verdict = Verdict::Unknown(Unknown { stage: Stage::Solving(options.engine_in_use()), limit });
        outcome.certificate = None;
    }
    prefer_friendly(problem, outcome, options, observer)
}

/// The certified answer to a problem, by whatever controller is found first.
fn decided(
    problem: &mut Problem,
    options: &SolverOptions,
    observer: &dyn Observer,
) -> Result<Outcome, FailedCertificate> {
    let plain = without_early_minimization(problem, options);
    let mut run = Synthesis::new(problem, Vec::new(), &plain, observer);
    match run.refine() {
        Ok((found, notion)) => run.finish(found, notion, false),
        Err(unknown) => Ok(run.outcome(Verdict::Unknown(unknown), None)),
    }
}

/// Whether an answer UNREALIZABLE may be wrong because some terms over numbers are not computed, so that the environment
/// chose their values: the clauses without such terms are realizable, or that is not known.
fn rests_on_open_terms(
    problem: &Problem,
    options: &SolverOptions,
    observer: &dyn Observer,
) -> Result<bool, FailedCertificate> {
    let mut without = match open_terms(problem) {
        OpenTerms::Unused => return Ok(false),
        OpenTerms::Assumed => return Ok(true),
        OpenTerms::Guaranteed(without) => *without,
    };
    let outcome = decided(&mut without, options, observer)?;
    Ok(!matches!(outcome.verdict, Verdict::Unrealizable(..)))
}
