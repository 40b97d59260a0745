//! Spans of OpenTelemetry according to the GenAI conventions, which are in development: OTLP JSON (`resourceSpans`,
//! `scopeSpans`, `spans`), lists of spans as exporters print them, or lines of either.
//!
//! - A span of the operation `execute_tool` is a call, and a result if the span has an end. It failed if its status is
//!   an error or it has `error.type`; without these it is ok, as the convention says.
//! - Arguments (`gen_ai.tool.call.arguments`) and results are opt-in and mostly missing: then the arguments are `null`
//!   and counted in [`LogNotes::untold_arguments`](super::LogNotes). Messages are opt-in, too. What a session lacks is an
//!   event of its own ([`HostEventKind::Untold`](tsl_synth_core::model::HostEventKind::Untold)).
//! - Calls (`tool_call`) and their results (`tool_call_response`) in messages count if they have no span of their own. The
//!   outcomes of these results are not told.
//! - Spans in the conventions of OpenInference (`openinference.span.kind`) and Traceloop (`traceloop.span.kind`) are read,
//!   too: those of tools, and the messages of those of models.
//! - A session is `gen_ai.conversation.id` (`session.id`, `traceloop.association.properties.session_id`), else that of the
//!   other spans of the trace, else the trace; the agent is `gen_ai.agent.name`.
//! - Messages are those of `gen_ai.input.messages` that no earlier span of the session had, and
//!   `gen_ai.output.messages`. The agent stopped at the end of an `invoke_agent` span without error.
//! - Spans are logged in the order of their ends. Events are sorted by their times, so the whole log is read before the
//!   first event is reported.

use super::blocks::{MessageContent, result};
use super::lenient::{LenientObject, LenientScalar, LenientText, List, given};
use super::moment::{Moment, TimelineEvent};
use super::otel_calls::{
    ChatSpan, FlatMessage, arguments, flat, flat_parts, message_list, parts, read_messages,
};
use super::session_table::SessionTable;
use super::text;
use super::timeline::Timeline;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;
use tsl_synth_core::model::{CallOutcome, JsonText, Speaker};

/// An object that contains spans.
#[derive(Default, Deserialize)]
#[serde(default)]
struct SpanHolder<'a> {
    #[serde(borrow, rename = "resourceSpans", alias = "resource_spans")]
    resources: List<&'a RawValue>,
    #[serde(borrow, rename = "scopeSpans", alias = "scope_spans", alias = "instrumentationLibrarySpans")]
    scopes: List<&'a RawValue>,
    #[serde(borrow)]
    spans: List<&'a RawValue>,
    #[serde(borrow)]
    data: List<&'a RawValue>,
    #[serde(borrow)]
    resource: LenientObject<Resource<'a>>,
}

/// What the spans of one program have in common.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Resource<'a> {
    #[serde(borrow)]
    attributes: Option<&'a RawValue>,
}

impl Resource<'_> {
    /// The name of the program.
    fn service(&self) -> Option<String> {
        text::unquoted(attributes(self.attributes).get("service.name")?).map(Cow::into_owned)
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct OtelSpan<'a> {
    #[serde(borrow, rename = "traceId", alias = "trace_id")]
    trace: LenientText<'a>,
    #[serde(borrow, rename = "spanId", alias = "span_id")]
    id: LenientText<'a>,
    #[serde(borrow)]
    context: LenientObject<SpanContext<'a>>,
    #[serde(borrow)]
    name: LenientText<'a>,
    #[serde(borrow, rename = "startTimeUnixNano", alias = "start_time", alias = "startTime")]
    begin: LenientScalar<'a>,
    #[serde(borrow, rename = "endTimeUnixNano", alias = "end_time", alias = "endTime")]
    end: LenientScalar<'a>,
    #[serde(borrow)]
    attributes: Option<&'a RawValue>,
    #[serde(borrow)]
    status: LenientObject<OtelStatus<'a>>,
    #[serde(borrow)]
    resource: LenientObject<Resource<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SpanContext<'a> {
    #[serde(borrow, rename = "trace_id", alias = "traceId")]
    trace: LenientText<'a>,
    #[serde(borrow, rename = "span_id", alias = "spanId")]
    span: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct OtelStatus<'a> {
    #[serde(borrow)]
    code: LenientScalar<'a>,
    #[serde(borrow)]
    status_code: LenientScalar<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Attribute<'a> {
    #[serde(borrow)]
    key: LenientText<'a>,
    #[serde(borrow)]
    value: Option<&'a RawValue>,
}

