//! Sessions of Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`, one record per line; the form is officially
//! not stable. Records of unknown kinds are skipped.
//!
//! - The session is `sessionId`; records of subagents (`isSidechain`, in the same file or in
//!   `<session>/subagents/*.jsonl`) belong to the session of their parent, with `agentId` as the agent. Their first
//!   prompt is written by the parent, hence a message of an agent, not of a user.
//! - A result is `toolUseResult` if that is an object or array and the record has one result, as in the hooks of this
//!   host, else the `content` of the block. It failed if `is_error` is true.
//! - `mcp__shop__refund` is the tool `refund` of the server `shop`.
//! - Texts that the host itself inserts in the place of the user (`isMeta`, summaries of compacted sessions, output of
//!   local commands, reminders) are not messages.
//! - A call in the background ends where a notice says so, which is a prompt, or an attachment while the agent works.
//! - Calls that a hook, a rule or a person refused were not made (`toolDenialKind`, `permissionDecision`; in older records
//!   only the text of the result says so), nor were those with wrong arguments. What a server returns is no such text.
//! - The agent stops if `stop_reason` is `end_turn` or `stop_sequence`, after all records of that message, and at a
//!   record `turn_duration` or `stop_hook_summary`. A subagent that stops does not end the turn.

use super::block_calls;
use super::blocks::{MessageBlock, MessageContent, result};
use super::lenient::{LenientObject, LenientScalar, LenientText, given};
use super::messages::block_call;
use super::notice;
use super::schedule::scheduled_prompt;
use super::session_table::{Arguments, At, LoggedCall, SessionTable, Sink};
use super::text;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use tsl_synth_core::model::{CallOutcome, HostEventKind, JsonText, Speaker};

#[derive(Default, Deserialize)]
#[serde(default)]
struct ClaudeRecord<'a> {
    #[serde(borrow, rename = "type")]
    kind: LenientText<'a>,
    #[serde(borrow)]
    subtype: LenientText<'a>,
    #[serde(borrow, rename = "sessionId")]
    session: LenientText<'a>,
    #[serde(borrow, rename = "agentId")]
    agent: LenientText<'a>,
    #[serde(borrow)]
    timestamp: LenientText<'a>,
    #[serde(borrow, rename = "isSidechain")]
    sidechain: LenientScalar<'a>,
    #[serde(borrow, rename = "isMeta")]
    meta: LenientScalar<'a>,
    #[serde(borrow, rename = "isCompactSummary")]
    summary: LenientScalar<'a>,
    #[serde(borrow)]
    message: LenientObject<ClaudeMessage<'a>>,
    #[serde(borrow, rename = "toolUseResult")]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    attachment: LenientObject<ClaudeAttachment<'a>>,
    #[serde(borrow, rename = "toolDenialKind")]
    denial: LenientText<'a>,
    #[serde(borrow, rename = "permissionDecision")]
    permission: LenientObject<ClaudePermission<'a>>,
}

/// What was decided about a call before it was made.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ClaudePermission<'a> {
    #[serde(borrow)]
    decision: LenientText<'a>,
}

/// A prompt that came while the agent worked.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ClaudeAttachment<'a> {
    #[serde(borrow, rename = "type")]
    kind: LenientText<'a>,
    #[serde(borrow)]
    prompt: Option<&'a RawValue>,
    #[serde(borrow, rename = "commandMode")]
    mode: LenientText<'a>,
    #[serde(borrow)]
    origin: LenientObject<ClaudeOrigin<'a>>,
}

/// Who wrote a prompt.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ClaudeOrigin<'a> {
    #[serde(borrow)]
    kind: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ClaudeMessage<'a> {
    #[serde(borrow)]
    id: LenientText<'a>,
    #[serde(borrow)]
    content: MessageContent<'a>,
    #[serde(borrow)]
    stop_reason: LenientText<'a>,
    #[serde(borrow)]
    model: LenientText<'a>,
}

/// A stop of the agent. It is reported when no further record of the same message follows.
#[derive(Debug)]
struct StopNotice {
    session: String,
    agent: Option<String>,
    message: String,
    time: Option<i64>,
    line: u64,
}

/// The state of the reader between two lines.
#[derive(Debug, Default)]
pub(super) struct ClaudeLog {
    stop: Option<StopNotice>,
    /// The prompts that the agent scheduled for itself, with their sessions.
    scheduled: BTreeSet<(String, String)>,
    /// Whether the end of the current turn was reported and the next turn has not begun.
    stopped: bool,
}

