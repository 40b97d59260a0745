//! Contents of the Gemini API, and sessions of Gemini CLI (`~/.gemini/tmp/<project>/chats/session-*.json`, in newer
//! versions JSON lines).
//!
//! - Contents: a list of `{role, parts}`, an object with `contents`, or a request with its response (`candidates`), each a
//!   session. Calls without ids end in their order. A `functionResponse` failed if its response has an `error`; otherwise
//!   its outcome is not told.
//! - A session of Gemini CLI has messages of `type` `user` and `gemini`, whose `toolCalls` have a `status`. A command
//!   (`run_shell_command`) reports its exit code in its text. Calls that a person or a policy refused were not made.
//! - The agent stopped if the last message is its own, has a text and no call.

use super::blocks::result;
use super::lenient::{LenientObject, LenientScalar, LenientText, List, given};
use super::session_table::{Arguments, At, LoggedCall, SessionTable, Sink, split_mcp};
use super::text;
use rustc_hash::FxHashSet;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::ops::ControlFlow;
use tsl_synth_core::model::{CallOutcome, HostEventKind, JsonText, Speaker, UntoldFacts};

#[derive(Default, Deserialize)]
#[serde(default)]
struct GeminiRecord<'a> {
    #[serde(borrow, rename = "sessionId")]
    session: LenientText<'a>,
    #[serde(borrow)]
    messages: Option<List<&'a RawValue>>,
    #[serde(borrow)]
    contents: List<LenientObject<Content<'a>>>,
    #[serde(borrow)]
    candidates: List<LenientObject<Candidate<'a>>>,
    #[serde(borrow)]
    request: Option<&'a RawValue>,
    #[serde(borrow)]
    response: Option<&'a RawValue>,
    // A message of a session, or a content.
    #[serde(borrow, rename = "type")]
    kind: LenientText<'a>,
    #[serde(borrow)]
    role: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Candidate<'a> {
    #[serde(borrow)]
    content: LenientObject<Content<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Content<'a> {
    #[serde(borrow)]
    role: LenientText<'a>,
    #[serde(borrow)]
    parts: List<LenientObject<Part<'a>>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Part<'a> {
    #[serde(borrow)]
    text: LenientText<'a>,
    thought: LenientScalar<'a>,
    #[serde(borrow, rename = "functionCall", alias = "function_call")]
    call: LenientObject<Function<'a>>,
    #[serde(borrow, rename = "functionResponse", alias = "function_response")]
    response: LenientObject<Function<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Function<'a> {
    #[serde(borrow)]
    id: LenientText<'a>,
    #[serde(borrow)]
    name: LenientText<'a>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
    #[serde(borrow)]
    response: Option<&'a RawValue>,
}

/// The response of a function.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Returned<'a> {
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// A message of a session of Gemini CLI.
#[derive(Default, Deserialize)]
#[serde(default)]
struct SessionMessage<'a> {
    #[serde(borrow)]
    id: LenientText<'a>,
    #[serde(borrow)]
    timestamp: LenientText<'a>,
    #[serde(borrow, rename = "type")]
    kind: LenientText<'a>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    model: LenientText<'a>,
    #[serde(borrow, rename = "toolCalls")]
    calls: List<LenientObject<SessionCall<'a>>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SessionCall<'a> {
    #[serde(borrow)]
    id: LenientText<'a>,
    #[serde(borrow)]
    name: LenientText<'a>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
    #[serde(borrow)]
    status: LenientText<'a>,
    #[serde(borrow)]
    timestamp: LenientText<'a>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
}

/// The state of the reader between two lines.
#[derive(Debug, Default)]
pub(super) struct GeminiLog {
    /// The session of a log whose lines are messages.
    session: Option<String>,
    /// The ids of the messages that were reported.
    said: FxHashSet<String>,
    messages: u64,
    /// Whether the last message is the agent's and calls no tool.
    rests: bool,
    records: u64,
}

/// The depth to which lists inside of lists are read.
const DEPTH: usize = 4;

