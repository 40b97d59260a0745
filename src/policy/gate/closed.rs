//! The usual case: from all states so far all laws can be kept, and a call concerns few of them. Then only the parts of
//! the policy are judged whose positions a letter changed.

use super::GateSession;
use super::decide::{Asked, QueryResult};
use super::solver::GateSolver;
use crate::{SessionState, Turns};

impl GateSolver {
    /// Whether all laws that refuse calls can be kept from the state of a session whatever the world does, as
    /// [`GateSolver::all_closed`]. The session remembers the first such state, so that later questions are only about
    /// what changed.
    pub(super) fn is_closed(&mut self, session: &mut GateSession) -> QueryResult<bool> {
        let is_closed = self.all_closed(&session.state, session.known.as_ref(), None)?;
        if is_closed && session.known.is_none() {
            session.known = Some(session.state.clone());
        }
        Ok(is_closed)
    }
    /// Decides what later decisions of a session that begins need to know about its first state. They are the same
    /// without it, and take longer.
    pub fn judge_beginning(&mut self, session: &mut GateSession) {
        // A limit is reported by the decisions that it concerns.
        let _ = self.is_closed(session);
    }
    /// Whether all laws that refuse calls can be kept from a state whatever the world does, given a state of which that
    /// is known. `false` also if that is to be decided otherwise: without look-ahead, or where calls join other truths.
    /// Of a part whose game is too large nothing is known, but that a state from which all strategies are left keeps them.
    /// Such parts are judged only if the state is that after a call, and `before` is the one before it.
    pub(super) fn all_closed(
        &mut self,
        state: &SessionState,
        known: Option<&SessionState>,
        before: Option<&SessionState>,
    ) -> QueryResult<bool> {
        if !self.compiled.policy.look_ahead || self.stepping.turns() != Turns::Apart || state.is_lost() {
            return Ok(false);
        }
        let known = match (state.worlds(), known.map(SessionState::worlds)) {
            ([_], Some([known])) => Some(known),
            _ => None,
        };
        let changed = match (known, state.worlds()) {
            (Some(known), [state]) => self.map.changed(known, state),
            _ => (0..self.parts.len()).collect(),
        };
        for part in changed {
            let kept = self.parts[part].judged.clone();
            if kept.is_empty() {
                continue;
            }
            if let Some(limit) = self.limit_of(part) {
                let too_hard = self.naming(limit.clone(), &kept).to_string();
                if before.is_some_and(|before| !self.takes_nothing(part, before, state)) {
                    return Err(too_hard);
                }
                continue;
            }
            let changed = known.and_then(|known| self.changed_views(known, state, part));
            let views = changed.map_or_else(|| self.views_of(state, part), Ok)?;
            let is_closed = self.ask_part(part, &views, &kept, &Asked::Closed)?;
            if !is_closed {
                return Ok(false);
            }
        }
        Ok(true)
    }
    /// Whether, for the laws of a part, every strategy from one state is one from another state.
    pub(super) fn takes_nothing(&self, part: usize, before: &SessionState, state: &SessionState) -> bool {
        let Some(order) = &self.parts[part].order else { return false };
        let (Ok(before), Ok(after)) = (self.views_of(before, part), self.views_of(state, part)) else {
            return false;
        };
        let ([before], [after]) = (before.as_slice(), after.as_slice()) else { return false };
        let ([before], [after]) = (before.positions.as_slice(), after.positions.as_slice()) else {
            return false;
        };
        order.is_at_least_as_good(&self.compiled, after, before)
    }
}
