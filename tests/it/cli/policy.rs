//! `check`, `emit`, `schema` and `new` of policies, as a user calls them.

use super::Folder;

/// A policy in which booking and freezing together leave a payment owed that is forbidden.
const TRAP: &str = include_str!("../../../fixtures/diagnostics/524-trap.toml");

#[test]
fn traps_are_told_with_the_way_into_them() {
    let folder = Folder::new();
    folder.file("trap.toml", TRAP);
    let run = folder.run(["check", "trap.toml"]).exits(0);
    assert!(run.out.starts_with("CONSISTENT\ntrap after 2 legal steps: once the agent does `book`"), "{run:?}");
    assert!(run.out.contains("  1. agent: book\n  2. agent: freeze\n"), "{run:?}");
    folder.run(["check", "--deny=TSL0524", "trap.toml"]).exits(1);
    let result = &folder.run(["check", "--format", "json", "trap.toml"]).exits(0).json()["results"][0];
    assert_eq!(result["canActAndStop"], true);
    let traps = result["traps"].as_array().expect("a list");
    assert_eq!(traps.len(), 2);
    assert_eq!(traps[1]["laws"], serde_json::json!(["pay-what-is-booked", "no-payment-while-frozen"]));
    assert_eq!(traps[1]["trajectory"][1], serde_json::json!({ "by": "agent", "names": ["freeze"] }));
    // The freeze can be ended: no trap.
    let thaw = TRAP.replace("\"freeze\"]]", "\"freeze\", \"thaw\"]]");
    folder.file("thaw.toml", thaw.replace("[[law]]\nid = \"pay-", "thaw = { may_clear = [\"frozen\"] }\n[[law]]\nid = \"pay-"));
    let run = folder.run(["check", "thaw.toml"]).exits(0);
    assert!(!run.out.contains("trap after") && run.out.contains("these are all"), "{run:?}");
}

#[test]
fn a_policy_that_no_agent_can_keep_is_unrealizable() {
    let folder = Folder::new();
    folder.file("p.toml", include_str!("../../../fixtures/diagnostics/523-unrealizable.toml"));
    let run = folder.run(["check", "p.toml"]).exits(1);
    let expected = "UNREALIZABLE\nwhatever the agent does, the world can make it impossible to keep `report-alarms`\n";
    assert!(run.out.starts_with(expected), "{run:?}");
    let result = &folder.run(["check", "--format", "json", "p.toml"]).exits(1).json()["results"][0];
    assert_eq!((&result["verdict"], &result["lost"]), (&"UNREALIZABLE".into(), &serde_json::json!(["report-alarms"])));
}

#[test]
fn a_check_that_is_cut_says_so() {
    let folder = Folder::new();
    folder.file("p.toml", TRAP.replace("policy = 1", "policy = 1\nend = \"infinite\""));
    let run = folder.run(["check", "p.toml"]);
    assert!(run.err.contains("whether some agent can keep all hard laws is not decided"), "{run:?}");
    assert!(run.err.contains("is not a safety law"), "{run:?}");
}