/// A value of OTLP.
#[derive(Default, Deserialize)]
#[serde(default)]
struct AnyValue<'a> {
    #[serde(borrow, rename = "stringValue", alias = "string_value")]
    text: Option<&'a RawValue>,
    #[serde(borrow, rename = "intValue", alias = "int_value")]
    int: Option<&'a RawValue>,
    #[serde(borrow, rename = "boolValue", alias = "bool_value")]
    flag: Option<&'a RawValue>,
    #[serde(borrow, rename = "doubleValue", alias = "double_value")]
    double: Option<&'a RawValue>,
    #[serde(borrow, rename = "arrayValue", alias = "array_value")]
    array: LenientObject<AttributeValues<'a>>,
    #[serde(borrow, rename = "kvlistValue", alias = "kvlist_value")]
    object: LenientObject<KeyValues<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct AttributeValues<'a> {
    #[serde(borrow)]
    values: List<LenientObject<AnyValue<'a>>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct KeyValues<'a> {
    #[serde(borrow)]
    values: List<LenientObject<KeyValue<'a>>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct KeyValue<'a> {
    #[serde(borrow)]
    key: LenientText<'a>,
    #[serde(borrow)]
    value: LenientObject<AnyValue<'a>>,
}

impl AnyValue<'_> {
    /// The value as plain JSON. Recursion is bounded by that of the parser.
    fn json(&self) -> Option<String> {
        if let Some(int) = self.int {
            // OTLP writes integers of 64 bits as text.
            return Some(int.get().trim_matches('"').to_owned()).filter(|int| int.parse::<i64>().is_ok());
        }
        if let Some(plain) = self.text.or(self.flag).or(self.double) {
            return Some(plain.get().to_owned());
        }
        if let Some(array) = &self.array.0 {
            let all: Vec<String> =
                array.values.0.iter().filter_map(|value| value.0.as_ref()?.json()).collect();
            return Some(format!("[{}]", all.join(",")));
        }
        let pairs = self.object.0.as_ref()?.values.0.iter().filter_map(|pair| {
            let pair = pair.0.as_ref()?;
            Some(format!("{}:{}", text::quoted(pair.key.get()?).as_str(), pair.value.0.as_ref()?.json()?))
        });
        Some(format!("{{{}}}", pairs.collect::<Vec<_>>().join(",")))
    }
}

/// Reads a document, or a line that is one.
pub(super) fn document(sessions: &mut SessionTable, timeline: &mut Timeline, name: &str, raw: &RawValue) {
    let mut left: Vec<(&RawValue, usize, Option<Rc<str>>)> = vec![(raw, 0, None)];
    while let Some((raw, depth, service)) = left.pop() {
        let text = raw.get();
        let mut service = service;
        let inside: Vec<&RawValue> = if depth >= 8 {
            Vec::new()
        } else if text.starts_with('[') {
            serde_json::from_str(text).unwrap_or_default()
        } else {
            let holder =
                serde_json::from_str::<LenientObject<SpanHolder<'_>>>(text).ok().and_then(|holder| holder.0);
            let holder = holder.unwrap_or_default();
            let own = holder.resource.0.as_ref().and_then(Resource::service);
            service = own.map(Rc::from).or(service);
            [holder.resources, holder.scopes, holder.spans, holder.data]
                .into_iter()
                .flat_map(|list| list.0)
                .collect()
        };
        if inside.is_empty() {
            match serde_json::from_str::<LenientObject<OtelSpan<'_>>>(text).ok().and_then(|span| span.0) {
                Some(span) if span.name.get().is_some() || span.attributes.is_some() => {
                    sessions.notes.lines += 1;
                    timeline.records += 1;
                    self::span(sessions, timeline, (name, service.as_deref()), &span);
                }
                _ => sessions.notes.unknown_lines += u64::from(text != "[]"),
            }
        } else {
            left.extend(inside.into_iter().rev().map(|part| (part, depth + 1, service.clone())));
        }
    }
}

