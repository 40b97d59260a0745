//! Payloads of hooks, and the events of the session that they report.

use super::fields::{Fields, Reading};
use super::{HookHost, claude, codex};
use crate::format::json_text::has_duplicate_keys;
use crate::format::log::shared::{self, given, unquoted};
use crate::format::log::split_mcp;
use crate::model::{HostEvent, HostEventKind, JsonText, Speaker};
use serde::de::DeserializeSeed;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Payloads longer than this many bytes are refused.
pub const PAYLOAD_LIMIT: usize = 64 << 20;

/// What an event of a host is for the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HookKind {
    /// A session begins, or is taken up again (then there is nothing to report).
    Start,
    /// The user says something.
    Prompt,
    /// The agent proposes a call: the only event in which the host waits for a permission.
    Call,
    /// A call ended.
    Result,
    /// The agent wants to stop.
    End,
    /// The session is over.
    Close,
    /// Nothing that concerns the gate.
    Other,
}

impl HookKind {
    /// What the event of this name is, the same for all hosts that share the names of Claude Code.
    pub fn of(event: &str) -> Self {
        match event {
            "SessionStart" => Self::Start,
            "UserPromptSubmit" => Self::Prompt,
            "PreToolUse" => Self::Call,
            "PostToolUse" | "PostToolUseFailure" => Self::Result,
            "Stop" => Self::End,
            "SessionEnd" => Self::Close,
            _ => Self::Other,
        }
    }
}

/// A payload that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookPayload {
    /// The host that sent it.
    pub host: HookHost,
    /// The name of the event, as the host says it.
    pub event: String,
    /// What the event is.
    pub kind: HookKind,
    /// The session.
    pub session: String,
    /// The subagent, if it is not the main agent.
    pub agent: Option<String>,
    /// The folder in which the agent works.
    pub cwd: Option<String>,
    /// The name of the call.
    pub tool_use_id: Option<String>,
    /// Whether the agent goes on because a hook refused that it stops. Hosts forget it at times.
    pub stop_hook_active: bool,
    /// What the payload reports, in order. Line and time are the reader's to set.
    pub events: Vec<HostEvent<'static>>,
}

/// Why a payload cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookFault {
    /// The name of the event, if it stands before the fault.
    pub event: Option<String>,
    /// Why, in a sentence without a full stop.
    pub message: String,
}

impl std::fmt::Display for HookFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for HookFault {}

fn string(raw: Option<&RawValue>) -> Option<String> {
    unquoted(raw?.get()).map(Cow::into_owned)
}

fn flag(raw: Option<&RawValue>) -> bool {
    raw.is_some_and(|raw| raw.get() == "true")
}

/// Reads a payload of a host. Linear.
///
/// # Errors
/// Whatever could make the gate judge something else than what the host does.
pub fn read(host: HookHost, bytes: &[u8]) -> Result<HookPayload, HookFault> {
    let early = |message: String| HookFault { event: None, message };
    if bytes.len() > PAYLOAD_LIMIT {
        return Err(early(format!("the payload of the hook is longer than {} MiB", PAYLOAD_LIMIT >> 20)));
    }
    // Some hosts put a byte-order mark before the JSON.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let (text, is_text) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, true),
        Err(error) => (std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(), false),
    };
    let mut fields = Fields::default();
    let mut reader = serde_json::Deserializer::from_str(text);
    let outcome = Reading(&mut fields).deserialize(&mut reader).and_then(|()| reader.end());
    let event = string(fields.event);
    let fault = |message: String| HookFault { event: event.clone(), message };
    if !is_text {
        return Err(fault("the payload of the hook is not UTF-8".into()));
    }
    if let Err(error) = outcome {
        let what = if bytes.trim_ascii().is_empty() { "empty" } else { "no JSON object" };
        return Err(fault(format!("the payload of the hook is {what}: {error}")));
    }
    let Some(name) = &event else {
        return Err(fault("the payload of the hook names no event (`hook_event_name`)".into()));
    };
    let kind = HookKind::of(name);
    let Some(session) = string(fields.session).filter(|session| !session.is_empty()) else {
        return Err(fault("the payload of the hook names no session (`session_id`)".into()));
    };
    let agent = string(fields.agent).filter(|agent| !agent.is_empty());
    let mut payload = HookPayload {
        host,
        event: name.clone(),
        kind,
        session,
        agent,
        cwd: string(fields.cwd),
        tool_use_id: string(fields.call).filter(|id| !id.is_empty()),
        stop_hook_active: flag(fields.stop_active),
        events: Vec::new(),
    };
    let kinds = reported(&payload, &fields).map_err(fault)?;
    payload.events = kinds.into_iter().map(|kind| payload.told(kind)).collect();
    Ok(payload)
}

