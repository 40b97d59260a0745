//! Writes our own messages, and values that were read.

use serde_json::{Value, json};
use tsl_synth_core::json::{Json, JsonId, JsonKind};

/// Reasons are cut off after this many bytes, since they become part of the context of a model.
pub const REASON_LIMIT: usize = 16 << 10;

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// A value without blanks, keys in their order, numbers as they were written. The recursion depth is bounded by the
/// nesting limit of the JSON reader.
pub(super) fn compact(json: &Json, value: JsonId) -> String {
    let mut out = String::new();
    write(json, value, &mut out);
    out
}

fn write(json: &Json, value: JsonId, out: &mut String) {
    match &json.get(value).kind {
        JsonKind::Null => out.push_str("null"),
        JsonKind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        JsonKind::Number(number) => out.push_str(number),
        JsonKind::Text(text) => out.push_str(&quoted(text)),
        JsonKind::Array(values) => {
            out.push('[');
            for (i, &value) in values.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                write(json, value, out);
            }
            out.push(']');
        }
        JsonKind::Object(fields) => {
            out.push('{');
            for (i, (key, value)) in fields.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                out.push_str(&quoted(&key.value));
                out.push(':');
                write(json, *value, out);
            }
            out.push('}');
        }
    }
}

fn shortened(reason: &str) -> &str {
    &reason[..reason.floor_char_boundary(REASON_LIMIT)]
}

/// The result of a call that is not made: a result and not an error of the protocol, since models seldom see the
/// latter. The id is written as it was sent.
pub fn denial(id: &str, reason: &str, is_modern: bool) -> String {
    let mut result = json!({ "content": [{ "type": "text", "text": shortened(reason) }], "isError": true });
    if is_modern {
        result["resultType"] = "complete".into();
    }
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}")
}

/// An error of the protocol; the id is null if it is not known.
pub fn error(id: Option<&str>, code: i32, message: &str) -> String {
    let error = json!({ "code": code, "message": shortened(message) });
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"error\":{error}}}", id.unwrap_or("null"))
}

/// Several messages on one line.
pub fn batch<'a>(messages: impl IntoIterator<Item = &'a str>) -> String {
    let all: Vec<&str> = messages.into_iter().collect();
    format!("[{}]", all.join(","))
}
