//! The JSON of chat completions, in the form that OpenAI defined and most servers of models support.

use super::form::{before_stop, form, question};
use crate::oracles::reading::read;
use serde_json::{Map, Value, json};
use tsl_synth_agents::{AnswerKind, OracleAnswer, OracleError, OracleRequest};

/// The token limit of an answer from a closed set; models that reason before they answer need more than the number.
const SHORT: u32 = 256;
/// The token limit of a text.
const LONG: u32 = 2048;
/// The largest number of stop strings that servers accept.
const STOPS: usize = 4;

/// The body of a request to a model.
pub(super) fn request_body(request: &OracleRequest, model: &str, seed: u64) -> Map<String, Value> {
    let system = form(request).map(|form| json!({"role": "system", "content": form}));
    let user = json!({"role": "user", "content": question(request)});
    let again = request.attempt.saturating_sub(1);
    let is_text = matches!(
        request.kind,
        AnswerKind::Generate | AnswerKind::Message | AnswerKind::Act | AnswerKind::Translate
    );
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    body.insert("messages".into(), system.into_iter().chain([user]).collect());
    // With the same temperature and seed, a repeated question would get the same answer.
    body.insert(
        "temperature".into(),
        if again == 0 { 0.into() } else { (f64::from(again.min(10)) / 10.0).into() },
    );
    body.insert("seed".into(), seed.wrapping_add(u64::from(again)).into());
    body.insert("max_tokens".into(), if is_text { LONG } else { SHORT }.into());
    if !request.stop.is_empty() {
        body.insert("stop".into(), request.stop.iter().take(STOPS).cloned().collect());
    }
    body
}

/// The error message of a server, if its response has one of the usual forms.
pub(super) fn error_message(body: &str) -> Option<String> {
    let value: Value = serde_json::from_str(body).ok()?;
    let error = value.get("error").unwrap_or(&value);
    let message = error.as_str().or_else(|| error.get("message")?.as_str())?;
    Some(message.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Removes or renames a parameter of the body that the server rejects as unsupported; `false` if its message names
/// none.
pub(super) fn adapt(body: &mut Map<String, Value>, answer: &str) -> bool {
    let value: Value = serde_json::from_str(answer).unwrap_or_default();
    let parameter = value.pointer("/error/param").and_then(Value::as_str).map(str::to_string);
    let message = error_message(answer).unwrap_or_default();
    let says = ["unsupported", "not support", "unrecognized", "unknown", "not permitted", "extra inputs"];
    let refuses = says.iter().any(|word| message.to_lowercase().contains(word));
    let name = ["max_tokens", "temperature", "seed", "stop"].into_iter().find(|&name| {
        let named = match &parameter {
            Some(parameter) => parameter == name,
            None => message.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name),
        };
        refuses && named && body.contains_key(name)
    });
    let Some(name) = name else { return false };
    let value = body.remove(name);
    if name == "max_tokens" && message.contains("max_completion_tokens") {
        body.insert("max_completion_tokens".into(), value.unwrap_or_default());
    }
    true
}

/// The text of a message: a string, or a list of parts that all have a text.
fn message_text(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => parts
            .iter()
            .map(|part| part.get("text")?.as_str())
            .collect::<Option<Vec<_>>>()
            .map(|t| t.concat()),
        _ => None,
    }
}

