//! The gate: random policies compared with the definition of the game, recorded runs, the cases of papers, and
//! concurrent sessions.

mod airline;
mod cached;
mod cases;
mod crowds;
mod definition;
mod outside;
mod random;
mod store;
mod walk;

use store::Kept;
use tsl_synth_core::model::{HostEvent, HostEventKind};
use tsl_synth_service::{
    GateJournal, GateService, LoadedPolicy, MemoryJournal, Session, SpecLanguage, SpecRequest,
};

fn named(name: &str, text: &str) -> LoadedPolicy {
    let input = SpecRequest::text(SpecLanguage::Tsl, name, text).inputs.remove(0);
    Session::new().policy(&input).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

fn loaded(text: &str) -> LoadedPolicy {
    named("policy.toml", text)
}

/// A gate for a policy.
fn over<J: GateJournal>(policy: LoadedPolicy, journal: J) -> GateService<J> {
    match GateService::new(policy, "0", "policy.toml", journal, false) {
        Ok(shield) => shield,
        Err((failure, _)) => panic!("{failure:?}"),
    }
}

/// The same with journals of its own in memory.
fn shield(text: &str) -> GateService<MemoryJournal> {
    over(loaded(text), MemoryJournal::default())
}

/// One of several gates that share journals.
fn beside(text: &str, journal: &Kept) -> GateService<Kept> {
    over(loaded(text), journal.clone())
}

/// The tool and the arguments of a call, by its number among the calls.
fn call_of(events: &[HostEvent<'_>], number: usize) -> String {
    let calls = events.iter().filter_map(|event| match &event.kind {
        HostEventKind::Call { tool, arguments, .. } => Some(format!("{tool} {:.100}", arguments.as_str())),
        _ => None,
    });
    calls.into_iter().nth(number).unwrap_or_default()
}
