//! Sessions of hosts through the gate, call by call, and the gate beside the monitor over the log of the same run.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use tsl_synth_core::base::Budget;
use tsl_synth_core::model::{HostEvent, HostEventKind, LawStatus, Ruling};
use tsl_synth_core::source::SourceMap;
use tsl_synth_gate::{GateService, LoadedPolicy, MemoryJournal};
use tsl_synth_policy::PolicyMonitor;
use tsl_synth_seats::hook::{HookHost, HookKind, read};
use tsl_synth_seats::log::{LogFormat, LogReader};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of recorded sessions, if it is there.
fn payloads() -> Option<PathBuf> {
    let named = std::env::var_os("TSL_SYNTH_SHARED").map(PathBuf::from);
    let around = root().canonicalize().expect("the repository");
    let found = around.ancestors().map(|folder| folder.join("shared")).find(|folder| folder.is_dir());
    let folder = named.or(found)?.join("cases/payloads");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("notice: skipped, since the recorded sessions of ../shared/cases/payloads are not there");
    None
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn policy(name: &str, text: &str) -> LoadedPolicy {
    let mut sources = SourceMap::new();
    let source = sources.add(name, text);
    LoadedPolicy::read(&mut sources, source, &Budget::unlimited()).expect("a policy")
}

/// The table of recorded sessions.
struct Recorded {
    payloads: PathBuf,
    table: Vec<Value>,
}

impl Recorded {
    /// Our own, which are always there, and those beside the repository.
    fn all() -> Vec<Self> {
        let fixtures = root().join("fixtures/reported");
        let of = |payloads: PathBuf, table: &str| {
            let table: Value = serde_json::from_str(&text(&fixtures.join(table))).expect("JSON");
            Self { payloads, table: table.as_array().expect("a list").clone() }
        };
        let shared = payloads().map(|payloads| of(payloads, "recorded-sessions.json"));
        std::iter::once(of(fixtures.join("runs"), "runs/calls.json")).chain(shared).collect()
    }
    fn policy(&self, session: &Value) -> LoadedPolicy {
        let name = session["policy"].as_str().expect("a name");
        let own = self.payloads.join(format!("{name}.toml"));
        let path = if own.is_file() { own } else { root().join(format!("specs/policies/{name}.toml")) };
        policy(name, &text(&path))
    }
    /// A log, with those of subagents in the order of the times; and whether there are any.
    fn log(&self, name: &str) -> (String, bool) {
        let read = |path: &Path| -> Vec<String> { text(path).lines().map(str::to_owned).collect() };
        let mut lines = read(&self.payloads.join(format!("{name}.jsonl")));
        let Ok(subagents) = std::fs::read_dir(self.payloads.join(name).join("subagents")) else {
            return (lines.join("\n"), false);
        };
        for entry in subagents {
            lines.extend(read(&entry.expect("an entry").path()));
        }
        let time = |line: &String| serde_json::from_str::<Value>(line).expect("JSON")["timestamp"].clone();
        lines.sort_by_key(|line| time(line).as_str().map(str::to_owned));
        (lines.join("\n"), true)
    }
    /// The payloads of a session, in order.
    fn lines(&self, session: &Value) -> Vec<Value> {
        let name = session["session"].as_str().expect("a name");
        let lines = text(&self.payloads.join(format!("{name}.jsonl")));
        let all = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        all.map(|line| if line["payload"].is_object() { line["payload"].clone() } else { line }).collect()
    }
}

fn host(session: &Value) -> HookHost {
    let name = session["session"].as_str().and_then(|name| name.split('/').next()).expect("a host");
    *HookHost::ALL.iter().find(|host| host.name() == name).expect("a host")
}

/// Whether each call of a session was granted, in order: by its id, or by its number where it has none.
fn granted(policy: LoadedPolicy, host: HookHost, lines: &[Value]) -> Vec<(String, bool, String)> {
    let hash = policy.sha256.clone();
    let mut gate = GateService::new(policy, &hash, "policy.toml", MemoryJournal::default(), false)
        .map_err(|(limit, _)| limit);
    let gate = gate.as_mut().expect("a gate");
    let mut calls = Vec::new();
    for line in lines {
        let payload = read(host, None, line.to_string().as_bytes()).expect("a payload");
        let answers = gate.payload(&payload, None).expect("an answer");
        if payload.kind == HookKind::Call {
            let id = payload.tool_use_id.clone().unwrap_or_else(|| format!("#{}", calls.len() + 1));
            let (_, answer) = answers.last().expect("a decision");
            calls.push((id, answer.answer.ruling < Ruling::Ask, answer.answer.reason.clone()));
        }
    }
    calls
}

#[test]
fn each_call_of_the_recorded_sessions_is_judged_right() {
    let all = Recorded::all();
    let (mut checked, mut wrong) = (0, Vec::new());
    let sessions =
        all.iter().flat_map(|recorded| recorded.table.iter().map(move |session| (recorded, session)));
    for (recorded, session) in sessions {
        let calls = granted(recorded.policy(session), host(session), &recorded.lines(session));
        let expected = session["calls"].as_array().expect("calls");
        assert_eq!(calls.len(), expected.len(), "{}", session["session"]);
        for ((id, is_granted, reason), right) in calls.iter().zip(expected) {
            assert_eq!(right["call"].as_str(), Some(&**id));
            if *is_granted != (right["right"] == "granted") {
                wrong.push(format!("{} {id} {}: {is_granted} {reason}", session["session"], right["what"]));
            }
            checked += 1;
        }
    }
    println!("{checked} calls of recorded sessions");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What the monitor says about the calls of a log: those that it reports, and those after which a law may be violated that
/// was not before.
fn monitored(policy: &LoadedPolicy, format: LogFormat, log: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let compiled = &policy.compiled;
    let mut monitor = PolicyMonitor::new(compiled);
    let (mut made, mut violating) = (BTreeSet::new(), BTreeSet::new());
    let mut sink = |event: &HostEvent<'_>| {
        let count = |monitor: &PolicyMonitor<'_>| {
            let laws = compiled.policy.laws.ids();
            laws.filter(|&law| monitor.standing(law).worst == LawStatus::Violated).count()
        };
        let before = count(&monitor);
        monitor.event(event);
        if let HostEventKind::Call { id: Some(id), .. } = &event.kind {
            made.insert(id.to_string());
            // A law that is violated stays so; where one is, the rest of the log says nothing about it.
            if count(&monitor) > before {
                violating.insert(id.to_string());
            }
        }
        ControlFlow::Continue(())
    };
    let mut reader = LogReader::new(format, "log");
    for line in log.lines() {
        assert!(reader.feed_line(line, &mut sink).is_continue());
    }
    assert!(reader.finish(&mut sink).is_continue());
    (made, violating)
}

