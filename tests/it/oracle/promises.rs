//! The existence of friendly controllers as an ordinary synthesis problem, exact for machines of any size.
//!
//! After each step the system promises a next input with which the environment can keep A. A play must be in A if every
//! input of it is legal or promised, and from some step on every input is promised. A friendly controller can promise
//! the inputs of a play in A that continues the history, and change to another play only when an input is not the
//! promised one. Conversely, the promises of a winning strategy define such a play after each history of legal inputs.
//! Further outputs encode which inputs are legal: they must follow a deterministic automaton for the prefixes of words
//! in A.

use super::elementary::{Elementary, Table};
use super::friendly::{Expectations, expected};
use super::instance::Instance;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::logic::{AtomId, AtomKind, BitId, FormulaId, Formulas, Guard, Guards, Letter, Player};
use tsl_synth_core::model::{
    CounterEdge, CounterState, CounterStrategy, Mealy, MealyEdge, MealyState, StateId,
};

/// A minimal deterministic automaton for the prefixes of words in A. The first state is the initial one.
struct PrefixAutomaton {
    /// Per state and letter.
    next: Vec<Vec<usize>>,
    /// Per state, whether the word so far is such a prefix.
    alive: Vec<bool>,
}

impl PrefixAutomaton {
    /// `None` when there are more than `limit` sets of nodes.
    fn new(expectations: &Expectations, letters: usize, limit: usize) -> Option<Self> {
        let mut sets: Vec<BTreeSet<usize>> = vec![expectations.initial()];
        let mut next = Vec::new();
        while let Some(set) = sets.get(next.len()).cloned() {
            let mut row = Vec::new();
            for letter in 0..letters {
                let target = expectations.read(&set, letter);
                row.push(sets.iter().position(|s| *s == target).unwrap_or_else(|| {
                    sets.push(target);
                    sets.len() - 1
                }));
            }
            if sets.len() > limit {
                return None;
            }
            next.push(row);
        }
        let alive: Vec<bool> = sets.iter().map(|set| !set.is_empty()).collect();
        let mut class: Vec<usize> = alive.iter().map(|&a| usize::from(a != alive[0])).collect();
        loop {
            // States stay in one class if their classes and those of all successors agree; numbered in the order of
            // states.
            let mut signatures: Vec<(usize, Vec<usize>)> = Vec::new();
            let refined: Vec<usize> = (0..next.len())
                .map(|state| {
                    let signature = (class[state], next[state].iter().map(|&n| class[n]).collect());
                    signatures.iter().position(|s| *s == signature).unwrap_or_else(|| {
                        signatures.push(signature);
                        signatures.len() - 1
                    })
                })
                .collect();
            if refined == class {
                break;
            }
            class = refined;
        }
        let count = class.iter().max().map_or(0, |m| m + 1);
        let first = |c: usize| class.iter().position(|&d| d == c).expect("a state of each class");
        Some(Self {
            next: (0..count).map(|c| next[first(c)].iter().map(|&n| class[n]).collect()).collect(),
            alive: (0..count).map(|c| alive[first(c)]).collect(),
        })
    }
}

/// An instance with one further output for each input: the promised value of the input in the next step.
pub(crate) struct Promises {
    /// With the promises.
    pub(crate) instance: Instance,
    /// Each input with its promise.
    pub(crate) pairs: Vec<(AtomId, AtomId)>,
    /// The letters without promises.
    letters: Vec<Letter>,
    /// The outputs without promises.
    outputs: Letter,
    automaton: PrefixAutomaton,
}

