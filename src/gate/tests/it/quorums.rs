//! Counts that permit: what is not known counts nothing there, and more than the limit where the count forbids. Values of
//! lists count each, and one path has one value however it is written.

use serde_json::{Value, json};
use std::sync::Arc;
use tsl_synth_gate::{Gate, MemoryStore, Policy, Ruling};

const TABLES: &str = r#"
policy = 1
unmatched = "allow"
[[match]]
on = "call"
tool = "approve"
action = "approve"
bind = { who = "/arguments/by" }
[[match]]
on = "call"
tool = "pay"
action = "pay"
[[match]]
on = "call"
tool = "lock"
action = "lock"
bind = { file = "/arguments/file_path" }
[[match]]
on = "call"
tool = "ship"
action = "ship"
bind = { file = "/arguments/file_path" }
[actions]
groups = [["approve", "pay", "lock", "ship"]]
"#;

fn gate(rules: &str) -> Gate {
    let text = format!("{TABLES}{rules}");
    let policy = Policy::from_text("p.toml", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Gate::new(&policy, "s", Arc::new(MemoryStore::new(|| None))).expect("a gate")
}

/// Proposes a call, and lets it end with a result if it is permitted.
fn call(gate: &mut Gate, tool: &str, arguments: &Value, result: Option<&str>) -> bool {
    let decision = gate.propose(tool, &arguments.to_string()).expect("a decision");
    let is_permitted = decision.verdict == Ruling::Allow;
    if is_permitted {
        gate.commit(decision.ticket.as_deref().unwrap_or_default(), Some(true), result).expect("heard");
    }
    is_permitted
}

/// Laws about `many`, which holds above the limit of the count, and whether they permit `ship` where it holds or forbid it.
const LAWS: [(&str, bool); 6] = [
    ("ltl = \"G(ship -> Y many)\"", true),
    ("ltl = \"G(ship -> O many)\"", true),
    ("ltl = \"!ship W many\"", true),
    ("ltl = \"G(many -> !ship)\"", false),
    ("ltl = \"G(ship -> !Y many)\"", false),
    ("ltl = \"G(Y many -> !ship)\"", false),
];

#[test]
fn an_approval_without_a_name_is_no_second_person() {
    for limit in [0, 1, 2, 5] {
        for (law, permits) in LAWS {
            let count = "[[count]]\nname = \"many\"\ndistinct = \"who\"\non = \"approve\"\n";
            let rules = format!("{count}above = {limit}\n[[law]]\nid = \"l\"\n{law}\n");
            let mut own = gate(&rules);
            for person in 0..limit {
                assert!(call(&mut own, "approve", &json!({ "by": format!("p{person}") }), None));
            }
            for unknown in [json!({}), json!({ "by": null }), json!({ "other": "x" })] {
                assert!(call(&mut own, "approve", &unknown, None), "{unknown}\n{rules}");
                // One that permits does not take it for a person, one that forbids does.
                assert!(!call(&mut own, "ship", &json!({}), None), "{unknown}\n{rules}");
            }
            // One person more.
            assert!(call(&mut own, "approve", &json!({ "by": "last" }), None));
            assert_eq!(call(&mut own, "ship", &json!({}), None), permits, "{rules}");
        }
    }
}

#[test]
fn a_result_without_an_amount_is_no_payment() {
    for (law, permits) in LAWS {
        let count = "[[count]]\nname = \"many\"\nsum = \"/result/amount\"\non = \"pay.ok\"\nabove = 99\n";
        let rules = format!("{count}[[law]]\nid = \"l\"\n{law}\n");
        for unread in
            [None, Some("{}"), Some("{\"amount\": \"100\"}"), Some("{\"amount\": -5}"), Some("\"text\"")]
        {
            let mut own = gate(&rules);
            assert!(call(&mut own, "pay", &json!({}), unread));
            assert!(!call(&mut own, "ship", &json!({}), None), "{unread:?}\n{rules}");
        }
        for (amounts, is_paid) in [(&[100][..], true), (&[50, 49], false), (&[50, 50], true)] {
            let mut own = gate(&rules);
            for amount in amounts {
                assert!(call(&mut own, "pay", &json!({}), Some(&format!("{{\"amount\": {amount}}}"))));
            }
            assert_eq!(call(&mut own, "ship", &json!({}), None), is_paid == permits, "{amounts:?}\n{rules}");
        }
    }
}

#[test]
fn each_value_of_a_list_counts() {
    let rules = |most: usize| format!("[rules]\nfew = \"at most {most} distinct who in approve\"\n");
    for most in [1, 2, 10, 150] {
        let people =
            |from: usize, to: usize| json!({ "by": (from..to).map(|n| format!("p{n}")).collect::<Vec<_>>() });
        let mut own = gate(&rules(most));
        assert!(!call(&mut own, "approve", &people(0, most + 1), None), "{most}");
        // A list whose text is too long to be kept may have any number of values.
        let is_short = people(0, most)["by"].to_string().len() <= 256;
        assert_eq!(call(&mut own, "approve", &people(0, most), None), is_short, "{most}");
        if is_short {
            assert!(call(&mut own, "approve", &people(0, 1), None), "{most}");
            assert!(call(&mut own, "approve", &json!({ "by": "p0" }), None), "{most}");
            assert!(call(&mut own, "approve", &json!({ "by": [] }), None), "{most}");
            assert!(!call(&mut own, "approve", &json!({ "by": ["p0", "new"] }), None), "{most}");
        }
    }
}

#[test]
fn a_path_has_one_value_however_it_is_written() {
    let rules = "[[law]]\nid = \"l\"\nfor_each = [\"file\"]\nrule = \"lock forbids ship after\"\n";
    for (locked, same, other) in [
        ("/a/b", ["/a/b", "/a//b", "//a/b", "/a/./b", "/a/x/../b", "/a/b/"], "/a/c"),
        ("src/a", ["src/a", "./src/a", "src//a", "src/./a", "x/../src/a", "src/a/"], "lib/a"),
        ("./a", ["./a", "././a", "./x/../a", ".//a", "x/../a", "x/y/../../a"], "./b"),
    ] {
        for one in same {
            let mut own = gate(rules);
            assert!(call(&mut own, "lock", &json!({ "file_path": locked }), None));
            assert!(!call(&mut own, "ship", &json!({ "file_path": one }), None), "{locked} {one}");
            assert!(call(&mut own, "ship", &json!({ "file_path": other }), None), "{locked} {other}");
        }
    }
}