/// Reads a document, or a line that is one.
pub(super) fn document(
    sessions: &mut SessionTable,
    log: &mut GeminiLog,
    name: &str,
    numbered: bool,
    raw: &RawValue,
    sink: &mut Sink<'_>,
) -> ControlFlow<()> {
    // The values still to be read; the last one is the next.
    let mut left: Vec<(&RawValue, usize)> = vec![(raw, 0)];
    while let Some((raw, depth)) = left.pop() {
        let numbered = numbered || depth > 0;
        if !raw.get().starts_with('[') || depth == DEPTH {
            record(sessions, log, name, numbered, raw, sink)?;
            continue;
        }
        let parts: Vec<&RawValue> = serde_json::from_str(raw.get()).unwrap_or_default();
        let is_content = |raw: &&RawValue| read(raw).is_some_and(|one| one.role.get().is_some());
        if parts.first().is_some_and(is_content) {
            let all: List<LenientObject<Content<'_>>> = serde_json::from_str(raw.get()).unwrap_or_default();
            let all: Vec<&Content<'_>> = all.0.iter().filter_map(|one| one.0.as_ref()).collect();
            contents(sessions, log, name, numbered, &all, sink)?;
        } else {
            left.extend(parts.into_iter().rev().map(|part| (part, depth + 1)));
        }
    }
    ControlFlow::Continue(())
}

/// Reads a session, or a message of one.
fn record(
    sessions: &mut SessionTable,
    log: &mut GeminiLog,
    name: &str,
    numbered: bool,
    raw: &RawValue,
    sink: &mut Sink<'_>,
) -> ControlFlow<()> {
    let Some(record) = read(raw) else {
        sessions.notes.unknown_lines += 1;
        return ControlFlow::Continue(());
    };
    if let Some(messages) = &record.messages {
        let session = record.session.get().unwrap_or(name);
        let mut own = GeminiLog::default();
        for message in &messages.0 {
            own.message(sessions, session, message, sink)?;
        }
        return own.close(sessions, session, sink);
    }
    let request = record.request.and_then(read).unwrap_or_default();
    let response = record.response.and_then(read).unwrap_or_default();
    let mut all: Vec<&Content<'_>> = Vec::new();
    all.extend(record.contents.0.iter().chain(&request.contents.0).filter_map(|one| one.0.as_ref()));
    let candidates = record.candidates.0.iter().chain(&response.candidates.0);
    all.extend(candidates.filter_map(|one| one.0.as_ref()?.content.0.as_ref()).take(1));
    if !all.is_empty() {
        return contents(sessions, log, name, numbered, &all, sink);
    }
    if record.kind.get().is_some() && (log.session.is_some() || numbered) {
        let session = log.session.clone().unwrap_or_else(|| name.to_owned());
        log.session = Some(session.clone());
        return log.message(sessions, &session, raw, sink);
    }
    match record.session.get() {
        Some(session) => log.session = Some(session.to_owned()),
        // Changes of what is said about the session.
        None if raw.get().starts_with("{\"$") => {}
        None => sessions.notes.unknown_lines += 1,
    }
    ControlFlow::Continue(())
}

fn read(raw: &RawValue) -> Option<GeminiRecord<'_>> {
    serde_json::from_str::<LenientObject<GeminiRecord<'_>>>(raw.get()).ok()?.0
}

