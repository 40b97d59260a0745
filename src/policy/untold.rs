//! Laws about facts that the log of a session does not tell.
//!
//! A log without messages, arguments, results or outcomes leaves open which letters there were. For a law that reads a bit
//! which such a fact could set, the states that its monitor may be in are followed instead of one: after an event that may
//! have set the bit, all states that its letters lead to, each with any values of the open bits, any number of times. These
//! are at least the states that are possible; so what they agree on is true, and a law on which they do not agree is not
//! decided by the log. A law that no open bit concerns is judged as ever.
//!
//! Where letters join several events, and for laws with many open bits, all states of the monitor count as possible.

use super::compiled::CompiledPolicy;
use super::interpret::Interpreter;
use super::observation::EventContent;
use super::possible_state::{LawState, PossibleState, SeenLetter};
use super::state::StandingRange;
use crate::language::{Amount, LawAtom, LawId, OUTCOMES, TraceMode};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use tsl_synth_core::logic::{BitId, Letter};
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, LawStatus, ProbeAnswer, UntoldFacts};

/// With more open bits than this all states of a monitor count as possible.
const MOST_OPEN: usize = 6;

/// The laws of a session whose log does not tell all facts.
#[derive(Debug, Default)]
pub(super) struct UntoldMonitor {
    facts: UntoldFacts,
    /// The calls whose arguments are not told and that have not ended.
    calls: BTreeSet<String>,
    /// For each law that an open bit concerns, the states that its monitor may be in.
    laws: BTreeMap<LawId, BTreeSet<u32>>,
    /// For each law the bits that it reads, also through registers; computed once.
    reads: BTreeMap<LawId, FxHashSet<BitId>>,
}

