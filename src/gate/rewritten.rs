//! Calls that ran with other arguments than the gate decided about: another hook or a person may rewrite them in between,
//! and some hosts then report with the result what ran.
//!
//! What was granted did not run, so the result says nothing about its end, whose outcome stays unknown. What ran is
//! decided and journalled as a call of its own, followed by its result: so it is part of the session. If the gate would
//! have refused it, the agent is told so, with the laws that it violates.

use crate::decide::{GateAnswer, Pending, asked_hash, propose, read_event};
use crate::open::OpenSession;
use std::borrow::Cow;
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, JsonText, Ruling};
use tsl_synth_policy::gate::{GateSolver, TicketState};

/// The reason in the journal and in the message.
const WHY: &str = "it ran in place of a call that the gate had decided about, with other arguments: another hook or a \
                   person changed them after the decision";

/// The call that ran, if a result is reported to be of another call than the proposed one with its id.
pub(crate) fn unproposed(
    live: &OpenSession,
    event: &HostEvent<'_>,
    ran: &HostEventKind<'_>,
) -> Option<HostEvent<'static>> {
    let HostEventKind::Result { call: Some(id), .. } = &event.kind else { return None };
    let ticket = live.tickets.get(id).filter(|ticket| ticket.state != TicketState::Ended)?;
    let hash = asked_hash(ran)?;
    let name = format!("{id}#ran");
    if ticket.hash == hash || live.tickets.get(&name).is_some() {
        return None;
    }
    let mut call = HostEvent { kind: ran.clone(), ..event.clone() }.into_owned();
    if let HostEventKind::Call { id, .. } = &mut call.kind {
        *id = Some(name.into());
    }
    Some(call)
}

/// Reads the result of a call that ran in place of the proposed one.
pub(crate) fn read(
    judge: &mut GateSolver,
    live: &mut OpenSession,
    event: &HostEvent<'_>,
    call: &HostEvent<'static>,
    is_shadow: bool,
    pending: &mut Pending,
) -> GateAnswer {
    let (HostEventKind::Result { call: Some(id), outcome, result }, HostEventKind::Call { id: name, .. }) =
        (&event.kind, &call.kind)
    else {
        return read_event(judge, live, event, pending);
    };
    let result_of = |call: Option<Cow<'static, str>>, outcome, result| {
        let kind = HostEventKind::Result { call, outcome, result };
        HostEvent { kind, ..event.clone().into_owned() }
    };
    let is_granted = live.tickets.get(id).is_some_and(|ticket| ticket.state == TicketState::Granted);
    if is_granted {
        let unknown = result_of(Some(id.clone().into_owned().into()), CallOutcome::Unknown, None);
        read_event(judge, live, &unknown, pending);
    }
    let ruling = propose(judge, live, call, is_shadow, pending).answer.ruling;
    let would_run = is_shadow || ruling < Ruling::Ask;
    // A refused call that failed counts as one that was not made, as some hosts report denials in this way.
    let outcome = match outcome {
        CallOutcome::Failed if !would_run => CallOutcome::Unknown,
        outcome => *outcome,
    };
    let result = result_of(name.clone(), outcome, result.clone().map(JsonText::into_owned));
    let mut answer = read_event(judge, live, &result, pending);
    if would_run {
        return answer;
    }
    let broken = match answer.document.broken.as_slice() {
        [] => String::new(),
        laws => format!(" It violates {}.", laws.join(", ")),
    };
    answer.answer.ruling = Ruling::Warn;
    answer.answer.reason = format!("The gate would not have granted this call: {WHY}.{broken}");
    answer.document.reason.clone_from(&answer.answer.reason);
    answer
}
