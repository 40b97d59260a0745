//! Laws about facts that the log of a session does not tell.
//!
//! A log without messages, arguments, results or outcomes leaves open which letters there were. For a law that reads a bit
//! which such a fact could set, the set of all states that its monitor may be in is followed, for each copy
//! ([`StateSets`]). What all states of a copy agree on is true: a law is violated if some copy is violated in each of its
//! states. A law that no open bit concerns is judged as ever.
//!
//! Where only the outcome of a call is open, the event adds one of a few letters. Of messages, and of calls without
//! arguments, there may be any number of letters with any values of the open bits. Laws and copies are judged one by one,
//! and each event by itself: so a law may be undecidable though each way to complete the log decides it in the same way,
//! but what is said to be kept or violated is.

use super::compiled::CompiledPolicy;
use super::interpret::Interpreter;
use super::observation::EventContent;
use super::possible_state::{PossibleState, SeenLetter};
use super::register_range::{Choice, RegisterRanges};
use super::state::{StandingRange, result_letter};
use super::state_sets::StateSets;
use super::totals::told_totals;
use super::untold_letters::{LawBits, LetterMaker, OpenBits};
use crate::language::{Amount, LawAtom, LawId, OUTCOMES, TraceMode};
use std::collections::{BTreeMap, BTreeSet};
use tsl_synth_core::base::IdSet;
use tsl_synth_core::logic::{BitId, Letter};
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, ProbeAnswer, UntoldFacts};

/// An event as laws are followed over it.
pub(super) struct FollowedEvent<'e> {
    /// Its content as the log tells it.
    pub(super) content: &'e EventContent,
    /// The letters that the result of a call may add.
    pub(super) choices: Vec<Choice>,
    /// The letters that the event may add.
    pub(super) letters: &'e [Letter],
    /// What is open about it.
    pub(super) open: OpenBits,
    /// Its time.
    pub(super) time: Option<i64>,
    /// Whether not all possible states of the session are followed.
    pub(super) is_lost: bool,
}

impl FollowedEvent<'_> {
    /// Whether it is open how many letters there are.
    fn has_open_letter(&self, compiled: &CompiledPolicy) -> bool {
        let is_none = |choice: &Choice| choice.letter.is_none();
        let differs = match compiled.policy.trace {
            TraceMode::PerEvent => self.choices.iter().any(is_none) && !self.choices.iter().all(is_none),
            // A letter that is made later may have nothing else.
            TraceMode::PerAction | TraceMode::StateChange => self.choices.len() > 1,
        };
        differs || self.open.is_loose()
    }
}

/// The laws of a session whose log does not tell all facts.
#[derive(Debug, Default)]
pub(super) struct UntoldMonitor {
    facts: UntoldFacts,
    /// The calls whose arguments are not told and that have not ended.
    calls: BTreeSet<String>,
    /// The laws that an open bit concerns.
    laws: BTreeMap<LawId, StateSets>,
    /// For each law the bits that it reads; computed once.
    reads: BTreeMap<LawId, LawBits>,
    /// The registers and the truths of the next letter, since the first law was concerned.
    made: Option<(RegisterRanges, LetterMaker)>,
}

