//! Logs of Inspect AI: `.json`, and `.eval`, an archive with a file `samples/<id>_epoch_<n>.json` for each sample.
//!
//! - Each sample and epoch is a session. Its `messages` are read; where `events` have calls that the messages lack
//!   (those of earlier contexts), the calls and results of the events are read instead.
//! - A result failed if it has an `error`. Python's `NaN` and `Infinity` are read as `null`.
//! - References to long texts in `attachments` are replaced by these texts.
//! - The agent stopped of its own accord if the last message is its own and calls no tool, and the sample has no error
//!   and no limit.

use super::archive;
use super::lenient::{LenientObject, LenientScalar, LenientText, List, given};
use super::messages::MessageReader;
use super::session_table::{Arguments, At, LoggedCall, SessionTable, Sink, split_mcp};
use super::text;
use rustc_hash::FxHashSet;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use tsl_synth_core::diag::Diagnostic;
use tsl_synth_core::model::CallOutcome;

#[derive(Default, Deserialize)]
#[serde(default)]
struct InspectLog<'a> {
    #[serde(borrow)]
    samples: List<&'a RawValue>,
    #[serde(borrow)]
    messages: Option<&'a RawValue>,
    #[serde(borrow)]
    eval: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct InspectSample<'a> {
    #[serde(borrow)]
    id: LenientScalar<'a>,
    #[serde(borrow)]
    epoch: LenientScalar<'a>,
    #[serde(borrow)]
    messages: List<&'a RawValue>,
    #[serde(borrow)]
    events: List<LenientObject<InspectEvent<'a>>>,
    #[serde(borrow)]
    attachments: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    limit: Option<&'a RawValue>,
    /// Numbers of tokens by model.
    #[serde(borrow)]
    model_usage: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct InspectEvent<'a> {
    #[serde(borrow, rename = "event")]
    kind: LenientText<'a>,
    #[serde(borrow)]
    id: LenientText<'a>,
    #[serde(borrow)]
    function: LenientText<'a>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    pending: LenientScalar<'a>,
    #[serde(borrow)]
    timestamp: LenientText<'a>,
    #[serde(borrow)]
    completed: LenientText<'a>,
}

/// The part of a message that names its calls.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Calls<'a> {
    #[serde(borrow)]
    role: LenientText<'a>,
    #[serde(borrow)]
    tool_calls: List<LenientObject<InspectName<'a>>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct InspectName<'a> {
    #[serde(borrow)]
    id: LenientText<'a>,
}

/// The size in bytes up to which attachments are inserted into a message.
const MESSAGE: usize = 64 << 20;

/// Reads an archive.
pub(super) fn archive(
    sessions: &mut SessionTable,
    bytes: &[u8],
    sink: &mut Sink<'_>,
) -> Result<ControlFlow<()>, Diagnostic> {
    let mut unread = 0;
    let is_sample =
        |file: &str| file.strip_prefix("samples/").is_some_and(|name| name.strip_suffix(".json").is_some());
    let flow = archive::files(bytes, is_sample, &mut unread, |file, content| {
        let clean = text::without_nan(content);
        if let Ok(raw) = serde_json::from_str::<&RawValue>(&clean) {
            return sample(
                sessions,
                file.trim_start_matches("samples/").trim_end_matches(".json"),
                raw,
                sink,
            );
        }
        sessions.notes.unread_files += 1;
        ControlFlow::Continue(())
    })?;
    sessions.notes.unread_files += unread;
    Ok(flow)
}

/// Reads a document, or a line that is one.
pub(super) fn document(
    sessions: &mut SessionTable,
    name: &str,
    raw: &RawValue,
    sink: &mut Sink<'_>,
) -> ControlFlow<()> {
    let log = serde_json::from_str::<LenientObject<InspectLog<'_>>>(raw.get())
        .ok()
        .and_then(|log| log.0)
        .unwrap_or_default();
    if log.samples.0.is_empty() && log.messages.is_some() {
        return sample(sessions, name, raw, sink);
    }
    sessions.notes.unknown_lines += u64::from(log.samples.0.is_empty() && log.eval.is_none());
    log.samples.0.iter().try_for_each(|one| sample(sessions, name, one, sink))
}

