//! What does not pass: denied calls, and lines that could hide a call.

use super::{Fake, call, forwarded, passes, proxy, refused, result};
use serde_json::{Value, json};
use tsl_synth::format::mcp::{MESSAGE_LIMIT, REASON_LIMIT};
use tsl_synth::model::Outcome;
use tsl_synth::service::Forward;

#[test]
fn denials_are_results_in_the_form_of_their_era() {
    let (mut proxy, mut gate) = (proxy(), Fake::default());
    let modern = r#","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
    for (id, tool, more, is_modern, says) in [
        ("4.0", "deny", "", false, "not now"),
        ("-1", "deny", modern, true, "not now"),
        (r#""x\u0041\n""#, "ask", "", false, "cannot ask a person"),
        ("1e2", "fail", modern, true, "the disk is full"),
    ] {
        let step = proxy.from_client(call(id, tool, more).as_bytes(), &mut gate);
        let answer = refused(&step);
        assert!(step.answers[0].contains(&format!("\"id\":{id},")), "as it was sent: {}", step.answers[0]);
        let text = answer["result"]["content"][0]["text"].as_str().expect("a text");
        assert!(text.contains(says), "{text}");
        let wanted = is_modern.then_some("complete");
        assert_eq!(
            (answer["result"]["resultType"].as_str(), &answer["result"]["isError"]),
            (wanted, &json!(true))
        );
    }
    // A refused call leaves nothing behind: the same id may be used again.
    forwarded(&proxy.from_client(call("4", "pay", "").as_bytes(), &mut gate));
}

#[test]
fn what_could_hide_a_call_is_refused() {
    let (mut proxy, mut gate) = (proxy(), Fake::default());
    let long =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":"{}"}}"#, "x".repeat(MESSAGE_LIMIT));
    let unclear: &[&[u8]] = &[
        br#"{"jsonrpc":"2.0","id":1,"method":"tools/ca"#,
        br#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"pay"}}"#,
        br#"{"jsonrpc":"2.0","id":1,"method":"ping","m\u0065thod":"tools/call","params":{"name":"pay"}}"#,
        br#"{"jsonrpc":"2.0","id":1,"method":"ping","METHOD":"tools/call","params":{"name":"pay"}}"#,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"param\u{17f}\":{}}".as_bytes(),
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\r{\"method\":\"tools/call\"}\r}",
        b"{\"jsonrpc\":\"2.0\",\"params\":[\r{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"pay\"}}\r]}\n",
        br#"[[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay"}}]]"#,
        br#"{"jsonrpc":"2.0","id":1,"method":["tools/call"],"params":{"name":"pay"}}"#,
        br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay"}}{}"#,
        b"{\"method\":\"tools/call\",\"params\":{\"name\":\"p\xff\"}}",
        b"\"tools/call\"",
        b"Content-Length: 5",
        b"nul\0l",
        long.as_bytes(),
    ];
    for line in unclear {
        let answer = refused(&proxy.from_client(line, &mut gate));
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32_700)), "{answer}");
    }
    // Calls whose parameters are not clear are denied, so that the model sees why.
    let deep = format!(r#","arguments":{{"a":{}{}}}"#, "[".repeat(100), "]".repeat(100));
    for more in [
        r#","name":"ping""#,
        r#","arguments":{"a":1,"a":2}"#,
        r#","arguments":{"x":{"a":1,"\u0061":2}}"#,
        r#","arguments":[]"#,
        r#","arguments":null"#,
        r#","arguments":"{}""#,
        r#","arguments":{},"Arguments":{"a":1}"#,
        r#","Name":"ping""#,
        r#","arguments":{"a":"\ud800"}"#,
        &deep,
    ] {
        let answer = refused(&proxy.from_client(call("7", "pay", more).as_bytes(), &mut gate));
        assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(7), &json!(true)), "{more}");
    }
    for id in ["null", "true", "{}", "[]"] {
        let answer = refused(&proxy.from_client(call(id, "pay", "").as_bytes(), &mut gate));
        assert_eq!(answer["error"]["code"], -32_600);
    }
    for params in ["", r#","params":[]"#, r#","params":{"name":""}"#, r#","params":{"name":5}"#] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call"{params}}}"#);
        assert_eq!(refused(&proxy.from_client(line.as_bytes(), &mut gate))["result"]["isError"], true);
    }
    let without = r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"pay"}}"#;
    let step = proxy.from_client(without.as_bytes(), &mut gate);
    assert_eq!((step.forward, step.answers.len(), step.notes.len()), (Forward::Nothing, 0, 1));
    assert_eq!(gate.told, [], "none of them is for the gate to decide");
    // In shadow mode all of that passes.
    gate.is_shadow = true;
    for line in unclear {
        passes(&proxy.from_client(line, &mut gate));
    }
    passes(&proxy.from_client(without.as_bytes(), &mut gate));
    forwarded(&proxy.from_client(call("8", "deny", "").as_bytes(), &mut gate));
    forwarded(&proxy.from_client(call("9", "fail", "").as_bytes(), &mut gate));
}

#[test]
fn each_call_of_an_array_is_judged() {
    let (mut proxy, mut gate) = (proxy(), Fake::default());
    let ping = r#"{"jsonrpc":"2.0", "id":9,"method":"ping"}"#;
    let line = format!("[{}, {ping},{}]\n", call("1", "deny", ""), call("2", "pay", ""));
    let step = proxy.from_client(line.as_bytes(), &mut gate);
    assert_eq!(step.forward, Forward::Text(format!("[{ping},{}]", call("2", "pay", ""))));
    let answers: Value = serde_json::from_str(&step.answers[0]).expect("JSON");
    assert_eq!(
        (step.answers.len(), &answers[0]["id"], answers.as_array().map(Vec::len)),
        (1, &json!(1), Some(1))
    );
    let answers = format!("[{},{}]", result("9", ""), result("2", r#""isError":true"#));
    passes(&proxy.from_server(answers.as_bytes(), &mut gate));
    assert_eq!(gate.ends(), [("p-2".to_owned(), Outcome::Failed, None)]);
    let line = format!("[{}]", call("1", "deny", ""));
    let step = proxy.from_client(line.as_bytes(), &mut gate);
    assert_eq!((step.forward, step.answers.len()), (Forward::Nothing, 1));
    let unclear = format!("[{},5]", call("1", "pay", ""));
    refused(&proxy.from_client(unclear.as_bytes(), &mut gate));
    assert_eq!(gate.calls().len(), 3);
}

#[test]
fn hostile_names_stay_inside_their_strings() {
    let (mut proxy, mut gate) = (proxy(), Fake::default());
    for name in [
        "deny\\u0000",
        "deny\\n{}",
        "deny\\\"},\\\"id\\\":5",
        "deny\\u202e",
        "deny/../..",
        "denymcp__a__b",
        "deny\u{2028}",
    ] {
        refused(&proxy.from_client(call("1", name, "").as_bytes(), &mut gate));
    }
    let long = format!("deny{}", "\u{1f4a3}".repeat(REASON_LIMIT));
    let step = proxy.from_client(call("1", &long, "").as_bytes(), &mut gate);
    assert!(step.answers[0].len() < 2 * REASON_LIMIT);
    let names: Vec<String> = gate.calls().into_iter().map(|(_, tool, _)| tool).collect();
    assert_eq!(names[..2], ["deny\0", "deny\n{}"]);
    let big = format!(r#","arguments":{{"text":"{}"}}"#, "x".repeat(10 << 20));
    let line = call("2", "pay", &big);
    assert_eq!(forwarded(&proxy.from_client(line.as_bytes(), &mut gate)), line);
}
