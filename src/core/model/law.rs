//! Deterministic monitors of laws on finite words, with a verdict for each state.

use super::dfa::Dfa;
use crate::logic::Guard;

/// The status of a law after a finite word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LawStatus {
    /// No continuation keeps it.
    Violated,
    /// It would be violated if the word ended now, and some continuation keeps it.
    CurrentlyViolated,
    /// It would be kept if the word ended now, and some continuation violates it.
    CurrentlySatisfied,
    /// Every continuation keeps it.
    Satisfied,
}

impl LawStatus {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Violated => "violated",
            Self::CurrentlyViolated => "currently-violated",
            Self::CurrentlySatisfied => "currently-satisfied",
            Self::Satisfied => "satisfied",
        }
    }
    /// Whether the word, if it ended now, keeps the law.
    pub fn holds(self) -> bool {
        matches!(self, Self::CurrentlySatisfied | Self::Satisfied)
    }
    /// Whether nothing can change it.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Violated | Self::Satisfied)
    }
}

/// The monitor of a law: the set of its guards that contain a letter determines the step of a deterministic automaton.
#[derive(Clone, Debug)]
pub struct LawMonitor {
    /// At most 16 guards.
    guards: Vec<Guard>,
    /// The valuations of the guards that occur, in the order of the letters of the automaton.
    valuations: Vec<u32>,
    /// For each valuation of the guards the letter of the automaton.
    letters: Vec<u16>,
    dfa: Dfa,
    standings: Vec<LawStatus>,
}

impl LawMonitor {
    /// A monitor; `valuations` has those that occur, in the order of the letters of the automaton.
    ///
    /// # Panics
    /// If the automaton has another number of letters.
    pub fn new(guards: Vec<Guard>, valuations: Vec<u32>, dfa: Dfa) -> Self {
        assert_eq!(dfa.letters() as usize, valuations.len(), "a letter for each valuation");
        let mut letters = vec![0; 1 << guards.len()];
        for (letter, &valuation) in valuations.iter().enumerate() {
            letters[valuation as usize] = letter as u16;
        }
        let rejecting = dfa.complement();
        let standings = (0..dfa.len() as u32)
            .map(|state| match (dfa.is_live(state), rejecting.is_live(state), dfa.is_accepting(state)) {
                (false, ..) => LawStatus::Violated,
                (true, false, _) => LawStatus::Satisfied,
                (true, true, false) => LawStatus::CurrentlyViolated,
                (true, true, true) => LawStatus::CurrentlySatisfied,
            })
            .collect();
        Self { guards, valuations, letters, dfa, standings }
    }
    /// The guards, in the store of the policy.
    pub fn guards(&self) -> &[Guard] {
        &self.guards
    }
    /// The automaton; its letters are the valuations of the guards that occur.
    pub fn dfa(&self) -> &Dfa {
        &self.dfa
    }
    /// The letter of a valuation of the guards.
    pub fn letter(&self, valuation: usize) -> u32 {
        u32::from(self.letters[valuation])
    }
    /// The valuations of the guards that occur, in the order of the letters of the automaton.
    pub fn valuations(&self) -> &[u32] {
        &self.valuations
    }
    /// The state after a letter, given which guards it is in.
    pub fn next(&self, state: u32, valuation: usize) -> u32 {
        self.dfa.next(state, self.letter(valuation))
    }
    /// The status of the law in a state.
    pub fn standing(&self, state: u32) -> LawStatus {
        self.standings[state as usize]
    }
    /// How many states there are.
    pub fn len(&self) -> usize {
        self.dfa.len()
    }
    /// Always `false`: there is an initial state.
    pub fn is_empty(&self) -> bool {
        false
    }
}
