//! The gate in front of an agent's calls: sessions, tickets and journals around the decisions of
//! [`control::policy::gate`](tsl_synth_policy::gate).
//!
//! Every decision is written to the journal before it is returned. Any problem with a proposed call is an error, which
//! the caller answers with a denial.

mod checkpoint;
mod describe;
mod explain;
mod grants;
mod journal;
mod kept;
mod mcp;
mod records;
mod rewritten;
mod text;

pub use explain::{GateChange, GateExplanation, explain_refusal};
pub use grants::{FORWARDED, forwarded, unused_grant};
pub use journal::{GateJournal, MemoryJournal};
pub use mcp::{Forward, McpGate, McpProxy, McpStep};

pub(super) use describe::describe;
pub(super) use records::{JournalEntry, told_records};

use super::{Cache, Failure, LoadedPolicy};
use kept::KeptGames;
use records::RecordKind;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tsl_synth_core::base::{Budget, LimitKind, sha256};
use tsl_synth_core::model::{
    CallOutcome, HostEvent, HostEventKind, JsonText, ProposalAnswer, Ruling, Speaker,
};
use tsl_synth_documents::{GateDocument, GateState};
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::gate::{
    Decision, GateOptions, GateSession, GateSolver, SolvedGames, Ticket, TicketState, Tickets, call_hash,
};
use tsl_synth_policy::language::OnChange;
use tsl_synth_seats::journal::{CHECKPOINT, JournalRecord};
use tsl_synth_seats::log::scheduled_prompt;

/// An answer, for hosts and as a document.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GateAnswer {
    /// The decision about the proposal; in shadow mode, the decision that would apply.
    pub answer: ProposalAnswer,
    /// The answer with all details.
    pub document: GateDocument,
}

impl GateAnswer {
    fn set_ticket(&mut self, name: String) {
        self.document.ticket = Some(name.clone());
        self.answer.ticket = Some(name);
    }
}

/// The advice for a policy whose game is too large.
pub const WITHOUT_LOOK_AHEAD: &str =
    "`look_ahead = false` in the policy judges each call by itself, without the game of all laws";

/// Why a gate of this policy would deny every call, if it would: the game of all laws is beyond a limit.
///
/// # Errors
/// The work was interrupted, or the time is over.
pub fn gate_limit(compiled: &Arc<CompiledPolicy>, budget: &Budget) -> Result<Option<String>, Failure> {
    match GateSolver::new(compiled.clone(), GateOptions::default(), budget) {
        Ok(_) => Ok(None),
        Err(limit) if matches!(limit.kind, LimitKind::Interrupted | LimitKind::Time) => Err(limit.into()),
        Err(limit) => Ok(Some(Failure::from(limit).reason())),
    }
}

/// The sessions of one policy in front of the gate.
pub struct GateService<J> {
    judge: GateSolver,
    journal: J,
    is_shadow: bool,
    /// The hash of the text of the policy.
    policy: String,
    /// The file of the policy.
    file: String,
    /// Whether sessions that begin under this policy refuse any other.
    denies_changes: bool,
    sessions: BTreeMap<String, OpenSession>,
}

struct OpenSession {
    session: GateSession,
    tickets: Tickets,
    /// The hashes of the prompts that the agent scheduled for itself.
    scheduled: BTreeSet<String>,
    /// The number of the last record that is part of it.
    seen: u64,
    /// The hash of the policy that the last records were decided by.
    policy: Option<String>,
    /// Whether that policy is the only one that may decide in this session.
    is_pinned: bool,
    /// Records and bytes since the last checkpoint.
    since: (usize, usize),
}

impl OpenSession {
    fn new(session: GateSession) -> Self {
        let (tickets, scheduled) = (Tickets::default(), BTreeSet::new());
        Self { session, tickets, scheduled, seen: 0, policy: None, is_pinned: false, since: (0, 0) }
    }
    /// Remembers the prompt that a granted call schedules.
    fn schedule(&mut self, call: &HostEventKind<'_>) {
        self.scheduled.extend(scheduled_prompt(call).map(|prompt| sha256(prompt.as_bytes())));
    }
}

/// The reason to deny everything in a session that refuses another policy.
const CHANGED: &str = "the policy was edited after this session began, and `--on-change deny` or \
                       `on_change = \"deny\"` holds: restore the policy, or begin a new session";

/// The number of records after which a checkpoint is written, in journals that other processes read.
const CHECKPOINT_RECORDS: usize = 64;
/// The number of bytes of records after which a checkpoint is written.
const CHECKPOINT_BYTES: usize = 1 << 18;

