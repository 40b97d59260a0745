//! An explicit machine as a circuit, for questions that are easier on diagrams: the number of the state in binary, one
//! gate per edge and per node of a guard. The certifier's own encoding: it shares no code with the circuits that are
//! emitted. Linear in edges times state bits.

use rustc_hash::FxHashMap;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{Alphabet, BitId, Guard, Guards, Letter, Player};
use tsl_synth_core::model::{Circuit, CircuitBuilder, CounterStrategy, Literal, Mealy};

/// The circuit of a controller, which must be one: see `plays.rs`.
pub fn circuit_of_mealy(alphabet: &Alphabet, machine: &Mealy) -> Circuit {
    let mut encoder = Encoder::new(
        alphabet,
        Player::System,
        &machine.guards,
        (machine.states.len(), machine.initial.index()),
    );
    for (state, data) in machine.states.enumerate() {
        let here = encoder.state(state.index());
        for edge in &data.edges {
            let guard = encoder.guard(edge.guard);
            let taken = encoder.builder.and(here, guard);
            encoder.lead(taken, edge.next.index());
            encoder.give(taken, &edge.output);
        }
    }
    encoder.finish()
}

/// The circuit of a counter-strategy, which must be one. Its outputs depend on its latches only.
pub fn circuit_of_counter(alphabet: &Alphabet, machine: &CounterStrategy) -> Circuit {
    let mut encoder = Encoder::new(
        alphabet,
        Player::Environment,
        &machine.guards,
        (machine.states.len(), machine.initial.index()),
    );
    for (state, data) in machine.states.enumerate() {
        let here = encoder.state(state.index());
        encoder.give(here, &data.input);
        for edge in &data.edges {
            let guard = encoder.guard(edge.guard);
            let taken = encoder.builder.and(here, guard);
            encoder.lead(taken, edge.next.index());
        }
    }
    encoder.finish()
}

struct Encoder<'a> {
    guards: &'a Guards,
    builder: CircuitBuilder,
    /// The bits that the strategy reads.
    reads: FxHashMap<BitId, Literal>,
    /// The bits that the strategy controls, each with the conditions under which it is true.
    gives: Vec<(BitId, Vec<Literal>)>,
    latches: Vec<Literal>,
    /// For each latch the conditions under which it is true in the next step.
    next: Vec<Vec<Literal>>,
    made: FxHashMap<Guard, Literal>,
}

impl<'a> Encoder<'a> {
    fn new(
        alphabet: &Alphabet,
        owner: Player,
        guards: &'a Guards,
        (states, initial): (usize, usize),
    ) -> Self {
        let width = (usize::BITS - states.saturating_sub(1).leading_zeros()) as usize;
        let mut builder = CircuitBuilder::new(alphabet.bits_of(owner.opponent()).count());
        let reads = alphabet.bits_of(owner.opponent()).enumerate().map(|(i, bit)| (bit, builder.input(i)));
        let reads = reads.collect();
        let gives = alphabet.bits_of(owner).map(|bit| (bit, Vec::new())).collect();
        let latches = (0..width).map(|i| builder.add_latch(initial >> i & 1 == 1)).collect();
        Self {
            guards,
            builder,
            reads,
            gives,
            latches,
            next: vec![Vec::new(); width],
            made: FxHashMap::default(),
        }
    }

    /// A literal that is true iff the machine is in this state.
    fn state(&mut self, state: usize) -> Literal {
        has_code(&mut self.builder, &self.latches, state)
    }

    /// A literal that is true iff the guard contains the input letter.
    fn guard(&mut self, guard: Guard) -> Literal {
        guard_literal(&mut self.builder, self.guards, guard, &self.reads, &mut self.made)
    }

    fn lead(&mut self, taken: Literal, to: usize) {
        for (_, when) in self.next.iter_mut().enumerate().filter(|&(i, _)| to >> i & 1 == 1) {
            when.push(taken);
        }
    }

    fn give(&mut self, taken: Literal, letter: &Letter) {
        for (_, when) in self.gives.iter_mut().filter(|(bit, _)| letter.contains(*bit)) {
            when.push(taken);
        }
    }

    fn finish(mut self) -> Circuit {
        for (&latch, when) in self.latches.iter().zip(self.next) {
            let next = self.builder.or_all(when);
            self.builder.set_next(latch, next);
        }
        for (_, when) in self.gives {
            let output = self.builder.or_all(when);
            self.builder.add_output(output);
        }
        self.builder.finish()
    }
}

