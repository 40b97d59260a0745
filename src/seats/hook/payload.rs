//! Payloads of hooks, and the events of the session that they report.

use super::HookHost;
use super::dialect::{HookDialect, opened};
use super::fields::{FieldSlot, FieldsReader, HookFields};
use super::reply::HELD;
use serde::de::DeserializeSeed;
use std::borrow::Cow;
use tsl_synth_core::json_text::has_duplicate_keys;
use tsl_synth_core::model::{HostEvent, HostEventKind, Speaker};

/// Payloads longer than this many bytes are refused.
pub const PAYLOAD_LIMIT: usize = 64 << 20;

/// The meaning of an event of a host for the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HookKind {
    /// A session begins, or is resumed (then there is nothing to report).
    Start,
    /// The user sends a prompt.
    Prompt,
    /// The agent proposes a call: the event in which the host waits for a permission.
    Call,
    /// A call ended.
    Result,
    /// Calls of which nothing may have been told ended.
    Ended,
    /// The agent says something, in parts.
    Said,
    /// The agent wants to stop.
    End,
    /// The session is over.
    Close,
    /// Settings were changed, and the host waits for whether they may take effect.
    Settings,
    /// Nothing that concerns the gate.
    Other,
}

/// Calls that an event shows to be over, whether or not their ends were reported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum EndedCalls {
    /// None.
    #[default]
    None,
    /// Those with these ids.
    Named(Vec<String>),
    /// All of the agent, except for the call that the event is about.
    OfAgent,
}

/// A part of a message of the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessagePart {
    /// Identifies the message.
    pub message: String,
    /// The text of the part.
    pub text: String,
    /// Whether it is the last one.
    pub is_last: bool,
}

/// A payload that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct HookPayload {
    /// The host that sent it.
    pub host: HookHost,
    /// The name of the event, as the host writes it.
    pub event: String,
    /// The kind of the event.
    pub kind: HookKind,
    /// The session.
    pub session: String,
    /// The subagent, if it is not the main agent.
    pub agent: Option<String>,
    /// The folder in which the agent works.
    pub cwd: Option<String>,
    /// The file of settings that was changed.
    pub file: Option<String>,
    /// The id of the call, if the host gives it one.
    pub tool_use_id: Option<String>,
    /// Whether the agent goes on because a hook refused its wish to stop. Hosts do not report this reliably.
    pub stop_hook_active: bool,
    /// The reported events in order. The caller sets their line and time.
    pub events: Vec<HostEvent<'static>>,
    /// The call of a result, as it ran. If the call has no id, the result belongs to the oldest open call of the same tool
    /// with the same arguments; if it has one, other arguments than the proposed ones show that another call ran. Absent
    /// if the host does not report it.
    pub of: Option<HostEventKind<'static>>,
    /// Whether another event of the host reported the same call with its id, if that event is hooked.
    pub repeats: bool,
    /// Calls that are over. Those that go on in the background are not among them.
    pub ended: EndedCalls,
    /// Whether the call goes on in the background, and its end is told later.
    pub goes_on: bool,
    /// The text of the prompt that told the end of a call in the background.
    pub notice: Option<String>,
    /// What the agent says.
    pub part: Option<MessagePart>,
    /// Whether the session continues another one that the host does not name.
    pub is_fork: bool,
    /// The log of the session.
    pub transcript: Option<String>,
}

/// Why a payload cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookFault {
    /// The name of the event, if it could be read.
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

