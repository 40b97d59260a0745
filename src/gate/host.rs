//! What the hooks of a host report, beyond single events: which calls are over though nothing told their results, which
//! go on in the background, what the agent says part by part, and sessions that continue one that is not known.
//!
//! A call whose result never comes would stay open for ever, and each open call leaves the outcome of its actions open. A
//! later event of the host may show that it is over. It is then closed with an unknown outcome, by a result in the
//! journal as if the host had told it. A result that comes all the same changes nothing any more.

use crate::decide::{GateAnswer, Pending, read_event};
use crate::journal::GateJournal;
use crate::open::{HostNote, OpenSession};
use crate::records::{self, RecordKind};
use crate::service::GateService;
use std::borrow::Cow;
use tsl_synth_core::base::sha256;
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, Speaker};
use tsl_synth_policy::gate::GateSolver;
use tsl_synth_seats::hook::{EndedCalls, HookHost, HookKind, HookPayload, MessagePart};

impl<J: GateJournal> GateService<J> {
    /// Reads all that a payload of a hook reports, and returns its events in order with the answers. `time` is that of
    /// events that have none.
    ///
    /// # Errors
    /// As [`GateService::event`].
    pub fn payload(
        &mut self,
        payload: &HookPayload,
        time: Option<i64>,
    ) -> Result<Vec<(HostEvent<'static>, GateAnswer)>, String> {
        let is_told = payload.host == HookHost::ClaudeCode;
        self.set_folder(payload.cwd.clone(), is_told);
        if has_notes(payload) {
            self.with_session(&payload.session, |judge, live, pending| {
                take_notes(judge, live, payload, time, pending);
                Ok(())
            })?;
        }
        let mut answers = Vec::new();
        for event in &payload.events {
            let mut event = event.clone();
            event.time = event.time.or(time);
            // A notice about a call that is not in the background, or that the agent wrote itself, tells nothing.
            if payload.notice.as_deref().is_some_and(|notice| !self.is_notice_of(&event, notice))
                || self.was_said(payload, &event)
            {
                continue;
            }
            let answer = self.unnamed_event(&event, payload.of.as_ref(), payload.repeats)?;
            answers.push((event, answer));
        }
        if let Some(part) = &payload.part {
            answers.extend(self.says(payload, part, time)?);
        }
        Ok(answers)
    }
    /// Reads a part of a message of the agent, which becomes an event with its last part.
    fn says(
        &mut self,
        payload: &HookPayload,
        part: &MessagePart,
        time: Option<i64>,
    ) -> Result<Option<(HostEvent<'static>, GateAnswer)>, String> {
        let mut whole = String::new();
        self.with_session(&payload.session, |_, live, pending| {
            if !part.is_last {
                let note = HostNote::Part { message: part.message.clone(), text: part.text.clone() };
                add(live, note, pending);
                return Ok(());
            }
            let begun = live.host.begun.take().filter(|(name, _)| *name == part.message);
            whole = begun.map_or_else(String::new, |(_, text)| text);
            whole.push_str(&part.text);
            add(live, HostNote::Said(hash(&whole)), pending);
            Ok(())
        })?;
        if whole.is_empty() {
            return Ok(None);
        }
        let kind = HostEventKind::Message { speaker: Speaker::Agent, text: whole.into() };
        let agent = payload.agent.clone().map(Cow::Owned);
        let event = HostEvent { agent, time, ..HostEvent::new(payload.session.clone(), 1, kind) };
        self.event(&event).map(|answer| Some((event, answer)))
    }
    /// Whether the result of a notice is of a call that goes on in the background, and the agent did not write the
    /// notice itself.
    fn is_notice_of(&self, event: &HostEvent<'_>, notice: &str) -> bool {
        let HostEventKind::Result { call: Some(call), .. } = &event.kind else { return true };
        self.host_state(&event.session).is_some_and(|host| {
            !host.is_scheduled(notice) && host.open.get(call.as_ref()).is_some_and(|open| open.goes_on)
        })
    }
    /// Whether the last message, which some hosts tell again at the end of a turn, was reported before.
    fn was_said(&self, payload: &HookPayload, event: &HostEvent<'_>) -> bool {
        let HostEventKind::Message { speaker: Speaker::Agent, text } = &event.kind else { return false };
        payload.kind == HookKind::End
            && self.host_state(&event.session).is_some_and(|host| host.said == Some(hash(text)))
    }
}

fn hash(message: &str) -> String {
    sha256(message.trim().as_bytes())
}

/// Whether a payload says more than its events, or its events depend on what was said before.
fn has_notes(payload: &HookPayload) -> bool {
    payload.ended != EndedCalls::None || payload.goes_on || payload.is_fork || payload.notice.is_some()
}

fn take_notes(
    judge: &mut GateSolver,
    live: &mut OpenSession,
    payload: &HookPayload,
    time: Option<i64>,
    pending: &mut Pending,
) {
    close(judge, live, payload, time, pending);
    if let Some(call) = payload.tool_use_id.as_ref().filter(|_| payload.goes_on)
        && live.host.open.get(call).is_some_and(|open| !open.goes_on)
    {
        add(live, HostNote::GoesOn(call.clone()), pending);
    }
    if payload.is_fork && !live.host.is_fork {
        add(live, HostNote::Fork, pending);
    }
}

/// Closes the calls that the payload shows to be over, with an unknown outcome.
fn close(
    judge: &mut GateSolver,
    live: &mut OpenSession,
    payload: &HookPayload,
    time: Option<i64>,
    pending: &mut Pending,
) {
    let is_over = |id: &String, agent: Option<&str>| match &payload.ended {
        EndedCalls::None => false,
        EndedCalls::Named(ids) => ids.contains(id),
        EndedCalls::OfAgent => agent == payload.agent.as_deref() && Some(id) != payload.tool_use_id.as_ref(),
    };
    let open = live.host.open.iter().filter(|(id, open)| !open.goes_on && is_over(id, open.agent.as_deref()));
    let over: Vec<(String, Option<String>)> =
        open.map(|(id, open)| (id.clone(), open.agent.clone())).collect();
    for (id, agent) in over {
        let kind =
            HostEventKind::Result { call: Some(id.into()), outcome: CallOutcome::Unknown, result: None };
        let event = HostEvent {
            agent: agent.map(Cow::Owned),
            time,
            ..HostEvent::new(payload.session.as_str(), 1, kind)
        };
        read_event(judge, live, &event, pending);
    }
}

/// Makes a note part of the session and its journal.
pub(crate) fn add(live: &mut OpenSession, note: HostNote, pending: &mut Pending) {
    pending.push((RecordKind::Note, records::note(&note)));
    live.host.note(note);
}
