//! The document of `policy ask --format json`.

use super::SCHEMA_VERSION;
use super::parts::Tool;
use schemars::JsonSchema;
use serde::Serialize;

/// The answer to a question about the laws of a policy.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PolicyAskDocument {
    /// The version of this format.
    pub schema_version: String,
    /// The program that made the document.
    pub tool: Tool,
    /// The policy.
    pub policy: String,
    /// The question.
    pub question: String,
    /// `may`: whether some session violates the formula and keeps the laws; `must`: whether every session that keeps the
    /// laws keeps the formula.
    pub kind: String,
    /// The formula.
    pub ltl: String,
    /// The formula in words.
    pub means: String,
    /// `yes`, `no` or `unknown`.
    pub answer: String,
    /// Why it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The laws because of which there is no session; none of them can be left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub laws: Vec<String>,
    /// The bound values that calls must share for the answer: some of these laws have `for_each`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub same_values: Vec<String>,
    /// Laws by which a person has to approve.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub approval: Vec<String>,
    /// Soft laws that speak against it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub soft: Vec<String>,
    /// A shortest session that shows the answer: what holds and happens, step by step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub session: Vec<Vec<String>>,
}

impl PolicyAskDocument {
    /// The document of a question, before its answer.
    pub fn new(version: &str, policy: &str, question: &str, kind: &str) -> Self {
        Self {
            schema_version: SCHEMA_VERSION.into(),
            tool: Tool::new(version),
            policy: policy.into(),
            question: question.into(),
            kind: kind.into(),
            ltl: String::new(),
            means: String::new(),
            answer: "unknown".into(),
            reason: None,
            laws: Vec::new(),
            same_values: Vec::new(),
            approval: Vec::new(),
            soft: Vec::new(),
            session: Vec::new(),
        }
    }
}
