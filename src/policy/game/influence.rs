//! How letters affect a law: which actions and propositions may help to keep it, which may make it harder to keep, and
//! which may violate it.
//!
//! A state `p` of a monitor **covers** a state `q`, or is *at least as good*, if every word that satisfies the law from `q`
//! satisfies it from `p`: the language of `p` includes that of `q`. The **source** of a bit of a letter is an action, for
//! its calls and their outcomes, or the bit itself, for a proposition. Let a letter with a source lead from some state to
//! `p`, and the same letter without the source to `q`; if nothing is left without it, `q` is the state before. The source
//! **helps** the law if `q` does not cover `p` for some such letter and state, and **harms** it if `p` does not cover `q`.

use super::layout::{Calm, calm};
use crate::CompiledPolicy;
use crate::language::{ActionId, LawAtom, LawId, LawKind, OUTCOMES};
use std::collections::{BTreeMap, BTreeSet};
use tsl_synth_core::logic::{BitId, Letter};

/// A law whose monitor has more states counts as helped and harmed by all that it reads.
const STATES: usize = 64;
/// So does a law that reads more bits of propositions.
const BITS: usize = 6;

/// How letters affect a law.
#[derive(Clone, Debug, Default)]
pub(super) struct Influence {
    /// All sources that the law reads, also through registers and effects.
    pub reads: BTreeSet<BitId>,
    /// Whether it may owe something: in some state it can still be kept, but is violated if the session ends there.
    pub may_owe: bool,
    /// The sources that may help it.
    pub helps: BTreeSet<BitId>,
    /// The sources that may harm it, except calls that do so only while it owes something.
    pub harms: BTreeSet<BitId>,
    /// The actions whose calls may harm it while it owes something.
    pub blocks: BTreeSet<BitId>,
    /// If it never owes anything: the sources whose letters may violate it, or after which letters of the world may.
    pub refuses: BTreeSet<BitId>,
    /// Whether all laws that read one of the same sources belong to its part, however they affect each other.
    pub is_joined: bool,
    /// Whether it may be harmed by a letter in which everything that it reads is false: it counts steps.
    pub counts_letters: bool,
    /// The sources whose outcomes may harm it.
    pub harmful_ends: BTreeSet<BitId>,
    /// For each pair of states whether the second covers the first; empty if that is not known.
    pub covered: Vec<bool>,
}

/// The source of a bit of letters.
fn source(compiled: &CompiledPolicy, bit: BitId) -> BitId {
    let atoms = &compiled.policy.atoms;
    match atoms.atom(bit) {
        LawAtom::Result(id, _) => atoms.bit(LawAtom::Call(id)),
        _ => bit,
    }
}

/// The action of a source.
pub(super) fn action_of(compiled: &CompiledPolicy, source: BitId) -> Option<ActionId> {
    match compiled.policy.atoms.atom(source) {
        LawAtom::Call(id) => Some(id),
        _ => None,
    }
}

/// How letters affect a law; `None` if it may depend on the letters about any other law.
pub(super) fn influence(compiled: &CompiledPolicy, law: LawId) -> Option<Influence> {
    let (policy, roles) = (&compiled.policy, &compiled.roles);
    let atoms = &policy.atoms;
    let guards = compiled.monitors[law].guards().iter().copied();
    let (mut found, mut has_registers, mut others) = (Influence::default(), false, Vec::new());
    found.is_joined = policy.laws[law].kind == LawKind::Assume || !policy.laws[law].for_each.is_empty();
    for bit in compiled.reads_through_registers(guards) {
        match atoms.atom(bit) {
            LawAtom::Proposition(id) | LawAtom::Clear(id) if atoms.propositions[id].is_computed => {
                has_registers = true;
                continue;
            }
            LawAtom::Proposition(id) | LawAtom::Clear(id) => {
                others.push(bit);
                found.is_joined |= roles.is_agents[id] || roles.is_framed(id);
                let effects = roles.effects[id].iter();
                found.reads.extend(effects.map(|effect| atoms.bit(LawAtom::Call(effect.action))));
                // Both bits of a proposition are about one name.
                found
                    .reads
                    .extend([LawAtom::Proposition(id), LawAtom::Clear(id)].map(|atom| atoms.bit(atom)));
            }
            LawAtom::Opaque => found.is_joined = true,
            LawAtom::Call(_) | LawAtom::Result(..) => {}
        }
        found.reads.insert(source(compiled, bit));
    }
    let monitor = &compiled.monitors[law];
    let dfa = monitor.dfa();
    found.may_owe = found.is_joined
        || (0..monitor.len() as u32).any(|state| dfa.is_live(state) && !dfa.is_accepting(state));
    let is_calm = calm(compiled, law) != Calm::No;
    if found.is_joined || has_registers || monitor.len() > STATES || others.len() > BITS {
        for sources in [&mut found.helps, &mut found.harms, &mut found.refuses, &mut found.harmful_ends] {
            sources.clone_from(&found.reads);
        }
        return is_calm.then_some(found);
    }
    others.sort_unstable();
    let letters = Letters::new(compiled, law, &found.reads, &others);
    found.counts_letters = !is_calm;
    let may_be_violated = letters.judge(&mut found);
    if !is_calm && (found.may_owe || may_be_violated || !letters.is_never_helped()) {
        return None;
    }
    found.covered = letters.covered;
    Some(found)
}

/// The part of a letter of the world that a law reads: the outcome of a call, if there is one, and the propositions that hold.
type WorldLetter = (Option<BitId>, BTreeSet<BitId>);

