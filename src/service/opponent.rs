//! Solving for a person: the controller, or the counter-strategy that defeats the clauses at fault. `simulate`, `view`
//! and `explain` play the same one, so that a trace of one is a trace of the others.

use super::Failure;
use super::questions::questions;
use super::tuning::{BRIEF_WORK, CORE_WORK, PLAY_WORK, QUESTION_MEMORY, QUESTION_ROUNDS};
use tsl_synth_core::base::StopFlag;
use tsl_synth_core::model::{CounterStrategy, Observer, StrategyRepr, Unknown, Verdict};
use tsl_synth_engine::synth::{Certificate, Outcome, SolverOptions, StrategyForm, synthesize};
use tsl_synth_explain::{Core, minimal_core};
use tsl_synth_kernel::{StrategyClaim, StrategyRef, certify};
use tsl_synth_lang::spec::{Problem, has_numbers};

/// A solved problem, if it is unrealizable with the clauses at fault.
pub(super) struct Played {
    /// The verdict with its strategy. If it is UNREALIZABLE, the facts that refinement found are clauses of the problem.
    pub outcome: Outcome,
    /// The clauses at fault, if the counter-strategy is explicit.
    pub core: Option<Core>,
    /// The budget that further questions about the problem share with the search for the clauses at fault.
    pub brief: StopFlag,
}

/// The options of a question that has this much work of a budget for several questions.
pub(super) fn brief_question(options: &SolverOptions, brief: &StopFlag, work: u64) -> SolverOptions {
    questions(options, brief.within(work), QUESTION_ROUNDS, QUESTION_MEMORY)
}

/// Solves a problem for an explicit strategy. If it is unrealizable, the counter-strategy is the one that defeats the
/// clauses at fault, of which `check` speaks, where it is certified for all clauses.
///
/// # Errors
/// A certificate was refused.
pub(super) fn played(
    problem: &mut Problem,
    options: &SolverOptions,
    observer: &dyn Observer,
) -> Result<Played, Failure> {
    played_as(problem, options, StrategyForm::Explicit, observer)
}

/// The same with the controller in a form.
///
/// # Errors
/// As [`played`].
pub(super) fn played_as(
    problem: &mut Problem,
    options: &SolverOptions,
    form: StrategyForm,
    observer: &dyn Observer,
) -> Result<Played, Failure> {
    let explicit = SolverOptions { form: StrategyForm::Explicit, ..options.clone() };
    let unsolved = problem.clone();
    let of_winner = SolverOptions { form, counter: Some(StrategyForm::Explicit), ..options.clone() };
    let outcome = synthesize(problem, &of_winner, observer)?;
    let mut played = Played { outcome, core: None, brief: options.stop.within(BRIEF_WORK) };
    if !matches!(played.outcome.verdict, Verdict::Unrealizable(..)) {
        return Ok(played);
    }
    if let Some((checked, outcome)) = as_checked(unsolved, options, observer)? {
        (*problem, played.outcome) = (checked, outcome);
    }
    for constraint in &played.outcome.constraints {
        problem.clauses.push(constraint.clone());
    }
    if let Verdict::Unrealizable(counter @ StrategyRepr::Explicit(_), notion) = &played.outcome.verdict {
        let asked = brief_question(&explicit, &played.brief, CORE_WORK);
        let core = minimal_core(problem, Some(counter), *notion, &asked, observer)?;
        let counter = core.counter.clone().and_then(StrategyRepr::explicit);
        played.core = Some(core);
        if let Some(counter) = counter {
            played.outcome = against_core(problem, played.outcome, counter, &explicit);
        }
    }
    Ok(played)
}

/// That there is no machine to play.
pub(super) fn no_machine(problem: &Problem, unknown: &Unknown) -> Failure {
    let mut limit = unknown.limit.clone();
    if has_numbers(&problem.signature) {
        limit.what = format!(
            "only machines with finitely many states can be played, and none was found ({}); `check` may decide the contract as a \
             game over numbers, whose controller `emit --lang python` or `js` writes",
            limit.what
        );
    }
    Failure::limit(unknown.stage, limit)
}

/// The counter-strategy that `check` finds; `None` if it is a circuit.
fn as_checked(
    mut problem: Problem,
    options: &SolverOptions,
    observer: &dyn Observer,
) -> Result<Option<(Problem, Outcome)>, Failure> {
    let options = SolverOptions { minimize: false, ..options.clone() };
    let outcome = synthesize(&mut problem, &options, observer)?;
    let is_explicit = matches!(outcome.verdict, Verdict::Unrealizable(StrategyRepr::Explicit(_), _));
    Ok(is_explicit.then_some((problem, outcome)))
}

/// The outcome with the counter-strategy that defeats the clauses at fault, if it is certified for the whole problem.
fn against_core(
    problem: &Problem,
    outcome: Outcome,
    counter: CounterStrategy,
    options: &SolverOptions,
) -> Outcome {
    let Verdict::Unrealizable(_, notion) = &outcome.verdict else { return outcome };
    let notion = *notion;
    let Problem { formulas, alphabet, .. } = problem;
    let contract = problem.contract();
    let strategy = StrategyRef::Counter(&counter);
    let claim = StrategyClaim { formulas, alphabet, contract: &contract, strategy };
    match certify(&claim, &options.budget().child(PLAY_WORK)) {
        Ok(certified) => {
            let product_states = certified.product_states;
            let certificate = outcome.certificate.clone().map(|old| Certificate { product_states, ..old });
            let verdict = Verdict::Unrealizable(StrategyRepr::Explicit(counter), notion);
            Outcome { verdict, certificate, ..outcome }
        }
        Err(_) => outcome,
    }
}