/// The answer that the body of a response holds.
///
/// # Errors
/// When it holds none, or a refusal.
pub(super) fn response_answer(request: &OracleRequest, body: &str) -> Result<OracleAnswer, OracleError> {
    let invalid = |why: &str| OracleError::invalid(body.trim(), why);
    let value: Value =
        serde_json::from_str(body).map_err(|_| invalid("the body of the response is not JSON"))?;
    let choice = value.pointer("/choices/0").ok_or_else(|| invalid("the response has no `choices[0]`"))?;
    if choice.get("finish_reason").and_then(Value::as_str) == Some("content_filter") {
        return Err(OracleError::Refused("the response was withheld by a filter of its content".into()));
    }
    let message = choice.get("message").ok_or_else(|| invalid("the response has no `choices[0].message`"))?;
    if let Some(refusal) = message.get("refusal").and_then(Value::as_str).filter(|text| !text.is_empty()) {
        return Err(OracleError::Refused(refusal.to_string()));
    }
    let content = message.get("content").unwrap_or(&Value::Null);
    let text = match content {
        Value::Null => String::new(),
        content => message_text(content)
            .ok_or_else(|| invalid("`choices[0].message.content` of the response is no text"))?,
    };
    let text = without_thoughts(&text);
    if text.trim().is_empty() {
        return Err(OracleError::Refused("the message is empty".into()));
    }
    match request.kind {
        AnswerKind::Generate => read(request, before_stop(text, &request.stop).trim_end()),
        _ => read(request, text.trim()),
    }
}

/// The text without a leading `<think>` block, which some servers leave in the message.
fn without_thoughts(text: &str) -> &str {
    let thoughts = text.trim_start().strip_prefix("<think>").and_then(|rest| rest.split_once("</think>"));
    thoughts.map_or(text, |(_, answer)| answer).trim_start_matches(['\n', '\r'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(message: &Value) -> String {
        json!({"choices": [{"message": message, "finish_reason": "stop"}]}).to_string()
    }

    #[test]
    fn parts_that_a_model_does_not_know_are_left_out() {
        let request = OracleRequest::new(AnswerKind::Predicate, "p", "Is it?");
        let mut body = request_body(&request, "m", 1);
        let names = |body: &Map<String, Value>| body.keys().cloned().collect::<Vec<_>>().join(" ");
        let said = r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens"}}"#;
        assert!(adapt(&mut body, said));
        assert_eq!(names(&body), "max_completion_tokens messages model seed temperature");
        assert!(!adapt(&mut body, said));
        assert!(adapt(
            &mut body,
            r#"{"error":{"message":"temperature does not support 0 with this model"}}"#
        ));
        assert!(!adapt(&mut body, r#"{"error":{"message":"bad seed"}}"#));
        assert!(!adapt(&mut body, r#"{"error":{"message":"Unknown model"}}"#));
        assert_eq!(names(&body), "max_completion_tokens messages model seed");
    }

    #[test]
    fn texts_end_before_a_stop_string() {
        let request = OracleRequest::new(AnswerKind::Generate, "s", "Go on.").stop(["Observation:", "\n\n"]);
        let text = response(&json!({"content": "Think.\nObservation: none"}));
        assert_eq!(response_answer(&request, &text), Ok(OracleAnswer::Text("Think.".into())));
        let parts =
            response(&json!({"content": [{"type": "text", "text": "A"}, {"type": "text", "text": "B"}]}));
        assert_eq!(response_answer(&request, &parts), Ok(OracleAnswer::Text("AB".into())));
        let thoughts = response(&json!({"content": "<think>Observation:</think>\n\nC"}));
        assert_eq!(response_answer(&request, &thoughts), Ok(OracleAnswer::Text("C".into())));
    }

    #[test]
    fn what_is_no_answer() {
        let request = OracleRequest::new(AnswerKind::Predicate, "p", "Is it?");
        let refused = [
            response(&json!({"content": ""})),
            response(&json!({"content": null})),
            response(&json!({})),
            response(&json!({"content": "1", "refusal": "I cannot"})),
            json!({"choices": [{"message": {"content": "1"}, "finish_reason": "content_filter"}]})
                .to_string(),
        ];
        for body in refused {
            assert!(matches!(response_answer(&request, &body), Err(OracleError::Refused(_))), "{body}");
        }
        let invalid = [
            "<html>".into(),
            "{}".into(),
            "[]".into(),
            json!({"choices": []}).to_string(),
            json!({"choices": [{}]}).to_string(),
            response(&json!({"content": 1})),
            response(&json!({"content": {"a": 1}})),
            response(&json!({"content": "banana"})),
        ];
        for body in invalid {
            assert!(matches!(response_answer(&request, &body), Err(OracleError::Invalid { .. })), "{body}");
        }
    }
}
