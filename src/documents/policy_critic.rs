//! The document of `critic --format json`.

use super::SCHEMA_VERSION;
use super::parts::Tool;
use super::policy_check::PolicyStep;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The results of editing the laws of a policy.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CriticDocument {
    /// The version of this format.
    pub schema_version: String,
    /// The program that made the document.
    pub tool: Tool,
    /// The policy.
    pub policy: String,
    /// The number of recorded runs.
    pub runs: usize,
    /// The number of runs that reach the last goal; `null` without goals.
    pub reaching: Option<usize>,
    /// The number of rounds.
    pub rounds: u32,
    /// Whether the last round changed nothing.
    pub is_settled: bool,
    /// All edits, in the order in which they were judged.
    pub edits: Vec<CriticEdit>,
    /// The number of sets of laws that leave no action in some state, before.
    pub over_constrained_before: usize,
    /// The same afterwards.
    pub over_constrained_after: usize,
    /// Why there may be more afterwards; `null` if these are all.
    pub undecided: Option<String>,
    /// The difference of the texts, in the unified format; empty if nothing changes.
    pub diff: String,
}

/// The results of an actor and the critic in turn.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CriticLoopDocument {
    /// The version of this format.
    pub schema_version: String,
    /// The program that made the document.
    pub tool: Tool,
    /// The policy.
    pub policy: String,
    /// The iterations.
    pub iterations: Vec<CriticIteration>,
    /// Whether the last iteration changed nothing, or withdrew edits.
    pub is_settled: bool,
    /// The difference of the texts, in the unified format; empty if nothing changes.
    pub diff: String,
}

impl CriticLoopDocument {
    /// The document of a policy, without iterations.
    pub fn new(version: &str, policy: &str) -> Self {
        Self {
            schema_version: SCHEMA_VERSION.into(),
            tool: Tool::new(version),
            policy: policy.into(),
            iterations: Vec::new(),
            is_settled: false,
            diff: String::new(),
        }
    }
}

/// Runs of an actor under the laws so far, and the edits that they led to.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CriticIteration {
    /// The number of runs.
    pub runs: usize,
    /// The number of runs that reached the goal.
    pub reached: usize,
    /// The actions of all runs.
    pub actions: usize,
    /// The actions that failed.
    pub failed: usize,
    /// The refused proposals.
    pub refused: usize,
    /// The steps in which the laws left no action.
    pub over_constrained: usize,
    /// The edits; `null` where fewer runs reached the goal than before, so that the edits of the previous iteration are
    /// withdrawn.
    pub critic: Option<CriticDocument>,
}

/// An edit of a law.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CriticEdit {
    /// The round, from 1.
    pub round: u32,
    /// `add`, `replace` or `delete`; `null` for an answer that could not be read.
    pub op: Option<String>,
    /// The id of the law.
    pub law: Option<String>,
    /// The new formula.
    pub ltl: Option<String>,
    /// The reason for the edit, in words.
    pub explanation: Option<String>,
    /// Whether it is admitted.
    pub admitted: bool,
    /// Why it is not: `malformed`, `unknown-name`, `not-soft`, `duplicate`, `impossible`, `not-grounded`,
    /// `over-constrains` or `not-decided`.
    pub because: Option<String>,
    /// The same as a sentence.
    pub message: Option<String>,
    /// The laws that leave no action; empty for other reasons.
    pub laws: Vec<String>,
    /// A shortest legal run to the state in which they do.
    pub trajectory: Vec<PolicyStep>,
}

impl CriticDocument {
    /// A document of a policy, without edits.
    pub fn new(tool_version: &str, policy: &str) -> Self {
        Self {
            schema_version: SCHEMA_VERSION.into(),
            tool: Tool::new(tool_version),
            policy: policy.into(),
            runs: 0,
            reaching: None,
            rounds: 0,
            is_settled: false,
            edits: Vec::new(),
            over_constrained_before: 0,
            over_constrained_after: 0,
            undecided: None,
            diff: String::new(),
        }
    }
}
