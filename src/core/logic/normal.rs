//! Negation normal form and sound rewriting. Everything here preserves the language of a formula; the certifier does
//! not use its results.

use super::class::Class;
use super::formula::{FormulaId, Formulas, Node};
use rustc_hash::{FxHashMap, FxHashSet};

/// A rewriter with its memo tables. Results are in negation normal form: negation only before atoms and,
/// inside Boolean subformulas, equivalences are kept.
#[derive(Debug, Default)]
pub struct Normalizer {
    positive: FxHashMap<FormulaId, FormulaId>,
    negative: FxHashMap<FormulaId, FormulaId>,
}

impl Normalizer {
    /// A rewriter for one arena.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the normal form of `f` shows that it is a safety formula.
    pub fn is_safety(&mut self, formulas: &mut Formulas, f: FormulaId) -> bool {
        let normal = self.normalize(formulas, f, false);
        formulas.class(normal).is(Class::SAFETY)
    }

    /// The simplified negation normal form of `f`, or of its negation. Linear in the number of subformulas
    /// (equivalences of temporal formulas double it once per nesting).
    pub fn normalize(&mut self, formulas: &mut Formulas, f: FormulaId, negate: bool) -> FormulaId {
        // Work list of (formula, polarity); operands first.
        let mut stack = vec![(f, negate)];
        while let Some(&(g, neg)) = stack.last() {
            if self.memo(neg).contains_key(&g) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let node = formulas.node(g).clone();
            let (flip, both) = match node {
                Node::Not(_) => (true, false),
                Node::Iff(..) if !formulas.class(g).is(Class::BOOLEAN) => (false, true),
                _ => (false, false),
            };
            node.for_each_operand(|h| {
                let polarity = neg != flip;
                if !self.memo(polarity).contains_key(&h) {
                    stack.push((h, polarity));
                }
                if both && !self.memo(!polarity).contains_key(&h) {
                    stack.push((h, !polarity));
                }
            });
            if stack.len() == before {
                let result = self.combine(formulas, g, &node, neg);
                if neg {
                    self.negative.insert(g, result)
                } else {
                    self.positive.insert(g, result)
                };
                stack.pop();
            }
        }
        self.memo(negate)[&f]
    }

    fn memo(&self, negate: bool) -> &FxHashMap<FormulaId, FormulaId> {
        if negate { &self.negative } else { &self.positive }
    }

    fn combine(&self, formulas: &mut Formulas, f: FormulaId, node: &Node, neg: bool) -> FormulaId {
        if formulas.class(f).is(Class::BOOLEAN) {
            return if neg { formulas.not(f) } else { f };
        }
        let get = |g: FormulaId| self.memo(neg)[&g];
        match *node {
            Node::True | Node::False | Node::Atom(_) => unreachable!("Boolean formulas are handled above"),
            Node::Not(g) => self.memo(!neg)[&g],
            Node::And(ref gs) | Node::Or(ref gs) => {
                let operands: Vec<_> = gs.iter().map(|&g| get(g)).collect();
                if matches!(node, Node::And(_)) == neg {
                    or(formulas, &operands)
                } else {
                    and(formulas, &operands)
                }
            }
            Node::Iff(a, b) => {
                let (pa, na) = (self.positive[&a], self.negative[&a]);
                let (pb, nb) = (self.positive[&b], self.negative[&b]);
                let (x, y) = if neg { (nb, pb) } else { (pb, nb) };
                // (a | !b) & (!a | b) determinizes better than the disjunctive form.
                let left = or(formulas, &[na, x]);
                let right = or(formulas, &[pa, y]);
                and(formulas, &[left, right])
            }
            Node::Next(g) => next(formulas, get(g)),
            Node::Finally(g) if neg => globally(formulas, get(g)),
            Node::Finally(g) => finally(formulas, get(g)),
            Node::Globally(g) if neg => finally(formulas, get(g)),
            Node::Globally(g) => globally(formulas, get(g)),
            Node::Until(a, b) if neg => release(formulas, get(a), get(b)),
            Node::Until(a, b) => until(formulas, get(a), get(b)),
            Node::Release(a, b) if neg => until(formulas, get(a), get(b)),
            Node::Release(a, b) => release(formulas, get(a), get(b)),
            Node::WeakUntil(a, b) if neg => strong_release(formulas, get(a), get(b)),
            Node::WeakUntil(a, b) => weak_until(formulas, get(a), get(b)),
            Node::StrongRelease(a, b) if neg => weak_until(formulas, get(a), get(b)),
            Node::StrongRelease(a, b) => strong_release(formulas, get(a), get(b)),
        }
    }
}

