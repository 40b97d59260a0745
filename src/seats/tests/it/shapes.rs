//! One generated conversation, written in the shapes of several frameworks: each log has its calls, and tells their
//! outcomes where the shape does.

use super::words;
use serde_json::{Value, json};
use tsl_synth_core::base::Random;
use tsl_synth_seats::log::LogFormat;

enum Step {
    User(&'static str),
    Agent(&'static str),
    Call { tool: &'static str, arguments: Value, failed: bool },
}

fn steps(random: &mut Random) -> Vec<Step> {
    let mut all = vec![Step::User("Help.")];
    for _ in 0..random.below(8) {
        all.push(match random.below(5) {
            0 => Step::User("yes"),
            1 => Step::Agent("Go on?"),
            _ => Step::Call {
                tool: ["look", "refund"][random.below(2)],
                arguments: json!({ "order": random.below(2), "note": "it's" }),
                failed: random.below(3) == 0,
            },
        });
    }
    all
}

/// What a shape tells of outcomes.
#[derive(Clone, Copy, PartialEq)]
enum Told {
    All,
    /// A failure is told; what is not counts as ok, and the session has the fact that outcomes are not told.
    Failures,
    /// Nothing: all count as ok in the same way.
    Nothing,
    /// Nothing: all are unknown.
    Unknown,
}

fn expected(steps: &[Step], told: Told, has_messages: bool) -> Vec<String> {
    let mut all = Vec::new();
    for step in steps {
        match step {
            Step::User(text) if has_messages => all.push(format!("user {text}")),
            Step::Agent(text) if has_messages => all.push(format!("agent {text}")),
            Step::User(_) | Step::Agent(_) => {}
            Step::Call { tool, arguments, failed } => {
                all.push(format!("call {tool} {arguments}"));
                let outcome = match told {
                    Told::All | Told::Failures if *failed => "failed",
                    Told::All | Told::Failures | Told::Nothing => "ok",
                    Told::Unknown => "unknown",
                };
                all.push(format!("{outcome} {tool}"));
            }
        }
    }
    all
}

fn compare(name: &str, format: LogFormat, told: Told, has_messages: bool, write: impl Fn(&[Step]) -> String) {
    for seed in 0..60 {
        let steps = steps(&mut Random::new(seed));
        let log = write(&steps);
        let has_calls = steps.iter().any(|step| matches!(step, Step::Call { .. }));
        if has_calls {
            assert_eq!(LogFormat::detect(log.as_bytes()), Some(format), "{name}: {log}");
        }
        let (mut own, notes) = words(format, &log);
        own.retain(|word| {
            word != "end" && (has_messages || !word.starts_with(['u', 'a']) || word.starts_with("unknown"))
        });
        assert_eq!(own, expected(&steps, told, has_messages), "{name} {seed}: {log}");
        assert_eq!(notes.unknown_blocks.len() as u64 + notes.unknown_lines, 0, "{name}: {log}");
    }
}

fn said(role: &str, content: &Value) -> Value {
    json!({ "role": role, "content": content })
}

#[test]
fn the_ai_sdk_is_read() {
    compare("UI messages", LogFormat::AiSdk, Told::All, true, |steps| {
        let message = |(i, step): (usize, &Step)| {
            let text = |text: &str| json!([{ "type": "step-start" }, { "type": "text", "text": text }]);
            let (role, parts) = match step {
                Step::User(said) => ("user", text(said)),
                Step::Agent(said) => ("assistant", text(said)),
                Step::Call { tool, arguments, failed } => {
                    let mut part = json!({ "type": format!("tool-{tool}"), "toolCallId": format!("c{i}"), "input": arguments });
                    if i % 2 == 0 {
                        part["type"] = json!("dynamic-tool");
                        part["toolName"] = json!(tool);
                    }
                    if *failed {
                        part["state"] = json!("output-error");
                        part["errorText"] = json!("no");
                    } else {
                        part["state"] = json!("output-available");
                        part["output"] = json!({ "x": 1 });
                    }
                    ("assistant", json!([part]))
                }
            };
            json!({ "id": format!("m{i}"), "role": role, "parts": parts })
        };
        json!({ "messages": steps.iter().enumerate().map(message).collect::<Vec<_>>() }).to_string()
    });
    compare("model messages", LogFormat::AiSdk, Told::All, true, |steps| {
        let mut all = Vec::new();
        for (i, step) in steps.iter().enumerate() {
            match step {
                Step::User(text) => all.push(said("user", &json!(text))),
                Step::Agent(text) => all.push(said("assistant", &json!([{ "type": "text", "text": text }]))),
                Step::Call { tool, arguments, failed } => {
                    let base = json!({ "toolCallId": format!("c{i}"), "toolName": tool });
                    let (mut call, mut result) = (base.clone(), base);
                    call["type"] = json!("tool-call");
                    call[if i % 2 == 0 { "input" } else { "args" }] = arguments.clone();
                    result["type"] = json!("tool-result");
                    if i % 2 == 0 {
                        let kind = if *failed { "error-text" } else { "text" };
                        result["output"] = json!({ "type": kind, "value": "x" });
                    } else {
                        result["result"] = json!("x");
                        result["isError"] = json!(failed);
                    }
                    all.extend([said("assistant", &json!([call])), said("tool", &json!([result]))]);
                }
            }
        }
        json!({ "messages": all }).to_string()
    });
    compare("version 4", LogFormat::AiSdk, Told::Unknown, true, |steps| {
        let message = |(i, step): (usize, &Step)| match step {
            Step::User(text) => {
                json!({ "role": "user", "content": text, "parts": [{ "type": "text", "text": text }] })
            }
            Step::Agent(text) => {
                json!({ "role": "assistant", "content": text, "parts": [{ "type": "text", "text": text }] })
            }
            Step::Call { tool, arguments, .. } => {
                let own = json!({ "state": "result", "toolCallId": format!("c{i}"), "toolName": tool, "args": arguments, "result": 1 });
                json!({ "role": "assistant", "content": "", "parts": [{ "type": "tool-invocation", "toolInvocation": own }] })
            }
        };
        json!(steps.iter().enumerate().map(message).collect::<Vec<_>>()).to_string()
    });
}

#[test]
fn calls_that_wait_for_an_approval_were_not_made() {
    for (state, events, refused) in [
        ("approval-requested", 0, 0),
        ("input-streaming", 0, 0),
        ("output-denied", 0, 1),
        // The call, and its outcome, which is not known.
        ("input-available", 2, 0),
        ("approval-responded", 2, 0),
    ] {
        let part = json!({ "type": "tool-refund", "toolCallId": "c", "state": state, "input": {} });
        let log = json!([{ "role": "assistant", "parts": [part] }]).to_string();
        let (own, notes) = words(LogFormat::AiSdk, &log);
        assert_eq!((own.len(), notes.refused_calls), (events, refused), "{state}: {own:?}");
    }
    let call = json!({ "type": "tool-call", "toolCallId": "c", "toolName": "refund", "input": {} });
    let denied = json!({ "type": "tool-result", "toolCallId": "c", "toolName": "refund", "output": { "type": "execution-denied" } });
    let log = json!([said("assistant", &json!([call])), said("tool", &json!([denied]))]).to_string();
    let (own, notes) = words(LogFormat::AiSdk, &log);
    assert_eq!((own.len(), notes.refused_calls), (0, 1), "{own:?}");
}

#[test]
fn bedrock_is_read() {
    compare("Converse", LogFormat::Bedrock, Told::All, true, |steps| {
        let mut all = Vec::new();
        for (i, step) in steps.iter().enumerate() {
            match step {
                Step::User(text) => all.push(said("user", &json!([{ "text": text }]))),
                Step::Agent(text) => all.push(said("assistant", &json!([{ "text": text }]))),
                Step::Call { tool, arguments, failed } => {
                    let id = format!("t{i}");
                    let call = json!([{ "toolUse": { "toolUseId": id, "name": tool, "input": arguments } }]);
                    let status = if *failed { "error" } else { "success" };
                    let result = json!([{ "toolResult": { "toolUseId": id, "content": [{ "json": { "x": 1 } }], "status": status } }]);
                    all.extend([said("assistant", &call), said("user", &result)]);
                }
            }
        }
        json!({ "messages": all }).to_string()
    });
}

#[test]
fn gemini_is_read() {
    compare("contents", LogFormat::Gemini, Told::Failures, true, |steps| {
        let mut all = Vec::new();
        for (i, step) in steps.iter().enumerate() {
            let content = |role: &str, part: Value| json!({ "role": role, "parts": [part] });
            match step {
                Step::User(text) => all.push(content("user", json!({ "text": text }))),
                Step::Agent(text) => all.push(content("model", json!({ "text": text }))),
                Step::Call { tool, arguments, failed } => {
                    let key = if *failed { "error" } else { "output" };
                    let mut call = json!({ "name": tool, "args": arguments });
                    let mut response = json!({ "name": tool, "response": { key: "x" } });
                    if i % 2 == 0 {
                        (call["id"], response["id"]) = (json!(format!("i{i}")), json!(format!("i{i}")));
                    }
                    all.push(content("model", json!({ "functionCall": call })));
                    all.push(content("user", json!({ "functionResponse": response })));
                }
            }
        }
        json!({ "contents": all }).to_string()
    });
    let record = |i: usize, step: &Step| {
        let base = json!({ "id": format!("m{i}"), "timestamp": "2026-11-01T00:00:00Z" });
        let mut own = base;
        match step {
            Step::User(text) => (own["type"], own["content"]) = (json!("user"), json!([{ "text": text }])),
            Step::Agent(text) => (own["type"], own["content"]) = (json!("gemini"), json!(text)),
            Step::Call { tool, arguments, failed } => {
                let status = if *failed { "error" } else { "success" };
                let response = json!({ "name": tool, "response": { "output": "x" } });
                let call = json!({ "id": format!("t{i}"), "name": tool, "args": arguments, "status": status, "result": [{ "functionResponse": response }] });
                (own["type"], own["content"], own["toolCalls"]) = (json!("gemini"), json!(""), json!([call]));
            }
        }
        own
    };
    compare("a session of Gemini CLI", LogFormat::Gemini, Told::All, true, |steps| {
        let all: Vec<Value> = steps.iter().enumerate().map(|(i, step)| record(i, step)).collect();
        json!({ "sessionId": "s", "projectHash": "h", "messages": all }).to_string()
    });
    compare("lines of Gemini CLI", LogFormat::Gemini, Told::All, true, |steps| {
        let mut all = vec![json!({ "sessionId": "s", "projectHash": "h" })];
        for (i, step) in steps.iter().enumerate() {
            let mut own = record(i, step);
            // A message is written again when its call ends.
            let whole = own.clone();
            if own["toolCalls"].is_array() {
                own["toolCalls"][0]["status"] = json!("executing");
                all.push(own);
            }
            all.push(whole);
            all.push(json!({ "$set": { "lastUpdated": "2026-11-01T00:00:00Z" } }));
        }
        super::lines(&all)
    });
}

#[test]
fn a_command_of_gemini_tells_its_exit_code() {
    for (text, outcome) in [
        ("Output: ok\nProcess Group PGID: 12", "ok"),
        ("Output: ok\nExit Code: 0\nProcess Group PGID: 12", "ok"),
        ("Output: ok\nExit Code: 0\nSignal: (none)\nBackground PIDs: 7\nProcess Group PGID: 12", "ok"),
        ("Output: Exit Code: 0\nExit Code: 1\nProcess Group PGID: 12", "failed"),
        ("Output: x\nExit Code: 01\nProcess Group PGID: 12", "failed"),
        ("Output: x\nSignal: 9\nProcess Group PGID: 12", "failed"),
        ("Command moved to background (PID: 9).", "unknown"),
    ] {
        let response = json!({ "name": "run_shell_command", "response": { "output": text } });
        let call = json!({ "id": "t", "name": "run_shell_command", "args": { "command": "x" }, "status": "success", "result": [{ "functionResponse": response }] });
        let log = json!({ "sessionId": "s", "projectHash": "h", "messages": [{ "type": "gemini", "toolCalls": [call] }] });
        assert_eq!(
            words(LogFormat::Gemini, &log.to_string()).0[1],
            format!("{outcome} run_shell_command"),
            "{text}"
        );
        let hook = json!({ "session_id": "s", "hook_event_name": "AfterTool", "tool_name": "run_shell_command",
            "tool_input": { "command": "x" }, "tool_response": { "llmContent": text } });
        let host = tsl_synth_seats::hook::HookHost::GeminiCli;
        let payload =
            tsl_synth_seats::hook::read(host, None, hook.to_string().as_bytes()).expect("a payload");
        let said = format!("{:?}", payload.events[0].kind).to_lowercase();
        assert!(said.contains(&format!("outcome: {outcome}")), "{text}: {said}");
    }
    for (status, error, refused) in [
        ("cancelled", "[Operation Cancelled] Reason: User did not allow tool call", 1),
        ("error", "Tool execution denied by policy.", 1),
        ("cancelled", "[Operation Cancelled] Reason: User cancelled tool execution.", 0),
        ("error", "no such file", 0),
    ] {
        let response = json!({ "name": "write_file", "response": { "error": error } });
        let call = json!({ "id": "t", "name": "write_file", "args": {}, "status": status, "result": [{ "functionResponse": response }] });
        let log = json!({ "sessionId": "s", "projectHash": "h", "messages": [{ "type": "gemini", "toolCalls": [call] }] });
        assert_eq!(words(LogFormat::Gemini, &log.to_string()).1.refused_calls, refused, "{error}");
    }
}

#[test]
fn sharegpt_is_read() {
    compare("ShareGPT", LogFormat::ShareGpt, Told::Nothing, true, |steps| {
        let mut all = Vec::new();
        let turn = |from: &str, value: Value| json!({ "from": from, "value": value });
        for step in steps {
            match step {
                Step::User(text) => all.push(turn("human", json!(text))),
                Step::Agent(text) => all.push(turn("gpt", json!(text))),
                Step::Call { tool, arguments, .. } => {
                    let call = json!({ "name": tool, "arguments": arguments }).to_string();
                    all.extend([turn("function_call", json!(call)), turn("observation", json!("ok"))]);
                }
            }
        }
        json!({ "conversations": all }).to_string()
    });
}

fn attribute(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

/// Spans with these attributes, one after the other, in the order of their ends or in another one.
fn spans(all: Vec<(&str, bool, Vec<Value>)>) -> String {
    let span = |(i, (name, failed, attributes)): (usize, (&str, bool, Vec<Value>))| {
        let begin = 1_790_000_000_000_000_000_u64 + i as u64 * 2_000_000_000;
        json!({
            "traceId": "t", "spanId": format!("{i:016x}"), "name": name, "attributes": attributes,
            "status": { "code": if failed { 2 } else { 1 } },
            "startTimeUnixNano": begin.to_string(), "endTimeUnixNano": (begin + 1_000_000_000).to_string(),
        })
    };
    let mut all: Vec<Value> = all.into_iter().enumerate().map(span).collect();
    all.reverse();
    json!({ "resourceSpans": [{ "scopeSpans": [{ "spans": all }] }] }).to_string()
}

/// Spans of a model that has read all messages so far, and writes the next call.
fn chats(steps: &[Step], write: impl Fn(&[Value], Option<&Value>) -> Vec<Value>) -> String {
    let (mut history, mut all) = (Vec::new(), Vec::new());
    for (i, step) in steps.iter().enumerate() {
        match step {
            Step::User(text) => history.push(json!({ "role": "user", "text": text })),
            Step::Agent(text) => {
                let own = json!({ "role": "assistant", "text": text });
                all.push(("chat m", false, write(&history, Some(&own))));
                history.push(own);
            }
            Step::Call { tool, arguments, .. } => {
                let own = json!({ "role": "assistant", "id": format!("c{i}"), "name": tool, "arguments": arguments });
                all.push(("chat m", false, write(&history, Some(&own))));
                history.push(own);
                history.push(json!({ "role": "tool", "id": format!("c{i}"), "text": "fine" }));
            }
        }
    }
    all.push(("chat m", false, write(&history, None)));
    spans(all)
}

#[test]
fn calls_in_messages_of_spans_are_read() {
    for has_ids in [true, false] {
        compare("GenAI messages", LogFormat::Otel, Told::Unknown, false, |steps| {
            chats(steps, |history, answer| {
                let message = |own: &Value| {
                    let mut part = match (own["role"].as_str(), own.get("name")) {
                        (Some("tool"), _) => json!({ "type": "tool_call_response", "response": own["text"] }),
                        (_, Some(name)) => {
                            json!({ "type": "tool_call", "name": name, "arguments": own["arguments"] })
                        }
                        _ => json!({ "type": "text", "content": own["text"] }),
                    };
                    if has_ids && part["type"] != "text" {
                        part["id"] = own["id"].clone();
                    }
                    json!({ "role": own["role"], "parts": [part] })
                };
                let list = |all: &[Value]| json!(all.iter().map(message).collect::<Vec<_>>()).to_string();
                let mut all = vec![
                    attribute("gen_ai.operation.name", "chat"),
                    attribute("gen_ai.input.messages", &list(history)),
                ];
                let answer = answer.map(|own| list(std::slice::from_ref(own)));
                all.extend(answer.map(|own| attribute("gen_ai.output.messages", &own)));
                all
            })
        });
    }
    for (name, before, after, inner, function) in [
        ("OpenInference", "llm.input_messages", "llm.output_messages", ".message", ".tool_call"),
        ("Traceloop", "gen_ai.prompt", "gen_ai.completion", "", ""),
    ] {
        compare(name, LogFormat::Otel, Told::Unknown, false, |steps| {
            chats(steps, |history, answer| {
                let mut all =
                    vec![attribute("openinference.span.kind", "LLM"), attribute("gen_ai.system", "x")];
                let lists = [(before, history), (after, answer.map_or(&[][..], std::slice::from_ref))];
                for (prefix, messages) in lists {
                    for (i, own) in messages.iter().enumerate() {
                        let at = format!("{prefix}.{i}{inner}");
                        let text = |key: &str| own[key].as_str().unwrap_or_default().to_owned();
                        all.push(attribute(&format!("{at}.role"), &text("role")));
                        if own["role"] == "tool" {
                            all.push(attribute(&format!("{at}.tool_call_id"), &text("id")));
                        }
                        if own.get("name").is_some() {
                            let call = format!("{at}.tool_calls.0{function}");
                            let field = if function.is_empty() { "" } else { ".function" };
                            all.push(attribute(&format!("{call}.id"), &text("id")));
                            all.push(attribute(&format!("{call}{field}.name"), &text("name")));
                            let arguments = own["arguments"].to_string();
                            all.push(attribute(&format!("{call}{field}.arguments"), &arguments));
                        } else {
                            all.push(attribute(&format!("{at}.content"), &text("text")));
                        }
                    }
                }
                all
            })
        });
    }
}

#[test]
fn spans_of_tools_in_other_conventions_are_read() {
    let tools = |steps: &[Step], write: &dyn Fn(&str, &Value) -> Vec<Value>| {
        let mut all = vec![("root", false, vec![attribute("gen_ai.system", "x")])];
        for step in steps {
            if let Step::Call { tool, arguments, failed } = step {
                all.push(("x", *failed, write(tool, arguments)));
            }
        }
        spans(all)
    };
    compare("OpenInference tools", LogFormat::Otel, Told::All, false, |steps| {
        tools(steps, &|tool, arguments| {
            vec![
                attribute("openinference.span.kind", "TOOL"),
                attribute("tool.name", tool),
                attribute("input.value", &arguments.to_string()),
                attribute("output.value", "x"),
            ]
        })
    });
    for inputs in [true, false] {
        compare("Traceloop tools", LogFormat::Otel, Told::All, false, |steps| {
            tools(steps, &|tool, arguments| {
                let input = if inputs {
                    json!({ "inputs": arguments, "tags": [] })
                } else {
                    json!({ "args": [], "kwargs": arguments })
                };
                vec![
                    attribute("traceloop.span.kind", "tool"),
                    attribute("traceloop.entity.name", tool),
                    attribute("traceloop.entity.input", &input.to_string()),
                    attribute("traceloop.entity.output", "\"x\""),
                ]
            })
        });
    }
}

#[test]
fn langfuse_is_read() {
    let time = |i: usize| format!("2026-11-01T08:00:{i:02}.000Z");
    for (form, name) in ["traces", "observations", "generations"].into_iter().enumerate() {
        let told = if form == 2 { Told::Unknown } else { Told::All };
        compare(name, LogFormat::Langfuse, told, false, |steps| {
            let (mut all, mut history) = (Vec::new(), Vec::new());
            for (i, step) in steps.iter().enumerate() {
                let Step::Call { tool, arguments, failed } = step else { continue };
                let mut own = json!({ "id": format!("o{i}"), "traceId": "t", "parentObservationId": null, "name": tool,
                    "type": "TOOL", "startTime": time(i), "endTime": time(i), "input": arguments, "output": "x",
                    "level": if *failed { "ERROR" } else { "DEFAULT" } });
                if form == 2 {
                    let function = json!({ "name": tool, "arguments": arguments.to_string() });
                    let answer = json!({ "role": "assistant", "tool_calls": [{ "id": format!("c{i}"), "type": "function", "function": function }] });
                    (own["type"], own["input"]) = (json!("GENERATION"), json!({ "messages": history }));
                    own["output"] = answer.clone();
                    history.push(answer);
                    history
                        .push(json!({ "role": "tool", "tool_call_id": format!("c{i}"), "content": "fine" }));
                }
                all.push(own);
            }
            if form == 2 {
                all.push(json!({ "id": "last", "traceId": "t", "parentObservationId": null, "type": "GENERATION",
                    "startTime": time(50), "endTime": time(50), "input": history, "output": { "role": "assistant", "content": "Done." } }));
            }
            all.reverse();
            match form {
                0 => json!([{ "id": "t", "timestamp": time(0), "sessionId": "s", "input": "Help.", "observations": all }]).to_string(),
                _ => super::lines(&all),
            }
        });
    }
}

#[test]
fn a_call_with_a_span_of_its_own_counts_once() {
    for (id, names_id) in [("c1", true), ("c1", false), ("other", false)] {
        let call = json!([{ "role": "assistant", "parts": [{ "type": "tool_call", "id": "c1", "name": "look", "arguments": { "x": 1 } }] }]);
        let chat = vec![
            attribute("gen_ai.operation.name", "chat"),
            attribute("gen_ai.conversation.id", "s"),
            attribute("gen_ai.output.messages", &call.to_string()),
        ];
        // The span of the tool does not name the conversation, but is in its trace.
        let mut tool = vec![
            attribute("gen_ai.operation.name", "execute_tool"),
            attribute("gen_ai.tool.name", "look"),
            attribute("gen_ai.tool.call.arguments", "{\"x\":1}"),
        ];
        tool.extend(names_id.then(|| attribute("gen_ai.tool.call.id", id)));
        let log = spans(vec![("chat m", false, chat), ("execute_tool look", false, tool)]);
        let (own, notes) = words(LogFormat::Otel, &log);
        assert_eq!(own, ["call look {\"x\":1}", "ok look"], "{id} {names_id}");
        assert_eq!(notes.sessions, 1);
    }
}

#[test]
fn blocks_that_are_not_known_are_named() {
    let log = json!({ "messages": [
        said("user", &json!([{ "type": "text", "text": "x" }, { "type": "tool_widget", "name": "a" }])),
        said("assistant", &json!([{ "type": "tool_widget" }, { "widgetUse": { "name": "refund" } }, { "type": "image" }])),
    ] });
    for format in [LogFormat::OpenAi, LogFormat::Anthropic, LogFormat::AiSdk, LogFormat::Bedrock] {
        let (_, notes) = words(format, &log.to_string());
        let named: Vec<_> =
            notes.unknown_blocks.iter().map(|(kind, count)| (kind.as_str(), *count)).collect();
        assert_eq!(named, [("tool_widget", 2), ("widgetUse", 1)]);
        let findings = notes.findings();
        let named = findings.iter().any(|one| one.message.contains("`tool_widget`: 2, `widgetUse`: 1"));
        assert!(named, "{findings:?}");
    }
}
