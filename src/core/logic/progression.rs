//! Progression: what remains to be satisfied of a formula after one step of a word.
//!
//! Bacchus and Kabanza (2000), "Using temporal logics to express search control knowledge for planning", section 3.1. A
//! word a·w satisfies f iff w satisfies `progress(f, a)`. The result ⊥ means that f is violated whatever follows; but a
//! formula can be violated although the result is not the constant ⊥.

use super::formula::{FormulaId, Formulas, Node};
use super::ids::AtomId;
use rustc_hash::{FxHashMap, FxHashSet};

impl Formulas {
    /// What remains of `roots` after a step in which `holds` are the truth values of atoms; `None` if one that matters has
    /// none. O(size of the roots as a graph).
    pub fn progress(
        &mut self,
        roots: &[FormulaId],
        mut holds: impl FnMut(AtomId) -> Option<bool>,
    ) -> Option<Vec<FormulaId>> {
        let mut next: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
        for f in self.present(roots) {
            let value = |g: &FormulaId| next[g];
            let result = match self.node(f).clone() {
                Node::True | Node::False => f,
                Node::Atom(atom) => self.constant(holds(atom)?),
                Node::Not(g) => self.not(value(&g)),
                Node::And(gs) => self.and(gs.iter().map(value)),
                Node::Or(gs) => self.or(gs.iter().map(value)),
                Node::Iff(a, b) => self.iff(value(&a), value(&b)),
                Node::Next(g) => g,
                Node::Finally(g) => self.or([value(&g), f]),
                Node::Globally(g) => self.and([value(&g), f]),
                Node::Until(a, b) | Node::WeakUntil(a, b) => {
                    let stay = self.and([value(&a), f]);
                    self.or([value(&b), stay])
                }
                Node::Release(a, b) | Node::StrongRelease(a, b) => {
                    let stay = self.or([value(&a), f]);
                    self.and([value(&b), stay])
                }
            };
            next.insert(f, result);
        }
        Some(roots.iter().map(|f| next[f]).collect())
    }

    /// The subformulas whose truth depends on the present step, operands first: those that are not below an `X`.
    pub fn present(&self, roots: &[FormulaId]) -> Vec<FormulaId> {
        let mut seen: FxHashSet<FormulaId> = roots.iter().copied().collect();
        let mut stack: Vec<FormulaId> = roots.to_vec();
        while let Some(f) = stack.pop() {
            if matches!(self.node(f), Node::Next(_)) {
                continue;
            }
            self.node(f).for_each_operand(|g| {
                if seen.insert(g) {
                    stack.push(g);
                }
            });
        }
        let mut all: Vec<FormulaId> = seen.into_iter().collect();
        // Operands have smaller ids.
        all.sort_unstable();
        all
    }
}