/// Reads a session of contents.
fn contents(
    sessions: &mut SessionTable,
    log: &mut GeminiLog,
    name: &str,
    numbered: bool,
    all: &[&Content<'_>],
    sink: &mut Sink<'_>,
) -> ControlFlow<()> {
    log.records += 1;
    let session = if numbered { format!("{name}#{}", log.records) } else { name.to_owned() };
    let mut at = At { session: &session, agent: None, time: None, line: 0, facts: None };
    let (mut calls, mut ended, mut rests) = (0_u64, 0_u64, false);
    for content in all {
        at.line += 1;
        sessions.notes.lines += 1;
        if at.line == 1 {
            sessions.start(&at, sink)?;
            let untold = UntoldFacts { outcomes: true, ..UntoldFacts::default() };
            sessions.other(&at, HostEventKind::Untold(untold), sink)?;
        }
        let speaker = if content.role.is("model") { Speaker::Agent } else { Speaker::User };
        rests = speaker == Speaker::Agent;
        for part in content.parts.0.iter().filter_map(|part| part.0.as_ref()) {
            if let Some(call) = &part.call.0 {
                rests = false;
                calls += 1;
                let (server, tool) = split_mcp(call.name.get().unwrap_or_default());
                let id = call.id.get().map_or_else(|| format!("#{calls}"), str::to_owned);
                let (id, arguments) = (Some(Cow::Owned(id)), Arguments::of(given(call.args)));
                sessions.call(&at, LoggedCall { id, server, tool, arguments }, sink)?;
            } else if let Some(response) = &part.response.0 {
                ended += 1;
                let id = response.id.get().map_or_else(|| format!("#{ended}"), str::to_owned);
                let (failed, value) = returned(response);
                let outcome = failed.then_some(CallOutcome::Failed);
                sessions.result(&at, Some(Cow::Owned(id)), outcome, value, sink)?;
            } else if let Some(said) = part.text.get().filter(|_| part.thought.flag() != Some(true)) {
                sessions.message(&at, speaker, Cow::Borrowed(said), sink)?;
            }
        }
    }
    if rests {
        sessions.other(&at, HostEventKind::End, sink)?;
    }
    sessions.close(&session, None, sink)
}

/// Whether a function failed, and its value.
fn returned<'a>(function: &Function<'a>) -> (bool, Option<JsonText<'a>>) {
    let Some(raw) = given(function.response) else { return (false, None) };
    let own = serde_json::from_str::<LenientObject<Returned<'_>>>(raw).ok().and_then(|own| own.0);
    let own = own.unwrap_or_default();
    match (given(own.error), given(own.output)) {
        (Some(error), _) => (true, Some(result(error))),
        (None, Some(output)) => (false, Some(result(output))),
        (None, None) => (false, Some(result(raw))),
    }
}

/// The tools whose results Gemini CLI itself writes.
fn is_local(tool: &str) -> bool {
    !tool.starts_with("mcp_") && !tool.contains("__")
}

/// Beginnings of errors of calls that were not made.
const NOT_CALLED: &[&str] =
    &["Tool execution denied by policy", "Tool execution blocked: ", "User did not allow tool call"];

impl GeminiLog {
    /// Reads a message of a session of Gemini CLI.
    fn message(
        &mut self,
        sessions: &mut SessionTable,
        session: &str,
        raw: &RawValue,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        self.messages += 1;
        sessions.notes.lines += 1;
        let Ok(LenientObject(Some(message))) =
            serde_json::from_str::<LenientObject<SessionMessage<'_>>>(raw.get())
        else {
            sessions.notes.unknown_lines += 1;
            return ControlFlow::Continue(());
        };
        let time = message.timestamp.get().and_then(text::time);
        let at = At { session, agent: None, time, line: self.messages, facts: None };
        let speaker = match message.kind.get() {
            Some("user") => Speaker::User,
            Some("gemini") => Speaker::Agent,
            Some("info" | "error" | "warning") => return ControlFlow::Continue(()),
            _ => {
                sessions.notes.unknown_lines += 1;
                return ControlFlow::Continue(());
            }
        };
        sessions.start(&at, sink)?;
        sessions.told(session, message.model.get(), None);
        let text = said(message.content);
        // A message is written again when its calls end.
        let is_new = message.id.get().is_none_or(|id| self.said.insert(id.to_owned()));
        if let Some(text) = text.as_ref().filter(|_| is_new) {
            sessions.message(&at, speaker, Cow::Borrowed(text), sink)?;
        }
        self.rests = speaker == Speaker::Agent && message.calls.0.is_empty() && text.is_some();
        message
            .calls
            .0
            .iter()
            .filter_map(|call| call.0.as_ref())
            .try_for_each(|one| call(sessions, &at, one, sink))
    }
    /// Ends the session of messages.
    fn close(&mut self, sessions: &mut SessionTable, session: &str, sink: &mut Sink<'_>) -> ControlFlow<()> {
        if std::mem::take(&mut self.rests) {
            let at = At { session, agent: None, time: None, line: self.messages, facts: None };
            sessions.other(&at, HostEventKind::End, sink)?;
        }
        sessions.close(session, None, sink)
    }
    /// Ends the session of a log whose lines are messages, at the end of the log.
    pub(super) fn finish(&mut self, sessions: &mut SessionTable, sink: &mut Sink<'_>) -> ControlFlow<()> {
        let mut ended = std::mem::take(self);
        let session = ended.session.take();
        session.map_or(ControlFlow::Continue(()), |session| ended.close(sessions, &session, sink))
    }
}

