//! The letters that an event may add where the log leaves some of them open, and the steps of laws over them.

use super::compiled::CompiledPolicy;
use super::observation::EventContent;
use super::possible_state::PossibleState;
use super::program::{BoundLetter, Program};
use super::register_range::{Choice, MayHold, RegisterRanges};
use super::state_sets::StateSets;
use crate::language::{ActionId, LawAtom, LawId, Timing, TraceMode};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use tsl_synth_core::logic::{BitId, Letter};
use tsl_synth_core::model::CallOutcome;

/// With more open bits than this every state that a monitor can reach counts as possible.
const MOST_OPEN: usize = 6;
/// With more possible beginnings of a letter than this none is followed.
const MOST_GATHERED: usize = 64;

/// The bits that an event may have set, though its log does not say so.
#[derive(Debug, Default)]
pub(super) struct OpenBits {
    /// Those of messages before the event.
    pub(super) messages: Letter,
    /// Those of letters of which there may be any number.
    pub(super) loose: Letter,
    /// Those of the outcome, where the event adds one letter.
    pub(super) outcomes: Letter,
    /// Those of registers over all sessions.
    pub(super) totals: Letter,
    /// If the arguments of a call are not told: the names that it binds to values.
    pub(super) bound: Option<BTreeSet<String>>,
}

impl OpenBits {
    /// Whether there may be letters that the log does not tell.
    pub(super) fn is_loose(&self) -> bool {
        !self.messages.is_empty() || !self.loose.is_empty()
    }
    /// The same, with any number of letters with these bits.
    pub(super) fn with_loose(&self, bits: &Letter) -> Self {
        let loose = self.loose.iter().chain(bits.iter()).collect();
        let (messages, outcomes, totals) =
            (self.messages.clone(), self.outcomes.clone(), self.totals.clone());
        Self { messages, loose, outcomes, totals, bound: None }
    }
    pub(super) fn all(&self) -> Letter {
        let parts = [&self.messages, &self.loose, &self.outcomes, &self.totals];
        parts.into_iter().flat_map(Letter::iter).collect()
    }
}

/// The bits that a law reads.
#[derive(Debug)]
pub(super) struct LawBits {
    /// Itself.
    pub(super) direct: FxHashSet<BitId>,
    /// Also through registers.
    pub(super) all: FxHashSet<BitId>,
}

/// A part of an event.
#[derive(Debug)]
pub(super) enum Phase {
    /// One letter of these, or none where a choice has none.
    One(Vec<Choice>),
    /// A word of a program.
    Program(Program),
    /// Any number of these letters and of letters without these, in any order, with any values of the open bits.
    Any { letters: Vec<Letter>, open: Letter },
    /// Any letters.
    Everything,
}

/// What a part of an event says of the propositions of registers: for each choice, or for all letters.
pub(super) struct RegisterTruths(Vec<Vec<MayHold>>);

/// Makes letters of the contents of events, as a possible state of the session does, where there are several contents.
#[derive(Debug)]
pub(super) struct LetterMaker {
    /// With one letter per action: what the truths may be that are not yet part of a letter.
    gathered: Vec<Choice>,
    /// Whether they are not known.
    is_lost: bool,
}

