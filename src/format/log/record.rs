//! Records of `tsl-synth agent` under a policy: what the environment told, what was called, and how that went.
//!
//! - A record has a header with `actor` and makes up a session; of several records in one file the later ones are numbered.
//! - Of the exchanges those with the environment are read: an answer tells how the action came out that it was asked about,
//!   what happened besides, and what holds. The calls of an action are those that the answer before offered for it.
//! - Results are told of all calls; an actor hears them only where a law, a register or a table is about them.
//! - Refused proposals are no events: nothing came of them. The agent stopped by itself if its last action is `DONE`.

use super::desk::{Arguments, At, Call, Desk, Sink};
use super::lenient::{List, Object, Scalar, Text, given};
use crate::model::{HostEventKind, JsonText, Outcome};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::ops::ControlFlow;

/// The action that is the end of the run.
const DONE: &str = "DONE";

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(default)]
    header: Object<Header>,
    #[serde(borrow, default)]
    exchange: Object<Exchange<'a>>,
    #[serde(borrow, default)]
    step: Object<Step<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Header {
    actor: Option<IgnoredAny>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Exchange<'a> {
    #[serde(borrow)]
    port: Text<'a>,
    #[serde(borrow)]
    request: Object<Request<'a>>,
    #[serde(borrow)]
    answer: Text<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Request<'a> {
    #[serde(borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    subject: Text<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Step<'a> {
    #[serde(borrow)]
    action: Text<'a>,
}

/// What an environment tells.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Told<'a> {
    #[serde(borrow)]
    ok: Scalar<'a>,
    #[serde(borrow, rename = "true")]
    truths: Option<List<Text<'a>>>,
    #[serde(borrow)]
    happened: List<Object<ToolCall<'a>>>,
    #[serde(borrow)]
    actions: List<&'a RawValue>,
}

#[derive(Deserialize)]
struct Offer<'a> {
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow, default)]
    calls: List<Object<ToolCall<'a>>>,
}

#[derive(Clone, Deserialize)]
struct ToolCall<'a> {
    #[serde(borrow)]
    tool: Text<'a>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

/// Whether a line is the header of a record under a policy.
pub(super) fn knows(line: &str) -> bool {
    line.starts_with("{\"header\":")
        && serde_json::from_str::<Line<'_>>(line)
            .is_ok_and(|line| line.header.0.is_some_and(|header| header.actor.is_some()))
}

/// A record that is being read.
#[derive(Debug, Default)]
pub(super) struct Record {
    /// Headers so far.
    headers: u64,
    /// Whether the environment told how the run begins.
    is_begun: bool,
    /// Calls so far.
    calls: u64,
    /// For each action that was offered the calls that it comes to: a tool and arguments in JSON.
    offered: Vec<(String, Vec<(String, String)>)>,
}

impl Record {
    pub(super) fn line(
        &mut self,
        desk: &mut Desk,
        name: &str,
        number: u64,
        line: &str,
        sink: &mut Sink<'_>,
    ) -> Result<ControlFlow<()>, serde_json::Error> {
        let line: Line<'_> = serde_json::from_str(line)?;
        if line.header.0.is_some() {
            *self = Self { headers: self.headers + 1, ..Self::default() };
        }
        let numbered = (self.headers > 1).then(|| format!("{name}#{}", self.headers));
        let session = numbered.as_deref().unwrap_or(name);
        let at = At { session, agent: None, time: None, line: number };
        if line.header.0.is_some() {
            return Ok(desk.start(&at, sink));
        }
        if line.step.0.is_some_and(|step| step.action.is(DONE)) {
            return Ok(desk.other(&at, HostEventKind::End, sink));
        }
        let Some(exchange) = line.exchange.0.filter(|exchange| exchange.port.is("world")) else {
            return Ok(ControlFlow::Continue(()));
        };
        let action = exchange.request.0.filter(|request| request.kind.is("act"));
        let action = action.and_then(|request| request.subject.get().map(str::to_owned));
        let answer = exchange.answer.get().unwrap_or_default();
        let (Some(action), Ok(told)) = (action, serde_json::from_str::<Told<'_>>(answer)) else {
            desk.notes.unknown_lines += 1;
            return Ok(ControlFlow::Continue(()));
        };
        Ok(self.told(desk, &at, &action, &told, sink))
    }

    /// What the environment told after an action.
    fn told(
        &mut self,
        desk: &mut Desk,
        at: &At<'_>,
        action: &str,
        told: &Told<'_>,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        let own = self.offered.iter().find(|(name, _)| name == action);
        let calls = match own.map(|(_, calls)| calls) {
            _ if !std::mem::replace(&mut self.is_begun, true) => Vec::new(),
            Some(calls) => calls.clone(),
            None => vec![(action.to_owned(), "{}".to_owned())],
        };
        let mut called = Vec::new();
        for (tool, arguments) in &calls {
            called.push(self.call(desk, at, tool, arguments, sink)?);
        }
        let outcome = if told.ok.flag() == Some(false) { Outcome::Failed } else { Outcome::Ok };
        for id in called {
            desk.result(at, Some(id.into()), Some(outcome), None, sink)?;
        }
        for call in told.happened.0.iter().filter_map(|call| call.0.as_ref()) {
            let (tool, arguments) = parts(call);
            self.call(desk, at, &tool, &arguments, sink)?;
        }
        if let Some(names) = &told.truths {
            let truths =
                names.0.iter().filter_map(Text::get).map(|name| (Cow::Borrowed(name), true)).collect();
            desk.other(at, HostEventKind::Observe { truths, complete: true }, sink)?;
        }
        self.offered = told.actions.0.iter().filter_map(|offer| offered(offer)).collect();
        ControlFlow::Continue(())
    }

    fn call(
        &mut self,
        desk: &mut Desk,
        at: &At<'_>,
        tool: &str,
        arguments: &str,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<(), String> {
        self.calls += 1;
        let id = format!("c{}", self.calls);
        let arguments = Arguments::Told(JsonText::borrowed(arguments));
        let call = Call { id: Some(Cow::Borrowed(&id)), server: None, tool, arguments };
        match desk.call(at, call, sink) {
            ControlFlow::Continue(()) => ControlFlow::Continue(id),
            ControlFlow::Break(()) => ControlFlow::Break(()),
        }
    }
}

fn parts(call: &ToolCall<'_>) -> (String, String) {
    let arguments = given(call.arguments).unwrap_or("{}");
    (call.tool.get().unwrap_or_default().to_owned(), arguments.to_owned())
}

/// An action that was offered: a name, or a name with the calls that it comes to.
fn offered(offer: &RawValue) -> Option<(String, Vec<(String, String)>)> {
    let offer: Offer<'_> = serde_json::from_str(offer.get()).ok()?;
    let calls: Vec<_> = offer.calls.0.iter().filter_map(|call| call.0.as_ref().map(parts)).collect();
    (!calls.is_empty()).then(|| (offer.name.get().unwrap_or_default().to_owned(), calls))
}
