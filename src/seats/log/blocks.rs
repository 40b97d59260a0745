//! Contents of messages: a text, or a list of blocks of text, calls and results.

use super::lenient::{LenientObject, LenientScalar, LenientText, given};
use super::text::{meant, meant_text, quoted};
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use tsl_synth_core::model::JsonText;

/// A block of a message of any of the formats.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct MessageBlock<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: LenientText<'a>,
    #[serde(borrow)]
    pub(super) text: LenientText<'a>,
    #[serde(borrow)]
    pub(super) id: LenientText<'a>,
    #[serde(borrow)]
    pub(super) name: LenientText<'a>,
    #[serde(borrow)]
    pub(super) server_name: LenientText<'a>,
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) tool_use_id: LenientText<'a>,
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) is_error: LenientScalar<'a>,
    // AI SDK: `tool-call`, `tool-result`, and parts of messages of its user interface.
    #[serde(borrow, rename = "toolCallId")]
    pub(super) call_id: LenientText<'a>,
    #[serde(borrow, rename = "toolName")]
    pub(super) tool_name: LenientText<'a>,
    #[serde(borrow)]
    pub(super) state: LenientText<'a>,
    #[serde(borrow)]
    pub(super) args: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) output: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) result: Option<&'a RawValue>,
    #[serde(borrow, rename = "isError")]
    pub(super) is_failed: LenientScalar<'a>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
    #[serde(borrow, rename = "errorText")]
    pub(super) error_text: Option<&'a RawValue>,
    #[serde(borrow, rename = "toolInvocation")]
    pub(super) invocation: Option<&'a RawValue>,
    // Bedrock.
    #[serde(borrow, rename = "toolUse")]
    pub(super) bedrock_use: LenientObject<BedrockTool<'a>>,
    #[serde(borrow, rename = "toolResult")]
    pub(super) bedrock_result: LenientObject<BedrockTool<'a>>,
}

/// A call or a result of Amazon Bedrock.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct BedrockTool<'a> {
    #[serde(borrow, rename = "toolUseId")]
    pub(super) id: LenientText<'a>,
    #[serde(borrow)]
    pub(super) name: LenientText<'a>,
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) status: LenientText<'a>,
}

impl MessageBlock<'_> {
    /// The text of a block of text.
    pub(super) fn said(&self) -> Option<&str> {
        let kind = self.kind.get();
        let is_text =
            matches!(kind, None | Some("text" | "input_text" | "output_text" | "refusal" | "summary_text"));
        self.text.get().filter(|text| is_text && !text.is_empty())
    }
    /// Whether it is a call: `tool_use`, `server_tool_use`, `mcp_tool_use`.
    pub(super) fn is_call(&self) -> bool {
        self.kind.get().is_some_and(|kind| kind.ends_with("tool_use")) && self.name.get().is_some()
    }
    /// Whether it is a result: `tool_result`, `mcp_tool_result`, `web_search_tool_result`.
    pub(super) fn is_result(&self) -> bool {
        self.kind.get().is_some_and(|kind| kind.ends_with("tool_result")) && self.tool_use_id.get().is_some()
    }
    /// The value of a result.
    pub(super) fn given(&self) -> Option<JsonText<'_>> {
        given(self.content).map(result)
    }
}

/// The content of a message.
#[derive(Debug, Default)]
pub(super) enum MessageContent<'a> {
    /// None, or something of another kind.
    #[default]
    None,
    /// A text.
    Text(Cow<'a, str>),
    /// Blocks.
    Blocks(Vec<LenientObject<MessageBlock<'a>>>),
}

impl<'a> MessageContent<'a> {
    pub(super) fn of(raw: Option<&'a RawValue>) -> Self {
        raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
    }
    /// The blocks.
    pub(super) fn blocks(&self) -> impl Iterator<Item = &MessageBlock<'a>> {
        let blocks = if let Self::Blocks(blocks) = self { blocks.as_slice() } else { &[] };
        blocks.iter().filter_map(|block| block.0.as_ref())
    }
    /// The text; blocks of text are joined by line feeds. `None` if there is no text.
    pub(super) fn said(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::None => None,
            Self::Text(text) => (!text.is_empty()).then(|| Cow::Borrowed(&**text)),
            Self::Blocks(_) => {
                let mut parts = self.blocks().filter_map(MessageBlock::said);
                let first = parts.next()?;
                let mut all = Cow::Borrowed(first);
                for part in parts {
                    all.to_mut().push('\n');
                    all.to_mut().push_str(part);
                }
                Some(all)
            }
        }
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = MessageContent<'de>;
    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("anything")
    }
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<MessageContent<'de>, E> {
        Ok(MessageContent::Text(Cow::Borrowed(text)))
    }
    fn visit_str<E>(self, text: &str) -> Result<MessageContent<'de>, E> {
        Ok(MessageContent::Text(Cow::Owned(text.to_owned())))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<MessageContent<'de>, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(MessageContent::Blocks)
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<MessageContent<'de>, A::Error> {
        let block = MessageBlock::deserialize(MapAccessDeserializer::new(map))?;
        Ok(MessageContent::Blocks(vec![LenientObject(Some(block))]))
    }
    fn visit_unit<E>(self) -> Result<MessageContent<'de>, E> {
        Ok(MessageContent::None)
    }
    fn visit_bool<E>(self, _: bool) -> Result<MessageContent<'de>, E> {
        Ok(MessageContent::None)
    }
    fn visit_i64<E>(self, _: i64) -> Result<MessageContent<'de>, E> {
        Ok(MessageContent::None)
    }
    fn visit_u64<E>(self, _: u64) -> Result<MessageContent<'de>, E> {
        Ok(MessageContent::None)
    }
    fn visit_f64<E>(self, _: f64) -> Result<MessageContent<'de>, E> {
        Ok(MessageContent::None)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for MessageContent<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

/// The intended value of a result: the object or array inside of a string that contains one, and for a list of blocks
/// of text their text.
pub(super) fn result(raw: &str) -> JsonText<'_> {
    text_of(raw, true).unwrap_or_else(|| meant(raw))
}

/// The same for a list of parts, which need no `type`.
pub(super) fn parts(raw: &str) -> JsonText<'_> {
    text_of(raw, false).unwrap_or_else(|| meant(raw))
}

/// The intended value of a list of blocks of text.
fn text_of(raw: &str, has_kind: bool) -> Option<JsonText<'static>> {
    if !raw.starts_with('[') {
        return None;
    }
    let content: MessageContent<'_> = serde_json::from_str(raw).ok()?;
    let MessageContent::Blocks(all) = &content else { return None };
    let is_text = |block: &LenientObject<MessageBlock<'_>>| {
        block
            .0
            .as_ref()
            .is_some_and(|block| (block.kind.get().is_some() || !has_kind) && block.said().is_some())
    };
    if all.is_empty() || !all.iter().all(is_text) {
        return None;
    }
    let text = content.said()?;
    Some(meant_text(&text).unwrap_or_else(|| quoted(&text)))
}
