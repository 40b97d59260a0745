//! Sequential circuits: and-inverter graphs with latches, as in AIGER (Biere, Heljanko and Wieringa, "AIGER 1.9
//! and beyond", 2011).

use crate::base::steps;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A variable of a circuit or its negation: twice the variable, plus one where negated. Variable 0 is false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal(u32);

impl Literal {
    /// ⊥
    pub const FALSE: Self = Self(0);
    /// ⊤
    pub const TRUE: Self = Self(1);

    /// A variable, or its negation.
    ///
    /// # Panics
    /// If the variable does not fit 31 bits.
    pub fn new(variable: usize, negated: bool) -> Self {
        let variable = u32::try_from(variable).ok().filter(|&v| v < 1 << 31);
        Self(variable.expect("a variable fits 31 bits") << 1 | u32::from(negated))
    }
    /// Twice the variable, plus one where negated.
    pub fn code(self) -> u32 {
        self.0
    }
    /// A constant.
    pub fn constant(value: bool) -> Self {
        Self(u32::from(value))
    }
    /// The variable.
    pub fn variable(self) -> usize {
        (self.0 >> 1) as usize
    }
    /// Whether it is a negation.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
    /// The literal, negated if `flip`.
    pub fn negated_if(self, flip: bool) -> Self {
        Self(self.0 ^ u32::from(flip))
    }
}

impl std::ops::Not for Literal {
    type Output = Self;
    fn not(self) -> Self {
        self.negated_if(true)
    }
}

/// A latch: it holds a bit from step to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Latch {
    /// Its value in the next step.
    pub next: Literal,
    /// Its value in the first step.
    pub reset: bool,
}

/// A strategy as a sequential circuit. A controller reads one input per bit of the environment, in the order
/// of `alphabet.bits_of(Player::Environment)`, and gives one output per bit of the system, in the order of
/// `alphabet.bits_of(Player::System)`: a cell is log-coded, a code past its last option means the last option.
/// A counter-strategy is the same with the players exchanged, and its outputs do not depend on its inputs.
///
/// Variables are numbered without gaps: 0 is the constant, then the inputs, the latches, and the gates.
/// Invariant, see [`Circuit::is_well_formed`]: the operands of a gate are smaller variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Circuit {
    /// How many inputs there are.
    pub inputs: usize,
    /// The latches.
    pub latches: Vec<Latch>,
    /// And-gates over earlier variables, the larger operand first.
    pub gates: Vec<(Literal, Literal)>,
    /// The outputs of a step, functions of its inputs and latches.
    pub outputs: Vec<Literal>,
}

impl Circuit {
    /// How many variables there are, the constant included.
    pub fn variables(&self) -> usize {
        1 + self.inputs + self.latches.len() + self.gates.len()
    }
    /// The input with this index.
    pub fn input(&self, index: usize) -> Literal {
        Literal::new(1 + index, false)
    }
    /// The latch with this index.
    pub fn latch(&self, index: usize) -> Literal {
        Literal::new(1 + self.inputs + index, false)
    }
    /// The gate with this index.
    pub fn gate(&self, index: usize) -> Literal {
        Literal::new(1 + self.inputs + self.latches.len() + index, false)
    }
    /// Whether every literal is a variable of the circuit and every gate comes after its operands.
    pub fn is_well_formed(&self) -> bool {
        let known = |literal: Literal| literal.variable() < self.variables();
        let ordered = self.gates.iter().enumerate().all(|(i, &(a, b))| {
            let own = self.gate(i).variable();
            a.variable() < own && b.variable() < own
        });
        ordered && self.latches.iter().all(|l| known(l.next)) && self.outputs.iter().copied().all(known)
    }
    /// The values of the latches in the first step.
    pub fn reset(&self) -> Vec<bool> {
        self.latches.iter().map(|latch| latch.reset).collect()
    }
    /// One step of a well-formed circuit: the values of all variables for these latches and inputs (missing
    /// inputs are false). Read the outputs and next latches off with [`Valuation::of`]. Linear in the variables.
    pub fn evaluate(&self, latches: &[bool], inputs: &[bool]) -> Valuation {
        let mut values = vec![false; 1 + self.inputs];
        for (value, &given) in values[1..].iter_mut().zip(inputs) {
            *value = given;
        }
        values.extend((0..self.latches.len()).map(|i| latches.get(i).copied().unwrap_or(false)));
        for &(a, b) in &self.gates {
            let of = |l: Literal| values[l.variable()] != l.is_negated();
            values.push(of(a) && of(b));
        }
        Valuation(values)
    }
}

