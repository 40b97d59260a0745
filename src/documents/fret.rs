//! The document of `check` about exports of FRET.

use super::SCHEMA_VERSION;
use super::check::CheckResult;
use super::parts::{CheckDiagnostic, CheckVerdict, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What `check --format json` prints about exports of FRET.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FretDocument {
    /// The version of this format.
    pub schema_version: String,
    /// The program that made the document.
    pub tool: Tool,
    /// One result for each file.
    pub results: Vec<FretResult>,
}

impl FretDocument {
    /// The document with these results.
    pub fn new(tool_version: &str, results: Vec<FretResult>) -> Self {
        Self { schema_version: SCHEMA_VERSION.into(), tool: Tool::new(tool_version), results }
    }
}

/// The result for one file.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FretResult {
    /// The file.
    pub spec: String,
    /// One result for each component.
    pub components: Vec<FretComponent>,
    /// Errors of the text.
    pub diagnostics: Vec<CheckDiagnostic>,
}

impl FretResult {
    /// The result of a file.
    pub fn new(spec: &str, components: Vec<FretComponent>, diagnostics: Vec<CheckDiagnostic>) -> Self {
        Self { spec: spec.into(), components, diagnostics }
    }
}

/// The result for one component.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FretComponent {
    /// The project.
    pub project: String,
    /// The component.
    pub component: String,
    /// How many requirements it has.
    pub requirements: usize,
    /// The answer.
    pub verdict: CheckVerdict,
    /// Why there is no answer, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The requirements that cannot be kept together, for UNREALIZABLE; together with what arithmetic says.
    pub conflict: Vec<String>,
    /// The requirements that were not read.
    pub unread: Vec<UnreadRequirement>,
    /// The result of the contract that has the answer, whose clauses are in LTL.
    pub contract: CheckResult,
}

/// A requirement that was not read.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnreadRequirement {
    /// Its name.
    pub id: String,
    /// Why it was not read.
    pub reason: String,
}
