//! The data of the templates of tables in other languages: Verilog and XState. All `ident`s, conditions and values are
//! in the syntax of the target; texts are made safe for its comments; `quoted` are string literals of the target.

use super::view::CircuitView;
use serde::Serialize;

/// A machine as a table with code for its conditions.
#[derive(Clone, Debug, Serialize)]
pub struct TableView {
    /// Lines for the comment on top.
    pub header: Vec<String>,
    /// The name of the machine as an identifier.
    pub module: String,
    /// The signals that are read in every step.
    pub inputs: Vec<SignalView>,
    /// The Boolean outputs.
    pub outputs: Vec<SignalView>,
    /// The cells, whose updates are outputs.
    pub cells: Vec<CellCodeView>,
    /// The number of bits of the number of a state.
    pub width: usize,
    /// The initial state.
    pub initial: TableTarget,
    /// The states; none where the machine is a circuit.
    pub states: Vec<TableStateView>,
    /// The decisions as a circuit, where the machine has too many states or decisions to be listed.
    pub circuit: Option<CircuitView>,
    /// The initial values of the bits of a circuit, the last one first.
    pub reset: String,
}

/// A target state.
#[derive(Clone, Debug, Serialize)]
pub struct TableTarget {
    /// Its number.
    pub number: usize,
    /// Its identifier.
    pub ident: String,
}

/// A Boolean signal.
#[derive(Clone, Debug, Serialize)]
pub struct SignalView {
    /// Its identifier.
    pub ident: String,
    /// What it is in the specification, for a comment.
    pub text: String,
    /// The same as a string literal.
    pub quoted: String,
}

/// A cell.
#[derive(Clone, Debug, Serialize)]
pub struct CellCodeView {
    /// Its identifier.
    pub ident: String,
    /// Its name in the specification.
    pub text: String,
    /// The same as a string literal.
    pub quoted: String,
    /// The number of bits of the number of an update.
    pub width: usize,
    /// Its updates in the order of their numbers: the identifier of the number, and the term.
    pub options: Vec<SignalView>,
}

/// A state.
#[derive(Clone, Debug, Serialize)]
pub struct TableStateView {
    /// Its number.
    pub number: usize,
    /// Its identifier.
    pub ident: String,
    /// What it does, for a comment.
    pub text: String,
    /// The decision as rows: tests, leaves and ends of blocks.
    pub rows: Vec<TableRowView>,
    /// The same as a list of edges, of which the first one whose condition holds is taken.
    pub edges: Vec<TableEdgeView>,
}

/// A row of a decision.
#[derive(Clone, Debug, Serialize)]
pub struct TableRowView {
    /// `if`, `else`, `end`, `leaf`.
    pub kind: String,
    /// Depth of nesting, from 0.
    pub depth: usize,
    /// What is tested.
    pub test: String,
    /// What is done in a leaf.
    pub leaf: Option<TableEdgeView>,
}

/// The outputs, updates and next state for some letters.
#[derive(Clone, Debug, Serialize)]
pub struct TableEdgeView {
    /// Its condition; empty for all other cases.
    pub when: String,
    /// The next state.
    pub next: TableTarget,
    /// The Boolean outputs that are true, by identifier.
    pub outputs: Vec<String>,
    /// For each cell its identifier, and the identifier of its update with its text.
    pub updates: Vec<(String, SignalView)>,
}
