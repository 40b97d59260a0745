//! The game of a policy by its definition: every position and every letter one by one, over all bits of letters, with sets
//! as lists of truth values. Shares the monitors of single laws with the tool, and nothing of its game.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use tsl_synth::base::Id;
use tsl_synth::control::policy::{CompiledPolicy, Position};
use tsl_synth::logic::{BitId, Letter};
use tsl_synth::model::Outcome;
use tsl_synth::spec::policy::{
    ActionId, Amount, Atom, Ending, LawId, LawKind, OUTCOMES, On, PropositionId, Timing, TraceMode,
};

/// How the players take turns, read off the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Apart,
    CallFirst,
    TruthsFirst,
}

/// A position; `pending` counts to 2, by action and mask of copies.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) laws: Vec<Vec<u32>>,
    pub(super) pending: BTreeMap<(usize, u32), u8>,
    pub(super) registers: Vec<u32>,
    pub(super) last: u64,
    pub(super) truths: u64,
}

/// Where a letter may lead; `None` if it violates a law.
type Ends = BTreeSet<Option<usize>>;

/// A choice of the agent with its answers.
pub(super) struct Choice {
    pub(super) action: ActionId,
    pub(super) letter: u64,
    pub(super) mask: u32,
    /// For each answer of the world where it leads.
    pub(super) answers: Vec<Ends>,
}

/// All positions that letters of both players can reach.
pub(super) struct Explicit<'a> {
    compiled: &'a CompiledPolicy,
    kept: Vec<LawId>,
    copies: usize,
    pub(super) mode: Mode,
    pub(super) places: Vec<Place>,
    pub(super) world: Vec<Vec<Ends>>,
    pub(super) choices: Vec<Vec<Choice>>,
    pub(super) end: Vec<bool>,
    pub(super) winning: Vec<bool>,
    pub(super) closed: Vec<bool>,
}

fn letter(bits: u64) -> Letter {
    (0..64).filter(|i| bits >> i & 1 == 1).map(BitId::from_index).collect()
}

