//! Model-checking problems in AIGER 1.9: bad states, invariant constraints and justice (Biere, Heljanko and Wieringa
//! 2011, section 3).

use crate::model::{Circuit, Literal};
use std::fmt::Write;

/// What is asked about the runs of a circuit on which all constraints hold in every step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether one of them comes to a step in which this holds.
    Bad(Literal),
    /// Whether on one of them, an infinite one, each of these holds again and again.
    Justice(Vec<Literal>),
}

/// A circuit and a question about it. The circuit has no outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelChecking {
    /// The circuit.
    pub circuit: Circuit,
    /// The symbol of each input.
    pub inputs: Vec<String>,
    /// What holds in every step of the runs that are looked at.
    pub constraints: Vec<Literal>,
    /// What is asked of them.
    pub question: Question,
    /// The text after `c`.
    pub comment: String,
}

/// The problem as ASCII AIGER (`aag`).
///
/// # Panics
/// Never.
pub fn write_problem(problem: &ModelChecking) -> String {
    let ModelChecking { circuit, inputs, constraints, question, comment } = problem;
    let (latches, gates) = (circuit.latches.len(), circuit.gates.len());
    let (bad, justice): (&[Literal], Option<&[Literal]>) = match question {
        Question::Bad(bad) => (std::slice::from_ref(bad), None),
        Question::Justice(conditions) => (&[], Some(conditions)),
    };
    let mut out = format!(
        "aag {} {} {latches} 0 {gates} {} {}",
        circuit.variables() - 1,
        circuit.inputs,
        bad.len(),
        constraints.len()
    );
    out.push_str(if justice.is_some() { " 1\n" } else { "\n" });
    let mut line = |text: std::fmt::Arguments<'_>| {
        out.write_fmt(text).expect("strings take everything");
        out.push('\n');
    };
    for i in 0..circuit.inputs {
        line(format_args!("{}", circuit.input(i).code()));
    }
    for (i, latch) in circuit.latches.iter().enumerate() {
        let reset = if latch.reset { " 1" } else { "" };
        line(format_args!("{} {}{reset}", circuit.latch(i).code(), latch.next.code()));
    }
    for literal in bad.iter().chain(constraints) {
        line(format_args!("{}", literal.code()));
    }
    if let Some(conditions) = justice {
        line(format_args!("{}", conditions.len()));
        for literal in conditions {
            line(format_args!("{}", literal.code()));
        }
    }
    for (i, &(a, b)) in circuit.gates.iter().enumerate() {
        line(format_args!("{} {} {}", circuit.gate(i).code(), a.max(b).code(), a.min(b).code()));
    }
    let plain =
        |text: &str| -> String { text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect() };
    for (i, name) in inputs.iter().enumerate() {
        line(format_args!("i{i} {}", plain(name)));
    }
    if !comment.is_empty() {
        line(format_args!("c"));
        for text in comment.lines() {
            line(format_args!("{}", plain(text)));
        }
    }
    out
}
