//! Traces and observations of Langfuse, as its API and its exports write them: traces with `observations`, lists or lines
//! of either, or an object with `data`.
//!
//! - An observation of the type `TOOL` is a call, and a result if it has an end. It failed if its level is `ERROR`.
//! - Calls that are only in the messages of a `GENERATION` count if they have no observation of their own; the outcomes of
//!   their results are not told.
//! - A session is `sessionId`, else the trace. What the user said is in the input of a trace, its output is what the agent
//!   said; the agent stopped then. Observations without their trace do not tell messages.
//! - Observations are in any order, so the whole log is read before the first event is reported.

use super::blocks::{MessageContent, result};
use super::lenient::{LenientObject, LenientText, List, given};
use super::moment::{Moment, TimelineEvent};
use super::otel_calls::{ChatPart, ChatSpan, arguments};
use super::session_table::SessionTable;
use super::text;
use super::timeline::Timeline;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use tsl_synth_core::model::{CallOutcome, Speaker};

/// The depth to which lists inside of lists are read.
const DEPTH: usize = 4;

#[derive(Default, Deserialize)]
#[serde(default)]
struct LangfuseRecord<'a> {
    #[serde(borrow)]
    id: LenientText<'a>,
    #[serde(borrow, rename = "traceId", alias = "trace_id")]
    trace: LenientText<'a>,
    #[serde(borrow, rename = "sessionId", alias = "session_id")]
    session: LenientText<'a>,
    #[serde(borrow, rename = "type")]
    kind: LenientText<'a>,
    #[serde(borrow)]
    name: LenientText<'a>,
    #[serde(borrow)]
    timestamp: LenientText<'a>,
    #[serde(borrow, rename = "startTime", alias = "start_time")]
    begin: LenientText<'a>,
    #[serde(borrow, rename = "endTime", alias = "end_time")]
    end: LenientText<'a>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(borrow)]
    level: LenientText<'a>,
    #[serde(borrow)]
    model: LenientText<'a>,
    #[serde(borrow)]
    observations: Option<List<&'a RawValue>>,
    #[serde(borrow)]
    data: List<&'a RawValue>,
}

/// A message of a model, in the form of OpenAI.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ModelMessage<'a> {
    #[serde(borrow)]
    role: LenientText<'a>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_call_id: LenientText<'a>,
    #[serde(borrow)]
    tool_calls: List<LenientObject<ModelCall<'a>>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ModelCall<'a> {
    #[serde(borrow)]
    id: LenientText<'a>,
    #[serde(borrow)]
    function: LenientObject<ModelFunction<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ModelFunction<'a> {
    #[serde(borrow)]
    name: LenientText<'a>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// An object with messages.
#[derive(Default, Deserialize)]
#[serde(default)]
struct MessageHolder<'a> {
    #[serde(borrow)]
    messages: List<LenientObject<ModelMessage<'a>>>,
}

/// The messages in an input or an output: a list, an object with a list, or one message.
fn messages(raw: Option<&RawValue>) -> Vec<ModelMessage<'_>> {
    let Some(raw) = given(raw) else { return Vec::new() };
    let list: List<LenientObject<ModelMessage<'_>>> = if raw.starts_with('[') {
        serde_json::from_str(raw).unwrap_or_default()
    } else {
        let holder = serde_json::from_str::<LenientObject<MessageHolder<'_>>>(raw).ok();
        holder.and_then(|holder| holder.0).unwrap_or_default().messages
    };
    let mut all: Vec<ModelMessage<'_>> = list.0.into_iter().filter_map(|one| one.0).collect();
    if all.is_empty() {
        let one = serde_json::from_str::<LenientObject<ModelMessage<'_>>>(raw).ok().and_then(|one| one.0);
        all.extend(one.filter(|one| one.role.get().is_some()));
    }
    all
}

/// Reads a document, or a line that is one.
pub(super) fn document(sessions: &mut SessionTable, timeline: &mut Timeline, name: &str, raw: &RawValue) {
    let mut left: Vec<(&RawValue, usize, Option<String>)> = vec![(raw, 0, None)];
    while let Some((raw, depth, session)) = left.pop() {
        let parts: Vec<&RawValue> = if raw.get().starts_with('[') && depth < DEPTH {
            serde_json::from_str(raw.get()).unwrap_or_default()
        } else {
            let record = serde_json::from_str::<LenientObject<LangfuseRecord<'_>>>(raw.get()).ok();
            let Some(record) = record.and_then(|record| record.0) else {
                sessions.notes.unknown_lines += 1;
                continue;
            };
            let own = record.session.get().map(str::to_owned);
            let own = own.or(session).or_else(|| record.trace.get().map(str::to_owned));
            let is_trace = record.observations.is_some();
            let own = own.or_else(|| record.id.get().filter(|_| is_trace).map(str::to_owned));
            let own = own.unwrap_or_else(|| name.to_owned());
            let inside = match record.observations.as_ref() {
                _ if depth >= DEPTH => Vec::new(),
                Some(inside) => inside.0.clone(),
                None => record.data.0.clone(),
            };
            if is_trace {
                trace(sessions, timeline, &own, &record);
            } else if record.kind.get().is_some() {
                observation(sessions, timeline, &own, &record);
            } else if inside.is_empty() {
                sessions.notes.unknown_lines += 1;
            }
            let session = is_trace.then_some(own);
            left.extend(inside.into_iter().rev().map(|part| (part, depth + 1, session.clone())));
            continue;
        };
        left.extend(parts.into_iter().rev().map(|part| (part, depth + 1, session.clone())));
    }
}

