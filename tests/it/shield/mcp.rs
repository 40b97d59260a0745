//! The proxy in front of an MCP server, line by line, without a process.

use serde_json::{Value, json};
use tsl_synth::format::mcp::{MESSAGE_LIMIT, REASON_LIMIT};
use tsl_synth::model::{Answer, HostEvent, HostEventKind, Outcome, Ruling};
use tsl_synth::service::{Forward, Input, McpGate, McpProxy, McpStep, MemoryJournal, Session, Shield};

/// A gate that decides by the name of the tool, and writes down what it is told.
#[derive(Default)]
struct Fake {
    told: Vec<HostEventKind<'static>>,
    is_shadow: bool,
}

impl McpGate for Fake {
    fn event(&mut self, event: &HostEvent<'_>) -> Result<Answer, String> {
        let kind = event.clone().into_owned().kind;
        self.told.push(kind.clone());
        let ruling = match &kind {
            HostEventKind::Call { tool, .. } if tool.starts_with("deny") => Ruling::Deny,
            HostEventKind::Call { tool, .. } if tool.starts_with("ask") => Ruling::Ask,
            HostEventKind::Call { tool, .. } if tool.starts_with("fail") => {
                return Err("the disk is full".into());
            }
            _ => Ruling::Allow,
        };
        Ok(Answer { ruling, reason: "not now \u{1b}[31m\"".into(), laws: vec![], ticket: None })
    }
    fn never_permits(&mut self, _: &str, tool: &str) -> bool {
        tool.starts_with("never")
    }
    fn is_shadow(&self) -> bool {
        self.is_shadow
    }
}

impl Fake {
    fn calls(&self) -> Vec<(String, String, String)> {
        let call = |kind: &HostEventKind<'static>| match kind {
            HostEventKind::Call { id, tool, arguments, server } => {
                assert_eq!(server.as_deref(), Some("bank"));
                Some((id.clone()?.into_owned(), tool.to_string(), arguments.as_str().to_owned()))
            }
            _ => None,
        };
        self.told.iter().filter_map(call).collect()
    }
    fn ends(&self) -> Vec<(String, Outcome, Option<String>)> {
        let end = |kind: &HostEventKind<'static>| match kind {
            HostEventKind::Result { call, outcome, result } => {
                let result = result.as_ref().map(|text| text.as_str().to_owned());
                Some((call.clone()?.into_owned(), *outcome, result))
            }
            _ => None,
        };
        self.told.iter().filter_map(end).collect()
    }
}

fn proxy() -> McpProxy {
    McpProxy::new("s1", "bank", "p")
}

fn call(id: &str, tool: &str, more: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}"{more}}}}}"#)
}

/// A result of the call with this id.
fn result(id: &str, inner: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{{inner}}}}}"#)
}

#[track_caller]
fn passes(step: &McpStep) {
    assert_eq!((&step.forward, step.answers.len()), (&Forward::Same, 0), "{step:?}");
}

#[track_caller]
fn forwarded(step: &McpStep) -> &str {
    match &step.forward {
        Forward::Text(text) if step.answers.is_empty() => text,
        _ => panic!("{step:?}"),
    }
}

/// The only answer to a line that is not passed on.
#[track_caller]
fn refused(step: &McpStep) -> Value {
    assert_eq!((&step.forward, step.answers.len()), (&Forward::Nothing, 1), "{step:?}");
    assert!(!step.answers[0].contains('\n'), "{step:?}");
    serde_json::from_str(&step.answers[0]).expect("JSON")
}

/// A session in which these lines of the client (`>`) and of the server (`<`) pass, and calls among them are granted.
#[track_caller]
fn run(lines: &[(char, String)]) -> Fake {
    let (mut proxy, mut gate) = (proxy(), Fake::default());
    for (side, line) in lines {
        let step = match side {
            '>' => proxy.from_client(line.as_bytes(), &mut gate),
            _ => proxy.from_server(line.as_bytes(), &mut gate),
        };
        assert!(step.forward != Forward::Nothing && step.answers.is_empty(), "{line}: {step:?}");
    }
    gate
}

