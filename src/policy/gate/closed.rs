//! The usual case: from all states so far all laws can be kept, and a call concerns few of them. Then only the parts of
//! the policy are judged whose positions a letter changed.

use super::decide::QueryResult;
use super::solver::GateSolver;
use crate::language::{ActionId, LawId, RegisterId};
use crate::{CompiledPolicy, PossibleState, SessionState, Turns};
use tsl_synth_core::base::{Id, IdVec};

/// The part of the policy that each law, register and action belongs to; none if no law that refuses calls concerns it.
#[derive(Debug)]
pub(super) struct PartMap {
    pub laws: IdVec<LawId, Option<usize>>,
    registers: IdVec<RegisterId, Option<usize>>,
    actions: IdVec<ActionId, Option<usize>>,
}

impl PartMap {
    pub(super) fn new<'p>(
        compiled: &CompiledPolicy,
        parts: impl Iterator<Item = &'p crate::PolicyPart>,
    ) -> Self {
        let policy = &compiled.policy;
        let mut map = Self {
            laws: policy.laws.iter().map(|_| None).collect(),
            registers: policy.registers.iter().map(|_| None).collect(),
            actions: policy.atoms.actions.iter().map(|_| None).collect(),
        };
        for (at, part) in parts.enumerate() {
            part.laws.iter().for_each(|&law| map.laws[law] = Some(at));
            part.registers.iter().for_each(|&register| map.registers[register] = Some(at));
            part.actions.iter().for_each(|&action| map.actions[action] = Some(at));
        }
        map
    }
    /// The parts whose positions may differ in two states.
    fn changed(&self, known: &PossibleState, state: &PossibleState) -> Vec<usize> {
        let mut parts = Vec::new();
        for ((law, own), other) in state.laws.iter().enumerate().zip(&known.laws) {
            if !own.is_untouched(other) {
                parts.extend(self.laws[LawId::from_index(law)]);
            }
        }
        for ((register, own), other) in state.registers.iter().enumerate().zip(&known.registers) {
            if own.value != other.value {
                parts.extend(self.registers[RegisterId::from_index(register)]);
            }
        }
        let same = state.pending.iter().zip(&known.pending).take_while(|(own, other)| own == other).count();
        for call in state.pending.iter().skip(same).chain(known.pending.iter().skip(same)) {
            parts.extend(call.last.actions.iter().filter_map(|&action| self.actions[action]));
        }
        parts.sort_unstable();
        parts.dedup();
        parts
    }
}

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
        let budget = self.budget();
        for part in changed {
            let kept = self.parts[part].judged.clone();
            if kept.is_empty() {
                continue;
            }
            for view in self.views_of(state, part)? {
                let (game, position) = self.game_at(part, &view, &kept, &budget)?;
                if !game.is_closed(&position) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
