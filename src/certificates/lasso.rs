//! Formulas on ultimately periodic words, by definition.

use std::collections::{BTreeSet, HashMap};
use tsl_check::formula::{Arena, Atom, Formula, Node};

/// A word `u v v v ..`: its letters as sets of atoms, and the position to which the last letter leads back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// The letters of u and v.
    pub letters: Vec<BTreeSet<Atom>>,
    /// The length of u; smaller than the number of letters.
    pub back: usize,
}

impl Lasso {
    fn after(&self, at: usize) -> usize {
        if at + 1 < self.letters.len() { at + 1 } else { self.back }
    }
}

/// Whether the word satisfies the formula. Time: size of the formula times the square of the length.
pub fn holds(arena: &Arena, f: Formula, word: &Lasso) -> bool {
    let length = word.letters.len();
    let mut values: HashMap<Formula, Vec<bool>> = HashMap::new();
    for g in arena.closure(&[f]) {
        let of = |h: &Formula| &values[h];
        let value: Vec<bool> = match arena.node(g) {
            Node::True => vec![true; length],
            Node::False => vec![false; length],
            Node::Literal(atom, sign) => word.letters.iter().map(|l| l.contains(atom) == *sign).collect(),
            Node::And(fs) => (0..length).map(|i| fs.iter().all(|h| of(h)[i])).collect(),
            Node::Or(fs) => (0..length).map(|i| fs.iter().any(|h| of(h)[i])).collect(),
            Node::Next(h) => (0..length).map(|i| of(h)[word.after(i)]).collect(),
            // Least fixpoints begin with false, greatest with true.
            Node::Until(p, q) => fixpoint(word, false, |i, next| of(q)[i] || of(p)[i] && next),
            Node::Weak(p, q) => fixpoint(word, true, |i, next| of(q)[i] || of(p)[i] && next),
            Node::Release(p, q) => fixpoint(word, true, |i, next| of(q)[i] && (of(p)[i] || next)),
            Node::Strong(p, q) => fixpoint(word, false, |i, next| of(q)[i] && (of(p)[i] || next)),
        };
        values.insert(g, value);
    }
    values[&f][0]
}

fn fixpoint(word: &Lasso, start: bool, law: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    let mut values = vec![start; word.letters.len()];
    loop {
        let mut is_stable = true;
        for i in (0..values.len()).rev() {
            let value = law(i, values[word.after(i)]);
            is_stable &= value == values[i];
            values[i] = value;
        }
        if is_stable {
            return values;
        }
    }
}
