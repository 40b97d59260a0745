//! Positions as plain data, and the effect of letters on them. A position does not depend on the laws that a game
//! keeps, so that all games of a policy share it.

use super::layout::{Turns, top, turns};
use super::parts::PolicyPart;
use super::rows::Rows;
use crate::language::{ActionId, LawAtom, LawId, LawKind, OUTCOMES, RegisterId};
use crate::roles::Roles;
use crate::{CompiledPolicy, Key, LawState, PossibleState};
use std::collections::BTreeMap;
use std::sync::Arc;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{BitId, Letter};

/// A letter and, for each list of bound values, the copies of laws that it reaches, as a mask.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct GameLetter {
    /// The bits of the letter, computed propositions included.
    pub bits: Letter,
    /// The copies that it reaches; as many as there are lists of bound values.
    pub reaches: Vec<u32>,
}

/// A position in the games of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyPosition {
    /// The states of the monitors of each law: for each track one for each copy.
    pub laws: Rows,
    /// The number of calls without an outcome, for each action and for the copies that the calls reach.
    pub pending: BTreeMap<(ActionId, Vec<u32>), u32>,
    /// The number of each register on each track, up to the first number above its bound; for a sum, 1 if it is above.
    pub registers: Rows,
    /// The last letter; empty unless the turns are [`Turns::CallFirst`].
    pub last: Letter,
    /// The truths since the last letter; empty unless the turns are [`Turns::TruthsFirst`].
    pub truths: Letter,
}

/// The effect of letters on positions with a fixed number of copies of laws and a fixed number of tracks.
#[derive(Clone, Debug)]
pub struct Stepping {
    compiled: Arc<CompiledPolicy>,
    roles: Arc<Roles>,
    copies: usize,
    tracks: usize,
    turns: Turns,
}