impl LetterMaker {
    pub(super) fn new(worlds: &[PossibleState]) -> Self {
        let mut gathered: Vec<Choice> = Vec::new();
        for world in worlds {
            let choice = Choice { letter: world.gathered.clone(), only_if: Vec::new() };
            if !gathered.contains(&choice) {
                gathered.push(choice);
            }
        }
        Self { gathered, is_lost: false }
    }
    /// The parts of an event of which nothing is known.
    pub(super) fn lose(&mut self) -> Phase {
        self.is_lost = true;
        Phase::Everything
    }
    /// The parts of an event.
    pub(super) fn phases(
        &mut self,
        compiled: &CompiledPolicy,
        content: &EventContent,
        choices: Vec<Choice>,
        letters: &[Letter],
        open: &OpenBits,
    ) -> Vec<Phase> {
        let is_loose = open.is_loose();
        match compiled.policy.trace {
            TraceMode::PerEvent if is_loose => {
                let mut phases = Vec::new();
                if !open.messages.is_empty() {
                    phases.push(Phase::Any { letters: Vec::new(), open: open.messages.clone() });
                }
                if open.loose.is_empty() {
                    phases.extend(per_event(compiled, content, choices));
                } else {
                    let open = open.loose.iter().chain(open.outcomes.iter()).collect();
                    phases.push(Phase::Any { letters: letters.to_vec(), open });
                }
                phases
            }
            TraceMode::PerEvent => per_event(compiled, content, choices),
            TraceMode::PerAction if is_loose => vec![self.lose()],
            TraceMode::PerAction => self.per_action(compiled, content, &choices),
            TraceMode::StateChange => match content {
                EventContent::Nothing | EventContent::Close if !is_loose => Vec::new(),
                _ => vec![Phase::Everything],
            },
        }
    }
    fn per_action(
        &mut self,
        compiled: &CompiledPolicy,
        content: &EventContent,
        choices: &[Choice],
    ) -> Vec<Phase> {
        let mut phases = Vec::new();
        match content {
            EventContent::Nothing => {}
            EventContent::Truths { letter, complete } => {
                self.gather(compiled, &[Choice::of(letter.clone())], *complete);
            }
            EventContent::Result { .. } => self.gather(compiled, choices, false),
            EventContent::Call { program, .. } if program.is_silent() => {}
            EventContent::Call { program, .. } => {
                let letter = program.only_letter();
                let phase =
                    if let Some(letter) = letter { self.act(compiled, letter) } else { Some(self.lose()) };
                phases.extend(phase);
            }
            EventContent::Step { letter, action, ends } => {
                self.gather(compiled, &[Choice::of(letter.clone())], true);
                if let Some(action) = action {
                    let (call, outcome) = of_action(compiled, *action);
                    phases.extend(self.act(compiled, &call));
                    self.gather(compiled, &[Choice::of(outcome)], false);
                }
                phases.extend(ends.then(|| self.flush(compiled)).flatten());
            }
            EventContent::End { letter } => {
                if let Some(letter) = letter {
                    self.gather(compiled, &[Choice::of(letter.clone())], false);
                }
                phases.extend(self.flush(compiled));
            }
            EventContent::Close => phases.extend(self.flush(compiled)),
        }
        phases
    }
    /// Adds truths to the next letter.
    fn gather(&mut self, compiled: &CompiledPolicy, choices: &[Choice], complete: bool) {
        let mut all: Vec<Choice> = Vec::new();
        for known in &self.gathered {
            for more in choices {
                let mut next = known.clone();
                next.only_if.extend(more.only_if.iter().cloned());
                next.only_if.dedup();
                if let Some(letter) = &more.letter {
                    let own = next.letter.get_or_insert_default();
                    own.join(letter.clone(), complete, &compiled.policy.atoms);
                }
                if !all.contains(&next) {
                    all.push(next);
                }
            }
        }
        self.is_lost |= all.len() > MOST_GATHERED;
        self.gathered = if self.is_lost { vec![Choice::default()] } else { all };
    }
    fn act(&mut self, compiled: &CompiledPolicy, letter: &BoundLetter) -> Option<Phase> {
        let call = Choice::of(letter.clone());
        if compiled.policy.timing == Timing::Next {
            let phase = self.flush(compiled);
            self.gathered = vec![call];
            return phase;
        }
        self.gather(compiled, &[call], false);
        self.take().or(Some(Phase::Everything))
    }
    /// The letter of the truths so far, unless it is not known.
    fn take(&mut self) -> Option<Phase> {
        let gathered = std::mem::replace(&mut self.gathered, vec![Choice::default()]);
        (!std::mem::take(&mut self.is_lost)).then_some(Phase::One(gathered))
    }
    fn flush(&mut self, compiled: &CompiledPolicy) -> Option<Phase> {
        let Some(Phase::One(mut choices)) = self.take() else { return Some(Phase::Everything) };
        let is_nothing = |letter: &BoundLetter| {
            compiled.policy.timing == Timing::Same
                && letter.letter.iter().all(|bit| compiled.unread_outcomes().contains(bit))
        };
        for choice in &mut choices {
            choice.letter = choice.letter.take().filter(|letter| !is_nothing(letter));
        }
        choices.iter().any(|choice| choice.letter.is_some()).then_some(Phase::One(choices))
    }
}

/// The letters of the call of an action and of its success.
fn of_action(compiled: &CompiledPolicy, action: ActionId) -> (BoundLetter, BoundLetter) {
    let atoms = &compiled.policy.atoms;
    let (mut call, mut outcome) = (BoundLetter::default(), BoundLetter::default());
    call.letter.insert(atoms.bit(LawAtom::Call(action)));
    outcome.letter.insert(atoms.bit(LawAtom::Result(action, CallOutcome::Ok)));
    (call, outcome)
}

