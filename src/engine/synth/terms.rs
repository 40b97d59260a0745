//! The terms of a problem as plain data for the certifier.

use super::options::FactCheck;
use super::tuning::FACT_WORK;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id, IdVec};
use tsl_synth_core::logic::{AtomId, ValueCode};
use tsl_synth_kernel::{
    Constant, DataAtom, DataId, DataTerm, Signal, SignalId, ValueOperation, Vocabulary, certify_fact,
};
use tsl_synth_lang::spec::{
    AtomMeaning, Clause, LiteralValue, Operator, Overflow, Problem, Sort, SymbolId, SymbolKind, Term, TermId,
};

/// The number of facts found by refinement that the certifier derives independently, and of those that it does not.
pub(super) fn derived_again(problem: &Problem, facts: &[Clause], budget: &Budget) -> FactCheck {
    let mut check = FactCheck::default();
    if facts.is_empty() {
        return check;
    }
    let vocabulary = vocabulary(problem);
    for fact in facts {
        let work = budget.child(FACT_WORK);
        match certify_fact(&problem.formulas, &vocabulary, fact.formula, &work) {
            Ok(()) => check.derived += 1,
            Err(_) => check.open += 1,
        }
    }
    check
}

/// The terms of a problem; symbols that are not signals are numbered as in its signature.
pub fn vocabulary(problem: &Problem) -> Vocabulary {
    let signature = &problem.signature;
    let mut signals: IdVec<SignalId, Signal> = IdVec::new();
    let mut signal_of: FxHashMap<SymbolId, SignalId> = FxHashMap::default();
    for (symbol, info) in signature.symbols.enumerate() {
        let is_cell = match info.kind {
            SymbolKind::Input => false,
            SymbolKind::Cell | SymbolKind::Output => true,
            SymbolKind::Function | SymbolKind::Constant | SymbolKind::Predicate => continue,
        };
        let encoded = problem.encoded(symbol);
        let value = |text: &String| match info.sort {
            Sort::Range(..) => Constant::Number(text.clone()),
            _ => Constant::Variant(text.clone()),
        };
        let values = encoded.map_or(Vec::new(), |signal| signal.values.iter().map(value).collect());
        let digits = encoded.filter(|signal| signal.code == ValueCode::Binary);
        let digits = digits.map_or(Vec::new(), |signal| signal.atoms.clone());
        let initial = info.initial.map(data);
        let adjusted = info.overflow != Overflow::Unavailable;
        signal_of.insert(symbol, signals.push(Signal { is_cell, initial, values, digits, adjusted }));
    }
    let terms = (0..signature.terms.len()).map(|i| match signature.terms.get(TermId::from_index(i)) {
        Term::Signal(symbol) => match signal_of.get(symbol) {
            Some(&signal) => DataTerm::Signal(signal),
            None => DataTerm::Apply(number(*symbol), Box::default()),
        },
        Term::Literal(literal) => DataTerm::Constant(constant(literal)),
        Term::Apply(symbol, _) if signature.symbols[*symbol].noisy => DataTerm::Noisy,
        Term::Apply(symbol, arguments) => {
            DataTerm::Apply(number(*symbol), arguments.iter().copied().map(data).collect())
        }
        Term::Operation(operator, a, b) => DataTerm::Operation(operation(*operator), data(*a), data(*b)),
    });
    let terms: IdVec<DataId, DataTerm> = terms.collect();
    let saying = |atom: AtomId| match signature.atoms.get(atom) {
        Some(AtomMeaning::Predicate(term)) => DataAtom::Holds(data(*term)),
        Some(AtomMeaning::Update(symbol, term)) => match signal_of.get(symbol) {
            Some(&signal) => DataAtom::Update(signal, data(*term)),
            None => DataAtom::Plain,
        },
        Some(AtomMeaning::Proposition) | None => DataAtom::Plain,
    };
    let atoms = problem.alphabet.atoms().ids().map(saying).collect();
    Vocabulary { signals, terms, atoms }
}

fn data(term: TermId) -> DataId {
    DataId::from_index(term.index())
}

fn number(symbol: SymbolId) -> u32 {
    symbol.index() as u32
}

fn constant(literal: &LiteralValue) -> Constant {
    match literal {
        LiteralValue::Bool(truth) => Constant::Truth(*truth),
        LiteralValue::Int(n) => Constant::Number(n.to_string()),
        LiteralValue::Real(text) => Constant::Number(text.clone()),
        LiteralValue::Variant(name) => Constant::Variant(name.clone()),
    }
}

fn operation(operator: Operator) -> ValueOperation {
    match operator {
        Operator::Equal => ValueOperation::Equal,
        Operator::Greater => ValueOperation::Greater,
        Operator::Add => ValueOperation::Arithmetic(0),
        Operator::Sub => ValueOperation::Arithmetic(1),
        Operator::Mul => ValueOperation::Arithmetic(2),
        Operator::Div => ValueOperation::Arithmetic(3),
        Operator::Mod => ValueOperation::Arithmetic(4),
    }
}
