//! Conditions: Boolean terms in formula position. Each becomes an input atom, unless it is computed: a constant, an
//! equivalence of Boolean terms, or a comparison of followed signals. A followed signal has a finite sort and its value
//! is encoded in atoms `signal = value`.

use super::finite::{self, FiniteProgram, Row};
use super::lowering::Lowering;
use super::signature::{LiteralValue, Operator, Signature, Sort, SymbolId, Term, TermId};
use super::value::{Expanded, ExpandedId};
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::Limit;
use tsl_synth_core::logic::FormulaId;

/// A constituent of the formula of a condition.
#[derive(Clone, Copy, Debug)]
pub(super) enum Need {
    /// The atom of a predicate term.
    Atom(TermId),
    /// The value of a followed signal.
    Value(SymbolId),
}

/// The constituents of the formula of a Boolean term, in order.
pub(super) fn needs(signature: &Signature, term: TermId) -> Vec<Need> {
    let (mut todo, mut found) = (vec![term], Vec::new());
    while let Some(term) = todo.pop() {
        match *signature.terms.get(term) {
            Term::Literal(_) => {}
            Term::Operation(operator, a, b) => {
                if let Some(program) = FiniteProgram::new(signature, term) {
                    found.extend(program.signals.into_iter().map(Need::Value));
                } else if operator == Operator::Equal && is_boolean(signature, a) && is_boolean(signature, b)
                {
                    todo.extend([b, a]);
                } else {
                    found.push(Need::Atom(term));
                }
            }
            Term::Signal(_) | Term::Apply(..) => found.push(Need::Atom(term)),
        }
    }
    found
}

fn is_boolean(signature: &Signature, term: TermId) -> bool {
    match signature.terms.get(term) {
        Term::Literal(literal) => matches!(literal, LiteralValue::Bool(_)),
        Term::Signal(symbol) | Term::Apply(symbol, _) => signature.symbols[*symbol].sort == Sort::Bool,
        Term::Operation(operator, ..) => matches!(operator, Operator::Equal | Operator::Greater),
    }
}

