//! Clauses added by the semantics of TSL: the value of a Boolean cell is its last update, the value of a followed cell
//! is computed from its updates, comparisons of one term with literals are consistent. A fact holds in every consistent
//! environment; a restriction makes an update unavailable that has no value.

use super::arithmetic::{self, Numbers};
use super::binary::BinaryNumber;
use super::finite::{self, FiniteProgram, Row};
use super::lowering::Lowering;
use super::numbers;
use super::problem::{Clause, Constraint};
use super::signature::{
    AtomMeaning, LiteralValue, Operator, Signature, Sort, SymbolId, SymbolKind, Term, TermId,
};
use tsl_synth_core::base::{Limit, LimitKind};
use tsl_synth_core::logic::{AtomId, EncodedSignal, FormulaId, ValueCode};
use tsl_synth_core::model::Role;

/// The largest number of comparisons of one term with literals.
const COMPARISONS: usize = 128;

/// Adds all facts and restrictions.
pub(super) fn add(lowering: &mut Lowering<'_>) -> Result<(), Limit> {
    for symbol in lowering.cells.clone() {
        boolean_cell(lowering, symbol)?;
    }
    for symbol in lowering.followed.clone() {
        one_value(lowering, symbol);
        followed_cell(lowering, symbol)?;
    }
    for symbol in lowering.cells.clone() {
        unavailable_updates(lowering, symbol)?;
    }
    comparisons(lowering)?;
    numbers_exclude(lowering);
    Ok(())
}

/// Comparisons of numbers that exclude each other, in one step or before and after updates.
fn numbers_exclude(lowering: &mut Lowering<'_>) {
    if !arithmetic::has_numbers(&lowering.signature) {
        return;
    }
    for forbidden in arithmetic::facts(&Numbers::new(&lowering.signature)) {
        let formula = forbidden.formula(&mut lowering.formulas);
        if formula != lowering.formulas.top() {
            let constraint = Some(Constraint::Arithmetic);
            lowering.clauses.push(Clause { role: Role::Fact, formula, span: None, constraint });
        }
    }
}

/// `[x <- t]` implies that x in the next step is t in this step.
fn boolean_cell(lowering: &mut Lowering<'_>, symbol: SymbolId) -> Result<(), Limit> {
    let signal = lowering.signature.terms.intern(Term::Signal(symbol));
    if lowering.signature.symbols[symbol].sort != Sort::Bool || !lowering.atoms.contains_key(&signal) {
        return Ok(());
    }
    let value = lowering.condition(signal)?;
    if let Some(initial) = lowering.signature.symbols[symbol].initial {
        let initial = lowering.condition(initial)?;
        let same = lowering.formulas.iff(value, initial);
        lowering.interpret(Role::Fact, same, false);
    }
    let next = lowering.formulas.next(value);
    for (option, term) in lowering.updates[&symbol].clone().into_iter().enumerate() {
        let now = lowering.condition(term)?;
        let update = lowering.update(symbol, option);
        let same = lowering.formulas.iff(next, now);
        let fact = lowering.formulas.implies(update, same);
        lowering.interpret(Role::Fact, fact, true);
    }
    Ok(())
}

/// The atoms that encode the value of a signal encode one: at most one of them is true, or they are the digits of the
/// index of a value.
fn one_value(lowering: &mut Lowering<'_>, symbol: SymbolId) {
    let signal = lowering.encoded[&symbol].clone();
    let count = signal.values.len();
    let fact = match signal.code {
        ValueCode::OneHot => {
            let mut pairs = Vec::new();
            for i in 0..count - 1 {
                for j in i + 1..count - 1 {
                    let (a, b) = (lowering.value_is(symbol, i), lowering.value_is(symbol, j));
                    let both = lowering.formulas.and([a, b]);
                    pairs.push(lowering.formulas.not(both));
                }
            }
            lowering.formulas.and(pairs)
        }
        ValueCode::Binary => {
            // From the least significant digit: the digits so far are at most those of the last index.
            let mut fact = lowering.formulas.top();
            for (atom, is_set) in signal.literals(count - 1) {
                let atom = lowering.formulas.atom(atom);
                let unset = lowering.formulas.not(atom);
                fact = if is_set {
                    lowering.formulas.or([unset, fact])
                } else {
                    lowering.formulas.and([unset, fact])
                };
            }
            fact
        }
    };
    lowering.interpret(Role::Fact, fact, true);
}

