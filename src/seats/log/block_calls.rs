//! Calls and results in blocks of messages: Anthropic Messages, Amazon Bedrock (Converse; Strands), and the AI SDK, both
//! its model messages and the parts of its user interface.

use super::blocks::{MessageBlock, MessageContent, parts, result};
use super::lenient::{LenientObject, LenientText, given};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use tsl_synth_core::model::{CallOutcome, JsonText};

/// A call in a block.
pub(super) struct BlockCall<'b> {
    pub(super) id: Option<&'b str>,
    pub(super) server: Option<&'b str>,
    pub(super) tool: &'b str,
    pub(super) arguments: Option<&'b str>,
    /// Whether its result is in a later message.
    pub(super) is_open: bool,
}

/// A result in a block.
pub(super) struct BlockResult<'b> {
    pub(super) call: Option<&'b str>,
    /// How the call ended; `None` if the block does not tell it.
    pub(super) outcome: Option<BlockEnd>,
    pub(super) value: Option<JsonText<'b>>,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockEnd {
    Ended(CallOutcome),
    /// It was refused, and not made.
    Denied,
}

/// The output of a result of the AI SDK.
#[derive(Default, Deserialize)]
#[serde(default)]
struct TypedOutput<'a> {
    #[serde(borrow, rename = "type")]
    kind: LenientText<'a>,
    #[serde(borrow)]
    value: Option<&'a RawValue>,
}

/// A call in a message of version 4 of the AI SDK.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Invocation<'a> {
    #[serde(borrow, rename = "toolCallId")]
    id: LenientText<'a>,
    #[serde(borrow, rename = "toolName")]
    name: LenientText<'a>,
    #[serde(borrow)]
    state: LenientText<'a>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
}

/// The name of the tool of a part of a message of the user interface: `tool-NAME`, or `dynamic-tool`.
fn part_tool<'b>(block: &'b MessageBlock<'_>) -> Option<&'b str> {
    let state = block.state.get()?;
    let known = state.starts_with("input-") || state.starts_with("output-") || state.starts_with("approval-");
    match block.kind.get().filter(|_| known)? {
        "dynamic-tool" => block.tool_name.get(),
        kind => kind.strip_prefix("tool-"),
    }
}

/// Whether a block is a call that was not made, or not yet: the agent has not stopped with it.
pub(super) fn waits(block: &MessageBlock<'_>) -> bool {
    part_tool(block).is_some() && call(block).is_none()
}

/// The call in a block. Arguments that are still being written, and calls that wait for an approval or were refused, are
/// none.
pub(super) fn call<'b>(block: &'b MessageBlock<'_>) -> Option<BlockCall<'b>> {
    let kind = block.kind.get();
    if let Some(own) = &block.bedrock_use.0 {
        let tool = own.name.get()?;
        let (id, arguments) = (own.id.get(), given(own.input));
        return Some(BlockCall { id, server: None, tool, arguments, is_open: true });
    }
    if block.is_call() {
        // Calls that the provider runs have their results in the same message.
        let (id, arguments) = (block.id.get(), given(block.input));
        let (server, tool) = (block.server_name.get(), block.name.get()?);
        return Some(BlockCall { id, server, tool, arguments, is_open: kind == Some("tool_use") });
    }
    if let Some(tool) = part_tool(block) {
        let state = block.state.get().unwrap_or_default();
        let is_made = !matches!(state, "input-streaming" | "approval-requested" | "output-denied");
        let (id, arguments) = (block.call_id.get(), given(block.input));
        return is_made.then_some(BlockCall { id, server: None, tool, arguments, is_open: true });
    }
    let tool = block.tool_name.get().filter(|_| kind == Some("tool-call"))?;
    let (id, arguments) = (block.call_id.get(), given(block.input).or(given(block.args)));
    Some(BlockCall { id, server: None, tool, arguments, is_open: true })
}

/// Whether there is a result among the blocks.
pub(super) fn has_result(content: &MessageContent<'_>) -> bool {
    content.blocks().any(|block| ended(block).is_some())
}

/// The result in a block.
pub(super) fn ended<'b>(block: &'b MessageBlock<'_>) -> Option<BlockResult<'b>> {
    let of = |failed: bool| Some(BlockEnd::Ended(if failed { CallOutcome::Failed } else { CallOutcome::Ok }));
    if let Some(own) = &block.bedrock_result.0 {
        let value = given(own.content).map(bedrock_value);
        return Some(BlockResult { call: own.id.get(), outcome: of(own.status.is("error")), value });
    }
    if block.is_result() {
        let outcome = of(block.is_error.flag() == Some(true));
        return Some(BlockResult { call: block.tool_use_id.get(), outcome, value: block.given() });
    }
    let call = block.call_id.get();
    if part_tool(block).is_some() {
        let (outcome, value) = match block.state.get() {
            Some("output-available") => (of(false), given(block.output)),
            Some("output-error") => (of(true), given(block.error_text)),
            Some("output-denied") => (Some(BlockEnd::Denied), None),
            _ => return None,
        };
        return Some(BlockResult { call, outcome, value: value.map(result) });
    }
    match block.kind.get() {
        Some("tool-error") => {
            Some(BlockResult { call, outcome: of(true), value: given(block.error).map(result) })
        }
        Some("tool-result") => {
            let output = given(block.output).and_then(|raw| {
                let typed = serde_json::from_str::<LenientObject<TypedOutput<'_>>>(raw).ok()?.0?;
                Some((typed.kind.get()?.to_owned(), typed.value))
            });
            let untyped = given(block.output).or(given(block.result)).or(given(block.content));
            let (kind, value) = match &output {
                Some((kind, value)) => (kind.as_str(), given(*value)),
                None if block.is_failed.flag() == Some(true) => ("error-json", untyped),
                None => ("json", untyped),
            };
            let outcome = match kind {
                "error-text" | "error-json" => of(true),
                "execution-denied" => Some(BlockEnd::Denied),
                _ => of(false),
            };
            Some(BlockResult { call, outcome, value: value.map(result) })
        }
        _ => None,
    }
}

