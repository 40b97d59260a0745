//! Requests without a machine: sessions in memory.

use crate::{Desk, OpenStore, Platform};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use tsl_synth_gate::{MemoryStore, Policy, PolicyError, Store, Surroundings};

struct Nowhere;

impl Platform for Nowhere {
    fn memory(&self) -> Arc<dyn Store> {
        Arc::new(MemoryStore::new(|| None))
    }
    fn files(&self, _: Option<&Path>, _: bool) -> Result<OpenStore, String> {
        Err("no files".into())
    }
    fn policy(&self, _: &Path) -> Result<Policy, PolicyError> {
        Err(PolicyError::Unreadable("no files".into()))
    }
    fn surroundings(&self, folder: Option<&Path>) -> Result<Surroundings, String> {
        folder.map_or_else(|| Ok(Surroundings::default()), |_| Err("no files".into()))
    }
}

const ONCE: &str = "policy = 1\nunmatched = 'deny'\n[actions]\ngroups = [['pay']]\n[propositions]\nfine = { state = true }\n\
    [[match]]\non = 'call'\ntool = 'pay'\naction = 'pay'\n[[law]]\nid = 'once'\nrule = 'at most 1 pay'\n";

fn desk() -> Desk {
    Desk::new(Box::new(Nowhere))
}

fn ask(desk: &Desk, request: &Value) -> Value {
    serde_json::from_str(&desk.answer(&request.to_string())).expect("answers are JSON")
}

/// A desk whose gate has the number 3.
fn with_gate() -> Desk {
    let desk = desk();
    let policy = ask(&desk, &json!({"ask": "policy", "name": "once.toml", "text": ONCE}));
    assert_eq!((&policy["number"], &policy["laws"]), (&json!(1), &json!(["once"])));
    assert_eq!(ask(&desk, &json!({"ask": "store"})), json!({"number": 2}));
    let gate = ask(&desk, &json!({"ask": "gate", "policy": 1, "store": 2, "session": "s"}));
    assert_eq!(gate, json!({"number": 3}));
    desk
}

fn fault(answer: &Value) -> (&str, &str) {
    let text = |name: &str| answer["error"][name].as_str().unwrap_or_default();
    (text("kind"), text("message"))
}

#[test]
fn calls_are_decided() {
    let desk = with_gate();
    let propose = json!({"ask": "propose", "gate": 3, "tool": "pay", "arguments": {"eur": 5}, "id": "c1"});
    let first = ask(&desk, &propose);
    assert_eq!((&first["verdict"], &first["isAllowed"]), (&json!("allow"), &json!(true)));
    assert_eq!(first["document"]["id"], "c1");
    let commit =
        json!({"ask": "commit", "gate": 3, "ticket": first["ticket"], "ok": true, "result": {"done": 1}});
    assert_eq!(ask(&desk, &commit), json!({"broken": [], "owed": [], "faults": []}));
    assert_eq!(fault(&ask(&desk, &commit)), ("gate", "the ticket is used"));
    let second = ask(&desk, &json!({"ask": "propose", "gate": 3, "tool": "pay"}));
    assert_eq!((&second["verdict"], &second["by"]), (&json!("deny"), &json!(["once"])));
    assert_eq!((&second["isAllowed"], &second["ticket"]), (&json!(false), &json!(null)));
    assert_eq!(ask(&desk, &json!({"ask": "end", "gate": 3}))["isAllowed"], json!(true));
    assert!(ask(&desk, &json!({"ask": "options", "gate": 3}))["allowed"].is_array());
    for event in [
        json!({"ask": "message", "gate": 3, "role": "user", "text": "hello"}),
        json!({"ask": "observe", "gate": 3, "truths": {"fine": true}}),
        json!({"ask": "tick", "gate": 3}),
        json!({"ask": "close", "gate": 3}),
    ] {
        assert_eq!(ask(&desk, &event), json!({"broken": [], "owed": [], "faults": []}), "{event}");
    }
}

#[test]
fn what_is_not_understood_is_an_error() {
    let desk = with_gate();
    for (request, what) in [
        (json!(null), "not understood"),
        (json!({"ask": "allow"}), "not understood"),
        (json!({"ask": "propose", "gate": 3, "tool": "pay", "verdict": "allow"}), "not understood"),
        (json!({"ask": "propose", "gate": 3}), "`tool` is missing"),
        (json!({"ask": "propose", "tool": "pay"}), "number of the gate is missing"),
        (json!({"ask": "propose", "gate": 1, "tool": "pay"}), "it is no gate"),
        (json!({"ask": "propose", "gate": 9, "tool": "pay"}), "there is no gate 9"),
        (json!({"ask": "message", "gate": 3, "role": "system", "text": "x"}), "`role`"),
        (json!({"ask": "gate", "policy": 1, "store": 2}), "`session` is missing"),
        (json!({"ask": "gate", "policy": 2, "store": 2, "session": "t"}), "it is no policy"),
        (json!({"ask": "free"}), "`number` is missing"),
        (json!({"ask": "journal", "store": 2, "session": "s"}), "has no files"),
    ] {
        let answer = ask(&desk, &request);
        let (kind, message) = fault(&answer);
        assert_eq!(kind, "request", "{request}");
        assert!(message.contains(what), "{request}: {message}");
    }
    assert_eq!(fault(&ask(&desk, &json!({"ask": "store", "folder": "x"}))), ("gate", "no files"));
    assert_eq!(fault(&ask(&desk, &json!({"ask": "policy", "path": "x"}))), ("policy", "no files"));
}

