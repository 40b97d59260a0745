//! The reference protocol: a program sends requests to `shield`, each on one line.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running gate.
struct Gate {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Gate {
    fn start(policy: &Path, flags: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tsl-synth"))
            .arg("shield")
            .arg(policy)
            .args(flags)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the gate starts");
        let requests = child.stdin.take().expect("a pipe");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, requests, answers }
    }
    fn raw(&mut self, line: &str) -> Value {
        writeln!(self.requests, "{line}").expect("the gate reads");
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("an answer");
        serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer}"))
    }
    fn ask(&mut self, request: &Value) -> Value {
        self.raw(&request.to_string())
    }
    fn propose(&mut self, id: &str, tool: &str, arguments: &Value) -> Value {
        self.ask(&json!({ "event": "propose", "id": id, "tool": tool, "arguments": arguments, "time": 1 }))
    }
    fn shell(&mut self, id: &str, command: &str) -> Value {
        self.propose(id, "Bash", &json!({ "command": command }))
    }
    fn ended(&mut self, id: &str, ok: bool) -> Value {
        self.ask(&json!({ "event": "result", "id": id, "ok": ok, "time": 1 }))
    }
    fn end(mut self) -> i32 {
        drop(self.requests);
        self.child.wait().expect("it ends").code().expect("by itself")
    }
}

fn gallery(name: &str) -> std::path::PathBuf {
    crate::readme::root().join("specs/policies").join(name)
}

#[test]
fn a_refused_call_that_was_made_all_the_same_counts() {
    let mut gate = Gate::start(&gallery("tests-before-push.toml"), &[]);
    gate.propose("e", "Edit", &json!({}));
    gate.ended("e", true);
    assert_eq!(gate.shell("p1", "git push")["verdict"], "deny");
    // Some hosts report a denial as a failed call.
    assert_eq!(gate.ended("p1", false).get("broken"), None);
    assert_eq!(gate.shell("p2", "git push")["verdict"], "deny");
    let heard = gate.ended("p2", true);
    assert_eq!(heard["broken"], json!(["tests-before-push"]), "{heard}");
    // The violation is reported only once, and the call has ended.
    assert_eq!(gate.ended("p2", true).get("broken"), None);
    assert_eq!(gate.shell("p2", "git push")["verdict"], "deny");
    // Of many refused calls the most recent ones are remembered.
    for i in 0..100 {
        assert_eq!(gate.shell(&format!("q{i}"), "git push")["verdict"], "deny");
    }
    assert_eq!(gate.ended("q99", true)["answer"], "heard");
    assert_eq!(gate.end(), 0);
}

#[test]
fn a_push_is_refused_until_the_tests_have_passed() {
    let mut gate = Gate::start(&gallery("tests-before-push.toml"), &[]);
    assert_eq!(gate.propose("e", "Edit", &json!({}))["verdict"], "allow");
    gate.ended("e", true);
    let denied = gate.shell("p1", "git push");
    assert_eq!((&denied["verdict"], &denied["by"]), (&json!("deny"), &json!(["tests-before-push"])));
    assert!(denied["reason"].as_str().expect("a reason").contains("Run the tests"), "{denied}");
    assert_eq!(denied["allowed"], json!(["files.edit", "tests.run"]));
    assert_eq!((&denied["safe"], &denied["violated"]), (&json!(["files.edit.ok"]), &json!(["git.push"])));
    // A granted call does not count as successful before its result.
    assert_eq!(gate.shell("t", "cargo test")["verdict"], "allow");
    assert_eq!(gate.shell("p2", "git push")["verdict"], "deny");
    gate.ended("t", false);
    assert_eq!(gate.shell("p3", "git push")["verdict"], "deny");
    assert_eq!(gate.shell("t2", "cargo test")["verdict"], "allow");
    gate.ended("t2", true);
    assert_eq!(gate.shell("p4", "git push")["verdict"], "allow");
    // After `;` the outcome of the first command is unknown.
    gate.propose("e2", "Edit", &json!({}));
    gate.ended("e2", true);
    let open = gate.shell("p5", "cargo test; git push");
    assert_eq!((&open["verdict"], &open["violated"]), (&json!("deny"), &json!(["git.push"])));
    assert_eq!(gate.shell("p6", "cargo test && git push")["verdict"], "allow");
    assert_eq!(gate.end(), 0);
}

