//! Requests of the client that are not answered yet, and calls that have not ended.

use std::collections::BTreeMap;
use tsl_synth_core::json_text::canonical;
use tsl_synth_core::model::JsonText;
use tsl_synth_seats::mcp::{McpToolCall, id_key};

/// The number of unanswered requests from which on calls are denied.
pub(super) const MAX_OPEN: usize = 1 << 16;

/// A request whose answer the proxy waits for.
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
    /// Any other request: its answer must not be mistaken for that to a call.
    Other,
    /// A request about a task.
    Task {
        /// Its name.
        task: String,
        /// Whether the answer is the result of the call itself.
        is_payload: bool,
    },
}

/// The content of a call, by which a request that gives more input is recognized.
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

/// All unanswered requests and calls that have not ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Requests {
    open: BTreeMap<String, PendingRequest>,
    /// The number of calls so far.
    calls: u64,
    /// The contents of the calls that have not ended.
    asked: BTreeMap<u64, CallContent>,
    /// Calls for which the server needs input, with the state that it gave.
    waiting: BTreeMap<u64, Option<String>>,
    /// The calls behind tasks.
    tasks: BTreeMap<String, u64>,
}

impl Requests {
    /// The number of unanswered requests.
    pub(super) fn len(&self) -> usize {
        self.open.len()
    }
    /// Whether a request with this id is not answered.
    pub(super) fn is_open(&self, key: &str) -> bool {
        self.open.contains_key(key)
    }
    /// Whether the answer to a request with this id would be mistaken for that to a call.
    pub(super) fn is_call(&self, id: Option<&str>) -> bool {
        let key = id.and_then(id_key);
        key.is_some_and(|key| matches!(self.open.get(&key), Some(PendingRequest::Call { .. })))
    }
    /// Adds a request whose answer is awaited.
    pub(super) fn open(&mut self, id: Option<&str>, request: PendingRequest) {
        if let Some(key) = id.and_then(id_key)
            && (self.open.len() < MAX_OPEN || matches!(request, PendingRequest::Call { .. }))
        {
            self.open.insert(key, request);
        }
    }
    /// The number of a call, and whether it continues one for which the server needs input. Of several such calls with
    /// equal content and state, the oldest is taken.
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
    /// Stores the content of a call.
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
    /// The client cancels a request. Returns the call, unless the request is none or was canceled before. The id of a
    /// call stays in use until the server answers, so that a late answer is not mistaken for that to another call.
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
    /// Takes all unanswered requests, because no more answers will come.
    pub(super) fn take(&mut self) -> Vec<PendingRequest> {
        std::mem::take(&mut self.open).into_values().collect()
    }
}
