//! The formats, how they are recognized, and where their hosts keep them.

use super::archive;
use super::jsonl;
use super::record;
use super::text;

/// A format of logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LogFormat {
    /// Our own JSON lines.
    Jsonl,
    /// Records of `tsl-synth agent` under a policy.
    Record,
    /// Sessions of Claude Code.
    Claude,
    /// OpenAI Chat messages and Responses items.
    OpenAi,
    /// Anthropic Messages.
    Anthropic,
    /// Rollouts of Codex.
    Codex,
    /// Messages of LangChain and LangGraph, runs of LangSmith.
    LangGraph,
    /// Spans of OpenTelemetry.
    Otel,
    /// Logs of Inspect AI.
    Inspect,
    /// Simulations of tau2-bench.
    Tau2,
    /// Trajectories of Harbor and others (ATIF).
    Atif,
    /// Messages of the AI SDK: those for models, and those of its user interface.
    AiSdk,
    /// Messages of Amazon Bedrock (Converse) and Strands.
    Bedrock,
    /// Contents of the Gemini API, and sessions of Gemini CLI.
    Gemini,
    /// Conversations of ShareGPT with function calls.
    ShareGpt,
    /// Traces and observations of Langfuse.
    Langfuse,
}

/// Where a host keeps its logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogFolder {
    /// Below the home folder of the user, with `/` between parts.
    pub path: &'static str,
    /// An environment variable that names another folder for the first part of the path.
    pub variable: &'static str,
    /// How the names of the logs begin.
    pub prefix: &'static str,
    /// How the names of the logs end. They may be in folders below.
    pub suffix: &'static str,
}

impl LogFormat {
    /// All formats.
    pub const ALL: [Self; 16] = [
        Self::Claude,
        Self::Codex,
        Self::OpenAi,
        Self::Anthropic,
        Self::LangGraph,
        Self::Otel,
        Self::Inspect,
        Self::Tau2,
        Self::Atif,
        Self::AiSdk,
        Self::Bedrock,
        Self::Gemini,
        Self::ShareGpt,
        Self::Langfuse,
        Self::Record,
        Self::Jsonl,
    ];

    /// The name of the format, as in `--from`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Record => "record",
            Self::Claude => "claude",
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Codex => "codex",
            Self::LangGraph => "langgraph",
            Self::Otel => "otel",
            Self::Inspect => "inspect",
            Self::Tau2 => "tau2",
            Self::Atif => "atif",
            Self::AiSdk => "aisdk",
            Self::Bedrock => "bedrock",
            Self::Gemini => "gemini",
            Self::ShareGpt => "sharegpt",
            Self::Langfuse => "langfuse",
        }
    }
    /// The format with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
    /// Whether each line is a record of the log, so that it can be read while it grows and in constant memory. Logs of
    /// the other formats may be lines, too: [`Self::streams`].
    pub fn is_line_based(self) -> bool {
        matches!(self, Self::Jsonl | Self::Record | Self::Claude | Self::Codex)
    }
    /// Whether a log with this first line can be read line by line. The events of runs and spans are reported only at
    /// the end of the log, since they have to be sorted.
    pub fn streams(self, first_line: &str) -> bool {
        let line = text::trimmed(first_line);
        self.is_line_based() || (line.starts_with('{') && text::is_json(&text::without_nan(line)))
    }
    /// The session that a line names, for formats whose sessions may be in several files.
    pub fn session_of(self, line: &str) -> Option<String> {
        let key = match self {
            Self::Claude => "\"sessionId\":",
            Self::Jsonl => "\"session\":",
            _ => return None,
        };
        let after = line.split_once(key)?.1.trim_start().strip_prefix('"')?;
        // Ids have no quotes or escapes in them.
        let id = after.split_once('"')?.0;
        (!id.is_empty() && !id.contains('\\')).then(|| id.to_owned())
    }
    /// The unit of the positions of events in this format: lines, messages of a session, or spans.
    pub fn place(self) -> &'static str {
        match self {
            Self::Jsonl | Self::Record | Self::Claude | Self::Codex => "line",
            Self::Otel => "span",
            _ => "message",
        }
    }
    /// Where the host of the format keeps its logs.
    pub fn folder(self) -> Option<LogFolder> {
        match self {
            Self::Claude => Some(LogFolder {
                path: ".claude/projects",
                variable: "CLAUDE_CONFIG_DIR",
                prefix: "",
                suffix: ".jsonl",
            }),
            Self::Codex => Some(LogFolder {
                path: ".codex/sessions",
                variable: "CODEX_HOME",
                prefix: "rollout-",
                suffix: ".jsonl",
            }),
            _ => None,
        }
    }
    /// Guesses the format of a log from the field names in its first bytes; a few thousand bytes are enough.
    pub fn detect(first: &[u8]) -> Option<Self> {
        if archive::is_archive(first) {
            return Some(Self::Inspect);
        }
        let text = String::from_utf8_lossy(first);
        let text = text::trimmed(&text);
        // The first lines of a log that was cut may be no records.
        let record = text.lines().find(|line| line.starts_with('{') && text::is_json(line));
        if record.is_none() && !text.starts_with(['{', '[']) {
            return None;
        }
        if record.is_some_and(jsonl::knows) {
            return Some(Self::Jsonl);
        }
        if record.is_some_and(record::knows) {
            return Some(Self::Record);
        }
        let has = |key: &str| has_key(text, key);
        let any = |keys: &[&str]| keys.iter().any(|key| has(key));
        let all = |keys: &[&str]| keys.iter().all(|key| has(key));
        let records = ["session_meta", "response_item", "event_msg", "turn_context"];
        let rollout = has("payload") && records.iter().any(|kind| text.contains(&format!("\"{kind}\"")));
        let graph =
            any(&["dotted_order", "run_type", "lc"]) || text.contains("\"human\"") || text.contains("\"ai\"");
        let spans =
            any(&["resourceSpans", "scopeSpans", "spanId", "span_id"]) && !has("samples") && !has("eval");
        let found = [
            (has("schema_version") && text.contains("\"ATIF-v"), Self::Atif),
            (rollout, Self::Codex),
            (
                has("sessionId") && any(&["parentUuid", "isSidechain", "leafUuid", "toolUseResult"]),
                Self::Claude,
            ),
            (spans || text.contains("\"gen_ai."), Self::Otel),
            (has("observations") || all(&["traceId", "parentObservationId"]), Self::Langfuse),
            (has("projectHash") || has("functionCall") || all(&["contents", "parts"]), Self::Gemini),
            (all(&["conversations", "from", "value"]), Self::ShareGpt),
            (has("role") && any(&["toolUse", "toolResult"]), Self::Bedrock),
            (has("role") && any(&["toolCallId", "parts"]) && !has("contents"), Self::AiSdk),
            (any(&["simulations", "termination_reason", "requestor"]), Self::Tau2),
            (has("samples") || all(&["version", "eval"]) || all(&["epoch", "messages"]), Self::Inspect),
            (graph, Self::LangGraph),
            (any(&["tool_use_id", "stop_reason"]) || text.contains("\"tool_use\""), Self::Anthropic),
            (all(&["role", "content"]) || any(&["messages", "traj", "tool_calls", "call_id"]), Self::OpenAi),
        ];
        found.into_iter().find(|(matches, _)| *matches).map(|(_, format)| format)
    }
}

/// Whether some object has this key. Quotes inside of strings are escaped, so the text of a string does not match.
fn has_key(text: &str, key: &str) -> bool {
    let quoted = format!("\"{key}\"");
    text.match_indices(&quoted).any(|(at, found)| text[at + found.len()..].trim_start().starts_with(':'))
}