/// The call and the result in a part `tool-invocation`, for a function that reads them.
pub(super) fn invocation<T>(
    block: &MessageBlock<'_>,
    read: impl FnOnce(BlockCall<'_>, Option<BlockResult<'_>>) -> T,
) -> Option<T> {
    let raw = block.invocation.filter(|_| block.kind.is("tool-invocation"))?;
    let own = serde_json::from_str::<LenientObject<Invocation<'_>>>(raw.get()).ok()?.0?;
    let id = own.id.get();
    let tool = own.name.get().filter(|_| !own.state.is("partial-call"))?;
    let call = BlockCall { id, server: None, tool, arguments: given(own.args), is_open: true };
    // This version has no marks of failure.
    let ended = own.state.is("result").then(|| BlockResult {
        call: id,
        outcome: None,
        value: given(own.result).map(result),
    });
    Some(read(call, ended))
}

/// The value of a result of Bedrock: the only `json` in it, else its texts.
fn bedrock_value(content: &str) -> JsonText<'_> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Value<'a> {
        #[serde(borrow)]
        json: Option<&'a RawValue>,
    }
    let all: Vec<LenientObject<Value<'_>>> = serde_json::from_str(content).unwrap_or_default();
    match all.as_slice() {
        [LenientObject(Some(Value { json: Some(json) }))] => JsonText(Cow::Owned(json.get().to_owned())),
        _ => parts(content),
    }
}

/// Types of blocks that are no calls.
const SILENT: &[&str] = &[
    "text",
    "input_text",
    "output_text",
    "refusal",
    "summary_text",
    "reasoning_text",
    "thinking",
    "redacted_thinking",
    "reasoning",
    "image",
    "image_url",
    "input_image",
    "input_file",
    "input_audio",
    "audio",
    "video",
    "document",
    "file",
    "search_result",
    "container_upload",
    "data",
    "step-start",
    "source",
    "source-url",
    "source-document",
    "tool-approval-request",
    "tool-approval-response",
    "tool_reference",
    "compaction",
    "fallback",
    "custom",
    "non_standard",
];

/// Keys of blocks without a type that are no calls (Bedrock).
const SILENT_KEYS: &[&str] = &[
    "text",
    "image",
    "document",
    "video",
    "audio",
    "reasoningContent",
    "cachePoint",
    "guardContent",
    "citationsContent",
    "searchResult",
];

fn is_known(block: &MessageBlock<'_>) -> bool {
    let kind = block.kind.get();
    kind.is_some_and(|kind| SILENT.contains(&kind) || kind.starts_with("data-"))
        || (kind.is_none() && block.said().is_some())
        || part_tool(block).is_some()
        || (kind == Some("tool-invocation") && block.invocation.is_some())
        || call(block).is_some()
        || ended(block).is_some()
}

/// The types of the blocks of a content that are not understood; of those without a type their first keys. `is_listed` is
/// whether the message lists its calls besides its content.
pub(super) fn unknown(content: &MessageContent<'_>, raw: Option<&RawValue>, is_listed: bool) -> Vec<String> {
    let repeats = |kind: &str| is_listed && (kind.contains("tool_call") || kind.contains("function_call"));
    let all: Vec<&MessageBlock<'_>> = content.blocks().filter(|block| !is_known(block)).collect();
    if all.is_empty() {
        return Vec::new();
    }
    let typed = all.iter().filter_map(|block| block.kind.get());
    let mut names: Vec<String> = typed.filter(|kind| !repeats(kind)).map(str::to_owned).collect();
    if all.iter().any(|block| block.kind.get().is_none()) {
        let whole: Vec<LenientObject<BTreeMap<String, &RawValue>>> =
            raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
        let fields = whole.into_iter().filter_map(|block| block.0).filter(|own| !own.contains_key("type"));
        let fields = fields.filter(|own| !own.keys().any(|key| SILENT_KEYS.contains(&key.as_str())));
        let fields = fields.filter(|own| !own.contains_key("toolUse") && !own.contains_key("toolResult"));
        names.extend(fields.filter_map(|own| own.into_keys().next()));
    }
    names
}
