//! Splits clauses into small questions: a conjunction holds iff each of its conjuncts does, and its negation holds iff
//! one of its cases does. G distributes over conjunctions and F over disjunctions; beyond `MAX_CASES` cases nothing is
//! split further. Linear in the resulting formulas and cases.

use super::conditions::recurring;
use super::normal::SignedFormula;
use crate::tuning::MAX_CASES;
use rustc_hash::FxHashMap;
use tsl_synth_core::logic::{Class, FormulaId, Formulas, Node};
use tsl_synth_core::model::Contract;

/// The small questions about the clauses of a contract.
#[derive(Debug)]
pub(crate) struct Cases {
    /// The formulas of the contract, and those of its cases.
    pub(crate) formulas: Formulas,
    conjuncts: FxHashMap<FormulaId, Vec<SignedFormula>>,
    negated: FxHashMap<FormulaId, Vec<Vec<SignedFormula>>>,
}

impl Cases {
    pub(crate) fn new(formulas: &Formulas, contract: &Contract) -> Self {
        let mut this = Self {
            formulas: formulas.clone(),
            conjuncts: FxHashMap::default(),
            negated: FxHashMap::default(),
        };
        let Contract { facts, restrictions, assumptions, guarantees } = contract;
        for &clause in [facts, restrictions, assumptions, guarantees].into_iter().flatten() {
            let conjuncts = this.split((clause, true));
            let negated = conjuncts.iter().flat_map(|&(f, value)| this.cases((f, !value))).collect();
            this.conjuncts.insert(clause, conjuncts);
            this.negated.insert(clause, negated);
        }
        this
    }

    /// Formulas and negated formulas whose conjunction is the clause.
    pub(crate) fn conjuncts(&self, clause: FormulaId) -> &[SignedFormula] {
        &self.conjuncts[&clause]
    }

    /// Conjunctions whose disjunction is the negation of the clause.
    pub(crate) fn negated(&self, clause: FormulaId) -> &[Vec<SignedFormula>] {
        &self.negated[&clause]
    }

    /// The conjuncts of a formula or negated formula, in order.
    fn split(&mut self, literal: SignedFormula) -> Vec<SignedFormula> {
        let mut parts = Vec::new();
        let mut stack = vec![literal];
        while let Some((f, value)) = stack.pop() {
            match self.parts((f, value), true) {
                Some(few) => stack.extend(few.into_iter().rev()),
                None => parts.push((f, value)),
            }
        }
        parts
    }

    /// Conjunctions whose disjunction is a formula or negated formula.
    fn cases(&mut self, literal: SignedFormula) -> Vec<Vec<SignedFormula>> {
        let (mut done, mut open) = (Vec::new(), vec![(vec![literal], Vec::new())]);
        while let Some((mut todo, mut parts)) = open.pop() {
            let Some(literal) = todo.pop() else {
                done.push(parts);
                continue;
            };
            if let Some(all) = self.parts(literal, true) {
                todo.extend(all.into_iter().rev());
                open.push((todo, parts));
                continue;
            }
            let some = self.parts(literal, false);
            if let Some(some) = some.filter(|some| done.len() + open.len() + some.len() <= MAX_CASES) {
                for part in some.into_iter().rev() {
                    let mut todo = todo.clone();
                    todo.push(part);
                    open.push((todo, parts.clone()));
                }
            } else {
                parts.push(literal);
                open.push((todo, parts));
            }
        }
        done
    }

    /// The operands (at least two, or one that is simpler) of a formula or negated formula that is a conjunction or,
    /// without `conjunction`, a disjunction; `None` for any other.
    fn parts(&mut self, (f, value): SignedFormula, conjunction: bool) -> Option<Vec<SignedFormula>> {
        let node = self.formulas.node(f).clone();
        if self.formulas.class(f).is(Class::BOOLEAN) && (!conjunction || !matches!(node, Node::Not(_))) {
            // Splitting a formula without temporal operators gains nothing, unless it is a conjunction.
            let splits = conjunction && matches!((&node, value), (Node::And(_), true) | (Node::Or(_), false));
            if !splits {
                return None;
            }
        }
        if let Some((inner, often)) = recurring(&self.formulas, f) {
            return self.recurring_parts((inner, often), value, conjunction);
        }
        match node {
            Node::Not(g) => Some(vec![(g, !value)]),
            Node::And(gs) if value == conjunction => Some(gs.iter().map(|&g| (g, value)).collect()),
            Node::Or(gs) if value != conjunction => Some(gs.iter().map(|&g| (g, value)).collect()),
            Node::Iff(a, b) if !conjunction => {
                let (not_a, not_b) = (self.formulas.not(a), self.formulas.not(b));
                let sides = if value { [(a, b), (not_a, not_b)] } else { [(a, not_b), (not_a, b)] };
                Some(sides.map(|(a, b)| (self.formulas.and([a, b]), true)).to_vec())
            }
            // G distributes over conjunctions: ¬G is a disjunction of ¬Gs.
            Node::Globally(g) if value == conjunction => {
                let bodies = self.bodies(g, true)?;
                Some(bodies.into_iter().map(|body| (self.formulas.globally(body), value)).collect())
            }
            Node::Finally(g) if value != conjunction => {
                let bodies = self.bodies(g, false)?;
                Some(bodies.into_iter().map(|body| (self.formulas.finally(body), value)).collect())
            }
            _ => None,
        }
    }

    /// The same as [`Self::parts`] for `GF g` or `FG g`. GF distributes over disjunctions and FG over conjunctions, and
    /// finitely many steps do not matter: `X g` may be replaced by `g`.
    fn recurring_parts(
        &mut self,
        (inner, often): (FormulaId, bool),
        value: bool,
        conjunction: bool,
    ) -> Option<Vec<SignedFormula>> {
        let bodies = match *self.formulas.node(inner) {
            Node::Next(g) => vec![g],
            _ if (often == value) == conjunction || self.formulas.class(inner).is(Class::BOOLEAN) => {
                return None;
            }
            _ => self.bodies(inner, !often)?,
        };
        let mut parts = Vec::with_capacity(bodies.len());
        for body in bodies {
            let f = if often {
                let finally = self.formulas.finally(body);
                self.formulas.globally(finally)
            } else {
                let globally = self.formulas.globally(body);
                self.formulas.finally(globally)
            };
            parts.push((f, value));
        }
        Some(parts)
    }

    /// The operands of a conjunction or disjunction, of which those without temporal operators are combined into one;
    /// `None` if fewer than two are left.
    fn bodies(&mut self, f: FormulaId, conjunction: bool) -> Option<Vec<FormulaId>> {
        let gs: Vec<FormulaId> = match self.formulas.node(f).clone() {
            Node::And(gs) if conjunction => gs.to_vec(),
            Node::Or(gs) if !conjunction => gs.to_vec(),
            Node::Not(g) => match self.formulas.node(g).clone() {
                Node::Or(gs) if conjunction => gs.iter().map(|&g| self.formulas.not(g)).collect(),
                Node::And(gs) if !conjunction => gs.iter().map(|&g| self.formulas.not(g)).collect(),
                _ => return None,
            },
            _ => return None,
        };
        let is_boolean = |&g: &FormulaId| self.formulas.class(g).is(Class::BOOLEAN);
        let (boolean, mut bodies): (Vec<FormulaId>, Vec<FormulaId>) = gs.into_iter().partition(is_boolean);
        if !boolean.is_empty() {
            bodies.push(if conjunction { self.formulas.and(boolean) } else { self.formulas.or(boolean) });
        }
        (bodies.len() > 1).then_some(bodies)
    }
}
