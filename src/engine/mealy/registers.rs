//! Strategies that maintain registers themselves: the atoms that stand for past operators are determined by the
//! letters, so a controller need not read them, and a counter-strategy can output them. Synchronous products with the
//! deterministic automaton of all registers; explicit ones are at most 2ᵏ times as large for k registers, circuits grow
//! linearly.

use super::quotient::quotient_counter;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit, LimitKind};
use tsl_synth_core::logic::{
    Alphabet, AtomKind, BitId, FormulaId, Formulas, Guard, Guards, Lasso, Letter, Node, Player,
};
use tsl_synth_core::model::{
    Circuit, CircuitBuilder, CounterEdge, CounterState, CounterStrategy, Literal, Mealy, MealyEdge,
    MealyState, Register, StateId, StrategyRepr, Verdict,
};
use tsl_synth_lang::spec::Problem;

/// The registers of a problem with their defining formulas. Their bits are the last ones of the alphabet.
#[derive(Clone, Copy, Debug)]
pub struct Registers<'a> {
    /// Owns the formulas whose last values the registers store.
    pub formulas: &'a Formulas,
    /// The atoms, those of registers last.
    pub alphabet: &'a Alphabet,
    /// The registers in the order of their atoms.
    pub all: &'a [Register],
}

/// The values of registers in a step.
type Values = Vec<bool>;

impl<'a> Registers<'a> {
    /// The registers of a problem.
    pub fn of(problem: &'a Problem) -> Self {
        Self { formulas: &problem.formulas, alphabet: &problem.alphabet, all: &problem.signature.registers }
    }

    /// A counter-strategy without the registers among its inputs.
    pub fn hidden_counter(&self, machine: &CounterStrategy) -> CounterStrategy {
        if self.all.is_empty() {
            return machine.clone();
        }
        let bits = self.bits();
        let mut hidden = machine.clone();
        for state in &mut hidden.states {
            state.input = state.input.iter().filter(|bit| !bits.contains(bit)).collect();
        }
        quotient_counter(&hidden)
    }

    /// A certified strategy over the alphabet without registers; a controller must not read them, a counter-strategy
    /// outputs them.
    pub fn hidden(&self, verdict: &Verdict) -> Verdict {
        match verdict {
            _ if self.all.is_empty() => verdict.clone(),
            Verdict::Realizable(StrategyRepr::Circuit(circuit)) => {
                let plain = circuit.inputs - self.all.len();
                let mut builder = CircuitBuilder::new(plain);
                let mut inputs: Vec<Literal> = (0..plain).map(|i| builder.input(i)).collect();
                inputs.resize(circuit.inputs, Literal::FALSE);
                let outputs = builder.import(circuit, &inputs);
                for output in outputs {
                    builder.add_output(output);
                }
                Verdict::Realizable(StrategyRepr::Circuit(builder.finish()))
            }
            Verdict::Unrealizable(StrategyRepr::Explicit(counter), notion) => {
                Verdict::Unrealizable(StrategyRepr::Explicit(self.hidden_counter(counter)), *notion)
            }
            Verdict::Unrealizable(StrategyRepr::Circuit(circuit), notion) => {
                let mut builder = CircuitBuilder::new(circuit.inputs);
                let inputs: Vec<Literal> = (0..circuit.inputs).map(|i| builder.input(i)).collect();
                let mut outputs = builder.import(circuit, &inputs);
                outputs.truncate(circuit.outputs.len() - self.all.len());
                for output in outputs {
                    builder.add_output(output);
                }
                Verdict::Unrealizable(StrategyRepr::Circuit(builder.finish()), *notion)
            }
            Verdict::Realizable(StrategyRepr::Explicit(_)) | Verdict::Unknown(_) => verdict.clone(),
        }
    }

    /// The bits of the registers in order.
    pub fn bits(&self) -> Vec<BitId> {
        let bit = |register: &Register| match self.alphabet.atoms()[register.atom].kind {
            AtomKind::Input(bit) | AtomKind::Output(bit) => bit,
            AtomKind::Update(..) => unreachable!("a register is an input"),
        };
        self.all.iter().map(bit).collect()
    }

