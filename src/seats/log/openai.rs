//! OpenAI Chat messages and items of the Responses API: a list, an object with `messages`, `items` or `traj`
//! (tau-bench: a list of runs, each a session), a response with `output` or `choices`, or lines of these or of single
//! messages.
//!
//! Results have no mark of failure: their outcomes are not told, and they are counted in
//! [`LogNotes::untold_outcomes`](super::LogNotes). The agent stopped of its own accord if its last message calls no
//! tool and nothing follows it.

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
    documents::document(sessions, running, Manner { name, marks_failures: false, numbered }, raw, sink)
}
