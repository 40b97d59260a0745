//! A simulated model that plans in a world under the constraints that it considers, with errors at given rates.
//!
//! The constraints are about the calls of the world, as in the household: a letter has the action that the called tool is,
//! and the propositions that its arguments name.

use super::EffectsWorld;
use super::memory::Memory;
use super::rule::Rule;
use super::search::{favorable, helpful};
use super::state::State;
use crate::world::ToolCall;
use crate::{AnswerKind, Oracle, OracleAnswer, OracleError, OracleRequest};
use serde_json::Value;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use tsl_synth_core::base::{Id, Random};
use tsl_synth_core::logic::Letter;
use tsl_synth_core::model::LawStatus;
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::language::{LawAtom, LawId, Named};

/// The error rates of a simulated model: one set for all rows of the experiment, fixed before its first run. The paper
/// gives no numbers: constraints are "challenging and distracting", mistakes are "redundant actions such as touch door,
/// and inexecutable actions", and refused actions are explained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LawRates {
    /// It overlooks a constraint of its prompt in a step; drawn for each constraint.
    pub overlook: f64,
    /// A constraint of its prompt distracts it, and it acts at random; drawn for each constraint in each step.
    pub distracted: f64,
    /// It acts at random in a step without being distracted.
    pub careless: f64,
    /// It considers a constraint that a refusal named from then on.
    pub heed: f64,
}

impl Default for LawRates {
    fn default() -> Self {
        Self { overlook: 0.1, distracted: 0.02, careless: 0.02, heed: 0.9 }
    }
}

/// The model.
#[derive(Clone, Debug)]
pub struct LawModel {
    /// The world as the model knows it.
    memory: Memory,
    compiled: Arc<CompiledPolicy>,
    /// The constraints of its prompt, and those that it learned from refusals.
    reported: Vec<LawId>,
    learned: BTreeSet<LawId>,
    rates: LawRates,
    random: Random,
    /// The states of the monitors of all laws.
    laws: Vec<u32>,
    begun: bool,
}

/// The maximal length of a plan.
const LONGEST: usize = 16;
/// A plan is searched among at most this many states.
const MOST_STATES: usize = 50_000;

/// A state of a search: the world, the states of the laws, the first action on the way there, and how long that is.
type Searched = (State, Vec<u32>, Option<String>, usize);

impl LawModel {
    /// A model with a task, whose prompt has the laws of a policy with the identifiers `reported`.
    pub fn new(
        world: &EffectsWorld,
        compiled: Arc<CompiledPolicy>,
        reported: &[&str],
        rates: LawRates,
        seed: u64,
    ) -> Self {
        let laws = compiled.policy.laws.enumerate();
        let reported =
            laws.filter(|(_, law)| reported.contains(&law.id.as_str())).map(|(id, _)| id).collect();
        let laws = vec![0; compiled.policy.laws.len()];
        let (learned, random) = (BTreeSet::new(), Random::new(seed));
        Self { memory: Memory::new(world), compiled, reported, learned, rates, random, laws, begun: false }
    }

    /// The letter of a call; `None` if its tool is no action of the policy.
    fn letter(&self, call: &ToolCall) -> Option<Letter> {
        let atoms = &self.compiled.policy.atoms;
        let Some(Named::Action(action)) = atoms.named(&call.tool) else { return None };
        let arguments = call.arguments.as_object().into_iter().flat_map(|arguments| arguments.values());
        let texts = arguments.flat_map(|value| match value {
            Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
            other => other.as_str().into_iter().collect::<Vec<_>>(),
        });
        let mut letter: Letter = texts
            .filter_map(|name| match atoms.named(name) {
                Some(Named::Proposition(id)) => Some(atoms.bit(LawAtom::Proposition(id))),
                _ => None,
            })
            .collect();
        letter.insert(atoms.bit(LawAtom::Call(action)));
        Some(letter)
    }

    fn step(&self, laws: &[u32], calls: &[ToolCall]) -> Vec<u32> {
        let mut laws = laws.to_vec();
        for letter in calls.iter().filter_map(|call| self.letter(call)) {
            for (state, law) in laws.iter_mut().zip(self.compiled.policy.laws.ids()) {
                *state = self.compiled.step(law, *state, &letter);
            }
        }
        laws
    }

