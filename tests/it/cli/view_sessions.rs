//! `view POLICY`, `JOURNAL`, `RECORD`, `AGENT`, `GRAMMAR`: pages agree with the output of `monitor`, `shield`, `plan`.
//! Stepping through them is tested in a browser (`.ci/view`).

use super::Folder;
use super::view::{assert_self_contained, data};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn specs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("specs")
}

fn text(path: &Path) -> String {
    path.to_str().expect("a path in UTF-8").to_owned()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The names at these indices.
fn names(numbers: &Value, all: &[String]) -> Vec<String> {
    list(numbers)
        .iter()
        .map(|n| all[usize::try_from(n.as_u64().expect("a number")).expect("small")].clone())
        .collect()
}

/// The policies of the gallery with their logs.
fn gallery() -> Vec<(PathBuf, PathBuf)> {
    let logs = std::fs::read_dir(specs().join("policies/logs")).expect("logs");
    let mut found: Vec<(PathBuf, PathBuf)> = logs
        .map(|log| {
            let log = log.expect("a log").path();
            let name = log.file_name().expect("a name").to_string_lossy().into_owned();
            let stem = name.split('.').next().expect("a stem").to_owned();
            (specs().join(format!("policies/{stem}.toml")), log)
        })
        .collect();
    found.sort();
    assert!(found.len() > 10);
    found
}

#[test]
fn a_page_of_a_policy_says_what_monitor_says() {
    let folder = Folder::new();
    let (mut violations, mut owed) = (0, 0);
    for (policy, log) in gallery() {
        let (policy, log) = (text(&policy), text(&log));
        let html = folder.run(["view", &policy, &log]).exits(0).out;
        assert_self_contained(&html);
        let data = data(&html);
        let laws: Vec<String> =
            list(&data["automata"]).iter().map(|law| law["name"].as_str().expect("a name").into()).collect();
        let told = folder.run(["monitor", &policy, &log, "--format", "json"]).out;
        let rows: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let mut rows = rows.iter().filter(|row| row["kind"] == json!("step"));
        let sessions = list(&data["sessions"]);
        assert_eq!(sessions.len(), 1, "{log}");
        let mut standing: BTreeMap<&str, &str> = BTreeMap::new();
        for (law, automaton) in laws.iter().zip(list(&data["automata"])) {
            standing.insert(law, automaton["states"][0]["standing"].as_str().expect("a word"));
        }
        for event in list(&sessions[0]["events"]) {
            for moved in list(&event["moves"]) {
                let law = usize::try_from(moved["of"].as_u64().expect("a number")).expect("small");
                standing.insert(&laws[law], moved["standing"].as_str().expect("a word"));
            }
            let says = !list(&event["letters"]).is_empty() || !event["owed"].is_null();
            if !says && list(&event["notes"]).is_empty() {
                continue;
            }
            let row = rows.next().unwrap_or_else(|| panic!("{log}: no row for {event}"));
            assert_eq!(event["line"], row["line"], "{log}");
            let shown: BTreeMap<&str, &str> = row["laws"]
                .as_object()
                .expect("laws")
                .iter()
                .map(|(law, word)| (law.as_str(), word.as_str().expect("a word")))
                .collect();
            assert_eq!(standing, shown, "{log}, line {}", row["line"]);
            assert_eq!(
                json!(names(&event["violated"], &laws)),
                row.get("violated").cloned().unwrap_or(json!([])),
                "{log}"
            );
            violations += list(&event["violated"]).len();
            if let Some(own) = row.get("owed") {
                assert_eq!(json!(names(&event["owed"], &laws)), *own, "{log}");
                owed += list(own).len();
            }
        }
        assert_eq!(rows.next(), None, "{log}");
    }
    assert!(violations > 5 && owed > 0, "{violations} violations, {owed} owed");
}

#[test]
fn a_page_of_a_policy_says_what_the_gate_says() {
    let folder = Folder::new();
    let mut refused = 0;
    // Journals have a test of their own.
    for (policy, log) in
        gallery().into_iter().filter(|(_, log)| log.extension().is_some_and(|e| e == "jsonl"))
    {
        let html = folder.run(["view", &text(&policy), &text(&log)]).exits(0).out;
        let data = data(&html);
        let events = list(&data["sessions"][0]["events"]);
        let shown: Vec<(Value, Value)> = events
            .iter()
            .filter(|event| !event["ruling"].is_null())
            .map(|event| (event["ruling"]["verdict"].clone(), event["ruling"]["reason"].clone()))
            .collect();
        // Logs in JSON Lines are requests of the gate, which reads calls as proposals.
        let lines = std::fs::read_to_string(&log).expect("a log");
        let run = folder.run_with(["shield", &text(&policy), "--shadow"], &lines).exits(0);
        let told: Vec<(Value, Value)> = run
            .out
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
            .filter(|answer| answer["answer"] == json!("verdict"))
            .map(|answer| (answer["verdict"].clone(), answer["reason"].clone()))
            .collect();
        assert_eq!(shown, told, "{}", log.display());
        refused += told.iter().filter(|(verdict, _)| *verdict == json!("deny")).count();
    }
    assert!(refused > 5, "{refused} refusals");
}

#[test]
fn a_policy_has_a_page_without_a_log() {
    let folder = Folder::new();
    let policy = text(&specs().join("policies/refunds.toml"));
    let html = folder.run(["view", &policy]).exits(0).out;
    assert_self_contained(&html);
    assert_eq!(folder.run(["view", &policy, "-o", "x.html"]).exits(0).out, "");
    assert_eq!(std::fs::read_to_string(folder.path().join("x.html")).expect("a page"), html);
    let data = data(&html);
    assert_eq!(data["sessions"], json!([]));
    let hoa = folder.run(["emit", &policy, "--lang", "hoa"]).exits(0).out;
    for (automaton, text) in list(&data["automata"]).iter().zip(hoa.split("HOA: v1").skip(1)) {
        let states = list(&automaton["states"]).len();
        assert!(text.contains(&format!("States: {states}\n")), "{text}");
        assert!(text.contains(&format!("name: {}\n", automaton["name"])), "{text}");
    }
    assert_eq!(html.matches("<svg").count(), list(&data["automata"]).len());
    assert!(folder.run(["view", &policy, "--effect", "F x"]).exits(2).err.contains("`--effect`"));
    assert!(folder.run(["view", &policy, "nothing.jsonl"]).exits(2).err.contains("nothing.jsonl"));
}

#[test]
fn a_journal_shows_what_the_gate_said() {
    let folder = Folder::new();
    let policy = text(&specs().join("policies/refunds.toml"));
    let requests = [
        json!({"event": "propose", "id": "c1", "tool": "refund_order", "arguments": {"order_id": "7"}}),
        json!({"event": "propose", "id": "c2", "tool": "check_receipt", "arguments": {"order_id": "7"}}),
        json!({"event": "result", "id": "c2", "ok": true, "result": {"valid": true}}),
        json!({"event": "propose", "id": "c3", "tool": "refund_order", "arguments": {"order_id": "7"}}),
        json!({"event": "end"}),
    ];
    let lines = requests.iter().map(|request| format!("{request}\n")).collect::<Vec<_>>().concat();
    let told = folder.run_with(["shield", &policy, "--journal", "journals"], &lines).exits(0).out;
    let told: Vec<Value> = told
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .filter(|answer| answer["answer"] == json!("verdict"))
        .map(|answer| json!([answer["verdict"], answer["reason"]]))
        .collect();
    let journal = walkdir::WalkDir::new(folder.path().join("journals"))
        .into_iter()
        .map(|entry| entry.expect("an entry").into_path())
        .find(|path| std::fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"{\"sum\":\"")))
        .expect("a journal");
    // The journal names its policy; the policy may also be an argument.
    for args in
        [vec!["view".to_owned(), text(&journal)], vec!["view".to_owned(), policy.clone(), text(&journal)]]
    {
        let html = folder.run(args.iter().map(String::as_str)).exits(0).out;
        assert_self_contained(&html);
        let data = data(&html);
        assert_eq!(list(&data["sessions"]).len(), 1);
        let events = list(&data["sessions"][0]["events"]);
        let shown: Vec<Value> = events
            .iter()
            .filter(|event| !event["ruling"].is_null())
            .map(|event| {
                json!([event["ruling"]["verdict"], event["ruling"]["reason"].as_str().unwrap_or_default()])
            })
            .collect();
        let told: Vec<Value> =
            told.iter().map(|pair| json!([pair[0], pair[1].as_str().unwrap_or_default()])).collect();
        assert_eq!(shown, told);
        let refused = events.iter().find(|event| event["kind"] == json!("refused")).expect("a refusal");
        assert_eq!((&refused["aside"], &refused["ruling"]["then"]), (&json!(true), &json!(true)));
        assert!(list(&refused["moves"]).is_empty(), "a refused call moves no law");
    }
}

