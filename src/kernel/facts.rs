//! Facts about terms: formulas that hold on every play, in every interpretation of predicates and functions.
//!
//! The negation of a fact is split into sets of literals, each an atom in a step. A set is refuted by symbolic
//! execution: starting from arbitrary values (from the declared ones for a fact about the first step) and with
//! arbitrary inputs, the updates in the set are made, and every predicate in it is evaluated as a term over these
//! values. The set is impossible if one predicate of equal terms is both true and false, if a comparison of literals
//! has the wrong value, if no number satisfies the comparisons of one term with literals, or if a cell has two updates.
//! Comparisons of linear terms over numbers are impossible together if a proof that is given from outside multiplies
//! out (see [`super::linear`]).
//!
//! Terms count as equal if they are built alike (as in the term model), so that a set that is refuted here is
//! impossible in every interpretation. Shares no code with the refinement that finds facts.

use super::fact_values::{FactValueId, FactValues};
use super::linear::Prover;
use super::outcome::CertifyError;
use super::vocabulary::{DataAtom, SignalId, Vocabulary};
use std::collections::BTreeMap;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::logic::{AtomId, FormulaId, Formulas, Node};

/// Certifies that a formula holds on every play, in every interpretation of predicates and functions, and in the
/// arithmetic of numbers. The prover is asked for proofs about numbers, which are checked.
///
/// # Errors
/// [`CertifyError::Wrong`] if that could not be shown, with the reason, or a limit of the budget.
pub fn certify_fact(
    formulas: &Formulas,
    vocabulary: &Vocabulary,
    fact: FormulaId,
    prover: &mut Prover<'_>,
    budget: &Budget,
) -> Result<(), CertifyError> {
    let mut parts = vec![(fact, true)];
    while let Some((part, at_start)) = parts.pop() {
        match formulas.node(part) {
            Node::Globally(body) => parts.push((*body, false)),
            Node::And(all) => parts.extend(all.iter().map(|&f| (f, at_start))),
            _ => refute_negation(formulas, vocabulary, part, at_start, prover, budget)?,
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
    prover: &mut Prover<'_>,
    budget: &Budget,
) -> Result<(), CertifyError> {
    let mut ways = vec![Refutation { todo: vec![(body, false, 0)], literals: Literals::new() }];
    while let Some(mut way) = ways.pop() {
        budget.tick(1 + way.literals.len() as u64, what)?;
        let Some((f, truth, step)) = way.todo.pop() else {
            if is_impossible(vocabulary, &way.literals, at_start, prover, budget)? {
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
    prover: &mut Prover<'_>,
    budget: &Budget,
) -> Result<bool, Limit> {
    let last = literals.keys().map(|(step, _)| *step).max().unwrap_or(0);
    let mut run = FactValues::new(vocabulary);
    let mut cells: IdVec<SignalId, FactValueId> = IdVec::new();
    for signal in &vocabulary.signals {
        let value = match signal.initial {
            Some(initial) if at_start && signal.is_cell => {
                let unset = IdVec::filled(run.any(), vocabulary.signals.len());
                run.evaluate(initial, &unset)
            }
            _ => run.any_of(signal),
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
                Some(constant) => run.constant(constant),
                None if signal.is_cell => cells[id],
                None => run.any_of(signal),
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
        for (id, signal) in vocabulary.signals.enumerate() {
            cells[id] = next[id].unwrap_or_else(|| run.any_of(signal));
        }
    }
    Ok(run.contradict(&predicates, prover))
}
