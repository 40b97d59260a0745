//! Worlds as files: rules over numbers and names, with chances, places, things and tasks.
//!
//! The rules come from the effects that a policy declares (`[actions.effects]`), from the actions of the file itself, or
//! from both. An action that is not possible fails with the error of the file and changes nothing.

mod condition;
mod entries;
mod families;
mod file;
mod law_model;
mod map;
mod memory;
mod planner;
mod resolve;
mod resolver;
mod rule;
mod search;
mod spec;
mod state;
mod things;
#[cfg(test)]
mod own_tests;
#[cfg(test)]
mod tests;

pub use file::{world_policy, world_schema};
pub use law_model::{LawModel, LawRates};
pub use planner::{EffectsModel, EffectsRates};
pub use spec::{WorldSpec, WorldTask};

use super::{Environment, Offer, ToolCall, WorldMessage};
use rule::{Luck, Rule};
use state::{SlotKind, State};
use std::collections::BTreeSet;
use std::sync::Arc;
use tsl_synth_core::base::Random;

/// A world that is played.
#[derive(Clone, Debug)]
pub struct EffectsWorld {
    spec: Arc<WorldSpec>,
    task: usize,
    state: State,
    /// Which sub-goals were reached.
    goals: Vec<bool>,
    random: Random,
    /// In a copy for trying actions: whether all random effects take place, or none.
    certain: Option<bool>,
    /// Whether no action was tried yet.
    begins: bool,
    last: Result<String, String>,
}

impl EffectsWorld {
    /// The world in the initial state of the task with this index.
    pub fn new(spec: Arc<WorldSpec>, task: usize, seed: u64) -> Self {
        let state = spec.tasks[task].begin.clone();
        let goals = vec![false; spec.tasks[task].sub_goals.len()];
        let random = Random::new(seed);
        let (certain, begins, last) = (None, true, Ok(String::new()));
        let mut own = Self { spec, task, state, goals, random, certain, begins, last };
        own.note_goals();
        own
    }

    /// The same world where these propositions hold and no others; amounts are the least ones that fit.
    pub fn with_truths(mut self, truths: &BTreeSet<String>) -> Self {
        let words = &self.spec.words;
        for (slot, value) in words.slots.iter().zip(&mut self.state) {
            if slot.kind == SlotKind::Amount {
                *value = 0;
            }
        }
        for (name, meaning) in &words.meanings {
            let holds = truths.contains(name);
            if let Some(fact) = meaning.fact {
                self.state[fact] = u32::from(holds);
            } else if holds {
                for atom in &meaning.any {
                    self.state[atom.slot] = self.state[atom.slot].max(atom.value);
                }
            }
        }
        self
    }

    /// The same world with a new seed for all further random effects.
    #[must_use]
    pub fn reseeded(&self, seed: u64) -> Self {
        Self { random: Random::new(seed), ..self.clone() }
    }

    /// Its description.
    pub fn spec(&self) -> &Arc<WorldSpec> {
        &self.spec
    }

    /// The task that is played.
    pub fn task(&self) -> &WorldTask {
        &self.spec.tasks[self.task]
    }

    fn note_goals(&mut self) {
        let goals = &self.spec.tasks[self.task].sub_goals;
        for (reached, (_, when)) in self.goals.iter_mut().zip(goals) {
            *reached |= when.holds(&self.state);
        }
    }

    /// The propositions that hold and that the world tells.
    pub fn truths(&self) -> BTreeSet<String> {
        self.spec.words.told(&self.state).map(str::to_owned).collect()
    }

    /// The last action, if it succeeded (empty at the beginning); an error if it failed.
    ///
    /// # Errors
    /// The error of the environment.
    pub fn last(&self) -> Result<&str, &str> {
        self.last.as_deref().map_err(String::as_str)
    }

    /// The sub-goals that were reached so far, in the order of the file.
    pub fn goals(&self) -> impl Iterator<Item = &str> {
        let goals = self.task().sub_goals.iter().zip(&self.goals).filter(|(_, reached)| **reached);
        goals.map(|((name, _), _)| name.as_str())
    }

    /// Whether the goal is reached.
    pub fn is_reached(&self) -> bool {
        self.task().is_reached(&self.state)
    }

