//! LangGraph and LangChain: lists of messages (`{"type":"ai","tool_calls":[..]}`, also in the serialized forms with
//! `data` or `kwargs`), states with `messages`, and runs of LangSmith.
//!
//! - Runs are in any order, often the newest first. They are sorted by the times in `dotted_order`, so the whole log is
//!   read before the first event is reported. A session is the thread in the metadata of its runs, else the trace.
//! - Arguments that a run has as text are read as JSON, or as a dict that Python writes; others are not told.
//! - A run of type `tool` is a call, and a result if it has an end. It failed if it has an `error`.
//! - The last human message in the inputs of the outermost run is a message of the user, and the last AI message in its
//!   outputs is a message of the agent. If this run has no error, the agent stopped at its end.
//! - A `ToolMessage` has its outcome in `status`.

use super::blocks::{MessageContent, result};
use super::documents::{self, Manner, MessageLog};
use super::lenient::{LenientObject, LenientScalar, LenientText, List, given};
use super::moment::{Moment, TimelineEvent};
use super::otel_calls::arguments;
use super::session_table::{SessionTable, Sink};
use super::text;
use super::timeline::Timeline;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::ops::ControlFlow;
use tsl_synth_core::model::{CallOutcome, Speaker};

#[derive(Default, Deserialize)]
#[serde(default)]
struct LangGraphRun<'a> {
    #[serde(borrow)]
    id: LenientText<'a>,
    #[serde(borrow)]
    trace_id: LenientText<'a>,
    #[serde(borrow)]
    parent_run_id: LenientText<'a>,
    #[serde(borrow)]
    dotted_order: LenientText<'a>,
    #[serde(borrow, rename = "run_type")]
    kind: LenientText<'a>,
    #[serde(borrow)]
    name: LenientText<'a>,
    #[serde(borrow)]
    start_time: LenientScalar<'a>,
    #[serde(borrow)]
    end_time: LenientScalar<'a>,
    #[serde(borrow)]
    inputs: Option<&'a RawValue>,
    #[serde(borrow)]
    outputs: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    extra: LenientObject<Extra<'a>>,
    #[serde(borrow)]
    child_runs: List<&'a RawValue>,
    /// A list of runs.
    #[serde(borrow)]
    runs: List<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Extra<'a> {
    #[serde(borrow)]
    metadata: LenientObject<Metadata<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Metadata<'a> {
    #[serde(borrow, rename = "thread_id")]
    thread: LenientScalar<'a>,
    #[serde(borrow, rename = "session_id")]
    session: LenientScalar<'a>,
    #[serde(borrow, rename = "conversation_id")]
    conversation: LenientScalar<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct LangGraphValues<'a> {
    #[serde(borrow)]
    messages: List<LenientObject<LangGraphMessage<'a>>>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct LangGraphMessage<'a> {
    #[serde(borrow, rename = "type")]
    kind: LenientText<'a>,
    #[serde(borrow)]
    role: LenientText<'a>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

/// Reads a document, or a line that is one.
pub(super) fn document(
    sessions: &mut SessionTable,
    running: &mut MessageLog,
    timeline: &mut Timeline,
    manner: Manner<'_>,
    raw: &RawValue,
    sink: &mut Sink<'_>,
) -> ControlFlow<()> {
    // Runs that are still to be read, with their depth.
    let mut left: Vec<(&RawValue, usize)> = Vec::new();
    if raw.get().starts_with('[') {
        let parts: Vec<&RawValue> = serde_json::from_str(raw.get()).unwrap_or_default();
        if parts.first().is_some_and(|first| is_run(first)) {
            left.extend(parts.into_iter().rev().map(|part| (part, 0)));
        }
    } else if is_run(raw) {
        left.push((raw, 0));
    }
    if left.is_empty() {
        return documents::document(sessions, running, manner, raw, sink);
    }
    while let Some((raw, depth)) = left.pop() {
        let run =
            serde_json::from_str::<LenientObject<LangGraphRun<'_>>>(raw.get()).ok().and_then(|run| run.0);
        let Some(run) = run.filter(|_| depth < 64) else {
            sessions.notes.unknown_lines += 1;
            continue;
        };
        let inside = run.child_runs.0.iter().chain(&run.runs.0);
        left.extend(inside.rev().map(|child| (*child, depth + 1)));
        if run.kind.get().is_some() {
            sessions.notes.lines += 1;
            timeline.records += 1;
            self::run(timeline, manner.name, &run);
        }
    }
    ControlFlow::Continue(())
}

fn is_run(raw: &RawValue) -> bool {
    let run = serde_json::from_str::<LenientObject<LangGraphRun<'_>>>(raw.get()).ok().and_then(|run| run.0);
    run.is_some_and(|run| run.kind.get().is_some() || !run.runs.0.is_empty())
}

fn run(timeline: &mut Timeline, name: &str, run: &LangGraphRun<'_>) {
    let metadata = run.extra.0.as_ref().and_then(|extra| extra.metadata.0.as_ref());
    let thread = metadata.and_then(|metadata| {
        let names = [&metadata.thread, &metadata.session, &metadata.conversation];
        names.into_iter().find_map(LenientScalar::name)
    });
    let session = thread.as_deref().or(run.trace_id.get()).unwrap_or(name).to_owned();
    let order = run.dotted_order.get().unwrap_or_default();
    let micros = |time: &LenientScalar<'_>| time.name().and_then(|time| text::micros(&time));
    let begin = dotted_time(order).or_else(|| micros(&run.start_time));
    let end = micros(&run.end_time).or_else(|| given(run.outputs).and(begin));
    let failed = given(run.error).is_some_and(|error| error != "\"\"");
    let record = timeline.records;
    let mut push = |time, what| {
        let (session, order) = (session.clone(), order.to_owned());
        timeline.moments.push(Moment { session, agent: None, time, order, record, what });
    };
    let values = |raw: Option<&RawValue>| given(raw).map(str::to_owned);
    if run.kind.is("tool") {
        let inputs = values(run.inputs);
        let inputs = inputs.as_deref().map(serde_json::from_str::<LenientObject<LangGraphValues<'_>>>);
        let inner = inputs.and_then(Result::ok).and_then(|values| values.0);
        // LangChain gives the arguments as text in `input`.
        let input = inner.as_ref().and_then(|values| given(values.input));
        let said = input.filter(|input| input.starts_with('"')).and_then(text::unquoted);
        let is_dict = said.is_some_and(|said| said.trim_start().starts_with('{'));
        let arguments = match input {
            // Versions write a dict as JSON, or as Python does.
            Some(input) if is_dict => arguments(input),
            Some(input) => text::held_object(input).or_else(|| values(run.inputs)),
            None => values(run.inputs),
        };
        if arguments.is_none() && given(run.inputs).is_some() {
            let (untold, has_messages) = timeline.facts.entry(session.clone()).or_default();
            (untold.arguments, *has_messages) = (true, true);
        }
        let id = run.id.get().unwrap_or(order).to_owned();
        let call = TimelineEvent::Call {
            id: id.clone(),
            name: run.name.get().unwrap_or_default().to_owned(),
            server: None,
            arguments,
        };
        push(begin, call);
        if end.is_some() || failed {
            let outputs = given(run.outputs);
            let inner = outputs
                .and_then(|text| serde_json::from_str::<LenientObject<LangGraphValues<'_>>>(text).ok()?.0);
            let output = inner.as_ref().and_then(|values| given(values.output)).or(outputs);
            let value = if failed { given(run.error) } else { output };
            let marked = output
                .and_then(|text| serde_json::from_str::<LenientObject<LangGraphResult<'_>>>(text).ok()?.0);
            let content = marked.as_ref().and_then(|message| given(message.content)).filter(|_| !failed);
            let failed = failed || marked.as_ref().is_some_and(|message| message.status.is("error"));
            let outcome = Some(if failed { CallOutcome::Failed } else { CallOutcome::Ok });
            let result = content.or(value).map(|value| result(value).into_owned());
            push(end.or(begin), TimelineEvent::Result { call: id, outcome, result });
        }
    } else if run.parent_run_id.get().is_none() {
        let last = |raw: Option<&RawValue>, speaker: &[&str]| -> Option<String> {
            let values = given(raw)
                .and_then(|text| serde_json::from_str::<LenientObject<LangGraphValues<'_>>>(text).ok()?.0)?;
            let is = |said: &&LangGraphMessage<'_>| {
                said.kind.get().or(said.role.get()).is_some_and(|kind| speaker.contains(&kind))
            };
            let said = values.messages.0.iter().filter_map(|said| said.0.as_ref()).rfind(is);
            let content = said.map_or(values.input.or(values.output), |said| said.content)?;
            MessageContent::of(Some(content)).said().map(std::borrow::Cow::into_owned)
        };
        if let Some(text) = last(run.inputs, &["human", "user", "HumanMessage"]) {
            push(begin, TimelineEvent::Message(Speaker::User, text));
        }
        if let Some(text) = last(run.outputs, &["ai", "assistant", "AIMessage"]) {
            push(end, TimelineEvent::Message(Speaker::Agent, text));
        }
        if end.is_some() && !failed {
            push(end, TimelineEvent::End);
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct LangGraphResult<'a> {
    #[serde(borrow)]
    status: LenientText<'a>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

/// The time in the last part of `20261120T100000123456Z<id>.20261120T100001000000Z<id>`, in microseconds.
fn dotted_time(order: &str) -> Option<i64> {
    let last = order.rsplit('.').next()?;
    let plain = last.get(..15)?;
    let (date, clock) = plain.split_once('T')?;
    if date.len() != 8 || clock.len() != 6 {
        return None;
    }
    let rest = last.get(15..)?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let fraction = if digits == 0 { "0" } else { &rest[..digits] };
    let text = format!(
        "{}-{}-{}T{}:{}:{}.{fraction}Z",
        date.get(..4)?,
        date.get(4..6)?,
        date.get(6..)?,
        clock.get(..2)?,
        clock.get(2..4)?,
        clock.get(4..)?
    );
    text::micros(&text)
}
