//! The games of a policy, for all services of the policy.

use crate::kept::KeptGames;
use crate::loaded::LoadedPolicy;
use std::sync::{Arc, Mutex, MutexGuard};
use tsl_synth_core::base::{Budget, Limit};
use tsl_synth_core::model::Cache;
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::gate::{GateOptions, GateSolver, SolvedGames};

/// A policy with its solved games. Clones share the games; the decisions of all of them are made one after the other.
#[derive(Clone, Debug)]
pub struct SharedSolver {
    compiled: Arc<CompiledPolicy>,
    solver: Arc<Mutex<GateSolver>>,
    /// The hash of the text of the policy.
    pub(crate) policy: String,
    /// The file of the policy.
    pub(crate) file: String,
}

impl SharedSolver {
    /// Solves the game of a policy, whose text has this hash and is in this file. An entry of the cache is used only if
    /// it is undamaged, and of this version and policy.
    ///
    /// # Errors
    /// Laws that the game cannot decide, or a limit.
    pub fn new(
        compiled: Arc<CompiledPolicy>,
        policy: &str,
        file: &str,
        cache: Option<Box<dyn Cache + Send>>,
    ) -> Result<Self, Limit> {
        let kept = cache.map(|cache| Box::new(KeptGames::new(cache, policy)) as Box<dyn SolvedGames>);
        let budget = Budget::unlimited();
        let solver = GateSolver::with_games(compiled.clone(), GateOptions::default(), &budget, kept)?;
        let solver = Arc::new(Mutex::new(solver));
        Ok(Self { compiled, solver, policy: policy.to_owned(), file: file.to_owned() })
    }
    /// That of a policy that was read.
    ///
    /// # Errors
    /// As [`SharedSolver::new`].
    pub(crate) fn of_loaded(
        loaded: LoadedPolicy,
        policy: &str,
        file: &str,
        cache: Option<Box<dyn Cache + Send>>,
    ) -> Result<Self, Limit> {
        Self::new(Arc::new(loaded.compiled), policy, file, cache)
    }
    /// The policy.
    pub fn compiled(&self) -> &Arc<CompiledPolicy> {
        &self.compiled
    }
    /// For how many milliseconds after its last event a session is kept; `None`: for ever.
    pub(crate) fn retention(&self) -> Option<u64> {
        self.compiled.policy.retain.and_then(|retain| u64::try_from(retain).ok())
    }
    /// The games, for one decision.
    ///
    /// # Errors
    /// An earlier decision ended in a panic, so the games may be incomplete.
    pub(crate) fn lock(&self) -> Result<MutexGuard<'_, GateSolver>, String> {
        self.solver.lock().map_err(|_| "an earlier decision failed, and the gate decides no more".into())
    }
}
