//! Real runs of agents (`../shared/cases/logs`): the events reproduce the counts in their README, and the numbers of
//! calls and results agree with a direct traversal of the JSON.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, Speaker};
use tsl_synth_seats::log::{LogFormat, LogNotes, LogReader};
use tsl_synth_testkit::{shared, skip};

/// The kinds of forbidden writes that occur in a run.
#[derive(Default)]
struct Writes {
    unidentified: bool,
    unread: bool,
    unconfirmed: bool,
}

/// What a run of the airline agent did.
#[derive(Default)]
struct Run {
    identified: bool,
    said_yes: bool,
    reservations_read: BTreeSet<String>,
    calls: BTreeMap<String, (String, Value)>,
    writes: Writes,
}

const WRITES: [&str; 6] = [
    "book_reservation",
    "cancel_reservation",
    "update_reservation_baggages",
    "update_reservation_flights",
    "update_reservation_passengers",
    "send_certificate",
];

impl Run {
    fn take(&mut self, event: &HostEvent<'_>) {
        match &event.kind {
            HostEventKind::Message { speaker: Speaker::User, text } => {
                let lower = text.to_lowercase();
                self.said_yes =
                    lower.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "yes");
            }
            HostEventKind::Call { id, tool, arguments, .. } => {
                let arguments: Value = serde_json::from_str(arguments.as_str()).expect("arguments are JSON");
                let reservation = arguments["reservation_id"].as_str().map(str::to_owned);
                if WRITES.contains(&&**tool) {
                    self.writes.unidentified |= !self.identified;
                    self.writes.unconfirmed |= !self.said_yes;
                    self.writes.unread |= reservation.is_some_and(|id| !self.reservations_read.contains(&id));
                }
                self.calls.insert(
                    id.as_deref().expect("calls have names").to_owned(),
                    (tool.to_string(), arguments),
                );
                self.done(id.as_deref().unwrap_or_default());
            }
            _ => {}
        }
    }
    fn done(&mut self, call: &str) {
        let Some((tool, arguments)) = self.calls.get(call) else { return };
        if tool == "get_user_details" {
            self.identified = true;
        }
        if tool == "get_reservation_details"
            && let Some(id) = arguments["reservation_id"].as_str()
        {
            self.reservations_read.insert(id.to_owned());
        }
    }
}

fn read(format: LogFormat, bytes: &[u8], mut take: impl FnMut(&HostEvent<'_>)) -> LogNotes {
    let mut sink = |event: &HostEvent<'_>| {
        take(event);
        ControlFlow::Continue(())
    };
    let mut reader = LogReader::new(format, "log");
    assert_eq!(LogFormat::detect(&bytes[..bytes.len().min(65536)]), Some(format));
    assert!(reader.read_document(bytes, &mut sink).expect("the log can be read").is_continue());
    assert!(reader.finish(&mut sink).is_continue());
    reader.notes().clone()
}

/// The content of a compressed file; `None` without the program `xz`.
fn unpacked(path: &Path) -> Option<Vec<u8>> {
    match Command::new("xz").arg("-dc").arg(path).output() {
        Ok(output) if output.status.success() => Some(output.stdout),
        _ => {
            skip("there is no program xz");
            None
        }
    }
}

#[test]
fn airline_runs_are_counted_as_their_readme_says() {
    let Some(folder) = shared("cases/logs/tau") else { return };
    let Some(bytes) = unpacked(&folder.join("airline-runs.json.xz")) else { return };
    let mut runs: BTreeMap<String, Run> = BTreeMap::new();
    let (mut starts, mut closes, mut calls, mut results) = (0, 0, 0, 0);
    let notes = read(LogFormat::OpenAi, &bytes, |event| {
        starts += u64::from(event.kind == HostEventKind::Start);
        closes += u64::from(event.kind == HostEventKind::Close);
        calls += u64::from(matches!(event.kind, HostEventKind::Call { .. }));
        results += u64::from(matches!(event.kind, HostEventKind::Result { outcome: CallOutcome::Ok, .. }));
        runs.entry(event.session.to_string()).or_default().take(event);
    });
    assert_eq!((starts, closes, runs.len()), (100, 100, 100));
    let plain: Value = serde_json::from_slice(&bytes).expect("JSON");
    let messages =
        || plain.as_array().expect("a list").iter().flat_map(|run| run["traj"].as_array().expect("messages"));
    let told: usize = messages().map(|message| message["tool_calls"].as_array().map_or(0, Vec::len)).sum();
    assert_eq!(calls, told as u64);
    assert_eq!(results, messages().filter(|message| message["role"] == "tool").count() as u64);
    assert_eq!(notes.untold_outcomes, results);
    let count = |of: fn(&Run) -> bool| runs.values().filter(|run| of(run)).count();
    assert_eq!(count(|run| run.writes.unidentified), 14, "runs with a write before get_user_details");
    assert_eq!(count(|run| run.writes.unread), 3, "runs with a change before that reservation was read");
    assert_eq!(count(|run| run.writes.unconfirmed), 23, "runs with a write without a yes");
    let any = count(|run| run.writes.unidentified || run.writes.unread || run.writes.unconfirmed);
    assert_eq!(any, 32, "runs with any of the three");
}

