//! Construction of the letter of an event from the tables that match it.

use super::compiled::CompiledPolicy;
use super::observation::{EventContent, EventFault};
use super::program::{BoundLetter, UNKNOWN_VALUE};
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
    /// Binds a name; returns whether it is bound to another value already.
    pub(super) fn bind(&mut self, name: &str, value: String) -> bool {
        bind(&mut self.bind, name, value)
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
        faults.extend(two_of_a_group(compiled, &self.actions, "one call is"));
    }
}

/// Binds a name in a map; returns whether it is bound to another value already. A value that is known replaces one that
/// is not.
pub(super) fn bind(all: &mut BTreeMap<String, String>, name: &str, value: String) -> bool {
    match all.get(name) {
        Some(before) if before != UNKNOWN_VALUE => *before != value && value != UNKNOWN_VALUE,
        _ => {
            all.insert(name.to_owned(), value);
            false
        }
    }
}

/// The fault of two tables that name different actions of one group.
pub(super) fn two_of_a_group(
    compiled: &CompiledPolicy,
    named: &[ActionId],
    what: &str,
) -> Option<EventFault> {
    let actions = &compiled.policy.atoms.actions;
    let pairs =
        named.iter().enumerate().flat_map(|(i, &one)| named[..i].iter().map(move |&other| (other, one)));
    let mut same = pairs.filter(|&(other, one)| actions[other].group == actions[one].group);
    let (other, one) = same.next()?;
    let (first, second) = (&actions[other].name, &actions[one].name);
    let names = format!("{what} `{first}` and `{second}`");
    Some(EventFault::Contradiction(if actions[one].is_declared {
        format!("{names}, which are of one group")
    } else {
        format!(
            "{names}, and actions that no group names exclude each other: `groups = [[\"{first}\"], [\"{second}\"]]` in \
             `[actions]` lets one call be both"
        )
    }))
}
