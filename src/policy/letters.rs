//! Construction of the letter of an event from the tables that match it.

use super::compiled::CompiledPolicy;
use super::observation::{EventContent, EventFault};
use super::program::BoundLetter;
use crate::language::{ActionId, LawAtom, PropositionId, RegisterId};
use std::collections::BTreeMap;
use tsl_synth_core::base::Decimal;
use tsl_synth_core::logic::Letter;

/// A letter under construction.
#[derive(Default)]
pub(super) struct LetterBuilder {
    pub(super) actions: Vec<ActionId>,
    pub(super) set: BTreeMap<PropositionId, bool>,
    pub(super) bind: BTreeMap<String, String>,
    pub(super) amounts: Vec<(RegisterId, Decimal)>,
}

impl LetterBuilder {
    pub(super) fn action(&mut self, action: ActionId) {
        if !self.actions.contains(&action) {
            self.actions.push(action);
        }
    }
    pub(super) fn is_silent(&self) -> bool {
        self.actions.is_empty() && self.set.is_empty()
    }
    pub(super) fn bindings(&self) -> Vec<(String, String)> {
        self.bind.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    }
    pub(super) fn bits(&self, compiled: &CompiledPolicy) -> Letter {
        let atoms = &compiled.policy.atoms;
        let mut letter = Letter::default();
        for &action in &self.actions {
            letter.insert(atoms.bit(LawAtom::Call(action)));
        }
        for (&id, &value) in &self.set {
            match (value, atoms.propositions[id].is_state) {
                (true, _) => letter.insert(atoms.bit(LawAtom::Proposition(id))),
                (false, true) => letter.insert(atoms.bit(LawAtom::Clear(id))),
                (false, false) => false,
            };
        }
        letter
    }
    pub(super) fn bound(&self, compiled: &CompiledPolicy) -> BoundLetter {
        BoundLetter { letter: self.bits(compiled), bindings: self.bindings(), amounts: self.amounts.clone() }
    }
    pub(super) fn truths(&self, compiled: &CompiledPolicy, complete: bool) -> EventContent {
        if self.is_silent() && !complete {
            return EventContent::Nothing;
        }
        EventContent::Truths { letter: self.bound(compiled), complete }
    }
    pub(super) fn check_groups(&self, compiled: &CompiledPolicy, faults: &mut Vec<EventFault>) {
        let actions = &compiled.policy.atoms.actions;
        for (i, &one) in self.actions.iter().enumerate() {
            if let Some(&other) =
                self.actions[..i].iter().find(|&&other| actions[other].group == actions[one].group)
            {
                faults.push(EventFault::Contradiction(format!(
                    "one call is `{}` and `{}`, which are of one group",
                    actions[other].name, actions[one].name
                )));
            }
        }
    }
}