#[test]
fn what_is_not_judged_passes_as_it_is() {
    let (mut proxy, mut gate) = (proxy(), Fake::default());
    for line in [
        "",
        "\n",
        " \t\r\n",
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#,
        r#" { "method" : "server/discover","jsonrpc":"2.0" , "id" : 4.0e0 , "params":{"a":1,"a":2} } "#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}"#,
        r#"{"jsonrpc":"2.0","id":"x\u0041","method":"no/such","extra":[[]]}"#,
        r#"{"jsonrpc":"2.0","id":9,"result":{"roots":[]}}"#,
        r#"{"jsonrpc":"2.0","id":9,"error":{"code":-1,"message":"no"}}"#,
        r#"[{"jsonrpc":"2.0","id":11,"method":"ping"}, {"jsonrpc":"2.0","method":"notifications/x"}]"#,
        r#"{"jsonrpc":"2.0","id":12,"method":"subscriptions/listen","params":{"text":"tools/call"}}"#,
        "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":13,\"method\":\"ping\"}\r\n",
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}"#,
    ] {
        passes(&proxy.from_client(line.as_bytes(), &mut gate));
    }
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":14,"method":"ping","params":{}1{}}}"#,
        "[".repeat(5000),
        "]".repeat(5000)
    );
    passes(&proxy.from_client(deep.as_bytes(), &mut gate));
    for line in [
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sampling/createMessage\"}\n".as_slice(),
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"deny\"}}\n",
        b"half a lin",
        b"\xff\xfe\n",
        b"Server started on stdio\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n",
        b"[]",
    ] {
        passes(&proxy.from_server(line, &mut gate));
    }
    assert_eq!(gate.told, []);
}

