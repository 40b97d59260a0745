//! The document of `check --format json` about games over programs, and plays in numbers.

use super::SCHEMA_VERSION;
use super::parts::{CheckDiagnostic, CheckVerdict, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The whole document.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ProgramDocument {
    /// The version of this format.
    pub schema_version: String,
    /// The program that made the document.
    pub tool: Tool,
    /// One result for each file.
    pub results: Vec<ProgramResult>,
}

impl ProgramDocument {
    /// The document with these results.
    pub fn new(tool_version: &str, results: Vec<ProgramResult>) -> Self {
        Self { schema_version: SCHEMA_VERSION.into(), tool: Tool::new(tool_version), results }
    }
}

/// The result for one file.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ProgramResult {
    /// The file.
    pub spec: String,
    /// The answer; absent if the file has errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<CheckVerdict>,
    /// Why there is no answer, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Wall-clock time in seconds.
    pub seconds: f64,
    /// Locations of the game that was solved.
    pub locations: usize,
    /// Moves of this game.
    pub moves: usize,
    /// The certificate that was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<ProgramCertificateDocument>,
    /// A play that the environment wins; only for UNREALIZABLE.
    #[serde(flatten, default)]
    pub play: ProgramPlay,
    /// Errors of the text.
    pub diagnostics: Vec<CheckDiagnostic>,
}

impl ProgramResult {
    /// The result of a file without an answer.
    pub fn new(spec: &str, diagnostics: Vec<CheckDiagnostic>) -> Self {
        Self {
            spec: spec.into(),
            verdict: None,
            reason: None,
            seconds: 0.0,
            locations: 0,
            moves: 0,
            certificate: None,
            play: ProgramPlay::default(),
            diagnostics,
        }
    }
}

/// The size of a certificate.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgramCertificateDocument {
    /// Regions of states, each with an answer to everything that the opponent can do.
    pub regions: usize,
    /// Components of the rank that falls.
    pub components: usize,
}

/// A play in numbers.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgramPlay {
    /// Its steps.
    #[serde(rename = "play", default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<ProgramPlayStep>,
    /// The steps of the play from this one on repeat for ever; absent if it goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats_from: Option<usize>,
    /// Where the play ends, if the system has lost then, whatever the numbers are; without inputs and answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<ProgramPlayStep>,
}

/// A step of a play in numbers.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgramPlayStep {
    /// The location where it begins; absent if the game has no named locations.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub location: String,
    /// The values of the state variables, exactly.
    pub state: BTreeMap<String, String>,
    /// The inputs, exactly.
    pub inputs: BTreeMap<String, String>,
    /// What the system answers; absent if that has no names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answer: Vec<String>,
}
