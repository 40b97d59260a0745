//! The document of `policy try --format json`.

use super::SCHEMA_VERSION;
use super::parts::Tool;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The document of `policy try --format json`.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TryDocument {
    /// The version of this format.
    pub schema_version: String,
    /// The program that made the document.
    pub tool: Tool,
    /// The policy.
    pub spec: String,
    /// The calls, in order.
    pub calls: Vec<TriedCallDocument>,
}

impl TryDocument {
    /// The document with these calls.
    pub fn new(tool_version: &str, spec: &str, calls: Vec<TriedCallDocument>) -> Self {
        Self {
            schema_version: SCHEMA_VERSION.into(),
            tool: Tool::new(tool_version),
            spec: spec.into(),
            calls,
        }
    }
}

/// A call that was tried.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TriedCallDocument {
    /// The call as it was given: a command, or a JSON object.
    pub call: String,
    /// The tool.
    pub tool: String,
    /// `allow`, `warn`, `ask` or `deny`.
    pub verdict: String,
    /// The laws that cause the verdict.
    pub by: Vec<String>,
    /// The reason, in sentences; empty if the call is allowed.
    pub reason: String,
    /// The tables that match the call as a whole.
    pub tables: Vec<TriedTable>,
    /// Its simple commands.
    pub commands: Vec<TriedCommand>,
}

/// A simple command.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TriedCommand {
    /// Its words, with `…` for what is not known before it runs; then those of the command that it runs, and so on.
    pub words: Vec<String>,
    /// Why it may be any command.
    pub unreadable: Option<String>,
    /// The tables that match, or may match.
    pub tables: Vec<TriedTable>,
    /// Tables that do not match although all words of their patterns stand in the command in this order.
    pub near: Vec<NearMiss>,
}

/// A table that matches.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TriedTable {
    /// Its line in the policy; `null` for a table of a vocabulary.
    pub line: Option<u32>,
    /// The actions and propositions that it names.
    pub names: Vec<String>,
    /// Whether it matches certainly; else it may match, because words are not known.
    pub is_certain: bool,
}

/// A table that almost matches.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NearMiss {
    /// Its line in the policy; `null` for a table of a vocabulary.
    pub line: Option<u32>,
    /// The actions and propositions that it names.
    pub names: Vec<String>,
    /// The first word that its pattern does not permit.
    pub between: String,
}
