//! Why a call was refused: since when, and which changes of earlier events would have allowed it.
//!
//! The journal is replayed with one event changed (or two, if no single change suffices), and the proposal is decided
//! again. A set of changes is a *cause* if the proposal is then allowed and no smaller set does that (Halpern and
//! Pearl's but-for cause, minimal under inclusion). Changes are: a call that is not made (nor ends), a result with
//! another outcome, a message that is omitted, an observation with one truth value negated, or omitted.
//! Additional messages are not considered.

use crate::decide;
use crate::describe::describe;
use crate::loaded::LoadedPolicy;
use crate::open::OpenSession;
use crate::records::{self, RecordKind};
use std::sync::Arc;
use tsl_synth_core::base::Budget;
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, Ruling};
use tsl_synth_policy::gate::{GateOptions, GateSolver};
use tsl_synth_seats::gate::{GateRequest, read_request};
use tsl_synth_seats::journal::JournalRecord;

/// More pairs of changes than this are not tried.
const MAX_PAIRS: usize = 2_000;
/// The largest number of events, from the last one back, that are changed.
const MAX_EVENTS: usize = 400;

/// A change of one earlier event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GateChange {
    /// The number of the record.
    pub record: u64,
    /// The event that happened.
    pub event: String,
    /// The change in words, such as "the call is not made".
    pub instead: String,
}

/// Why a call was refused.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GateExplanation {
    /// The number of the record.
    pub record: u64,
    /// The proposal.
    pub proposal: String,
    /// The answer that was given then.
    pub reported: String,
    /// The ruling of the current policy.
    pub ruling: Ruling,
    /// The reason for this ruling.
    pub reason: String,
    /// The record of the event since which it is refused; `None` if it was refused from the beginning.
    pub since: Option<(u64, String)>,
    /// Minimal sets of changes after which it would have been allowed, the latest first.
    pub causes: Vec<Vec<GateChange>>,
    /// Whether not all sets of changes were tried.
    pub is_cut: bool,
    /// Whether the journal was decided by another policy than this one.
    pub is_other_policy: bool,
}

/// A record about an event of the session.
struct SessionEvent {
    number: u64,
    kind: RecordKind,
    event: HostEvent<'static>,
}

/// The possible changes of an event: the event instead (`None`: no event), and the change in words.
fn changes(event: &HostEvent<'static>) -> Vec<(Option<HostEvent<'static>>, String)> {
    match &event.kind {
        HostEventKind::Call { .. } => vec![(None, "the call is not made".into())],
        HostEventKind::Message { .. } => vec![(None, "it is not said".into())],
        HostEventKind::Result { call, outcome, result } => {
            let other = if *outcome == CallOutcome::Ok { CallOutcome::Failed } else { CallOutcome::Ok };
            let kind = HostEventKind::Result { call: call.clone(), outcome: other, result: result.clone() };
            let words = if other == CallOutcome::Ok { "it ends well" } else { "it fails" };
            vec![(Some(HostEvent { kind, ..event.clone() }), words.into())]
        }
        HostEventKind::Observe { truths, complete } => {
            let mut all = vec![(None, "it is not observed".into())];
            for (name, holds) in truths {
                let mut other = truths.clone();
                other.insert(name.clone(), !holds);
                let kind = HostEventKind::Observe { truths: other, complete: *complete };
                let words = format!("{name} is {}", if *holds { "false" } else { "true" });
                all.push((Some(HostEvent { kind, ..event.clone() }), words));
            }
            all
        }
        _ => Vec::new(),
    }
}

fn read(records: &[JournalRecord], session: &str) -> Result<(Vec<SessionEvent>, Option<String>), String> {
    let (mut reported, mut policy) = (Vec::new(), None);
    for record in records {
        let Some(kind) = RecordKind::of(&record.kind) else { continue };
        let bad = |why: String| format!("record {} of the journal: {why}", record.number);
        if kind == RecordKind::Policy {
            let data: serde_json::Value =
                serde_json::from_str(&record.data).map_err(|error| bad(error.to_string()))?;
            policy = data["sha256"].as_str().map(str::to_owned);
            continue;
        }
        let text = records::event_text(record).map_err(|error| bad(error.to_string()))?;
        match read_request(&text, record.number, session).map_err(|error| bad(error.0))? {
            GateRequest::Event(event) => reported.push(SessionEvent { number: record.number, kind, event }),
            _ => return Err(bad("it is no event".into())),
        }
    }
    Ok((reported, policy))
}

struct Replayed<'a> {
    judge: &'a mut GateSolver,
    reported: &'a [SessionEvent],
    proposal: &'a HostEvent<'static>,
}

