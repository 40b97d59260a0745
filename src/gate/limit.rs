//! Policies whose game is too large.

use std::fmt;
use std::sync::Arc;
use tsl_synth_core::base::{Budget, Limit, LimitKind};
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::gate::{GateOptions, GateSolver, Reason};

/// The advice for a policy whose game is too large.
pub const WITHOUT_LOOK_AHEAD: &str =
    "`look_ahead = false` in the policy judges each call by itself, without the game of all laws";
/// The most laws that are named.
const NAMED: usize = 5;

/// What a gate of a policy denies because its game is too large.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateLimit {
    /// The limit.
    pub why: String,
    /// The laws whose game it is: calls that may take a way to keep them are denied. `None` if every call is.
    pub laws: Option<Vec<String>>,
}

impl fmt::Display for GateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(laws) = &self.laws else {
            return write!(f, "`shield` would deny every call under this policy: {}", self.why);
        };
        let names: Vec<String> = laws.iter().take(NAMED).map(|law| format!("`{law}`")).collect();
        write!(f, "`shield` would deny calls that matter to {}", names.join(", "))?;
        if laws.len() > NAMED {
            write!(f, " and {} more", laws.len() - NAMED)?;
        }
        write!(f, ", unless they leave every way to keep these laws: {}", self.why)
    }
}

/// Why a gate of this policy would deny calls that may be harmless, if it would: the game of all laws, or of some that
/// share actions, is beyond a limit, or the first decision is too hard. It is the game that gates build.
///
/// # Errors
/// The work was interrupted, or the time is over.
pub fn gate_limit(compiled: &Arc<CompiledPolicy>, budget: &Budget) -> Result<Option<GateLimit>, Limit> {
    let of_all = |why: String| Some(GateLimit { why, laws: None });
    match GateSolver::new(compiled.clone(), GateOptions::default(), budget) {
        Ok(mut solver) => {
            let undecided = solver.undecided();
            if let Some((_, limit)) = undecided.first() {
                let why = limit.to_string();
                let laws = undecided.iter().flat_map(|(laws, _)| laws);
                let laws = laws.map(|&law| compiled.policy.laws[law].id.clone()).collect();
                return Ok(Some(GateLimit { why, laws: Some(laws) }));
            }
            let session = solver.session();
            let decision = solver.confirm(&session);
            let too_hard = decision.reasons.into_iter().find_map(|reason| match reason {
                Reason::TooHard(why) => Some(why),
                _ => None,
            });
            Ok(too_hard.and_then(of_all))
        }
        Err(limit) if matches!(limit.kind, LimitKind::Interrupted | LimitKind::Time) => Err(limit),
        Err(limit) => Ok(of_all(limit.to_string())),
    }
}
