//! A possible state of a session: the states of all laws, the registers, and the calls without results.

use super::compiled::CompiledPolicy;
use super::copies::{Copies, known_values};
use super::excuse::Excuse;
use super::program::{BoundLetter, Last};
use super::register::{CountedLetter, RegisterState};
use crate::language::{LawAtom, LawId, LawKind, RegisterId, Timing, TraceMode};
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use tsl_synth_core::base::{Decimal, Id, IdSet};
use tsl_synth_core::logic::Letter;
use tsl_synth_core::model::{LawMonitor, LawStatus};

/// The state of a law.
#[derive(Clone, Debug)]
pub enum LawState {
    /// A law without bound values.
    One(u32),
    /// A law with a copy for each value.
    Each(Arc<Copies>),
}

impl LawState {
    /// Whether this is certainly the same state as another one, by the identity of the copies if there are any.
    pub fn is_untouched(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::One(own), Self::One(other)) => own == other,
            (Self::Each(own), Self::Each(other)) => Arc::ptr_eq(own, other),
            _ => false,
        }
    }
    /// The state, or that of the copy for values not seen.
    pub fn some_state(&self) -> u32 {
        match self {
            Self::One(state) => *state,
            Self::Each(copies) => copies.default_state(),
        }
    }
    /// The pairs of different states that copies have here and in another state of the same law, without duplicates.
    pub(super) fn differences(&self, other: &Self) -> FxHashSet<(u32, u32)> {
        let pairs: FxHashSet<(u32, u32)> = match (self, other) {
            (Self::Each(own), Self::Each(other)) if Arc::ptr_eq(own, other) => return FxHashSet::default(),
            (Self::Each(own), Self::Each(other)) => {
                let of_own = own.unordered().map(|(key, state)| (state, other.state_for(key)));
                let of_other = other.unordered().map(|(key, state)| (own.state_for(key), state));
                of_own.chain(of_other).collect()
            }
            _ => FxHashSet::from_iter([(self.some_state(), other.some_state())]),
        };
        pairs.into_iter().filter(|(one, other)| one != other).collect()
    }
}

/// Whether a law permits less in the first state than in the second, both of all copies; `None` if each permits
/// something that the other does not, as far as is known. Of a law about the world, a soft one, or one that is
/// violated in one of both, the states have to be equal, as those laws are not kept in all of them.
fn is_stricter(compiled: &CompiledPolicy, law: LawId, first: &LawState, second: &LawState) -> Option<bool> {
    let pairs = first.differences(second);
    let is_hard = compiled.policy.laws[law].kind == LawKind::Hard;
    let is_comparable =
        |&(one, other): &(u32, u32)| is_hard && compiled.is_live(law, one) == compiled.is_live(law, other);
    if !pairs.iter().all(is_comparable) {
        return None;
    }
    if pairs.iter().all(|&(one, other)| compiled.permits_no_more(law, other, one)) {
        return Some(false);
    }
    pairs.iter().all(|&(one, other)| compiled.permits_no_more(law, one, other)).then_some(true)
}

/// A call whose result has not arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingCall {
    /// The number of the call in the session.
    pub call: u64,
    /// The end of its program, with the possible outcomes of its actions.
    pub last: Last,
    /// The values that the call bound.
    pub bindings: Vec<(String, String)>,
}

/// A possible state of a session.
#[derive(Clone, Debug)]
pub struct PossibleState {
    /// The states of the laws, in their order.
    pub laws: Vec<LawState>,
    /// The registers, in their order.
    pub registers: Vec<Arc<RegisterState>>,
    /// Calls whose results have not arrived, oldest first. A call that stands here several times may have ended in each
    /// of these ways.
    pub pending: Vec<Arc<PendingCall>>,
    /// With one letter per action: the truths that are not yet part of a letter, and the action before them if it is
    /// chosen first.
    pub gathered: Option<BoundLetter>,
    /// The last letter; only maintained if the action is chosen before the rest of its letter.
    pub last: Letter,
    /// The number of letters so far.
    pub letters: u64,
    /// Whether a value was not distinguished because there are too many.
    pub overflowed: bool,
    /// The laws whose violations are excused.
    pub excuse: Excuse,
    /// The laws that letters of the present event violated and for which that was excused, each once.
    pub excused: Vec<LawId>,
}

