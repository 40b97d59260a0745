//! The reference protocol of the gate: requests are JSON lines, each with one answer.
//!
//! ```json
//! {"event":"message","session":"s1","role":"user","text":"please refund order 7"}
//! {"event":"observe","session":"s1","set":{"frozen":true}}
//! {"event":"propose","session":"s1","id":"c1","server":"shop","tool":"refund","arguments":{"order":"7"}}
//! {"event":"commit","session":"s1","ticket":"9f2c..","ok":true,"result":{"done":true}}
//! {"event":"options","session":"s1"}
//! {"event":"end","session":"s1"}
//! {"event":"close","session":"s1"}
//! ```
//!
//! The events are those of logs in our own format ([`log`](crate::log)), with these in addition: `propose` asks whether
//! a call may be made (`call` is the same), `commit` reports the outcome of the call with a ticket (`result` with the
//! `id` of the call is the same), `options` asks what is allowed. `ok` is true, false, or null if the outcome is not
//! known. Unlike in logs, a line that is not understood is an error, since a gate must not guess. `session` and `agent`
//! may be omitted.

use crate::log::time as event_time;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tsl_synth_core::json_text::has_duplicate_keys;
use tsl_synth_core::model::{
    CallOutcome, HostEvent, HostEventKind, JsonText, OutsideFacts, ReadScripts, Speaker, UntoldFacts,
};

/// Requests longer than this many bytes are refused.
pub const REQUEST_LIMIT: usize = 64 << 20;

/// A request to the gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateRequest {
    /// Something happened, a call is proposed, or the agent wants to stop.
    Event(HostEvent<'static>),
    /// A call with a ticket ended.
    Commit {
        /// The session.
        session: String,
        /// The ticket.
        ticket: String,
        /// How the call ended.
        outcome: CallOutcome,
        /// What the call returned; `None` if that is not reported.
        result: Option<JsonText<'static>>,
        /// When the call ended, in milliseconds since 1970.
        time: Option<i64>,
    },
    /// A question about the actions that are allowed now.
    SolverOptions {
        /// The session.
        session: String,
    },
}

/// A request that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRequest(pub String);

impl std::fmt::Display for BadRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadRequest {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GateLine {
    event: Option<String>,
    session: Option<GateName>,
    agent: Option<GateName>,
    time: Option<GateName>,
    role: Option<String>,
    text: Option<String>,
    id: Option<GateName>,
    server: Option<String>,
    tool: Option<String>,
    arguments: Option<Box<RawValue>>,
    ok: Option<bool>,
    result: Option<Box<RawValue>>,
    set: Option<BTreeMap<String, bool>>,
    props: Option<BTreeSet<String>>,
    ticket: Option<String>,
    #[expect(dead_code, reason = "steps of traces may be numbered")]
    step: Option<u64>,
    action: Option<String>,
    end: Option<bool>,
    scripts: Option<ReadScripts>,
    outside: Option<OutsideFacts>,
}

/// A name that may be written as a number.
#[derive(Deserialize)]
#[serde(untagged)]
enum GateName {
    Number(i64),
    Text(String),
}

impl GateName {
    fn text(self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text,
        }
    }
}

fn owned(raw: Option<Box<RawValue>>) -> Option<JsonText<'static>> {
    raw.map(|raw| JsonText(Cow::Owned(raw.get().to_owned())))
}

