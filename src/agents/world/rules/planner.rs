//! A simulated model that acts in a world by its rules, with errors at given rates: it plans toward the next sub-goal.

use super::memory::Memory;
use super::rule::{Rule, Test};
use super::search::{favorable, helpful};
use super::state::State;
use super::{EffectsWorld, WorldSpec, WorldTask};
use crate::world::refusal::{allowed, allowed_choice};
use crate::{AnswerKind, Oracle, OracleAnswer, OracleError, OracleRequest};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use tsl_synth_core::base::Random;

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
    memory: Memory,
    rates: EffectsRates,
    random: Random,
    /// The rest of the last plan, with the state in which each step is taken.
    plan: VecDeque<(State, String)>,
    /// Plans that were searched before, by the state and the number of the sub-goal that comes next: laws may lead an
    /// agent to the same states again and again.
    known: BTreeMap<(State, usize), VecDeque<(State, String)>>,
}

/// A plan is searched among at most this many states.
const MOST_STATES: usize = 20_000;
/// The most actions that are tried in the search for a shortest plan to a goal of several parts, which is searched part by
/// part otherwise.
const MOST_TRIED: usize = 200_000;
/// At most this many plans are kept.
const MOST_PLANS: usize = 2_000;

/// A plan from a state to one where these tests hold: a shortest one, or else one that makes the parts of the goal true one
/// after the other, each as soon as possible without losing another. Empty if there is none within the limit.
fn search(spec: &WorldSpec, state: &State, goal: &[&Test]) -> VecDeque<(State, String)> {
    let parts: Vec<Test> = goal.iter().flat_map(|test| test.parts()).collect();
    let most = if parts.len() < 2 { usize::MAX } else { MOST_TRIED };
    let rules = helpful(spec, goal.iter().flat_map(|test| test.slots()));
    let (plan, _) = shortest(spec, &rules, state, goal, &[], most);
    if !plan.is_empty() || parts.len() < 2 || parts.iter().all(|part| part.holds(state)) {
        return plan;
    }
    let (mut all, mut state) = (VecDeque::new(), state.clone());
    loop {
        let (kept, open): (Vec<&Test>, Vec<&Test>) = parts.iter().partition(|part| part.holds(&state));
        if open.is_empty() {
            return all;
        }
        let of_part = |part: &&Test| {
            let rules = helpful(spec, part.slots());
            let alone: Vec<&Rule> = rules.iter().copied().filter(|rule| is_about(spec, rule, part)).collect();
            [alone, rules]
                .iter()
                .map(|rules| shortest(spec, rules, &state, &[*part], &kept, MOST_TRIED))
                .find(|(plan, _)| !plan.is_empty())
        };
        let next = open.iter().filter_map(of_part).min_by_key(|(plan, _)| plan.len());
        let Some((plan, end)) = next else { return VecDeque::new() };
        all.extend(plan);
        state = end;
    }
}

/// Whether a rule moves nothing but the agent and things that a part of a goal is about.
fn is_about(spec: &WorldSpec, rule: &Rule, part: &Test) -> bool {
    let own = part.slots();
    let is_other = |slot: usize| spec.objects.contains(&slot) && !own.contains(&slot);
    rule.walk.is_some() || !rule.changed().any(is_other)
}

/// A shortest plan by these rules from a state to one where these tests hold and the others still do, and that state; empty
/// if there is none within the limit.
fn shortest(
    spec: &WorldSpec,
    rules: &[&Rule],
    state: &State,
    goal: &[&Test],
    kept: &[&Test],
    most: usize,
) -> (VecDeque<(State, String)>, State) {
    let mut seen = BTreeSet::from([state.clone()]);
    let mut found: Vec<(State, Option<(usize, &Rule)>)> = vec![(state.clone(), None)];
    let (mut at, mut tried) = (0, 0);
    while at < found.len() && tried < most {
        tried += rules.len();
        if goal.iter().chain(kept).all(|test| test.holds(&found[at].0)) {
            let (mut plan, end) = (VecDeque::new(), found[at].0.clone());
            while let Some((before, rule)) = found[at].1 {
                plan.push_front((found[before].0.clone(), rule.name.clone()));
                at = before;
            }
            return (plan, end);
        }
        for &rule in rules {
            if let Some(next) = favorable(spec, rule, &found[at].0)
                && found.len() < MOST_STATES
                && seen.insert(next.clone())
            {
                found.push((next, Some((at, rule))));
            }
        }
        at += 1;
    }
    (VecDeque::new(), state.clone())
}

/// What is to be reached next: the first sub-goal that was not reached, or the goal.
fn next_goal<'t>(task: &'t WorldTask, reached: &[String]) -> Vec<&'t Test> {
    match task.sub_goals.iter().find(|(name, _)| !reached.contains(name)) {
        Some((_, when)) => vec![when],
        None => task.goal.iter().collect(),
    }
}

