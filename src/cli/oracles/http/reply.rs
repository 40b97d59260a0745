//! The answers in the responses of servers.

use super::form::before_stop;
use crate::oracles::Api;
use crate::oracles::reading::read;
use serde_json::Value;
use tsl_synth_agents::{AnswerKind, OracleAnswer, OracleError, OracleRequest, OracleUsage};

/// What a response holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reply {
    /// The text of the message.
    text: String,
    /// The calls of tools: names and arguments, which are JSON.
    calls: Vec<(String, String)>,
    /// The refusal.
    refusal: Option<String>,
    /// Whether the answer was cut off at the limit of tokens.
    pub(super) is_cut_off: bool,
    /// The tokens.
    pub(super) usage: OracleUsage,
}

/// Reads the body of a successful response.
///
/// # Errors
/// Why it has another form.
pub(super) fn read_reply(api: Api, body: &str) -> Result<Reply, OracleError> {
    let invalid = |why: &str| OracleError::invalid(body.trim(), why);
    let value: Value =
        serde_json::from_str(body).map_err(|_| invalid("the body of the response is not JSON"))?;
    let mut reply = match api {
        Api::Chat => chat(&value),
        Api::Completions => completion(&value),
        Api::Responses => response(&value),
    }
    .map_err(invalid)?;
    let (answer, thoughts) = parted(&reply.text);
    let thought = thoughts.chars().count() as u64;
    reply.text = answer.into();
    reply.usage.reasoning_characters += thought;
    add_tokens(&mut reply.usage, &value["usage"]);
    if reply.is_cut_off {
        reply.usage.cut_off = 1;
    }
    Ok(reply)
}

/// Token counts, under the field names of the chat completions API or of the responses API.
fn add_tokens(usage: &mut OracleUsage, value: &Value) {
    let number = |names: [&str; 2]| names.iter().find_map(|name| value.pointer(name)?.as_u64()).unwrap_or(0);
    usage.prompt_tokens = number(["/prompt_tokens", "/input_tokens"]);
    usage.completion_tokens = number(["/completion_tokens", "/output_tokens"]);
    usage.reasoning_tokens =
        number(["/completion_tokens_details/reasoning_tokens", "/output_tokens_details/reasoning_tokens"]);
}

/// What shows that a response was withheld.
const WITHHELD: &str = "the response was withheld by a filter of its content";

fn chat(value: &Value) -> Result<Reply, &'static str> {
    let choice = value.pointer("/choices/0").ok_or("the response has no `choices[0]`")?;
    let message = choice.get("message").ok_or("the response has no `choices[0].message`")?;
    let mut reply = Reply::default();
    finish(&mut reply, choice.get("finish_reason"));
    let refusal = message.get("refusal").and_then(Value::as_str).filter(|text| !text.is_empty());
    reply.refusal = reply.refusal.or_else(|| refusal.map(str::to_string));
    reply.text = match message.get("content").unwrap_or(&Value::Null) {
        Value::Null => String::new(),
        content => message_text(content).ok_or("`choices[0].message.content` of the response is no text")?,
    };
    for name in ["reasoning_content", "reasoning"] {
        if let Some(text) = message.get(name).and_then(Value::as_str) {
            reply.usage.reasoning_characters = text.chars().count() as u64;
            break;
        }
    }
    let calls = message.get("tool_calls").and_then(Value::as_array);
    let functions = calls.into_iter().flatten().filter_map(|call| call.get("function"));
    reply.calls = functions.chain(message.get("function_call")).filter_map(called).collect();
    Ok(reply)
}

/// The name and the arguments of a call.
fn called(function: &Value) -> Option<(String, String)> {
    let arguments = match function.get("arguments")? {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    Some((function.get("name").and_then(Value::as_str).unwrap_or_default().to_string(), arguments))
}

fn finish(reply: &mut Reply, reason: Option<&Value>) {
    match reason.and_then(Value::as_str) {
        Some("length" | "max_tokens" | "max_output_tokens") => reply.is_cut_off = true,
        Some("content_filter") => reply.refusal = Some(WITHHELD.into()),
        _ => {}
    }
}

fn completion(value: &Value) -> Result<Reply, &'static str> {
    // The native completions of llama.cpp have the text at the top.
    let choice = value.pointer("/choices/0").or_else(|| value.get("content").map(|_| value));
    let choice = choice.ok_or("the response has no `choices[0]`")?;
    let text = choice.get("text").or_else(|| choice.get("content")).and_then(Value::as_str);
    let mut reply = Reply::default();
    finish(&mut reply, choice.get("finish_reason"));
    reply.text = text.ok_or("`choices[0].text` of the response is no text")?.to_string();
    Ok(reply)
}

