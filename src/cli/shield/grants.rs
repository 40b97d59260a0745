//! The gate of a proxy that forwards the calls that the hooks of a host granted, each once.

use super::args::GateArgs;
use super::gate_file::GateFile;
use std::collections::BTreeSet;
use std::time::Duration;
use tsl_synth_core::model::{HostEvent, HostEventKind, ProposalAnswer, Ruling};
use tsl_synth_seats::hook::HookHost;
use tsl_synth_service::{FORWARDED, McpGate, forwarded, unused_grant};
use tsl_synth_stores::{JournalStore, LOCK_WAIT};

/// Grants expire in a journal that was not written to for this long.
const AGE: Duration = Duration::from_hours(24);

/// Allows the calls that hooks granted.
pub(crate) struct Grants {
    keeper: GateFile,
    store: JournalStore,
    host: HookHost,
    /// The only session whose grants count; `None` for all sessions of the host.
    session: Option<String>,
    /// The calls that were forwarded: more input for one of them needs no new grant.
    passed: BTreeSet<String>,
}

impl Grants {
    /// For the hooks of a host, whose journals are in the folder that `args` names.
    ///
    /// # Errors
    /// When there is no folder of journals.
    pub(crate) fn new(args: &GateArgs, keeper: GateFile, host: HookHost) -> anyhow::Result<Self> {
        let store = args.store()?;
        let session = args.session.clone();
        Ok(Self { keeper, store, host, session, passed: BTreeSet::new() })
    }
    /// Uses up a grant for a call, and returns whether there was one.
    fn take(&self, server: &str, tool: &str, arguments: &str) -> anyhow::Result<bool> {
        let host = self.host.name();
        let sessions = match &self.session {
            Some(session) => vec![session.clone()],
            None => self.store.sessions(host, AGE)?,
        };
        // An unreadable journal must not hide a grant in another one.
        let mut fault = None;
        for session in sessions {
            let taken = self.store.lock(host, &session, LOCK_WAIT).and_then(|mut journal| {
                let records = journal.whole()?;
                let Some(ticket) = unused_grant(&records, server, tool, arguments) else { return Ok(false) };
                journal.append(FORWARDED, &forwarded(&ticket))?;
                Ok(true)
            });
            match taken {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(error) => fault = Some(error),
            }
        }
        fault.map_or(Ok(false), |error| Err(error.into()))
    }
}

impl McpGate for Grants {
    fn event(&mut self, event: &HostEvent<'_>) -> Result<ProposalAnswer, String> {
        // All other events are reported to the gate by the hooks.
        let HostEventKind::Call { id: Some(id), server, tool, arguments } = &event.kind else {
            return Ok(answer(Ruling::Allow, String::new()));
        };
        let server = server.as_deref().unwrap_or_default();
        if self.passed.contains(id.as_ref()) {
            return Ok(answer(Ruling::Allow, String::new()));
        }
        if self.take(server, tool, arguments.as_str()).map_err(|error| format!("{error:#}"))? {
            self.passed.insert(id.clone().into_owned());
            return Ok(answer(Ruling::Allow, String::new()));
        }
        let host = self.host.name();
        let reason = format!("Denied: no hook of {host} granted this call, or it was made already.");
        Ok(answer(Ruling::Deny, reason))
    }
    fn never_permits(&mut self, server: &str, tool: &str) -> bool {
        self.keeper.shield().is_ok_and(|shield| shield.never_permits(Some(server), tool))
    }
    fn is_shadow(&self) -> bool {
        self.keeper.is_shadow()
    }
}

fn answer(ruling: Ruling, reason: String) -> ProposalAnswer {
    ProposalAnswer { ruling, reason, laws: Vec::new(), ticket: None }
}