#[test]
fn arguments_stay_arguments() {
    let desk = with_gate();
    for text in ["{", "", "{\"a\": 1, \"a\": 2}", "{}, \"tool\": \"other\"", "{} {}", "\u{0}"] {
        let answer = ask(&desk, &json!({"ask": "propose", "gate": 3, "tool": "pay", "argumentsText": text}));
        assert_eq!(fault(&answer).0, "gate", "{text}: {answer}");
    }
    let twice = r#"{"ask": "propose", "gate": 3, "tool": "pay", "arguments": {"a": 1, "a": 2}}"#;
    assert!(desk.answer(twice).contains("name a key twice"));
    let other = r#"{"ask": "propose", "gate": 3, "tool": "pay", "tool": "other"}"#;
    assert!(desk.answer(other).contains("duplicate field `tool`"));
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let answer = ask(&desk, &json!({"ask": "propose", "gate": 3, "tool": "pay", "argumentsText": deep}));
    assert_eq!(fault(&answer).0, "gate");
    let allowed =
        ask(&desk, &json!({"ask": "propose", "gate": 3, "tool": "pay", "argumentsText": "{\"a\": [1]}"}));
    assert_eq!(allowed["verdict"], "allow");
}

#[test]
fn errors_of_a_policy_have_places() {
    let answer =
        ask(&desk(), &json!({"ask": "policy", "text": "policy = 1\n[[law]]\nid = 'x'\nltl = 'G ('\n"}));
    assert_eq!(fault(&answer).0, "policy");
    let finding = &answer["error"]["findings"][0];
    assert!(finding["code"].as_str().is_some_and(|code| code.starts_with("TSL")), "{finding}");
    assert_eq!((&finding["severity"], &finding["line"]), (&json!("error"), &json!(4)));
}

#[test]
fn freed_objects_are_gone_and_what_uses_them_stays() {
    let desk = with_gate();
    for number in [1, 2] {
        assert_eq!(ask(&desk, &json!({"ask": "free", "number": number})), json!({}));
    }
    assert_eq!(ask(&desk, &json!({"ask": "propose", "gate": 3, "tool": "pay"}))["verdict"], "allow");
    ask(&desk, &json!({"ask": "free", "number": 3}));
    assert_eq!(fault(&ask(&desk, &json!({"ask": "end", "gate": 3}))), ("request", "there is no gate 3"));
    // Numbers are not used again.
    assert_eq!(ask(&desk, &json!({"ask": "store"})), json!({"number": 4}));
}

#[test]
fn proxies_refuse_calls_and_read_their_results() {
    let desk = with_gate();
    let made = ask(&desk, &json!({"ask": "proxy", "gate": 3, "server": "bank", "prefix": "p"}));
    assert_eq!(made, json!({"number": 4}));
    let call = |id: u32, tool: &str| {
        let line = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": {}}});
        ask(&desk, &json!({"ask": "from-client", "proxy": 4, "line": line.to_string()}))
    };
    let granted = call(1, "pay");
    assert_eq!((&granted["forward"], &granted["answers"]), (&json!(true), &json!([])), "{granted}");
    let ended = json!({"jsonrpc": "2.0", "id": 1, "result": {"content": []}}).to_string();
    assert_eq!(ask(&desk, &json!({"ask": "from-server", "proxy": 4, "line": ended}))["forward"], json!(true));
    let refused = call(2, "pay");
    assert_eq!(refused["forward"], json!(false));
    assert!(refused["answers"][0].as_str().is_some_and(|text| text.contains("once")), "{refused}");
    assert_eq!(call(3, "unknown")["forward"], json!(false));
    let tools = json!({"jsonrpc": "2.0", "id": 4, "method": "tools/list"}).to_string();
    ask(&desk, &json!({"ask": "from-client", "proxy": 4, "line": tools}));
    let listed =
        json!({"jsonrpc": "2.0", "id": 4, "result": {"tools": [{"name": "pay"}, {"name": "unknown"}]}});
    let step = ask(&desk, &json!({"ask": "from-server", "proxy": 4, "line": listed.to_string()}));
    assert!(
        step["text"].as_str().is_some_and(|text| text.contains("pay") && !text.contains("unknown")),
        "{step}"
    );
    assert_eq!(ask(&desk, &json!({"ask": "server-gone", "proxy": 4}))["answers"], json!([]));
    assert_eq!(fault(&ask(&desk, &json!({"ask": "from-client", "proxy": 3, "line": ""}))).0, "request");
}
