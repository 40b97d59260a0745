//! The letters that the players can choose.

use super::functions::{FunctionBuilder, Values};
use super::layout::Turns;
use crate::language::{ActionId, LawAtom, OUTCOMES, PropositionId};
use tsl_synth_core::base::{Id, Limit};
use tsl_synth_core::logic::{BitId, Guard};
use tsl_synth_core::model::CallOutcome;

impl FunctionBuilder<'_> {
    fn value(&self, values: &Values, atom: LawAtom) -> Guard {
        values[self.compiled.policy.atoms.bit(atom).index()]
    }
    fn any(&mut self, all: impl IntoIterator<Item = Guard>) -> Guard {
        all.into_iter().fold(Guard::FALSE, |sum, one| self.store.or(sum, one))
    }
    /// Letters in which at most one of these holds, and those in which none does.
    fn at_most_one(&mut self, all: &[Guard]) -> (Guard, Guard) {
        let (mut none, mut one) = (Guard::TRUE, Guard::FALSE);
        for &own in all {
            one = self.store.ite(own, none, one);
            none = self.store.minus(none, own);
        }
        (self.store.or(none, one), none)
    }
    /// The letters that have at most one call.
    pub(super) fn few_calls(&mut self, values: &Values) -> Guard {
        let ids = self.compiled.policy.atoms.actions.ids();
        let calls: Vec<Guard> = ids.map(|id| self.value(values, LawAtom::Call(id))).collect();
        self.at_most_one(&calls).0
    }
    /// The letters that have exactly one call.
    pub(super) fn one_call(&mut self, values: &Values) -> Guard {
        let ids = self.compiled.policy.atoms.actions.ids();
        let calls: Vec<Guard> = ids.map(|id| self.value(values, LawAtom::Call(id))).collect();
        let (some, none) = self.at_most_one(&calls);
        self.store.minus(some, none)
    }
    /// The letters without bits that only the agent raises.
    pub(super) fn nothing_of_agent(&mut self, values: &Values) -> Guard {
        self.none_of(values, true)
    }
    /// The letters without bits that the world raises.
    pub(super) fn nothing_of_world(&mut self, values: &Values) -> Guard {
        let none = self.none_of(values, false);
        match self.layout.blank {
            Some(blank) => {
                let blank = self.store.bit(blank);
                self.store.minus(none, blank)
            }
            None => none,
        }
    }
    fn none_of(&mut self, values: &Values, agents: bool) -> Guard {
        let atoms = &self.compiled.policy.atoms;
        let mut none = Guard::TRUE;
        for (at, &value) in values.iter().enumerate() {
            if self.roles.is_agents(atoms.atom(BitId::from_index(at))) == agents {
                none = self.store.minus(none, value);
            }
        }
        none
    }
    /// The letters in which no proposition is both set and cleared and each action has at most one outcome; with
    /// `one_outcome` also at most one outcome in total.
    pub(super) fn consistent(&mut self, values: &Values, one_outcome: bool) -> Result<Guard, Limit> {
        let atoms = &self.compiled.policy.atoms;
        let mut all = Guard::TRUE;
        for id in atoms.propositions.ids().filter(|&id| atoms.propositions[id].is_state) {
            let (set, clear) =
                (self.value(values, LawAtom::Proposition(id)), self.value(values, LawAtom::Clear(id)));
            let both = self.store.and(set, clear);
            all = self.store.minus(all, both);
        }
        let mut outcomes = Vec::new();
        for id in atoms.actions.ids() {
            let mut own: Vec<Guard> =
                OUTCOMES.iter().map(|&outcome| self.value(values, LawAtom::Result(id, outcome))).collect();
            own.sort_unstable();
            own.dedup();
            own.retain(|&one| one != Guard::FALSE);
            outcomes.extend(own.iter().copied());
            let one = self.at_most_one(&own).0;
            all = self.store.and(all, one);
        }
        if one_outcome {
            let one = self.at_most_one(&outcomes).0;
            all = self.store.and(all, one);
        }
        self.tick()?;
        Ok(all)
    }
    fn ends(&mut self, values: &Values, id: ActionId) -> Guard {
        let outcomes = OUTCOMES.map(|outcome| self.value(values, LawAtom::Result(id, outcome)));
        self.any(outcomes)
    }
    /// Letters of an action that may set or clear a proposition: those with its outcome; also those with its call, if
    /// the world's truths come after the call in the letter, or the agent raises the proposition.
    fn letters_of(&mut self, values: &Values, id: PropositionId, sets: bool) -> Guard {
        let policy = &self.compiled.policy;
        let with_call = self.layout.turns == Turns::CallFirst || self.roles.is_agents[id];
        let mut all = Guard::FALSE;
        for (action, effects) in policy.effects.enumerate() {
            let Some(effects) = effects else { continue };
            let lists =
                if sets { [&effects.may_set, &effects.sets] } else { [&effects.may_clear, &effects.clears] };
            if lists.iter().any(|list| list.contains(&id)) {
                let ends = self.ends(values, action);
                all = self.store.or(all, ends);
                if with_call {
                    let call = self.value(values, LawAtom::Call(action));
                    all = self.store.or(all, call);
                }
            }
        }
        all
    }
    /// The letters that respect the declared effects: a proposition that some action's effects name changes only in
    /// letters of such actions, and changes as declared when they succeed.
    pub(super) fn framed(&mut self, values: &Values) -> Result<Guard, Limit> {
        let policy = &self.compiled.policy;
        let mut all = Guard::TRUE;
        for id in policy.atoms.propositions.ids().filter(|&id| self.roles.is_framed[id]) {
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
                || self.roles.is_agents[id]
            {
                continue;
            }
            for (action, effects) in policy.effects.enumerate() {
                let Some(effects) = effects else { continue };
                let ok = self.value(values, LawAtom::Result(action, CallOutcome::Ok));
                if effects.sets.contains(&id) {
                    let either = self.store.or(holds, clearers);
                    let wrong = self.store.minus(ok, either);
                    all = self.store.minus(all, wrong);
                }
                if effects.clears.contains(&id) {
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
            for (at, &value) in values.iter().enumerate() {
                let binding = self.roles.of_atom(key, atoms.atom(BitId::from_index(at)));
                if binding.is_apart() {
                    apart = self.store.or(apart, value);
                }
                if !binding.is_for_all() {
                    for_all = self.store.minus(for_all, value);
                }
            }
            if let Some(blank) = self.layout.blank {
                let blank = self.store.bit(blank);
                let bindings = self.layout.blank_atoms.iter().map(|&atom| self.roles.of_atom(key, atom));
                let binding = bindings.reduce(super::roles::TableBinding::or).unwrap_or_default();
                if binding.is_apart() {
                    apart = self.store.or(apart, blank);
                }
                if !binding.is_for_all() {
                    for_all = self.store.minus(for_all, blank);
                }
            }
            let bits: Vec<Guard> = bits.iter().map(|&bit| self.store.bit(bit)).collect();
            let one = self.at_most_one(&bits).0;
            let every = bits.iter().fold(Guard::TRUE, |all, &bit| self.store.and(all, bit));
            let (apart, for_all) = (self.store.and(apart, one), self.store.and(for_all, every));
            let either = self.store.or(apart, for_all);
            all = self.store.and(all, either);
            self.tick()?;
        }
        Ok(all)
    }
}