impl Lowering<'_> {
    /// The formula "the signal has its value with this index".
    pub(super) fn value_is(&mut self, symbol: SymbolId, index: usize) -> FormulaId {
        self.formulas.has_value(&self.encoded[&symbol], index)
    }

    /// The formula of a Boolean term; its atoms must exist already.
    pub(super) fn condition(&mut self, term: TermId) -> Result<FormulaId, Limit> {
        // Equivalences of Boolean terms nest; everything else is flat.
        let mut done: FxHashMap<TermId, FormulaId> = FxHashMap::default();
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if done.contains_key(&top) {
                stack.pop();
                continue;
            }
            let formula = if let Some(&atom) = self.atoms.get(&top) {
                self.formulas.atom(atom)
            } else {
                match self.signature.terms.get(top).clone() {
                    Term::Literal(LiteralValue::Bool(b)) => self.formulas.constant(b),
                    Term::Operation(operator, a, b) => match FiniteProgram::new(&self.signature, top) {
                        Some(program) => self.computed(&program)?,
                        None if operator == Operator::Equal => {
                            let (Some(&a), Some(&b)) = (done.get(&a), done.get(&b)) else {
                                stack.extend([a, b]);
                                continue;
                            };
                            self.formulas.iff(a, b)
                        }
                        None => unreachable!("every other comparison has an atom"),
                    },
                    _ => unreachable!("every condition has an atom"),
                }
            };
            done.insert(top, formula);
            stack.pop();
        }
        Ok(done[&term])
    }

    /// The formula "the computed Boolean term is true".
    fn computed(&mut self, program: &FiniteProgram) -> Result<FormulaId, Limit> {
        if let Some(holds) = self.truth_of(program) {
            return Ok(holds);
        }
        let table = program.table(&self.signature)?;
        Ok(self.rows(program, &table, |value| value == Some(&LiteralValue::Bool(true))))
    }

    /// The disjunction of the rows of a table whose value satisfies `wanted`.
    pub(super) fn rows(
        &mut self,
        program: &FiniteProgram,
        table: &[Row],
        wanted: impl Fn(Option<&LiteralValue>) -> bool,
    ) -> FormulaId {
        let chosen: Vec<usize> = (0..table.len()).filter(|&i| wanted(table[i].1.as_ref())).collect();
        // If most rows are chosen, the negated disjunction of the other rows is shorter.
        let invert = chosen.len() * 2 > table.len();
        let listed: Vec<usize> = if invert {
            (0..table.len()).filter(|i| chosen.binary_search(i).is_err()).collect()
        } else {
            chosen
        };
        let mut alternatives = Vec::new();
        for i in listed {
            let mut parts = Vec::new();
            for (&signal, value) in program.signals.iter().zip(&table[i].0) {
                let index = self.domains[&signal].iter().position(|v| v == value);
                parts.push(self.value_is(signal, index.expect("tables list the values of domains")));
            }
            alternatives.push(self.formulas.and(parts));
        }
        let any = self.formulas.or(alternatives);
        if invert { self.formulas.not(any) } else { any }
    }

    /// The terms in formula position, in order.
    pub(super) fn conditions_of(
        &self,
        reachable: &[ExpandedId],
        roots: &[ExpandedId],
    ) -> Vec<(ExpandedId, TermId)> {
        let mut used: FxHashSet<ExpandedId> = roots.iter().copied().collect();
        for &value in reachable {
            let value = self.values.get(value);
            if !matches!(value, Expanded::Update(..) | Expanded::Apply(..) | Expanded::Operation(..)) {
                value.for_each_operand(|v| {
                    used.insert(v);
                });
            }
        }
        let conditions = reachable.iter().filter(|v| used.contains(v));
        conditions.filter_map(|v| self.terms.get(v).map(|&term| (*v, term))).collect()
    }

    /// Follows the values of these signals, and of the signals that their updates read.
    pub(super) fn follow(&mut self, signals: &[SymbolId]) -> Result<(), Limit> {
        let mut todo = signals.to_vec();
        while let Some(symbol) = todo.pop() {
            if self.domains.contains_key(&symbol) {
                continue;
            }
            let Some(values) = finite::domain(&self.signature, symbol)? else { continue };
            self.domains.insert(symbol, values);
            self.followed.push(symbol);
            for &term in self.updates.get(&symbol).into_iter().flatten() {
                if let Some(program) = FiniteProgram::new(&self.signature, term) {
                    todo.extend(program.signals);
                }
            }
        }
        Ok(())
    }

    /// Finds the atoms that are needed: the conditions in formulas, and, for signals among them, the updates and
    /// initial values.
    pub(super) fn collect_conditions(
        &mut self,
        reachable: &[ExpandedId],
        roots: &[ExpandedId],
    ) -> Result<(), Limit> {
        let mut used: FxHashSet<ExpandedId> = roots.iter().copied().collect();
        for &value in reachable {
            let value = self.values.get(value);
            if !matches!(value, Expanded::Update(..) | Expanded::Apply(..) | Expanded::Operation(..)) {
                value.for_each_operand(|v| {
                    used.insert(v);
                });
            }
        }
        let mut queue: Vec<TermId> = reachable
            .iter()
            .filter(|v| used.contains(v))
            .filter_map(|v| self.terms.get(v).copied())
            .collect();
        let (mut seen, mut known) = (FxHashSet::default(), FxHashSet::default());
        let mut next = 0;
        while let Some(&term) = queue.get(next) {
            next += 1;
            if !seen.insert(term) {
                continue;
            }
            for need in needs(&self.signature, term) {
                match need {
                    Need::Value(symbol) => self.follow(&[symbol])?,
                    Need::Atom(term) if !known.insert(term) => {}
                    Need::Atom(term) => {
                        self.predicates.push(term);
                        if let Term::Signal(symbol) = self.signature.terms.get(term) {
                            queue.extend(self.updates.get(symbol).into_iter().flatten());
                            queue.extend(self.signature.symbols[*symbol].initial);
                        }
                    }
                }
            }
        }
        self.follow_what_may_be_unavailable()
    }
}
