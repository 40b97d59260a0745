//! Records of `tsl-synth agent` under a policy: the reports of the environment, the calls and their outcomes.
//!
//! - A record has a header with `actor` and is one session; if a file has several records, the later sessions are
//!   numbered.
//! - Only exchanges with the environment are read: an answer reports the outcome of the requested action, other calls
//!   that happened, and the true propositions. The calls of an action are those that the previous answer offered for
//!   it.
//! - Results of all calls are reported; an actor receives only those that a law, a register or a table refers to.
//! - Refused proposals are not events, since no call was made. The agent stopped of its own accord if its last action
//!   is `DONE`.

use super::lenient::{LenientObject, LenientScalar, LenientText, List, given};
use super::session_table::{Arguments, At, LoggedCall, SessionTable, Sink};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::ops::ControlFlow;
use tsl_synth_core::model::{CallOutcome, HostEventKind, JsonText};

/// The action with which the agent ends the run.
const DONE: &str = "DONE";

#[derive(Deserialize)]
struct JournalLine<'a> {
    #[serde(default)]
    header: LenientObject<JournalHeader>,
    #[serde(borrow, default)]
    exchange: LenientObject<JournalExchange<'a>>,
    #[serde(borrow, default)]
    step: LenientObject<JournalStep<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct JournalHeader {
    actor: Option<IgnoredAny>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct JournalExchange<'a> {
    #[serde(borrow)]
    port: LenientText<'a>,
    #[serde(borrow)]
    request: LenientObject<JournalRequest<'a>>,
    #[serde(borrow)]
    answer: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct JournalRequest<'a> {
    #[serde(borrow)]
    kind: LenientText<'a>,
    #[serde(borrow)]
    subject: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct JournalStep<'a> {
    #[serde(borrow)]
    action: LenientText<'a>,
}

/// The answer of the environment to an action.
#[derive(Default, Deserialize)]
#[serde(default)]
struct EnvironmentReply<'a> {
    #[serde(borrow)]
    ok: LenientScalar<'a>,
    #[serde(borrow, rename = "true")]
    truths: Option<List<LenientText<'a>>>,
    #[serde(borrow)]
    happened: List<LenientObject<JournalCall<'a>>>,
    #[serde(borrow)]
    actions: List<&'a RawValue>,
}

#[derive(Deserialize)]
struct JournalOffer<'a> {
    #[serde(borrow)]
    name: LenientText<'a>,
    #[serde(borrow, default)]
    calls: List<LenientObject<JournalCall<'a>>>,
}

#[derive(Clone, Deserialize)]
struct JournalCall<'a> {
    #[serde(borrow)]
    tool: LenientText<'a>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

/// Whether a line is the header of a record under a policy.
pub(super) fn knows(line: &str) -> bool {
    line.starts_with("{\"header\":")
        && serde_json::from_str::<JournalLine<'_>>(line)
            .is_ok_and(|line| line.header.0.is_some_and(|header| header.actor.is_some()))
}

/// A record that is being read.
#[derive(Debug, Default)]
pub(super) struct RecordReader {
    /// Headers so far.
    headers: u64,
    /// Whether the environment has reported the initial state; its first report follows no call.
    is_begun: bool,
    /// Calls so far.
    calls: u64,
    /// The calls of each action that was offered with calls: tool and arguments in JSON.
    offered: Vec<(String, Vec<(String, String)>)>,
}

impl RecordReader {
    pub(super) fn line(
        &mut self,
        sessions: &mut SessionTable,
        name: &str,
        number: u64,
        line: &str,
        sink: &mut Sink<'_>,
    ) -> Result<ControlFlow<()>, serde_json::Error> {
        let line: JournalLine<'_> = serde_json::from_str(line)?;
        if line.header.0.is_some() {
            *self = Self { headers: self.headers + 1, ..Self::default() };
        }
        let numbered = (self.headers > 1).then(|| format!("{name}#{}", self.headers));
        let session = numbered.as_deref().unwrap_or(name);
        let at = At { session, agent: None, time: None, line: number, facts: None };
        if line.header.0.is_some() {
            return Ok(sessions.start(&at, sink));
        }
        if line.step.0.is_some_and(|step| step.action.is(DONE)) {
            return Ok(sessions.other(&at, HostEventKind::End, sink));
        }
        let Some(exchange) = line.exchange.0.filter(|exchange| exchange.port.is("world")) else {
            return Ok(ControlFlow::Continue(()));
        };
        let action = exchange.request.0.filter(|request| request.kind.is("act"));
        let action = action.and_then(|request| request.subject.get().map(str::to_owned));
        let answer = exchange.answer.get().unwrap_or_default();
        let (Some(action), Ok(reported)) = (action, serde_json::from_str::<EnvironmentReply<'_>>(answer))
        else {
            sessions.notes.unknown_lines += 1;
            return Ok(ControlFlow::Continue(()));
        };
        Ok(self.reported(sessions, &at, &action, &reported, sink))
    }

    /// Reports the calls, results and observations in the answer of the environment to an action.
    fn reported(
        &mut self,
        sessions: &mut SessionTable,
        at: &At<'_>,
        action: &str,
        reported: &EnvironmentReply<'_>,
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
            called.push(self.call(sessions, at, tool, arguments, sink)?);
        }
        let outcome = if reported.ok.flag() == Some(false) { CallOutcome::Failed } else { CallOutcome::Ok };
        for id in called {
            sessions.result(at, Some(id.into()), Some(outcome), None, sink)?;
        }
        for call in reported.happened.0.iter().filter_map(|call| call.0.as_ref()) {
            let (tool, arguments) = parts(call);
            self.call(sessions, at, &tool, &arguments, sink)?;
        }
        if let Some(names) = &reported.truths {
            let truths =
                names.0.iter().filter_map(LenientText::get).map(|name| (Cow::Borrowed(name), true)).collect();
            sessions.other(at, HostEventKind::Observe { truths, complete: true }, sink)?;
        }
        self.offered = reported.actions.0.iter().filter_map(|offer| offered(offer)).collect();
        ControlFlow::Continue(())
    }

    fn call(
        &mut self,
        sessions: &mut SessionTable,
        at: &At<'_>,
        tool: &str,
        arguments: &str,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<(), String> {
        self.calls += 1;
        let id = format!("c{}", self.calls);
        let arguments = Arguments::Given(JsonText::borrowed(arguments));
        let call = LoggedCall { id: Some(Cow::Borrowed(&id)), server: None, tool, arguments };
        match sessions.call(at, call, sink) {
            ControlFlow::Continue(()) => ControlFlow::Continue(id),
            ControlFlow::Break(()) => ControlFlow::Break(()),
        }
    }
}

fn parts(call: &JournalCall<'_>) -> (String, String) {
    let arguments = given(call.arguments).unwrap_or("{}");
    (call.tool.get().unwrap_or_default().to_owned(), arguments.to_owned())
}

/// An offered action with its calls; `None` if only a name was offered.
fn offered(offer: &RawValue) -> Option<(String, Vec<(String, String)>)> {
    let offer: JournalOffer<'_> = serde_json::from_str(offer.get()).ok()?;
    let calls: Vec<_> = offer.calls.0.iter().filter_map(|call| call.0.as_ref().map(parts)).collect();
    (!calls.is_empty()).then(|| (offer.name.get().unwrap_or_default().to_owned(), calls))
}
