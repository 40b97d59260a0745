//! Answers that cannot be printed, forks that inherit, subagents in logs, and scenarios: the program as it is called.

use super::hosts::TESTED;
use crate::cli::Folder;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use tsl_synth_testkit::files_below;

/// A payload of Claude Code.
fn payload(session: &str, event: &str, more: &Value) -> Value {
    let mut all = json!({ "session_id": session, "cwd": "/p", "hook_event_name": event });
    all.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    all
}

fn before(session: &str, id: &str, line: &str) -> Value {
    let input = json!({ "command": line });
    payload(session, "PreToolUse", &json!({ "tool_name": "Bash", "tool_input": input, "tool_use_id": id }))
}

fn after(session: &str, id: &str, line: &str) -> Value {
    let response = json!({ "stdout": "", "stderr": "", "interrupted": false });
    let more = json!({ "tool_name": "Bash", "tool_input": { "command": line }, "tool_use_id": id, "tool_response": response });
    payload(session, "PostToolUse", &more)
}

/// The hook as a process; its answer and exit code.
fn send(folder: &Folder, policy: &Path, host: &str, payload: &Value) -> (String, Option<i32>) {
    let mut command = folder.command(["shield"]);
    command.arg(policy).args(["--proto", "hook", "--host", host]);
    command.arg("--journal").arg(folder.path().join("journals")).env("HOME", folder.path());
    finish(command, payload)
}

