//! The program as the hook of a host: installed, with invalid payloads, several at once, and killed.

use crate::cli::{Folder, Run};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tsl_synth_seats::hook::{HookHost, HookKind, HostAction};
use tsl_synth_seats::journal::{JournalEnd, parse};

const POLICY: &str = r#"policy = 1
name = "push"
unmatched = "allow"
[actions]
groups = [["push", "test"]]
[[match]]
on = "call"
tool = "Push"
action = "push"
[[match]]
on = "call"
tool = "Test"
action = "test"
[[law]]
id = "tests-first"
rule = "push requires test before"
why = "Test before you push."
"#;

/// A home folder with a policy.
pub(super) struct Live(pub(super) Folder);

impl Live {
    pub(super) fn new() -> Self {
        let folder = Folder::new();
        folder.file("home/.keep", "");
        folder.file("project/policy.toml", POLICY);
        Self(folder)
    }
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
    pub(super) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.0.command(["shield"]);
        command.args(args).current_dir(self.path("project"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        for (variable, _) in HookHost::ALL.iter().flat_map(|host| host.place().variables) {
            command.env_remove(variable);
        }
        command.env("HOME", self.path("home")).env("TSL_SYNTH_STATE", self.path("state"));
        command
    }
    /// Starts the hook and gives it these bytes.
    pub(super) fn start(&self, host: HookHost, event: &str, payload: &str) -> Child {
        let args = ["policy.toml", "--proto", "hook", "--host", host.name(), "--event", event];
        let mut child = self.command(&args).spawn().expect("it starts");
        child.stdin.take().expect("piped").write_all(payload.as_bytes()).expect("it reads");
        child
    }
    pub(super) fn hook(&self, host: HookHost, event: &str, payload: &str) -> Run {
        Run::of(self.start(host, event, payload).wait_with_output().expect("it ends"))
    }
    fn call(&self, host: HookHost, tool: &str, id: &str) -> HostAction {
        let run = self.hook(host, "PreToolUse", &call(tool, id));
        host.action(Some(run.code), &run.out, &run.err)
    }
    /// The journals of a host.
    pub(super) fn journals(&self, host: HookHost) -> Vec<PathBuf> {
        let folder = self.path("state").join("journals").join(host.name());
        let mut all: Vec<PathBuf> = std::fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        all.sort();
        all
    }
}

fn call(tool: &str, id: &str) -> String {
    json!({
        "session_id": "s1", "cwd": "/p", "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": {},
        "tool_use_id": id,
    })
    .to_string()
}

fn refused(does: &HostAction) -> bool {
    matches!(does, HostAction::Refuses(why) if why.contains("Test before you push."))
}

#[test]
fn a_fresh_installation_is_sound() {
    let live = Live::new();
    let mut calls = 0;
    for host in HookHost::ALL {
        let run = live.command(&["install", "--host", host.name()]).output().expect("it ends");
        Run::of(run).exits(0);
        calls += host.events().iter().filter(|event| host.kind(event.name) == HookKind::Call).count();
    }
    let run = Run::of(live.command(&["doctor"]).output().expect("it ends")).exits(0);
    assert!(
        !run.out.contains("BAD") && run.out.matches("refuses a call that it cannot read").count() == calls,
        "{run:?}"
    );
    for host in HookHost::ALL {
        assert!(live.journals(*host).is_empty(), "the doctor leaves no journals behind");
    }
}

#[test]
fn a_call_that_the_rules_forbid_is_refused_until_they_permit_it() {
    let host = HookHost::ClaudeCode;
    let live = Live::new();
    assert!(refused(&live.call(host, "Push", "c1")));
    assert_eq!(live.call(host, "Test", "c2"), HostAction::NoDecision);
    let mut done: Value = serde_json::from_str(&call("Test", "c2")).expect("JSON");
    done["hook_event_name"] = json!("PostToolUse");
    done["tool_response"] = json!("ok");
    live.hook(host, "PostToolUse", &done.to_string()).exits(0);
    assert_eq!(live.call(host, "Push", "c3"), HostAction::NoDecision);
    // Another session has its own history, without a test.
    let other = call("Push", "c3").replace("s1", "s2");
    let run = live.hook(host, "PreToolUse", &other);
    assert!(refused(&host.action(Some(run.code), &run.out, &run.err)));
}

#[test]
fn faults_are_answered_as_the_event_of_the_settings_needs() {
    let live = Live::new();
    live.0.file("project/broken.toml", "policy = 1\n[[law]]\n");
    let whole = call("Test", "c1");
    for host in [HookHost::ClaudeCode, HookHost::Codex] {
        for payload in ["", "{", "\u{feff}", "nonsense", &whole[..whole.len() / 2]] {
            let run = live.hook(host, "PreToolUse", payload).exits(2);
            assert!(run.out.is_empty() && !run.err.is_empty(), "{run:?}");
        }
        for event in ["Stop", "SessionEnd", "PostToolUse"] {
            let run = live.hook(host, event, "{").exits(0);
            assert!(run.out.contains("systemMessage") && run.err.is_empty(), "{run:?}");
        }
        for policy in ["broken.toml", "missing.toml"] {
            let args = [policy, "--proto", "hook", "--host", host.name()];
            let mut child = live.command(&args).spawn().expect("it starts");
            let _ = child.stdin.take().expect("piped").write_all(whole.as_bytes());
            let run = Run::of(child.wait_with_output().expect("it ends"));
            assert!(
                matches!(host.action(Some(run.code), &run.out, &run.err), HostAction::Refuses(_)),
                "{run:?}"
            );
        }
    }
}

/// A host that never closes standard input: the gate's deadline is before the host's.
#[test]
fn a_payload_that_does_not_end_is_refused_in_time() {
    let live = Live::new();
    let start = Instant::now();
    let args = ["policy.toml", "--proto", "hook", "--host", "codex", "--event", "PreToolUse"];
    let mut child = live.command(&args).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(b"{\"session_id\":").expect("it reads");
    let run = Run::of(child.wait_with_output().expect("it ends")).exits(2);
    assert!(run.err.contains("in time") && start.elapsed() < Duration::from_secs(9), "{run:?}");
    drop(stdin);
}

/// Many hooks of one session at once, each a process: every decision is in the journal, and none is lost or mixed.
#[test]
fn several_at_once_keep_one_journal() {
    let host = HookHost::ClaudeCode;
    let live = Live::new();
    let tools = ["Test", "Push", "Read"];
    let children: Vec<(usize, Child)> =
        (0..24).map(|i| (i, live.start(host, "PreToolUse", &call(tools[i % 3], &format!("c{i}"))))).collect();
    for (i, child) in children {
        let run = Run::of(child.wait_with_output().expect("it ends"));
        let does = host.action(Some(run.code), &run.out, &run.err);
        // Nothing was reported as done, so every push is refused, whatever the order.
        assert_eq!(refused(&does), tools[i % 3] == "Push", "{run:?}");
    }
    let journals = live.journals(host);
    assert_eq!(journals.len(), 1);
    let bytes = std::fs::read(&journals[0]).expect("a journal");
    let part = parse(&bytes, &JournalEnd::default()).expect("a whole journal");
    let text: String = part.records.iter().map(|record| record.data.as_str()).collect();
    for i in 0..24 {
        assert!(text.contains(&format!("\"id\":\"c{i}\"")), "the call c{i} is not in the journal");
    }
}

/// Hooks that are killed at any moment leave a journal that the next one can use, and no forbidden call goes through.
#[cfg(unix)]
#[test]
fn killed_hooks_leave_a_journal_that_can_be_used() {
    let host = HookHost::Codex;
    let live = Live::new();
    for i in 0..40u64 {
        let mut child =
            live.start(host, "PreToolUse", &call(if i % 2 == 0 { "Read" } else { "Push" }, &format!("k{i}")));
        std::thread::sleep(Duration::from_micros(700 * i));
        let _ = child.kill();
        let _ = child.wait();
        if i % 8 == 7 {
            assert!(refused(&live.call(host, "Push", &format!("c{i}"))));
        }
    }
    let bytes = std::fs::read(&live.journals(host)[0]).expect("a journal");
    let part = parse(&bytes, &JournalEnd::default()).expect("a whole journal");
    assert_eq!(part.whole, bytes.len());
}
