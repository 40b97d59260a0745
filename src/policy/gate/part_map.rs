//! Which parts of a policy the laws, registers and actions belong to.

use crate::language::{ActionId, LawId, RegisterId};
use crate::{CompiledPolicy, PolicyPart, PossibleState};
use std::sync::Arc;
use tsl_synth_core::base::{Id, IdVec};

/// The part of the policy that each law belongs to, and the parts that each register and action concerns; none if no law
/// that refuses calls concerns it.
#[derive(Debug)]
pub(super) struct PartMap {
    pub laws: IdVec<LawId, Option<usize>>,
    registers: IdVec<RegisterId, Vec<usize>>,
    actions: IdVec<ActionId, Vec<usize>>,
}

impl PartMap {
    pub(super) fn new<'p>(compiled: &CompiledPolicy, parts: impl Iterator<Item = &'p PolicyPart>) -> Self {
        let policy = &compiled.policy;
        let mut map = Self {
            laws: policy.laws.iter().map(|_| None).collect(),
            registers: policy.registers.iter().map(|_| Vec::new()).collect(),
            actions: policy.atoms.actions.iter().map(|_| Vec::new()).collect(),
        };
        for (at, part) in parts.enumerate() {
            part.laws.iter().for_each(|&law| map.laws[law] = Some(at));
            part.registers.iter().for_each(|&register| map.registers[register].push(at));
            part.actions.iter().for_each(|&action| map.actions[action].push(at));
        }
        map
    }
    /// Whether no other part shares an action or a register with a part.
    pub(super) fn is_alone(&self, part: usize) -> bool {
        let mut all = self.registers.iter().chain(self.actions.iter());
        all.all(|parts| parts.len() == 1 || !parts.contains(&part))
    }
    /// The parts whose positions may differ in two states.
    pub(super) fn changed(&self, known: &PossibleState, state: &PossibleState) -> Vec<usize> {
        let mut parts = Vec::new();
        for ((law, own), other) in state.laws.iter().enumerate().zip(&known.laws) {
            if !own.is_untouched(other) {
                parts.extend(self.laws[LawId::from_index(law)]);
            }
        }
        for ((register, own), other) in state.registers.iter().enumerate().zip(&known.registers) {
            if !Arc::ptr_eq(own, other) && own.value != other.value {
                parts.extend(&self.registers[RegisterId::from_index(register)]);
            }
        }
        let same = state.pending.iter().zip(&known.pending).take_while(|(own, other)| own == other).count();
        for call in state.pending.iter().skip(same).chain(known.pending.iter().skip(same)) {
            parts.extend(call.last.actions.iter().flat_map(|&action| &self.actions[action]));
        }
        parts.sort_unstable();
        parts.dedup();
        parts
    }
}
