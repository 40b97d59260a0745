//! All laws together, state by state, for policies without declared effects: shortest words into states in which they
//! leave no choice, and minimal sets of laws that do so, of any size.
//!
//! The product of the monitors of all laws is searched breadth first along legal steps, with sets of letters as labels:
//! letters that lead to the same states are one step. If the search reaches a limit, it reports that it is not
//! complete.

use super::conflicts::Blocked;
use super::cores::{MAX_CORES, cores};
use super::frame::{Alternation, AnalysisFrame, ChoiceId};
use super::search::Stuck;
use super::trajectory::Trajectory;
use crate::language::{LawId, TraceMode};
use rustc_hash::FxHashSet;
use tsl_synth_core::base::{Budget, IdSet, Limit};
use tsl_synth_core::logic::{Guard, Letter};

/// The largest number of states of all laws that are searched.
const STATES: usize = 4096;
/// The largest number of steps of a state that are tried.
const STEPS: usize = 256;

/// The result of the search.
#[derive(Clone, Debug, Default)]
pub struct ProductReport {
    /// Sets of laws that leave no choice, shortest words first.
    pub found: Vec<Stuck>,
    /// Whether every reachable state was searched.
    pub is_complete: bool,
}

struct LawStates {
    /// The states of the laws of the agent, then of the `assume` laws.
    states: Vec<u32>,
    before: usize,
    letter: Letter,
}

struct ProductSearch<'f, 'c> {
    frame: &'f mut AnalysisFrame<'c>,
    laws: Vec<LawId>,
    all: Vec<LawId>,
    blocked: Blocked,
    nodes: Vec<LawStates>,
    found: ProductReport,
}

/// Searches for states in which all laws together leave no choice.
///
/// # Errors
/// The budget.
pub fn product(frame: &mut AnalysisFrame<'_>, budget: &Budget) -> Result<ProductReport, Limit> {
    let laws = frame.laws();
    let all: Vec<LawId> = laws.iter().chain(&frame.assumes).copied().collect();
    let first = LawStates { states: vec![0; all.len()], before: 0, letter: Letter::new() };
    let found = ProductReport { is_complete: true, ..ProductReport::default() };
    let mut searcher =
        ProductSearch { frame, laws, all, blocked: Blocked::default(), nodes: vec![first], found };
    searcher.run(budget)?;
    Ok(searcher.found)
}

impl ProductSearch<'_, '_> {
    fn run(&mut self, budget: &Budget) -> Result<(), Limit> {
        // If the agent chooses first, the first letter is the world's alone: the state before it differs from the same
        // state later.
        let mut seen: FxHashSet<Vec<u32>> = FxHashSet::default();
        let mut at = 0;
        while at < self.nodes.len() && self.found.found.len() < MAX_CORES {
            budget.tick(1, || "all laws together".into())?;
            let states = self.nodes[at].states.clone();
            let world = self.frame.world_in(&states[self.laws.len()..]);
            let legal = match self.frame.turns {
                Alternation::ChoiceFirst if at == 0 => self.first(&states, world),
                Alternation::ChoiceFirst => self.choice_first(at, &states, world),
                _ => self.choice_last(at, &states, world),
            };
            let mut rest = legal;
            let mut steps = 0;
            while let Some(letter) = self.frame.guards.pick(rest) {
                budget.tick(1, || "all laws together".into())?;
                let (targets, same) = self.step(&states, &letter);
                rest = self.frame.guards.minus(rest, same);
                steps += 1;
                if steps > STEPS || self.nodes.len() >= STATES {
                    self.found.is_complete = false;
                    break;
                }
                if seen.insert(targets.clone()) {
                    self.nodes.push(LawStates { states: targets, before: at, letter });
                }
            }
            at += 1;
        }
        self.found.is_complete &= at >= self.nodes.len();
        Ok(())
    }

    /// The possible first letters of the world, without those that violate a law.
    fn first(&mut self, states: &[u32], world: Guard) -> Guard {
        let first = self.frame.first();
        let mut legal = self.frame.guards.and(first, world);
        for (&law, &state) in self.laws.clone().iter().zip(states) {
            let bad = self.frame.bad(law, state);
            legal = self.frame.guards.minus(legal, bad);
        }
        legal
    }

    /// The states after a letter, and all letters that lead to the same states.
    fn step(&mut self, states: &[u32], letter: &Letter) -> (Vec<u32>, Guard) {
        let (mut targets, mut same) = (Vec::new(), Guard::TRUE);
        for (&law, &state) in self.all.clone().iter().zip(states) {
            let edges = self.frame.edges(law, state);
            let edge = edges.iter().find(|(_, letters)| self.frame.guards.contains(*letters, letter));
            // Letters of the world are on some edge of every law.
            let Some(&(target, letters)) = edge else { continue };
            targets.push(target);
            same = self.frame.guards.and(same, letters);
        }
        (targets, same)
    }

