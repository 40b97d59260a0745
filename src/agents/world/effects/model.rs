//! A simulated model that acts in a world of declared effects, with errors at given rates: it plans on the effects toward
//! the next sub-goal.

use super::EffectsWorld;
use crate::world::Environment;
use crate::world::refusal::{allowed, allowed_choice};
use crate::{AnswerKind, Oracle, OracleAnswer, OracleError, OracleRequest};
use std::collections::{BTreeSet, VecDeque};
use tsl_synth_core::base::Random;
use tsl_synth_policy::declared_world::{DeclaredWorld, Facts};
use tsl_synth_policy::language::{ActionId, Effects, Policy};

/// The error rates of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EffectsRates {
    /// It proposes an action at random instead of the next step of its plan.
    pub random: f64,
    /// After a refusal it chooses an action that the refusal lists as allowed.
    pub heed: f64,
    /// The score of the next step of its plan.
    pub useful: f64,
    /// The largest random part of a score.
    pub noise: f64,
}

impl Default for EffectsRates {
    fn default() -> Self {
        Self { random: 0.15, heed: 0.7, useful: 0.6, noise: 0.15 }
    }
}

/// The model.
#[derive(Clone, Debug)]
pub struct EffectsModel {
    /// The world as it was at the beginning; what holds now is read from the prompt.
    world: EffectsWorld,
    rates: EffectsRates,
    random: Random,
    /// The rest of the last plan, with the state in which each step is taken.
    plan: VecDeque<(Facts, ActionId)>,
}

/// A plan is searched among at most this many states.
const MOST_STATES: usize = 20_000;

impl EffectsModel {
    /// A model of the task of this world.
    pub fn new(world: EffectsWorld, rates: EffectsRates, seed: u64) -> Self {
        Self { world, rates, random: Random::new(seed), plan: VecDeque::new() }
    }

    /// The state that the text of the world describes.
    fn read(&self, text: &str) -> Facts {
        let policy = self.world.policy();
        let list = |head: &str| {
            let line = text.lines().rev().find_map(|line| line.strip_prefix(head)).unwrap_or_default();
            line.strip_suffix('.').unwrap_or(line).split(", ").map(str::to_owned).collect::<BTreeSet<_>>()
        };
        let (has, seen) = (list("You have: "), list("Observations: "));
        let amounts = policy.quantities.iter().map(|quantity| {
            let own = has.iter().filter_map(|entry| entry.split_once(' '));
            own.filter(|(_, name)| *name == quantity.name)
                .find_map(|(amount, _)| amount.parse().ok())
                .unwrap_or(0)
        });
        let declared = &self.world.spec.declared;
        let mut facts = declared.initial(policy);
        for (fact, amount) in facts.iter_mut().zip(amounts) {
            *fact = amount;
        }
        for (id, one) in policy.atoms.propositions.enumerate() {
            declared.set(&mut facts, id, seen.contains(&one.name));
        }
        facts
    }

    /// The state after an action where everything goes well; `None` if the action fails.
    fn after(&self, state: &Facts, action: ActionId) -> Option<Facts> {
        let policy: &Policy = self.world.policy();
        let own = &self.world.spec.actions[action];
        let none = Effects::default();
        let effects = policy.effects[action].as_ref().unwrap_or(&none);
        let requires = own.requires.as_ref();
        let declared = &self.world.spec.declared;
        if DeclaredWorld::missing(state, effects).next().is_some()
            || requires.is_some_and(|requires| !requires.holds(|id| declared.holds(state, id)))
            || own.succeeds == 0.0
        {
            return None;
        }
        let mut next = state.clone();
        declared.change(policy, &mut next, effects);
        for (id, _) in own.sets.iter().filter(|(_, chance)| *chance > 0.0) {
            declared.set(&mut next, *id, true);
        }
        for (id, _) in own.clears.iter().filter(|(_, chance)| *chance >= 1.0) {
            declared.set(&mut next, *id, false);
        }
        Some(next)
    }

