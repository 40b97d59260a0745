//! The semantics of formulas on lasso words, by definition and without automata. The certifier evaluates plays with it,
//! and it is the oracle of the tests.

use super::alphabet::Alphabet;
use super::formula::{FormulaId, Formulas, Node};
use super::letter::Letter;
use rustc_hash::FxHashMap;

/// The infinite word `prefix · cycle^ω`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lasso {
    /// The letters before the cycle.
    pub prefix: Vec<Letter>,
    /// The letters that repeat; never empty.
    pub cycle: Vec<Letter>,
}

impl Lasso {
    /// How many positions differ: prefix and one round of the cycle.
    pub fn len(&self) -> usize {
        self.prefix.len() + self.cycle.len()
    }
    /// Whether there are no letters (never for a proper lasso).
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The letter at a position below [`Lasso::len`].
    pub fn letter(&self, position: usize) -> &Letter {
        match position.checked_sub(self.prefix.len()) {
            None => &self.prefix[position],
            Some(i) => &self.cycle[i],
        }
    }
    /// The position after `position`.
    pub fn successor(&self, position: usize) -> usize {
        if position + 1 == self.len() { self.prefix.len() } else { position + 1 }
    }
}

/// The truth values of formulas at every position of one lasso.
#[derive(Debug)]
pub struct LassoSemantics<'a> {
    formulas: &'a Formulas,
    alphabet: &'a Alphabet,
    word: &'a Lasso,
    values: FxHashMap<FormulaId, Vec<bool>>,
}

impl<'a> LassoSemantics<'a> {
    /// The meaning on `word`.
    pub fn new(formulas: &'a Formulas, alphabet: &'a Alphabet, word: &'a Lasso) -> Self {
        Self { formulas, alphabet, word, values: FxHashMap::default() }
    }
    /// Whether the word satisfies `f`.
    pub fn holds(&mut self, f: FormulaId) -> bool {
        self.at(f, 0)
    }
    /// Whether the suffix at `position` satisfies `f`. O(|f| · |word|) in all.
    pub fn at(&mut self, f: FormulaId, position: usize) -> bool {
        if !self.values.contains_key(&f) {
            for g in self.formulas.subformulas(&[f]) {
                if !self.values.contains_key(&g) {
                    let value = self.evaluate(g);
                    self.values.insert(g, value);
                }
            }
        }
        self.values[&f][position]
    }
    fn evaluate(&self, f: FormulaId) -> Vec<bool> {
        let n = self.word.len();
        let value = |g: FormulaId, i: usize| self.values[&g][i];
        let each = |test: &dyn Fn(usize) -> bool| (0..n).map(test).collect::<Vec<bool>>();
        match *self.formulas.node(f) {
            Node::True => vec![true; n],
            Node::False => vec![false; n],
            Node::Atom(a) => each(&|i| self.alphabet.holds(a, self.word.letter(i))),
            Node::Not(g) => each(&|i| !value(g, i)),
            Node::And(ref gs) => each(&|i| gs.iter().all(|&g| value(g, i))),
            Node::Or(ref gs) => each(&|i| gs.iter().any(|&g| value(g, i))),
            Node::Iff(a, b) => each(&|i| value(a, i) == value(b, i)),
            Node::Next(g) => each(&|i| value(g, self.word.successor(i))),
            // Least fixpoints for the strong operators, greatest for the weak ones.
            Node::Finally(g) => self.fixpoint(false, |i, next| value(g, i) || next),
            Node::Globally(g) => self.fixpoint(true, |i, next| value(g, i) && next),
            Node::Until(a, b) => self.fixpoint(false, |i, next| value(b, i) || value(a, i) && next),
            Node::WeakUntil(a, b) => self.fixpoint(true, |i, next| value(b, i) || value(a, i) && next),
            Node::Release(a, b) => self.fixpoint(true, |i, next| value(b, i) && (value(a, i) || next)),
            Node::StrongRelease(a, b) => self.fixpoint(false, |i, next| value(b, i) && (value(a, i) || next)),
        }
    }
    fn fixpoint(&self, start: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let n = self.word.len();
        let mut values = vec![start; n];
        // Two backward rounds through the cycle reach the fixpoint.
        for _ in 0..2 {
            for i in (0..n).rev() {
                values[i] = step(i, values[self.word.successor(i)]);
            }
        }
        values
    }
}
