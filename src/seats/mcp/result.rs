//! Reads from responses and notifications how calls and tasks ended.

use super::line::{McpMessage, id_key};
use crate::log::shared::{given, result, unquoted};
use serde::Deserialize;
use serde_json::value::RawValue;
use tsl_synth_core::model::{CallOutcome, JsonText};

/// The content of the response to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallEnd {
    /// The call ended.
    Ended(CallOutcome, Option<JsonText<'static>>),
    /// The server needs input; the call continues with a request that contains this state.
    InputRequired(Option<String>),
    /// The call continues as the task with this id.
    Task(String),
}

/// The state of a task that a message reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskEnd {
    /// It is not known to have ended.
    GoesOn,
    /// It ended.
    Ended(CallOutcome, Option<JsonText<'static>>),
}

/// The entries of results that we read.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ResultFields<'a> {
    #[serde(borrow)]
    result_type: Option<&'a RawValue>,
    #[serde(borrow)]
    is_error: Option<&'a RawValue>,
    #[serde(borrow)]
    structured_content: Option<&'a RawValue>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    request_state: Option<&'a RawValue>,
    #[serde(borrow)]
    task_id: Option<&'a RawValue>,
    #[serde(borrow)]
    task: Option<&'a RawValue>,
    #[serde(borrow)]
    status: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    request_id: Option<&'a RawValue>,
}

fn fields(text: &str) -> Option<ResultFields<'_>> {
    text.starts_with('{').then(|| serde_json::from_str(text).ok()).flatten()
}

fn text(raw: Option<&RawValue>) -> Option<String> {
    unquoted(raw?.get()).map(std::borrow::Cow::into_owned)
}

/// The value of a completed call: `structuredContent`, else the content, where JSON inside of text is read.
fn value(fields: &ResultFields<'_>) -> Option<JsonText<'static>> {
    let structured = given(fields.structured_content).map(JsonText::borrowed);
    let value = structured.or_else(|| given(fields.content).map(result));
    value.map(JsonText::into_owned)
}

fn completed(fields: &ResultFields<'_>) -> (CallOutcome, Option<JsonText<'static>>) {
    let outcome = match fields.is_error.map(RawValue::get) {
        None | Some("false" | "null") => CallOutcome::Ok,
        Some("true") => CallOutcome::Failed,
        Some(_) => CallOutcome::Unknown,
    };
    (outcome, value(fields))
}

/// Reads a response to `tools/call`. A response that cannot be read is an end with an unknown outcome.
pub fn call_end(response: &McpMessage<'_>) -> CallEnd {
    let unknown = CallEnd::Ended(CallOutcome::Unknown, None);
    match (response.result, response.error) {
        (Some(raw), None) => {
            let Some(fields) = fields(raw) else { return unknown };
            let kind = text(fields.result_type);
            if let Some(task) = given(fields.task).and_then(self::fields).and_then(|task| text(task.task_id))
            {
                // The form of version 2025-11-25.
                return CallEnd::Task(task);
            }
            match kind.as_deref() {
                None | Some("complete") => {
                    let (outcome, value) = completed(&fields);
                    CallEnd::Ended(outcome, value)
                }
                Some("input_required") => CallEnd::InputRequired(text(fields.request_state)),
                Some("task") => text(fields.task_id).map_or(unknown, CallEnd::Task),
                Some(_) => unknown,
            }
        }
        (None, Some(raw)) => CallEnd::Ended(CallOutcome::Failed, Some(JsonText(raw.to_owned().into()))),
        _ => unknown,
    }
}

/// Reads the state of a task from the result of `tasks/get` or `tasks/cancel`, or from the parameters of a
/// notification; with `is_payload`, from the response to `tasks/result`, which is the result of the call.
pub fn task_end(text_of: &str, is_payload: bool) -> TaskEnd {
    let Some(fields) = fields(text_of) else { return TaskEnd::GoesOn };
    if is_payload {
        let (outcome, value) = completed(&fields);
        return TaskEnd::Ended(outcome, value);
    }
    match text(fields.status).as_deref() {
        Some("completed") => match given(fields.result).and_then(self::fields) {
            Some(inner) => {
                let (outcome, value) = completed(&inner);
                TaskEnd::Ended(outcome, value)
            }
            // Version 2025-11-25 gives the result by `tasks/result`.
            None => TaskEnd::GoesOn,
        },
        Some("failed") => {
            let error = given(fields.error).map(|raw| JsonText(raw.to_owned().into()));
            TaskEnd::Ended(CallOutcome::Failed, error)
        }
        Some("cancelled") => TaskEnd::Ended(CallOutcome::Unknown, None),
        _ => TaskEnd::GoesOn,
    }
}

/// The id of the task in parameters or a result.
pub fn task_id(text_of: &str) -> Option<String> {
    text(fields(text_of)?.task_id)
}

/// The id of the request in the parameters of `notifications/cancelled`, in the form of [`id_key`].
pub fn cancelled_request(params: &str) -> Option<String> {
    id_key(fields(params)?.request_id?.get())
}
