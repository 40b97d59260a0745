//! Rollouts of Codex: `~/.codex/sessions/Y/M/D/rollout-*.jsonl`, records `{timestamp, type, payload}`.
//!
//! - Messages and results are logged twice, as `response_item` and as `event_msg`. They are reported once. The exit
//!   code is only in `event_msg`, the output only in `response_item`: a partial result is kept until its other half is
//!   read or another event follows.
//! - The outcome is that of `exit_code`, `success`, `isError`, or of a line `Exit code: 1` or `Process exited with code
//!   1` at the beginning of the output. That of a result with none of these is unknown, and counted in
//!   [`LogNotes::untold_outcomes`](super::LogNotes).
//! - A command that goes on (`Process running with session ID 7`) ends where a call of `write_stdin` with this
//!   `session_id` reports that its process exited.
//! - `command: ["bash", "-lc", "git push"]` is reported as `command: "git push"`, with the words as `argv`; `cmd` is
//!   reported as `command`, too. So policies read `/arguments/command`.
//! - A shell command that does nothing but apply a patch is a call of `apply_patch`.
//! - Calls that a hook or a person refused were not made: their output says so, and no `event_msg` does that they were.
//! - Rollouts of subagents belong to the session of their parent, with their own id as the agent.
//! - The agent stops at `task_complete` or `turn_complete`.

use super::blocks::MessageContent;
use super::codex_results::{is_refusal, mcp, of_exit, output, running};
use super::lenient::{Entries, LenientObject, LenientScalar, LenientText, List, given};
use super::session_table::{Arguments, At, LoggedCall, SessionTable, Sink, split_mcp};
use super::{patch, shell, text};
use rustc_hash::FxHasher;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;
use tsl_synth_core::model::{CallOutcome, HostEventKind, JsonText, Speaker};

#[derive(Default, Deserialize)]
#[serde(default)]
struct CodexRecord<'a> {
    #[serde(borrow)]
    timestamp: LenientText<'a>,
    #[serde(borrow, rename = "type")]
    kind: LenientText<'a>,
    #[serde(borrow)]
    payload: LenientObject<Box<Payload<'a>>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Payload<'a> {
    #[serde(borrow, rename = "type")]
    kind: LenientText<'a>,
    #[serde(borrow)]
    id: LenientText<'a>,
    #[serde(borrow)]
    role: LenientText<'a>,
    #[serde(borrow)]
    content: MessageContent<'a>,
    #[serde(borrow)]
    message: LenientText<'a>,
    #[serde(borrow)]
    name: LenientText<'a>,
    #[serde(borrow)]
    call_id: LenientText<'a>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    action: Option<&'a RawValue>,
    #[serde(borrow)]
    command: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(borrow)]
    aggregated_output: Option<&'a RawValue>,
    #[serde(borrow)]
    exit_code: LenientScalar<'a>,
    #[serde(borrow)]
    success: LenientScalar<'a>,
    #[serde(borrow)]
    invocation: LenientObject<Invocation<'a>>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    source: Option<&'a RawValue>,
    #[serde(borrow)]
    status: LenientText<'a>,
    #[serde(borrow)]
    item: LenientObject<CompletedItem<'a>>,
    #[serde(borrow)]
    model: LenientText<'a>,
    #[serde(borrow)]
    originator: LenientText<'a>,
}

/// Something that Codex did.
#[derive(Default, Deserialize)]
#[serde(default)]
struct CompletedItem<'a> {
    #[serde(borrow, rename = "type")]
    kind: LenientText<'a>,
    #[serde(borrow)]
    id: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Invocation<'a> {
    #[serde(borrow)]
    server: LenientText<'a>,
    #[serde(borrow)]
    tool: LenientText<'a>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// The source of a rollout, if another session started it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct RolloutSource<'a> {
    #[serde(borrow)]
    subagent: LenientObject<Subagent<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Subagent<'a> {
    #[serde(borrow)]
    thread_spawn: LenientObject<Spawn<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Spawn<'a> {
    #[serde(borrow)]
    parent_thread_id: LenientText<'a>,
}

/// A partial result, from a `response_item` or an `event_msg` only.
#[derive(Debug)]
struct PartialResult {
    call: String,
    outcome: Option<CallOutcome>,
    result: Option<JsonText<'static>>,
    time: Option<i64>,
    line: u64,
}

/// The largest number of partial results, and of unmatched messages, that are kept.
const KEPT: usize = 64;

