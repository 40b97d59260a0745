//! The games of a policy, created when they are needed.

use super::part_map::PartMap;
use super::session::GateSession;
use crate::analysis::{Copying, copies};
use crate::language::{ActionId, LawId, LawKind, OnViolation};
use crate::{
    CompiledPolicy, Excuse, GAME_NODES, Game, GameOptions, Interpreter, PolicyPart, PositionOrder,
    SessionState, SetAbstraction, SolvedGame, Stepping, Turns, parts,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tsl_synth_core::base::{Budget, Limit, LimitKind};

/// The most laws that are named where their game is too large.
const NAMED: usize = 5;

/// Limits on the effort for decisions.
#[derive(Clone, Copy, Debug)]
pub struct GateOptions {
    /// The maximal number of diagram nodes of one game.
    pub nodes: usize,
    /// The maximal work for one decision, besides the games of all laws of each part.
    pub work: u64,
    /// The maximal number of copies of laws that are judged together, at most 16.
    pub copies: usize,
    /// The maximal number of states that the session may be in for which a common strategy is computed.
    pub tracks: usize,
    /// The maximal number of combinations of copies that are judged for one decision.
    pub views: usize,
    /// The maximal number of games that are kept in memory, for each part of the policy.
    pub games: usize,
}

impl Default for GateOptions {
    fn default() -> Self {
        Self { nodes: GAME_NODES, work: 1 << 21, copies: 8, tracks: 4, views: 256, games: 160 }
    }
}

/// A store of solved games, which may outlive a run of the program.
pub trait SolvedGames: std::fmt::Debug + Send {
    /// The solved game with these options, if it is in the store.
    fn find(&self, options: &GameOptions) -> Option<SolvedGame>;
    /// Stores the solved game with these options, if possible.
    fn keep(&self, options: &GameOptions, solved: &SolvedGame);
    /// The limit in which the game with these options ended, if it is in the store.
    fn find_limit(&self, options: &GameOptions) -> Option<Limit>;
    /// Stores, if possible, the limit in which the game with these options ends. It must depend on the options only.
    fn keep_limit(&self, options: &GameOptions, limit: &Limit);
}

/// The laws that the agent keeps, the number of copies, the number of tracks, and [`GameOptions::is_quiet`].
type GameKey = (Vec<LawId>, usize, usize, bool);

/// A part of the policy with what decisions need to know about it.
#[derive(Debug)]
pub(super) struct DecidedPart {
    pub part: PolicyPart,
    /// Its laws that refuse calls: the hard ones, then the soft ones.
    pub judged: Vec<LawId>,
    /// For each list of bound values of the policy whether the copies for its values may be judged one by one.
    pub are_independent: Vec<bool>,
    games: Vec<(GameKey, Game)>,
    /// The games that are too large.
    limits: Vec<(GameKey, Limit)>,
    /// If the game of all laws is too large, so that nothing is known about its positions: how they compare.
    pub order: Option<PositionOrder>,
    /// The abstract games for any number of values, by the laws that the agent keeps; `None` where the abstraction does not
    /// apply.
    abstractions: Vec<(Vec<LawId>, Option<SetAbstraction>)>,
}

/// Decides for all sessions of one policy.
#[derive(Debug)]
pub struct GateSolver {
    pub(super) compiled: Arc<CompiledPolicy>,
    pub(super) options: GateOptions,
    interpreter: Interpreter,
    pub(super) stepping: Stepping,
    /// The parts of the policy; at least one.
    pub(super) parts: Vec<DecidedPart>,
    pub(super) map: PartMap,
    kept: Option<Box<dyn SolvedGames>>,
    /// The limit on the nodes of the games of all laws.
    nodes: usize,
    /// The work that is left for the present decision.
    pub(super) left: u64,
    /// How many copies of laws decisions have looked at.
    looked_at: AtomicU64,
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
        let interpreter = Interpreter::new(&compiled);
        let parts = decided_parts(&compiled, &stepping);
        let map = PartMap::new(&compiled, parts.iter().map(|own| &own.part));
        let looked_at = AtomicU64::new(0);
        let (left, nodes) = (options.work, options.nodes);
        let mut judge =
            Self { compiled, options, interpreter, stepping, parts, map, kept, nodes, left, looked_at };
        if judge.compiled.policy.look_ahead {
            for part in 0..judge.parts.len() {
                let kept = judge.parts[part].judged.clone();
                if !kept.is_empty() || judge.parts.len() == 1 {
                    let solved = judge.game(part, &kept, 1, 1, budget).map(|_| ());
                    match solved {
                        Err(limit) if limit.kind == LimitKind::Memory => {
                            let order = PositionOrder::new(&judge.compiled, &kept, judge.parts.len() > 1);
                            if order.is_none() && judge.parts.len() == 1 {
                                return Err(limit);
                            }
                            judge.parts[part].order = order;
                        }
                        solved => solved.map_err(|limit| judge.naming(limit, &kept))?,
                    }
                }
            }
        }
        Ok(judge)
    }
    /// The parts of the policy whose game of all laws is too large, each with its laws and the limit: a call that concerns
    /// them is refused unless the laws are at least as easy to keep after it as before.
    pub fn undecided(&self) -> Vec<(Vec<LawId>, Limit)> {
        let of = |part: usize| Some((self.parts[part].judged.clone(), self.limit_of(part)?.clone()));
        (0..self.parts.len()).filter_map(of).collect()
    }
    /// Why the game of all laws of a part is not solved, if it is not.
    pub(super) fn limit_of(&self, part: usize) -> Option<&Limit> {
        let own = &self.parts[part];
        let key: GameKey = (own.judged.clone(), 1, 1, false);
        own.limits.iter().find(|(known, _)| *known == key).map(|(_, limit)| limit)
    }
    /// The names of some laws in a sentence; of many only the first ones.
    pub fn names(&self, laws: &[LawId]) -> String {
        let names = laws.iter().take(NAMED).map(|&law| format!("`{}`", self.compiled.policy.laws[law].id));
        let names = names.collect::<Vec<String>>().join(", ");
        if laws.len() > NAMED { format!("{names} and {} more", laws.len() - NAMED) } else { names }
    }
    /// A limit of the game of some laws, with their names.
    pub(super) fn naming(&self, mut limit: Limit, kept: &[LawId]) -> Limit {
        if self.parts.len() > 1 {
            limit.what = format!("{} ({})", limit.what, self.names(kept));
        }
        limit
    }
    /// How many copies of laws, one for each value, decisions have looked at so far: the part of their work that may grow
    /// with the number of values.
    pub fn looked_at(&self) -> u64 {
        self.looked_at.load(Ordering::Relaxed)
    }
    pub(super) fn look_at(&self, copies: usize) {
        self.looked_at.fetch_add(copies as u64, Ordering::Relaxed);
    }
    /// The number of diagram nodes that were made for all games in memory.
    pub fn made(&self) -> usize {
        self.parts.iter().flat_map(|part| &part.games).map(|(_, game)| game.size().nodes).sum()
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
        self.parts.iter().all(|part| part.are_independent[list])
    }
    /// A new session.
    pub fn session(&self) -> GateSession {
        GateSession::new(
            self.interpreter.another(),
            SessionState::new(&self.compiled).excusing(Excuse::NotDenied),
        )
    }
    fn laws(&self, kind: LawKind) -> Vec<LawId> {
        judged_laws(&self.compiled, kind)
    }
    /// The hard laws that refuse calls.
    pub(super) fn kept_hard(&self) -> Vec<LawId> {
        self.laws(LawKind::Hard)
    }
    /// The soft laws that refuse calls, in declared order.
    pub(super) fn soft(&self) -> Vec<LawId> {
        self.laws(LawKind::Soft)
    }
    fn game_options(&self, part: usize, kept: &[LawId], copies: usize, tracks: usize) -> GameOptions {
        let mut options = GameOptions::new(&self.compiled.policy);
        let has_others = self.parts.len() > 1;
        options.kept = kept.to_vec();
        if has_others {
            options.assumed.retain(|law| self.parts[part].part.laws.contains(law));
        }
        (options.copies, options.tracks, options.nodes) = (copies, tracks, self.options.nodes);
        (options.has_others, options.is_solved) = (has_others, self.compiled.policy.look_ahead);
        options
    }
    /// The abstract game of laws of a part for any number of values; `None` where the abstraction does not apply.
    ///
    /// # Errors
    /// The budget, or an error of [`SetAbstraction::new`].
    pub(super) fn abstraction(
        &mut self,
        part: usize,
        kept: &[LawId],
        budget: &Budget,
    ) -> Result<Option<&mut SetAbstraction>, Limit> {
        let known = self.parts[part].abstractions.iter().position(|(own, _)| own == kept);
        let place = if let Some(place) = known {
            place
        } else {
            let options = self.game_options(part, kept, 1, 1);
            let abstraction = SetAbstraction::new(&self.compiled, &options, budget)?;
            let abstractions = &mut self.parts[part].abstractions;
            if abstractions.len() >= self.options.games {
                abstractions.remove(0);
            }
            abstractions.push((kept.to_vec(), abstraction));
            abstractions.len() - 1
        };
        Ok(self.parts[part].abstractions[place].1.as_mut())
    }
    /// The game of a part in which the agent keeps these laws of the part. Solved games are kept, except the oldest ones
    /// beyond [`GateOptions::games`].
    ///
    /// # Errors
    /// The budget, or an error of [`Game::new`].
    pub(super) fn game(
        &mut self,
        part: usize,
        kept: &[LawId],
        copies: usize,
        tracks: usize,
        budget: &Budget,
    ) -> Result<&mut Game, Limit> {
        let options = self.game_options(part, kept, copies, tracks);
        self.game_with(part, &options, budget)
    }
    /// The same in which the world can do less than it really can; only for parts that count letters.
    ///
    /// # Errors
    /// As [`GateSolver::game`].
    pub(super) fn quiet_game(
        &mut self,
        part: usize,
        kept: &[LawId],
        tracks: usize,
        budget: &Budget,
    ) -> Result<&mut Game, Limit> {
        let options = GameOptions { is_quiet: true, ..self.game_options(part, kept, 1, tracks) };
        self.game_with(part, &options, budget)
    }
    fn game_with(&mut self, part: usize, options: &GameOptions, budget: &Budget) -> Result<&mut Game, Limit> {
        let key: GameKey = (options.kept.clone(), options.copies, options.tracks, options.is_quiet);
        if let Some(place) = self.parts[part].games.iter().position(|(own, _)| *own == key) {
            return Ok(&mut self.parts[part].games[place].1);
        }
        if let Some((_, limit)) = self.parts[part].limits.iter().find(|(own, _)| *own == key) {
            return Err(limit.clone());
        }
        // That of most of the laws would hardly be smaller.
        if let Some(limit) = self.limit_of(part)
            && 2 * options.kept.len() > self.parts[part].judged.len()
        {
            return Err(limit.clone());
        }
        let known = self.kept.as_ref().and_then(|kept| kept.find(options));
        let game = match known.and_then(|solved| Game::read(&self.compiled, options, solved)) {
            Some(game) => game,
            None => match self.new_game(options, budget) {
                Err(limit) if limit.kind == LimitKind::Memory && options.nodes == self.nodes => {
                    self.parts[part].limits.push((key, limit.clone()));
                    return Err(limit);
                }
                solved => solved?,
            },
        };
        let own = &mut self.parts[part];
        if own.games.len() >= self.options.games {
            // The first one is the game of all laws, which every decision needs.
            own.games.remove(1);
        }
        own.games.push((key, game));
        let last = own.games.len() - 1;
        Ok(&mut own.games[last].1)
    }
    /// A game that is not in the store. The number of nodes of its diagrams depends on nothing but its options, so that a
    /// game that is too large is not tried again in later runs of the program.
    fn new_game(&self, options: &GameOptions, budget: &Budget) -> Result<Game, Limit> {
        let Some(kept) = &self.kept else { return Game::new(&self.compiled, options, budget) };
        if let Some(limit) = kept.find_limit(options) {
            return Err(limit);
        }
        Game::new(&self.compiled, options, budget).inspect_err(|limit| {
            if limit.kind == LimitKind::Memory {
                kept.keep_limit(options, limit);
            }
        })
    }
    /// Stores the results since the last call, for later runs of the program.
    pub fn keep_games(&mut self) {
        let Some(kept) = &self.kept else { return };
        for (_, game) in self.parts.iter_mut().flat_map(|part| &mut part.games) {
            let options = game.options().clone();
            if let Some(solved) = game.take_new() {
                kept.keep(&options, solved);
            }
        }
    }
}

