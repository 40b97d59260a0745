//! Documents about behaviors of agents: `check --format json`, the automaton, the segments of a model.

use super::SCHEMA_VERSION;
use super::parts::{CheckDiagnostic, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The document of `check --format json` for `.agent` files.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct BehaviorCheckDocument {
    /// The version of this format.
    pub schema_version: String,
    /// The program that made the document.
    pub tool: Tool,
    /// One result for each file.
    pub results: Vec<BehaviorResult>,
}

impl BehaviorCheckDocument {
    /// The document with these results.
    pub fn new(tool_version: &str, results: Vec<BehaviorResult>) -> Self {
        Self { schema_version: SCHEMA_VERSION.into(), tool: Tool::new(tool_version), results }
    }
}

/// The result of checking one behavior.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct BehaviorResult {
    /// The file.
    pub spec: String,
    /// `VALID`, `INVALID`, or `ERROR` for a text that is not a behavior.
    pub verdict: String,
    /// Why it is invalid, in a sentence.
    pub reason: Option<String>,
    /// The name of the agent.
    pub agent: Option<String>,
    /// The number of nodes of its automaton, without the start.
    pub nodes: usize,
    /// The transcripts against which it was checked, with their runs.
    pub transcripts: Vec<BehaviorTranscript>,
    /// All findings.
    pub diagnostics: Vec<CheckDiagnostic>,
}

impl BehaviorResult {
    /// A result without an agent.
    pub fn new(spec: &str, verdict: &str, diagnostics: Vec<CheckDiagnostic>) -> Self {
        Self {
            spec: spec.into(),
            verdict: verdict.into(),
            reason: None,
            agent: None,
            nodes: 0,
            transcripts: Vec::new(),
            diagnostics,
        }
    }
}

/// A transcript against which a behavior was checked.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BehaviorTranscript {
    /// Its file.
    pub name: String,
    /// Whether it is accepted.
    pub accepted: bool,
    /// The states of its runs.
    pub runs: Vec<Vec<String>>,
}

/// `emit --lang json` of a behavior, and the view of its code templates.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BehaviorDocument {
    /// The version of this format.
    pub schema_version: String,
    /// The program that made the document.
    pub tool: Tool,
    /// The name of the agent.
    pub agent: String,
    /// A hash of states and nodes, which snapshots of emitted code contain.
    pub machine_id: String,
    /// The states in the order of declaration.
    pub states: Vec<BehaviorStateDocument>,
    /// The nodes of the automaton; the first one is before the beginning of a run.
    pub nodes: Vec<BehaviorNodeDocument>,
}

impl BehaviorDocument {
    /// The document of an agent.
    pub fn new(
        tool_version: &str,
        agent: &str,
        machine_id: String,
        states: Vec<BehaviorStateDocument>,
        nodes: Vec<BehaviorNodeDocument>,
    ) -> Self {
        let (schema_version, tool) = (SCHEMA_VERSION.into(), Tool::new(tool_version));
        Self { schema_version, tool, agent: agent.into(), machine_id, states, nodes }
    }
}

/// A state of an agent.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BehaviorStateDocument {
    /// Its name.
    pub name: String,
    /// Its prompt.
    pub prompt: String,
    /// Whether the environment writes its text.
    pub env_input: bool,
    /// The allowed texts; empty if every text is allowed.
    pub one_of: Vec<String>,
}

/// A node of the automaton.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BehaviorNodeDocument {
    /// The number of its state; absent before the beginning.
    pub state: Option<usize>,
    /// Whether a run may end here.
    pub may_end: bool,
    /// The states that may follow, each with the node that it leads to.
    pub next: Vec<BehaviorEdgeDocument>,
}

/// A state that may follow a node.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
pub struct BehaviorEdgeDocument {
    /// The number of the state.
    pub state: usize,
    /// The number of the node.
    pub node: usize,
}

/// `emit --lang regex|gbnf|lark|structural-tag`: grammars of the texts that a model may write, segment by segment.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SegmentsDocument {
    /// The version of this format.
    pub schema_version: String,
    /// The program that made the document.
    pub tool: Tool,
    /// The name of the agent.
    pub agent: String,
    /// The language of the grammars.
    pub language: String,
    /// The segments; the first one is that at the beginning of a run, if the model writes there.
    pub segments: Vec<SegmentDocument>,
}

impl SegmentsDocument {
    /// The document of an agent.
    pub fn new(tool_version: &str, agent: &str, language: &str, segments: Vec<SegmentDocument>) -> Self {
        let (schema_version, tool) = (SCHEMA_VERSION.into(), Tool::new(tool_version));
        Self { schema_version, tool, agent: agent.into(), language: language.into(), segments }
    }
}

/// The texts that a model may write from the beginning of a run or a text of the environment to the next text of the
/// environment or the end.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SegmentDocument {
    /// The number of the node that it follows: in the automaton of `emit --lang json`.
    pub node: usize,
    /// The state of the environment that it follows; absent at the beginning of a run.
    pub after: Option<String>,
    /// The states that it may begin with.
    pub first: Vec<String>,
    /// The text that is written before the model begins: the longest common prefix of the prompts of these states.
    pub prefix: String,
    /// Prompts of the environment: the model stops at them.
    pub stop: Vec<String>,
    /// Whether the run may end in it.
    pub may_end: bool,
    /// The grammar of the text that the model writes after the prefix, up to and including a stop string, or to the end
    /// of the run.
    pub grammar: serde_json::Value,
}

/// The data of the code templates of behaviors: texts are literals of the target language, with their quotes.
#[derive(Clone, Debug, Serialize)]
pub struct BehaviorView {
    /// The name of the agent, safe in a comment.
    pub agent: String,
    /// The version of this tool, safe in a comment.
    pub version: String,
    /// The hash of the automaton, as a literal.
    pub machine_id: String,
    /// The states.
    pub states: Vec<BehaviorStateView>,
    /// The nodes.
    pub nodes: Vec<BehaviorNodeDocument>,
}

/// A state in code.
#[derive(Clone, Debug, Serialize)]
pub struct BehaviorStateView {
    /// Its name, as a literal.
    pub name: String,
    /// Its prompt, as a literal.
    pub prompt: String,
    /// Whether the environment writes its text.
    pub env_input: bool,
    /// The allowed texts, as literals; empty if every text is allowed.
    pub one_of: Vec<String>,
}
