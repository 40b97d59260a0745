//! Calls and results in the messages of spans that ask a model, where they have no spans of their own.
//!
//! The messages of such a span begin with all messages before them. So a call counts where it is first: it is recognized
//! by its id, without one by its place among the calls of the conversation. What a span of the tool itself tells counts
//! more: a call with the id of such a span, and calls of a tool whose spans tell no ids, are these spans.

use super::lenient::{LenientObject, LenientText, List, given};
use super::moment::{Moment, TimelineEvent};
use super::{blocks, python, text};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};
use tsl_synth_core::model::{JsonText, UntoldFacts};

/// A part of a message.
#[derive(Clone, Debug)]
pub(super) enum ChatPart {
    Call { id: Option<String>, name: String, arguments: Option<String> },
    Result { id: Option<String>, value: Option<JsonText<'static>> },
}

/// Where a part was first.
#[derive(Debug)]
struct FoundPart {
    agent: Option<String>,
    time: Option<i64>,
    record: u64,
    number: usize,
    part: ChatPart,
}

impl FoundPart {
    fn place(&self) -> (i64, u64, usize) {
        (self.time.unwrap_or(i64::MAX), self.record, self.number)
    }
}

/// The first places of the calls and results of conversations, by session, id, and whether it is a result.
#[derive(Debug, Default)]
pub(super) struct ChatCalls(BTreeMap<(String, String, bool), FoundPart>);

/// The span in which parts are.
pub(super) struct ChatSpan<'a> {
    pub(super) session: &'a str,
    pub(super) agent: Option<&'a str>,
    pub(super) record: u64,
}

impl ChatCalls {
    /// Adds the parts of a span: those that the model read at one time, and those that it wrote at another one.
    pub(super) fn add(
        &mut self,
        span: &ChatSpan<'_>,
        (read, begin): (Vec<ChatPart>, Option<i64>),
        (written, end): (Vec<ChatPart>, Option<i64>),
    ) {
        let (mut calls, mut results) = (0, 0);
        let all =
            read.into_iter().map(|part| (part, begin)).chain(written.into_iter().map(|part| (part, end)));
        for (number, (part, time)) in all.enumerate() {
            let mut of_place = |id: &Option<String>, is_result: bool| {
                let count = if is_result { &mut results } else { &mut calls };
                id.clone().unwrap_or_else(|| {
                    *count += 1;
                    format!("#{count}")
                })
            };
            let (id, is_result) = match &part {
                ChatPart::Call { id, .. } => (of_place(id, false), false),
                ChatPart::Result { id, .. } => (of_place(id, true), true),
            };
            let (agent, record) = (span.agent.map(str::to_owned), span.record);
            let found = FoundPart { agent, time, record, number, part };
            let key = (span.session.to_owned(), id, is_result);
            self.keep_first(key, found);
        }
    }
    /// Keeps a part unless it was found before at an earlier place.
    fn keep_first(&mut self, key: (String, String, bool), found: FoundPart) {
        if self.0.get(&key).is_none_or(|known| found.place() < known.place()) {
            self.0.insert(key, found);
        }
    }
    /// Gives sessions other names.
    pub(super) fn rename(&mut self, session_of: &BTreeMap<String, String>) {
        for ((session, id, is_result), found) in std::mem::take(&mut self.0) {
            let session = session_of.get(&session).cloned().unwrap_or(session);
            let key = (session, id, is_result);
            self.keep_first(key, found);
        }
    }
    /// The calls and results that have no spans of their own: neither among these moments, nor of tools whose spans tell no
    /// ids. Notes the sessions in which they lack arguments.
    pub(super) fn take(
        &mut self,
        moments: &[Moment],
        unnamed: &BTreeSet<(String, String)>,
        facts: &mut BTreeMap<String, (UntoldFacts, bool)>,
    ) -> Vec<Moment> {
        let mut found_moments = Vec::new();
        let mut spans: BTreeSet<(String, String)> = BTreeSet::new();
        for moment in moments {
            if let TimelineEvent::Call { id, .. } = &moment.what {
                spans.insert((moment.session.clone(), id.clone()));
            }
        }
        let mut all: Vec<_> = std::mem::take(&mut self.0).into_iter().collect();
        all.sort_by_key(|(_, found)| found.place());
        let mut own: BTreeSet<(String, String)> = BTreeSet::new();
        for ((session, id, _), found) in all {
            let key = (session, id);
            let what = match found.part {
                ChatPart::Call { name, arguments, .. } => {
                    let has_span = spans.contains(&key) || unnamed.contains(&(key.0.clone(), name.clone()));
                    if has_span {
                        continue;
                    }
                    own.insert(key.clone());
                    let facts = &mut facts.entry(key.0.clone()).or_default().0;
                    facts.arguments |= arguments.is_none();
                    TimelineEvent::Call { id: key.1.clone(), name, server: None, arguments }
                }
                ChatPart::Result { .. } if !own.contains(&key) => continue,
                ChatPart::Result { value, .. } => {
                    TimelineEvent::Result { call: key.1.clone(), outcome: None, result: value }
                }
            };
            let order = format!("{:012}", found.record);
            let (time, record) = (found.time, found.record);
            found_moments.push(Moment { session: key.0, agent: found.agent, time, order, record, what });
        }
        found_moments
    }
}