#[test]
fn granted_calls_are_written_from_what_was_judged() {
    let (mut proxy, mut gate) = (proxy(), Fake::default());
    let sent = r#"{ "id": 4.0, "jsonrpc": "2.0", "method": "tools\/call", "x": [1.50, 1e400],
 "params": {"_meta": {"progressToken": "t"}, "name": "p\u0061y", "arguments": {"\u0065ur": 9.0, "n": 12345678901234567890123}}}"#;
    let sent = sent.replace('\n', "");
    let step = proxy.from_client(sent.as_bytes(), &mut gate);
    assert_eq!(
        forwarded(&step),
        r#"{"id":4.0,"jsonrpc":"2.0","method":"tools/call","x":[1.50,1e400],"params":{"_meta":{"progressToken":"t"},"name":"pay","arguments":{"eur":9.0,"n":12345678901234567890123}}}"#
    );
    let wanted =
        ("p-1".to_owned(), "pay".to_owned(), r#"{"eur":9.0,"n":12345678901234567890123}"#.to_owned());
    assert_eq!(gate.calls(), [wanted]);
    // The server may write the same number otherwise.
    passes(
        &proxy.from_server(result("4", r#""content":[],"structuredContent":{"ok":1}"#).as_bytes(), &mut gate),
    );
    assert_eq!(gate.ends(), [("p-1".to_owned(), Outcome::Ok, Some(r#"{"ok":1}"#.to_owned()))]);
    let step = proxy.from_client(call("\"a\"", "pay", "").as_bytes(), &mut gate);
    assert_eq!(forwarded(&step), call("\"a\"", "pay", ""));
    assert_eq!(gate.calls()[1].2, "{}");
}

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
fn outcomes_are_told_as_the_answers_say() {
    let text = |text: &str| format!(r#""content":[{{"type":"text","text":{}}}]"#, Value::from(text));
    let (ok, failed, unknown) = (Outcome::Ok, Outcome::Failed, Outcome::Unknown);
    for (inner, outcome, value) in [
        (text("done"), ok, Some("\"done\"")),
        (text(r#"{"a":1}"#), ok, Some(r#"{"a":1}"#)),
        (format!(r#"{},"isError":false,"resultType":"complete""#, text("x")), ok, Some("\"x\"")),
        (format!(r#"{},"structuredContent":{{"b":2}}"#, text("x")), ok, Some(r#"{"b":2}"#)),
        (format!(r#"{},"isError":true"#, text("no")), failed, Some("\"no\"")),
        (format!(r#"{},"isError":"true""#, text("no")), unknown, Some("\"no\"")),
        (format!(r#"{},"isError":false,"isError":true"#, text("no")), unknown, None),
        (format!(r#"{},"resultType":"no_such""#, text("x")), unknown, None),
        (String::new(), ok, None),
    ] {
        let gate =
            run(&[('>', call("1", "pay", "")), ('<', result("1", &inner)), ('<', result("1", &inner))]);
        assert_eq!(gate.ends(), [("p-1".to_owned(), outcome, value.map(str::to_owned))], "{inner}");
    }
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}"#;
    let gate = run(&[('>', call("1", "pay", "")), ('<', error.into())]);
    assert_eq!(gate.ends()[0].1, failed);
    // Neither is an answer to the call: another id, a request of the server, half a line.
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#.to_owned();
    let gate = run(&[
        ('>', call("1", "pay", "")),
        ('<', result("\"1\"", "")),
        ('<', request),
        ('<', "{\"jsonrpc\":\"2.0\",\"id\":1,\"resu".into()),
    ]);
    assert_eq!(gate.ends(), []);
}

/// Two requests with one id could exchange their answers, so that a call looks as if it had succeeded.
#[test]
fn ids_are_not_used_twice_at_once() {
    let (mut proxy, mut gate) = (proxy(), Fake::default());
    forwarded(&proxy.from_client(call("1", "pay", "").as_bytes(), &mut gate));
    let list = r#"{"jsonrpc":"2.0","id":1.0,"method":"tools/list"}"#;
    for line in [&call("1", "pay", ""), &call("1.0", "pay", ""), list] {
        assert_eq!(refused(&proxy.from_client(line.as_bytes(), &mut gate))["error"]["code"], -32_600);
    }
    passes(&proxy.from_client(list.replace("1.0", "\"1\"").as_bytes(), &mut gate));
    passes(&proxy.from_client(br#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#, &mut gate));
    assert_eq!(
        refused(&proxy.from_client(call("3", "pay", "").as_bytes(), &mut gate))["error"]["code"],
        -32_600
    );
    passes(&proxy.from_server(result("3", "").as_bytes(), &mut gate));
    assert_eq!(gate.ends(), []);
    passes(&proxy.from_server(result("1", "").as_bytes(), &mut gate));
    forwarded(&proxy.from_client(call("1", "pay", "").as_bytes(), &mut gate));
    let ids: Vec<String> = gate.calls().into_iter().map(|(id, _, _)| id).collect();
    assert_eq!(ids, ["p-1", "p-2"], "ids that clients use again are other calls");
}

#[test]
fn the_outcome_of_a_cancelled_call_is_unknown() {
    let cancel = |id: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id},"reason":"x"}}}}"#
        )
    };
    let mut lines = vec![('>', call("1", "pay", "")), ('>', cancel("1.0")), ('>', cancel("1"))];
    let gate = run(&lines);
    assert_eq!(gate.ends(), [("p-1".to_owned(), Outcome::Unknown, None)]);
    // The answer was on its way: it passes, and what was told stands. A later cancellation is of nothing.
    lines.extend([('<', result("1", "")), ('>', cancel("1"))]);
    assert_eq!(run(&lines).ends().len(), 1);
    let gate = run(&[('>', call("1", "pay", "")), ('<', result("1", "")), ('>', cancel("1"))]);
    assert_eq!(gate.ends(), [("p-1".to_owned(), Outcome::Ok, None)]);
    // Until it comes, the id is in use.
    let (mut proxy, mut gate) = (proxy(), Fake::default());
    proxy.from_client(call("1", "pay", "").as_bytes(), &mut gate);
    proxy.from_client(cancel("1").as_bytes(), &mut gate);
    refused(&proxy.from_client(call("1", "pay", "").as_bytes(), &mut gate));
}

#[test]
fn more_input_is_for_the_same_call() {
    let asks = |id: &str, state: &str| {
        result(id, &format!(r#""resultType":"input_required","inputRequests":{{}}{state}"#))
    };
    let again = |id: &str, arguments: &str, state: &str| {
        call(
            id,
            "pay",
            &format!(r#","arguments":{arguments},"inputResponses":{{"ok":{{"action":"accept"}}}}{state}"#),
        )
    };
    let first = |id: &str| call(id, "pay", r#","arguments":{"eur":9,"to":"x"}"#);
    let state = |state: &str| format!(r#","requestState":"{state}""#);
    let gate = run(&[
        ('>', first("1")),
        ('<', asks("1", &state("s"))),
        ('>', again("2", r#"{"to":"x","eur":9.0}"#, &state("s"))),
        ('<', asks("2", &state("t"))),
        ('>', again("3", r#"{"eur":9,"to":"x"}"#, &state("t"))),
        ('<', result("3", r#""resultType":"complete","content":[]"#)),
    ]);
    let ids: Vec<String> = gate.calls().into_iter().map(|(id, _, _)| id).collect();
    assert_eq!(ids, ["p-1"; 3]);
    assert_eq!(gate.ends().len(), 1);
    // Other arguments, a state that is used or unknown, or a call that ended: other calls.
    for (lines, wanted) in [
        (vec![again("2", r#"{"eur":10,"to":"x"}"#, &state("s"))], vec!["p-1", "p-2"]),
        (vec![again("2", r#"{"eur":9,"to":"x"}"#, &state("other"))], vec!["p-1", "p-2"]),
        (vec![again("2", r#"{"eur":9,"to":"x"}"#, "")], vec!["p-1", "p-2"]),
        (vec![first("2")], vec!["p-1", "p-2"]),
        (vec![again("2", r#"{"eur":9,"to":"x"}"#, &state("s")); 1], vec!["p-1", "p-1"]),
        (
            vec![
                again("2", r#"{"eur":9,"to":"x"}"#, &state("s")),
                again("3", r#"{"eur":9,"to":"x"}"#, &state("s")),
            ],
            vec!["p-1", "p-1", "p-2"],
        ),
    ] {
        let before = [('>', first("1")), ('<', asks("1", &state("s")))];
        let all: Vec<(char, String)> =
            before.into_iter().chain(lines.into_iter().map(|line| ('>', line))).collect();
        let ids: Vec<String> = run(&all).calls().into_iter().map(|(id, _, _)| id).collect();
        assert_eq!(ids, wanted);
    }
    // Without a state the oldest of equal calls is meant.
    let gate = run(&[
        ('>', first("1")),
        ('>', first("2")),
        ('<', asks("2", "")),
        ('<', asks("1", "")),
        ('>', again("3", r#"{"eur":9,"to":"x"}"#, "")),
        ('>', again("4", r#"{"eur":9,"to":"x"}"#, "")),
    ]);
    let ids: Vec<String> = gate.calls().into_iter().map(|(id, _, _)| id).collect();
    assert_eq!(ids, ["p-1", "p-2", "p-1", "p-2"]);
}

/// A law that allows one call allows it with all the input that the server asks for, and no second one.
#[test]
fn more_input_adds_no_letter() {
    struct Real(Shield<MemoryJournal>);
    impl McpGate for Real {
        fn event(&mut self, event: &HostEvent<'_>) -> Result<Answer, String> {
            self.0.event(event).map(|told| told.answer)
        }
        fn never_permits(&mut self, server: &str, tool: &str) -> bool {
            self.0.never_permits(Some(server), tool)
        }
        fn is_shadow(&self) -> bool {
            false
        }
    }
    let policy = r#"policy = 1
name = "once"
[actions]
groups = [["pay", "look"]]
[[match]]
on = "call"
server = "bank"
tool = "pay*"
action = "pay"
[[match]]
on = "call"
server = "shop"
tool = "look"
action = "look"
[[law]]
id = "once"
rule = "at most 1 pay"
"#;
    let loaded = Session::new()
        .policy(&Input::Text { name: "once.toml".into(), text: policy.into() })
        .expect("a policy");
    let shield = Shield::new(loaded, "hash", "once.toml", MemoryJournal::default(), false);
    let mut gate = Real(shield.map_err(|(failure, _)| failure.reason()).expect("a gate"));
    let mut proxy = proxy();
    forwarded(&proxy.from_client(call("1", "pay", "").as_bytes(), &mut gate));
    let asks = result("1", r#""resultType":"input_required","requestState":"s""#);
    passes(&proxy.from_server(asks.as_bytes(), &mut gate));
    forwarded(&proxy.from_client(call("2", "pay", r#","requestState":"s""#).as_bytes(), &mut gate));
    let answer =
        refused(&proxy.from_client(call("3", "pay", r#","requestState":"s""#).as_bytes(), &mut gate));
    assert!(
        answer["result"]["content"][0]["text"].as_str().is_some_and(|text| text.contains("once")),
        "{answer}"
    );
    passes(&proxy.from_server(result("2", "").as_bytes(), &mut gate));
    refused(&proxy.from_client(call("4", "pay_all", "").as_bytes(), &mut gate));
    // Tools that no table names are left out; those are kept that are refused in this state only.
    let kept: Vec<bool> = ["pay", "pay_all", "look", "other"]
        .into_iter()
        .map(|tool| !gate.never_permits("bank", tool))
        .collect();
    assert_eq!(kept, [true, true, false, false]);
}

#[test]
fn tasks_tell_how_their_calls_end() {
    let task = r#""taskId":"t1","status":"#;
    let started = [
        result("1", r#""resultType":"task","taskId":"t1","status":"working","ttlMs":null"#),
        result("1", r#""task":{"taskId":"t1","status":"working"}"#),
    ];
    let ask = |id: &str, method: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tasks/{method}","params":{{"taskId":"t1"}}}}"#)
    };
    for start in started {
        let begin = || vec![('>', call("1", "pay", "")), ('<', start.clone())];
        let then = |lines: Vec<(char, String)>| {
            let all: Vec<_> = begin().into_iter().chain(lines).collect();
            run(&all).ends().into_iter().map(|(id, outcome, _)| (id, outcome)).collect::<Vec<_>>()
        };
        let end = |outcome| vec![("p-1".to_owned(), outcome)];
        assert_eq!(then(vec![]), []);
        let polled = |status: &str, more: &str| {
            vec![('>', ask("2", "get")), ('<', result("2", &format!("{task}\"{status}\"{more}")))]
        };
        assert_eq!(then(polled("working", "")), []);
        assert_eq!(then(polled("input_required", "")), []);
        assert_eq!(then(polled("completed", r#","result":{"content":[]}"#)), end(Outcome::Ok));
        assert_eq!(
            then(polled("completed", r#","result":{"content":[],"isError":true}"#)),
            end(Outcome::Failed)
        );
        assert_eq!(then(polled("failed", "")), end(Outcome::Failed));
        assert_eq!(then(polled("cancelled", "")), end(Outcome::Unknown));
        // Version 2025-11-25 gives the result by a request of its own.
        assert_eq!(then(polled("completed", "")), []);
        assert_eq!(
            then(vec![('>', ask("2", "result")), ('<', result("2", r#""content":[]"#))]),
            end(Outcome::Ok)
        );
        for method in ["notifications/tasks", "notifications/tasks/status"] {
            let told = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{{task}"failed"}}}}"#);
            assert_eq!(then(vec![('<', told.clone()), ('<', told)]), end(Outcome::Failed));
        }
        let other = ask("2", "get").replace("t1", "t2");
        assert_eq!(then(vec![('>', other), ('<', result("2", &format!("{task}\"failed\"")))]), []);
    }
}

#[test]
fn lists_lack_only_what_is_never_permitted() {
    let (mut proxy, mut gate) = (proxy(), Fake::default());
    let list = |id: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{{"cursor":"c"}}}}"#)
    };
    passes(&proxy.from_client(list("1").as_bytes(), &mut gate));
    let answer = r#"{"result" : { "tools":[ {"name":"never1"} , {"name":"pay", "inputSchema":{"type": "object"}},{"name":"n\u0065ver2"},{"x":1}, {"name":"deny"}],"nextCursor":"d", "ttlMs":5.0,"cacheScope":"private","resultType":"complete","_meta":{}},"id":1,"jsonrpc":"2.0"}"#;
    let step = proxy.from_server(format!("{answer}\n").as_bytes(), &mut gate);
    assert_eq!(
        forwarded(&step),
        r#"{"result" : { "tools":[{"name":"pay", "inputSchema":{"type": "object"}},{"x":1},{"name":"deny"}],"nextCursor":"d", "ttlMs":5.0,"cacheScope":"private","resultType":"complete","_meta":{}},"id":1,"jsonrpc":"2.0"}"#
    );
    // Not a list that anybody asked for, a page with nothing to leave out, one that becomes empty, an error.
    passes(&proxy.from_server(answer.as_bytes(), &mut gate));
    passes(&proxy.from_client(list("2").as_bytes(), &mut gate));
    passes(&proxy.from_server(result("2", r#""tools":[ {"name":"pay"} ]"#).as_bytes(), &mut gate));
    passes(&proxy.from_client(list("3").as_bytes(), &mut gate));
    let step = proxy
        .from_server(result("3", r#""tools":[{"name":"never"}],"nextCursor":"e""#).as_bytes(), &mut gate);
    assert_eq!(forwarded(&step), result("3", r#""tools":[],"nextCursor":"e""#));
    passes(&proxy.from_client(list("4").as_bytes(), &mut gate));
    passes(&proxy.from_server(br#"{"jsonrpc":"2.0","id":4,"error":{"code":1,"message":"x"}}"#, &mut gate));
    gate.is_shadow = true;
    passes(&proxy.from_client(list("5").as_bytes(), &mut gate));
    passes(&proxy.from_server(answer.replace("\"id\":1", "\"id\":5").as_bytes(), &mut gate));
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
fn calls_that_a_server_leaves_behind_are_unknown() {
    let (mut proxy, mut gate) = (proxy(), Fake::default());
    let modern = r#","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
    forwarded(&proxy.from_client(call("1.0", "pay", "").as_bytes(), &mut gate));
    forwarded(&proxy.from_client(call("2", "pay", modern).as_bytes(), &mut gate));
    passes(&proxy.from_client(br#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#, &mut gate));
    let step = proxy.server_gone(&mut gate);
    let answers: Vec<Value> =
        step.answers.iter().map(|text| serde_json::from_str(text).expect("JSON")).collect();
    assert_eq!(answers.len(), 2);
    assert!(step.answers[0].contains("\"id\":1.0,") && answers[0]["result"].get("resultType").is_none());
    assert_eq!(answers[1]["result"]["resultType"], "complete");
    assert!(gate.ends().iter().all(|(_, outcome, _)| *outcome == Outcome::Unknown) && gate.ends().len() == 2);
    assert_eq!(proxy.server_gone(&mut gate).answers.len(), 0);
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
