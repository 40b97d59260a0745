//! Events of logs, as lines of text.

use std::fmt::Write;
use std::ops::ControlFlow;
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, Speaker};
use tsl_synth_seats::log::{LogFormat, LogNotes, LogReader};

/// One event as a line.
pub(super) fn line(event: &HostEvent<'_>) -> String {
    let mut out = format!("{} {}", event.line, event.session);
    if let Some(agent) = &event.agent {
        let _ = write!(out, "/{agent}");
    }
    if let Some(time) = event.time {
        let _ = write!(out, " @{time}");
    }
    out.push_str(": ");
    let _ = match &event.kind {
        HostEventKind::Start => write!(out, "start"),
        HostEventKind::Message { speaker, text } => {
            let who = if *speaker == Speaker::User { "user" } else { "agent" };
            write!(out, "{who} {text:?}")
        }
        HostEventKind::Call { id, server, tool, arguments } => {
            let server = server.as_ref().map_or(String::new(), |server| format!("{server}."));
            write!(out, "call {} {server}{tool} {}", id.as_deref().unwrap_or("-"), arguments.as_str())
        }
        HostEventKind::Result { call, outcome, result } => {
            let outcome = match outcome {
                CallOutcome::Ok => "ok",
                CallOutcome::Failed => "failed",
                CallOutcome::Unknown => "unknown",
            };
            let result = result.as_ref().map_or("-", |result| result.as_str());
            write!(out, "result {} {outcome} {result}", call.as_deref().unwrap_or("-"))
        }
        HostEventKind::Observe { truths, complete } => {
            write!(out, "observe {}{truths:?}", if *complete { "all " } else { "" })
        }
        HostEventKind::Step { props, action, end } => {
            let action = action.as_deref().unwrap_or("-");
            write!(out, "step {props:?} {action}{}", if *end { " end" } else { "" })
        }
        HostEventKind::Tick => write!(out, "tick"),
        HostEventKind::End => write!(out, "end"),
        HostEventKind::Close => write!(out, "close"),
        HostEventKind::Untold(facts) => {
            let named = [
                (facts.messages, "messages"),
                (facts.arguments, "arguments"),
                (facts.results, "results"),
                (facts.outcomes, "outcomes"),
            ];
            let named: Vec<&str> = named.into_iter().filter_map(|(is, name)| is.then_some(name)).collect();
            write!(out, "untold {}", named.join(" "))
        }
    };
    out
}

/// Reads a whole log: its events as lines and the notes, or the error.
pub(super) fn read(format: LogFormat, name: &str, bytes: &[u8]) -> Result<(Vec<String>, LogNotes), String> {
    let mut events = Vec::new();
    let mut sink = |event: &HostEvent<'_>| {
        events.push(line(event));
        ControlFlow::Continue(())
    };
    let mut reader = LogReader::new(format, name);
    let read = reader.read_document(bytes, &mut sink).map_err(|diagnostic| diagnostic.to_string())?;
    assert!(read.is_continue() && reader.finish(&mut sink).is_continue());
    Ok((events, reader.notes().clone()))
}

/// The same, line by line.
pub(super) fn read_lines(format: LogFormat, name: &str, text: &str) -> (Vec<String>, LogNotes) {
    let mut events = Vec::new();
    let mut sink = |event: &HostEvent<'_>| {
        events.push(line(event));
        ControlFlow::Continue(())
    };
    let mut reader = LogReader::new(format, name);
    for line in text.split_inclusive('\n') {
        assert!(reader.feed_line(line, &mut sink).is_continue());
    }
    assert!(reader.finish(&mut sink).is_continue());
    (events, reader.notes().clone())
}
