//! Every formula as a Boolean combination of Π₂ and Σ₂ formulas: the normal form Δ₂.
//!
//! Esparza, Rubio and Sickert, "Efficient normalization of linear temporal logic", Journal of the ACM 71(2),
//! 2024, section 5 (the rewrite system, first TACAS 2023). A *limit* is a formula whose truth does not depend
//! on a finite prefix, such as `G F f`. Three rules, for formulas in negation normal form:
//!
//! 1. A limit `s` inside `f` is pulled out: `f = (s & f[⊤/s]) | f[⊥/s]`.
//! 2. A strong operator `u` with goal `g` inside a weak one `w = a W b`, in `a`: if `G F g` holds, `u` may be replaced
//!    by its weak form; if not, `u` is false from some step on:
//!    `f = (G F g & f[weak u/u]) | f[a U (b | G a[⊥/u]) / w]`. If `u` is only in `b`, `w = (a U b) | G a`.
//! 3. A weak operator `w = a W b` inside a limit `G F f`: if `F G a` holds, `w` is true from some step on; if not, `w`
//!    may be replaced by its strong form: `G F f = G F f[a U b/w] | (F G a & G F f[⊤/w])`.
//!
//! The remaining formulas have no strong operator inside a weak one (Σ₂), or are limits of co-safety formulas (Π₂). The
//! dual rules are these rules for the negation. Departing from the paper, rules apply to the formula as a whole rather
//! than in three phases, formulas that are in Π₂ or Σ₂ already are left alone, and of the results by the rules and by
//! their duals the one with fewer parts is taken. Rule 2 makes 2ⁿ parts for n strong operators. Checked by the lasso
//! semantics in the tests.

use super::class::Class;
use super::formula::{FormulaId, Formulas, Node};
use super::normal::{
    Normalizer, and, either, finally, globally, rebuilt, release, strong_release, suspendable, until,
    weak_until,
};
use crate::base::{Budget, Limit, LimitKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// Formulas that the normalization of one conjunct may make.
const MAX_FORMULAS: usize = 20_000;
/// Rules that may be applied, for one part.
const MAX_STEPS: usize = 5_000;

/// A formula with the same meaning that is a conjunction or disjunction, nested at will, of formulas in negation
/// normal form whose class is [`Class::RECURRENCE`] or [`Class::PERSISTENCE`]. At most exponentially larger; a
/// formula that has this shape in negation normal form is only simplified.
///
/// # Errors
/// A limit of the budget; [`LimitKind::Size`] when the result is too large.
pub fn delta2(formulas: &mut Formulas, f: FormulaId, budget: &Budget) -> Result<FormulaId, Limit> {
    let mut normalizer = Normalizer::new();
    let f = normalizer.normalize(formulas, f, false);
    let mut values: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
    for g in skeleton(formulas, f) {
        let value = match formulas.node(g).clone() {
            _ if is_part(formulas, g) => g,
            node @ (Node::And(_) | Node::Or(_)) => over(formulas, &node, &values),
            _ => {
                let straight = Rewriter::new(formulas, &mut normalizer, budget).rewrite(g);
                let negation = normalizer.normalize(formulas, g, true);
                let dual = Rewriter::new(formulas, &mut normalizer, budget).rewrite(negation);
                let dual = dual.map(|h| normalizer.normalize(formulas, h, true));
                match (straight, dual) {
                    (Ok(a), Ok(b)) if cost(formulas, b) < cost(formulas, a) => b,
                    (Ok(a), _) | (Err(_), Ok(a)) => a,
                    (Err(limit), Err(_)) => return Err(limit),
                }
            }
        };
        values.insert(g, value);
    }
    Ok(values[&f])
}

/// Whether a formula is a *part*: known to be in Π₂ or Σ₂.
fn is_part(formulas: &Formulas, f: FormulaId) -> bool {
    formulas.class(f).is(Class::RECURRENCE) || formulas.class(f).is(Class::PERSISTENCE)
}

/// The conjunctions and disjunctions that `f` is made of down to their parts and other temporal formulas; operands
/// before the formulas made of them.
fn skeleton(formulas: &Formulas, f: FormulaId) -> Vec<FormulaId> {
    let mut all = vec![f];
    let mut seen: FxHashSet<FormulaId> = all.iter().copied().collect();
    let mut i = 0;
    while i < all.len() {
        if !is_part(formulas, all[i])
            && let Node::And(gs) | Node::Or(gs) = formulas.node(all[i])
        {
            all.extend(gs.iter().copied().filter(|&g| seen.insert(g)));
        }
        i += 1;
    }
    all.sort_unstable();
    all
}

/// The operator of `node` over the values of its operands.
fn over(formulas: &mut Formulas, node: &Node, values: &FxHashMap<FormulaId, FormulaId>) -> FormulaId {
    let mut operands = Vec::new();
    node.for_each_operand(|h| operands.push(values[&h]));
    again(formulas, node, &operands)
}

/// The operator of `node` over other operands, simplified. Weak operators that were split are not combined again.
fn again(formulas: &mut Formulas, node: &Node, operands: &[FormulaId]) -> FormulaId {
    match node {
        Node::Or(_) => either(formulas, operands),
        _ => rebuilt(formulas, node, operands),
    }
}

/// The number of parts that are not obligations, each of which needs its own acceptance set; then the number of all
/// parts; then the size.
fn cost(formulas: &Formulas, f: FormulaId) -> (usize, usize, u32) {
    let parts: Vec<FormulaId> = skeleton(formulas, f).into_iter().filter(|&g| is_part(formulas, g)).collect();
    let lasting = parts.iter().filter(|&&g| !formulas.class(g).is(Class::OBLIGATION)).count();
    (lasting, parts.len(), formulas.size(f))
}

struct Rewriter<'a> {
    formulas: &'a mut Formulas,
    normalizer: &'a mut Normalizer,
    budget: &'a Budget,
    /// The largest number of formulas allowed in the arena.
    room: usize,
}