/// The text of a message: a text, or parts.
fn said(content: Option<&RawValue>) -> Option<String> {
    let raw = given(content)?;
    let text = if raw.starts_with('[') {
        let parts: List<LenientObject<Part<'_>>> = serde_json::from_str(raw).unwrap_or_default();
        let texts = parts.0.iter().filter_map(|part| part.0.as_ref()?.text.get());
        texts.collect::<Vec<_>>().join("\n")
    } else {
        text::unquoted(raw)?.into_owned()
    };
    Some(text).filter(|text| !text.is_empty())
}

/// Reports a call of a session of Gemini CLI.
fn call(
    sessions: &mut SessionTable,
    at: &At<'_>,
    call: &SessionCall<'_>,
    sink: &mut Sink<'_>,
) -> ControlFlow<()> {
    let name = call.name.get().unwrap_or_default();
    let (server, tool) = split_mcp(name);
    let id = call.id.get().map(Cow::Borrowed);
    let time = call.timestamp.get().and_then(text::time).or(at.time);
    let at = At { time, ..*at };
    let arguments = Arguments::of(given(call.args));
    sessions.call(&at, LoggedCall { id: id.clone(), server, tool, arguments }, sink)?;
    let parts: List<LenientObject<Part<'_>>> =
        given(call.result).and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
    let function = parts.0.iter().find_map(|part| part.0.as_ref()?.response.0.as_ref());
    let (_, value) = function.map_or((false, None), returned);
    let text = value.as_ref().and_then(|value| text::unquoted(value.as_str()));
    let error = text.as_deref().unwrap_or_default();
    let error = error.strip_prefix("[Operation Cancelled] Reason: ").unwrap_or(error);
    let is_refusal = is_local(name) && NOT_CALLED.iter().any(|beginning| error.starts_with(beginning));
    let outcome = match call.status.get() {
        Some("error" | "cancelled") if is_refusal => {
            return match id {
                Some(id) => sessions.refused(at.session, &id, sink),
                None => ControlFlow::Continue(()),
            };
        }
        Some("success") if name == "run_shell_command" => text.as_deref().map(shell_outcome),
        Some("success") => Some(CallOutcome::Ok),
        Some("error") => Some(CallOutcome::Failed),
        Some("cancelled") => Some(CallOutcome::Unknown),
        _ => return ControlFlow::Continue(()),
    };
    sessions.result(&at, id, outcome.or(Some(CallOutcome::Unknown)), value, sink)
}

/// How text of strangers begins and ends.
pub(crate) const UNTRUSTED: (&str, &str) = ("<untrusted_context>\n", "\n</untrusted_context>");

/// The outcome of a command, from the lines that follow its output. The output of the command comes before them, so
/// that a failed command cannot pretend that it succeeded.
pub(crate) fn shell_outcome(text: &str) -> CallOutcome {
    let inner = text.strip_prefix(UNTRUSTED.0).and_then(|t| t.strip_suffix(UNTRUSTED.1));
    let mut lines = inner.unwrap_or(text).lines().rev();
    let is_whole = inner.unwrap_or(text).starts_with("Output: ")
        && lines.next().is_some_and(|last| last.starts_with("Process Group PGID: "));
    let reported = lines.find(|line| !line.starts_with("Background PIDs: ") && *line != "Signal: (none)");
    match reported {
        // Some versions report this code, too.
        Some("Exit Code: 0") if is_whole => CallOutcome::Ok,
        Some(line) if is_whole => {
            let failed = ["Exit Code: ", "Signal: ", "Error: "].iter().any(|head| line.starts_with(head));
            if failed { CallOutcome::Failed } else { CallOutcome::Ok }
        }
        _ => CallOutcome::Unknown,
    }
}
