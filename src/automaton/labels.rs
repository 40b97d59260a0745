//! Boolean formulas as guards.

use crate::logic::{Alphabet, Class, FormulaId, Formulas, Guard, Guards, Node};
use rustc_hash::FxHashMap;

/// Translates Boolean formulas to guards of one store, with a memo table.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    /// The store of all guards made here.
    pub guards: Guards,
    memo: FxHashMap<FormulaId, Guard>,
}

impl Labels {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }
    /// The letters that satisfy a Boolean formula. Iterative.
    ///
    /// # Panics
    /// If the formula is temporal.
    pub fn guard(&mut self, formulas: &Formulas, alphabet: &Alphabet, f: FormulaId) -> Guard {
        assert!(formulas.class(f).is(Class::BOOLEAN), "only Boolean formulas are labels");
        if let Some(&guard) = self.memo.get(&f) {
            return guard;
        }
        for g in formulas.subformulas(&[f]) {
            if self.memo.contains_key(&g) {
                continue;
            }
            let guard = match *formulas.node(g) {
                Node::True => Guard::TRUE,
                Node::False => Guard::FALSE,
                Node::Atom(a) => alphabet.guard(a, &mut self.guards),
                Node::Not(h) => {
                    let inner = self.memo[&h];
                    self.guards.not(inner)
                }
                Node::And(ref hs) => hs.iter().fold(Guard::TRUE, |sum, h| self.guards.and(sum, self.memo[h])),
                Node::Or(ref hs) => hs.iter().fold(Guard::FALSE, |sum, h| self.guards.or(sum, self.memo[h])),
                Node::Iff(a, b) => self.guards.iff(self.memo[&a], self.memo[&b]),
                _ => unreachable!("Boolean formulas have no temporal operators"),
            };
            self.memo.insert(g, guard);
        }
        self.memo[&f]
    }
}