fn response(value: &Value) -> Result<Reply, &'static str> {
    let output = value.get("output").and_then(Value::as_array).ok_or("the response has no `output`")?;
    let mut reply = Reply::default();
    if value.get("status").and_then(Value::as_str) == Some("incomplete") {
        finish(&mut reply, value.pointer("/incomplete_details/reason"));
    }
    for item in output {
        match item.get("type").and_then(Value::as_str) {
            Some("message") => {
                for part in item.get("content").and_then(Value::as_array).into_iter().flatten() {
                    if let Some(text) = part.get("text").and_then(Value::as_str) {
                        reply.text.push_str(text);
                    }
                    if let Some(refusal) = part.get("refusal").and_then(Value::as_str) {
                        reply.refusal = Some(refusal.to_string());
                    }
                }
            }
            Some("reasoning") => {
                let parts = ["summary", "content"].into_iter().filter_map(|name| item.get(name)?.as_array());
                let texts = parts.flatten().filter_map(|part| part.get("text")?.as_str());
                reply.usage.reasoning_characters +=
                    texts.map(|text| text.chars().count() as u64).sum::<u64>();
            }
            Some("function_call") => reply.calls.extend(called(item)),
            _ => {}
        }
    }
    Ok(reply)
}

/// The text of a message: a string, or a list of parts that all have a text; parts with thoughts are left out.
fn message_text(content: &Value) -> Option<String> {
    let is_thought = |part: &&Value| {
        matches!(
            part.get("type").and_then(Value::as_str),
            Some("thinking" | "reasoning" | "redacted_thinking")
        )
    };
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => parts
            .iter()
            .filter(|part| !is_thought(part))
            .map(|part| part.get("text")?.as_str())
            .collect::<Option<Vec<_>>>()
            .map(|texts| texts.concat()),
        _ => None,
    }
}

/// The answer of a text and the thoughts before it, which some servers leave in the message, also without the first tag.
fn parted(text: &str) -> (&str, &str) {
    for end in ["</think>", "</thinking>"] {
        if let Some((thoughts, answer)) = text.rsplit_once(end) {
            return (answer.trim_start_matches(['\n', '\r']), thoughts);
        }
    }
    let begun = text.trim_start();
    if begun.starts_with("<think>") || begun.starts_with("<thinking>") {
        return ("", text);
    }
    (text.trim_start_matches(['\n', '\r']), "")
}

impl Reply {
    /// The answer to a request.
    ///
    /// # Errors
    /// When there is none, or a refusal.
    pub(super) fn answer(&self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        if let Some(refusal) = &self.refusal {
            return Err(OracleError::Refused(refusal.clone()));
        }
        if self.text.trim().is_empty() {
            if let Some((name, arguments)) = self.calls.first() {
                return of_call(request, name, arguments);
            }
            if self.usage.reasoning_characters > 0 || self.usage.reasoning_tokens > 0 {
                return Err(OracleError::invalid("", "the model thought, and gave no answer"));
            }
            return Err(OracleError::Refused("the message is empty".into()));
        }
        match request.kind {
            // White space at the end may be that of a prompt.
            AnswerKind::Generate if request.grammar.is_some() => Ok(OracleAnswer::Text(self.text.clone())),
            AnswerKind::Generate => read(request, before_stop(&self.text, &request.stop).trim_end()),
            _ => read(request, self.text.trim()),
        }
    }
}