    /// The legal letters if the agent chooses before it knows the rest; none in a state that leaves no choice.
    fn choice_first(&mut self, at: usize, states: &[u32], world: Guard) -> Guard {
        let available = self.frame.choices_with(world);
        let mut own: Vec<(LawId, IdSet<ChoiceId>)> = Vec::new();
        let mut sum = IdSet::new();
        for (&law, &state) in self.laws.iter().zip(states) {
            let blocked = self.blocked.of(self.frame, law, state, world);
            sum.union_with(&blocked);
            own.push((law, blocked));
        }
        for core in cores(&available, &own) {
            self.report(core, at, None);
        }
        let mut legal = Guard::FALSE;
        for choice in available.iter().filter(|&choice| !sum.contains(choice)) {
            let cube = self.frame.cubes[choice];
            legal = self.frame.guards.or(legal, cube);
        }
        self.frame.guards.and(legal, world)
    }

    /// The legal letters if the rest is known before the agent chooses.
    fn choice_last(&mut self, at: usize, states: &[u32], world: Guard) -> Guard {
        let choices: Vec<ChoiceId> = self.frame.choices.ids().collect();
        let available: Vec<Guard> = choices.iter().map(|&choice| self.frame.given(world, choice)).collect();
        // For each law the rests with which it blocks each choice.
        let mut bad: Vec<Vec<Guard>> = Vec::new();
        let mut legal = world;
        for (&law, &state) in self.laws.clone().iter().zip(states) {
            let own = self.frame.bad(law, state);
            legal = self.frame.guards.minus(legal, own);
            bad.push(choices.iter().map(|&choice| self.frame.given(own, choice)).collect());
        }
        let every: Vec<usize> = (0..self.laws.len()).collect();
        let mut stuck = self.blocking(&available, &bad, &every);
        while let Some(known) = self.frame.guards.pick(stuck) {
            let holds = |guard: Guard| self.frame.guards.contains(guard, &known);
            let of = |of: &[Guard]| -> IdSet<ChoiceId> {
                choices
                    .iter()
                    .zip(of)
                    .filter(|(_, guard)| holds(**guard))
                    .map(|(&choice, _)| choice)
                    .collect()
            };
            let own: Vec<(LawId, IdSet<ChoiceId>)> =
                self.laws.iter().zip(&bad).map(|(&law, bad)| (law, of(bad))).collect();
            let all = cores(&of(&available), &own);
            let Some(core) = all.first().cloned() else { break };
            let places: Vec<usize> =
                every.iter().copied().filter(|&i| core.contains(&self.laws[i])).collect();
            let same = self.blocking(&available, &bad, &places);
            stuck = self.frame.guards.minus(stuck, same);
            self.report(core, at, Some(known));
        }
        let mut chosen = Guard::FALSE;
        for choice in choices {
            let cube = self.frame.cubes[choice];
            chosen = self.frame.guards.or(chosen, cube);
        }
        // If each event is a letter, letters of the world without a call are legal, too.
        if self.frame.compiled.policy.trace == TraceMode::PerEvent {
            chosen = self.frame.guards.or(chosen, self.frame.silent);
        }
        self.frame.guards.and(legal, chosen)
    }

    /// The rests for which the world allows some choice and these laws block all of them.
    fn blocking(&mut self, available: &[Guard], bad: &[Vec<Guard>], laws: &[usize]) -> Guard {
        let (mut some, mut all) = (Guard::FALSE, Guard::TRUE);
        for (place, &available) in available.iter().enumerate() {
            some = self.frame.guards.or(some, available);
            let mut either = self.frame.guards.not(available);
            for &law in laws {
                either = self.frame.guards.or(either, bad[law][place]);
            }
            all = self.frame.guards.and(all, either);
        }
        self.frame.guards.and(some, all)
    }

    fn report(&mut self, core: Vec<LawId>, at: usize, known: Option<Letter>) {
        let found = &self.found.found;
        if found.len() >= MAX_CORES || found.iter().any(|stuck| stuck.core == core) {
            return;
        }
        let (mut letters, mut here) = (Vec::new(), at);
        while here != 0 {
            letters.push(self.nodes[here].letter.clone());
            here = self.nodes[here].before;
        }
        letters.reverse();
        let trajectory = Trajectory::new(self.frame, letters, known);
        self.found.found.push(Stuck { core, trajectory });
    }
}
