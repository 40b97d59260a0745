//! A proxy in front of an MCP server, without input and output: it takes lines of the client and of the server, and
//! returns what to forward and what to answer.
//!
//! Calls of tools are proposed to a gate, and only calls that it grants are forwarded, rewritten from the form that was
//! judged. Other messages are forwarded byte for byte; a message that cannot be read could be a call, and is refused.
//! The answers of the server are always forwarded, and inform the gate how calls ended:
//!
//! * A call that is denied is answered with a result, since models see results and seldom errors of the protocol.
//! * A request that gives the server the input which it requires (`input_required`) has a new id, but is the same call.
//! * A call may go on as a task; `tasks/get`, `tasks/result` or a notification then reports how it ended.
//! * The outcome of a call that the client cancels is unknown, whatever the server answers later.
//! * Tools that the policy permits in no state are removed from lists of tools. Such a list does not depend on earlier
//!   calls, which the protocol since 2026-07-28 forbids.
//!
//! The proxy does not store the version of the protocol: a request of the newer protocol names it, and the answer has
//! the corresponding form.

mod permitted;
mod requests;

use requests::{MAX_OPEN, PendingRequest, Requests};
use std::borrow::Cow;
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, JsonText, ProposalAnswer, Ruling};
use tsl_synth_seats::mcp::{
    CallEnd, McpLine, McpMessage, TaskEnd, Unclear, batch, call_end, cancelled_request, denial, error,
    id_key, read_line, task_end, task_id, tool_call, without_tools,
};

/// The gate that decides about calls.
pub trait McpGate {
    /// Reads an event of the session; the answer is used only for calls.
    ///
    /// # Errors
    /// What went wrong; a call is then denied.
    fn event(&mut self, event: &HostEvent<'_>) -> Result<ProposalAnswer, String>;
    /// Whether no state of any session permits a tool of this server.
    fn never_permits(&mut self, server: &str, tool: &str) -> bool;
    /// Whether everything is let through (shadow mode).
    fn is_shadow(&self) -> bool;
}

/// What is forwarded of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Forward {
    /// The line as it is.
    Same,
    /// This text instead, without a line end.
    Text(String),
    /// Nothing.
    Nothing,
}

/// The handling of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpStep {
    /// What the other side receives.
    pub forward: Forward,
    /// Lines for the side that sent it, without line ends.
    pub answers: Vec<String>,
    /// Messages for the operator of the proxy.
    pub notes: Vec<String>,
}

impl McpStep {
    fn same() -> Self {
        Self { forward: Forward::Same, answers: Vec::new(), notes: Vec::new() }
    }
    fn text(text: String) -> Self {
        Self { forward: Forward::Text(text), ..Self::same() }
    }
    fn refused(answer: Option<String>, note: String) -> Self {
        Self { forward: Forward::Nothing, answers: answer.into_iter().collect(), notes: vec![note] }
    }
}

/// The JSON-RPC error code for a line that is not a message.
const PARSE_ERROR: i32 = -32_700;
/// The JSON-RPC error code for a message that is not a valid request.
const INVALID_REQUEST: i32 = -32_600;
/// The reason to refuse a request with the id of an unanswered request: their answers could not be distinguished.
const IN_USE: &str = "a request with this id is not answered yet, or too many requests are not answered";

/// The proxy of one process of a server.
#[derive(Clone, Debug)]
pub struct McpProxy {
    session: String,
    server: String,
    /// The prefix of the ids of the proxy's calls: no id is used twice in a session, whatever the client does.
    prefix: String,
    lines: u64,
    requests: Requests,
}

impl McpProxy {
    /// A proxy for the calls of a session to the server with this name. `prefix` must differ from those of all other
    /// proxies of the session.
    pub fn new(session: &str, server: &str, prefix: &str) -> Self {
        Self {
            session: session.to_owned(),
            server: server.to_owned(),
            prefix: prefix.to_owned(),
            lines: 0,
            requests: Requests::default(),
        }
    }
    /// An event of the session that the proxy itself does not see.
    pub fn event(&self, kind: HostEventKind<'static>) -> HostEvent<'static> {
        HostEvent::new(self.session.clone(), self.lines, kind)
    }
    fn call_id(&self, call: u64) -> Cow<'static, str> {
        Cow::Owned(format!("{}-{call}", self.prefix))
    }

    /// Handles a line of the client.
    pub fn from_client(&mut self, line: &[u8], gate: &mut dyn McpGate) -> McpStep {
        self.lines += 1;
        let refused = |unclear: Unclear| {
            let why = format!("the message is refused, for it could hide a call: {unclear}");
            let answer = error(None, PARSE_ERROR, &why);
            McpStep::refused(Some(answer), why)
        };
        match read_line(line) {
            Ok(McpLine::Blank) => McpStep::same(),
            Ok(McpLine::One(message)) => self.client_message(&message, gate),
            Ok(McpLine::Batch(messages)) => {
                let steps: Vec<_> = messages.iter().map(|one| self.client_message(one, gate)).collect();
                together(&messages, steps)
            }
            Err(unclear) if gate.is_shadow() => {
                McpStep { notes: vec![unclear.to_string()], ..McpStep::same() }
            }
            Err(unclear) => refused(unclear),
        }
    }

