//! Finds the messages of a document, which is a list of messages, an object with `messages` or `traj`, a list of
//! either, or a request with its response.
//!
//! A session has the name in its record (`session_id`, `conversation_id`, `thread_id`, `id`, or `task_id` and `trial`),
//! else that of the log, with the number of the record if there are several.
//!
//! Records with the same `session_id`, `conversation_id` or `thread_id` are one session, such as requests that begin with
//! all messages before them: the messages that a record has in common with the one before it are reported once. The time
//! of messages that have none is that of their record (`created_at`, `created`, `timestamp`, also of its response).

use super::lenient::{LenientObject, LenientScalar, List};
use super::messages::{MessageReader, fingerprint, is_item};
use super::session_table::{SessionTable, Sink};
use super::text;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// The depth to which lists inside of lists are read.
const DEPTH: usize = 4;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CompletionChoice<'a> {
    #[serde(borrow)]
    message: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct DocumentRecord<'a> {
    #[serde(borrow)]
    session_id: LenientScalar<'a>,
    #[serde(borrow)]
    conversation_id: LenientScalar<'a>,
    #[serde(borrow)]
    thread_id: LenientScalar<'a>,
    #[serde(borrow)]
    id: LenientScalar<'a>,
    #[serde(borrow)]
    task_id: LenientScalar<'a>,
    #[serde(borrow)]
    trial: LenientScalar<'a>,
    #[serde(borrow)]
    model: LenientScalar<'a>,
    #[serde(borrow)]
    created_at: LenientScalar<'a>,
    #[serde(borrow)]
    created: LenientScalar<'a>,
    #[serde(borrow)]
    timestamp: LenientScalar<'a>,
    #[serde(borrow)]
    messages: List<&'a RawValue>,
    #[serde(borrow)]
    traj: List<&'a RawValue>,
    #[serde(borrow)]
    items: List<&'a RawValue>,
    #[serde(borrow)]
    data: List<&'a RawValue>,
    #[serde(borrow)]
    input: List<&'a RawValue>,
    #[serde(borrow)]
    output: List<&'a RawValue>,
    #[serde(borrow)]
    choices: List<LenientObject<CompletionChoice<'a>>>,
    #[serde(borrow)]
    request: Option<&'a RawValue>,
    #[serde(borrow)]
    response: Option<&'a RawValue>,
    /// The state of a LangGraph.
    #[serde(borrow)]
    values: Option<&'a RawValue>,
}

impl<'a> DocumentRecord<'a> {
    fn read(raw: &'a RawValue) -> Option<Self> {
        serde_json::from_str::<LenientObject<Self>>(raw.get()).ok()?.0
    }
    /// The messages of a record in order; for a record of sessions, these sessions.
    fn messages(&self) -> Vec<&'a RawValue> {
        let lists = [&self.messages, &self.traj, &self.items, &self.data, &self.input, &self.output];
        let mut all: Vec<&RawValue> = lists.into_iter().flat_map(|list| list.0.iter().copied()).collect();
        all.extend(self.choices.0.iter().filter_map(|choice| choice.0.as_ref()?.message));
        if let Some(request) = self.request.and_then(DocumentRecord::read) {
            all.extend(request.messages.0.iter().chain(&request.input.0).copied());
        }
        if let Some(response) = self.response {
            if is_item(response.get()) {
                all.push(response);
            } else if let Some(inner) = DocumentRecord::read(response) {
                all.extend(inner.output.0.iter().copied());
                all.extend(inner.choices.0.iter().filter_map(|choice| choice.0.as_ref()?.message));
            }
        }
        if let Some(values) = self.values.and_then(DocumentRecord::read) {
            all.extend(values.messages.0.iter().copied());
        }
        all
    }
    /// The model of the record, of its request or of its response.
    fn model(&self) -> Option<String> {
        let inner =
            |raw: Option<&RawValue>| raw.and_then(DocumentRecord::read)?.model.name().map(Cow::into_owned);
        let own = self.model.name().map(Cow::into_owned);
        own.or_else(|| inner(self.response)).or_else(|| inner(self.request))
    }
    /// Its time, in milliseconds since 1970.
    fn time(&self) -> Option<i64> {
        let own = [&self.created_at, &self.created, &self.timestamp].into_iter().find_map(time);
        own.or_else(|| self.response.and_then(DocumentRecord::read)?.time())
    }
    /// The conversation that it names, of which it may be a part.
    fn conversation(&self) -> Option<Cow<'_, str>> {
        [&self.session_id, &self.conversation_id, &self.thread_id].into_iter().find_map(LenientScalar::name)
    }
    fn name(&self) -> Option<Cow<'_, str>> {
        let named = self.conversation().or(self.id.name());
        named.or_else(|| {
            let task = self.task_id.name()?;
            Some(self.trial.name().map_or(task.clone(), |trial| Cow::Owned(format!("{task}.{trial}"))))
        })
    }
}

