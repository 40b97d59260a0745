//! Writing a session to records of a journal, and restoring it from them.

use crate::RETAIN;
use crate::answer::GateDocument;
use crate::describe::describe;
use crate::open::{HostNote, OpenSession};
use serde_json::{Map, Value};
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, Speaker};
use tsl_synth_policy::gate::{EventReport, GateSolver, Ticket, TicketState};
use tsl_synth_seats::gate::{GateRequest, event_json, read_request};
use tsl_synth_seats::journal::JournalRecord;

/// The kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordKind {
    /// The policy that decides from here on.
    Policy,
    /// Something that happened.
    Event,
    /// A call that was granted.
    Granted,
    /// A call that a person must approve.
    Asked,
    /// A call that was refused.
    Refused,
    /// A call that was proposed again; nothing changes.
    Again,
    /// The end was refused.
    EndRefused,
    /// What a host reported beside the events: see [`HostNote`]. It is not among the kinds that are told to people.
    Note,
}

/// The kinds of records about events, and about the policy.
const KINDS: [RecordKind; 7] = [
    RecordKind::Policy,
    RecordKind::Event,
    RecordKind::Granted,
    RecordKind::Asked,
    RecordKind::Refused,
    RecordKind::Again,
    RecordKind::EndRefused,
];

impl RecordKind {
    /// The kind with this name, if this version knows it.
    pub(crate) fn of(name: &str) -> Option<Self> {
        KINDS.into_iter().find(|kind| kind.name() == name)
    }
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Policy => crate::POLICY_RECORD,
            Self::Event => "event",
            Self::Granted => "granted",
            Self::Asked => "asked",
            Self::Refused => "refused",
            Self::Again => "again",
            Self::EndRefused => "end-refused",
            Self::Note => "note",
        }
    }
    /// The state of the ticket of a call with such a record.
    pub(crate) fn ticket(self, event: &HostEvent<'_>) -> TicketState {
        match self {
            Self::Granted => TicketState::Granted,
            Self::Asked => TicketState::Asked(Box::new(event.clone().into_owned())),
            _ => TicketState::Refused(Box::new(event.clone().into_owned())),
        }
    }
}

/// The kind with this name, of records that make a session what it is.
pub(crate) fn kind_of(name: &str) -> Option<RecordKind> {
    if name == RecordKind::Note.name() { Some(RecordKind::Note) } else { RecordKind::of(name) }
}

/// The data of a record about an event.
pub(crate) fn event(event: &HostEvent<'_>) -> String {
    Value::Object(event_json(event)).to_string()
}

/// The data of a record about a decision: the event and the answer.
pub(crate) fn decision(event: &HostEvent<'_>, hash: &str, document: &GateDocument) -> String {
    let mut data = Map::new();
    data.insert("event".into(), Value::Object(event_json(event)));
    if !hash.is_empty() {
        data.insert("hash".into(), hash.into());
    }
    if let Ok(document) = serde_json::to_value(document) {
        data.insert("verdict".into(), document);
    }
    Value::Object(data).to_string()
}

/// Makes an event that is not a proposal part of a session. The result of a call for which a person was asked shows
/// that the call was made. So does the result of a refused call, as the host then ignored the denial; but if the call
/// failed, this is only how some hosts report a denial. The hard laws that such a call violates are reported, and go
/// on forbidding calls.
pub(crate) fn read_event(judge: &GateSolver, live: &mut OpenSession, event: &HostEvent<'_>) -> EventReport {
    let mut disobeyed = Vec::new();
    if let HostEventKind::Result { call: Some(id), .. } = &event.kind {
        live.host.open.remove(id.as_ref());
        live.host.asked.remove(id.as_ref());
    }
    if let HostEventKind::Message { speaker: Speaker::User, .. } = &event.kind {
        live.host.asked.clear();
    }
    if let HostEventKind::Result { call: Some(id), outcome, .. } = &event.kind
        && let Some(ticket) = live.tickets.get(id).cloned()
    {
        match &ticket.state {
            TicketState::Asked(call) => {
                judge.read_event(&mut live.session, call);
            }
            TicketState::Refused(_) if *outcome == CallOutcome::Failed => {
                live.tickets.set(id, Ticket { state: TicketState::Ended, ..ticket.clone() });
                return EventReport::default();
            }
            TicketState::Refused(call) if judge.counts_refused() => {
                disobeyed.extend(judge.read_event(&mut live.session, call).violated);
            }
            TicketState::Refused(_) | TicketState::Granted | TicketState::Ended => {}
        }
        live.tickets.set(id, Ticket { state: TicketState::Ended, ..ticket });
    }
    let mut heard = judge.read_event(&mut live.session, event);
    disobeyed.retain(|law| !heard.violated.contains(law));
    heard.violated.extend(disobeyed);
    heard.violated.sort_unstable();
    heard
}

/// The text of the event of a record: the data itself, or the event in the data of a decision.
pub(crate) fn event_text(record: &JournalRecord) -> Result<String, serde_json::Error> {
    #[derive(serde::Deserialize)]
    struct RecordData<'a> {
        #[serde(borrow)]
        event: &'a serde_json::value::RawValue,
    }
    let data: RecordData<'_> = serde_json::from_str(&record.data)?;
    let is_decision = data.event.get().starts_with('{');
    Ok(if is_decision { data.event.get().to_owned() } else { record.data.clone() })
}