/// The values of all variables of a circuit in one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Valuation(Vec<bool>);

impl Valuation {
    /// The value of a literal.
    pub fn of(&self, literal: Literal) -> bool {
        self.0[literal.variable()] != literal.is_negated()
    }
    /// The outputs of the circuit.
    pub fn outputs(&self, circuit: &Circuit) -> Vec<bool> {
        circuit.outputs.iter().map(|&l| self.of(l)).collect()
    }
    /// The latches of the next step.
    pub fn next(&self, circuit: &Circuit) -> Vec<bool> {
        circuit.latches.iter().map(|latch| self.of(latch.next)).collect()
    }
}

#[derive(Clone, Copy, Debug)]
enum GatePart {
    Constant,
    Input,
    Latch(usize),
    Gate(Literal, Literal),
}

/// Builds a [`Circuit`]: equal gates are one gate, constants are folded, and [`CircuitBuilder::finish`] keeps
/// only what the outputs depend on. Literals are those of the builder; the circuit numbers its own.
#[derive(Clone, Debug)]
pub struct CircuitBuilder {
    inputs: usize,
    parts: Vec<GatePart>,
    latches: Vec<(Literal, Latch)>,
    outputs: Vec<Literal>,
    index: FxHashMap<(Literal, Literal), Literal>,
}

impl CircuitBuilder {
    /// A builder for a circuit with this many inputs.
    pub fn new(inputs: usize) -> Self {
        let mut parts = vec![GatePart::Constant];
        parts.resize(1 + inputs, GatePart::Input);
        Self { inputs, parts, latches: Vec::new(), outputs: Vec::new(), index: FxHashMap::default() }
    }
    /// The input with this index.
    ///
    /// # Panics
    /// If there is none.
    pub fn input(&self, index: usize) -> Literal {
        assert!(index < self.inputs, "there are {} inputs", self.inputs);
        Literal::new(1 + index, false)
    }
    /// How many gates were made.
    pub fn gate_count(&self) -> usize {
        self.index.len()
    }
    fn add(&mut self, part: GatePart) -> Literal {
        self.parts.push(part);
        Literal::new(self.parts.len() - 1, false)
    }
    /// A new latch, which keeps its initial value unless [`Self::set_next`] is called.
    pub fn add_latch(&mut self, reset: bool) -> Literal {
        let latch = self.add(GatePart::Latch(self.latches.len()));
        self.latches.push((latch, Latch { next: latch, reset }));
        latch
    }
    /// Sets the value of a latch in the next step.
    ///
    /// # Panics
    /// If `latch` is not a literal of a latch that [`Self::add_latch`] returned.
    pub fn set_next(&mut self, latch: Literal, next: Literal) {
        let GatePart::Latch(index) = self.parts[latch.variable()] else { panic!("{latch:?} is no latch") };
        self.latches[index].1.next = next.negated_if(latch.is_negated());
    }
    /// Adds the next output.
    pub fn add_output(&mut self, literal: Literal) {
        self.outputs.push(literal);
    }

