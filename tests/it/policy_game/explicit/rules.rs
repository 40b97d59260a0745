//! The rules of the game by definition: the possible letters in a position, and the positions after each.

use std::collections::{BTreeMap, BTreeSet};
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{BitId, Letter};
use tsl_synth_core::model::CallOutcome;
use tsl_synth_policy::language::{
    ActionId, Amount, EventKind, LawAtom, LawId, LawKind, OUTCOMES, PropositionId, Timing, TraceMode,
};
use tsl_synth_policy::{CompiledPolicy, PolicyPosition};

/// How the players take turns, as the policy declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Apart,
    CallFirst,
    TruthsFirst,
}

/// A position; `pending` counts calls up to [`CompiledPolicy::open_calls`], by action and mask of copies.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Position {
    pub(crate) laws: Vec<Vec<u32>>,
    pub(crate) pending: BTreeMap<(usize, u32), u8>,
    pub(crate) registers: Vec<u32>,
    pub(crate) last: u64,
    pub(crate) truths: u64,
}

/// A policy, which of its laws the agent keeps, and how many copies laws with bound values have.
#[derive(Clone)]
pub(crate) struct Rules<'a> {
    pub(crate) compiled: &'a CompiledPolicy,
    kept: Vec<LawId>,
    pub(super) copies: usize,
    pub(crate) mode: Mode,
}

fn letter(bits: u64) -> Letter {
    (0..64).filter(|i| bits >> i & 1 == 1).map(BitId::from_index).collect()
}

