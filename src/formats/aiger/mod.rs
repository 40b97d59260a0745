//! AIGER 1.9, ASCII and binary (Biere, Heljanko and Wieringa 2011): sequential circuits with named inputs and outputs.
//! The reader refuses bad states, constraints, justice, fairness and latches without an initial value, which
//! controllers do not have.

mod atoms;
mod problem;
mod reader;
mod writer;

pub use atoms::{AigerStrategy, aiger_of_strategy};
pub use problem::{CircuitProperty, ModelChecking, write_problem};
pub use reader::{is_aiger, read_aiger};
pub use writer::{write_ascii, write_binary};

use tsl_synth_core::model::Circuit;

/// A file: a circuit whose inputs and outputs have names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aiger {
    /// The circuit over the inputs and outputs of the file.
    pub circuit: Circuit,
    /// The symbol of each input.
    pub inputs: Vec<Option<String>>,
    /// The symbol of each output.
    pub outputs: Vec<Option<String>>,
    /// The text after `c`.
    pub comment: String,
}

/// An error in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AigerError {
    /// The line, from 1; 0 for the circuit as a whole.
    pub line: usize,
    /// What is wrong, in one sentence.
    pub message: String,
}

impl std::fmt::Display for AigerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.line == 0 {
            f.write_str(&self.message)
        } else {
            write!(f, "line {}: {}", self.line, self.message)
        }
    }
}

impl std::error::Error for AigerError {}