/// A letter as the laws read it.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenLetter {
    /// The letter, with computed propositions.
    pub letter: Letter,
    /// The values it is bound to.
    pub bindings: Vec<(String, String)>,
}

impl PossibleState {
    /// The state before the first letter.
    pub fn new(compiled: &CompiledPolicy) -> Self {
        let laws = compiled.policy.laws.iter().map(|law| {
            if law.for_each.is_empty() {
                LawState::One(0)
            } else {
                LawState::Each(Arc::new(Copies::new(law.for_each.clone())))
            }
        });
        let zero = Arc::new(RegisterState::default());
        Self {
            laws: laws.collect(),
            registers: compiled.policy.registers.iter().map(|_| zero.clone()).collect(),
            pending: Vec::new(),
            gathered: None,
            last: Letter::new(),
            letters: 0,
            overflowed: false,
            excuse: Excuse::Nothing,
            excused: Vec::new(),
        }
    }
    /// The state of a law.
    pub fn law(&self, law: LawId) -> &LawState {
        &self.laws[law.index()]
    }
    /// The value of a register.
    pub fn register(&self, register: RegisterId) -> &Decimal {
        &self.registers[register.index()].value
    }
    /// The ways in which a call whose result has not arrived may have ended.
    pub fn ends_of(&self, call: u64) -> impl Iterator<Item = &Arc<PendingCall>> {
        self.pending.iter().filter(move |one| one.call == call)
    }
    /// A step with a letter. The letter's own amounts are counted before registers are compared with their limits.
    pub fn step(&mut self, compiled: &CompiledPolicy, letter: &BoundLetter, time: Option<i64>) -> SeenLetter {
        let policy = &compiled.policy;
        let mut seen = letter.letter.clone();
        let due = compiled.due_registers(&letter.letter);
        for (id, register) in policy.registers.enumerate() {
            let read = CountedLetter { letter, time, guards: &policy.guards, is_due: due.contains(id) };
            if RegisterState::read(&mut self.registers[id.index()], (id, register), read).is_over {
                seen.insert(policy.atoms.bit(LawAtom::Proposition(register.proposition)));
            }
        }
        let told = compiled.without_assumed_outcomes(&seen);
        for id in self.due_laws(compiled, &seen, letter).iter() {
            // The class of the letter is the same for all copies.
            let decision = &compiled.decisions[id];
            let read = told.as_ref().filter(|_| compiled.reads_unknown_outcomes(id)).unwrap_or(&seen);
            let class = decision.class(read);
            let (covers, mut is_excused) = (self.excuse.covers(&policy.laws[id]), false);
            let mut next = |state: u32| {
                let next = decision.next(state, class);
                if !covers || compiled.is_live(id, next) || !compiled.is_live(id, state) {
                    return next;
                }
                is_excused = true;
                compiled.excused_step(id, state, &seen)
            };
            match &mut self.laws[id.index()] {
                LawState::One(state) => *state = next(*state),
                LawState::Each(copies) => {
                    let (values, is_unknown) = known_values(copies.names(), letter);
                    // Each copy may be the one that the letter is about, or not: the stricter one is assumed.
                    let next = |state: u32| {
                        let next = next(state);
                        if is_unknown { compiled.stricter(id, state, next) } else { next }
                    };
                    self.overflowed |= !Copies::step(copies, &values, policy.max_values, next);
                }
            }
            if is_excused && !self.excused.contains(&id) {
                self.excused.push(id);
            }
        }
        if policy.trace == TraceMode::PerAction && policy.timing == Timing::Next {
            self.last.clone_from(&seen);
        }
        self.letters += 1;
        SeenLetter { letter: told.unwrap_or(seen), bindings: letter.known_bindings() }
    }
    /// The laws whose states a letter may change, and those to which it adds copies for values seen for the first time.
    fn due_laws(&self, compiled: &CompiledPolicy, seen: &Letter, letter: &BoundLetter) -> IdSet<LawId> {
        let mut due = compiled.due(seen);
        for laws in compiled.laws_of_names() {
            let Some(LawState::Each(copies)) = laws.iter().next().map(|law| self.law(law)) else { continue };
            if !copies.has(&known_values(copies.names(), letter).0) {
                due.union_with(laws);
            }
        }
        due
    }
    /// Reads truths and outcomes of the world: a letter of their own, or, with one letter per action, part of the next
    /// one. `truths` are further propositions that hold.
    pub fn observe(
        &mut self,
        compiled: &CompiledPolicy,
        letter: &BoundLetter,
        truths: Option<&Letter>,
        time: Option<i64>,
    ) -> Option<SeenLetter> {
        if compiled.policy.trace == TraceMode::PerAction {
            self.gather(compiled, letter.clone(), false);
            return None;
        }
        Some(self.step_with(compiled, letter, truths, time))
    }
    /// Reads a call of the agent: a letter of its own, or one with the truths gathered so far; if the action is chosen
    /// first, it completes the previous letter and begins the next one. `truths` are further propositions that hold.
    pub fn act(
        &mut self,
        compiled: &CompiledPolicy,
        letter: &BoundLetter,
        truths: Option<&Letter>,
        time: Option<i64>,
    ) -> Option<SeenLetter> {
        match (compiled.policy.trace, compiled.policy.timing) {
            (TraceMode::PerAction, Timing::Next) => {
                let seen = self.flush(compiled, time);
                self.gathered = Some(letter.clone());
                seen
            }
            (TraceMode::PerAction, Timing::Same) => {
                self.gather(compiled, letter.clone(), false);
                let whole = self.gathered.take().unwrap_or_default();
                Some(self.step(compiled, &whole, time))
            }
            (TraceMode::PerEvent | TraceMode::StateChange, _) => {
                Some(self.step_with(compiled, letter, truths, time))
            }
        }
    }
    fn step_with(
        &mut self,
        compiled: &CompiledPolicy,
        letter: &BoundLetter,
        truths: Option<&Letter>,
        time: Option<i64>,
    ) -> SeenLetter {
        let Some(truths) = truths else { return self.step(compiled, letter, time) };
        let mut letter = letter.clone();
        letter.letter.extend(truths.iter());
        self.step(compiled, &letter, time)
    }
    /// Makes a letter of the truths that are not yet part of one, with the action before them if it is chosen first.
    /// Outcomes that no law reads form no letter alone: they would have joined the letter of the next action.
    pub fn flush(&mut self, compiled: &CompiledPolicy, time: Option<i64>) -> Option<SeenLetter> {
        let letter = self.gathered.take()?;
        let is_nothing = compiled.policy.timing == Timing::Same
            && letter.letter.iter().all(|bit| compiled.unread_outcomes().contains(bit));
        (!is_nothing).then(|| self.step(compiled, &letter, time))
    }
    /// Adds truths to the next letter, as in [`BoundLetter::join`].
    pub fn gather(&mut self, compiled: &CompiledPolicy, more: BoundLetter, complete: bool) {
        self.gathered.get_or_insert_default().join(more, complete, &compiled.policy.atoms);
    }
    /// A hash that is the same for states that are the same.
    pub fn hash(&self) -> u64 {
        let mut hasher = FxHasher::default();
        for law in &self.laws {
            if let LawState::One(state) = law {
                state.hash(&mut hasher);
            }
        }
        for one in &self.pending {
            (one.call, &one.last.actions, one.last.on_ok, one.last.on_failed).hash(&mut hasher);
        }
        hasher.finish()
    }
    /// Whether two states are equal, apart from the number of letters and from overflows.
    pub fn same(&self, other: &Self) -> bool {
        self.pending == other.pending && self.agrees(other)
    }
    /// Whether two states are equal, apart from the number of letters, overflows, and calls without actions of the policy.
    pub fn is_like(&self, other: &Self) -> bool {
        let named = |one: &&Arc<PendingCall>| !one.last.actions.is_empty();
        self.pending.iter().filter(named).eq(other.pending.iter().filter(named)) && self.agrees(other)
    }
    fn agrees(&self, other: &Self) -> bool {
        let same_law = |(a, b): (&LawState, &LawState)| match (a, b) {
            (LawState::One(a), LawState::One(b)) => a == b,
            (LawState::Each(a), LawState::Each(b)) => Arc::ptr_eq(a, b) || a.same(b),
            _ => false,
        };
        self.agrees_beside_laws(other) && self.laws.iter().zip(&other.laws).all(same_law)
    }
    fn agrees_beside_laws(&self, other: &Self) -> bool {
        self.registers == other.registers
            && self.gathered == other.gathered
            && self.last == other.last
            && self.excused == other.excused
    }
    /// The state in which each law permits no more than in either of two states that no later event can tell apart: it is
    /// kept from there if and only if it is kept from both. `None` if they can be told apart, or a law permits something
    /// else in each.
    pub fn strictest(&self, compiled: &CompiledPolicy, other: &Self) -> Option<Self> {
        if self.pending != other.pending || !self.agrees_beside_laws(other) {
            return None;
        }
        let mut joined = self.clone();
        for (id, _) in compiled.policy.laws.enumerate() {
            if is_stricter(compiled, id, other.law(id), self.law(id))? {
                joined.laws[id.index()] = other.law(id).clone();
            }
        }
        joined.letters = self.letters.max(other.letters);
        joined.overflowed |= other.overflowed;
        Some(joined)
    }
    /// Restarts the monitor of a law where the law is violated. If the action is chosen before the rest of its letter,
    /// the monitor restarts by reading the last letter, because the law relates the agent's next choice to it.
    pub fn restart(&mut self, compiled: &CompiledPolicy, law: LawId) {
        let monitor: &LawMonitor = &compiled.monitors[law];
        let is_chosen_first =
            compiled.policy.trace == TraceMode::PerAction && compiled.policy.timing == Timing::Next;
        let begun = if is_chosen_first && self.letters > 0 { compiled.step(law, 0, &self.last) } else { 0 };
        let begun = if monitor.dfa().is_live(begun) { begun } else { 0 };
        let renewed = |state: u32| if monitor.dfa().is_live(state) { state } else { begun };
        if self.violated_copies(compiled, law) == 0 {
            return;
        }
        match &mut self.laws[law.index()] {
            LawState::One(state) => *state = renewed(*state),
            LawState::Each(copies) => Arc::make_mut(copies).step_all(renewed),
        }
    }
    /// The number of copies of a law that are violated.
    pub fn violated_copies(&self, compiled: &CompiledPolicy, law: LawId) -> usize {
        let is_dead = |state: u32| !compiled.monitors[law].dfa().is_live(state);
        match &self.laws[law.index()] {
            LawState::One(state) => usize::from(is_dead(*state)),
            LawState::Each(copies) => copies.count(is_dead),
        }
    }
    /// The standing of a law: the worst of its copies.
    pub fn standing(&self, compiled: &CompiledPolicy, law: LawId) -> LawStatus {
        let monitor: &LawMonitor = &compiled.monitors[law];
        match &self.laws[law.index()] {
            LawState::One(state) => monitor.standing(*state),
            LawState::Each(copies) => {
                let worst = copies.states().into_iter().map(|state| monitor.standing(state)).min();
                worst.unwrap_or(LawStatus::CurrentlySatisfied)
            }
        }
    }
}
