//! The states that the monitor of a law may be in, one set for each copy.
//!
//! The subset construction: a letter that is one of several leads a set to all states that some of them leads some state
//! of the set to. Sets are numbered, so that copies are kept as those of a law whose states are the sets.

use super::compiled::CompiledPolicy;
use super::copies::{Copies, Key, known_values};
use super::possible_state::{LawState, PossibleState};
use super::program::BoundLetter;
use super::state::StandingRange;
use crate::language::LawId;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use tsl_synth_core::model::LawStatus;

/// The numbers of sets of states.
#[derive(Debug, Default)]
struct NumberedSets {
    sets: Vec<Arc<[u32]>>,
    numbers: FxHashMap<Arc<[u32]>, u32>,
}

impl NumberedSets {
    fn number(&mut self, mut set: Vec<u32>) -> u32 {
        set.sort_unstable();
        set.dedup();
        if let Some(&number) = self.numbers.get(set.as_slice()) {
            return number;
        }
        let (number, set) = (self.sets.len() as u32, Arc::<[u32]>::from(set));
        self.sets.push(set.clone());
        self.numbers.insert(set, number);
        number
    }
}

/// The possible states of the monitor of a law.
#[derive(Debug)]
pub(super) struct StateSets {
    law: LawId,
    sets: NumberedSets,
    /// The numbers of the sets.
    copies: LawState,
    /// Whether a value was not distinguished because there are too many.
    overflowed: bool,
}

impl StateSets {
    /// The states of a law in all possible states of the session.
    pub(super) fn new(worlds: &[PossibleState], law: LawId) -> Self {
        let mut sets = NumberedSets::default();
        // New copies begin in the set with number 0.
        sets.number(vec![0]);
        let all = |key: Option<&Key>| -> Vec<u32> {
            let state = |world: &PossibleState| match (world.law(law), key) {
                (LawState::One(state), _) => *state,
                (LawState::Each(copies), Some(key)) => copies.state_for(key),
                (LawState::Each(copies), None) => copies.default_state(),
            };
            worlds.iter().map(state).collect()
        };
        let mut names = None;
        let mut keys: Vec<Key> = Vec::new();
        for world in worlds {
            if let LawState::Each(copies) = world.law(law) {
                names = Some(copies.names().to_vec());
                keys.extend(copies.iter().map(|(key, _)| key.clone()));
            }
        }
        let copies = match names {
            None => LawState::One(sets.number(all(None))),
            Some(names) => {
                let states = keys.iter().map(|key| (key.clone(), sets.number(all(Some(key)))));
                LawState::Each(Arc::new(Copies::with_states(names, states.collect::<Vec<_>>())))
            }
        };
        Self { law, sets, copies, overflowed: worlds.iter().any(|world| world.overflowed) }
    }
    /// The values that a letter gives to the names of the law; `None` for a law without copies.
    pub(super) fn values(&self, letter: &BoundLetter) -> Option<(Vec<Option<Box<str>>>, bool)> {
        match &self.copies {
            LawState::One(_) => None,
            LawState::Each(copies) => Some(known_values(copies.names(), letter)),
        }
    }
    /// A step of the copies that a letter with these bindings reaches, or of all. `next` gives the states after a set;
    /// with the flag, the letter may be about another value of the copy.
    pub(super) fn step(
        &mut self,
        compiled: &CompiledPolicy,
        bound: Option<&BoundLetter>,
        next: &dyn Fn(&[u32], bool) -> Vec<u32>,
    ) {
        let Self { sets, copies, overflowed, .. } = self;
        let values = bound.filter(|_| matches!(copies, LawState::Each(_)));
        match copies {
            LawState::One(set) => *set = sets.number(next(&sets.sets[*set as usize].clone(), false)),
            LawState::Each(copies) => {
                let (values, is_unknown) = match values {
                    Some(letter) => known_values(copies.names(), letter),
                    None => (vec![None; copies.names().len()], false),
                };
                let step = |set: u32| {
                    let after = next(&sets.sets[set as usize].clone(), is_unknown);
                    sets.number(after)
                };
                *overflowed |= !Copies::step(copies, &values, compiled.policy.max_values, step);
            }
        }
    }
    /// The standing of the law: that of its worst copy. It is violated in the best case only if the monitor of some copy
    /// is in a state of violation, whatever the facts are.
    pub(super) fn standing(&self, compiled: &CompiledPolicy) -> StandingRange {
        let numbers = match &self.copies {
            LawState::One(set) => vec![*set],
            LawState::Each(copies) => copies.states(),
        };
        let (mut worst, mut best) = (LawStatus::Satisfied, LawStatus::Satisfied);
        for number in numbers {
            let states = self.sets.sets[number as usize].iter();
            let standings = states.map(|&state| compiled.monitors[self.law].standing(state));
            worst = standings.clone().fold(worst, Ord::min);
            best = best.min(standings.max().unwrap_or(best));
        }
        if self.overflowed {
            worst = LawStatus::Violated;
        }
        StandingRange { worst, best }
    }
    /// Whether some letter mattered to the law.
    pub(super) fn has_moved(&self) -> bool {
        match &self.copies {
            LawState::One(set) => *set != 0,
            LawState::Each(copies) => !copies.is_empty() || copies.states() != [0],
        }
    }
}
