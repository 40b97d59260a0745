//! Calls of tools: the parts that are judged, and the message that is written from these parts.

use super::line::{McpMessage, Unclear, resembles};
use super::write::compact;
use tsl_synth_core::base::Id;
use tsl_synth_core::json::{Json, JsonId, JsonKind, read_json};
use tsl_synth_core::source::SourceId;

/// The key under `_meta` by which a request gives the version of the protocol, since 2026-07-28.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// A request `tools/call`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpToolCall {
    /// The tool.
    pub tool: String,
    /// Its arguments: an object, numbers as they were sent.
    pub arguments: String,
    /// Whether the request uses the protocol since 2026-07-28, in which every result has a type.
    pub is_modern: bool,
    /// Whether the request supplies input that the server requested in an earlier result.
    pub is_retry: bool,
    /// The state that the server attached to that result, by which it recognizes the retry.
    pub request_state: Option<String>,
    /// The whole message, written from what was read.
    pub message: String,
}

/// Reads a call of a tool.
///
/// # Errors
/// Parameters that different readers could interpret differently, or that are not a call.
pub fn tool_call(message: &McpMessage<'_>) -> Result<McpToolCall, Unclear> {
    let json = read_json(message.text, SourceId::from_index(0))
        .map_err(|found| Unclear::new(format!("the call cannot be read: {}", found.message)))?;
    let &[root] = &json.roots[..] else { return Err(Unclear::new("the call is no object")) };
    let params = json.field(root, "params").ok_or_else(|| Unclear::new("the call has no parameters"))?;
    let JsonKind::Object(fields) = &json.get(params).kind else {
        return Err(Unclear::new("the parameters of the call are no object"));
    };
    for (key, _) in fields {
        for name in ["name", "arguments", "_meta"] {
            if resembles(&key.value, name) {
                let key = key.value.escape_debug();
                return Err(Unclear::new(format!("some readers take the parameter `{key}` for `{name}`")));
            }
        }
    }
    let tool = text(&json, json.field(params, "name"))
        .filter(|tool| !tool.is_empty())
        .ok_or_else(|| Unclear::new("the call names no tool"))?;
    let arguments = match json.field(params, "arguments") {
        None => "{}".to_owned(),
        Some(value) if matches!(json.get(value).kind, JsonKind::Object(_)) => compact(&json, value),
        Some(value) => {
            let kind = json.get(value).kind.describe();
            return Err(Unclear::new(format!("the arguments of the call are {kind}, no object")));
        }
    };
    let version = json.field(params, "_meta").and_then(|meta| json.field(meta, VERSION));
    let state = json.field(params, "requestState");
    Ok(McpToolCall {
        tool,
        arguments,
        is_modern: version.is_some(),
        is_retry: state.is_some() || json.field(params, "inputResponses").is_some(),
        request_state: text(&json, state),
        message: compact(&json, root),
    })
}

fn text(json: &Json, value: Option<JsonId>) -> Option<String> {
    match &json.get(value?).kind {
        JsonKind::Text(text) => Some(text.clone()),
        _ => None,
    }
}
