//! Requests of the client that are not answered, and calls that go on.

use crate::format::json_text::canonical;
use crate::format::mcp::{McpToolCall, id_key};
use crate::model::JsonText;
use std::collections::BTreeMap;

/// Requests that are not answered, past which calls are denied.
pub(super) const MAX_OPEN: usize = 1 << 16;

/// A request that the proxy waits for the answer to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PendingRequest {
    /// A call that was granted.
    Call {
        /// Its number.
        call: u64,
        /// The id of the request, as it was sent.
        id: String,
        /// Whether it is of the protocol since 2026-07-28.
        is_modern: bool,
        /// Whether the gate was informed that the outcome is unknown.
        is_told: bool,
    },
    /// A list of tools.
    List,
    /// Anything else: its answer is not to be taken for that to a call.
    Other,
    /// A question about a task.
    Task {
        /// Its name.
        task: String,
        /// Whether the answer is that to the call itself.
        is_payload: bool,
    },
}

/// What a call asked for, by which a request that gives more input is recognized.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CallContent {
    tool: String,
    arguments: String,
}

impl CallContent {
    fn of(call: &McpToolCall) -> Self {
        let arguments = JsonText::borrowed(&call.arguments);
        let arguments = canonical(&arguments).unwrap_or_else(|_| call.arguments.clone());
        Self { tool: call.tool.clone(), arguments }
    }
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Requests {
    open: BTreeMap<String, PendingRequest>,
    /// Calls so far.
    calls: u64,
    /// What the calls that have not ended asked for.
    asked: BTreeMap<u64, CallContent>,
    /// Calls for which the server needs input, with the state that it gave.
    waiting: BTreeMap<u64, Option<String>>,
    /// The calls behind tasks.
    tasks: BTreeMap<String, u64>,
}

impl Requests {
    /// How many are not answered.
    pub(super) fn len(&self) -> usize {
        self.open.len()
    }
    /// Whether a request with this id is not answered.
    pub(super) fn is_open(&self, key: &str) -> bool {
        self.open.contains_key(key)
    }
    /// Whether the answer to a request with this id would be taken for that to a call.
    pub(super) fn is_call(&self, id: Option<&str>) -> bool {
        let key = id.and_then(id_key);
        key.is_some_and(|key| matches!(self.open.get(&key), Some(PendingRequest::Call { .. })))
    }
    /// Waits for the answer to a request.
    pub(super) fn open(&mut self, id: Option<&str>, request: PendingRequest) {
        if let Some(key) = id.and_then(id_key)
            && (self.open.len() < MAX_OPEN || matches!(request, PendingRequest::Call { .. }))
        {
            self.open.insert(key, request);
        }
    }
    /// The number of a call, and whether it is one that the server needs input for. Where the server gave no state, the oldest
    /// of equal calls is meant.
    pub(super) fn number(&mut self, call: &McpToolCall) -> (u64, bool) {
        if call.is_retry {
            let asked = CallContent::of(call);
            let is_meant = |(number, state): &(&u64, &Option<String>)| {
                **state == call.request_state && self.asked.get(number) == Some(&asked)
            };
            if let Some((&number, _)) = self.waiting.iter().find(is_meant) {
                return (number, true);
            }
        }
        self.calls += 1;
        (self.calls, false)
    }
    /// What a call asks for.
    pub(super) fn remember(&mut self, number: u64, call: &McpToolCall) {
        self.asked.insert(number, CallContent::of(call));
    }
    /// The server got the input that it needs for a call.
    pub(super) fn taken_up(&mut self, call: u64) {
        self.waiting.remove(&call);
    }
    /// The server needs input for a call.
    pub(super) fn needs_input(&mut self, call: u64, state: Option<String>) {
        self.waiting.insert(call, state);
    }
    /// A call goes on as a task.
    pub(super) fn goes_on_as(&mut self, call: u64, task: String) {
        self.tasks.insert(task, call);
    }
    /// The call behind a task.
    pub(super) fn task(&self, task: &str) -> Option<u64> {
        self.tasks.get(task).copied()
    }
    /// A task ended.
    pub(super) fn task_ended(&mut self, task: &str) {
        self.tasks.remove(task);
    }
    /// A call ended.
    pub(super) fn forget(&mut self, call: u64) {
        self.asked.remove(&call);
        self.waiting.remove(&call);
    }
    /// The client cancels a request; the call, if it is one that has not been cancelled before. Its id stays in use until the
    /// server answers, so that a late answer is not taken for that to another call.
    pub(super) fn cancel(&mut self, key: &str) -> Option<u64> {
        match self.open.get_mut(key)? {
            PendingRequest::Call { is_told: true, .. } => None,
            PendingRequest::Call { call, is_told, .. } => {
                *is_told = true;
                Some(*call)
            }
            _ => {
                self.open.remove(key);
                None
            }
        }
    }
    /// The server answered a request.
    pub(super) fn answered(&mut self, key: &str) -> Option<PendingRequest> {
        self.open.remove(key)
    }
    /// Nothing will be answered any more.
    pub(super) fn take(&mut self) -> Vec<PendingRequest> {
        std::mem::take(&mut self.open).into_values().collect()
    }
}
