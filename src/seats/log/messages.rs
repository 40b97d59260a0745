//! Messages of chat formats: OpenAI Chat and Responses, Anthropic, LangChain, Inspect AI, tau2. The formats rarely use
//! one field name for different things, so one record type reads all of them.
//!
//! If the last message of a session is the agent's, calls no tool and was not cut off, the agent stopped of its own
//! accord, and `End` is reported.

use super::block_calls::{self, BlockCall, BlockEnd, BlockResult};
use super::blocks::{MessageBlock, MessageContent, result};
use super::lenient::{LenientObject, LenientScalar, LenientText, List, given};
use super::session_table::{Arguments, At, LoggedCall, SessionTable, Sink, split_mcp};
use super::text;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;
use tsl_synth_core::model::{CallOutcome, HostEventKind, JsonText, Speaker, UntoldFacts};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CalledFunction<'a> {
    #[serde(borrow)]
    name: LenientText<'a>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct MessageCall<'a> {
    #[serde(borrow)]
    id: LenientScalar<'a>,
    #[serde(borrow)]
    name: LenientText<'a>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    /// An object in OpenAI Chat, the name in Inspect AI.
    #[serde(borrow)]
    function: Option<&'a RawValue>,
    #[serde(borrow)]
    custom: LenientObject<Custom<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Custom<'a> {
    #[serde(borrow)]
    name: LenientText<'a>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

/// A message, or an item of the Responses API.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct MessageItem<'a> {
    #[serde(borrow)]
    role: LenientText<'a>,
    #[serde(borrow, rename = "type")]
    kind: LenientText<'a>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    /// The content of messages of the user interface of the AI SDK.
    #[serde(borrow)]
    parts: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_calls: List<LenientObject<MessageCall<'a>>>,
    #[serde(borrow)]
    function_call: LenientObject<CalledFunction<'a>>,
    #[serde(borrow)]
    tool_call_id: LenientScalar<'a>,
    #[serde(borrow)]
    call_id: LenientScalar<'a>,
    #[serde(borrow)]
    id: LenientScalar<'a>,
    #[serde(borrow)]
    name: LenientText<'a>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    action: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(borrow)]
    server_label: LenientText<'a>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    status: LenientText<'a>,
    #[serde(borrow)]
    stop_reason: LenientText<'a>,
    #[serde(borrow)]
    requestor: LenientText<'a>,
    #[serde(borrow)]
    timestamp: LenientScalar<'a>,
    /// Several results in one message (tau2).
    #[serde(borrow)]
    tool_messages: List<&'a RawValue>,
    /// The message inside of LangChain's serialized form.
    #[serde(borrow)]
    kwargs: Option<&'a RawValue>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

/// The class of a serialized message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Constructor<'a> {
    #[serde(borrow)]
    id: List<LenientText<'a>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MessageRole {
    User,
    Agent,
    Tool,
    System,
}

impl<'a> MessageItem<'a> {
    /// The parts or the content.
    fn said(&self) -> Option<&'a RawValue> {
        let parts = self.parts.filter(|parts| parts.get().starts_with('[') && parts.get() != "[]");
        parts.or(self.content)
    }
    /// The id of the call whose result it is.
    pub(super) fn answered(&self) -> Option<Cow<'_, str>> {
        let call = self.tool_call_id.name().or(self.call_id.name());
        // tau2 has the name of the call in `id`.
        call.or_else(|| self.id.name().filter(|_| self.requestor.get().is_some()))
    }
    fn role(&self) -> Option<MessageRole> {
        let kind = self.kind.get().map(|kind| kind.strip_suffix("MessageChunk").unwrap_or(kind));
        Some(match self.role.get().or(kind)? {
            "user" | "human" | "HumanMessage" | "Human" => MessageRole::User,
            "assistant" | "ai" | "agent" | "model" | "AIMessage" | "AI" => MessageRole::Agent,
            "tool" | "function" | "ToolMessage" | "FunctionMessage" => MessageRole::Tool,
            "system" | "developer" | "SystemMessage" => MessageRole::System,
            _ => return None,
        })
    }
    /// The outcome of a call, if the message contains it. In formats that mark failures (`marks`), a missing mark means
    /// success.
    fn outcome(&self, marks: bool) -> Option<CallOutcome> {
        match (given(self.error), self.status.get()) {
            (Some("false" | "\"\"" | "0"), _) | (None, Some("success")) => Some(CallOutcome::Ok),
            (Some(_), _) | (None, Some("error" | "failed")) => Some(CallOutcome::Failed),
            (None, Some("incomplete" | "in_progress")) => Some(CallOutcome::Unknown),
            _ => marks.then_some(CallOutcome::Ok),
        }
    }
}

