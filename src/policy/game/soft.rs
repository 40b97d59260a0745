//! Soft laws: each is kept, in declared order, as long as it can be kept together with the hard laws.

use super::decide::{Game, GameOptions};
use super::position::PolicyPosition;
use crate::CompiledPolicy;
use crate::language::{LawId, LawKind};
use std::sync::Arc;
use tsl_synth_core::base::{Budget, Limit};

/// The games of a policy for sets of soft laws, created when they are needed.
#[derive(Clone, Debug)]
pub struct SoftGames {
    compiled: Arc<CompiledPolicy>,
    hard: GameOptions,
    soft: Vec<LawId>,
    games: Vec<(Vec<LawId>, Game)>,
}

impl SoftGames {
    /// Games in which the laws of `hard` are always kept.
    pub fn new(compiled: &Arc<CompiledPolicy>, hard: &GameOptions) -> Self {
        let laws = compiled.policy.laws.enumerate();
        let soft = laws.filter(|(_, law)| law.kind == LawKind::Soft).map(|(id, _)| id).collect();
        Self { compiled: compiled.clone(), hard: hard.clone(), soft, games: Vec::new() }
    }
    /// The game in which the hard laws and these soft ones are kept; solved once.
    ///
    /// # Errors
    /// The budget, or an error of [`Game::new`].
    pub fn game(&mut self, soft: &[LawId], budget: &Budget) -> Result<&mut Game, Limit> {
        let place = self.games.iter().position(|(own, _)| own == soft);
        let place = if let Some(place) = place {
            place
        } else {
            let mut options = self.hard.clone();
            options.kept.extend(soft);
            self.games.push((soft.to_vec(), Game::new(&self.compiled, &options, budget)?));
            self.games.len() - 1
        };
        Ok(&mut self.games[place].1)
    }
    /// The soft laws to keep from a position on: in declared order, each for which the position is winning together
    /// with the hard laws and those kept before it. Empty if the position is not winning for the hard laws alone.
    ///
    /// # Errors
    /// As [`SoftGames::game`].
    pub fn kept(&mut self, position: &PolicyPosition, budget: &Budget) -> Result<Vec<LawId>, Limit> {
        let all = self.soft.clone();
        // Usually all of them can be kept; then so can each of their subsets.
        if self.game(&all, budget)?.is_winning(position) {
            return Ok(all);
        }
        let mut kept = Vec::new();
        if !self.game(&[], budget)?.is_winning(position) {
            return Ok(kept);
        }
        for law in all {
            kept.push(law);
            if !self.game(&kept, budget)?.is_winning(position) {
                kept.pop();
            }
        }
        Ok(kept)
    }
}