/// The state of the reader between two lines.
#[derive(Debug, Default)]
pub(super) struct CodexLog {
    session: Option<String>,
    agent: Option<String>,
    held: Vec<PartialResult>,
    /// Messages whose second record may follow: whether the first record was a `response_item`, and a hash of speaker
    /// and text.
    said: VecDeque<(bool, u64)>,
    /// Commands that go on: the number of the process and the call, latest last.
    running: VecDeque<(String, String)>,
    /// Calls that ask for the state of a process, with its number, latest last.
    polls: VecDeque<(String, String)>,
}

/// Beginnings of texts that the host itself inserts in the place of the user.
pub(super) const HOST: &[&str] = &[
    "<environment_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "<skill>",
    "<subagent_notification>",
    "<user_shell_command>",
    "# AGENTS.md instructions",
];

impl CodexLog {
    pub(super) fn line(
        &mut self,
        sessions: &mut SessionTable,
        name: &str,
        number: u64,
        line: &str,
        sink: &mut Sink<'_>,
    ) -> Result<ControlFlow<()>, serde_json::Error> {
        let record: CodexRecord<'_> = serde_json::from_str(line)?;
        let kind = record.kind.get();
        let Some(payload) = &record.payload.0 else {
            sessions.notes.unknown_lines += 1;
            return Ok(ControlFlow::Continue(()));
        };
        if kind == Some("session_meta") && self.session.is_none() {
            self.meta(payload);
        }
        // Taken out while this line is read, so that they need not be copied.
        let (session, agent) = (self.session.take(), self.agent.take());
        let time = record.timestamp.get().and_then(text::time);
        let at = At {
            session: session.as_deref().unwrap_or(name),
            agent: agent.as_deref(),
            time,
            line: number,
            facts: None,
        };
        let flow = match kind {
            Some("response_item") => self.item(sessions, &at, payload, sink),
            Some("event_msg") => self.event(sessions, &at, payload, sink),
            Some("session_meta") => {
                sessions.told(at.session, None, payload.originator.get());
                sessions.start(&at, sink)
            }
            Some("turn_context") => {
                sessions.told(at.session, payload.model.get().filter(|_| at.agent.is_none()), None);
                ControlFlow::Continue(())
            }
            Some("compacted") => ControlFlow::Continue(()),
            _ => {
                sessions.notes.unknown_lines += 1;
                ControlFlow::Continue(())
            }
        };
        (self.session, self.agent) = (session, agent);
        Ok(flow)
    }
    fn meta(&mut self, payload: &Payload<'_>) {
        let source = payload.source.filter(|source| source.get().starts_with('{'));
        let source: RolloutSource<'_> =
            source.and_then(|source| serde_json::from_str(source.get()).ok()).unwrap_or_default();
        let spawn = source.subagent.0.and_then(|subagent| subagent.thread_spawn.0);
        let parent = spawn.and_then(|spawn| spawn.parent_thread_id.0);
        let own = payload.id.get().map(str::to_owned);
        if let Some(parent) = parent {
            self.session = Some(parent.into_owned());
            self.agent = own;
        } else {
            self.session = own;
        }
    }
    fn item(
        &mut self,
        sessions: &mut SessionTable,
        at: &At<'_>,
        item: &Payload<'_>,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        let kind = item.kind.get().unwrap_or_default();
        match (kind, item.role.get()) {
            ("message", Some("user")) => {
                let text = item.content.said().unwrap_or_default();
                if HOST.iter().any(|beginning| text.starts_with(beginning)) {
                    return ControlFlow::Continue(());
                }
                self.message(sessions, at, Speaker::User, text, true, sink)
            }
            ("message", Some("assistant")) => {
                let text = item.content.said().unwrap_or_default();
                self.message(sessions, at, Speaker::Agent, text, true, sink)
            }
            ("function_call" | "custom_tool_call" | "local_shell_call" | "web_search_call", _) => {
                self.flush(sessions, at, sink)?;
                let hosted = kind == "web_search_call";
                let (server, tool) =
                    split_mcp(item.name.get().unwrap_or(if hosted { "web_search" } else { "local_shell" }));
                let mut call = LoggedCall {
                    id: item.call_id.get().or(item.id.get()).map(Cow::Borrowed),
                    server,
                    tool,
                    arguments: arguments(item),
                };
                let is_shell = server.is_none() && (is_shell(tool) || tool == "shell_command");
                if is_shell
                    && let Some(patch) =
                        call.arguments.text().and_then(|text| patch::of_shell(text.as_str()).0)
                {
                    (call.tool, call.arguments) =
                        ("apply_patch", Arguments::Given(JsonText(Cow::Owned(patch))));
                }
                let id = call.id.clone();
                if let Some(process) = polled(&call) {
                    let own = id.as_deref().unwrap_or_default().to_owned();
                    keep(&mut self.polls, (own, process));
                }
                sessions.call(at, call, sink)?;
                if hosted {
                    let outcome = match item.status.get() {
                        Some("completed") => CallOutcome::Ok,
                        Some("failed") => CallOutcome::Failed,
                        _ => CallOutcome::Unknown,
                    };
                    sessions.result(at, id, Some(outcome), None, sink)?;
                }
                ControlFlow::Continue(())
            }
            ("function_call_output" | "custom_tool_call_output", _) => {
                let (outcome, value) = output(given(item.output));
                if let Some(id) = item.call_id.get()
                    && is_refusal(given(item.output))
                    && !self.held.iter().any(|held| held.call == id)
                    && sessions.is_open_and_local(at.session, id)
                {
                    return sessions.refused(at.session, id, sink);
                }
                if let Some(id) = item.call_id.get()
                    && self.goes_on(sessions, at, id, (outcome, value.as_ref(), given(item.output)), sink)?
                {
                    return ControlFlow::Continue(());
                }
                self.half(sessions, at, item.call_id.get(), true, (outcome, value), sink)
            }
            ("message" | "reasoning" | "ghost_snapshot" | "compaction" | "compaction_summary", _) => {
                ControlFlow::Continue(())
            }
            _ => {
                sessions.notes.unknown_lines += 1;
                ControlFlow::Continue(())
            }
        }
    }
    fn event(
        &mut self,
        sessions: &mut SessionTable,
        at: &At<'_>,
        event: &Payload<'_>,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        match event.kind.get().unwrap_or_default() {
            "user_message" => {
                let text = Cow::Borrowed(event.message.get().unwrap_or_default());
                self.message(sessions, at, Speaker::User, text, false, sink)
            }
            "agent_message" => {
                let text = Cow::Borrowed(event.message.get().unwrap_or_default());
                self.message(sessions, at, Speaker::Agent, text, false, sink)
            }
            kind @ ("exec_command_begin"
            | "mcp_tool_call_begin"
            | "exec_command_end"
            | "mcp_tool_call_end") => {
                if event.source.is_some_and(|source| source.get() == "\"user_shell\"") {
                    sessions.notes.user_calls += u64::from(kind == "exec_command_end");
                    return ControlFlow::Continue(());
                }
                self.begun(sessions, at, event, sink)?;
                match kind {
                    "exec_command_end" => {
                        let outcome = event.exit_code.int().map(of_exit);
                        let code = event.exit_code.int().map_or("null".to_owned(), |code| code.to_string());
                        let reported = given(event.aggregated_output).unwrap_or("null");
                        let value =
                            JsonText(Cow::Owned(format!("{{\"exit_code\":{code},\"output\":{reported}}}")));
                        self.half(
                            sessions,
                            at,
                            event.call_id.get(),
                            false,
                            (outcome.or(Some(CallOutcome::Unknown)), Some(value)),
                            sink,
                        )
                    }
                    "mcp_tool_call_end" => {
                        let (outcome, value) = mcp(event.result);
                        self.half(sessions, at, event.call_id.get(), false, (Some(outcome), value), sink)
                    }
                    _ => ControlFlow::Continue(()),
                }
            }
            "patch_apply_end" => {
                let outcome =
                    event.success.flag().map(|ok| if ok { CallOutcome::Ok } else { CallOutcome::Failed });
                self.half(
                    sessions,
                    at,
                    event.call_id.get(),
                    false,
                    (outcome.or(Some(CallOutcome::Unknown)), None),
                    sink,
                )
            }
            "task_complete" | "turn_complete" => {
                self.flush(sessions, at, sink)?;
                sessions.other(at, HostEventKind::End, sink)
            }
            "item_completed" => {
                // What was done is known not to have been refused.
                let item = event.item.0.as_ref();
                let item = item
                    .filter(|item| !matches!(item.kind.get(), Some("UserMessage" | "AgentMessage") | None));
                match item.and_then(|item| item.id.get()) {
                    Some(id) => sessions.made(at.session, id, sink),
                    None => ControlFlow::Continue(()),
                }
            }
            // Tokens, plans, deltas, approvals and so on.
            _ => ControlFlow::Continue(()),
        }
    }
    /// Reports a call that is only in `event_msg`, such as a call inside of another call.
    fn begun(
        &mut self,
        sessions: &mut SessionTable,
        at: &At<'_>,
        event: &Payload<'_>,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        let Some(id) = event.call_id.get().filter(|id| !sessions.knows(at.session, id)) else {
            return ControlFlow::Continue(());
        };
        let invocation = event.invocation.0.as_ref();
        let tool = invocation.map_or(Some("shell"), |invocation| invocation.tool.get());
        let arguments = match (invocation, given(event.command)) {
            (Some(invocation), _) => Arguments::of(given(invocation.arguments)),
            (None, Some(command)) => shell_arguments(&format!("{{\"command\":{command}}}"))
                .map_or(Arguments::Missing, Arguments::Given),
            (None, None) => Arguments::Missing,
        };
        let call = LoggedCall {
            id: Some(Cow::Borrowed(id)),
            server: invocation.and_then(|invocation| invocation.server.get()),
            tool: tool.unwrap_or_default(),
            arguments,
        };
        self.flush(sessions, at, sink)?;
        sessions.call(at, call, sink)
    }
    /// Reports a message, unless this is its second record.
    fn message(
        &mut self,
        sessions: &mut SessionTable,
        at: &At<'_>,
        speaker: Speaker,
        text: Cow<'_, str>,
        item: bool,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        if text.is_empty() {
            return ControlFlow::Continue(());
        }
        let mut hasher = FxHasher::default();
        (speaker == Speaker::User, text.trim()).hash(&mut hasher);
        let said = hasher.finish();
        if let Some(first) = self.said.iter().position(|other| *other == (!item, said)) {
            self.said.remove(first);
            return ControlFlow::Continue(());
        }
        self.said.push_back((item, said));
        if self.said.len() > KEPT {
            self.said.pop_front();
        }
        self.flush(sessions, at, sink)?;
        sessions.message(at, speaker, text, sink)
    }
    /// Reads an output about a process: of a command that goes on, or of a call that asks for the state of one. Returns
    /// whether the call of this output has not ended.
    fn goes_on(
        &mut self,
        sessions: &mut SessionTable,
        at: &At<'_>,
        call: &str,
        (outcome, value, output): (Option<CallOutcome>, Option<&JsonText<'_>>, Option<&str>),
        sink: &mut Sink<'_>,
    ) -> ControlFlow<(), bool> {
        let process = output.and_then(running);
        let Some(poll) = self.polls.iter().position(|(own, _)| own == call) else {
            let Some(process) = process.filter(|_| sessions.is_unanswered(at.session, call)) else {
                return ControlFlow::Continue(false);
            };
            keep(&mut self.running, (process, call.to_owned()));
            sessions.goes_on(at.session, call, sink)?;
            return ControlFlow::Continue(true);
        };
        let asked = self.polls.remove(poll).map(|(_, process)| process);
        let begun = self.running.iter().rposition(|(own, _)| Some(own) == asked.as_ref());
        if process.is_none()
            && let Some(outcome) = outcome
            && let Some((_, call)) = begun.and_then(|begun| self.running.remove(begun))
            && sessions.is_unanswered(at.session, &call)
        {
            sessions.result(at, Some(Cow::Owned(call)), Some(outcome), value.cloned(), sink)?;
        }
        ControlFlow::Continue(false)
    }
    /// Adds one half of a result. The result is reported when outcome and value are known.
    fn half(
        &mut self,
        sessions: &mut SessionTable,
        at: &At<'_>,
        call: Option<&str>,
        item: bool,
        (outcome, value): (Option<CallOutcome>, Option<JsonText<'_>>),
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        let Some(call) = call else {
            sessions.notes.unknown_lines += 1;
            return ControlFlow::Continue(());
        };
        if let Some(first) = self.held.iter().position(|held| held.call == call) {
            let held = self.held.remove(first);
            // The value is the output that the model sees.
            let value = if item { value.or(held.result) } else { held.result.or(value) };
            return sessions.marked_result(at, call, held.outcome.or(outcome), value, sink);
        }
        if sessions.knows(at.session, call) && !sessions.is_unanswered(at.session, call) {
            return ControlFlow::Continue(());
        }
        if item && outcome.is_some() {
            return sessions.result(at, Some(Cow::Borrowed(call)), outcome, value, sink);
        }
        if self.held.len() >= KEPT {
            self.flush(sessions, at, sink)?;
        }
        self.held.push(PartialResult {
            call: call.to_owned(),
            outcome,
            result: value.map(JsonText::into_owned),
            time: at.time,
            line: at.line,
        });
        ControlFlow::Continue(())
    }
    /// Reports the partial results, whose other halves do not follow.
    fn flush(&mut self, sessions: &mut SessionTable, at: &At<'_>, sink: &mut Sink<'_>) -> ControlFlow<()> {
        for held in self.held.drain(..) {
            let at = At { time: held.time, line: held.line, ..*at };
            sessions.marked_result(&at, &held.call, held.outcome, held.result, sink)?;
        }
        ControlFlow::Continue(())
    }
    /// Reports the partial results at the end of the file.
    pub(super) fn finish(
        &mut self,
        sessions: &mut SessionTable,
        name: &str,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        let mut ended = std::mem::take(self);
        let session = ended.session.take();
        let agent = ended.agent.take();
        let at = At {
            session: session.as_deref().unwrap_or(name),
            agent: agent.as_deref(),
            time: None,
            line: 0,
            facts: None,
        };
        ended.flush(sessions, &at, sink)
    }
}

fn arguments<'a>(item: &Payload<'a>) -> Arguments<'a> {
    if let Some(input) = given(item.input) {
        return Arguments::Given(JsonText(Cow::Owned(format!("{{\"input\":{input}}}"))));
    }
    let raw = given(item.arguments).or(given(item.action));
    let tool = item.name.get().unwrap_or("local_shell");
    if is_shell(tool)
        && let Some(raw) = raw
    {
        let inner = text::unquoted(raw);
        if let Some(reported) = shell_arguments(inner.as_deref().unwrap_or(raw)) {
            return Arguments::Given(reported);
        }
    }
    Arguments::of(raw)
}