/// Whether the events of records of a kind are part of the session.
pub(crate) fn is_part(kind: RecordKind) -> bool {
    matches!(kind, RecordKind::Event | RecordKind::Granted)
}

/// Makes the event of a record part of a session. No game is solved: recorded decisions are kept.
pub(crate) fn take_part(judge: &GateSolver, live: &mut OpenSession, kind: RecordKind, event: &HostEvent<'_>) {
    match kind {
        RecordKind::Event => {
            read_event(judge, live, event);
            if matches!(event.kind, HostEventKind::End) {
                live.session.set_end_refusals(0);
            }
        }
        RecordKind::EndRefused => live.session.set_end_refusals(live.session.end_refusals() + 1),
        RecordKind::Granted | RecordKind::Asked | RecordKind::Refused => {
            let Some((ticket, hash)) = live.tickets.name(event) else { return };
            if kind != RecordKind::Refused {
                live.host.made(event, kind == RecordKind::Granted);
            }
            if kind == RecordKind::Granted {
                judge.read_event(&mut live.session, event);
                live.session.set_end_refusals(0);
            }
            if let HostEventKind::Call { id: Some(id), .. } = &event.kind {
                live.tickets.set(id, Ticket { name: ticket, hash, state: kind.ticket(event) });
            }
        }
        RecordKind::Again | RecordKind::Policy | RecordKind::Note => {}
    }
}

/// The data of a record that names the policy that decides from here on; with `is_pinned`, it is the only one that may.
/// `retention` is the time in milliseconds for which a session is kept after its last event; `None`: without limit.
pub(crate) fn policy(hash: &str, file: &str, is_pinned: bool, retention: Option<u64>) -> String {
    let mut data = serde_json::json!({ "sha256": hash, "file": file });
    if is_pinned {
        data["on_change"] = "deny".into();
    }
    if let Some(retention) = retention {
        data[RETAIN] = retention.into();
    }
    data.to_string()
}

/// The data of a note.
pub(crate) fn note(note: &HostNote) -> String {
    serde_json::to_string(note).unwrap_or_default()
}

/// Makes a record part of a session.
pub(crate) fn replay(
    judge: &GateSolver,
    live: &mut OpenSession,
    name: &str,
    record: &JournalRecord,
) -> Result<(), String> {
    let bad = |why: &str| format!("record {} of the journal: {why}", record.number);
    if record.kind == RecordKind::Note.name() {
        // Later versions may add others.
        if let Ok(note) = serde_json::from_str(&record.data) {
            live.host.note(note);
        }
        return Ok(());
    }
    // The header, and records that later versions add, have other kinds.
    let Some(kind) = RecordKind::of(&record.kind) else { return Ok(()) };
    if kind == RecordKind::Policy {
        let data: Value = serde_json::from_str(&record.data).map_err(|error| bad(&error.to_string()))?;
        live.policy = data["sha256"].as_str().map(str::to_owned);
        live.is_pinned = data["on_change"] == "deny";
        return Ok(());
    }
    let text = event_text(record).map_err(|error| bad(&error.to_string()))?;
    let request = read_request(&text, record.number, name).map_err(|error| bad(&error.0))?;
    let GateRequest::Event(event) = request else { return Err(bad("it is no event")) };
    take_part(judge, live, kind, &event);
    Ok(())
}

/// A record as it is shown to people.
#[derive(Clone, Debug)]
pub struct JournalEntry {
    /// Its number.
    pub number: u64,
    /// The name of its kind.
    pub kind: &'static str,
    /// The event in a few words.
    pub what: String,
    /// Whether its event is part of the session.
    pub is_part: bool,
    /// The answer: the document of the gate.
    pub verdict: Option<Value>,
    /// The hash of the policy that decides from here on.
    pub policy: Option<String>,
}

/// The records of a journal whose kinds are known; `session` is the name of the session for records without one.
///
/// # Errors
/// A record whose data cannot be read.
pub fn told_records(records: &[JournalRecord], session: &str) -> Result<Vec<JournalEntry>, String> {
    let mut reported = Vec::new();
    for record in records {
        let Some(kind) = RecordKind::of(&record.kind) else { continue };
        let bad = |why: String| format!("record {} of the journal: {why}", record.number);
        let data: Value = serde_json::from_str(&record.data).map_err(|error| bad(error.to_string()))?;
        let (what, policy) = if kind == RecordKind::Policy {
            let file = data["file"].as_str().unwrap_or("a policy without a name");
            (format!("{file} decides from here on"), data["sha256"].as_str().map(str::to_owned))
        } else {
            let text = event_text(record).map_err(|error| bad(error.to_string()))?;
            match read_request(&text, record.number, session).map_err(|error| bad(error.0))? {
                GateRequest::Event(event) => (describe(&event), None),
                _ => return Err(bad("it is no event".into())),
            }
        };
        reported.push(JournalEntry {
            number: record.number,
            kind: kind.name(),
            what,
            is_part: is_part(kind),
            verdict: data.get("verdict").filter(|verdict| verdict.is_object()).cloned(),
            policy,
        });
    }
    Ok(reported)
}
