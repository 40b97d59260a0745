//! A small unrealizable set of guarantees, grown from below.
//!
//! A controller is synthesized for the current set, a guarantee that it violates is added, and so on until there is no
//! controller. The set is not minimal, but usually small, and all questions are about few clauses; deletion starts with
//! all guarantees, and a game with half of them may be as hard. The loop is counterexample-guided, like the choice of
//! assumptions in [`tsl_synth_engine::synth`]; the model checker finds the violated guarantee. At most one question per guarantee.

use super::synthesis_queries::{SynthesisAnswer, Synthesizer, with_guarantees};
use super::tuning::{FEWEST_GROWN, MACHINE_WORK, MOST_GROWN};
use tsl_synth_core::model::{Abstraction, CounterStrategy};
use tsl_synth_engine::synth::FailedCertificate;
use tsl_synth_kernel::{CertifyError, StrategyClaim, StrategyRef, certify};
use tsl_synth_lang::spec::{ClauseId, Problem};

/// Guarantees that no controller satisfies, with a counter-strategy unless that is a circuit.
type ViolatedSet = (Vec<ClauseId>, Option<CounterStrategy>, Abstraction);

/// An unrealizable subset of the guarantees; `None` if this search found none.
pub(super) fn grown(
    problem: &Problem,
    guarantees: &[ClauseId],
    asker: &mut Synthesizer<'_>,
) -> Result<Option<ViolatedSet>, FailedCertificate> {
    if guarantees.len() < FEWEST_GROWN {
        return Ok(None);
    }
    let whole = with_guarantees(problem, guarantees);
    let mut some: Vec<ClauseId> = Vec::new();
    while some.len() < MOST_GROWN {
        match asker.ask(&with_guarantees(problem, &some))? {
            SynthesisAnswer::Realizable(Some(controller)) => {
                let budget = asker.budget(MACHINE_WORK);
                let checked = certify(
                    &StrategyClaim {
                        formulas: &whole.formulas,
                        alphabet: &whole.alphabet,
                        contract: &whole.contract(),
                        strategy: StrategyRef::Mealy(&controller),
                    },
                    &budget,
                );
                let Err(CertifyError::Violated(violation)) = checked else { return Ok(None) };
                let broken = violation.clause.and_then(|broken| {
                    let here = |id: &ClauseId| problem.clauses[*id].role == violation.role;
                    let kept = problem
                        .clauses
                        .ids()
                        .filter(|id| !problem.clauses[*id].is_duty() || guarantees.contains(id));
                    kept.filter(here).nth(broken)
                });
                let new = |id: &ClauseId| guarantees.contains(id) && !some.contains(id);
                let Some(added) = broken.filter(new) else { return Ok(None) };
                some.push(added);
                some.sort_unstable();
            }
            SynthesisAnswer::Unrealizable(counter, notion) => return Ok(Some((some, counter, notion))),
            SynthesisAnswer::Realizable(None) | SynthesisAnswer::Unknown => return Ok(None),
        }
    }
    Ok(None)
}