#[test]
fn behaviors_and_grammars_have_pages() {
    let folder = Folder::new();
    let html = folder.run(["view", &text(&specs().join("agents/react.agent"))]).exits(0).out;
    assert_self_contained(&html);
    let document = data(&html);
    assert_eq!(document["kind"], json!("behavior"));
    let emitted =
        folder.run(["emit", &text(&specs().join("agents/react.agent")), "--lang", "json"]).exits(0).json();
    assert_eq!(list(&document["automata"][0]["states"]).len(), list(&emitted["nodes"]).len());
    let edges: usize = list(&emitted["nodes"]).iter().map(|node| list(&node["next"]).len()).sum();
    assert_eq!(list(&document["automata"][0]["edges"]).len(), edges);

    let grammar = text(&specs().join("plans/cooking.cfg"));
    let html = folder.run(["view", &grammar]).exits(0).out;
    assert_self_contained(&html);
    assert_eq!(folder.run(["view", &grammar]).exits(0).out, html);
    let document = data(&html);
    let sessions = list(&document["sessions"]);
    assert!(sessions.len() > 3, "{} sessions", sessions.len());
    for session in &sessions[1..] {
        // The steps correspond one to one to the nodes of the derivation tree except the root.
        let tree = &document["automata"]
            [usize::try_from(session["automata"][0].as_u64().expect("one")).expect("small")];
        let mut seen: Vec<u64> = list(&session["events"])
            .iter()
            .map(|event| event["moves"][0]["at"][0]["state"].as_u64().expect("a state"))
            .collect();
        seen.sort_unstable();
        assert_eq!(seen, (1..list(&tree["states"]).len() as u64).collect::<Vec<u64>>());
        assert_eq!(list(&tree["edges"]).len(), seen.len(), "a tree");
    }
}

