//! The proxy in front of an MCP server, line by line, without a process.

mod calls;
mod live;
mod refusals;

use serde_json::Value;
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, ProposalAnswer, Ruling};
use tsl_synth_service::{Forward, McpGate, McpProxy, McpStep};

/// A gate that decides by the name of the tool, and records the events that it receives.
#[derive(Default)]
struct Fake {
    told: Vec<HostEventKind<'static>>,
    is_shadow: bool,
}

impl McpGate for Fake {
    fn event(&mut self, event: &HostEvent<'_>) -> Result<ProposalAnswer, String> {
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
        Ok(ProposalAnswer { ruling, reason: "not now \u{1b}[31m\"".into(), laws: vec![], ticket: None })
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
    fn ends(&self) -> Vec<(String, CallOutcome, Option<String>)> {
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
    // The server may write the same number differently: `4` for `4.0`.
    passes(
        &proxy.from_server(result("4", r#""content":[],"structuredContent":{"ok":1}"#).as_bytes(), &mut gate),
    );
    assert_eq!(gate.ends(), [("p-1".to_owned(), CallOutcome::Ok, Some(r#"{"ok":1}"#.to_owned()))]);
    let step = proxy.from_client(call("\"a\"", "pay", "").as_bytes(), &mut gate);
    assert_eq!(forwarded(&step), call("\"a\"", "pay", ""));
    assert_eq!(gate.calls()[1].2, "{}");
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
    // A list that was not requested, a page without tools to omit, a page that becomes empty, an error.
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
