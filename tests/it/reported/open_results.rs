//! Calls whose results are open: parallel calls, hosts that tell nothing of a call that failed, commands whose exit code
//! says nothing of their parts. However many there are, what violates nothing passes, and a law that needs a success
//! refuses until one is known.

use super::policies::Session;
use serde_json::{Value, json};
use tsl_synth_policy::SessionState;

/// Commands that run tests, of which the exit code of the whole command tells nothing, or not all.
const OPEN: [&str; 10] = [
    "make lint 2>&1 | tee log",
    "pytest -q || true",
    "cargo build && cargo test --lib",
    "cargo test; echo done",
    "cargo test | tail -n 20",
    "pytest -q || cargo test || true",
    "for f in a b; do pytest $f; done",
    "if pytest -q; then echo ok; else echo no; fi",
    "cargo test & wait",
    "cargo test && pytest || make test && echo ok",
];
const TESTS: &str = r#"
unmatched = "allow"
[actions]
groups = [["edit"], ["tests"], ["push"]]
[[match]]
on = "call"
tool = "Edit"
action = "edit"
[[match]]
on = "call"
tool = "Bash"
shell = "/arguments/command"
argv = ["{cargo,make,pytest}", "**"]
action = "tests"
[[match]]
on = "call"
tool = "Bash"
shell = "/arguments/command"
argv = ["git", "push", "**"]
action = "push"
[[law]]
id = "tests-before-push"
rule = "push requires tests since edit"
"#;
/// Another law that reads failures: positions after a success and after a failure permit different calls.
const REPORT: &str = r#"
[[match]]
on = "call"
tool = "Report"
action = "report"
[[law]]
id = "report-failures"
ltl = "G (tests.failed -> (X !edit) & F report)"
"#;

/// A call whose result is not told, with its expected verdict.
fn open(mut session: Session, command: &str, expected: &'static str) -> Session {
    let id = format!("c{}", session.requests.len());
    let arguments = json!({ "command": command });
    session.requests.push(json!({ "event": "propose", "id": id, "tool": "Bash", "arguments": arguments }));
    session.expected.push(expected);
    session
}

fn refused_by(answer: &Value, law: &str) {
    let reason = answer["reason"].as_str().unwrap_or_default();
    assert!(answer["verdict"] == "deny" && answer["by"] == json!([law]), "{answer:#}");
    assert!(!reason.contains("too hard"), "{reason}");
}

#[test]
fn any_number_of_open_results_is_decided() {
    for (count, commands) in
        [(1, &OPEN[..]), (2, &OPEN), (3, &OPEN), (5, &OPEN), (10, &OPEN), (100, &OPEN[1..2])]
    {
        for command in commands {
            let mut session = Session::new("open", TESTS).calls("Edit", "allow");
            for _ in 0..count {
                session = open(session, command, "allow");
            }
            session = open(session, "ls -l", "allow");
            session =
                open(session, "git push", "deny").shell("pytest -q", "allow").shell("git push", "allow");
            session = session.calls("Edit", "allow").shell("ls", "allow");
            let answers = open(session, "git push", "deny").check();
            for answer in answers.iter().filter(|answer| answer["verdict"] == "deny") {
                refused_by(answer, "tests-before-push");
            }
        }
    }
}

#[test]
fn open_results_of_different_commands() {
    let mut session = Session::new("different", TESTS).calls("Edit", "allow");
    for round in 0..20 {
        for (at, command) in OPEN.iter().enumerate() {
            session = open(session, command, "allow");
            if (round + at) % 7 == 0 {
                session = open(session, "git push", "deny");
            }
        }
    }
    let answers = session.shell("cargo test", "allow").shell("git push", "allow").check();
    for answer in answers.iter().filter(|answer| answer["verdict"] == "deny") {
        refused_by(answer, "tests-before-push");
    }
}

/// What violates nothing and changes nothing passes even if no common strategy can be computed.
#[test]
fn harmless_calls_pass_whatever_is_open() {
    let text = format!("{}{REPORT}", TESTS.replace(r#"["push"]]"#, r#"["push"], ["report"]]"#));
    let mut session = Session::new("harmless", &text);
    for command in OPEN {
        session = open(session, command, "allow");
        session = session.shell("ls -l", "allow").calls("Read", "allow");
    }
    session.check();
}

/// A result that arrives late is a result of the call that it names, also after many other calls.
#[test]
fn late_results_count() {
    let mut session = Session::new("late", TESTS).calls("Edit", "allow");
    session = open(session, "pytest -q || true", "allow");
    let first = format!("c{}", session.requests.len());
    session = open(session, "cargo test", "allow");
    for _ in 0..100 {
        session = open(session, "pytest -q || cargo test || true", "allow");
    }
    session = open(session, "git push", "deny");
    session = session.tell(json!({ "event": "result", "id": first, "ok": true }));
    session.shell("git push", "allow").check();
}

/// A session of which not all states are followed: what leaves the others as they are may still move one of those.
#[test]
fn states_that_are_not_followed_count_as_moved() {
    let compiled = crate::policy_game::compile(&format!("policy = 1\n{TESTS}")).expect("a policy");
    let known = SessionState::new(&compiled);
    assert!(known.is_unmoved(&known));
    let lost = SessionState::with_worlds(known.worlds().to_vec(), None, true);
    assert!(!lost.is_unmoved(&lost) && !known.is_unmoved(&lost));
}