/// Whether a raw value is a message or an item of the Responses API.
pub(super) fn is_item(raw: &str) -> bool {
    serde_json::from_str::<MessageItem<'_>>(raw).is_ok_and(|item| {
        item.role().is_some()
            || item.kwargs.is_some()
            || item.kind.get().is_some_and(|kind| {
                kind == "message"
                    || kind == "reasoning"
                    || kind.ends_with("_call")
                    || kind.ends_with("_call_output")
            })
    })
}

/// A hash of what a message says, calls and returns; the same for a message in a response and in later requests. `None`
/// for one of the system.
pub(super) fn fingerprint(raw: &str) -> Option<u64> {
    let item: MessageItem<'_> = serde_json::from_str(raw).unwrap_or_default();
    if item.role() == Some(MessageRole::System) {
        return None;
    }
    let mut hasher = FxHasher::default();
    match item.role() {
        Some(role) => (role as u8).hash(&mut hasher),
        None => raw.hash(&mut hasher),
    }
    let content = MessageContent::of(item.said());
    content.said().hash(&mut hasher);
    if !matches!(content, MessageContent::Text(_) | MessageContent::None) {
        item.said().map(RawValue::get).hash(&mut hasher);
    }
    for call in item.tool_calls.0.iter().filter_map(|call| call.0.as_ref()) {
        let raw = [call.args, call.arguments, call.function].map(given);
        (call.id.name(), call.name.get(), raw).hash(&mut hasher);
    }
    item.function_call.0.as_ref().map(|call| (call.name.get(), given(call.arguments))).hash(&mut hasher);
    (item.tool_call_id.name(), item.call_id.name()).hash(&mut hasher);
    Some(hasher.finish())
}

/// One session that is read message by message.
#[derive(Debug, Default)]
pub(super) struct MessageReader {
    /// Whether the format marks failed results.
    pub(super) marks_failures: bool,
    /// Messages so far.
    pub(super) count: u64,
    /// The time of messages that have none, in milliseconds since 1970.
    pub(super) time: Option<i64>,
    /// Whether the last message is the agent's, calls no tool and was not cut off.
    rests: bool,
    /// Whether the last call in a block has its result in the same block.
    has_ended: bool,
    /// The times at which calls began and ended (milliseconds since 1970), by id, for logs whose messages do not
    /// contain them.
    pub(super) times: FxHashMap<String, (Option<i64>, Option<i64>)>,
    /// The ids of calls by the user whose results have not arrived yet.
    users: FxHashSet<String>,
}