/// Whether the truth of a formula does not depend on any finite prefix.
pub(super) fn suspendable(formulas: &Formulas, f: FormulaId) -> bool {
    formulas.class(f).is(Class::EVENTUAL) && formulas.class(f).is(Class::UNIVERSAL)
}

pub(super) fn and(formulas: &mut Formulas, fs: &[FormulaId]) -> FormulaId {
    let f = formulas.and(fs.iter().copied());
    absorbed(formulas, f, true)
}

pub(super) fn or(formulas: &mut Formulas, fs: &[FormulaId]) -> FormulaId {
    // (a U b) | G a = a W b, unless that hides that the disjuncts are Π₂ or Σ₂.
    let shown = |formulas: &Formulas, f| {
        formulas.class(f).is(Class::RECURRENCE) || formulas.class(f).is(Class::PERSISTENCE)
    };
    let mut operands = fs.to_vec();
    for i in 0..operands.len() {
        if let Node::Until(a, b) = *formulas.node(operands[i]) {
            let always = formulas.globally(a);
            if operands.contains(&always) {
                let weak = weak_until(formulas, a, b);
                if shown(formulas, weak) || !shown(formulas, operands[i]) || !shown(formulas, always) {
                    operands[i] = weak;
                    operands.retain(|&g| g != always);
                    return or(formulas, &operands);
                }
            }
        }
    }
    either(formulas, &operands)
}

/// The disjunction, in which no strong operator is made a weak one.
pub(super) fn either(formulas: &mut Formulas, fs: &[FormulaId]) -> FormulaId {
    let f = formulas.or(fs.iter().copied());
    absorbed(formulas, f, false)
}

/// ⊥ for a conjunction with `f & !f`, and `f` for `f & (f | g)`; dually for a disjunction.
fn absorbed(formulas: &mut Formulas, f: FormulaId, conjunction: bool) -> FormulaId {
    let operands = match formulas.node(f) {
        Node::And(gs) if conjunction => gs.to_vec(),
        Node::Or(gs) if !conjunction => gs.to_vec(),
        _ => return f,
    };
    let set: FxHashSet<FormulaId> = operands.iter().copied().collect();
    let mut kept = Vec::with_capacity(operands.len());
    for &g in &operands {
        let absorbs = match formulas.node(g) {
            Node::Not(h) if set.contains(h) => return formulas.constant(!conjunction),
            Node::And(hs) | Node::Or(hs) => hs.iter().any(|h| set.contains(h)),
            _ => false,
        };
        if !absorbs {
            kept.push(g);
        }
    }
    match (kept.len() == operands.len(), conjunction) {
        (true, _) => f,
        (false, true) => formulas.and(kept),
        (false, false) => formulas.or(kept),
    }
}

pub(super) fn next(formulas: &mut Formulas, f: FormulaId) -> FormulaId {
    if suspendable(formulas, f) { f } else { formulas.next(f) }
}

pub(super) fn finally(formulas: &mut Formulas, f: FormulaId) -> FormulaId {
    if formulas.class(f).is(Class::EVENTUAL) {
        return f;
    }
    match formulas.node(f).clone() {
        Node::Or(gs) => {
            let parts: Vec<_> = gs.iter().map(|&g| finally(formulas, g)).collect();
            or(formulas, &parts)
        }
        Node::Next(g) => {
            let inner = finally(formulas, g);
            next(formulas, inner)
        }
        Node::And(gs) => {
            let (outside, inside) = split(formulas, &gs);
            if outside.is_empty() {
                return formulas.finally(f);
            }
            let rest = formulas.and(inside);
            let rest = finally(formulas, rest);
            and(formulas, &[&outside[..], &[rest]].concat())
        }
        // F(a U b) = F b
        Node::Until(_, b) => finally(formulas, b),
        // F(a R b) = F G b | F(a & b), F(a W b) = F G a | F b, F(a M b) = F(a & b)
        Node::Release(a, b) => {
            let both = and(formulas, &[a, b]);
            let parts = [globally(formulas, b), both].map(|g| finally(formulas, g));
            or(formulas, &parts)
        }
        Node::WeakUntil(a, b) => {
            let parts = [globally(formulas, a), b].map(|g| finally(formulas, g));
            or(formulas, &parts)
        }
        Node::StrongRelease(a, b) => {
            let both = and(formulas, &[a, b]);
            finally(formulas, both)
        }
        _ => formulas.finally(f),
    }
}