impl Replayed<'_> {
    /// The session after the records before `until`, some of them changed.
    fn session(&self, until: usize, changed: &[(usize, Option<HostEvent<'static>>)]) -> OpenSession {
        let mut live = OpenSession::new(self.judge.session());
        // The results of calls that are not made are omitted, too.
        let mut unmade: Vec<String> = Vec::new();
        for (i, reported) in self.reported[..until].iter().enumerate() {
            let instead = changed.iter().find(|(at, _)| *at == i);
            let event = match instead {
                Some((_, None)) => {
                    if let HostEventKind::Call { id: Some(id), .. } = &reported.event.kind {
                        unmade.push(id.to_string());
                    }
                    continue;
                }
                Some((_, Some(event))) => event,
                None => &reported.event,
            };
            if let HostEventKind::Result { call: Some(call), .. } = &event.kind
                && unmade.iter().any(|id| id == call)
            {
                continue;
            }
            records::take_part(self.judge, &mut live, reported.kind, event);
        }
        live
    }
    fn is_allowed(&mut self, live: &mut OpenSession) -> bool {
        match self.proposal.kind {
            HostEventKind::End => {
                live.session.set_end_refusals(0);
                self.judge.end(&mut live.session, self.proposal).ruling < Ruling::Ask
            }
            _ => self.judge.propose(&mut live.session, self.proposal).decision.ruling < Ruling::Ask,
        }
    }
    fn would_be_allowed(&mut self, until: usize, changed: &[(usize, Option<HostEvent<'static>>)]) -> bool {
        let mut live = self.session(until, changed);
        self.is_allowed(&mut live)
    }
}

/// Explains the refusal in the record with this number of a journal, or the last refusal. `records` has all records up
/// to it.
///
/// # Errors
/// A journal that cannot be read, a record that is not a refusal, or laws that the game cannot decide.
pub fn explain_refusal(
    loaded: LoadedPolicy,
    hash: &str,
    session: &str,
    records: &[JournalRecord],
    number: Option<u64>,
) -> Result<GateExplanation, String> {
    let (reported, policy) = read(records, session)?;
    let is_refusal = |one: &&SessionEvent| {
        matches!(one.kind, RecordKind::Refused | RecordKind::Asked | RecordKind::EndRefused)
    };
    let place = match number {
        Some(number) => reported.iter().position(|one| one.number == number),
        None => reported.iter().rposition(|one| is_refusal(&one)),
    };
    let Some(at) = place.filter(|&at| is_refusal(&&reported[at])) else {
        let listed: Vec<String> =
            reported.iter().filter(is_refusal).map(|one| one.number.to_string()).collect();
        let listed = if listed.is_empty() { "none".into() } else { listed.join(", ") };
        return Err(format!(
            "nothing was refused in that record of the journal; the records with refusals: {listed}"
        ));
    };
    let said = records.iter().find(|record| record.number == reported[at].number);
    let said = said.and_then(|record| serde_json::from_str::<serde_json::Value>(&record.data).ok());
    let said =
        said.and_then(|data| data["verdict"]["reason"].as_str().map(str::to_owned)).unwrap_or_default();
    let solver = GateSolver::new(Arc::new(loaded.compiled), GateOptions::default(), &Budget::unlimited());
    let mut judge = solver.map_err(|limit| limit.to_string())?;
    let proposal = reported[at].event.clone();
    let mut again = Replayed { judge: &mut judge, reported: &reported, proposal: &proposal };
    let mut live = again.session(at, &[]);
    let (ruling, reason) = {
        let decision = if matches!(proposal.kind, HostEventKind::End) {
            again.judge.end(&mut live.session, &proposal)
        } else {
            let proposed = again.judge.propose(&mut live.session, &proposal);
            live.session.refuse(&proposed);
            proposed.decision
        };
        (
            decision.ruling,
            decide::reported(again.judge, &live, session, &decision, Some(&proposal)).document.reason,
        )
    };
    let mut explanation = GateExplanation {
        record: reported[at].number,
        proposal: describe(&proposal),
        reported: said,
        ruling,
        reason,
        since: None,
        causes: Vec::new(),
        is_cut: at > MAX_EVENTS,
        is_other_policy: policy.is_some_and(|own| own != hash),
    };
    if ruling < Ruling::Ask {
        return Ok(explanation);
    }
    // The last event after which it was allowed: the next one changed that.
    let first = at.saturating_sub(MAX_EVENTS);
    let allowed_after = (first..at).rev().find(|&until| again.would_be_allowed(until, &[]));
    explanation.since = allowed_after.map(|until| (reported[until].number, describe(&reported[until].event)));
    let mut single = Vec::new();
    for i in (first..at).rev().filter(|&i| records::is_part(reported[i].kind)) {
        for (instead, words) in changes(&reported[i].event) {
            let change = GateChange {
                record: reported[i].number,
                event: describe(&reported[i].event),
                instead: words,
            };
            single.push(((i, instead), change));
        }
    }
    let mut rest = Vec::new();
    for (change, words) in single {
        if again.would_be_allowed(at, std::slice::from_ref(&change)) {
            explanation.causes.push(vec![words]);
        } else {
            rest.push((change, words));
        }
    }
    if explanation.causes.is_empty() {
        let mut tried = 0;
        'pairs: for (n, (one, first)) in rest.iter().enumerate() {
            for (other, second) in rest[n + 1..].iter().filter(|(other, _)| other.0 != one.0) {
                tried += 1;
                if tried > MAX_PAIRS {
                    explanation.is_cut = true;
                    break 'pairs;
                }
                if again.would_be_allowed(at, &[other.clone(), one.clone()]) {
                    explanation.causes.push(vec![second.clone(), first.clone()]);
                }
            }
        }
    }
    Ok(explanation)
}
