//! Concurrent sessions: several processes that share journals, and hooks that are killed.

use crate::cli::Folder;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Duration;
use tsl_synth_seats::journal::{JournalEnd, JournalPart, parse};
use tsl_synth_testkit::Rng;

/// The number of payments that the policy permits in a session, over all processes.
const MOST: usize = 12;

const POLICY: &str = r#"policy = 1
name = "payments"
[actions]
groups = [["pay", "look"]]
[[count]]
name = "too_many"
count = true
on = "pay"
above = 12
[[match]]
on = "call"
tool = "pay"
action = "pay"
[[match]]
on = "call"
tool = "look"
action = "look"
[[law]]
id = "at-most-twelve"
ltl = "G !too_many"
"#;

/// A running gate.
struct Gate {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Gate {
    fn start(folder: &Folder) -> Self {
        let mut command = folder.command(["shield", "policy.toml", "--journal", "journals"]);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the gate starts");
        let requests = child.stdin.take().expect("a pipe");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, requests, answers }
    }
    fn ask(&mut self, request: &Value) -> Value {
        writeln!(self.requests, "{request}").expect("the gate reads");
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("an answer");
        serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer}"))
    }
    fn end(mut self) {
        drop(self.requests);
        assert!(self.child.wait().expect("it ends").success());
    }
}

/// The answers that one of the programs received.
#[derive(Default)]
struct Answers {
    /// The tickets of granted payments, by session and call.
    granted: BTreeMap<(usize, String), String>,
    proposed: Vec<(usize, String)>,
    committed: Vec<String>,
}

/// The journals of a folder.
fn journals(folder: &Path) -> Vec<JournalPart> {
    let files = walkdir::WalkDir::new(folder).into_iter().filter_map(Result::ok);
    // Solved games are cached in the same folder.
    let files = files.filter(|entry| entry.path().extension().is_some_and(|ending| ending == "jsonl"));
    let bytes = files.map(|entry| std::fs::read(entry.path()).expect("a journal"));
    bytes.map(|bytes| parse(&bytes, &JournalEnd::default()).expect("a whole journal")).collect()
}

/// Calls in records of a kind.
fn calls(journal: &JournalPart, kind: &str) -> Vec<String> {
    let records = journal.records.iter().filter(|record| record.kind == kind);
    let data = records.map(|record| serde_json::from_str::<Value>(&record.data).expect("JSON"));
    data.filter_map(|data| data["event"]["id"].as_str().map(str::to_owned)).collect()
}

/// One program proposes its share of calls in all sessions, in an order of its own; every fourth call has an identifier
/// that other programs use, too.
fn share(folder: &Folder, program: usize, sessions: usize, proposals: usize) -> Answers {
    let mut gate = Gate::start(folder);
    let mut rng = Rng(program as u64 + 1);
    let mut told = Answers::default();
    for i in 0..proposals {
        let session = rng.below(sessions);
        let id = if i % 4 == 0 {
            format!("s{session}-shared-{}", rng.below(6))
        } else {
            format!("s{session}-p{program}-{i}")
        };
        let tool = if rng.below(3) == 0 { "look" } else { "pay" };
        let tool = if id.contains("shared") { "pay" } else { tool };
        let session_name = format!("s{session}");
        let answer = gate.ask(&json!({
            "event": "propose", "session": session_name, "id": id, "tool": tool, "arguments": { "to": id },
        }));
        told.proposed.push((session, id.clone()));
        assert_eq!(
            (answer["answer"].as_str(), answer["id"].as_str()),
            (Some("verdict"), Some(&*id)),
            "{answer}"
        );
        let Some(ticket) = answer["ticket"].as_str() else { continue };
        if tool == "pay" {
            told.granted.insert((session, id), ticket.to_owned());
        }
        if rng.flip() {
            let commit = json!({ "event": "commit", "session": session_name, "ticket": ticket, "ok": true });
            if gate.ask(&commit)["answer"] == "heard" {
                told.committed.push(ticket.to_owned());
            }
        }
    }
    gate.end();
    told
}