    fn operands(&self, literal: Literal) -> Option<(Literal, Literal)> {
        match self.parts[literal.variable()] {
            GatePart::Gate(a, b) => Some((a, b)),
            _ => None,
        }
    }
    /// a ∧ b. Besides constants, absorption and contradiction one level down are folded (the local rules of
    /// Brummayer and Biere, "Local two-level and-inverter graph minimization without blowup", MEMICS 2006).
    pub fn and(&mut self, a: Literal, b: Literal) -> Literal {
        steps::count(1);
        let (a, b) = (a.min(b), a.max(b));
        if a == Literal::FALSE || a == !b {
            return Literal::FALSE;
        }
        if a == Literal::TRUE || a == b {
            return b;
        }
        for (gate, other) in [(b, a), (a, b)] {
            let Some((c, d)) = self.operands(gate) else { continue };
            if gate.is_negated() {
                if other == !c || other == !d {
                    return other;
                }
                if other == c {
                    return self.and(other, !d);
                }
                if other == d {
                    return self.and(other, !c);
                }
            } else {
                if other == c || other == d {
                    return gate;
                }
                if other == !c || other == !d {
                    return Literal::FALSE;
                }
            }
        }
        if let Some(&gate) = self.index.get(&(a, b)) {
            return gate;
        }
        let gate = self.add(GatePart::Gate(a, b));
        self.index.insert((a, b), gate);
        gate
    }
    /// a ∨ b
    pub fn or(&mut self, a: Literal, b: Literal) -> Literal {
        !self.and(!a, !b)
    }
    /// condition ? then : otherwise
    pub fn mux(&mut self, condition: Literal, then: Literal, otherwise: Literal) -> Literal {
        if then == otherwise {
            return then;
        }
        let yes = self.and(condition, then);
        let no = self.and(!condition, otherwise);
        self.or(yes, no)
    }
    /// a ↔ b
    pub fn iff(&mut self, a: Literal, b: Literal) -> Literal {
        self.mux(a, b, !b)
    }
    /// The conjunction of all, as a balanced tree.
    pub fn and_all(&mut self, literals: impl IntoIterator<Item = Literal>) -> Literal {
        let mut queue: VecDeque<Literal> = literals.into_iter().collect();
        while queue.len() > 1 {
            if let (Some(a), Some(b)) = (queue.pop_front(), queue.pop_front()) {
                let both = self.and(a, b);
                queue.push_back(both);
            }
        }
        queue.pop_front().unwrap_or(Literal::TRUE)
    }
    /// The disjunction of all, as a balanced tree.
    pub fn or_all(&mut self, literals: impl IntoIterator<Item = Literal>) -> Literal {
        !self.and_all(literals.into_iter().map(|l| !l))
    }

    /// Makes a copy of a well-formed circuit, fed with these inputs; returns its outputs.
    ///
    /// # Panics
    /// If there are too few inputs.
    pub fn import(&mut self, circuit: &Circuit, inputs: &[Literal]) -> Vec<Literal> {
        let latches = self.import_latches(circuit);
        self.import_gates(circuit, inputs, &latches)
    }
    /// Adds a latch for each latch of a circuit, for [`Self::import_gates`].
    pub fn import_latches(&mut self, circuit: &Circuit) -> Vec<Literal> {
        circuit.latches.iter().map(|latch| self.add_latch(latch.reset)).collect()
    }
    /// Copies the gates of a well-formed circuit, fed with these inputs, and sets the next values of these latches; returns
    /// the outputs.
    ///
    /// # Panics
    /// If there are too few inputs or latches.
    pub fn import_gates(
        &mut self,
        circuit: &Circuit,
        inputs: &[Literal],
        latches: &[Literal],
    ) -> Vec<Literal> {
        let mut copies = vec![Literal::FALSE];
        copies.extend_from_slice(&inputs[..circuit.inputs]);
        copies.extend_from_slice(&latches[..circuit.latches.len()]);
        let copy = |copies: &[Literal], l: Literal| copies[l.variable()].negated_if(l.is_negated());
        for &(a, b) in &circuit.gates {
            let gate = self.and(copy(&copies, a), copy(&copies, b));
            copies.push(gate);
        }
        for (&latch, Latch { next, .. }) in latches.iter().zip(&circuit.latches) {
            self.set_next(latch, copy(&copies, *next));
        }
        circuit.outputs.iter().map(|&l| copy(&copies, l)).collect()
    }

