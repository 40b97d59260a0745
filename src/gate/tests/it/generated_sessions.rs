//! Generated sessions, written as logs of four kinds: each log gives the verdicts of the session where it tells what the
//! laws ask for, and is undecidable where it does not. No log shows a violation that there was not.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use tsl_synth_core::base::Budget;
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, JsonText, Speaker};
use tsl_synth_core::source::SourceMap;
use tsl_synth_gate::LoadedPolicy;
use tsl_synth_policy::PolicyMonitor;
use tsl_synth_seats::log::{LogFormat, LogReader};

const POLICY: &str = r#"policy = 1
name = "generated"
unmatched = "allow"
[propositions]
agreed = {}
valid = {}
[actions]
groups = [["test", "publish"], ["edit"], ["refund"], ["check", "cancel"], ["pay"], ["build", "deploy"], ["secret", "send"]]
[[match]]
on = "message"
role = "user"
regex = '(?i)\bgo ahead\b'
proposition = "agreed"
[[match]]
on = "call"
tool = ["Edit", "apply_patch"]
action = "edit"
[[match]]
on = "call"
tool = ["Bash", "exec_command"]
shell = "/arguments/command"
argv = ["just", "test", "**"]
action = "test"
opaque = "allow"
[[match]]
on = "call"
tool = ["Bash", "exec_command"]
shell = "/arguments/command"
argv = ["just", "publish", "**"]
action = "publish"
opaque = "allow"
[[match]]
on = "result"
tool = "receipt"
ok = true
where = [{ pointer = "/result/valid", "=" = true }]
proposition = "valid"
[[match]]
on = "call"
tool = "check"
action = "check"
bind = { order = "/arguments/order" }
[[match]]
on = "call"
tool = "cancel"
action = "cancel"
bind = { order = "/arguments/order" }
[[match]]
on = "call"
tool = "read"
where = [{ pointer = "/arguments/secret", "=" = true }]
action = "secret"
[[law]]
id = "tested"
rule = "publish requires test since edit"
[[law]]
id = "agreed"
rule = "deploy requires agreed before"
[[law]]
id = "receipt"
rule = "refund requires valid before"
[[law]]
id = "checked"
for_each = ["order"]
rule = "cancel requires check before"
[[law]]
id = "paid-once"
rule = "at most 2 pay"
[[law]]
id = "built"
rule = "deploy requires build before"
[[law]]
id = "no-secrets-sent"
rule = "secret forbids send after"
"#;

/// Numbers of a seed (xorshift64*).
struct Numbers(u64);

impl Numbers {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }
    fn below(&mut self, most: usize) -> usize {
        (self.next() % most as u64) as usize
    }
    fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }
}

