//! Facts about terms: formulas that hold on every play, whatever predicates and functions mean.
//!
//! The negation of a fact is split into sets of literals, each an atom in a step. A set is refuted by running the terms:
//! from arbitrary values (from the declared ones for a fact about the first step), with arbitrary inputs, the updates that
//! the set says are made, and every predicate that it speaks of is evaluated as a term over these values. It is impossible
//! if one predicate of equal terms is both true and false, if a comparison of literals has the wrong value, if no number
//! satisfies the comparisons of one term with literals, or if a cell has two updates.
//!
//! Equal terms are those that are built alike (the congruence of the term model), so that whatever is refuted here holds in
//! no meaning. Shares no code with the refinement that finds facts.

use super::CertifyError;
use crate::base::{Budget, Id, IdVec, Limit};
use crate::define_id;
use crate::logic::{AtomId, FormulaId, Formulas, Node};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::collections::BTreeMap;

define_id! {
    /// An input or cell of a [`Vocabulary`].
    pub struct SignalId;
    /// A term of a [`Vocabulary`].
    pub struct DataId;
}

define_id! {
    /// A value, made of other values.
    struct FactValueId;
}

/// What the atoms of an alphabet say about values.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// Inputs and cells.
    pub signals: IdVec<SignalId, Signal>,
    /// Terms; arguments have smaller ids.
    pub terms: IdVec<DataId, DataTerm>,
    /// What each atom says.
    pub atoms: IdVec<AtomId, Saying>,
}

/// Where values come from.
#[derive(Clone, Debug, Default)]
pub struct Signal {
    /// Whether it keeps its value until an update; an input has a new value in every step.
    pub is_cell: bool,
    /// The value in the first step, where it is declared.
    pub initial: Option<DataId>,
    /// All values of a finite sort.
    pub values: Vec<Constant>,
    /// Results of arithmetic are brought into a range before they are stored.
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

/// How two values are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueOperation {
    /// `a = b`
    Equal,
    /// `a > b`
    Greater,
    /// Arithmetic, by number; not computed here.
    Arithmetic(u8),
}

/// A term over values of one step.
#[derive(Clone, Debug)]
pub enum DataTerm {
    /// The value of a signal.
    Signal(SignalId),
    /// A literal.
    Constant(Constant),
    /// A function or predicate, by number, of arguments.
    Apply(u32, Box<[DataId]>),
    /// One whose value is decided in every step anew.
    Noisy,
    /// An operation on two terms.
    Operation(ValueOperation, DataId, DataId),
}

/// What an atom says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saying {
    /// Nothing about values.
    Plain,
    /// A predicate holds.
    Holds(DataId),
    /// A cell takes the value of a term.
    Update(SignalId, DataId),
}

/// A value in a play.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum FactValue {
    /// Nothing is known of it.
    Any(u32),
    Constant(Constant),
    Apply(u32, Box<[FactValueId]>),
    Operation(ValueOperation, FactValueId, FactValueId),
    /// A result of arithmetic after a cell has brought it into its range.
    Adjusted(SignalId, FactValueId),
}

/// Certifies that a formula holds on every play, in every meaning of predicates and functions.
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

/// One way to make a formula false, in the making.
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

/// Whether no play has these literals.
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
                Saying::Holds(term) => predicates.push((evaluated[term], truth)),
                Saying::Update(cell, term) if truth => {
                    let value = run.stored(cell, term, evaluated[term]);
                    // Two updates in one step are none, even of one value.
                    if next[cell].replace(value).is_some() {
                        return Ok(true);
                    }
                }
                Saying::Plain | Saying::Update(..) => {}
            }
        }
        for id in vocabulary.signals.ids() {
            cells[id] = next[id].unwrap_or_else(|| run.any());
        }
    }
    Ok(run.contradict(&predicates))
}

/// The values of a play in the making.
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

    /// The values of all terms in a step. Noise is a new value for each position where it is written.
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

    /// What a cell holds after an update.
    fn stored(&mut self, cell: SignalId, term: DataId, value: FactValueId) -> FactValueId {
        let keeps = matches!(self.vocabulary.terms[term], DataTerm::Signal(signal) if signal == cell);
        let computed = matches!(self.values[value], FactValue::Operation(..));
        if self.vocabulary.signals[cell].adjusted && computed && !keeps {
            self.make(FactValue::Adjusted(cell, value))
        } else {
            value
        }
    }

    /// The value of a signal of a finite sort, if the literals of a step determine it: one says that the signal has this
    /// value, or the others exclude every other value.
    fn reported(&self, id: SignalId, signal: &Signal, here: &[(AtomId, bool)]) -> Option<Constant> {
        let mut left = signal.values.clone();
        for &(atom, truth) in here {
            let Saying::Holds(term) = self.vocabulary.atoms[atom] else { continue };
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

    /// Whether no meaning gives these truth values to these predicates.
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

/// A comparison of literals, where it has a value.
fn computed(operation: ValueOperation, a: &Constant, b: &Constant) -> Option<bool> {
    match (operation, a, b) {
        (ValueOperation::Equal, Constant::Variant(a), Constant::Variant(b)) => Some(a == b),
        (ValueOperation::Equal, Constant::Number(a), Constant::Number(b)) => Some(compare(a, b)?.is_eq()),
        (ValueOperation::Greater, Constant::Number(a), Constant::Number(b)) => Some(compare(a, b)?.is_gt()),
        _ => None,
    }
}

/// What comparisons with literals leave of a value.
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

    /// The literal is greater, or is not.
    fn add_less(&mut self, constant: &Constant, truth: bool) {
        if let Constant::Number(n) = constant {
            if truth { self.high.push((n.clone(), true)) } else { self.low.push((n.clone(), false)) }
        }
    }

    /// Whether no number, between any two of which there is another one, is left.
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

/// The order of two decimal numbers, `None` if one of them is none.
fn compare(a: &str, b: &str) -> Option<Ordering> {
    let ((a_less, a), (b_less, b)) = (magnitude(a)?, magnitude(b)?);
    Some(match (a_less, b_less) {
        (false, true) => Ordering::Greater,
        (true, false) => Ordering::Less,
        (false, false) => a.cmp(&b),
        (true, true) => b.cmp(&a),
    })
}

/// Whether it is less than zero; how many digits there are before the point, and all digits.
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