    /// The circuit, reduced to the parts that the outputs depend on. Latches and gates keep their order. Linear in what
    /// was built.
    pub fn finish(self) -> Circuit {
        let mut needed = vec![false; self.parts.len()];
        let mut stack: Vec<Literal> = self.outputs.clone();
        while let Some(literal) = stack.pop() {
            let variable = literal.variable();
            if std::mem::replace(&mut needed[variable], true) {
                continue;
            }
            match self.parts[variable] {
                GatePart::Constant | GatePart::Input => {}
                GatePart::Latch(index) => stack.push(self.latches[index].1.next),
                GatePart::Gate(a, b) => stack.extend([a, b]),
            }
        }
        let mut numbers: Vec<usize> = (0..=self.inputs).collect();
        numbers.resize(self.parts.len(), 0);
        let mut count = 1 + self.inputs;
        let mut number = |wanted: fn(&GatePart) -> bool| {
            for (variable, part) in self.parts.iter().enumerate() {
                if needed[variable] && wanted(part) {
                    numbers[variable] = count;
                    count += 1;
                }
            }
        };
        number(|part| matches!(part, GatePart::Latch(_)));
        number(|part| matches!(part, GatePart::Gate(..)));
        let renumbered = |l: Literal| Literal::new(numbers[l.variable()], l.is_negated());
        let mut circuit = Circuit { inputs: self.inputs, ..Circuit::default() };
        for (variable, part) in self.parts.iter().enumerate().filter(|&(variable, _)| needed[variable]) {
            match *part {
                GatePart::Constant | GatePart::Input => {}
                GatePart::Latch(index) => {
                    debug_assert_eq!(
                        self.latches[index].0.variable(),
                        variable,
                        "a latch has the index of its variable"
                    );
                    let Latch { next, reset } = self.latches[index].1;
                    circuit.latches.push(Latch { next: renumbered(next), reset });
                }
                GatePart::Gate(a, b) => {
                    // The larger operand first, as AIGER writes gates.
                    let (a, b) = (renumbered(a), renumbered(b));
                    circuit.gates.push((a.max(b), a.min(b)));
                }
            }
        }
        circuit.outputs = self.outputs.iter().map(|&l| renumbered(l)).collect();
        circuit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_gates_are_one_and_constants_vanish() {
        let mut b = CircuitBuilder::new(2);
        let (x, y) = (b.input(0), b.input(1));
        let both = b.and(x, y);
        assert_eq!(b.and(y, x), both);
        assert_eq!(b.and(both, x), both);
        assert_eq!(b.and(both, !y), Literal::FALSE);
        assert_eq!(b.and(!both, !x), !x);
        assert_eq!(b.and(!both, x), b.and(x, !y));
        assert_eq!(b.mux(x, Literal::TRUE, Literal::FALSE), x);
        assert_eq!(b.or(x, !x), Literal::TRUE);
    }

    #[test]
    fn a_counter_counts_and_what_no_output_needs_is_gone() {
        let mut b = CircuitBuilder::new(1);
        let (low, high, idle) = (b.add_latch(false), b.add_latch(true), b.add_latch(false));
        let tick = b.input(0);
        let carry = b.and(low, tick);
        let (next_low, next_high) = (b.iff(low, !tick), b.iff(high, !carry));
        b.set_next(low, next_low);
        b.set_next(high, next_high);
        let unused = b.and(idle, low);
        b.set_next(idle, unused);
        b.add_output(low);
        b.add_output(!high);
        let circuit = b.finish();
        assert!(circuit.is_well_formed());
        assert_eq!(circuit.latches.len(), 2);
        let mut latches = circuit.reset();
        let mut seen = Vec::new();
        for input in [true, true, false, true, true] {
            let values = circuit.evaluate(&latches, &[input]);
            let outputs = values.outputs(&circuit);
            seen.push(u8::from(outputs[0]) + 2 * u8::from(outputs[1]));
            latches = values.next(&circuit);
        }
        // The high bit starts at 1 and is shown negated: 0, 1, then 2.
        assert_eq!(seen, [0, 1, 2, 2, 3]);
    }
}
