//! Requests in JSON: the answers are the JSON documents of the program.

use serde_json::{Value, json};
use tsl_synth_service::{CheckRequest, EmitRequest, Session, SpecLanguage, SpecRequest, answer_json};

fn ask(question: &Value) -> Value {
    serde_json::from_str(&answer_json(&question.to_string())).expect("JSON")
}

fn spec(name: &str, text: &str) -> Value {
    json!({ "texts": [{ "name": name, "text": text }] })
}

const ECHO: &str = "always guarantee { p(x) <-> [y <- f(x)]; }";

#[test]
fn answers_are_the_documents_of_the_verbs() {
    let checked = ask(&json!({ "ask": "check", "spec": spec("echo.tsl", ECHO) }));
    let mut session = Session::new();
    let request = SpecRequest::text(SpecLanguage::Tsl, "echo.tsl", ECHO);
    let report = session.check(&CheckRequest::new(request.clone())).expect("a report");
    assert_eq!(checked["results"][0]["verdict"], "REALIZABLE");
    let own = report.result(&tsl_synth_core::source::SourceMap::new());
    assert_eq!(checked["results"][0]["states"], serde_json::to_value(own).expect("JSON")["states"]);
    let emitted = ask(&json!({ "ask": "emit", "spec": spec("echo.tsl", ECHO), "lang": "js" }));
    let lang = tsl_synth_service::Lang::from_name("js").expect("a target");
    let report = session.emit(&EmitRequest::new(request, lang)).expect("files");
    assert_eq!(emitted, serde_json::to_value(report.document()).expect("JSON"));
    let played = ask(&json!({ "ask": "simulate", "spec": spec("echo.tsl", ECHO), "random": 4, "seed": 7 }));
    assert_eq!(
        played["prefix"].as_array().map_or(0, Vec::len) + played["loop"].as_array().map_or(0, Vec::len),
        4,
        "{played}"
    );
    let why = ask(&json!({
        "ask": "explain",
        "spec": { "texts": [{ "name": "a.ltl", "text": "G (a <-> X b)" }], "outs": ["a"], "ins": ["b"] },
    }));
    assert_eq!(why["verdict"], "UNREALIZABLE", "{why}");
    let cause = ask(&json!({
        "ask": "explain",
        "spec": { "texts": [{ "name": "a.ltl", "text": "G (b <-> a)" }], "outs": ["b"] },
        "trace": "a & b; cycle{!a & !b}",
        "effect": "b",
    }));
    assert!(cause["error"].is_null() && cause.to_string().contains("\"a\""), "{cause}");
}

#[test]
fn a_verdict_can_be_had_without_what_explains_it() {
    let text = "always guarantee { p(x) -> [y <- a()]; p(x) -> [y <- b()]; }";
    let ask_with = |hints: &str| ask(&json!({ "ask": "check", "spec": spec("a.tsl", text), "hints": hints }));
    let (none, brief) = (ask_with("none"), ask_with("brief"));
    let default = ask(&json!({ "ask": "check", "spec": spec("a.tsl", text) }));
    for answer in [&none, &brief, &default] {
        assert_eq!(answer["results"][0]["verdict"], "UNREALIZABLE");
        assert_eq!(answer["results"][0]["certificate"]["checked"], true);
    }
    assert!(none["results"][0]["core"].is_null(), "{none}");
    assert!(none["results"][0]["hints"].is_null(), "{none}");
    assert_eq!(brief["results"][0]["core"], default["results"][0]["core"]);
    assert_eq!(brief["results"][0]["core"]["guarantees"].as_array().map(Vec::len), Some(2));
}

#[test]
fn targets_are_told_and_counter_strategies_emitted() {
    let about = ask(&json!({ "ask": "about" }));
    let langs = about["langs"].as_array().expect("targets");
    assert_eq!(about["tool"]["version"], tsl_synth_service::VERSION);
    let contradiction = spec("a.tsl", "always guarantee { p(x) -> [y <- a()]; p(x) -> [y <- b()]; }");
    for lang in langs {
        let name = &lang["name"];
        let controller = ask(&json!({ "ask": "emit", "spec": spec("echo.tsl", ECHO), "lang": name }));
        assert!(controller["error"].is_null(), "{name}: {controller}");
        let counter = json!({ "ask": "emit", "spec": contradiction, "lang": name, "counter": true });
        assert_eq!(ask(&counter)["error"].is_null(), lang["counter"] == true, "{name}");
    }
    assert!(langs.iter().any(|lang| lang["code"] == true && lang["counter"] == false), "{about}");
}

#[test]
fn what_is_no_question_is_an_error() {
    let none = json!({ "texts": [] });
    let mixed = json!({ "texts": [{ "name": "a.tsl", "text": "" }, { "name": "b.ltl", "text": "" }] });
    for (question, why) in [
        (json!({}), "no question"),
        (json!({ "ask": "sing" }), "no question"),
        (json!({ "ask": "check", "spec": none }), "at least one text"),
        (json!({ "ask": "check", "spec": spec("a.txt", "G a") }), ".tsl, .ltl or .tlsf"),
        (json!({ "ask": "check", "spec": mixed }), "one language"),
        (json!({ "ask": "emit", "spec": spec("a.tsl", ECHO), "lang": "cobol" }), "no target `cobol`"),
        (json!({ "ask": "check", "spec": spec("a.tsl", ECHO), "color": 1 }), "no question"),
    ] {
        let error = ask(&question)["error"].as_str().map(str::to_owned);
        assert!(error.as_ref().is_some_and(|error| error.contains(why)), "{question}: {error:?}");
    }
    // Errors of a specification and limits are reported as verdicts.
    let bad = ask(&json!({ "ask": "check", "spec": spec("a.tsl", "always {") }));
    assert_eq!(bad["results"][0]["verdict"], "ERROR");
    let cut = ask(&json!({ "ask": "check", "spec": spec("a.tsl", ECHO), "work": 1 }));
    assert_eq!(cut["results"][0]["verdict"], "UNKNOWN");
}
