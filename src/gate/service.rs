//! The sessions of one policy in front of the gate.

use crate::answer::GateDocument;
use crate::around::Surroundings;
use crate::checkpoint;
use crate::decide::{GateAnswer, Pending, asked_hash, end, propose, read_event};
use crate::journal::GateJournal;
use crate::loaded::LoadedPolicy;
use crate::open::{HostState, OpenSession};
use crate::records::{self, RecordKind};
use crate::rewritten;
use crate::scripts::Beginning;
use crate::shared::SharedSolver;
use crate::state::GateState;
use crate::text;
use crate::totals::{OtherTotals, SharedTotals};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use tsl_synth_core::base::Limit;
use tsl_synth_core::model::{Cache, CallOutcome, HostEvent, HostEventKind, JsonText, OutsideFacts, Speaker};
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::gate::{GateSolver, TicketState};
use tsl_synth_policy::language::OnChange;
use tsl_synth_seats::journal::{CHECKPOINT, JournalRecord};

/// The sessions of one policy in front of the gate.
pub struct GateService<J> {
    solver: SharedSolver,
    journal: J,
    is_shadow: bool,
    /// Whether sessions that begin under this policy refuse any other.
    denies_changes: bool,
    sessions: BTreeMap<String, OpenSession>,
    /// What registers over all sessions have counted, if the policy has such registers and a session was read.
    totals: Option<SharedTotals>,
    /// The readers of scripts and probes; their folder is the one in which the commands of the current event run.
    around: Surroundings,
    /// Whether the host reports each change of the folder.
    is_folder_told: bool,
}

/// The reason to deny everything in a session that refuses another policy.
const CHANGED: &str = "the policy was edited after this session began, and `--on-change deny` or \
                       `on_change = \"deny\"` holds: restore the policy, or begin a new session";

/// The number of records after which a checkpoint is written, in journals that other processes read.
const CHECKPOINT_RECORDS: usize = 64;
/// The number of bytes of records after which a checkpoint is written.
const CHECKPOINT_BYTES: usize = 1 << 18;
/// The records after a checkpoint are at least such a part of it before the next one is written, since a checkpoint has
/// all values and calls of the session: so a record costs the same however long the session is.
const CHECKPOINT_SHARE: usize = 4;