impl<'a> Rewriter<'a> {
    fn new(formulas: &'a mut Formulas, normalizer: &'a mut Normalizer, budget: &'a Budget) -> Self {
        let room = formulas.len() + MAX_FORMULAS;
        Self { formulas, normalizer, budget, room }
    }

    /// Applies [`Self::step`] until every operand of the Boolean structure is a part.
    fn rewrite(&mut self, f: FormulaId) -> Result<FormulaId, Limit> {
        let mut values: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
        let mut steps: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
        let mut stack = vec![f];
        while let Some(&g) = stack.last() {
            if values.contains_key(&g) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let value = match self.formulas.node(g).clone() {
                _ if is_part(self.formulas, g) => g,
                node @ (Node::And(_) | Node::Or(_)) => {
                    node.for_each_operand(|h| {
                        if !values.contains_key(&h) {
                            stack.push(h);
                        }
                    });
                    if stack.len() > before {
                        continue;
                    }
                    over(self.formulas, &node, &values)
                }
                _ => {
                    let next = match steps.get(&g) {
                        Some(&next) => next,
                        None => self.step(g)?,
                    };
                    steps.insert(g, next);
                    if steps.len() > MAX_STEPS || stack.len() > MAX_STEPS {
                        return Err(Limit::new(LimitKind::Size, what()));
                    }
                    let Some(&value) = values.get(&next) else {
                        stack.push(next);
                        continue;
                    };
                    value
                }
            };
            values.insert(g, value);
            stack.pop();
        }
        Ok(values[&f])
    }

    /// One rule, applied to a temporal formula that is no part.
    fn step(&mut self, f: FormulaId) -> Result<FormulaId, Limit> {
        let mut core = f;
        let mut depth = 0;
        while let Node::Next(g) = *self.formulas.node(core) {
            core = g;
            depth += 1;
        }
        let result = match self.formulas.node(core) {
            Node::And(_) | Node::Or(_) => core,
            _ => self.rule(core)?,
        };
        match self.formulas.node(result).clone() {
            node @ (Node::And(_) | Node::Or(_)) if depth > 0 => {
                let mut operands = Vec::new();
                node.for_each_operand(|g| operands.push(g));
                for g in &mut operands {
                    *g = self.later(*g, depth);
                }
                Ok(again(self.formulas, &node, &operands))
            }
            _ => Ok(self.later(result, depth)),
        }
    }

    fn later(&mut self, f: FormulaId, depth: u32) -> FormulaId {
        if suspendable(self.formulas, f) { f } else { self.formulas.next_n(depth, f) }
    }

    fn rule(&mut self, f: FormulaId) -> Result<FormulaId, Limit> {
        let within = self.formulas.subformulas(&[f]);
        self.budget.tick(within.len() as u64, what)?;
        let limit = within
            .iter()
            .rev()
            .copied()
            .find(|&g| g != f && suspendable(self.formulas, g) && !self.formulas.is_constant(g));
        if let Some(limit) = limit {
            let (top, bottom) = (self.formulas.top(), self.formulas.bottom());
            let held = self.replaced(f, limit, top)?;
            let missed = self.replaced(f, limit, bottom)?;
            let held = and(self.formulas, &[limit, held]);
            return Ok(either(self.formulas, &[held, missed]));
        }
        match *self.formulas.node(f) {
            Node::Globally(g) if suspendable(self.formulas, f) => self.recurring(g),
            Node::Finally(_) if suspendable(self.formulas, f) => {
                let negation = self.normalizer.normalize(self.formulas, f, true);
                let result = match self.formulas.node(negation) {
                    Node::Globally(_) if !is_part(self.formulas, negation) => self.rule(negation)?,
                    _ => negation,
                };
                Ok(self.normalizer.normalize(self.formulas, result, true))
            }
            _ => self.strong_in_weak(f, &within),
        }
    }