impl HookPayload {
    fn told(&self, kind: HostEventKind<'static>) -> HostEvent<'static> {
        HostEvent {
            session: Cow::Owned(self.session.clone()),
            agent: self.agent.clone().map(Cow::Owned),
            time: None,
            line: 1,
            kind,
        }
    }
}

/// What a payload reports, or why that cannot be told.
fn reported(payload: &HookPayload, fields: &Fields<'_>) -> Result<Vec<HostEventKind<'static>>, String> {
    let message = |speaker, text: Option<String>| {
        let text = text.filter(|text| !text.is_empty()).map(Cow::Owned);
        text.map(|text| HostEventKind::Message { speaker, text })
    };
    Ok(match payload.kind {
        HookKind::Start => {
            // The same session goes on after `--resume` and after its context was made shorter.
            let goes_on =
                string(fields.source).is_some_and(|source| matches!(&*source, "resume" | "compact"));
            if goes_on { Vec::new() } else { vec![HostEventKind::Start] }
        }
        HookKind::Prompt => {
            let Some(prompt) = string(fields.prompt) else {
                return Err("the payload of the hook has no `prompt` that is a text".into());
            };
            // Hosts report by prompts, too: what came of a background task, written by whoever wrote its output.
            let is_by_host = match payload.host {
                HookHost::ClaudeCode => shared::is_by_claude(&prompt),
                HookHost::Codex => shared::is_by_codex(&prompt),
            };
            // The prompt of a subagent is written by the agent that started it.
            let speaker = if payload.agent.is_some() { Speaker::Agent } else { Speaker::User };
            message(speaker, Some(prompt).filter(|_| !is_by_host)).into_iter().collect()
        }
        HookKind::Call => vec![proposed(payload, fields)?],
        HookKind::Result => {
            let outcome = match payload.host {
                HookHost::ClaudeCode => claude::outcome(&payload.event, fields),
                HookHost::Codex => codex::outcome(&string(fields.tool).unwrap_or_default(), fields),
            };
            let value = given(fields.response).or(given(fields.error));
            let result = value.map(|raw| shared::result(raw).into_owned());
            vec![HostEventKind::Result { call: payload.tool_use_id.clone().map(Cow::Owned), outcome, result }]
        }
        HookKind::End => {
            let last = message(Speaker::Agent, string(fields.last_message));
            last.into_iter().chain([HostEventKind::End]).collect()
        }
        HookKind::Close => vec![HostEventKind::Close],
        HookKind::Other => {
            let may_propose = fields.tool.is_some() || fields.input.is_some();
            let is_over = fields.response.is_some() || fields.error.is_some();
            // These come after `PreToolUse` of the same call, and silence leaves the decision to a person.
            let is_known = matches!(&*payload.event, "PermissionRequest" | "PermissionDenied");
            if may_propose && !is_over && !is_known {
                return Err(format!(
                    "the event `{}` may propose a call, and this version does not know it",
                    payload.event
                ));
            }
            Vec::new()
        }
    })
}

/// The call that a payload proposes.
fn proposed(payload: &HookPayload, fields: &Fields<'_>) -> Result<HostEventKind<'static>, String> {
    let Some(name) = string(fields.tool).filter(|name| !name.is_empty()) else {
        return Err("the payload of the hook names no tool (`tool_name`)".into());
    };
    let Some(raw) = given(fields.input) else {
        return Err("the payload of the hook has no arguments (`tool_input`)".into());
    };
    match has_duplicate_keys(&JsonText::borrowed(raw)) {
        Ok(false) => {}
        Ok(true) => return Err("the arguments of the call name a key twice".into()),
        Err(error) => return Err(format!("the arguments of the call cannot be read: {error}")),
    }
    let arguments = match payload.host {
        HookHost::ClaudeCode => claude::arguments(raw),
        HookHost::Codex => codex::arguments(&name, raw),
    };
    let (server, tool) = split_mcp(&name);
    Ok(HostEventKind::Call {
        id: payload.tool_use_id.clone().map(Cow::Owned),
        server: server.map(|server| Cow::Owned(server.to_owned())),
        tool: Cow::Owned(tool.to_owned()),
        arguments: arguments.into_owned(),
    })
}
