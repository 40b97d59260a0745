//! When truth values of timed predicate terms contradict each other: one node with two values, a
//! comparison of two literals with the wrong value, or comparisons of one timed term with literals that no
//! value satisfies.

use super::super::numbers::{self, Comparison};
use super::super::signature::{Literal, Operator};
use super::nodes::{Node, NodeId, Nodes};

/// How a comparison with a literal takes part.
pub(super) enum View {
    /// Not a comparison with a literal.
    Plain,
    /// Its value is known.
    Known(bool),
    /// A comparison of this timed term with a number.
    Number(NodeId, Comparison),
    /// Equality of this timed term with a value of an enumeration.
    Variant(NodeId, String),
}

/// How a predicate node is to be read.
pub(super) fn view(nodes: &Nodes, node: NodeId) -> View {
    let literal = |n: NodeId| if let Node::Literal(l) = nodes.get(n) { Some(l) } else { None };
    match *nodes.get(node) {
        Node::Literal(Literal::Bool(b)) => View::Known(b),
        Node::Operation(operator @ (Operator::Equal | Operator::Greater), a, b) => {
            let made = match (operator, literal(a), literal(b)) {
                (Operator::Equal, Some(Literal::Variant(a)), Some(Literal::Variant(b))) => {
                    return View::Known(a == b);
                }
                (_, Some(a), Some(b)) => {
                    let (x, y) = (Comparison::equal(a), Comparison::equal(b));
                    return match (x, y) {
                        (Some(x), Some(y)) if operator == Operator::Equal => View::Known(x == y),
                        (Some(x), Some(y)) => View::Known(x.is_above(&y)),
                        _ => View::Plain,
                    };
                }
                (Operator::Equal, None, Some(Literal::Variant(name))) => {
                    return View::Variant(a, name.clone());
                }
                (Operator::Equal, None, Some(literal)) => Comparison::equal(literal).map(|c| (a, c)),
                (Operator::Equal, Some(literal), None) => Comparison::equal(literal).map(|c| (b, c)),
                (_, None, Some(literal)) => Comparison::above(literal).map(|c| (a, c)),
                (_, Some(literal), None) => Comparison::below(literal).map(|c| (b, c)),
                _ => None,
            };
            made.map_or(View::Plain, |(term, comparison)| View::Number(term, comparison))
        }
        _ => View::Plain,
    }
}

/// The indices of evaluations that contradict each other, as few as is easily found; `None` if there is no
/// contradiction. Later evaluations are preferred.
pub(super) fn contradiction(nodes: &Nodes, evaluations: &[(NodeId, bool)]) -> Option<Vec<usize>> {
    let mut numbers: Vec<(NodeId, Vec<(usize, Comparison)>)> = Vec::new();
    let mut variants: Vec<(NodeId, Vec<(usize, String)>)> = Vec::new();
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
            View::Plain => {}
            View::Known(value) if value == truth => {}
            View::Known(_) => return Some(vec![i]),
            View::Number(term, comparison) => group(&mut numbers, term).push((i, comparison)),
            View::Variant(term, name) => group(&mut variants, term).push((i, name)),
        }
    }
    for (_, group) in numbers {
        let consistent = |chosen: &[usize]| {
            let given: Vec<(Comparison, bool)> =
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

fn group<T>(groups: &mut Vec<(NodeId, Vec<T>)>, term: NodeId) -> &mut Vec<T> {
    let at = groups.iter().position(|(t, _)| *t == term).unwrap_or(groups.len());
    if at == groups.len() {
        groups.push((term, Vec::new()));
    }
    &mut groups[at].1
}
