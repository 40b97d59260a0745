//! The states that a session may be in; a script whose outcome is unknown leads to several.

use super::compiled::CompiledPolicy;
use super::excuse::Excuse;
use super::observation::EventContent;
use super::possible_state::{PendingCall, PossibleState, SeenLetter};
use super::program::{BoundLetter, Last, Program};
use super::register::RegisterState;
use super::totals::told_totals;
use crate::language::{ActionId, LawAtom, LawId, TraceMode};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::Letter;
use tsl_synth_core::model::{CallOutcome, HostEvent, LawStatus};

/// The maximal number of possible states. Beyond it, states that only differ in how open calls ended are joined; if there
/// are still more, the standing of laws is unknown.
const MAX_WORLDS: usize = 64;

/// The standing of a law in the worst and the best of the possible states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StandingRange {
    /// In the worst.
    pub worst: LawStatus,
    /// In the best.
    pub best: LawStatus,
}

impl StandingRange {
    /// The standing, if it is the same in all possible states.
    pub fn sure(self) -> Option<LawStatus> {
        (self.worst == self.best).then_some(self.worst)
    }
    /// The name of the standing, or two names if it is not sure.
    pub fn words(self) -> String {
        match self.sure() {
            Some(standing) => standing.name().into(),
            None if self.best == LawStatus::Violated => LawStatus::Violated.name().into(),
            None => format!("{} or {}", self.worst.name(), self.best.name()),
        }
    }
}

/// The states that a session may be in. Each method that reads an event returns the letters that it adds, in the first
/// of the states.
#[derive(Clone, Debug)]
pub struct SessionState {
    worlds: Vec<PossibleState>,
    /// The propositions that hold; `None` unless letters are at changes of the state and one was read.
    truths: Option<Letter>,
    lost: bool,
}

