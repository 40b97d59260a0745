//! A session that is in memory.

use crate::scripts::{digest, may_move, only_reads};
use crate::totals::OtherTotals;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use tsl_synth_core::base::sha256;
use tsl_synth_core::model::{HostEvent, HostEventKind};
use tsl_synth_policy::gate::{GateSession, Tickets};
use tsl_synth_seats::log::scheduled_prompt;

/// The state of a session, and how much of its journal is part of it.
pub(crate) struct OpenSession {
    pub(crate) session: GateSession,
    pub(crate) tickets: Tickets,
    /// What the host reported beside the events of the session.
    pub(crate) host: HostState,
    /// The number of the last record that is part of it.
    pub(crate) seen: u64,
    /// The hash of the policy that the last records were decided by.
    pub(crate) policy: Option<String>,
    /// Whether that policy is the only one that may decide in this session.
    pub(crate) is_pinned: bool,
    /// Records and bytes since the last checkpoint.
    pub(crate) since: (usize, usize),
    /// The bytes of the last checkpoint.
    pub(crate) checkpoint: usize,
    /// The amounts that other sessions had counted before the present event, as far as the event needs it.
    pub(crate) others: OtherTotals,
}

/// What a host reported beside the events of a session: it decides how later reports become events.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub(crate) struct HostState {
    /// The hashes of the prompts that the agent scheduled for itself.
    pub(crate) scheduled: BTreeSet<String>,
    /// The calls that were granted and whose results were not reported, by their ids.
    pub(crate) open: BTreeMap<String, OpenCall>,
    /// The message that the agent has begun: its name and its text so far.
    pub(crate) begun: Option<(String, String)>,
    /// The hash of the agent's last message.
    pub(crate) said: Option<String>,
    /// Whether the session continues another one that is not known.
    pub(crate) is_fork: bool,
    /// The calls about which a person was asked since the last message of the user and whose results were not reported.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) asked: BTreeSet<String>,
    /// Whether a call may have changed the working folder of the shell that later calls use.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) moved: bool,
}

/// A call whose result was not reported.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub(crate) struct OpenCall {
    /// The subagent that made it, if it is not of the main agent.
    pub(crate) agent: Option<String>,
    /// Whether it goes on in the background, so that its end will be told.
    pub(crate) goes_on: bool,
    /// Whether it changes no file.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) only_reads: bool,
    /// A hash of the scripts and of the answers of probes that were read for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) scripts: Option<String>,
}

/// Something that a host reported that is no event of the session.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum HostNote {
    /// The call with this id goes on in the background.
    GoesOn(String),
    /// The agent says a part of a message, which is not the last.
    Part {
        /// The name of the message.
        message: String,
        /// The text of the part.
        text: String,
    },
    /// The agent said a message with this hash.
    Said(String),
    /// The session continues another one that is not known.
    Fork,
    /// The session has the history of the one that it continues.
    Inherited,
}

impl HostState {
    /// Makes a note part of the state.
    pub(crate) fn note(&mut self, note: HostNote) {
        match note {
            HostNote::GoesOn(call) => {
                if let Some(open) = self.open.get_mut(&call) {
                    open.goes_on = true;
                }
            }
            HostNote::Part { message, text } => match &mut self.begun {
                Some((name, before)) if *name == message => before.push_str(&text),
                begun => *begun = Some((message, text)),
            },
            HostNote::Said(hash) => (self.begun, self.said) = (None, Some(hash)),
            HostNote::Fork => self.is_fork = true,
            HostNote::Inherited => self.is_fork = false,
        }
    }
    /// Remembers a call that was made, and the prompt that it schedules.
    pub(crate) fn made(&mut self, call: &HostEvent<'_>, is_granted: bool) {
        let HostEventKind::Call { id, .. } = &call.kind else { return };
        self.scheduled.extend(scheduled_prompt(&call.kind).map(|prompt| sha256(prompt.as_bytes())));
        self.moved |= may_move(&call.kind);
        if let Some(id) = id.as_deref() {
            if is_granted {
                self.asked.remove(id);
            } else {
                self.asked.insert(id.to_owned());
            }
        }
        if let Some(id) = id.as_deref().filter(|_| is_granted) {
            let agent = call.agent.as_deref().map(str::to_owned);
            let (only_reads, scripts) = (only_reads(&call.kind), digest(call));
            self.open.insert(id.to_owned(), OpenCall { agent, goes_on: false, only_reads, scripts });
        }
    }
    /// Whether a call besides the one with this id may change files: one that was granted or asked about and has not ended.
    pub(crate) fn has_pending(&self, id: Option<&str>) -> bool {
        self.open.iter().any(|(own, call)| Some(own.as_str()) != id && !call.only_reads)
            || self.asked.iter().any(|own| Some(own.as_str()) != id)
    }
    /// Whether the agent scheduled this prompt for itself.
    pub(crate) fn is_scheduled(&self, prompt: &str) -> bool {
        self.scheduled.contains(&sha256(prompt.trim().as_bytes()))
    }
}

impl OpenSession {
    /// A session without events.
    pub(crate) fn new(session: GateSession) -> Self {
        let (tickets, host) = (Tickets::default(), HostState::default());
        Self {
            session,
            tickets,
            host,
            seen: 0,
            policy: None,
            is_pinned: false,
            since: (0, 0),
            checkpoint: 0,
            others: OtherTotals::default(),
        }
    }
}