    fn client_message(&mut self, message: &McpMessage<'_>, gate: &mut dyn McpGate) -> McpStep {
        let params = message.params.unwrap_or("null");
        // A message without a method is an answer to the server.
        let Some(method) = message.method.as_deref() else { return McpStep::same() };
        if self.requests.is_call(message.id) && !gate.is_shadow() {
            return McpStep::refused(Some(error(message.id, INVALID_REQUEST, IN_USE)), IN_USE.to_owned());
        }
        match method {
            "tools/call" => return self.call(message, gate),
            "notifications/cancelled" => {
                let cancelled = cancelled_request(params).and_then(|key| self.requests.cancel(&key));
                if let Some(call) = cancelled {
                    return self.ended(call, CallOutcome::Unknown, None, gate);
                }
            }
            "tools/list" => self.requests.open(message.id, PendingRequest::List),
            "tasks/get" | "tasks/result" | "tasks/cancel" => {
                let task = task_id(params).filter(|task| self.requests.task(task).is_some());
                let is_payload = method == "tasks/result";
                let request =
                    task.map_or(PendingRequest::Other, |task| PendingRequest::Task { task, is_payload });
                self.requests.open(message.id, request);
            }
            _ => self.requests.open(message.id, PendingRequest::Other),
        }
        McpStep::same()
    }

    /// Proposes a call to the gate.
    fn call(&mut self, message: &McpMessage<'_>, gate: &mut dyn McpGate) -> McpStep {
        let is_shadow = gate.is_shadow();
        let (Some(id), Some(key)) = (message.id, message.id.and_then(id_key)) else {
            let why = "a call of a tool without an id that is a number or a text is refused".to_owned();
            if is_shadow {
                return McpStep { notes: vec![why], ..McpStep::same() };
            }
            let answer = message.id.map(|_| error(None, INVALID_REQUEST, &why));
            return McpStep::refused(answer, why);
        };
        let call = match tool_call(message) {
            Ok(call) => call,
            Err(unclear) if is_shadow => {
                return McpStep { notes: vec![unclear.to_string()], ..McpStep::same() };
            }
            Err(Unclear(why)) => return denied(id, &format!("Denied: {why}."), false),
        };
        if !is_shadow && (self.requests.is_open(&key) || self.requests.len() >= MAX_OPEN) {
            return McpStep::refused(Some(error(Some(id), INVALID_REQUEST, IN_USE)), IN_USE.to_owned());
        }
        let (number, is_again) = self.requests.number(&call);
        let kind = HostEventKind::Call {
            id: Some(self.call_id(number)),
            server: Some(Cow::Owned(self.server.clone())),
            tool: Cow::Owned(call.tool.clone()),
            arguments: JsonText(Cow::Owned(call.arguments.clone())),
        };
        let event = self.event(kind);
        let (decided, mut notes) = match gate.event(&event) {
            Ok(answer) => (answer, Vec::new()),
            Err(why) => {
                let reason = format!("Denied: the gate failed, and nothing was decided: {why}");
                let notes = vec![reason.clone()];
                (ProposalAnswer { ruling: Ruling::Deny, reason, laws: Vec::new(), ticket: None }, notes)
            }
        };
        if decided.ruling >= Ruling::Ask && !is_shadow {
            let step = denied(id, &reason(&decided), call.is_modern);
            return McpStep { notes, ..step };
        }
        if decided.ruling > Ruling::Allow {
            notes.push(decided.reason);
        }
        if is_again {
            self.requests.taken_up(number);
        }
        let request = PendingRequest::Call {
            call: number,
            id: id.to_owned(),
            is_modern: call.is_modern,
            is_told: false,
        };
        self.requests.open(Some(id), request);
        self.requests.remember(number, &call);
        McpStep { notes, ..McpStep::text(call.message) }
    }

    /// Reports the end of a call to the gate.
    fn ended(
        &mut self,
        call: u64,
        outcome: CallOutcome,
        result: Option<JsonText<'static>>,
        gate: &mut dyn McpGate,
    ) -> McpStep {
        self.requests.forget(call);
        let event = self.event(HostEventKind::Result { call: Some(self.call_id(call)), outcome, result });
        let notes = gate.event(&event).err().map(|why| format!("the end of a call was not recorded: {why}"));
        McpStep { notes: notes.into_iter().collect(), ..McpStep::same() }
    }

