//! Policies whose game is too large.

use crate::kept::KeptGames;
use std::fmt;
use std::sync::Arc;
use tsl_synth_core::base::{Budget, Limit, LimitKind};
use tsl_synth_core::model::Cache;
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::gate::{GateOptions, GateSolver, Reason, SolvedGames};
use tsl_synth_policy::language::LawId;

/// The advice for a policy whose game is too large.
pub const WITHOUT_LOOK_AHEAD: &str =
    "`look_ahead = false` in the policy judges each call by itself, without the game of all laws";

/// What a gate of a policy denies because its game is too large.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateLimit {
    /// The limit.
    pub why: String,
    /// The names of the laws whose game it is, in a sentence: calls that may make it impossible to keep them are denied.
    /// `None` if every call is denied.
    pub laws: Option<String>,
}

impl fmt::Display for GateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(laws) = &self.laws else {
            return write!(f, "`shield` would deny every call under this policy: {}", self.why);
        };
        write!(f, "`shield` would deny each call that may make it impossible to keep {laws}: {}", self.why)
    }
}

/// What a gate of this policy would deny because it cannot decide it, if anything: the game of all laws, or of some that
/// share actions, is beyond a limit, or the first decision is too hard. The game is the one that gates solve; with a cache,
/// and the hash of the text of the policy, gates find it there.
///
/// # Errors
/// The work was interrupted, or the time is over.
pub fn gate_limit(
    compiled: &Arc<CompiledPolicy>,
    cache: Option<(Box<dyn Cache + Send>, &str)>,
    budget: &Budget,
) -> Result<Option<GateLimit>, Limit> {
    let of_all = |why: String| Some(GateLimit { why, laws: None });
    let kept = cache.map(|(cache, policy)| Box::new(KeptGames::new(cache, policy)) as Box<dyn SolvedGames>);
    // Gates have no limit of work.
    let budget = &budget.child(u64::MAX);
    match GateSolver::with_games(compiled.clone(), GateOptions::default(), budget, kept) {
        Ok(mut solver) => {
            let undecided = solver.undecided();
            if let Some((_, limit)) = undecided.first() {
                let why = limit.to_string();
                solver.keep_games();
                let laws: Vec<LawId> = undecided.iter().flat_map(|(laws, _)| laws).copied().collect();
                return Ok(Some(GateLimit { why, laws: Some(solver.names(&laws)) }));
            }
            let session = solver.session();
            let decision = solver.confirm(&session);
            solver.keep_games();
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