fn finish(mut command: Command, payload: &Value) -> (String, Option<i32>) {
    command.stdin(Stdio::piped()).stderr(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    child.stdin.take().expect("piped").write_all(payload.to_string().as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let said = [output.stdout, output.stderr].concat();
    (String::from_utf8(said).expect("text"), output.status.code())
}

#[cfg(unix)]
#[test]
fn an_answer_that_nobody_can_read_is_a_denial() {
    let folder = Folder::new();
    let policy = folder.file("policy.toml", TESTED);
    let program = env!("CARGO_BIN_EXE_tsl-synth");
    let mut checked = 0;
    for (line, is_denied) in [("just publish", true), ("ls", false)] {
        for output in ["> /dev/full", ">&-", "> /dev/null", "| true"] {
            // With a pipe the exit code is that of the last command, so that the one of the hook is written to a file.
            let script = format!(
                "{{ '{program}' shield '{}' --proto hook --host claude-code --journal j; echo $? > code; }} {output}",
                policy.display()
            );
            let mut command = Command::new("sh");
            command.args(["-c", &script]).current_dir(folder.path()).env("HOME", folder.path());
            let (said, _) = finish(command, &before("s", &format!("{checked}"), line));
            let code = std::fs::read_to_string(folder.path().join("code")).expect("a code");
            let is_piped = output == "| true";
            // A reader that is gone may have read the answer, or not.
            let expected = if is_denied { "2" } else { "0" };
            println!("{line} {output}: {} {said}", code.trim());
            assert!(
                code.trim() == expected || is_piped && is_denied && code.trim() == "0",
                "{line} {output}: {said}"
            );
            if is_denied && !is_piped {
                assert!(said.contains("could not be printed"), "{said}");
            }
            checked += 1;
        }
    }
    println!("{checked} answers");
}

/// What the user says in a fork.
const PROMPT: &str = "Go on.";

/// A transcript as the host copies it into the log of a fork, with what the user says in the fork.
fn transcript(calls: &[(&str, &str)]) -> String {
    let said = |text: &str| json!({ "type": "user", "sessionId": "f", "message": { "role": "user", "content": text } });
    let mut all = vec![said("Go.")];
    for (id, line) in calls {
        let (tool, input) = match *line {
            "edit" => ("Edit", json!({ "file_path": "/p/a" })),
            _ => ("Bash", json!({ "command": line })),
        };
        let call = json!([{ "type": "tool_use", "id": id, "name": tool, "input": input }]);
        let result = json!([{ "type": "tool_result", "tool_use_id": id, "content": "x", "is_error": false }]);
        all.push(json!({ "type": "assistant", "sessionId": "f", "message": { "role": "assistant", "content": call } }));
        all.push(
            json!({ "type": "user", "sessionId": "f", "message": { "role": "user", "content": result } }),
        );
    }
    all.push(said(PROMPT));
    all.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn forks_inherit_what_their_log_shows() {
    let tests = [("t1", "ls"), ("t2", "just test")];
    let mut checked = 0;
    for (name, on_fork, calls, is_denied) in [
        ("by default", "", &tests[..], true),
        ("told to", "on_fork = \"deny\"\n", &tests[..], true),
        ("without history", "on_fork = \"blind\"\n", &tests[..], true),
        ("with history", "on_fork = \"inherit\"\n", &tests[..], false),
        ("before the tests", "on_fork = \"inherit\"\n", &tests[..1], true),
        ("of an unknown session", "on_fork = \"inherit\"\n", &[("t9", "just test")][..], true),
        (
            "of one that is known in part",
            "on_fork = \"inherit\"\n",
            &[("t2", "just test"), ("t9", "ls")][..],
            true,
        ),
        ("without calls", "on_fork = \"inherit\"\n", &[][..], true),
    ] {
        let folder = Folder::new();
        let policy = folder.file("policy.toml", format!("{on_fork}{TESTED}"));
        let send = |payload: &Value| send(&folder, &policy, "claude-code", payload).0;
        for (id, line) in tests {
            assert_eq!(send(&before("first", id, line)), "");
            assert_eq!(send(&after("first", id, line)), "");
        }
        let log = folder.file("fork.jsonl", transcript(calls));
        let forked = send(&payload("second", "SessionStart", &json!({ "source": "fork" })));
        assert!(forked.contains("fork of one that its host does not name"), "{name}: {forked}");
        send(&payload("second", "UserPromptSubmit", &json!({ "prompt": PROMPT })));
        let mut call = before("second", "n1", "just publish");
        call["transcript_path"] = log.to_string_lossy().into_owned().into();
        let said = send(&call);
        println!("{name}: {}", said.chars().take(120).collect::<String>());
        assert_eq!(said.contains("\"deny\""), is_denied, "{name}: {said}");
        let is_unknown = said.contains("is a fork of another one");
        assert_eq!(
            is_unknown,
            is_denied && !["without history", "before the tests"].contains(&name),
            "{name}: {said}"
        );
        checked += 1;
    }
    // What happened in the first session after the fork is not inherited: its edit is not in the log.
    let folder = Folder::new();
    let policy = folder.file("policy.toml", format!("on_fork = \"inherit\"\n{TESTED}"));
    let send = |payload: &Value| send(&folder, &policy, "claude-code", payload).0;
    for payload in [before("first", "t1", "just test"), after("first", "t1", "just test")] {
        assert_eq!(send(&payload), "");
    }
    let log = folder.file("fork.jsonl", transcript(&[("t1", "just test")]));
    let edit = json!({ "tool_name": "Edit", "tool_input": { "file_path": "/p/a" }, "tool_use_id": "t2" });
    assert_eq!(send(&payload("first", "PreToolUse", &edit)), "");
    send(&payload("second", "SessionStart", &json!({ "source": "fork" })));
    send(&payload("second", "UserPromptSubmit", &json!({ "prompt": PROMPT })));
    let mut call = before("second", "n1", "just publish");
    call["transcript_path"] = log.to_string_lossy().into_owned().into();
    assert_eq!(send(&call), "");
    assert!(send(&before("first", "t3", "just publish")).contains("\"deny\""));
    println!("{} forks", checked + 1);
}

/// Hosts write their logs in the background: a log with a part of the history is not taken for all of it.
#[test]
fn forks_wait_until_their_log_is_written() {
    let edited = [("t1", "just test"), ("t2", "edit")];
    // Where the log ends when the call is proposed, whether the rest is written a little later, whether the user said
    // something in the fork, and what then becomes of the call.
    let late = [
        ("nothing yet, then all of it", 0, true, true, ""),
        ("a call, then all of it", 1, true, true, "Test first."),
        ("a call, and never the rest", 1, false, true, "another one"),
        ("a log that is not there", usize::MAX, false, true, "another one"),
        ("all of it, but no prompt is known", 2, false, false, "another one"),
    ];
    for (name, first, is_written, is_said, expected) in late {
        let folder = Folder::new();
        let policy = folder.file("policy.toml", format!("on_fork = \"inherit\"\n{TESTED}"));
        let send = |payload: &Value| send(&folder, &policy, "claude-code", payload).0;
        let calls = if expected.is_empty() { &edited[..1] } else { &edited[..] };
        for (id, line) in calls {
            if *line == "edit" {
                let edit =
                    json!({ "tool_name": "Edit", "tool_input": { "file_path": "/p/a" }, "tool_use_id": id });
                assert_eq!(send(&payload("first", "PreToolUse", &edit)), "");
            } else {
                assert_eq!(send(&before("first", id, line)), "");
                assert_eq!(send(&after("first", id, line)), "");
            }
        }
        let whole = transcript(calls);
        let log = folder.path().join("fork.jsonl");
        if first <= calls.len() {
            let lines: Vec<&str> =
                whole.lines().take(if first == 2 { usize::MAX } else { 3 * first }).collect();
            std::fs::write(&log, lines.join("\n")).expect("a log");
        }
        send(&payload("second", "SessionStart", &json!({ "source": "fork" })));
        if is_said {
            send(&payload("second", "UserPromptSubmit", &json!({ "prompt": PROMPT })));
        }
        let mut call = before("second", "n1", "just publish");
        call["transcript_path"] = log.to_string_lossy().into_owned().into();
        let said = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(std::time::Duration::from_millis(400));
                if is_written {
                    std::fs::write(&log, &whole).expect("a log");
                }
            });
            send(&call)
        });
        println!("{name}: {}", said.chars().take(120).collect::<String>());
        assert_eq!(said.contains("\"deny\""), !expected.is_empty(), "{name}: {said}");
        assert!(said.contains(expected), "{name}: {said}");
    }
}

