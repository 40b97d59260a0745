//! The answers of the gate: one line of JSON for each request of the reference protocol.

use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The answer to one request.
#[derive(Clone, Debug, Default, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GateDocument {
    /// The kind of answer: `verdict` to a proposed call and to `end`, `heard` to events that are only reported,
    /// `options`, or `error`.
    pub answer: String,
    /// The session.
    pub session: String,
    /// The id of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `allow`, `warn`, `ask` or `deny`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// The laws that cause the verdict.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<String>,
    /// The reason for the verdict, in sentences; for an error, what is wrong.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Identifies a granted call in `commit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticket: Option<String>,
    /// The names that were true in the last letter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safe: Option<Vec<String>>,
    /// The names that would be true in the letter that is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub violated: Option<Vec<String>>,
    /// For a refused call with shell commands: what the gate sees of each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<GateCommand>,
    /// The actions that are allowed now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<Vec<String>>,
    /// For each action that violates a law at once, the laws that it violates individually.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub denied: Option<BTreeMap<String, Vec<String>>>,
    /// Whether every action violates a law at once, and the agent may not do nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over_constrained: Option<bool>,
    /// If that is the case: laws that together leave no action.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub core: Vec<String>,
    /// The laws that would be violated if the run ended here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub owed: Vec<String>,
    /// For laws with `for_each` among them, the values that they are owed for, at most ten of each, and the number of the
    /// others.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub owed_for: BTreeMap<String, OwedFor>,
    /// A shortest sequence of letters to an accepted end, if the world cooperates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub way_out: Option<Vec<GateWayStep>>,
    /// Whether the hard laws can no longer be kept, whatever the agent does.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
    /// Soft laws that are not enforced at the moment.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    /// Laws that are violated since this event; a violated assumption is a violation by the world.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<String>,
    /// What is wrong with the event.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
    /// The verdict is recorded and not enforced.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shadow: bool,
}

/// A simple command of a shell call as the tables of the policy see it.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GateCommand {
    /// Its words, with `…` for what is not known before it runs; without a program that only runs it, such as `sudo`.
    pub command: String,
    /// The actions and propositions that it certainly is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub is: Vec<String>,
    /// The actions and propositions that it may be in addition.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub may_be: Vec<String>,
    /// Why it may be any command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
}

/// A letter of the sequence to an accepted end.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GateWayStep {
    /// `agent` or `world`.
    pub by: String,
    /// The names that are true in the letter.
    pub letter: Vec<String>,
}

impl GateWayStep {
    /// A step of the agent or of the world.
    pub fn new(is_agents: bool, letter: Vec<String>) -> Self {
        Self { by: if is_agents { "agent" } else { "world" }.into(), letter }
    }
}

impl GateDocument {
    /// An answer of this kind.
    pub fn new(answer: &str, session: &str) -> Self {
        Self { answer: answer.into(), session: session.into(), ..Self::default() }
    }
}

/// The values that a law is owed for.
#[derive(Clone, Debug, Default, JsonSchema, PartialEq, Eq, Serialize)]
pub struct OwedFor {
    /// Values with their names: `file=a.rs`.
    pub values: Vec<String>,
    /// How many there are beside these.
    #[serde(skip_serializing_if = "is_zero")]
    pub others: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}