/// Known kinds of records that contain nothing about the actions of the agent.
const KNOWN: &[&str] = &[
    "summary",
    "file-history-snapshot",
    "queue-operation",
    "progress",
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "atis-latch",
    "cost-state",
    "tools-used",
    "custom-title",
    "ai-title",
    "agent-name",
    "last-prompt",
    "permission-mode",
    "pr-link",
    "tag",
    "mode",
];

/// Beginnings of texts that the host itself inserts in the place of the user.
const HOST: &[&str] =
    &["<local-command-stdout>", "<local-command-stderr>", "<system-reminder>", notice::BEGINNING];

/// Whether the host itself wrote a text in the place of the user.
pub(super) fn is_by_host(text: &str) -> bool {
    let text = text.trim_start();
    HOST.iter().any(|beginning| text.starts_with(beginning))
}

/// Beginnings of failed results of the host's own tools that were not called, and what else is in these results: a hook, a
/// rule or a person refused the call, nobody could be asked, or its arguments are wrong.
const NOT_CALLED: &[(&str, &str)] = &[
    ("<tool_use_error>", ""),
    ("PreToolUse:", ""),
    ("Hook PreToolUse:", " denied this tool"),
    ("The user doesn't want to proceed with this tool use.", ""),
    ("The user doesn't want to take this action right now.", ""),
    ("Permission to use ", " has been denied"),
    ("Permission for this action was denied", ""),
    ("Permission for this action has been denied", ""),
    ("Claude requested permissions to ", " you haven't granted it yet"),
    ("Claude requested permissions to ", " which is a sensitive file"),
    ("This command requires approval", ""),
    ("This Bash command contains multiple operations. The following part", "require"),
    ("This PowerShell command contains multiple operations. The following part", "require"),
];

/// Whether a failed result of a tool of the host says that it was not called.
fn says_not_called(said: &str) -> bool {
    NOT_CALLED.iter().any(|(beginning, more)| {
        let rest = said.strip_prefix(beginning).map(|rest| rest.lines().next().unwrap_or_default());
        rest.is_some_and(|rest| rest.contains(more))
    })
}

/// Whether a failed result says that its call was not made. Records of 2026 tell that by themselves.
fn is_refusal(record: &ClaudeRecord<'_>, block: &MessageBlock<'_>, is_local: bool) -> bool {
    let decision = record.permission.0.as_ref().and_then(|permission| permission.decision.get());
    match decision {
        Some("accept") => false,
        Some("reject") => true,
        _ if record.denial.get().is_some() => true,
        _ => {
            let content = MessageContent::of(block.content);
            is_local && content.said().is_some_and(|said| says_not_called(&said))
        }
    }
}

/// Whether a tool that is not named `Bash` runs a command as that does, so that it is reported as `Bash` in hooks and
/// logs: `Monitor`, whose commands run in the background, unless it has none.
pub(super) fn is_shell(tool: &str, input: &str) -> bool {
    #[derive(Deserialize)]
    struct MonitorInput {
        command: Option<IgnoredAny>,
    }
    tool == "Monitor"
        && serde_json::from_str::<LenientObject<MonitorInput>>(input)
            .is_ok_and(|told| told.0.is_some_and(|own| own.command.is_some()))
}

/// What a response of a tool says about its end.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ClaudeResponse<'a> {
    background_task_id: Option<IgnoredAny>,
    #[serde(borrow)]
    is_async: LenientScalar<'a>,
    #[serde(borrow)]
    status: LenientText<'a>,
    task_id: Option<IgnoredAny>,
    persistent: Option<IgnoredAny>,
    return_code_interpretation: Option<IgnoredAny>,
}

/// What a response of a tool that did not fail says about its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClaudeEnd {
    /// The call succeeded.
    Ok,
    /// The exit code is 1 and the last command of the line is `grep`, `find`, `diff`, `test` or the like. For them the host
    /// counts exit code 1 as success and interprets it, but it may be the code of another command, as of the tests in
    /// `cargo test && grep -q x log`.
    Interpreted,
    /// The work continues in the background (a shell, an agent, a workflow or a monitor, which has `taskId` and
    /// `persistent`); a notice tells its end.
    GoesOn,
}