/// The attributes of a span as JSON values.
fn attributes(raw: Option<&RawValue>) -> BTreeMap<String, String> {
    let Some(raw) = given(raw) else {
        return BTreeMap::new();
    };
    if !raw.starts_with('[') {
        let plain: BTreeMap<String, Box<RawValue>> = serde_json::from_str(raw).unwrap_or_default();
        return plain.into_iter().map(|(key, value)| (key, value.get().to_owned())).collect();
    }
    let list: List<LenientObject<Attribute<'_>>> = serde_json::from_str(raw).unwrap_or_default();
    let pairs = list.0.into_iter().filter_map(|attribute| {
        let attribute = attribute.0?;
        let value = attribute.value?.get();
        let wrapped =
            serde_json::from_str::<LenientObject<AnyValue<'_>>>(value).ok().and_then(|value| value.0?.json());
        Some((attribute.key.get()?.to_owned(), wrapped.unwrap_or_else(|| value.to_owned())))
    });
    pairs.collect()
}

/// Microseconds of a time in nanoseconds, as number or text, or in RFC 3339.
fn micros(time: &LenientScalar<'_>) -> Option<i64> {
    let time = time.name()?;
    time.parse::<i64>()
        .ok()
        .filter(|nanos| *nanos > 0)
        .map(|nanos| nanos / 1000)
        .or_else(|| text::micros(&time))
}

