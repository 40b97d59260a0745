//! Facts about terms: formulas that hold on every play, in every interpretation of predicates and functions.
//!
//! The negation of a fact is split into sets of literals, each an atom in a step. A set is refuted by symbolic
//! execution: starting from arbitrary values (from the declared ones for a fact about the first step) and with
//! arbitrary inputs, the updates in the set are made, and every predicate in it is evaluated as a term over these
//! values. The set is impossible if one predicate of equal terms is both true and false, if a comparison of literals
//! has the wrong value, if no number satisfies the comparisons of one term with literals, or if a cell has two updates.
//!
//! Terms count as equal if they are built alike (as in the term model), so that a set that is refuted here is
//! impossible in every interpretation. Shares no code with the refinement that finds facts.

use super::outcome::CertifyError;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::define_id;
use tsl_synth_core::logic::{AtomId, FormulaId, Formulas, Node};

define_id! {
    /// An input or cell of a [`Vocabulary`].
    pub struct SignalId;
    /// A term of a [`Vocabulary`].
    pub struct DataId;
}

define_id! {
    /// A value in a play, built from other values.
    struct FactValueId;
}

/// The meaning of the atoms of an alphabet in terms of values.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// Inputs and cells.
    pub signals: IdVec<SignalId, Signal>,
    /// Terms; arguments have smaller ids.
    pub terms: IdVec<DataId, DataTerm>,
    /// The meaning of each atom.
    pub atoms: IdVec<AtomId, DataAtom>,
}

/// An input or a cell.
#[derive(Clone, Debug, Default)]
pub struct Signal {
    /// Whether it keeps its value until an update; an input has a new value in every step.
    pub is_cell: bool,
    /// The declared value in the first step, if there is one.
    pub initial: Option<DataId>,
    /// All values of a finite sort whose values are compared.
    pub values: Vec<Constant>,
    /// The atoms that are the binary digits of the index of the value, least significant first, if there are any.
    pub digits: Vec<AtomId>,
    /// Whether results of arithmetic are brought into a range before they are stored.
    pub adjusted: bool,
}

/// A literal value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// A truth value.
    Truth(bool),
    /// A decimal number as text.
    Number(String),
    /// A value of an enumeration.
    Variant(String),
}

/// An operation on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueOperation {
    /// `a = b`
    Equal,
    /// `a > b`
    Greater,
    /// An arithmetic operator, identified by a number; its results are not computed here.
    Arithmetic(u8),
}

/// A term over values of one step.
#[derive(Clone, Debug)]
pub enum DataTerm {
    /// The value of a signal.
    Signal(SignalId),
    /// A literal.
    Constant(Constant),
    /// A function or predicate, identified by a number, applied to arguments.
    Apply(u32, Box<[DataId]>),
    /// A term with a new arbitrary value in every step.
    Noisy,
    /// An operation on two terms.
    Operation(ValueOperation, DataId, DataId),
}

/// The meaning of an atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataAtom {
    /// The atom does not refer to values.
    Plain,
    /// A predicate holds.
    Holds(DataId),
    /// A cell takes the value of a term.
    Update(SignalId, DataId),
}

/// A value in a play.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum FactValue {
    /// An arbitrary value.
    Any(u32),
    Constant(Constant),
    Apply(u32, Box<[FactValueId]>),
    Operation(ValueOperation, FactValueId, FactValueId),
    /// A result of arithmetic after a cell has brought it into its range.
    Adjusted(SignalId, FactValueId),
}

/// Certifies that a formula holds on every play, in every interpretation of predicates and functions.
///
/// # Errors
/// [`CertifyError::Wrong`] if that could not be shown, with the reason, or a limit of the budget.
pub fn certify_fact(
    formulas: &Formulas,
    vocabulary: &Vocabulary,
    fact: FormulaId,
    budget: &Budget,
) -> Result<(), CertifyError> {
    let mut parts = vec![(fact, true)];
    while let Some((part, at_start)) = parts.pop() {
        match formulas.node(part) {
            Node::Globally(body) => parts.push((*body, false)),
            Node::And(all) => parts.extend(all.iter().map(|&f| (f, at_start))),
            _ => refute_negation(formulas, vocabulary, part, at_start, budget)?,
        }
    }
    Ok(())
}

/// Atoms in steps, with their values.
type Literals = BTreeMap<(u32, AtomId), bool>;

/// One way to make a formula false, under construction.
#[derive(Clone, Debug)]
struct Refutation {
    todo: Vec<(FormulaId, bool, u32)>,
    literals: Literals,
}

fn refute_negation(
    formulas: &Formulas,
    vocabulary: &Vocabulary,
    body: FormulaId,
    at_start: bool,
    budget: &Budget,
) -> Result<(), CertifyError> {
    let mut ways = vec![Refutation { todo: vec![(body, false, 0)], literals: Literals::new() }];
    while let Some(mut way) = ways.pop() {
        budget.tick(1 + way.literals.len() as u64, what)?;
        let Some((f, truth, step)) = way.todo.pop() else {
            if is_impossible(vocabulary, &way.literals, at_start, budget)? {
                continue;
            }
            return Err(CertifyError::Wrong("a fact that does not follow from its terms".into()));
        };
        match *formulas.node(f) {
            Node::True | Node::False => {
                if matches!(formulas.node(f), Node::True) == truth {
                    ways.push(way);
                }
            }
            Node::Atom(atom) => {
                if *way.literals.entry((step, atom)).or_insert(truth) == truth {
                    ways.push(way);
                }
            }
            Node::Not(g) => {
                way.todo.push((g, !truth, step));
                ways.push(way);
            }
            Node::Next(g) => {
                way.todo.push((g, truth, step + 1));
                ways.push(way);
            }
            Node::And(ref all) | Node::Or(ref all) => {
                if matches!(formulas.node(f), Node::And(_)) == truth {
                    way.todo.extend(all.iter().map(|&g| (g, truth, step)));
                    ways.push(way);
                } else {
                    for &g in all {
                        let mut other = way.clone();
                        other.todo.push((g, truth, step));
                        ways.push(other);
                    }
                }
            }
            Node::Iff(a, b) => {
                for left in [false, true] {
                    let mut other = way.clone();
                    other.todo.extend([(a, left, step), (b, left == truth, step)]);
                    ways.push(other);
                }
            }
            Node::Finally(_)
            | Node::Globally(_)
            | Node::Until(..)
            | Node::Release(..)
            | Node::WeakUntil(..)
            | Node::StrongRelease(..) => {
                let message = "a fact that is not about a fixed number of steps";
                return Err(CertifyError::Wrong(message.into()));
            }
        }
    }
    Ok(())
}

