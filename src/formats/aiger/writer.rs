//! Circuits as AIGER. Deterministic: a function of the circuit, its names and the comment.

use super::Aiger;
use std::fmt::Write;
use tsl_synth_core::model::{Circuit, Literal};

/// The ASCII form (`aag`).
///
/// # Panics
/// Never.
pub fn write_ascii(aiger: &Aiger) -> String {
    let circuit = &aiger.circuit;
    let outputs = literals(&circuit.outputs);
    [header("aag", aiger), inputs_and_latches(circuit), outputs, gates(circuit), symbols(aiger)].concat()
}

/// The lines of the inputs and latches in the ASCII form.
pub(super) fn inputs_and_latches(circuit: &Circuit) -> String {
    let inputs: Vec<Literal> = (0..circuit.inputs).map(|i| circuit.input(i)).collect();
    let mut out = literals(&inputs);
    for (i, latch) in circuit.latches.iter().enumerate() {
        let reset = if latch.reset { " 1" } else { "" };
        writeln!(out, "{} {}{reset}", circuit.latch(i).code(), latch.next.code())
            .expect("strings take everything");
    }
    out
}

/// A line for each literal.
pub(super) fn literals(literals: &[Literal]) -> String {
    literals.iter().map(|literal| literal.code().to_string() + "\n").collect()
}

/// The lines of the gates in the ASCII form.
pub(super) fn gates(circuit: &Circuit) -> String {
    let mut out = String::new();
    for (i, &(a, b)) in circuit.gates.iter().enumerate() {
        let (high, low) = (a.max(b).code(), a.min(b).code());
        writeln!(out, "{} {high} {low}", circuit.gate(i).code()).expect("strings take everything");
    }
    out
}

/// A name or a line of a comment: control characters become blanks.
pub(super) fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The binary form (`aig`).
///
/// # Panics
/// Never.
pub fn write_binary(aiger: &Aiger) -> Vec<u8> {
    let circuit = &aiger.circuit;
    let mut text = header("aig", aiger);
    for latch in &circuit.latches {
        let reset = if latch.reset { " 1" } else { "" };
        writeln!(text, "{}{reset}", latch.next.code()).expect("strings take everything");
    }
    for output in &circuit.outputs {
        writeln!(text, "{}", output.code()).expect("strings take everything");
    }
    let mut out = text.into_bytes();
    for (i, &(a, b)) in circuit.gates.iter().enumerate() {
        let (high, low) = (a.max(b).code(), a.min(b).code());
        for mut delta in [circuit.gate(i).code() - high, high - low] {
            while delta >= 0x80 {
                out.push((delta & 0x7f) as u8 | 0x80);
                delta >>= 7;
            }
            out.push(delta as u8);
        }
    }
    out.extend(symbols(aiger).into_bytes());
    out
}

fn header(form: &str, aiger: &Aiger) -> String {
    let circuit = &aiger.circuit;
    let (latches, gates) = (circuit.latches.len(), circuit.gates.len());
    let (inputs, outputs) = (circuit.inputs, circuit.outputs.len());
    format!("{form} {} {inputs} {latches} {outputs} {gates}\n", circuit.variables() - 1)
}

/// The symbol table and the comment; control characters become blanks.
fn symbols(aiger: &Aiger) -> String {
    let mut out = String::new();
    for (kind, names) in [('i', &aiger.inputs), ('o', &aiger.outputs)] {
        for (i, name) in names.iter().enumerate() {
            if let Some(name) = name {
                writeln!(out, "{kind}{i} {}", plain(name)).expect("strings take everything");
            }
        }
    }
    if !aiger.comment.is_empty() {
        out.push_str("c\n");
        for line in aiger.comment.lines() {
            writeln!(out, "{}", plain(line)).expect("strings take everything");
        }
    }
    out
}
