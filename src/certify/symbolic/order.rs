//! The variable order of a circuit: inputs and latches that occur together in an output or in the next value of a
//! latch stand together, by the heuristic FORCE (Aloul, Markov and Sakallah, GLSVLSI 2003), begun with the order of
//! the outputs' supports. O(rounds · sizes of the supports).

use crate::model::{Circuit, Literal};

/// A variable of the circuit that is no gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    Input(usize),
    Latch(usize),
}

fn leaf(circuit: &Circuit, variable: usize) -> Option<Leaf> {
    let first_latch = 1 + circuit.inputs;
    if variable == 0 {
        None
    } else if variable < first_latch {
        Some(Leaf::Input(variable - 1))
    } else if variable < first_latch + circuit.latches.len() {
        Some(Leaf::Latch(variable - first_latch))
    } else {
        None
    }
}

fn operands(circuit: &Circuit, variable: usize) -> Option<(Literal, Literal)> {
    variable.checked_sub(1 + circuit.inputs + circuit.latches.len()).map(|gate| circuit.gates[gate])
}

/// Rounds of the search for a better order.
const ROUNDS: usize = 30;

/// All inputs and latches, each once, in order.
pub(super) fn variable_order(circuit: &Circuit) -> Vec<Leaf> {
    let number = |leaf: Leaf| match leaf {
        Leaf::Input(i) => i,
        Leaf::Latch(i) => circuit.inputs + i,
    };
    let supports = |literal: Literal| support(circuit, literal).into_iter().map(number);
    let mut groups: Vec<Vec<usize>> = circuit.outputs.iter().map(|&l| supports(l).collect()).collect();
    groups.extend(circuit.latches.iter().enumerate().map(|(i, latch)| {
        std::iter::once(circuit.inputs + i).chain(supports(latch.next)).collect::<Vec<usize>>()
    }));
    let count = circuit.inputs + circuit.latches.len();
    let leaf = |v: usize| if v < circuit.inputs { Leaf::Input(v) } else { Leaf::Latch(v - circuit.inputs) };
    force(count, &groups).into_iter().map(leaf).collect()
}

/// Begins with the order of the groups; then each variable moves to the mean of the centers of its groups. The
/// sequence with the least sum of spans is kept.
fn force(count: usize, groups: &[Vec<usize>]) -> Vec<usize> {
    let mut sequence: Vec<usize> = Vec::new();
    let mut seen = vec![false; count];
    for v in groups.iter().flatten().copied().chain(0..count) {
        if !std::mem::replace(&mut seen[v], true) {
            sequence.push(v);
        }
    }
    let (mut best, mut least) = (sequence.clone(), span(&sequence, groups));
    for _ in 0..ROUNDS {
        let place = places(&sequence);
        let (mut sum, mut members) = (vec![0.0; count], vec![0usize; count]);
        for group in groups {
            let center = group.iter().map(|&v| place[v] as f64).sum::<f64>() / group.len().max(1) as f64;
            for &v in group {
                sum[v] += center;
                members[v] += 1;
            }
        }
        let goal = |v: usize| if members[v] == 0 { place[v] as f64 } else { sum[v] / members[v] as f64 };
        sequence.sort_by(|&a, &b| goal(a).total_cmp(&goal(b)).then(place[a].cmp(&place[b])));
        let now = span(&sequence, groups);
        if now < least {
            (best, least) = (sequence.clone(), now);
        }
    }
    best
}

fn places(sequence: &[usize]) -> Vec<usize> {
    let mut place = vec![0; sequence.len()];
    for (i, &v) in sequence.iter().enumerate() {
        place[v] = i;
    }
    place
}

/// The sum over the groups of the distance between their first and last variable.
fn span(sequence: &[usize], groups: &[Vec<usize>]) -> usize {
    let place = places(sequence);
    let one = |group: &Vec<usize>| {
        let ends = group.iter().map(|&v| place[v]);
        ends.clone().max().unwrap_or(0) - ends.min().unwrap_or(0)
    };
    groups.iter().map(one).sum()
}

/// The inputs and latches that a literal depends on within one step.
pub(super) fn support(circuit: &Circuit, literal: Literal) -> Vec<Leaf> {
    let mut seen = rustc_hash::FxHashSet::default();
    let (mut leaves, mut stack) = (Vec::new(), vec![literal.variable()]);
    while let Some(variable) = stack.pop() {
        if !seen.insert(variable) {
            continue;
        }
        if let Some((a, b)) = operands(circuit, variable) {
            stack.extend([a.variable(), b.variable()]);
        }
        leaves.extend(leaf(circuit, variable));
    }
    leaves
}
