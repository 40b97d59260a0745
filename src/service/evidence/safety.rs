//! Reduces problems of justice to problems of safety (Biere, Artho and Schuppan, "Liveness checking as safety
//! checking", FMICS 2002), for programs that only decide whether an output can ever be true.

use super::wires::Copy;
use tsl_synth_core::model::{CircuitBuilder, Literal};
use tsl_synth_formats::aiger::{Aiger, CircuitProperty, ModelChecking};

/// A circuit with one output that can be true exactly if the answer to the question is yes. A lasso is found by a free
/// input that saves the state once; the lasso closes when the saved state recurs.
pub(super) fn as_safety(problem: &ModelChecking) -> Aiger {
    let ModelChecking { circuit, constraints, question, .. } = problem;
    let saves = matches!(question, CircuitProperty::Justice(_));
    let mut builder = CircuitBuilder::new(circuit.inputs + usize::from(saves));
    let inputs: Vec<Literal> = (0..circuit.inputs).map(|i| builder.input(i)).collect();
    let (copy, latches) = Copy::running(&mut builder, circuit, &inputs);
    let legal = builder.and_all(constraints.iter().map(|&constraint| copy.of(constraint)));
    // Whether all constraints held in the steps before this one.
    let kept = builder.add_latch(true);
    let keeps = builder.and(kept, legal);
    builder.set_next(kept, keeps);
    let bad = match question {
        CircuitProperty::Bad(bad) => builder.and(keeps, copy.of(*bad)),
        CircuitProperty::Justice(conditions) => {
            let saved = builder.add_latch(false);
            let save = builder.and(builder.input(circuit.inputs), !saved);
            let saved_next = builder.or(saved, save);
            builder.set_next(saved, saved_next);
            let mut closed = vec![kept, saved];
            for &latch in &latches {
                let shadow = builder.add_latch(false);
                let next = builder.mux(save, latch, shadow);
                builder.set_next(shadow, next);
                closed.push(builder.iff(latch, shadow));
            }
            for &condition in conditions.iter().filter(|&&condition| condition != Literal::TRUE) {
                let seen = builder.add_latch(false);
                let now = builder.and(saved_next, copy.of(condition));
                let next = builder.or(seen, now);
                builder.set_next(seen, next);
                closed.push(seen);
            }
            builder.and_all(closed)
        }
    };
    builder.add_output(bad);
    let save = saves.then(|| "save the state".to_string());
    Aiger {
        circuit: builder.finish(),
        inputs: problem.inputs.iter().cloned().chain(save).map(Some).collect(),
        outputs: vec![Some("a play breaks the claim".into())],
        comment: problem.comment.clone(),
    }
}
