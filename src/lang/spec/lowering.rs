//! The state of lowering: terms, atoms, updates and formulas made so far.

use super::finite::{self, ONE_HOT_VALUES};
use super::past_ltl::PastAtoms;
use super::problem::{Clause, Constraint, Problem};
use super::signature::{AtomMeaning, LiteralValue, Signature, SymbolId, Term, TermId};
use super::value::{Expanded, ExpandedId, ExpandedValues, NameId};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{IdVec, Limit};
use tsl_synth_core::logic::{Alphabet, AtomId, CellId, EncodedSignal, FormulaId, Formulas};
use tsl_synth_core::model::Role;
use tsl_synth_core::source::Span;

/// The state shared by all passes of lowering.
#[derive(Debug)]
pub(super) struct Lowering<'a> {
    pub(super) values: &'a ExpandedValues,
    pub(super) by_name: &'a FxHashMap<NameId, SymbolId>,
    pub(super) signature: Signature,
    pub(super) formulas: Formulas,
    pub(super) alphabet: Alphabet,
    /// The term of each value that denotes a term.
    pub(super) terms: FxHashMap<ExpandedId, TermId>,
    /// The update terms of each cell, the self-update first; of an output that the system chooses, false and true.
    pub(super) updates: FxHashMap<SymbolId, Vec<TermId>>,
    /// Cells in the order of the alphabet.
    pub(super) cells: Vec<SymbolId>,
    pub(super) cell_ids: FxHashMap<SymbolId, CellId>,
    /// The input atom of each predicate term that has one, and their order.
    pub(super) atoms: FxHashMap<TermId, AtomId>,
    pub(super) predicates: Vec<TermId>,
    /// Signals whose values are followed, in order; `domains` has their values.
    pub(super) followed: Vec<SymbolId>,
    pub(super) domains: FxHashMap<SymbolId, Vec<LiteralValue>>,
    /// The largest number of values of a range that have an atom each.
    pub(super) one_hot_values: usize,
    /// The atoms that encode the values of followed signals.
    pub(super) encoded: FxHashMap<SymbolId, EncodedSignal>,
    pub(super) clauses: IdVec<super::ClauseId, Clause>,
}

/// The formulas of values.
pub(super) type Lowered = FxHashMap<ExpandedId, FormulaId>;

/// The term of a value whose operands are terms.
pub(super) fn term(
    values: &ExpandedValues,
    value: ExpandedId,
    names: &FxHashMap<NameId, SymbolId>,
    terms: &FxHashMap<ExpandedId, TermId>,
) -> Option<Term> {
    Some(match values.get(value) {
        Expanded::Name(name) => match names.get(name) {
            Some(&symbol) => Term::Signal(symbol),
            None => Term::Literal(LiteralValue::Variant(values.text(*name).to_string())),
        },
        Expanded::Bool(b) => Term::Literal(LiteralValue::Bool(*b)),
        Expanded::Int(i) => Term::Literal(LiteralValue::Int(*i)),
        Expanded::Real(r) => Term::Literal(LiteralValue::Real(r.to_string())),
        Expanded::Apply(name, arguments) => {
            Term::Apply(names[name], arguments.iter().map(|a| terms[a]).collect())
        }
        Expanded::Operation(operator, a, b) => Term::Operation(*operator, terms[a], terms[b]),
        _ => return None,
    })
}

