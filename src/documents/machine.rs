//! Machine JSON: a strategy of either player as a table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A machine.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineDocument {
    /// The version of this format.
    pub schema_version: String,
    /// The program that made the document.
    pub tool: super::Tool,
    /// `mealy`: outputs are on the edges. `moore`: every state gives a letter.
    pub kind: MachineKind,
    /// Whose strategy it is.
    pub player: MachinePlayer,
    /// Hash of the transition table.
    pub machine_id: String,
    /// The specification it was made for.
    pub spec: MachineSpec,
    /// How the machine was checked; absent without a certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certified_by: Option<String>,
    /// How the machine came about.
    pub origin: String,
    /// The atoms of the environment, with the ids that guards use.
    pub inputs: Vec<MachineAtom>,
    /// The cells with their update terms; every edge chooses one for each.
    pub cells: Vec<MachineCell>,
    /// The Boolean outputs.
    pub outputs: Vec<MachineAtom>,
    /// The number of the start state.
    pub initial: usize,
    /// The states.
    pub states: Vec<MachineState>,
}

/// The type of a machine.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MachineKind {
    /// Outputs depend on the input of the step.
    Mealy,
    /// Letters depend on the state only.
    Moore,
}

/// Whose strategy a machine is.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MachinePlayer {
    /// A controller.
    System,
    /// A counter-strategy.
    Environment,
}

/// The specification of a machine.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct MachineSpec {
    /// Its name.
    pub name: String,
    /// SHA-256 of its text.
    pub sha256: String,
}

/// An atom with the id that guards use.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct MachineAtom {
    /// An identifier: letters, digits and `_`, no operator of LTL.
    pub id: String,
    /// The term of the specification.
    pub term: String,
}

/// A cell.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct MachineCell {
    /// Its name.
    pub name: String,
    /// Its update terms.
    pub terms: Vec<String>,
    /// The ids of the updates, in guards of counter-strategies.
    pub ids: Vec<String>,
}

/// A state.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct MachineState {
    /// Its number.
    pub id: usize,
    /// Its name.
    pub name: String,
    /// In a Moore machine: the values of the inputs, by id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub letter: Option<BTreeMap<String, bool>>,
    /// The edges; their guards are disjoint and complete.
    pub edges: Vec<MachineEdge>,
}

/// An edge.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct MachineEdge {
    /// A Boolean formula in LTL syntax over input ids (Moore: over ids of updates and outputs).
    pub guard: String,
    /// The number of the next state.
    pub next: usize,
    /// The update of each cell, by name (Mealy).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updates: Option<BTreeMap<String, String>>,
    /// The values of the Boolean outputs, by id (Mealy).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outputs: Option<BTreeMap<String, bool>>,
    /// For each cell that the edge changes some of the clauses that ask for it: a controller that kept the cell here would
    /// break them. A free choice has no clause; a cell is left out if that was not decided.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub asked: BTreeMap<String, Vec<String>>,
}
