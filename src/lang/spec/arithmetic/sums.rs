//! Terms over declared numbers as linear sums. The variables of a sum are the numbers of symbols.

use crate::spec::signature::{
    AtomMeaning, LiteralValue, Operator, Signature, Sort, SymbolId, SymbolKind, Term, TermId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::{Id, Rational};
use tsl_synth_core::logic::{AtomId, Sum};

/// The numbers that a signal can have as values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberSet {
    /// Whether all of them are integers.
    pub integer: bool,
    /// The least one, if there is one.
    pub low: Option<Rational>,
    /// The greatest one, if there is one.
    pub high: Option<Rational>,
}

/// The numbers that a signal can have as values, if arithmetic on it is computed: a signal of sort `Int` or `Real`, or
/// an input with a range. (A cell with a range has a value only as long as its updates stay in the range.)
pub fn number_set(signature: &Signature, symbol: SymbolId) -> Option<NumberSet> {
    let info = &signature.symbols[symbol];
    if !info.kind.is_signal() {
        return None;
    }
    let bound = |bound: i64| Rational::integer(bound.into());
    match info.sort {
        Sort::Int => Some(NumberSet { integer: true, low: None, high: None }),
        Sort::Real => Some(NumberSet { integer: false, low: None, high: None }),
        Sort::Range(low, high) if info.kind == SymbolKind::Input => {
            Some(NumberSet { integer: true, low: Some(bound(low)?), high: Some(bound(high)?) })
        }
        _ => None,
    }
}

/// The variable of a signal.
pub(super) fn variable(symbol: SymbolId) -> u32 {
    symbol.index() as u32
}

/// Whether some sort of the specification is `Int` or `Real`.
pub fn has_numbers(signature: &Signature) -> bool {
    signature.symbols.iter().any(|symbol| matches!(symbol.sort, Sort::Int | Sort::Real))
}

/// The subterms of a term, operands first.
pub(super) fn subterms(signature: &Signature, term: TermId) -> Vec<TermId> {
    let mut seen = FxHashSet::from_iter([term]);
    let mut todo = vec![term];
    while let Some(id) = todo.pop() {
        match signature.terms.get(id) {
            Term::Operation(_, a, b) => todo.extend([*a, *b].into_iter().filter(|t| seen.insert(*t))),
            Term::Apply(_, arguments) => todo.extend(arguments.iter().copied().filter(|t| seen.insert(*t))),
            Term::Signal(_) | Term::Literal(_) => {}
        }
    }
    let mut all: Vec<TermId> = seen.into_iter().collect();
    all.sort_unstable();
    all
}

/// The linear sum that a term over numbers denotes; `None` for other terms.
pub fn sum_of(signature: &Signature, term: TermId) -> Option<Sum> {
    let signal = |symbol| number_set(signature, symbol).map(|_| variable(symbol));
    sum_over(signature, term, &signal, &|variable| is_integer(signature, variable))
}

/// The linear sum that a term denotes over the variables of its signals; `None` if it is not linear or a signal has no
/// variable. A truth value counts as 0 or 1, a value of an enumeration as its index.
pub(super) fn sum_over(
    signature: &Signature,
    term: TermId,
    signal: &dyn Fn(SymbolId) -> Option<u32>,
    is_integer: &dyn Fn(u32) -> bool,
) -> Option<Sum> {
    let mut sums: FxHashMap<TermId, Sum> = FxHashMap::default();
    for id in subterms(signature, term) {
        let sum = match signature.terms.get(id) {
            Term::Signal(symbol) => Sum::variable(signal(*symbol)?),
            Term::Literal(literal) => Sum::constant(number(signature, literal)?),
            Term::Operation(operator, a, b) => computed(*operator, &sums[a], &sums[b], is_integer)?,
            Term::Apply(..) => return None,
        };
        sums.insert(id, sum);
    }
    sums.remove(&term)
}

/// The number that stands for a literal; `None` for a value of enumerations that has different indices in them.
fn number(signature: &Signature, literal: &LiteralValue) -> Option<Rational> {
    match literal {
        LiteralValue::Bool(value) => Rational::integer(i128::from(*value)),
        LiteralValue::Int(value) => Rational::integer((*value).into()),
        LiteralValue::Real(text) => Rational::parse(text),
        LiteralValue::Variant(name) => {
            let index = |sort: &Sort| match sort {
                Sort::Enum(names) => names.iter().position(|own| own == name),
                _ => None,
            };
            let mut all = signature.symbols.iter().filter_map(|symbol| index(&symbol.sort));
            let first = all.next()?;
            all.all(|other| other == first).then(|| Rational::integer(first as i128))?
        }
    }
}

fn computed(operator: Operator, a: &Sum, b: &Sum, is_integer: &dyn Fn(u32) -> bool) -> Option<Sum> {
    match operator {
        Operator::Add => a.plus(Rational::ONE, b),
        Operator::Sub => a.plus(Rational::ONE.negated(), b),
        Operator::Mul => match (a.value(), b.value()) {
            (Some(factor), _) => b.times(factor),
            (_, Some(factor)) => a.times(factor),
            _ => None,
        },
        // The quotient of integers is rounded.
        Operator::Div => {
            let divisor = b.value().filter(|_| a.value().is_none())?;
            let real = |(v, _)| !is_integer(v);
            if a.terms().all(real) { a.times(Rational::ONE.over(divisor)?) } else { None }
        }
        Operator::Mod | Operator::Equal | Operator::Greater => None,
    }
}

/// Whether a variable of a sum is an integer.
pub(super) fn is_integer(signature: &Signature, variable: u32) -> bool {
    let symbol = SymbolId::from_index(variable as usize);
    number_set(signature, symbol).is_some_and(|set| set.integer)
}

/// `sum > 0`, or `sum = 0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberComparison {
    /// The left side minus the right side.
    pub sum: Sum,
    /// Whether the sides are compared for equality.
    pub equal: bool,
}

/// The comparison of linear sums over numbers that a term denotes; `None` for other terms.
pub fn comparison_of(signature: &Signature, term: TermId) -> Option<NumberComparison> {
    let Term::Operation(operator @ (Operator::Equal | Operator::Greater), a, b) = *signature.terms.get(term)
    else {
        return None;
    };
    let sum = sum_of(signature, a)?.plus(Rational::ONE.negated(), &sum_of(signature, b)?)?;
    // Comparisons of signals of ranges only are computed.
    let mut signals = signature.signals_of(term).into_iter();
    let is_declared = signals.any(|symbol| matches!(signature.symbols[symbol].sort, Sort::Int | Sort::Real));
    is_declared.then_some(NumberComparison { sum, equal: operator == Operator::Equal })
}

/// The atoms that compare linear sums over numbers.
pub fn compared_numbers(signature: &Signature) -> Vec<AtomId> {
    let is_comparison = |meaning: &AtomMeaning| match *meaning {
        AtomMeaning::Predicate(term) => comparison_of(signature, term).is_some(),
        AtomMeaning::Update(..) | AtomMeaning::Proposition => false,
    };
    signature.atoms.enumerate().filter(|(_, meaning)| is_comparison(meaning)).map(|(atom, _)| atom).collect()
}
