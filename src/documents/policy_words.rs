//! Documents about policies in words: `check --from-nl --format json`, `schema pattern`.

use super::SCHEMA_VERSION;
use super::parts::{CheckDiagnostic, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The document of `check --from-nl --format json`.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PolicySentencesDocument {
    /// The version of this format.
    pub schema_version: String,
    /// The program that made the document.
    pub tool: Tool,
    /// The policy.
    pub spec: String,
    /// One for each sentence, in order.
    pub laws: Vec<PolicySentence>,
    /// Findings: an error for each sentence that is not translated.
    pub diagnostics: Vec<CheckDiagnostic>,
}

impl PolicySentencesDocument {
    /// The document with these laws.
    pub fn new(
        tool_version: &str,
        spec: &str,
        laws: Vec<PolicySentence>,
        diagnostics: Vec<CheckDiagnostic>,
    ) -> Self {
        let tool = Tool::new(tool_version);
        Self { schema_version: SCHEMA_VERSION.into(), tool, spec: spec.into(), laws, diagnostics }
    }
}

/// A sentence and the law to which it is translated.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicySentence {
    /// A name for the law.
    pub id: String,
    /// The sentence.
    pub sentence: String,
    /// The law; `null` if the sentence is not translated.
    pub ltl: Option<String>,
    /// The law, translated back into a sentence.
    pub means: Option<String>,
    /// Registers that the law needs.
    pub registers: Vec<PolicyRegister>,
    /// Interpretations that were chosen, and remarks of a model.
    pub notes: Vec<String>,
    /// Whether a model translated it.
    pub by_model: bool,
}

/// A register that a law needs.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyRegister {
    /// The proposition that holds while the count is above the bound.
    pub name: String,
    /// The letters that are counted.
    pub on: String,
    /// The bound.
    pub above: u32,
    /// The letters in which the count starts again.
    pub reset_on: Option<String>,
    /// The time after which a letter no longer counts.
    pub window: Option<String>,
    /// Whether the letters of all sessions are counted.
    pub over_sessions: bool,
    /// The name whose distinct values are counted; without it all letters are.
    pub distinct: Option<String>,
}

/// The named patterns of rules: `schema pattern`.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PatternsDocument {
    /// The version of this format.
    pub schema_version: String,
    /// The program that made the document.
    pub tool: Tool,
    /// The patterns.
    pub patterns: Vec<PatternEntry>,
}

impl PatternsDocument {
    /// The document with these patterns.
    pub fn new(tool_version: &str, patterns: Vec<PatternEntry>) -> Self {
        Self { schema_version: SCHEMA_VERSION.into(), tool: Tool::new(tool_version), patterns }
    }
}

/// A named pattern.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PatternEntry {
    /// A short name.
    pub name: String,
    /// Its syntax.
    pub form: String,
    /// An example.
    pub example: String,
    /// The LTL formula of the example.
    pub ltl: String,
    /// The example as a sentence.
    pub sentence: String,
    /// The register that the example needs.
    pub register: Option<PolicyRegister>,
}
