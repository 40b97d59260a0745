//! Variable orders of a circuit. Inputs and latches that occur together are placed together, by the heuristic FORCE
//! (Aloul, Markov and Sakallah, GLSVLSI 2003); or, as in the diagrams that a circuit of multiplexers was made from,
//! selectors are placed above the inputs that they select.
//!
//! Departures from FORCE. Outputs are vertices, too: a controller's latches depend on its answers, and its answers on
//! nearly every latch, so that only supports that end at outputs show which latches belong together. Larger groups have
//! less weight. Variables that occur almost everywhere, such as the latches of a counter or mode that selects among
//! many others, come first. O(rounds · sizes of the supports).

use crate::trusted::symbolic::structure::{SupportLeaf, Supports};
use crate::tuning::{MANY_GATES, ORDER_ROUNDS, WIDE, WIDE_TIMES};
use tsl_synth_core::base::steps;
use tsl_synth_core::model::{Circuit, Literal};

/// All inputs, latches and outputs, each once, in one order or more.
pub(super) fn orders(circuit: &Circuit) -> Vec<Vec<SupportLeaf>> {
    let mut orders = vec![by_occurrence(circuit)];
    if circuit.gates.len() >= MANY_GATES {
        orders.push(by_height(circuit));
    }
    orders
}

/// Sorted by the height of the highest gate that reads a leaf directly, highest first; heights restart at the gates of
/// outputs.
fn by_height(circuit: &Circuit) -> Vec<SupportLeaf> {
    let first_latch = 1 + circuit.inputs;
    let first_gate = first_latch + circuit.latches.len();
    let mut is_leaf = vec![false; circuit.variables()];
    is_leaf[..first_gate].fill(true);
    for output in &circuit.outputs {
        is_leaf[output.variable()] = true;
    }
    let (mut height, mut read) = (vec![0; circuit.variables()], vec![0; circuit.variables()]);
    for (i, &(a, b)) in circuit.gates.iter().enumerate() {
        let operands = [a, b].map(Literal::variable);
        let own = 1 + operands.map(|v| if is_leaf[v] { 0 } else { height[v] }).into_iter().max().unwrap_or(0);
        height[first_gate + i] = own;
        for v in operands.into_iter().filter(|&v| is_leaf[v]) {
            read[v] = read[v].max(own);
        }
    }
    let inputs = (0..circuit.inputs).map(|i| (read[1 + i], SupportLeaf::Input(i)));
    let latches = (0..circuit.latches.len()).map(|i| (read[first_latch + i], SupportLeaf::Latch(i)));
    let outputs =
        circuit.outputs.iter().enumerate().map(|(o, l)| (read[l.variable()], SupportLeaf::Output(o)));
    let mut leaves: Vec<(usize, SupportLeaf)> = inputs.chain(latches).chain(outputs).collect();
    leaves.sort_by_key(|&(height, _)| std::cmp::Reverse(height));
    leaves.into_iter().map(|(_, leaf)| leaf).collect()
}

/// An order in which inputs and latches that occur together are placed together.
fn by_occurrence(circuit: &Circuit) -> Vec<SupportLeaf> {
    let (inputs, latches) = (circuit.inputs, circuit.latches.len());
    let count = inputs + latches + circuit.outputs.len();
    let groups = groups(circuit);
    let mut members = vec![0; count];
    for &v in groups.iter().flatten() {
        members[v] += 1;
    }
    let occurrences = members.iter().sum::<usize>();
    steps::count((occurrences * (1 + ORDER_ROUNDS)) as u64);
    let average = occurrences / count.max(1);
    let is_wide = |v: usize| members[v] > WIDE.max(WIDE_TIMES * average);
    let mut sequence: Vec<usize> = (0..count).filter(|&v| is_wide(v)).collect();
    let narrow = |group: &Vec<usize>| group.iter().copied().filter(|&v| !is_wide(v)).collect();
    let groups: Vec<Vec<usize>> = groups.iter().map(narrow).collect();
    sequence.extend(force(count, &groups).into_iter().filter(|&v| !is_wide(v)));
    let leaf = |v: usize| match v.checked_sub(inputs) {
        None => SupportLeaf::Input(v),
        Some(latch) if latch < latches => SupportLeaf::Latch(latch),
        Some(more) => SupportLeaf::Output(more - latches),
    };
    sequence.into_iter().map(leaf).collect()
}