fn micros(time: &LenientText<'_>) -> Option<i64> {
    time.get().and_then(text::micros)
}

fn push(timeline: &mut Timeline, session: &str, time: Option<i64>, what: TimelineEvent) {
    let record = timeline.records;
    let (session, order) = (session.to_owned(), format!("{record:012}"));
    timeline.moments.push(Moment { session, agent: None, time, order, record, what });
}

/// Adds what a trace says of messages.
fn trace(sessions: &mut SessionTable, timeline: &mut Timeline, session: &str, trace: &LangfuseRecord<'_>) {
    sessions.notes.lines += 1;
    timeline.records += 1;
    let begin = micros(&trace.timestamp);
    let ends = trace.observations.iter().flat_map(|all| &all.0).filter_map(|raw| {
        let one = serde_json::from_str::<LenientObject<LangfuseRecord<'_>>>(raw.get()).ok()?.0?;
        micros(&one.end).or(micros(&one.begin))
    });
    let end = ends.max().or(begin);
    let text = |raw: Option<&RawValue>| given(raw).and_then(text::unquoted).map(Cow::into_owned);
    let input = messages(trace.input);
    let of = |all: &[ModelMessage<'_>], role: &str| -> Vec<String> {
        let own = all.iter().filter(|one| one.role.is(role));
        own.filter_map(|one| MessageContent::of(one.content).said().map(Cow::into_owned)).collect()
    };
    let heard = of(&input, "user");
    let (untold, has_messages) = timeline.facts.entry(session.to_owned()).or_default();
    *has_messages |= !heard.is_empty() || text(trace.input).is_some();
    untold.messages |= heard.is_empty() && text(trace.input).is_none();
    match text(trace.input) {
        Some(said) => push(timeline, session, begin, TimelineEvent::Message(Speaker::User, said)),
        None if !heard.is_empty() => push(timeline, session, begin, TimelineEvent::Heard(heard)),
        None => {}
    }
    let said = text(trace.output).or_else(|| of(&messages(trace.output), "assistant").pop());
    if let Some(said) = said {
        push(timeline, session, end, TimelineEvent::Message(Speaker::Agent, said));
        push(timeline, session, end, TimelineEvent::End);
        // After the observations that end at the same time.
        for moment in timeline.moments.iter_mut().rev().take(2) {
            moment.order.insert(0, '~');
        }
    }
}

/// Adds the events of an observation.
fn observation(
    sessions: &mut SessionTable,
    timeline: &mut Timeline,
    session: &str,
    own: &LangfuseRecord<'_>,
) {
    sessions.notes.lines += 1;
    timeline.records += 1;
    timeline.facts.entry(session.to_owned()).or_default();
    if let (Some(trace), true) = (own.trace.get(), own.session.get().is_some()) {
        timeline.named.entry(trace.to_owned()).or_default().insert(session.to_owned());
    }
    let (begin, end) = (micros(&own.begin), micros(&own.end));
    let kind = own.kind.get().unwrap_or_default().to_ascii_uppercase();
    match kind.as_str() {
        "TOOL" => {
            let name = own.name.get().unwrap_or_default().to_owned();
            let id = own.id.get().map_or_else(|| format!("#{}", timeline.records), str::to_owned);
            let arguments = given(own.input).and_then(arguments);
            if arguments.is_none() {
                timeline.facts.entry(session.to_owned()).or_default().0.arguments = true;
            }
            timeline.unnamed.insert((session.to_owned(), name.clone()));
            let call = TimelineEvent::Call { id: id.clone(), name, server: None, arguments };
            push(timeline, session, begin, call);
            if end.is_some() || given(own.output).is_some() {
                let failed = own.level.is("ERROR");
                let outcome = Some(if failed { CallOutcome::Failed } else { CallOutcome::Ok });
                let result = given(own.output).map(|raw| result(raw).into_owned());
                push(timeline, session, end.or(begin), TimelineEvent::Result { call: id, outcome, result });
            }
        }
        "GENERATION" => {
            sessions.told(session, own.model.get(), None);
            let span = ChatSpan { session, agent: None, record: timeline.records };
            let (read, written) = (parts(&messages(own.input)), parts(&messages(own.output)));
            timeline.chats.add(&span, (read, begin), (written, end.or(begin)));
        }
        _ => {}
    }
}

/// The calls and results in messages.
fn parts(all: &[ModelMessage<'_>]) -> Vec<ChatPart> {
    let mut found = Vec::new();
    for message in all {
        let text = |text: &LenientText<'_>| text.get().map(str::to_owned);
        if message.role.is("tool") {
            let value = given(message.content).map(|raw| result(raw).into_owned());
            found.push(ChatPart::Result { id: text(&message.tool_call_id), value });
        }
        for call in message.tool_calls.0.iter().filter_map(|call| call.0.as_ref()) {
            let Some(function) = call.function.0.as_ref() else { continue };
            let Some(name) = text(&function.name) else { continue };
            let arguments = given(function.arguments).and_then(arguments);
            found.push(ChatPart::Call { id: text(&call.id), name, arguments });
        }
    }
    found
}
