//! From expanded clauses to a [`Problem`]: one atom per predicate term, one cell per updated name, formulas,
//! and what the meaning of TSL adds.
//!
//! A *condition* is a Boolean term in the place of a formula. It becomes an input atom, or is computed: a
//! constant, an equivalence of Boolean terms, or a comparison of values that are followed exactly.

use super::finite::{self, Program};
use super::infer::Inferred;
use super::past::{Past, PastCell};
use super::problem::{Clause, Constraint, Language, Problem, Target};
use super::signature::{
    AtomMeaning, Literal, Operator, Overflow, Signature, Sort, Symbol, SymbolId, SymbolKind, Term, TermId,
};
use super::value::{NameId, Value, ValueId, Values};
use crate::base::{IdVec, Limit};
use crate::logic::{Alphabet, AtomId, CellId, FormulaId, Formulas};
use crate::model::Role;
use crate::source::Span;
use rustc_hash::FxHashMap;

/// A clause after expansion.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawClause {
    pub(super) role: Role,
    pub(super) always: bool,
    pub(super) after: u32,
    pub(super) formula: ValueId,
    pub(super) span: Span,
}

/// Everything that is known while lowering.
#[derive(Debug)]
pub(super) struct Lowering<'a> {
    pub(super) values: &'a Values,
    by_name: &'a FxHashMap<NameId, SymbolId>,
    pub(super) signature: Signature,
    pub(super) formulas: Formulas,
    pub(super) alphabet: Alphabet,
    /// The term of each value that is one.
    pub(super) terms: FxHashMap<ValueId, TermId>,
    /// The update terms of each cell, the self-update first.
    pub(super) updates: FxHashMap<SymbolId, Vec<TermId>>,
    /// Cells in the order of the alphabet.
    pub(super) cells: Vec<SymbolId>,
    pub(super) cell_ids: FxHashMap<SymbolId, CellId>,
    /// The input atom of each predicate term that has one, and their order.
    pub(super) atoms: FxHashMap<TermId, AtomId>,
    pub(super) predicates: Vec<TermId>,
    /// Signals whose values are followed, in order, with their values.
    pub(super) followed: Vec<SymbolId>,
    pub(super) domains: FxHashMap<SymbolId, Vec<Literal>>,
    pub(super) clauses: IdVec<super::ClauseId, Clause>,
}

/// Lowers clauses.
///
/// # Errors
/// When a finite sort is too large to be followed.
pub(super) fn lower(
    name: String,
    values: &Values,
    inferred: Inferred,
    initials: &[(NameId, ValueId)],
    clauses: &[RawClause],
    past: &Past,
) -> Result<Problem, Limit> {
    let signature = Signature { symbols: inferred.symbols, ..Signature::default() };
    let mut this = Lowering::new(values, &inferred.by_name, signature);
    let roots: Vec<ValueId> = clauses.iter().map(|c| c.formula).collect();
    let reachable = values.reachable(roots.iter().copied());
    let inits = values.reachable(initials.iter().map(|(_, v)| *v));
    for &value in reachable.iter().chain(&inits) {
        this.term(value);
    }
    for (name, value) in initials {
        let symbol = this.by_name[name];
        this.signature.symbols[symbol].initial = this.terms.get(value).copied();
    }
    this.collect_updates(&reachable);
    let past_cells = this.past_cells(past);
    this.collect_conditions(&reachable, &roots, &past_cells)?;
    this.make_alphabet();
    let lowered = this.lower_values(&reachable, &past_cells)?;
    for clause in clauses {
        let mut formula = this.as_formula(clause.formula, &lowered)?;
        if clause.always {
            formula = this.formulas.globally(formula);
        }
        formula = this.formulas.next_n(clause.after, formula);
        this.clauses.push(Clause { role: clause.role, formula, span: Some(clause.span), constraint: None });
    }
    this.past_facts(&past_cells, &lowered)?;
    super::facts::add(&mut this)?;
    let uninterpreted_arithmetic = super::facts::uninterpreted_arithmetic(&this);
    let mut problem = Problem {
        name,
        language: Language::Tsl,
        formulas: this.formulas,
        alphabet: this.alphabet,
        clauses: this.clauses,
        signature: this.signature,
        uninterpreted_arithmetic,
        target: Target::Mealy,
    };
    problem.signature.cells = this.cells.iter().copied().collect();
    Ok(problem)
}

