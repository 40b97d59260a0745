//! Messages of the Model Context Protocol on standard input and output: one JSON-RPC message per line.
//!
//! A proxy that judges some messages and forwards the others must interpret a line exactly as every reader behind it
//! does. So messages are not parsed into typed parts and written again: their text is kept, and only a message that is
//! judged is rewritten, from exactly the parts that were judged. Such a proxy must not forward lines that two readers
//! could interpret differently ([`Unclear`]):
//!
//! * duplicate keys, and keys that readers which ignore case take for `id`, `method`, `params`;
//! * carriage returns within a line, where some readers end a line;
//! * text that is not UTF-8 or no JSON, and arrays within arrays.
//!
//! Both eras of the protocol are read: up to version 2025-11-25 a session begins with `initialize`; since 2026-07-28
//! every request names the version in its `_meta`, and every result has a `resultType`.

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