/// What happened in a session.
#[derive(Clone, Debug)]
enum Step {
    Message { is_user: bool, text: &'static str },
    Call { tool: &'static str, arguments: Value, end: End, result: Value },
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Ok,
    Failed,
    /// A hook refused it, so that it was not made.
    Refused,
}

fn session(numbers: &mut Numbers) -> Vec<Step> {
    let mut steps = Vec::new();
    for _ in 0..2 + numbers.below(10) {
        if numbers.below(4) == 0 {
            let text = numbers.pick(&["Do it.", "Yes, go ahead.", "Wait.", "I go ahead then."]);
            steps.push(Step::Message { is_user: numbers.below(3) > 0, text });
            continue;
        }
        let line = |line: &str| json!({ "command": line });
        let (tool, arguments) = match numbers.below(14) {
            0 | 1 => ("Bash", line("just test")),
            2 => ("Bash", line("just publish")),
            3 => ("Bash", line(numbers.pick(&["ls", "just test && just publish", "just test || true"]))),
            4 => ("Edit", json!({ "file_path": "/p/a" })),
            5 => ("receipt", json!({ "id": 1 })),
            6 => ("refund", json!({ "id": 1 })),
            7 => ("check", json!({ "order": numbers.pick(&["a", "b"]) })),
            8 => ("cancel", json!({ "order": numbers.pick(&["a", "b"]) })),
            9 => ("pay", json!({ "eur": 5 })),
            10 => ("build", json!({})),
            11 => ("deploy", json!({})),
            12 => ("read", json!({ "secret": numbers.below(2) == 0 })),
            _ => ("send", json!({ "to": "x" })),
        };
        let end = match numbers.below(10) {
            0 => End::Refused,
            1..4 => End::Failed,
            _ => End::Ok,
        };
        let result = json!({ "valid": numbers.below(2) == 0 });
        steps.push(Step::Call { tool, arguments, end, result });
    }
    steps
}

/// The verdict of each law at the end of a session: `kept`, `violated` or `undecidable`.
type Verdicts = BTreeMap<String, &'static str>;

struct Judge<'p> {
    loaded: &'p LoadedPolicy,
    monitor: PolicyMonitor<'p>,
}

impl<'p> Judge<'p> {
    fn new(loaded: &'p LoadedPolicy) -> Self {
        Self { loaded, monitor: PolicyMonitor::new(&loaded.compiled) }
    }
    fn verdicts(&self) -> Verdicts {
        let laws = self.loaded.compiled.policy.laws.enumerate();
        let verdict = |law| {
            let standing = self.monitor.standing(law);
            match (standing.worst.holds(), standing.best.holds()) {
                (true, _) => "kept",
                (false, true) => "undecidable",
                (false, false) => "violated",
            }
        };
        laws.map(|(id, law)| (law.id.clone(), verdict(id))).collect()
    }
}

/// The verdicts by what happened itself.
fn of_steps(loaded: &LoadedPolicy, steps: &[Step]) -> Verdicts {
    let mut judge = Judge::new(loaded);
    let mut hear = |kind: HostEventKind<'_>| {
        let event = HostEvent::new("s", 1, kind);
        judge.monitor.event(&event);
    };
    hear(HostEventKind::Start);
    for (i, step) in steps.iter().enumerate() {
        match step {
            Step::Message { is_user, text } => {
                let speaker = if *is_user { Speaker::User } else { Speaker::Agent };
                hear(HostEventKind::Message { speaker, text: (*text).into() });
            }
            Step::Call { end: End::Refused, .. } => {}
            Step::Call { tool, arguments, end, result } => {
                let id = Some(format!("c{i}").into());
                let arguments = JsonText::of(arguments);
                hear(HostEventKind::Call { id: id.clone(), server: None, tool: (*tool).into(), arguments });
                let outcome = if *end == End::Ok { CallOutcome::Ok } else { CallOutcome::Failed };
                hear(HostEventKind::Result { call: id, outcome, result: Some(JsonText::of(result)) });
            }
        }
    }
    hear(HostEventKind::Close);
    judge.verdicts()
}

/// The verdicts by a log.
fn of_log(loaded: &LoadedPolicy, format: LogFormat, log: &str) -> Verdicts {
    let mut judge = Judge::new(loaded);
    let mut reader = LogReader::new(format, "s");
    let mut sink = |event: &HostEvent<'_>| {
        judge.monitor.event(event);
        ControlFlow::Continue(())
    };
    let read = reader.read_document(log.as_bytes(), &mut sink).expect("a log");
    assert!(read.is_continue() && reader.finish(&mut sink).is_continue());
    judge.verdicts()
}

fn lines(all: &[Value]) -> String {
    let lines: Vec<String> = all.iter().map(Value::to_string).collect();
    lines.join("\n")
}

