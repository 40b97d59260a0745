//! What a simulated model knows of a world: what its texts say, and what its own actions must have done.

use super::EffectsWorld;
use super::rule::Luck;
use super::state::SlotKind;
use crate::OracleRequest;
use crate::world::Environment;
use std::collections::BTreeSet;

/// The names of the last line with this head.
fn list<'t>(text: &'t str, head: &str) -> Option<BTreeSet<&'t str>> {
    let line = text.lines().rev().find_map(|line| line.strip_prefix(head))?;
    let names = line.strip_suffix('.').unwrap_or(line).split(", ");
    Some(names.filter(|name| *name != "nothing").collect())
}

/// A world as a model remembers it.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub(super) world: EffectsWorld,
    /// Its last choice.
    last: Option<String>,
}

impl Memory {
    /// The world as it was at the beginning.
    pub(super) fn new(world: &EffectsWorld) -> Self {
        Self { world: world.imagined(false), last: None }
    }

    /// Keeps a choice, of which the next request tells whether it was done.
    pub(super) fn chose(&mut self, action: Option<String>) {
        self.last = action;
    }

    /// Learns from a request; returns the last choice, if it was done, and the world before it.
    pub(super) fn learn(&mut self, request: &OracleRequest) -> Option<(String, EffectsWorld)> {
        let last = self.last.take();
        // A refused or failed action changed nothing.
        let done = last.filter(|last| request.about.starts_with(&format!("{last}: done.")));
        let before = self.world.clone();
        if let Some(action) = &done {
            self.world.act_luckily(action);
        }
        self.world.correct(&request.about);
        done.map(|action| (action, before))
    }
}

impl EffectsWorld {
    /// Carries out an action of which the agent was told that it succeeded.
    fn act_luckily(&mut self, action: &str) {
        let rule = self.spec.rules.iter().find(|rule| rule.name == action);
        let after = rule.map(|rule| Self::after(&self.spec, rule, &self.state, Luck::Good));
        if let Some(Ok(state)) = after {
            self.state = state;
        }
        self.begins = false;
        self.note_goals();
    }

    /// Corrects the state by what a text of the world says.
    pub(super) fn correct(&mut self, text: &str) {
        let words = &self.spec.words;
        if let Some(has) = list(text, "You have: ") {
            for (slot, value) in words.slots.iter().zip(&mut self.state) {
                if slot.kind == SlotKind::Amount && slot.is_told {
                    let amounts = has.iter().filter_map(|entry| entry.split_once(' '));
                    let mut own = amounts.filter(|(_, name)| *name == slot.shown);
                    *value = own.find_map(|(amount, _)| amount.parse().ok()).unwrap_or(0);
                }
            }
        }
        if let Some(seen) = list(text, "Observations: ") {
            for (name, meaning) in words.meanings.iter().filter(|(_, meaning)| meaning.is_told) {
                let holds = seen.contains(name.as_str());
                if let Some(fact) = meaning.fact {
                    self.state[fact] = u32::from(holds);
                    continue;
                }
                for atom in &meaning.any {
                    let (slot, value) = (&words.slots[atom.slot], &mut self.state[atom.slot]);
                    match slot.kind {
                        SlotKind::Amount if slot.is_told => {}
                        SlotKind::Amount if holds => *value = (*value).max(atom.value),
                        SlotKind::Amount => *value = (*value).min(atom.value.saturating_sub(1)),
                        _ if holds => *value = atom.value,
                        _ => {}
                    }
                }
            }
        }
        if let Some(map) = &self.spec.map {
            let said = |at: &usize| {
                let sentence = map.here.replace("{place}", &map.places[*at].shown);
                text.contains(&sentence)
            };
            let place = (0..map.places.len()).find(said).and_then(|at| u32::try_from(at).ok());
            self.state[map.slot] = place.unwrap_or(self.state[map.slot]);
        }
        self.note_goals();
    }
}