/// Reads a payload of a host. Linear. `event` is the event that the hook is installed for; it is used if the payload
/// names none.
///
/// # Errors
/// Any defect that could make the gate judge something else than what the host does.
pub fn read(host: HookHost, event: Option<&str>, bytes: &[u8]) -> Result<HookPayload, HookFault> {
    let dialect = host.dialect();
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
    let mut fields = HookFields::default();
    let mut reader = serde_json::Deserializer::from_str(text);
    let outcome = FieldsReader { fields: &mut fields, keys: dialect.keys() }
        .deserialize(&mut reader)
        .and_then(|()| reader.end());
    let named = fields.text(FieldSlot::Event);
    let fault = |message: String| HookFault { event: named.clone(), message };
    if !is_text {
        return Err(fault("the payload of the hook is not UTF-8".into()));
    }
    if let Err(error) = outcome {
        let what = if bytes.trim_ascii().is_empty() { "empty" } else { "no JSON object" };
        return Err(fault(format!("the payload of the hook is {what}: {error}")));
    }
    dialect.unfold(&mut fields).map_err(fault)?;
    let guessed = || dialect.guess(&fields).map(str::to_owned);
    let Some(name) = named.clone().or_else(|| event.map(str::to_owned)).or_else(guessed) else {
        return Err(fault("the payload of the hook names no event (`hook_event_name`)".into()));
    };
    let fault = |message: String| HookFault { event: Some(name.clone()), message };
    let kind = dialect.kind(&name);
    let Some(session) = fields.name(FieldSlot::Session) else {
        let keys = dialect.keys().iter().find(|(_, slot)| *slot == FieldSlot::Session);
        let key = keys.map_or("session_id", |(key, _)| *key);
        return Err(fault(format!("the payload of the hook names no session (`{key}`)")));
    };
    let mut payload = HookPayload {
        host,
        event: name.clone(),
        kind,
        session,
        agent: fields.name(FieldSlot::Agent),
        cwd: fields.text(FieldSlot::Cwd),
        file: fields.name(FieldSlot::Path).filter(|_| kind == HookKind::Settings),
        tool_use_id: fields.name(FieldSlot::Call),
        stop_hook_active: fields.is_true(FieldSlot::StopActive),
        events: Vec::new(),
        of: None,
        repeats: dialect.repeats(&name),
        ended: EndedCalls::None,
        goes_on: kind == HookKind::Result && dialect.goes_on(&fields),
        notice: None,
        part: None,
        is_fork: kind == HookKind::Start
            && fields.text(FieldSlot::Source).is_some_and(|source| source == "fork"),
        transcript: fields.name(FieldSlot::Transcript),
    };
    payload.tell_ends(dialect, &fields);
    if kind == HookKind::Said {
        payload.part = said(&fields);
    }
    let kinds = reported(dialect, &payload, &fields).map_err(fault)?;
    if kind == HookKind::Result && (payload.tool_use_id.is_none() || dialect.tells_what_ran()) {
        payload.of = called(dialect, &payload, &fields).ok();
    }
    payload.events = kinds.into_iter().map(|kind| payload.event_of(kind)).collect();
    Ok(payload)
}