/// A literal that is true iff these bits, the least significant first, are the code.
pub(crate) fn has_code(builder: &mut CircuitBuilder, bits: &[Literal], code: usize) -> Literal {
    let equal = bits.iter().enumerate().map(|(i, bit)| bit.negated_if(code >> i & 1 == 0));
    builder.and_all(equal)
}

/// A literal that is true iff the guard contains the letter with these bits; `made` has the literals of guards made before.
/// Recursion is as deep as there are bits in the guard.
pub(crate) fn guard_literal(
    builder: &mut CircuitBuilder,
    guards: &Guards,
    guard: Guard,
    letter: &FxHashMap<BitId, Literal>,
    made: &mut FxHashMap<Guard, Literal>,
) -> Literal {
    if let Some(&known) = made.get(&guard) {
        return known;
    }
    let literal = match guards.branch(guard) {
        None => Literal::constant(guard == Guard::TRUE),
        Some((bit, low, high)) => {
            let low = guard_literal(builder, guards, low, letter, made);
            let high = guard_literal(builder, guards, high, letter, made);
            builder.mux(letter[&bit], high, low)
        }
    };
    made.insert(guard, literal);
    literal
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsl_synth_core::base::IdVec;
    use tsl_synth_core::model::{CounterEdge, CounterState, MealyEdge, MealyState, StateId};

    /// Two inputs, two outputs; from each of five states to two others, by the value of an input or output.
    #[test]
    fn circuits_do_what_their_machines_do() {
        let mut alphabet = Alphabet::new();
        alphabet.add_input("a");
        alphabet.add_input("b");
        alphabet.add_output("c");
        alphabet.add_output("d");
        let inputs: Vec<BitId> = alphabet.bits_of(Player::Environment).collect();
        let outputs: Vec<BitId> = alphabet.bits_of(Player::System).collect();
        let mut guards = Guards::new();
        let of = |code: usize, bits: &[BitId]| -> Letter {
            bits.iter().enumerate().filter(|(i, _)| code >> i & 1 == 1).map(|(_, &bit)| bit).collect()
        };
        let id = StateId::from_index;
        let mut mealy = IdVec::new();
        let mut counter = IdVec::new();
        for state in 0..5usize {
            let edge = |value: usize| (state * 3 + value * 2 + 1) % 5;
            let mut guard = |bits: &[BitId], value| guards.literal(bits[state % 2], value == 1);
            let edges = [0, 1].map(|value| MealyEdge {
                guard: guard(&inputs, value),
                output: of(state + value, &outputs),
                next: id(edge(value)),
            });
            mealy.push(MealyState { edges: edges.to_vec() });
            let edges =
                [0, 1].map(|value| CounterEdge { guard: guard(&outputs, value), next: id(edge(value)) });
            counter.push(CounterState { input: of(state, &inputs), edges: edges.to_vec() });
        }
        let mealy = Mealy { guards: guards.clone(), states: mealy, initial: id(3) };
        let counter = CounterStrategy { guards, states: counter, initial: id(2) };
        let circuits = [circuit_of_mealy(&alphabet, &mealy), circuit_of_counter(&alphabet, &counter)];
        let (mut p, mut q) = (mealy.initial, counter.initial);
        let [mut at_p, mut at_q] = [circuits[0].reset(), circuits[1].reset()];
        for code in [0, 1, 2, 3, 3, 1, 0, 2, 2, 1, 3, 0, 0, 1, 1, 2, 3, 2, 1, 0] {
            let read = [code & 1 == 1, code & 2 == 2];
            let values = |circuit: &Circuit, latches: &[bool]| circuit.evaluate(latches, &read);
            let letter = |outputs: &[bool], bits: &[BitId]| -> Letter {
                bits.iter().zip(outputs).filter(|(_, value)| **value).map(|(&bit, _)| bit).collect()
            };
            let edge = mealy.edge(p, &of(code, &inputs)).expect("total");
            let step = values(&circuits[0], &at_p);
            assert_eq!(letter(&step.outputs(&circuits[0]), &outputs), edge.output);
            (p, at_p) = (edge.next, step.next(&circuits[0]));
            let step = values(&circuits[1], &at_q);
            assert_eq!(letter(&step.outputs(&circuits[1]), &inputs), counter.states[q].input);
            q = counter.edge(q, &of(code, &outputs)).expect("total").next;
            at_q = step.next(&circuits[1]);
        }
    }
}