/// Adds the events of a span. `name` and `service` are those of a session whose spans do not name them.
fn span(
    sessions: &mut SessionTable,
    timeline: &mut Timeline,
    (name, service): (&str, Option<&str>),
    span: &OtelSpan<'_>,
) {
    let attributes = attributes(span.attributes);
    let value = |key: &str| attributes.get(key).map(String::as_str).filter(|value| *value != "null");
    let word = |key: &str| value(key).and_then(text::unquoted).map(Cow::into_owned);
    let title = span.name.get().unwrap_or_default();
    let operation = operation(&attributes, title);
    let operation = operation.as_ref();
    let context = span.context.0.as_ref();
    let trace = span.trace.get().or(context.and_then(|context| context.trace.get()));
    let own = span.id.get().or(context.and_then(|context| context.span.get())).unwrap_or_default();
    let named = SESSIONS.iter().find_map(|key| word(key));
    if let (Some(trace), Some(named)) = (trace, &named) {
        timeline.named.entry(trace.to_owned()).or_default().insert(named.clone());
    }
    let session = named.as_deref().or(trace).unwrap_or(name).to_owned();
    let model = word("gen_ai.response.model").or(word("gen_ai.request.model"));
    let own_service = span.resource.0.as_ref().and_then(Resource::service);
    sessions.told(&session, model.as_deref(), own_service.as_deref().or(service));
    let agent = word("gen_ai.agent.name").or(word("gen_ai.agent.id"));
    let (begin, end) = (micros(&span.begin), micros(&span.end));
    let status = span.status.0.as_ref();
    let is_error =
        |code: &LenientScalar<'_>| code.name().is_some_and(|code| code == "2" || code.ends_with("ERROR"));
    let failed = status.is_some_and(|status| is_error(&status.code) || is_error(&status.status_code));
    let failed = failed || value("error.type").is_some();
    let record = timeline.records;
    let (untold, has_messages) = timeline.facts.entry(session.clone()).or_default();
    *has_messages |=
        ["gen_ai.input.messages", "gen_ai.output.messages"].into_iter().any(|key| value(key).is_some());
    let (input, output) = messages(&attributes);
    *has_messages |= !input.is_empty() || !output.is_empty();
    let tool = match operation {
        "execute_tool" => Some(called_tool(&attributes, title)),
        "tool" => Some(foreign_tool(&attributes, title)),
        _ => None,
    };
    if let Some(tool) = &tool {
        untold.arguments |= tool.arguments.is_none();
        untold.results |= tool.result.is_none();
        if value("gen_ai.tool.call.id").is_none() {
            timeline.unnamed.insert((session.clone(), tool.name.clone()));
        }
    }
    if matches!(operation, "chat" | "generate_content" | "text_completion") {
        let span = ChatSpan { session: &session, agent: agent.as_deref(), record };
        let mut read = parts(value("gen_ai.input.messages"));
        read.extend(flat_parts(&input));
        let mut written = parts(value("gen_ai.output.messages"));
        written.extend(flat_parts(&output));
        timeline.chats.add(&span, (read, begin), (written, end.or(begin)));
    }
    let mut push = |time, what| {
        let (session, agent) = (session.clone(), agent.clone());
        // Events with the same time are in the order of the log.
        let order = format!("{record:012}");
        timeline.moments.push(Moment { session, agent, time, order, record, what });
    };
    if let Some(SpanTool { name, arguments, result }) = tool {
        let id = word("gen_ai.tool.call.id").unwrap_or_else(|| own.to_owned());
        let server = word("mcp.server.name");
        push(begin, TimelineEvent::Call { id: id.clone(), name, server, arguments });
        if end.is_some() {
            let outcome = Some(if failed { CallOutcome::Failed } else { CallOutcome::Ok });
            push(end, TimelineEvent::Result { call: id, outcome, result });
        }
    }
    match operation {
        "chat" | "generate_content" | "text_completion" => {
            let of = |all: &[FlatMessage], role: &str| -> Vec<String> {
                let own = all.iter().filter(|message| message.role == role && !message.content.is_empty());
                own.map(|message| message.content.clone()).collect()
            };
            let mut heard = said(value("gen_ai.input.messages"), "user");
            heard.extend(of(&input, "user"));
            push(begin, TimelineEvent::Heard(heard));
            let mut answers = said(value("gen_ai.output.messages"), "assistant");
            answers.extend(of(&output, "assistant"));
            for text in answers {
                push(end.or(begin), TimelineEvent::Message(Speaker::Agent, text));
            }
        }
        "invoke_agent" if end.is_some() && !failed => push(end, TimelineEvent::End),
        _ => {}
    }
}

/// The attributes that name a session.
const SESSIONS: &[&str] = &[
    "gen_ai.conversation.id",
    "session.id",
    "traceloop.association.properties.session_id",
    "traceloop.association.properties.thread_id",
    "traceloop.association.properties.conversation_id",
    "traceloop.association.properties.chat_id",
];

/// The call in a span of the operation `execute_tool`.
fn called_tool(attributes: &BTreeMap<String, String>, title: &str) -> SpanTool {
    let value = |key: &str| attributes.get(key).map(String::as_str).filter(|value| *value != "null");
    let name = value("gen_ai.tool.name").and_then(text::unquoted);
    let titled = title.strip_prefix("execute_tool ").unwrap_or(title);
    SpanTool {
        name: name.map_or_else(|| titled.to_owned(), Cow::into_owned),
        arguments: value("gen_ai.tool.call.arguments").map(str::to_owned),
        result: value("gen_ai.tool.call.result").map(|raw| result(raw).into_owned()),
    }
}

/// What a span is about: `tool` and `chat` in other conventions, else the operation.
fn operation<'a>(attributes: &BTreeMap<String, String>, title: &'a str) -> Cow<'a, str> {
    let word = |key: &str| attributes.get(key).and_then(|value| text::unquoted(value)).map(Cow::into_owned);
    if let Some(operation) = word("gen_ai.operation.name") {
        return Cow::Owned(operation);
    }
    let kind = word("openinference.span.kind").or_else(|| word("traceloop.span.kind"));
    Cow::Borrowed(match kind.as_deref() {
        Some("TOOL" | "tool") => "tool",
        Some("LLM") => "chat",
        Some(_) => "",
        // Traceloop names the kind of request that asks a model.
        None if word("llm.request.type").is_some() => "chat",
        None => title.split(' ').next().unwrap_or_default(),
    })
}