fn what() -> String {
    "certificate: a fact about terms".into()
}

/// Whether no play satisfies these literals.
fn is_impossible(
    vocabulary: &Vocabulary,
    literals: &Literals,
    at_start: bool,
    budget: &Budget,
) -> Result<bool, Limit> {
    let last = literals.keys().map(|(step, _)| *step).max().unwrap_or(0);
    let mut run = FactValues { vocabulary, values: IdVec::new(), index: FxHashMap::default(), fresh: 0 };
    let mut cells: IdVec<SignalId, FactValueId> = IdVec::new();
    for signal in &vocabulary.signals {
        let value = match signal.initial {
            Some(initial) if at_start && signal.is_cell => {
                let unset = IdVec::filled(run.any(), vocabulary.signals.len());
                run.evaluate(initial, &unset)
            }
            _ => run.any(),
        };
        cells.push(value);
    }
    let mut predicates: Vec<(FactValueId, bool)> = Vec::new();
    for step in 0..=last {
        let here: Vec<(AtomId, bool)> = literals
            .range((step, AtomId::from_index(0))..)
            .take_while(|((at, _), _)| *at == step)
            .map(|((_, atom), truth)| (*atom, *truth))
            .collect();
        let mut now: IdVec<SignalId, FactValueId> = IdVec::new();
        for (id, signal) in vocabulary.signals.enumerate() {
            let value = match run.reported(id, signal, &here) {
                Some(constant) => run.make(FactValue::Constant(constant)),
                None if signal.is_cell => cells[id],
                None => run.any(),
            };
            now.push(value);
        }
        let evaluated = run.evaluate_all(&now);
        budget.tick(evaluated.len() as u64 + 1, what)?;
        let mut next: IdVec<SignalId, Option<FactValueId>> = IdVec::filled(None, vocabulary.signals.len());
        for &(atom, truth) in &here {
            match vocabulary.atoms[atom] {
                DataAtom::Holds(term) => predicates.push((evaluated[term], truth)),
                DataAtom::Update(cell, term) if truth => {
                    let value = run.stored(cell, term, evaluated[term]);
                    // A cell has one update per step: two are impossible, even with the same value.
                    if next[cell].replace(value).is_some() {
                        return Ok(true);
                    }
                }
                DataAtom::Plain | DataAtom::Update(..) => {}
            }
        }
        for id in vocabulary.signals.ids() {
            cells[id] = next[id].unwrap_or_else(|| run.any());
        }
    }
    Ok(run.contradict(&predicates))
}

/// The values of a play under construction.
struct FactValues<'a> {
    vocabulary: &'a Vocabulary,
    values: IdVec<FactValueId, FactValue>,
    index: FxHashMap<FactValue, FactValueId>,
    fresh: u32,
}

impl FactValues<'_> {
    fn make(&mut self, value: FactValue) -> FactValueId {
        if let Some(&id) = self.index.get(&value) {
            return id;
        }
        let id = self.values.push(value.clone());
        self.index.insert(value, id);
        id
    }

    fn any(&mut self) -> FactValueId {
        self.fresh += 1;
        self.make(FactValue::Any(self.fresh))
    }

    /// The values of all terms in a step. Each noisy term has a new value.
    fn evaluate_all(&mut self, now: &IdVec<SignalId, FactValueId>) -> IdVec<DataId, FactValueId> {
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
                DataTerm::Operation(operation, a, b) => {
                    self.make(FactValue::Operation(*operation, evaluated[*a], evaluated[*b]))
                }
            };
            evaluated.push(value);
        }
        evaluated
    }

    fn evaluate(&mut self, term: DataId, now: &IdVec<SignalId, FactValueId>) -> FactValueId {
        self.evaluate_all(now)[term]
    }

    /// The value of a cell after an update.
    fn stored(&mut self, cell: SignalId, term: DataId, value: FactValueId) -> FactValueId {
        let keeps = matches!(self.vocabulary.terms[term], DataTerm::Signal(signal) if signal == cell);
        let computed = matches!(self.values[value], FactValue::Operation(..));
        if self.vocabulary.signals[cell].adjusted && computed && !keeps {
            self.make(FactValue::Adjusted(cell, value))
        } else {
            value
        }
    }

    /// The value of a signal of a finite sort, if the literals of a step determine it: one of them equates the signal
    /// with this value, or they exclude all other values, or they are all binary digits of its index.
    fn reported(&self, id: SignalId, signal: &Signal, here: &[(AtomId, bool)]) -> Option<Constant> {
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
    fn contradict(&self, predicates: &[(FactValueId, bool)]) -> bool {
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
        ranges.values().any(Range::is_empty)
    }
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
