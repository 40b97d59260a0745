//! Anthropic Messages: `tool_use` blocks of the agent, `tool_result` blocks in messages of the user, `is_error` if a
//! tool failed. A list of messages, an object with `messages`, a request with its response, or lines of these or of
//! messages.
//!
//! The agent stopped of its own accord if its last message calls no tool, was not cut off (`max_tokens`), and nothing
//! follows it.

use super::documents::{self, Manner, MessageLog};
use super::session_table::{SessionTable, Sink};
use serde_json::value::RawValue;
use std::ops::ControlFlow;

pub(super) fn document(
    sessions: &mut SessionTable,
    running: &mut MessageLog,
    name: &str,
    numbered: bool,
    raw: &RawValue,
    sink: &mut Sink<'_>,
) -> ControlFlow<()> {
    documents::document(sessions, running, Manner { name, marks_failures: true, numbered }, raw, sink)
}
