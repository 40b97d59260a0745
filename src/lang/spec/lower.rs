//! From expanded clauses to a [`Problem`]: one atom per predicate term, one cell per updated name, formulas, and the
//! clauses added by the semantics of TSL.
//!
//! A *condition* is a Boolean term in formula position. It becomes an input atom, or is computed: a constant, an
//! equivalence of Boolean terms, or a comparison of followed signals.

use super::arithmetic;
use super::facts;
use super::finite::{self, FiniteProgram};
use super::infer::Inferred;
use super::lowering::Lowering;
use super::past_ltl;
use super::problem::{Clause, Constraint, Language, Problem, Target, Wordings};
use super::signature::{AtomMeaning, LiteralValue, Operator, Signature, SymbolId, SymbolKind, Term, TermId};
use super::value::{Expanded, ExpandedId, ExpandedValues, NameId};
use tsl_synth_core::base::Limit;
use tsl_synth_core::logic::{AtomId, EncodedSignal, ValueCode};
use tsl_synth_core::model::Role;
use tsl_synth_core::source::Span;

/// A clause after expansion.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawClause {
    pub(super) role: Role,
    pub(super) always: bool,
    pub(super) after: u32,
    /// Whether its section has neither `always`, `initially` nor `after`.
    pub(super) is_bare: bool,
    /// Whether it is a part of the meaning of an operator, and not written.
    pub(super) is_meaning: bool,
    pub(super) formula: ExpandedId,
    pub(super) span: Span,
}

/// What is lowered.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawContract<'a> {
    /// The first values of cells.
    pub(super) initials: &'a [(NameId, ExpandedId)],
    pub(super) clauses: &'a [RawClause],
    /// The terms over declared numbers that are not computed.
    pub(super) open: &'a [ExpandedId],
}

/// Lowers clauses.
///
/// # Errors
/// When a finite sort is too large to be followed.
pub(super) fn lower(
    name: String,
    values: &ExpandedValues,
    inferred: Inferred,
    RawContract { initials, clauses, open }: RawContract<'_>,
    one_hot_values: usize,
) -> Result<Problem, Limit> {
    let signature = Signature { symbols: inferred.symbols, chosen: inferred.chosen, ..Signature::default() };
    let mut this = Lowering { one_hot_values, ..Lowering::new(values, &inferred.by_name, signature) };
    let roots: Vec<ExpandedId> = clauses.iter().map(|c| c.formula).collect();
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
    this.collect_conditions(&reachable, &roots)?;
    this.add_preconditions();
    this.make_alphabet();
    let lowered = this.lower_values(&reachable)?;
    for clause in clauses {
        let mut formula = this.as_formula(clause.formula, &lowered)?;
        if clause.always {
            formula = this.formulas.globally(formula);
        }
        formula = this.formulas.next_n(clause.after, formula);
        let (span, constraint) = if clause.is_meaning {
            (None, Some(Constraint::Interpretation))
        } else {
            (Some(clause.span), None)
        };
        this.clauses.push(Clause { role: clause.role, formula, span, constraint });
    }
    let registers = this.signature.registers.clone();
    for formula in past_ltl::definitions(&mut this.formulas, &registers) {
        this.interpret(Role::Fact, formula, false);
    }
    facts::add(&mut this)?;
    this.signature.open = open.iter().filter_map(|value| this.terms.get(value).copied()).collect();
    this.signature.uninterpreted_arithmetic = facts::uninterpreted_arithmetic(&this.signature, &|_| false);
    let mut problem = Problem {
        name,
        language: Language::Tsl,
        formulas: this.formulas,
        alphabet: this.alphabet,
        clauses: this.clauses,
        signature: this.signature,
        rewritten: false,
        restricted: None,
        invariants: Vec::new(),
        wordings: Wordings::default(),
        answers_first: false,
        finite: false,
        target: Target::Mealy,
    };
    problem.signature.cells = this.cells.iter().copied().collect();
    Ok(problem)
}