fn as_claude(steps: &[Step]) -> String {
    let mut all = Vec::new();
    let mut record = |kind: &str, content: Value, more: Value| {
        let mut line = json!({ "type": kind, "sessionId": "s", "isSidechain": false, "message": { "role": kind, "content": content } });
        line.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        all.push(line);
    };
    for (i, step) in steps.iter().enumerate() {
        match step {
            Step::Message { is_user, text } => {
                record(
                    if *is_user { "user" } else { "assistant" },
                    json!([{ "type": "text", "text": text }]),
                    json!({}),
                );
            }
            Step::Call { tool, arguments, end, result } => {
                let id = format!("toolu_{i}");
                record(
                    "assistant",
                    json!([{ "type": "tool_use", "id": id, "name": tool, "input": arguments }]),
                    json!({}),
                );
                let block = |content: &str, is_error: bool| json!([{ "type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error }]);
                let value = result.to_string();
                match end {
                    End::Ok => record(
                        "user",
                        block(&value, false),
                        json!({ "permissionDecision": { "decision": "accept" } }),
                    ),
                    End::Failed => record(
                        "user",
                        block(&value, true),
                        json!({ "permissionDecision": { "decision": "accept" } }),
                    ),
                    End::Refused => record(
                        "user",
                        block("PreToolUse:x hook error: no", true),
                        json!({ "toolDenialKind": "permission-rule", "permissionDecision": { "decision": "reject" } }),
                    ),
                }
            }
        }
    }
    lines(&all)
}

fn as_codex(steps: &[Step]) -> String {
    let mut all = vec![json!({ "type": "session_meta", "payload": { "id": "s" } })];
    let mut item = |payload: Value| all.push(json!({ "type": "response_item", "payload": payload }));
    for (i, step) in steps.iter().enumerate() {
        match step {
            Step::Message { is_user, text } => {
                let (role, kind) =
                    if *is_user { ("user", "input_text") } else { ("assistant", "output_text") };
                item(json!({ "type": "message", "role": role, "content": [{ "type": kind, "text": text }] }));
            }
            Step::Call { tool, arguments, end, result } => {
                let id = format!("call_{i}");
                let is_shell = *tool == "Bash";
                let (name, arguments) = if is_shell {
                    ("exec_command", json!({ "cmd": arguments["command"] }))
                } else {
                    (*tool, arguments.clone())
                };
                item(
                    json!({ "type": "function_call", "name": name, "arguments": arguments.to_string(), "call_id": id }),
                );
                let code = i32::from(*end != End::Ok);
                let output = match (end, is_shell) {
                    (End::Refused, true) => "Command blocked by PreToolUse hook: no. Command: x".into(),
                    (End::Refused, false) => "Tool call blocked by PreToolUse hook: no. Tool: x".into(),
                    (_, true) => format!("Chunk ID: 1\nProcess exited with code {code}\nOutput:\nx").into(),
                    (_, false) => json!({ "content": result.to_string(), "success": *end == End::Ok }),
                };
                item(json!({ "type": "function_call_output", "call_id": id, "output": output }));
            }
        }
    }
    lines(&all)
}

/// Calls that were refused in front of the framework are not in its messages.
fn as_openai(steps: &[Step]) -> String {
    let mut all = Vec::new();
    for (i, step) in steps.iter().enumerate() {
        match step {
            Step::Message { is_user, text } => {
                all.push(json!({ "role": if *is_user { "user" } else { "assistant" }, "content": text }));
            }
            Step::Call { end: End::Refused, .. } => {}
            Step::Call { tool, arguments, result, .. } => {
                let function = json!({ "name": tool, "arguments": arguments.to_string() });
                let call = json!({ "id": format!("c{i}"), "type": "function", "function": function });
                all.push(json!({ "role": "assistant", "content": null, "tool_calls": [call] }));
                all.push(
                    json!({ "role": "tool", "tool_call_id": format!("c{i}"), "content": result.to_string() }),
                );
            }
        }
    }
    json!({ "session_id": "s", "messages": all }).to_string()
}

/// Spans; with the opt-in attributes if `is_whole`.
fn as_otlp(steps: &[Step], is_whole: bool) -> String {
    let attribute = |key: &str, value: &str| json!({ "key": key, "value": { "stringValue": value } });
    let (mut spans, mut heard) = (Vec::new(), Vec::new());
    // An agent asks its model before it calls anything.
    let first = Step::Message { is_user: true, text: "" };
    for (i, step) in std::iter::once(&first).chain(steps).enumerate() {
        let mut attributes = vec![attribute("gen_ai.conversation.id", "s")];
        let (mut name, mut status) = ("chat m".to_owned(), json!({}));
        match step {
            Step::Message { is_user, text } => {
                let part = json!([{ "type": "text", "content": text }]);
                attributes.push(attribute("gen_ai.operation.name", "chat"));
                let mut said = Vec::new();
                if *is_user {
                    heard.push(json!({ "role": "user", "parts": part }));
                } else {
                    said.push(json!({ "role": "assistant", "parts": part }));
                }
                if is_whole {
                    attributes
                        .push(attribute("gen_ai.input.messages", &Value::from(heard.clone()).to_string()));
                    attributes.push(attribute("gen_ai.output.messages", &Value::from(said).to_string()));
                }
            }
            Step::Call { end: End::Refused, .. } => continue,
            Step::Call { tool, arguments, end, result } => {
                name = format!("execute_tool {tool}");
                attributes.push(attribute("gen_ai.operation.name", "execute_tool"));
                attributes.push(attribute("gen_ai.tool.name", tool));
                attributes.push(attribute("gen_ai.tool.call.id", &format!("c{i}")));
                if is_whole {
                    attributes.push(attribute("gen_ai.tool.call.arguments", &arguments.to_string()));
                    attributes.push(attribute("gen_ai.tool.call.result", &result.to_string()));
                }
                if *end == End::Failed {
                    status = json!({ "code": 2 });
                }
            }
        }
        let begin = 1_790_000_000_000_000_000_u64 + i as u64 * 2_000_000_000;
        spans.push(json!({
            "traceId": "t", "spanId": format!("{i:016x}"), "name": name, "status": status, "attributes": attributes,
            "startTimeUnixNano": begin.to_string(), "endTimeUnixNano": (begin + 1_000_000_000).to_string(),
        }));
    }
    json!({ "resourceSpans": [{ "scopeSpans": [{ "spans": spans }] }] }).to_string()
}

/// The laws about which a log of a kind tells all facts.
fn told(kind: &str) -> &'static [&'static str] {
    match kind {
        "OpenAI" => &["agreed", "paid-once", "no-secrets-sent"],
        "OTLP without content" => &["paid-once", "built"],
        _ => &["tested", "agreed", "receipt", "checked", "paid-once", "built", "no-secrets-sent"],
    }
}

/// Compares the logs of so many sessions, and prints what they decide.
fn compare(count: u64, seed: u64) {
    let mut sources = SourceMap::new();
    let source = sources.add("generated.toml", POLICY);
    let loaded = LoadedPolicy::read(&mut sources, source, &Budget::unlimited()).expect("a policy");
    let mut table: BTreeMap<&str, BTreeMap<(&str, &str), u64>> = BTreeMap::new();
    for number in 0..count {
        let steps = session(&mut Numbers::new(seed + number));
        let expected = of_steps(&loaded, &steps);
        let empty = steps.iter().all(|step| matches!(step, Step::Call { end: End::Refused, .. }));
        for (kind, format, log) in [
            ("Claude Code", LogFormat::Claude, as_claude(&steps)),
            ("Codex", LogFormat::Codex, as_codex(&steps)),
            ("OpenAI", LogFormat::OpenAi, as_openai(&steps)),
            ("OTLP", LogFormat::Otel, as_otlp(&steps, true)),
            ("OTLP without content", LogFormat::Otel, as_otlp(&steps, false)),
        ] {
            if empty {
                continue;
            }
            let found = of_log(&loaded, format, &log);
            for (law, right) in &expected {
                let own = found[law];
                let is_told = told(kind).contains(&law.as_str());
                assert!(
                    own == *right || (!is_told && own == "undecidable"),
                    "seed {}: {kind} says {own} about `{law}`, which is {right}\n{steps:#?}\n{log}",
                    seed + number
                );
                *table.entry(kind).or_default().entry((right, own)).or_default() += 1;
            }
        }
    }
    println!("{count} sessions, {} laws, seed {seed}", loaded.compiled.policy.laws.len());
    for (kind, counts) in table {
        let count = |right: &str, own: &str| counts.get(&(right, own)).copied().unwrap_or(0);
        println!(
            "{kind}: kept {} of {}, violated {} of {}, false violations {}",
            count("kept", "kept"),
            ["kept", "violated", "undecidable"].iter().map(|own| count("kept", own)).sum::<u64>(),
            count("violated", "violated"),
            ["kept", "violated", "undecidable"].iter().map(|own| count("violated", own)).sum::<u64>(),
            count("kept", "violated"),
        );
    }
}

#[test]
fn logs_tell_the_verdicts_of_generated_sessions() {
    compare(300, 1);
}

fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
#[ignore = "a campaign: see src/lab/table.rs"]
fn campaign_logs() {
    compare(setting("TSL_SYNTH_LOGS", 10_000), setting("TSL_SYNTH_SEED", 1));
}
