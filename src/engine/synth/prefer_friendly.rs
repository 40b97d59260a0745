//! After the verdict: replaces a controller by one that does not make the assumptions false, if there is one.

use super::found::WinningStrategy;
use super::friendliness::Friendliness;
use super::friendly::{FriendlyResult, FriendlySearch, as_limit, depends_on_outputs};
use super::numbers::{assumptions_are_about_inputs, has_comparisons};
use super::options::{FailedCertificate, Outcome, SolverOptions};
use super::run::Synthesis;
use super::tuning::{FRIENDLY_CHECK_WORK, UNFOLD_STATES};
use super::verify::{MachineCandidate, VerifyOptions};
use tsl_synth_core::base::{Budget, Limit, LimitKind};
use tsl_synth_core::logic::Player;
use tsl_synth_core::model::{Abstraction, Mealy, Observer, Phase, StrategyRepr, Verdict};
use tsl_synth_kernel::{Friendly, StrategyClaim, StrategyRef, certify_friendly, controller_of_circuit};
use tsl_synth_lang::spec::{Clause, Problem, Target};

/// The log entry for a first controller that makes the assumptions false.
const FIRST_FALSIFIES: &str = "the controller that was found first makes the assumptions false";

/// Whether a controller of a problem could make its assumptions false, and a friendly controller is requested: words
/// are infinite, machines are Mealy machines, and some assumption depends on the outputs.
fn may_falsify(problem: &Problem, options: &SolverOptions) -> bool {
    options.friendly
        && !problem.finite
        && !has_comparisons(problem)
        && problem.target == Target::Mealy
        && depends_on_outputs(&problem.formulas, &problem.alphabet, &problem.contract())
}

/// The friendliness of the controller of an outcome; no other controller is searched for.
pub fn friendliness_of(problem: &mut Problem, outcome: &Outcome, options: &SolverOptions) -> Friendliness {
    let Verdict::Realizable(controller) = &outcome.verdict else { return Friendliness::NotAsked };
    if !options.friendly {
        return Friendliness::NotAsked;
    }
    let budget = options.budget().with_memory(options.memory);
    friendliness_of_controller(problem, controller, &outcome.constraints, &budget)
}

/// The friendliness of a verified controller of a problem with these further facts; no other controller is searched
/// for.
pub fn friendliness_of_candidate(
    problem: &mut Problem,
    candidate: &MachineCandidate,
    further: &[Clause],
    options: &VerifyOptions,
) -> Friendliness {
    let controller = match candidate {
        MachineCandidate::Mealy(machine) => StrategyRepr::Explicit(machine.clone()),
        MachineCandidate::Circuit { owner: Player::System, circuit, .. } => {
            StrategyRepr::Circuit(circuit.clone())
        }
        MachineCandidate::Counter(_) | MachineCandidate::Circuit { .. } => return Friendliness::NotAsked,
    };
    let budget = Budget::unlimited().with_flag(options.stop.clone()).with_memory(options.memory);
    friendliness_of_controller(problem, &controller, further, &budget)
}

fn friendliness_of_controller(
    problem: &mut Problem,
    controller: &StrategyRepr<Mealy>,
    further: &[Clause],
    budget: &Budget,
) -> Friendliness {
    if problem.finite {
        return Friendliness::NotAsked;
    }
    if has_comparisons(problem) {
        // Whether numbers can keep assumptions about cells is not known in the abstraction.
        let free = assumptions_are_about_inputs(problem);
        return if free { Friendliness::Independent } else { Friendliness::NotAsked };
    }
    let mut contract = problem.contract();
    contract.facts.extend(further.iter().map(|clause| clause.formula));
    if !depends_on_outputs(&problem.formulas, &problem.alphabet, &contract) {
        return Friendliness::Independent;
    }
    let contract = problem.target_contract(&contract);
    let budget = budget.child(FRIENDLY_CHECK_WORK);
    let Problem { formulas, alphabet, target, .. } = &*problem;
    let unfolded;
    let machine = match controller {
        StrategyRepr::Explicit(machine) => machine,
        StrategyRepr::Circuit(circuit) => {
            match controller_of_circuit(alphabet, circuit, UNFOLD_STATES, &budget) {
                Ok(machine) => {
                    unfolded = machine;
                    &unfolded
                }
                Err(error) => return Friendliness::Undecided(as_limit(error), None),
            }
        }
    };
    let strategy = match target {
        Target::Mealy => StrategyRef::Mealy(machine),
        Target::Moore => StrategyRef::Moore(machine),
    };
    match certify_friendly(&StrategyClaim { formulas, alphabet, contract: &contract, strategy }, &budget) {
        Ok(Friendly::Yes(_)) => Friendliness::Friendly,
        Ok(Friendly::No(falsified)) => {
            let limit = Limit::new(LimitKind::Bound, "no friendly controller was looked for");
            Friendliness::Undecided(limit, Some(Box::new(falsified)))
        }
        Ok(Friendly::Unsatisfiable) => Friendliness::Unsatisfiable,
        Err(error) => Friendliness::Undecided(as_limit(error), None),
    }
}