/// What a response says about the end of its call.
pub(super) fn end(response: &str) -> ClaudeEnd {
    let Ok(LenientObject(Some(told))) = serde_json::from_str::<LenientObject<ClaudeResponse<'_>>>(response)
    else {
        return ClaudeEnd::Ok;
    };
    let goes_on = told.background_task_id.is_some()
        || told.is_async.flag() == Some(true)
        || told.status.is("async_launched")
        || (told.task_id.is_some() && told.persistent.is_some());
    match told.return_code_interpretation {
        _ if goes_on => ClaudeEnd::GoesOn,
        Some(_) => ClaudeEnd::Interpreted,
        None => ClaudeEnd::Ok,
    }
}

impl ClaudeLog {
    pub(super) fn line(
        &mut self,
        sessions: &mut SessionTable,
        name: &str,
        number: u64,
        line: &str,
        sink: &mut Sink<'_>,
    ) -> Result<ControlFlow<()>, serde_json::Error> {
        let record: ClaudeRecord<'_> = serde_json::from_str(line)?;
        let session = record.session.get().unwrap_or(name);
        let sidechain = record.sidechain.flag() == Some(true);
        let agent = record.agent.get().or(sidechain.then_some("subagent"));
        let time = record.timestamp.get().and_then(text::time);
        let at = At { session, agent, time, line: number, facts: None };
        Ok(match record.kind.get() {
            Some("assistant") => self.assistant(sessions, &at, &record, sidechain, sink),
            Some("user") => self.user(sessions, &at, &record, sidechain, sink),
            Some("attachment") => self.attachment(sessions, &at, &record, sidechain, sink),
            Some("system") => match record.subtype.get() {
                Some("turn_duration" | "stop_hook_summary") => self.turn_over(sessions, &at, sink),
                _ => ControlFlow::Continue(()),
            },
            kind => {
                sessions.notes.unknown_lines += u64::from(kind.is_none_or(|kind| !KNOWN.contains(&kind)));
                ControlFlow::Continue(())
            }
        })
    }
    fn assistant(
        &mut self,
        sessions: &mut SessionTable,
        at: &At<'_>,
        record: &ClaudeRecord<'_>,
        sidechain: bool,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        let Some(message) = &record.message.0 else {
            sessions.notes.unknown_lines += 1;
            return ControlFlow::Continue(());
        };
        // The host itself writes messages of the model `<synthetic>`.
        let model = message.model.get().filter(|model| !sidechain && !model.starts_with('<'));
        sessions.told(at.session, model, None);
        for unknown in block_calls::unknown(&message.content, None, false) {
            *sessions.notes.unknown_blocks.entry(unknown).or_default() += 1;
        }
        let id = message.id.get().unwrap_or_default();
        let more = self.stop.as_ref().is_some_and(|stop| stop.message == id && stop.session == at.session);
        if !more {
            self.flush(sessions, sink)?;
        }
        if let Some(text) = message.content.said() {
            self.stopped = false;
            sessions.message(at, Speaker::Agent, text, sink)?;
        }
        let mut calls = false;
        for block in message.content.blocks().filter(|block| block.is_call()) {
            calls = true;
            self.stopped = false;
            if let (Some(name), Some(input)) = (block.name.get(), given(block.input)) {
                let (tool, arguments) = (Cow::Borrowed(name), JsonText::borrowed(input));
                let call = HostEventKind::Call { id: None, server: None, tool, arguments };
                let prompt = scheduled_prompt(&call);
                self.scheduled.extend(prompt.map(|prompt| (at.session.to_owned(), prompt)));
            }
            let input = given(block.input);
            if input.is_some_and(|input| is_shell(block.name.get().unwrap_or_default(), input)) {
                let id = block.id.get().map(Cow::Borrowed);
                let arguments = Arguments::of(input);
                sessions.call(at, LoggedCall { id, server: None, tool: "Bash", arguments }, sink)?;
            } else {
                block_call(sessions, at, block, sink)?;
            }
        }
        if calls {
            self.stop = None;
        } else if !sidechain && matches!(message.stop_reason.get(), Some("end_turn" | "stop_sequence")) {
            self.stop = Some(StopNotice {
                session: at.session.to_owned(),
                agent: at.agent.map(str::to_owned),
                message: id.to_owned(),
                time: at.time,
                line: at.line,
            });
        }
        ControlFlow::Continue(())
    }
    fn user(
        &mut self,
        sessions: &mut SessionTable,
        at: &At<'_>,
        record: &ClaudeRecord<'_>,
        sidechain: bool,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        self.flush(sessions, sink)?;
        let Some(message) = &record.message.0 else {
            sessions.notes.unknown_lines += 1;
            return ControlFlow::Continue(());
        };
        let results: Vec<&MessageBlock<'_>> =
            message.content.blocks().filter(|block| block.is_result()).collect();
        let whole = given(record.result).filter(|raw| results.len() == 1 && raw.starts_with(['{', '[']));
        for block in &results {
            let failed = block.is_error.flag() == Some(true);
            let outcome = match whole.map(end) {
                _ if failed => CallOutcome::Failed,
                // A notice tells the end.
                Some(ClaudeEnd::GoesOn) => {
                    sessions.goes_on(at.session, block.tool_use_id.get().unwrap_or_default(), sink)?;
                    continue;
                }
                Some(ClaudeEnd::Interpreted) => CallOutcome::Unknown,
                Some(ClaudeEnd::Ok) | None => CallOutcome::Ok,
            };
            let call = block.tool_use_id.get().map(Cow::Borrowed);
            if let Some(id) = &call
                && failed
                && is_refusal(record, block, sessions.is_open_and_local(at.session, id))
            {
                sessions.refused(at.session, id, sink)?;
                continue;
            }
            let value = whole.map(result).or_else(|| block.given());
            self.stopped = false;
            sessions.result(at, call, Some(outcome), value, sink)?;
        }
        let by_host = record.meta.flag() == Some(true) || record.summary.flag() == Some(true);
        if by_host {
            return ControlFlow::Continue(());
        }
        match message.content.said() {
            Some(text) => self.prompt(sessions, at, text, sidechain, sink),
            None => ControlFlow::Continue(()),
        }
    }
    /// Reads a prompt that came while the agent worked.
    fn attachment(
        &mut self,
        sessions: &mut SessionTable,
        at: &At<'_>,
        record: &ClaudeRecord<'_>,
        sidechain: bool,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        let Some(queued) = record.attachment.0.as_ref().filter(|own| own.kind.is("queued_command")) else {
            return ControlFlow::Continue(());
        };
        let origin = queued.origin.0.as_ref().and_then(|origin| origin.kind.get());
        let is_prompt = queued.mode.is("prompt") && matches!(origin, None | Some("human" | "user"));
        if !is_prompt && !queued.mode.is("task-notification") {
            return ControlFlow::Continue(());
        }
        match MessageContent::of(queued.prompt).said() {
            Some(text) => self.prompt(sessions, at, text, sidechain, sink),
            None => ControlFlow::Continue(()),
        }
    }
    /// Reports a prompt, or what a notice says about the end of a call.
    fn prompt(
        &mut self,
        sessions: &mut SessionTable,
        at: &At<'_>,
        text: Cow<'_, str>,
        sidechain: bool,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        let is_own = self.scheduled.contains(&(at.session.to_owned(), text.trim().to_owned()));
        if is_by_host(&text) {
            return match notice::read(&text).filter(|_| !sidechain && !is_own) {
                Some(notice) if sessions.is_unanswered(at.session, notice.call) => {
                    let call = Some(Cow::Borrowed(notice.call));
                    sessions.result(at, call, Some(notice.outcome), None, sink)
                }
                _ => ControlFlow::Continue(()),
            };
        }
        self.stopped = false;
        let speaker = if sidechain || is_own { Speaker::Agent } else { Speaker::User };
        sessions.message(at, speaker, text, sink)
    }
    /// The host reports the end of the turn, which may have been reported for the agent before.
    fn turn_over(
        &mut self,
        sessions: &mut SessionTable,
        at: &At<'_>,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        self.flush(sessions, sink)?;
        if std::mem::replace(&mut self.stopped, true) {
            return ControlFlow::Continue(());
        }
        sessions.other(at, HostEventKind::End, sink)
    }
    /// Reports the pending stop, if there is one.
    pub(super) fn flush(&mut self, sessions: &mut SessionTable, sink: &mut Sink<'_>) -> ControlFlow<()> {
        let Some(stop) = self.stop.take() else {
            return ControlFlow::Continue(());
        };
        self.stopped = true;
        let at = At {
            session: &stop.session,
            agent: stop.agent.as_deref(),
            time: stop.time,
            line: stop.line,
            facts: None,
        };
        sessions.other(&at, HostEventKind::End, sink)
    }
}
