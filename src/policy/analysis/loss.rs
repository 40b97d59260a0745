//! Lost laws: small sets of laws such that the game of these laws alone is lost in a position.

use crate::language::LawId;
use crate::{CompiledPolicy, Game, GameOptions, PolicyPosition};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use tsl_synth_core::base::{Budget, Id, Limit, LimitKind};

/// The maximal number of diagram nodes of the game of some of the laws.
const NODES: usize = 1 << 19;
/// The largest number of games about pairs of laws that are solved.
const PAIRS: usize = 200;
/// The maximal work for the search of the laws that are lost in one position.
const WORK: u64 = 1 << 20;

/// Whether a limit ends only the present attempt, not the whole analysis.
pub(super) fn is_local(limit: &Limit) -> bool {
    matches!(limit.kind, LimitKind::Memory | LimitKind::Size | LimitKind::Bound | LimitKind::Work)
}

/// The games of some of the laws that a game keeps.
pub(super) struct Losses<'c> {
    compiled: &'c Arc<CompiledPolicy>,
    options: GameOptions,
    /// The solved games; `None` if a limit was exceeded.
    games: FxHashMap<Vec<LawId>, Option<Game>>,
}

impl<'c> Losses<'c> {
    /// No game is solved yet.
    pub(super) fn new(compiled: &'c Arc<CompiledPolicy>, options: &GameOptions) -> Self {
        let options = GameOptions { nodes: NODES.min(options.nodes), ..options.clone() };
        Self { compiled, options, games: FxHashMap::default() }
    }

    /// Whether the game about these laws is lost in a position: whatever the agent does, the world can make it
    /// impossible to keep them. `false` if a limit was exceeded.
    fn is_lost(&mut self, laws: &[LawId], position: &PolicyPosition, budget: &Budget) -> Result<bool, Limit> {
        if !self.games.contains_key(laws) {
            let options = GameOptions { kept: laws.to_vec(), ..self.options.clone() };
            let game = match Game::new(self.compiled, &options, budget) {
                Ok(game) => Some(game),
                // With more work it may be solved.
                Err(limit) if limit.kind == LimitKind::Work => return Ok(false),
                Err(limit) if is_local(&limit) => None,
                Err(limit) => return Err(limit),
            };
            self.games.insert(laws.to_vec(), game);
        }
        let game = self.games.get(laws).and_then(Option::as_ref);
        Ok(game.is_some_and(|game| !game.is_closed(position)))
    }

    /// The laws that owe something in a position, then those about the same actions and propositions as these, and so on,
    /// and then all others.
    fn by_relevance(&self, position: &PolicyPosition) -> Vec<LawId> {
        let owes = |law: LawId| {
            let mut states = position.laws[law.index()].iter();
            states.any(|&state| !self.compiled.monitors[law].standing(state).holds())
        };
        let (mut order, mut rest): (Vec<LawId>, Vec<LawId>) =
            self.options.kept.iter().partition(|&&law| owes(law));
        let reads = |&law: &LawId| {
            let guards = self.compiled.monitors[law].guards().iter().copied();
            (law, self.compiled.reads_through_registers(guards))
        };
        let reads: FxHashMap<LawId, _> = self.options.kept.iter().map(reads).collect();
        let mut at = 0;
        while let Some(&law) = order.get(at).filter(|_| !rest.is_empty()) {
            let (near, far): (Vec<LawId>, Vec<LawId>) =
                rest.iter().partition(|other| !reads[*other].is_disjoint(&reads[&law]));
            rest = far;
            order.extend(near);
            at += 1;
        }
        order.extend(rest);
        order
    }

    /// Laws that are lost in a position in which all kept laws are lost together: a single one if there is one, else a
    /// pair, otherwise a set from which no law can be removed, as far as the work for one position permits.
    ///
    /// # Errors
    /// The budget.
    pub(super) fn core(&mut self, position: &PolicyPosition, budget: &Budget) -> Result<Vec<LawId>, Limit> {
        let budget = &budget.child(WORK);
        let all = self.options.kept.clone();
        for &law in &all {
            if self.is_lost(&[law], position, budget)? {
                return Ok(vec![law]);
            }
        }
        if all.len() * all.len().saturating_sub(1) / 2 <= PAIRS {
            for (i, &first) in all.iter().enumerate() {
                for &second in &all[i + 1..] {
                    if self.is_lost(&[first, second], position, budget)? {
                        return Ok(vec![first, second]);
                    }
                }
            }
        }
        let mut core = all.clone();
        if all.len() * all.len().saturating_sub(1) / 2 > PAIRS {
            let order = self.by_relevance(position);
            let mut most = 2;
            while most < order.len() {
                let few: Vec<LawId> = all.iter().copied().filter(|law| order[..most].contains(law)).collect();
                if self.is_lost(&few, position, budget)? {
                    core = few;
                    break;
                }
                most *= 2;
            }
        }
        for law in core.clone() {
            let rest: Vec<LawId> = core.iter().copied().filter(|&own| own != law).collect();
            if !rest.is_empty() && self.is_lost(&rest, position, budget)? {
                core = rest;
            }
        }
        Ok(core)
    }
}