    /// Rule 2, for an outermost weak operator.
    fn strong_in_weak(&mut self, f: FormulaId, within: &[FormulaId]) -> Result<FormulaId, Limit> {
        // Operands come first, so the last weak operator over a strong one is an outermost one.
        let mut holds_strong: FxHashSet<FormulaId> = FxHashSet::default();
        let mut outermost = None;
        for &g in within {
            let mut holds = false;
            self.formulas.node(g).for_each_operand(|h| holds |= holds_strong.contains(&h));
            if holds && stays(self.formulas, g).is_some() {
                outermost = Some(g);
            }
            if holds || goal(self.formulas, g).is_some() {
                holds_strong.insert(g);
            }
        }
        let Some(w) = outermost else {
            return Err(Limit::new(LimitKind::Size, "a formula that is no part and has none"));
        };
        let stay = stays(self.formulas, w).expect("chosen so");
        if !holds_strong.contains(&stay) {
            let strong = self.strong(w);
            let always = globally(self.formulas, stay);
            let apart = either(self.formulas, &[strong, always]);
            return self.replaced(f, w, apart);
        }
        let below = self.formulas.subformulas(&[stay]);
        let found = below.iter().rev().find_map(|&g| goal(self.formulas, g).map(|goal| (g, goal)));
        let (u, goal) = found.expect("the operand holds a strong operator");
        let weak = self.weak(u);
        let held = self.replaced(f, u, weak)?;
        let bottom = self.formulas.bottom();
        let rest = self.replaced(stay, u, bottom)?;
        let rest = globally(self.formulas, rest);
        let strong = match *self.formulas.node(w) {
            Node::Globally(a) => until(self.formulas, a, rest),
            Node::WeakUntil(a, b) => {
                let goal = either(self.formulas, &[b, rest]);
                until(self.formulas, a, goal)
            }
            Node::Release(a, b) => {
                let goal = either(self.formulas, &[a, rest]);
                strong_release(self.formulas, goal, b)
            }
            _ => unreachable!("weak operators only"),
        };
        let missed = self.replaced(f, w, strong)?;
        let again = finally(self.formulas, goal);
        let again = globally(self.formulas, again);
        let held = and(self.formulas, &[again, held]);
        Ok(either(self.formulas, &[held, missed]))
    }

    /// Rule 3, for `G F f` and its outermost weak operator.
    fn recurring(&mut self, f: FormulaId) -> Result<FormulaId, Limit> {
        let within = self.formulas.subformulas(&[f]);
        let found = within.iter().rev().find_map(|&g| stays(self.formulas, g).map(|stay| (g, stay)));
        let (w, stay) = found.expect("limits of co-safety formulas are parts");
        let (strong, top) = (self.strong(w), self.formulas.top());
        let [left, right] = [strong, top].map(|g| self.replaced(f, w, g));
        let [left, right] = [left?, right?].map(|g| {
            let some = finally(self.formulas, g);
            globally(self.formulas, some)
        });
        let always = globally(self.formulas, stay);
        let in_the_end = finally(self.formulas, always);
        let right = and(self.formulas, &[in_the_end, right]);
        Ok(either(self.formulas, &[left, right]))
    }

    /// `a U b` for `a W b` and its like.
    fn strong(&mut self, weak: FormulaId) -> FormulaId {
        match *self.formulas.node(weak) {
            Node::WeakUntil(a, b) => until(self.formulas, a, b),
            Node::Release(a, b) => strong_release(self.formulas, a, b),
            _ => self.formulas.bottom(),
        }
    }

    /// `a W b` for `a U b` and its like.
    fn weak(&mut self, strong: FormulaId) -> FormulaId {
        match *self.formulas.node(strong) {
            Node::Until(a, b) => weak_until(self.formulas, a, b),
            Node::StrongRelease(a, b) => release(self.formulas, a, b),
            _ => self.formulas.top(),
        }
    }

    /// `f` with `new` in the place of every `old`.
    fn replaced(&mut self, f: FormulaId, old: FormulaId, new: FormulaId) -> Result<FormulaId, Limit> {
        let mut values: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
        for g in self.formulas.subformulas(&[f]) {
            self.budget.tick(1, what)?;
            let node = self.formulas.node(g).clone();
            let mut changed = false;
            node.for_each_operand(|h| changed |= values[&h] != h);
            let value = match (g == old, changed) {
                (true, _) => new,
                (false, true) => over(self.formulas, &node, &values),
                (false, false) => g,
            };
            values.insert(g, value);
        }
        if self.formulas.len() > self.room {
            return Err(Limit::new(LimitKind::Size, what()));
        }
        Ok(values[&f])
    }
}

fn what() -> String {
    format!("a conjunct as a combination of Π₂ and Σ₂ formulas, more than {MAX_FORMULAS} of them")
}

/// The operand of a weak operator that may hold forever.
fn stays(formulas: &Formulas, f: FormulaId) -> Option<FormulaId> {
    match *formulas.node(f) {
        Node::Globally(a) | Node::WeakUntil(a, _) | Node::Release(_, a) => Some(a),
        _ => None,
    }
}

/// The operand of a strong operator that must hold at some time.
fn goal(formulas: &Formulas, f: FormulaId) -> Option<FormulaId> {
    match *formulas.node(f) {
        Node::Finally(a) | Node::Until(_, a) | Node::StrongRelease(a, _) => Some(a),
        _ => None,
    }
}
