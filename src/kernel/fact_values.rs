//! Values in a play as terms over arbitrary values, and when truth values of predicates on them contradict each other.

use super::linear::{Prover, is_refuted};
use super::vocabulary::{
    Constant, DataAtom, DataId, DataTerm, NumberKind, Signal, SignalId, ValueOperation, Vocabulary,
};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use tsl_synth_core::base::{Id, IdVec, Rational};
use tsl_synth_core::define_id;
use tsl_synth_core::logic::{AtomId, Inequality, LinearSystem, Sum};

define_id! {
    /// A value in a play, built from other values.
    pub(super) struct FactValueId;
}

/// A value in a play.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum FactValue {
    /// An arbitrary value.
    Any(u32),
    Constant(Constant),
    Apply(u32, Box<[FactValueId]>),
    Operation(ValueOperation, FactValueId, FactValueId),
    /// The exact quotient of a real number by a number. Whether the dividend is real depends on the term, since its value
    /// may be a literal such as 8.
    Quotient(FactValueId, FactValueId),
    /// A result of arithmetic after a cell has brought it into its range.
    Adjusted(SignalId, FactValueId),
}

/// The values of a play under construction.
pub(super) struct FactValues<'a> {
    vocabulary: &'a Vocabulary,
    values: IdVec<FactValueId, FactValue>,
    index: FxHashMap<FactValue, FactValueId>,
    fresh: u32,
    /// The arbitrary values that are numbers.
    numbers: BTreeMap<FactValueId, NumberKind>,
    /// The terms that are real numbers.
    reals: IdVec<DataId, bool>,
}

impl<'a> FactValues<'a> {
    /// No values yet.
    pub(super) fn new(vocabulary: &'a Vocabulary) -> Self {
        let (values, index) = (IdVec::new(), FxHashMap::default());
        let reals = real_terms(vocabulary);
        Self { vocabulary, values, index, fresh: 0, numbers: BTreeMap::new(), reals }
    }

    fn make(&mut self, value: FactValue) -> FactValueId {
        if let Some(&id) = self.index.get(&value) {
            return id;
        }
        let id = self.values.push(value.clone());
        self.index.insert(value, id);
        id
    }

    /// The value of a literal.
    pub(super) fn constant(&mut self, constant: Constant) -> FactValueId {
        self.make(FactValue::Constant(constant))
    }

    /// A new arbitrary value.
    pub(super) fn any(&mut self) -> FactValueId {
        self.fresh += 1;
        self.make(FactValue::Any(self.fresh))
    }

    /// A new arbitrary value of a signal.
    pub(super) fn any_of(&mut self, signal: &Signal) -> FactValueId {
        let value = self.any();
        if let Some(kind) = signal.number {
            self.numbers.insert(value, kind);
        }
        value
    }

    /// The values of all terms in a step. Each noisy term has a new value.
    pub(super) fn evaluate_all(&mut self, now: &IdVec<SignalId, FactValueId>) -> IdVec<DataId, FactValueId> {
        let vocabulary = self.vocabulary;
        let mut evaluated: IdVec<DataId, FactValueId> = IdVec::new();
        for term in &vocabulary.terms {
            let value = match term {
                DataTerm::Signal(signal) => now[*signal],
                DataTerm::Constant(constant) => self.make(FactValue::Constant(constant.clone())),
                DataTerm::Apply(name, arguments) => {
                    let arguments = arguments.iter().map(|&a| evaluated[a]).collect();
                    self.make(FactValue::Apply(*name, arguments))
                }
                DataTerm::Noisy => self.any(),
                DataTerm::Operation(ValueOperation::Divide, a, b) if self.reals[*a] => {
                    self.make(FactValue::Quotient(evaluated[*a], evaluated[*b]))
                }
                DataTerm::Operation(operation, a, b) => {
                    self.make(FactValue::Operation(*operation, evaluated[*a], evaluated[*b]))
                }
            };
            evaluated.push(value);
        }
        evaluated
    }

    pub(super) fn evaluate(&mut self, term: DataId, now: &IdVec<SignalId, FactValueId>) -> FactValueId {
        self.evaluate_all(now)[term]
    }

