//! Certificates of circuits by tableaux and by monitors in turn.

use super::tuning::{FIRST_CERTIFICATE_WORK, MONITORS_SHARE, MORE_CERTIFICATE_WORK};
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
    let mut work = FIRST_CERTIFICATE_WORK;
    let mut left = vec![Method::Tableaux, Method::Monitors];
    loop {
        let mut limit = Limit::new(LimitKind::Work, "certificate: model checking a circuit");
        for method in left.clone() {
            let share = match method {
                Method::Tableaux => work,
                Method::Monitors => work.saturating_mul(MONITORS_SHARE),
            };
            let share = budget.child(share.min(budget.left()));
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
                    if met.kind != LimitKind::Work {
                        left.retain(|&other| other != method);
                    }
                    limit = met;
                }
                checked => return checked,
            }
        }
        if left.is_empty() || budget.left() == 0 {
            return Err(limit.into());
        }
        work = work.saturating_mul(MORE_CERTIFICATE_WORK);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Method {
    Monitors,
    Tableaux,
}
