//! Simulation of a strategy step by step: the opponent of its owner chooses, the strategy answers.

use super::circuit::{functions, value};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use tsl_synth_core::base::{Budget, Id, Limit, Random};
use tsl_synth_core::logic::{Alphabet, BitId, Guard, Guards, Letter, Player};
use tsl_synth_core::model::{Circuit, CounterStrategy, Mealy, StateId};

/// The strategy that is simulated.
#[derive(Clone, Copy, Debug)]
pub enum Strategist<'a> {
    /// A machine of the system: it answers input letters.
    Mealy(&'a Mealy),
    /// A counter-strategy: it gives the input letter before the outputs of the step are chosen.
    Counter(&'a CounterStrategy),
}

/// What answers in a play.
#[derive(Clone, Debug)]
enum Answers<'a> {
    Explicit(Strategist<'a>),
    Circuit(PlayedCircuit<'a>),
}

/// The circuit of a controller, whose states, the values of its latches, are numbered as they are met.
#[derive(Clone, Debug)]
struct PlayedCircuit<'a> {
    circuit: &'a Circuit,
    numbers: RefCell<CircuitStates>,
}

#[derive(Clone, Debug, Default)]
struct CircuitStates {
    latches: Vec<Vec<bool>>,
    numbers: FxHashMap<Vec<bool>, StateId>,
}

impl CircuitStates {
    fn number(&mut self, latches: Vec<bool>) -> StateId {
        if let Some(&known) = self.numbers.get(&latches) {
            return known;
        }
        let number = StateId::from_index(self.latches.len());
        self.latches.push(latches.clone());
        self.numbers.insert(latches, number);
        number
    }
}

impl PlayedCircuit<'_> {
    /// The values of the latches in a state.
    fn latches(&self, state: StateId) -> Vec<bool> {
        self.numbers.borrow().latches[state.index()].clone()
    }
    /// The answer to an input letter, and the next state.
    fn step(&self, alphabet: &Alphabet, state: StateId, input: &Letter) -> (Letter, StateId) {
        let inputs: Vec<bool> =
            alphabet.bits_of(Player::Environment).map(|bit| input.contains(bit)).collect();
        let values = self.circuit.evaluate(&self.latches(state), &inputs);
        let outputs = alphabet.bits_of(Player::System).zip(values.outputs(self.circuit));
        let mut letter: Letter = outputs.filter(|(_, value)| *value).map(|(bit, _)| bit).collect();
        letter.union_with(input);
        let next = self.numbers.borrow_mut().number(values.next(self.circuit));
        (alphabet.canonical(&letter), next)
    }
    /// For each bit of the system the input letters of a state to which the answer has it.
    fn outputs(
        &self,
        alphabet: &Alphabet,
        state: StateId,
        guards: &mut Guards,
    ) -> Result<FxHashMap<BitId, Guard>, Limit> {
        let read: Vec<BitId> = alphabet.bits_of(Player::Environment).collect();
        let budget = Budget::unlimited().with_work(ANSWER_WORK);
        let values = functions(self.circuit, &self.latches(state), &read, guards, &budget)?;
        let mut outputs: FxHashMap<BitId, Guard> = FxHashMap::default();
        for (bit, &output) in alphabet.bits_of(Player::System).zip(&self.circuit.outputs) {
            outputs.insert(bit, value(&values, output, guards));
        }
        // An update may have several codes.
        let mut canonical = outputs.clone();
        for cell in alphabet.cells() {
            for &option in &cell.options {
                let is_chosen = alphabet.guard(option, guards);
                let is_chosen =
                    guards.compose(is_chosen, &|bit| outputs.get(&bit).copied(), &mut FxHashMap::default());
                let mut code = Letter::new();
                alphabet.choose(option, &mut code);
                for &bit in &cell.bits {
                    let others = if option == cell.options[0] { Guard::FALSE } else { canonical[&bit] };
                    let own = if code.contains(bit) { is_chosen } else { Guard::FALSE };
                    canonical.insert(bit, guards.or(others, own));
                }
            }
        }
        Ok(canonical)
    }
}

/// The work for the inputs to which a circuit answers in a given way.
const ANSWER_WORK: u64 = 1 << 22;

/// A finite play of a strategy.
#[derive(Clone, Debug)]
pub struct PlaySoFar<'a> {
    alphabet: &'a Alphabet,
    answers: Answers<'a>,
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
        Self { alphabet, answers: Answers::Explicit(strategist), letters: Vec::new(), states: vec![initial] }
    }
    /// The empty play of a well-formed circuit of a controller.
    pub fn of_circuit(alphabet: &'a Alphabet, circuit: &'a Circuit) -> Self {
        let mut states = CircuitStates::default();
        let initial = states.number(circuit.reset());
        let answers = Answers::Circuit(PlayedCircuit { circuit, numbers: RefCell::new(states) });
        Self { alphabet, answers, letters: Vec::new(), states: vec![initial] }
    }
    /// The alphabet of the play.
    pub fn alphabet(&self) -> &'a Alphabet {
        self.alphabet
    }
    /// The player who chooses: the opponent of the strategy's owner.
    pub fn chooser(&self) -> Player {
        match self.answers {
            Answers::Explicit(Strategist::Counter(_)) => Player::System,
            Answers::Explicit(Strategist::Mealy(_)) | Answers::Circuit(_) => Player::Environment,
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
        match self.answers {
            Answers::Explicit(Strategist::Counter(counter)) => Some(&counter.states[self.state()].input),
            Answers::Explicit(Strategist::Mealy(_)) | Answers::Circuit(_) => None,
        }
    }
    /// The whole letter and the next state after a choice: only the bits of the chooser count. `None` if the strategy
    /// has no answer, which certified strategies always have.
    pub fn peek(&self, choice: &Letter) -> Option<(Letter, StateId)> {
        let chooser = self.chooser();
        let own: Letter = choice.iter().filter(|&bit| self.alphabet.owner(bit) == chooser).collect();
        let mut letter = self.alphabet.canonical(&own);
        match &self.answers {
            Answers::Circuit(circuit) => Some(circuit.step(self.alphabet, self.state(), &own)),
            Answers::Explicit(Strategist::Mealy(mealy)) => {
                let edge = mealy.edge(self.state(), &own)?;
                letter = own;
                letter.union_with(&edge.output);
                Some((self.alphabet.canonical(&letter), edge.next))
            }
            Answers::Explicit(Strategist::Counter(counter)) => {
                let edge = counter.edge(self.state(), &letter)?;
                letter.union_with(&counter.states[self.state()].input);
                Some((letter, edge.next))
            }
        }
    }
    /// The input letters with which the whole letter of this step can be in `allowed`: for a machine those for which
    /// its answer makes it so, for a counter-strategy its own if some answer to it does. Where that takes too
    /// long for a circuit, those to which some answer makes it so.
    pub fn inputs(&self, allowed: Guard, guards: &mut Guards) -> Guard {
        let output = |bit| self.alphabet.owner(bit) == Player::System;
        match &self.answers {
            Answers::Circuit(circuit) => {
                let Ok(outputs) = circuit.outputs(self.alphabet, self.state(), guards) else {
                    return guards.exists(allowed, &output);
                };
                guards.compose(allowed, &|bit| outputs.get(&bit).copied(), &mut FxHashMap::default())
            }
            Answers::Explicit(Strategist::Mealy(mealy)) => {
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
            Answers::Explicit(Strategist::Counter(counter)) => {
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
