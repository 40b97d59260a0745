//! Checkpoints: a session written as a document and restored from it.

use crate::open::OpenSession;
use crate::state::{
    GateLaw, GateLetter, GateNumber, GatePending, GateState, GateTicket, GateWaiting, GateWorld,
};
use std::sync::Arc;
use tsl_synth_core::base::{Decimal, Id};
use tsl_synth_core::logic::{BitId, Letter};
use tsl_synth_core::model::{CallOutcome, JsonText};
use tsl_synth_policy::gate::{GateSession, GateSolver, Ticket, TicketState};
use tsl_synth_policy::language::{ActionId, RegisterId};
use tsl_synth_policy::{
    BoundLetter, Copies, Excuse, Key, Last, LawState, PendingCall, PossibleState, RegisterState, SeenLetter,
    SessionState, Waiting, key_of, key_values,
};
use tsl_synth_seats::gate::{GateRequest, event_json, read_request};

fn bits(letter: &Letter) -> Vec<u32> {
    letter.iter().map(|bit| bit.index() as u32).collect()
}

fn letter(bits: &[u32], most: usize) -> Option<Letter> {
    bits.iter().map(|&bit| ((bit as usize) < most).then(|| BitId::from_index(bit as usize))).collect()
}

/// The document of a session.
pub(crate) fn write(live: &OpenSession, policy: &str, retain: Option<u64>) -> GateState {
    let session = &live.session;
    let (calls, waiting) = session.interpreter().calls();
    let (tickets, unnamed) = live.tickets.all();
    GateState {
        version: crate::VERSION.into(),
        policy: policy.into(),
        pinned: live.is_pinned,
        retain,
        calls,
        waiting: waiting.map(write_waiting).collect(),
        worlds: session.state().worlds().iter().map(write_world).collect(),
        truths: session.state().truths().map(bits),
        lost: session.state().is_lost(),
        last: session.last().map(|seen| GateLetter {
            bits: bits(&seen.letter),
            bindings: seen.bindings.clone(),
            amounts: Vec::new(),
        }),
        end_refusals: session.end_refusals(),
        tickets: tickets.map(|(id, ticket)| write_ticket(id, ticket)).collect(),
        unnamed,
        said: session.interpreter().said_texts().to_vec(),
        host: live.host.clone(),
    }
}

fn write_waiting(waiting: &Waiting) -> GateWaiting {
    GateWaiting {
        call: waiting.call,
        id: waiting.id.clone(),
        server: waiting.server.clone(),
        tool: waiting.tool.clone(),
        arguments: waiting.arguments.as_ref().map(|text| text.as_str().to_owned()),
        bindings: waiting.bindings.clone(),
    }
}

fn write_world(world: &PossibleState) -> GateWorld {
    let law = |law: &LawState| match law {
        LawState::One(state) => GateLaw::One(*state),
        LawState::Each(copies) => GateLaw::Each(
            copies
                .iter()
                .map(|(key, state)| {
                    (key.iter().map(|value| value.as_deref().map(str::to_owned)).collect(), state)
                })
                .collect(),
        ),
    };
    GateWorld {
        laws: world.laws.iter().map(law).collect(),
        registers: world.registers.iter().map(|register| number(register)).collect(),
        values: if world.registers.iter().all(|register| register.values.is_empty()) {
            Vec::new()
        } else {
            world.registers.iter().map(|register| counted_values(register)).collect()
        },
        others: if world.registers.iter().all(|register| register.others == Decimal::default()) {
            Vec::new()
        } else {
            world.registers.iter().map(|register| register.others.to_string()).collect()
        },
        each: if world.registers.iter().all(|register| register.each.is_empty()) {
            Vec::new()
        } else {
            world.registers.iter().map(|register| numbers(register)).collect()
        },
        pending: world.pending.iter().map(|pending| write_pending(pending)).collect(),
        gathered: world.gathered.as_ref().map(|own| GateLetter {
            bits: bits(&own.letter),
            bindings: own.bindings.clone(),
            amounts: own.amounts.iter().map(|(id, amount)| (id.index() as u32, amount.to_string())).collect(),
        }),
        last: bits(&world.last),
        letters: world.letters,
        overflowed: world.overflowed,
    }
}

/// The number of a register with the amounts in its window.
fn number(register: &RegisterState) -> (String, Vec<(i64, String)>) {
    let recent = register.recent.iter().map(|(time, amount)| (*time, amount.to_string()));
    (register.value.to_string(), recent.collect())
}

