//! The letters that the players can choose.

use super::functions::{FunctionBuilder, Values};
use super::layout::Turns;
use crate::language::{ActionId, LawAtom, OUTCOMES, PropositionId};
use crate::roles::{Change, TableBinding};
use tsl_synth_core::base::{Id, Limit};
use tsl_synth_core::logic::{BitId, Guard, Guards};
use tsl_synth_core::model::CallOutcome;

impl FunctionBuilder<'_> {
    fn value(&self, values: &Values, atom: LawAtom) -> Guard {
        values.bits[self.compiled.policy.atoms.bit(atom).index()]
    }
    fn any(&mut self, all: impl IntoIterator<Item = Guard>) -> Guard {
        all.into_iter().fold(Guard::FALSE, |sum, one| self.store.or(sum, one))
    }
    /// Letters in which at most one of these holds.
    fn at_most_one(&mut self, all: &[Guard]) -> Guard {
        let (mut none, mut one) = (Guard::TRUE, Guard::FALSE);
        // From the lowest variable on, so that each step adds nodes on top of those before it.
        for &own in all.iter().rev() {
            one = self.store.ite(own, none, one);
            none = self.store.minus(none, own);
        }
        self.store.or(none, one)
    }
    /// The letters without bits that the world raises.
    pub(super) fn nothing_of_world(&mut self, values: &Values) -> Guard {
        let atoms = &self.compiled.policy.atoms;
        let mut none = Guard::TRUE;
        for (at, &value) in values.bits.iter().enumerate().rev() {
            if value != Guard::FALSE && !self.roles.is_agents(atoms.atom(BitId::from_index(at))) {
                none = self.store.minus(none, value);
            }
        }
        self.store.minus(none, values.blank)
    }
    /// The letters with an outcome of an action.
    pub(super) fn ends(&mut self, values: &Values, id: ActionId) -> Guard {
        let outcomes = OUTCOMES.map(|outcome| self.value(values, LawAtom::Result(id, outcome)));
        self.any(outcomes)
    }
    /// The letters in which no proposition is both set and cleared and each action has at most one outcome.
    pub(super) fn consistent(&mut self, values: &Values) -> Result<Guard, Limit> {
        let atoms = &self.compiled.policy.atoms;
        let mut all = Guard::TRUE;
        for id in atoms.propositions.ids().rev().filter(|&id| atoms.propositions[id].is_state) {
            let (set, clear) =
                (self.value(values, LawAtom::Proposition(id)), self.value(values, LawAtom::Clear(id)));
            let both = self.store.and(set, clear);
            all = self.store.minus(all, both);
        }
        for id in atoms.actions.ids().rev() {
            let mut own: Vec<Guard> =
                OUTCOMES.iter().map(|&outcome| self.value(values, LawAtom::Result(id, outcome))).collect();
            own.retain(|&one| one != Guard::FALSE);
            own.sort_unstable();
            own.dedup();
            if own.len() > 1 {
                let one = self.at_most_one(&own);
                all = self.store.and(all, one);
            }
        }
        self.tick()?;
        Ok(all)
    }
    /// Letters of an action that may set or clear a proposition: those with its outcome; also those with its call, if
    /// the world's truths come after the call in the letter, or the agent raises the proposition.
    fn letters_of(&mut self, values: &Values, id: PropositionId, sets: bool) -> Guard {
        let roles = self.roles;
        let with_call = self.layout.turns == Turns::CallFirst || roles.is_agents[id];
        let mut all = Guard::FALSE;
        for effect in roles.effects[id].iter().filter(|effect| effect.may(sets)) {
            let ends = self.ends(values, effect.action);
            all = self.store.or(all, ends);
            if with_call {
                let call = self.value(values, LawAtom::Call(effect.action));
                all = self.store.or(all, call);
            }
        }
        all
    }
    /// The letters that respect the declared effects: a proposition that some action's effects name changes only in
    /// letters of such actions, and changes as declared when they succeed.
    pub(super) fn framed(&mut self, values: &Values) -> Result<Guard, Limit> {
        let (policy, roles) = (&self.compiled.policy, self.roles);
        let mut all = Guard::TRUE;
        for id in policy.atoms.propositions.ids().filter(|&id| !roles.effects[id].is_empty()) {
            let is_state = policy.atoms.propositions[id].is_state;
            let holds = self.value(values, LawAtom::Proposition(id));
            let (setters, clearers) = (self.letters_of(values, id, true), self.letters_of(values, id, false));
            let memory = self.layout.memory.iter().find(|(own, _)| *own == id).map(|&(_, bit)| bit);
            let before = memory.map_or(Guard::FALSE, |bit| self.store.bit(bit));
            let begins = self.store.minus(holds, before);
            let ceases = if is_state {
                self.value(values, LawAtom::Clear(id))
            } else {
                self.store.minus(before, holds)
            };
            for (change, allowed) in [(begins, setters), (ceases, clearers)] {
                let wrong = self.store.minus(change, allowed);
                all = self.store.minus(all, wrong);
            }
            if self.layout.letter[policy.atoms.bit(LawAtom::Proposition(id)).index()].is_none()
                || roles.is_agents[id]
            {
                continue;
            }
            for effect in
                roles.effects[id].iter().filter(|effect| [effect.set, effect.clear].contains(&Change::Sure))
            {
                let ok = self.value(values, LawAtom::Result(effect.action, CallOutcome::Ok));
                if effect.set == Change::Sure {
                    let either = self.store.or(holds, clearers);
                    let wrong = self.store.minus(ok, either);
                    all = self.store.minus(all, wrong);
                }
                if effect.clear == Change::Sure {
                    let done = if is_state { ceases } else { self.store.not(holds) };
                    let either = self.store.or(done, setters);
                    let wrong = self.store.minus(ok, either);
                    all = self.store.minus(all, wrong);
                }
            }
            self.tick()?;
        }
        Ok(all)
    }
    /// The letters that reach copies according to their tables: one or none of the distinguished copies if some atom of
    /// the letter may be bound, all if every atom may be unbound.
    pub(super) fn bound(&mut self, values: &Values) -> Result<Guard, Limit> {
        let atoms = &self.compiled.policy.atoms;
        let mut all = Guard::TRUE;
        for (key, bits) in self.layout.reach.iter().enumerate() {
            let (mut apart, mut for_all) = (Guard::FALSE, Guard::TRUE);
            let mut add = |store: &mut Guards, value: Guard, binding: TableBinding| {
                if binding.is_apart() {
                    apart = store.or(apart, value);
                }
                if !binding.is_for_all() {
                    for_all = store.minus(for_all, value);
                }
            };
            for (at, &value) in values.bits.iter().enumerate().rev() {
                if value != Guard::FALSE {
                    let binding = self.roles.of_atom(key, atoms.atom(BitId::from_index(at)));
                    add(&mut self.store, value, binding);
                }
            }
            if values.blank != Guard::FALSE {
                let bindings = self.layout.blank_atoms.iter().map(|&atom| self.roles.of_atom(key, atom));
                // Without atoms the letter is about other parts of the policy, and none of its copies matters.
                let for_all = TableBinding { none: true, ..TableBinding::default() };
                let binding = bindings.reduce(TableBinding::or).unwrap_or(for_all);
                add(&mut self.store, values.blank, binding);
            }
            let bits: Vec<Guard> = bits.iter().map(|&bit| self.store.bit(bit)).collect();
            let one = self.at_most_one(&bits);
            let every = bits.iter().fold(Guard::TRUE, |all, &bit| self.store.and(all, bit));
            let (apart, for_all) = (self.store.and(apart, one), self.store.and(for_all, every));
            let either = self.store.or(apart, for_all);
            all = self.store.and(all, either);
            self.tick()?;
        }
        Ok(all)
    }
}