/// The laws of a kind that refuse calls, in declared order.
fn judged_laws(compiled: &CompiledPolicy, kind: LawKind) -> Vec<LawId> {
    let is_judged = |on: OnViolation| matches!(on, OnViolation::Deny | OnViolation::Ask);
    let laws = compiled.policy.laws.enumerate();
    laws.filter(|(_, law)| law.kind == kind && is_judged(law.on_violation)).map(|(id, _)| id).collect()
}

/// The parts of a policy with respect to the laws that refuse calls; one without laws if there are none.
fn decided_parts(compiled: &CompiledPolicy, stepping: &Stepping) -> Vec<DecidedPart> {
    let judged = [LawKind::Hard, LawKind::Soft].into_iter().flat_map(|kind| judged_laws(compiled, kind));
    let judged: Vec<LawId> = judged.filter(|&law| !compiled.policy.laws[law].is_value_limit).collect();
    let mut laws = judged.clone();
    laws.extend(GameOptions::new(&compiled.policy).assumed);
    laws.sort_unstable();
    let mut all = parts(compiled, &laws);
    if all.is_empty() {
        all.push(PolicyPart::default());
    }
    let copying = copies(compiled);
    let decided = |part: PolicyPart| {
        let is_independent = |names: &Vec<String>| {
            let own = |law: LawId| {
                let law = &compiled.policy.laws[law];
                law.for_each == *names && law.kind != LawKind::Assume
            };
            let mut laws = copying.iter().filter(|(law, _)| part.laws.contains(law) && own(*law));
            part.is_bound || laws.all(|(_, copying)| *copying == Copying::Independent)
        };
        let are_independent = stepping.keys().iter().map(is_independent).collect();
        let judged = judged.iter().copied().filter(|law| part.laws.binary_search(law).is_ok()).collect();
        let (games, limits, abstractions) = (Vec::new(), Vec::new(), Vec::new());
        DecidedPart { part, judged, are_independent, games, limits, order: None, abstractions }
    };
    all.into_iter().map(decided).collect()
}
