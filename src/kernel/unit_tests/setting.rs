//! Random strategies and formulas, and plays by enumeration.

use crate::trusted::normal::SignedFormula;
use crate::trusted::plays::{Plays, output_letters};
use crate::trusted::{Emptiness, NoPlay};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id as _, IdVec, Random};
use tsl_synth_core::logic::{
    Alphabet, BitId, FormulaId, Formulas, Guard, Guards, Lasso, LassoSemantics, Letter, Player,
};
use tsl_synth_core::model::{
    Circuit, CircuitBuilder, CounterEdge, CounterState, CounterStrategy, Mealy, MealyEdge, MealyState,
    StateId,
};

/// Two inputs and an output, beside another output or a cell of three options, and formulas about them.
pub(super) struct Setting {
    pub(super) random: Random,
    pub(super) alphabet: Alphabet,
    pub(super) formulas: Formulas,
    atoms: Vec<FormulaId>,
}

impl Setting {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut alphabet = Alphabet::new();
        let mut atoms = vec![alphabet.add_input("a"), alphabet.add_input("b"), alphabet.add_output("x")];
        if random.flip() {
            let cell = alphabet.add_cell("c", ["[c <- 0]", "[c <- 1]", "[c <- 2]"]);
            atoms.extend(&alphabet.cells()[cell].options);
        } else {
            atoms.push(alphabet.add_output("y"));
        }
        let mut formulas = Formulas::new();
        let atoms = atoms.into_iter().map(|atom| formulas.atom(atom)).collect();
        Self { random, alphabet, formulas, atoms }
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        self.random.below(n)
    }

    pub(super) fn player(&mut self) -> Player {
        if self.random.flip() { Player::System } else { Player::Environment }
    }

    /// A circuit with three latches, of which some may store an output. If `blind`, its outputs are functions of
    /// latches only.
    pub(super) fn circuit(&mut self, owner: Player, blind: bool) -> Circuit {
        let [read, given] = [owner.opponent(), owner].map(|player| self.alphabet.bits_of(player).count());
        let random = &mut self.random;
        let mut b = CircuitBuilder::new(read);
        let latches = [0; 3].map(|_| b.add_latch(random.flip()));
        let any = |all: &[tsl_synth_core::model::Literal], random: &mut Random| {
            all[random.below(all.len())].negated_if(random.flip())
        };
        let mut held = latches.to_vec();
        if random.below(4) == 0 {
            held.push(tsl_synth_core::model::Literal::constant(false));
        }
        for _ in 0..3 {
            let [x, y] = [0; 2].map(|_| any(&held, random));
            held.push(b.and(x, y));
        }
        let mut all = held.clone();
        all.extend((0..read).map(|i| b.input(i)));
        for _ in 0..5 {
            let [x, y] = [0; 2].map(|_| any(&all, random));
            all.push(b.and(x, y));
        }
        let outputs: Vec<_> = (0..given).map(|_| any(if blind { &held } else { &all }, random)).collect();
        for latch in latches {
            let next = match random.below(4) {
                // Stores an output.
                0 => outputs[random.below(given)].negated_if(random.flip()),
                _ => any(&all, random),
            };
            b.set_next(latch, next);
        }
        for output in outputs {
            b.add_output(output);
        }
        b.finish()
    }

    /// Guards that are disjoint and cover `domain`, over some bits.
    fn partition(&mut self, guards: &mut Guards, bits: &[BitId], domain: Guard) -> Vec<Guard> {
        let mut parts = vec![domain];
        for &bit in bits {
            if self.random.flip() {
                let split = |part, guards: &mut Guards| {
                    [true, false].map(|value| {
                        let literal = guards.literal(bit, value);
                        guards.and(part, literal)
                    })
                };
                parts = parts.into_iter().flat_map(|part| split(part, guards)).collect();
                parts.retain(|&part| part != Guard::FALSE);
            }
        }
        parts
    }

    /// A letter of a player, canonically coded.
    fn letter(&mut self, player: Player) -> Letter {
        let bits: Vec<BitId> = self.alphabet.bits_of(player).collect();
        let letter: Letter = bits.into_iter().filter(|_| self.random.flip()).collect();
        let letter = self.alphabet.canonical(&letter);
        letter.iter().filter(|&bit| self.alphabet.owner(bit) == player).collect()
    }

    /// A controller of three states.
    pub(super) fn mealy(&mut self) -> Mealy {
        let mut guards = Guards::new();
        let bits: Vec<BitId> = self.alphabet.bits_of(Player::Environment).collect();
        let mut states = IdVec::new();
        for _ in 0..3 {
            let parts = self.partition(&mut guards, &bits, Guard::TRUE);
            let edges = parts.into_iter().map(|guard| MealyEdge {
                guard,
                output: self.letter(Player::System),
                next: StateId::from_index(self.below(3)),
            });
            states.push(MealyState { edges: edges.collect() });
        }
        Mealy { guards, states, initial: StateId::from_index(self.below(3)) }
    }

    /// A counter-strategy of three states.
    pub(super) fn counter(&mut self) -> CounterStrategy {
        let mut guards = Guards::new();
        let bits: Vec<BitId> = self.alphabet.bits_of(Player::System).collect();
        let domain = output_letters(&self.alphabet, &mut guards);
        let mut states = IdVec::new();
        for _ in 0..3 {
            let parts = self.partition(&mut guards, &bits, domain);
            let edges = parts
                .into_iter()
                .map(|guard| CounterEdge { guard, next: StateId::from_index(self.below(3)) });
            let edges = edges.collect();
            states.push(CounterState { input: self.letter(Player::Environment), edges });
        }
        CounterStrategy { guards, states, initial: StateId::from_index(self.below(3)) }
    }

    /// A formula without temporal operators.
    pub(super) fn boolean(&mut self) -> FormulaId {
        let [f, g] = [0; 2].map(|_| {
            let atom = self.atoms[self.random.below(self.atoms.len())];
            if self.random.flip() { self.formulas.not(atom) } else { atom }
        });
        match self.below(8) {
            0 => self.formulas.and([f, g]),
            1 => self.formulas.or([f, g]),
            2 => self.formulas.iff(f, g),
            _ => f,
        }
    }

    /// A formula about a letter and the next one.
    pub(super) fn window(&mut self) -> FormulaId {
        let mut parts = Vec::new();
        for _ in 0..=self.below(3) {
            let part = self.boolean();
            parts.push(if self.below(3) == 0 { self.formulas.next(part) } else { part });
        }
        match self.below(5) {
            0 => self.formulas.and(parts),
            1 => {
                let last = parts.pop().expect("there is a part");
                let others = self.formulas.or(parts);
                self.formulas.iff(last, others)
            }
            2 => {
                let all = self.formulas.and(parts);
                self.formulas.not(all)
            }
            _ => self.formulas.or(parts),
        }
    }

    /// A formula of any kind.
    pub(super) fn formula(&mut self, depth: usize) -> FormulaId {
        if depth == 0 {
            return self.boolean();
        }
        let [a, b] = [0; 2].map(|_| self.formula(depth - 1));
        let f = &mut self.formulas;
        match self.random.below(14) {
            0 => f.and([a, b]),
            1 => f.or([a, b]),
            2 => f.iff(a, b),
            3 => f.not(a),
            4 => f.next(a),
            5 => f.finally(a),
            6 => f.globally(a),
            7 => f.until(a, b),
            8 => f.release(a, b),
            9 => f.weak_until(a, b),
            10 => f.strong_release(a, b),
            11 => recurring(f, a, true),
            12 => recurring(f, a, false),
            _ => {
                let [a, b] = [a, b].map(|a| recurring(f, a, true));
                f.implies(a, b)
            }
        }
    }

    /// A formula of one of the shapes that some method treats specially, or its negation.
    pub(super) fn conjunct(&mut self) -> SignedFormula {
        let shape = self.below(18);
        self.shaped(shape)
    }

    /// A conjunct of a shape that the method `Past` decides more often.
    pub(super) fn early_conjunct(&mut self) -> SignedFormula {
        let shape = self.below(12);
        self.shaped(if shape == 11 { 14 } else { shape })
    }

    fn shaped(&mut self, shape: usize) -> SignedFormula {
        let [a, b] = [0; 2].map(|_| self.boolean());
        let [v, w] = [0; 2].map(|_| self.window());
        let value = self.random.flip();
        let f = &mut self.formulas;
        let formula = match shape {
            0 => a,
            1 | 2 => return (f.globally(v), true),
            3 => f.globally(v),
            4 => f.finally(v),
            5 => return (f.weak_until(v, w), false),
            6 | 7 => recurring(f, a, true),
            8 => recurring(f, a, false),
            9 => {
                let some_time = f.finally(a);
                let response = f.or([b, some_time]);
                f.globally(response)
            }
            10 => {
                let hence = f.globally(b);
                let entry = f.and([a, hence]);
                f.finally(entry)
            }
            11 => {
                let [c, d] = [self.boolean(), self.boolean()];
                let f = &mut self.formulas;
                let [a, c] = [a, c].map(|a| f.finally(a));
                let [b, d] = [b, d].map(|b| f.globally(b));
                match self.random.below(4) {
                    0 => f.iff(a, b),
                    1 => f.or([a, b, d]),
                    2 => f.and([a, c, b]),
                    _ => {
                        let both = f.and([a, b]);
                        f.iff(both, c)
                    }
                }
            }
            12 => {
                let f = &mut self.formulas;
                match self.random.below(4) {
                    0 => f.until(v, w),
                    1 => f.release(v, w),
                    2 => f.strong_release(v, w),
                    _ => f.weak_until(v, w),
                }
            }
            13 => {
                let [a, b] = [a, b].map(|a| recurring(f, a, true));
                f.implies(a, b)
            }
            14 => {
                let [some_time, later] = [a, v].map(|a| f.finally(a));
                let later = f.next(later);
                let both = f.and([some_time, later]);
                f.globally(both)
            }
            15 => {
                let recurs = recurring(f, v, true);
                let kept = f.globally(w);
                f.or([recurs, kept])
            }
            16 => f.next_n(2, a),
            _ => self.formula(2),
        };
        (formula, value)
    }

    pub(super) fn conjuncts(&mut self, count: usize) -> Vec<SignedFormula> {
        (0..count).map(|_| self.conjunct()).collect()
    }

    /// Conjuncts about what happens infinitely often, the last one about every step.
    pub(super) fn recurring_conjuncts(&mut self, count: usize) -> Vec<SignedFormula> {
        let mut conjuncts: Vec<SignedFormula> = (0..count)
            .map(|_| {
                let shape = 6 + self.below(4);
                self.shaped(shape)
            })
            .collect();
        if self.below(4) == 0 {
            conjuncts.push(self.shaped(1));
        }
        conjuncts
    }

    pub(super) fn early_conjuncts(&mut self, count: usize) -> Vec<SignedFormula> {
        (0..count).map(|_| self.early_conjunct()).collect()
    }

    /// The plays of a circuit, an edge for each letter that is read, by evaluation.
    pub(super) fn plays(&self, circuit: &Circuit, owner: Player) -> Plays {
        let (mut guards, alphabet) = (Guards::new(), &self.alphabet);
        let mut states = vec![circuit.reset()];
        let mut index: FxHashMap<Vec<bool>, usize> = [(circuit.reset(), 0)].into_iter().collect();
        let read: Vec<BitId> = alphabet.bits_of(owner.opponent()).collect();
        let given: Vec<BitId> = alphabet.bits_of(owner).collect();
        let mut edges = IdVec::new();
        while let Some(latches) = states.get(edges.len()).cloned() {
            let mut row = Vec::new();
            for code in 0..1usize << read.len() {
                let inputs: Vec<bool> = (0..read.len()).map(|i| code >> i & 1 == 1).collect();
                let of = |bits: &[BitId], values: &[bool]| -> Letter {
                    bits.iter().zip(values).filter(|(_, value)| **value).map(|(&bit, _)| bit).collect()
                };
                let letter = of(&read, &inputs);
                if owner == Player::Environment && alphabet.canonical(&letter) != letter {
                    continue;
                }
                let values = circuit.evaluate(&latches, &inputs);
                let answer = of(&given, &values.outputs(circuit));
                let letter: Letter = letter.iter().chain(answer.iter()).collect();
                let letter = alphabet.canonical(&letter);
                let letters = guards.valuation((0..alphabet.bit_count()).map(BitId::from_index), &letter);
                let next = values.next(circuit);
                let known = index.len();
                let next = *index.entry(next).or_insert_with_key(|next| {
                    states.push(next.clone());
                    known
                });
                row.push((letters, StateId::from_index(next)));
            }
            edges.push(row);
        }
        Plays { guards, edges, initial: StateId::from_index(0) }
    }

    /// Whether a word satisfies some conjuncts, by definition.
    pub(super) fn satisfies(&self, word: &Lasso, conjuncts: &[SignedFormula]) -> bool {
        let mut meaning = LassoSemantics::new(&self.formulas, &self.alphabet, word);
        conjuncts.iter().all(|&(f, value)| meaning.holds(f) == value)
    }

    /// Checks an answer against short plays: its play is one of the strategy and satisfies the conjuncts asked for, or
    /// no short play satisfies the conjuncts that were shown to have none.
    pub(super) fn check(&self, answer: &Emptiness, short: &[Lasso], plays: &Plays, asked: &[SignedFormula]) {
        match answer {
            Emptiness::Play(play) => {
                assert!(self.satisfies(play, asked), "{play:?}");
                assert!(is_play(plays, play), "{play:?}");
            }
            Emptiness::NoPlay(shown) => self.check_none(shown, short),
        }
    }

    pub(super) fn check_none(&self, shown: &NoPlay, short: &[Lasso]) {
        let play = short.iter().find(|play| self.satisfies(play, shown.conjuncts()));
        assert!(play.is_none(), "{play:?} satisfies {:?}", shown.conjuncts());
    }
}