impl Promises {
    /// `None` if the automaton is large.
    pub(crate) fn new(instance: &Instance, expectations: &Expectations) -> Option<Self> {
        let letters = instance.letters();
        let automaton = PrefixAutomaton::new(expectations, letters.len(), 64)?;
        if automaton.next.len() > 8 {
            return None;
        }
        let outputs = instance.alphabet.bits_of(Player::System).collect();
        let mut instance = instance.clone();
        let inputs: Vec<AtomId> = instance.alphabet.inputs().collect();
        let promise = |(i, input)| (input, instance.alphabet.add_output(format!("promise{i}")));
        let pairs = inputs.into_iter().enumerate().map(promise).collect();
        Some(Self { instance, pairs, letters, outputs, automaton })
    }

    fn bit(&self, atom: AtomId) -> BitId {
        match self.instance.alphabet.atoms()[atom].kind {
            AtomKind::Input(bit) | AtomKind::Output(bit) => bit,
            AtomKind::Update(..) => unreachable!("neither an input nor a promise"),
        }
    }

    /// Whether the input of this letter is legal in a state of the automaton.
    fn is_legal(&self, state: usize, letter: &Letter) -> bool {
        let same = |other: &Letter| {
            self.pairs.iter().all(|&(input, _)| {
                let bit = self.bit(input);
                other.contains(bit) == letter.contains(bit)
            })
        };
        self.letters
            .iter()
            .zip(&self.automaton.next[state])
            .any(|(other, &next)| same(other) && self.automaton.alive[next])
    }

    /// The number of a letter without its promises.
    fn plain(&self, letter: &Letter) -> usize {
        let plain = |bit: &BitId| self.pairs.iter().all(|&(_, promise)| self.bit(promise) != *bit);
        let known: Letter = letter.iter().filter(plain).collect();
        self.letters.iter().position(|l| *l == known).expect("a letter")
    }

    /// The instance with further outputs, which encode the state of the automaton.
    fn with_codes(&self) -> (Instance, Vec<AtomId>) {
        let mut instance = self.instance.clone();
        let width = self.automaton.next.len().next_power_of_two().trailing_zeros();
        let codes = (0..width).map(|i| instance.alphabet.add_output(format!("state{i}"))).collect();
        (instance, codes)
    }

    /// The synthesis problem that, for nonempty A, is realizable if and only if a friendly controller keeps the
    /// contract.
    pub(crate) fn problem(&self) -> Instance {
        let (mut plain, codes) = self.with_codes();
        let contract = plain.contract.formula(&mut plain.formulas);
        let expected = expected(&mut plain);
        let alphabet = &plain.alphabet;
        let fs = &mut plain.formulas;
        let states = self.automaton.next.len();
        let said: Vec<FormulaId> = (0..states)
            .map(|state| {
                let bits: Vec<FormulaId> = (codes.iter().enumerate())
                    .map(|(i, &code)| literal(fs, code, state >> i & 1 == 1))
                    .collect();
                fs.and(bits)
            })
            .collect();
        let atoms: Vec<AtomId> =
            alphabet.atoms().ids().filter(|&a| self.letters.iter().any(|l| alphabet.holds(a, l))).collect();
        let inputs: Vec<AtomId> = self.pairs.iter().map(|&(input, _)| input).collect();
        let chosen = |fs: &mut Formulas, letter: &Letter, atoms: &[AtomId]| {
            let literals: Vec<FormulaId> =
                atoms.iter().map(|&atom| literal(fs, atom, alphabet.holds(atom, letter))).collect();
            fs.and(literals)
        };
        let mut restrictions = vec![said[0]];
        let mut legal = Vec::new();
        for state in 0..states {
            for target in 0..states {
                let mut to_target = Vec::new();
                for (letter, &next) in self.letters.iter().zip(&self.automaton.next[state]) {
                    if next == target {
                        to_target.push(chosen(fs, letter, &atoms));
                        if self.automaton.alive[target] {
                            let input = chosen(fs, letter, &inputs);
                            legal.push(fs.and([said[state], input]));
                        }
                    }
                }
                let to_target = fs.or(to_target);
                let now = fs.and([said[state], to_target]);
                let then = fs.next(said[target]);
                let clause = fs.implies(now, then);
                restrictions.push(fs.globally(clause));
            }
        }
        let legal = fs.or(legal);
        let kept = self.kept(fs);
        let next_legal = fs.next(legal);
        let admitted = fs.or([kept, next_legal]);
        let always_admitted = fs.globally(admitted);
        let always_kept = fs.globally(kept);
        let at_last_kept = fs.finally(always_kept);
        let premise = fs.and([legal, always_admitted, at_last_kept]);
        let friendly = fs.implies(premise, expected);
        plain.contract.facts.clear();
        plain.contract.assumptions.clear();
        plain.contract.restrictions = restrictions;
        plain.contract.guarantees = vec![contract, friendly];
        plain
    }