    /// The letters of a play with the values of the registers.
    pub fn recorded(&self, letters: &[Letter]) -> Vec<Letter> {
        let mut values = vec![false; self.all.len()];
        let mut record = self.recorder();
        letters.iter().map(|letter| record(letter, &mut values)).collect()
    }

    /// An infinite play with the values of the registers. They repeat after at most 2ᵏ rounds of the cycle for k registers.
    pub fn recorded_lasso(&self, play: &Lasso) -> Lasso {
        let mut values = vec![false; self.all.len()];
        let mut record = self.recorder();
        let mut letters: Vec<Letter> = play.prefix.iter().map(|letter| record(letter, &mut values)).collect();
        let mut begins: FxHashMap<Values, usize> = FxHashMap::default();
        loop {
            if let Some(first) = begins.insert(values.clone(), letters.len()) {
                let cycle = letters.split_off(first);
                return Lasso { prefix: letters, cycle };
            }
            letters.extend(play.cycle.iter().map(|letter| record(letter, &mut values)));
        }
    }

    /// A function that adds the values of the registers to a letter, and replaces them by those of the next step.
    fn recorder(&self) -> impl FnMut(&Letter, &mut Values) -> Letter {
        let mut guards = self.alphabet.guards();
        let (conditions, bits) = (self.conditions(&mut guards), self.bits());
        move |letter, values| {
            let mut letter = letter.clone();
            bits.iter().zip(values.iter()).filter(|(_, value)| **value).for_each(|(&bit, _)| {
                letter.insert(bit);
            });
            *values = conditions.iter().map(|&condition| guards.contains(condition, &letter)).collect();
            letter
        }
    }

    /// For each register the letters after which it is true.
    fn conditions(&self, guards: &mut Guards) -> Vec<Guard> {
        let roots: Vec<FormulaId> = self.all.iter().map(|register| register.now).collect();
        let mut values: FxHashMap<FormulaId, Guard> = FxHashMap::default();
        for f in self.formulas.subformulas(&roots) {
            let guard = match self.formulas.node(f) {
                Node::True => Guard::TRUE,
                Node::False => Guard::FALSE,
                Node::Atom(atom) => self.alphabet.guard(*atom, guards),
                Node::Not(g) => guards.not(values[g]),
                Node::And(gs) => gs.iter().fold(Guard::TRUE, |all, g| guards.and(all, values[g])),
                Node::Or(gs) => gs.iter().fold(Guard::FALSE, |some, g| guards.or(some, values[g])),
                Node::Iff(a, b) => guards.iff(values[a], values[b]),
                _ => unreachable!("what is remembered has no temporal operators"),
            };
            values.insert(f, guard);
        }
        roots.iter().map(|f| values[f]).collect()
    }

    /// A controller that reads no register, and answers as this one does if the registers have the right values.
    ///
    /// # Errors
    /// More than `max_edges` edges, or a limit of the budget.
    pub fn with_internal_registers(
        &self,
        machine: &Mealy,
        max_edges: usize,
        budget: &Budget,
    ) -> Result<Mealy, Limit> {
        let mut guards = self.alphabet.guards();
        let conditions = self.conditions(&mut guards);
        let bits = self.bits();
        let mut product = RegisterProduct::new(machine.initial, bits.len(), max_edges);
        let mut states: IdVec<StateId, MealyState> = IdVec::new();
        while let Some((state, values)) = product.take(states.len()) {
            budget.tick(1, || "a controller that remembers the past".into())?;
            let mut edges = Vec::new();
            for edge in &machine.states[state].edges {
                let register = |bit: BitId| bits.iter().position(|&b| b == bit).map(|i| values[i]);
                let guard = machine.guards.copy_given(edge.guard, &mut guards, &register);
                let known = |bit: BitId| {
                    let output = self.alphabet.owner(bit) == Player::System;
                    register(bit).or_else(|| output.then(|| edge.output.contains(bit)))
                };
                for (guard, next) in split(&mut guards, guard, &conditions, &known) {
                    let next = product.number(edge.next, next)?;
                    edges.push(MealyEdge { guard, output: edge.output.clone(), next });
                }
            }
            states.push(MealyState { edges });
        }
        Ok(Mealy { guards, states, initial: StateId::from_index(0) })
    }

