//! States of a world of declared effects, and how actions surely change them.

use tsl_synth_core::base::Id;
use tsl_synth_policy::language::{Effects, Policy, PropositionId};

/// A state of the world.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WorldState {
    /// Whether each proposition holds; always false for those that follow from quantities or are computed by registers.
    pub(super) facts: Vec<bool>,
    /// The amounts of the quantities.
    pub(super) amounts: Vec<u32>,
}

impl WorldState {
    /// Whether a proposition holds: one with thresholds where a quantity is large enough.
    pub(super) fn holds(&self, policy: &Policy, id: PropositionId) -> bool {
        let mut enough = policy.quantities.iter().zip(&self.amounts).flat_map(|(quantity, amount)| {
            quantity.thresholds.iter().filter(|(own, _)| *own == id).map(|(_, least)| *amount >= *least)
        });
        self.facts[id.index()] || enough.any(|enough| enough)
    }

    /// What an action needs and is not there, as a sentence.
    pub(super) fn missing(&self, policy: &Policy, effects: &Effects) -> Option<String> {
        let missing = effects.needs.iter().filter(|(quantity, least)| self.amounts[*quantity] < *least);
        let missing: Vec<String> = missing
            .map(|&(quantity, least)| format!("{least} {}", policy.quantities[quantity].name))
            .collect();
        (!missing.is_empty()).then(|| format!("missing: {}", missing.join(", ")))
    }

    /// Changes what an action surely changes.
    pub(super) fn change(&mut self, policy: &Policy, effects: &Effects) {
        for &(quantity, by) in &effects.changes {
            let most = policy.quantities[quantity].most;
            self.amounts[quantity] = self.amounts[quantity].saturating_add_signed(by).min(most);
        }
        for (ids, value) in [(&effects.sets, true), (&effects.clears, false)] {
            for &id in ids {
                self.set(policy, id, value);
            }
        }
    }

    /// Changes a proposition, unless it follows from a quantity or is computed.
    pub(super) fn set(&mut self, policy: &Policy, id: PropositionId, value: bool) {
        self.facts[id.index()] = value && is_own(policy, id);
    }
}

/// Whether a proposition is a fact of the world: neither computed by a register nor determined by a quantity.
pub(super) fn is_own(policy: &Policy, id: PropositionId) -> bool {
    let is_counted = |quantity: &tsl_synth_policy::language::Quantity| {
        quantity.thresholds.iter().any(|(own, _)| *own == id)
    };
    !policy.atoms.propositions[id].is_computed && !policy.quantities.iter().any(is_counted)
}