    /// A shortest plan to the next sub-goal, or to the goal; empty if there is none within the limit.
    fn search(&self, state: &Facts, reached: &[String]) -> VecDeque<(Facts, ActionId)> {
        let policy = self.world.policy();
        let task = &self.world.spec.tasks[self.world.task];
        let next = task.sub_goals.iter().find(|(name, _)| !reached.contains(name)).map(|(_, when)| when);
        let Some(goal) = next.or(task.goal.as_ref()) else { return VecDeque::new() };
        let is_goal = |state: &Facts| goal.holds(|id| self.world.spec.declared.holds(state, id));
        let mut seen = BTreeSet::from([state.clone()]);
        let mut found: Vec<(Facts, Option<(usize, ActionId)>)> = vec![(state.clone(), None)];
        let mut at = 0;
        while at < found.len() {
            if is_goal(&found[at].0) {
                let mut plan = VecDeque::new();
                while let Some((before, action)) = found[at].1 {
                    plan.push_front((found[before].0.clone(), action));
                    at = before;
                }
                return plan;
            }
            for action in policy.atoms.actions.ids() {
                if let Some(next) = self.after(&found[at].0, action)
                    && found.len() < MOST_STATES
                    && seen.insert(next.clone())
                {
                    found.push((next, Some((at, action))));
                }
            }
            at += 1;
        }
        VecDeque::new()
    }

    /// A whole plan from a state to the goal, over all sub-goals on the way, as lines.
    fn whole_plan(&self, about: &str, mut reached: Vec<String>) -> String {
        let policy = self.world.policy();
        let task = &self.world.spec.tasks[self.world.task];
        let mut state = self.read(about);
        let mut lines: Vec<String> = Vec::new();
        for _ in 0..=task.sub_goals.len() {
            let plan = self.search(&state, &reached);
            for (_, action) in &plan {
                lines.push(policy.atoms.actions[*action].name.clone());
                state = self.after(&state, *action).unwrap_or(state);
            }
            let next = task.sub_goals.iter().find(|(name, _)| !reached.contains(name));
            reached.extend(next.map(|(name, _)| name.clone()));
        }
        lines.extend(task.ends.then(|| "DONE".to_owned()));
        lines.join("\n")
    }

    /// The next step toward the goal.
    fn next_step(&mut self, about: &str, reached: &[String]) -> Option<ActionId> {
        let state = self.read(about);
        while let Some((expected, action)) = self.plan.pop_front() {
            if expected == state {
                self.plan.push_front((expected, action));
                return Some(action);
            }
        }
        self.plan = self.search(&state, reached);
        self.plan.front().map(|(_, action)| *action)
    }

    /// The sub-goals that hold now or held before, as far as the states that this model saw tell.
    fn reached(&mut self, about: &str) -> Vec<String> {
        self.world.facts = self.read(about);
        self.world.note_goals();
        self.world.message().goals
    }

    fn choose(&mut self, request: &OracleRequest) -> usize {
        let reached = self.reached(&request.about);
        let next = self.next_step(&request.about, &reached);
        let place = |name: &str| request.choices.iter().position(|choice| choice == name);
        let next = next.and_then(|action| place(&self.world.policy().atoms.actions[action].name));
        // Drawn in any case, so that runs differ only by the effect of the laws.
        let [random, heed] = [self.rates.random, self.rates.heed].map(|rate| self.random.chance(rate));
        let any = self.random.below(request.choices.len().max(1));
        if heed && let Some(chosen) = allowed_choice(request, next, &mut self.random) {
            return chosen;
        }
        if random {
            return any;
        }
        // Without a plan an agent that is to declare the end does so when the goal is reached.
        let task = &self.world.spec.tasks[self.world.task];
        let is_done = task.goal.as_ref().is_none_or(|goal| goal.holds(|id| self.world.holds(id)));
        let done = place("DONE").filter(|_| is_done);
        done.or(next).unwrap_or(any)
    }
}

impl Oracle for EffectsModel {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        match request.kind {
            AnswerKind::Choose => Ok(OracleAnswer::Choice(self.choose(request))),
            AnswerKind::Score => {
                let chosen = self.choose(request);
                let score = |i: usize, noise: usize| {
                    let noise = self.rates.noise * noise as f64 / 1000.0;
                    if i == chosen { self.rates.useful + noise } else { noise }
                };
                let noises: Vec<usize> = request.choices.iter().map(|_| self.random.below(1000)).collect();
                Ok(OracleAnswer::Scores(noises.into_iter().enumerate().map(|(i, n)| score(i, n)).collect()))
            }
            AnswerKind::Generate if request.subject == "plan" => {
                let reached = self.reached(&request.about);
                let heed = self.random.chance(self.rates.heed);
                // After a refusal: an action that is allowed, and then a new plan.
                let named = allowed(&request.prompt).filter(|allowed| heed && !allowed.is_empty());
                let text = match named {
                    Some(allowed) => allowed[self.random.below(allowed.len())].to_owned(),
                    None => self.whole_plan(&request.about, reached),
                };
                Ok(OracleAnswer::Text(text))
            }
            kind => {
                Err(OracleError::Unusable(format!("this simulated model only acts, and answers no `{kind}`")))
            }
        }
    }
}
