//! Calls that another seat granted, each to be passed on once.
//!
//! Where hooks of a host judge calls and a proxy stands in front of the server, the proxy passes on what the hooks granted,
//! and so stops what the host makes in spite of a denial. That a call was passed on is a record of its own kind in the
//! journal of the hooks: sessions are read from journals without it.

use super::records::{RecordKind, event_text};
use crate::control::policy::gate::call_hash;
use crate::format::gate::{GateRequest, read_request};
use crate::format::journal::JournalRecord;
use crate::model::HostEventKind;
use serde_json::{Value, json};

/// The kind of a record that a call was passed on.
pub const FORWARDED: &str = "forwarded";

/// The data of such a record.
pub fn forwarded(ticket: &str) -> String {
    json!({ "ticket": ticket }).to_string()
}

/// The ticket of a call of this tool with these arguments that was granted, has not been passed on and has not ended; of
/// several the oldest. The records are all of a journal.
pub fn unused_grant(records: &[JournalRecord], server: &str, tool: &str, arguments: &str) -> Option<String> {
    let hash = call_hash(Some(server), tool, arguments);
    // Calls that may still be passed on: id and ticket.
    let mut open: Vec<(Option<String>, String)> = Vec::new();
    for record in records {
        match RecordKind::of(&record.kind) {
            Some(RecordKind::Granted) => {
                let Ok(data) = serde_json::from_str::<Value>(&record.data) else { continue };
                let ticket = data["verdict"]["ticket"].as_str();
                if let (Some(ticket), true) = (ticket, data["hash"].as_str() == Some(&hash)) {
                    open.push((data["event"]["id"].as_str().map(str::to_owned), ticket.to_owned()));
                }
            }
            Some(RecordKind::Event) if !open.is_empty() => {
                let ended = event_text(record).ok().and_then(|text| read_request(&text, 1, "").ok());
                if let Some(GateRequest::Event(event)) = ended
                    && let HostEventKind::Result { call: Some(id), .. } = event.kind
                {
                    open.retain(|(own, _)| own.as_deref() != Some(&*id));
                }
            }
            None if record.kind == FORWARDED => {
                let data: Value = serde_json::from_str(&record.data).unwrap_or_default();
                open.retain(|(_, ticket)| data["ticket"].as_str() != Some(ticket));
            }
            _ => {}
        }
    }
    open.into_iter().next().map(|(_, ticket)| ticket)
}
