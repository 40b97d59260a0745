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
    /// The program that made the document.
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
    /// `CONSISTENT`, `OVER-CONSTRAINED`, `UNREALIZABLE`, `UNKNOWN`, or `ERROR` for a text that is not a policy.
    pub verdict: String,
    /// Why, in a sentence.
    pub reason: Option<String>,
    /// The number of laws.
    pub laws: usize,
    /// The number of searched states of the world, which the declared effects describe.
    pub states: usize,
    /// Whether these are all reachable states.
    pub is_complete: bool,
    /// Why there was no search.
    pub not_searched: Option<String>,
    /// Sets of laws that leave no action in a reachable state, shortest runs first.
    pub over_constrained: Vec<PolicyStuck>,
    /// Whether some agent can act and stop whatever the world does; `null` if that is not decided.
    pub can_act_and_stop: Option<bool>,
    /// If none can: laws that cannot be satisfied, whatever the agent does.
    pub lost: Vec<String>,
    /// Steps that violate no law at once, but after which the world can force the violation of some law.
    pub traps: Vec<PolicyTrap>,
    /// The number of positions that were searched for traps.
    pub positions: usize,
    /// Whether these are all positions.
    pub is_all_positions: bool,
    /// Whether only runs were searched in which all letters are bound to one value.
    pub is_of_one_value: bool,
    /// Why there was no look-ahead, or no search for traps.
    pub no_look_ahead: Option<String>,
    /// Pairs of laws that exclude each other in a state that the laws of the world allow.
    pub conflicts: Vec<PolicyConflict>,
    /// Pairs for which that is not decided.
    pub undecided: Vec<Vec<String>>,
    /// Laws that are vacuous, impossible or never triggered, or that others imply.
    pub oddities: Vec<PolicyOddity>,
    /// Laws with a copy for each value.
    pub copies: Vec<PolicyCopies>,
    /// Equivalent and similar commands for each table about shell commands; empty unless requested.
    pub spellings: Vec<PolicySpellings>,
    /// The sessions against which the policy was checked.
    pub sessions: Vec<String>,
    /// The results of checking each law against the sessions.
    pub against: Vec<PolicyGrounding>,
    /// Actions and propositions that occur in no session.
    pub never_seen: Vec<String>,
    /// Tools whose calls no table matches, and how many calls.
    pub unmatched: BTreeMap<String, u64>,
    /// Names of observations that the policy does not declare, and how often they occur.
    pub unknown: BTreeMap<String, u64>,
    /// All findings.
    pub diagnostics: Vec<CheckDiagnostic>,
}

impl PolicyResult {
    /// A result without anything found.
    pub fn new(spec: &str, verdict: &str, diagnostics: Vec<CheckDiagnostic>) -> Self {
        Self { spec: spec.into(), verdict: verdict.into(), diagnostics, ..Self::default() }
    }
}

/// A step of a word: the true propositions, and then the action of the agent.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyStep {
    /// The names that are true.
    pub truths: Vec<String>,
    /// The action; `null` if no action is left.
    pub action: Option<String>,
}

/// Equivalent and similar commands for a table about shell commands.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicySpellings {
    /// The line of the table.
    pub line: u32,
    /// The actions and propositions that it names.
    pub names: Vec<String>,
    /// A command that the table matches; `null` if none was found.
    pub example: Option<String>,
    /// Equivalent spellings of the example.
    pub same: Vec<PolicySpelling>,
    /// Commands that resemble it.
    pub others: Vec<PolicySpelling>,
}

/// A command that was tried.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicySpelling {
    /// The command.
    pub command: String,
    /// Whether the table matches: `yes`, `maybe` (it depends on what is not known, or cannot be read) or `no`.
    pub matches: String,
    /// What the gate would decide at the beginning of a session: `allow`, `warn`, `ask` or `deny`.
    pub verdict: String,
}

/// Laws that leave no action in a reachable state.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyStuck {
    /// The laws; none of them can be left out.
    pub laws: Vec<String>,
    /// The number of legal steps to that state.
    pub steps: usize,
    /// The steps; the last one is the state.
    pub trajectory: Vec<PolicyStep>,
}

/// A step that violates no law at once, but after which the world can force the violation of some law.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyTrap {
    /// The action.
    pub action: String,
    /// The laws whose satisfaction the agent can no longer guarantee.
    pub laws: Vec<String>,
    /// The number of steps of the agent, this one included.
    pub steps: usize,
    /// A shortest legal run; the last letter is the trap.
    pub trajectory: Vec<PolicyTrapStep>,
}

/// A letter of the run to a trap.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyTrapStep {
    /// Whose step it is: `agent` or `world`.
    pub by: String,
    /// The names that are true in it.
    pub names: Vec<String>,
}

/// Two laws that exclude each other.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyConflict {
    /// The laws.
    pub laws: Vec<String>,
    /// A shortest run to a state in which they do.
    pub trajectory: Vec<PolicyStep>,
    /// Other laws that are violated on this run.
    pub others: Vec<String>,
}

/// A law that is vacuous, impossible or never triggered, or that another law implies.
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
    /// Whether the copies can be judged independently.
    pub independent: bool,
    /// Why that could not be shown.
    pub reason: Option<String>,
}

/// The result of checking a law against sessions.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyGrounding {
    /// The law.
    pub law: String,
    /// Whether some session triggers the law: the premise of `G (p -> ..)` holds, or its monitor leaves the first
    /// state.
    pub grounded: bool,
    /// Where it is triggered: sessions and letters, both from 0; not all of them.
    pub steps: Vec<(usize, usize)>,
    /// Sessions that violate it, with the letter that does.
    pub violated: Vec<(usize, usize)>,
    /// Sessions that end while the law is owed, that is, not satisfied yet.
    pub owed: Vec<usize>,
    /// Sessions whose log leaves open whether the law is kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<usize>,
}