/// The numbers of a register for its values, in order.
fn numbers(register: &RegisterState) -> Vec<GateNumber> {
    let written = |(key, state): (&Key, &RegisterState)| GateNumber {
        of: key_values(key),
        number: number(state),
        counted: counted_values(state),
        others: state.others.to_string(),
    };
    let mut all: Vec<GateNumber> = register.each.iter().map(written).collect();
    all.sort_unstable_by(|a, b| a.of.cmp(&b.of));
    all
}

/// Reads what [`number`] wrote.
fn read_number(register: &mut RegisterState, (value, recent): &(String, Vec<(i64, String)>)) -> Option<()> {
    register.value = Decimal::parse(value)?;
    let amount = |(time, amount): &(i64, String)| Some((*time, Decimal::parse(amount)?));
    register.recent = recent.iter().map(amount).collect::<Option<_>>()?;
    Some(())
}

/// The values that a register has counted, in order.
fn counted_values(register: &RegisterState) -> Vec<String> {
    let mut values: Vec<String> = register.values.iter().map(|(value, ())| value.clone()).collect();
    values.sort_unstable();
    values
}

fn write_pending(pending: &PendingCall) -> GatePending {
    let outcome = |outcome: Option<CallOutcome>| outcome.map(|outcome| outcome == CallOutcome::Ok);
    GatePending {
        call: pending.call,
        state: pending.last.state,
        actions: pending.last.actions.iter().map(|action| action.index() as u32).collect(),
        outcomes: [outcome(pending.last.on_ok), outcome(pending.last.on_failed)],
        bindings: pending.bindings.clone(),
    }
}

fn write_ticket(id: &str, ticket: &Ticket) -> GateTicket {
    let (state, event) = match &ticket.state {
        TicketState::Refused(event) => ("refused", Some(serde_json::Value::Object(event_json(event)))),
        TicketState::Asked(event) => ("asked", Some(serde_json::Value::Object(event_json(event)))),
        TicketState::Granted => ("granted", None),
        TicketState::Ended => ("ended", None),
    };
    GateTicket {
        id: id.into(),
        name: ticket.name.clone(),
        hash: ticket.hash.clone(),
        state: state.into(),
        event,
    }
}

/// The session of a document; `None` if it is not of this version and policy, or does not fit the policy.
pub(crate) fn read(
    judge: &GateSolver,
    policy: &str,
    session: &str,
    state: &GateState,
) -> Option<OpenSession> {
    if state.version != crate::VERSION || state.policy != policy {
        return None;
    }
    let own = &judge.compiled().policy;
    let worlds: Vec<PossibleState> =
        state.worlds.iter().map(|world| read_world(judge, world)).collect::<Option<_>>()?;
    if worlds.is_empty() {
        return None;
    }
    let truths = match &state.truths {
        Some(truths) => Some(letter(truths, own.atoms.bits())?),
        None => None,
    };
    let last = match &state.last {
        Some(last) => Some(SeenLetter {
            letter: letter(&last.bits, own.atoms.bits())?,
            bindings: last.bindings.clone(),
        }),
        None => None,
    };
    let waiting = state.waiting.iter().map(|waiting| Waiting {
        call: waiting.call,
        id: waiting.id.clone(),
        server: waiting.server.clone(),
        tool: waiting.tool.clone(),
        arguments: waiting.arguments.clone().map(|text| JsonText(text.into())),
        bindings: waiting.bindings.clone(),
    });
    let fresh = judge.session();
    let interpreter =
        fresh.interpreter().another().with_calls(state.calls, waiting).with_said(state.said.clone());
    let own_state = SessionState::with_worlds(worlds, truths, state.lost).excusing(Excuse::NotDenied);
    let mut live = OpenSession::new(GateSession::restored(interpreter, own_state, last, state.end_refusals));
    for ticket in &state.tickets {
        let own = match (ticket.state.as_str(), &ticket.event) {
            ("granted", _) => TicketState::Granted,
            ("ended", _) => TicketState::Ended,
            (name @ ("refused" | "asked"), Some(event)) => {
                let Ok(GateRequest::Event(event)) = read_request(&event.to_string(), 0, session) else {
                    return None;
                };
                let event = Box::new(event);
                if name == "asked" { TicketState::Asked(event) } else { TicketState::Refused(event) }
            }
            _ => return None,
        };
        live.tickets
            .set(&ticket.id, Ticket { name: ticket.name.clone(), hash: ticket.hash.clone(), state: own });
    }
    live.tickets.set_unnamed(state.unnamed);
    live.host = state.host.clone();
    (live.policy, live.is_pinned) = (Some(policy.to_owned()), state.pinned);
    Some(live)
}

