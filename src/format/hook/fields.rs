//! The entries of a payload, taken out without reading their values.

use crate::format::log::shared::given;
use crate::model::Outcome;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The entries that we read, as raw values.
#[derive(Debug, Default)]
pub(super) struct Fields<'a> {
    pub(super) event: Option<&'a RawValue>,
    pub(super) session: Option<&'a RawValue>,
    pub(super) agent: Option<&'a RawValue>,
    pub(super) cwd: Option<&'a RawValue>,
    pub(super) tool: Option<&'a RawValue>,
    pub(super) input: Option<&'a RawValue>,
    pub(super) response: Option<&'a RawValue>,
    pub(super) error: Option<&'a RawValue>,
    pub(super) interrupted: Option<&'a RawValue>,
    pub(super) call: Option<&'a RawValue>,
    pub(super) prompt: Option<&'a RawValue>,
    pub(super) source: Option<&'a RawValue>,
    pub(super) stop_active: Option<&'a RawValue>,
    pub(super) last_message: Option<&'a RawValue>,
}

impl<'a> Fields<'a> {
    fn slot(&mut self, key: &str) -> Option<&mut Option<&'a RawValue>> {
        Some(match key {
            "hook_event_name" => &mut self.event,
            "session_id" => &mut self.session,
            "agent_id" => &mut self.agent,
            "cwd" => &mut self.cwd,
            "tool_name" => &mut self.tool,
            "tool_input" => &mut self.input,
            "tool_response" => &mut self.response,
            "error" => &mut self.error,
            "is_interrupt" => &mut self.interrupted,
            "tool_use_id" => &mut self.call,
            "prompt" => &mut self.prompt,
            "source" => &mut self.source,
            "stop_hook_active" => &mut self.stop_active,
            "last_assistant_message" => &mut self.last_message,
            _ => return None,
        })
    }
}

/// Reads an object into [`Fields`], which keep what stands before a fault.
pub(super) struct Reading<'f, 'a>(pub(super) &'f mut Fields<'a>);

impl<'a> DeserializeSeed<'a> for Reading<'_, 'a> {
    type Value = ();
    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'a> Visitor<'a> for Reading<'_, 'a> {
    type Value = ();
    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }
    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            let Some(slot) = self.0.slot(&key) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if slot.is_some() {
                return Err(A::Error::custom(format_args!("the key `{key}` is named twice")));
            }
            *slot = Some(map.next_value::<&RawValue>()?);
        }
        Ok(())
    }
}

/// The outcome that a structured response tells by `key: true`.
fn is_marked(response: &str, keys: &[&str]) -> bool {
    /// The entries of an object.
    struct Marks<'k>(&'k [&'k str]);
    impl<'a> Visitor<'a> for Marks<'_> {
        type Value = bool;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<bool, A::Error> {
            let mut marked = false;
            while let Some((key, value)) = map.next_entry::<String, &RawValue>()? {
                marked |= self.0.contains(&&*key) && value.get() == "true";
            }
            Ok(marked)
        }
    }
    response.starts_with('{')
        && serde_json::Deserializer::from_str(response).deserialize_map(Marks(keys)).unwrap_or(false)
}

/// The outcome of a call that ended without any mark.
pub(super) fn marked(response: Option<&RawValue>, otherwise: Outcome) -> Outcome {
    let Some(response) = given(response) else {
        return otherwise;
    };
    if is_marked(response, &["is_error", "isError"]) {
        return Outcome::Failed;
    }
    if is_marked(response, &["interrupted"]) { Outcome::Unknown } else { otherwise }
}
