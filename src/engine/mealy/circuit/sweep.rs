//! Removal of redundant latches: those that always hold their reset value, and those that are equal to another latch
//! (structurally: the same next literal and reset value). Removing some may make more redundant; each round is linear.

use rustc_hash::FxHashMap;
use tsl_synth_core::model::{Circuit, CircuitBuilder, Latch, Literal};

/// The same circuit without redundant latches. At most as many rounds as there are latches.
pub fn simplified(mut circuit: Circuit) -> Circuit {
    loop {
        let latches = circuit.latches.len();
        let mut seen: FxHashMap<Latch, usize> = FxHashMap::default();
        let same: Vec<Same> = (0..latches)
            .map(|i| {
                let latch = circuit.latches[i];
                if latch.next == Literal::constant(latch.reset) || latch.next == circuit.latch(i) {
                    return Same::Constant(latch.reset);
                }
                match *seen.entry(latch).or_insert(i) {
                    first if first == i => Same::Itself,
                    first => Same::Latch(first),
                }
            })
            .collect();
        if same.iter().all(|s| matches!(s, Same::Itself)) {
            return circuit;
        }
        circuit = rebuilt(&circuit, &same);
        debug_assert!(circuit.latches.len() < latches, "some latch is gone");
    }
}

/// The replacement of a latch.
enum Same {
    Itself,
    Constant(bool),
    Latch(usize),
}

fn rebuilt(circuit: &Circuit, same: &[Same]) -> Circuit {
    let mut builder = CircuitBuilder::new(circuit.inputs);
    let mut copies = vec![Literal::FALSE];
    copies.extend((0..circuit.inputs).map(|i| builder.input(i)));
    for (latch, same) in circuit.latches.iter().zip(same) {
        let copy = match same {
            Same::Itself => builder.add_latch(latch.reset),
            Same::Constant(value) => Literal::constant(*value),
            Same::Latch(first) => copies[1 + circuit.inputs + first],
        };
        copies.push(copy);
    }
    let copy = |copies: &[Literal], l: Literal| copies[l.variable()].negated_if(l.is_negated());
    for &(a, b) in &circuit.gates {
        let gate = builder.and(copy(&copies, a), copy(&copies, b));
        copies.push(gate);
    }
    for (i, (latch, same)) in circuit.latches.iter().zip(same).enumerate() {
        if matches!(same, Same::Itself) {
            builder.set_next(copy(&copies, circuit.latch(i)), copy(&copies, latch.next));
        }
    }
    for &output in &circuit.outputs {
        builder.add_output(copy(&copies, output));
    }
    builder.finish()
}