    /// The state after an action.
    fn after(spec: &WorldSpec, rule: &Rule, state: &State, luck: Luck) -> Result<State, String> {
        let Some((map, to)) = spec.map.as_ref().zip(rule.walk) else {
            return rule.act(&spec.words, state, luck);
        };
        map.possible(state, to, |slot| spec.words.slots[slot].shown.clone())?;
        let mut walk = rule.clone();
        // What the file adds to a walk happens at its end.
        walk.steps.insert(0, rule::Step { changes: map.changes(state, to), ..rule::Step::default() });
        walk.act(&spec.words, state, luck)
    }

    fn try_to(&mut self, action: &str) -> Result<(), String> {
        let spec = Arc::clone(&self.spec);
        let rule = spec.rules.iter().find(|rule| rule.name == action).ok_or("there is no such action")?;
        let luck = match self.certain {
            None => Luck::Drawn(&mut self.random),
            Some(all) => Luck::Certain(all, &mut self.random),
        };
        self.state = Self::after(&spec, rule, &self.state, luck)?;
        Ok(())
    }

    /// The calls that an action consists of now.
    fn calls(&self, rule: &Rule) -> Vec<ToolCall> {
        Self::calls_in(&self.spec, rule, &self.state)
    }

    /// The calls that an action consists of in a state.
    fn calls_in(spec: &WorldSpec, rule: &Rule, state: &State) -> Vec<ToolCall> {
        let walk = spec.map.as_ref().zip(rule.walk);
        let calls = walk.map_or_else(Vec::new, |(map, to)| map.calls(state, to));
        // A walk that changes no place fails, and is a call like any other action.
        if calls.is_empty() { rule.calls.clone() } else { calls }
    }

    /// The calls that nobody chose: where the agent is, at the beginning.
    fn happened(&self) -> Vec<ToolCall> {
        let map = self.spec.map.as_ref().filter(|_| self.begins);
        map.and_then(|map| map.call(&[map.place(&self.state)])).into_iter().collect()
    }

    fn words(&self) -> String {
        let words = &self.spec.words;
        let mut lines: Vec<String> = match &self.last {
            Ok(done) if done.is_empty() => self.spec.text.trim_end().lines().map(str::to_owned).collect(),
            Ok(done) => vec![format!("{done}: done.")],
            Err(why) => vec![format!("Error: {}.", why.trim_end_matches('.'))],
        };
        let list = |names: Vec<String>| if names.is_empty() { "nothing".into() } else { names.join(", ") };
        let told = |kind: SlotKind| {
            let slots = words.slots.iter().zip(&self.state);
            slots.filter(move |(slot, _)| slot.kind == kind && slot.is_told)
        };
        let done: Vec<&str> = told(SlotKind::Done)
            .filter(|(_, value)| **value > 0)
            .map(|(slot, _)| slot.shown.as_str())
            .collect();
        let done = if done.is_empty() { String::new() } else { format!("Done so far: {}.", done.join(", ")) };
        let here = self.spec.map.as_ref().map(|map| map.words(&self.state)).unwrap_or_default();
        let both = [here, done].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ");
        lines.extend((!both.is_empty()).then_some(both));
        if told(SlotKind::Amount).next().is_some() {
            let there = told(SlotKind::Amount).filter(|(_, amount)| **amount > 0);
            let there = there.map(|(slot, amount)| format!("{amount} {}", slot.shown)).collect();
            lines.push(format!("You have: {}.", list(there)));
        }
        if self.spec.tells {
            lines.push(format!("Observations: {}.", list(self.truths().into_iter().collect())));
        }
        lines.join("\n")
    }
}

impl Environment for EffectsWorld {
    fn message(&self) -> WorldMessage {
        let offers = self.spec.rules.iter();
        WorldMessage {
            text: self.words(),
            ok: self.last.is_ok(),
            truths: self.spec.tells.then(|| self.truths()),
            happened: self.happened(),
            actions: offers.map(|rule| Offer { name: rule.name.clone(), calls: self.calls(rule) }).collect(),
            goals: self.goals().map(str::to_owned).collect(),
            reached: self.is_reached(),
            ends: self.task().ends,
        }
    }

    fn imagined(&self, chances: bool) -> Self {
        Self { certain: Some(chances), ..self.clone() }
    }

    fn act(&mut self, action: &str) {
        self.begins = false;
        self.last = self.try_to(action).map(|()| action.to_owned());
        self.note_goals();
    }
}
