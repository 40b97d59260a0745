//! The games of a policy, created when they are needed.

use super::session::GateSession;
use crate::analysis::{Copying, copies};
use crate::language::{ActionId, LawId, LawKind, OnViolation};
use crate::{
    CompiledPolicy, Excuse, GAME_NODES, Game, GameOptions, Interpreter, SessionState, SolvedGame, Stepping,
    Turns,
};
use std::sync::Arc;
use tsl_synth_core::base::{Budget, Limit};

/// Limits on the effort for decisions.
#[derive(Clone, Copy, Debug)]
pub struct GateOptions {
    /// The maximal number of diagram nodes of one game.
    pub nodes: usize,
    /// The maximal work for one decision.
    pub work: u64,
    /// The maximal number of copies of laws that are judged together, at most 16.
    pub copies: usize,
    /// The maximal number of states that the session may be in for which a common strategy is computed.
    pub tracks: usize,
    /// The maximal number of combinations of copies that are judged for one decision.
    pub views: usize,
    /// The maximal number of games that are kept in memory.
    pub games: usize,
}

impl Default for GateOptions {
    fn default() -> Self {
        Self { nodes: GAME_NODES, work: 1 << 26, copies: 3, tracks: 4, views: 256, games: 160 }
    }
}

/// A store of solved games, which may outlive a run of the program.
pub trait SolvedGames: std::fmt::Debug + Send {
    /// The solved game with these options, if it is in the store.
    fn find(&self, options: &GameOptions) -> Option<SolvedGame>;
    /// Stores the solved game with these options, if possible.
    fn keep(&self, options: &GameOptions, solved: &SolvedGame);
}

/// The laws that the agent keeps, the number of copies, and the number of tracks.
type GameKey = (Vec<LawId>, usize, usize);

/// Decides for all sessions of one policy.
#[derive(Debug)]
pub struct GateSolver {
    pub(super) compiled: Arc<CompiledPolicy>,
    pub(super) options: GateOptions,
    interpreter: Interpreter,
    /// For each list of bound values, whether all laws with it have independent copies.
    pub(super) are_independent: Vec<bool>,
    pub(super) stepping: Stepping,
    games: Vec<(GameKey, Game)>,
    kept: Option<Box<dyn SolvedGames>>,
}

impl GateSolver {
    /// Solves the game of all laws that the agent keeps.
    ///
    /// # Errors
    /// A policy that the game does not decide, or a limit.
    pub fn new(compiled: Arc<CompiledPolicy>, options: GateOptions, budget: &Budget) -> Result<Self, Limit> {
        Self::with_games(compiled, options, budget, None)
    }
    /// The same with games that were solved before.
    ///
    /// # Errors
    /// As [`GateSolver::new`].
    pub fn with_games(
        compiled: Arc<CompiledPolicy>,
        options: GateOptions,
        budget: &Budget,
        kept: Option<Box<dyn SolvedGames>>,
    ) -> Result<Self, Limit> {
        let stepping = Stepping::new(compiled.clone(), 1, 1);
        let copying = copies(&compiled);
        let are_independent = stepping.keys().iter().map(|names| {
            let laws = &compiled.policy.laws;
            copying
                .iter()
                .filter(|(law, _)| laws[*law].for_each == *names && laws[*law].kind != LawKind::Assume)
                .all(|(_, own)| *own == Copying::Independent)
        });
        let are_independent = are_independent.collect();
        let interpreter = Interpreter::new(&compiled);
        let games = Vec::new();
        let mut judge = Self { compiled, options, interpreter, are_independent, stepping, games, kept };
        if judge.compiled.policy.look_ahead {
            let kept: Vec<LawId> = judge.kept_hard().into_iter().chain(judge.soft()).collect();
            judge.game(&kept, 1, 1, budget)?;
        }
        Ok(judge)
    }
    /// The policy.
    pub fn compiled(&self) -> &Arc<CompiledPolicy> {
        &self.compiled
    }
    /// The lists of bound values of laws with copies.
    pub fn keys(&self) -> &[Vec<String>] {
        self.stepping.keys()
    }
    /// How the players take turns.
    pub fn turns(&self) -> Turns {
        self.stepping.turns()
    }
    /// Whether calls of an action are bound to values of a list.
    pub fn is_bound_by(&self, list: usize, action: ActionId) -> bool {
        self.stepping.is_bound_by(list, action)
    }
    /// Whether all laws with a list of bound values are shown to have independent copies.
    pub fn is_independent(&self, list: usize) -> bool {
        self.are_independent[list]
    }
    /// A new session.
    pub fn session(&self) -> GateSession {
        GateSession::new(
            self.interpreter.another(),
            SessionState::new(&self.compiled).excusing(Excuse::NotDenied),
        )
    }
    fn laws(&self, kind: LawKind) -> Vec<LawId> {
        let is_judged = |on: OnViolation| matches!(on, OnViolation::Deny | OnViolation::Ask);
        let laws = self.compiled.policy.laws.enumerate();
        laws.filter(|(_, law)| law.kind == kind && is_judged(law.on_violation)).map(|(id, _)| id).collect()
    }
    /// The hard laws that refuse calls.
    pub(super) fn kept_hard(&self) -> Vec<LawId> {
        self.laws(LawKind::Hard)
    }
    /// The soft laws that refuse calls, in declared order.
    pub(super) fn soft(&self) -> Vec<LawId> {
        self.laws(LawKind::Soft)
    }
    /// The game in which the agent keeps these laws. Solved games are kept, except the oldest ones beyond
    /// [`GateOptions::games`].
    ///
    /// # Errors
    /// The budget, or an error of [`Game::new`].
    pub(super) fn game(
        &mut self,
        kept: &[LawId],
        copies: usize,
        tracks: usize,
        budget: &Budget,
    ) -> Result<&mut Game, Limit> {
        let is_it = |((own, n, m), _): &(GameKey, Game)| (own.as_slice(), *n, *m) == (kept, copies, tracks);
        if let Some(place) = self.games.iter().position(is_it) {
            return Ok(&mut self.games[place].1);
        }
        let mut options = GameOptions::new(&self.compiled.policy);
        options.kept = kept.to_vec();
        options.copies = copies;
        options.tracks = tracks;
        options.nodes = self.options.nodes;
        options.is_solved = self.compiled.policy.look_ahead;
        let known = self.kept.as_ref().and_then(|kept| kept.find(&options));
        let game = match known.and_then(|solved| Game::read(&self.compiled, &options, solved)) {
            Some(game) => game,
            None => Game::new(&self.compiled, &options, budget)?,
        };
        if self.games.len() >= self.options.games {
            // The first one is the game of all laws, which every decision needs.
            self.games.remove(1);
        }
        self.games.push(((kept.to_vec(), copies, tracks), game));
        let last = self.games.len() - 1;
        Ok(&mut self.games[last].1)
    }
    /// Stores the results since the last call, for later runs of the program.
    pub fn keep_games(&mut self) {
        let Some(kept) = &self.kept else { return };
        for (_, game) in &mut self.games {
            let options = game.options().clone();
            if let Some(solved) = game.take_new() {
                kept.keep(&options, solved);
            }
        }
    }
}