impl Lowering<'_> {
    fn collect_updates(&mut self, reachable: &[ExpandedId]) {
        let declared: Vec<SymbolId> = self
            .signature
            .symbols
            .enumerate()
            .filter(|(_, s)| matches!(s.kind, SymbolKind::Cell | SymbolKind::Output))
            .map(|(id, _)| id)
            .collect();
        for symbol in declared {
            self.cells.push(symbol);
            let options = if self.signature.chosen.contains(&symbol) {
                let mut literal =
                    |value| self.signature.terms.intern(Term::Literal(LiteralValue::Bool(value)));
                vec![literal(false), literal(true)]
            } else {
                vec![self.signature.terms.intern(Term::Signal(symbol))]
            };
            self.updates.insert(symbol, options);
        }
        for value in reachable {
            if let Expanded::Update(name, term) = self.values.get(*value) {
                let (symbol, term) = (self.by_name[name], self.terms[term]);
                if let Some(options) = self.updates.get_mut(&symbol)
                    && !options.contains(&term)
                {
                    options.push(term);
                }
            }
        }
    }

    /// Follows the signals that determine whether an update leaves its range, since no condition may mention them.
    pub(super) fn follow_what_may_be_unavailable(&mut self) -> Result<(), Limit> {
        for symbol in self.cells.clone() {
            if !finite::is_finite(&self.signature, symbol) {
                continue;
            }
            for term in self.updates[&symbol].clone() {
                let Some(program) = FiniteProgram::new(&self.signature, term) else { continue };
                if finite::may_be_unavailable(&self.signature, symbol, &program)? {
                    self.follow(&program.signals)?;
                }
            }
        }
        Ok(())
    }

    /// Adds what comparisons of numbers amount to before updates as conditions, so that the system can know in advance
    /// what an update leads to.
    fn add_preconditions(&mut self) {
        if !arithmetic::has_numbers(&self.signature) {
            return;
        }
        let more = arithmetic::preconditions(&mut self.signature, &self.predicates, &self.updates);
        self.predicates.extend(more);
    }

    fn make_alphabet(&mut self) {
        for term in self.predicates.clone() {
            self.add_predicate(term);
        }
        self.encode_followed();
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

    /// Adds the atoms that encode the values of followed signals. Binary digits of the same weight are neighbors, so
    /// that sums have small guards.
    fn encode_followed(&mut self) {
        self.followed.sort_unstable();
        let followed = self.followed.clone();
        let mut signals: Vec<(Vec<AtomId>, ValueCode)> = Vec::new();
        for &symbol in &followed {
            let values = self.domains[&symbol].clone();
            let (mut atoms, code) = (Vec::new(), finite::code(&values, self.one_hot_values));
            if code == ValueCode::OneHot {
                let signal = self.signature.terms.intern(Term::Signal(symbol));
                // The last value has no atom of its own: the signal has it when all these atoms are false.
                for value in &values[..values.len() - 1] {
                    let literal = self.signature.terms.intern(Term::Literal(value.clone()));
                    let term = Term::Operation(Operator::Equal, signal, literal);
                    let term = self.signature.terms.intern(term);
                    atoms.push(self.add_predicate(term));
                }
            }
            signals.push((atoms, code));
        }
        for digit in 0..usize::BITS {
            for (&symbol, (atoms, code)) in followed.iter().zip(&mut signals) {
                if *code == ValueCode::Binary
                    && let Some(term) = finite::digit(&mut self.signature, symbol, digit)
                {
                    atoms.push(self.add_predicate(term));
                }
            }
        }
        for (&symbol, (atoms, code)) in followed.iter().zip(signals) {
            let values = self.domains[&symbol].iter().map(LiteralValue::to_string).collect();
            let name = self.signature.symbols[symbol].name.clone();
            let signal = EncodedSignal { name, values, atoms, code };
            self.alphabet.add_encoded(signal.clone());
            self.encoded.insert(symbol, signal);
        }
        self.signature.encoded = followed;
    }

    fn add_predicate(&mut self, term: TermId) -> AtomId {
        let atom = self.alphabet.add_input(self.signature.display(term));
        self.signature.atoms.push(AtomMeaning::Predicate(term));
        self.atoms.insert(term, atom);
        atom
    }
}
