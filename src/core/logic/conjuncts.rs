//! Finer conjunctions: a formula as the conjunction of weaker formulas.
//!
//! X, G, the right side of R and the left sides of U and W distribute over ∧, and ∨ does at the price of
//! repeating its other operands. Each part has an automaton no larger than that of the whole, and the product
//! of k independent parts need not be built.

use super::class::Class;
use super::formula::{FormulaId, Formulas, Node};
use rustc_hash::FxHashMap;

impl Formulas {
    /// Formulas whose conjunction is equivalent to `f`, a formula in negation normal form: as many as
    /// distribution gives, but a subformula that would fall into more than `most` parts stays whole. Boolean
    /// subformulas stay whole. O(|f| · `most`²), iterative.
    pub fn conjuncts(&mut self, f: FormulaId, most: usize) -> Vec<FormulaId> {
        let mut parts: FxHashMap<FormulaId, Vec<FormulaId>> = FxHashMap::default();
        for g in self.subformulas(&[f]) {
            let node = self.node(g).clone();
            let whole = vec![g];
            let fine = if self.class(g).is(Class::BOOLEAN) {
                whole
            } else {
                match node {
                    Node::And(ref hs) => {
                        let (boolean, rest): (Vec<FormulaId>, Vec<FormulaId>) =
                            hs.iter().partition(|&&h| self.class(h).is(Class::BOOLEAN));
                        let mut all: Vec<FormulaId> = rest.iter().flat_map(|h| parts[h].clone()).collect();
                        if !boolean.is_empty() {
                            all.push(self.and(boolean));
                        }
                        all
                    }
                    Node::Or(ref hs) => {
                        let mut product = vec![self.bottom()];
                        for h in hs {
                            let right = &parts[h];
                            if product.len() * right.len() > most {
                                product.clear();
                                break;
                            }
                            let pairs = product.iter().flat_map(|&a| right.iter().map(move |&b| [a, b]));
                            product = pairs.collect::<Vec<_>>().into_iter().map(|p| self.or(p)).collect();
                        }
                        if product.is_empty() { whole } else { product }
                    }
                    Node::Next(h) => self.over(&parts[&h], Self::next),
                    Node::Globally(h) => self.over(&parts[&h], Self::globally),
                    Node::Release(a, b) => self.over(&parts[&b], |this, b| this.release(a, b)),
                    Node::Until(a, b) => self.over(&parts[&a], |this, a| this.until(a, b)),
                    Node::WeakUntil(a, b) => self.over(&parts[&a], |this, a| this.weak_until(a, b)),
                    _ => whole,
                }
            };
            parts.insert(g, if fine.len() > most { vec![g] } else { fine });
        }
        let mut parts = parts.remove(&f).unwrap_or_default();
        parts.sort_unstable();
        parts.dedup();
        parts
    }

    fn over(
        &mut self,
        parts: &[FormulaId],
        operator: impl Fn(&mut Self, FormulaId) -> FormulaId,
    ) -> Vec<FormulaId> {
        parts.iter().map(|&part| operator(self, part)).collect()
    }
}