/// The parts of an event that forms its own letters.
fn per_event(compiled: &CompiledPolicy, content: &EventContent, choices: Vec<Choice>) -> Vec<Phase> {
    let one = |letter: &BoundLetter| vec![Phase::One(vec![Choice::of(letter.clone())])];
    match content {
        EventContent::Nothing | EventContent::Close | EventContent::End { letter: None } => Vec::new(),
        EventContent::Truths { letter, .. } | EventContent::End { letter: Some(letter) } => one(letter),
        EventContent::Result { .. } => vec![Phase::One(choices)],
        EventContent::Call { program, .. } if program.is_silent() => Vec::new(),
        EventContent::Call { program, .. } => {
            program.only_letter().map_or_else(|| vec![Phase::Program(program.clone())], one)
        }
        EventContent::Step { letter, action, .. } => {
            let mut whole = letter.clone();
            let Some(action) = action else { return one(&whole) };
            let (call, outcome) = of_action(compiled, *action);
            whole.join(call, false, &compiled.policy.atoms);
            let mut phases = one(&whole);
            if compiled.reads_outcome(*action) {
                phases.extend(one(&outcome));
            }
            phases
        }
    }
}

/// The letters of a program.
fn letters_of_program(program: &Program) -> impl Iterator<Item = &BoundLetter> + Clone {
    program.arrows.iter().flatten().filter_map(|arrow| arrow.letter.as_ref())
}

/// One letter for each combination of values that the propositions of registers may have, where a law reads them; `None`
/// if there are too many combinations.
fn variants(letter: &Letter, told: &[MayHold], law: &LawBits) -> Option<Vec<Letter>> {
    let mut all = vec![letter.clone()];
    for own in told.iter().filter(|own| law.direct.contains(&own.bit)) {
        if own.yes && own.no && all.len() >> MOST_OPEN > 0 {
            return None;
        }
        let mut with = all.clone();
        for one in &mut with {
            one.insert(own.bit);
        }
        for one in &mut all {
            one.remove(own.bit);
        }
        match (own.yes, own.no) {
            (true, false) => all = with,
            (false, true) => {}
            _ => all.extend(with),
        }
    }
    Some(all)
}

/// All states that rows of the monitor lead to.
fn reachable(compiled: &CompiledPolicy, law: LawId, set: &[u32]) -> Vec<u32> {
    let decision = &compiled.decisions[law];
    closure(set, |state| (0..decision.classes()).map(move |class| decision.next(state, class)))
}

fn closure<I: Iterator<Item = u32>>(set: &[u32], next: impl Fn(u32) -> I) -> Vec<u32> {
    let mut known: BTreeSet<u32> = set.iter().copied().collect();
    let mut left: Vec<u32> = set.to_vec();
    while let Some(state) = left.pop() {
        left.extend(next(state).filter(|&next| known.insert(next)));
    }
    known.into_iter().collect()
}

/// The state after a letter that may be about another value of its copy: the stricter of both.
fn step(compiled: &CompiledPolicy, law: LawId, state: u32, letter: &Letter, is_unknown: bool) -> u32 {
    let next = compiled.step(law, state, letter);
    if is_unknown { compiled.stricter(law, state, next) } else { next }
}

impl Phase {
    /// Counts the letters in registers.
    pub(super) fn read_registers(
        &self,
        compiled: &CompiledPolicy,
        registers: &mut RegisterRanges,
        totals: &Letter,
        time: Option<i64>,
    ) -> RegisterTruths {
        let mut all = match self {
            Self::One(choices) => registers.step(compiled, choices, time),
            Self::Program(program) => {
                let letters = letters_of_program(program).map(|own| &own.letter);
                vec![registers.step_any(compiled, &letters, &Letter::new())]
            }
            Self::Any { letters, open } => vec![registers.step_any(compiled, &letters.iter(), open)],
            Self::Everything => {
                registers.lose();
                Vec::new()
            }
        };
        for own in all.iter_mut().flatten().filter(|own| totals.contains(own.bit)) {
            (own.yes, own.no) = (true, true);
        }
        RegisterTruths(all)
    }
    /// Steps a law.
    pub(super) fn step(
        &self,
        compiled: &CompiledPolicy,
        (law, bits): (LawId, &LawBits),
        sets: &mut StateSets,
        told: &RegisterTruths,
    ) {
        let done = match self {
            Self::One(choices) => one(compiled, (law, bits), sets, choices, told),
            Self::Program(program) => run(compiled, (law, bits), sets, program, told),
            Self::Any { letters, open } => any(compiled, (law, bits), sets, (letters, open), told),
            Self::Everything => None,
        };
        if done.is_none() {
            sets.step(compiled, None, &|set, _| reachable(compiled, law, set));
        }
    }
}