/// The options of the search before [`prefer_friendly`]: a controller is minimized only after it is known whether it is
/// friendly.
pub fn without_early_minimization(problem: &Problem, options: &SolverOptions) -> SolverOptions {
    SolverOptions { minimize: options.minimize && !may_falsify(problem, options), ..options.clone() }
}

/// Replaces a controller that is not friendly by a friendly one, if one is found, and records what is known about the
/// existence of friendly controllers. The verdict stays. If [`SolverOptions::minimize`] is set, the controller of a problem
/// whose controllers could make the assumptions false is minimized here.
///
/// # Errors
/// The certifier refutes an answer, which is a bug of this program.
pub fn prefer_friendly(
    problem: &mut Problem,
    outcome: Outcome,
    options: &SolverOptions,
    observer: &dyn Observer,
) -> Result<Outcome, FailedCertificate> {
    let known = friendliness_of(problem, &outcome, options);
    let Verdict::Realizable(plain) = &outcome.verdict else { return Ok(outcome) };
    let minimized = options.minimize && problem.target == Target::Mealy;
    let is_searched = match &known {
        Friendliness::Undecided(_, Some(_)) => true,
        // If the check of one explicit machine exceeds its limits, so will that of another.
        Friendliness::Undecided(_, None) => matches!(plain, StrategyRepr::Circuit(_)),
        _ => false,
    };
    let (limit, falsified) = match known {
        Friendliness::Undecided(limit, falsified) if is_searched && problem.target == Target::Mealy => {
            (limit, falsified)
        }
        Friendliness::NotAsked | Friendliness::Independent => return Ok(with(outcome, known)),
        known if minimized => {
            let controller = WinningStrategy::System(plain.clone());
            return smaller(problem, outcome, controller, known, options, observer);
        }
        known => return Ok(with(outcome, known)),
    };
    observer.phase(Phase::FriendlyController);
    let mut log = Vec::new();
    if falsified.is_some() {
        log.push(FIRST_FALSIFIES.into());
    }
    let run = Synthesis::new(problem, outcome.constraints.clone(), options, observer);
    let contract = run.contract.clone();
    let Problem { formulas, alphabet, .. } = &mut *problem;
    let sought =
        FriendlySearch { formulas, alphabet, contract: &contract, options, observer, log: &mut log }.run();
    let mut outcome = outcome;
    outcome.statistics.log.append(&mut log);
    let Verdict::Realizable(plain) = &outcome.verdict else { return Ok(outcome) };
    let plain = WinningStrategy::System(plain.clone());
    let (controller, friendly) = match (sought, falsified) {
        (Ok(FriendlyResult::Friendly(machine)), _) => {
            (WinningStrategy::System(StrategyRepr::Explicit(machine)), Friendliness::Friendly)
        }
        (Ok(FriendlyResult::None), Some(falsified)) => (plain, Friendliness::None(falsified)),
        (Ok(FriendlyResult::None), None) => (plain, Friendliness::Undecided(limit, None)),
        (Err(limit), falsified) => (plain, Friendliness::Undecided(limit, falsified)),
    };
    if !minimized && friendly != Friendliness::Friendly {
        return Ok(with(outcome, friendly));
    }
    smaller(problem, outcome, controller, friendly, options, observer)
}

/// The outcome with another controller, minimized if that is requested, and certified; unchanged if a limit is reached.
fn smaller(
    problem: &mut Problem,
    outcome: Outcome,
    controller: WinningStrategy,
    friendly: Friendliness,
    options: &SolverOptions,
    observer: &dyn Observer,
) -> Result<Outcome, FailedCertificate> {
    let is_friendly = friendly == Friendliness::Friendly;
    let mut run = Synthesis::new(problem, outcome.constraints.clone(), options, observer);
    run.statistics = outcome.statistics.clone();
    let found = run.finish(controller, Abstraction::Tsl, is_friendly)?;
    if let Verdict::Unknown(unknown) = &found.verdict {
        let limit = unknown.limit.clone();
        let friendly = if is_friendly { Friendliness::Undecided(limit, None) } else { friendly };
        return Ok(with(outcome, friendly));
    }
    let known = friendliness_of(problem, &found, options);
    let friendly = match (friendly, known) {
        (_, Friendliness::Friendly) => Friendliness::Friendly,
        (Friendliness::None(_), Friendliness::Undecided(_, Some(falsified))) => Friendliness::None(falsified),
        (Friendliness::Undecided(limit, _), Friendliness::Undecided(_, falsified)) => {
            Friendliness::Undecided(limit, falsified)
        }
        (Friendliness::Friendly, known) => known,
        (friendly, _) => friendly,
    };
    Ok(with(found, friendly))
}

/// Records the friendliness of the controller in the outcome and in its certificate.
fn with(mut outcome: Outcome, friendly: Friendliness) -> Outcome {
    let is_friendly = friendly == Friendliness::Friendly;
    outcome.certificate.iter_mut().for_each(|certificate| certificate.friendly = is_friendly);
    Outcome { friendly, ..outcome }
}