/// Counts calls, results and failed results of the agent in every list `messages` within a JSON value.
fn walk(value: &Value, count: &mut (u64, u64, u64)) {
    match value {
        Value::Object(fields) => {
            if let Some(messages) = fields.get("messages").and_then(Value::as_array) {
                for message in messages {
                    let agent = message["role"] == "assistant";
                    count.0 += message["tool_calls"]
                        .as_array()
                        .filter(|_| agent)
                        .map_or(0, |calls| calls.len() as u64);
                    let result = message["role"] == "tool" && message["requestor"] != "user";
                    count.1 += u64::from(result);
                    count.2 += u64::from(result && !message["error"].is_null() && message["error"] != false);
                }
            }
        }
        Value::Array(all) => all.iter().for_each(|one| walk(one, count)),
        _ => {}
    }
}

#[test]
fn inspect_logs_have_the_calls_of_their_messages() {
    let Some(folder) = shared("cases/logs/inspect") else { return };
    let mut all = (0, 0, 0);
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let bytes = std::fs::read(&entry).expect("a file");
        let mut found = (0, 0, 0);
        let mut sessions = 0;
        let notes = read(LogFormat::Inspect, &bytes, |event| match &event.kind {
            HostEventKind::Call { .. } => found.0 += 1,
            HostEventKind::Result { outcome, .. } => {
                found.1 += 1;
                found.2 += u64::from(*outcome == CallOutcome::Failed);
            }
            HostEventKind::Start => sessions += 1,
            _ => {}
        });
        assert_eq!((notes.broken_lines, notes.unread_files), (0, 0), "{}", entry.display());
        assert!(sessions >= 1, "{}", entry.display());
        if entry.extension().is_some_and(|ending| ending == "json") {
            let text = String::from_utf8(bytes).expect("text").replace("NaN", "null");
            let plain: Value = serde_json::from_str(&text).expect("JSON");
            let mut told = (0, 0, 0);
            walk(&plain["samples"], &mut told);
            assert_eq!(found, told, "{}", entry.display());
            all = (all.0 + told.0, all.1 + told.1, all.2 + told.2);
        }
    }
    assert_eq!(all, (4, 15, 11), "calls, results and failures of all logs");
}

#[test]
fn tau2_simulations_of_voices_are_read() {
    let Some(folder) = shared("cases/logs/tau2") else { return };
    let mut logs = 0;
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let bytes = std::fs::read(&entry).expect("a file");
        let plain: Value = serde_json::from_slice(&bytes).expect("JSON");
        let ticks = plain["ticks"].as_array().expect("ticks");
        let (mut found, mut others, mut last) = (0, Vec::new(), i64::MIN);
        let notes = read(LogFormat::Tau2, &bytes, |event| {
            assert_eq!(event.session, plain["id"].as_str().expect("an id"));
            if event.kind == HostEventKind::Tick {
                found += 1;
                let time = event.time.expect("ticks have times");
                assert!(time >= last, "time does not go back");
                last = time;
            } else {
                others.push(super::events::line(event));
            }
        });
        assert_eq!(found, ticks.len());
        // These three logs have no transcripts, so there are neither messages nor calls.
        assert!(
            others.len() == 2 && others[0].ends_with(": start") && others[1].ends_with(": close"),
            "{others:?}"
        );
        let stretches: usize = ["user_chunk", "agent_chunk"]
            .into_iter()
            .map(|who| {
                let speaks: Vec<bool> =
                    ticks.iter().map(|tick| tick[who]["contains_speech"] == true).collect();
                (0..speaks.len()).filter(|&i| speaks[i] && (i == 0 || !speaks[i - 1])).count()
            })
            .sum();
        assert_eq!(notes.untold_speech, stretches as u64);
        logs += 1;
    }
    assert_eq!(logs, 3);
}
