//! Weakest preconditions of comparisons: what a comparison of cells in the next step amounts to before updates.

use super::sums::{comparison_of, is_integer, number_set, subterms};
use crate::spec::signature::{Signature, SymbolId, Term, TermId};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::Rational;
use tsl_synth_core::logic::{Inequality, Sum};

/// The largest number of comparisons that are added.
const ADDED: usize = 8;
/// No comparisons are added to more than this number.
const ATOMS: usize = 14;
/// The largest number of choices of updates for one comparison.
const CHOICES: usize = 16;

/// The comparisons that those of cells amount to before updates, one step back, where no comparison says so already.
/// They are interned, in order; none if there would be too many.
pub(crate) fn preconditions(
    signature: &mut Signature,
    predicates: &[TermId],
    updates: &FxHashMap<SymbolId, Vec<TermId>>,
) -> Vec<TermId> {
    let mut known: Vec<(Sum, bool)> = Vec::new();
    for &term in predicates {
        if let Some(comparison) = comparison_of(signature, term) {
            let direction = direction(signature, &comparison.sum, comparison.equal);
            known.extend(direction.map(|sum| (sum, comparison.equal)));
        }
    }
    let mut added = Vec::new();
    for &term in predicates {
        for next in before_updates(signature, term, updates) {
            let Some(comparison) = comparison_of(signature, next) else { continue };
            let Some(direction) = direction(signature, &comparison.sum, comparison.equal) else { continue };
            let direction = (direction, comparison.equal);
            if direction.0.value().is_some() || known.contains(&direction) {
                continue;
            }
            known.push(direction);
            added.push(next);
        }
    }
    if added.len() > ADDED || added.len() + predicates.len() > ATOMS { Vec::new() } else { added }
}

/// A sum that is the same for comparisons that are equivalent or opposite.
fn direction(signature: &Signature, sum: &Sum, equal: bool) -> Option<Sum> {
    let integer = |variable: u32| is_integer(signature, variable);
    let Some((_, first)) = sum.terms().next() else { return Some(sum.clone()) };
    let normalized = Inequality::at_most_zero(sum.clone()).normalized(integer)?.sum;
    if first.is_positive() {
        return Some(normalized);
    }
    // For an integer a, `1 - a > 0` holds exactly if `a > 0` does not.
    let turned = normalized.negated();
    let rounded = !equal && sum.terms().all(|(v, _)| integer(v));
    if rounded { turned.plus(Rational::ONE, &Sum::constant(Rational::ONE)) } else { Some(turned) }
}

/// The weakest preconditions of a comparison: each cell is replaced by the term of one of its updates, in all
/// combinations. Empty unless the comparison reads only cells.
fn before_updates(
    signature: &mut Signature,
    term: TermId,
    updates: &FxHashMap<SymbolId, Vec<TermId>>,
) -> Vec<TermId> {
    if comparison_of(signature, term).is_none() {
        return Vec::new();
    }
    let mut choices: Vec<FxHashMap<SymbolId, TermId>> = vec![FxHashMap::default()];
    for symbol in signature.signals_of(term) {
        let Some(options) = updates.get(&symbol) else { return Vec::new() };
        if number_set(signature, symbol).is_none() || choices.len() * options.len() > CHOICES {
            return Vec::new();
        }
        let mut more = Vec::new();
        for choice in &choices {
            for &option in options {
                let mut choice = choice.clone();
                choice.insert(symbol, option);
                more.push(choice);
            }
        }
        choices = more;
    }
    choices.iter().map(|choice| replaced(signature, term, choice)).collect()
}

/// The term with terms in place of signals.
fn replaced(signature: &mut Signature, term: TermId, images: &FxHashMap<SymbolId, TermId>) -> TermId {
    let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
    for id in subterms(signature, term) {
        let new = match *signature.terms.get(id) {
            Term::Signal(symbol) => images.get(&symbol).copied().unwrap_or(id),
            Term::Operation(operator, a, b) => {
                signature.terms.intern(Term::Operation(operator, done[&a], done[&b]))
            }
            Term::Literal(_) | Term::Apply(..) => id,
        };
        done.insert(id, new);
    }
    done[&term]
}
