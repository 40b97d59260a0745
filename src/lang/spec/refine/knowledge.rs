//! Detects contradictions between truth values of timed predicate terms: one node with two values, a comparison of two
//! literals with the wrong value, or comparisons of one timed term with literals that no value satisfies.

use super::super::numbers::{self, NumberComparison};
use super::super::signature::{LiteralValue, Operator};
use super::nodes::{Nodes, TimedTerm, TimedTermId};

/// The role of a predicate in the check of comparisons with literals.
pub(super) enum LiteralUse {
    /// Not a comparison with a literal.
    Plain,
    /// Its value is known.
    Known(bool),
    /// A comparison of this timed term with a number.
    Number(TimedTermId, NumberComparison),
    /// Equality of this timed term with a value of an enumeration.
    Variant(TimedTermId, String),
}

/// Classifies a predicate node.
pub(super) fn view(nodes: &Nodes, node: TimedTermId) -> LiteralUse {
    let literal = |n: TimedTermId| if let TimedTerm::Literal(l) = nodes.get(n) { Some(l) } else { None };
    match *nodes.get(node) {
        TimedTerm::Literal(LiteralValue::Bool(b)) => LiteralUse::Known(b),
        TimedTerm::Operation(operator @ (Operator::Equal | Operator::Greater), a, b) => {
            let made = match (operator, literal(a), literal(b)) {
                (Operator::Equal, Some(LiteralValue::Variant(a)), Some(LiteralValue::Variant(b))) => {
                    return LiteralUse::Known(a == b);
                }
                (_, Some(a), Some(b)) => {
                    let (x, y) = (NumberComparison::equal(a), NumberComparison::equal(b));
                    return match (x, y) {
                        (Some(x), Some(y)) if operator == Operator::Equal => LiteralUse::Known(x == y),
                        (Some(x), Some(y)) => LiteralUse::Known(x.is_above(&y)),
                        _ => LiteralUse::Plain,
                    };
                }
                (Operator::Equal, None, Some(LiteralValue::Variant(name))) => {
                    return LiteralUse::Variant(a, name.clone());
                }
                (Operator::Equal, None, Some(literal)) => NumberComparison::equal(literal).map(|c| (a, c)),
                (Operator::Equal, Some(literal), None) => NumberComparison::equal(literal).map(|c| (b, c)),
                (_, None, Some(literal)) => NumberComparison::above(literal).map(|c| (a, c)),
                (_, Some(literal), None) => NumberComparison::below(literal).map(|c| (b, c)),
                _ => None,
            };
            made.map_or(LiteralUse::Plain, |(term, comparison)| LiteralUse::Number(term, comparison))
        }
        _ => LiteralUse::Plain,
    }
}

/// The indices of a small set of evaluations that contradict each other, not always the smallest; `None` if there is no
/// contradiction. Later evaluations are preferred.
pub(super) fn contradiction(nodes: &Nodes, evaluations: &[(TimedTermId, bool)]) -> Option<Vec<usize>> {
    let mut numbers: Vec<(TimedTermId, Vec<(usize, NumberComparison)>)> = Vec::new();
    let mut variants: Vec<(TimedTermId, Vec<(usize, String)>)> = Vec::new();
    let mut last = rustc_hash::FxHashMap::default();
    for (i, &(node, truth)) in evaluations.iter().enumerate() {
        match last.insert(node, i) {
            Some(earlier) if evaluations[earlier].1 != truth => return Some(vec![earlier, i]),
            _ => {}
        }
    }
    let mut distinct: Vec<usize> = last.into_values().collect();
    distinct.sort_unstable();
    for i in distinct {
        let (node, truth) = evaluations[i];
        match view(nodes, node) {
            LiteralUse::Plain => {}
            LiteralUse::Known(value) if value == truth => {}
            LiteralUse::Known(_) => return Some(vec![i]),
            LiteralUse::Number(term, comparison) => group(&mut numbers, term).push((i, comparison)),
            LiteralUse::Variant(term, name) => group(&mut variants, term).push((i, name)),
        }
    }
    for (_, group) in numbers {
        let consistent = |chosen: &[usize]| {
            let given: Vec<(NumberComparison, bool)> =
                chosen.iter().map(|&k| (group[k].1.clone(), evaluations[group[k].0].1)).collect();
            numbers::satisfiable(&given)
        };
        let mut chosen: Vec<usize> = (0..group.len()).collect();
        if consistent(&chosen) {
            continue;
        }
        for k in 0..group.len() {
            let without: Vec<usize> = chosen.iter().copied().filter(|&c| c != k).collect();
            if !consistent(&without) {
                chosen = without;
            }
        }
        return Some(chosen.into_iter().map(|k| group[k].0).collect());
    }
    for (_, group) in variants {
        let mut equal = group.iter().filter(|(i, _)| evaluations[*i].1);
        if let (Some((a, _)), Some((b, _))) = (equal.next(), equal.next()) {
            return Some(vec![*a, *b]);
        }
    }
    None
}

fn group<T>(groups: &mut Vec<(TimedTermId, Vec<T>)>, term: TimedTermId) -> &mut Vec<T> {
    let at = groups.iter().position(|(t, _)| *t == term).unwrap_or(groups.len());
    if at == groups.len() {
        groups.push((term, Vec::new()));
    }
    &mut groups[at].1
}