impl<'a> Explicit<'a> {
    /// Explores and solves; `None` if there are too many positions.
    pub(super) fn solve(
        compiled: &'a CompiledPolicy,
        kept: &[LawId],
        copies: usize,
        limit: usize,
    ) -> Option<Self> {
        let policy = &compiled.policy;
        let mode = match (policy.trace, policy.timing) {
            _ if policy.atoms.actions.is_empty() => Mode::Apart,
            (TraceMode::PerAction, Timing::Next) => Mode::CallFirst,
            (TraceMode::PerAction, Timing::Same) => Mode::TruthsFirst,
            _ => Mode::Apart,
        };
        let mut own = Self {
            compiled,
            kept: kept.to_vec(),
            copies,
            mode,
            places: Vec::new(),
            world: Vec::new(),
            choices: Vec::new(),
            end: Vec::new(),
            winning: Vec::new(),
            closed: Vec::new(),
        };
        own.explore(limit).then_some(())?;
        own.fixpoints();
        Some(own)
    }
    fn bit(&self, atom: Atom) -> u64 {
        1 << self.compiled.policy.atoms.bit(atom).index()
    }
    fn has_key(&self) -> bool {
        self.compiled.policy.laws.iter().any(|law| !law.for_each.is_empty())
    }
    fn all_copies(&self) -> u32 {
        (1 << self.copies) - 1
    }
    pub(super) fn initial(&self) -> Place {
        let laws = &self.compiled.policy.laws;
        Place {
            laws: laws.iter().map(|l| vec![0; if l.for_each.is_empty() { 1 } else { self.copies }]).collect(),
            pending: BTreeMap::new(),
            registers: vec![0; self.compiled.policy.registers.len()],
            last: 0,
            truths: 0,
        }
    }
    /// (can be bound, can be unbound) of an atom: there is one list of bound values, of one name.
    fn binding(&self, atom: Atom) -> (bool, bool) {
        let policy = &self.compiled.policy;
        let about = |table: &&tsl_synth::spec::policy::Match| match atom {
            Atom::Proposition(id) | Atom::Clear(id) => table.set.iter().any(|&(own, _)| own == id),
            Atom::Call(id) | Atom::Result(id, _) => table.action == Some(id),
            Atom::Opaque => false,
        };
        let tables: Vec<_> = policy.matches.iter().filter(about).collect();
        let bound = tables.iter().any(|table| !table.bind.is_empty());
        (bound, tables.is_empty() || tables.iter().any(|table| table.bind.is_empty()))
    }
    fn atoms(&self, bits: u64) -> Vec<Atom> {
        let all = &self.compiled.policy.atoms;
        (0..all.bits()).filter(|i| bits >> i & 1 == 1).map(|i| all.atom(BitId::from_index(i))).collect()
    }
    /// Which copies a letter may reach.
    fn masks(&self, bits: u64) -> Vec<u32> {
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
    fn is_agents(&self, id: PropositionId) -> bool {
        let mut tables = self
            .compiled
            .policy
            .matches
            .iter()
            .filter(|t| t.set.iter().any(|&(own, _)| own == id))
            .peekable();
        tables.peek().is_some() && tables.all(|table| table.on == On::Call)
    }
    fn bits_of(&self, agents: bool) -> Vec<u64> {
        let atoms = &self.compiled.policy.atoms;
        let mut bits = Vec::new();
        for (id, proposition) in atoms.propositions.enumerate() {
            if proposition.is_computed || self.is_agents(id) != agents {
                continue;
            }
            bits.push(self.bit(Atom::Proposition(id)));
            if proposition.is_state {
                bits.push(self.bit(Atom::Clear(id)));
            }
        }
        if agents {
            bits.push(self.bit(Atom::Opaque));
        }
        bits
    }
    fn outcome_of(&self, bits: u64, action: ActionId) -> u32 {
        OUTCOMES.iter().map(|&o| u32::from(bits & self.bit(Atom::Result(action, o)) != 0)).sum()
    }
    /// Whether a letter sets and clears nothing at once and keeps to the effects.
    fn is_framed(&self, last: u64, bits: u64) -> bool {
        let policy = &self.compiled.policy;
        for (id, proposition) in policy.atoms.propositions.enumerate() {
            let (set, clear) = (self.bit(Atom::Proposition(id)), self.bit(Atom::Clear(id)));
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
                            || with_call && bits & self.bit(Atom::Call(action)) != 0)
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
                if bits & self.bit(Atom::Result(action, Outcome::Ok)) == 0 {
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
    /// The pending calls after calls and outcomes of a letter, in all ways; none if something ends that is not pending.
    fn pend(
        &self,
        from: &BTreeMap<(usize, u32), u8>,
        calls: u64,
        ends: u64,
        mask: u32,
    ) -> Vec<BTreeMap<(usize, u32), u8>> {
        let mut all = vec![from.clone()];
        for action in self.compiled.policy.atoms.actions.ids() {
            let at = action.index();
            let (bound, _) = self.binding(Atom::Call(action));
            let unbound = if self.has_key() { self.all_copies() } else { 0 };
            if calls & self.bit(Atom::Call(action)) != 0 {
                for one in &mut all {
                    let count = one.entry((at, if bound { mask } else { unbound })).or_insert(0);
                    *count = (*count + 1).min(2);
                }
            }
            if self.outcome_of(ends, action) > 0 {
                let slot = (at, if bound { mask } else { unbound });
                let mut next = Vec::new();
                for one in all {
                    let count = one.get(&slot).copied().unwrap_or(0);
                    for left in if count == 2 { 1..=2 } else { 0..=0 } {
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
    /// The letter with computed propositions, and the registers after it in all ways.
    fn registers(&self, registers: &[u32], bits: u64) -> (u64, Vec<Vec<u32>>) {
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
                Amount::Sum(_) => (now == 1, if on && now == 0 { vec![0, 1] } else { vec![now] }),
            };
            if shown {
                told |= self.bit(Atom::Proposition(register.proposition));
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
    /// Steps all laws. Says whether some kept law is violated and whether some assumed one is and was not before.
    fn step(&self, laws: &[Vec<u32>], told: u64, mask: u32) -> (Vec<Vec<u32>>, bool, bool) {
        let (mut lost, mut broken) = (false, false);
        let mut next = Vec::new();
        for (id, law) in self.compiled.policy.laws.enumerate() {
            let dfa = self.compiled.monitors[id].dfa();
            let mut states = laws[id.index()].clone();
            for (copy, state) in states.iter_mut().enumerate() {
                if !law.for_each.is_empty() && mask >> copy & 1 == 0 {
                    continue;
                }
                let to = self.compiled.step(id, *state, &letter(told));
                lost |= self.kept.contains(&id) && !dfa.is_live(to);
                broken |= law.kind == LawKind::Assume && dfa.is_live(*state) && !dfa.is_live(to);
                *state = to;
            }
            next.push(states);
        }
        (next, lost, broken)
    }
    /// All places after a letter; `None` among them if a kept law is violated. Nothing if it ends what is not pending.
    fn after(&self, place: &Place, bits: u64, mask: u32) -> (BTreeSet<Option<Place>>, bool) {
        let (told, registers) = self.registers(&place.registers, bits);
        let (laws, lost, broken) = self.step(&place.laws, told, mask);
        let ends = if self.mode == Mode::TruthsFirst { 0 } else { bits };
        let mut all = BTreeSet::new();
        for pending in self.pend(&place.pending, bits, ends, mask) {
            for registers in &registers {
                let last = if self.mode == Mode::CallFirst { bits } else { 0 };
                let next = Place {
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
    /// Only what effects name is remembered.
    fn remembered(&self, last: u64) -> u64 {
        let policy = &self.compiled.policy;
        let named =
            |id: PropositionId| {
                policy.effects.iter().flatten().any(|e| {
                    [&e.may_set, &e.sets, &e.may_clear, &e.clears].iter().any(|list| list.contains(&id))
                })
            };
        let ids = policy.atoms.propositions.ids().filter(|&id| named(id));
        ids.fold(0, |sum, id| sum | last & self.bit(Atom::Proposition(id)))
    }
    fn subsets(bits: &[u64]) -> Vec<u64> {
        (0..1_u64 << bits.len())
            .map(|code| (0..bits.len()).filter(|i| code >> i & 1 == 1).fold(0, |sum, i| sum | bits[i]))
            .collect()
    }
    /// The outcomes that a letter may have: at most one, or at most one of each action.
    fn outcomes(&self, one: bool) -> Vec<u64> {
        let mut all = vec![0];
        for action in self.compiled.policy.atoms.actions.ids() {
            let own = OUTCOMES.map(|outcome| self.bit(Atom::Result(action, outcome)));
            let with: Vec<u64> = all
                .iter()
                .filter(|&&bits| !one || bits == 0)
                .flat_map(|bits| own.iter().map(move |o| bits | o))
                .collect();
            all.extend(with);
        }
        all
    }
    fn explore(&mut self, limit: usize) -> bool {
        let world_truths = Self::subsets(&self.bits_of(false));
        let agent_truths = Self::subsets(&self.bits_of(true));
        let outcomes = self.outcomes(self.mode == Mode::Apart);
        let world: Vec<u64> = outcomes.iter().flat_map(|o| world_truths.iter().map(move |t| o | t)).collect();
        let calls: Vec<(ActionId, u64)> = self
            .compiled
            .policy
            .atoms
            .actions
            .ids()
            .flat_map(|id| agent_truths.iter().map(move |truths| (id, *truths)))
            .map(|(id, truths)| (id, truths | self.bit(Atom::Call(id))))
            .collect();
        let mut ids: HashMap<Place, usize> = HashMap::new();
        let start = self.initial();
        ids.insert(start.clone(), 0);
        self.places.push(start);
        let mut at = 0;
        while at < self.places.len() {
            if self.places.len() > limit {
                return false;
            }
            let place = self.places[at].clone();
            let number = |all: BTreeSet<Option<Place>>, own: &mut Self, ids: &mut HashMap<Place, usize>| {
                all.into_iter()
                    .map(|one| {
                        one.map(|one| {
                            *ids.entry(one.clone()).or_insert_with(|| {
                                own.places.push(one);
                                own.places.len() - 1
                            })
                        })
                    })
                    .collect::<Ends>()
            };
            let mut letters: BTreeSet<Ends> = BTreeSet::new();
            let mut choices = Vec::new();
            if self.mode == Mode::Apart {
                for &bits in &world {
                    if bits == 0 || !self.is_framed(0, bits) {
                        continue;
                    }
                    for mask in self.masks(bits) {
                        let (all, broken) = self.after(&place, bits, mask);
                        if !broken && !all.is_empty() {
                            letters.insert(number(all, self, &mut ids));
                        }
                    }
                }
            }
            if self.mode == Mode::TruthsFirst {
                for &bits in world.iter().filter(|&&bits| bits != 0) {
                    if let Some(all) = self.observe(&place, bits) {
                        letters.insert(number(all, self, &mut ids));
                    }
                }
            }
            for &(action, bits) in &calls {
                if self.mode == Mode::CallFirst {
                    let mut answers = BTreeSet::new();
                    for &more in &world {
                        if !self.is_framed(place.last, bits | more) {
                            continue;
                        }
                        let (all, broken) = self.after(&place, bits | more, 0);
                        if !broken && !all.is_empty() {
                            answers.insert(number(all, self, &mut ids));
                        }
                    }
                    let answers = answers.into_iter().collect();
                    choices.push(Choice { action, letter: bits, mask: 0, answers });
                    continue;
                }
                let whole = bits | place.truths;
                if !self.is_framed(0, whole) {
                    continue;
                }
                for mask in self.masks(bits) {
                    let (all, _) = self.after(&place, whole, mask);
                    let answers = all.into_iter().map(|one| number(BTreeSet::from([one]), self, &mut ids));
                    let answers = answers.collect();
                    choices.push(Choice { action, letter: bits, mask, answers });
                }
            }
            self.end.push(self.is_accepted(&place));
            self.world.push(letters.into_iter().collect());
            self.choices.push(choices);
            at += 1;
        }
        true
    }
    /// Truths that join the next letter.
    fn observe(&self, place: &Place, bits: u64) -> Option<BTreeSet<Option<Place>>> {
        let mut truths = place.truths;
        for atom in self.atoms(bits) {
            match atom {
                Atom::Proposition(id) if bits & self.bit(Atom::Clear(id)) != 0 => return None,
                Atom::Proposition(id) => truths &= !self.bit(Atom::Clear(id)),
                Atom::Clear(id) => truths &= !self.bit(Atom::Proposition(id)),
                Atom::Result(action, _) if self.outcome_of(truths, action) > 0 => return None,
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
        let next = |pending| Some(Place { pending, truths, ..place.clone() });
        (!all.is_empty()).then(|| all.into_iter().map(next).collect())
    }
    fn is_accepted(&self, place: &Place) -> bool {
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
    /// The largest subset of `z` that letters of the world do not leave.
    fn closed(&self, z: &[bool]) -> Vec<bool> {
        let mut c = z.to_vec();
        loop {
            let stays = |ends: &Ends| ends.iter().all(|end| end.is_some_and(|to| c[to]));
            let next: Vec<bool> = (0..c.len()).map(|p| c[p] && self.world[p].iter().all(stays)).collect();
            if next == c {
                return c;
            }
            c = next;
        }
    }
    /// The positions from which letters of the world may lead to `y`.
    fn hopeful(&self, y: &[bool]) -> Vec<bool> {
        let mut h = y.to_vec();
        loop {
            let leads = |ends: &Ends| ends.iter().any(|end| end.is_some_and(|to| h[to]));
            let next: Vec<bool> = (0..h.len()).map(|p| h[p] || self.world[p].iter().any(leads)).collect();
            if next == h {
                return h;
            }
            h = next;
        }
    }
    /// Whether all answers to a choice stay in `c`, and there is one.
    pub(super) fn is_safe(choice: &Choice, c: &[bool]) -> bool {
        !choice.answers.is_empty() && choice.answers.iter().flatten().all(|end| end.is_some_and(|to| c[to]))
    }
    fn fixpoints(&mut self) {
        let (n, idle) = (self.places.len(), self.compiled.policy.idle);
        let is_finite = self.compiled.policy.end == Ending::Finite;
        let mut z = vec![true; n];
        loop {
            let c = self.closed(&z);
            let mut y = vec![false; n];
            loop {
                let h = self.hopeful(&y);
                let good = |choice: &Choice| {
                    let some = choice.answers.iter().flatten().any(|end| end.is_some_and(|to| h[to]));
                    Self::is_safe(choice, &c) && (some || !is_finite)
                };
                let next: Vec<bool> = (0..n)
                    .map(|p| {
                        z[p] && (is_finite && self.end[p]
                            || self.choices[p].iter().any(good)
                            || idle && c[p] && (h[p] || !is_finite))
                    })
                    .collect();
                if next == y {
                    break;
                }
                y = next;
            }
            if y == z {
                (self.winning, self.closed) = (z, c);
                return;
            }
            z = y;
        }
    }
    /// The actions with a choice that is safe for `c`.
    pub(super) fn actions(&self, p: usize, c: &[bool]) -> Vec<ActionId> {
        let safe = self.choices[p].iter().filter(|choice| Self::is_safe(choice, c));
        let ids: BTreeSet<ActionId> = safe.map(|choice| choice.action).collect();
        ids.into_iter().collect()
    }
    /// How many letters the shortest way to an accepted end has; `None` where there is none.
    pub(super) fn way(&self, p: usize) -> Option<usize> {
        if !self.winning[p] {
            return None;
        }
        if self.end[p] {
            return Some(0);
        }
        // By breadth from the position; after the first letter every position is closed.
        let mut seen = BTreeSet::new();
        let mut front = vec![p];
        for length in 1.. {
            let mut next = Vec::new();
            for &q in &front {
                let safe = self.choices[q].iter().filter(|choice| Self::is_safe(choice, &self.closed));
                let mut ends: Vec<Option<usize>> =
                    safe.flat_map(|choice| choice.answers.iter().flatten().copied()).collect();
                if length > 1 || self.compiled.policy.idle && self.closed[q] {
                    ends.extend(self.world[q].iter().flatten().copied());
                }
                next.extend(ends.into_iter().flatten().filter(|&to| seen.insert(to)));
            }
            if next.iter().any(|&to| self.end[to]) {
                return Some(length);
            }
            if next.is_empty() {
                return None;
            }
            front = next;
        }
        None
    }
    /// The same position for the tool.
    pub(super) fn position(&self, place: &Place) -> Position {
        let has_key = self.has_key();
        Position {
            laws: place.laws.clone(),
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
