//! Policies whose game is too large.

use std::sync::Arc;
use tsl_synth_core::base::{Budget, Limit, LimitKind};
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::gate::{GateOptions, GateSolver, Reason};

/// The advice for a policy whose game is too large.
pub const WITHOUT_LOOK_AHEAD: &str =
    "`look_ahead = false` in the policy judges each call by itself, without the game of all laws";

/// Why a gate of this policy would deny every call, if it would: the game of all laws is beyond a limit, or the first
/// decision is too hard. It is the game that gates build.
///
/// # Errors
/// The work was interrupted, or the time is over.
pub fn gate_limit(compiled: &Arc<CompiledPolicy>, budget: &Budget) -> Result<Option<String>, Limit> {
    match GateSolver::new(compiled.clone(), GateOptions::default(), budget) {
        Ok(mut solver) => {
            let session = solver.session();
            let decision = solver.confirm(&session);
            let too_hard = decision.reasons.into_iter().find_map(|reason| match reason {
                Reason::TooHard(why) => Some(why),
                _ => None,
            });
            Ok(too_hard)
        }
        Err(limit) if matches!(limit.kind, LimitKind::Interrupted | LimitKind::Time) => Err(limit),
        Err(limit) => Ok(Some(limit.to_string())),
    }
}
