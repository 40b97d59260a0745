//! The sessions of a log and the events that are reported for them: a session starts with its first event and is closed
//! at the end of the log; a call or result that is logged twice is reported once.
//!
//! The ids of the latest [`CALLS`] calls are kept per session, so that memory does not grow with the length of a
//! session.

use super::notes::LogNotes;
use super::text;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;
use std::sync::Arc;
use tsl_synth_core::model::{
    CallOutcome, HostEvent, HostEventKind, JsonText, OutsideFacts, ReadScripts, SessionOrigin, Speaker,
};

/// The receiver of the events. `Break` ends the reading.
pub type Sink<'s> = dyn FnMut(&HostEvent<'_>) -> ControlFlow<()> + 's;

/// The number of call ids that are remembered per session.
const CALLS: usize = 1024;

/// Where and when something was logged.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'a> {
    pub(super) session: &'a str,
    pub(super) agent: Option<&'a str>,
    pub(super) time: Option<i64>,
    pub(super) line: u64,
    /// The scripts and answers of probes that a journal recorded with the proposed call.
    pub(super) facts: Option<&'a CallFacts>,
}

/// What the gate found when a call was proposed.
#[derive(Clone, Debug)]
pub(super) struct CallFacts {
    pub(super) scripts: Option<Arc<ReadScripts>>,
    pub(super) outside: Option<Arc<OutsideFacts>>,
}

