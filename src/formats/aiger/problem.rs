//! Model-checking problems in AIGER 1.9: bad states, invariant constraints and justice (Biere, Heljanko and Wieringa
//! 2011, section 3).

use super::writer::{gates, inputs_and_latches, literals, plain};
use tsl_synth_core::model::{Circuit, Literal};

/// The property to check on the runs of a circuit on which all constraints hold in every step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CircuitProperty {
    /// Whether some run reaches a step in which the literal holds.
    Bad(Literal),
    /// Whether on some infinite run each of the literals holds infinitely often.
    Justice(Vec<Literal>),
}

/// A circuit and a property to check. The circuit has no outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelChecking {
    /// The circuit.
    pub circuit: Circuit,
    /// The symbol of each input.
    pub inputs: Vec<String>,
    /// The invariant constraints: only runs on which these hold in every step are considered.
    pub constraints: Vec<Literal>,
    /// The property to check on these runs.
    pub question: CircuitProperty,
    /// The text after `c`.
    pub comment: String,
}

/// The problem as ASCII AIGER (`aag`).
///
/// # Panics
/// Never.
pub fn write_problem(problem: &ModelChecking) -> String {
    let ModelChecking { circuit, inputs, constraints, question, comment } = problem;
    let (bad, justice): (&[Literal], Option<&[Literal]>) = match question {
        CircuitProperty::Bad(bad) => (std::slice::from_ref(bad), None),
        CircuitProperty::Justice(conditions) => (&[], Some(conditions)),
    };
    let mut out = format!(
        "aag {} {} {} 0 {} {} {}",
        circuit.variables() - 1,
        circuit.inputs,
        circuit.latches.len(),
        circuit.gates.len(),
        bad.len(),
        constraints.len()
    );
    out.push_str(if justice.is_some() { " 1\n" } else { "\n" });
    out += &inputs_and_latches(circuit);
    out += &literals(bad);
    out += &literals(constraints);
    if let Some(conditions) = justice {
        out.extend([conditions.len().to_string(), "\n".into(), literals(conditions)]);
    }
    out += &gates(circuit);
    for (i, name) in inputs.iter().enumerate() {
        out.extend([format!("i{i} "), plain(name), "\n".into()]);
    }
    if !comment.is_empty() {
        out.push_str("c\n");
        out.extend(comment.lines().map(|line| plain(line) + "\n"));
    }
    out
}
