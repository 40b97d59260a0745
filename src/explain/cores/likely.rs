//! Likely cores. Games that are solved without strategies and certificates decide which guarantees cannot be kept together,
//! with far less work than synthesis. The result is only a proposal, which synthesis with certificates must confirm.
//!
//! Source: Junker 2004, "QuickXplain: preferred explanations and relaxations for over-constrained problems", AAAI: a core
//! of k out of n guarantees takes O(k log (n/k)) games, most of them about few guarantees.

use crate::synthesis_queries::{Synthesizer, with_guarantees};
use crate::tuning::{LIKELY_GAMES, LIKELY_WORK};
use tsl_synth_core::logic::Player;
use tsl_synth_engine::synth::likely_winner;
use tsl_synth_lang::spec::{ClauseId, Problem};

/// A likely core of the guarantees in `preferred`, which are unrealizable together: a subset in source order. `None` if no
/// subset of at most `most` guarantees is found within the limits. Guarantees that come first in `preferred` are favored.
pub(super) fn likely_core(
    problem: &Problem,
    preferred: &[ClauseId],
    most: usize,
    asker: &Synthesizer<'_>,
) -> Option<Vec<ClauseId>> {
    let mut search = LikelySearch { problem, asker, games: LIKELY_GAMES, left: most };
    let mut core = search.core(&[], false, preferred)?;
    core.sort_unstable();
    Some(core)
}

struct LikelySearch<'a, 'b> {
    problem: &'a Problem,
    asker: &'a Synthesizer<'b>,
    /// The games that are left.
    games: usize,
    /// The guarantees that the core may still have besides those that were found.
    left: usize,
}

impl LikelySearch<'_, '_> {
    /// Whether the environment likely wins against these guarantees; a game without an answer counts as not lost.
    fn is_lost(&mut self, guarantees: &[ClauseId]) -> bool {
        if self.games == 0 || self.asker.is_stopped() {
            self.games = 0;
            return false;
        }
        self.games -= 1;
        let mut part = with_guarantees(self.problem, guarantees);
        let budget = self.asker.budget_of_all(LIKELY_WORK);
        matches!(likely_winner(&mut part, &budget), Ok(Player::Environment))
    }

    /// A minimal subset of `open` that is lost together with `given`, provided that all of them are; `None` if the limits
    /// are exceeded. `is_new` is whether `given` grew since it was last asked. Recursion is as deep as the logarithm of the
    /// number of guarantees.
    fn core(&mut self, given: &[ClauseId], is_new: bool, open: &[ClauseId]) -> Option<Vec<ClauseId>> {
        if is_new && self.is_lost(given) {
            return Some(Vec::new());
        }
        if self.games == 0 {
            return None;
        }
        if open.len() < 2 {
            self.left = self.left.checked_sub(open.len())?;
            return Some(open.to_vec());
        }
        let (first, second) = open.split_at(open.len() / 2);
        let of_second = self.core(&[given, first].concat(), true, second)?;
        let of_first = self.core(&[given, &of_second].concat(), !of_second.is_empty(), first)?;
        Some([of_first, of_second].concat())
    }
}