/// Steps a law over one of several letters; `None` if there are too many.
fn one(
    compiled: &CompiledPolicy,
    (law, bits): (LawId, &LawBits),
    sets: &mut StateSets,
    choices: &[Choice],
    told: &RegisterTruths,
) -> Option<()> {
    let (mut letters, mut bound, mut is_none) = (Vec::new(), Vec::new(), false);
    for (choice, told) in choices.iter().zip(&told.0) {
        if !choice.is_for(|bit| bits.all.contains(&bit)) {
            continue;
        }
        let Some(letter) = &choice.letter else {
            is_none = true;
            continue;
        };
        letters.extend(variants(&letter.letter, told, bits)?);
        bound.push(letter);
    }
    let next = |set: &[u32], is_unknown: bool| -> Vec<u32> {
        let steps = set.iter().flat_map(|&state| {
            letters.iter().map(move |letter| step(compiled, law, state, letter, is_unknown))
        });
        steps.chain(set.iter().copied().filter(|_| is_none)).collect()
    };
    each(compiled, law, sets, &bound, &letters, &next);
    Some(())
}

/// Steps the copies that the letters reach: exactly, if they have the same values; else each copy may have read any of
/// the letters, or none.
fn each(
    compiled: &CompiledPolicy,
    law: LawId,
    sets: &mut StateSets,
    bound: &[&BoundLetter],
    letters: &[Letter],
    exact: &dyn Fn(&[u32], bool) -> Vec<u32>,
) {
    let Some(first) = bound.first() else { return };
    let values = sets.values(first);
    if bound.iter().all(|letter| sets.values(letter) == values) {
        sets.step(compiled, Some(first), exact);
        return;
    }
    for letter in bound {
        sets.step(compiled, Some(letter), &|set, is_unknown| {
            closure(set, |state| {
                letters.iter().map(move |letter| step(compiled, law, state, letter, is_unknown))
            })
        });
    }
}

/// Steps a law over the words of a program; `None` if there are too many letters.
fn run(
    compiled: &CompiledPolicy,
    (law, bits): (LawId, &LawBits),
    sets: &mut StateSets,
    program: &Program,
    told: &RegisterTruths,
) -> Option<()> {
    let told = told.0.first().map_or(&[][..], Vec::as_slice);
    let mut arrows: Vec<Vec<(usize, Option<Vec<Letter>>)>> = Vec::with_capacity(program.arrows.len());
    for own in &program.arrows {
        let mut next = Vec::with_capacity(own.len());
        for arrow in own {
            let letters = match &arrow.letter {
                Some(letter) => Some(variants(&letter.letter, told, bits)?),
                None => None,
            };
            next.push((arrow.to, letters));
        }
        arrows.push(next);
    }
    let bound: Vec<&BoundLetter> = letters_of_program(program).collect();
    let letters: Vec<Letter> =
        arrows.iter().flatten().filter_map(|(_, letters)| letters.as_ref()).flatten().cloned().collect();
    let next = |set: &[u32], is_unknown: bool| -> Vec<u32> {
        let mut known: FxHashSet<(usize, u32)> = set.iter().map(|&state| (0, state)).collect();
        let mut left: Vec<(usize, u32)> = known.iter().copied().collect();
        while let Some((at, state)) = left.pop() {
            for (to, letters) in &arrows[at] {
                let after = letters.as_ref().map_or_else(
                    || vec![state],
                    |all| all.iter().map(|one| step(compiled, law, state, one, is_unknown)).collect(),
                );
                left.extend(after.into_iter().map(|state| (*to, state)).filter(|&pair| known.insert(pair)));
            }
        }
        let ends = known.into_iter().filter(|(at, _)| program.last.iter().any(|last| last.state == *at));
        ends.map(|(_, state)| state).collect()
    };
    each(compiled, law, sets, &bound, &letters, &next);
    Some(())
}

/// Steps a law over any number of letters; `None` if there are too many.
fn any(
    compiled: &CompiledPolicy,
    (law, bits): (LawId, &LawBits),
    sets: &mut StateSets,
    (letters, open): (&[Letter], &Letter),
    told: &RegisterTruths,
) -> Option<()> {
    let own: Vec<BitId> = open.iter().filter(|bit| bits.direct.contains(bit)).collect();
    if own.len() > MOST_OPEN {
        return None;
    }
    let told = told.0.first().map_or(&[][..], Vec::as_slice);
    let nothing = Letter::new();
    let mut all: Vec<Letter> = Vec::new();
    for letter in letters.iter().chain([&nothing]) {
        for set in 0..1_usize << own.len() {
            let mut one = letter.clone();
            for (i, &bit) in own.iter().enumerate() {
                if set >> i & 1 == 1 {
                    one.insert(bit)
                } else {
                    one.remove(bit)
                };
            }
            // Without any bit there was no event.
            if one.is_empty() && open.iter().all(|bit| own.contains(&bit)) {
                continue;
            }
            for one in variants(&one, told, bits)? {
                if !all.contains(&one) {
                    all.push(one);
                }
            }
        }
    }
    sets.step(compiled, None, &|set, _| {
        closure(set, |state| all.iter().map(move |letter| compiled.step(law, state, letter)))
    });
    Some(())
}