    /// A counter-strategy that outputs the registers together with the other inputs.
    ///
    /// # Errors
    /// More than `max_edges` edges, or a limit of the budget.
    pub fn given_by(
        &self,
        machine: &CounterStrategy,
        max_edges: usize,
        budget: &Budget,
    ) -> Result<CounterStrategy, Limit> {
        let mut guards = self.alphabet.guards();
        let conditions = self.conditions(&mut guards);
        let bits = self.bits();
        let mut product = RegisterProduct::new(machine.initial, bits.len(), max_edges);
        let mut states: IdVec<StateId, CounterState> = IdVec::new();
        while let Some((state, values)) = product.take(states.len()) {
            budget.tick(1, || "a counter-strategy that remembers the past".into())?;
            let given = &machine.states[state];
            let mut input: Letter = given.input.iter().filter(|bit| !bits.contains(bit)).collect();
            bits.iter().zip(&values).filter(|(_, value)| **value).for_each(|(&bit, _)| {
                input.insert(bit);
            });
            let known =
                |bit: BitId| (self.alphabet.owner(bit) == Player::Environment).then(|| input.contains(bit));
            let mut edges = Vec::new();
            for edge in &given.edges {
                let guard = machine.guards.copy_into(edge.guard, &mut guards);
                for (guard, next) in split(&mut guards, guard, &conditions, &known) {
                    edges.push(CounterEdge { guard, next: product.number(edge.next, next)? });
                }
            }
            states.push(CounterState { input, edges });
        }
        Ok(CounterStrategy { guards, states, initial: StateId::from_index(0) })
    }

    /// The circuit of a controller that reads no register: its last inputs, the registers, remain but are not used.
    pub fn kept_by_circuit(&self, circuit: &Circuit) -> Circuit {
        let mut builder = CircuitBuilder::new(circuit.inputs);
        let plain = circuit.inputs - self.all.len();
        let latches: Vec<Literal> = self.all.iter().map(|_| builder.add_latch(false)).collect();
        let inputs: Vec<Literal> =
            (0..plain).map(|i| builder.input(i)).chain(latches.iter().copied()).collect();
        let outputs = builder.import(circuit, &inputs);
        let read = self.alphabet.bits_of(Player::Environment).zip(inputs);
        let values = read.chain(self.alphabet.bits_of(Player::System).zip(outputs.iter().copied()));
        self.remember(&mut builder, &latches, &values.collect());
        for output in outputs {
            builder.add_output(output);
        }
        builder.finish()
    }

    /// The circuit of a controller over the alphabet without registers, with them as further inputs that it does not
    /// read; they come before its last `after` inputs.
    pub fn unread_by_circuit(&self, circuit: &Circuit, after: usize) -> Circuit {
        let mut builder = CircuitBuilder::new(circuit.inputs + self.all.len());
        let before = circuit.inputs - after;
        let place = |i: usize| if i < before { i } else { i + self.all.len() };
        let inputs: Vec<Literal> = (0..circuit.inputs).map(|i| builder.input(place(i))).collect();
        let outputs = builder.import(circuit, &inputs);
        for output in outputs {
            builder.add_output(output);
        }
        builder.finish()
    }

    /// The circuit of a counter-strategy that outputs the registers after the other inputs, which `circuit` outputs.
    pub fn given_by_circuit(&self, circuit: &Circuit) -> Circuit {
        let mut builder = CircuitBuilder::new(circuit.inputs);
        let inputs: Vec<Literal> = (0..circuit.inputs).map(|i| builder.input(i)).collect();
        let mut outputs = builder.import(circuit, &inputs);
        outputs.truncate(self.alphabet.bits_of(Player::Environment).count() - self.all.len());
        let latches: Vec<Literal> = self.all.iter().map(|_| builder.add_latch(false)).collect();
        outputs.extend(&latches);
        let read = self.alphabet.bits_of(Player::System).zip(inputs);
        let values = read.chain(self.alphabet.bits_of(Player::Environment).zip(outputs.iter().copied()));
        self.remember(&mut builder, &latches, &values.collect());
        for output in outputs {
            builder.add_output(output);
        }
        builder.finish()
    }

