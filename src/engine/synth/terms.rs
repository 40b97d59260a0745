//! The terms of a problem as plain data for the certifier.

use super::options::FactCheck;
use super::tuning::FACT_WORK;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id, IdVec};
use tsl_synth_core::logic::{AtomId, Inequality, Sum, ValueCode};
use tsl_synth_core::model::{Role, StateId};
use tsl_synth_kernel::{
    CertifyError, Constant, DataAtom, DataId, DataTerm, NumberKind, NumberState, Signal, SignalId,
    ValueOperation, Vocabulary, certify_fact,
};
use tsl_synth_lang::spec::{
    AtomMeaning, Clause, Constraint, LiteralValue, NumberPlan, Operator, Overflow, Problem, Sort, SymbolId,
    SymbolKind, Term, TermId, number_set, refutation,
};

/// The number of facts found by refinement that the certifier derives independently, and of those that it does not.
pub(super) fn derived_again(problem: &Problem, facts: &[Clause], budget: &Budget) -> FactCheck {
    let mut check = FactCheck::default();
    if facts.is_empty() && arithmetic(problem).is_empty() {
        return check;
    }
    let vocabulary = vocabulary(problem);
    for fact in facts {
        match check_fact(problem, &vocabulary, fact, budget) {
            Ok(()) if fact.constraint == Some(Constraint::Arithmetic) => check.numbers += 1,
            Ok(()) => check.derived += 1,
            Err(_) => check.open += 1,
        }
    }
    check.numbers += arithmetic(problem).len();
    check
}

/// The facts about numbers that the problem has from the start.
fn arithmetic(problem: &Problem) -> Vec<&Clause> {
    let is_fact =
        |clause: &&Clause| clause.role == Role::Fact && clause.constraint == Some(Constraint::Arithmetic);
    problem.clauses.iter().filter(is_fact).collect()
}

/// Certifies the facts about numbers: those of the problem, and those found by refinement.
///
/// # Errors
/// [`CertifyError::Wrong`] or [`CertifyError::Limit`] for a fact whose proof is not found or wrong.
pub(super) fn certify_arithmetic(
    problem: &Problem,
    facts: &[Clause],
    budget: &Budget,
) -> Result<(), CertifyError> {
    let found = facts.iter().filter(|fact| fact.constraint == Some(Constraint::Arithmetic));
    let all: Vec<&Clause> = arithmetic(problem).into_iter().chain(found).collect();
    if all.is_empty() {
        return Ok(());
    }
    let vocabulary = vocabulary(problem);
    all.into_iter().try_for_each(|fact| check_fact(problem, &vocabulary, fact, budget))
}

/// Certifies a fact with proofs about numbers by our own decision procedure.
fn check_fact(
    problem: &Problem,
    vocabulary: &Vocabulary,
    fact: &Clause,
    budget: &Budget,
) -> Result<(), CertifyError> {
    let work = budget.child(FACT_WORK);
    certify_fact(&problem.formulas, vocabulary, fact.formula, &mut |system| refutation(system), &work)
}

/// Free comparisons and invariants with the signals of the certifier's vocabulary.
pub(super) fn number_states(
    problem: &Problem,
    free: &IdVec<StateId, Vec<AtomId>>,
    plan: &NumberPlan,
) -> IdVec<StateId, NumberState> {
    let signals = signal_numbers(problem);
    let renamed = |part: &Inequality| {
        let image = |symbol: u32| {
            let signal = signals.get(&SymbolId::from_index(symbol as usize))?;
            Some(Sum::variable(signal.index() as u32))
        };
        part.substituted(image)
    };
    let mut states: IdVec<StateId, NumberState> = IdVec::new();
    for ((free, below), parts) in free.iter().zip(&plan.below).zip(&plan.invariants) {
        // A part that has no image is missing, and the certifier then refuses the claim.
        let invariant = parts.iter().filter_map(renamed).collect();
        states.push(NumberState { free: free.clone(), below: below.clone(), invariant });
    }
    states
}

/// The signal of each symbol that is one, numbered in the order of symbols.
fn signal_numbers(problem: &Problem) -> FxHashMap<SymbolId, SignalId> {
    let symbols = problem.signature.symbols.enumerate().filter(|(_, info)| info.kind.is_signal());
    symbols.enumerate().map(|(i, (symbol, _))| (symbol, SignalId::from_index(i))).collect()
}

/// The terms of a problem; symbols that are not signals are numbered as in its signature.
pub fn vocabulary(problem: &Problem) -> Vocabulary {
    let signature = &problem.signature;
    let mut signals: IdVec<SignalId, Signal> = IdVec::new();
    let signal_of = signal_numbers(problem);
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
        let number = number_set(signature, symbol).map(|set| NumberKind {
            integer: set.integer,
            low: set.low,
            high: set.high,
        });
        signals.push(Signal { is_cell, initial, values, digits, adjusted, number });
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
        Operator::Add => ValueOperation::Plus,
        Operator::Sub => ValueOperation::Minus,
        Operator::Mul => ValueOperation::Times,
        Operator::Div => ValueOperation::Divide,
        Operator::Mod => ValueOperation::Other(0),
    }
}
