//! Finds the messages of a document, which is a list of messages, an object with `messages` or `traj`, a list of
//! either, or a request with its response.
//!
//! A session has the name in its record (`session_id`, `conversation_id`, `thread_id`, `id`, or `task_id` and `trial`),
//! else that of the log, with the number of the record if there are several.

use super::lenient::{LenientObject, LenientScalar, List};
use super::messages::{MessageReader, is_item};
use super::session_table::{SessionTable, Sink};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
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
    fn name(&self) -> Option<Cow<'_, str>> {
        let named = [&self.session_id, &self.conversation_id, &self.thread_id, &self.id];
        let named = named.into_iter().find_map(LenientScalar::name);
        named.or_else(|| {
            let task = self.task_id.name()?;
            Some(self.trial.name().map_or(task.clone(), |trial| Cow::Owned(format!("{task}.{trial}"))))
        })
    }
}

/// The session of a log whose lines are messages, and the number of records so far.
#[derive(Debug, Default)]
pub(super) struct MessageLog {
    walk: Option<MessageReader>,
    records: u64,
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
                session(sessions, running, manner, (None, None), &parts, sink)?;
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
            session(sessions, running, manner, (name.as_deref(), model.as_deref()), &messages, sink)?;
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

fn session(
    sessions: &mut SessionTable,
    running: &mut MessageLog,
    manner: Manner<'_>,
    (name, model): (Option<&str>, Option<&str>),
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
    messages.iter().try_for_each(|message| walk.item(sessions, name, message.get(), sink))?;
    walk.finish(sessions, name, sink)
}

/// Closes the session of a log whose lines are messages, at the end of the log.
pub(super) fn finish(
    sessions: &mut SessionTable,
    running: &mut MessageLog,
    name: &str,
    sink: &mut Sink<'_>,
) -> ControlFlow<()> {
    running.walk.take().map_or(ControlFlow::Continue(()), |mut walk| walk.finish(sessions, name, sink))
}
