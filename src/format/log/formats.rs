//! The formats, how they are recognized, and where their hosts keep them.

use super::jsonl;
use super::text;

/// A format of logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LogFormat {
    /// Our own lines.
    Jsonl,
    /// Sessions of Claude Code.
    Claude,
    /// OpenAI Chat messages and Responses items.
    OpenAi,
    /// Anthropic Messages.
    Anthropic,
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
    pub const ALL: [Self; 4] = [Self::Claude, Self::OpenAi, Self::Anthropic, Self::Jsonl];

    /// The name of the format, as in `--from`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Claude => "claude",
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }
    /// The format of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
    /// Whether each line is a record of the log, so that it can be read while it grows and in constant memory. Logs of the
    /// other formats may be lines, too: [`Self::streams`].
    pub fn is_line_based(self) -> bool {
        matches!(self, Self::Jsonl | Self::Claude)
    }
    /// Whether a log with this first line can be read line by line.
    pub fn streams(self, first_line: &str) -> bool {
        let line = text::trimmed(first_line);
        self.is_line_based() || (line.starts_with('{') && text::is_json(&text::without_nan(line)))
    }
    /// What the places of events count in this format: lines, or messages of a session.
    pub fn place(self) -> &'static str {
        if self.is_line_based() { "line" } else { "message" }
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
            _ => None,
        }
    }
    /// The format of a log by its first bytes; some thousand are enough. It is a guess by names of fields.
    pub fn detect(first: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(first);
        let text = text::trimmed(&text);
        if !text.starts_with(['{', '[']) {
            return None;
        }
        if text.lines().next().is_some_and(jsonl::knows) {
            return Some(Self::Jsonl);
        }
        let has = |key: &str| has_key(text, key);
        let any = |keys: &[&str]| keys.iter().any(|key| has(key));
        let all = |keys: &[&str]| keys.iter().all(|key| has(key));
        let found = [
            (
                has("sessionId") && any(&["parentUuid", "isSidechain", "leafUuid", "toolUseResult"]),
                Self::Claude,
            ),
            (any(&["tool_use_id", "stop_reason"]) || text.contains("\"tool_use\""), Self::Anthropic),
            (all(&["role", "content"]) || any(&["messages", "traj", "tool_calls", "call_id"]), Self::OpenAi),
        ];
        found.into_iter().find(|(matches, _)| *matches).map(|(_, format)| format)
    }
}

/// Whether some object has this key. Quotes inside of strings are escaped, so that strings do not deceive.
fn has_key(text: &str, key: &str) -> bool {
    let quoted = format!("\"{key}\"");
    text.match_indices(&quoted).any(|(at, found)| text[at + found.len()..].trim_start().starts_with(':'))
}
