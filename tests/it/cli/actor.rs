//! `agent POLICY`, `agent stats` on its records, and the experiments about policies, as a user calls them.

use super::{Folder, Run};
use serde_json::Value;

fn folder() -> Folder {
    let folder = Folder::new();
    for name in ["household.toml", "saycan.json"] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/policies").join(name);
        folder.file(name, std::fs::read_to_string(path).expect("a policy of the gallery"));
    }
    folder
}

fn agent(folder: &Folder, more: &[&str]) -> Run {
    folder.run(std::iter::once(&"agent").chain(more))
}

#[test]
fn a_task_is_done_recorded_replayed_and_counted() {
    let folder = folder();
    let call = [
        "household.toml",
        "--env",
        "household:toilet",
        "--oracle",
        "sim",
        "--seed",
        "3",
        "--record",
        "run.jsonl",
    ];
    let run = agent(&folder, &call);
    assert_eq!(run.code, 0, "{}", run.err);
    // The refusals and the plan are those of the example in the paper (Safety Chip).
    let done: Vec<&str> = run.out.lines().filter_map(|line| line.trim().strip_prefix("done:     ")).collect();
    assert_eq!(done[..3], ["walk to bedroom", "walk to living room", "walk to bathroom"], "{}", run.out);
    assert!(run.out.contains("refused:  walk to bathroom (by living-before-bathroom)"), "{}", run.out);
    assert!(run.err.contains("the goal is reached"), "{}", run.err);
    let replayed = folder.run(["agent", "--replay", "run.jsonl", "-q"]);
    assert_eq!(replayed.code, 0, "{}", replayed.err);
    assert!(replayed.err.contains("the same"), "{}", replayed.err);
    let stats = folder.run(["agent", "stats", "run.jsonl", "run.jsonl", "--format", "json"]);
    assert_eq!(stats.code, 0, "{}", stats.err);
    let stats: Value = serde_json::from_str(&stats.out).expect("JSON");
    assert_eq!(
        (&stats["runs"], &stats["violating"], &stats["ends"]["done"]),
        (&2.into(), &0.into(), &2.into())
    );
    let text = folder.run(["agent", "stats", "run.jsonl"]);
    assert!(text.out.contains("refused proposals") && text.out.contains("sit on toilet"), "{}", text.out);
    let explained = folder.run(["explain", "run.jsonl"]);
    assert_eq!(explained.code, 2, "{}", explained.out);
    // A record is not replayed after its policy was changed.
    let text = std::fs::read_to_string(folder.path().join("household.toml")).expect("a policy");
    folder.file("household.toml", format!("{text}# Changed.\n"));
    let changed = folder.run(["agent", "--replay", "run.jsonl", "-q"]);
    assert_eq!(changed.code, 1);
    assert!(changed.err.contains("the policy changed"), "{}", changed.err);
}

#[test]
fn a_run_without_an_allowed_action_says_so() {
    let folder = folder();
    let call = ["saycan.json", "--env", "inventory", "--oracle", "script:answers.jsonl", "--retries", "1"];
    folder.file("answers.jsonl", "{\"kind\":\"choose\",\"answer\":5,\"repeat\":true}\n");
    let run = agent(&folder, &call);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.err.contains("all 2 proposals of one step were refused"), "{}", run.err);
    assert!(run.out.contains("refused:  action_mine_diamond"), "{}", run.out);
    assert!(!run.out.contains("done:"), "{}", run.out);
    let shadow =
        agent(&folder, &[&call[..], &["--shadow", "--turns", "2", "--record", "shadow.jsonl"]].concat());
    assert_eq!(shadow.code, 1);
    assert!(shadow.out.contains("done:     action_mine_diamond, and failed"), "{}", shadow.out);
    assert!(shadow.err.contains("hard laws violated: saycan-hard-001"), "{}", shadow.err);
    assert_eq!(folder.run(["agent", "stats", "shadow.jsonl"]).code, 1);
}

