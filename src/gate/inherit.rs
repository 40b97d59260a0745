//! The history of a session that continues another one which its host does not name.
//!
//! The host copies the log of the other session into that of the new one. The ids of the calls in it are unique, so they
//! tell whose journal is that of the other session: the one that has all calls that the log says were made. Of that
//! journal all records are inherited up to the place where the new session branched off: after the last call of the log,
//! and the messages that the log has after it.

use crate::decide::read_event;
use crate::host::add;
use crate::journal::GateJournal;
use crate::open::HostNote;
use crate::records::{self, RecordKind};
use crate::service::GateService;
use std::collections::BTreeSet;
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, Speaker};
use tsl_synth_policy::language::OnFork;
use tsl_synth_seats::gate::{GateRequest, read_request};
use tsl_synth_seats::journal::JournalRecord;

/// What the log of a session has before the session branched off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedHistory {
    /// The ids of the calls that the other session made.
    calls: BTreeSet<String>,
    /// The messages after the last of them; those of the new session follow those of the other one.
    messages: Vec<String>,
    /// The ids of the calls of the new session itself.
    own_calls: BTreeSet<String>,
    /// The last message of the user in the new session itself.
    own_prompt: String,
}

impl LoggedHistory {
    /// The history in a log that has no event yet. `own` is the journal of the new session, `proposed` the call that it
    /// proposes, which the log may have already. `None` if the user said nothing in the new session: then nothing shows
    /// when the log is complete.
    pub fn new(own: &[JournalRecord], proposed: Option<&str>) -> Option<Self> {
        let mut own_calls: BTreeSet<String> = proposed.into_iter().map(str::to_owned).collect();
        let mut own_prompt = None;
        for event in own.iter().filter_map(event) {
            match event.kind {
                HostEventKind::Call { id: Some(id), .. } => {
                    own_calls.insert(id.into_owned());
                }
                HostEventKind::Message { speaker: Speaker::User, text } => {
                    own_prompt = Some(text.trim().to_owned());
                }
                _ => {}
            }
        }
        Some(Self { calls: BTreeSet::new(), messages: Vec::new(), own_calls, own_prompt: own_prompt? })
    }
    /// Adds the next event of the log.
    pub fn add(&mut self, event: &HostEvent<'_>) {
        match &event.kind {
            HostEventKind::Call { id: Some(id), .. } if !self.own_calls.contains(id.as_ref()) => {
                self.calls.insert(id.as_ref().to_owned());
                self.messages.clear();
            }
            HostEventKind::Message { text, .. } => self.messages.push(text.trim().to_owned()),
            _ => {}
        }
    }
    /// Whether the log has all of the other session. A host writes its log in the background, in order, so that the log
    /// is known to have the history once it has what the user said in the new session.
    pub fn is_complete(&self) -> bool {
        let prompt = self.own_prompt.as_str();
        // Hosts log a command of the user, such as `/fix a.rs`, with other text around its name.
        let text = if prompt.starts_with('/') { prompt.split_whitespace().next() } else { Some(prompt) };
        text.is_some_and(|text| self.messages.iter().any(|message| message.contains(text)))
    }
    /// The records of a journal up to where the new session branched off; `None` if the journal is not that of the other
    /// session. A history without calls is that of no session.
    pub fn part_of(&self, records: &[JournalRecord]) -> Option<Vec<JournalRecord>> {
        let events: Vec<Option<HostEvent<'static>>> = records.iter().map(event).collect();
        let call = |event: &Option<HostEvent<'static>>| match &event.as_ref()?.kind {
            HostEventKind::Call { id: Some(id), .. } => Some(id.as_ref().to_owned()),
            _ => None,
        };
        let own: BTreeSet<String> = events.iter().filter_map(call).collect();
        if self.calls.is_empty() || !self.calls.is_subset(&own) {
            return None;
        }
        let is_of_log = |event: &Option<HostEvent<'static>>| match event.as_ref().map(|event| &event.kind) {
            Some(HostEventKind::Call { id: Some(id), .. } | HostEventKind::Result { call: Some(id), .. }) => {
                self.calls.contains(id.as_ref())
            }
            _ => false,
        };
        let last = events.iter().rposition(is_of_log)?;
        let mut expected = self.messages.iter();
        let more =
            events[last + 1..].iter().take_while(|event| match event.as_ref().map(|event| &event.kind) {
                Some(HostEventKind::Message { text, .. }) => expected.any(|own| own == text.trim()),
                Some(HostEventKind::Call { .. } | HostEventKind::Close) => false,
                _ => true,
            });
        let end = last + 1 + more.count();
        let is_kept = |record: &&JournalRecord| records::kind_of(&record.kind).is_some();
        Some(records[..end].iter().filter(is_kept).cloned().collect())
    }
}

/// The event of a record, if it is about one.
fn event(record: &JournalRecord) -> Option<HostEvent<'static>> {
    RecordKind::of(&record.kind).filter(|kind| *kind != RecordKind::Policy)?;
    match read_request(&records::event_text(record).ok()?, record.number, "") {
        Ok(GateRequest::Event(event)) => Some(event),
        _ => None,
    }
}

impl<J: GateJournal> GateService<J> {
    /// What becomes of a session that continues another one which its host does not name, in a sentence.
    pub fn about_forks(&self) -> &'static str {
        match self.compiled().policy.on_fork {
            OnFork::Deny => {
                "this session is a fork of one that its host does not name, so every call is denied (`on_fork` in the \
                 policy)"
            }
            OnFork::Inherit => {
                "this session is a fork of one that its host does not name; until its history is found by the calls in \
                 its log, every call is denied"
            }
            OnFork::Blind => {
                "this session is a fork of one that its host does not name: the gate begins without its history"
            }
        }
    }
    /// Whether a session waits for the history of the one that it continues.
    ///
    /// # Errors
    /// Those of the journal.
    pub fn lacks_history(&mut self, session: &str) -> Result<bool, String> {
        if self.compiled().policy.on_fork != OnFork::Inherit {
            return Ok(false);
        }
        self.with_session(session, |_, live, _| Ok(live.host.is_fork))
    }
    /// Gives a session the history of the one that it continues: the records that [`LoggedHistory::part_of`] found. Calls
    /// that are open in it are closed, as their ends are told in the other session.
    ///
    /// # Errors
    /// A record that cannot be read, and those of the journal.
    pub fn inherit(&mut self, session: &str, history: &[JournalRecord]) -> Result<(), String> {
        self.with_session(session, |judge, live, pending| {
            for record in history {
                let Some(kind) = records::kind_of(&record.kind) else { continue };
                records::replay(judge, live, session, record)?;
                pending.push((kind, record.data.clone()));
            }
            let open: Vec<String> = live.host.open.keys().cloned().collect();
            for id in open {
                let (call, outcome) = (Some(id.into()), CallOutcome::Unknown);
                let kind = HostEventKind::Result { call, outcome, result: None };
                let event = HostEvent::new(session, 1, kind);
                read_event(judge, live, &event, pending);
            }
            add(live, HostNote::Inherited, pending);
            Ok(())
        })
    }
}