    /// The next input is the promised one.
    fn kept(&self, fs: &mut Formulas) -> FormulaId {
        let mut kept = Vec::new();
        for &(input, promise) in &self.pairs {
            let (input, promise) = (fs.atom(input), fs.atom(promise));
            let input = fs.next(input);
            kept.push(fs.iff(promise, input));
        }
        fs.and(kept)
    }

    /// A controller of [`Promises::problem`] without its promises.
    pub(crate) fn controller(&self, machine: &Mealy) -> Mealy {
        let edge = |edge: &MealyEdge| {
            let mut output = edge.output.clone();
            output.intersect_with(&self.outputs);
            MealyEdge { guard: edge.guard, output, next: edge.next }
        };
        let states: IdVec<_, _> = (machine.states.iter())
            .map(|state| MealyState { edges: state.edges.iter().map(edge).collect() })
            .collect();
        Mealy { guards: machine.guards.clone(), states, initial: machine.initial }
    }

    /// A counter-strategy of [`Promises::problem`] that tracks the automaton itself instead of reading its state.
    pub(crate) fn counter(&self, counter: &CounterStrategy) -> CounterStrategy {
        let (extended, codes) = self.with_codes();
        let system: Vec<BitId> = self.instance.alphabet.bits_of(Player::System).collect();
        let mut guards = Guards::new();
        let mut index = HashMap::from([((counter.initial, 0), 0)]);
        let mut order = vec![(counter.initial, 0)];
        let mut states: IdVec<StateId, CounterState> = IdVec::new();
        while let Some(&(state, place)) = order.get(states.len()) {
            let input = &counter.states[state].input;
            let mut edges: BTreeMap<usize, Guard> = BTreeMap::new();
            for number in 0..1usize << system.len() {
                let output: Letter =
                    (0..system.len()).filter(|i| number >> i & 1 == 1).map(|i| system[i]).collect();
                if self.instance.alphabet.canonical(&output) != output {
                    continue;
                }
                let mut told = output.clone();
                for (_, &code) in codes.iter().enumerate().filter(|&(i, _)| place >> i & 1 == 1) {
                    extended.alphabet.choose(code, &mut told);
                }
                let mut letter = output.clone();
                letter.union_with(input);
                let next_place = self.automaton.next[place][self.plain(&letter)];
                let pair = (counter.edge(state, &told).expect("total on outputs").next, next_place);
                let next = *index.entry(pair).or_insert_with(|| {
                    order.push(pair);
                    order.len() - 1
                });
                let this = guards.valuation(system.iter().copied(), &output);
                let guard = edges.entry(next).or_insert(Guard::FALSE);
                *guard = guards.or(*guard, this);
            }
            let edges = (edges.into_iter())
                .map(|(next, guard)| CounterEdge { guard, next: StateId::from_index(next) })
                .collect();
            states.push(CounterState { input: input.clone(), edges });
        }
        CounterStrategy { guards, states, initial: StateId::from_index(0) }
    }

