//! Events of traces, whose records are in any order: the events are sorted by time before they are reported.

use super::moment::{Moment, TimelineEvent};
use super::otel_calls::ChatCalls;
use super::session_table::{Arguments, At, LoggedCall, SessionTable, Sink, split_mcp};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use tsl_synth_core::model::{HostEventKind, Speaker, UntoldFacts};

/// All moments of a log. Memory grows with the log.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    pub(super) moments: Vec<Moment>,
    pub(super) records: u64,
    /// For sessions whose records may lack facts: what they lack, and whether messages were met.
    pub(super) facts: BTreeMap<String, (UntoldFacts, bool)>,
    /// The tools, with their sessions, of calls whose records tell no ids.
    pub(super) unnamed: BTreeSet<(String, String)>,
    /// Calls and results in messages, which may have records of their own.
    pub(super) chats: ChatCalls,
    /// The sessions that records of a trace name.
    pub(super) named: BTreeMap<String, BTreeSet<String>>,
}

impl Timeline {
    /// Reports all events, session by session, in the order in which the sessions began.
    pub(super) fn emit(&mut self, sessions: &mut SessionTable, sink: &mut Sink<'_>) -> ControlFlow<()> {
        self.join_traces();
        let mut chats = std::mem::take(&mut self.chats);
        let mut moments = std::mem::take(&mut self.moments);
        let of_chats = chats.take(&moments, &self.unnamed, &mut self.facts);
        moments.extend(of_chats);
        let mut begins: BTreeMap<&str, (i64, u64)> = BTreeMap::new();
        for moment in &moments {
            let begin = (moment.time.unwrap_or(i64::MAX), moment.record);
            let first = begins.entry(&moment.session).or_insert(begin);
            *first = begin.min(*first);
        }
        let begins: BTreeMap<String, (i64, u64)> =
            begins.into_iter().map(|(name, at)| (name.to_owned(), at)).collect();
        // The sort is stable: a call stays before its result, since both are recorded in this order.
        moments.sort_by(|a, b| {
            let key =
                |moment: &'_ Moment| (begins.get(&moment.session).copied(), moment.time.unwrap_or(i64::MAX));
            key(a).cmp(&key(b)).then_with(|| a.session.cmp(&b.session)).then_with(|| a.order.cmp(&b.order))
        });
        for moment in &moments {
            if let TimelineEvent::Result { call, .. } = &moment.what {
                sessions.expect_result(&moment.session, call);
            }
        }
        let mut last: Option<&str> = None;
        let mut heard = 0;
        for moment in &moments {
            if let Some(over) = last.filter(|last| *last != moment.session) {
                sessions.close(over, None, sink)?;
                heard = 0;
            }
            if last != Some(&moment.session)
                && let Some(&(facts, has_messages)) = self.facts.get(&moment.session)
            {
                let facts = UntoldFacts { messages: !has_messages, ..facts };
                let kind = HostEventKind::Untold(facts);
                let time = moment.time.map(|time| time.div_euclid(1000));
                let at = At { session: &moment.session, agent: None, time, line: moment.record, facts: None };
                if !facts.is_none() {
                    sessions.other(&at, kind, sink)?;
                }
            }
            last = Some(&moment.session);
            moment.emit(sessions, &mut heard, sink)?;
        }
        last.map_or(ControlFlow::Continue(()), |over| sessions.close(over, None, sink))
    }
    /// Gives the records that name no session to the session of their trace, if the others of the trace name one.
    fn join_traces(&mut self) {
        let only = |trace: &String| {
            let named = self.named.get(trace).filter(|named| named.len() == 1)?;
            named.first().filter(|session| *session != trace).cloned()
        };
        let traces: Vec<(String, String)> =
            self.named.keys().filter_map(|trace| Some((trace.clone(), only(trace)?))).collect();
        let session_of: BTreeMap<String, String> = traces.into_iter().collect();
        for moment in &mut self.moments {
            if let Some(session) = session_of.get(&moment.session) {
                moment.session.clone_from(session);
            }
        }
        for (trace, session) in &session_of {
            if let Some((facts, has_messages)) = self.facts.remove(trace) {
                let own = self.facts.entry(session.clone()).or_default();
                *own = (own.0.and(facts), own.1 || has_messages);
            }
        }
        let unnamed = std::mem::take(&mut self.unnamed).into_iter();
        self.unnamed =
            unnamed.map(|(own, tool)| (session_of.get(&own).cloned().unwrap_or(own), tool)).collect();
        self.chats.rename(&session_of);
    }
}

impl Moment {
    /// Reports the event. `heard` is the number of messages of the user that were reported.
    fn emit(&self, sessions: &mut SessionTable, heard: &mut usize, sink: &mut Sink<'_>) -> ControlFlow<()> {
        let at = At {
            session: &self.session,
            agent: self.agent.as_deref(),
            time: self.time.map(|time| time.div_euclid(1000)),
            line: self.record,
            facts: None,
        };
        match &self.what {
            TimelineEvent::Message(speaker, text) => {
                sessions.message(&at, *speaker, Cow::Borrowed(text), sink)
            }
            TimelineEvent::Heard(texts) => {
                let new = texts.iter().skip(*heard);
                *heard = texts.len().max(*heard);
                new.into_iter()
                    .try_for_each(|text| sessions.message(&at, Speaker::User, Cow::Borrowed(text), sink))
            }
            TimelineEvent::Call { id, name, server, arguments } => {
                let (prefix, tool) = split_mcp(name);
                let call = LoggedCall {
                    id: Some(Cow::Borrowed(id)),
                    server: server.as_deref().or(prefix),
                    tool,
                    arguments: Arguments::of(arguments.as_deref()),
                };
                sessions.call(&at, call, sink)
            }
            TimelineEvent::Result { call, outcome, result } => {
                sessions.marked_result(&at, call, *outcome, result.clone(), sink)
            }
            TimelineEvent::End => sessions.other(&at, HostEventKind::End, sink),
        }
    }
}