/// A message in the conventions for generative AI.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct OtelMessage<'a> {
    #[serde(borrow)]
    pub(super) role: LenientText<'a>,
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
    #[serde(borrow)]
    parts: List<LenientObject<MessagePart<'a>>>,
}

impl<'a> OtelMessage<'a> {
    /// Its parts.
    pub(super) fn parts(&self) -> impl Iterator<Item = &MessagePart<'a>> {
        self.parts.0.iter().filter_map(|part| part.0.as_ref())
    }
}

/// A part of a message: a text, a call or a result.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct MessagePart<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: LenientText<'a>,
    #[serde(borrow)]
    pub(super) content: LenientText<'a>,
    #[serde(borrow)]
    id: LenientText<'a>,
    #[serde(borrow)]
    name: LenientText<'a>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    response: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
}

/// An attribute with messages as JSON: a list, or a string that contains one.
pub(super) fn message_list(raw: Option<&str>) -> JsonText<'_> {
    raw.map_or(JsonText::borrowed("[]"), text::meant)
}

/// The messages of such a list.
pub(super) fn read_messages<'a>(list: &'a JsonText<'_>) -> Vec<OtelMessage<'a>> {
    let messages: List<LenientObject<OtelMessage<'a>>> =
        serde_json::from_str(list.as_str()).unwrap_or_default();
    messages.0.into_iter().filter_map(|message| message.0).collect()
}

/// The calls and results in an attribute with messages.
pub(super) fn parts(raw: Option<&str>) -> Vec<ChatPart> {
    let list = message_list(raw);
    let messages = read_messages(&list);
    let parts = messages.iter().flat_map(OtelMessage::parts);
    let part = |part: &MessagePart<'_>| {
        let id = part.id.get().map(str::to_owned);
        match part.kind.get() {
            Some("tool_call") => Some(ChatPart::Call {
                id,
                name: part.name.get()?.to_owned(),
                arguments: given(part.arguments).and_then(arguments),
            }),
            Some("tool_call_response") => {
                let value = given(part.response).or(given(part.result));
                Some(ChatPart::Result { id, value: value.map(|raw| blocks::result(raw).into_owned()) })
            }
            _ => None,
        }
    };
    parts.filter_map(part).collect()
}

/// The arguments in a value: an object, or a text that contains one, as JSON or as Python writes it. `None` if the text
/// begins like an object and is none.
pub(super) fn arguments(raw: &str) -> Option<String> {
    let Some(said) = text::unquoted(raw) else { return Some(raw.to_owned()) };
    if let Some(object) = text::meant_text(&said) {
        return Some(object.as_str().to_owned());
    }
    match python::dict(&said) {
        Some(object) => Some(object.as_str().to_owned()),
        None => (!said.trim_start().starts_with('{')).then(|| raw.to_owned()),
    }
}

/// A message whose fields are attributes of their own: `llm.input_messages.0.message.role`, `gen_ai.prompt.0.role`.
#[derive(Debug, Default)]
pub(super) struct FlatMessage {
    pub(super) role: String,
    pub(super) content: String,
    answers: Option<String>,
    calls: BTreeMap<usize, [Option<String>; 3]>,
}

/// The messages in attributes with this prefix.
pub(super) fn flat(attributes: &BTreeMap<String, String>, prefix: &str) -> Vec<FlatMessage> {
    let mut all: BTreeMap<usize, FlatMessage> = BTreeMap::new();
    for (key, value) in attributes.range(prefix.to_owned()..) {
        let Some(rest) = key.strip_prefix(prefix) else { break };
        let mut steps = rest.split('.');
        let Some(place) = steps.next().and_then(|step| step.parse::<usize>().ok()) else { continue };
        let step = |step: &&str| !matches!(*step, "message" | "tool_call" | "function" | "message_content");
        let steps: Vec<&str> = steps.filter(step).collect();
        let said = || text::unquoted(value).map(std::borrow::Cow::into_owned);
        let own = all.entry(place).or_default();
        match steps.as_slice() {
            ["role"] => own.role = said().unwrap_or_default(),
            ["content"] | ["contents", _, "text"] => {
                if !own.content.is_empty() {
                    own.content.push('\n');
                }
                own.content.push_str(&said().unwrap_or_default());
            }
            ["tool_call_id"] => own.answers = said(),
            ["tool_calls", number, field] => {
                let Ok(number) = number.parse() else { continue };
                let call: &mut [Option<String>; 3] = own.calls.entry(number).or_default();
                match *field {
                    "id" => call[0] = said(),
                    "name" => call[1] = said(),
                    "arguments" => call[2] = arguments(value),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    all.into_values().collect()
}

/// The calls and results of such messages.
pub(super) fn flat_parts(messages: &[FlatMessage]) -> Vec<ChatPart> {
    let mut all = Vec::new();
    for message in messages {
        if message.role == "tool" {
            let value = Some(blocks::result(text::quoted(&message.content).as_str()).into_owned());
            all.push(ChatPart::Result { id: message.answers.clone(), value });
        }
        let calls = message.calls.values().filter_map(|[id, name, arguments]| {
            let (id, arguments) = (id.clone(), arguments.clone());
            Some(ChatPart::Call { id, name: name.clone()?, arguments })
        });
        all.extend(calls);
    }
    all
}