/// Each latch and each output with its support: inputs, latches and outputs are numbered in this order.
fn groups(circuit: &Circuit) -> Vec<Vec<usize>> {
    let (inputs, latches) = (circuit.inputs, circuit.latches.len());
    let mut supports = Supports::new(circuit);
    for (i, output) in circuit.outputs.iter().enumerate() {
        supports.end_at(output.variable(), i);
    }
    let number = |leaf: &SupportLeaf| match *leaf {
        SupportLeaf::Input(i) => i,
        SupportLeaf::Latch(i) => inputs + i,
        SupportLeaf::Output(i) => inputs + latches + i,
    };
    let mut group = |own: usize, literal| {
        let mut group = vec![own];
        group.extend(supports.of(literal).iter().map(number).filter(|&v| v != own));
        group
    };
    let mut groups: Vec<Vec<usize>> =
        circuit.latches.iter().enumerate().map(|(i, latch)| group(inputs + i, latch.next)).collect();
    for (i, &output) in circuit.outputs.iter().enumerate() {
        groups.push(group(inputs + latches + i, output));
    }
    groups
}

/// Begins with the order of the groups; then each variable moves to the mean of the centers of its groups, the larger
/// of which count less. The sequence with the least sum of spans is kept.
fn force(count: usize, groups: &[Vec<usize>]) -> Vec<usize> {
    let mut by_size: Vec<&Vec<usize>> = groups.iter().collect();
    by_size.sort_by_key(|group| group.len());
    let mut sequence: Vec<usize> = Vec::new();
    let mut seen = vec![false; count];
    for v in by_size.into_iter().flatten().copied().chain(0..count) {
        if !std::mem::replace(&mut seen[v], true) {
            sequence.push(v);
        }
    }
    let (mut best, mut least) = (sequence.clone(), span(&sequence, groups));
    for _ in 0..ORDER_ROUNDS {
        let position = positions(&sequence);
        let (mut sum, mut weight) = (vec![0.0; count], vec![0.0; count]);
        for group in groups {
            let (center, pull) = (
                group.iter().map(|&v| position[v] as f64).sum::<f64>() / group.len().max(1) as f64,
                pull(group),
            );
            for &v in group {
                sum[v] += pull * center;
                weight[v] += pull;
            }
        }
        let goal = |v: usize| if weight[v] > 0.0 { sum[v] / weight[v] } else { position[v] as f64 };
        sequence.sort_by(|&a, &b| goal(a).total_cmp(&goal(b)).then(position[a].cmp(&position[b])));
        let now = span(&sequence, groups);
        if now < least {
            (best, least) = (sequence.clone(), now);
        }
    }
    best
}

/// The weight of a group.
fn pull(group: &[usize]) -> f64 {
    let size = group.len().max(1) as f64;
    1.0 / (size * size)
}

fn positions(sequence: &[usize]) -> Vec<usize> {
    let mut position = vec![0; sequence.len()];
    for (i, &v) in sequence.iter().enumerate() {
        position[v] = i;
    }
    position
}

/// The weighted sum over the groups of the distance between their first and last variable.
fn span(sequence: &[usize], groups: &[Vec<usize>]) -> f64 {
    let position = positions(sequence);
    let one = |group: &Vec<usize>| {
        let ends = group.iter().map(|&v| position[v]);
        (ends.clone().max().unwrap_or(0) - ends.min().unwrap_or(0)) as f64 * pull(group)
    };
    groups.iter().map(one).sum()
}