    /// The languages that contain no play against a counter-strategy that keeps the facts and shows that no controller
    /// of the contract is friendly: the contract with `FG kept -> (A | F illegal)`, and the negation of the facts.
    /// `None` when a tableau would have more than `limit` nodes.
    pub(crate) fn forbidden(&self, limit: usize) -> Option<Forbidden> {
        let mut marked = self.instance.clone();
        let illegal = marked.alphabet.add_input("illegal");
        let letters = marked.letters();
        let marks = letters.iter().map(|letter| marked.alphabet.holds(illegal, letter)).collect();
        let contract = marked.contract.formula(&mut marked.formulas);
        let expected = expected(&mut marked);
        let facts = marked.contract.facts.clone();
        let fs = &mut marked.formulas;
        let facts = fs.and(facts);
        let kept = self.kept(fs);
        let always = fs.globally(kept);
        let at_last = fs.finally(always);
        let illegal = fs.atom(illegal);
        let illegal = fs.finally(illegal);
        let excused = fs.or([expected, illegal]);
        let friendly = fs.implies(at_last, excused);
        let good = fs.and([contract, friendly]);
        let unreal = fs.not(facts);
        let good = Elementary::new(&marked, &letters, good, limit)?;
        let unreal = Elementary::new(&marked, &letters, unreal, limit)?;
        Some(Forbidden { letters, marks, languages: [good, unreal] })
    }

    /// Whether no play against a counter-strategy is in these languages. Plays are excluded on which the system, before
    /// any illegal input, leaves the prefixes of A after a legal input, or promises an illegal input.
    pub(crate) fn refutes(&self, counter: &CounterStrategy, forbidden: &Forbidden) -> bool {
        let table = self.marked_plays(counter, forbidden);
        forbidden.languages.iter().all(|language| !language.has_play(&table))
    }

    /// The plays against a counter-strategy that are not excluded, with a mark from the first illegal input on.
    fn marked_plays(&self, counter: &CounterStrategy, forbidden: &Forbidden) -> Table {
        let system: Letter = self.instance.alphabet.bits_of(Player::System).collect();
        let environment: Letter = self.instance.alphabet.bits_of(Player::Environment).collect();
        let part = |letter: &Letter, bits: &Letter| {
            let mut part = letter.clone();
            part.intersect_with(bits);
            part
        };
        // States of the counter-strategy and of the automaton; the latter is `None` from the first illegal input on.
        let mut order = vec![(counter.initial, Some(0))];
        let mut table = Table::new();
        while let Some(&(state, place)) = order.get(table.len()) {
            let mut row = Vec::new();
            for (letter, &mark) in forbidden.letters.iter().zip(&forbidden.marks) {
                let place = place.filter(|&place| self.is_legal(place, letter));
                let mut known = part(letter, &system);
                known.union_with(&part(letter, &environment));
                let next_place = place.map(|place| self.automaton.next[place][self.plain(&known)]);
                let mut promised = Letter::new();
                for &(input, promise) in &self.pairs {
                    if letter.contains(self.bit(promise)) {
                        promised.insert(self.bit(input));
                    }
                }
                let to_blame = next_place
                    .is_some_and(|next| !self.automaton.alive[next] || !self.is_legal(next, &promised));
                let given = part(letter, &environment) == counter.states[state].input;
                row.push((given && !to_blame && mark == place.is_none()).then(|| {
                    let edge = counter.edge(state, &part(letter, &system)).expect("total on outputs");
                    let pair = (edge.next, next_place);
                    order.iter().position(|p| *p == pair).unwrap_or_else(|| {
                        order.push(pair);
                        order.len() - 1
                    })
                }));
            }
            table.push(row);
        }
        table
    }
}

/// Languages over letters with promises and a mark, which is set from the first illegal input on.
pub(crate) struct Forbidden {
    letters: Vec<Letter>,
    /// Per letter, whether it has the mark.
    marks: Vec<bool>,
    languages: [Elementary; 2],
}

fn literal(fs: &mut Formulas, atom: AtomId, value: bool) -> FormulaId {
    let atom = fs.atom(atom);
    if value { atom } else { fs.not(atom) }
}