impl<J: GateJournal> GateService<J> {
    /// A gate for a policy, whose text has this hash and is in this file. In shadow mode calls are decided and
    /// recorded, and none is blocked.
    ///
    /// # Errors
    /// Laws that the game cannot decide, or a limit; with the journal.
    pub fn new(
        loaded: LoadedPolicy,
        policy: &str,
        file: &str,
        journal: J,
        is_shadow: bool,
    ) -> Result<Self, (Limit, J)> {
        Self::with_cache(loaded, policy, file, journal, is_shadow, None)
    }
    /// As [`GateService::new`], with a cache of solved games. An entry is used only if it is undamaged, and of this version
    /// and policy.
    ///
    /// # Errors
    /// As [`GateService::new`].
    pub fn with_cache(
        loaded: LoadedPolicy,
        policy: &str,
        file: &str,
        journal: J,
        is_shadow: bool,
        cache: Option<Box<dyn Cache + Send>>,
    ) -> Result<Self, (Limit, J)> {
        match SharedSolver::of_loaded(loaded, policy, file, cache) {
            Ok(solver) => Ok(Self::sharing(solver, journal, is_shadow)),
            Err(limit) => Err((limit, journal)),
        }
    }
    /// A gate that shares the games of the policy with others.
    pub fn sharing(solver: SharedSolver, mut journal: J, is_shadow: bool) -> Self {
        let denies_changes = solver.compiled().policy.on_change == OnChange::Deny;
        journal.set_retention(solver.retention());
        Self {
            solver,
            journal,
            is_shadow,
            denies_changes,
            sessions: BTreeMap::new(),
            totals: None,
            around: Surroundings::default(),
            is_folder_told: false,
        }
    }
    /// Says what decisions may look at outside of sessions: at nothing unless this is called.
    pub fn look_around(&mut self, around: Surroundings) {
        (self.around, self.is_folder_told) = (around, false);
    }
    /// Says in which folder the calls of the next events begin, and whether that is known although earlier calls changed it.
    pub(crate) fn set_folder(&mut self, folder: Option<String>, is_told: bool) {
        (self.around.folder, self.is_folder_told) = (folder, is_told);
    }
    /// The policy.
    pub(crate) fn compiled(&self) -> &CompiledPolicy {
        self.solver.compiled()
    }
    /// The hash of the text of the policy.
    pub fn policy(&self) -> &str {
        &self.solver.policy
    }
    /// Refuses any other policy in the sessions that this one decides in, as `on_change = "deny"` in the policy does.
    /// The journal records it, so it holds for later processes, too.
    pub fn deny_changes(&mut self) {
        self.denies_changes = true;
    }
    /// Whether sessions that this policy decides in refuse any other.
    pub fn denies_changes(&self) -> bool {
        self.denies_changes
    }
    /// Decides by an edited policy from here on: the sessions are read again from their journals.
    ///
    /// # Errors
    /// The policy so far refuses others; nothing changes then.
    pub(crate) fn take_up(&mut self, solver: SharedSolver) -> Result<(), String> {
        if self.denies_changes {
            return Err(CHANGED.into());
        }
        self.denies_changes = solver.compiled().policy.on_change == OnChange::Deny;
        self.journal.set_retention(solver.retention());
        self.solver = solver;
        self.sessions.clear();
        // The other policy may keep them under another name.
        self.totals = None;
        Ok(())
    }
    /// Closes a session and removes its journal; a later event with its name begins a new session.
    ///
    /// # Errors
    /// As [`GateService::event`]; the session then stays.
    pub(crate) fn close_and_remove(&mut self, event: &HostEvent<'_>) -> Result<GateAnswer, String> {
        let closed = self.with_locked(&event.session, |judge, live, _| {
            Ok(read_event(judge, live, event, &mut Pending::new()))
        });
        let removed = closed.and_then(|answer| self.journal.remove().map(|()| answer));
        self.unlock();
        self.free(&event.session);
        removed
    }
    /// Releases the locks of a session and of the totals.
    fn unlock(&mut self) {
        self.journal.unlock();
        if let Some(totals) = &mut self.totals {
            totals.unlock();
        }
    }
    /// Frees the memory of a session, whose journal stays.
    fn free(&mut self, session: &str) {
        self.sessions.remove(session);
        self.journal.forget(session);
    }
    /// Returns the journal, for the gate of another policy, which then reads the sessions from it.
    pub fn into_journal(self) -> J {
        self.journal
    }
    /// What the host reported beside the events of a session that was read.
    pub(crate) fn host_state(&self, session: &str) -> Option<&HostState> {
        self.sessions.get(session).map(|live| &live.host)
    }
    /// Runs `act` on a session whose journal is locked, then appends the records.
    pub(crate) fn with_session<T>(
        &mut self,
        name: &str,
        act: impl FnOnce(&mut GateSolver, &mut OpenSession, &mut Pending) -> Result<T, String>,
    ) -> Result<T, String> {
        let result = self.with_locked(name, act);
        self.unlock();
        if let Ok(mut solver) = self.solver.lock() {
            solver.keep_games();
        }
        if result.is_err() {
            // What is in memory may be ahead of the journal.
            self.sessions.remove(name);
        }
        result
    }
    fn with_locked<T>(
        &mut self,
        name: &str,
        act: impl FnOnce(&mut GateSolver, &mut OpenSession, &mut Pending) -> Result<T, String>,
    ) -> Result<T, String> {
        let seen = self.sessions.get(name).map_or(0, |live| live.seen);
        let records = self.journal.lock(name, seen)?;
        self.lock_totals()?;
        // Only now, since the lock of the journal may have to be waited for.
        let shared = self.solver.clone();
        let mut solver = shared.lock()?;
        self.catch_up(&solver, name, seen, records)?;
        let mut pending = Pending::new();
        let live = self.sessions.get_mut(name).ok_or("the session was not read")?;
        let key = format!("{} {name}", self.journal.host().unwrap_or_default());
        if let Some(totals) = &mut self.totals {
            if live.policy.is_none() {
                totals.keep_removed(&key)?;
            }
            live.others = totals.others(&key);
        }
        let decided_by = (live.policy.clone(), live.is_pinned);
        begin(live, &shared, self.denies_changes, &mut pending)?;
        let before = pending.len();
        let done = act(&mut solver, live, &mut pending)?;
        drop(solver);
        if let Some(totals) = &mut self.totals {
            live.others = OtherTotals::default();
            totals.put(&shared.compiled().policy, &key, &live.session)?;
        }
        if pending.len() > before {
            self.append(name, pending)?;
        } else if let Some(live) = self.sessions.get_mut(name) {
            // The journal does not name the policy yet.
            (live.policy, live.is_pinned) = decided_by;
        }
        Ok(done)
    }
    /// Locks the totals of registers over all sessions, if the policy has any.
    fn lock_totals(&mut self) -> Result<(), String> {
        let policy = &self.solver.compiled().policy;
        if policy.registers_over_sessions().next().is_none() {
            return Ok(());
        }
        if self.totals.is_none() {
            let journal = self.journal.totals();
            let journal = journal.ok_or("this store keeps nothing that is counted over all sessions")?;
            self.totals = Some(SharedTotals::new(journal, &policy.name));
        }
        self.totals.as_mut().map_or(Ok(()), SharedTotals::lock)
    }
    /// Appends records to the journal that is locked, and a checkpoint when one is due.
    fn append(&mut self, name: &str, pending: Pending) -> Result<(), String> {
        let live = self.sessions.get_mut(name).ok_or("the session was not read")?;
        for (kind, data) in pending {
            live.seen = self.journal.append(kind.name(), &data)?;
            live.since = (live.since.0 + 1, live.since.1 + data.len());
        }
        let is_due = (live.since.0 >= CHECKPOINT_RECORDS || live.since.1 >= CHECKPOINT_BYTES)
            && live.since.1 >= live.checkpoint / CHECKPOINT_SHARE;
        if is_due && self.journal.is_shared() {
            let state = checkpoint::write(live, &self.solver.policy, self.solver.retention());
            let data = serde_json::to_string(&state).map_err(|error| error.to_string())?;
            live.seen = self.journal.append(CHECKPOINT, &data)?;
            (live.since, live.checkpoint) = ((0, 0), data.len());
        }
        Ok(())
    }
    /// Makes records part of a session. A checkpoint replaces all records before it if it is of this policy; else all
    /// records are read again.
    fn catch_up(
        &mut self,
        solver: &GateSolver,
        name: &str,
        seen: u64,
        records: Vec<JournalRecord>,
    ) -> Result<(), String> {
        if seen > 0 && records.first().is_some_and(|first| first.number == 1) {
            // The session was removed, and began anew.
            self.sessions.remove(name);
        }
        let last = records.iter().rposition(|record| record.kind == CHECKPOINT);
        let mut records = records;
        let mut start = 0;
        if let Some(place) = last {
            let state: Option<GateState> = serde_json::from_str(&records[place].data).ok();
            match state.and_then(|state| checkpoint::read(solver, &self.solver.policy, name, &state)) {
                Some(mut live) => {
                    live.seen = records[place].number;
                    live.checkpoint = records[place].data.len();
                    self.sessions.insert(name.to_owned(), live);
                    start = place + 1;
                }
                None if records.first().is_some_and(|first| first.number > seen + 1) => {
                    records = self.journal.whole()?;
                    self.sessions.remove(name);
                }
                None => {}
            }
        }
        let live = self.sessions.entry(name.to_owned()).or_insert_with(|| OpenSession::new(solver.session()));
        for record in &records[start..] {
            if record.number > live.seen {
                records::replay(solver, live, name, record)?;
                live.seen = record.number;
                live.since = (live.since.0 + 1, live.since.1 + record.data.len());
            }
        }
        Ok(())
    }
    /// Reads an event: a proposed call or a request to stop is answered with a verdict, other events are only recorded.
    ///
    /// # Errors
    /// A description of the problem; a proposed call must then not be made.
    pub fn event(&mut self, event: &HostEvent<'_>) -> Result<GateAnswer, String> {
        let answer = self.adapted_event(event, None, |_, _| {});
        if matches!(event.kind, HostEventKind::Close) {
            self.free(&event.session);
        }
        answer
    }
    /// Reads an event of a host that may leave its calls unnamed. Such a call gets a name here, and a result without a
    /// name is that of the oldest open call with the same content as the call `of`. If the host reports some calls
    /// twice, once with a name, a call that `repeats` is identified with an open named call of the same content, if
    /// there is one. If a result with a name is reported to be of other content than its call had when it was proposed,
    /// what ran counts as a call that was not granted. A prompt that a granted call scheduled is a message of the agent.
    ///
    /// # Errors
    /// As [`GateService::event`].
    pub fn unnamed_event(
        &mut self,
        event: &HostEvent<'_>,
        of: Option<&HostEventKind<'_>>,
        repeats: bool,
    ) -> Result<GateAnswer, String> {
        self.adapted_event(event, of, |live, event| {
            let name = match &event.kind {
                HostEventKind::Call { id: None, .. } => asked_hash(&event.kind).map(|hash| {
                    let known = repeats.then(|| live.tickets.open(&hash, true)).flatten();
                    known.map_or_else(|| live.tickets.given_name(), str::to_owned)
                }),
                HostEventKind::Result { call: None, .. } => of
                    .and_then(asked_hash)
                    .and_then(|hash| live.tickets.open(&hash, false).map(str::to_owned)),
                // What the agent scheduled for itself is not of the user, though the host sends it as such.
                HostEventKind::Message { speaker: Speaker::User, text } if live.host.is_scheduled(text) => {
                    if let HostEventKind::Message { speaker, .. } = &mut event.to_mut().kind {
                        *speaker = Speaker::Agent;
                    }
                    None
                }
                _ => None,
            };
            if let Some(name) = name
                && let HostEventKind::Call { id: call, .. } | HostEventKind::Result { call, .. } =
                    &mut event.to_mut().kind
            {
                *call = Some(name.into());
            }
        })
    }
    /// Reads an event after `adapt` changed it; `ran` is the call that a result is reported to be of.
    fn adapted_event(
        &mut self,
        event: &HostEvent<'_>,
        ran: Option<&HostEventKind<'_>>,
        adapt: impl FnOnce(&OpenSession, &mut Cow<'_, HostEvent<'_>>),
    ) -> Result<GateAnswer, String> {
        let is_shadow = self.is_shadow;
        let (around, is_told) = (self.around.clone(), self.is_folder_told);
        self.with_session(&event.session, |judge, live, pending| {
            let mut event = Cow::Borrowed(event);
            adapt(live, &mut event);
            if let HostEventKind::Call { id, .. } = &event.kind {
                // What was found before stands in the journal; what is decided now is looked up now.
                let from = Beginning {
                    folder: around.folder.as_deref(),
                    is_moved: live.host.moved && !(is_told && around.folder.is_some()),
                    is_pending: live.host.has_pending(id.as_deref()),
                };
                let interpreter = live.session.interpreter();
                let (scripts, probes) = around.look(judge.compiled(), interpreter, &event, from);
                if scripts != event.scripts {
                    event.to_mut().scripts = scripts;
                }
                let wanted = live.session.interpreter().wanted_totals(judge.compiled(), &event);
                let totals = live.others.at(&judge.compiled().policy, &wanted, event.time);
                let outside = OutsideFacts { probes, totals };
                let outside = (!outside.is_empty()).then(|| Arc::new(outside));
                if outside != event.outside {
                    event.to_mut().outside = outside;
                }
            }
            let other = ran.and_then(|ran| rewritten::unproposed(live, &event, ran));
            let mut answer = match (&event.kind, other) {
                (HostEventKind::Call { .. }, _) => propose(judge, live, &event, is_shadow, pending),
                (HostEventKind::End, _) => end(judge, live, &event, is_shadow, pending),
                (_, Some(call)) => rewritten::read(judge, live, &event, &call, is_shadow, pending),
                _ => read_event(judge, live, &event, pending),
            };
            answer.document.shadow = is_shadow;
            Ok(answer)
        })
    }
    /// Records the outcome of the call with a ticket.
    ///
    /// # Errors
    /// An unknown or used ticket, and the errors of [`GateService::event`].
    pub fn commit(
        &mut self,
        session: &str,
        ticket: &str,
        outcome: CallOutcome,
        result: Option<JsonText<'static>>,
        time: Option<i64>,
    ) -> Result<GateAnswer, String> {
        self.with_session(session, |judge, live, pending| {
            let id = live.tickets.id_of(ticket).ok_or("no call of this session has the ticket")?.to_owned();
            match live.tickets.get(&id).map(|ticket| &ticket.state) {
                Some(TicketState::Granted | TicketState::Asked(_)) => {}
                Some(TicketState::Ended) => return Err("the ticket is used".into()),
                _ => return Err("the call was refused".into()),
            }
            let event = HostEvent {
                time,
                ..HostEvent::new(session, 0, HostEventKind::Result { call: Some(id.into()), outcome, result })
            };
            Ok(read_event(judge, live, &event, pending))
        })
    }
    /// The actions that the agent may take, and the laws that deny the others.
    ///
    /// # Errors
    /// A question that is too hard to decide, or an error of the journal.
    pub fn options(&mut self, session: &str) -> Result<GateDocument, String> {
        self.with_session(session, |judge, live, _| {
            let options = judge.options(&live.session)?;
            let mut document = GateDocument::new("options", session);
            text::add_owed(&mut document, judge, &live.session, &options.owed);
            text::add_options(&mut document, judge, &options);
            let blocked = judge.blocked(&live.session)?;
            document.over_constrained = Some(options.is_over_constrained);
            if options.is_over_constrained {
                document.core = text::law_ids(judge, &judge.over_constraining(&blocked));
            }
            let actions = &judge.compiled().policy.atoms.actions;
            document.denied = Some(
                blocked
                    .iter()
                    .filter(|(_, laws)| !laws.is_empty())
                    .map(|(action, laws)| (actions[*action].name.clone(), text::law_ids(judge, laws)))
                    .collect(),
            );
            Ok(document)
        })
    }
}

/// Names the policy that decides from here on, unless it is the one that decided before.
fn begin(
    live: &mut OpenSession,
    solver: &SharedSolver,
    denies_changes: bool,
    pending: &mut Pending,
) -> Result<(), String> {
    let is_other = live.policy.as_deref() != Some(&*solver.policy);
    if is_other && live.policy.is_some() && (live.is_pinned || denies_changes) {
        return Err(CHANGED.into());
    }
    if is_other || (denies_changes && !live.is_pinned) {
        let record = records::policy(&solver.policy, &solver.file, denies_changes, solver.retention());
        pending.push((RecordKind::Policy, record));
        (live.policy, live.is_pinned) = (Some(solver.policy.clone()), denies_changes);
    }
    Ok(())
}