fn sample(sessions: &mut SessionTable, name: &str, raw: &RawValue, sink: &mut Sink<'_>) -> ControlFlow<()> {
    let Some(sample) =
        serde_json::from_str::<LenientObject<InspectSample<'_>>>(raw.get()).ok().and_then(|sample| sample.0)
    else {
        sessions.notes.unknown_lines += 1;
        return ControlFlow::Continue(());
    };
    let session = match (sample.id.name(), sample.epoch.name()) {
        (Some(id), Some(epoch)) => format!("{id}_epoch_{epoch}"),
        (Some(id), None) => id.into_owned(),
        _ => name.to_owned(),
    };
    let attachments: BTreeMap<String, &RawValue> =
        sample.attachments.and_then(|all| serde_json::from_str(all.get()).ok()).unwrap_or_default();
    let tools =
        || sample.events.0.iter().filter_map(|event| event.0.as_ref()).filter(|event| event.kind.is("tool"));
    let mut walk = MessageReader::new(true);
    for event in tools() {
        let times = (event.timestamp.get().and_then(text::time), event.completed.get().and_then(text::time));
        walk.times.insert(event.id.get().unwrap_or_default().to_owned(), times);
    }
    let calls: Vec<Calls<'_>> = sample
        .messages
        .0
        .iter()
        .map(|message| serde_json::from_str(message.get()).unwrap_or_default())
        .collect();
    let named: FxHashSet<&str> = calls
        .iter()
        .flat_map(|message| message.tool_calls.0.iter().filter_map(|call| call.0.as_ref()?.id.get()))
        .collect();
    let complete = tools().all(|event| event.id.get().is_some_and(|id| named.contains(id)));
    let used: BTreeMap<String, &RawValue> =
        sample.model_usage.and_then(|usage| serde_json::from_str(usage.get()).ok()).unwrap_or_default();
    if let (Some((model, _)), 1) = (used.first_key_value(), used.len()) {
        sessions.told(&session, Some(model), None);
    }
    let at = At { session: &session, agent: None, time: None, line: 1, facts: None };
    sessions.start(&at, sink)?;
    let mut by_events = !complete;
    for (message, calls) in sample.messages.0.iter().zip(&calls) {
        if !complete && calls.role.is("tool") {
            continue;
        }
        if calls.role.is("assistant") && std::mem::take(&mut by_events) {
            for (number, event) in (1..).zip(tools()) {
                tool(sessions, &At { line: number, ..at }, event, sink)?;
            }
        }
        let whole = attached(message.get(), &attachments);
        if complete || calls.tool_calls.0.is_empty() {
            walk.item(sessions, &session, &whole, sink)?;
        }
    }
    if by_events {
        for (number, event) in (1..).zip(tools()) {
            tool(sessions, &At { line: number, ..at }, event, sink)?;
        }
    }
    let ended_early = given(sample.error).is_some() || given(sample.limit).is_some();
    let stopped = !ended_early && walk.rests();
    walk.finish_as(stopped, sessions, &session, sink)
}

/// Reports the call and the result in an event of the log.
fn tool(
    sessions: &mut SessionTable,
    at: &At<'_>,
    event: &InspectEvent<'_>,
    sink: &mut Sink<'_>,
) -> ControlFlow<()> {
    let (server, tool) = split_mcp(event.function.get().unwrap_or_default());
    let id = event.id.get().map(Cow::Borrowed);
    let begin = At { time: event.timestamp.get().and_then(text::time), ..*at };
    sessions.call(
        &begin,
        LoggedCall { id: id.clone(), server, tool, arguments: Arguments::of(given(event.arguments)) },
        sink,
    )?;
    if event.pending.flag() == Some(true) {
        return ControlFlow::Continue(());
    }
    let outcome = if given(event.error).is_some() { CallOutcome::Failed } else { CallOutcome::Ok };
    let end = At { time: event.completed.get().and_then(text::time).or(begin.time), ..*at };
    sessions.result(&end, id, Some(outcome), given(event.result).map(super::blocks::result), sink)
}

/// A message in which references `"attachment://<hash>"` are replaced by the attachments.
fn attached<'a>(message: &'a str, attachments: &BTreeMap<String, &RawValue>) -> Cow<'a, str> {
    const MARK: &str = "\"attachment://";
    if attachments.is_empty() || !message.contains(MARK) {
        return Cow::Borrowed(message);
    }
    let mut out = String::new();
    let mut rest = message;
    while let Some((before, after)) = rest.split_once(MARK) {
        let Some((hash, behind)) = after.split_once('"') else {
            break;
        };
        out.push_str(before);
        match attachments.get(hash) {
            Some(text) if out.len() + text.get().len() < MESSAGE => out.push_str(text.get()),
            _ => {
                out.push_str(MARK);
                out.push_str(hash);
                out.push('"');
            }
        }
        rest = behind;
    }
    out.push_str(rest);
    Cow::Owned(out)
}
