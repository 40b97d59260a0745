//! `view` of traces: pages agree with the output of `simulate` and `explain`. Changing runs on them is tested in a
//! browser (`.ci/view`).

use super::view::{assert_self_contained, data};
use super::{Folder, REALIZABLE};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A machine that rings from the step on in which `b` comes after `a`, with an output that copies the input `c`.
const BELL: &str = r#"HOA: v1
States: 3
Start: 0
AP: 5 "a" "b" "c" "bell" "copy"
controllable-AP: 3 4
acc-name: all
Acceptance: 0 t
--BODY--
State: 0
[0 & (2&4 | !2&!4) & !3] 1
[!0 & (2&4 | !2&!4) & !3] 0
State: 1
[1 & (2&4 | !2&!4) & 3] 2
[!1 & (2&4 | !2&!4) & !3] 1
State: 2
[(2&4 | !2&!4) & 3] 2
--END--
"#;

#[test]
fn traces_are_played_on_pages() {
    let folder = Folder::new();
    folder.file("spec.tsl", REALIZABLE);
    folder
        .run(["simulate", "spec.tsl", "--random", "4", "--seed", "1", "--loop", "-o", "trace.json"])
        .exits(0);
    let html = folder.run(["view", "trace.json", "--effect", "F [x <- a()]"]).exits(0).out;
    assert_self_contained(&html);
    let data = data(&html);
    let trace: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("trace.json")).expect("a trace"))
            .expect("JSON");
    assert_eq!(data["trace"], trace);
    assert_eq!(data["trace"]["machineId"], data["machines"][0]["machineId"]);
    let told = ["explain", "trace.json", "--effect", "F [x <- a()]", "--svg", "x.svg", "--format", "json"];
    assert_eq!(data["cause"], folder.run(told).exits(0).json());
    // A trace that is not one of the machine, and a trace that names no machine.
    folder.file("wrong.json", r#"{ "spec": "spec.tsl", "prefix": [ { "go": true, "x": "b()" } ] }"#);
    assert!(folder.run(["view", "wrong.json"]).exits(2).err.contains("step 0"));
    folder.file("nameless.json", r#"{ "prefix": [ { "go": true } ] }"#);
    assert!(folder.run(["view", "nameless.json"]).exits(2).err.contains("which machine"));
}

/// The values of atoms in a step.
type Values = BTreeMap<String, bool>;

/// The letters of a run on a page in the form of documents, without cells.
fn letters(page: &Value, run: &Value) -> (Vec<Values>, Vec<Values>) {
    let machine = &page["machines"][0];
    let numbers = |list: &Value| -> Vec<u64> {
        list.as_array().expect("a list").iter().map(|number| number.as_u64().expect("a number")).collect()
    };
    let mut atoms = numbers(&machine["inputs"]);
    atoms.extend(numbers(&machine["outputs"]));
    let letter = |letter: &Value| {
        let holding = numbers(letter);
        let name = |atom: u64| machine["atoms"][usize::try_from(atom).expect("small")]["key"].as_str();
        let said = atoms.iter().map(|atom| (name(*atom).expect("a name").to_owned(), holding.contains(atom)));
        said.collect()
    };
    let part = |key: &str| run[key].as_array().expect("letters").iter().map(letter).collect();
    (part("prefix"), part("cycle"))
}

/// The letters of a counterfactual in a document.
fn document_letters(document: &Value) -> (Vec<Values>, Vec<Values>) {
    let part = |key: &str| serde_json::from_value(document[key].clone()).expect("letters");
    (part("prefix"), part("cycle"))
}

/// A folder with a trace on which the bell rings, and arguments for `explain`.
fn bell() -> (Folder, Vec<&'static str>) {
    let folder = Folder::new();
    folder.file("bell.hoa", BELL);
    let letter = |a: bool, b: bool| json!({ "a": a, "b": b, "c": true });
    let letters = [letter(true, false), letter(false, true)];
    let trace = json!({ "machine": "bell.hoa", "effect": "F bell", "prefix": letters, "loop": [letter(false, false)] });
    folder.file("trace.json", trace.to_string());
    (folder, vec!["trace.json", "--hypothesis", "a"])
}

#[test]
fn a_page_of_a_trace_has_the_runs_and_events_of_its_explanation() {
    let (folder, arguments) = bell();
    let html = folder.run([&["view"][..], &arguments].concat()).exits(0).out;
    assert_self_contained(&html);
    let page = data(&html);
    let asked = [&["explain"][..], &arguments, &["--svg", "x.svg", "--format", "json"]].concat();
    let document = folder.run(asked).exits(1).json();
    assert_eq!(page["cause"], document);
    let what_if = &page["whatIf"];
    assert_eq!(what_if["answers"], json!(true));
    assert_eq!(what_if["ended"], Value::Null);
    // The actual run is that of the trace, the nearest counterfactual that of the document.
    let (mut actual, cycle) = letters(&page, &what_if["actual"]);
    actual.extend(cycle);
    let said: Vec<bool> = actual.iter().map(|letter| letter["bell"]).collect();
    assert_eq!(said, [false, true, true]);
    assert_eq!(letters(&page, &what_if["runs"][0]), document_letters(&document["counterfactual"]));
    assert_ne!(letters(&page, &what_if["runs"][0]), letters(&page, &what_if["actual"]));
    // The witnesses against the hypothesis follow.
    let witnesses = document["hypothesis"]["witnesses"].as_array().expect("witnesses");
    assert!(!witnesses.is_empty());
    assert_eq!(what_if["runs"].as_array().map(Vec::len), Some(1 + witnesses.len()));
    for (run, witness) in what_if["runs"].as_array().expect("runs")[1..].iter().zip(witnesses) {
        assert_eq!(run["text"], witness["shows"]);
        let inputs = |letters: Vec<BTreeMap<String, bool>>| -> Vec<BTreeMap<String, bool>> {
            letters
                .into_iter()
                .map(|letter| letter.into_iter().filter(|(name, _)| name.len() == 1).collect())
                .collect()
        };
        let ((prefix, cycle), witness) = (letters(&page, run), document_letters(witness));
        assert_eq!((inputs(prefix), inputs(cycle)), witness);
    }
    // The events of the cause.
    let name = |atom: &Value| {
        page["machines"][0]["atoms"][usize::try_from(atom.as_u64().expect("a number")).expect("small")]["key"]
            .clone()
    };
    let marks = what_if["marks"].as_array().expect("marks").iter();
    let needed: Vec<Value> = marks
        .map(|mark| json!([name(&mark["atom"]), mark["prefix"], mark["period"], mark["needed"]]))
        .collect();
    let events = document["necessary"].as_array().expect("events").iter();
    let necessary: Vec<Value> = events
        .map(|event| json!([event["input"], event["steps"]["prefix"], event["steps"]["period"], true]))
        .collect();
    assert_eq!(needed, necessary);
    assert!(!needed.is_empty());
    // The properties that are evaluated on runs.
    let properties = what_if["properties"].as_array().expect("properties");
    let told: Vec<Value> = properties.iter().map(|one| json!([one["role"], one["text"]])).collect();
    let expected =
        [json!(["effect", "F bell"]), json!(["cause", document["formula"]]), json!(["hypothesis", "a"])];
    assert_eq!(told, expected);
    assert!(properties.iter().all(|one| one["formula"].is_u64()), "{properties:?}");
    // The automaton of the cause is drawn as `explain` draws it.
    let svg = std::fs::read_to_string(folder.path().join("x.svg")).expect("a picture");
    let drawing = &svg[svg.rfind("<svg").expect("a drawing")..svg.rfind("</g>").expect("an end")];
    assert!(drawing.contains("class=\"state"), "{drawing}");
    assert!(html.contains(drawing));
    assert_eq!(html.matches("<svg").count(), 2);
}

#[test]
fn traces_in_other_forms_have_pages_with_their_machine() {
    let (folder, _) = bell();
    let state = |a: bool, b: bool| json!({ "a": a, "b": b, "c": true });
    let states = [state(true, false), state(false, true), state(false, false)];
    folder.file("itf.json", json!({ "vars": ["a", "b", "c"], "states": states, "loop": 2 }).to_string());
    folder.file("lines.jsonl", states.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    folder.file("word.txt", "a & !b & c; !a & b & c; cycle{!a & !b & c}");
    let own = data(&folder.run(["view", "trace.json"]).exits(0).out);
    for (file, is_finite) in [("itf.json", false), ("lines.jsonl", true), ("word.txt", false)] {
        let html = folder.run(["view", file, "--machine", "bell.hoa", "--effect", "F bell"]).exits(0).out;
        assert_self_contained(&html);
        let page = data(&html);
        assert_eq!(page["whatIf"]["actual"], own["whatIf"]["actual"], "{file}");
        assert_eq!(page["whatIf"]["ended"], if is_finite { json!(3) } else { Value::Null }, "{file}");
        assert_eq!(page["cause"]["formula"], own["cause"]["formula"], "{file}");
    }
    let nameless = folder.run(["view", "itf.json"]).exits(2);
    assert!(nameless.err.contains("--machine"), "{}", nameless.err);
    let plain = folder.run(["view", "itf.json", "--machine", "bell.hoa"]).exits(0).out;
    assert_eq!(data(&plain)["whatIf"], Value::Null);
    assert!(folder.run(["view", "nothing.json", "--effect", "F bell"]).exits(2).err.contains("no such file"));
    let unasked = folder.run(["explain", "itf.json", "--machine", "bell.hoa"]).exits(0).out;
    assert!(unasked.contains("`X[2] (bell && copy)` happened"), "{unasked}");
    assert!(folder.run(["view", "--machine", "bell.hoa"]).exits(2).err.contains("one trace"));
    let alone = folder.run(["view", "trace.json", "--machine", "bell.hoa", "--spec", "bell.hoa"]);
    alone.exits(2);
    let without = folder.run(["view", "itf.json", "--machine", "bell.hoa", "--hypothesis", "a"]).exits(2);
    assert!(without.err.contains("--effect"), "{}", without.err);
}

#[test]
fn effects_that_are_automata_are_not_evaluated_on_pages() {
    let (folder, _) = bell();
    let hoa = "HOA: v1\nStates: 2\nStart: 0\nAP: 1 \"bell\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n[0] 1\n[!0] 0\nState: 1 {0}\n[t] 1\n--END--\n";
    folder.file("rings.hoa", hoa);
    let page = data(&folder.run(["view", "trace.json", "--effect", "rings.hoa"]).exits(0).out);
    let properties = page["whatIf"]["properties"].as_array().expect("properties");
    assert_eq!(properties[0]["formula"], Value::Null);
    assert!(properties[1]["formula"].is_u64(), "the cause is a formula: {properties:?}");
}
