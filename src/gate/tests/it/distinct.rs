//! `at most N distinct V in A`: values are counted, not calls.

use std::sync::Arc;
use tsl_synth_gate::{Gate, MemoryStore, Policy, Ruling};

const TABLES: &str = r#"
policy = 1
unmatched = "allow"
use = ["git.commit"]

[[match]]
on = "call"
tool = ["Edit", "Write"]
action = "edit"
bind = { file = "/arguments/path" }

[[match]]
on = "call"
writes = ["**"]
action = "edit"
bind = { file = "/writes" }
"#;

fn policy(rule: &str) -> Policy {
    let text = format!("{TABLES}\n[[law]]\nid = \"few\"\n{rule}\nwhy = \"Few files.\"\n");
    Policy::from_text("distinct.toml", &text).unwrap_or_else(|error| panic!("{rule}: {error}"))
}

/// Plays a session: each word is a path that is edited, with `!` a failed edit, with `?` one that is still running; `@` is a
/// command, `commit` a commit, and `restart` begins anew with the journal. Upper case words are to be denied.
fn play(rule: &str, session: &str) {
    let (policy, store) = (policy(rule), Arc::new(MemoryStore::new(|| None)));
    let open = || Gate::new(&policy, "s", store.clone()).expect("a gate");
    let mut gate = open();
    for word in session.split(' ') {
        if word == "restart" {
            gate = open();
            continue;
        }
        let is_denied = word.chars().next().is_some_and(char::is_uppercase);
        let name = word.trim_end_matches(['!', '?']).to_lowercase();
        let (tool, arguments) = match (name.as_str(), name.strip_prefix('@')) {
            ("commit", _) => ("Bash", serde_json::json!({ "command": "git commit -m x" })),
            (_, Some(command)) => ("Bash", serde_json::json!({ "command": command.replace('_', " ") })),
            ("none", _) => ("Edit", serde_json::json!({ "text": "x" })),
            _ => ("Edit", serde_json::json!({ "path": name })),
        };
        let decision = gate.propose(tool, &arguments.to_string()).expect("a decision");
        let found = decision.verdict == Ruling::Deny;
        assert_eq!(found, is_denied, "{rule}: {word} of {session}: {}", decision.reason);
        if !found && !word.ends_with('?') {
            let ok = !word.ends_with('!');
            gate.commit(decision.ticket.as_deref().unwrap_or_default(), Some(ok), None).expect("heard");
        }
    }
}

#[test]
fn values_are_counted_and_not_calls() {
    let rule = "rule = \"at most 3 distinct file in edit since git.commit.ok\"";
    for session in [
        "a b c D",
        "a a a a a b b c c a b c D E",
        "a b c commit d e f A",
        "a b c commit! D a",
        "a b c commit c a",
        "a! b! c! D",
        "a? b? c? D a",
        "a b c restart D a restart b C2 D",
        "a b restart b restart c D",
        "none none none NONE",
        "a b none C a",
        "a none none B a",
        "@ls_>_a b c D a",
        "@ls_>_a;_ls_>_b;_ls_>_c a b D",
        "a b c @ls_>_a",
    ] {
        play(rule, session);
    }
    play("rule = \"at most 1 distinct file in edit\"", "a a a B commit B a");
    play("rule = \"at most 0 distinct file in edit\"", "A B commit A");
    // Of files that are known only when the command runs each may be new.
    play("rule = \"at most 2 distinct file in edit\"", "a @ls_>_$x B a");
    // A failed edit is none.
    play("rule = \"at most 1 distinct file in edit.ok\"", "a! b! c");
}

#[test]
fn registers_of_distinct_values_are_propositions() {
    let count = "rule = \"never edit while open\"\n[[count]]\nname = \"many\"\ndistinct = \"file\"\non = \"edit\"\nabove = 2\n\
                 reset_on = [\"git.commit.ok\"]\n[propositions]\nopen = { state = true }\n[[law]]\nid = \"few2\"\nrule = \"never many\"";
    play(count, "a b a b C commit c d E");
}

#[test]
fn what_cannot_be_counted_is_an_error() {
    for rule in [
        "rule = \"at most 3 distinct name in edit\"",
        "rule = \"at most 3 distinct file in edit per 60s\"",
        "rule = \"at most 3 distinct file in nothing\"",
        "rule = \"at most many distinct file in edit\"",
        "rule = \"never many\"\n[[count]]\nname = \"many\"\ndistinct = \"file\"\ncount = true\non = \"edit\"\nabove = 2",
        "rule = \"never many\"\n[[count]]\nname = \"many\"\ndistinct = \"file\"\nwindow = \"60s\"\non = \"edit\"\nabove = 2",
    ] {
        let text = format!("{TABLES}\n[[law]]\nid = \"few\"\n{rule}\n");
        assert!(Policy::from_text("distinct.toml", &text).is_err(), "{rule}");
    }
}
