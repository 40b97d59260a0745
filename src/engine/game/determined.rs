//! Inputs that facts determine: the value of a cell follows from the letter of the step before.
//!
//! Facts about two consecutive letters that mention single inputs of the later one, as `G (u -> (X v <-> g))` for every
//! update u of a cell, often say together that `X v` is a function of the letter. Automata for these facts, or memory of
//! the letter before, store everything that the function depends on. Instead, one bit of memory m stores its value, and
//! the only fact that is left is `G (v <-> m)`. If the first value is known as well, m replaces v in all clauses. The
//! contract over memory is equivalent.

use super::memory::Memory;
use super::tuning::DETERMINED_NODES;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use tsl_synth_automata::Labels;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, BitId, Class, FormulaId, Formulas, Guard, Node};
use tsl_synth_core::model::Contract;

/// The contract over memory of the inputs that its facts determine, with their number; `None` if there are none.
pub(super) fn with_determined(
    formulas: &mut Formulas,
    memory: &mut Memory,
    contract: &Contract,
) -> Option<(Contract, usize)> {
    let mut search = DeterminedSearch::new(&memory.alphabet);
    let (mut first, mut steps, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for fact in conjuncts(formulas, &contract.facts) {
        if formulas.class(fact).is(Class::BOOLEAN) {
            first.push(fact);
        } else if let Some(step) = search.step(formulas, fact) {
            steps.push(step);
        } else {
            others.push(fact);
        }
    }
    let functions = search.functions(&steps);
    let initial = search.initial(formulas, &first, &functions);
    if functions.is_empty() || search.labels.guards.is_exhausted() {
        return None;
    }
    let is_kept = |step: &&StepFact| !step.later.keys().all(|bit| functions.contains_key(bit));
    others.extend(steps.iter().filter(is_kept).map(|step| step.fact));
    others.extend(first.into_iter().filter(|&fact| !search.follows(formulas, &initial, fact)));

    // For each input the bit of memory, and whether it stores the negation, since memory is false at first.
    let stored: BTreeMap<BitId, (BitId, bool)> = functions
        .keys()
        .map(|&bit| (bit, (memory.reserve_behind(bit), initial.get(&bit) == Some(&true))))
        .collect();
    let (mut values, mut ties) = (FxHashMap::default(), Vec::new());
    for (&bit, &(own, negated)) in &stored {
        let input = formulas.atom(search.inputs[&bit]);
        let value = formulas.atom(memory.atom(own));
        let value = if negated { formulas.not(value) } else { value };
        let tie = formulas.iff(input, value);
        ties.push(if initial.contains_key(&bit) {
            values.insert(input, value);
            formulas.globally(tie)
        } else {
            let started = memory.started(formulas, 1);
            let tie = formulas.implies(started, tie);
            formulas.globally(tie)
        });
    }
    search.define(memory, &functions, &stored, &initial);
    let mut replaced = |clauses: &[FormulaId]| -> Vec<FormulaId> {
        clauses.iter().map(|&f| formulas.map(f, |_, g, _| values.get(&g).copied())).collect()
    };
    let contract = Contract {
        facts: [replaced(&others), ties].concat(),
        restrictions: replaced(&contract.restrictions),
        assumptions: replaced(&contract.assumptions),
        guarantees: replaced(&contract.guarantees),
    };
    Some((contract, functions.len()))
}

/// The number of inputs whose values the facts of a contract determine from the letter of the step before.
pub fn determined_inputs(formulas: &mut Formulas, alphabet: &Alphabet, contract: &Contract) -> usize {
    with_determined(formulas, &mut Memory::new(alphabet), contract).map_or(0, |(_, inputs)| inputs)
}

/// The conjuncts of some clauses, of which one may be below G.
fn conjuncts(formulas: &mut Formulas, clauses: &[FormulaId]) -> Vec<FormulaId> {
    let mut found = Vec::new();
    let mut open: Vec<FormulaId> = clauses.iter().rev().copied().collect();
    while let Some(f) = open.pop() {
        let body = match *formulas.node(f) {
            Node::And(ref parts) => {
                open.extend(parts.iter().rev());
                continue;
            }
            Node::Globally(body) => body,
            _ => f,
        };
        match formulas.node(body).clone() {
            Node::And(parts) => open.extend(parts.iter().rev().map(|&part| formulas.globally(part))),
            _ => found.push(f),
        }
    }
    found
}

/// A fact `G g` about two consecutive letters that says something about single inputs of the later one.
struct StepFact {
    fact: FormulaId,
    /// For each of these inputs, the pairs of letters that the fact allows as far as it is about this input.
    later: BTreeMap<BitId, Guard>,
}

/// Relations between letters, as guards over the bits of a letter and copies of the inputs for the later one.
struct DeterminedSearch {
    /// The alphabet with a copy of each input for the later letter.
    pairs: Alphabet,
    labels: Labels,
    /// The atom of each input.
    inputs: BTreeMap<BitId, AtomId>,
    /// The copy of each input atom.
    copies: FxHashMap<AtomId, AtomId>,
    /// The input of each copied bit.
    copied: BTreeMap<BitId, BitId>,
}

impl DeterminedSearch {
    fn new(alphabet: &Alphabet) -> Self {
        let mut labels = Labels::over(alphabet);
        labels.guards.set_limit(DETERMINED_NODES);
        let mut search = Self {
            pairs: alphabet.clone(),
            labels,
            inputs: BTreeMap::new(),
            copies: FxHashMap::default(),
            copied: BTreeMap::new(),
        };
        for (atom, kind) in alphabet.atoms().enumerate() {
            if let AtomKind::Input(bit) = kind.kind {
                search.inputs.insert(bit, atom);
                search.copied.insert(BitId::from_index(search.pairs.bit_count()), bit);
                search.copies.insert(atom, search.pairs.add_input(String::new()));
            }
        }
        search
    }

    /// Splits a fact into one relation for each input of the next letter, between the current letter and this input;
    /// `None` if the fact is not the conjunction of such relations.
    fn step(&mut self, formulas: &mut Formulas, fact: FormulaId) -> Option<StepFact> {
        let Node::Globally(body) = *formulas.node(fact) else { return None };
        if !formulas.is_window(body) || formulas.next_depth(body) != 1 {
            return None;
        }
        let atoms = formulas.subformulas(&[body]).into_iter().filter_map(|g| match *formulas.node(g) {
            Node::Next(h) => Some(h),
            _ => None,
        });
        let atoms: Vec<FormulaId> = atoms.collect();
        if formulas.support(&atoms).iter().any(|atom| !self.copies.contains_key(&atom)) {
            return None;
        }
        let copies = &self.copies;
        let pair = formulas.map(body, |formulas, g, _| {
            let Node::Next(h) = *formulas.node(g) else { return None };
            Some(formulas.map(h, |formulas, g, _| match *formulas.node(g) {
                Node::Atom(atom) => Some(formulas.atom(copies[&atom])),
                _ => None,
            }))
        });
        let pair = self.labels.guard_within(formulas, &self.pairs, pair, DETERMINED_NODES)?;
        let guards = &mut self.labels.guards;
        let mentioned: Vec<BitId> =
            guards.support(pair).into_iter().filter(|bit| self.copied.contains_key(bit)).collect();
        let (mut later, mut all) = (BTreeMap::new(), Guard::TRUE);
        for &bit in &mentioned {
            let part = guards.exists(pair, &|other| other != bit && self.copied.contains_key(&other));
            all = guards.and(all, part);
            later.insert(self.copied[&bit], part);
        }
        (all == pair && !later.is_empty()).then_some(StepFact { fact, later })
    }

    /// The inputs that the facts determine, each with its function of the letter before. Facts about some other input as
    /// well determine nothing.
    fn functions(&mut self, steps: &[StepFact]) -> BTreeMap<BitId, Guard> {
        let guards = &mut self.labels.guards;
        let mut allowed: BTreeMap<BitId, Guard> = BTreeMap::new();
        for (&bit, &part) in steps.iter().flat_map(|step| &step.later) {
            let all = allowed.entry(bit).or_insert(Guard::TRUE);
            *all = guards.and(*all, part);
        }
        let mut functions = BTreeMap::new();
        for (&copy, bit) in &self.copied {
            let Some(&part) = allowed.get(bit) else { continue };
            let given = |value: bool| move |other: BitId| (other == copy).then_some(value);
            let (unset, set) = (guards.given(part, &given(false)), guards.given(part, &given(true)));
            if guards.not(unset) == set {
                functions.insert(*bit, set);
            }
        }
        loop {
            let is_open = |step: &&StepFact| step.later.keys().any(|bit| !functions.contains_key(bit));
            let open: Vec<BitId> =
                steps.iter().filter(is_open).flat_map(|step| step.later.keys().copied()).collect();
            let before = functions.len();
            functions.retain(|bit, _| !open.contains(bit));
            if functions.len() == before {
                return functions;
            }
        }
    }

    /// The first values of determined inputs that some facts about the first letter determine.
    fn initial(
        &mut self,
        formulas: &mut Formulas,
        first: &[FormulaId],
        functions: &BTreeMap<BitId, Guard>,
    ) -> BTreeMap<BitId, bool> {
        let all = formulas.and(first.iter().copied());
        let all = self.labels.guard_within(formulas, &self.pairs, all, DETERMINED_NODES);
        let mut initial = BTreeMap::new();
        let Some(all) = all else { return initial };
        let guards = &mut self.labels.guards;
        for &bit in functions.keys() {
            let [unset, set] = [false, true].map(|value| guards.literal(bit, value));
            if !guards.intersects(all, set) {
                initial.insert(bit, false);
            } else if !guards.intersects(all, unset) {
                initial.insert(bit, true);
            }
        }
        initial
    }

    /// Whether a fact about the first letter follows from these first values.
    fn follows(&mut self, formulas: &Formulas, initial: &BTreeMap<BitId, bool>, fact: FormulaId) -> bool {
        let known: Vec<(BitId, bool)> = initial.iter().map(|(&bit, &value)| (bit, value)).collect();
        let fact = self.labels.guard_within(formulas, &self.pairs, fact, DETERMINED_NODES);
        let guards = &mut self.labels.guards;
        let known = guards.cube(&known);
        fact.is_some_and(|fact| guards.implies(known, fact))
    }

    /// Defines the memory of each determined input.
    fn define(
        &mut self,
        memory: &mut Memory,
        functions: &BTreeMap<BitId, Guard>,
        stored: &BTreeMap<BitId, (BitId, bool)>,
        initial: &BTreeMap<BitId, bool>,
    ) {
        for (bit, &function) in functions {
            let (own, negated) = stored[bit];
            let guards = memory.guards_mut();
            let next = self.labels.guards.copy_into(function, guards);
            let next = if negated { guards.not(next) } else { next };
            // Their own values, as far as they are known from the first step on, are read from memory as well.
            let read: FxHashMap<BitId, Guard> =
                initial.keys().map(|bit| (*bit, guards.literal(stored[bit].0, !stored[bit].1))).collect();
            let next = guards.compose(next, &|bit| read.get(&bit).copied(), &mut FxHashMap::default());
            memory.define(own, next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{FEW_STATES, Sharing, compile_contract, symbolic_winner};
    use tsl_synth_core::base::{Budget, Random};
    use tsl_synth_core::logic::Player;

    const MANY_NODES: usize = 1 << 20;

    /// An alphabet with inputs a, v, w and a cell of three updates.
    fn alphabet() -> (Alphabet, [AtomId; 6]) {
        let mut alphabet = Alphabet::new();
        let [a, v, w] = ["a", "v", "w"].map(|name| alphabet.add_input(name));
        let cell = alphabet.add_cell("c", ["x", "y", "z"]);
        let options = alphabet.cells()[cell].options.clone();
        (alphabet, [a, v, w, options[0], options[1], options[2]])
    }

    fn literal(random: &mut Random, formulas: &mut Formulas, of: &[FormulaId]) -> FormulaId {
        let f = of[random.below(of.len())];
        if random.flip() { formulas.not(f) } else { f }
    }

    /// A contract whose facts mostly determine v and w; some leave a case out, contradict each other, relate the two later
    /// values, or say nothing about the first step.
    fn contract(random: &mut Random, formulas: &mut Formulas, atoms: &[FormulaId]) -> Contract {
        let (inputs, options) = atoms.split_at(3);
        let (mut facts, mut guarantees, mut assumptions) = (Vec::new(), Vec::new(), Vec::new());
        for &value in &inputs[1..] {
            if random.below(4) > 0 {
                facts.push(if random.flip() { value } else { formulas.not(value) });
            }
            let later = formulas.next(value);
            for &option in options {
                let now = literal(random, formulas, inputs);
                let same = formulas.iff(later, now);
                let fact = formulas.implies(option, same);
                if random.below(12) > 0 {
                    facts.push(formulas.globally(fact));
                }
            }
        }
        if random.below(8) == 0 {
            let both = [inputs[1], inputs[2]].map(|value| formulas.next(value));
            let either = formulas.or(both);
            facts.push(formulas.globally(either));
        }
        for _ in 0..3 {
            let (p, q) = (literal(random, formulas, inputs), literal(random, formulas, atoms));
            let goal = match random.below(4) {
                0 => formulas.finally(q),
                1 => formulas.next(q),
                _ => q,
            };
            let duty = formulas.implies(p, goal);
            guarantees.push(formulas.globally(duty));
        }
        if random.flip() {
            let (p, q) = (literal(random, formulas, atoms), literal(random, formulas, &inputs[..1]));
            let q = if random.flip() { formulas.next(q) } else { formulas.finally(q) };
            let expected = formulas.implies(p, q);
            assumptions.push(formulas.globally(expected));
        }
        Contract { facts, assumptions, guarantees, ..Contract::default() }
    }

    /// Compiling the facts to automata instead of memory gives the same winner.
    #[test]
    fn memory_of_determined_inputs_keeps_the_winner() {
        let mut random = Random::new(44);
        let (mut found, mut none, mut lost) = (0, 0, 0);
        for _ in 0..400 {
            let (alphabet, atoms) = alphabet();
            let mut formulas = Formulas::new();
            let atoms = atoms.map(|atom| formulas.atom(atom));
            let contract = contract(&mut random, &mut formulas, &atoms);
            match with_determined(&mut formulas, &mut Memory::new(&alphabet), &contract) {
                Some(_) => found += 1,
                None => none += 1,
            }
            let budget = Budget::unlimited();
            let [plain, over_memory] =
                [Sharing::Nothing(4 * FEW_STATES), Sharing::Memory(FEW_STATES)].map(|sharing| {
                    let compiled = compile_contract(&mut formulas, &alphabet, &contract, sharing, &budget);
                    symbolic_winner(&compiled.expect("small"), &alphabet, MANY_NODES, &budget).expect("small")
                });
            assert_eq!(over_memory, plain, "{contract:?}");
            lost += usize::from(plain == Player::Environment);
        }
        assert!(found > 200 && none > 5 && (50..350).contains(&lost), "{found} {none} {lost}");
    }

    /// Two facts that contradict each other in some step determine nothing: the environment must avoid that step.
    #[test]
    fn contradictory_facts_determine_nothing() {
        let (alphabet, atoms) = alphabet();
        let mut formulas = Formulas::new();
        let [a, v, _, x, ..] = atoms.map(|atom| formulas.atom(atom));
        let later = formulas.next(v);
        let same = formulas.iff(later, a);
        let always = formulas.globally(same);
        let fact = formulas.implies(x, later);
        let fact = formulas.globally(fact);
        let of = |formulas: &mut Formulas, facts: Vec<FormulaId>| {
            let contract = Contract { facts, ..Contract::default() };
            with_determined(formulas, &mut Memory::new(&alphabet), &contract).map(|(_, bits)| bits)
        };
        assert_eq!(of(&mut formulas, vec![always]), Some(1));
        assert_eq!(of(&mut formulas, vec![always, fact]), None);
        assert_eq!(of(&mut formulas, vec![fact]), None);
    }
}
