//! Tests of logs and hooks, in one program.

mod claude_refusals;
mod codex_calls;
mod conversations;
mod python_arguments;
mod shapes;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, Speaker};
use tsl_synth_seats::log::{LogFormat, LogNotes, LogReader};

/// The events of a log without those about beginnings and ends, as words; a result has the tool of its call.
fn words(format: LogFormat, log: &str) -> (Vec<String>, LogNotes) {
    let mut tools: BTreeMap<String, String> = BTreeMap::new();
    let mut all = Vec::new();
    let mut sink = |event: &HostEvent<'_>| {
        let said = match &event.kind {
            HostEventKind::Message { speaker: Speaker::User, text } => format!("user {text}"),
            HostEventKind::Message { speaker: Speaker::Agent, text } => format!("agent {text}"),
            HostEventKind::Call { id, tool, arguments, .. } => {
                if let Some(id) = id {
                    tools.insert(id.to_string(), tool.to_string());
                }
                let text = arguments.as_str();
                let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
                format!("call {tool} {value}")
            }
            HostEventKind::Result { call, outcome, .. } => {
                let outcome = match outcome {
                    CallOutcome::Ok => "ok",
                    CallOutcome::Failed => "failed",
                    CallOutcome::Unknown => "unknown",
                };
                let tool = call.as_ref().and_then(|call| tools.get(call.as_ref()));
                format!("{outcome} {}", tool.map_or("?", String::as_str))
            }
            HostEventKind::End => "end".to_owned(),
            _ => return ControlFlow::Continue(()),
        };
        all.push(said);
        ControlFlow::Continue(())
    };
    let mut reader = LogReader::new(format, "log");
    let read = reader.read_document(log.as_bytes(), &mut sink).expect("a log");
    assert!(read.is_continue() && reader.finish(&mut sink).is_continue());
    let notes = reader.notes().clone();
    (all, notes)
}

/// The lines of a log.
fn lines(all: &[serde_json::Value]) -> String {
    let lines: Vec<String> = all.iter().map(serde_json::Value::to_string).collect();
    lines.join("\n")
}