    /// The value of a cell after an update.
    pub(super) fn stored(&mut self, cell: SignalId, term: DataId, value: FactValueId) -> FactValueId {
        let keeps = matches!(self.vocabulary.terms[term], DataTerm::Signal(signal) if signal == cell);
        let computed = matches!(self.values[value], FactValue::Operation(..) | FactValue::Quotient(..));
        if self.vocabulary.signals[cell].adjusted && computed && !keeps {
            self.make(FactValue::Adjusted(cell, value))
        } else {
            value
        }
    }

    /// The value of a signal of a finite sort, if the literals of a step determine it: one of them equates the signal
    /// with this value, or they exclude all other values, or they are all binary digits of its index.
    pub(super) fn reported(
        &self,
        id: SignalId,
        signal: &Signal,
        here: &[(AtomId, bool)],
    ) -> Option<Constant> {
        if !signal.digits.is_empty() {
            let digit = |atom: &AtomId| here.iter().find(|(other, _)| other == atom).map(|&(_, truth)| truth);
            let digits: Option<Vec<bool>> = signal.digits.iter().map(digit).collect();
            let index = digits?.iter().rev().fold(0, |index, &digit| 2 * index + usize::from(digit));
            return signal.values.get(index).cloned();
        }
        let mut left = signal.values.clone();
        for &(atom, truth) in here {
            let DataAtom::Holds(term) = self.vocabulary.atoms[atom] else { continue };
            let terms = &self.vocabulary.terms;
            let DataTerm::Operation(ValueOperation::Equal, a, b) = terms[term] else { continue };
            if let (DataTerm::Signal(of), DataTerm::Constant(constant)) = (&terms[a], &terms[b])
                && *of == id
                && signal.values.contains(constant)
            {
                if truth {
                    return Some(constant.clone());
                }
                left.retain(|value| value != constant);
            }
        }
        if left.len() == 1 { left.pop() } else { None }
    }

    /// Whether these truth values of predicates are found to be contradictory in every interpretation.
    pub(super) fn contradict(&self, predicates: &[(FactValueId, bool)], prover: &mut Prover<'_>) -> bool {
        let mut truths: BTreeMap<FactValueId, bool> = BTreeMap::new();
        for &(value, truth) in predicates {
            if *truths.entry(value).or_insert(truth) != truth {
                return true;
            }
        }
        let mut ranges: BTreeMap<FactValueId, Range> = BTreeMap::new();
        for (&value, &truth) in &truths {
            let (operation, a, b) = match self.values[value] {
                FactValue::Constant(Constant::Truth(known)) if known != truth => return true,
                FactValue::Operation(operation, a, b) => (operation, a, b),
                _ => continue,
            };
            let literal = |id: FactValueId| match &self.values[id] {
                FactValue::Constant(constant) => Some(constant),
                _ => None,
            };
            match (operation, literal(a), literal(b)) {
                (_, Some(x), Some(y)) if computed(operation, x, y) == Some(!truth) => return true,
                (_, None, Some(constant)) => ranges.entry(a).or_default().add(operation, constant, truth),
                (ValueOperation::Equal, Some(constant), None) => {
                    ranges.entry(b).or_default().add(operation, constant, truth);
                }
                (ValueOperation::Greater, Some(constant), None) => {
                    ranges.entry(b).or_default().add_less(constant, truth);
                }
                _ => {}
            }
        }
        if ranges.values().any(Range::is_empty) {
            return true;
        }
        let system = self.comparisons(&truths);
        system.is_some_and(|system| is_refuted(&system, prover))
    }

