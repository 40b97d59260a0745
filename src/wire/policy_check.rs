//! Documents about policies: `check --format json`.

use super::SCHEMA_VERSION;
use super::parts::{CheckDiagnostic, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The document of `check --format json` for policies.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PolicyCheckDocument {
    /// The version of this format.
    pub schema_version: String,
    /// What made the document.
    pub tool: Tool,
    /// One result for each file.
    pub results: Vec<PolicyResult>,
}

impl PolicyCheckDocument {
    /// The document with these results.
    pub fn new(tool_version: &str, results: Vec<PolicyResult>) -> Self {
        Self { schema_version: SCHEMA_VERSION.into(), tool: Tool::new(tool_version), results }
    }
}

/// The result of checking one policy.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PolicyResult {
    /// The file.
    pub spec: String,
    /// `CONSISTENT`, `OVER-CONSTRAINED`, `UNREALIZABLE`, `UNKNOWN`, or `ERROR` for a text that is no policy.
    pub verdict: String,
    /// Why, in a sentence.
    pub reason: Option<String>,
    /// How many laws it has.
    pub laws: usize,
    /// How many states of the world that the declared effects describe were searched.
    pub states: usize,
    /// Whether these are all states that can be reached.
    pub is_complete: bool,
    /// Why there was no search.
    pub not_searched: Option<String>,
    /// Sets of laws that leave no action in a state that can be reached, shortest ways first.
    pub over_constrained: Vec<PolicyStuck>,
    /// Whether some agent can act and stop whatever the world does; `null` where that is not decided.
    pub can_act_and_stop: Option<bool>,
    /// If none can: laws that cannot be kept whatever the agent does.
    pub lost: Vec<String>,
    /// Steps that violate no law at once, and after which the world can make it impossible to keep some.
    pub traps: Vec<PolicyTrap>,
    /// How many positions were searched for traps.
    pub positions: usize,
    /// Whether these are all positions.
    pub is_all_positions: bool,
    /// Whether only runs were searched in which all letters are about one value.
    pub is_of_one_value: bool,
    /// Why there was no look-ahead, or no search for traps.
    pub no_look_ahead: Option<String>,
    /// Pairs of laws that exclude each other in a state that the laws of the world allow.
    pub conflicts: Vec<PolicyConflict>,
    /// Pairs for which that is not decided.
    pub undecided: Vec<Vec<String>>,
    /// Laws that say nothing, or that others imply.
    pub oddities: Vec<PolicyOddity>,
    /// Laws with a copy for each value.
    pub copies: Vec<PolicyCopies>,
    /// The sessions that the policy was held to.
    pub sessions: Vec<String>,
    /// What the sessions tell about each law.
    pub against: Vec<PolicyGrounding>,
    /// Actions and propositions that no session has.
    pub never_seen: Vec<String>,
    /// Tools whose calls no table matches, and how many calls.
    pub unmatched: BTreeMap<String, u64>,
    /// Names of observations that the policy does not have, and how often they occur.
    pub unknown: BTreeMap<String, u64>,
    /// Everything there is to say.
    pub diagnostics: Vec<CheckDiagnostic>,
}

impl PolicyResult {
    /// A result without anything found.
    pub fn new(spec: &str, verdict: &str, diagnostics: Vec<CheckDiagnostic>) -> Self {
        Self { spec: spec.into(), verdict: verdict.into(), diagnostics, ..Self::default() }
    }
}

/// A step of a word: what holds, and what the agent then does.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyStep {
    /// The names that are true.
    pub truths: Vec<String>,
    /// The action; `null` where no action is left.
    pub action: Option<String>,
}

/// Laws that leave no action in a state that can be reached.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyStuck {
    /// The laws; none of them can be left out.
    pub laws: Vec<String>,
    /// How many legal steps lead there.
    pub steps: usize,
    /// The steps; the last one is the state.
    pub trajectory: Vec<PolicyStep>,
}

/// A step that violates no law at once, and after which the world can make it impossible to keep some.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyTrap {
    /// The action.
    pub action: String,
    /// The laws that can no longer be kept for sure.
    pub laws: Vec<String>,
    /// How many steps the agent makes, this one included.
    pub steps: usize,
    /// A shortest legal way; the last letter is the trap.
    pub trajectory: Vec<PolicyTrapStep>,
}

/// A letter on the way to a trap.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyTrapStep {
    /// Who makes it: `agent` or `world`.
    pub by: String,
    /// What is true in it.
    pub names: Vec<String>,
}

/// Two laws that exclude each other.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyConflict {
    /// The laws.
    pub laws: Vec<String>,
    /// A shortest way into a state where they do.
    pub trajectory: Vec<PolicyStep>,
    /// Other laws that are violated on this way.
    pub others: Vec<String>,
}

/// A law that says nothing, or that another law implies.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyOddity {
    /// The law.
    pub law: String,
    /// `vacuous`, `impossible`, `never-fires`, `implied` or `equivalent`.
    pub kind: String,
    /// The other law.
    pub by: Option<String>,
}

/// A law with a copy for each value.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyCopies {
    /// The law.
    pub law: String,
    /// Whether the copies can be judged apart.
    pub independent: bool,
    /// Why that is not shown.
    pub reason: Option<String>,
}

/// What sessions tell about a law.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyGrounding {
    /// The law.
    pub law: String,
    /// Whether what it is about occurs.
    pub grounded: bool,
    /// Where: sessions and letters, both from 0; not all of them.
    pub steps: Vec<(usize, usize)>,
    /// Sessions that violate it, with the letter that does.
    pub violated: Vec<(usize, usize)>,
    /// Sessions that end while it is owed.
    pub owed: Vec<usize>,
}
