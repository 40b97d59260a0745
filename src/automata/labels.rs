//! Boolean formulas as guards.

use rustc_hash::FxHashMap;
use tsl_synth_core::logic::{Alphabet, Class, FormulaId, Formulas, Guard, Guards, Node};

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
    /// An empty store over the bits of an alphabet, in its order.
    pub fn over(alphabet: &Alphabet) -> Self {
        Self { guards: alphabet.guards(), memo: FxHashMap::default() }
    }
    /// The letters that satisfy a Boolean formula. Iterative.
    ///
    /// # Panics
    /// If the formula is temporal.
    pub fn guard(&mut self, formulas: &Formulas, alphabet: &Alphabet, f: FormulaId) -> Guard {
        self.guard_within(formulas, alphabet, f, usize::MAX).expect("there is no limit")
    }

    /// As [`Labels::guard`]; `None` if the store grows beyond `most` nodes, which one operation can exceed a few times.
    ///
    /// # Panics
    /// If the formula is temporal.
    pub fn guard_within(
        &mut self,
        formulas: &Formulas,
        alphabet: &Alphabet,
        f: FormulaId,
        most: usize,
    ) -> Option<Guard> {
        assert!(formulas.class(f).is(Class::BOOLEAN), "only Boolean formulas are labels");
        if let Some(&guard) = self.memo.get(&f) {
            return Some(guard);
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
                Node::And(ref hs) => hs.iter().try_fold(Guard::TRUE, |sum, h| {
                    let both = self.guards.and(sum, self.memo[h]);
                    (self.guards.node_count() <= most).then_some(both)
                })?,
                Node::Or(ref hs) => hs.iter().try_fold(Guard::FALSE, |sum, h| {
                    let either = self.guards.or(sum, self.memo[h]);
                    (self.guards.node_count() <= most).then_some(either)
                })?,
                Node::Iff(a, b) => self.guards.iff(self.memo[&a], self.memo[&b]),
                _ => unreachable!("Boolean formulas have no temporal operators"),
            };
            self.memo.insert(g, guard);
        }
        self.memo.get(&f).copied()
    }
}