#[test]
fn records_of_agents_have_pages() {
    let folder = Folder::new();
    let spec = text(&specs().join("adventure/story_forest.tsl"));
    folder.run(["agent", &spec, "--oracle", "sim", "--turns", "5", "--record", "r.jsonl", "-q"]).exits(0);
    let html = folder.run(["view", "r.jsonl"]).exits(0).out;
    assert_self_contained(&html);
    let document = data(&html);
    let record = std::fs::read_to_string(folder.path().join("r.jsonl")).expect("a record");
    let lines: Vec<Value> = record.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let turns: Vec<&Value> = lines.iter().filter_map(|line| line.get("turn")).collect();
    assert_eq!(document["trace"]["machineId"], lines[0]["header"]["machineId"]);
    assert_eq!(list(&document["trace"]["prefix"]).len(), turns.len());
    assert_eq!(list(&document["remarks"]).len(), turns.len());
    for (turn, letter) in turns.iter().zip(list(&document["trace"]["prefix"])) {
        for (name, holds) in turn["inputs"].as_object().expect("inputs") {
            assert_eq!(letter[name], *holds, "{name}");
        }
    }
}

#[test]
fn a_cause_is_drawn_with_its_automaton() {
    let folder = Folder::new();
    let spec = text(&specs().join("adventure/cave_start.tsl"));
    let letter = json!({"inMarket(summary)": false, "inCave(summary)": false});
    let trace =
        json!({"spec": spec, "effect": "G ![passage <- toCave(summary)]", "prefix": [], "loop": [letter]});
    folder.file("trace.json", trace.to_string());
    let plain = folder.run(["explain", "trace.json", "--format", "json"]).exits(0).json();
    let told = folder.run(["explain", "trace.json", "--format", "json", "--svg", "x.svg"]).exits(0).json();
    assert_eq!(told["formula"], plain["formula"]);
    assert_eq!(told["automaton"], plain["automaton"], "the picture does not change what is printed");
    folder.run(["explain", "trace.json", "--automaton", "x.hoa"]).exits(0);
    let hoa = std::fs::read_to_string(folder.path().join("x.hoa")).expect("an automaton");
    let picture = std::fs::read_to_string(folder.path().join("x.svg")).expect("a picture");
    let states = hoa.lines().filter(|line| line.starts_with("State:")).count();
    assert!(states > 0);
    assert_eq!(picture.matches("data-state=").count(), states, "{picture}");
    assert!(picture.contains("The cause as an automaton"), "{picture}");
    assert!(picture.contains("prefers-color-scheme"), "{picture}");
    folder.run(["explain", "trace.json", "--svg", "y.svg"]).exits(0);
    assert_eq!(std::fs::read_to_string(folder.path().join("y.svg")).expect("a picture"), picture);
}