impl<'a> Lowering<'a> {
    /// The initial state, with nothing lowered.
    pub(super) fn new(
        values: &'a ExpandedValues,
        by_name: &'a FxHashMap<NameId, SymbolId>,
        signature: Signature,
    ) -> Self {
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
            one_hot_values: ONE_HOT_VALUES,
            encoded: FxHashMap::default(),
            clauses: IdVec::new(),
        }
    }
    /// Reconstructs the final state of lowering of a problem, and moves its signature, formulas and alphabet into it
    /// until `give_back`.
    pub(super) fn of(
        problem: &mut Problem,
        values: &'a ExpandedValues,
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
        for (&symbol, signal) in this.signature.encoded.iter().zip(this.alphabet.encoded()) {
            if let Ok(Some(values)) = finite::domain(&this.signature, symbol) {
                this.domains.insert(symbol, values);
                this.encoded.insert(symbol, signal.clone());
            }
        }
        this
    }
    /// Returns the signature, the formulas and the alphabet to the problem.
    pub(super) fn give_back(self, problem: &mut Problem) {
        problem.signature = self.signature;
        problem.formulas = self.formulas;
        problem.alphabet = self.alphabet;
    }

    /// Interns the term of a value, whose operands were interned before.
    pub(super) fn term(&mut self, value: ExpandedId) {
        if let Some(term) = term(self.values, value, self.by_name, &self.terms) {
            let term = self.signature.terms.intern(term);
            self.terms.insert(value, term);
        }
    }

    /// The cell and the term, if the value is an update.
    pub(super) fn update_of(&self, value: ExpandedId) -> Option<(SymbolId, TermId)> {
        match self.values.get(value) {
            Expanded::Update(name, term) => Some((self.by_name[name], self.terms[term])),
            _ => None,
        }
    }
    /// Where a value is written.
    pub(super) fn span_of(&self, value: ExpandedId) -> Span {
        self.values.span(value)
    }

    /// The formula "cell is updated to the term".
    pub(super) fn update(&mut self, symbol: SymbolId, option: usize) -> FormulaId {
        let atom = self.alphabet.cells()[self.cell_ids[&symbol]].options[option];
        self.formulas.atom(atom)
    }

    /// The formula of a value in formula position.
    pub(super) fn as_formula(&mut self, value: ExpandedId, lowered: &Lowered) -> Result<FormulaId, Limit> {
        if let Some(&formula) = lowered.get(&value) {
            return Ok(formula);
        }
        let term = self.terms[&value];
        self.condition(term)
    }

    /// The formulas of values. Past operators become registers, whose atoms are the last ones.
    ///
    /// # Errors
    /// A finite sort is too large to be followed, or past operators need too many registers.
    pub(super) fn lower_values(&mut self, reachable: &[ExpandedId]) -> Result<Lowered, Limit> {
        let mut alphabet = self.alphabet.clone();
        let mut past = PastAtoms::new(&mut alphabet);
        let lowered = self.lower_with(reachable, &mut past);
        let registers = past.registers;
        if !registers.is_empty() {
            self.alphabet = alphabet;
            for _ in &registers {
                self.signature.atoms.push(AtomMeaning::Proposition);
            }
            self.signature.registers = registers;
        }
        lowered
    }

    fn lower_with(&mut self, reachable: &[ExpandedId], past: &mut PastAtoms<'_>) -> Result<Lowered, Limit> {
        let mut lowered = Lowered::default();
        let mut operands = Vec::new();
        for &id in reachable {
            if self.terms.contains_key(&id) {
                continue;
            }
            let value = self.values.get(id);
            operands.clear();
            if !matches!(value, Expanded::Update(..)) {
                let mut ids = Vec::new();
                value.for_each_operand(|v| ids.push(v));
                for v in ids {
                    operands.push(self.as_formula(v, &lowered)?);
                }
            }
            let fs = &mut self.formulas;
            let formula = match value {
                Expanded::Update(name, term) => {
                    let (symbol, term) = (self.by_name[name], self.terms[term]);
                    let option = self.updates[&symbol].iter().position(|&t| t == term);
                    self.update(symbol, option.expect("all updates were collected"))
                }
                Expanded::Not(_) => fs.not(operands[0]),
                Expanded::And(_) => fs.and(operands.iter().copied()),
                Expanded::Or(_) => fs.or(operands.iter().copied()),
                Expanded::Implies(..) => fs.implies(operands[0], operands[1]),
                Expanded::Iff(..) => fs.iff(operands[0], operands[1]),
                Expanded::Next(_) => fs.next(operands[0]),
                Expanded::Finally(_) => fs.finally(operands[0]),
                Expanded::Globally(_) => fs.globally(operands[0]),
                Expanded::Until(..) => fs.until(operands[0], operands[1]),
                Expanded::Release(..) => fs.release(operands[0], operands[1]),
                Expanded::WeakUntil(..) => fs.weak_until(operands[0], operands[1]),
                Expanded::StrongRelease(..) => fs.strong_release(operands[0], operands[1]),
                Expanded::Yesterday(_) => past.yesterday(fs, operands[0], None)?,
                Expanded::Since(..) => past.since(fs, (operands[0], operands[1]), None)?,
                Expanded::Tick(period) => past.tick(fs, *period)?,
                _ => continue,
            };
            lowered.insert(id, formula);
        }
        Ok(lowered)
    }

    /// Adds a clause of the semantics of TSL, a fact or a restriction, for every step or for step 0 only.
    pub(super) fn interpret(&mut self, role: Role, formula: FormulaId, always: bool) {
        let formula = if always { self.formulas.globally(formula) } else { formula };
        if formula != self.formulas.top() {
            let constraint = Some(Constraint::Interpretation);
            self.clauses.push(Clause { role, formula, span: None, constraint });
        }
    }
}