impl<'a> At<'a> {
    fn event<'b>(&self, kind: HostEventKind<'b>) -> HostEvent<'b>
    where
        'a: 'b,
    {
        HostEvent {
            session: Cow::Borrowed(self.session),
            agent: self.agent.map(Cow::Borrowed),
            time: self.time,
            line: self.line,
            kind,
            scripts: self.facts.and_then(|facts| facts.scripts.clone()),
            outside: self.facts.and_then(|facts| facts.outside.clone()),
            origin: None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct OpenCall {
    arguments: u64,
    answered: bool,
}

/// A call whose result has not come.
#[derive(Debug)]
struct PendingCall {
    id: Box<str>,
    agent: Option<Box<str>>,
    /// Whether it goes on in the background, so that a later event of the session does not show that it is over.
    in_background: bool,
}

/// An event that is not reported yet, since it is not known whether a call before it was made.
#[derive(Debug)]
struct HeldEvent {
    event: HostEvent<'static>,
    /// Whether it is a call of which it is not known whether it was made.
    is_open: bool,
}

/// At most this many events wait for whether a call was made; beyond that the call counts as made.
const HELD: usize = 4096;

/// A session that was begun and is not closed.
#[derive(Debug, Default)]
struct OpenSession {
    /// The number of the session, from 1 on; sessions are closed in this order.
    born: u64,
    line: u64,
    time: Option<i64>,
    calls: FxHashMap<u64, OpenCall>,
    latest: VecDeque<u64>,
    /// Those of the calls that are not answered, in order.
    pending: Vec<PendingCall>,
    unnamed: u64,
    /// Events in order; the first is a call of which it is not known whether it was made.
    held: VecDeque<HeldEvent>,
}

impl OpenSession {
    /// Reports the held events before the first call of which it is not known whether it was made.
    fn release(&mut self, sink: &mut Sink<'_>) -> ControlFlow<()> {
        while self.held.front().is_some_and(|held| !held.is_open || self.held.len() > HELD) {
            if let Some(held) = self.held.pop_front() {
                sink(&held.event)?;
            }
        }
        ControlFlow::Continue(())
    }
    /// Reports all held events.
    fn release_all(&mut self, sink: &mut Sink<'_>) -> ControlFlow<()> {
        self.held.drain(..).try_for_each(|held| sink(&held.event))
    }
    /// Marks the call with this id as answered; whether it was not.
    fn answer(&mut self, id: &str) -> bool {
        let Some(reported) = self.calls.get_mut(&hash(&[id])).filter(|reported| !reported.answered) else {
            return false;
        };
        reported.answered = true;
        self.pending.retain(|call| *call.id != *id);
        true
    }
    /// The held call with this id, if it is not known whether it was made.
    fn open_call(&self, id: &str) -> Option<usize> {
        self.held.iter().position(|held| held.is_open && is_call(&held.event, id))
    }
}

fn is_call(event: &HostEvent<'_>, id: &str) -> bool {
    matches!(&event.kind, HostEventKind::Call { id: Some(own), .. } if own == id)
}

#[derive(Debug, Default)]
pub(super) struct SessionTable {
    pub(super) notes: LogNotes,
    open: FxHashMap<Box<str>, usize>,
    slots: Vec<OpenSession>,
    free: Vec<usize>,
    last: Option<(Box<str>, usize)>,
    /// The latest calls (at most [`CALLS`]) that a person was asked to approve and that are not answered yet: session
    /// and id, and the text of the call event.
    asked: VecDeque<(String, String)>,
    /// Whether the log tells which calls were refused, so that a call is reported when it is known that it was made.
    tells_refusals: bool,
    /// Whether a call without a result is over when a later event of the session shows it. Not in our own formats, which
    /// tell each event as it came.
    ends_calls: bool,
    /// Hashes of the sessions and ids of calls whose results are known to follow.
    expected: FxHashSet<u64>,
    /// Where sessions come from, if the log tells more than its file.
    origins: FxHashMap<Box<str>, Arc<SessionOrigin>>,
    /// Where all others come from.
    common: Option<Arc<SessionOrigin>>,
}

fn hash(parts: &[&str]) -> u64 {
    let mut hasher = FxHasher::default();
    parts.hash(&mut hasher);
    hasher.finish()
}

impl SessionTable {
    /// An empty table. If the log tells which calls were refused, a call is reported when it is known that it was made. With
    /// `ends_calls` a call without a result has an unknown outcome when a later event shows that it is over.
    pub(super) fn new(tells_refusals: bool, ends_calls: bool) -> Self {
        Self { tells_refusals, ends_calls, ..Self::default() }
    }
    /// Sets the name of the file from which the log is read.
    pub(super) fn set_file(&mut self, file: String) {
        self.common = Some(Arc::new(SessionOrigin { file: Some(file), ..SessionOrigin::default() }));
    }
    /// Remembers the model and the service of a session, as far as they are told.
    pub(super) fn told(&mut self, session: &str, model: Option<&str>, service: Option<&str>) {
        if model.is_none() && service.is_none() {
            return;
        }
        let known = self.origins.get(session).or(self.common.as_ref());
        let is_new = |own: Option<&String>, told: Option<&str>| {
            told.is_some_and(|told| own.is_none_or(|own| own != told))
        };
        let own = known.cloned().unwrap_or_default();
        if is_new(own.model.as_ref(), model) || is_new(own.service.as_ref(), service) {
            let mut origin = SessionOrigin::clone(&own);
            origin.model = model.map(str::to_owned).or(origin.model);
            origin.service = service.map(str::to_owned).or(origin.service);
            self.origins.insert(session.into(), Arc::new(origin));
        }
    }
    /// An event of a session with where that comes from.
    fn event<'b>(&self, at: &At<'b>, kind: HostEventKind<'b>) -> HostEvent<'b> {
        let origin = self.origins.get(at.session).or(self.common.as_ref()).cloned();
        HostEvent { origin, ..at.event(kind) }
    }
    /// Remembers a call that a person was asked to approve.
    pub(super) fn asked(&mut self, key: String, call: &str) {
        if self.asked.len() == CALLS {
            self.asked.pop_front();
        }
        self.asked.push_back((key, call.to_owned()));
    }
    /// Whether there is a remembered call that waits for the answer of a person.
    pub(super) fn has_asked(&self) -> bool {
        !self.asked.is_empty()
    }
    /// Removes and returns the remembered call with this key, if there is one.
    pub(super) fn answered(&mut self, key: &str) -> Option<String> {
        let position = self.asked.iter().position(|(other, _)| other == key)?;
        self.asked.remove(position).map(|(_, call)| call)
    }
    /// The slot of the session, which is started if it is not open.
    fn session(&mut self, at: &At<'_>, sink: &mut Sink<'_>) -> ControlFlow<(), usize> {
        if let Some((name, slot)) = &self.last
            && **name == *at.session
        {
            return ControlFlow::Continue(*slot);
        }
        if let Some(slot) = self.open.get(at.session) {
            self.last = Some((at.session.into(), *slot));
            return ControlFlow::Continue(*slot);
        }
        self.notes.sessions += 1;
        let open = OpenSession { born: self.notes.sessions, ..OpenSession::default() };
        let slot = if let Some(slot) = self.free.pop() {
            self.slots[slot] = open;
            slot
        } else {
            self.slots.push(open);
            self.slots.len() - 1
        };
        self.open.insert(at.session.into(), slot);
        self.last = Some((at.session.into(), slot));
        sink(&self.event(&At { agent: None, ..*at }, HostEventKind::Start))?;
        ControlFlow::Continue(slot)
    }
    fn emit(&mut self, at: &At<'_>, kind: HostEventKind<'_>, sink: &mut Sink<'_>) -> ControlFlow<()> {
        let slot = self.session(at, sink)?;
        let open = &mut self.slots[slot];
        open.line = at.line;
        open.time = at.time.or(open.time);
        let is_open = self.tells_refusals && matches!(&kind, HostEventKind::Call { id: Some(_), .. });
        let is_held = !open.held.is_empty() || is_open;
        let event = self.event(at, kind);
        if !is_held {
            return sink(&event);
        }
        let event = event.into_owned();
        let open = &mut self.slots[slot];
        open.held.push_back(HeldEvent { event, is_open });
        open.release(sink)
    }
    /// A call with this id was made.
    pub(super) fn made(&mut self, session: &str, id: &str, sink: &mut Sink<'_>) -> ControlFlow<()> {
        let Some(slot) = self.open.get(session).copied() else { return ControlFlow::Continue(()) };
        let open = &mut self.slots[slot];
        if let Some(place) = open.open_call(id) {
            open.held[place].is_open = false;
        }
        open.release(sink)
    }
    /// A call with this id was not made: the host or a hook refused it. It counts for nothing, unless it is known that it was
    /// made.
    pub(super) fn refused(&mut self, session: &str, id: &str, sink: &mut Sink<'_>) -> ControlFlow<()> {
        let Some(slot) = self.open.get(session).copied() else { return ControlFlow::Continue(()) };
        let open = &mut self.slots[slot];
        let Some(place) = open.open_call(id) else { return ControlFlow::Continue(()) };
        open.held.remove(place);
        open.answer(id);
        self.notes.refused_calls += 1;
        open.release(sink)
    }
    /// Whether a call with this id waits for whether it was made, and is of a tool of the host itself, not of a server.
    pub(super) fn is_open_and_local(&self, session: &str, id: &str) -> bool {
        let open = self.open.get(session).map(|slot| &self.slots[*slot]);
        let call = open.and_then(|open| Some(&open.held[open.open_call(id)?].event.kind));
        matches!(call, Some(HostEventKind::Call { server: None, .. }))
    }
    pub(super) fn start(&mut self, at: &At<'_>, sink: &mut Sink<'_>) -> ControlFlow<()> {
        self.session(at, sink).map_continue(|_| ())
    }
    pub(super) fn message(
        &mut self,
        at: &At<'_>,
        speaker: Speaker,
        text: Cow<'_, str>,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        if speaker == Speaker::User {
            self.end_calls(at, |_| true, sink)?;
        }
        self.emit(at, HostEventKind::Message { speaker, text }, sink)
    }
    /// The call with this id goes on in the background. Its result is reported when it ends.
    pub(super) fn goes_on(&mut self, session: &str, id: &str, sink: &mut Sink<'_>) -> ControlFlow<()> {
        if let Some(slot) = self.open.get(session) {
            let calls = &mut self.slots[*slot].pending;
            calls.iter_mut().filter(|call| *call.id == *id).for_each(|call| call.in_background = true);
        }
        self.made(session, id, sink)
    }
    /// The result of the call with this id is known to follow.
    pub(super) fn expect_result(&mut self, session: &str, id: &str) {
        self.expected.insert(hash(&[session, id]));
    }
    /// Reports unknown outcomes of the calls before this event that have no result, unless they go on in the background or
    /// their results are known to follow. `is_over` tells for an id whether its call is over; if not, its result follows.
    pub(super) fn end_calls(
        &mut self,
        at: &At<'_>,
        is_over: impl Fn(&str) -> bool,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        let Some(slot) = self.open.get(at.session).filter(|_| self.ends_calls) else {
            return ControlFlow::Continue(());
        };
        let expected = &mut self.expected;
        let mut ends = |call: &mut PendingCall| {
            let name = hash(&[at.session, &call.id]);
            if call.in_background || expected.contains(&name) {
                return false;
            }
            let ends = is_over(&call.id);
            if !ends {
                expected.insert(name);
            }
            ends
        };
        let over: Vec<PendingCall> = self.slots[*slot].pending.extract_if(.., |call| ends(call)).collect();
        for call in over {
            self.notes.calls_without_result += 1;
            let at = At { agent: call.agent.as_deref(), facts: None, ..*at };
            self.result(&at, Some(Cow::Borrowed(&call.id)), Some(CallOutcome::Unknown), None, sink)?;
        }
        ControlFlow::Continue(())
    }
    /// Whether some call of the session has no result so far.
    pub(super) fn has_pending(&self, session: &str) -> bool {
        self.open.get(session).is_some_and(|slot| !self.slots[*slot].pending.is_empty())
    }
    /// Reports a call, unless one with the same id, tool and arguments was reported before: it was logged twice.
    pub(super) fn call(&mut self, at: &At<'_>, call: LoggedCall<'_>, sink: &mut Sink<'_>) -> ControlFlow<()> {
        let slot = self.session(at, sink)?;
        let arguments = match call.arguments {
            Arguments::Given(arguments) => arguments,
            Arguments::Raw(raw) => {
                let (arguments, broken) = text::arguments(raw);
                self.notes.broken_arguments += u64::from(broken);
                arguments
            }
            Arguments::Missing => {
                self.notes.untold_arguments += 1;
                JsonText::borrowed("null")
            }
        };
        let open = &mut self.slots[slot];
        if let Some(id) = &call.id {
            let content = hash(&[call.server.unwrap_or_default(), call.tool, arguments.as_str()]);
            let name = hash(&[id]);
            if open.calls.get(&name).is_some_and(|reported| reported.arguments == content) {
                self.notes.repeated_calls += 1;
                return ControlFlow::Continue(());
            }
            if open.calls.insert(name, OpenCall { arguments: content, answered: false }).is_none() {
                open.latest.push_back(name);
            }
            open.pending.retain(|call| *call.id != **id);
            let agent = at.agent.map(Box::from);
            open.pending.push(PendingCall { id: id.as_ref().into(), agent, in_background: false });
            if open.latest.len() > CALLS
                && let Some(oldest) = open.latest.pop_front()
                && open.calls.remove(&oldest).is_some_and(|reported| !reported.answered)
            {
                open.pending.retain(|call| hash(&[&call.id]) != oldest);
                self.notes.calls_without_result += 1;
            }
        } else {
            open.unnamed += 1;
        }
        let kind = HostEventKind::Call {
            id: call.id,
            server: call.server.map(Cow::Borrowed),
            tool: Cow::Borrowed(call.tool),
            arguments,
        };
        self.emit(at, kind, sink)
    }
    /// Reports a result; only the first result of a call counts. A missing outcome counts as `Ok`.
    pub(super) fn result(
        &mut self,
        at: &At<'_>,
        call: Option<Cow<'_, str>>,
        outcome: Option<CallOutcome>,
        result: Option<JsonText<'_>>,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        let slot = self.session(at, sink)?;
        let open = &mut self.slots[slot];
        if let Some(id) = &call {
            if !open.calls.contains_key(&hash(&[id])) {
                self.notes.results_without_call += 1;
            } else if !open.answer(id) {
                self.notes.repeated_results += 1;
                return ControlFlow::Continue(());
            }
        } else if open.unnamed > 0 {
            open.unnamed -= 1;
        } else {
            self.notes.results_without_call += 1;
        }
        if let Some(id) = &call {
            self.expected.remove(&hash(&[at.session, id]));
            let id = id.clone();
            self.made(at.session, &id, sink)?;
        }
        self.notes.untold_outcomes += u64::from(outcome.is_none());
        let outcome = outcome.unwrap_or(CallOutcome::Ok);
        self.emit(at, HostEventKind::Result { call, outcome, result }, sink)
    }
    /// Reports a result in a format that marks outcomes; that of a result without a mark is unknown.
    pub(super) fn marked_result(
        &mut self,
        at: &At<'_>,
        call: &str,
        outcome: Option<CallOutcome>,
        result: Option<JsonText<'_>>,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        let is_new = !self.knows(at.session, call) || self.is_unanswered(at.session, call);
        self.notes.untold_outcomes += u64::from(outcome.is_none() && is_new);
        let outcome = outcome.unwrap_or(CallOutcome::Unknown);
        self.result(at, Some(Cow::Borrowed(call)), Some(outcome), result, sink)
    }
    pub(super) fn other(
        &mut self,
        at: &At<'_>,
        kind: HostEventKind<'_>,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        if matches!(kind, HostEventKind::End) {
            self.end_calls(at, |_| true, sink)?;
        }
        self.emit(at, kind, sink)
    }
    /// Whether a call with this id is among the latest calls of the session.
    pub(super) fn knows(&self, session: &str, call: &str) -> bool {
        self.open.get(session).is_some_and(|slot| self.slots[*slot].calls.contains_key(&hash(&[call])))
    }
    /// Whether the latest call with this id has no result yet.
    pub(super) fn is_unanswered(&self, session: &str, call: &str) -> bool {
        let reported = self.open.get(session).and_then(|slot| self.slots[*slot].calls.get(&hash(&[call])));
        reported.is_some_and(|reported| !reported.answered)
    }
    /// Closes a session, if it is open.
    pub(super) fn close(
        &mut self,
        session: &str,
        at: Option<&At<'_>>,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        let Some(slot) = self.open.get(session).copied() else {
            return ControlFlow::Continue(());
        };
        let (time, line) = (self.slots[slot].time, self.slots[slot].line);
        let end = At { session, agent: None, time, line, facts: None };
        self.end_calls(at.unwrap_or(&end), |_| true, sink)?;
        self.open.remove(session);
        self.last = None;
        let mut open = std::mem::take(&mut self.slots[slot]);
        self.free.push(slot);
        open.release_all(sink)?;
        self.notes.calls_without_result += open.pending.len() as u64 + open.unnamed;
        let flow = sink(&self.event(at.unwrap_or(&end), HostEventKind::Close));
        self.origins.remove(session);
        flow
    }
    /// Closes all sessions in the order in which they were started.
    pub(super) fn close_all(&mut self, sink: &mut Sink<'_>) -> ControlFlow<()> {
        let mut names: Vec<(u64, Box<str>)> =
            self.open.iter().map(|(name, slot)| (self.slots[*slot].born, name.clone())).collect();
        names.sort();
        names.iter().try_for_each(|(_, name)| self.close(name, None, sink))
    }
}

/// The arguments of a call.
pub(super) enum Arguments<'a> {
    /// The arguments as they are to be reported.
    Given(JsonText<'a>),
    /// A JSON value, which may be a string that holds the arguments.
    Raw(&'a str),
    /// The log does not have them.
    Missing,
}

impl<'a> Arguments<'a> {
    pub(super) fn of(raw: Option<&'a str>) -> Self {
        raw.map_or(Self::Missing, Self::Raw)
    }
    /// Their text, if the log has them.
    pub(super) fn text(&self) -> Option<JsonText<'_>> {
        match self {
            Self::Given(given) => Some(JsonText::borrowed(given.as_str())),
            Self::Raw(raw) => Some(text::arguments(raw).0),
            Self::Missing => None,
        }
    }
}

/// A call as a format reports it.
pub(super) struct LoggedCall<'a> {
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) server: Option<&'a str>,
    pub(super) tool: &'a str,
    pub(super) arguments: Arguments<'a>,
}

pub use tsl_synth_core::model::split_mcp;
