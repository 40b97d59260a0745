//! A session that is in memory.

use std::collections::BTreeSet;
use tsl_synth_core::base::sha256;
use tsl_synth_core::model::HostEventKind;
use tsl_synth_policy::gate::{GateSession, Tickets};
use tsl_synth_seats::log::scheduled_prompt;

/// The state of a session, and how much of its journal is part of it.
pub(crate) struct OpenSession {
    pub(crate) session: GateSession,
    pub(crate) tickets: Tickets,
    /// The hashes of the prompts that the agent scheduled for itself.
    pub(crate) scheduled: BTreeSet<String>,
    /// The number of the last record that is part of it.
    pub(crate) seen: u64,
    /// The hash of the policy that the last records were decided by.
    pub(crate) policy: Option<String>,
    /// Whether that policy is the only one that may decide in this session.
    pub(crate) is_pinned: bool,
    /// Records and bytes since the last checkpoint.
    pub(crate) since: (usize, usize),
}

impl OpenSession {
    /// A session without events.
    pub(crate) fn new(session: GateSession) -> Self {
        let (tickets, scheduled) = (Tickets::default(), BTreeSet::new());
        Self { session, tickets, scheduled, seen: 0, policy: None, is_pinned: false, since: (0, 0) }
    }
    /// Remembers the prompt that a granted call schedules.
    pub(crate) fn schedule(&mut self, call: &HostEventKind<'_>) {
        self.scheduled.extend(scheduled_prompt(call).map(|prompt| sha256(prompt.as_bytes())));
    }
}