#[test]
fn subagents_are_part_of_their_session_in_logs() {
    let folder = Folder::new();
    folder.file("policy.toml", TESTED);
    let record = |session: &str, agent: Option<&str>, second: u32, kind: &str, content: &Value| {
        let mut line = json!({
            "type": kind, "sessionId": session, "isSidechain": agent.is_some(), "message": { "role": kind, "content": content },
            "timestamp": format!("2026-11-27T03:00:{second:02}.000Z"), "uuid": "u", "parentUuid": null,
        });
        if let Some(agent) = agent {
            line["agentId"] = agent.into();
        }
        line.to_string()
    };
    let call = |id: &str, line: &str| json!([{ "type": "tool_use", "id": id, "name": "Bash", "input": { "command": line } }]);
    let ended =
        |id: &str| json!([{ "type": "tool_result", "tool_use_id": id, "content": "x", "is_error": false }]);
    // The subagent tests between the edit and the push of the main agent; in the second session it edits there.
    for (session, inner, code) in [("one", "just test", 0), ("two", "ls", 1)] {
        let main = [
            record(session, None, 1, "user", &json!("Go.")),
            record(session, None, 9, "assistant", &call("m1", "just publish")),
            record(session, None, 10, "user", &ended("m1")),
        ];
        let sub = [
            record(session, Some("a1"), 3, "assistant", &call("s1", inner)),
            record(session, Some("a1"), 4, "user", &ended("s1")),
        ];
        folder.file(&format!("logs/{session}.jsonl"), main.join("\n"));
        folder.file(&format!("logs/{session}/subagents/agent-a1.jsonl"), sub.join("\n"));
        let run = folder.run(["policy", "monitor", "policy.toml", &format!("logs/{session}.jsonl")]);
        println!("{session}: {}", run.out);
        assert_eq!(run.code, code, "{}{}", run.out, run.err);
    }
    let run =
        folder.run(["policy", "monitor", "policy.toml", "logs", "--stats", "--format", "json"]).exits(1);
    assert!(run.out.contains("\"sessions\":2") || run.out.contains("\"sessions\": 2"), "{}", run.out);
}

