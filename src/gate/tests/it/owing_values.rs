//! Many values of `for_each` that owe something, beside laws about all calls: no reason to deny.

use serde_json::json;
use std::sync::Arc;
use tsl_synth_gate::{Gate, MemoryStore, Policy, Ruling};

const HEAD: &str = r#"
policy = 1
unmatched = "allow"
[[match]]
on = "call"
tool = "edit"
action = "edit"
bind = { file = "/arguments/file" }
[[match]]
on = "call"
tool = "review"
action = "review"
bind = { file = "/arguments/file" }
[[match]]
on = "call"
tool = "check_all"
action = "check_all"
[[match]]
on = "call"
tool = "push"
action = "push"
[actions]
groups = [["edit", "review", "check_all", "push"]]
"#;

/// Laws about each file that owe something, and laws about all calls.
const OWING: [&str; 3] =
    ["after edit end requires review", "edit then review eventually", "after edit end requires check_all"];
const SHARED: [&str; 6] = [
    "",
    "push requires review since edit",
    "push requires check_all since edit",
    "push forbids edit after",
    "at most 3 push",
    "at most 600 distinct file in edit",
];

#[test]
fn any_number_of_values_may_owe_something() {
    for owing in OWING {
        for shared in SHARED {
            let all = if shared.is_empty() { String::new() } else { format!("all = \"{shared}\"\n") };
            let rules =
                format!("[rules]\n{all}[[law]]\nid = \"each\"\nfor_each = [\"file\"]\nrule = \"{owing}\"\n");
            let text = format!("{HEAD}{rules}");
            let policy = Policy::from_text("p.toml", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let gate = Gate::new(&policy, "s", Arc::new(MemoryStore::new(|| None))).expect("a gate");
            let call = |tool: &str, file: &str| {
                let decision = gate.propose(tool, &json!({ "file": file }).to_string()).expect("a decision");
                if let Some(ticket) = &decision.ticket {
                    gate.commit(ticket, Some(true), None).expect("heard");
                }
                (decision.verdict < Ruling::Ask, decision.reason)
            };
            for number in 0..30 {
                let (allowed, reason) = call("edit", &format!("f{number}"));
                assert!(allowed, "file {number}: {reason}\n{rules}");
            }
            let settles = |number: usize| match owing {
                "after edit end requires check_all" => call("check_all", ""),
                _ => call("review", &format!("f{number}")),
            };
            for number in 0..30 {
                assert!(!gate.end().expect("a decision").is_allowed(), "{number} files settled\n{rules}");
                let (allowed, reason) = settles(number);
                assert!(allowed, "review of file {number}: {reason}\n{rules}");
                if owing.ends_with("check_all") {
                    break;
                }
            }
            let end = gate.end().expect("a decision");
            assert!(end.is_allowed(), "{}\n{rules}", end.reason);
        }
    }
}

/// The reason to go on says which values are left, also where it is too hard to say how all laws can be kept.
#[test]
fn what_is_owed_is_said_for_its_values() {
    for (count, more) in [(1, ""), (3, ""), (10, ""), (14, " and 4 more")] {
        for shared in ["", "at most 3 push", "push requires review since edit"] {
            let shared = if shared.is_empty() { String::new() } else { format!("all = \"{shared}\"\n") };
            let text = format!(
                "{HEAD}[rules]\n{shared}each = \"after edit end requires review for each file\"\nno = \"never check_all\"\n"
            );
            let policy = Policy::from_text("p.toml", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let gate = Gate::new(&policy, "s", Arc::new(MemoryStore::new(|| None))).expect("a gate");
            for number in 0..count {
                let edit = json!({ "file": format!("f{number:02}") }).to_string();
                let decision = gate.propose("edit", &edit).expect("a decision");
                let ticket = decision.ticket.unwrap_or_else(|| panic!("{}\n{text}", decision.reason));
                gate.commit(&ticket, Some(true), None).expect("heard");
            }
            let files: Vec<String> = (0..count.min(10)).map(|number| format!("file=f{number:02}")).collect();
            let owed = format!("Owed before the end: each for {}{more}.", files.join(", "));
            let end = gate.end().expect("a decision");
            assert!(!end.is_allowed() && end.reason.contains(&owed), "{}\n{text}", end.reason);
            // What violates a law at once is denied by that law, however hard the others are.
            let decision = gate.propose("check_all", "{}").expect("a decision");
            assert_eq!(decision.by, ["no"], "{}\n{text}", decision.reason);
            assert!(decision.reason.contains(&owed), "{}\n{text}", decision.reason);
            let one = decision.reason.contains("Shortest way to an accepted end");
            assert!(count == 1 || !one, "{}\n{text}", decision.reason);
        }
    }
}
