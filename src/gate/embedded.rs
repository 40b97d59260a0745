//! The gate of one session, for programs that embed it.

use crate::answer::GateDocument;
use crate::around::Surroundings;
use crate::decide::GateAnswer;
use crate::journal::GateJournal;
use crate::mcp::McpGate;
use crate::policy::{Policy, PolicyError};
use crate::service::GateService;
use crate::store::Store;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};
use tsl_synth_core::json_text::has_duplicate_keys;
use tsl_synth_core::model::{
    CallOutcome, HostEvent, HostEventKind, JsonText, ProposalAnswer, Ruling, Speaker,
};
use tsl_synth_seats::gate::REQUEST_LIMIT;

/// Why the gate has no answer. A call that was proposed must then not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GateError {
    /// What was given is not JSON, names a key twice, or is too long.
    Json(String),
    /// The journal cannot be locked, read or written, the policy was edited and cannot be used, a ticket is not known, or an
    /// earlier decision failed.
    Session(String),
}

impl fmt::Display for GateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(why) | Self::Session(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for GateError {}

/// The decision about a call, or about the end of the session.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Decision {
    /// What was decided.
    pub verdict: Ruling,
    /// Why, in sentences for the model and for people; empty only if the call is simply allowed.
    pub reason: String,
    /// The laws that the verdict is due to.
    pub by: Vec<String>,
    /// The actions that are allowed instead; `None` if the call is allowed.
    pub allowed: Option<Vec<String>>,
    /// The laws that would be violated if the session ended here, as far as they were determined.
    pub owed: Vec<String>,
    /// Identifies the call in [`Gate::commit`]; `None` if it is denied.
    pub ticket: Option<String>,
    /// The answer with all details.
    pub document: GateDocument,
}

impl Decision {
    /// Whether the call may be made without the approval of a person.
    pub fn is_allowed(&self) -> bool {
        self.verdict < Ruling::Ask || self.document.shadow
    }
}

impl From<GateAnswer> for Decision {
    fn from(answer: GateAnswer) -> Self {
        let GateAnswer { answer, document } = answer;
        Self {
            verdict: answer.ruling,
            reason: answer.reason,
            by: answer.laws,
            allowed: document.allowed.clone(),
            owed: document.owed.clone(),
            ticket: answer.ticket,
            document,
        }
    }
}

/// What an event that is no proposal did to the session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Heard {
    /// The laws that are violated since this event; a violated assumption is a violation by the world.
    pub broken: Vec<String>,
    /// At the close of a session, the laws that are violated because of it.
    pub owed: Vec<String>,
    /// What is wrong with the event.
    pub faults: Vec<String>,
}

impl From<GateAnswer> for Heard {
    fn from(answer: GateAnswer) -> Self {
        let GateDocument { broken, owed, faults, .. } = answer.document;
        Self { broken, owed, faults }
    }
}

/// A proposed call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call<'a> {
    /// The id that the caller has for it, if any; the same id with the same content is the same call.
    pub id: Option<&'a str>,
    /// The MCP server of the tool, if it has one.
    pub server: Option<&'a str>,
    /// The agent that proposes it, if the session has several.
    pub agent: Option<&'a str>,
    /// The tool.
    pub tool: &'a str,
    /// The arguments in JSON.
    pub arguments: &'a str,
}

impl<'a> Call<'a> {
    /// A call without an id, a server and an agent.
    pub fn new(tool: &'a str, arguments: &'a str) -> Self {
        Self { id: None, server: None, agent: None, tool, arguments }
    }
}

/// The gate of one session. It may be shared between threads, whose calls are decided one after the other; several
/// gates of one session, also in other processes, agree by the journal of the session in their store.
///
/// ```
/// use tsl_synth_gate::{Gate, MemoryStore, Policy, Ruling};
/// use std::sync::Arc;
///
/// let policy = Policy::from_text("once.toml", "
///     policy = 1
///     [actions]
///     groups = [['pay']]
///     [[match]]
///     on = 'call'
///     tool = 'pay'
///     action = 'pay'
///     [[law]]
///     id = 'once'
///     rule = 'at most 1 pay'
/// ")?;
/// let gate = Gate::new(&policy, "session 1", Arc::new(MemoryStore::new(|| None)))?;
/// let first = gate.propose("pay", r#"{"eur": 5}"#)?;
/// assert_eq!(first.verdict, Ruling::Allow);
/// gate.commit(first.ticket.as_deref().unwrap_or_default(), Some(true), None)?;
/// let second = gate.propose("pay", r#"{"eur": 5}"#)?;
/// assert_eq!((second.verdict, second.by), (Ruling::Deny, vec!["once".to_owned()]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Gate {
    service: Mutex<GateService<Box<dyn GateJournal + Send>>>,
    policy: Policy,
    store: Arc<dyn Store>,
    session: String,
    is_shadow: bool,
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate").field("session", &self.session).finish_non_exhaustive()
    }
}