    /// Handles a line of the server.
    pub fn from_server(&mut self, line: &[u8], gate: &mut dyn McpGate) -> McpStep {
        self.lines += 1;
        match read_line(line) {
            Ok(McpLine::One(message)) => self.server_message(&message, gate),
            Ok(McpLine::Batch(messages)) => {
                let steps = messages.iter().map(|one| self.server_message(one, gate)).collect();
                together(&messages, steps)
            }
            Ok(McpLine::Blank) | Err(_) => McpStep::same(),
        }
    }

    fn server_message(&mut self, message: &McpMessage<'_>, gate: &mut dyn McpGate) -> McpStep {
        if let Some(method) = &message.method {
            // The first is of the protocol since 2026-07-28, the second of 2025-11-25.
            if matches!(&**method, "notifications/tasks" | "notifications/tasks/status") {
                let params = message.params.unwrap_or("null");
                let task = task_id(params);
                return task.map_or_else(McpStep::same, |task| self.task_told(&task, params, false, gate));
            }
            return McpStep::same();
        }
        match message.id.and_then(id_key).and_then(|key| self.requests.answered(&key)) {
            None | Some(PendingRequest::Other | PendingRequest::Call { is_told: true, .. }) => {
                McpStep::same()
            }
            Some(PendingRequest::Call { call, .. }) => match call_end(message) {
                CallEnd::Ended(outcome, result) => self.ended(call, outcome, result, gate),
                CallEnd::InputRequired(state) => {
                    self.requests.needs_input(call, state);
                    McpStep::same()
                }
                CallEnd::Task(task) => {
                    self.requests.goes_on_as(call, task);
                    McpStep::same()
                }
            },
            Some(PendingRequest::Task { task, is_payload }) => match message.result {
                Some(result) => self.task_told(&task, result, is_payload, gate),
                None => McpStep::same(),
            },
            Some(PendingRequest::List) if gate.is_shadow() => McpStep::same(),
            Some(PendingRequest::List) => {
                let server = self.server.clone();
                without_tools(message.text, |tool| gate.never_permits(&server, tool))
                    .map_or_else(McpStep::same, McpStep::text)
            }
        }
    }

    /// Handles a report about a task.
    fn task_told(&mut self, task: &str, text: &str, is_payload: bool, gate: &mut dyn McpGate) -> McpStep {
        let Some(call) = self.requests.task(task) else { return McpStep::same() };
        match task_end(text, is_payload) {
            TaskEnd::GoesOn => McpStep::same(),
            TaskEnd::Ended(outcome, result) => {
                self.requests.task_ended(task);
                self.ended(call, outcome, result, gate)
            }
        }
    }

    /// Handles the end of the server: the outcome of calls that it did not answer is unknown, and the client is
    /// informed. The answers are for the client.
    pub fn server_gone(&mut self, gate: &mut dyn McpGate) -> McpStep {
        let mut step = McpStep { forward: Forward::Nothing, ..McpStep::same() };
        for request in self.requests.take() {
            let PendingRequest::Call { call, id, is_modern, is_told: false } = request else { continue };
            let why = "The server ended before it answered. Whether the call was made is not known.";
            step.answers.push(denial(&id, why, is_modern));
            step.notes.extend(self.ended(call, CallOutcome::Unknown, None, gate).notes);
        }
        step
    }
}

/// The reason of a denial, for the model.
fn reason(decided: &ProposalAnswer) -> String {
    let rest = "This proxy cannot ask a person, so the call is not made.";
    match decided.ruling {
        Ruling::Ask => format!("{}\n{rest}", decided.reason),
        _ => decided.reason.clone(),
    }
}

fn denied(id: &str, reason: &str, is_modern: bool) -> McpStep {
    McpStep { forward: Forward::Nothing, answers: vec![denial(id, reason, is_modern)], notes: Vec::new() }
}

/// Combines the steps for an array of messages.
fn together(messages: &[McpMessage<'_>], steps: Vec<McpStep>) -> McpStep {
    let is_same = steps.iter().all(|step| step.forward == Forward::Same);
    let (mut kept, mut answers, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for (message, step) in messages.iter().zip(steps) {
        match step.forward {
            Forward::Same => kept.push(message.text.to_owned()),
            Forward::Text(text) => kept.push(text),
            Forward::Nothing => {}
        }
        answers.extend(step.answers);
        notes.extend(step.notes);
    }
    let forward = match (is_same, kept.is_empty()) {
        (true, _) => Forward::Same,
        (false, true) => Forward::Nothing,
        (false, false) => Forward::Text(batch(kept.iter().map(String::as_str))),
    };
    // The answers to an array are an array.
    let answers = if answers.is_empty() { answers } else { vec![batch(answers.iter().map(String::as_str))] };
    McpStep { forward, answers, notes }
}