/// The letters that a law distinguishes.
struct Letters<'a> {
    compiled: &'a CompiledPolicy,
    law: LawId,
    states: usize,
    /// For each action that the law reads the class of its calls.
    calls: BTreeMap<BitId, u32>,
    /// The classes of the letters of the world.
    world: BTreeMap<WorldLetter, u32>,
    /// The class of letters in which everything that the law reads is false.
    none: u32,
    /// For each pair of states whether the second covers the first.
    covered: Vec<bool>,
}

impl<'a> Letters<'a> {
    fn new(compiled: &'a CompiledPolicy, law: LawId, reads: &BTreeSet<BitId>, others: &[BitId]) -> Self {
        let atoms = &compiled.policy.atoms;
        let decision = &compiled.decisions[law];
        let actions: Vec<ActionId> = reads.iter().filter_map(|&source| action_of(compiled, source)).collect();
        let call = |&id: &ActionId| {
            let bit = atoms.bit(LawAtom::Call(id));
            (bit, decision.class(&Letter::from_iter([bit])))
        };
        let calls = actions.iter().map(call).collect();
        let ends =
            actions.iter().flat_map(|&id| OUTCOMES.map(|one| Some(atoms.bit(LawAtom::Result(id, one)))));
        let outcomes: Vec<Option<BitId>> = std::iter::once(None).chain(ends).collect();
        let mut world = BTreeMap::new();
        for code in 0..1_usize << others.len() {
            let set = others.iter().enumerate().filter(|(i, _)| code >> i & 1 == 1);
            let set: BTreeSet<BitId> = set.map(|(_, &bit)| bit).collect();
            let is_opposite = |&bit: &BitId| match atoms.atom(bit) {
                LawAtom::Clear(id) => set.contains(&atoms.bit(LawAtom::Proposition(id))),
                _ => false,
            };
            if set.iter().any(is_opposite) {
                continue;
            }
            for &outcome in &outcomes {
                let class = decision.class(&set.iter().copied().chain(outcome).collect());
                world.insert((outcome, set.clone()), class);
            }
        }
        let none = decision.class(&Letter::new());
        let states = compiled.monitors[law].len();
        let mut letters = Self { compiled, law, states, calls, world, none, covered: Vec::new() };
        letters.compare();
        letters
    }
    fn after(&self, state: usize, class: u32) -> usize {
        self.compiled.decisions[self.law].next(state as u32, class) as usize
    }
    /// Whether the first state covers the second.
    fn covers(&self, good: usize, bad: usize) -> bool {
        self.covered[bad * self.states + good]
    }
    /// Whether a letter in which everything is false never helps the law: the state before it covers the one after it.
    fn is_never_helped(&self) -> bool {
        (0..self.states).all(|state| self.covers(state, self.after(state, self.none)))
    }
    /// Computes which states cover which others, as a greatest fixpoint.
    fn compare(&mut self) {
        let dfa = self.compiled.monitors[self.law].dfa();
        let accepts = |state: usize| dfa.is_accepting(state as u32);
        let pairs = (0..self.states).flat_map(|bad| (0..self.states).map(move |good| (bad, good)));
        let pairs: Vec<(usize, usize)> = pairs.collect();
        self.covered = pairs.iter().map(|&(bad, good)| !accepts(bad) || accepts(good)).collect();
        let classes: BTreeSet<u32> = self.world.values().chain(self.calls.values()).copied().collect();
        loop {
            let mut is_stable = true;
            for &(bad, good) in &pairs {
                let stays = |&class: &u32| self.covers(self.after(good, class), self.after(bad, class));
                if self.covers(good, bad) && !classes.iter().all(stays) {
                    self.covered[bad * self.states + good] = false;
                    is_stable = false;
                }
            }
            if is_stable {
                return;
            }
        }
    }
    /// Adds how each source affects the law. Returns whether some letter of the world violates it.
    fn judge(&self, found: &mut Influence) -> bool {
        let dfa = self.compiled.monitors[self.law].dfa();
        let dies = |state: usize, next: usize| dfa.is_live(state as u32) && !dfa.is_live(next as u32);
        let mut may_be_violated = false;
        for state in 0..self.states {
            let idle = self.after(state, self.none);
            for (&source, &class) in &self.calls {
                let next = self.after(state, class);
                found.helps.extend((!self.covers(state, next)).then_some(source));
                if !self.covers(next, idle) {
                    let owes = !dfa.is_accepting(state as u32);
                    let harmed = if owes { &mut found.blocks } else { &mut found.harms };
                    harmed.insert(source);
                }
                found.refuses.extend(dies(state, next).then_some(source));
            }
            for ((outcome, set), &class) in &self.world {
                let next = self.after(state, class);
                may_be_violated |= dies(state, next);
                let without_bit = |&bit: &BitId| {
                    let rest = set.iter().copied().filter(|own| *own != bit).collect();
                    (bit, (*outcome, rest))
                };
                let without_end =
                    outcome.iter().map(|&end| (source(self.compiled, end), (None, set.clone())));
                for (source, rest) in set.iter().map(without_bit).chain(without_end) {
                    let is_end = action_of(self.compiled, source).is_some();
                    let without = self.after(state, self.world[&rest]);
                    let before = if rest == WorldLetter::default() { state } else { without };
                    found.helps.extend((!self.covers(before, next)).then_some(source));
                    let is_harmed = !self.covers(next, without);
                    found.harms.extend(is_harmed.then_some(source));
                    found.harmful_ends.extend((is_harmed && is_end).then_some(source));
                }
            }
        }
        if may_be_violated {
            found.refuses.extend(found.harms.iter().copied());
        }
        may_be_violated
    }
}
