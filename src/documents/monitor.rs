//! The lines of `monitor --format json`.

use super::{SCHEMA_VERSION, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// A letter.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MonitorLetter {
    /// The names that are true in it; `!p` if a state is cleared.
    pub names: Vec<String>,
    /// The values that it is bound to.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub bindings: BTreeMap<String, String>,
}

impl MonitorLetter {
    /// A letter.
    pub fn new(names: Vec<String>, bindings: impl IntoIterator<Item = (String, String)>) -> Self {
        Self { names, bindings: bindings.into_iter().collect() }
    }
}

/// The result of one event.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind", rename = "step")]
#[non_exhaustive]
pub struct MonitorStep {
    /// The session.
    pub session: String,
    /// The line of the log, or the number of the message, from 1.
    pub line: u64,
    /// The number of the last letter in the session, from 0.
    pub step: u64,
    /// The letters of the event.
    pub letters: Vec<MonitorLetter>,
    /// The verdict on the conjunction of the hard laws: `violated`, `currently-violated`, `currently-satisfied`,
    /// `satisfied`, or `unknown`.
    pub verdict: String,
    /// The verdict on each law.
    pub laws: BTreeMap<String, String>,
    /// The laws that are violated since this event.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub violated: Vec<String>,
    /// If the agent wants to stop: the laws that are owed, that is, would be violated by the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owed: Option<Vec<String>>,
    /// Whether no table names the call.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unmatched: bool,
    /// What is wrong with the event.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
    /// The time of the event, if the log has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The agent within the session, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The service that runs the agent, if the log has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// The model that the agent uses, if the log has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The file of the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl MonitorStep {
    /// A step without letters and findings.
    pub fn new(session: String, line: u64, step: u64, verdict: String) -> Self {
        Self {
            session,
            line,
            step,
            letters: Vec::new(),
            verdict,
            laws: BTreeMap::new(),
            violated: Vec::new(),
            owed: None,
            unmatched: false,
            faults: Vec::new(),
            time: None,
            agent: None,
            service: None,
            model: None,
            file: None,
        }
    }
}

/// The sessions of a group.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MonitorGroupTotal {
    /// Its day, model, service or file; empty for sessions for which the log does not tell it.
    pub name: String,
    /// Sessions.
    pub sessions: u64,
    /// Sessions that violate a hard law.
    pub violating: u64,
    /// The laws.
    pub laws: Vec<MonitorLaw>,
}

impl MonitorGroupTotal {
    /// The counts of a group.
    pub fn new(name: String, [sessions, violating]: [u64; 2], laws: Vec<MonitorLaw>) -> Self {
        Self { name, sessions, violating, laws }
    }
}

/// A law over all sessions.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MonitorLaw {
    /// Its name.
    pub id: String,
    /// Sessions with a letter that is relevant to it.
    pub judged: u64,
    /// Sessions that keep it.
    pub kept: u64,
    /// Sessions that violate it.
    pub violated: u64,
    /// Sessions whose log does not determine whether they keep it.
    pub undecidable: u64,
}

impl MonitorLaw {
    /// The counts of a law.
    pub fn new(id: String, [judged, kept, violated, undecidable]: [u64; 4]) -> Self {
        Self { id, judged, kept, violated, undecidable }
    }
}

/// A violation.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MonitorViolation {
    /// The law.
    pub law: String,
    /// The reason for the law, in its author's words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The session.
    pub session: String,
    /// The position in the log.
    pub line: u64,
    /// The letter.
    pub letter: MonitorLetter,
    /// Whether the law was owed at the end of the session.
    pub owed: bool,
}

impl MonitorViolation {
    /// A violation.
    pub fn new(
        law: String,
        why: String,
        session: String,
        line: u64,
        letter: MonitorLetter,
        owed: bool,
    ) -> Self {
        Self { law, why, session, line, letter, owed }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The last line: all sessions together.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind", rename = "total")]
#[non_exhaustive]
pub struct MonitorTotal {
    /// The version of this format.
    pub schema_version: String,
    /// The program that made the document.
    pub tool: Tool,
    /// The policy.
    pub policy: String,
    /// Sessions.
    pub sessions: u64,
    /// Sessions that violate a hard law.
    pub violating: u64,
    /// Sessions that are not judged because they begin outside of `--since` and `--until`.
    #[serde(skip_serializing_if = "is_zero")]
    pub outside: u64,
    /// Sessions that are not judged because the log has no time for them, although `--since` or `--until` asks for it.
    #[serde(skip_serializing_if = "is_zero")]
    pub undated: u64,
    /// Events.
    pub events: u64,
    /// Letters.
    pub letters: u64,
    /// Calls that no table names.
    pub unmatched: u64,
    /// Events with faults.
    pub faults: u64,
    /// The laws.
    pub laws: Vec<MonitorLaw>,
    /// The same for each group of `--group-by`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<MonitorGroupTotal>,
    /// The first violations.
    pub first: Vec<MonitorViolation>,
    /// What the log lacks or repeats.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl MonitorTotal {
    /// The totals before any event.
    pub fn new(version: &str, policy: &str) -> Self {
        Self {
            schema_version: SCHEMA_VERSION.into(),
            tool: Tool::new(version),
            policy: policy.into(),
            sessions: 0,
            violating: 0,
            outside: 0,
            undated: 0,
            events: 0,
            letters: 0,
            unmatched: 0,
            faults: 0,
            laws: Vec::new(),
            groups: Vec::new(),
            first: Vec::new(),
            notes: Vec::new(),
        }
    }
}
