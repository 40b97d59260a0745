//! Calls that hooks of a host granted, each to be forwarded once by a proxy.
//!
//! If hooks of a host judge calls and a proxy is in front of the server, the proxy forwards only calls that the hooks
//! granted, and so stops calls that the host makes in spite of a denial. A forwarded call has a record of its own kind
//! in the journal of the hooks, which is skipped when a session is read from the journal.

use crate::records::{RecordKind, event_text};
use serde_json::{Value, json};
use tsl_synth_core::model::HostEventKind;
use tsl_synth_policy::gate::call_hash;
use tsl_synth_seats::gate::{GateRequest, read_request};
use tsl_synth_seats::journal::JournalRecord;

/// The kind of the record of a forwarded call.
pub const FORWARDED: &str = "forwarded";

/// The data of a record of kind [`FORWARDED`].
pub fn forwarded(ticket: &str) -> String {
    json!({ "ticket": ticket }).to_string()
}

/// The ticket of the oldest call of this tool with these arguments that was granted, has not been forwarded and has not
/// ended. The records are all of a journal.
pub fn unused_grant(records: &[JournalRecord], server: &str, tool: &str, arguments: &str) -> Option<String> {
    let hash = call_hash(Some(server), tool, arguments);
    // Calls that may still be forwarded: id and ticket.
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
