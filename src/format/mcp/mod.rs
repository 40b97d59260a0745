//! Messages of the Model Context Protocol on standard input and output: one JSON-RPC message a line.
//!
//! A proxy that judges some messages and passes the others must read a line as every reader behind it does. So a message
//! is not built from typed parts and written again: its text is kept, and only what is judged is written anew, from
//! exactly what was judged. What two readers could read differently ([`Unclear`]) is not for such a proxy to pass:
//!
//! * keys that are named twice, or that only readers which ignore case take for `id`, `method`, `params`;
//! * carriage returns within a line, where some readers end a line;
//! * text that is not UTF-8 or no JSON, and arrays within arrays.
//!
//! Both eras of the protocol are read: up to version 2025-11-25 a session begins with `initialize`; since 2026-07-28 every
//! request names the version in its `_meta`, and every result has a `resultType`.

mod call;
mod line;
mod result;
mod tools;
mod write;

pub use call::{McpToolCall, tool_call};
pub use line::{MESSAGE_LIMIT, McpLine, McpMessage, Unclear, id_key, read_line};
pub use result::{CallEnd, TaskEnd, call_end, cancelled_request, task_end, task_id};
pub use tools::without_tools;
pub use write::{REASON_LIMIT, batch, denial, error};