/// The time in a field: a text, or seconds or milliseconds since 1970.
fn time(field: &LenientScalar<'_>) -> Option<i64> {
    let of_seconds = |seconds: f64| Some(if seconds > 1e11 { seconds } else { seconds * 1000.0 } as i64);
    match field {
        LenientScalar::Text(text) => text::time(text),
        LenientScalar::Int(number) => of_seconds(*number as f64),
        LenientScalar::Float(number) => of_seconds(*number),
        LenientScalar::Bool(_) | LenientScalar::Absent => None,
    }
}

/// With more conversations than this that are not closed the one that was read least recently is closed.
const MOST_OPEN: usize = 4096;

/// A conversation of which further records may follow.
#[derive(Debug)]
struct OpenConversation {
    walk: MessageReader,
    /// Hashes of the messages of its last record.
    last: Vec<u64>,
    /// The number of its last record.
    record: u64,
}

/// The session of a log whose lines are messages, the conversations that are not closed, and the number of records so far.
#[derive(Debug, Default)]
pub(super) struct MessageLog {
    walk: Option<MessageReader>,
    open: BTreeMap<String, OpenConversation>,
    records: u64,
}

/// How many messages at the beginning of a record are known from the one before it: those with which both begin, else
/// those with which the one before it ends.
fn known(last: &[u64], now: &[u64]) -> usize {
    let common = last.iter().zip(now).take_while(|(a, b)| a == b).count();
    if common > 0 {
        return common;
    }
    let most = last.len().min(now.len());
    (1..=most).rev().find(|&count| last.ends_with(&now[..count])).unwrap_or(0)
}

/// How messages are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner<'a> {
    /// The name of sessions that have none.
    pub(super) name: &'a str,
    /// Whether the format marks failed results.
    pub(super) marks_failures: bool,
    /// Whether there may be several records.
    pub(super) numbered: bool,
}