pub(super) fn globally(formulas: &mut Formulas, f: FormulaId) -> FormulaId {
    if formulas.class(f).is(Class::UNIVERSAL) {
        return f;
    }
    match formulas.node(f).clone() {
        Node::And(gs) => {
            let parts: Vec<_> = gs.iter().map(|&g| globally(formulas, g)).collect();
            and(formulas, &parts)
        }
        Node::Next(g) => {
            let inner = globally(formulas, g);
            next(formulas, inner)
        }
        Node::Or(gs) => {
            let (outside, inside) = split(formulas, &gs);
            if outside.is_empty() {
                return formulas.globally(f);
            }
            let rest = formulas.or(inside);
            let rest = globally(formulas, rest);
            or(formulas, &[&outside[..], &[rest]].concat())
        }
        // G(a R b) = G b
        Node::Release(_, b) => globally(formulas, b),
        // G(a U b) = G F b & G(a | b), G(a M b) = G F a & G b, G(a W b) = G(a | b)
        Node::Until(a, b) => {
            let either = or(formulas, &[a, b]);
            let parts = [finally(formulas, b), either].map(|g| globally(formulas, g));
            and(formulas, &parts)
        }
        Node::StrongRelease(a, b) => {
            let parts = [finally(formulas, a), b].map(|g| globally(formulas, g));
            and(formulas, &parts)
        }
        Node::WeakUntil(a, b) => {
            let either = or(formulas, &[a, b]);
            globally(formulas, either)
        }
        _ => formulas.globally(f),
    }
}

/// Suspendable operands and the others.
fn split(formulas: &Formulas, fs: &[FormulaId]) -> (Vec<FormulaId>, Vec<FormulaId>) {
    fs.iter().partition(|&&g| suspendable(formulas, g))
}

pub(super) fn until(formulas: &mut Formulas, a: FormulaId, b: FormulaId) -> FormulaId {
    if formulas.class(b).is(Class::EVENTUAL) {
        return b;
    }
    if a == formulas.top() {
        return finally(formulas, b);
    }
    formulas.until(a, b)
}

pub(super) fn release(formulas: &mut Formulas, a: FormulaId, b: FormulaId) -> FormulaId {
    if formulas.class(b).is(Class::UNIVERSAL) {
        return b;
    }
    if a == formulas.bottom() {
        return globally(formulas, b);
    }
    formulas.release(a, b)
}

pub(super) fn weak_until(formulas: &mut Formulas, a: FormulaId, b: FormulaId) -> FormulaId {
    if b == formulas.bottom() {
        return globally(formulas, a);
    }
    let universal = formulas.class(a).is(Class::UNIVERSAL);
    if formulas.class(b).is(Class::EVENTUAL) || universal && formulas.class(b).is(Class::UNIVERSAL) {
        let always = globally(formulas, a);
        return or(formulas, &[always, b]);
    }
    formulas.weak_until(a, b)
}

pub(super) fn strong_release(formulas: &mut Formulas, a: FormulaId, b: FormulaId) -> FormulaId {
    if b == formulas.top() {
        return finally(formulas, a);
    }
    let eventual = formulas.class(a).is(Class::EVENTUAL);
    if formulas.class(b).is(Class::UNIVERSAL) || eventual && formulas.class(b).is(Class::EVENTUAL) {
        let some = finally(formulas, a);
        return and(formulas, &[some, b]);
    }
    formulas.strong_release(a, b)
}

/// The operator of `node` over other operands, as many as the node has, simplified. Negation and equivalence
/// occur in Boolean formulas only.
pub(super) fn rebuilt(formulas: &mut Formulas, node: &Node, operands: &[FormulaId]) -> FormulaId {
    match *node {
        Node::And(_) => and(formulas, operands),
        Node::Or(_) => or(formulas, operands),
        Node::Next(_) => next(formulas, operands[0]),
        Node::Finally(_) => finally(formulas, operands[0]),
        Node::Globally(_) => globally(formulas, operands[0]),
        Node::Until(..) => until(formulas, operands[0], operands[1]),
        Node::Release(..) => release(formulas, operands[0], operands[1]),
        Node::WeakUntil(..) => weak_until(formulas, operands[0], operands[1]),
        Node::StrongRelease(..) => strong_release(formulas, operands[0], operands[1]),
        Node::True | Node::False | Node::Atom(_) | Node::Not(_) | Node::Iff(..) => {
            formulas.rebuild(node, operands)
        }
    }
}