/// The formulas of values.
type Lowered = FxHashMap<ValueId, FormulaId>;

impl<'a> Lowering<'a> {
    /// Nothing is lowered yet.
    fn new(values: &'a Values, by_name: &'a FxHashMap<NameId, SymbolId>, signature: Signature) -> Self {
        Self {
            values,
            by_name,
            signature,
            formulas: Formulas::new(),
            alphabet: Alphabet::new(),
            terms: FxHashMap::default(),
            updates: FxHashMap::default(),
            cells: Vec::new(),
            cell_ids: FxHashMap::default(),
            atoms: FxHashMap::default(),
            predicates: Vec::new(),
            followed: Vec::new(),
            domains: FxHashMap::default(),
            clauses: IdVec::new(),
        }
    }
    /// The state of lowering in which a problem was finished; takes its parts.
    pub(super) fn of(
        problem: &mut Problem,
        values: &'a Values,
        by_name: &'a FxHashMap<NameId, SymbolId>,
    ) -> Self {
        let mut this = Self {
            formulas: std::mem::take(&mut problem.formulas),
            alphabet: std::mem::take(&mut problem.alphabet),
            ..Self::new(values, by_name, std::mem::take(&mut problem.signature))
        };
        for (cell, &symbol) in this.signature.cells.enumerate() {
            this.cells.push(symbol);
            this.cell_ids.insert(symbol, cell);
        }
        for (atom, meaning) in this.signature.atoms.enumerate() {
            match *meaning {
                AtomMeaning::Predicate(term) => {
                    this.atoms.insert(term, atom);
                    this.predicates.push(term);
                }
                AtomMeaning::Update(symbol, term) => this.updates.entry(symbol).or_default().push(term),
                AtomMeaning::Proposition => {}
            }
        }
        for symbol in this.signature.symbols.ids() {
            let Ok(Some(values)) = finite::domain(&this.signature, symbol) else { continue };
            let signal = this.signature.terms.intern(Term::Signal(symbol));
            let has_atom = |this: &mut Self, value: &Literal| {
                let literal = this.signature.terms.intern(Term::Literal(value.clone()));
                let term = this.signature.terms.intern(Term::Operation(Operator::Equal, signal, literal));
                this.atoms.contains_key(&term)
            };
            if values[..values.len() - 1].iter().all(|value| has_atom(&mut this, value)) {
                this.domains.insert(symbol, values);
            }
        }
        this
    }
    /// Gives the parts back.
    pub(super) fn give_back(self, problem: &mut Problem) {
        problem.signature = self.signature;
        problem.formulas = self.formulas;
        problem.alphabet = self.alphabet;
    }

    /// Interns the term of a value, whose operands were interned before.
    pub(super) fn term(&mut self, value: ValueId) {
        if let Some(term) = super::resolve::term(self.values, value, self.by_name, &self.terms) {
            let term = self.signature.terms.intern(term);
            self.terms.insert(value, term);
        }
    }

    fn collect_updates(&mut self, reachable: &[ValueId]) {
        let declared: Vec<SymbolId> = self
            .signature
            .symbols
            .enumerate()
            .filter(|(_, s)| matches!(s.kind, SymbolKind::Cell | SymbolKind::Output))
            .map(|(id, _)| id)
            .collect();
        for symbol in declared {
            let keep = self.signature.terms.intern(Term::Signal(symbol));
            self.cells.push(symbol);
            self.updates.insert(symbol, vec![keep]);
        }
        for value in reachable {
            if let Value::Update(name, term) = self.values.get(*value) {
                let (symbol, term) = (self.by_name[name], self.terms[term]);
                if let Some(options) = self.updates.get_mut(&symbol)
                    && !options.contains(&term)
                {
                    options.push(term);
                }
            }
        }
    }

