//! Delay lines for X: a formula in which some atoms are evaluated with a delay, so that it looks ahead less.
//!
//! Instead of storing obligations for later steps, past values are stored and the obligations hold now: the shift σₖ
//! evaluates a formula k steps later. σₖ(β) = β@k, the value of the Boolean formula β k steps ago; σₖ(X φ) = σₖ₋₁(φ)
//! for k ≥ 1 and σ₀(X φ) = X σ₀(φ); σₖ distributes over every other operator. For a word w and a word w' that carries
//! the past values, too, by induction on φ: **w from i−k on satisfies φ iff w' from i on satisfies σₖ(φ), for all i ≥
//! k.** (For β by the meaning of β@k; for X because i−(k−1) is the step after i−k; for U and the other temporal
//! operators because i+j ≥ k, too.) So w ⊨ φ iff w' ⊨ Xᵏ σₖ(φ), whatever past values before the first step are: no
//! position below k is evaluated.
//!
//! With k the depth of X in φ no X is left: `G(r → X¹² g)` becomes `G(r@12 → g)`, with 12 bits of memory instead
//! of an automaton of 2¹² states. Maler, Nickovic and Pnueli, "On synthesizing controllers from bounded-response
//! properties", CAV 2007, section 3 (pastification), here also below and above unbounded operators, which keep
//! looking ahead. Checked by the lasso semantics in the tests.

use super::alphabet::Alphabet;
use super::class::Class;
use super::formula::{FormulaId, Formulas, Node};
use super::letter::Letter;
use rustc_hash::FxHashMap;

impl Formulas {
    /// The nesting depth of X. Linear.
    pub fn next_depth(&self, f: FormulaId) -> u32 {
        let mut depth: FxHashMap<FormulaId, u32> = FxHashMap::default();
        for g in self.subformulas(&[f]) {
            let node = self.node(g);
            let mut deepest = 0;
            node.for_each_operand(|h| deepest = deepest.max(depth[&h]));
            depth.insert(g, deepest + u32::from(matches!(node, Node::Next(_))));
        }
        depth[&f]
    }

    /// Whether `f` is G g for a g about a window of letters ([`Self::is_window`]). Linear.
    pub fn is_windowed(&self, f: FormulaId) -> bool {
        matches!(*self.node(f), Node::Globally(body) if self.is_window(body))
    }

    /// Whether X is the only temporal operator of `f`, if it has any: its truth depends on a window of letters. Linear.
    pub fn is_window(&self, f: FormulaId) -> bool {
        let temporal = |g| {
            let node = self.node(g);
            matches!(node, Node::Finally(_) | Node::Globally(_) | Node::Until(..))
                || matches!(node, Node::Release(..) | Node::WeakUntil(..) | Node::StrongRelease(..))
        };
        !self.subformulas(&[f]).into_iter().any(temporal)
    }

    /// The shift σₖ of `f`. `past` makes the formula for "this Boolean formula, so many steps ago"; it is called with
    /// at least one step and never with a constant. O(|f| · k), iterative.
    pub fn delayed(
        &mut self,
        f: FormulaId,
        k: u32,
        past: &mut dyn FnMut(&mut Self, FormulaId, u32) -> FormulaId,
    ) -> FormulaId {
        let mut done: FxHashMap<(FormulaId, u32), FormulaId> = FxHashMap::default();
        let mut stack = vec![(f, k)];
        while let Some(&(g, k)) = stack.last() {
            if done.contains_key(&(g, k)) {
                stack.pop();
                continue;
            }
            let node = self.node(g).clone();
            let boolean = self.class(g).is(Class::BOOLEAN);
            if k == 0 || boolean {
                let shifted = if k == 0 || self.is_constant(g) { g } else { past(self, g, k) };
                done.insert((g, k), shifted);
                stack.pop();
                continue;
            }
            let (below, operands) = match node {
                Node::Next(h) => (k - 1, vec![h]),
                // Boolean operands together: their past is one value.
                Node::And(ref hs) | Node::Or(ref hs) => (k, self.grouped(hs, matches!(node, Node::And(_)))),
                _ => {
                    let mut operands = Vec::new();
                    node.for_each_operand(|h| operands.push(h));
                    (k, operands)
                }
            };
            let before = stack.len();
            stack.extend(operands.iter().map(|&h| (h, below)).filter(|h| !done.contains_key(h)));
            if stack.len() == before {
                let shifted: Vec<FormulaId> = operands.iter().map(|&h| done[&(h, below)]).collect();
                let shifted =
                    if matches!(node, Node::Next(_)) { shifted[0] } else { self.rebuild(&node, &shifted) };
                done.insert((g, k), shifted);
                stack.pop();
            }
        }
        done[&(f, k)]
    }

    /// The operands of a conjunction or disjunction, the Boolean ones as one.
    fn grouped(&mut self, operands: &[FormulaId], conjunction: bool) -> Vec<FormulaId> {
        let (boolean, mut rest): (Vec<FormulaId>, Vec<FormulaId>) =
            operands.iter().partition(|&&h| self.class(h).is(Class::BOOLEAN));
        if !boolean.is_empty() {
            rest.push(if conjunction { self.and(boolean) } else { self.or(boolean) });
        }
        rest
    }

    /// Whether a word satisfies `f` iff it does after the letter without true bits: expanding `f` by that letter yields
    /// `f` again. A proof if `true`; `false` means unknown. Linear.
    pub fn idles(&mut self, alphabet: &Alphabet, f: FormulaId) -> bool {
        let letter = Letter::new();
        let mut after: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
        for g in self.subformulas(&[f]) {
            let node = self.node(g).clone();
            let mut operands = Vec::new();
            node.for_each_operand(|h| operands.push(after[&h]));
            let expanded = match node {
                Node::Atom(a) => self.constant(alphabet.holds(a, &letter)),
                Node::Next(h) => h,
                Node::Globally(_) => self.and([operands[0], g]),
                Node::Finally(_) => self.or([operands[0], g]),
                Node::Until(..) | Node::WeakUntil(..) => {
                    let stay = self.and([operands[0], g]);
                    self.or([operands[1], stay])
                }
                Node::Release(..) | Node::StrongRelease(..) => {
                    let stay = self.or([operands[0], g]);
                    self.and([operands[1], stay])
                }
                _ => self.rebuild(&node, &operands),
            };
            after.insert(g, expanded);
        }
        after[&f] == f
    }
}