fn read_world(judge: &GateSolver, state: &GateWorld) -> Option<PossibleState> {
    let compiled = judge.compiled();
    let policy = &compiled.policy;
    let bits = policy.atoms.bits();
    let mut world = PossibleState::new(compiled);
    if state.laws.len() != world.laws.len() || state.registers.len() != world.registers.len() {
        return None;
    }
    for ((law, own), id) in world.laws.iter_mut().zip(&state.laws).zip(policy.laws.ids()) {
        // A law whose violations are excused is never violated, but was in earlier versions.
        let is_excused = Excuse::NotDenied.covers(&policy.laws[id]) && compiled.is_live(id, 0);
        let is_state = |state: u32| {
            (state as usize) < compiled.monitors[id].len() && (!is_excused || compiled.is_live(id, state))
        };
        match (law, own) {
            (LawState::One(state), GateLaw::One(own)) if is_state(*own) => *state = *own,
            (LawState::Each(copies), GateLaw::Each(own)) => {
                let names = copies.names().to_vec();
                if own.iter().any(|(key, state)| key.len() != names.len() || !is_state(*state)) {
                    return None;
                }
                let key = |key: &[Option<String>]| -> Key {
                    key.iter().map(|value| value.as_deref().map(Into::into)).collect()
                };
                *copies =
                    Arc::new(Copies::with_states(names, own.iter().map(|(own, state)| (key(own), *state))));
            }
            _ => return None,
        }
    }
    for (register, own) in world.registers.iter_mut().zip(&state.registers) {
        read_number(Arc::make_mut(register), own)?;
    }
    if !state.each.is_empty() && state.each.len() != world.registers.len() {
        return None;
    }
    for ((register, own), each) in world.registers.iter_mut().zip(policy.registers.iter()).zip(&state.each) {
        for one in each {
            if one.of.len() != own.for_each.len() {
                return None;
            }
            let mut number = RegisterState::default();
            read_number(&mut number, &one.number)?;
            number.values = one.counted.iter().map(|value| (value.clone(), ())).collect();
            number.others = Decimal::parse(&one.others)?;
            Arc::make_mut(register).each.insert(key_of(one.of.iter().cloned()), number);
        }
    }
    if !state.values.is_empty() && state.values.len() != world.registers.len() {
        return None;
    }
    for (register, values) in world.registers.iter_mut().zip(&state.values) {
        Arc::make_mut(register).values = values.iter().map(|value| (value.clone(), ())).collect();
    }
    if !state.others.is_empty() && state.others.len() != world.registers.len() {
        return None;
    }
    for (register, others) in world.registers.iter_mut().zip(&state.others) {
        Arc::make_mut(register).others = Decimal::parse(others)?;
    }
    let outcome = |ok: Option<bool>| ok.map(|ok| if ok { CallOutcome::Ok } else { CallOutcome::Failed });
    for pending in &state.pending {
        let action = |&action: &u32| {
            ((action as usize) < policy.atoms.actions.len()).then(|| ActionId::from_index(action as usize))
        };
        let last = Last {
            state: pending.state,
            actions: pending.actions.iter().map(action).collect::<Option<_>>()?,
            on_ok: outcome(pending.outcomes[0]),
            on_failed: outcome(pending.outcomes[1]),
        };
        let bindings = pending.bindings.clone();
        world.pending.push(Arc::new(PendingCall { call: pending.call, last, bindings }));
    }
    if let Some(gathered) = &state.gathered {
        let amount = |(id, amount): &(u32, String)| {
            let id =
                ((*id as usize) < policy.registers.len()).then(|| RegisterId::from_index(*id as usize))?;
            Some((id, Decimal::parse(amount)?))
        };
        world.gathered = Some(BoundLetter {
            letter: letter(&gathered.bits, bits)?,
            bindings: gathered.bindings.clone(),
            amounts: gathered.amounts.iter().map(amount).collect::<Option<_>>()?,
        });
    }
    world.last = letter(&state.last, bits)?;
    (world.letters, world.overflowed) = (state.letters, state.overflowed);
    Some(world)
}