    /// Defines the next values of the latches in terms of the current bits.
    fn remember(&self, builder: &mut CircuitBuilder, latches: &[Literal], bits: &FxHashMap<BitId, Literal>) {
        let roots: Vec<FormulaId> = self.all.iter().map(|register| register.now).collect();
        let mut values: FxHashMap<FormulaId, Literal> = FxHashMap::default();
        for f in self.formulas.subformulas(&roots) {
            let literal = match self.formulas.node(f) {
                Node::True => Literal::TRUE,
                Node::False => Literal::FALSE,
                Node::Atom(atom) => match self.alphabet.atoms()[*atom].kind {
                    AtomKind::Input(bit) | AtomKind::Output(bit) => bits[&bit],
                    AtomKind::Update(cell, option) => {
                        let cell = &self.alphabet.cells()[cell];
                        let read = cell.bits.iter().map(|bit| bits[bit]).collect::<Vec<Literal>>();
                        chosen(builder, &read, option as usize, cell.options.len())
                    }
                },
                Node::Not(g) => !values[g],
                Node::And(gs) => builder.and_all(gs.iter().map(|g| values[g])),
                Node::Or(gs) => builder.or_all(gs.iter().map(|g| values[g])),
                Node::Iff(a, b) => builder.iff(values[a], values[b]),
                _ => unreachable!("what is remembered has no temporal operators"),
            };
            values.insert(f, literal);
        }
        for (latch, f) in latches.iter().zip(&roots) {
            builder.set_next(*latch, values[f]);
        }
    }
}

/// Reachable pairs of a state and values of the registers, in the order in which they were found.
struct RegisterProduct {
    ids: FxHashMap<(StateId, Values), StateId>,
    found: Vec<(StateId, Values)>,
    edges: usize,
    max_edges: usize,
}

impl RegisterProduct {
    fn new(initial: StateId, registers: usize, max_edges: usize) -> Self {
        let first = (initial, vec![false; registers]);
        let ids = FxHashMap::from_iter([(first.clone(), StateId::from_index(0))]);
        Self { ids, found: vec![first], edges: 0, max_edges }
    }
    fn take(&self, number: usize) -> Option<(StateId, Values)> {
        self.found.get(number).cloned()
    }
    fn number(&mut self, state: StateId, values: Values) -> Result<StateId, Limit> {
        self.edges += 1;
        if self.edges > self.max_edges {
            let what = format!("a machine that remembers the past has more than {} edges", self.max_edges);
            return Err(Limit::new(LimitKind::Size, what));
        }
        let next = StateId::from_index(self.found.len());
        Ok(*self.ids.entry((state, values)).or_insert_with_key(|pair| {
            self.found.push(pair.clone());
            next
        }))
    }
}

/// Splits a guard by the values of the registers in the next step.
fn split(
    guards: &mut Guards,
    guard: Guard,
    conditions: &[Guard],
    known: &dyn Fn(BitId) -> Option<bool>,
) -> Vec<(Guard, Values)> {
    let mut parts = vec![(guard, Vec::new())];
    parts.retain(|part| part.0 != Guard::FALSE);
    for &condition in conditions {
        let condition = guards.given(condition, known);
        let mut finer = Vec::new();
        for (guard, values) in parts {
            let (yes, no) = (guards.and(guard, condition), guards.minus(guard, condition));
            for (part, value) in [(no, false), (yes, true)] {
                if part != Guard::FALSE {
                    finer.push((part, [&values[..], &[value]].concat()));
                }
            }
        }
        parts = finer;
    }
    parts
}

/// Whether a cell takes the option with this index, given its bits; codes past the last option mean the last one.
fn chosen(builder: &mut CircuitBuilder, bits: &[Literal], option: usize, options: usize) -> Literal {
    let is_last = option + 1 == options;
    let codes = if is_last { option..1 << bits.len() } else { option..option + 1 };
    let mut any = Vec::new();
    for code in codes {
        any.push(
            builder.and_all(bits.iter().enumerate().map(|(i, &bit)| bit.negated_if(code >> i & 1 == 0))),
        );
    }
    builder.or_all(any)
}
