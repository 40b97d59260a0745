//! Answers to the events of a session, with the records that they add.

use crate::answer::GateDocument;
use crate::open::OpenSession;
use crate::records::{self, RecordKind};
use crate::scripts::digest;
use crate::{commands, probes, text};
use tsl_synth_core::model::{HostEvent, HostEventKind, ProposalAnswer, Ruling};
use tsl_synth_policy::CallReading;
use tsl_synth_policy::gate::{Decision, GateSession, GateSolver, Ticket, TicketState, call_hash};
use tsl_synth_policy::language::OnFork;

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

/// Records to be appended: kind and data.
pub(crate) type Pending = Vec<(RecordKind, String)>;

/// The hash of the content of a call.
pub(crate) fn asked_hash(kind: &HostEventKind<'_>) -> Option<String> {
    let HostEventKind::Call { server, tool, arguments, .. } = kind else { return None };
    Some(call_hash(server.as_deref(), tool, arguments.as_str()))
}

/// The document and sentences of a decision; for `Ask` and `Deny` with the actions that are allowed instead, and with
/// the shell commands of the proposed call.
pub fn decided(
    judge: &mut GateSolver,
    session: &GateSession,
    name: &str,
    decision: &Decision,
    proposal: Option<&HostEvent<'_>>,
) -> GateDocument {
    let mut document = text::document(judge, name, decision, session.last());
    let mut reading = CallReading::default();
    if decision.ruling >= Ruling::Ask {
        if let Some(proposal) = proposal {
            reading = session.interpreter().reading(judge.compiled(), proposal);
            commands::add(&mut document, judge, &reading);
        }
        let options = judge.options(session);
        // What is owed is known also where it is too hard to say how it can be kept.
        let owed = options.as_ref().map_or_else(|_| judge.owed(session), |options| options.owed.clone());
        text::add_owed(&mut document, judge, session, &owed);
        if let Ok(options) = options {
            text::add_options(&mut document, judge, &options);
            document.lost |= decision.is_lost;
        }
    }
    document.reason = text::reason(judge, decision, &document, &reading);
    if let (Some(proposal), true) = (proposal, decision.ruling >= Ruling::Ask) {
        for sentence in probes::sentences(proposal) {
            document.reason = format!("{}\n{sentence}", document.reason.trim_end());
        }
    }
    document
}

/// The decision as an answer.
pub(crate) fn reported(
    judge: &mut GateSolver,
    live: &OpenSession,
    name: &str,
    decision: &Decision,
    proposal: Option<&HostEvent<'_>>,
) -> GateAnswer {
    let document = decided(judge, &live.session, name, decision, proposal);
    GateAnswer { answer: text::answer(decision, &document), document }
}

/// Answers a proposed call.
pub(crate) fn propose(
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
        Some((true, TicketState::Granted)) if has_other_facts(live, event) => (
            RecordKind::Again,
            refuse(
                "a script that it runs, or the answer of a probe, changed after it was allowed; propose it as a new call",
                event,
            ),
        ),
        Some((true, TicketState::Granted)) => {
            // The call is part of the session already.
            let decision = judge.confirm(&live.session);
            let mut answer = reported(judge, live, &event.session, &decision, Some(event));
            if decision.ruling < Ruling::Ask || is_shadow {
                answer.set_ticket(name);
            }
            (RecordKind::Again, answer)
        }
        Some((true, TicketState::Refused(_) | TicketState::Asked(_))) | None => {
            let (kind, mut answer) = decide(judge, live, event, is_shadow);
            if kind != RecordKind::Refused {
                answer.set_ticket(name.clone());
                live.host.made(event, kind == RecordKind::Granted);
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

/// Whether other scripts or other answers of probes were read for a call than when it was granted.
fn has_other_facts(live: &OpenSession, event: &HostEvent<'_>) -> bool {
    let HostEventKind::Call { id: Some(id), .. } = &event.kind else { return false };
    let known = live.host.open.get(&**id).and_then(|open| open.scripts.clone());
    known.is_some() && known != digest(event)
}

/// Why calls are denied in a session without a known history.
pub(crate) const FORK: &str = "this session is a fork of another one that its host does not name, so that what happened \
                               before is not known to the gate; begin a new session or resume the other one, or let \
                               `on_fork` in the policy say `inherit` or `blind`";

/// Decides about a call that is not part of the session. It becomes part of it if it is granted; in shadow mode every
/// call is.
pub(crate) fn decide(
    judge: &mut GateSolver,
    live: &mut OpenSession,
    event: &HostEvent<'_>,
    is_shadow: bool,
) -> (RecordKind, GateAnswer) {
    let denies_forks = judge.compiled().policy.on_fork != OnFork::Blind;
    if live.host.is_fork && denies_forks && !is_shadow {
        return (RecordKind::Refused, refuse(FORK, event));
    }
    let proposal = judge.propose(&mut live.session, event);
    let answer = reported(judge, live, &event.session, &proposal.decision, Some(event));
    let ruling = proposal.decision.ruling;
    if ruling < Ruling::Ask {
        live.session.grant(judge.compiled(), proposal);
        return (RecordKind::Granted, answer);
    }
    live.session.refuse(&proposal);
    if is_shadow {
        // It is made nevertheless.
        judge.read_event(&mut live.session, event);
        live.session.set_end_refusals(0);
        return (RecordKind::Granted, answer);
    }
    (if ruling == Ruling::Ask { RecordKind::Asked } else { RecordKind::Refused }, answer)
}

/// A refusal without a law as its reason.
pub(crate) fn refuse(why: &str, event: &HostEvent<'_>) -> GateAnswer {
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
pub(crate) fn end(
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
    let answer = reported(judge, live, &event.session, &decision, None);
    let kind = if is_refused && !is_shadow { RecordKind::EndRefused } else { RecordKind::Event };
    pending.push((kind, records::decision(event, "", &answer.document)));
    answer
}

pub(crate) fn read_event(
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
