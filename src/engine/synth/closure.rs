//! The closure of the properties expected of the environment: a deterministic monitor of their prefixes. When a play
//! leaves the prefixes, the monitor determines the player at fault: the environment, if no output after its input
//! extends the prefix, or else the system.

use crate::mealy::quotient_mealy;
use rustc_hash::FxHashMap;
use tsl_synth_automata::ltl_to_monitor;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::logic::{
    Alphabet, AtomId, AtomKind, BitId, FormulaId, Formulas, Guard, Guards, Letter, Player,
};
use tsl_synth_core::model::{Mealy, MealyEdge, MealyState, MonitorStateId, StateId};

/// The monitor with its two sink states.
#[derive(Debug)]
pub(super) struct Closure {
    guards: Guards,
    /// The states in which the play is a prefix; the first is the initial one.
    rows: Vec<ClosureEdges>,
}

/// The transitions of a state. The guards are over letters, except for [`ClosureEdges::illegal`], which is over inputs.
#[derive(Debug)]
struct ClosureEdges {
    /// Letters that extend the prefix, with the next state.
    alive: Vec<(Guard, usize)>,
    /// Inputs after which no output extends the prefix.
    illegal: Guard,
    /// The other letters: legal inputs with outputs that do not extend the prefix.
    falsified: Guard,
}

/// Atoms that encode the state of a closure as a binary number, so that formulas can refer to it. They are inputs, and
/// facts determine their values.
pub(super) struct StateCode {
    atoms: Vec<AtomId>,
}

impl Closure {
    /// The closure of the conjunction of some formulas; `None` if it is unsatisfiable.
    pub(super) fn new(
        formulas: &mut Formulas,
        alphabet: &Alphabet,
        expected: &[FormulaId],
        max_states: usize,
        budget: &Budget,
    ) -> Result<Option<Self>, Limit> {
        let all = formulas.and(expected.iter().copied());
        let monitor = ltl_to_monitor(formulas, alphabet, all, max_states, budget)?;
        let mut guards = monitor.guards;
        let mut number: FxHashMap<MonitorStateId, usize> = FxHashMap::default();
        let mut order = vec![monitor.initial];
        number.insert(monitor.initial, 0);
        let mut rows = Vec::new();
        if monitor.states[monitor.initial].dead {
            return Ok(None);
        }
        while rows.len() < order.len() {
            let state = order[rows.len()];
            let (mut alive, mut any) = (Vec::new(), Guard::FALSE);
            for edge in &monitor.states[state].edges {
                if monitor.states[edge.next].dead {
                    continue;
                }
                let next = *number.entry(edge.next).or_insert_with(|| {
                    order.push(edge.next);
                    order.len() - 1
                });
                any = guards.or(any, edge.guard);
                alive.push((edge.guard, next));
            }
            let legal = guards.exists(any, &|bit| alphabet.owner(bit) == Player::System);
            let illegal = guards.not(legal);
            let falsified = guards.minus(legal, any);
            rows.push(ClosureEdges { alive, illegal, falsified });
        }
        Ok(Some(Self { guards, rows }))
    }

    /// Whether every play is a prefix.
    pub(super) fn is_universal(&self) -> bool {
        self.rows.iter().all(|row| row.illegal == Guard::FALSE && row.falsified == Guard::FALSE)
    }

    /// The number of the state after an illegal input.
    fn broken(&self) -> usize {
        self.rows.len()
    }
    /// The number of the state after the system left the prefixes.
    fn falsified(&self) -> usize {
        self.rows.len() + 1
    }

    /// Adds inputs that encode the state.
    pub(super) fn code(&self, alphabet: &mut Alphabet) -> StateCode {
        let bits = usize::BITS - self.falsified().leading_zeros();
        StateCode { atoms: (0..bits).map(|i| alphabet.add_input(format!("prefix {i}"))).collect() }
    }