/// Several programs run concurrently on the same sessions: no record is lost or in the wrong journal, no ticket is used
/// twice, and together the programs keep the law.
fn crowd(programs: usize, sessions: usize, proposals: usize) {
    let folder = Folder::new();
    folder.file("policy.toml", POLICY);
    let told: Vec<Answers> = std::thread::scope(|scope| {
        let run = |program| share(&folder, program, sessions, proposals / programs);
        let threads: Vec<_> = (0..programs).map(|program| scope.spawn(move || run(program))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a program")).collect()
    });
    let mut proposed: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    let mut granted: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    let mut tickets: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let mut used = BTreeSet::new();
    for one in told {
        for (session, id) in one.proposed {
            proposed.entry(session).or_default().insert(id);
        }
        for ((session, id), ticket) in one.granted {
            let call = (session, id.clone());
            assert_eq!(tickets.entry(ticket).or_insert_with(|| call.clone()), &call, "one ticket, one call");
            granted.entry(session).or_default().insert(id);
        }
        for ticket in one.committed {
            assert!(used.insert(ticket), "a ticket is used once");
        }
    }
    let journals = journals(&folder.path().join("journals"));
    assert_eq!(journals.len(), proposed.len());
    for journal in &journals {
        let mut all: BTreeSet<String> = BTreeSet::new();
        for kind in ["granted", "refused", "again"] {
            all.extend(calls(journal, kind));
        }
        let first = all.first().expect("a call").clone();
        let session: usize = first[1..first.find('-').expect("a session")].parse().expect("a number");
        assert_eq!(all, proposed[&session], "nothing is lost, nothing is of another session");
        let paid: Vec<String> = calls(journal, "granted");
        let distinct: BTreeSet<&String> = paid.iter().collect();
        assert_eq!(distinct.len(), paid.len(), "no call is granted twice");
        let own = granted.get(&session).cloned().unwrap_or_default();
        assert!(own.iter().all(|id| distinct.contains(id)), "what was granted is in the journal");
        assert!(own.len() <= MOST, "session {session}: {} payments", own.len());
    }
    assert!(granted.values().any(|own| own.len() == MOST), "the law stops some session");
}

#[test]
fn several_programs_over_the_same_sessions_lose_and_mix_nothing() {
    crowd(4, 20, 2_000);
}

#[test]
#[ignore = "10,000 proposals, measured in a release"]
fn ten_thousand_proposals_over_a_hundred_sessions() {
    let start = std::time::Instant::now();
    crowd(8, 100, 10_000);
    println!("10000 proposals by 8 programs over 100 sessions: {:?}", start.elapsed());
}

/// Starts a hook in one of two sessions, so that some hooks wait for each other and some do not.
fn hook(folder: &Folder, session: usize, tool: &str, id: &str) -> Child {
    let payload = json!({
        "session_id": format!("k{session}"), "cwd": "/p", "hook_event_name": "PreToolUse", "tool_name": tool,
        "tool_input": {}, "tool_use_id": id,
    });
    let args = ["shield", "policy.toml", "--proto", "hook", "--host", "codex", "--event", "PreToolUse"];
    let mut command = folder.command(args);
    command.env("HOME", folder.path()).env("TSL_SYNTH_STATE", folder.path().join("state"));
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    child.stdin.take().expect("a pipe").write_all(payload.to_string().as_bytes()).expect("it reads");
    child
}

/// Kills hooks at random moments, two at a time: the journal stays readable and has every call that a hook allowed, and
/// no more calls are granted than the law permits.
#[cfg(unix)]
fn killed(count: usize) {
    let folder = Folder::new();
    folder.file("policy.toml", POLICY);
    let mut passed = 0;
    let mut allowed: Vec<BTreeSet<String>> = vec![BTreeSet::new(); 2];
    // The running time of a hook that is not killed.
    let start = std::time::Instant::now();
    assert!(hook(&folder, 0, "look", "first").wait().expect("it ends").success());
    let whole = u64::try_from(start.elapsed().as_micros()).expect("a short time");
    let mut rng = Rng(11);
    for i in 0..count {
        let pair: Vec<(usize, String, Child)> = (0..2)
            .map(|k| {
                let (session, id) = (rng.below(2), format!("c{i}-{k}"));
                let child = hook(&folder, session, "pay", &id);
                (session, id, child)
            })
            .collect();
        for (session, id, mut child) in pair {
            std::thread::sleep(Duration::from_micros(rng.draw() % whole));
            let _ = child.kill();
            let output = child.wait_with_output().expect("it ends");
            // Nothing on standard output and exit code 0: the host makes the call.
            if output.status.success() && output.stdout.is_empty() {
                passed += 1;
                allowed[session].insert(id);
            }
        }
    }
    for session in 0..2 {
        let last = hook(&folder, session, "look", "last").wait_with_output().expect("it ends");
        assert!(last.status.success() && last.stdout.is_empty(), "the journal can be used: {last:?}");
    }
    let journals = journals(&folder.path().join("state").join("journals"));
    let mut granted: Vec<BTreeSet<String>> =
        journals.iter().map(|journal| calls(journal, "granted").into_iter().collect()).collect();
    for (session, allowed) in allowed.iter().enumerate() {
        let own = granted.iter().position(|one| allowed.is_subset(one));
        let own = own.unwrap_or_else(|| panic!("session {session}: {allowed:?} is not in {granted:?}"));
        let pays = granted.remove(own).iter().filter(|id| id.starts_with('c')).count();
        assert!(pays <= MOST && allowed.len() <= MOST, "session {session}: {pays} payments");
    }
    println!("{passed} of {} hooks said that the call may be made before they were killed", 2 * count);
}

#[cfg(unix)]
#[test]
fn killed_hooks_leave_what_they_granted_in_the_journal() {
    killed(40);
}

#[cfg(unix)]
#[test]
#[ignore = "a thousand processes"]
fn campaign_killed_hooks() {
    killed(crate::campaign::setting("TSL_SYNTH_KILLED", 500) as usize);
}