/// The value of a cell follows from its updates and its initial value.
fn followed_cell(lowering: &mut Lowering<'_>, symbol: SymbolId) -> Result<(), Limit> {
    let signal = lowering.encoded[&symbol].clone();
    if let Some(initial) = lowering.signature.symbols[symbol].initial
        && let Term::Literal(literal) = lowering.signature.terms.get(initial).clone()
        && let Some(index) = lowering.domains[&symbol].iter().position(|v| *v == literal)
    {
        let fact = lowering.formulas.has_code(&signal, index);
        lowering.interpret(Role::Fact, fact, false);
    }
    for (option, term) in lowering.updates.get(&symbol).cloned().unwrap_or_default().into_iter().enumerate() {
        let Some(program) = FiniteProgram::new(&lowering.signature, term) else { continue };
        let update = lowering.update(symbol, option);
        if let Some(index) = lowering.stored_index(symbol, &program) {
            stored_digits(lowering, &signal, update, &index);
            continue;
        }
        let table = stored_table(lowering, symbol, &program)?;
        let mut parts = Vec::new();
        for (digit, &atom) in signal.atoms.iter().enumerate() {
            let values = lowering.domains[&symbol].clone();
            let now = lowering.rows(&program, &table, |value| {
                let index = value.and_then(|value| values.iter().position(|known| known == value));
                index.is_some_and(|index| match signal.code {
                    ValueCode::OneHot => index == digit,
                    ValueCode::Binary => index >> digit & 1 == 1,
                })
            });
            let is = lowering.formulas.atom(atom);
            let next = lowering.formulas.next(is);
            parts.push(lowering.formulas.iff(next, now));
        }
        let becomes = lowering.formulas.and(parts);
        let fact = lowering.formulas.implies(update, becomes);
        lowering.interpret(Role::Fact, fact, true);
    }
    Ok(())
}

/// After an update that stores a value, the atoms of the cell encode its index: a fact for each atom.
fn stored_digits(lowering: &mut Lowering<'_>, cell: &EncodedSignal, update: FormulaId, index: &BinaryNumber) {
    let stores = lowering.formulas.and([update, index.exists]);
    for (i, &atom) in cell.atoms.iter().enumerate() {
        let next = lowering.formulas.atom(atom);
        let next = lowering.formulas.next(next);
        let now = match cell.code {
            ValueCode::OneHot => index.is(&mut lowering.formulas, i),
            ValueCode::Binary => index.digit(i),
        };
        let same = lowering.formulas.iff(next, now);
        let fact = lowering.formulas.implies(stores, same);
        lowering.interpret(Role::Fact, fact, true);
    }
}

/// All combinations of values of the signals of an update, with the value that it stores.
fn stored_table(
    lowering: &Lowering<'_>,
    symbol: SymbolId,
    program: &FiniteProgram,
) -> Result<Vec<Row>, Limit> {
    let mut table = program.table(&lowering.signature)?;
    for row in &mut table {
        row.1 = finite::store(&lowering.signature, symbol, row.1.as_ref());
    }
    Ok(table)
}

/// An update that would leave the range, or has no value, is not available.
fn unavailable_updates(lowering: &mut Lowering<'_>, symbol: SymbolId) -> Result<(), Limit> {
    if !finite::is_finite(&lowering.signature, symbol) {
        return Ok(());
    }
    for (option, term) in lowering.updates[&symbol].clone().into_iter().enumerate() {
        if *lowering.signature.terms.get(term) == Term::Signal(symbol) {
            continue;
        }
        let Some(program) = FiniteProgram::new(&lowering.signature, term) else { continue };
        if !finite::may_be_unavailable(&lowering.signature, symbol, &program)? {
            continue;
        }
        let outside = if let Some(index) = lowering.stored_index(symbol, &program) {
            lowering.formulas.not(index.exists)
        } else {
            let table = stored_table(lowering, symbol, &program)?;
            lowering.rows(&program, &table, |value| value.is_none())
        };
        let update = lowering.update(symbol, option);
        let both = lowering.formulas.and([update, outside]);
        let fact = lowering.formulas.not(both);
        lowering.interpret(Role::Restriction, fact, true);
    }
    Ok(())
}

