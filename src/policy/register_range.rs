//! The values that registers may have where a log leaves open which letters there were: for each register the one that
//! has counted the least and the one that has counted the most.
//!
//! A register counts, takes back and forgets what it counted: of two letters one always leaves at most what the other
//! one leaves. Only where two letters take back different amounts that is not so; any value is possible from there on.

use super::compiled::CompiledPolicy;
use super::possible_state::PossibleState;
use super::program::BoundLetter;
use super::register::{CountedLetter, RegisterState};
use crate::language::{LawAtom, RegisterId};
use std::sync::Arc;
use tsl_synth_core::base::{Decimal, Id, IdVec};
use tsl_synth_core::logic::{BitId, Letter};

/// The values of one register.
#[derive(Clone, Debug)]
struct RegisterRange {
    least: Arc<RegisterState>,
    most: Arc<RegisterState>,
    /// Whether any value is possible.
    is_any: bool,
}

/// The values of all registers.
#[derive(Clone, Debug)]
pub(super) struct RegisterRanges(IdVec<RegisterId, RegisterRange>);

/// What may be true of the proposition of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MayHold {
    pub(super) bit: BitId,
    pub(super) yes: bool,
    pub(super) no: bool,
}

/// A letter that an event may add; `None` if it may add none.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Choice {
    pub(super) letter: Option<BoundLetter>,
    /// The letter is possible only for laws and registers that read one of these bits (`true`), or none of them.
    pub(super) only_if: Vec<(Vec<BitId>, bool)>,
}

impl Choice {
    pub(super) fn of(letter: BoundLetter) -> Self {
        Self { letter: Some(letter), only_if: Vec::new() }
    }
    /// Whether the letter is possible for a reader of these bits.
    pub(super) fn is_for(&self, reads: impl Fn(BitId) -> bool) -> bool {
        self.only_if.iter().all(|(bits, does)| bits.iter().any(|&bit| reads(bit)) == *does)
    }
}

impl RegisterRanges {
    /// The values in all possible states of the session.
    pub(super) fn new(compiled: &CompiledPolicy, worlds: &[PossibleState]) -> Self {
        let range = |id: RegisterId| {
            let states = worlds.iter().map(|world| &world.registers[id.index()]);
            let first = worlds[0].registers[id.index()].clone();
            let is_any = states.clone().any(|state| *state != first);
            RegisterRange { least: first.clone(), most: first, is_any }
        };
        Self(compiled.policy.registers.ids().map(range).collect())
    }
    /// Reads a letter that is one of these; returns for each of them what it says of the propositions of registers.
    pub(super) fn step(
        &mut self,
        compiled: &CompiledPolicy,
        choices: &[Choice],
        time: Option<i64>,
    ) -> Vec<Vec<MayHold>> {
        let policy = &compiled.policy;
        let guards = &policy.guards;
        let mut all = vec![Vec::new(); choices.len()];
        for (id, register) in policy.registers.enumerate() {
            let own = &mut self.0[id];
            let reads: Vec<BitId> = [register.on, register.returned_on, register.reset_on]
                .iter()
                .flat_map(|&guard| guards.support(guard))
                .collect();
            let (mut least, mut most): (Option<Arc<RegisterState>>, Option<Arc<RegisterState>>) =
                (None, None);
            let mut returned: Vec<Option<Decimal>> = Vec::new();
            for (choice, told) in choices.iter().zip(&mut all) {
                let (mut low, mut high) = (own.least.clone(), own.most.clone());
                if let Some(letter) = &choice.letter {
                    let read = CountedLetter { letter, time, guards, is_due: true };
                    let of_low = RegisterState::read(&mut low, (id, register), read);
                    let of_high = RegisterState::read(&mut high, (id, register), read);
                    let bit = policy.atoms.bit(LawAtom::Proposition(register.proposition));
                    let (yes, no) = (of_high.is_over || own.is_any, !of_low.is_over || own.is_any);
                    told.push(MayHold { bit, yes, no });
                    returned.extend(of_low.returned.is_some().then_some(of_low.returned));
                }
                if choice.is_for(|bit| reads.contains(&bit)) {
                    // Numbers of several values cannot be compared.
                    own.is_any |= least.as_ref().is_some_and(|least| least.each != low.each);
                    least = least.filter(|least| least.value <= low.value).or(Some(low));
                    most = most.filter(|most| most.value >= high.value).or(Some(high));
                }
            }
            own.is_any |= returned.windows(2).any(|two| two[0] != two[1]);
            if let Some((least, most)) = least.zip(most) {
                (own.least, own.most) = (least, most);
            }
        }
        all
    }
    /// Takes over what other sessions have counted.
    pub(super) fn read_totals(&mut self, worlds: &[PossibleState]) {
        for (own, told) in self.0.iter_mut().zip(&worlds[0].registers) {
            for state in [&mut own.least, &mut own.most] {
                RegisterState::set_others(state, None, &told.others);
                for (key, of_key) in told.each.iter() {
                    RegisterState::set_others(state, Some(key), &of_key.others);
                }
            }
        }
    }
    /// Any values of one register are possible from now on.
    pub(super) fn open(&mut self, register: RegisterId) {
        self.0[register].is_any = true;
    }
    /// Any values are possible from now on.
    pub(super) fn lose(&mut self) {
        for own in &mut self.0 {
            own.is_any = true;
        }
    }
    /// Reads letters of which there are any number, whose open bits may have any values. Returns what is possible for the
    /// propositions of registers in them.
    pub(super) fn step_any<'l>(
        &mut self,
        compiled: &CompiledPolicy,
        letters: &(impl Iterator<Item = &'l Letter> + Clone),
        open: &Letter,
    ) -> Vec<MayHold> {
        let policy = &compiled.policy;
        let mut all = Vec::new();
        for (id, register) in policy.registers.enumerate() {
            let own = &mut self.0[id];
            let bit = policy.atoms.bit(LawAtom::Proposition(register.proposition));
            let guards = [register.on, register.returned_on, register.reset_on];
            let is_open = |&guard: &_| policy.guards.support(guard).iter().any(|&bit| open.contains(bit));
            let is_touched = |&guard: &_| letters.clone().any(|one| policy.guards.contains(guard, one));
            own.is_any |=
                open.contains(bit) || guards.iter().any(|guard| is_open(guard) || is_touched(guard));
            let (yes, no) = (
                own.most.is_over(register, true) || own.is_any,
                !own.least.is_over(register, false) || own.is_any,
            );
            all.push(MayHold { bit, yes, no });
        }
        all
    }
}
