//! Explicit strategies as circuits: states log-encoded or one-hot, whichever is smaller; functions as irredundant sums
//! of products (Minato 1993), of the function or of its complement, or as trees of multiplexers along their decision
//! diagram, whichever adds the fewest gates (the choice that Knor and ltlsynt leave to options). Linear in states times
//! bits, apart from the sums, which are abandoned beyond a limit on the number of products.

use super::sweep::simplified;
use crate::mealy::tuning::{CHOICE_GATES, MAX_PRODUCTS, ONE_HOT_STATES};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::cover::cover_within;
use tsl_synth_core::logic::{Alphabet, BitId, Guard, Guards, Letter, Player};
use tsl_synth_core::model::{Circuit, CircuitBuilder, CounterStrategy, Literal, Mealy};

/// A small circuit of a controller.
pub fn circuit_of_mealy(alphabet: &Alphabet, machine: &Mealy) -> Circuit {
    let edges = |state: &tsl_synth_core::model::MealyState| {
        state.edges.iter().map(|e| (e.guard, e.next.index(), e.output.clone())).collect()
    };
    let rows = machine.states.iter().map(edges).collect();
    let table = EncodedStrategy {
        reads: alphabet.bits_of(Player::Environment).collect(),
        gives: alphabet.bits_of(Player::System).collect(),
        state_bit: alphabet.bit_count(),
        rows,
        initial: machine.initial.index(),
    };
    table.smallest(&machine.guards)
}

/// A small circuit of a counter-strategy; its outputs depend on its latches only.
pub fn circuit_of_counter(alphabet: &Alphabet, machine: &CounterStrategy) -> Circuit {
    let edges = |state: &tsl_synth_core::model::CounterState| {
        state.edges.iter().map(|e| (e.guard, e.next.index(), state.input.clone())).collect()
    };
    let rows = machine.states.iter().map(edges).collect();
    let table = EncodedStrategy {
        reads: alphabet.bits_of(Player::System).collect(),
        gives: alphabet.bits_of(Player::Environment).collect(),
        state_bit: alphabet.bit_count(),
        rows,
        initial: machine.initial.index(),
    };
    table.smallest(&machine.guards)
}

/// The edges of a strategy by state: guard, next state and answer.
struct EncodedStrategy {
    reads: Vec<BitId>,
    gives: Vec<BitId>,
    /// The first bit of state codes in guards: past all bits of letters.
    state_bit: usize,
    rows: Vec<Vec<(Guard, usize, Letter)>>,
    initial: usize,
}

impl EncodedStrategy {
    fn smallest(&self, guards: &Guards) -> Circuit {
        let size = |circuit: &Circuit| (circuit.gates.len() + circuit.latches.len(), circuit.latches.len());
        let coded = CircuitEncoder::new(self, guards, false).encode();
        if self.rows.len() > ONE_HOT_STATES || self.rows.len() < 3 {
            return coded;
        }
        let one_hot = CircuitEncoder::new(self, guards, true).encode();
        if size(&one_hot) < size(&coded) { one_hot } else { coded }
    }

    /// For each state, the letters on which an edge satisfies a condition.
    fn when(&self, guards: &mut Guards, holds: &dyn Fn(usize, &Letter) -> bool) -> Vec<Guard> {
        let mut sets = Vec::new();
        for row in &self.rows {
            // A condition on the state alone holds on every letter, whether or not an edge covers it.
            let all = row.iter().all(|(_, next, answer)| holds(*next, answer));
            let taken = row.iter().filter(|(_, next, answer)| holds(*next, answer));
            let set = taken.fold(Guard::FALSE, |sum, edge| guards.or(sum, edge.0));
            sets.push(if all { Guard::TRUE } else { set });
        }
        sets
    }
}

struct CircuitEncoder<'a> {
    table: &'a EncodedStrategy,
    guards: Guards,
    builder: CircuitBuilder,
    /// The literal of every bit that guards mention.
    literals: FxHashMap<BitId, Literal>,
    latches: Vec<Literal>,
    one_hot: bool,
    /// The codes that encode states.
    care: Guard,
}

impl<'a> CircuitEncoder<'a> {
    fn new(table: &'a EncodedStrategy, guards: &Guards, one_hot: bool) -> Self {
        let mut builder = CircuitBuilder::new(table.reads.len());
        let mut literals: FxHashMap<BitId, Literal> =
            table.reads.iter().enumerate().map(|(i, &bit)| (bit, builder.input(i))).collect();
        let states = table.rows.len();
        let width = (usize::BITS - states.saturating_sub(1).leading_zeros()) as usize;
        let resets: Vec<bool> = if one_hot {
            (0..states).map(|state| state == table.initial).collect()
        } else {
            (0..width).map(|i| table.initial >> i & 1 == 1).collect()
        };
        let latches: Vec<Literal> = resets.into_iter().map(|reset| builder.add_latch(reset)).collect();
        if !one_hot {
            let bits = (0..width).map(|i| BitId::from_index(table.state_bit + i));
            literals.extend(bits.zip(latches.iter().copied()));
        }
        let mut this =
            Self { table, guards: guards.clone(), builder, literals, latches, one_hot, care: Guard::TRUE };
        if !one_hot {
            this.care = (0..states).fold(Guard::FALSE, |sum, state| {
                let code = this.code(state);
                this.guards.or(sum, code)
            });
        }
        this
    }