impl Gate {
    /// The gate of a session, which is continued if the store has it.
    ///
    /// # Errors
    /// A limit on the game of all laws.
    pub fn new(policy: &Policy, session: &str, store: Arc<dyn Store>) -> Result<Self, PolicyError> {
        Self::open(policy, session, store, false)
    }
    /// The same in shadow mode: calls are decided and recorded, and all are allowed.
    ///
    /// # Errors
    /// As [`Gate::new`].
    pub fn shadow(policy: &Policy, session: &str, store: Arc<dyn Store>) -> Result<Self, PolicyError> {
        Self::open(policy, session, store, true)
    }
    fn open(
        policy: &Policy,
        session: &str,
        store: Arc<dyn Store>,
        is_shadow: bool,
    ) -> Result<Self, PolicyError> {
        let solver = policy.solver(&*store)?;
        let service = Mutex::new(GateService::sharing(solver, store.journals(), is_shadow));
        let policy = policy.clone();
        Ok(Self { service, policy, store, session: session.to_owned(), is_shadow })
    }
    /// Says what decisions may look at outside of the session, and where calls begin. Without this call no script is read and
    /// no probe is run.
    ///
    /// # Errors
    /// An earlier decision that failed.
    pub fn look_around(&self, around: Surroundings) -> Result<(), GateError> {
        self.service()?.look_around(around);
        Ok(())
    }
    /// The session.
    pub fn session(&self) -> &str {
        &self.session
    }
    fn service(&self) -> Result<MutexGuard<'_, GateService<Box<dyn GateJournal + Send>>>, GateError> {
        let failed =
            |_| GateError::Session("an earlier decision failed, and the gate decides no more".into());
        let mut service = self.service.lock().map_err(failed)?;
        let edited = self.policy.edited(service.policy(), &*self.store).map_err(GateError::Session)?;
        if let Some(solver) = edited {
            service.take_up(solver).map_err(GateError::Session)?;
        }
        Ok(service)
    }
    fn event<'e>(&self, kind: HostEventKind<'e>) -> HostEvent<'e> {
        HostEvent { time: self.store.now(), ..HostEvent::new(self.session.clone(), 0, kind) }
    }
    fn read(&self, kind: HostEventKind<'_>) -> Result<GateAnswer, GateError> {
        let mut service = self.service()?;
        // The time is that of the decision, after the gate was waited for.
        let event = self.event(kind);
        service.event(&event).map_err(GateError::Session)
    }
    /// Decides whether a call of a tool, with arguments in JSON, may be made.
    ///
    /// # Errors
    /// Arguments that are not JSON, or a journal that cannot be used; the call must then not be made.
    pub fn propose(&self, tool: &str, arguments: &str) -> Result<Decision, GateError> {
        self.propose_call(&Call::new(tool, arguments))
    }
    /// Decides whether a call may be made. A call without an id gets one that is new in the session.
    ///
    /// # Errors
    /// As [`Gate::propose`].
    pub fn propose_call(&self, call: &Call<'_>) -> Result<Decision, GateError> {
        let kind = HostEventKind::Call {
            id: call.id.map(Cow::Borrowed),
            server: call.server.map(Cow::Borrowed),
            tool: Cow::Borrowed(call.tool),
            arguments: json(call.arguments, "the arguments")?,
        };
        let mut service = self.service()?;
        let event = HostEvent { agent: call.agent.map(Cow::Borrowed), ..self.event(kind) };
        service.unnamed_event(&event, None, false).map(Decision::from).map_err(GateError::Session)
    }
    /// Reports how the call with a ticket ended: well, with a failure, or with an outcome that is not known (`None`).
    ///
    /// # Errors
    /// A ticket that is not known or used, a result that is not JSON, or a journal that cannot be used.
    pub fn commit(
        &self,
        ticket: &str,
        is_ok: Option<bool>,
        result: Option<&str>,
    ) -> Result<Heard, GateError> {
        let result = result.map(|text| json(text, "the result").map(JsonText::into_owned)).transpose()?;
        let mut service = self.service()?;
        let done = service.commit(&self.session, ticket, outcome(is_ok), result, self.store.now());
        done.map(Heard::from).map_err(GateError::Session)
    }
    /// Reports how the call with an id of the caller ended, as [`Gate::commit`] does.
    ///
    /// # Errors
    /// A result that is not JSON, or a journal that cannot be used.
    pub fn result(&self, id: &str, is_ok: Option<bool>, result: Option<&str>) -> Result<Heard, GateError> {
        let result = result.map(|text| json(text, "the result")).transpose()?;
        let call = Some(Cow::Borrowed(id));
        self.read(HostEventKind::Result { call, outcome: outcome(is_ok), result }).map(Heard::from)
    }
    /// Reports the truth of propositions.
    ///
    /// # Errors
    /// A journal that cannot be used.
    pub fn observe(&self, truths: &BTreeMap<String, bool>) -> Result<Heard, GateError> {
        let truths = truths.iter().map(|(name, holds)| (Cow::Borrowed(name.as_str()), *holds)).collect();
        self.read(HostEventKind::Observe { truths, complete: false }).map(Heard::from)
    }
    /// Reports a message.
    ///
    /// # Errors
    /// A journal that cannot be used.
    pub fn message(&self, speaker: Speaker, text: &str) -> Result<Heard, GateError> {
        self.read(HostEventKind::Message { speaker, text: Cow::Borrowed(text) }).map(Heard::from)
    }
    /// Reports that time passed, which laws about deadlines are judged by.
    ///
    /// # Errors
    /// A journal that cannot be used.
    pub fn tick(&self) -> Result<Heard, GateError> {
        self.read(HostEventKind::Tick).map(Heard::from)
    }
    /// Asks whether the agent may stop.
    ///
    /// # Errors
    /// A journal that cannot be used; the agent may then stop, as nobody could let it go on.
    pub fn end(&self) -> Result<Decision, GateError> {
        self.read(HostEventKind::End).map(Decision::from)
    }
    /// Reports that the session is over; what it still owes is violated. Frees the memory of the session in this gate; its
    /// journal stays in the store, for whoever reads it or continues the session.
    ///
    /// # Errors
    /// A journal that cannot be used.
    pub fn close(&self) -> Result<Heard, GateError> {
        self.read(HostEventKind::Close).map(Heard::from)
    }
    /// The same, and removes the session from the store; a later event with its name begins a new session. Other gates of
    /// the session that are in use must be closed before: those of a store in files deny everything from then on.
    ///
    /// # Errors
    /// A journal that cannot be used or removed; the session then stays.
    pub fn close_and_remove(&self) -> Result<Heard, GateError> {
        let mut service = self.service()?;
        let event = self.event(HostEventKind::Close);
        service.close_and_remove(&event).map(Heard::from).map_err(GateError::Session)
    }
    /// The actions that are allowed now, the laws that deny the others, and what is owed.
    ///
    /// # Errors
    /// A question that is too hard to decide, or a journal that cannot be used.
    pub fn options(&self) -> Result<GateDocument, GateError> {
        self.service()?.options(&self.session).map_err(GateError::Session)
    }
}

