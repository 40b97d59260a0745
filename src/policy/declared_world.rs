//! The world that the declared effects of a policy describe: bounded quantities and remembered propositions, which actions
//! change.

use crate::language::{Effects, Policy, PropositionId};
use tsl_synth_core::base::Id;

/// A state of the world: the amounts of the quantities, then the values of the propositions that are facts.
pub type Facts = Box<[u8]>;

/// Where the facts stand, and which propositions follow from amounts.
#[derive(Clone, Debug)]
pub struct DeclaredWorld {
    /// For each proposition its index among the facts; `None` for those that follow from amounts or that registers compute.
    places: Vec<Option<usize>>,
    /// For each proposition the quantities whose amount makes it hold, with the least such amount.
    thresholds: Vec<Vec<(usize, u32)>>,
    facts: usize,
}

impl DeclaredWorld {
    /// The world of a policy.
    pub fn new(policy: &Policy) -> Self {
        let mut thresholds = vec![Vec::new(); policy.atoms.propositions.len()];
        for (quantity, one) in policy.quantities.iter().enumerate() {
            for &(id, least) in &one.thresholds {
                thresholds[id.index()].push((quantity, least));
            }
        }
        let mut facts = policy.quantities.len();
        let places = policy.atoms.propositions.enumerate().map(|(id, proposition)| {
            let is_fact = thresholds[id.index()].is_empty() && !proposition.is_computed;
            facts += usize::from(is_fact);
            is_fact.then(|| facts - 1)
        });
        let places = places.collect();
        Self { places, thresholds, facts }
    }
    /// The facts before the first action.
    pub fn initial(&self, policy: &Policy) -> Facts {
        let mut facts = vec![0; self.facts].into_boxed_slice();
        for (amount, quantity) in facts.iter_mut().zip(&policy.quantities) {
            // At most 255, as quantities are read.
            *amount = u8::try_from(quantity.initial).unwrap_or(u8::MAX);
        }
        for (id, proposition) in policy.atoms.propositions.enumerate() {
            self.set(&mut facts, id, proposition.initial);
        }
        facts
    }
    /// Whether a proposition holds: one that follows from amounts where some amount is large enough.
    pub fn holds(&self, facts: &[u8], id: PropositionId) -> bool {
        match self.places[id.index()] {
            Some(place) => facts[place] != 0,
            None => self.thresholds[id.index()]
                .iter()
                .any(|&(quantity, least)| u32::from(facts[quantity]) >= least),
        }
    }
    /// The index of a proposition among the facts, if it is one.
    pub fn place(&self, id: PropositionId) -> Option<usize> {
        self.places[id.index()]
    }
    /// A quantity from which a proposition follows.
    pub fn counted(&self, id: PropositionId) -> Option<usize> {
        self.thresholds[id.index()].first().map(|&(quantity, _)| quantity)
    }
    /// Changes a proposition, if it is a fact.
    pub fn set(&self, facts: &mut [u8], id: PropositionId, value: bool) {
        if let Some(place) = self.places[id.index()] {
            facts[place] = u8::from(value);
        }
    }
    /// The quantities of which an action needs more than there is, with the amounts that it needs.
    pub fn missing<'e>(facts: &'e [u8], effects: &'e Effects) -> impl Iterator<Item = (usize, u32)> + 'e {
        effects.needs.iter().copied().filter(|&(quantity, least)| u32::from(facts[quantity]) < least)
    }
    /// Changes what an action surely changes.
    pub fn change(&self, policy: &Policy, facts: &mut [u8], effects: &Effects) {
        for &(quantity, by) in &effects.changes {
            let most = i64::from(policy.quantities[quantity].most);
            let value = (i64::from(facts[quantity]) + i64::from(by)).clamp(0, most);
            facts[quantity] = u8::try_from(value).unwrap_or(u8::MAX);
        }
        for (ids, value) in [(&effects.sets, true), (&effects.clears, false)] {
            for &id in ids {
                self.set(facts, id, value);
            }
        }
    }
}
