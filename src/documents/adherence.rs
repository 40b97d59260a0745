//! The document of `agent stats --format json`.

use super::{SCHEMA_VERSION, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// How well runs of agents adhere to their specification.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AdherenceDocument {
    /// The version of this format.
    pub schema_version: String,
    /// The program that made the document.
    pub tool: Tool,
    /// The runs.
    pub runs: usize,
    /// The runs that violate no guarantee.
    pub kept: usize,
    /// All turns.
    pub turns: usize,
    /// The first violation of each guarantee in each run.
    pub violations: Vec<AdherenceViolation>,
    /// In how many runs each assumption was broken.
    pub broken: BTreeMap<String, usize>,
    /// How often the texts of updates satisfied the requested predicates.
    pub points: Vec<AdherencePoint>,
}

/// A violated guarantee.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdherenceViolation {
    /// The run.
    pub run: String,
    /// The turn.
    pub turn: u32,
    /// The guarantee.
    pub guarantee: String,
    /// The first assumption that was broken, in this turn or before; if absent, the agent is to blame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
    /// The turn that broke it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken_in: Option<u32>,
    /// The first assumption that the agent itself made impossible, in this turn or before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given_up: Option<String>,
}

/// How often the texts of updates satisfied the requested predicates.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdherencePoint {
    /// The update that wrote the text.
    pub update: String,
    /// The predicate that the text has to satisfy.
    pub predicate: String,
    /// How often the update was made and the predicate was evaluated in the next turn.
    pub asked: usize,
    /// How often the predicate held in the next turn.
    pub kept: usize,
}

impl AdherenceDocument {
    /// An empty document.
    pub fn empty(tool_version: &str) -> Self {
        Self {
            schema_version: SCHEMA_VERSION.into(),
            tool: Tool::new(tool_version),
            runs: 0,
            kept: 0,
            turns: 0,
            violations: Vec::new(),
            broken: BTreeMap::new(),
            points: Vec::new(),
        }
    }
}
