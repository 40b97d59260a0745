//! Answers.

use serde::Serialize;
use tsl_synth_gate::{
    Decision, Forward, GateDocument, GateError, Heard, McpStep, PolicyError, PolicyFinding,
};

/// The answer to a request.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase", untagged)]
pub(crate) enum Answer {
    /// A new object.
    Made { number: u32 },
    /// A new policy.
    Policy(MadePolicy),
    /// A decision.
    Decided(Box<Decided>),
    /// What an event did.
    Heard { broken: Vec<String>, owed: Vec<String>, faults: Vec<String> },
    /// What is allowed now.
    Options(Box<GateDocument>),
    /// What to do with a line of MCP.
    Step(Step),
    /// How many there were.
    Count { count: usize },
    /// A path.
    Path { path: String },
    /// Nothing to say.
    Done {},
    /// There is no answer.
    Error { error: Fault },
}

/// A new policy.
#[derive(Debug, Serialize)]
pub(crate) struct MadePolicy {
    pub(crate) number: u32,
    pub(crate) name: String,
    pub(crate) sha256: String,
    pub(crate) laws: Vec<String>,
    pub(crate) warnings: Vec<Finding>,
}

/// A decision.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Decided {
    verdict: &'static str,
    is_allowed: bool,
    reason: String,
    by: Vec<String>,
    allowed: Option<Vec<String>>,
    owed: Vec<String>,
    ticket: Option<String>,
    /// The answer with all details.
    document: GateDocument,
}

impl From<Decision> for Answer {
    fn from(decision: Decision) -> Self {
        let (verdict, is_allowed) = (decision.verdict.name(), decision.is_allowed());
        let Decision { reason, by, allowed, owed, ticket, document, .. } = decision;
        Self::Decided(Box::new(Decided { verdict, is_allowed, reason, by, allowed, owed, ticket, document }))
    }
}

impl From<Heard> for Answer {
    fn from(heard: Heard) -> Self {
        Self::Heard { broken: heard.broken, owed: heard.owed, faults: heard.faults }
    }
}

/// What to do with a line of MCP.
#[derive(Debug, Serialize)]
pub(crate) struct Step {
    /// Whether the line is forwarded; if there is a `text`, that instead of the line.
    forward: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Lines for the side that sent it.
    answers: Vec<String>,
    /// Messages for the operator.
    notes: Vec<String>,
}

impl From<McpStep> for Answer {
    fn from(step: McpStep) -> Self {
        let McpStep { forward, answers, notes } = step;
        let (forward, text) = match forward {
            Forward::Same => (true, None),
            Forward::Text(text) => (true, Some(text)),
            Forward::Nothing => (false, None),
        };
        Self::Step(Step { forward, text, answers, notes })
    }
}

/// Why there is no answer.
#[derive(Debug, Serialize)]
pub(crate) struct Fault {
    /// `policy`, `gate`, or `request` if the request itself is wrong.
    kind: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<Finding>,
}

/// A finding about the text of a policy.
#[derive(Debug, Serialize)]
pub(crate) struct Finding {
    code: String,
    severity: &'static str,
    message: String,
    line: Option<u32>,
    column: Option<u32>,
    hints: Vec<String>,
}

impl From<&PolicyFinding> for Finding {
    fn from(finding: &PolicyFinding) -> Self {
        Self {
            code: finding.code.clone(),
            severity: finding.severity_word(),
            message: finding.message.clone(),
            line: finding.place.map(|place| place.line),
            column: finding.place.map(|place| place.column),
            hints: finding.hints.clone(),
        }
    }
}

impl From<GateError> for Fault {
    fn from(error: GateError) -> Self {
        Self { kind: "gate", message: error.to_string(), findings: Vec::new() }
    }
}

impl From<PolicyError> for Fault {
    fn from(error: PolicyError) -> Self {
        let findings = match &error {
            PolicyError::Text { findings, .. } => findings.iter().map(Finding::from).collect(),
            _ => Vec::new(),
        };
        Self { kind: "policy", message: error.to_string(), findings }
    }
}

impl From<String> for Fault {
    fn from(message: String) -> Self {
        Self { kind: "request", message, findings: Vec::new() }
    }
}

impl Fault {
    /// A store that cannot be used.
    pub(crate) fn of_store(message: String) -> Self {
        Self { kind: "gate", message, findings: Vec::new() }
    }
}