/// Reads a request. `number` is the number of its line; a request without a session belongs to `session`.
///
/// # Errors
/// Text that is too long or not a JSON object, names or types that the protocol does not define, duplicate keys.
pub fn read_request(line: &str, number: u64, session: &str) -> Result<GateRequest, BadRequest> {
    let bad = |what: &str| BadRequest(what.to_owned());
    if line.len() > REQUEST_LIMIT {
        return Err(bad("the request is longer than 64 MiB"));
    }
    let line = line.trim_start_matches('\u{feff}').trim();
    let parsed: GateLine =
        serde_json::from_str(line).map_err(|error| BadRequest(format!("no request: {error}")))?;
    if has_duplicate_keys(&JsonText::borrowed(line)) != Ok(false) {
        return Err(bad("a key is named twice"));
    }
    let session = parsed.session.map_or_else(|| session.to_owned(), GateName::text);
    let time = match parsed.time {
        None => None,
        Some(GateName::Number(millis)) => Some(millis),
        Some(GateName::Text(text)) => {
            Some(event_time(&text).ok_or_else(|| bad("`time` is milliseconds since 1970, or RFC 3339"))?)
        }
    };
    let outcome = match parsed.ok {
        Some(true) => CallOutcome::Ok,
        Some(false) => CallOutcome::Failed,
        None => CallOutcome::Unknown,
    };
    let kind = match parsed.event.as_deref() {
        Some("start") => HostEventKind::Start,
        Some("tick") => HostEventKind::Tick,
        Some("end") => HostEventKind::End,
        Some("close") => HostEventKind::Close,
        // Written by a reader of a log; there is nothing to decide about it.
        Some("untold") => HostEventKind::Untold(UntoldFacts::default()),
        Some("message") => {
            let speaker = match parsed.role.as_deref() {
                Some("user") | None => Speaker::User,
                Some("agent" | "assistant") => Speaker::Agent,
                Some(_) => return Err(bad("`role` is `user` or `agent`")),
            };
            let text = parsed.text.ok_or_else(|| bad("a message has a `text`"))?;
            HostEventKind::Message { speaker, text: text.into() }
        }
        Some("propose" | "call") => HostEventKind::Call {
            id: parsed.id.map(|id| id.text().into()),
            server: parsed.server.map(Into::into),
            tool: parsed.tool.ok_or_else(|| bad("a call has a `tool`"))?.into(),
            arguments: owned(parsed.arguments).unwrap_or(JsonText(Cow::Borrowed("{}"))),
        },
        Some("result") => HostEventKind::Result {
            call: parsed.id.map(|id| id.text().into()),
            outcome,
            result: owned(parsed.result),
        },
        Some("commit") => {
            let ticket = parsed.ticket.ok_or_else(|| bad("a commit has a `ticket`"))?;
            return Ok(GateRequest::Commit { session, ticket, outcome, result: owned(parsed.result), time });
        }
        Some("options") => return Ok(GateRequest::SolverOptions { session }),
        Some("observe") => {
            let complete = parsed.props.is_some();
            let named = parsed.props.into_iter().flatten().map(|name| (Cow::Owned(name), true));
            let set = parsed.set.into_iter().flatten().map(|(name, value)| (Cow::Owned(name), value));
            HostEventKind::Observe { truths: named.chain(set).collect(), complete }
        }
        None if parsed.props.is_some() => HostEventKind::Step {
            props: parsed.props.into_iter().flatten().map(Cow::Owned).collect(),
            action: parsed.action.map(Into::into),
            end: parsed.end == Some(true),
        },
        Some(other) => return Err(BadRequest(format!("there is no event `{}`", other.escape_debug()))),
        None => return Err(bad("a request has an `event`")),
    };
    let (scripts, outside) = (parsed.scripts.map(Arc::new), parsed.outside.map(Arc::new));
    let agent = parsed.agent.map(|agent| agent.text().into());
    let session = session.into();
    Ok(GateRequest::Event(HostEvent {
        session,
        agent,
        time,
        line: number,
        kind,
        scripts,
        outside,
        origin: None,
    }))
}

fn raw(text: &JsonText<'_>) -> Value {
    serde_json::from_str(text.as_str()).unwrap_or_else(|_| Value::String(text.as_str().to_owned()))
}

/// An event as a JSON object in our own log format, without its session; [`read_request`] can read it.
pub fn event_json(event: &HostEvent<'_>) -> Map<String, Value> {
    let mut json = Map::new();
    let mut put = |name: &str, value: Value| {
        json.insert(name.to_owned(), value);
    };
    let name = match &event.kind {
        HostEventKind::Start => "start",
        HostEventKind::Tick => "tick",
        HostEventKind::End => "end",
        HostEventKind::Close => "close",
        HostEventKind::Untold(_) => "untold",
        HostEventKind::Message { speaker, text } => {
            put("role", if *speaker == Speaker::User { "user" } else { "agent" }.into());
            put("text", text.as_ref().into());
            "message"
        }
        HostEventKind::Call { id, server, tool, arguments } => {
            for (name, value) in [("id", id), ("server", server)] {
                if let Some(value) = value {
                    put(name, value.as_ref().into());
                }
            }
            put("tool", tool.as_ref().into());
            put("arguments", raw(arguments));
            "call"
        }
        HostEventKind::Result { call, outcome, result } => {
            if let Some(call) = call {
                put("id", call.as_ref().into());
            }
            let ok = match outcome {
                CallOutcome::Ok => Value::Bool(true),
                CallOutcome::Failed => Value::Bool(false),
                CallOutcome::Unknown => Value::Null,
            };
            put("ok", ok);
            if let Some(result) = result {
                put("result", raw(result));
            }
            "result"
        }
        HostEventKind::Observe { truths, complete } => {
            if *complete {
                let props = truths.iter().filter(|(_, value)| **value).map(|(name, _)| name.as_ref().into());
                put("props", Value::Array(props.collect()));
            } else {
                put(
                    "set",
                    truths.iter().map(|(name, value)| (name.to_string(), Value::Bool(*value))).collect(),
                );
            }
            "observe"
        }
        HostEventKind::Step { props, action, end } => {
            put("props", props.iter().map(|name| Value::from(name.as_ref())).collect());
            if let Some(action) = action {
                put("action", action.as_ref().into());
            }
            put("end", Value::Bool(*end));
            ""
        }
    };
    if !name.is_empty() {
        put("event", name.into());
    }
    if let Some(agent) = &event.agent {
        put("agent", agent.as_ref().into());
    }
    if let Some(scripts) = &event.scripts
        && let Ok(scripts) = serde_json::to_value(&**scripts)
    {
        put("scripts", scripts);
    }
    if let Some(outside) = &event.outside
        && let Ok(outside) = serde_json::to_value(&**outside)
    {
        put("outside", outside);
    }
    if let Some(time) = event.time {
        put("time", time.into());
    }
    json
}