#[test]
fn invalid_calls_are_reported() {
    let folder = folder();
    folder.file("host.tsl", "always guarantee { [x <- f(x)]; }\n");
    for (call, why) in [
        (&["saycan.json", "--oracle", "sim"][..], "--env inventory"),
        (&["saycan.json", "--env", "inventory"], "nobody is there to answer"),
        (&["saycan.json", "--env", "household:laundry", "--oracle", "sim"], "salmon, toilet"),
        (&["saycan.json", "--env", "inventory:x", "--oracle", "sim"], "it has diamond"),
        (&["saycan.json", "--env", "moon", "--oracle", "sim"], "is no oracle"),
        (&["saycan.json", "--env", "inventory", "--oracle", "sim", "--regenerate", "2"], "--regenerate"),
        (&["host.tsl", "--oracle", "sim", "--actor", "score"], "`--actor` is about policies"),
        (&["missing.json", "--env", "inventory", "--oracle", "sim"], "missing.json"),
    ] {
        let run = agent(&folder, call);
        assert_eq!(run.code, 2, "{call:?}: {} {}", run.out, run.err);
        assert!(run.err.contains(why), "{call:?}: {}", run.err);
    }
    // An environment of another policy.
    let other = agent(&folder, &["household.toml", "--env", "inventory", "--oracle", "sim", "--turns", "3"]);
    assert_eq!(other.code, 1, "{}", other.err);
    assert!(other.err.contains("no proposition and no action that the environment reports"), "{}", other.err);
}

#[test]
fn names_of_environments_do_not_reach_the_terminal_as_control_characters() {
    let folder = folder();
    folder.file(
        "world.jsonl",
        "{\"kind\":\"act\",\"answer\":\"{\\\"text\\\":\\\"\\\\u001b[31m\\\",\\\"true\\\":[],\\\"actions\\\":[\\\"action_mine_diamond\\\",\\\"a\\\\u001b[2J\\\"],\\\"goals\\\":[\\\"\\\\u001b[1m\\\"]}\",\"repeat\":true}\n",
    );
    let run =
        agent(&folder, &["saycan.json", "--env", "script:world.jsonl", "--oracle", "sim", "--turns", "2"]);
    assert_eq!(run.code, 1, "{} {}", run.out, run.err);
    assert!(run.out.contains("refused:"), "{}", run.out);
    assert!(!run.out.contains('\u{1b}') && !run.err.contains('\u{1b}'), "{:?} {:?}", run.out, run.err);
}

#[test]
fn the_experiments_write_tables_and_charts() {
    let folder = folder();
    let call = ["experiment", "safety-chip", "--games", "1", "-o", "out", "--progress", "never"];
    let run = folder.run(call);
    assert_eq!(run.code, 0, "{}", run.err);
    let again = folder.run(["experiment", "safety-chip", "--games", "1"]);
    assert_eq!(again.out, run.out, "the same seed gives the same bytes");
    let read =
        |name: &str| std::fs::read_to_string(folder.path().join("out").join(name)).expect("it is written");
    assert_eq!(read("safety-chip.csv").lines().count(), 1 + 12);
    assert!(read("safety-chip.svg").contains("<svg") && read("safety-chip.txt").contains("with the chip/5"));
    folder.file("laws.json", "{}");
    let bad = folder.run(["experiment", "ltlcrit", "--laws", "laws.json"]);
    assert_eq!((bad.code, bad.err.contains("no list")), (2, true), "{}", bad.err);
    let wrong = folder.run(["experiment", "react", "--laws", "laws.json"]);
    assert_eq!(
        (wrong.code, wrong.err.contains("it reads `--spec` (a behavior)")),
        (2, true),
        "{}",
        wrong.err
    );
    folder.file("laws.json", "[{\"law\": \"G(obs_has_wings -> X(action_fly))\"}]");
    let unknown = folder.run(["experiment", "ltlcrit", "--laws", "laws.json", "--games", "1"]);
    assert_eq!((unknown.code, unknown.out.as_str()), (2, ""), "{}", unknown.err);
    assert!(
        unknown.err.contains("`laws.json`: ") && unknown.err.contains("`obs_has_wings`"),
        "{}",
        unknown.err
    );
}
