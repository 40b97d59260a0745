//! What a turn holds.

use super::Value;
use crate::logic::{AtomId, Letter};
use crate::model::StateId;

/// Who says whether a predicate holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluated {
    /// The evaluator was asked.
    Asked,
    /// It was computed from the values of cells.
    Computed,
    /// There is no text yet that it could hold of: it is false.
    NoText,
}

/// Whether a predicate holds in a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// The predicate: an input atom.
    pub atom: AtomId,
    /// Whether it holds.
    pub holds: bool,
    /// Who says so.
    pub by: Evaluated,
}

/// What an update came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedUpdate {
    /// The update.
    pub atom: AtomId,
    /// The cell.
    pub cell: String,
    /// The term.
    pub term: String,
    /// What the cell holds now.
    pub value: Value,
    /// Whether a generator wrote it.
    pub generated: bool,
    /// How many passages were written and not shown before this one, because they failed their check.
    pub discarded: u32,
}

/// A turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// From 0.
    pub number: u32,
    /// What the user said; empty for nothing.
    pub message: String,
    /// Which predicates hold.
    pub evaluations: Vec<Evaluation>,
    /// The evaluations that are enough for the choice of the controller in its present state.
    pub because: Vec<(AtomId, bool)>,
    /// The letter: evaluations, and the outputs that the controller chose.
    pub letter: Letter,
    /// The state in which the controller chose: the one after the turn before, or where it restarted.
    pub state: StateId,
    /// And after it.
    pub next: StateId,
    /// The assumptions that this turn broke, by their number.
    pub broken: Vec<usize>,
    /// The assumptions that this turn gave up by its outputs: others could have kept them.
    pub given_up: Vec<usize>,
    /// Whether the controller restarted in another state, because an assumption was broken.
    pub resynchronized: bool,
    /// Whether nothing was done, because an assumption was broken: the letter is what the controller would have done.
    pub held: bool,
    /// The guarantees that this turn violated, by their number.
    pub violated: Vec<usize>,
    /// The updates other than those that keep a cell as it is.
    pub made: Vec<AppliedUpdate>,
    /// The Boolean outputs that hold.
    pub outputs: Vec<AtomId>,
    /// The summary after the turn.
    pub summary: String,
}