    /// The facts that determine the code: its initial value, and the transitions of each state.
    pub(super) fn facts(
        &self,
        formulas: &mut Formulas,
        alphabet: &Alphabet,
        code: &StateCode,
    ) -> Vec<FormulaId> {
        let mut text = GuardFormulas { alphabet, known: FxHashMap::default() };
        let mut facts = vec![code.is(formulas, 0)];
        for (q, row) in self.rows.iter().enumerate() {
            let mut moves: Vec<(Guard, usize)> = row.alive.clone();
            moves.push((row.illegal, self.broken()));
            moves.push((row.falsified, self.falsified()));
            let mut parts = Vec::new();
            for (guard, next) in moves {
                if guard == Guard::FALSE {
                    continue;
                }
                let letters = text.formula(formulas, &self.guards, guard, &|bit| bit);
                let then = code.is(formulas, next);
                let then = formulas.next(then);
                parts.push(formulas.implies(letters, then));
            }
            let here = code.is(formulas, q);
            let row = formulas.and(parts);
            let fact = formulas.implies(here, row);
            facts.push(formulas.globally(fact));
        }
        for q in [self.broken(), self.falsified()] {
            let here = code.is(formulas, q);
            let then = formulas.next(here);
            let fact = formulas.implies(here, then);
            facts.push(formulas.globally(fact));
        }
        facts
    }

    /// The formula "an illegal input has occurred".
    pub(super) fn is_broken(&self, formulas: &mut Formulas, code: &StateCode) -> FormulaId {
        code.is(formulas, self.broken())
    }

    /// The formula "the system never leaves the prefixes".
    pub(super) fn never_falsified(&self, formulas: &mut Formulas, code: &StateCode) -> FormulaId {
        let falsified = code.is(formulas, self.falsified());
        let kept = formulas.not(falsified);
        formulas.globally(kept)
    }

    /// Formulas that require every hint to be legal in the next step, for the states in which some input is illegal;
    /// `hints` maps each input bit to its hint.
    pub(super) fn legal_hints(
        &self,
        formulas: &mut Formulas,
        alphabet: &Alphabet,
        code: &StateCode,
        hints: &FxHashMap<BitId, BitId>,
    ) -> Vec<FormulaId> {
        let mut text = GuardFormulas { alphabet, known: FxHashMap::default() };
        let mut all = Vec::new();
        for (q, row) in self.rows.iter().enumerate().filter(|(_, row)| row.illegal != Guard::FALSE) {
            let illegal = text.formula(formulas, &self.guards, row.illegal, &|bit| hints[&bit]);
            let here = code.is(formulas, q);
            let later = formulas.next(here);
            let both = formulas.and([later, illegal]);
            let never = formulas.not(both);
            all.push(formulas.globally(never));
        }
        all
    }

    /// Turns a controller that reads the code into one that tracks the state of the closure itself, without the outputs
    /// that `alphabet` does not have; `None` if it has more than `max_states` states.
    pub(super) fn without_code(
        &self,
        machine: &Mealy,
        alphabet: &Alphabet,
        code: Option<(&StateCode, &Alphabet)>,
        max_states: usize,
    ) -> Option<Mealy> {
        let code_bits: Vec<BitId> = code.map(|(code, extended)| code.bits(extended)).unwrap_or_default();
        let mut guards = alphabet.guards();
        let first = (machine.initial, 0);
        let mut ids = FxHashMap::from_iter([(first, StateId::from_index(0))]);
        let mut found = vec![first];
        let mut states: IdVec<StateId, MealyState> = IdVec::new();
        while states.len() < found.len() {
            let (state, at) = found[states.len()];
            let coded = |bit: BitId| code_bits.iter().position(|&b| b == bit).map(|i| at >> i & 1 == 1);
            let mut edges: Vec<MealyEdge> = Vec::new();
            for edge in &machine.states[state].edges {
                let letters = machine.guards.copy_given(edge.guard, &mut guards, &coded);
                if letters == Guard::FALSE {
                    continue;
                }
                let output: Letter =
                    edge.output.iter().filter(|bit| bit.index() < alphabet.bit_count()).collect();
                for (guard, then) in self.moves(at, &output, alphabet, &mut guards) {
                    let guard = guards.and(guard, letters);
                    if guard == Guard::FALSE {
                        continue;
                    }
                    let next = *ids.entry((edge.next, then)).or_insert_with_key(|&pair| {
                        found.push(pair);
                        StateId::from_index(found.len() - 1)
                    });
                    edges.push(MealyEdge { guard, output: output.clone(), next });
                }
            }
            states.push(MealyState { edges });
            if found.len() > max_states {
                return None;
            }
        }
        Some(quotient_mealy(&Mealy { guards, states, initial: StateId::from_index(0) }))
    }