/// The input messages and the output messages of a model where each field of a message is an attribute of its own: in
/// OpenInference and in older versions of Traceloop.
fn messages(attributes: &BTreeMap<String, String>) -> (Vec<FlatMessage>, Vec<FlatMessage>) {
    let all = |names: [&str; 2]| names.into_iter().flat_map(|name| flat(attributes, name)).collect();
    (all(["llm.input_messages.", "gen_ai.prompt."]), all(["llm.output_messages.", "gen_ai.completion."]))
}

/// The call in a span.
struct SpanTool {
    name: String,
    arguments: Option<String>,
    result: Option<JsonText<'static>>,
}

/// What Traceloop writes about the call of a tool.
#[derive(Default, Deserialize)]
#[serde(default)]
struct EntityInput<'a> {
    #[serde(borrow)]
    inputs: Option<&'a RawValue>,
    #[serde(borrow)]
    input_str: Option<&'a RawValue>,
    #[serde(borrow)]
    kwargs: Option<&'a RawValue>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// What Traceloop writes about the result of a tool.
#[derive(Default, Deserialize)]
#[serde(default)]
struct EntityOutput<'a> {
    #[serde(borrow)]
    output: Option<&'a RawValue>,
}

/// The call in a span of a tool in the convention of OpenInference or Traceloop.
fn foreign_tool(attributes: &BTreeMap<String, String>, title: &str) -> SpanTool {
    let value = |key: &str| attributes.get(key).map(String::as_str).filter(|value| *value != "null");
    let name = ["tool.name", "gen_ai.tool.name", "traceloop.entity.name"]
        .iter()
        .find_map(|key| value(key).and_then(text::unquoted));
    let name = name.map_or_else(|| title.trim_end_matches(".tool").to_owned(), Cow::into_owned);
    let told = value("gen_ai.tool.call.arguments").or(value("input.value")).and_then(arguments);
    let entity = value("traceloop.entity.input").and_then(arguments);
    let inner = entity.as_deref().and_then(|raw| {
        let own = serde_json::from_str::<LenientObject<EntityInput<'_>>>(raw).ok()?.0?;
        let is_object = |raw: &&str| raw.starts_with('{');
        let whole =
            [own.inputs, own.arguments, own.kwargs].into_iter().find_map(|raw| given(raw).filter(is_object));
        Some(match whole.or(given(own.input_str)) {
            Some(raw) => arguments(raw),
            None => Some(raw.to_owned()),
        })
    });
    let result_of = |raw: &str| {
        let value = result(raw).into_owned();
        let inner = serde_json::from_str::<LenientObject<EntityOutput<'_>>>(value.as_str()).ok();
        let inner = inner.and_then(|own| Some(result(given(own.0?.output)?).into_owned()));
        inner.unwrap_or(value)
    };
    let returned = value("gen_ai.tool.call.result").or(value("output.value"));
    let returned = returned.map(|raw| result(raw).into_owned());
    let returned = returned.or_else(|| value("traceloop.entity.output").map(result_of));
    SpanTool { name, arguments: told.or(inner.flatten()), result: returned }
}

/// The texts of the messages of a role. The attribute is a list, or a string that contains one.
fn said(raw: Option<&str>, role: &str) -> Vec<String> {
    let list = message_list(raw);
    let messages = read_messages(&list);
    let of_role = messages.iter().filter(|message| message.role.is(role));
    let texts = of_role.filter_map(|message| {
        let texts: Vec<&str> = message
            .parts()
            .filter(|part| part.kind.is("text"))
            .filter_map(|part| part.content.get())
            .collect();
        if texts.is_empty() {
            return MessageContent::of(message.content).said().map(Cow::into_owned);
        }
        Some(texts.join("\n"))
    });
    texts.collect()
}