impl Stepping {
    /// For positions with `copies` copies of each law with bound values, on `tracks` tracks.
    pub fn new(compiled: Arc<CompiledPolicy>, copies: usize, tracks: usize) -> Self {
        let policy = &compiled.policy;
        let roles = compiled.roles.clone();
        let turns = turns(policy);
        Self { compiled, roles, copies, tracks, turns }
    }
    /// The policy.
    pub fn compiled(&self) -> &Arc<CompiledPolicy> {
        &self.compiled
    }
    /// How the players take turns.
    pub fn turns(&self) -> Turns {
        self.turns
    }
    /// The lists of bound values, in the order of masks.
    pub fn keys(&self) -> &[Vec<String>] {
        &self.roles.keys
    }
    /// Whether calls of an action are bound to values that laws have copies for.
    pub fn is_bound(&self, action: ActionId) -> bool {
        (0..self.roles.keys.len()).any(|key| self.roles.of_call(key, action).is_apart())
    }
    /// Whether calls of an action are bound to values of a list.
    pub fn is_bound_by(&self, list: usize, action: ActionId) -> bool {
        self.roles.of_call(list, action).is_apart()
    }
    /// The list of bound values of a law, if it has copies.
    pub fn key_of(&self, law: LawId) -> Option<usize> {
        let names = &self.compiled.policy.laws[law].for_each;
        self.roles.keys.iter().position(|key| key == names)
    }
    /// The position before the first letter.
    pub fn initial(&self) -> PolicyPosition {
        let policy = &self.compiled.policy;
        let copies = |law| if self.key_of(law).is_some() { self.copies } else { 1 };
        PolicyPosition {
            laws: policy.laws.ids().map(|law| vec![0; copies(law) * self.tracks]).collect(),
            pending: BTreeMap::new(),
            registers: vec![vec![0; self.tracks]; policy.registers.len()].into(),
            last: Letter::new(),
            truths: Letter::new(),
        }
    }
    /// The position of a possible state of a session, on one track, with these copies of the laws for each list of
    /// bound values, the same number for every list. With a part everything that does not concern it is left out: the
    /// position is only meant for games of that part.
    pub fn position_of(
        &self,
        world: &PossibleState,
        copies: &[Vec<Key>],
        part: Option<&PolicyPart>,
    ) -> PolicyPosition {
        let policy = &self.compiled.policy;
        let states = |law: LawId| match (world.law(law), self.key_of(law)) {
            (LawState::Each(own), Some(list)) => copies[list].iter().map(|key| own.state_for(key)).collect(),
            (state, _) => vec![state.some_state()],
        };
        let mut pending = BTreeMap::new();
        let count = copies.first().map_or(1, Vec::len);
        for call in &world.pending {
            let concerns = |action: &ActionId| part.is_none_or(|part| part.actions.contains(action));
            let reaches: Vec<u32> = self
                .roles
                .keys
                .iter()
                .zip(copies)
                .map(|(list, keys)| mask(list, keys, &call.bindings))
                .collect();
            for &action in call.last.actions.iter().filter(|action| concerns(action)) {
                *pending.entry((action, self.slot_among(count, action, &reaches))).or_insert(0) += 1;
            }
        }
        let value = |id: RegisterId| {
            let register = &policy.registers[id];
            let value = world.register(id);
            vec![if register.is_exact() {
                value.saturating_u32().min(top(policy, id))
            } else {
                u32::from(*value > register.limit)
            }]
        };
        let truths = match (self.turns, &world.gathered) {
            (Turns::TruthsFirst, Some(gathered)) => gathered.letter.clone(),
            _ => Letter::new(),
        };
        let mut position = PolicyPosition {
            laws: Rows::default(),
            pending,
            registers: Rows::default(),
            last: world.last.clone(),
            truths,
        };
        if let Some(part) = part {
            part.laws.iter().for_each(|&law| position.laws[law.index()] = states(law));
            part.registers.iter().for_each(|&id| position.registers[id.index()] = value(id));
        } else {
            position.laws = policy.laws.ids().map(states).collect();
            position.registers = policy.registers.ids().map(value).collect();
        }
        position
    }
    /// Joins positions that read the same letters, each on a track of its own. Calls that are pending in one of them
    /// are taken to be pending in all; the last letter and the truths since then are those of the first one.
    ///
    /// # Panics
    /// If their number is not that of the tracks, or if some position has more than one track.
    pub(super) fn joined(&self, positions: &[PolicyPosition]) -> PolicyPosition {
        assert_eq!(positions.len(), self.tracks, "a position for each track");
        let mut all = self.initial();
        let pick = |of: &dyn Fn(&PolicyPosition) -> &[u32]| {
            positions.iter().flat_map(|one| of(one).to_vec()).collect()
        };
        for (law, states) in all.laws.enumerate_mut() {
            let joined: Vec<u32> = pick(&|one| &one.laws[law]);
            assert!(joined.is_empty() || joined.len() == states.len(), "a position of one track");
            *states = joined;
        }
        for (register, values) in all.registers.enumerate_mut() {
            *values = pick(&|one| &one.registers[register]);
        }
        for one in positions {
            for (slot, &count) in &one.pending {
                let own = all.pending.entry(slot.clone()).or_insert(0);
                *own = count.max(*own);
            }
        }
        (all.last, all.truths) = (positions[0].last.clone(), positions[0].truths.clone());
        all
    }
    fn bit(&self, atom: LawAtom) -> BitId {
        self.compiled.policy.atoms.bit(atom)
    }
    /// Whether a letter reaches the copy whose state has this index among the states of a law.
    fn reaches(&self, law: LawId, at: usize, letter: &GameLetter) -> bool {
        let key = self.key_of(law);
        key.is_none_or(|key| letter.reaches.get(key).is_none_or(|mask| mask >> (at % self.copies) & 1 == 1))
    }
    /// The states of a law after a letter, before a violated soft law restarts.
    fn states_after(
        &self,
        position: &PolicyPosition,
        law: LawId,
        letter: &GameLetter,
        reported: &[Letter],
    ) -> Vec<u32> {
        let states = &position.laws[law.index()];
        let copies = states.len() / self.tracks;
        let of = |(at, &state): (usize, &u32)| {
            let track = at / copies;
            if self.reaches(law, at, letter) {
                self.compiled.step(law, state, &reported[track])
            } else {
                state
            }
        };
        states.iter().enumerate().map(of).collect()
    }
    /// The letter as each track reads it, and the registers after it. With `is_told` the computed propositions are
    /// taken from the letter, otherwise from the registers.
    fn registers_after(
        &self,
        position: &PolicyPosition,
        letter: &Letter,
        is_told: bool,
    ) -> (Vec<Letter>, Rows) {
        let policy = &self.compiled.policy;
        let (mut reported, mut registers) = (vec![letter.clone(); self.tracks], position.registers.clone());
        for (track, own) in reported.iter_mut().enumerate() {
            if !is_told {
                for register in &policy.registers {
                    own.remove(self.bit(LawAtom::Proposition(register.proposition)));
                }
            }
            for (id, register) in policy.registers.enumerate() {
                let bit = self.bit(LawAtom::Proposition(register.proposition));
                // The position of a part has only the registers of the part.
                let Some(value) = registers[id.index()].get_mut(track) else { continue };
                let is_sum = !register.is_exact();
                if !is_sum && policy.guards.contains(register.on, own) {
                    *value = (*value + 1).min(top(policy, id));
                }
                if !is_told {
                    if *value >= top(policy, id) {
                        own.insert(bit);
                    }
                } else if is_sum {
                    *value = u32::from(own.contains(bit));
                }
                if policy.guards.contains(register.reset_on, own) {
                    *value = 0;
                }
            }
        }
        (reported, registers)
    }
    /// The laws that a letter violates and that were not violated before, each once.
    pub fn violates(&self, position: &PolicyPosition, letter: &GameLetter) -> Vec<LawId> {
        let (reported, _) = self.registers_after(position, &letter.bits, self.tracks == 1);
        let violated = |&law: &LawId| {
            let monitor = &self.compiled.monitors[law];
            let before = position.laws[law.index()].iter();
            let after = self.states_after(position, law, letter, &reported);
            let is_live = |state: u32| monitor.dfa().is_live(state);
            before.zip(after).any(|(&before, after)| is_live(before) && !is_live(after))
        };
        self.compiled.policy.laws.ids().filter(violated).collect()
    }
    /// The position after a letter. A violated soft law restarts. A track on which a letter of the world breaks an
    /// `assume` law is not removed: the caller has to drop it.
    pub fn after(&self, position: &PolicyPosition, letter: &GameLetter) -> PolicyPosition {
        let policy = &self.compiled.policy;
        let (reported, registers) = self.registers_after(position, &letter.bits, self.tracks == 1);
        let mut laws = Vec::with_capacity(policy.laws.len());
        for (law, rule) in policy.laws.enumerate() {
            let mut states = self.states_after(position, law, letter, &reported);
            if rule.kind == LawKind::Soft {
                for state in &mut states {
                    let is_live = self.compiled.monitors[law].dfa().is_live(*state);
                    *state = if is_live { *state } else { 0 };
                }
            }
            laws.push(states);
        }
        let mut pending = position.pending.clone();
        for action in policy.atoms.actions.ids() {
            if letter.bits.contains(self.bit(LawAtom::Call(action))) {
                let own = pending.entry((action, self.slot(action, &letter.reaches))).or_insert(0);
                *own = own.saturating_add(1);
            }
            let ends =
                OUTCOMES.iter().any(|&one| letter.bits.contains(self.bit(LawAtom::Result(action, one))));
            // If truths accumulate before a call, outcomes are counted when they are observed.
            if ends && self.turns != Turns::TruthsFirst {
                self.end(&mut pending, action, &letter.reaches);
            }
        }
        let last = if self.turns == Turns::CallFirst { letter.bits.clone() } else { Letter::new() };
        PolicyPosition { laws: laws.into(), pending, registers, last, truths: Letter::new() }
    }
    /// The slot in which a call of an action that reaches these copies is counted; calls that are never bound share
    /// one.
    fn slot(&self, action: ActionId, reaches: &[u32]) -> Vec<u32> {
        self.slot_among(self.copies, action, reaches)
    }
    fn slot_among(&self, copies: usize, action: ActionId, reaches: &[u32]) -> Vec<u32> {
        let all = (1 << copies) - 1;
        let mask = |(key, &mask)| if self.roles.of_call(key, action).is_apart() { mask } else { all };
        reaches.iter().enumerate().map(mask).collect()
    }
    /// Removes one pending call that reaches the same copies.
    fn end(&self, pending: &mut BTreeMap<(ActionId, Vec<u32>), u32>, action: ActionId, reaches: &[u32]) {
        let slot = (action, self.slot(action, reaches));
        if let Some(count) = pending.get_mut(&slot) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                pending.remove(&slot);
            }
        }
    }
    /// The position after truths that join the next letter.
    pub fn observed(&self, position: &PolicyPosition, bits: &Letter) -> PolicyPosition {
        let policy = &self.compiled.policy;
        let mut next = position.clone();
        for bit in bits.iter() {
            match policy.atoms.atom(bit) {
                LawAtom::Proposition(id) => {
                    next.truths.remove(self.bit(LawAtom::Clear(id)));
                }
                LawAtom::Clear(id) => {
                    next.truths.remove(self.bit(LawAtom::Proposition(id)));
                }
                LawAtom::Result(action, _) => {
                    let reaches = vec![(1 << self.copies) - 1; self.roles.keys.len()];
                    self.end(&mut next.pending, action, &reaches);
                }
                LawAtom::Call(_) | LawAtom::Opaque => {}
            }
            next.truths.insert(bit);
        }
        next
    }
    /// The laws that are not satisfied if the word ends here, each once. Truths that are not yet part of a letter form
    /// the last one.
    pub fn owed(&self, position: &PolicyPosition) -> Vec<LawId> {
        let last = GameLetter { bits: position.truths.clone(), reaches: Vec::new() };
        let (reported, _) = self.registers_after(position, &last.bits, false);
        let owes = |&law: &LawId| {
            let states = if position.truths.is_empty() {
                position.laws[law.index()].clone()
            } else {
                self.states_after(position, law, &last, &reported)
            };
            states.iter().any(|&state| !self.compiled.monitors[law].standing(state).holds())
        };
        self.compiled.policy.laws.ids().filter(owes).collect()
    }
}

/// The copies that a letter with these bindings reaches, as a mask: all of them, if it binds none of the names.
fn mask(names: &[String], keys: &[Key], bindings: &[(String, String)]) -> u32 {
    let value = |name: &String| bindings.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str());
    let agrees = |key: &Key| {
        names.iter().zip(key.iter()).all(|(name, own)| value(name).is_none_or(|v| own.as_deref() == Some(v)))
    };
    keys.iter().enumerate().fold(0, |mask, (i, key)| mask | u32::from(agrees(key)) << i)
}