impl UntoldMonitor {
    /// Adds facts that are not told.
    pub(super) fn add(&mut self, facts: UntoldFacts) {
        self.facts = self.facts.and(facts);
    }
    /// The outcome that the log tells: one that is only assumed is not known.
    pub(super) fn outcome(&self, outcome: CallOutcome) -> CallOutcome {
        if self.facts.outcomes && outcome == CallOutcome::Ok { CallOutcome::Unknown } else { outcome }
    }
    /// The bits that an event may have set, though its log does not say so. It must not be read by the interpreter yet.
    pub(super) fn open(
        &mut self,
        compiled: &CompiledPolicy,
        interpreter: &Interpreter,
        worlds: &[PossibleState],
        event: &HostEvent<'_>,
    ) -> Letter {
        let mut open = Letter::new();
        if self.facts.messages {
            open.extend(Interpreter::message_bits(compiled).iter());
        }
        match &event.kind {
            HostEventKind::Call { id, server, tool, arguments }
                if self.lacks(arguments.as_str())
                    || self.lacks_said(compiled)
                    || lacks_probes(compiled, interpreter, event) =>
            {
                self.calls.extend(id.as_deref().map(str::to_owned));
                open.extend(interpreter.call_bits(compiled, server.as_deref(), tool).iter());
                open.extend(amount_bits(compiled).iter());
            }
            HostEventKind::Result { call, outcome, result } => {
                let is_open_call = call.as_deref().is_some_and(|call| self.calls.remove(call));
                let outcomes = match outcome {
                    CallOutcome::Ok if self.facts.outcomes => &OUTCOMES[..],
                    CallOutcome::Ok => &[CallOutcome::Ok],
                    CallOutcome::Failed => &[CallOutcome::Failed],
                    CallOutcome::Unknown => &[CallOutcome::Unknown],
                };
                let is_result_open = is_open_call || (self.facts.results && result.is_none());
                let is_told = !is_result_open && !self.facts.outcomes;
                let Some(waiting) = interpreter.waiting(call.as_deref()).filter(|_| !is_told) else {
                    return open;
                };
                let atoms = &compiled.policy.atoms;
                let server = waiting.server.as_deref();
                open.extend(interpreter.result_bits(compiled, server, &waiting.tool, is_result_open).iter());
                let ends = worlds.iter().flat_map(|world| world.pending.iter());
                let ends = ends.filter(|own| self.facts.outcomes && own.call == waiting.call);
                let mut actions: BTreeSet<_> =
                    ends.flat_map(|own| own.last.actions.iter().copied()).collect();
                if is_open_call {
                    let bits = interpreter.call_bits(compiled, server, &waiting.tool);
                    actions.extend(bits.iter().filter_map(|bit| match atoms.atom(bit) {
                        LawAtom::Call(action) => Some(action),
                        _ => None,
                    }));
                }
                let bits = actions.iter().flat_map(|&action| {
                    outcomes.iter().map(move |&outcome| atoms.bit(LawAtom::Result(action, outcome)))
                });
                open.extend(bits);
            }
            _ => {}
        }
        open
    }
    /// Whether tables ask for what was said, and the log does not tell all of it.
    fn lacks_said(&self, compiled: &CompiledPolicy) -> bool {
        (self.facts.messages || self.facts.results) && compiled.policy.asks_what_was_said()
    }
    fn lacks(&self, arguments: &str) -> bool {
        self.facts.arguments && arguments.trim() == "null"
    }
    /// Follows the laws that open bits concern, or concerned before, over the letters of an event.
    pub(super) fn follow(
        &mut self,
        compiled: &CompiledPolicy,
        before: &[PossibleState],
        letters: &[Letter],
        open: &Letter,
    ) {
        if open.is_empty() && self.laws.is_empty() {
            return;
        }
        let joins = compiled.policy.trace != TraceMode::PerEvent;
        for law in compiled.policy.laws.ids() {
            let guards = compiled.monitors[law].guards();
            let reads = self
                .reads
                .entry(law)
                .or_insert_with(|| compiled.reads_through_registers(guards.iter().copied()));
            let own: Vec<BitId> = open.iter().filter(|bit| reads.contains(bit)).collect();
            if own.is_empty() && !self.laws.contains_key(&law) {
                continue;
            }
            let states = self.laws.entry(law).or_insert_with(|| states_of(before, law));
            if joins || own.len() > MOST_OPEN {
                *states = (0..compiled.monitors[law].len() as u32).collect();
            } else {
                close(compiled, law, states, letters, &own);
            }
        }
    }
    /// The standing of a law, if what is not told concerns it.
    pub(super) fn standing(&self, compiled: &CompiledPolicy, law: LawId) -> Option<StandingRange> {
        let states = self.laws.get(&law)?;
        let (mut worst, mut best) = (LawStatus::Satisfied, LawStatus::Violated);
        for &state in states {
            let one = compiled.monitors[law].standing(state);
            (worst, best) = (worst.min(one), best.max(one));
        }
        Some(StandingRange { worst, best })
    }
    /// Whether what is not told concerns some law.
    pub(super) fn concerns_some(&self) -> bool {
        !self.laws.is_empty()
    }
}

/// Whether a table asks for the answer of a probe that is not there.
fn lacks_probes(compiled: &CompiledPolicy, interpreter: &Interpreter, event: &HostEvent<'_>) -> bool {
    let is_there = |probe: usize| {
        let name = &compiled.policy.probes[probe].name;
        let answer = event.outside.as_ref().and_then(|outside| outside.probes.get(name));
        matches!(answer, Some(ProbeAnswer::Ended { .. }))
    };
    interpreter.wanted_probes(compiled, event).into_iter().any(|wanted| !is_there(wanted.probe))
}