/// Adds to a list of which the latest are kept.
fn keep<T>(list: &mut VecDeque<T>, one: T) {
    if list.len() >= KEPT {
        list.pop_front();
    }
    list.push_back(one);
}

/// The number of the process whose state a call asks for.
fn polled(call: &LoggedCall<'_>) -> Option<String> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Asked<'a> {
        #[serde(borrow)]
        session_id: LenientScalar<'a>,
    }
    let arguments = (call.tool == "write_stdin").then(|| call.arguments.text()).flatten()?;
    let asked: LenientObject<Asked<'_>> = serde_json::from_str(arguments.as_str()).ok()?;
    asked.0?.session_id.name().map(Cow::into_owned)
}

fn is_shell(tool: &str) -> bool {
    matches!(tool, "shell" | "local_shell" | "container.exec" | "exec_command" | "exec")
}

/// Arguments of a shell with `command` as one line; `None` if `command` is one line already, or there is no command.
pub(super) fn shell_arguments(arguments: &str) -> Option<JsonText<'static>> {
    let Entries(all) = serde_json::from_str(arguments).ok()?;
    let value = |key: &str| all.iter().find(|(name, _)| name == key).map(|(_, value)| value.get());
    let (line, argv) = match value("command") {
        Some(words) if words.starts_with('[') => {
            let list: List<LenientText<'_>> = serde_json::from_str(words).ok()?;
            let list: Vec<Cow<'_, str>> = list.0.into_iter().filter_map(|word| word.0).collect();
            (text::quoted(&shell::line(&list)), Some(words))
        }
        None => (JsonText::borrowed(value("cmd").filter(|line| line.starts_with('"'))?), None),
        Some(_) => return None,
    };
    let mut out = format!("{{\"command\":{}", line.as_str());
    let is_new = |name: &str| name != "command" && (name != "argv" || argv.is_none());
    let argv = argv.map(|words| ("argv", words)).into_iter();
    let others = all.iter().filter(|(name, _)| is_new(name)).map(|(name, value)| (&**name, value.get()));
    for (name, value) in argv.chain(others) {
        out.push(',');
        out.push_str(text::quoted(name).as_str());
        out.push(':');
        out.push_str(value);
    }
    out.push('}');
    Some(JsonText(Cow::Owned(out)))
}
