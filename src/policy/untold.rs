//! Laws about facts that the log of a session does not tell.
//!
//! A log without messages, arguments, results or outcomes leaves open which letters there were. For a law that reads a bit
//! which such a fact could set, the set of all states that its monitor may be in is followed, for each copy
//! ([`StateSets`]). What all states of a copy agree on is true: a law is violated if some copy is violated in each of its
//! states. A law that no open bit concerns is judged as ever.
//!
//! Where only the outcome of a call is open, the event adds one of a few letters. Of messages, and of calls without
//! arguments for which some table has conditions, there may be any number of letters with any values of the open bits.
//! Where tables only bind arguments that are not told, the letter is known: what is open are laws with copies for the bound
//! values, and the counts of values and amounts. Laws and copies are judged one by one,
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
use crate::language::{Amount, LawAtom, LawId, LawRegister, OUTCOMES, RegisterId, TraceMode};
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
    /// The letters that it adds where what is open is as told, and those with other outcomes.
    fn possible_letters(&self) -> impl Iterator<Item = &Letter> {
        let choices = self.choices.iter().filter_map(|choice| choice.letter.as_ref());
        self.letters.iter().chain(choices.map(|own| &own.letter))
    }
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

/// A call whose arguments are not told.
#[derive(Debug)]
struct OpenCall {
    /// Whether it is open which letters there were.
    is_loose: bool,
    /// The names that it binds to values.
    bound: BTreeSet<String>,
}

/// The laws of a session whose log does not tell all facts.
#[derive(Debug, Default)]
pub(super) struct UntoldMonitor {
    facts: UntoldFacts,
    /// The calls whose arguments are not told and that have not ended.
    calls: BTreeMap<String, OpenCall>,
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
            HostEventKind::Call { id, server, tool, arguments } => {
                let server = server.as_deref();
                let is_unbound = self.lacks(arguments.as_str()) || lacks_probes(compiled, interpreter, event);
                if !is_unbound && !self.lacks_said(compiled) {
                    return open;
                }
                open.loose = interpreter.call_bits(compiled, server, tool);
                open.bound = is_unbound.then(|| interpreter.bound_names(compiled, server, tool));
                let is_loose = !open.loose.is_empty()
                    || is_unbound && interpreter.results_ask_arguments(compiled, server, tool);
                if let (Some(id), true) = (id, is_loose || is_unbound) {
                    let bound = open.bound.clone().unwrap_or_default();
                    self.calls.insert(id.to_string(), OpenCall { is_loose, bound });
                }
            }
            HostEventKind::Result { call, outcome, result } => {
                let open_call = call.as_deref().and_then(|call| self.calls.remove(call));
                let is_open_call = open_call.as_ref().is_some_and(|own| own.is_loose);
                open.bound = open_call.map(|own| own.bound);
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
                    let by_value = is_result_open
                        && !interpreter.value_bits(compiled, server, &waiting.tool, outcomes).is_empty();
                    if is_open_call || by_value {
                        open.loose = bits(true).iter().chain(open.outcomes.iter()).collect();
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
        let counted = open_counts(compiled, &event);
        let values = open_values(compiled, &event);
        let counts = counted.iter().map(|&id| proposition_bit(compiled, id));
        let all: Letter = event.open.all().iter().chain(counts).collect();
        if all.is_empty() && values.is_empty() && self.laws.is_empty() {
            return;
        }
        let has_values = |law: LawId| {
            let bound = event.open.bound.as_ref();
            bound
                .is_some_and(|bound| compiled.policy.laws[law].for_each.iter().any(|one| bound.contains(one)))
        };
        // The laws that a letter may concern in which nothing holds that they read.
        let has_open_letter = event.has_open_letter(compiled);
        let due = if has_open_letter || event.open.bound.is_some() {
            compiled.due(&Letter::new())
        } else {
            IdSet::new()
        };
        for law in compiled.policy.laws.ids() {
            let bits = self.reads.entry(law).or_insert_with(|| {
                let all = compiled.reads_through_registers(compiled.monitors[law].guards().iter().copied());
                LawBits { direct: compiled.reads(law).into_iter().collect(), all }
            });
            let is_about_values =
                has_values(law) && (due.contains(law) || values.iter().any(|bit| bits.all.contains(&bit)));
            if has_open_letter && due.contains(law)
                || is_about_values
                || all.iter().any(|bit| bits.all.contains(&bit))
            {
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
        for id in counted {
            registers.open(id);
        }
        let is_per_event = compiled.policy.trace == TraceMode::PerEvent;
        let mut of_values = Vec::new();
        let phases = if event.is_lost {
            vec![maker.lose()]
        } else if !is_per_event && !values.is_empty() {
            let open = event.open.with_loose(&values);
            maker.phases(compiled, event.content, event.choices, event.letters, &open)
        } else {
            if !values.is_empty() {
                let open = event.open.with_loose(&values);
                of_values =
                    maker.phases(compiled, event.content, event.choices.clone(), event.letters, &open);
            }
            maker.phases(compiled, event.content, event.choices, event.letters, &event.open)
        };
        if !of_values.is_empty() {
            // Laws that have copies for values that are not told read any number of letters.
            let mut own = registers.clone();
            for phase in &of_values {
                let told = phase.read_registers(compiled, &mut own, &event.open.totals, event.time);
                for (&law, sets) in self.laws.iter_mut().filter(|(law, _)| has_values(**law)) {
                    phase.step(compiled, (law, &self.reads[&law]), sets, &told);
                }
            }
        }
        let is_done = |law: LawId| !of_values.is_empty() && has_values(law);
        for phase in &phases {
            let told = phase.read_registers(compiled, registers, &event.open.totals, event.time);
            for (&law, sets) in self.laws.iter_mut().filter(|(law, _)| !is_done(**law)) {
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

/// The bits that an event may have in letters bound to values that are not told.
fn open_values(compiled: &CompiledPolicy, event: &FollowedEvent<'_>) -> Letter {
    let policy = &compiled.policy;
    let Some(bound) = &event.open.bound else { return Letter::new() };
    if !policy.laws.iter().any(|law| law.for_each.iter().any(|one| bound.contains(one))) {
        return Letter::new();
    }
    event.possible_letters().flat_map(Letter::iter).chain(event.open.outcomes.iter()).collect()
}

/// The registers whose number is open after an event whose values or amounts are not told.
fn open_counts(compiled: &CompiledPolicy, event: &FollowedEvent<'_>) -> Vec<RegisterId> {
    let policy = &compiled.policy;
    let Some(bound) = &event.open.bound else { return Vec::new() };
    let is_of_values = |register: &LawRegister| match &register.amount {
        Amount::Sum(_) => true,
        Amount::Distinct(name) if bound.contains(name) => true,
        Amount::Distinct(_) | Amount::One => register.for_each.iter().any(|one| bound.contains(one)),
    };
    let counts = |register: &LawRegister| {
        let guards = [register.on, register.returned_on, register.reset_on];
        let mut letters = event.possible_letters();
        letters.any(|letter| guards.iter().any(|&guard| policy.guards.contains(guard, letter)))
    };
    let registers = policy.registers.enumerate();
    registers.filter(|(_, own)| is_of_values(own) && counts(own)).map(|(id, _)| id).collect()
}

/// The bit of the proposition of a register.
fn proposition_bit(compiled: &CompiledPolicy, id: RegisterId) -> BitId {
    compiled.policy.atoms.bit(LawAtom::Proposition(compiled.policy.registers[id].proposition))
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
