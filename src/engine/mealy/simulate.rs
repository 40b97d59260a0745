//! Simulation of a strategy step by step: the opponent of its owner chooses, the strategy answers.

use tsl_synth_core::base::Random;
use tsl_synth_core::logic::{Alphabet, Guard, Guards, Letter, Player};
use tsl_synth_core::model::{CounterStrategy, Mealy, StateId};

/// The strategy that is simulated.
#[derive(Clone, Copy, Debug)]
pub enum Strategist<'a> {
    /// A machine of the system: it answers input letters.
    Mealy(&'a Mealy),
    /// A counter-strategy: it gives the input letter before the outputs of the step are chosen.
    Counter(&'a CounterStrategy),
}

/// A finite play of a strategy.
#[derive(Clone, Debug)]
pub struct PlaySoFar<'a> {
    alphabet: &'a Alphabet,
    strategist: Strategist<'a>,
    letters: Vec<Letter>,
    /// The state before each letter, and the current one.
    states: Vec<StateId>,
}

impl<'a> PlaySoFar<'a> {
    /// The empty play.
    pub fn new(alphabet: &'a Alphabet, strategist: Strategist<'a>) -> Self {
        let initial = match strategist {
            Strategist::Mealy(mealy) => mealy.initial,
            Strategist::Counter(counter) => counter.initial,
        };
        Self { alphabet, strategist, letters: Vec::new(), states: vec![initial] }
    }
    /// The alphabet of the play.
    pub fn alphabet(&self) -> &'a Alphabet {
        self.alphabet
    }
    /// The player who chooses: the opponent of the strategy's owner.
    pub fn chooser(&self) -> Player {
        match self.strategist {
            Strategist::Mealy(_) => Player::Environment,
            Strategist::Counter(_) => Player::System,
        }
    }
    /// The current state.
    pub fn state(&self) -> StateId {
        self.states[self.letters.len()]
    }
    /// The states, one more than letters.
    pub fn states(&self) -> &[StateId] {
        &self.states
    }
    /// The letters of all steps so far.
    pub fn letters(&self) -> &[Letter] {
        &self.letters
    }
    /// The input letter of a counter-strategy, known before the system chooses; `None` for a machine.
    pub fn given(&self) -> Option<&'a Letter> {
        match self.strategist {
            Strategist::Mealy(_) => None,
            Strategist::Counter(counter) => Some(&counter.states[self.state()].input),
        }
    }
    /// The whole letter and the next state after a choice: only the bits of the chooser count. `None` if the strategy
    /// has no answer, which certified strategies always have.
    pub fn peek(&self, choice: &Letter) -> Option<(Letter, StateId)> {
        let chooser = self.chooser();
        let own: Letter = choice.iter().filter(|&bit| self.alphabet.owner(bit) == chooser).collect();
        let mut letter = self.alphabet.canonical(&own);
        match self.strategist {
            Strategist::Mealy(mealy) => {
                let edge = mealy.edge(self.state(), &own)?;
                letter = own;
                letter.union_with(&edge.output);
                Some((self.alphabet.canonical(&letter), edge.next))
            }
            Strategist::Counter(counter) => {
                let edge = counter.edge(self.state(), &letter)?;
                letter.union_with(&counter.states[self.state()].input);
                Some((letter, edge.next))
            }
        }
    }
    /// The input letters with which the whole letter of this step can be in `allowed`: for a machine those for which
    /// its answer makes it so, for a counter-strategy its own if some answer to it does.
    pub fn inputs(&self, allowed: Guard, guards: &mut Guards) -> Guard {
        let output = |bit| self.alphabet.owner(bit) == Player::System;
        match self.strategist {
            Strategist::Mealy(mealy) => {
                let mut inputs = Guard::FALSE;
                for edge in &mealy.states[self.state()].edges {
                    let answered = guards.valuation(self.alphabet.bits_of(Player::System), &edge.output);
                    let good = guards.and(allowed, answered);
                    let good = guards.exists(good, &output);
                    let read = mealy.guards.copy_into(edge.guard, guards);
                    let good = guards.and(good, read);
                    inputs = guards.or(inputs, good);
                }
                inputs
            }
            Strategist::Counter(counter) => {
                let input = &counter.states[self.state()].input;
                let given = guards.valuation(self.alphabet.bits_of(Player::Environment), input);
                let good = guards.and(allowed, given);
                guards.exists(good, &output)
            }
        }
    }
    /// Takes a step and returns its letter; `None`, without a step, if the strategy has no answer.
    pub fn step(&mut self, choice: &Letter) -> Option<&Letter> {
        let (letter, next) = self.peek(choice)?;
        self.letters.push(letter);
        self.states.push(next);
        self.letters.last()
    }
    /// Undoes up to `steps` steps.
    pub fn back(&mut self, steps: usize) {
        let left = self.letters.len().saturating_sub(steps);
        self.letters.truncate(left);
        self.states.truncate(left + 1);
    }
    /// A random choice: every Boolean atom is true with probability 1/2, and the options of a cell are equally likely.
    pub fn random_choice(&self, random: &mut Random) -> Letter {
        let mut letter = Letter::new();
        if self.chooser() == Player::Environment {
            return self.random_input(Guard::TRUE, &Guards::new(), random);
        }
        for cell in self.alphabet.cells() {
            self.alphabet.choose(cell.options[random.below(cell.options.len())], &mut letter);
        }
        for atom in self.alphabet.outputs() {
            if random.flip() {
                self.alphabet.choose(atom, &mut letter);
            }
        }
        letter
    }
    /// A random input letter of a guard over inputs; any letter for [`Guard::FALSE`].
    pub fn random_input(&self, mut inputs: Guard, guards: &Guards, random: &mut Random) -> Letter {
        let mut letter: Letter =
            self.alphabet.bits_of(Player::Environment).filter(|_| random.flip()).collect();
        while let Some((bit, low, high)) = guards.branch(inputs) {
            let value = low == Guard::FALSE || high != Guard::FALSE && letter.contains(bit);
            if value {
                letter.insert(bit);
            } else {
                letter.remove(bit);
            }
            inputs = if value { high } else { low };
        }
        letter
    }
}