/// A call that is in the log may violate a law there just where the gate refuses it; one that the host refused then, since the
/// gate did, is not in the log, and the gate refuses it again.
#[test]
fn the_gate_and_the_monitor_agree_on_the_recorded_sessions() {
    let all = Recorded::all();
    let (mut compared, mut left_out, mut wrong) = (0, 0, Vec::new());
    let sessions =
        all.iter().flat_map(|recorded| recorded.table.iter().map(move |session| (recorded, session)));
    for (recorded, session) in sessions {
        let Some(log) = session["log"].as_str() else { continue };
        let format = if log.starts_with("codex") { LogFormat::Codex } else { LogFormat::Claude };
        let policy = recorded.policy(session);
        let lines = recorded.lines(session);
        let (whole, has_subagents) = recorded.log(log);
        let (made, violating) = monitored(&policy, format, &whole);
        // The transcript of the main agent does not have the calls of its subagents.
        let agents: BTreeMap<String, bool> = lines
            .iter()
            .filter_map(|line| Some((line["tool_use_id"].as_str()?.to_owned(), line["agent_id"].is_string())))
            .collect();
        for (id, is_granted, _) in granted(policy, host(session), &lines) {
            if !has_subagents && agents.get(&id) == Some(&true) {
                left_out += 1;
                continue;
            }
            let agrees = match (made.contains(&id), is_granted) {
                (true, is_granted) => violating.contains(&id) != is_granted,
                // The host itself refused it, or the gate did.
                (false, _) => true,
            };
            if !agrees {
                wrong.push(format!(
                    "{log} {id}: the gate {is_granted}, violating {}",
                    violating.contains(&id)
                ));
            }
            compared += 1;
        }
        println!("{log}: {} calls made, {} violating", made.len(), violating.len());
    }
    println!("{compared} calls compared, {left_out} of subagents left out");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
