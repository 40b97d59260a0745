//! Which clauses cannot be kept together.
//!
//! Removing guarantees only helps the system, so an unrealizable set that becomes realizable without any one of its
//! guarantees has no smaller unrealizable subset (Cimatti, Roveri, Schuppan, Tchaltsev 2008, "Diagnostic information
//! for realizability", definition 8 for guarantees). The search ([`search`]) first model checks known strategies: a
//! counter-strategy often defeats a subset of the guarantees that it was synthesized against ([`defeat`]), and a
//! controller often satisfies more guarantees than it was synthesized for ([`kept`]). Every answer that is used is
//! certified. If a query about the core without one of its guarantees stays undecided, that guarantee is reported as
//! undecided, and the core is not known to be minimal.
//!
//! Removing assumptions only helps the environment, so a core stays unrealizable without any of them. It may no longer
//! be minimal: an assumption is part of the explanation if, without it, a proper subset of the core is unrealizable
//! ([`assumptions`]).

mod assumptions;
mod defeat;
mod few_assumptions;
mod hitting;
mod kept;
mod likely;
mod search;

use super::counter_repr::CounterRepr;
use super::synthesis_queries::{SynthesisAnswer, Synthesizer, with_guarantees};
use super::tuning::{ASSUMPTION_QUESTIONS, ASSUMPTION_UNANSWERED, MACHINE_QUESTION_WORK};
use assumptions::assumptions_that_matter;
use search::CoreSearch;
use tsl_synth_core::model::{Abstraction, Observer, Phase, StrategyRepr};
use tsl_synth_engine::synth::{FailedCertificate, SolverOptions};
use tsl_synth_lang::spec::{ClauseId, Problem};

/// Guarantees that no controller keeps together.
#[derive(Clone, Debug)]
pub struct Core {
    /// The guarantees, in source order.
    pub guarantees: Vec<ClauseId>,
    /// The assumptions that matter: with these alone the system can keep the guarantees when any one of them
    /// is left out, and without any one of these assumptions it cannot. (An assumption about which the
    /// answer is not known stays.)
    pub assumptions: Vec<ClauseId>,
    /// Whether each of the guarantees is needed, by certified answers.
    pub minimal: bool,
    /// The guarantees that may not be needed: whether the others are realizable without one of them is not known. Empty if
    /// the core is minimal.
    pub undecided: Vec<ClauseId>,
    /// A counter-strategy against these guarantees alone.
    pub counter: Option<CounterRepr>,
    /// In which sense they are unrealizable.
    pub notion: Abstraction,
}

/// A minimal core of an unrealizable problem with this counter-strategy. Facts that refinement found must be among the
/// clauses. Stops early, with what it has, when the stop flag of `options` is raised.
///
/// # Errors
/// An answer to one of the questions failed its certificate check.
pub fn minimal_core(
    problem: &Problem,
    counter: Option<&CounterRepr>,
    notion: Abstraction,
    options: &SolverOptions,
    observer: &dyn Observer,
) -> Result<Core, FailedCertificate> {
    observer.phase(Phase::MinimalCore);
    let mut asker = Synthesizer::new(options, observer);
    shrink(problem, guarantees_of(problem), (counter.cloned(), notion), &mut asker)
}

/// All guarantees and written restrictions, in source order.
pub(super) fn guarantees_of(problem: &Problem) -> Vec<ClauseId> {
    problem.clauses.enumerate().filter(|(_, c)| c.is_duty()).map(|(id, _)| id).collect()
}

/// A minimal core among guarantees that the counter-strategy defeats.
pub(super) fn shrink(
    problem: &Problem,
    guarantees: Vec<ClauseId>,
    against: (Option<CounterRepr>, Abstraction),
    asker: &mut Synthesizer<'_>,
) -> Result<Core, FailedCertificate> {
    let mut search = CoreSearch::new(problem, guarantees, against, asker);
    search.run()?;
    let undecided = search.undecided();
    let CoreSearch { kept: guarantees, counter, notion, controllers, .. } = search;
    let counter = smaller_counter(problem, &guarantees, (counter, notion), asker)?;
    asker.allow(ASSUMPTION_QUESTIONS, ASSUMPTION_UNANSWERED);
    asker.ask_for_circuits(matches!(counter, Some(StrategyRepr::Circuit(_))));
    let assumptions = if undecided.is_empty() {
        assumptions_that_matter(problem, &guarantees, controllers, asker)?
    } else {
        Vec::new()
    };
    asker.ask_for_circuits(false);
    let minimal = undecided.is_empty();
    Ok(Core { guarantees, assumptions, minimal, undecided, counter, notion })
}

/// An explicit counter-strategy against a core, if that of the search is a circuit: plays against it are shorter and easier
/// to read.
fn smaller_counter(
    problem: &Problem,
    core: &[ClauseId],
    (counter, notion): (Option<CounterRepr>, Abstraction),
    asker: &mut Synthesizer<'_>,
) -> Result<Option<CounterRepr>, FailedCertificate> {
    if matches!(counter, Some(StrategyRepr::Explicit(_))) {
        return Ok(counter);
    }
    asker.allow(1, 1);
    asker.ask_for_circuits(false);
    let answer = asker.ask_for_machine_within(&with_guarantees(problem, core), MACHINE_QUESTION_WORK)?;
    Ok(match answer {
        SynthesisAnswer::Unrealizable(explicit @ StrategyRepr::Explicit(_), n)
            if n == notion || n == Abstraction::Tsl =>
        {
            Some(explicit)
        }
        _ => counter,
    })
}