    /// The comparisons of linear terms over numbers; `None` if there are none. Comparisons with numbers that are too
    /// large are left out.
    fn comparisons(&self, truths: &BTreeMap<FactValueId, bool>) -> Option<LinearSystem> {
        let sums = self.sums();
        let mut system = LinearSystem::default();
        let mut used: Vec<u32> = Vec::new();
        for (&value, &truth) in truths {
            let FactValue::Operation(operation, a, b) = self.values[value] else { continue };
            let (Some(a), Some(b)) = (&sums[a], &sums[b]) else { continue };
            let Some(difference) = a.plus(Rational::ONE.negated(), b) else { continue };
            used.extend(difference.terms().map(|(variable, _)| variable));
            match (operation, truth) {
                (ValueOperation::Greater, true) => {
                    system.inequalities.push(Inequality::below_zero(difference.negated()));
                }
                (ValueOperation::Greater, false) => {
                    system.inequalities.push(Inequality::at_most_zero(difference));
                }
                (ValueOperation::Equal, true) => system.equate(difference),
                (ValueOperation::Equal, false) => system.different.push(difference),
                _ => {}
            }
        }
        if system.inequalities.is_empty() && system.different.is_empty() {
            return None;
        }
        system.integer = vec![false; self.values.len()];
        for (&value, kind) in &self.numbers {
            system.integer[value.index()] = kind.integer;
            if !used.contains(&(value.index() as u32)) {
                continue;
            }
            let variable = Sum::variable(value.index() as u32);
            for (bound, sign) in [(kind.low, true), (kind.high, false)] {
                let Some(bound) = bound else { continue };
                let above = variable.plus(Rational::ONE.negated(), &Sum::constant(bound))?;
                let above = if sign { above.negated() } else { above };
                system.inequalities.push(Inequality::at_most_zero(above));
            }
        }
        Some(system)
    }

    /// The values that are linear terms over numbers; the variables are the numbers of arbitrary values.
    pub(super) fn sums(&self) -> IdVec<FactValueId, Option<Sum>> {
        let mut sums: IdVec<FactValueId, Option<Sum>> = IdVec::new();
        for (id, value) in self.values.enumerate() {
            let sum = match value {
                FactValue::Any(_) => self.numbers.contains_key(&id).then(|| Sum::variable(id.index() as u32)),
                FactValue::Constant(Constant::Number(text)) => Rational::parse(text).map(Sum::constant),
                FactValue::Operation(operation, a, b) => match (&sums[*a], &sums[*b]) {
                    (Some(a), Some(b)) => computed_sum(*operation, a, b),
                    _ => None,
                },
                FactValue::Quotient(a, b) => match (&sums[*a], &sums[*b]) {
                    (Some(a), Some(b)) => quotient(a, b),
                    _ => None,
                },
                FactValue::Constant(_) | FactValue::Apply(..) | FactValue::Adjusted(..) => None,
            };
            sums.push(sum);
        }
        sums
    }
}

/// The terms that are real numbers: signals of real numbers, and arithmetic over such terms and number literals with at
/// least one such signal.
fn real_terms(vocabulary: &Vocabulary) -> IdVec<DataId, bool> {
    let (mut real, mut numbers) = (IdVec::new(), IdVec::new());
    for term in &vocabulary.terms {
        let (is_real, is_number) = match term {
            DataTerm::Signal(signal) => {
                let kind = vocabulary.signals[*signal].number;
                (kind.is_some_and(|kind| !kind.integer), false)
            }
            DataTerm::Constant(constant) => (false, matches!(constant, Constant::Number(_))),
            DataTerm::Operation(
                ValueOperation::Equal | ValueOperation::Greater | ValueOperation::Other(_),
                ..,
            )
            | DataTerm::Apply(..)
            | DataTerm::Noisy => (false, false),
            DataTerm::Operation(_, a, b) => {
                let both_numbers = numbers[*a] && numbers[*b];
                let known = |id: DataId| real[id] || numbers[id];
                (known(*a) && known(*b) && !both_numbers, both_numbers)
            }
        };
        real.push(is_real);
        numbers.push(is_number);
    }
    real
}

/// The result of an operation on linear terms, if it is linear. A quotient of integers is rounded.
fn computed_sum(operation: ValueOperation, a: &Sum, b: &Sum) -> Option<Sum> {
    match operation {
        ValueOperation::Plus => a.plus(Rational::ONE, b),
        ValueOperation::Minus => a.plus(Rational::ONE.negated(), b),
        ValueOperation::Times => match (a.value(), b.value()) {
            (Some(factor), _) => b.times(factor),
            (_, Some(factor)) => a.times(factor),
            _ => None,
        },
        ValueOperation::Divide
        | ValueOperation::Equal
        | ValueOperation::Greater
        | ValueOperation::Other(_) => None,
    }
}

/// A linear term divided by a number that is not 0.
fn quotient(a: &Sum, b: &Sum) -> Option<Sum> {
    a.times(Rational::ONE.over(b.value()?)?)
}

