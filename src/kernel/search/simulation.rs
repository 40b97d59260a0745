//! Runs of a circuit on random inputs, 64 at once.

use tsl_synth_core::base::{Budget, Limit, Random};
use tsl_synth_core::model::{Circuit, Literal};

/// Steps of each run.
const STEPS: usize = 96;

/// For each latch its values in all steps of 64 runs: a word per step. O(gates) for each step.
///
/// # Errors
/// A limit of the budget.
pub(crate) fn signatures(circuit: &Circuit, budget: &Budget) -> Result<Vec<Vec<u64>>, Limit> {
    let mut random = Random::new(1);
    let word = |value: bool| if value { u64::MAX } else { 0 };
    let mut latches: Vec<u64> = circuit.latches.iter().map(|latch| word(latch.reset)).collect();
    let mut signatures = vec![Vec::with_capacity(STEPS); latches.len()];
    let mut values = vec![0; circuit.variables()];
    for _ in 0..STEPS {
        budget.tick(1 + circuit.variables() as u64 / 1024, || "certificate: a simulation".into())?;
        for (signature, &value) in signatures.iter_mut().zip(&latches) {
            signature.push(value);
        }
        let inputs = 1..=circuit.inputs;
        values[inputs].fill_with(|| (0..4).fold(0, |word, _| word << 16 | random.below(1 << 16) as u64));
        let first_gate = 1 + circuit.inputs + latches.len();
        values[1 + circuit.inputs..first_gate].copy_from_slice(&latches);
        let of = |values: &[u64], literal: Literal| {
            let value = values[literal.variable()];
            if literal.is_negated() { !value } else { value }
        };
        for (i, &(a, b)) in circuit.gates.iter().enumerate() {
            values[first_gate + i] = of(&values, a) & of(&values, b);
        }
        for (value, latch) in latches.iter_mut().zip(&circuit.latches) {
            *value = of(&values, latch.next);
        }
    }
    Ok(signatures)
}
