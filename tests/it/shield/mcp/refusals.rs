//! Lines that do not pass: denied calls, and lines that could hide a call.

use super::{Fake, call, forwarded, passes, proxy, refused, result};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Value, json};
use tsl_synth_core::model::CallOutcome;
use tsl_synth_seats::mcp::{MESSAGE_LIMIT, REASON_LIMIT};
use tsl_synth_service::Forward;
use tsl_synth_testkit::Rng;

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
    // The id of a refused call is free again.
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
    // Calls with ambiguous parameters are denied by a result, so that the model reads the reason.
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
    assert_eq!(gate.ends(), [("p-2".to_owned(), CallOutcome::Failed, None)]);
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

/// JSON with all values of repeated keys, since parsers differ in the value that they use.
enum Any {
    Object(Vec<(String, Any)>),
    Array(Vec<Any>),
    Text(String),
    Other,
}

impl<'de> Deserialize<'de> for Any {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Any;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("JSON")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Any, A::Error> {
                let mut all = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    all.push(entry);
                }
                Ok(Any::Object(all))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Any, A::Error> {
                let mut all = Vec::new();
                while let Some(element) = seq.next_element()? {
                    all.push(element);
                }
                Ok(Any::Array(all))
            }
            fn visit_str<E>(self, text: &str) -> Result<Any, E> {
                Ok(Any::Text(text.to_owned()))
            }
            fn visit_u64<E>(self, _: u64) -> Result<Any, E> {
                Ok(Any::Other)
            }
            fn visit_f64<E>(self, _: f64) -> Result<Any, E> {
                Ok(Any::Other)
            }
            fn visit_unit<E>(self) -> Result<Any, E> {
                Ok(Any::Other)
            }
        }
        reader.deserialize_any(Read)
    }
}

impl Any {
    /// The values of a key, ignoring case, with `ſ` as `s`.
    fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Any> {
        let entries = if let Self::Object(entries) = self { entries.as_slice() } else { &[] };
        let is_named = move |key: &str| key.replace('\u{17f}', "s").eq_ignore_ascii_case(name);
        entries.iter().filter(move |(key, _)| is_named(key)).map(|(_, value)| value)
    }
    fn is(&self, text: &str) -> bool {
        matches!(self, Self::Text(own) if own == text)
    }
    /// Whether it is a call of the tool that is denied, or an array with one.
    fn calls(&self) -> bool {
        if let Self::Array(all) = self {
            return all.iter().any(Self::calls);
        }
        self.values("method").any(|method| method.is("tools/call"))
            && self.values("params").any(|params| params.values("name").any(|name| name.is("deny")))
    }
}

/// Whether some parser finds a denied call in the text: one that also ends lines at carriage returns, skips a byte
/// order mark, or ignores case.
fn some_reader_calls(sent: &str) -> bool {
    let lines = sent.split('\n').chain(sent.split(['\n', '\r']));
    lines
        .map(|line| line.trim_start_matches('\u{feff}'))
        .any(|line| serde_json::from_str::<Any>(line).is_ok_and(|read| read.calls()))
}

/// Object entries of calls, and of messages that some parsers take for calls.
const ENTRIES: [&str; 14] = [
    r#""jsonrpc":"2.0""#,
    r#""id":1"#,
    r#""id":"a""#,
    r#""method":"tools/call""#,
    r#""method":"tools/call""#,
    r#""m\u0065thod":"tools\/call""#,
    r#""METHOD":"tools/call""#,
    r#""method":"ping""#,
    r#""params":{"name":"deny"}"#,
    r#""params":{"name":"deny"}"#,
    r#""params":{"name":"pay","name":"deny"}"#,
    r#""params":{"name":"pay","arguments":{"x":1.0}}"#,
    "\"param\u{17f}\":{\"name\":\"deny\"}",
    r#""params":{"Name":"deny","name":"pay"}"#,
];

/// An object of random entries, some of them with nested objects and arrays.
fn object(random: &mut Rng, depth: usize) -> String {
    let mut entries = Vec::new();
    for _ in 0..2 + random.below(4) {
        entries.push(match random.below(8) {
            0 if depth > 0 => format!("\"x\":{}", value(random, depth - 1)),
            _ => ENTRIES[random.below(ENTRIES.len())].to_owned(),
        });
    }
    format!("{{{}}}", entries.join(","))
}

fn value(random: &mut Rng, depth: usize) -> String {
    let blank = ["", "", " ", "\r", "\t"];
    let (before, after) = (blank[random.below(5)], blank[random.below(5)]);
    let inner = if random.below(4) == 0 && depth > 0 {
        let all: Vec<String> = (0..random.below(3)).map(|_| value(random, depth - 1)).collect();
        format!("[{}]", all.join(","))
    } else {
        object(random, depth)
    };
    format!("{before}{inner}{after}")
}

/// Random lines from parts of calls: no parser finds the denied call in what is passed on.
#[test]
fn no_reader_sees_a_denied_call() {
    let mut random = Rng(21);
    let (mut hidden, mut passed) = (0, 0);
    for _ in 0..100_000 {
        let mut line = value(&mut random, 2);
        if random.below(20) == 0 {
            line.insert(0, '\u{feff}');
        }
        if random.below(20) == 0 {
            line.pop();
        }
        hidden += usize::from(some_reader_calls(&line));
        let (mut proxy, mut gate) = (proxy(), Fake::default());
        let sent = match proxy.from_client(line.as_bytes(), &mut gate).forward {
            Forward::Same => line.clone(),
            Forward::Text(text) => text,
            Forward::Nothing => continue,
        };
        passed += 1;
        assert!(!some_reader_calls(&sent), "{line:?}\n{sent:?}");
    }
    assert!(hidden > 10_000 && passed > 10_000, "{hidden} lines with a denied call, {passed} that passed");
}