    /// The code of a state as a guard.
    fn code(&mut self, state: usize) -> Guard {
        let width = self.latches.len();
        let bit = |i: usize| BitId::from_index(self.table.state_bit + i);
        let cube: Vec<(BitId, bool)> = (0..width).rev().map(|i| (bit(i), state >> i & 1 == 1)).collect();
        self.guards.cube(&cube)
    }

    fn encode(mut self) -> Circuit {
        let table = self.table;
        for i in 0..self.latches.len() {
            let one_hot = self.one_hot;
            let holds = |next: usize, _: &Letter| if one_hot { next == i } else { next >> i & 1 == 1 };
            let sets = table.when(&mut self.guards, &holds);
            let next = self.function(&sets);
            self.builder.set_next(self.latches[i], next);
        }
        for &bit in &table.gives {
            let sets = table.when(&mut self.guards, &|_, answer| answer.contains(bit));
            let output = self.function(&sets);
            self.builder.add_output(output);
        }
        simplified(self.builder.finish())
    }

    /// The function that is true in each state on the letters of its set.
    fn function(&mut self, sets: &[Guard]) -> Literal {
        if !self.one_hot {
            let mut function = Guard::FALSE;
            for (state, &set) in sets.iter().enumerate() {
                let code = self.code(state);
                let part = self.guards.and(set, code);
                function = self.guards.or(function, part);
            }
            let unused = self.guards.not(self.care);
            let upper = self.guards.or(function, unused);
            return self.literal(function, upper);
        }
        let mut groups: Vec<(Guard, Vec<usize>)> = Vec::new();
        for (state, &set) in sets.iter().enumerate().filter(|(_, set)| **set != Guard::FALSE) {
            match groups.iter_mut().find(|(known, _)| *known == set) {
                Some((_, states)) => states.push(state),
                None => groups.push((set, vec![state])),
            }
        }
        let mut parts = Vec::new();
        for (set, states) in groups {
            let letters = self.literal(set, set);
            let inside = |state: &usize| states.contains(state);
            let here = if 2 * states.len() > sets.len() {
                let others: Vec<Literal> =
                    (0..sets.len()).filter(|s| !inside(s)).map(|s| self.latches[s]).collect();
                !self.builder.or_all(others)
            } else {
                let latches: Vec<Literal> = states.iter().map(|&s| self.latches[s]).collect();
                self.builder.or_all(latches)
            };
            parts.push(self.builder.and(letters, here));
        }
        self.builder.or_all(parts)
    }

    /// A function between two bounds, in the way that adds the fewest gates.
    fn literal(&mut self, lower: Guard, upper: Guard) -> Literal {
        if upper == Guard::TRUE {
            return Literal::TRUE;
        }
        if self.builder.gate_count() > CHOICE_GATES {
            return self.multiplexers(lower);
        }
        let start = self.builder.clone();
        let literal = self.multiplexers(lower);
        let mut best =
            (self.builder.gate_count(), literal, std::mem::replace(&mut self.builder, start.clone()));
        let (not_upper, not_lower) = (self.guards.not(upper), self.guards.not(lower));
        for (low, high, flip) in [(lower, upper, false), (not_upper, not_lower, true)] {
            let Some(cubes) = cover_within(&mut self.guards, low, high, MAX_PRODUCTS) else { continue };
            let mut products = Vec::new();
            for cube in cubes {
                let factors: Vec<Literal> =
                    cube.iter().map(|&(bit, value)| self.literals[&bit].negated_if(!value)).collect();
                products.push(self.builder.and_all(factors));
            }
            let sum = self.builder.or_all(products).negated_if(flip);
            let gates = self.builder.gate_count();
            let made = std::mem::replace(&mut self.builder, start.clone());
            if gates < best.0 {
                best = (gates, sum, made);
            }
        }
        self.builder = best.2;
        best.1
    }

    /// One multiplexer per node of the diagram, operands first.
    fn multiplexers(&mut self, function: Guard) -> Literal {
        let mut done: FxHashMap<Guard, Literal> = FxHashMap::default();
        done.insert(Guard::FALSE, Literal::FALSE);
        done.insert(Guard::TRUE, Literal::TRUE);
        let mut stack = vec![function];
        while let Some(&guard) = stack.last() {
            if done.contains_key(&guard) {
                stack.pop();
                continue;
            }
            let (bit, low, high) = self.guards.branch(guard).expect("constants are done");
            match (done.get(&low), done.get(&high)) {
                (Some(&no), Some(&yes)) => {
                    let condition = self.literals[&bit];
                    let literal = self.builder.mux(condition, yes, no);
                    done.insert(guard, literal);
                    stack.pop();
                }
                _ => stack.extend([low, high]),
            }
        }
        done[&function]
    }
}
