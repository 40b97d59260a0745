//! Whole sessions of Claude Code, with every event that it sends, through the hook: each call has the right outcome.

use super::hosts::{CONSENT, Done, Hooks, RECEIPT, TESTED};
use serde_json::Value;
use std::path::Path;

/// The agent announces what it publishes, in its own words, each time anew.
const ANNOUNCED: &str = r#"policy = 1
name = "announced"
unmatched = "allow"
[propositions]
announced = {}
[actions]
groups = [["publish"]]
[[match]]
on = "message"
role = "agent"
regex = 'I announce: publish'
proposition = "announced"
[[match]]
on = "call"
tool = "Bash"
shell = "/arguments/command"
argv = ["just", "publish", "**"]
action = "publish"
opaque = "allow"
[[law]]
id = "announced"
rule = "publish requires announced since publish"
"#;

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
        ("background", TESTED),
        ("refused-by-host", TESTED),
        ("said", ANNOUNCED),
        ("fork", TESTED),
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
    println!("9 sessions with the events {events:?}");
    for event in ["PostToolBatch", "ConfigChange", "MessageDisplay", "PreSkillShellCommand"] {
        assert!(events.contains(event), "{event}");
    }
}