#[test]
fn a_ticket_is_of_one_call_and_used_once() {
    let mut gate = Gate::start(&gallery("tests-before-push.toml"), &[]);
    let first = gate.shell("t", "cargo test");
    let ticket = first["ticket"].as_str().expect("a ticket").to_owned();
    assert_eq!(gate.shell("t", "cargo test")["ticket"], json!(ticket), "the same call again");
    assert_eq!(gate.shell("t", "cargo test --all")["verdict"], "deny", "another call with its id");
    let commit = json!({ "event": "commit", "ticket": ticket, "ok": true });
    assert_eq!(gate.ask(&commit)["answer"], "heard");
    assert_eq!(gate.ask(&commit)["answer"], "error", "a used ticket");
    assert_eq!(gate.shell("t", "cargo test")["verdict"], "deny", "it has ended");
    assert_eq!(gate.ask(&json!({ "event": "commit", "ticket": "none", "ok": true }))["answer"], "error");
    // The arguments are the same whatever the order of their keys.
    let a = gate.raw(r#"{"event":"propose","id":"x","tool":"T","arguments":{"a":1,"b":2}}"#);
    let b = gate.raw(r#"{"event":"propose","id":"x","tool":"T","arguments":{"b":2,"a":1}}"#);
    assert_eq!(a["ticket"], b["ticket"]);
    gate.end();
}

/// A call without an id is new each time, and its ticket tells how it ended.
#[test]
fn calls_without_ids_have_tickets_that_can_be_used() {
    let mut gate = Gate::start(&gallery("tests-before-push.toml"), &[]);
    let call =
        |command: &str| json!({ "event": "propose", "tool": "Bash", "arguments": { "command": command } });
    let tickets =
        [0, 1].map(|_| gate.ask(&call("cargo test"))["ticket"].as_str().expect("a ticket").to_owned());
    assert_ne!(tickets[0], tickets[1]);
    for (ticket, ok, verdict) in [(&tickets[0], false, "deny"), (&tickets[1], true, "allow")] {
        let commit = json!({ "event": "commit", "ticket": ticket, "ok": ok });
        assert_eq!(gate.ask(&commit)["answer"], "heard");
        assert_eq!(gate.ask(&commit)["answer"], "error", "a used ticket");
        assert_eq!(gate.ask(&call("git push"))["verdict"], verdict);
    }
    gate.end();
}

#[test]
fn the_end_is_refused_so_many_times_while_something_is_owed() {
    let mut gate = Gate::start(&gallery("refunds.toml"), &[]);
    let order = json!({ "order_id": "7" });
    assert_eq!(gate.propose("1", "refund_order", &order)["verdict"], "deny");
    gate.propose("2", "check_receipt", &order);
    gate.ask(&json!({ "event": "result", "id": "2", "ok": true, "result": { "valid": true } }));
    assert_eq!(
        gate.propose("3", "refund_order", &json!({ "order_id": "8" }))["verdict"],
        "deny",
        "another order"
    );
    assert_eq!(gate.propose("4", "refund_order", &order)["verdict"], "allow");
    for _ in 0..3 {
        let refused = gate.ask(&json!({ "event": "end" }));
        assert_eq!((&refused["verdict"], &refused["by"]), (&json!("deny"), &json!(["refund-audited"])));
        assert_eq!(refused["wayOut"][0], json!({ "by": "agent", "letter": ["audit"] }));
    }
    let left = gate.ask(&json!({ "event": "end" }));
    assert_eq!((&left["verdict"], &left["owed"]), (&json!("allow"), &json!(["refund-audited"])));
    assert_eq!(gate.ask(&json!({ "event": "close" }))["owed"], json!(["refund-audited"]));
    gate.end();
}

#[test]
fn what_cannot_be_read_is_denied() {
    let mut gate = Gate::start(&gallery("refunds.toml"), &[]);
    let deep = format!(r#"{{"event":"propose","tool":"x","arguments":{}"#, "[".repeat(100_000));
    for line in [
        "x",
        "{",
        "[]",
        r#"{"event":"no"}"#,
        r#"{"event":"propose"}"#,
        r#"{"event":"propose","tool":"a","tool":"b"}"#,
        r#"{"event":"propose","tool":"a","arguments":{"k":1,"k":2}}"#,
        r#"{"event":"propose","tool":"a","surprise":1}"#,
        r#"{"event":"result","ok":"yes"}"#,
        &deep,
    ] {
        let answer = gate.raw(line);
        assert_eq!((&answer["answer"], &answer["verdict"]), (&json!("error"), &json!("deny")), "{line:.60}");
    }
    assert_eq!(gate.raw("{\"event\":\"start\"}\u{a0}")["answer"], "heard");
    assert_eq!(gate.end(), 0);
}

#[test]
fn journals_are_taken_up_by_the_next_process_and_by_an_edited_policy() {
    let folder = tempfile::tempdir().expect("a folder");
    let policy = folder.path().join("policy.toml");
    std::fs::copy(gallery("tests-before-push.toml"), &policy).expect("a policy");
    let journal = folder.path().join("journals");
    let flags = ["--journal", journal.to_str().expect("a name")];
    let mut gate = Gate::start(&policy, &flags);
    // Enough records for a checkpoint, the last edit after the tests.
    for i in 0..40 {
        gate.shell(&format!("t{i}"), "cargo test");
        gate.ended(&format!("t{i}"), true);
    }
    gate.propose("e", "Edit", &json!({}));
    gate.end();
    let mut gate = Gate::start(&policy, &flags);
    assert_eq!(gate.shell("p", "git push")["verdict"], "deny");
    assert_eq!(gate.shell("t3", "cargo test")["verdict"], "deny", "it ended in the process before");
    gate.shell("t99", "cargo test");
    gate.ended("t99", true);
    // The edited policy is evaluated on the whole journal: now any earlier edit forbids a push.
    let text = std::fs::read_to_string(&policy).expect("a policy");
    let edited =
        text.replace("git.push requires tests.run since files.edit", "files.edit forbids git.push after");
    assert_ne!(text, edited);
    std::fs::write(&policy, edited).expect("a policy");
    let denied = gate.shell("p2", "git push");
    assert_eq!(denied["verdict"], "deny", "there was an edit: {denied}");
    // A broken policy denies, a repaired one decides again.
    std::fs::write(&policy, "policy = 1\nname = 3").expect("a policy");
    assert_eq!(gate.shell("p3", "ls")["verdict"], "deny");
    std::fs::write(&policy, &text).expect("a policy");
    assert_eq!(gate.shell("p4", "git push")["verdict"], "allow");
    gate.end();
    let files: Vec<_> = walkdir::WalkDir::new(journal.join("journals"))
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.path().extension().is_some_and(|ending| ending == "jsonl"))
        .collect();
    let [file] = files.as_slice() else { panic!("one journal: {files:?}") };
    let text = std::fs::read_to_string(file.path()).expect("a journal");
    assert!(text.contains(r#""kind":"checkpoint""#));
    let monitored = Command::new(env!("CARGO_BIN_EXE_tsl-synth"))
        .arg("monitor")
        .args([&policy, file.path()])
        .output()
        .expect("it runs");
    assert_eq!(monitored.status.code(), Some(0), "what was granted keeps the policy");
}

#[test]
fn shadow_mode_holds_nothing_up_and_says_what_it_would_have_done() {
    let mut gate = Gate::start(&gallery("tests-before-push.toml"), &["--shadow"]);
    let push = gate.shell("p", "git push");
    assert_eq!((&push["verdict"], &push["shadow"]), (&json!("deny"), &json!(true)));
    assert!(push["ticket"].is_string(), "the call is made: {push}");
    assert_eq!(gate.ended("p", true)["answer"], "heard");
    gate.end();
}

#[test]
fn a_refusal_is_explained_by_the_events_that_could_have_been_otherwise() {
    let journal = gallery("logs/tests-before-push.journal");
    let run = |more: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_tsl-synth"))
            .current_dir(crate::readme::root())
            .arg("explain")
            .arg(&journal)
            .args(more)
            .output()
            .expect("it runs");
        (output.status.code(), String::from_utf8(output.stdout).expect("text"))
    };
    let (code, text) = run(&[]);
    assert_eq!(code, Some(0));
    assert!(text.contains("Refused since record 6"), "{text}");
    assert!(text.contains("- record 6: the call is not made"), "{text}");
    assert!(!text.contains("- record 5"), "the tests that passed did not help: {text}");
    assert_eq!(run(&["--step", "8"]), (code, text));
    assert_eq!(run(&["--step", "7"]).0, Some(2), "nothing was refused there");
}
