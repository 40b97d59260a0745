//! A simulated model that does household tasks, with errors at given rates: it plans on the map under the constraints
//! that it considers.

use super::Environment;
use super::household::{Household, Room};
use crate::{AnswerKind, Oracle, OracleAnswer, OracleError, OracleRequest};
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
pub struct HouseholdRates {
    /// It overlooks a constraint of its prompt in a step; drawn for each constraint.
    pub overlook: f64,
    /// A constraint of its prompt distracts it, and it acts at random; drawn for each constraint in each step.
    pub distracted: f64,
    /// It acts at random in a step without being distracted.
    pub careless: f64,
    /// It considers a constraint that a refusal named from then on.
    pub heed: f64,
}

impl Default for HouseholdRates {
    fn default() -> Self {
        Self { overlook: 0.1, distracted: 0.02, careless: 0.02, heed: 0.9 }
    }
}

/// The model.
#[derive(Clone, Debug)]
pub struct HouseholdModel {
    /// The world as the model knows it.
    world: Household,
    compiled: Arc<CompiledPolicy>,
    /// The constraints of its prompt, and those that it learned from refusals.
    reported: Vec<LawId>,
    learned: BTreeSet<LawId>,
    rates: HouseholdRates,
    random: Random,
    /// The states of the monitors of all laws.
    laws: Vec<u32>,
    begun: bool,
    /// Its last choice.
    last: Option<String>,
}

/// The maximal length of a plan.
const LONGEST: usize = 16;

impl HouseholdModel {
    /// A model with a task, whose prompt has the laws of a policy with the identifiers `reported`.
    pub fn new(
        world: Household,
        compiled: Arc<CompiledPolicy>,
        reported: &[&str],
        rates: HouseholdRates,
        seed: u64,
    ) -> Self {
        let laws = compiled.policy.laws.enumerate();
        let reported =
            laws.filter(|(_, law)| reported.contains(&law.id.as_str())).map(|(id, _)| id).collect();
        let laws = vec![0; compiled.policy.laws.len()];
        let learned = BTreeSet::new();
        Self {
            world,
            compiled,
            reported,
            learned,
            rates,
            random: Random::new(seed),
            laws,
            begun: false,
            last: None,
        }
    }

    fn letter(&self, rooms: &[Room]) -> Letter {
        let atoms = &self.compiled.policy.atoms;
        let mut letter: Letter = rooms
            .iter()
            .filter_map(|room| match atoms.named(room.proposition()) {
                Some(Named::Proposition(id)) => Some(atoms.bit(LawAtom::Proposition(id))),
                _ => None,
            })
            .collect();
        if let Some(Named::Action(id)) = atoms.named("walk") {
            letter.insert(atoms.bit(LawAtom::Call(id)));
        }
        letter
    }

    fn step(&self, laws: &[u32], letters: &[Vec<Room>]) -> Vec<u32> {
        let mut laws = laws.to_vec();
        for rooms in letters {
            let letter = self.letter(rooms);
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
            self.laws = self.step(&self.laws, &[vec![self.world.room()]]);
        }
        let Some(last) = self.last.take() else { return };
        // A refused or failed action changed nothing.
        if !request.about.starts_with(&format!("{last}: done.")) {
            return;
        }
        let before = self.world.room();
        self.world.act(&last);
        self.laws = self.step(&self.laws, &before.letters(self.world.room()));
    }

    /// The first action of a shortest plan that satisfies these laws, `DONE` for the empty plan; `None` if there is no
    /// plan.
    fn plan(&self, minded: &[LawId]) -> Option<String> {
        let keeps = |laws: &[u32]| {
            minded
                .iter()
                .all(|&law| self.compiled.monitors[law].standing(laws[law.index()]) != LawStatus::Violated)
        };
        let holds = |laws: &[u32]| {
            minded.iter().all(|&law| self.compiled.monitors[law].standing(laws[law.index()]).holds())
        };
        let key = |world: &Household, laws: &[u32]| {
            let minded: Vec<u32> = minded.iter().map(|&law| laws[law.index()]).collect();
            (world.room(), world.progress().to_vec(), minded)
        };
        let mut seen = BTreeSet::from([key(&self.world, &self.laws)]);
        let mut open = VecDeque::from([(self.world.clone(), self.laws.clone(), None::<String>, 0)]);
        while let Some((world, laws, first, length)) = open.pop_front() {
            if world.is_reached() && holds(&laws) {
                return Some(first.unwrap_or_else(|| "DONE".into()));
            }
            if length == LONGEST {
                continue;
            }
            let deed = world.next_deed().filter(|(_, room)| *room == world.room());
            let walks = Room::ALL.into_iter().filter(|&room| room != world.room());
            let actions = deed.map(|(name, _)| name.to_string()).into_iter();
            for action in actions.chain(walks.map(|room| format!("walk to {}", room.name()))) {
                let mut next = world.clone();
                next.act(&action);
                let laws = self.step(&laws, &world.room().letters(next.room()));
                if keeps(&laws) && seen.insert(key(&next, &laws)) {
                    let first = first.clone().or_else(|| Some(action.clone()));
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

impl Oracle for HouseholdModel {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        match request.kind {
            AnswerKind::Choose => {
                let chosen = self.choose(request);
                self.last = request.choices.get(chosen).cloned();
                Ok(OracleAnswer::Choice(chosen))
            }
            AnswerKind::Score => {
                let chosen = self.choose(request);
                self.last = request.choices.get(chosen).cloned();
                let score = |i| if i == chosen { 1.0 } else { 0.0 };
                Ok(OracleAnswer::Scores((0..request.choices.len()).map(score).collect()))
            }
            kind => {
                Err(OracleError::Unusable(format!("this simulated model only acts, and answers no `{kind}`")))
            }
        }
    }
}