impl HookPayload {
    /// Whether it reports anything.
    pub fn says_something(&self) -> bool {
        !self.events.is_empty()
            || self.part.is_some()
            || self.ended != EndedCalls::None
            || self.goes_on
            || self.is_fork
    }
    /// Sets which calls the event shows to be over, and whether it is a notice about work in the background.
    fn tell_ends(&mut self, dialect: &dyn HookDialect, fields: &HookFields<'_>) {
        self.ended = match self.kind {
            HookKind::Prompt => {
                let prompt = fields.text(FieldSlot::Prompt).unwrap_or_default();
                if dialect.is_by_host(&prompt) {
                    // The notices that an agent gets are those that its own host wrote.
                    let is_notice = self.agent.is_none() && dialect.notice(&prompt).is_some();
                    self.notice = is_notice.then_some(prompt);
                    EndedCalls::None
                } else if dialect.waits_at_prompts() {
                    EndedCalls::OfAgent
                } else {
                    EndedCalls::None
                }
            }
            HookKind::End => EndedCalls::OfAgent,
            HookKind::Call if dialect.runs_in_order() => EndedCalls::OfAgent,
            HookKind::Ended => dialect.ended(fields),
            _ => EndedCalls::None,
        };
    }
    fn event_of(&self, kind: HostEventKind<'static>) -> HostEvent<'static> {
        HostEvent {
            agent: self.agent.clone().map(Cow::Owned),
            ..HostEvent::new(self.session.clone(), 1, kind)
        }
    }
}

/// The events that a payload reports, or why they are not known.
fn reported(
    dialect: &dyn HookDialect,
    payload: &HookPayload,
    fields: &HookFields<'_>,
) -> Result<Vec<HostEventKind<'static>>, String> {
    let message = |speaker, text: Option<String>| {
        let text = text.filter(|text| !text.is_empty()).map(Cow::Owned);
        text.map(|text| HostEventKind::Message { speaker, text })
    };
    if dialect.is_told_elsewhere(&payload.event, fields) {
        return Ok(Vec::new());
    }
    Ok(match payload.kind {
        HookKind::Start => {
            // The same session goes on after `--resume` and after its context was made shorter.
            let goes_on =
                fields.text(FieldSlot::Source).is_some_and(|source| matches!(&*source, "resume" | "compact"));
            if goes_on { Vec::new() } else { vec![HostEventKind::Start] }
        }
        HookKind::Prompt => {
            let Some(prompt) = fields.text(FieldSlot::Prompt) else {
                return Err("the payload of the hook has no `prompt` that is a text".into());
            };
            // Hosts also send prompts that are not of the user: the result of a background task, which may contain
            // arbitrary output, and our reason for refusing the end.
            let is_by_host = dialect.is_by_host(&prompt) || prompt.trim_start().starts_with(HELD);
            if let Some((call, outcome)) = payload.notice.as_deref().and_then(|notice| dialect.notice(notice))
            {
                let call = Some(Cow::Owned(call));
                return Ok(vec![HostEventKind::Result { call, outcome, result: None }]);
            }
            // The prompt of a subagent is written by the agent that started it.
            let speaker = if payload.agent.is_some() { Speaker::Agent } else { Speaker::User };
            message(speaker, Some(prompt).filter(|_| !is_by_host)).into_iter().collect()
        }
        HookKind::Call => vec![called(dialect, payload, fields)?],
        HookKind::Result if payload.goes_on => Vec::new(),
        HookKind::Result => {
            let outcome = dialect.outcome(&payload.event, fields);
            let result = dialect.result(fields);
            vec![HostEventKind::Result { call: payload.tool_use_id.clone().map(Cow::Owned), outcome, result }]
        }
        HookKind::End => {
            let last = message(Speaker::Agent, fields.text(FieldSlot::LastMessage));
            last.into_iter().chain(dialect.wants_end(fields).then_some(HostEventKind::End)).collect()
        }
        HookKind::Close => vec![HostEventKind::Close],
        HookKind::Settings | HookKind::Ended | HookKind::Said => Vec::new(),
        HookKind::Other => {
            let may_propose = fields.get(FieldSlot::Tool).is_some() || fields.get(FieldSlot::Input).is_some();
            let is_over = fields.get(FieldSlot::Response).is_some() || fields.get(FieldSlot::Error).is_some();
            let is_known = dialect.facts().silent.contains(&&*payload.event);
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

/// The part of a message in a payload; a message without a name is whole.
fn said(fields: &HookFields<'_>) -> Option<MessagePart> {
    let text = fields.text(FieldSlot::Delta)?;
    let name = fields.name(FieldSlot::Message);
    let is_last = name.is_none() || fields.is_true(FieldSlot::Final);
    Some(MessagePart { message: name.unwrap_or_default(), text, is_last })
}

/// The call that a payload reports.
fn called(
    dialect: &dyn HookDialect,
    payload: &HookPayload,
    fields: &HookFields<'_>,
) -> Result<HostEventKind<'static>, String> {
    let asked = dialect.asked(&payload.event, fields)?;
    let raw = opened(&asked.raw)?;
    let arguments = dialect.arguments(&asked.tool, &raw);
    match has_duplicate_keys(&arguments) {
        Ok(false) => {}
        Ok(true) => return Err("the arguments of the call name a key twice".into()),
        Err(error) => return Err(format!("the arguments of the call cannot be read: {error}")),
    }
    Ok(HostEventKind::Call {
        id: payload.tool_use_id.clone().map(Cow::Owned),
        server: asked.server.map(Cow::Owned),
        tool: Cow::Owned(asked.tool),
        arguments: arguments.into_owned(),
    })
}
