//! `--decoding grammar`: the grammar of a stretch goes with its request, to a server that keeps to it, to one that does not
//! know it, and to one that refuses it; requests are counted.

use super::stub::{Reply, Stub};
use crate::cli::{Folder, Run};
use regex::Regex;
use serde_json::{Value, json};

const TALK: &str = "(define talk (:states (Think (:text \"Thought:\")) (Do (:text \"Action:\") (:one-of \"look\" \"listen\")) (See (:text \"Observation:\") (:flags :env-input)) (Say (:text \"Answer:\"))) (:behavior (next (until (next Think Do See) Think) Say)))\n";

fn says(text: &str) -> Reply {
    Reply::body(&json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}).to_string())
}

/// What the model would like to write after a text, the favorite first.
fn wishes(prompt: &str) -> Vec<&'static str> {
    let run = prompt.rsplit("how many?").next().unwrap_or_default();
    if run.contains("there are 42") {
        // Without a grammar it repeats itself, or forgets its thought.
        vec!["Answer: 42", "Thought: I know.\nAnswer: 42", " I know.\nAnswer: 42", "42"]
    } else {
        vec![
            "Action: dance",
            " I look.\nAction: dance",
            " I look.\nAction: look\nObservation:",
            "Thought: I look.\nAction: look\nObservation:",
            "look",
        ]
    }
}

/// A decoder that keeps to `guided_regex` where it is given: of what the model would like to write the first text that
/// the grammar accepts.
fn decoder(body: &Value) -> Reply {
    let prompt = body["messages"][0]["content"].as_str().unwrap_or_default();
    let wishes = wishes(prompt);
    match body["guided_regex"].as_str() {
        None => says(wishes[0]),
        Some(regex) => {
            let regex = Regex::new(&format!("^(?:{regex})$")).expect("a regular expression");
            match wishes.iter().find(|text| regex.is_match(text)) {
                Some(text) => says(text),
                None => Reply::error(500, "", "the model has no such text"),
            }
        }
    }
}

fn play(folder: &Folder, stub: &Stub, args: &[&str]) -> Run {
    folder.file("talk.agent", TALK);
    folder.file("world.jsonl", "{\"kind\":\"act\",\"answer\":\" there are 42\\n\",\"repeat\":true}\n");
    let oracle = format!("{}#m", stub.oracle());
    let fixed = [
        "agent",
        "talk.agent",
        "--oracle",
        &oracle,
        "--env",
        "script:world.jsonl",
        "--task",
        "how many?\n",
        "--record",
        "run.jsonl",
        "--max-loops",
        "1",
    ];
    folder.run(fixed.into_iter().chain(args.iter().copied()))
}

/// The `decoding` of each state that the model wrote.
fn decodings(folder: &Folder) -> Vec<String> {
    let text = std::fs::read_to_string(folder.path().join("run.jsonl")).expect("a record");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    lines.filter_map(|line| Some(line.pointer("/state/decoding")?.as_str()?.to_string())).collect()
}

#[test]
fn one_request_for_each_stretch_where_the_server_keeps_to_grammars() {
    let folder = Folder::new();
    let stub = Stub::answering(decoder);
    let run = play(&folder, &stub, &["--decoding", "grammar"]).exits(0);
    assert!(run.out.contains("Thought: I look.\nAction: look\nObservation: there are 42\n"), "{}", run.out);
    assert!(run.out.ends_with("Answer: 42\n"), "{}", run.out);
    assert!(!run.err.contains("entered by the automaton"), "{}", run.err);
    // Two stretches, and nothing is asked a second time.
    let asked = stub.arrived();
    assert_eq!(asked.len(), 2, "{asked:#?}");
    for request in &asked {
        assert!(request.body["grammar"].as_str().is_some_and(|gbnf| gbnf.starts_with("root ::= ")));
        assert!(request.body.get("stop").is_none());
    }
    // The prefix is kept: the prompt that has to come stands in the text already.
    assert!(asked[0].body["messages"][0]["content"].as_str().is_some_and(|text| text.ends_with("Thought:")));
    assert_eq!(decodings(&folder), ["grammar"; 4]);
    let again = folder.run(["agent", "--replay", "run.jsonl"]).exits(0);
    assert!(again.err.starts_with("the same: "), "{}", again.err);
}

#[test]
fn it_goes_on_state_by_state_where_the_server_does_not() {
    let folder = Folder::new();
    // It does not know the parameters, and ignores them.
    let stub = Stub::answering(|body| {
        let mut body = body.clone();
        body.as_object_mut().expect("an object").remove("guided_regex");
        decoder(&body)
    });
    let run = play(&folder, &stub, &["--decoding", "grammar"]);
    let with = stub.arrived().iter().filter(|request| request.body.get("grammar").is_some()).count();
    assert_eq!(with, 1, "{run:#?}");
    assert!(stub.arrived().len() > 2);
    let decodings = decodings(&folder);
    assert!(!decodings.is_empty() && decodings.iter().all(|one| one == "prompt"), "{decodings:?}");
    let again = folder.run(["agent", "--replay", "run.jsonl"]).exits(0);
    assert!(again.err.starts_with("the same: "), "{}", again.err);

    // The same without the flag, for comparison: nothing says how it was decoded.
    let folder = Folder::new();
    let plain = Stub::answering(decoder);
    play(&folder, &plain, &[]);
    assert!(plain.arrived().len() > 2 && decodings_are_absent(&folder));
}

fn decodings_are_absent(folder: &Folder) -> bool {
    decodings(folder).is_empty()
}

#[test]
fn a_parameter_that_is_refused_leaves_the_others() {
    let folder = Folder::new();
    let stub = Stub::answering(|body| {
        for name in ["grammar", "regex"] {
            if body.get(name).is_some() {
                return Reply::error(400, "", &format!("Unrecognized request argument supplied: {name}"));
            }
        }
        decoder(body)
    });
    play(&folder, &stub, &["--decoding", "grammar"]).exits(0);
    // Two refusals at the first question, none at the second.
    assert_eq!(stub.arrived().len(), 4);
    assert_eq!(decodings(&folder), ["grammar"; 4]);
}

#[test]
fn choices_come_with_a_schema() {
    let folder = Folder::new();
    let stub = Stub::answering(|body| {
        match body.pointer("/response_format/json_schema/schema/properties/answer/enum") {
            Some(numbers) => says(&json!({"answer": numbers[1]}).to_string()),
            None => says("perhaps"),
        }
    });
    let oracle = format!("{}#m", stub.oracle());
    let ask = |args: &[&str]| {
        let fixed = ["oracle", &oracle, "Where to?", "--choice", "left", "--choice", "right", "--usage"];
        folder.run(fixed.into_iter().chain(args.iter().copied()))
    };
    let run = ask(&["--decoding", "grammar"]).exits(0);
    assert_eq!(run.out, "2\n");
    assert!(run.err.contains("with a grammar: 1"), "{}", run.err);
    ask(&[]).exits(1);
}