impl<'a> Rules<'a> {
    pub(crate) fn new(compiled: &'a CompiledPolicy, kept: &[LawId], copies: usize) -> Self {
        let policy = &compiled.policy;
        let mode = match (policy.trace, policy.timing) {
            _ if policy.atoms.actions.is_empty() => Mode::Apart,
            (TraceMode::PerAction, Timing::Next) => Mode::CallFirst,
            (TraceMode::PerAction, Timing::Same) => Mode::TruthsFirst,
            _ => Mode::Apart,
        };
        Self { compiled, kept: kept.to_vec(), copies, mode }
    }
    pub(crate) fn bit(&self, atom: LawAtom) -> u64 {
        1 << self.compiled.policy.atoms.bit(atom).index()
    }
    pub(crate) fn has_key(&self) -> bool {
        self.compiled.policy.laws.iter().any(|law| !law.for_each.is_empty())
    }
    pub(crate) fn copies(&self) -> usize {
        self.copies
    }
    pub(crate) fn all_copies(&self) -> u32 {
        (1 << self.copies) - 1
    }
    pub(crate) fn initial(&self) -> Position {
        let laws = &self.compiled.policy.laws;
        Position {
            laws: laws.iter().map(|l| vec![0; if l.for_each.is_empty() { 1 } else { self.copies }]).collect(),
            pending: BTreeMap::new(),
            registers: vec![0; self.compiled.policy.registers.len()],
            last: 0,
            truths: 0,
        }
    }
    /// Whether an atom can be bound, and whether it can be unbound; there is one list of bound values, of one name.
    pub(crate) fn binding(&self, atom: LawAtom) -> (bool, bool) {
        let policy = &self.compiled.policy;
        let about = |table: &&tsl_synth_policy::language::Match| match atom {
            LawAtom::Proposition(id) | LawAtom::Clear(id) => table.set.iter().any(|&(own, _)| own == id),
            LawAtom::Call(id) | LawAtom::Result(id, _) => table.action == Some(id),
            LawAtom::Opaque => false,
        };
        let tables: Vec<_> = policy.matches.iter().filter(about).collect();
        let bound = tables.iter().any(|table| !table.bind.is_empty());
        (bound, tables.is_empty() || tables.iter().any(|table| table.bind.is_empty()))
    }
    pub(crate) fn atoms(&self, bits: u64) -> Vec<LawAtom> {
        let all = &self.compiled.policy.atoms;
        (0..all.bits()).filter(|i| bits >> i & 1 == 1).map(|i| all.atom(BitId::from_index(i))).collect()
    }
    /// Which copies a letter may reach.
    pub(crate) fn masks(&self, bits: u64) -> Vec<u32> {
        if !self.has_key() {
            return vec![0];
        }
        let atoms = self.atoms(bits);
        let mut masks = Vec::new();
        if atoms.iter().any(|&atom| self.binding(atom).0) {
            masks.push(0);
            masks.extend((0..self.copies).map(|k| 1 << k));
        }
        if atoms.iter().all(|&atom| self.binding(atom).1) {
            masks.push(self.all_copies());
        }
        masks.sort_unstable();
        masks.dedup();
        masks
    }
    pub(crate) fn is_agents(&self, id: PropositionId) -> bool {
        let mut tables = self
            .compiled
            .policy
            .matches
            .iter()
            .filter(|t| t.set.iter().any(|&(own, _)| own == id))
            .peekable();
        tables.peek().is_some() && tables.all(|table| table.on == EventKind::Call)
    }
    pub(crate) fn bits_of(&self, agents: bool) -> Vec<u64> {
        let atoms = &self.compiled.policy.atoms;
        let mut bits = Vec::new();
        for (id, proposition) in atoms.propositions.enumerate() {
            if proposition.is_computed || self.is_agents(id) != agents {
                continue;
            }
            bits.push(self.bit(LawAtom::Proposition(id)));
            if proposition.is_state {
                bits.push(self.bit(LawAtom::Clear(id)));
            }
        }
        if agents {
            bits.push(self.bit(LawAtom::Opaque));
        }
        bits
    }
    pub(crate) fn outcome_of(&self, bits: u64, action: ActionId) -> u32 {
        OUTCOMES.iter().map(|&o| u32::from(bits & self.bit(LawAtom::Result(action, o)) != 0)).sum()
    }
    /// Whether a letter sets and clears no proposition at the same time and respects the declared effects.
    pub(crate) fn is_framed(&self, last: u64, bits: u64) -> bool {
        let policy = &self.compiled.policy;
        for (id, proposition) in policy.atoms.propositions.enumerate() {
            let (set, clear) = (self.bit(LawAtom::Proposition(id)), self.bit(LawAtom::Clear(id)));
            if proposition.is_state && bits & set != 0 && bits & clear != 0 {
                return false;
            }
            let named = policy.effects.iter().flatten().any(|e| {
                e.may_set.contains(&id)
                    || e.sets.contains(&id)
                    || e.may_clear.contains(&id)
                    || e.clears.contains(&id)
            });
            if !named {
                continue;
            }
            let with_call = self.mode == Mode::CallFirst || self.is_agents(id);
            let by = |sets: bool| {
                policy.effects.enumerate().any(|(action, effects)| {
                    let Some(e) = effects else { return false };
                    let lists = if sets { [&e.may_set, &e.sets] } else { [&e.may_clear, &e.clears] };
                    lists.iter().any(|list| list.contains(&id))
                        && (self.outcome_of(bits, action) > 0
                            || with_call && bits & self.bit(LawAtom::Call(action)) != 0)
                })
            };
            let remembers = self.mode == Mode::CallFirst && !proposition.is_state;
            let before = remembers && last & set != 0;
            let holds = bits & set != 0;
            if holds && !before && !by(true) {
                return false;
            }
            let ceases = if proposition.is_state { bits & clear != 0 } else { before && !holds };
            if ceases && !by(false) {
                return false;
            }
            if self.is_agents(id) {
                continue;
            }
            for (action, effects) in policy.effects.enumerate() {
                let Some(e) = effects else { continue };
                if bits & self.bit(LawAtom::Result(action, CallOutcome::Ok)) == 0 {
                    continue;
                }
                if e.sets.contains(&id) && !holds && !by(false) {
                    return false;
                }
                let cleared = if proposition.is_state { bits & clear != 0 } else { !holds };
                if e.clears.contains(&id) && !cleared && !by(true) {
                    return false;
                }
            }
        }
        true
    }
    /// Up to how many open calls of an action are counted.
    pub(crate) fn counted(&self, action: usize) -> u8 {
        self.compiled.open_calls()[ActionId::from_index(action)] as u8
    }
    /// All possible pending calls after the calls and outcomes of a letter; none if an outcome has no pending call.
    pub(crate) fn pend(
        &self,
        from: &BTreeMap<(usize, u32), u8>,
        calls: u64,
        ends: u64,
        mask: u32,
    ) -> Vec<BTreeMap<(usize, u32), u8>> {
        let mut all = vec![from.clone()];
        for action in self.compiled.policy.atoms.actions.ids() {
            let at = action.index();
            let (bound, _) = self.binding(LawAtom::Call(action));
            let unbound = if self.has_key() { self.all_copies() } else { 0 };
            if calls & self.bit(LawAtom::Call(action)) != 0 {
                for one in &mut all {
                    let count = one.entry((at, if bound { mask } else { unbound })).or_insert(0);
                    *count = (*count + 1).min(self.counted(at));
                }
            }
            if self.outcome_of(ends, action) > 0 {
                let slot = (at, if bound { mask } else { unbound });
                let mut next = Vec::new();
                for one in all {
                    let count = one.get(&slot).copied().unwrap_or(0);
                    let counted = self.counted(at);
                    for left in count.saturating_sub(1)..=if count == counted {
                        counted
                    } else {
                        count.saturating_sub(1)
                    } {
                        if count > 0 {
                            let mut own = one.clone();
                            own.insert(slot, left);
                            next.push(own);
                        }
                    }
                }
                all = next;
            }
        }
        for one in &mut all {
            one.retain(|_, count| *count > 0);
        }
        all
    }
    /// The letter with computed propositions, and all possible registers after it.
    pub(crate) fn registers(&self, registers: &[u32], bits: u64) -> (u64, Vec<Vec<u32>>) {
        let policy = &self.compiled.policy;
        let mut told = bits;
        let mut all: Vec<Vec<u32>> = vec![Vec::new()];
        for (id, register) in policy.registers.enumerate() {
            let on = policy.guards.contains(register.on, &letter(told));
            let reset = policy.guards.contains(register.reset_on, &letter(told));
            let now = registers[id.index()];
            let (shown, mut next): (bool, Vec<u32>) = match register.amount {
                Amount::One => {
                    let top = register.limit.to_string().parse::<u32>().expect("a small number") + 1;
                    let value = if on { (now + 1).min(top) } else { now };
                    (value == top, vec![value])
                }
                Amount::Sum(_) | Amount::Distinct(_) => {
                    (now == 1, if on && now == 0 { vec![0, 1] } else { vec![now] })
                }
            };
            if shown {
                told |= self.bit(LawAtom::Proposition(register.proposition));
            }
            if reset {
                next = vec![0];
            }
            if register.window.is_some() {
                let most = next.iter().copied().max().unwrap_or(0);
                next = (0..=most).collect();
            }
            all = all.iter().flat_map(|a| next.iter().map(move |&n| [a.as_slice(), &[n]].concat())).collect();
        }
        (told, all)
    }
    /// Steps all laws. Returns also whether a kept law is violated, and whether an assumed law is violated now and was
    /// not before.
    pub(crate) fn step(&self, laws: &[Vec<u32>], told: u64, mask: u32) -> (Vec<Vec<u32>>, bool, bool) {
        let (mut lost, mut broken) = (false, false);
        let mut next = Vec::new();
        for (id, law) in self.compiled.policy.laws.enumerate() {
            let dfa = self.compiled.monitors[id].dfa();
            let mut states = laws[id.index()].clone();
            for (copy, state) in states.iter_mut().enumerate() {
                let is_reached = law.for_each.is_empty() || mask >> copy & 1 == 1;
                let to = if is_reached { self.compiled.step(id, *state, &letter(told)) } else { *state };
                // A law that no word keeps counts as violated from the first letter on.
                lost |= self.kept.contains(&id) && !dfa.is_live(to);
                broken |= law.kind == LawKind::Assume && dfa.is_live(*state) && !dfa.is_live(to);
                *state = to;
            }
            next.push(states);
        }
        (next, lost, broken)
    }
    /// All positions after a letter, and whether it newly violates an assumed law. `None` stands for a violation of a
    /// kept law. There are no positions if an outcome has no pending call.
    pub(crate) fn after(&self, place: &Position, bits: u64, mask: u32) -> (BTreeSet<Option<Position>>, bool) {
        let (told, registers) = self.registers(&place.registers, bits);
        let (laws, lost, broken) = self.step(&place.laws, told, mask);
        let ends = if self.mode == Mode::TruthsFirst { 0 } else { bits };
        let mut all = BTreeSet::new();
        for pending in self.pend(&place.pending, bits, ends, mask) {
            for registers in &registers {
                let last = if self.mode == Mode::CallFirst { bits } else { 0 };
                let next = Position {
                    laws: laws.clone(),
                    pending: pending.clone(),
                    registers: registers.clone(),
                    last: self.remembered(last),
                    truths: 0,
                };
                all.insert((!lost).then_some(next));
            }
        }
        (all, broken)
    }
    /// The part of the last letter that is remembered: the propositions that effects name.
    pub(crate) fn remembered(&self, last: u64) -> u64 {
        let policy = &self.compiled.policy;
        let named =
            |id: PropositionId| {
                policy.effects.iter().flatten().any(|e| {
                    [&e.may_set, &e.sets, &e.may_clear, &e.clears].iter().any(|list| list.contains(&id))
                })
            };
        let ids = policy.atoms.propositions.ids().filter(|&id| named(id));
        ids.fold(0, |sum, id| sum | last & self.bit(LawAtom::Proposition(id)))
    }
    pub(crate) fn subsets(bits: &[u64]) -> Vec<u64> {
        (0..1_u64 << bits.len())
            .map(|code| (0..bits.len()).filter(|i| code >> i & 1 == 1).fold(0, |sum, i| sum | bits[i]))
            .collect()
    }
    /// The outcomes that a letter may have: at most one, or at most one of each action.
    pub(crate) fn outcomes(&self, one: bool) -> Vec<u64> {
        let mut all = vec![0];
        for action in self.compiled.policy.atoms.actions.ids() {
            let own = OUTCOMES.map(|outcome| self.bit(LawAtom::Result(action, outcome)));
            let with: Vec<u64> = all
                .iter()
                .filter(|&&bits| !one || bits == 0)
                .flat_map(|bits| own.iter().map(move |o| bits | o))
                .collect();
            all.extend(with);
        }
        all
    }
    /// The positions after truths and outcomes that join the next letter; `None` if these are not possible.
    pub(crate) fn observe(&self, place: &Position, bits: u64) -> Option<BTreeSet<Option<Position>>> {
        let mut truths = place.truths;
        for atom in self.atoms(bits) {
            match atom {
                LawAtom::Proposition(id) if bits & self.bit(LawAtom::Clear(id)) != 0 => return None,
                LawAtom::Proposition(id) => truths &= !self.bit(LawAtom::Clear(id)),
                LawAtom::Clear(id) => truths &= !self.bit(LawAtom::Proposition(id)),
                LawAtom::Result(action, _) if self.outcome_of(truths, action) > 0 => return None,
                _ => {}
            }
        }
        truths |= bits;
        let (told, _) = self.registers(&place.registers, truths);
        let (_, _, broken) = self.step(&place.laws, told, 0);
        if broken || !self.is_framed(0, truths) {
            return None;
        }
        let all = self.pend(&place.pending, 0, bits, 0);
        let next = |pending| Some(Position { pending, truths, ..place.clone() });
        (!all.is_empty()).then(|| all.into_iter().map(next).collect())
    }
    pub(crate) fn is_accepted(&self, place: &Position) -> bool {
        let mut laws = place.laws.clone();
        if place.truths != 0 {
            let (told, _) = self.registers(&place.registers, place.truths);
            let (next, lost, _) = self.step(&laws, told, 0);
            if lost {
                return false;
            }
            laws = next;
        }
        let accepts = |law: LawId, state: u32| self.compiled.monitors[law].dfa().is_accepting(state);
        self.kept.iter().all(|&law| laws[law.index()].iter().all(|&state| accepts(law, state)))
    }
    /// The same position as a value of the library.
    pub(crate) fn position(&self, place: &Position) -> PolicyPosition {
        let has_key = self.has_key();
        PolicyPosition {
            laws: place.laws.clone().into(),
            pending: place
                .pending
                .iter()
                .map(|(&(action, mask), &count)| {
                    let mask = if has_key { vec![mask] } else { Vec::new() };
                    ((ActionId::from_index(action), mask), u32::from(count))
                })
                .collect(),
            registers: place.registers.iter().map(|&value| vec![value]).collect(),
            last: letter(place.last),
            truths: letter(place.truths),
        }
    }
}