/// The propositions of registers over all sessions that count one of these letters, unless the event says what other
/// sessions have counted.
pub(super) fn untold_totals(compiled: &CompiledPolicy, event: &HostEvent<'_>, letters: &[Letter]) -> Letter {
    let policy = &compiled.policy;
    let is_told =
        |name: &str| event.outside.as_ref().is_some_and(|outside| outside.totals.contains_key(name));
    let counts = |id| letters.iter().any(|letter| policy.guards.contains(policy.registers[id].on, letter));
    let open = policy.registers_over_sessions().filter(|&(id, name)| !is_told(name) && counts(id));
    open.map(|(id, _)| policy.atoms.bit(LawAtom::Proposition(policy.registers[id].proposition))).collect()
}

/// The propositions of registers that sum amounts in arguments.
fn amount_bits(compiled: &CompiledPolicy) -> Letter {
    let registers = compiled.policy.registers.iter();
    let sums = registers.filter(|register| matches!(register.amount, Amount::Sum(_)));
    sums.map(|register| compiled.policy.atoms.bit(LawAtom::Proposition(register.proposition))).collect()
}

/// The states of a law in all possible states of the session; of a law with copies those of all copies, and that of values
/// that were not seen.
fn states_of(worlds: &[PossibleState], law: LawId) -> BTreeSet<u32> {
    let mut states = BTreeSet::new();
    for world in worlds {
        match world.law(law) {
            LawState::One(state) => drop(states.insert(*state)),
            LawState::Each(copies) => {
                states.insert(0);
                states.extend(copies.states());
            }
        }
    }
    states
}

/// Adds all states that the letters lead to, each with any values of the open bits, in any order and number.
fn close(
    compiled: &CompiledPolicy,
    law: LawId,
    states: &mut BTreeSet<u32>,
    letters: &[Letter],
    open: &[BitId],
) {
    let mut all: Vec<Letter> = Vec::new();
    for letter in letters.iter().chain([&Letter::new()]) {
        for set in 0..1_usize << open.len() {
            let mut own = letter.clone();
            for (i, &bit) in open.iter().enumerate() {
                if set >> i & 1 == 1 {
                    own.insert(bit)
                } else {
                    own.remove(bit)
                };
            }
            // Without any bit there was no event.
            if !own.is_empty() && !all.contains(&own) {
                all.push(own);
            }
        }
    }
    let mut left: Vec<u32> = states.iter().copied().collect();
    while let Some(state) = left.pop() {
        for letter in &all {
            let next = compiled.step(law, state, letter);
            if states.insert(next) {
                left.push(next);
            }
        }
    }
}

/// The letters that an event may add: those of its content, and those that were added in one of the possible states.
pub(super) fn letters_of(
    compiled: &CompiledPolicy,
    worlds: &[PossibleState],
    reported: &EventContent,
) -> Vec<Letter> {
    let atoms = &compiled.policy.atoms;
    match reported {
        EventContent::Call { program, .. } => {
            let letters = program.arrows.iter().flatten().filter_map(|arrow| arrow.letter.as_ref());
            letters.map(|own| own.letter.clone()).collect()
        }
        EventContent::Result { call, outcome, letter } => {
            let ends =
                worlds.iter().flat_map(|world| world.pending.iter().filter(|own| Some(own.call) == *call));
            let mut all: Vec<Letter> = ends
                .map(|own| {
                    let outcome = own.last.outcome(*outcome).unwrap_or(*outcome);
                    let mut whole = letter.letter.clone();
                    whole
                        .extend(own.last.actions.iter().map(|&one| atoms.bit(LawAtom::Result(one, outcome))));
                    whole
                })
                .collect();
            all.push(letter.letter.clone());
            all
        }
        EventContent::Truths { letter, .. } | EventContent::Step { letter, .. } => {
            vec![letter.letter.clone()]
        }
        EventContent::End { letter } => letter.iter().map(|own| own.letter.clone()).collect(),
        EventContent::Nothing | EventContent::Close => Vec::new(),
    }
}

/// The letters as they were seen.
pub(super) fn seen(letters: &[SeenLetter]) -> impl Iterator<Item = Letter> + '_ {
    letters.iter().map(|seen| seen.letter.clone())
}