/// The answer in a call of a tool: the argument that names it, or the only one, or the name of the tool itself.
fn of_call(request: &OracleRequest, name: &str, arguments: &str) -> Result<OracleAnswer, OracleError> {
    let value: Value = serde_json::from_str(arguments).unwrap_or_else(|_| arguments.into());
    let named = ["answer", "choice", "choices", "number", "index", "value", "text", "scores"];
    let member = named.iter().find_map(|name| value.get(name)).or_else(|| match &value {
        Value::Object(members) if members.len() == 1 => members.values().next(),
        Value::Object(_) => None,
        other => Some(other),
    });
    let text = match member {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let by_argument = if text.is_empty() {
        Err(OracleError::invalid(arguments, "the call of a tool has no answer in it"))
    } else {
        read(request, &text)
    };
    match (by_argument, request.kind) {
        (Err(_), AnswerKind::Choose) if !name.is_empty() => read(request, name),
        (read, _) => read,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn message(message: &Value) -> String {
        json!({"choices": [{"message": message, "finish_reason": "stop"}]}).to_string()
    }

    fn answer(request: &OracleRequest, body: &str) -> Result<OracleAnswer, OracleError> {
        read_reply(Api::Chat, body)?.answer(request)
    }

    #[test]
    fn texts_end_before_a_stop_string() {
        let request = OracleRequest::new(AnswerKind::Generate, "s", "Go on.").stop(["Observation:", "\n\n"]);
        let text = message(&json!({"content": "Think.\nObservation: none"}));
        assert_eq!(answer(&request, &text), Ok(OracleAnswer::Text("Think.".into())));
        let parts = message(
            &json!({"content": [{"type": "thinking", "thinking": "?"}, {"type": "text", "text": "A"}, {"type": "text", "text": "B"}]}),
        );
        assert_eq!(answer(&request, &parts), Ok(OracleAnswer::Text("AB".into())));
        for thoughts in ["<think>Observation:</think>\n\nC", "Observation:</think>\nC"] {
            let thoughts = message(&json!({"content": thoughts}));
            assert_eq!(answer(&request, &thoughts), Ok(OracleAnswer::Text("C".into())));
        }
    }

    #[test]
    fn what_is_no_answer() {
        let request = OracleRequest::new(AnswerKind::Predicate, "p", "Is it?");
        let refused = [
            message(&json!({"content": ""})),
            message(&json!({"content": null})),
            message(&json!({})),
            message(&json!({"content": "1", "refusal": "I cannot"})),
            json!({"choices": [{"message": {"content": "1"}, "finish_reason": "content_filter"}]})
                .to_string(),
        ];
        for body in refused {
            assert!(matches!(answer(&request, &body), Err(OracleError::Refused(_))), "{body}");
        }
        let invalid = [
            "<html>".into(),
            "{}".into(),
            "[]".into(),
            json!({"choices": []}).to_string(),
            json!({"choices": [{}]}).to_string(),
            message(&json!({"content": 1})),
            message(&json!({"content": {"a": 1}})),
            message(&json!({"content": "banana"})),
            message(&json!({"content": "<think>1"})),
            message(&json!({"content": null, "reasoning_content": "1"})),
            message(
                &json!({"content": null, "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}),
            ),
        ];
        for body in invalid {
            assert!(matches!(answer(&request, &body), Err(OracleError::Invalid { .. })), "{body}");
        }
    }

    #[test]
    fn calls_of_tools_answer() {
        let request = OracleRequest::new(AnswerKind::Choose, "s", "Which?").choices(["left", "right"]);
        let call = |name: &str, arguments: &str| {
            message(&json!({"content": null, "tool_calls": [{"id": "1", "type": "function",
                "function": {"name": name, "arguments": arguments}}]}))
        };
        for body in [
            call("choose", "{\"choice\": 2}"),
            call("choose", "{\"why\": \"it is lit\", \"answer\": \"right\"}"),
            call("right", "{}"),
        ] {
            assert_eq!(answer(&request, &body), Ok(OracleAnswer::Choice(1)), "{body}");
        }
        assert!(answer(&request, &call("f", "{\"a\": 1, \"b\": 2}")).is_err());
    }

    #[test]
    fn the_three_forms() {
        let request = OracleRequest::new(AnswerKind::Predicate, "p", "Is it?");
        let chat = json!({
            "choices": [{"message": {"content": "1", "reasoning_content": "hm"}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 4}},
        });
        let completion = json!({
            "choices": [{"text": " yes", "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 5},
        });
        let response = json!({
            "status": "completed",
            "output": [
                {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
                {"type": "message", "content": [{"type": "output_text", "text": "true"}]},
            ],
            "usage": {"input_tokens": 7, "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 4}},
        });
        for (api, body) in [(Api::Chat, chat), (Api::Completions, completion), (Api::Responses, response)] {
            let reply = read_reply(api, &body.to_string()).expect("a reply");
            assert_eq!(reply.answer(&request), Ok(OracleAnswer::Truth(true)), "{body}");
            assert_eq!((reply.usage.prompt_tokens, reply.usage.completion_tokens), (7, 5));
            if api != Api::Completions {
                assert_eq!((reply.usage.reasoning_tokens, reply.usage.reasoning_characters), (4, 2));
            }
        }
        let cut = json!({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": []});
        assert!(read_reply(Api::Responses, &cut.to_string()).expect("a reply").is_cut_off);
    }
}
