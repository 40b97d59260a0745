//! The record of a turn.

use super::Value;
use tsl_synth_core::logic::{AtomId, Letter};
use tsl_synth_core::model::StateId;

/// The source of the truth value of a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluated {
    /// The evaluator was asked.
    Asked,
    /// It was computed from the values of cells.
    Computed,
    /// There is no text to evaluate yet: the predicate is false.
    NoText,
}

/// Whether a predicate holds in a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// The predicate: an input atom.
    pub atom: AtomId,
    /// Whether it holds.
    pub holds: bool,
    /// The source of the truth value.
    pub by: Evaluated,
}

/// An update that was carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedUpdate {
    /// The update.
    pub atom: AtomId,
    /// The cell.
    pub cell: String,
    /// The term.
    pub term: String,
    /// The new value of the cell.
    pub value: Value,
    /// Whether a generator wrote it.
    pub generated: bool,
    /// The number of passages that were discarded before this one because they failed their check.
    pub discarded: u32,
}

/// A turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The number of the turn, from 0.
    pub number: u32,
    /// The message of the user; empty if there is none.
    pub message: String,
    /// The truth values of the predicates.
    pub evaluations: Vec<Evaluation>,
    /// A subset of the evaluations that determines the outputs of the controller in its present state.
    pub because: Vec<(AtomId, bool)>,
    /// The letter: evaluations, and the outputs that the controller chose.
    pub letter: Letter,
    /// The state in which the controller chose: the state after the previous turn, or the state in which it restarted.
    pub state: StateId,
    /// The state of the controller after the turn.
    pub next: StateId,
    /// The assumptions that this turn broke, by their number.
    pub broken: Vec<usize>,
    /// The assumptions that the outputs of this turn broke: other outputs could have kept them.
    pub given_up: Vec<usize>,
    /// Whether the controller restarted in another state, because an assumption was broken.
    pub resynchronized: bool,
    /// Whether nothing was done, because an assumption was broken: the letter has the outputs that the controller would
    /// have chosen.
    pub held: bool,
    /// The guarantees that this turn violated, by their number.
    pub violated: Vec<usize>,
    /// The updates that were carried out, except those that keep a cell as it is.
    pub made: Vec<AppliedUpdate>,
    /// The Boolean outputs that hold.
    pub outputs: Vec<AtomId>,
    /// The summary after the turn.
    pub summary: String,
}