impl EffectsModel {
    /// A model of the task of this world.
    pub fn new(world: &EffectsWorld, rates: EffectsRates, seed: u64) -> Self {
        Self {
            memory: Memory::new(world),
            rates,
            random: Random::new(seed),
            plan: VecDeque::new(),
            known: BTreeMap::new(),
        }
    }

    fn reached(&self) -> Vec<String> {
        self.memory.world.goals().map(str::to_owned).collect()
    }

    /// A plan toward what is to be reached next.
    fn search(&self, state: &State, reached: &[String]) -> VecDeque<(State, String)> {
        let goal = next_goal(self.memory.world.task(), reached);
        if goal.is_empty() { VecDeque::new() } else { search(&self.memory.world.spec, state, &goal) }
    }

    /// A whole plan to the goal, over all sub-goals on the way, as lines.
    fn whole_plan(&self) -> String {
        let (spec, task) = (Arc::clone(&self.memory.world.spec), self.memory.world.task());
        let (mut state, mut reached) = (self.memory.world.state.clone(), self.reached());
        let mut lines: Vec<String> = Vec::new();
        for _ in 0..=task.sub_goals.len() {
            let plan = self.search(&state, &reached);
            for (_, action) in &plan {
                let rule = spec.rules.iter().find(|rule| rule.name == *action);
                state = rule.and_then(|rule| favorable(&spec, rule, &state)).unwrap_or(state);
                lines.push(action.clone());
            }
            let next = task.sub_goals.iter().find(|(name, _)| !reached.contains(name));
            reached.extend(next.map(|(name, _)| name.clone()));
        }
        lines.extend(task.ends.then(|| "DONE".to_owned()));
        lines.join("\n")
    }

    /// The next step toward the goal.
    fn next_step(&mut self) -> Option<String> {
        let state = self.memory.world.state.clone();
        while let Some((expected, action)) = self.plan.pop_front() {
            if expected == state {
                self.plan.push_front((expected, action.clone()));
                return Some(action);
            }
        }
        let reached = self.reached();
        let sub_goals = &self.memory.world.task().sub_goals;
        let next = sub_goals.iter().position(|(name, _)| !reached.contains(name)).unwrap_or(sub_goals.len());
        let key = (state, next);
        self.plan = match self.known.get(&key) {
            Some(plan) => plan.clone(),
            None => self.search(&key.0, &reached),
        };
        if self.known.len() < MOST_PLANS {
            self.known.insert(key, self.plan.clone());
        }
        self.plan.front().map(|(_, action)| action.clone())
    }

    fn choose(&mut self, request: &OracleRequest) -> usize {
        let next = self.next_step();
        let place = |name: &str| request.choices.iter().position(|choice| choice == name);
        let next = next.and_then(|action| place(&action));
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
        let world = &self.memory.world;
        let is_done = world.is_reached() || !world.task().has_goal();
        let done = place("DONE").filter(|_| is_done);
        done.or(next).unwrap_or(any)
    }
}

impl Oracle for EffectsModel {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        self.memory.learn(request);
        match request.kind {
            AnswerKind::Choose => {
                let chosen = self.choose(request);
                self.memory.chose(request.choices.get(chosen).cloned());
                Ok(OracleAnswer::Choice(chosen))
            }
            AnswerKind::Score => {
                let chosen = self.choose(request);
                let score = |i: usize, noise: usize| {
                    let noise = self.rates.noise * noise as f64 / 1000.0;
                    if i == chosen { self.rates.useful + noise } else { noise }
                };
                let noises: Vec<usize> = request.choices.iter().map(|_| self.random.below(1000)).collect();
                let scores: Vec<f64> = noises.into_iter().enumerate().map(|(i, n)| score(i, n)).collect();
                // The best one is done.
                let best = (0..scores.len()).reduce(|a, b| if scores[b] > scores[a] { b } else { a });
                self.memory.chose(best.and_then(|best| request.choices.get(best).cloned()));
                Ok(OracleAnswer::Scores(scores))
            }
            AnswerKind::Generate if request.subject == "plan" => {
                let heed = self.random.chance(self.rates.heed);
                // After a refusal: an action that is allowed, and then a new plan.
                let named = allowed(&request.prompt).filter(|allowed| heed && !allowed.is_empty());
                let text = match named {
                    Some(allowed) => allowed[self.random.below(allowed.len())].to_owned(),
                    None => self.whole_plan(),
                };
                Ok(OracleAnswer::Text(text))
            }
            kind => {
                Err(OracleError::Unusable(format!("this simulated model only acts, and answers no `{kind}`")))
            }
        }
    }
}