/// The value of a comparison of literals; `None` if they are not comparable.
fn computed(operation: ValueOperation, a: &Constant, b: &Constant) -> Option<bool> {
    match (operation, a, b) {
        (ValueOperation::Equal, Constant::Variant(a), Constant::Variant(b)) => Some(a == b),
        (ValueOperation::Equal, Constant::Number(a), Constant::Number(b)) => Some(compare(a, b)?.is_eq()),
        (ValueOperation::Greater, Constant::Number(a), Constant::Number(b)) => Some(compare(a, b)?.is_gt()),
        _ => None,
    }
}

/// The constraints on a value from its comparisons with literals.
#[derive(Clone, Debug, Default)]
struct Range {
    /// Lower bounds; strict if the flag is set.
    low: Vec<(String, bool)>,
    /// Upper bounds; strict if the flag is set.
    high: Vec<(String, bool)>,
    not: Vec<String>,
    variants: Vec<(String, bool)>,
}

impl Range {
    fn add(&mut self, operation: ValueOperation, constant: &Constant, truth: bool) {
        match (operation, constant, truth) {
            (ValueOperation::Equal, Constant::Variant(name), _) => self.variants.push((name.clone(), truth)),
            (ValueOperation::Equal, Constant::Number(n), true) => {
                self.low.push((n.clone(), false));
                self.high.push((n.clone(), false));
            }
            (ValueOperation::Equal, Constant::Number(n), false) => self.not.push(n.clone()),
            (ValueOperation::Greater, Constant::Number(n), true) => self.low.push((n.clone(), true)),
            (ValueOperation::Greater, Constant::Number(n), false) => self.high.push((n.clone(), false)),
            _ => {}
        }
    }

    /// Adds that the literal is greater than the value or, if `truth` is false, that it is not.
    fn add_less(&mut self, constant: &Constant, truth: bool) {
        if let Constant::Number(n) = constant {
            if truth { self.high.push((n.clone(), true)) } else { self.low.push((n.clone(), false)) }
        }
    }

    /// Whether no value is left; numbers are taken to be densely ordered.
    fn is_empty(&self) -> bool {
        let crossed = self.low.iter().any(|(low, above)| {
            self.high.iter().any(|(high, below)| match compare(low, high) {
                Some(Ordering::Greater) => true,
                Some(Ordering::Equal) => {
                    *above || *below || self.not.iter().any(|n| compare(n, low) == Some(Ordering::Equal))
                }
                _ => false,
            })
        });
        let mut chosen = self.variants.iter().filter(|(_, truth)| *truth);
        crossed || matches!((chosen.next(), chosen.next()), (Some((a, _)), Some((b, _))) if a != b)
    }
}

/// The order of two decimal numbers; `None` if one of the texts is not a decimal number.
fn compare(a: &str, b: &str) -> Option<Ordering> {
    let ((a_less, a), (b_less, b)) = (magnitude(a)?, magnitude(b)?);
    Some(match (a_less, b_less) {
        (false, true) => Ordering::Greater,
        (true, false) => Ordering::Less,
        (false, false) => a.cmp(&b),
        (true, true) => b.cmp(&a),
    })
}

/// Whether a number is negative, how many digits it has before the point, and all its digits, without redundant zeros.
fn magnitude(text: &str) -> Option<(bool, (usize, String))> {
    let (less, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all: String = [whole.trim_start_matches('0'), fraction.trim_end_matches('0')].concat();
    if !all.bytes().all(|b| b.is_ascii_digit()) || digits.is_empty() {
        return None;
    }
    let digits = whole.trim_start_matches('0').len();
    Some((less && !all.is_empty(), (digits, all)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_compared_by_value() {
        let ordered = ["-12", "-2.5", "-0.25", "0", "0.05", "0.5", "3", "10", "10.25"];
        for (i, a) in ordered.iter().enumerate() {
            for (j, b) in ordered.iter().enumerate() {
                assert_eq!(compare(a, b), Some(i.cmp(&j)), "{a} {b}");
            }
        }
        assert_eq!(compare("-0.0", "000"), Some(Ordering::Equal));
        assert_eq!(compare("5.0", "5"), Some(Ordering::Equal));
        assert_eq!(compare("x", "5"), None);
    }
}
