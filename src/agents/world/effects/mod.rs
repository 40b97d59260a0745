//! Worlds of one's own: the effects that a policy declares, played with the chances, conditions and tasks of a world file.
//!
//! An action whose `needs` or `requires` do not hold fails with the error of the file and changes nothing. Otherwise it
//! succeeds with its probability: then quantities and propositions change as the policy declares (`changes`, `sets`,
//! `clears`), and what may change does with the probabilities of the file (`may_set`, `may_clear`), each independently.

mod condition;
mod file;
mod model;
#[cfg(test)]
mod tests;

pub use file::{WorldSpec, WorldTask, world_policy};
pub use model::{EffectsModel, EffectsRates};

use super::{Environment, Offer, WorldMessage};
use std::collections::BTreeSet;
use std::sync::Arc;
use tsl_synth_core::base::{IdVec, Random};
use tsl_synth_policy::declared_world::{DeclaredWorld, Facts};
use tsl_synth_policy::language::{ActionId, Effects, Named, Policy, PropositionId};

/// A world that is played.
#[derive(Clone, Debug)]
pub struct EffectsWorld {
    spec: Arc<WorldSpec>,
    task: usize,
    facts: Facts,
    /// Which sub-goals were reached.
    goals: Vec<bool>,
    random: Random,
    /// In a copy for trying actions: whether all random effects take place, or none.
    certain: Option<bool>,
    last: Result<String, String>,
}

impl EffectsWorld {
    /// The world in the initial state of the task with this index.
    pub fn new(spec: Arc<WorldSpec>, task: usize, seed: u64) -> Self {
        let facts = spec.tasks[task].begin.clone();
        let goals = vec![false; spec.tasks[task].sub_goals.len()];
        let mut own = Self {
            spec,
            task,
            facts,
            goals,
            random: Random::new(seed),
            certain: None,
            last: Ok(String::new()),
        };
        own.note_goals();
        own
    }

    /// The same world where these propositions hold and no others; quantities have the least amounts that fit.
    pub fn with_truths(mut self, truths: &BTreeSet<String>) -> Self {
        let spec = Arc::clone(&self.spec);
        let policy = &spec.compiled.policy;
        let holds = |id: PropositionId| truths.contains(&policy.atoms.propositions[id].name);
        for id in policy.atoms.propositions.ids() {
            spec.declared.set(&mut self.facts, id, holds(id));
        }
        for (amount, quantity) in self.facts.iter_mut().zip(&policy.quantities) {
            let reached = quantity.thresholds.iter().filter(|(id, _)| holds(*id));
            let least = reached.map(|(_, least)| *least).max().unwrap_or(0);
            *amount = u8::try_from(least).unwrap_or(u8::MAX);
        }
        self
    }

    fn policy(&self) -> &Policy {
        &self.spec.compiled.policy
    }

    fn holds(&self, id: PropositionId) -> bool {
        self.spec.declared.holds(&self.facts, id)
    }

    fn note_goals(&mut self) {
        let task = &self.spec.tasks[self.task];
        for (reached, (_, when)) in self.goals.iter_mut().zip(&task.sub_goals) {
            *reached |= when.holds(|id| self.spec.declared.holds(&self.facts, id));
        }
    }

    /// The propositions that hold.
    pub fn truths(&self) -> BTreeSet<String> {
        let all = self.policy().atoms.propositions.enumerate();
        let own = all.filter(|(id, one)| !one.is_computed && self.holds(*id));
        own.map(|(_, one)| one.name.clone()).collect()
    }

    fn try_to(&mut self, action: &str) -> Result<(), String> {
        let spec = Arc::clone(&self.spec);
        let policy = &spec.compiled.policy;
        let Some(Named::Action(id)) = policy.atoms.named(action) else {
            return Err("there is no such action".into());
        };
        let own = &spec.actions[id];
        let none = Effects::default();
        let effects = policy.effects[id].as_ref().unwrap_or(&none);
        // Drawn in any case, so that runs with the same seed differ only by what is done.
        let succeeds = self.random.chance(own.succeeds) || self.certain.is_some();
        let certain = self.certain;
        let mut drawn = |chances: &[(PropositionId, f64)]| -> Vec<PropositionId> {
            let happens = chances.iter().filter(|(_, chance)| {
                let drawn = self.random.chance(*chance);
                certain.map_or(drawn, |all| all && *chance > 0.0)
            });
            happens.map(|(id, _)| *id).collect()
        };
        let (set, cleared) = (drawn(&own.sets), drawn(&own.clears));
        let missing: Vec<String> = DeclaredWorld::missing(&self.facts, effects)
            .map(|(quantity, least)| format!("{least} {}", policy.quantities[quantity].name))
            .collect();
        if !missing.is_empty() {
            return Err(format!("missing: {}", missing.join(", ")));
        }
        if own.requires.as_ref().is_some_and(|requires| !requires.holds(|id| self.holds(id))) {
            return Err(own.error.clone());
        }
        if !succeeds {
            return Err(own.fails.clone());
        }
        spec.declared.change(policy, &mut self.facts, effects);
        for (ids, value) in [(set, true), (cleared, false)] {
            for id in ids {
                spec.declared.set(&mut self.facts, id, value);
            }
        }
        Ok(())
    }

    fn words(&self) -> String {
        let mut text = match &self.last {
            Ok(done) if done.is_empty() && self.spec.text.is_empty() => String::new(),
            Ok(done) if done.is_empty() => format!("{}\n", self.spec.text.trim_end()),
            Ok(done) => format!("{done}: done.\n"),
            Err(why) => format!("Error: {}.\n", why.trim_end_matches('.')),
        };
        let list =
            |names: Vec<String>| if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
        if !self.policy().quantities.is_empty() {
            let amounts = self.policy().quantities.iter().zip(&self.facts);
            let there = amounts.filter(|(_, amount)| **amount > 0);
            let there = there.map(|(quantity, amount)| format!("{amount} {}", quantity.name)).collect();
            text.extend(["You have: ", &list(there), ".\n"]);
        }
        text.extend(["Observations: ", &list(self.truths().into_iter().collect()), "."]);
        text
    }
}

impl Environment for EffectsWorld {
    fn message(&self) -> WorldMessage {
        let task = &self.spec.tasks[self.task];
        let actions: &IdVec<ActionId, _> = &self.policy().atoms.actions;
        let offers = actions.iter().zip(self.spec.actions.iter());
        let goals = task.sub_goals.iter().zip(&self.goals).filter(|(_, reached)| **reached);
        WorldMessage {
            text: self.words(),
            ok: self.last.is_ok(),
            truths: Some(self.truths()),
            happened: Vec::new(),
            actions: offers
                .map(|(action, own)| Offer { name: action.name.clone(), calls: own.calls.clone() })
                .collect(),
            goals: goals.map(|((name, _), _)| name.clone()).collect(),
            reached: task.goal.as_ref().is_some_and(|goal| goal.holds(|id| self.holds(id))),
            ends: task.ends,
        }
    }

    fn imagined(&self, chances: bool) -> Self {
        Self { certain: Some(chances), ..self.clone() }
    }

    fn act(&mut self, action: &str) {
        self.last = self.try_to(action).map(|()| action.to_owned());
        self.note_goals();
    }
}
