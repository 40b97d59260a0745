//! Calls of Codex that were refused, could not be started, or go on in the background.

use super::{lines, words};
use serde_json::{Value, json};
use tsl_synth_seats::log::LogFormat;

fn item(payload: &Value) -> Value {
    json!({ "type": "response_item", "payload": payload })
}
fn call(id: &str, name: &str, arguments: &Value) -> Value {
    item(&json!({ "type": "function_call", "name": name, "arguments": arguments.to_string(), "call_id": id }))
}
fn output(id: &str, text: &str) -> Value {
    item(&json!({ "type": "function_call_output", "call_id": id, "output": text }))
}
fn meta() -> Value {
    json!({ "type": "session_meta", "payload": { "id": "s" } })
}

#[test]
fn refused_calls_were_not_made() {
    for command in ["git push", "echo '` rejected: x'", "rm -rf /tmp/a && true"] {
        let quoted = format!("/bin/bash -lc '{command}'");
        let texts = [
            "exec command rejected by user".to_owned(),
            "exec command rejected: blocked by policy".to_owned(),
            "rejected by user".to_owned(),
            "approval required by policy, but AskForApproval is set to Never".to_owned(),
            format!("`{quoted}` rejected: blocked by policy"),
            format!(
                "exec_command failed for `{quoted}`: CreateProcess {{ message: \"Rejected(\\\"rejected by user\\\")\" }}"
            ),
            format!(
                "exec_command failed for `{quoted}`: CreateProcess {{ message: \"Rejected(\\\"`{quoted}` rejected: blocked by policy\\\")\" }}"
            ),
        ];
        for text in texts {
            for (name, key) in [("exec_command", "cmd"), ("shell_command", "command"), ("shell", "command")] {
                let log = lines(&[meta(), call("1", name, &json!({ key: command })), output("1", &text)]);
                let (events, notes) = words(LogFormat::Codex, &log);
                assert_eq!((events.len(), notes.refused_calls), (0, 1), "{text}");
            }
            let log = lines(&[meta(), call("1", "mcp__x__y", &json!({})), output("1", &text)]);
            assert_eq!(words(LogFormat::Codex, &log).1.refused_calls, 0, "a server may say anything");
        }
    }
}

#[test]
fn what_could_not_be_started_has_failed() {
    for text in [
        "exec_command failed for `x`: No such file or directory",
        "exec_command failed for `x`: CreateProcess { message: \"Codex(Sandbox(Denied { output: ExecToolCallOutput { exit_code: 1 } }))\" }",
        "failed in sandbox: denied",
        "Exit code: 3\nOutput:\nx",
    ] {
        let log = lines(&[meta(), call("1", "exec_command", &json!({ "cmd": "x" })), output("1", text)]);
        let (events, _) = words(LogFormat::Codex, &log);
        assert_eq!(events[1], "failed exec_command", "{text}");
    }
    let log = lines(&[meta(), call("1", "plan", &json!({})), output("1", "Plan updated")]);
    let (events, notes) = words(LogFormat::Codex, &log);
    assert_eq!((events[1].as_str(), notes.untold_outcomes), ("unknown plan", 1), "no mark");
}

fn running(process: usize) -> String {
    format!("Chunk ID: a\nWall time: 10.0 seconds\nProcess running with session ID {process}\nOutput:\nx")
}
fn exited(code: i32) -> String {
    format!("Chunk ID: b\nWall time: 0.1 seconds\nProcess exited with code {code}\nOutput:\nok")
}
fn poll(id: &str, process: usize) -> Value {
    call(id, "write_stdin", &json!({ "session_id": process, "chars": "" }))
}

#[test]
fn a_command_that_goes_on_ends_where_it_is_asked_for() {
    for code in [0, 1, 101, -1] {
        for polls in 0..4 {
            let mut log =
                vec![meta(), call("1", "exec_command", &json!({ "cmd": "t" })), output("1", &running(77))];
            for i in 0..polls {
                let id = format!("p{i}");
                log.extend([poll(&id, 77), output(&id, &running(77))]);
            }
            log.extend([poll("last", 77), output("last", &exited(code))]);
            let (events, notes) = words(LogFormat::Codex, &lines(&log));
            let outcome = if code == 0 { "ok" } else { "failed" };
            let ends: Vec<&String> = events.iter().filter(|event| event.ends_with(" exec_command")).collect();
            assert_eq!(ends, [&format!("{outcome} exec_command")], "{code} {polls}");
            assert_eq!(notes.repeated_results + notes.calls_without_result, 0);
            // The end is known after the last question, and before what follows.
            assert_eq!(events[events.len() - 2], format!("{outcome} exec_command"));
        }
    }
}

#[test]
fn processes_are_told_apart() {
    let log = [
        meta(),
        call("1", "exec_command", &json!({ "cmd": "a" })),
        output("1", &running(1)),
        call("2", "exec_command", &json!({ "cmd": "b" })),
        output("2", &running(2)),
        poll("3", 2),
        output("3", &exited(1)),
        poll("4", 9),
        output("4", &exited(0)),
    ];
    let (events, notes) = words(LogFormat::Codex, &lines(&log));
    let ends: Vec<&String> = events.iter().filter(|event| event.ends_with(" exec_command")).collect();
    assert_eq!(ends, ["failed exec_command"]);
    assert_eq!(notes.calls_without_result, 1, "the first one still runs");
    assert!(events.iter().any(|event| event.contains("\"command\":\"a\"")));
}
