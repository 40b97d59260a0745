//! Few guarantees that cannot be kept together, from below.
//!
//! A controller that keeps some of the guarantees is asked for; one that it breaks is added; and so on until there is no
//! controller. What was collected is not minimal, but as a rule small, and all questions on the way are about few
//! clauses: where all guarantees together make large games, leaving out half of them may make none that are easier.
//! Counterexample-guided, as the assumptions of an engine ([`crate::synth`]); the model checker finds the broken
//! guarantee. At most one question per guarantee.

use super::ask::{SynthesisAnswer, Synthesizer, with_guarantees};
use super::tuning::{FEWEST_GROWN, MACHINE_WORK, MOST_GROWN};
use crate::certify::{CertifyError, StrategyClaim, StrategyRef, certify};
use crate::model::{CounterStrategy, Notion, Role};
use crate::spec::{ClauseId, Problem};
use crate::synth::FailedCertificate;

/// Guarantees that nobody keeps, with a counter-strategy unless that is a circuit.
type Unkept = (Vec<ClauseId>, Option<CounterStrategy>, Notion);

/// Guarantees among these that nobody keeps; `None` where this way led to none.
pub(super) fn grown(
    problem: &Problem,
    guarantees: &[ClauseId],
    asker: &mut Synthesizer<'_>,
) -> Result<Option<Unkept>, FailedCertificate> {
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
                let broken = violation.clause.filter(|_| violation.role == Role::Guarantee);
                let added = broken.and_then(|broken| guarantees.get(broken)).filter(|id| !some.contains(id));
                let Some(&added) = added else { return Ok(None) };
                some.push(added);
                some.sort_unstable();
            }
            SynthesisAnswer::Unrealizable(counter, notion) => return Ok(Some((some, counter, notion))),
            SynthesisAnswer::Realizable(None) | SynthesisAnswer::Unknown => return Ok(None),
        }
    }
    Ok(None)
}