/// Reads a document, or a line that is one.
pub(super) fn document(
    sessions: &mut SessionTable,
    running: &mut MessageLog,
    manner: Manner<'_>,
    raw: &RawValue,
    sink: &mut Sink<'_>,
) -> ControlFlow<()> {
    // The values still to be read; the last one is the next.
    let mut left: Vec<(&RawValue, usize)> = vec![(raw, 0)];
    while let Some((raw, depth)) = left.pop() {
        let text = raw.get();
        if text.starts_with('[') && depth < DEPTH {
            let parts: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
            if parts.first().is_some_and(|part| is_item(part.get())) {
                let manner = Manner { numbered: manner.numbered || depth > 0, ..manner };
                session(sessions, running, manner, (None, None, None), &parts, sink)?;
            } else {
                left.extend(parts.into_iter().rev().map(|part| (part, depth + 1)));
            }
            continue;
        }
        let Some(record) = DocumentRecord::read(raw) else {
            sessions.notes.unknown_lines += 1;
            continue;
        };
        let messages = record.messages();
        if messages.first().is_some_and(|first| is_item(first.get())) {
            let manner = Manner { numbered: manner.numbered || depth > 0, ..manner };
            let (name, model) = (record.name(), record.model());
            if let Some(name) = record.conversation() {
                sessions.told(&name, model.as_deref(), None);
                conversation(sessions, running, manner, (&name, record.time()), &messages, sink)?;
                continue;
            }
            let named = (name.as_deref(), model.as_deref(), record.time());
            session(sessions, running, manner, named, &messages, sink)?;
        } else if is_item(text) || (depth == 0 && running.walk.is_some()) {
            let walk = running.walk.get_or_insert_with(|| MessageReader::new(manner.marks_failures));
            walk.item(sessions, manner.name, text, sink)?;
        } else if !messages.is_empty() && depth < DEPTH {
            left.extend(messages.into_iter().rev().map(|part| (part, depth + 1)));
        } else {
            sessions.notes.unknown_lines += 1;
        }
    }
    ControlFlow::Continue(())
}

/// Reads a record of a conversation.
fn conversation(
    sessions: &mut SessionTable,
    running: &mut MessageLog,
    manner: Manner<'_>,
    (name, time): (&str, Option<i64>),
    messages: &[&RawValue],
    sink: &mut Sink<'_>,
) -> ControlFlow<()> {
    running.records += 1;
    if running.open.len() >= MOST_OPEN
        && !running.open.contains_key(name)
        && let Some(oldest) =
            running.open.iter().min_by_key(|(_, own)| own.record).map(|(name, _)| name.clone())
        && let Some(mut own) = running.open.remove(&oldest)
    {
        own.walk.finish(sessions, &oldest, sink)?;
    }
    let own = running.open.entry(name.to_owned()).or_insert_with(|| OpenConversation {
        walk: MessageReader::new(manner.marks_failures),
        last: Vec::new(),
        record: 0,
    });
    own.record = running.records;
    own.walk.time = time;
    // What the system says is often left out or changed.
    let all: Vec<(u64, &RawValue)> =
        messages.iter().filter_map(|message| Some((fingerprint(message.get())?, *message))).collect();
    let now: Vec<u64> = all.iter().map(|(hash, _)| *hash).collect();
    let known = known(&own.last, &now);
    own.last = now;
    let new: Vec<&RawValue> = all[known..].iter().map(|(_, message)| *message).collect();
    own.walk.items(sessions, name, &new, sink)
}

fn session(
    sessions: &mut SessionTable,
    running: &mut MessageLog,
    manner: Manner<'_>,
    (name, model, time): (Option<&str>, Option<&str>, Option<i64>),
    messages: &[&RawValue],
    sink: &mut Sink<'_>,
) -> ControlFlow<()> {
    running.records += 1;
    let own;
    let name = match name {
        Some(name) => name,
        None if manner.numbered => {
            own = format!("{}#{}", manner.name, running.records);
            &own
        }
        None => manner.name,
    };
    sessions.told(name, model, None);
    let mut walk = MessageReader::new(manner.marks_failures);
    walk.time = time;
    walk.items(sessions, name, messages, sink)?;
    walk.finish(sessions, name, sink)
}

/// Closes the session of a log whose lines are messages and the open conversations, at the end of the log.
pub(super) fn finish(
    sessions: &mut SessionTable,
    running: &mut MessageLog,
    name: &str,
    sink: &mut Sink<'_>,
) -> ControlFlow<()> {
    let mut open: Vec<_> = std::mem::take(&mut running.open).into_iter().collect();
    open.sort_by_key(|(_, own)| own.record);
    for (name, mut own) in open {
        own.walk.finish(sessions, &name, sink)?;
    }
    running.walk.take().map_or(ControlFlow::Continue(()), |mut walk| walk.finish(sessions, name, sink))
}