/// Comparisons of one term with literals are consistent with each other.
fn comparisons(lowering: &mut Lowering<'_>) -> Result<(), Limit> {
    let mut groups: Vec<(TermId, Vec<(AtomId, numbers::NumberComparison)>)> = Vec::new();
    let mut variants: Vec<(TermId, Vec<(AtomId, String)>)> = Vec::new();
    for &predicate in &lowering.predicates {
        let atom = lowering.atoms[&predicate];
        let Term::Operation(operator, a, b) = *lowering.signature.terms.get(predicate) else { continue };
        if arithmetic::comparison_of(&lowering.signature, predicate).is_some() {
            continue;
        }
        let literal = |term| match lowering.signature.terms.get(term) {
            Term::Literal(literal) => Some(literal.clone()),
            _ => None,
        };
        let (term, comparison) = match (operator, literal(a), literal(b)) {
            (Operator::Equal, None, Some(LiteralValue::Variant(name))) => {
                group(&mut variants, a, (atom, name));
                continue;
            }
            (Operator::Equal, None, Some(literal)) => (a, numbers::NumberComparison::equal(&literal)),
            (Operator::Greater, None, Some(literal)) => (a, numbers::NumberComparison::above(&literal)),
            (Operator::Greater, Some(literal), None) => (b, numbers::NumberComparison::below(&literal)),
            _ => continue,
        };
        if let Some(comparison) = comparison {
            group(&mut groups, term, (atom, comparison));
        }
    }
    for (term, group) in groups {
        if group.len() > COMPARISONS {
            let term = lowering.signature.display(term);
            let what =
                format!("`{term}` has {} comparisons with literals, more than {COMPARISONS}", group.len());
            return Err(Limit::new(LimitKind::Size, what));
        }
        let comparisons: Vec<numbers::NumberComparison> = group.iter().map(|(_, c)| c.clone()).collect();
        for clause in numbers::clauses(&comparisons) {
            let mut literals = Vec::new();
            for (i, value) in clause {
                let atom = lowering.formulas.atom(group[i].0);
                literals.push(if value { atom } else { lowering.formulas.not(atom) });
            }
            let fact = lowering.formulas.or(literals);
            lowering.interpret(Role::Fact, fact, true);
        }
    }
    for (_, group) in variants {
        for (i, (a, _)) in group.iter().enumerate() {
            for (b, _) in &group[i + 1..] {
                let (a, b) = (lowering.formulas.atom(*a), lowering.formulas.atom(*b));
                let both = lowering.formulas.and([a, b]);
                let fact = lowering.formulas.not(both);
                lowering.interpret(Role::Fact, fact, true);
            }
        }
    }
    Ok(())
}

fn group<T>(groups: &mut Vec<(TermId, Vec<T>)>, term: TermId, item: T) {
    match groups.iter_mut().find(|(t, _)| *t == term) {
        Some((_, items)) => items.push(item),
        None => groups.push((term, vec![item])),
    }
}

/// Whether some arithmetic or comparison is uninterpreted: its value is chosen by the environment instead of computed.
/// Atoms for which `besides` holds are ignored.
pub(super) fn uninterpreted_arithmetic(signature: &Signature, besides: &dyn Fn(AtomId) -> bool) -> bool {
    signature.atoms.enumerate().any(|(atom, meaning)| match *meaning {
        AtomMeaning::Predicate(term) => {
            !besides(atom)
                && signature.has_operation(term)
                && FiniteProgram::new(signature, term).is_none()
                && arithmetic::comparison_of(signature, term).is_none()
        }
        AtomMeaning::Update(symbol, term) => {
            let followed =
                finite::is_finite(signature, symbol) || signature.symbols[symbol].sort == Sort::Bool;
            let is_number = arithmetic::number_set(signature, symbol).is_some()
                && arithmetic::sum_of(signature, term).is_some();
            signature.has_operation(term)
                && !is_number
                && !(followed && FiniteProgram::new(signature, term).is_some())
                && signature.symbols[symbol].kind != SymbolKind::Output
        }
        AtomMeaning::Proposition => false,
    })
}