    /// A hidden Boolean cell for each past operator; its value is that of the operator one step before.
    fn past_cells(&mut self, past: &Past) -> Vec<PastCell> {
        let (yes, no) = (
            self.signature.terms.intern(Term::Literal(Literal::Bool(true))),
            self.signature.terms.intern(Term::Literal(Literal::Bool(false))),
        );
        let mut cells = Vec::new();
        let taken: rustc_hash::FxHashSet<String> =
            self.signature.symbols.iter().map(|s| s.name.clone()).collect();
        let mut number = 0;
        for &value in &past.operators {
            number += 1;
            while taken.contains(&format!("past{number}")) {
                number += 1;
            }
            let symbol = self.signature.symbols.push(Symbol {
                name: format!("past{number}"),
                kind: SymbolKind::Cell,
                arguments: Vec::new(),
                sort: Sort::Bool,
                initial: Some(no),
                noisy: false,
                overflow: Overflow::Unavailable,
            });
            let signal = self.signature.terms.intern(Term::Signal(symbol));
            self.cells.push(symbol);
            self.updates.insert(symbol, vec![signal, yes, no]);
            cells.push(PastCell { value, symbol, signal });
        }
        cells
    }

    /// The cell and the term, if the value is an update.
    pub(super) fn update_of(&self, value: ValueId) -> Option<(SymbolId, TermId)> {
        match self.values.get(value) {
            Value::Update(name, term) => Some((self.by_name[name], self.terms[term])),
            _ => None,
        }
    }
    /// Where a value is written.
    pub(super) fn span_of(&self, value: ValueId) -> Span {
        self.values.span(value)
    }

    /// Whether an update leaves its range depends on values that no condition may ask for.
    pub(super) fn follow_what_may_be_unavailable(&mut self) -> Result<(), Limit> {
        for symbol in self.cells.clone() {
            if !finite::is_finite(&self.signature, symbol) {
                continue;
            }
            for term in self.updates[&symbol].clone() {
                let Some(program) = Program::new(&self.signature, term) else { continue };
                let leaves =
                    |value: Option<&Literal>| finite::store(&self.signature, symbol, value).is_none();
                if program.table(&self.signature)?.iter().any(|(_, value)| leaves(value.as_ref())) {
                    self.follow(&program.signals)?;
                }
            }
        }
        Ok(())
    }

    fn make_alphabet(&mut self) {
        for term in self.predicates.clone() {
            self.add_predicate(term);
        }
        self.followed.sort_unstable();
        for symbol in self.followed.clone() {
            let signal = self.signature.terms.intern(Term::Signal(symbol));
            let values = self.domains[&symbol].clone();
            // The last value is the one that none of the atoms says.
            for value in &values[..values.len() - 1] {
                let literal = self.signature.terms.intern(Term::Literal(value.clone()));
                let term = self.signature.terms.intern(Term::Operation(Operator::Equal, signal, literal));
                self.add_predicate(term);
            }
        }
        for symbol in self.cells.clone() {
            let name = self.signature.symbols[symbol].name.clone();
            let options = self.updates[&symbol].clone();
            let texts: Vec<String> =
                options.iter().map(|&t| format!("[{name} <- {}]", self.signature.display(t))).collect();
            let cell = self.alphabet.add_cell(name, texts);
            self.cell_ids.insert(symbol, cell);
            for term in options {
                self.signature.atoms.push(AtomMeaning::Update(symbol, term));
            }
        }
    }

    fn add_predicate(&mut self, term: TermId) {
        let atom = self.alphabet.add_input(self.signature.display(term));
        self.signature.atoms.push(AtomMeaning::Predicate(term));
        self.atoms.insert(term, atom);
    }

