//! A counter-strategy in either form, played step by step: a circuit is evaluated state by state, as far as a play needs.

use super::counter_repr::CounterRepr;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{Alphabet, BitId, Letter, Player};
use tsl_synth_core::model::{Circuit, CounterStrategy, StateId, StrategyRepr};

/// A counter-strategy whose states have numbers, the initial one 0 for a circuit.
pub(super) enum Opponent<'a> {
    /// An explicit machine; the numbers are those of its states.
    Machine(&'a CounterStrategy),
    /// A circuit; the states that were met so far.
    Circuit(CircuitPlays<'a>),
}

/// The states of a circuit that were met.
pub(super) struct CircuitPlays<'a> {
    circuit: &'a Circuit,
    /// The bits that the circuit reads and gives, in its order.
    reads: Vec<BitId>,
    gives: Vec<BitId>,
    states: RefCell<States>,
}

#[derive(Default)]
struct States {
    latches: Vec<Vec<bool>>,
    index: FxHashMap<Vec<bool>, usize>,
}

impl States {
    fn number(&mut self, latches: Vec<bool>) -> usize {
        if let Some(&known) = self.index.get(&latches) {
            return known;
        }
        self.latches.push(latches.clone());
        self.index.insert(latches, self.latches.len() - 1);
        self.latches.len() - 1
    }
}

impl<'a> Opponent<'a> {
    /// The counter-strategy over this alphabet.
    pub(super) fn new(alphabet: &Alphabet, counter: &'a CounterRepr) -> Self {
        let circuit = match counter {
            StrategyRepr::Explicit(machine) => return Self::Machine(machine),
            StrategyRepr::Circuit(circuit) => circuit,
        };
        let mut states = States::default();
        states.number(circuit.reset());
        Self::Circuit(CircuitPlays {
            circuit,
            reads: alphabet.bits_of(Player::System).collect(),
            gives: alphabet.bits_of(Player::Environment).collect(),
            states: RefCell::new(states),
        })
    }

    /// The explicit machine, if it is one.
    pub(super) fn machine(&self) -> Option<&'a CounterStrategy> {
        match self {
            Self::Machine(machine) => Some(machine),
            Self::Circuit(_) => None,
        }
    }

    /// The first state.
    pub(super) fn initial(&self) -> usize {
        self.machine().map_or(0, |machine| machine.initial.index())
    }

    /// The input letter that is given in a state.
    pub(super) fn input(&self, state: usize) -> Letter {
        match self {
            Self::Machine(machine) => machine.states[StateId::from_index(state)].input.clone(),
            Self::Circuit(plays) => {
                let values = plays.circuit.evaluate(&plays.states.borrow().latches[state], &[]);
                let given = plays.gives.iter().zip(&plays.circuit.outputs);
                given.filter(|(_, output)| values.of(**output)).map(|(&bit, _)| bit).collect()
            }
        }
    }

    /// The state after an answer of the system; `None` if the machine has no edge for it.
    pub(super) fn next(&self, state: usize, answer: &Letter) -> Option<usize> {
        match self {
            Self::Machine(machine) => Some(machine.edge(StateId::from_index(state), answer)?.next.index()),
            Self::Circuit(plays) => {
                let read: Vec<bool> = plays.reads.iter().map(|&bit| answer.contains(bit)).collect();
                let values = plays.circuit.evaluate(&plays.states.borrow().latches[state], &read);
                let latches = plays.circuit.latches.iter().map(|latch| values.of(latch.next)).collect();
                Some(plays.states.borrow_mut().number(latches))
            }
        }
    }

    /// The bits of the system on which the next state may depend.
    pub(super) fn bits(&self, state: usize) -> Vec<BitId> {
        match self {
            Self::Machine(machine) => {
                let edges = machine.states[StateId::from_index(state)].edges.iter();
                edges.flat_map(|edge| machine.guards.support(edge.guard)).collect()
            }
            Self::Circuit(plays) => plays.reads.clone(),
        }
    }

    /// Units of work of one step.
    pub(super) fn work(&self) -> u64 {
        match self {
            Self::Machine(_) => 1,
            Self::Circuit(plays) => 1 + plays.circuit.gates.len() as u64 / 16,
        }
    }
}
