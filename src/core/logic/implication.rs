//! Implications between formulas, derived syntactically.
//!
//! Rules in the manner of Etessami and Holzmann, "Optimizing Büchi automata", CONCUR 2000, and of Somenzi and Bloem,
//! "Efficient Büchi automata from LTL formulae", CAV 2000: the operators unfold on one of the sides, are monotone, and
//! a suffix suffices for an eventuality. Sound, not complete. Quadratic in the number of subformulas, where Boolean
//! ones count as one; filled in the order of subformulas, without recursion. Checked by the lasso semantics.

use super::class::Class;
use super::formula::{FormulaId, Formulas, Node};
use rustc_hash::FxHashMap;

/// With more subformulas no implications are derived.
const MAX_SUBFORMULAS: usize = 1_000;

/// Which of some formulas in negation normal form imply which others.
#[derive(Debug, Default)]
pub struct Implications {
    index: FxHashMap<FormulaId, usize>,
    /// `known[i][j]`: the formula with index `i` implies the one with index `j`.
    known: Vec<Vec<bool>>,
}

impl Implications {
    /// The implications between the subformulas of `roots`, those of Boolean subformulas left out.
    pub fn between(formulas: &Formulas, roots: &[FormulaId]) -> Self {
        let mut index: FxHashMap<FormulaId, usize> = FxHashMap::default();
        let mut all = roots.to_vec();
        let mut done = 0;
        while let Some(&f) = all.get(done) {
            done += 1;
            if index.insert(f, 0).is_some() {
                continue;
            }
            if index.len() > MAX_SUBFORMULAS {
                return Self::default();
            }
            if !formulas.class(f).is(Class::BOOLEAN) {
                formulas.node(f).for_each_operand(|g| all.push(g));
            }
        }
        all.sort_unstable();
        all.dedup();
        for (i, f) in all.iter().enumerate() {
            index.insert(*f, i);
        }
        let mut this = Self { index, known: vec![vec![false; all.len()]; all.len()] };
        for (i, &f) in all.iter().enumerate() {
            for (j, &g) in all.iter().enumerate() {
                this.known[i][j] = this.rule(formulas, f, g);
            }
        }
        this
    }

    /// Whether `f` is known to imply `g`; both are subformulas of the roots.
    pub fn holds(&self, f: FormulaId, g: FormulaId) -> bool {
        f == g || self.index.get(&f).zip(self.index.get(&g)).is_some_and(|(&i, &j)| self.known[i][j])
    }

    /// One derivation step: its premises are about pairs of formulas that are no larger, and of which one is smaller.
    fn rule(&self, formulas: &Formulas, f: FormulaId, g: FormulaId) -> bool {
        if f == g || f == formulas.bottom() || g == formulas.top() {
            return true;
        }
        let (left, right) = (formulas.node(f), formulas.node(g));
        if formulas.class(f).is(Class::BOOLEAN) && formulas.class(g).is(Class::BOOLEAN) {
            return boolean(formulas, f, g);
        }
        if let Node::And(gs) = right
            && !formulas.class(g).is(Class::BOOLEAN)
        {
            return gs.iter().all(|&g| self.holds(f, g));
        }
        if let Node::Or(fs) = left
            && !formulas.class(f).is(Class::BOOLEAN)
        {
            return fs.iter().all(|&f| self.holds(f, g));
        }
        self.stronger(formulas, f, g) || self.weaker(formulas, f, g) || self.monotone(left, right, g)
    }

    /// `f` implies something stronger than `g`.
    fn stronger(&self, formulas: &Formulas, f: FormulaId, g: FormulaId) -> bool {
        let always = formulas.class(f).is(Class::UNIVERSAL);
        match *formulas.node(g) {
            Node::Or(ref gs) if !formulas.class(g).is(Class::BOOLEAN) => gs.iter().any(|&g| self.holds(f, g)),
            Node::Finally(b) | Node::Until(_, b) => self.holds(f, b),
            Node::Globally(b) | Node::Next(b) => always && self.holds(f, b),
            Node::WeakUntil(a, b) => self.holds(f, b) || always && self.holds(f, a),
            Node::Release(a, b) => self.holds(f, b) && (always || self.holds(f, a)),
            Node::StrongRelease(a, b) => self.holds(f, b) && self.holds(f, a),
            _ => false,
        }
    }

    /// Something weaker than `f` implies `g`.
    fn weaker(&self, formulas: &Formulas, f: FormulaId, g: FormulaId) -> bool {
        let some_time = formulas.class(g).is(Class::EVENTUAL);
        match *formulas.node(f) {
            Node::And(ref fs) if !formulas.class(f).is(Class::BOOLEAN) => {
                fs.iter().any(|&f| self.holds(f, g))
            }
            Node::Globally(a) => self.holds(a, g),
            Node::Finally(a) | Node::Next(a) => some_time && self.holds(a, g),
            Node::Until(a, b) => self.holds(b, g) && (some_time || self.holds(a, g)),
            Node::WeakUntil(a, b) => self.holds(b, g) && self.holds(a, g),
            Node::Release(_, b) => self.holds(b, g),
            Node::StrongRelease(a, b) => self.holds(b, g) || some_time && self.holds(a, g),
            _ => false,
        }
    }

    /// Both operators hold one operand until an end: the held operand of `f` implies that of `g`, and the end of `f`
    /// implies `g`.
    fn monotone(&self, left: &Node, right: &Node, g: FormulaId) -> bool {
        if let (&Node::Next(a), &Node::Next(b)) = (left, right) {
            return self.holds(a, b);
        }
        // The operand that holds until the end, the end, and whether the end has to come.
        let parts = |node: &Node| match *node {
            Node::Until(a, b) => Some((a, b, true)),
            Node::WeakUntil(a, b) => Some((a, b, false)),
            Node::StrongRelease(a, b) => Some((b, a, true)),
            Node::Release(a, b) => Some((b, a, false)),
            _ => None,
        };
        let Some(((on, end, ends), (goes_on, goal, must_end))) = parts(left).zip(parts(right)) else {
            return false;
        };
        let releases = |node: &Node| matches!(node, Node::StrongRelease(..) | Node::Release(..));
        // At the end of a release both of its operands hold.
        let same_end = releases(left) && releases(right) && self.holds(end, goal);
        (ends || !must_end) && self.holds(on, goes_on) && (same_end || self.holds(end, g))
    }
}

/// Implications by inclusion of conjuncts or disjuncts.
fn boolean(formulas: &Formulas, f: FormulaId, g: FormulaId) -> bool {
    let (left, right) = (formulas.node(f), formulas.node(g));
    let conjuncts = |g: &FormulaId| matches!(left, Node::And(fs) if fs.contains(g));
    let disjuncts = |f: &FormulaId| matches!(right, Node::Or(gs) if gs.contains(f));
    let all = matches!(right, Node::And(gs) if gs.iter().all(|g| conjuncts(g) || *g == f));
    let any = matches!(left, Node::Or(fs) if fs.iter().all(|f| disjuncts(f) || *f == g));
    f == formulas.bottom() || g == formulas.top() || conjuncts(&g) || disjuncts(&f) || all || any
}