/// Records to be appended: kind and data.
type Pending = Vec<(RecordKind, String)>;

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
    ) -> Result<Self, (Failure, J)> {
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
    ) -> Result<Self, (Failure, J)> {
        let kept = cache.map(|cache| Box::new(KeptGames::new(cache, policy)) as Box<dyn SolvedGames>);
        let denies_changes = loaded.compiled.policy.on_change == OnChange::Deny;
        let compiled = Arc::new(loaded.compiled);
        match GateSolver::with_games(compiled, GateOptions::default(), &Budget::unlimited(), kept) {
            Ok(judge) => {
                let (policy, file) = (policy.to_owned(), file.to_owned());
                let sessions = BTreeMap::new();
                Ok(Self { judge, journal, is_shadow, policy, file, denies_changes, sessions })
            }
            Err(limit) => Err((limit.into(), journal)),
        }
    }
    /// The hash of the text of the policy.
    pub fn policy(&self) -> &str {
        &self.policy
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
    /// Returns the journal, for the gate of another policy, which then reads the sessions from it.
    pub fn into_journal(self) -> J {
        self.journal
    }
    /// Runs `act` on a session whose journal is locked, then appends the records.
    fn with_session<T>(
        &mut self,
        name: &str,
        act: impl FnOnce(&mut GateSolver, &mut OpenSession, &mut Pending) -> Result<T, String>,
    ) -> Result<T, String> {
        let result = self.with_locked(name, act);
        self.journal.unlock();
        self.judge.keep_games();
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
        self.catch_up(name, seen, records)?;
        let live = self.sessions.get_mut(name).ok_or("the session was not read")?;
        let mut pending = Pending::new();
        let is_other = live.policy.as_deref() != Some(&*self.policy);
        if is_other && live.policy.is_some() && (live.is_pinned || self.denies_changes) {
            return Err(CHANGED.into());
        }
        if is_other || (self.denies_changes && !live.is_pinned) {
            pending
                .push((RecordKind::Policy, records::policy(&self.policy, &self.file, self.denies_changes)));
            (live.policy, live.is_pinned) = (Some(self.policy.clone()), self.denies_changes);
        }
        let before = pending.len();
        let done = act(&mut self.judge, live, &mut pending)?;
        if pending.len() > before {
            for (kind, data) in pending {
                live.seen = self.journal.append(kind.name(), &data)?;
                live.since = (live.since.0 + 1, live.since.1 + data.len());
            }
            let is_due = live.since.0 >= CHECKPOINT_RECORDS || live.since.1 >= CHECKPOINT_BYTES;
            if is_due && self.journal.is_shared() {
                let state = checkpoint::write(live, &self.policy);
                let data = serde_json::to_string(&state).map_err(|error| error.to_string())?;
                live.seen = self.journal.append(CHECKPOINT, &data)?;
                live.since = (0, 0);
            }
        }
        Ok(done)
    }
    /// Makes records part of a session. A checkpoint replaces all records before it if it is of this policy; else all
    /// records are read again.
    fn catch_up(&mut self, name: &str, seen: u64, records: Vec<JournalRecord>) -> Result<(), String> {
        let last = records.iter().rposition(|record| record.kind == CHECKPOINT);
        let mut records = records;
        let mut start = 0;
        if let Some(place) = last {
            let state: Option<GateState> = serde_json::from_str(&records[place].data).ok();
            match state.and_then(|state| checkpoint::read(&self.judge, &self.policy, name, &state)) {
                Some(mut live) => {
                    live.seen = records[place].number;
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
        let judge = &self.judge;
        let live = self.sessions.entry(name.to_owned()).or_insert_with(|| OpenSession::new(judge.session()));
        for record in &records[start..] {
            if record.number > live.seen {
                records::replay(judge, live, name, record)?;
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
        self.adapted_event(event, None, |_, _| {})
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
                HostEventKind::Message { speaker: Speaker::User, text }
                    if live.scheduled.contains(&sha256(text.trim().as_bytes())) =>
                {
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
        self.with_session(&event.session, |judge, live, pending| {
            let mut event = Cow::Borrowed(event);
            adapt(live, &mut event);
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
                session: session.into(),
                agent: None,
                time,
                line: 0,
                kind: HostEventKind::Result { call: Some(id.into()), outcome, result },
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

/// The hash of the content of a call.
fn asked_hash(kind: &HostEventKind<'_>) -> Option<String> {
    let HostEventKind::Call { server, tool, arguments, .. } = kind else { return None };
    Some(call_hash(server.as_deref(), tool, arguments.as_str()))
}

/// The document and sentences of a decision; for `Ask` and `Deny` with the actions that are allowed instead.
pub(super) fn decided(
    judge: &mut GateSolver,
    session: &GateSession,
    name: &str,
    decision: &Decision,
) -> GateDocument {
    let mut document = text::document(judge, name, decision, session.last());
    if decision.ruling >= Ruling::Ask
        && let Ok(options) = judge.options(session)
    {
        text::add_options(&mut document, judge, &options);
        document.lost |= decision.is_lost;
    }
    document.reason = text::reason(judge, decision, &document);
    document
}

/// The decision as an answer.
fn reported(judge: &mut GateSolver, live: &OpenSession, name: &str, decision: &Decision) -> GateAnswer {
    let document = decided(judge, &live.session, name, decision);
    GateAnswer { answer: text::answer(decision, &document), document }
}

/// Answers a proposed call.
fn propose(
    judge: &mut GateSolver,
    live: &mut OpenSession,
    event: &HostEvent<'_>,
    is_shadow: bool,
    pending: &mut Pending,
) -> GateAnswer {
    let HostEventKind::Call { id, .. } = &event.kind else { return refuse("it is no call", event) };
    let Some((name, hash)) = live.tickets.name(event) else { return refuse("it is no call", event) };
    let known = id.as_deref().and_then(|id| live.tickets.get(id));
    let (kind, mut answer) = match known.map(|ticket| (ticket.hash == hash, &ticket.state)) {
        Some((false, _)) => {
            (RecordKind::Again, refuse("the id of the call was used for another call", event))
        }
        Some((true, TicketState::Ended)) => {
            (RecordKind::Again, refuse("this call has ended; propose a new one", event))
        }
        Some((true, TicketState::Granted)) => {
            // The call is part of the session already.
            let decision = judge.confirm(&live.session);
            let mut answer = reported(judge, live, &event.session, &decision);
            if decision.ruling < Ruling::Ask || is_shadow {
                answer.set_ticket(name);
            }
            (RecordKind::Again, answer)
        }
        Some((true, TicketState::Refused(_) | TicketState::Asked(_))) | None => {
            let (kind, mut answer) = decide(judge, live, event, is_shadow);
            if kind != RecordKind::Refused {
                answer.set_ticket(name.clone());
                live.schedule(&event.kind);
            }
            if let Some(id) = id {
                live.tickets.set(id, Ticket { name, hash: hash.clone(), state: kind.ticket(event) });
            }
            (kind, answer)
        }
    };
    answer.document.id = id.as_deref().map(str::to_owned);
    pending.push((kind, records::decision(event, &hash, &answer.document)));
    answer
}

/// Decides about a call that is not part of the session. It becomes part of it if it is granted; in shadow mode every
/// call is.
fn decide(
    judge: &mut GateSolver,
    live: &mut OpenSession,
    event: &HostEvent<'_>,
    is_shadow: bool,
) -> (RecordKind, GateAnswer) {
    let proposal = judge.propose(&mut live.session, event);
    let answer = reported(judge, live, &event.session, &proposal.decision);
    let ruling = proposal.decision.ruling;
    if is_shadow || ruling < Ruling::Ask {
        live.session.grant(judge.compiled(), proposal);
        return (RecordKind::Granted, answer);
    }
    live.session.refuse(&proposal);
    (if ruling == Ruling::Ask { RecordKind::Asked } else { RecordKind::Refused }, answer)
}

/// A refusal without a law as its reason.
fn refuse(why: &str, event: &HostEvent<'_>) -> GateAnswer {
    let mut document = GateDocument::new("verdict", &event.session);
    document.verdict = Some(Ruling::Deny.name().into());
    document.reason = format!("Denied: {why}.");
    let reason = document.reason.clone();
    GateAnswer {
        answer: ProposalAnswer { ruling: Ruling::Deny, reason, laws: Vec::new(), ticket: None },
        document,
    }
}

/// Answers a request to stop.
fn end(
    judge: &mut GateSolver,
    live: &mut OpenSession,
    event: &HostEvent<'_>,
    is_shadow: bool,
    pending: &mut Pending,
) -> GateAnswer {
    let before = is_shadow.then(|| live.session.clone());
    let decision = judge.end(&mut live.session, event);
    let is_refused = decision.ruling == Ruling::Deny;
    if let (true, Some(before)) = (is_refused, before) {
        live.session = before;
        judge.read_event(&mut live.session, event);
    }
    let answer = reported(judge, live, &event.session, &decision);
    let kind = if is_refused && !is_shadow { RecordKind::EndRefused } else { RecordKind::Event };
    pending.push((kind, records::decision(event, "", &answer.document)));
    answer
}

fn read_event(
    judge: &mut GateSolver,
    live: &mut OpenSession,
    event: &HostEvent<'_>,
    pending: &mut Pending,
) -> GateAnswer {
    let heard = records::read_event(judge, live, event);
    let mut document = GateDocument::new("heard", &event.session);
    document.broken = text::law_ids(judge, &heard.violated);
    document.faults = heard.faults.iter().map(ToString::to_string).collect();
    if matches!(event.kind, HostEventKind::Close) {
        document.owed = text::law_ids(judge, &judge.owed(&live.session));
    }
    pending.push((RecordKind::Event, records::event(event)));
    let answer =
        ProposalAnswer { ruling: Ruling::Allow, reason: String::new(), laws: Vec::new(), ticket: None };
    GateAnswer { answer, document }
}
