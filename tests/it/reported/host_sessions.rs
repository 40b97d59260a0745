//! Whole sessions of Claude Code, with every event that it sends, through the hook: each call has the right outcome.

use super::hosts::{CONSENT, Done, Hooks, RECEIPT, TESTED};
use crate::support::shared;
use serde_json::Value;
use std::path::Path;

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Sessions that we wrote; each line has a payload and what the host does after the answer.
#[test]
fn composed_sessions_are_judged_as_they_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/reported/claude-code");
    let mut events = std::collections::BTreeSet::new();
    for (name, policy) in [
        ("receipt", RECEIPT),
        ("hidden-failure", TESTED),
        ("own-consent", CONSENT),
        ("other-shells", TESTED),
        ("rewritten", TESTED),
    ] {
        println!("{name}:");
        let hooks = Hooks::new(policy);
        for line in lines(&folder.join(format!("{name}.jsonl"))) {
            let done = match line["expect"].as_str() {
                Some("runs") => Done::Runs,
                Some("told") => Done::Told,
                Some("refused") => Done::Refused,
                other => panic!("{name}: {other:?}"),
            };
            hooks.expect(&line["payload"], done);
            events.insert(line["payload"]["hook_event_name"].as_str().expect("an event").to_owned());
        }
    }
    println!("5 sessions with the events {events:?}");
    for event in ["PostToolBatch", "ConfigChange", "MessageDisplay", "PreSkillShellCommand"] {
        assert!(events.contains(event), "{event}");
    }
}

/// The recorded sessions of `../shared/cases/payloads`. The calls were made then; of those that are refused now, the
/// results come all the same, as from a host that ignores denials, and are reported.
#[test]
fn recorded_sessions_are_judged_right() {
    let Some(payloads) = shared("cases/payloads") else { return };
    let gallery = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/policies");
    let read = |path: &Path| std::fs::read_to_string(path).expect("a policy");
    let tests = read(&gallery.join("tests-before-push.toml"));
    let mut checked = 0;
    for (name, policy, expected) in [
        ("t3-text", read(&gallery.join("telecom.toml")), T3),
        ("t4-0", tests.clone(), T4),
        ("t5-mon", tests.clone(), MONITOR),
        ("t5-updated", tests.clone(), UPDATED),
        ("t7-wake", read(&payloads.join("confirm.toml")), WAKE),
        ("t9-skill", tests, SKILL),
    ] {
        println!("{name}:");
        let hooks = Hooks::new(&policy);
        let mut expected = expected.iter();
        for payload in lines(&payloads.join(format!("claude-code/session-{name}.jsonl"))) {
            let tool = payload["tool_name"].as_str().unwrap_or_default();
            let event = payload["hook_event_name"].as_str().expect("an event");
            let done = match expected.clone().next() {
                Some((own, of, done)) if *own == event && *of == tool => {
                    expected.next();
                    *done
                }
                _ => Done::Runs,
            };
            hooks.expect(&payload, done);
            checked += 1;
        }
        assert_eq!(expected.len(), 0, "{name}: {:?} did not come", expected.collect::<Vec<_>>());
    }
    println!("{checked} recorded events");
}

/// The events of a session with another outcome than to go on, or that matter, in order: event, tool, outcome.
type Expected = &'static [(&'static str, &'static str, Done)];

/// The first payment succeeds, so the line may be resumed at once and after the next payment.
const T3: Expected = &[
    ("PreToolUse", "mcp__tel__resume_line", Done::Refused),
    ("PreToolUse", "mcp__tel__make_payment", Done::Runs),
    ("PostToolUse", "mcp__tel__make_payment", Done::Runs),
    ("PreToolUse", "mcp__tel__resume_line", Done::Runs),
    ("PreToolUse", "mcp__tel__make_payment", Done::Runs),
    ("PostToolUse", "mcp__tel__make_payment", Done::Runs),
    ("PreToolUse", "mcp__tel__resume_line", Done::Runs),
];
const T4: Expected = &[
    ("PreToolUse", "Bash", Done::Runs),
    ("PostToolUse", "Bash", Done::Runs),
    ("PreToolUse", "Bash", Done::Refused),
    ("PostToolUse", "Bash", Done::Told),
];
const MONITOR: Expected = &[("PreToolUse", "Monitor", Done::Refused), ("PostToolUse", "Monitor", Done::Told)];
const UPDATED: Expected = &[
    ("PreToolUse", "Bash", Done::Runs),
    ("PostToolUse", "Bash", Done::Told),
    ("PreToolUse", "Bash", Done::Refused),
];
const WAKE: Expected = &[("PreToolUse", "Bash", Done::Refused), ("PostToolUse", "Bash", Done::Told)];
const SKILL: Expected = &[("PreSkillShellCommand", "Bash", Done::Refused)];