impl MessageReader {
    pub(super) fn new(marks_failures: bool) -> Self {
        Self { marks_failures, ..Self::default() }
    }
    /// Whether the last message so far is the agent's, calls no tool and was not cut off.
    pub(super) fn rests(&self) -> bool {
        self.rests
    }
    /// Reports messages in order. A call whose id occurs in none of the messages that follow it is over at the next one, since
    /// an agent goes on when it has the results of its calls.
    pub(super) fn items(
        &mut self,
        sessions: &mut SessionTable,
        session: &str,
        messages: &[&RawValue],
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        for (place, message) in messages.iter().enumerate() {
            if sessions.has_pending(session) {
                let rest = &messages[place..];
                let is_over = |id: &str| !rest.iter().any(|message| message.get().contains(id));
                let at = At { session, agent: None, time: self.time, line: self.count + 1, facts: None };
                sessions.end_calls(&at, is_over, sink)?;
            }
            self.item(sessions, session, message.get(), sink)?;
        }
        ControlFlow::Continue(())
    }
    /// Reports the next message.
    pub(super) fn item(
        &mut self,
        sessions: &mut SessionTable,
        session: &str,
        raw: &str,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        self.count += 1;
        sessions.notes.lines += 1;
        let Ok(mut item) = serde_json::from_str::<MessageItem<'_>>(raw) else {
            sessions.notes.unknown_lines += 1;
            return ControlFlow::Continue(());
        };
        if let Some(inner) = item.kwargs.or(item.data.filter(|_| item.content.is_none()))
            && let Ok(inner) = serde_json::from_str::<MessageItem<'_>>(inner.get())
        {
            // `{"lc":1,"id":["langchain","schema","messages","HumanMessage"],"kwargs":{..}}`
            let class = serde_json::from_str::<Constructor<'_>>(raw)
                .ok()
                .and_then(|made| made.id.0.into_iter().last());
            let kind = class.filter(|class| class.get().is_some()).unwrap_or(item.kind);
            item = inner;
            if item.kind.get().is_none() {
                item.kind = kind;
            }
        }
        let time = item.timestamp.name().and_then(|time| text::time(&time)).or(self.time);
        let agent = item.name.get().filter(|_| item.role() == Some(MessageRole::Agent));
        let at = At { session, agent, time, line: self.count, facts: None };
        sessions.start(&at, sink)?;
        if self.count == 1 && !self.marks_failures {
            let untold = UntoldFacts { outcomes: true, ..UntoldFacts::default() };
            sessions.other(&At { agent: None, ..at }, HostEventKind::Untold(untold), sink)?;
        }
        let content = MessageContent::of(item.said());
        let is_listed = !item.tool_calls.0.is_empty() || item.function_call.0.is_some();
        for unknown in block_calls::unknown(&content, item.said(), is_listed) {
            *sessions.notes.unknown_blocks.entry(unknown).or_default() += 1;
        }
        match item.role() {
            Some(MessageRole::Tool)
                if item.tool_call_id.name().is_none() && block_calls::has_result(&content) =>
            {
                self.rests = false;
                self.content(sessions, &at, Speaker::User, &content, sink)
            }
            Some(MessageRole::Tool) if item.tool_messages.0.is_empty() => {
                self.tool(sessions, &at, &item, sink)
            }
            Some(MessageRole::Tool) => item.tool_messages.0.iter().try_for_each(|part| {
                let part: MessageItem<'_> = serde_json::from_str(part.get()).unwrap_or_default();
                self.tool(sessions, &at, &part, sink)
            }),
            Some(MessageRole::User) => {
                self.rests = false;
                for call in item.tool_calls.0.iter().filter_map(|call| call.0.as_ref()) {
                    sessions.notes.user_calls += 1;
                    self.users.extend(call.id.name().map(Cow::into_owned));
                }
                self.content(sessions, &at, Speaker::User, &content, sink)
            }
            Some(MessageRole::Agent) => self.agent(sessions, &at, &item, &content, sink),
            Some(MessageRole::System) => ControlFlow::Continue(()),
            None => self.response_item(sessions, &at, &item, sink),
        }
    }
    fn agent(
        &mut self,
        sessions: &mut SessionTable,
        at: &At<'_>,
        item: &MessageItem<'_>,
        content: &MessageContent<'_>,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        let cut = matches!(item.stop_reason.get(), Some("max_tokens" | "length" | "pause_turn"));
        self.rests = !cut;
        self.content(sessions, at, Speaker::Agent, content, sink)?;
        self.rests &= item.tool_calls.0.is_empty() && !cut;
        self.calls(sessions, at, &item.tool_calls, sink)?;
        if let Some(call) = &item.function_call.0 {
            self.rests = false;
            call_of(
                sessions,
                at,
                None,
                call.name.get().unwrap_or_default(),
                Arguments::of(given(call.arguments)),
                sink,
            )?;
        }
        ControlFlow::Continue(())
    }
    /// Reports the calls of a message.
    pub(super) fn calls(
        &self,
        sessions: &mut SessionTable,
        at: &At<'_>,
        calls: &List<LenientObject<MessageCall<'_>>>,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        for call in calls.0.iter().filter_map(|call| call.0.as_ref()) {
            let function = call.function.map(RawValue::get);
            let inner: CalledFunction<'_> = function
                .and_then(|text| serde_json::from_str::<LenientObject<CalledFunction<'_>>>(text).ok()?.0)
                .unwrap_or_default();
            let named = function.and_then(text::unquoted);
            let custom = call.custom.0.as_ref();
            let tool = call.name.get().or(inner.name.get()).or(named.as_deref());
            let tool = tool.or(custom.and_then(|custom| custom.name.get()));
            let raw = given(call.args).or(given(call.arguments)).or(given(inner.arguments));
            let arguments = if let Some(input) = custom.and_then(|custom| given(custom.input)) {
                Arguments::Given(JsonText(Cow::Owned(format!("{{\"input\":{input}}}"))))
            } else {
                Arguments::of(raw)
            };
            let id = call.id.name();
            let time = id.as_deref().and_then(|id| self.times.get(id)?.0);
            let at = At { time: at.time.or(time), ..*at };
            call_of(sessions, &at, id, tool.unwrap_or_default(), arguments, sink)?;
        }
        ControlFlow::Continue(())
    }
    /// Reports text, calls and results of a message. The agent's text comes before its calls, a user's text after the
    /// results.
    fn content(
        &mut self,
        sessions: &mut SessionTable,
        at: &At<'_>,
        speaker: Speaker,
        content: &MessageContent<'_>,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        self.has_ended = false;
        let text = content.said();
        if speaker == Speaker::Agent
            && let Some(text) = &text
        {
            sessions.message(at, speaker, Cow::Borrowed(text), sink)?;
        }
        for block in content.blocks() {
            let is_agent = speaker == Speaker::Agent;
            let own = block_calls::invocation(block, |call, ended| {
                self.block(sessions, at, Some(call).filter(|_| is_agent), ended, sink)
            });
            own.unwrap_or_else(|| {
                let call = block_calls::call(block).filter(|_| is_agent);
                self.block(sessions, at, call, block_calls::ended(block), sink)
            })?;
            self.rests &= !block_calls::waits(block);
            self.rests |= is_agent && block.said().is_some() && self.has_ended;
        }
        match text {
            Some(text) if speaker == Speaker::User => sessions.message(at, speaker, text, sink),
            _ => ControlFlow::Continue(()),
        }
    }
    /// Reports the call and the result in a block.
    fn block(
        &mut self,
        sessions: &mut SessionTable,
        at: &At<'_>,
        call: Option<BlockCall<'_>>,
        ended: Option<BlockResult<'_>>,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        if let Some(call) = call {
            self.rests &= !call.is_open;
            self.has_ended = ended.is_some();
            let (server, tool) = split_mcp(call.tool);
            let (id, server) = (call.id.map(Cow::Borrowed), call.server.or(server));
            let arguments = Arguments::of(call.arguments);
            sessions.call(at, LoggedCall { id, server, tool, arguments }, sink)?;
        }
        let Some(ended) = ended else { return ControlFlow::Continue(()) };
        match (ended.outcome, ended.call) {
            (Some(BlockEnd::Denied), call) => match call {
                Some(call) if sessions.knows(at.session, call) => sessions.refused(at.session, call, sink),
                _ => {
                    sessions.notes.refused_calls += 1;
                    ControlFlow::Continue(())
                }
            },
            (None, Some(call)) if self.marks_failures => {
                sessions.marked_result(at, call, None, ended.value, sink)
            }
            (outcome, call) => {
                let outcome = outcome.map(|end| match end {
                    BlockEnd::Ended(outcome) => outcome,
                    BlockEnd::Denied => CallOutcome::Failed,
                });
                sessions.result(at, call.map(Cow::Borrowed), outcome, ended.value, sink)
            }
        }
    }
    /// Reports a tool message as a result. Results of calls by the user are skipped.
    pub(super) fn tool(
        &mut self,
        sessions: &mut SessionTable,
        at: &At<'_>,
        item: &MessageItem<'_>,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        self.rests = false;
        let call = item.answered();
        let by_user =
            call.as_deref().is_some_and(|call| self.users.remove(call)) || item.requestor.is("user");
        if by_user {
            return ControlFlow::Continue(());
        }
        let time = call.as_deref().and_then(|call| self.times.get(call)?.1);
        let at = At { time: at.time.or(time), ..*at };
        sessions.result(&at, call, item.outcome(self.marks_failures), given(item.content).map(result), sink)
    }
    /// Reports an item of the Responses API that is not a message.
    fn response_item(
        &mut self,
        sessions: &mut SessionTable,
        at: &At<'_>,
        item: &MessageItem<'_>,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        let Some(kind) = item.kind.get() else {
            sessions.notes.unknown_lines += 1;
            return ControlFlow::Continue(());
        };
        if kind.ends_with("_call_output") {
            self.rests = false;
            let call = item.call_id.name().or(item.id.name());
            return sessions.result(
                at,
                call,
                item.outcome(self.marks_failures),
                given(item.output).map(result),
                sink,
            );
        }
        let Some(tool) = kind.strip_suffix("_call") else {
            let known =
                ["reasoning", "message", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response"];
            sessions.notes.unknown_lines += u64::from(!known.contains(&kind));
            return ControlFlow::Continue(());
        };
        self.rests = false;
        let id = item.call_id.name().or(item.id.name());
        let arguments = match (given(item.arguments), given(item.input), given(item.action)) {
            (Some(raw), _, _) => Arguments::Raw(raw),
            (None, Some(input), _) => {
                Arguments::Given(JsonText(Cow::Owned(format!("{{\"input\":{input}}}"))))
            }
            (None, None, raw) => Arguments::of(raw),
        };
        let call = LoggedCall {
            id: id.clone(),
            server: item.server_label.get(),
            tool: item.name.get().unwrap_or(tool),
            arguments,
        };
        sessions.call(at, call, sink)?;
        // The result of a tool that the provider runs is in the same item.
        let hosted =
            ["mcp", "web_search", "file_search", "code_interpreter", "image_generation"].contains(&tool);
        if hosted && item.status.get().is_none_or(|status| status != "in_progress" && status != "searching") {
            let outcome = match item.outcome(true) {
                Some(CallOutcome::Unknown) | None => CallOutcome::Unknown,
                Some(outcome) => outcome,
            };
            sessions.result(at, id, Some(outcome), given(item.output).map(result), sink)?;
        }
        ControlFlow::Continue(())
    }
    /// Closes the session, which has no more messages; the agent stopped if the last message is its own, calls no tool
    /// and was not cut off.
    pub(super) fn finish(
        &mut self,
        sessions: &mut SessionTable,
        session: &str,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        let stopped = self.rests;
        self.finish_as(stopped, sessions, session, sink)
    }
    /// Closes the session, which has no more messages; `stopped` is whether the agent stopped, as the log itself
    /// reports.
    pub(super) fn finish_as(
        &mut self,
        stopped: bool,
        sessions: &mut SessionTable,
        session: &str,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        if stopped {
            let at = At { session, agent: None, time: None, line: self.count, facts: None };
            sessions.other(&at, HostEventKind::End, sink)?;
        }
        sessions.close(session, None, sink)
    }
}

fn call_of(
    sessions: &mut SessionTable,
    at: &At<'_>,
    id: Option<Cow<'_, str>>,
    name: &str,
    arguments: Arguments<'_>,
    sink: &mut Sink<'_>,
) -> ControlFlow<()> {
    let (server, tool) = split_mcp(name);
    sessions.call(at, LoggedCall { id, server, tool, arguments }, sink)
}

/// Reports the call in a block of Anthropic Messages.
pub(super) fn block_call(
    sessions: &mut SessionTable,
    at: &At<'_>,
    block: &MessageBlock<'_>,
    sink: &mut Sink<'_>,
) -> ControlFlow<()> {
    let (server, tool) = split_mcp(block.name.get().unwrap_or_default());
    let server = block.server_name.get().or(server);
    let id = block.id.get().map(Cow::Borrowed);
    sessions.call(at, LoggedCall { id, server, tool, arguments: Arguments::of(given(block.input)) }, sink)
}