#[test]
fn scenarios_are_tested_and_recorded() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = Folder::new();
    let policy = root.join("specs/policies/tests-before-push.toml").to_string_lossy().into_owned();
    let file = |name: &str| root.join("fixtures/scenarios").join(name).to_string_lossy().into_owned();
    let run = folder.run(["policy", "test", &policy, &file("tests-before-push.jsonl")]).exits(0);
    assert!(run.out.contains("3 scenarios, 17 steps: 0 scenarios differ"), "{}", run.out);
    let run = folder.run(["policy", "test", &policy, &file("tests-before-push.differs.jsonl")]).exits(1);
    for part in [
        "differs ",
        "line 2: call of Bash",
        "the verdict is deny, and allow was expected",
        "it is by tests-before-push, and another-law was expected",
        "the reason does not have `Ask a person`",
        "ok      ",
        "2 scenarios, 5 steps: 1 scenario differs",
    ] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    assert!(!run.out.contains("line 5"), "{}", run.out);
    let junit = folder.run([
        "policy",
        "test",
        &policy,
        &file("tests-before-push.differs.jsonl"),
        "--format",
        "junit",
    ]);
    let junit = junit.exits(1).out;
    assert!(
        junit.contains("tests=\"2\" failures=\"1\"") && junit.contains("name=\"three steps differ\""),
        "{junit}"
    );
    assert_eq!(junit.matches("<failure").count(), 1, "{junit}");
    for (text, said) in [
        ("", "has no steps"),
        ("{\"event\":\"call\"}", "line 1: a call has a `tool`"),
        ("{\"event\":\"call\",\"tool\":\"x\",\"expect\":\"no\"}", "there is no verdict `no`"),
        ("{\"event\":\"tick\",\"expect\":\"allow\"}", "have a verdict"),
        ("{\"event\":\"call\",\"tool\":\"x\",\"ok\":1}", "`ok` is true, false"),
        ("{\"event\":\"call\",\"tool\":\"x\",\"result\":1}", "says whether it is `ok`"),
        ("\n{\"scenario\":1}", "line 2: `scenario` is a name"),
        ("{\"event\":\"call\",\"tool\":\"x\",\"tool\":\"y\"}", "twice"),
        ("{\"event\":\"options\"}", "no step"),
        ("[1]", "no JSON object"),
        (
            "{\"event\":\"call\",\"id\":\"a\",\"tool\":\"x\"}\n{\"event\":\"result\",\"id\":\"b\",\"ok\":true}",
            "line 2: no call of the scenario before it has the id `b`",
        ),
        (
            "{\"event\":\"call\",\"id\":\"a\",\"tool\":\"x\"}\n{\"scenario\":\"two\"}\n\
             {\"event\":\"result\",\"id\":\"a\",\"ok\":true}",
            "line 3: no call of the scenario before it has the id `a`",
        ),
    ] {
        folder.file("bad.jsonl", text);
        let run = folder.run(["policy", "test", &policy, "bad.jsonl"]).exits(2);
        assert!(run.err.contains(said), "{text}: {}", run.err);
    }
    // A journal becomes a scenario that its policy meets.
    for (id, line) in [("a", "ls"), ("b", "cargo test"), ("c", "git push")] {
        send(&folder, Path::new(&policy), "claude-code", &before("s", id, line));
        if id != "c" {
            send(&folder, Path::new(&policy), "claude-code", &after("s", id, line));
        }
    }
    send(&folder, Path::new(&policy), "claude-code", &before("s", "d", "git push -f"));
    let journals = files_below(&folder.path().join("journals"), &["jsonl"]);
    let [path] = journals.as_slice() else { panic!("one journal: {journals:?}") };
    folder.run(["policy", "record", &path.to_string_lossy(), "-o", "recorded.jsonl"]).exits(0);
    let recorded = std::fs::read_to_string(folder.path().join("recorded.jsonl")).expect("a scenario");
    println!("{recorded}");
    assert_eq!(recorded.matches("\"expect\"").count(), 4, "{recorded}");
    folder.run(["policy", "test", &policy, "recorded.jsonl"]).exits(0);
}
