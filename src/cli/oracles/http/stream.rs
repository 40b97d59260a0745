//! Answers that arrive as streams of server-sent events, put together to the response that would have come at once.

use crate::oracles::Api;
use serde_json::{Map, Value, json};

/// Whether the body is a stream of events.
pub(super) fn is_stream(body: &str) -> bool {
    let body = body.trim_start();
    body.starts_with("data:") || body.starts_with("event:") || body.starts_with(": ")
}

/// The response that a stream comes to.
///
/// # Errors
/// Why it is incomplete, which another try may mend, or the error that the server reports in it.
pub(super) fn collect(api: Api, body: &str) -> Result<String, String> {
    let events = body.lines().filter_map(|line| line.trim_end().strip_prefix("data:")).map(str::trim);
    let mut whole = Collected::default();
    for event in events {
        if event == "[DONE]" {
            whole.is_done = true;
            break;
        }
        let value: Value =
            serde_json::from_str(event).map_err(|_| "an event of the stream is not JSON".to_string())?;
        if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
            let message =
                error.get("message").and_then(Value::as_str).unwrap_or("the stream reports an error");
            return Err(message.to_string());
        }
        if api == Api::Responses {
            let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
            if matches!(kind, "response.completed" | "response.incomplete" | "response.failed") {
                return Ok(value.get("response").cloned().unwrap_or_default().to_string());
            }
            continue;
        }
        whole.add(&value);
    }
    if api == Api::Responses || !whole.is_done && whole.finish.is_none() {
        return Err("the stream broke off".into());
    }
    Ok(whole.response(api).to_string())
}

#[derive(Default)]
struct Collected {
    text: String,
    reasoning: String,
    refusal: String,
    /// Names and arguments by index.
    calls: Vec<(String, String)>,
    finish: Option<Value>,
    usage: Value,
    is_done: bool,
}

impl Collected {
    fn add(&mut self, event: &Value) {
        if let Some(usage) = event.get("usage").filter(|usage| !usage.is_null()) {
            self.usage = usage.clone();
        }
        let Some(choice) = event.pointer("/choices/0") else { return };
        if let Some(reason) = choice.get("finish_reason").filter(|reason| !reason.is_null()) {
            self.finish = Some(reason.clone());
        }
        let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_string);
        self.text.extend(text(choice, "text"));
        let Some(delta) = choice.get("delta").or_else(|| choice.get("message")) else { return };
        self.text.extend(text(delta, "content"));
        self.reasoning.extend(text(delta, "reasoning_content").or_else(|| text(delta, "reasoning")));
        self.refusal.extend(text(delta, "refusal"));
        for call in delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            let index = call.get("index").and_then(Value::as_u64).unwrap_or(0).min(63) as usize;
            if self.calls.len() <= index {
                self.calls.resize(index + 1, (String::new(), String::new()));
            }
            let Some(function) = call.get("function") else { continue };
            self.calls[index].0.extend(text(function, "name"));
            self.calls[index].1.extend(text(function, "arguments"));
        }
    }

    fn response(self, api: Api) -> Value {
        let finish = self.finish.unwrap_or(Value::Null);
        if api == Api::Completions {
            return json!({"choices": [{"text": self.text, "finish_reason": finish}], "usage": self.usage});
        }
        let mut message = Map::new();
        message.insert("content".into(), self.text.into());
        for (name, text) in [("reasoning_content", self.reasoning), ("refusal", self.refusal)] {
            if !text.is_empty() {
                message.insert(name.into(), text.into());
            }
        }
        if !self.calls.is_empty() {
            let call = |(name, arguments)| json!({"function": {"name": name, "arguments": arguments}});
            message.insert("tool_calls".into(), self.calls.into_iter().map(call).collect());
        }
        json!({"choices": [{"message": message, "finish_reason": finish}], "usage": self.usage})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_put_together() {
        let body = concat!(
            ": keep alive\n\n",
            "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"reasoning_content\":\"hm\"}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{\"content\":\"You \"}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{\"content\":\"win.\"},\"finish_reason\":\"stop\"}]}\n\n",
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}\n\n",
            "data: [DONE]\n\n",
        );
        assert!(is_stream(body) && !is_stream("{\"choices\":[]}"));
        let whole: Value =
            serde_json::from_str(&collect(Api::Chat, body).expect("it is whole")).expect("JSON");
        assert_eq!(whole.pointer("/choices/0/message/content"), Some(&json!("You win.")));
        assert_eq!(whole.pointer("/choices/0/message/reasoning_content"), Some(&json!("hm")));
        assert_eq!(whole.pointer("/usage/completion_tokens"), Some(&json!(2)));
        let broken = &body[..body.find("data: {\"choices\":[{\"delta\":{\"content\":\"win").expect("there")];
        assert_eq!(collect(Api::Chat, broken), Err("the stream broke off".into()));
        let error = "data: {\"error\":{\"message\":\"overloaded\"}}\n\n";
        assert_eq!(collect(Api::Chat, error), Err("overloaded".into()));
        assert!(collect(Api::Chat, "data: {no\n\n").is_err());
    }

    #[test]
    fn calls_and_responses_arrive_in_parts() {
        let body = concat!(
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\"\"}}]}}]}\n",
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\": 2}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n",
        );
        let whole: Value =
            serde_json::from_str(&collect(Api::Chat, body).expect("it is whole")).expect("JSON");
        let arguments = whole.pointer("/choices/0/message/tool_calls/0/function/arguments");
        assert_eq!(arguments, Some(&json!("{\"a\": 2}")));
        let body = concat!(
            "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"1\"}\n\n",
            "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"output\":[]}}\n\n",
        );
        assert_eq!(collect(Api::Responses, body), Ok("{\"output\":[]}".into()));
        assert!(collect(Api::Responses, "data: {\"type\":\"response.created\"}\n").is_err());
    }
}
