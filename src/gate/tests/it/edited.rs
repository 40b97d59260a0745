//! Hard laws never lapse: not by calls from before the policy was edited, and not by calls that were made although they were
//! refused, in shadow mode.

use serde_json::json;
use std::sync::Arc;
use tsl_synth_gate::{Gate, MemoryStore, Policy, Ruling};

const HEAD: &str = r#"
policy = 1
unmatched = "allow"
[[match]]
on = "call"
tool = "drop"
action = "drop"
bind = { k = "/arguments/k" }
[[match]]
on = "call"
tool = "check"
action = "check"
[[match]]
on = "call"
tool = "other"
action = "other"
[[match]]
on = "call"
tool = "unused"
action = "unused"
[actions]
groups = [["drop", "check", "other", "unused"]]
[rules]
free = "never unused"
"#;

/// Rules with calls from before they held, and what is denied afterwards; a call with `!` fails.
const CASES: &[(&str, &str, &str, &str)] = &[
    ("never drop", "drop", "drop", "other check"),
    ("never drop", "drop drop drop", "drop drop", "other"),
    ("at most 1 drop", "drop drop", "drop", "other"),
    ("at most 1 drop", "drop drop drop drop", "drop", "check"),
    ("at most 2 drop", "drop drop drop", "drop", "check"),
    ("at most 1 drop per 1h", "drop drop", "drop", "other"),
    ("at most 1 distinct k in drop", "drop drop2", "drop2 drop3", "other"),
    ("drop requires check before", "drop", "drop", "check"),
    ("drop requires check before", "drop drop", "drop", "check drop"),
    ("check forbids drop after", "check drop", "drop", "check other"),
    ("check forbids drop after", "check drop drop other", "drop drop", "other"),
    ("at most 1 drop.ok", "drop drop", "drop", "other"),
    ("at most 2 drop.ok", "drop drop drop", "drop", "other"),
    ("at most 1 drop.failed", "drop! drop!", "drop", "other"),
    ("drop requires check since other", "check other drop", "drop", "check drop"),
];

fn policy(rule: &str) -> Policy {
    let rule = if rule.is_empty() { String::new() } else { format!("r = \"{rule}\"\n") };
    let text = format!("{HEAD}{rule}");
    Policy::from_text("p.toml", &text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Makes a call; returns whether the verdict is to let it through.
fn call(gate: &Gate, word: &str) -> bool {
    let name = word.trim_end_matches('!');
    let key = name.trim_start_matches("drop");
    let tool = if name.starts_with("drop") { "drop" } else { name };
    let decision = gate.propose(tool, &json!({ "k": key }).to_string()).expect("a decision");
    if decision.verdict >= Ruling::Ask {
        println!("{word}: {}", decision.reason);
    }
    if let Some(ticket) = &decision.ticket {
        gate.commit(ticket, Some(!word.ends_with('!')), None).expect("heard");
    }
    decision.verdict < Ruling::Ask
}

#[test]
fn calls_from_before_an_edit_do_not_end_a_hard_law() {
    for &(rule, before, denied, allowed) in CASES {
        let store = Arc::new(MemoryStore::new(|| None));
        let old = Gate::new(&policy(""), "s", store.clone()).expect("a gate");
        for word in before.split(' ') {
            assert!(call(&old, word), "{rule}: {word}");
        }
        drop(old);
        for _ in 0..2 {
            // Each process reads the journal again.
            let new = Gate::new(&policy(rule), "s", store.clone()).expect("a gate");
            for word in denied.split(' ') {
                assert!(!call(&new, word), "{rule}: {word} after {before}");
            }
        }
        let new = Gate::new(&policy(rule), "s", store.clone()).expect("a gate");
        for word in allowed.split(' ') {
            assert!(call(&new, word), "{rule}: {word} after {before}");
        }
    }
}

#[test]
fn shadow_mode_tells_each_violation_and_ends_no_law() {
    for &(rule, before, denied, _) in CASES {
        if rule.contains(".ok") || rule.contains(".failed") {
            continue;
        }
        let store = Arc::new(MemoryStore::new(|| None));
        let shadow = Gate::shadow(&policy(rule), "s", store.clone()).expect("a gate");
        let words: Vec<&str> = before.split(' ').chain(denied.split(' ')).collect();
        let told: Vec<bool> = words.iter().map(|word| call(&shadow, word)).collect();
        // The last ones violate the rule however often it was violated before.
        let last = denied.split(' ').count();
        assert!(told[words.len() - last..].iter().all(|allowed| !allowed), "{rule}: {words:?} {told:?}");
        drop(shadow);
        let strict = Gate::new(&policy(rule), "s", store).expect("a gate");
        assert!(!call(&strict, denied.split(' ').next().expect("a word")), "{rule} after shadow mode");
    }
}