impl SessionState {
    /// The state before the first event.
    pub fn new(compiled: &CompiledPolicy) -> Self {
        Self { worlds: vec![PossibleState::new(compiled)], truths: None, lost: false }
    }
    /// A session with these possible states, at least one, the propositions that hold, and whether there were more
    /// states.
    pub fn with_worlds(worlds: Vec<PossibleState>, truths: Option<Letter>, lost: bool) -> Self {
        Self { worlds, truths, lost }
    }
    /// The session with violations of these laws excused.
    pub fn excusing(mut self, excuse: Excuse) -> Self {
        self.set_excuse(excuse);
        self
    }
    /// Excuses violations of these laws from now on.
    pub fn set_excuse(&mut self, excuse: Excuse) {
        for world in &mut self.worlds {
            world.excuse = excuse;
        }
    }
    /// The laws whose violation by the present event is excused in some of the states, sorted.
    pub fn excused(&self) -> Vec<LawId> {
        let mut laws: Vec<LawId> =
            self.worlds.iter().flat_map(|world| world.excused.iter().copied()).collect();
        laws.sort_unstable();
        laws.dedup();
        laws
    }
    /// Forgets the excused violations: the present event is over.
    pub fn end_event(&mut self) {
        let is_any = self.worlds.iter().any(|world| !world.excused.is_empty());
        for world in &mut self.worlds {
            world.excused.clear();
        }
        if is_any && self.worlds.len() > 1 {
            self.reduce();
        }
    }
    /// Takes over what other sessions have counted, if that was found for an event.
    pub fn read_totals(&mut self, compiled: &CompiledPolicy, event: &HostEvent<'_>) {
        let Some(outside) = event.outside.as_ref().filter(|outside| !outside.totals.is_empty()) else {
            return;
        };
        for (register, name) in compiled.policy.registers_over_sessions() {
            for (key, total) in told_totals(name, &outside.totals) {
                for world in &mut self.worlds {
                    RegisterState::set_others(&mut world.registers[register.index()], key.as_ref(), &total);
                }
            }
        }
    }
    /// The propositions that hold; `None` unless letters are at changes of the state and one was read.
    pub fn truths(&self) -> Option<&Letter> {
        self.truths.as_ref()
    }
    /// The possible states; at least one.
    pub fn worlds(&self) -> &[PossibleState] {
        &self.worlds
    }
    /// Whether the possible states were too many to be followed.
    pub fn is_lost(&self) -> bool {
        self.lost
    }
    /// The standing of a law.
    pub fn standing(&self, compiled: &CompiledPolicy, law: LawId) -> StandingRange {
        let (mut worst, mut best) = (LawStatus::Satisfied, LawStatus::Violated);
        for world in &self.worlds {
            let one = world.standing(compiled, law);
            (worst, best) = (worst.min(one), best.max(one));
        }
        if self.lost && !best.is_final() {
            (worst, best) = (LawStatus::Violated, LawStatus::Satisfied);
        }
        StandingRange { worst, best }
    }
    /// Whether each of these states was possible before, apart from calls whose results concern no law; `false` if not
    /// all possible states are followed.
    pub fn is_unmoved(&self, before: &Self) -> bool {
        let was = |world: &PossibleState| before.worlds.iter().any(|other| world.is_like(other));
        !self.lost && !before.lost && self.truths == before.truths && self.worlds.iter().all(was)
    }
    /// Restarts a law in the states in which it is violated.
    pub fn restart(&mut self, compiled: &CompiledPolicy, law: LawId) {
        for world in &mut self.worlds {
            world.restart(compiled, law);
        }
    }
    fn each(&mut self, mut step: impl FnMut(&mut PossibleState) -> Option<SeenLetter>) -> Vec<SeenLetter> {
        let mut letters = Vec::new();
        for (i, world) in self.worlds.iter_mut().enumerate() {
            let seen = step(world);
            if i == 0 {
                letters.extend(seen);
            }
        }
        letters
    }
    /// If letters are at changes of the state: the letter of all propositions that hold, with the others cleared.
    fn all_truths(&self, compiled: &CompiledPolicy) -> Option<Letter> {
        let atoms = &compiled.policy.atoms;
        let mut all = self.truths.clone()?;
        for id in atoms.propositions.ids().filter(|&id| atoms.propositions[id].is_state) {
            if !all.contains(atoms.bit(LawAtom::Proposition(id))) {
                all.insert(atoms.bit(LawAtom::Clear(id)));
            }
        }
        Some(all)
    }
    /// Reads the content of an event.
    pub fn read(
        &mut self,
        compiled: &CompiledPolicy,
        reported: EventContent,
        time: Option<i64>,
    ) -> Vec<SeenLetter> {
        match reported {
            EventContent::Nothing => Vec::new(),
            EventContent::Call { call, program, .. } => self.call(compiled, call, &program, time, &|_| false),
            EventContent::Result { call, outcome, letter } => {
                self.result(compiled, call, outcome, &letter, time)
            }
            EventContent::Truths { letter, complete } => self.observe(compiled, &letter, complete, time),
            EventContent::Step { letter, action, ends } => {
                let mut letters = self.trace_step(compiled, letter, action, time);
                if ends {
                    letters.extend(self.flush(compiled, time));
                }
                letters
            }
            EventContent::End { letter } => {
                let mut letters = Vec::new();
                if let Some(letter) = letter {
                    letters = self.observe(compiled, &letter, false, time);
                }
                letters.extend(self.flush(compiled, time));
                letters
            }
            EventContent::Close => self.flush(compiled, time),
        }
    }
    /// Reads truths about the world; with `complete`, all of them.
    pub fn observe(
        &mut self,
        compiled: &CompiledPolicy,
        letter: &BoundLetter,
        complete: bool,
        time: Option<i64>,
    ) -> Vec<SeenLetter> {
        match compiled.policy.trace {
            TraceMode::PerEvent => self.each(|world| Some(world.step(compiled, letter, time))),
            TraceMode::PerAction => self.each(|world| {
                world.gather(compiled, letter.clone(), complete);
                None
            }),
            TraceMode::StateChange => {
                let atoms = &compiled.policy.atoms;
                let before = self.truths.take();
                let mut now = before.clone().filter(|_| !complete).unwrap_or_default();
                for bit in letter.letter.iter() {
                    match atoms.atom(bit) {
                        LawAtom::Clear(id) => now.remove(atoms.bit(LawAtom::Proposition(id))),
                        _ => now.insert(bit),
                    };
                }
                let is_changed = before.as_ref() != Some(&now);
                self.truths = Some(now);
                if !is_changed {
                    return Vec::new();
                }
                let whole = self.all_truths(compiled).unwrap_or_default();
                let letter = BoundLetter { letter: whole, ..letter.clone() };
                self.each(|world| Some(world.step(compiled, &letter, time)))
            }
        }
    }
    /// Reads a step of a trace over names: truths, then the action without arguments, then its success if some law
    /// reads it. With one letter per action, the truths are those before the action.
    pub fn trace_step(
        &mut self,
        compiled: &CompiledPolicy,
        letter: BoundLetter,
        action: Option<ActionId>,
        time: Option<i64>,
    ) -> Vec<SeenLetter> {
        let atoms = &compiled.policy.atoms;
        let (mut call, mut outcome) = (BoundLetter::default(), BoundLetter::default());
        if let Some(action) = action {
            call.letter.insert(atoms.bit(LawAtom::Call(action)));
            outcome.letter.insert(atoms.bit(LawAtom::Result(action, CallOutcome::Ok)));
        }
        match compiled.policy.trace {
            TraceMode::PerAction => {
                let mut letters = self.observe(compiled, &letter, true, time);
                if action.is_some() {
                    letters.extend(self.each(|world| {
                        let seen = world.act(compiled, &call, None, time);
                        world.gather(compiled, outcome.clone(), false);
                        seen
                    }));
                }
                letters
            }
            TraceMode::StateChange => self.observe(compiled, &letter, true, time),
            TraceMode::PerEvent => {
                let mut whole = letter;
                whole.join(call, false, atoms);
                let mut letters = self.each(|world| Some(world.step(compiled, &whole, time)));
                if action.is_some_and(|action| compiled.reads_outcome(action)) {
                    letters.extend(self.each(|world| Some(world.step(compiled, &outcome, time))));
                }
                letters
            }
        }
    }
    /// Makes a letter of the truths that are not yet part of one.
    pub fn flush(&mut self, compiled: &CompiledPolicy, time: Option<i64>) -> Vec<SeenLetter> {
        self.each(|world| world.flush(compiled, time))
    }
    /// Reads a call of the agent, whose result may follow under this number. Returns the letters that lead to the first
    /// state of interest; if there is none, to the first state.
    pub fn call(
        &mut self,
        compiled: &CompiledPolicy,
        call: u64,
        program: &Program,
        time: Option<i64>,
        is_of_interest: &dyn Fn(&PossibleState) -> bool,
    ) -> Vec<SeenLetter> {
        let truths = self.all_truths(compiled);
        // The bindings of the command whose outcome is that of the whole script.
        let bindings = |last: &Last| {
            let mut arrows = program.arrows.iter().flatten().filter(|arrow| arrow.to == last.state);
            let letter = arrows.find_map(|arrow| arrow.letter.as_ref());
            letter.map_or_else(Vec::new, |letter| letter.bindings.clone())
        };
        // How the program came to an end does not matter any more, so ends with the same outcomes are one.
        let pending = |last: &Last| {
            Arc::new(PendingCall { call, last: Last { state: 0, ..last.clone() }, bindings: bindings(last) })
        };
        if program.is_silent() {
            let last = Last::with(0, Vec::new());
            return self.each(|world| {
                world.pending.push(pending(&last));
                None
            });
        }
        if let Some(letter) = program.only_letter().filter(|_| program.last.len() < 2) {
            let last = program.last.first().cloned().unwrap_or_else(|| Last::with(0, Vec::new()));
            return self.each(|world| {
                let seen = world.act(compiled, letter, truths.as_ref(), time);
                world.pending.push(pending(&last));
                seen
            });
        }
        let (mut letters, mut is_found) = (None, false);
        let pending: Vec<Arc<PendingCall>> = program.last.iter().map(pending).collect();
        for world in std::mem::take(&mut self.worlds) {
            self.run(compiled, &world, program, truths.as_ref(), time, &mut |mut world, last, way| {
                world.pending.push(pending[last].clone());
                if letters.is_none() || !is_found && is_of_interest(&world) {
                    is_found = is_of_interest(&world);
                    letters = Some(way.to_vec());
                }
                world
            });
        }
        self.reduce();
        letters.unwrap_or_default()
    }
    /// Adds all states to which a program leads from `from`, by a breadth-first search over pairs of a program state
    /// and a session state; `end` is given the index of the end of the program.
    fn run(
        &mut self,
        compiled: &CompiledPolicy,
        from: &PossibleState,
        program: &Program,
        truths: Option<&Letter>,
        time: Option<i64>,
        end: &mut dyn FnMut(PossibleState, usize, &[SeenLetter]) -> PossibleState,
    ) {
        let mut seen: Vec<(usize, PossibleState, Vec<SeenLetter>)> = vec![(0, from.clone(), Vec::new())];
        let mut done = 0;
        while done < seen.len() {
            let (state, world, way) = seen[done].clone();
            done += 1;
            for (last, _) in program.last.iter().enumerate().filter(|(_, last)| last.state == state) {
                self.worlds.push(end(world.clone(), last, &way));
            }
            for arrow in &program.arrows[state] {
                let (mut next, mut way) = (world.clone(), way.clone());
                if let Some(letter) = &arrow.letter {
                    way.extend(if letter.has_call(&compiled.policy.atoms) {
                        next.act(compiled, letter, truths, time)
                    } else {
                        next.observe(compiled, letter, truths, time)
                    });
                }
                let is_known = seen.iter().any(|(at, other, _)| *at == arrow.to && other.same(&next));
                if !is_known && seen.len() < 4 * MAX_WORLDS {
                    seen.push((arrow.to, next, way));
                } else if !is_known {
                    self.lost = true;
                }
            }
        }
    }
    /// Removes duplicate states, and joins states if there are too many.
    fn reduce(&mut self) {
        self.remove_duplicates();
        while self.worlds.len() > MAX_WORLDS && self.join_ends() {
            self.remove_duplicates();
        }
        self.lost |= self.worlds.len() > MAX_WORLDS;
        self.worlds.truncate(MAX_WORLDS);
    }
    fn remove_duplicates(&mut self) {
        let mut known: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        let mut kept: Vec<PossibleState> = Vec::new();
        for world in self.worlds.drain(..) {
            let alike = known.entry(world.hash()).or_default();
            if !alike.iter().any(|&other| kept[other].same(&world)) {
                alike.push(kept.len());
                kept.push(world);
            }
        }
        self.worlds = kept;
    }
    /// Lets the oldest call whose ends differ between the states end in each of these ways in every state. That adds
    /// ways for the session to go on, and removes none. Returns whether there is such a call.
    fn join_ends(&mut self) -> bool {
        let [first, others @ ..] = self.worlds.as_slice() else { return false };
        let mut calls: Vec<u64> =
            self.worlds.iter().flat_map(|world| &world.pending).map(|one| one.call).collect();
        calls.sort_unstable();
        calls.dedup();
        let differs = |&&call: &&u64| others.iter().any(|world| !world.ends_of(call).eq(first.ends_of(call)));
        let Some(&call) = calls.iter().find(differs) else { return false };
        let mut ends: Vec<Arc<PendingCall>> = Vec::new();
        for one in self.worlds.iter().flat_map(|world| world.ends_of(call)) {
            if !ends.contains(one) {
                ends.push(one.clone());
            }
        }
        for world in &mut self.worlds {
            let place = world.pending.iter().position(|one| one.call >= call).unwrap_or(world.pending.len());
            world.pending.retain(|one| one.call != call);
            world.pending.splice(place..place, ends.iter().cloned());
        }
        true
    }
    /// Reads the result of a call, with the letter of its tables. States in which the call cannot have this outcome are
    /// ruled out, unless that leaves none.
    pub fn result(
        &mut self,
        compiled: &CompiledPolicy,
        call: Option<u64>,
        outcome: CallOutcome,
        letter: &BoundLetter,
        time: Option<i64>,
    ) -> Vec<SeenLetter> {
        self.end_call(compiled, call, outcome, time, &|way| {
            vec![result_letter(compiled, way, outcome, letter)]
        })
    }
    /// Reads the result of a call whose outcome the host does not know: the session goes on as if the call had succeeded
    /// and as if it had failed, with the letters that its tables have then. Laws that name `A.unknown` read that.
    pub fn result_of_unknown_outcome(
        &mut self,
        compiled: &CompiledPolicy,
        call: Option<u64>,
        told: &BoundLetter,
        ends: &[(CallOutcome, BoundLetter)],
        time: Option<i64>,
    ) -> Vec<SeenLetter> {
        let unknown = CallOutcome::Unknown;
        self.end_call(compiled, call, unknown, time, &|way| {
            let told = result_letter(compiled, way, unknown, told);
            let may_end = |outcome| way.is_none_or(|way| way.last.outcome(outcome).is_some());
            let mut letters: Vec<BoundLetter> = Vec::new();
            for (outcome, letter) in ends.iter().filter(|(outcome, _)| may_end(*outcome)) {
                let mut own = result_letter(compiled, way, *outcome, letter);
                own.letter =
                    own.letter.iter().filter(|&bit| !compiled.unread_outcomes().contains(bit)).collect();
                own.letter.extend(told.letter.iter());
                if !letters.contains(&own) {
                    letters.push(own);
                }
            }
            if letters.is_empty() { vec![told] } else { letters }
        })
    }
    fn end_call(
        &mut self,
        compiled: &CompiledPolicy,
        call: Option<u64>,
        outcome: CallOutcome,
        time: Option<i64>,
        letters_of: &dyn Fn(Option<&PendingCall>) -> Vec<BoundLetter>,
    ) -> Vec<SeenLetter> {
        let truths = self.all_truths(compiled);
        let ends_so = |pending: &Arc<PendingCall>| pending.last.outcome(outcome).is_some();
        let is_possible = |world: &PossibleState| {
            let mut ends = call.iter().flat_map(|&call| world.ends_of(call)).peekable();
            ends.peek().is_none() || ends.any(ends_so)
        };
        let rules_out = self.worlds.iter().any(is_possible);
        let mut letters = None;
        for mut world in std::mem::take(&mut self.worlds) {
            if rules_out && !is_possible(&world) {
                continue;
            }
            let (ended, open): (Vec<_>, Vec<_>) =
                world.pending.into_iter().partition(|one| Some(one.call) == call);
            world.pending = open;
            let mut ways: Vec<Option<Arc<PendingCall>>> =
                ended.into_iter().filter(|one| !rules_out || ends_so(one)).map(Some).collect();
            if ways.is_empty() {
                ways.push(None);
            }
            for own in ways.iter().flat_map(|way| letters_of(way.as_deref())) {
                let mut world = world.clone();
                let seen = (!own.letter.is_empty())
                    .then(|| world.observe(compiled, &own, truths.as_ref(), time))
                    .flatten();
                letters.get_or_insert(seen);
                self.worlds.push(world);
            }
        }
        if self.worlds.len() > 1 {
            self.reduce();
        }
        letters.flatten().into_iter().collect()
    }
    /// Joins states that no later event can tell apart: each law goes on from the state after which it permits least.
    /// The agent has to keep every law in all of these states, so that asks no more of it.
    pub fn join_indistinguishable(&mut self, compiled: &CompiledPolicy) {
        let mut at = 0;
        while at < self.worlds.len() {
            let joined = (at + 1..self.worlds.len())
                .find_map(|other| Some((other, self.worlds[at].strictest(compiled, &self.worlds[other])?)));
            match joined {
                Some((other, world)) => {
                    self.worlds[at] = world;
                    self.worlds.remove(other);
                }
                None => at += 1,
            }
        }
    }
}

/// The letter of the result of a call that ended in this way, given the letter of the tables about the result.
pub(super) fn result_letter(
    compiled: &CompiledPolicy,
    ended: Option<&PendingCall>,
    outcome: CallOutcome,
    letter: &BoundLetter,
) -> BoundLetter {
    let policy = &compiled.policy;
    let mut own = letter.clone();
    if let Some(PendingCall { last, bindings, .. }) = ended {
        let outcome = last.outcome(outcome).unwrap_or(outcome);
        own.letter.extend(last.actions.iter().map(|&one| policy.atoms.bit(LawAtom::Result(one, outcome))));
        for (name, value) in bindings {
            if !own.bindings.iter().any(|(known, _)| known == name) {
                own.bindings.push((name.clone(), value.clone()));
            }
        }
        own.bindings.sort();
    }
    own.amounts.retain(|(register, _)| {
        let register = &policy.registers[*register];
        [register.on, register.returned_on].iter().any(|&guard| policy.guards.contains(guard, &own.letter))
    });
    own
}