/// For a proxy in front of an MCP server: the events get the time of the store's clock.
impl McpGate for &Gate {
    fn event(&mut self, event: &HostEvent<'_>) -> Result<ProposalAnswer, String> {
        let mut service = self.service().map_err(|error| error.to_string())?;
        let event = HostEvent { time: self.store.now(), ..event.clone() };
        service.event(&event).map(|answer| answer.answer)
    }
    fn never_permits(&mut self, server: &str, tool: &str) -> bool {
        self.service().is_ok_and(|service| service.never_permits(Some(server), tool))
    }
    fn is_shadow(&self) -> bool {
        self.is_shadow
    }
}

fn outcome(is_ok: Option<bool>) -> CallOutcome {
    match is_ok {
        Some(true) => CallOutcome::Ok,
        Some(false) => CallOutcome::Failed,
        None => CallOutcome::Unknown,
    }
}

/// A JSON value without repeated keys.
fn json<'t>(text: &'t str, what: &str) -> Result<JsonText<'t>, GateError> {
    if text.len() > REQUEST_LIMIT {
        return Err(GateError::Json(format!("{what} have more than {} MiB", REQUEST_LIMIT >> 20)));
    }
    if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) {
        return Err(GateError::Json(format!("{what} are not JSON: {error}")));
    }
    let text = JsonText::borrowed(text);
    if has_duplicate_keys(&text) != Ok(false) {
        return Err(GateError::Json(format!("{what} name a key twice")));
    }
    Ok(text)
}
