//! Certificates of circuits by tableaux and by monitors in turn.

use super::tuning::{FIRST_CERTIFICATE_WORK, FIRST_MONITORS_WORK, MORE_CERTIFICATE_WORK};
use crate::game::monitored_formula;
use tsl_synth_core::base::{Budget, Limit, LimitKind};
use tsl_synth_core::logic::Formulas;
use tsl_synth_kernel::{Certified, CertifyError, StrategyClaim, StrategyRef, certify, certify_by_monitors};

/// Certifies a claim: about a circuit by tableaux and by monitors of its conjuncts in turn, with increasing work, as either
/// may take much less than the other.
///
/// # Errors
/// As [`certify`].
pub(super) fn certify_in_turn(claim: &StrategyClaim<'_>, budget: &Budget) -> Result<Certified, CertifyError> {
    if let StrategyRef::Mealy(_) | StrategyRef::Moore(_) | StrategyRef::Counter(_) = claim.strategy {
        return certify(claim, budget);
    }
    let mut limit = Limit::new(LimitKind::Work, "certificate: model checking a circuit");
    // The methods that may still succeed, each with the work of its next attempt.
    let mut next = vec![(Method::Tableaux, FIRST_CERTIFICATE_WORK), (Method::Monitors, FIRST_MONITORS_WORK)];
    while !next.is_empty() {
        let (method, work) = next.remove(0);
        let share = budget.child(work.min(budget.left()));
        let checked = match method {
            Method::Monitors => {
                let mut compile =
                    |formulas: &mut Formulas, f| monitored_formula(formulas, claim.alphabet, f, &share);
                certify_by_monitors(claim, &mut compile, &share)
            }
            Method::Tableaux => certify(claim, &share),
        };
        let counted = budget.tick(share.work(), || "certificate: model checking a circuit".into());
        match checked {
            Err(CertifyError::Limit(met)) => {
                counted?;
                // With less work than before nothing is gained.
                if met.kind == LimitKind::Work && budget.left() > work {
                    next.push((method, work.saturating_mul(MORE_CERTIFICATE_WORK)));
                }
                limit = met;
            }
            checked => return checked,
        }
    }
    Err(limit.into())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Method {
    Monitors,
    Tableaux,
}