    /// Updates the world and the laws by the last choice, if it was done.
    fn catch_up(&mut self, request: &OracleRequest) {
        if !self.begun {
            self.begun = true;
            self.laws = self.step(&self.laws, &self.memory.world.happened());
        }
        let Some((action, before)) = self.memory.learn(request) else { return };
        let spec = Arc::clone(before.spec());
        if let Some(rule) = spec.rules.iter().find(|rule| rule.name == action) {
            self.laws = self.step(&self.laws, &before.calls(rule));
        }
    }

    /// The first action of a shortest plan that satisfies these laws, `DONE` for the empty plan; `None` if there is no
    /// plan. Actions other than walks come first, and of those only the ones that help.
    fn plan(&self, minded: &[LawId]) -> Option<String> {
        let world = &self.memory.world;
        let (spec, task) = (world.spec(), world.task());
        let standing = |laws: &[u32], law: LawId| self.compiled.monitors[law].standing(laws[law.index()]);
        let keeps = |laws: &[u32]| minded.iter().all(|&law| standing(laws, law) != LawStatus::Violated);
        let holds = |laws: &[u32]| minded.iter().all(|&law| standing(laws, law).holds());
        let key = |state: &State, laws: &[u32]| {
            let minded: Vec<u32> = minded.iter().map(|&law| laws[law.index()]).collect();
            (state.clone(), minded)
        };
        let (walks, deeds): (Vec<&Rule>, Vec<&Rule>) =
            helpful(spec, task.goal_slots()).into_iter().partition(|rule| rule.walk.is_some());
        let mut seen = BTreeSet::from([key(&world.state, &self.laws)]);
        let mut open: VecDeque<Searched> =
            VecDeque::from([(world.state.clone(), self.laws.clone(), None, 0)]);
        while let Some((state, laws, first, length)) = open.pop_front() {
            if task.is_reached(&state) && holds(&laws) {
                return Some(first.unwrap_or_else(|| "DONE".into()));
            }
            if length == LONGEST || seen.len() > MOST_STATES {
                continue;
            }
            for rule in deeds.iter().chain(&walks) {
                let Some(next) = favorable(spec, rule, &state) else { continue };
                let laws = self.step(&laws, &EffectsWorld::calls_in(spec, rule, &state));
                if keeps(&laws) && seen.insert(key(&next, &laws)) {
                    let first = first.clone().or_else(|| Some(rule.name.clone()));
                    open.push_back((next, laws, first, length + 1));
                }
            }
        }
        None
    }

    /// The laws that refusals of the prompt name.
    fn refusals(&self, prompt: &str) -> BTreeSet<LawId> {
        const BY: &str = "was refused. Denied by ";
        let named = prompt.lines().filter_map(|line| line.split_once(BY)).flat_map(|(_, by)| {
            let end = by.find([':', '.']).unwrap_or(by.len());
            by[..end].split(", ").map(str::to_string).collect::<Vec<_>>()
        });
        let laws = &self.compiled.policy.laws;
        named.filter_map(|id| laws.enumerate().find(|(_, law)| law.id == id).map(|(law, _)| law)).collect()
    }

    fn choose(&mut self, request: &OracleRequest) -> usize {
        self.catch_up(request);
        let named = self.refusals(&request.prompt);
        for law in named {
            let heeds = self.random.chance(self.rates.heed);
            if heeds {
                self.learned.insert(law);
            }
        }
        let mut is_random = self.random.chance(self.rates.careless);
        let mut minded: BTreeSet<LawId> = self.learned.clone();
        for &law in &self.reported {
            is_random |= self.random.chance(self.rates.distracted);
            if !self.random.chance(self.rates.overlook) {
                minded.insert(law);
            }
        }
        let any = self.random.below(request.choices.len().max(1));
        if is_random {
            return any;
        }
        let minded: Vec<LawId> = minded.into_iter().collect();
        let wanted = self.plan(&minded).or_else(|| self.plan(&[]));
        wanted.and_then(|wanted| request.choices.iter().position(|own| *own == wanted)).unwrap_or(any)
    }
}

impl Oracle for LawModel {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        match request.kind {
            AnswerKind::Choose => {
                let chosen = self.choose(request);
                self.memory.chose(request.choices.get(chosen).cloned());
                Ok(OracleAnswer::Choice(chosen))
            }
            AnswerKind::Score => {
                let chosen = self.choose(request);
                self.memory.chose(request.choices.get(chosen).cloned());
                let score = |i| if i == chosen { 1.0 } else { 0.0 };
                Ok(OracleAnswer::Scores((0..request.choices.len()).map(score).collect()))
            }
            kind => {
                Err(OracleError::Unusable(format!("this simulated model only acts, and answers no `{kind}`")))
            }
        }
    }
}
