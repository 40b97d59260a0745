//! The variable order of a circuit: inputs and latches as a depth-first search through the fan-in of the
//! outputs meets them (Fujita, Fujisawa and Kawato, ICCAD 1988; Malik et al., ICCAD 1988), so that what one output
//! depends on stands together. Linear in the circuit.

use crate::model::{Circuit, Literal};
use std::collections::VecDeque;

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

/// All inputs and latches, each once, in order.
pub(super) fn fan_in_order(circuit: &Circuit) -> Vec<Leaf> {
    let mut seen = vec![false; circuit.variables()];
    let mut order = Vec::new();
    let mut roots = VecDeque::new();
    for &output in &circuit.outputs {
        roots.push_back(output.variable());
        // The latches of this output, and theirs, come before the next output.
        while let Some(root) = roots.pop_front() {
            let mut stack = vec![root];
            while let Some(variable) = stack.pop() {
                if std::mem::replace(&mut seen[variable], true) {
                    continue;
                }
                if let Some(leaf) = leaf(circuit, variable) {
                    order.push(leaf);
                    if let Leaf::Latch(latch) = leaf {
                        roots.push_back(circuit.latches[latch].next.variable());
                    }
                } else if let Some((a, b)) = operands(circuit, variable) {
                    stack.extend([b.variable(), a.variable()]);
                }
            }
        }
    }
    let rest = (1..=circuit.inputs + circuit.latches.len()).filter(|&v| !seen[v]);
    order.extend(rest.filter_map(|v| leaf(circuit, v)));
    order
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