    /// The transitions of a state under a given output, with guards over inputs.
    fn moves(
        &self,
        at: usize,
        output: &Letter,
        alphabet: &Alphabet,
        guards: &mut Guards,
    ) -> Vec<(Guard, usize)> {
        let Some(row) = self.rows.get(at) else { return vec![(Guard::TRUE, at)] };
        let given = |bit: BitId| (alphabet.owner(bit) == Player::System).then(|| output.contains(bit));
        let mut moves: Vec<(Guard, usize)> = Vec::new();
        for &(guard, next) in &row.alive {
            moves.push((self.guards.copy_given(guard, guards, &given), next));
        }
        moves.push((self.guards.copy_given(row.illegal, guards, &given), self.broken()));
        moves.push((self.guards.copy_given(row.falsified, guards, &given), self.falsified()));
        moves
    }
}

impl StateCode {
    /// The formula "the code is this number".
    fn is(&self, formulas: &mut Formulas, number: usize) -> FormulaId {
        let literals: Vec<FormulaId> = (self.atoms.iter().enumerate())
            .map(|(i, &atom)| {
                let atom = formulas.atom(atom);
                if number >> i & 1 == 1 { atom } else { formulas.not(atom) }
            })
            .collect();
        formulas.and(literals)
    }

    fn bits(&self, alphabet: &Alphabet) -> Vec<BitId> {
        let bit = |&atom: &AtomId| match alphabet.atoms()[atom].kind {
            AtomKind::Input(bit) => Some(bit),
            _ => None,
        };
        self.atoms.iter().filter_map(bit).collect()
    }
}

/// Converts guards to formulas.
struct GuardFormulas<'a> {
    alphabet: &'a Alphabet,
    known: FxHashMap<BitId, FormulaId>,
}

impl GuardFormulas<'_> {
    /// The formula of a guard with its bits renamed. Linear in the diagram.
    fn formula(
        &mut self,
        formulas: &mut Formulas,
        guards: &Guards,
        guard: Guard,
        renamed: &dyn Fn(BitId) -> BitId,
    ) -> FormulaId {
        let mut done =
            FxHashMap::from_iter([(Guard::TRUE, formulas.top()), (Guard::FALSE, formulas.bottom())]);
        let mut stack = vec![guard];
        while let Some(&top) = stack.last() {
            if done.contains_key(&top) {
                stack.pop();
                continue;
            }
            let (bit, low, high) = guards.branch(top).expect("the constants are done");
            let (Some(&if_false), Some(&if_true)) = (done.get(&low), done.get(&high)) else {
                stack.extend([low, high]);
                continue;
            };
            let bit = self.bit(formulas, renamed(bit));
            let not_bit = formulas.not(bit);
            let then = formulas.and([bit, if_true]);
            let otherwise = formulas.and([not_bit, if_false]);
            done.insert(top, formulas.or([then, otherwise]));
        }
        done[&guard]
    }

    /// The formula "the bit is true"; a bit of a cell is true if an option with that bit is chosen.
    fn bit(&mut self, formulas: &mut Formulas, bit: BitId) -> FormulaId {
        if let Some(&known) = self.known.get(&bit) {
            return known;
        }
        let mut options = Vec::new();
        for (id, atom) in self.alphabet.atoms().enumerate() {
            let is_meant = match atom.kind {
                AtomKind::Input(own) | AtomKind::Output(own) => own == bit,
                AtomKind::Update(cell, option) => {
                    let index = self.alphabet.cells()[cell].bits.iter().position(|&own| own == bit);
                    index.is_some_and(|index| option >> index & 1 == 1)
                }
            };
            if is_meant {
                options.push(formulas.atom(id));
            }
        }
        let formula = formulas.or(options);
        self.known.insert(bit, formula);
        formula
    }
}
