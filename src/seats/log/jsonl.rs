//! Our own log format: JSON lines, one event per line. Hosts that write none of the other formats can write this one.
//!
//! ```json
//! {"event":"start","session":"s1","agent":"main","time":"2026-11-23T01:57:49Z"}
//! {"event":"message","session":"s1","role":"user","text":"please refund order 7"}
//! {"event":"call","session":"s1","id":"c1","server":"shop","tool":"refund","arguments":{"order":"7"}}
//! {"event":"result","session":"s1","id":"c1","ok":true,"result":{"done":true}}
//! {"event":"observe","session":"s1","set":{"frozen":true,"open":false}}
//! {"event":"observe","session":"s1","props":["frozen"]}
//! {"event":"tick","session":"s1","time":1795399069000}
//! {"event":"end","session":"s1"}
//! {"event":"close","session":"s1"}
//! {"step":3,"props":["a"],"action":"x","end":false}
//! ```
//!
//! The journals of gates are read, too: their records of events and of granted calls. A call that a person was asked to
//! approve becomes part of the session when its result comes, as in the gate. Their lines begin with `{"sum":..`, and
//! the first line contains the session.
//!
//! `session` may be omitted if the log has one session, `agent` if there is one agent; `time` (milliseconds since 1970,
//! or RFC 3339) is always optional. `ok` is true, false, or null if the outcome is not known. An `id` is a string or an
//! integer; a result without an `id` belongs to the oldest call without an `id`. A call without `arguments` has none
//! (`{}`). `set` assigns values to the named propositions and leaves the others unchanged; `props` lists all true
//! propositions. Without `start` a session begins with its first event; without `close` it is closed at the end of the
//! log. The last line of the example is a step of a trace over names: see [`HostEventKind::Step`].

use super::lenient::{LenientScalar, LenientText, List, given};
use super::session_table::{Arguments, At, CallFacts, LoggedCall, SessionTable, Sink};
use super::text;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use tsl_synth_core::model::{CallOutcome, HostEventKind, JsonText, Speaker};

#[derive(Deserialize)]
struct JsonLine<'a> {
    #[serde(borrow, default)]
    event: LenientText<'a>,
    #[serde(borrow, default)]
    session: LenientScalar<'a>,
    #[serde(borrow, default)]
    agent: LenientScalar<'a>,
    #[serde(borrow, default)]
    time: LenientScalar<'a>,
    #[serde(borrow, default)]
    role: LenientText<'a>,
    #[serde(borrow, default)]
    text: LenientText<'a>,
    #[serde(borrow, default)]
    id: LenientScalar<'a>,
    #[serde(borrow, default)]
    server: LenientText<'a>,
    #[serde(borrow, default)]
    tool: LenientText<'a>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    ok: LenientScalar<'a>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    set: Option<&'a RawValue>,
    #[serde(borrow, default)]
    props: Option<List<LenientText<'a>>>,
    #[serde(borrow, default)]
    step: LenientScalar<'a>,
    #[serde(borrow, default)]
    action: LenientText<'a>,
    #[serde(borrow, default)]
    end: LenientScalar<'a>,
    #[serde(borrow, default)]
    model: LenientText<'a>,
    #[serde(borrow, default)]
    service: LenientText<'a>,
    #[serde(borrow, default)]
    scripts: Option<&'a RawValue>,
    #[serde(borrow, default)]
    outside: Option<&'a RawValue>,
}

/// What the gate found when the call of a line was proposed; only journals have it.
fn facts(line: &JsonLine<'_>) -> Option<CallFacts> {
    let scripts = line.scripts.and_then(|raw| serde_json::from_str(raw.get()).ok()).map(Arc::new);
    let outside = line.outside.and_then(|raw| serde_json::from_str(raw.get()).ok()).map(Arc::new);
    (scripts.is_some() || outside.is_some()).then_some(CallFacts { scripts, outside })
}

/// Milliseconds since 1970.
fn millis(time: &LenientScalar<'_>) -> Option<i64> {
    match time {
        LenientScalar::Int(millis) => Some(*millis),
        LenientScalar::Float(millis) if millis.abs() < 1e15 => Some(*millis as i64),
        LenientScalar::Text(text) => text::time(text),
        _ => None,
    }
}

fn names<'a>(props: Option<&'a List<LenientText<'a>>>) -> impl Iterator<Item = Cow<'a, str>> {
    props.into_iter().flat_map(|list| list.0.iter().filter_map(LenientText::get).map(Cow::Borrowed))
}

/// Whether a line is one of this format.
pub(super) fn knows(line: &str) -> bool {
    if is_of_journal(line) {
        return of_journal(line).is_ok();
    }
    serde_json::from_str::<JsonLine<'_>>(line).is_ok_and(|line| {
        let known = ["start", "message", "call", "result", "observe", "tick", "end", "close"];
        line.event.get().is_some_and(|event| known.contains(&event)) || is_step(&line)
    })
}

fn is_step(line: &JsonLine<'_>) -> bool {
    line.event.get().is_none()
        && line.props.is_some()
        && (line.step.int().is_some() || line.action.get().is_some())
}