/// GF or FG.
fn recurring(f: &mut Formulas, a: FormulaId, often: bool) -> FormulaId {
    let inner = if often { f.finally(a) } else { f.globally(a) };
    if often { f.globally(inner) } else { f.finally(inner) }
}

/// The letters of a guard over all bits.
fn letters(guards: &mut Guards, guard: Guard, bits: usize) -> Vec<Letter> {
    let all = 0..1usize << bits;
    let letter = |code: usize| (0..bits).filter(|i| code >> i & 1 == 1).map(BitId::from_index).collect();
    all.map(letter).filter(|letter| guards.contains(guard, letter)).collect()
}

/// All plays of at most so many steps before they repeat.
pub(super) fn short_plays(plays: &Plays, bits: usize, steps: usize) -> Vec<Lasso> {
    let mut guards = plays.guards.clone();
    let rows: Vec<Vec<(Letter, StateId)>> = plays
        .edges
        .iter()
        .map(|row| {
            let letters = row.iter().flat_map(|&(guard, next)| {
                letters(&mut guards, guard, bits).into_iter().map(move |letter| (letter, next))
            });
            letters.collect()
        })
        .collect();
    let mut found = Vec::new();
    let mut stack = vec![(vec![plays.initial], Vec::<Letter>::new())];
    while let Some((states, word)) = stack.pop() {
        let here = *states.last().expect("there is a first state");
        for start in (0..word.len()).filter(|&start| states[start] == here) {
            found.push(Lasso { prefix: word[..start].to_vec(), cycle: word[start..].to_vec() });
        }
        if word.len() < steps {
            for (letter, next) in &rows[here.index()] {
                stack.push((
                    [&states[..], &[*next]].concat(),
                    [&word[..], std::slice::from_ref(letter)].concat(),
                ));
            }
        }
    }
    found
}

/// Whether a word is a play of a strategy all of whose states have one successor for each letter.
pub(super) fn is_play(plays: &Plays, word: &Lasso) -> bool {
    let mut state = plays.initial;
    // The cycle as often as there are states.
    for position in 0..word.prefix.len() + word.cycle.len() * (plays.edges.len() + 1) {
        let inside = position
            .checked_sub(word.prefix.len())
            .map_or(position, |i| word.prefix.len() + i % word.cycle.len());
        match plays.after(state, word.letter(inside)) {
            Some(next) => state = next,
            None => return false,
        }
    }
    true
}

pub(super) fn unlimited() -> Budget {
    Budget::unlimited()
}