    /// The formula "cell is updated to the term".
    pub(super) fn update(&mut self, symbol: SymbolId, option: usize) -> FormulaId {
        let atom = self.alphabet.cells()[self.cell_ids[&symbol]].options[option];
        self.formulas.atom(atom)
    }

    /// The formula of a value in the place of a formula.
    pub(super) fn as_formula(&mut self, value: ValueId, lowered: &Lowered) -> Result<FormulaId, Limit> {
        if let Some(&formula) = lowered.get(&value) {
            return Ok(formula);
        }
        let term = self.terms[&value];
        self.condition(term)
    }

    pub(super) fn lower_values(
        &mut self,
        reachable: &[ValueId],
        past: &[PastCell],
    ) -> Result<Lowered, Limit> {
        let mut lowered = Lowered::default();
        let past: FxHashMap<ValueId, TermId> = past.iter().map(|cell| (cell.value, cell.signal)).collect();
        let mut operands = Vec::new();
        for &id in reachable {
            if self.terms.contains_key(&id) {
                continue;
            }
            let value = self.values.get(id);
            operands.clear();
            if !matches!(value, Value::Update(..)) {
                let mut ids = Vec::new();
                value.for_each_operand(|v| ids.push(v));
                for v in ids {
                    operands.push(self.as_formula(v, &lowered)?);
                }
            }
            let fs = &mut self.formulas;
            let formula = match value {
                Value::Update(name, term) => {
                    let (symbol, term) = (self.by_name[name], self.terms[term]);
                    let option = self.updates[&symbol].iter().position(|&t| t == term);
                    self.update(symbol, option.expect("all updates were collected"))
                }
                Value::Not(_) => fs.not(operands[0]),
                Value::And(_) => fs.and(operands.iter().copied()),
                Value::Or(_) => fs.or(operands.iter().copied()),
                Value::Implies(..) => fs.implies(operands[0], operands[1]),
                Value::Iff(..) => fs.iff(operands[0], operands[1]),
                Value::Next(_) => fs.next(operands[0]),
                Value::Finally(_) => fs.finally(operands[0]),
                Value::Globally(_) => fs.globally(operands[0]),
                Value::Until(..) => fs.until(operands[0], operands[1]),
                Value::Release(..) => fs.release(operands[0], operands[1]),
                Value::WeakUntil(..) => fs.weak_until(operands[0], operands[1]),
                Value::StrongRelease(..) => fs.strong_release(operands[0], operands[1]),
                Value::Yesterday(_) => fs.atom(self.atoms[&past[&id]]),
                Value::Since(..) => {
                    // a S b = b || (a && Y (a S b))
                    let before = fs.atom(self.atoms[&past[&id]]);
                    let kept = fs.and([operands[0], before]);
                    fs.or([operands[1], kept])
                }
                _ => continue,
            };
            lowered.insert(id, formula);
        }
        Ok(lowered)
    }

    /// The cell of a past operator takes the value of the operator in every step.
    fn past_facts(&mut self, cells: &[PastCell], lowered: &Lowered) -> Result<(), Limit> {
        for cell in cells {
            let now = match *self.values.get(cell.value) {
                Value::Yesterday(f) => self.as_formula(f, lowered)?,
                _ => lowered[&cell.value],
            };
            let (yes, no) = (self.update(cell.symbol, 1), self.update(cell.symbol, 2));
            let not_now = self.formulas.not(now);
            let (rise, fall) = (self.formulas.iff(yes, now), self.formulas.iff(no, not_now));
            let both = self.formulas.and([rise, fall]);
            self.interpret(Role::Restriction, both, true);
        }
        Ok(())
    }

    /// Adds what the language means: a fact or a restriction, in every step or in step 0.
    pub(super) fn interpret(&mut self, role: Role, formula: FormulaId, always: bool) {
        let formula = if always { self.formulas.globally(formula) } else { formula };
        if formula != self.formulas.top() {
            let constraint = Some(Constraint::Interpretation);
            self.clauses.push(Clause { role, formula, span: None, constraint });
        }
    }
}