#[test]
fn a_record_under_a_policy_shows_what_was_refused() {
    let folder = Folder::new();
    let policy = text(&specs().join("policies/household.toml"));
    let call = ["--env", "household:toilet", "--oracle", "sim", "--seed", "3", "--record", "run.jsonl", "-q"];
    folder.run(["agent", &policy].iter().chain(&call)).exits(0);
    let html = folder.run(["view", "run.jsonl"]).exits(0).out;
    assert_self_contained(&html);
    let document = data(&html);
    let record = std::fs::read_to_string(folder.path().join("run.jsonl")).expect("a record");
    let lines: Vec<Value> = record.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let steps = lines.iter().filter_map(|line| line.get("step"));
    let refused: Vec<(&Value, &Value)> = steps
        .flat_map(|step| list(&step["refused"]))
        .map(|refused| (&refused["by"], &refused["reason"]))
        .collect();
    assert!(!refused.is_empty());
    let events = list(&document["sessions"][0]["events"]);
    let shown: Vec<(&Value, &Value)> = events
        .iter()
        .filter(|event| event["kind"] == json!("refused"))
        .map(|event| (&event["ruling"]["by"], &event["ruling"]["reason"]))
        .collect();
    assert_eq!(shown, refused);
    // The other events are those that `monitor` reads.
    let told = folder.run(["monitor", &policy, "run.jsonl", "--format", "json"]).exits(0).out;
    let last: Value = serde_json::from_str(told.lines().last().expect("a line")).expect("JSON");
    let letters: usize = events.iter().map(|event| list(&event["letters"]).len()).sum();
    assert_eq!(json!(letters), last["letters"]);
    assert_eq!(json!(events.iter().filter(|event| event["aside"].is_null()).count()), last["events"]);
}

#[test]
fn a_record_of_a_behavior_shows_its_states() {
    let folder = Folder::new();
    let agent = text(&specs().join("agents/react.agent"));
    folder.run(["agent", &agent, "--oracle", "sim", "--record", "run.jsonl", "-q"]);
    let html = folder.run(["view", "run.jsonl"]).exits(0).out;
    assert_self_contained(&html);
    let document = data(&html);
    let record = std::fs::read_to_string(folder.path().join("run.jsonl")).expect("a record");
    let lines: Vec<Value> = record.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let states: Vec<&Value> =
        lines.iter().filter_map(|line| line.get("state")).map(|state| &state["state"]).collect();
    assert!(states.len() > 1, "{record}");
    let nodes = &document["automata"][0]["states"];
    let shown: Vec<&Value> = list(&document["sessions"][0]["events"])
        .iter()
        .flat_map(|event| list(&event["moves"]))
        .map(|moved| {
            &nodes[usize::try_from(moved["at"][0]["state"].as_u64().expect("a state")).expect("small")]["name"]
        })
        .collect();
    assert_eq!(shown, states);
}

#[test]
fn a_call_for_which_a_person_was_asked_counts_when_its_result_comes() {
    let folder = Folder::new();
    let given = std::fs::read_to_string(specs().join("policies/refunds.toml")).expect("a policy");
    folder.file("asking.toml", given.replacen("[[law]]", "[[law]]\non_violation = \"ask\"", 1));
    let refund = |id: &str| json!({"event": "propose", "id": id, "tool": "refund_order", "arguments": {"order_id": "7"}});
    let result = |id: &str| json!({"event": "result", "id": id, "ok": true, "result": {}});
    // A call that was never approved, one that was approved, and one that was proposed again before that.
    let cases = [
        (vec![refund("c1")], 0),
        (vec![refund("c1"), result("c1")], 1),
        (vec![refund("c1"), refund("c1"), result("c1")], 1),
    ];
    for (number, (requests, calls)) in cases.into_iter().enumerate() {
        let lines = requests.iter().map(|request| format!("{request}\n")).collect::<Vec<_>>().concat();
        let journals = format!("journals{number}");
        let told = folder.run_with(["shield", "asking.toml", "--journal", &journals], &lines).exits(0).out;
        assert!(told.contains("\"ask\""), "{told}");
        let journal = walkdir::WalkDir::new(folder.path().join(&journals))
            .into_iter()
            .map(|entry| entry.expect("an entry").into_path())
            .find(|path| std::fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"{\"sum\":\"")))
            .expect("a journal");
        let data = data(&folder.run(["view", "asking.toml", &text(&journal)]).exits(0).out);
        let events = list(&data["sessions"][0]["events"]);
        let seen = events.iter().filter(|event| event["kind"] == json!("call")).count();
        assert_eq!(seen, calls, "{requests:?}");
        let monitored = folder.run(["monitor", "asking.toml", &text(&journal)]);
        // Without a call no session is judged.
        assert_eq!(monitored.code, if calls > 0 { 1 } else { 3 }, "{}", monitored.out);
    }
}