/// A record of a journal, classified by its meaning for the session.
enum OfJournal<'a> {
    /// An event of the session: something that happened, or a call that was granted.
    Part(&'a str),
    /// A call for which a person was asked.
    Asked(&'a str),
    /// A call that was refused.
    Refused(&'a str),
    /// Everything else.
    Other,
}

fn of_journal(line: &str) -> Result<OfJournal<'_>, serde_json::Error> {
    #[derive(Deserialize)]
    struct JsonRecord<'a> {
        #[serde(borrow)]
        kind: &'a str,
        #[serde(borrow)]
        data: &'a RawValue,
    }
    #[derive(Deserialize)]
    struct LoggedDecision<'a> {
        #[serde(borrow)]
        event: &'a RawValue,
    }
    let record: JsonRecord<'_> = serde_json::from_str(line)?;
    if !matches!(record.kind, "event" | "granted" | "asked" | "refused") {
        return Ok(OfJournal::Other);
    }
    let decided: LoggedDecision<'_> = serde_json::from_str(record.data.get())?;
    // The data of a record of kind `event` is the event itself, whose field `event` is a name; a decision contains its
    // event as an object.
    let is_decision = decided.event.get().starts_with('{');
    let event = if is_decision { decided.event.get() } else { record.data.get() };
    Ok(match record.kind {
        "asked" => OfJournal::Asked(event),
        "refused" => OfJournal::Refused(event),
        _ => OfJournal::Part(event),
    })
}

/// Whether a line is a record of a journal.
pub(super) fn is_of_journal(line: &str) -> bool {
    line.starts_with("{\"sum\":\"")
}

pub(super) fn line(
    sessions: &mut SessionTable,
    name: &str,
    number: u64,
    line: &str,
    sink: &mut Sink<'_>,
) -> Result<ControlFlow<()>, serde_json::Error> {
    if !is_of_journal(line) {
        return event(sessions, name, number, line, sink);
    }
    let id = |text: &str| -> Result<Option<(String, bool)>, serde_json::Error> {
        let line: JsonLine<'_> = serde_json::from_str(text)?;
        let session = line.session.name();
        let key = line.id.name().map(|id| format!("{}\u{0}{id}", session.as_deref().unwrap_or(name)));
        Ok(key.map(|key| (key, line.event.get() == Some("result"))))
    };
    match of_journal(line)? {
        OfJournal::Other => Ok(ControlFlow::Continue(())),
        OfJournal::Asked(text) => {
            if let Some((key, _)) = id(text)? {
                sessions.answered(&key);
                sessions.asked(key, text);
            }
            Ok(ControlFlow::Continue(()))
        }
        OfJournal::Refused(text) => {
            if let Some((key, _)) = id(text)? {
                sessions.answered(&key);
            }
            Ok(ControlFlow::Continue(()))
        }
        OfJournal::Part(text) => {
            // A call that has a result was made, so it is reported before the result; a call that was granted later is
            // reported by its own record.
            if sessions.has_asked()
                && let Some((key, is_result)) = id(text)?
                && let Some(call) = sessions.answered(&key)
                && is_result
                && event(sessions, name, number, &call, sink)?.is_break()
            {
                return Ok(ControlFlow::Break(()));
            }
            event(sessions, name, number, text, sink)
        }
    }
}

/// Reports the event of a line.
fn event(
    sessions: &mut SessionTable,
    name: &str,
    number: u64,
    line: &str,
    sink: &mut Sink<'_>,
) -> Result<ControlFlow<()>, serde_json::Error> {
    let line: JsonLine<'_> = serde_json::from_str(line)?;
    let session = line.session.name();
    let agent = line.agent.name();
    let session = session.as_deref().unwrap_or(name);
    sessions.told(session, line.model.get(), line.service.get());
    let facts = facts(&line);
    let (agent, time) = (agent.as_deref(), millis(&line.time));
    let at = At { session, agent, time, line: number, facts: facts.as_ref() };
    let flow = match line.event.get() {
        Some("start") => sessions.start(&at, sink),
        Some("message") => {
            let speaker = match line.role.get() {
                Some("agent" | "assistant") => Speaker::Agent,
                _ => Speaker::User,
            };
            sessions.message(&at, speaker, Cow::Borrowed(line.text.get().unwrap_or_default()), sink)
        }
        Some("call") if line.tool.get().is_some() => {
            let call = LoggedCall {
                id: line.id.name(),
                server: line.server.get(),
                tool: line.tool.get().unwrap_or_default(),
                arguments: Arguments::Given(JsonText::borrowed(line.arguments.map_or("{}", RawValue::get))),
            };
            sessions.call(&at, call, sink)
        }
        Some("result") => {
            let outcome = line
                .ok
                .flag()
                .map_or(CallOutcome::Unknown, |ok| if ok { CallOutcome::Ok } else { CallOutcome::Failed });
            let result = given(line.result).map(JsonText::borrowed);
            sessions.result(&at, line.id.name(), Some(outcome), result, sink)
        }
        Some("observe") => {
            let complete = line.props.is_some();
            let mut truths: BTreeMap<Cow<'_, str>, bool> =
                names(line.props.as_ref()).map(|p| (p, true)).collect();
            let set = line
                .set
                .and_then(|set| serde_json::from_str::<BTreeMap<String, LenientScalar<'_>>>(set.get()).ok());
            let set = set.into_iter().flatten();
            truths.extend(set.filter_map(|(name, truth)| Some((Cow::Owned(name), truth.flag()?))));
            sessions.other(&at, HostEventKind::Observe { truths, complete }, sink)
        }
        Some("tick") => sessions.other(&at, HostEventKind::Tick, sink),
        Some("end") => sessions.other(&at, HostEventKind::End, sink),
        Some("close") => {
            let begun = sessions.start(&at, sink);
            if begun.is_continue() { sessions.close(session, Some(&at), sink) } else { begun }
        }
        None if is_step(&line) => {
            let kind = HostEventKind::Step {
                props: names(line.props.as_ref()).collect(),
                action: line.action.get().map(Cow::Borrowed),
                end: line.end.flag() == Some(true),
            };
            sessions.other(&at, kind, sink)
        }
        _ => {
            sessions.notes.unknown_lines += 1;
            ControlFlow::Continue(())
        }
    };
    Ok(flow)
}
