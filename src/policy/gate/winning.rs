//! Whether the agent can keep laws of several parts of the policy and stop (see the module `game::parts`). The answer "no"
//! must be certain: in a lost position only calls that violate a law at once are refused.

use super::decide::{Asked, QueryResult, too_hard};
use super::solver::GateSolver;
use super::views::{InformationSet, Views};
use crate::Standing;
use crate::language::{ActionId, LawId};
use tsl_synth_core::base::IdSet;

impl GateSolver {
    /// Whether the agent can keep some laws and stop. Of several parts of the policy those that need a call before the
    /// world does anything need the same one, unless all accept the end.
    pub(super) fn is_winning(&mut self, views: &Views, kept: &[LawId]) -> QueryResult<bool> {
        let parts = self.concerned(kept);
        if let [(part, kept)] = parts.as_slice()
            && !self.parts[*part].part.counts_letters
        {
            return self.ask_part(*part, views.of_part(*part), kept, &Asked::Winning);
        }
        let mut open = Vec::new();
        for (part, kept) in &parts {
            if !self.ask_part(*part, views.of_part(*part), kept, &Asked::Closed)? {
                open.push((*part, kept));
            }
        }
        if open.is_empty() || self.ask(views, kept, &Asked::End)? {
            return Ok(true);
        }
        let mut is_decided = true;
        for &(part, kept) in &open {
            let own = views.of_part(part);
            if self.ask_part(part, own, kept, &Asked::Urgent)? {
                continue;
            }
            if !self.parts[part].part.counts_letters || self.is_surely_lost(part, own, kept)? {
                return Ok(false);
            }
            is_decided = false;
        }
        if !is_decided {
            return Err(
                "laws that count letters can be kept only if no other letters come, which is not decided"
                    .into(),
            );
        }
        if let [(part, _)] = open.as_slice()
            && self.map.is_alone(*part)
        {
            return Ok(true);
        }
        self.has_common_call(views, &parts)
    }
    /// Whether a position of a part that counts letters is lost even if no letters about other parts come.
    fn is_surely_lost(&mut self, part: usize, views: &[InformationSet], kept: &[LawId]) -> QueryResult<bool> {
        let budget = self.budget();
        for view in views {
            let tracks = view.positions.len();
            let game = self.quiet_game(part, kept, tracks, &budget).map_err(|limit| too_hard(&limit))?;
            let position = view.position(game)?;
            if !matches!(game.standing(&position), Standing::Closed | Standing::Urgent) {
                return Ok(true);
            }
        }
        Ok(false)
    }
    /// Whether there is a call after which all parts stay winning whatever the world does.
    fn has_common_call(&mut self, views: &Views, parts: &[(usize, Vec<LawId>)]) -> QueryResult<bool> {
        let budget = self.budget();
        let mut common: IdSet<ActionId> = self.compiled.policy.atoms.actions.ids().collect();
        for (part, kept) in parts {
            let [view] = views.of_part(*part) else {
                return Err("several values need a call of laws that share actions with others".into());
            };
            let (game, position) = self.game_at(*part, view, kept, &budget)?;
            common.intersect_with(&game.allowed_actions(&position).into_iter().collect());
        }
        let is_exact = parts.iter().all(|(part, _)| !self.parts[*part].part.counts_letters);
        if common.is_empty() && !is_exact {
            return Err("laws that count letters may not all be kept, which is not decided".into());
        }
        Ok(!common.is_empty())
    }
}
