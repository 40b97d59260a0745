//! The events that a host reports about a session of an agent, in order, each with its position in the log.

use super::{OutsideFacts, ReadScripts};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// JSON text whose parts are parsed on demand: logs are long, and rules need few of their parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonText<'a>(pub Cow<'a, str>);

impl<'a> JsonText<'a> {
    /// Borrowed text, which must be one JSON value.
    pub fn borrowed(text: &'a str) -> Self {
        Self(Cow::Borrowed(text))
    }
    /// The text of a value.
    pub fn of(value: &serde_json::Value) -> Self {
        Self(Cow::Owned(value.to_string()))
    }
    /// The text itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
    /// A copy that borrows nothing.
    pub fn into_owned(self) -> JsonText<'static> {
        JsonText(Cow::Owned(self.0.into_owned()))
    }
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CallOutcome {
    /// It succeeded.
    Ok,
    /// It failed.
    Failed,
    /// The log does not have the outcome.
    Unknown,
}

/// The sender of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Speaker {
    /// A person or program that gives the task.
    User,
    /// The agent.
    Agent,
}

/// The kind of an event, with its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostEventKind<'a> {
    /// The session begins.
    Start,
    /// A message was sent.
    Message {
        /// The sender.
        speaker: Speaker,
        /// The text.
        text: Cow<'a, str>,
    },
    /// The agent requests a tool call.
    Call {
        /// The name by which its result refers to it.
        id: Option<Cow<'a, str>>,
        /// The MCP server that the tool belongs to.
        server: Option<Cow<'a, str>>,
        /// The name of the tool.
        tool: Cow<'a, str>,
        /// Its arguments: an object for most tools, a string where the log has text that is not JSON, `null` where the
        /// log does not have them.
        arguments: JsonText<'a>,
    },
    /// A call ended.
    Result {
        /// The name of the call; without one the result is of the oldest call without a name.
        call: Option<Cow<'a, str>>,
        /// How it ended.
        outcome: CallOutcome,
        /// The result, if the log has it.
        result: Option<JsonText<'a>>,
    },
    /// Truth values of propositions about the world. Propositions that are not named are false if all true ones are
    /// named (`complete`), and keep their values otherwise.
    Observe {
        /// The truth value of each named proposition.
        truths: BTreeMap<Cow<'a, str>, bool>,
        /// Whether every true proposition is named.
        complete: bool,
    },
    /// One step of a trace over names: the true propositions, and the action, without arguments, that is taken and
    /// succeeds in it. Propositions that are not named are false. The `timing` of the policy determines whether
    /// propositions or action come first.
    Step {
        /// The propositions that are true.
        props: BTreeSet<Cow<'a, str>>,
        /// The action.
        action: Option<Cow<'a, str>>,
        /// Whether the agent wants to stop after the step.
        end: bool,
    },
    /// Time passed.
    Tick,
    /// The agent wants to stop.
    End,
    /// The session is over.
    Close,
    /// The log of the session does not have these facts. Before everything else, in logs only.
    Untold(UntoldFacts),
}

/// Facts that the log of a session does not have, at least in part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct UntoldFacts {
    /// What is said. Nothing says where a message is missing.
    pub messages: bool,
    /// The arguments of calls: they are `null` where they are missing.
    pub arguments: bool,
    /// What calls return: there is no result where it is missing.
    pub results: bool,
    /// How calls end: they count as ok where that is missing.
    pub outcomes: bool,
}

impl UntoldFacts {
    /// The facts that one of both lacks.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            messages: self.messages || other.messages,
            arguments: self.arguments || other.arguments,
            results: self.results || other.results,
            outcomes: self.outcomes || other.outcomes,
        }
    }
    /// Whether all are there.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }
}

/// What a log tells about a whole session besides its events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionOrigin {
    /// The model that the agent uses: the latest one that was named.
    pub model: Option<String>,
    /// The name of the service or program that runs the agent.
    pub service: Option<String>,
    /// The file of the log.
    pub file: Option<String>,
}

/// An event and where it was reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostEvent<'a> {
    /// The session; events of several may be mixed in one log.
    pub session: Cow<'a, str>,
    /// The agent within the session, if there are several.
    pub agent: Option<Cow<'a, str>>,
    /// Milliseconds since the beginning of 1970, if the log has the time.
    pub time: Option<i64>,
    /// The line of the log, or the number of the message within the session: from 1 on.
    pub line: u64,
    /// The kind of the event.
    pub kind: HostEventKind<'a>,
    /// For a proposed call: the files with scripts that were read for it, if the policy permits that.
    pub scripts: Option<Arc<ReadScripts>>,
    /// For a proposed call: the answers of probes, and what other sessions have counted.
    pub outside: Option<Arc<OutsideFacts>>,
    /// In a log: where the session comes from.
    pub origin: Option<Arc<SessionOrigin>>,
}

impl<'a> HostEvent<'a> {
    /// An event of the main agent without a time, scripts and answers of probes.
    pub fn new(session: impl Into<Cow<'a, str>>, line: u64, kind: HostEventKind<'a>) -> Self {
        let session = session.into();
        Self { session, agent: None, time: None, line, kind, scripts: None, outside: None, origin: None }
    }
    /// A copy that borrows nothing.
    pub fn into_owned(self) -> HostEvent<'static> {
        let own = |text: Cow<'_, str>| Cow::Owned::<'static, str>(text.into_owned());
        let kind = match self.kind {
            HostEventKind::Start => HostEventKind::Start,
            HostEventKind::Message { speaker, text } => HostEventKind::Message { speaker, text: own(text) },
            HostEventKind::Call { id, server, tool, arguments } => HostEventKind::Call {
                id: id.map(own),
                server: server.map(own),
                tool: own(tool),
                arguments: arguments.into_owned(),
            },
            HostEventKind::Result { call, outcome, result } => HostEventKind::Result {
                call: call.map(own),
                outcome,
                result: result.map(JsonText::into_owned),
            },
            HostEventKind::Observe { truths, complete } => HostEventKind::Observe {
                truths: truths.into_iter().map(|(name, truth)| (own(name), truth)).collect(),
                complete,
            },
            HostEventKind::Step { props, action, end } => HostEventKind::Step {
                props: props.into_iter().map(own).collect(),
                action: action.map(own),
                end,
            },
            HostEventKind::Tick => HostEventKind::Tick,
            HostEventKind::End => HostEventKind::End,
            HostEventKind::Close => HostEventKind::Close,
            HostEventKind::Untold(facts) => HostEventKind::Untold(facts),
        };
        HostEvent {
            session: own(self.session),
            agent: self.agent.map(own),
            time: self.time,
            line: self.line,
            kind,
            scripts: self.scripts,
            outside: self.outside,
            origin: self.origin,
        }
    }
}

/// Server and tool of a name of the form `mcp__server__tool`.
pub fn split_mcp(name: &str) -> (Option<&str>, &str) {
    let parts = name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"));
    parts
        .filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
        .map_or((None, name), |(server, tool)| (Some(server), tool))
}
