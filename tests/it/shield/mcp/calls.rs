//! The state that the proxy keeps of a call until it ends: ids, input, tasks, cancellations, outcomes.

use super::{Fake, call, forwarded, passes, proxy, refused, result, run};
use serde_json::Value;
use tsl_synth_core::model::{CallOutcome, HostEvent, ProposalAnswer};
use tsl_synth_service::{GateService, Input, McpGate, MemoryJournal, Session};

#[test]
fn outcomes_are_told_as_the_answers_say() {
    let text = |text: &str| format!(r#""content":[{{"type":"text","text":{}}}]"#, Value::from(text));
    let (ok, failed, unknown) = (CallOutcome::Ok, CallOutcome::Failed, CallOutcome::Unknown);
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
    // None of these is an answer to the call: another id, a request of the server, a truncated line.
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
    assert_eq!(gate.ends(), [("p-1".to_owned(), CallOutcome::Unknown, None)]);
    // An answer after the cancellation passes, and the reported outcome stays; a second cancellation is ignored.
    lines.extend([('<', result("1", "")), ('>', cancel("1"))]);
    assert_eq!(run(&lines).ends().len(), 1);
    let gate = run(&[('>', call("1", "pay", "")), ('<', result("1", "")), ('>', cancel("1"))]);
    assert_eq!(gate.ends(), [("p-1".to_owned(), CallOutcome::Ok, None)]);
    // The id stays in use until the answer arrives.
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
    // A request with other arguments, or with an unknown, missing or used state, is a new call.
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
    // Without a state, the input is for the oldest of equal calls.
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

/// A law that allows one call also allows the requests that send the input for it, but no second call.
#[test]
fn more_input_adds_no_letter() {
    struct Real(GateService<MemoryJournal>);
    impl McpGate for Real {
        fn event(&mut self, event: &HostEvent<'_>) -> Result<ProposalAnswer, String> {
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
    let shield = GateService::new(loaded, "hash", "once.toml", MemoryJournal::default(), false);
    let mut gate = Real(shield.map_err(|(limit, _)| limit.to_string()).expect("a gate"));
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
    // Lists omit tools that no `[[match]]` table names, but not those that are refused only in the current state.
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
        assert_eq!(then(polled("completed", r#","result":{"content":[]}"#)), end(CallOutcome::Ok));
        assert_eq!(
            then(polled("completed", r#","result":{"content":[],"isError":true}"#)),
            end(CallOutcome::Failed)
        );
        assert_eq!(then(polled("failed", "")), end(CallOutcome::Failed));
        assert_eq!(then(polled("cancelled", "")), end(CallOutcome::Unknown));
        // In version 2025-11-25 the result is fetched by a separate request.
        assert_eq!(then(polled("completed", "")), []);
        assert_eq!(
            then(vec![('>', ask("2", "result")), ('<', result("2", r#""content":[]"#))]),
            end(CallOutcome::Ok)
        );
        for method in ["notifications/tasks", "notifications/tasks/status"] {
            let told = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{{task}"failed"}}}}"#);
            assert_eq!(then(vec![('<', told.clone()), ('<', told)]), end(CallOutcome::Failed));
        }
        let other = ask("2", "get").replace("t1", "t2");
        assert_eq!(then(vec![('>', other), ('<', result("2", &format!("{task}\"failed\"")))]), []);
    }
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
    assert!(
        gate.ends().iter().all(|(_, outcome, _)| *outcome == CallOutcome::Unknown) && gate.ends().len() == 2
    );
    assert_eq!(proxy.server_gone(&mut gate).answers.len(), 0);
}