impl UntoldMonitor {
    /// Adds facts that are not told.
    pub(super) fn add(&mut self, facts: UntoldFacts) {
        self.facts = self.facts.and(facts);
    }
    /// Whether all facts so far are told, or concern no law.
    pub(super) fn is_idle(&self) -> bool {
        self.facts.is_none() && self.laws.is_empty() && self.calls.is_empty()
    }
    /// The outcome that the log tells: one that is only assumed is not known.
    pub(super) fn outcome(&self, outcome: CallOutcome) -> CallOutcome {
        if self.facts.outcomes && outcome == CallOutcome::Ok { CallOutcome::Unknown } else { outcome }
    }
    /// What the log leaves open about an event. It must not be read by the interpreter yet.
    pub(super) fn open(
        &mut self,
        compiled: &CompiledPolicy,
        interpreter: &Interpreter,
        worlds: &[PossibleState],
        event: &HostEvent<'_>,
    ) -> OpenBits {
        let mut open = OpenBits::default();
        if self.facts.messages {
            open.messages = Interpreter::message_bits(compiled);
        }
        match &event.kind {
            HostEventKind::Call { id, server, tool, arguments }
                if self.lacks(arguments.as_str())
                    || self.lacks_said(compiled)
                    || lacks_probes(compiled, interpreter, event) =>
            {
                self.calls.extend(id.as_deref().map(str::to_owned));
                open.loose.extend(interpreter.call_bits(compiled, server.as_deref(), tool).iter());
                open.loose.extend(amount_bits(compiled).iter());
            }
            HostEventKind::Result { call, outcome, result } => {
                let is_open_call = call.as_deref().is_some_and(|call| self.calls.remove(call));
                let outcomes = match outcome {
                    CallOutcome::Ok if self.facts.outcomes => &OUTCOMES[..],
                    CallOutcome::Ok => &[CallOutcome::Ok],
                    CallOutcome::Failed => &[CallOutcome::Failed],
                    CallOutcome::Unknown => &OUTCOMES[..],
                };
                let is_result_open = is_open_call || (self.facts.results && result.is_none());
                if let Some(waiting) = interpreter.waiting(call.as_deref())
                    && (is_result_open || outcomes.len() > 1)
                {
                    let server = waiting.server.as_deref();
                    let bits = |by_value| interpreter.result_bits(compiled, server, &waiting.tool, by_value);
                    let ends = worlds.iter().flat_map(|world| world.ends_of(waiting.call));
                    let ends = ends.filter(|_| outcomes.len() > 1);
                    let mut actions: BTreeSet<_> =
                        ends.flat_map(|own| own.last.actions.iter().copied()).collect();
                    if is_open_call {
                        let bits = interpreter.call_bits(compiled, server, &waiting.tool);
                        actions.extend(bits.iter().filter_map(|bit| match compiled.policy.atoms.atom(bit) {
                            LawAtom::Call(action) => Some(action),
                            _ => None,
                        }));
                    }
                    let bit = |action, outcome| compiled.policy.atoms.bit(LawAtom::Result(action, outcome));
                    let ends = actions.iter().flat_map(|&own| outcomes.iter().map(move |&one| bit(own, one)));
                    open.outcomes = bits(false).iter().chain(ends).collect();
                    let values = if is_result_open { bits(true) } else { Letter::new() };
                    if is_open_call || values.iter().any(|bit| !open.outcomes.contains(bit)) {
                        open.loose = values.iter().chain(open.outcomes.iter()).collect();
                    }
                }
            }
            _ => {}
        }
        open
    }
    /// The letters that a result may add. It must not be read by the interpreter yet.
    pub(super) fn choices(
        &self,
        compiled: &CompiledPolicy,
        interpreter: &Interpreter,
        worlds: &[PossibleState],
        event: &HostEvent<'_>,
    ) -> Vec<Choice> {
        let HostEventKind::Result { call, outcome, result } = &event.kind else { return Vec::new() };
        let (is_told, outcomes) = match outcome {
            CallOutcome::Ok if self.facts.outcomes => (false, &OUTCOMES[..]),
            CallOutcome::Unknown => (true, &OUTCOMES[..]),
            CallOutcome::Ok => (true, &[CallOutcome::Ok][..]),
            CallOutcome::Failed => (true, &[CallOutcome::Failed][..]),
        };
        let Some(number) = interpreter.waiting(call.as_deref()).map(|waiting| waiting.call) else {
            return vec![Choice::default()];
        };
        let unknown = |action| compiled.policy.atoms.bit(LawAtom::Result(action, CallOutcome::Unknown));
        let ends = || worlds.iter().flat_map(|world| world.ends_of(number));
        let bits: Vec<BitId> = ends().flat_map(|own| own.last.actions.iter().copied()).map(unknown).collect();
        let mut choices: Vec<Choice> = Vec::new();
        for &one in outcomes {
            let tables = interpreter.possible_result(compiled, call.as_deref(), one, result.as_ref());
            let is_possible = ends().any(|own| own.last.outcome(one).is_some());
            let ways = ends().filter(|own| !is_possible || own.last.outcome(one).is_some()).map(Some);
            let is_without = worlds.iter().any(|world| world.ends_of(number).next().is_none());
            // A law that reads `unknown` reads what the host tells; in truth the call succeeded or failed.
            let only_if = match one {
                _ if outcomes.len() == 1 => Vec::new(),
                CallOutcome::Unknown => vec![(bits.clone(), true)],
                CallOutcome::Ok | CallOutcome::Failed if is_told => vec![(bits.clone(), false)],
                CallOutcome::Ok | CallOutcome::Failed => Vec::new(),
            };
            for way in ways.chain(is_without.then_some(None)) {
                let letter = result_letter(compiled, way.map(|way| &**way), one, &tables);
                let letter = (!letter.letter.is_empty()).then_some(letter);
                let choice = Choice { letter, only_if: only_if.clone() };
                if !choices.contains(&choice) {
                    choices.push(choice);
                }
            }
        }
        choices
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
        event: FollowedEvent<'_>,
    ) {
        let all = event.open.all();
        if all.is_empty() && self.laws.is_empty() {
            return;
        }
        // The laws that a letter may concern in which nothing holds that they read.
        let always =
            if event.has_open_letter(compiled) { compiled.due(&Letter::new()) } else { IdSet::new() };
        for law in compiled.policy.laws.ids() {
            let bits = self.reads.entry(law).or_insert_with(|| {
                let all = compiled.reads_through_registers(compiled.monitors[law].guards().iter().copied());
                LawBits { direct: compiled.reads(law).into_iter().collect(), all }
            });
            if always.contains(law) || all.iter().any(|bit| bits.all.contains(&bit)) {
                self.laws.entry(law).or_insert_with(|| {
                    let mut sets = StateSets::new(before, law);
                    if event.is_lost {
                        let states = compiled.monitors[law].len() as u32;
                        sets.step(compiled, None, &|_, _| (0..states).collect());
                    }
                    sets
                });
            }
        }
        if self.laws.is_empty() {
            return;
        }
        let (registers, maker) = self
            .made
            .get_or_insert_with(|| (RegisterRanges::new(compiled, before), LetterMaker::new(before)));
        registers.read_totals(before);
        let phases = if event.is_lost {
            vec![maker.lose()]
        } else {
            maker.phases(compiled, event.content, event.choices, event.letters, &event.open)
        };
        for phase in phases {
            let told = phase.read_registers(compiled, registers, &event.open.totals, event.time);
            for (&law, sets) in &mut self.laws {
                phase.step(compiled, (law, &self.reads[&law]), sets, &told);
            }
        }
    }
    /// The standing of a law, if what is not told concerns it.
    pub(super) fn standing(&self, compiled: &CompiledPolicy, law: LawId) -> Option<StandingRange> {
        Some(self.laws.get(&law)?.standing(compiled))
    }
    /// Whether some letter mattered to a law, if what is not told concerns it.
    pub(super) fn has_moved(&self, law: LawId) -> Option<bool> {
        Some(self.laws.get(&law)?.has_moved())
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
    let is_told = |name: &str| {
        event.outside.as_ref().is_some_and(|outside| !told_totals(name, &outside.totals).is_empty())
    };
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
