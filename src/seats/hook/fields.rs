//! Extracts the entries of a payload without parsing their values.

use crate::log::shared;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use tsl_synth_core::model::CallOutcome;

/// An entry that we read, independent of its key in the payloads of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldSlot {
    Event,
    Session,
    Agent,
    Parent,
    Cwd,
    Tool,
    Input,
    Response,
    Error,
    Interrupted,
    Call,
    Prompt,
    Source,
    StopActive,
    LastMessage,
    Server,
    ServerTool,
    Command,
    Path,
    Status,
    /// Objects with entries of their own.
    Inner,
    Before,
    After,
    /// The calls of a turn.
    Calls,
    /// A message of the agent: its name, a part of its text, and whether that is the last part.
    Message,
    Delta,
    Final,
    Transcript,
    Context,
}

const SLOTS: usize = FieldSlot::Context as usize + 1;

/// The keys of Claude Code and Codex, which other hosts have adopted.
pub(super) const COMMON: &[(&str, FieldSlot)] = &[
    ("hook_event_name", FieldSlot::Event),
    ("session_id", FieldSlot::Session),
    ("agent_id", FieldSlot::Agent),
    ("cwd", FieldSlot::Cwd),
    ("tool_name", FieldSlot::Tool),
    ("tool_input", FieldSlot::Input),
    ("tool_response", FieldSlot::Response),
    ("error", FieldSlot::Error),
    ("is_interrupt", FieldSlot::Interrupted),
    ("tool_use_id", FieldSlot::Call),
    ("prompt", FieldSlot::Prompt),
    ("source", FieldSlot::Source),
    ("stop_hook_active", FieldSlot::StopActive),
    ("last_assistant_message", FieldSlot::LastMessage),
];

/// These keys and the common ones.
pub(super) const fn extended<const N: usize>(
    keys: &'static [(&'static str, FieldSlot)],
) -> [(&'static str, FieldSlot); N] {
    let mut all = [keys[0]; N];
    let mut i = 0;
    while i < N {
        all[i] = if i < keys.len() { keys[i] } else { COMMON[i - keys.len()] };
        i += 1;
    }
    all
}

/// The entries, as raw values.
#[derive(Clone, Debug, Default)]
pub(super) struct HookFields<'a> {
    slots: [Option<&'a RawValue>; SLOTS],
}

impl<'a> HookFields<'a> {
    pub(super) fn get(&self, slot: FieldSlot) -> Option<&'a RawValue> {
        self.slots[slot as usize]
    }
    /// The text of a value; `null` counts as absent.
    pub(super) fn given(&self, slot: FieldSlot) -> Option<&'a str> {
        shared::given(self.get(slot))
    }
    /// The string, if the value is one.
    pub(super) fn text(&self, slot: FieldSlot) -> Option<String> {
        shared::unquoted(self.get(slot)?.get()).map(Cow::into_owned)
    }
    /// A string that is not empty.
    pub(super) fn name(&self, slot: FieldSlot) -> Option<String> {
        self.text(slot).filter(|text| !text.is_empty())
    }
    pub(super) fn is_true(&self, slot: FieldSlot) -> bool {
        self.get(slot).is_some_and(|raw| raw.get() == "true")
    }
    /// The entries of an inner object.
    pub(super) fn inner(
        &self,
        slot: FieldSlot,
        keys: &[(&str, FieldSlot)],
    ) -> Result<HookFields<'a>, String> {
        let mut inner = HookFields::default();
        if let Some(text) = self.given(slot) {
            let mut reader = serde_json::Deserializer::from_str(text);
            FieldsReader { fields: &mut inner, keys }
                .deserialize(&mut reader)
                .map_err(|error| format!("the payload of the hook cannot be read: {error}"))?;
        }
        Ok(inner)
    }
    /// Sets an entry that is not set yet.
    pub(super) fn fill(&mut self, slot: FieldSlot, value: Option<&'a RawValue>) {
        let place = &mut self.slots[slot as usize];
        *place = place.or(value);
    }
    pub(super) fn clear(&mut self, slot: FieldSlot) {
        self.slots[slot as usize] = None;
    }
    /// Overwrites an entry, unless `value` is `None`.
    pub(super) fn set(&mut self, slot: FieldSlot, value: Option<&'a RawValue>) {
        self.slots[slot as usize] = value.or(self.slots[slot as usize]);
    }
}

/// Reads an object into [`HookFields`], which keep the entries that were read before an error.
pub(super) struct FieldsReader<'f, 'k, 'a> {
    pub(super) fields: &'f mut HookFields<'a>,
    pub(super) keys: &'k [(&'k str, FieldSlot)],
}

impl<'a> DeserializeSeed<'a> for FieldsReader<'_, '_, 'a> {
    type Value = ();
    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'a> Visitor<'a> for FieldsReader<'_, '_, 'a> {
    type Value = ();
    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }
    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        let mut read = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            let Some(&(_, slot)) = self.keys.iter().find(|(name, _)| *name == key) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if read.contains(&key) {
                return Err(A::Error::custom(format_args!("the key `{key}` is named twice")));
            }
            let value = map.next_value::<&RawValue>()?;
            let place = &mut self.fields.slots[slot as usize];
            // Some hosts send an entry under two names.
            if place.is_some_and(|other| other.get() != value.get()) {
                return Err(A::Error::custom(format_args!(
                    "the key `{key}` contradicts another key for the same value"
                )));
            }
            *place = Some(value);
            read.push(key);
        }
        Ok(())
    }
}

/// Whether a structured response has an entry `key: true` with one of these keys.
fn is_marked(response: &str, keys: &[&str]) -> bool {
    /// Finds out whether an object has one of these keys with the value `true`.
    struct ObjectMarks<'k>(&'k [&'k str]);
    impl<'a> Visitor<'a> for ObjectMarks<'_> {
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
        && serde_json::Deserializer::from_str(response).deserialize_map(ObjectMarks(keys)).unwrap_or(false)
}

/// The outcome that the marks in a response report; `otherwise` if there are none.
pub(super) fn marked(response: Option<&RawValue>, otherwise: CallOutcome) -> CallOutcome {
    let Some(response) = shared::given(response) else {
        return otherwise;
    };
    if is_marked(response, &["is_error", "isError"]) {
        return CallOutcome::Failed;
    }
    if is_marked(response, &["interrupted"]) { CallOutcome::Unknown } else { otherwise }
}
