//! The usual case: from all states so far all laws can be kept, and a call concerns few of them. Then only the parts of
//! the policy are judged whose positions a letter changed.

use super::decide::QueryResult;
use super::solver::GateSolver;
use crate::{SessionState, Turns};

impl GateSolver {
    /// Whether all laws that refuse calls can be kept from a state whatever the world does, given a state of which that
    /// is known. `false` also if that is to be decided otherwise: without look-ahead, or where calls join other truths.
    pub(super) fn all_closed(
        &mut self,
        state: &SessionState,
        known: Option<&SessionState>,
    ) -> QueryResult<bool> {
        if !self.compiled.policy.look_ahead || self.stepping.turns() != Turns::Apart || state.is_lost() {
            return Ok(false);
        }
        let changed = match (state.worlds(), known.map(SessionState::worlds)) {
            ([state], Some([known])) => self.map.changed(known, state),
            _ => (0..self.parts.len()).collect(),
        };
        for part in changed {
            let kept = self.parts[part].judged.clone();
            let is_closed = kept.is_empty()
                || self.ask_part(part, &self.views_of(state, part)?, &kept, &|game, position| {
                    game.is_closed(position)
                })?;
            if !is_closed {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
