//! The letters that the players of the game may choose in a position, if each event is a letter: one of each class of
//! letters that have the same effect on the laws, the registers and the calls without an outcome. Letters of a class
//! lead to the same position.

use super::frame::Edges;
use crate::language::{ActionId, Amount, Effects, LawAtom, LawId, OUTCOMES, PropositionId, RegisterId};
use crate::roles::Change;
use crate::{CompiledPolicy, GameLetter, PolicyPart, PolicyPosition, Stepping};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use tsl_synth_core::base::{Id, IdSet};
use tsl_synth_core::logic::{BitId, Guard, Guards, Letter};
use tsl_synth_core::model::CallOutcome;

/// The letters of both players.
pub(super) struct PlayerLetters<'c> {
    compiled: &'c CompiledPolicy,
    guards: Guards,
    /// The laws that distinguish letters.
    laws: Vec<LawId>,
    /// For each of these laws and each letter of its automaton, the letters of the policy that it represents, and others
    /// that cannot occur.
    letters: Vec<Vec<Guard>>,
    edges: FxHashMap<(usize, u32), Edges>,
    /// Letters of the world, regardless of the pending calls.
    world: Guard,
    /// Letters of the agent.
    agent: Guard,
    /// The bits that letters may have.
    told: Vec<BitId>,
    /// The registers that the laws read.
    registers: Vec<RegisterId>,
    /// The bits of calls, and of outcomes that are distinguished.
    reported: IdSet<BitId>,
    /// The actions whose calls without an outcome are counted, and the letters with an outcome.
    pending: Vec<(ActionId, Guard)>,
}

/// The roles of the bits of letters.
struct Bits {
    read: Vec<bool>,
    /// Raised by the agent alone.
    agents: Vec<bool>,
    /// A proposition that no law reads, as a representative of all of them.
    blank: Option<BitId>,
}

impl<'c> PlayerLetters<'c> {
    /// The letters of a policy, as far as the laws of a part distinguish them. With `is_whole` the part is the only one.
    pub(super) fn new(
        compiled: &'c CompiledPolicy,
        part: &PolicyPart,
        is_whole: bool,
        has_copies: bool,
    ) -> Self {
        let mut moves = Self {
            compiled,
            guards: compiled.policy.guards.clone(),
            laws: part.laws.clone(),
            letters: Vec::new(),
            edges: FxHashMap::default(),
            world: Guard::TRUE,
            agent: Guard::TRUE,
            told: Vec::new(),
            registers: part.registers.clone(),
            reported: IdSet::new(),
            pending: Vec::new(),
        };
        let atoms = &compiled.policy.atoms;
        let bits = moves.bits();
        let is_own = |id: ActionId| is_whole || part.actions.contains(&id);
        let is_told = |&bit: &BitId| match atoms.atom(bit) {
            LawAtom::Call(id) | LawAtom::Result(id, _) => is_own(id),
            LawAtom::Opaque => bits.read[bit.index()],
            LawAtom::Proposition(_) | LawAtom::Clear(_) => bits.read[bit.index()] || bits.blank == Some(bit),
        };
        moves.told = (0..atoms.bits()).map(BitId::from_index).filter(is_told).collect();
        let possible = atoms.possible_values(&mut moves.guards, &moves.told, true);
        (moves.world, moves.agent) = (possible, possible);
        for &law in &part.laws {
            let monitor = &compiled.monitors[law];
            let of = |&valuation: &u32| {
                monitor.guards().iter().enumerate().fold(Guard::TRUE, |all, (i, &guard)| {
                    if valuation >> i & 1 == 1 {
                        moves.guards.and(all, guard)
                    } else {
                        moves.guards.minus(all, guard)
                    }
                })
            };
            moves.letters.push(monitor.valuations().iter().map(of).collect());
        }
        moves.outcomes(&bits, atoms.actions.ids().filter(|&id| is_own(id)), is_whole, has_copies);
        moves.restrict(&bits);
        moves.frame(&bits);
        moves
    }

    fn bits(&self) -> Bits {
        let policy = &self.compiled.policy;
        let mut read = vec![false; policy.atoms.bits()];
        let registers = self.registers.iter().map(|&id| &policy.registers[id]);
        let registers = registers.flat_map(|register| [register.on, register.reset_on]);
        let laws = self.laws.iter().flat_map(|&law| self.compiled.monitors[law].guards().iter().copied());
        for bit in laws.chain(registers).flat_map(|guard| policy.guards.support(guard)) {
            read[bit.index()] = true;
        }
        let roles = &self.compiled.roles;
        let bits = (0..policy.atoms.bits()).map(BitId::from_index);
        let agents: Vec<bool> = bits.map(|bit| roles.is_agents(policy.atoms.atom(bit))).collect();
        let blank = policy.atoms.propositions.enumerate().find_map(|(id, own)| {
            let bits = [LawAtom::Proposition(id), LawAtom::Clear(id)].map(|atom| policy.atoms.bit(atom));
            let is_free = !bits.iter().any(|bit| read[bit.index()] || agents[bit.index()]);
            (is_free && !own.is_computed && !roles.is_framed(id)).then_some(bits[0])
        });
        Bits { read, agents, blank }
    }

    /// Chooses the outcomes that are distinguished; those that nothing reads are merged into one.
    fn outcomes(
        &mut self,
        bits: &Bits,
        actions: impl Iterator<Item = ActionId>,
        is_whole: bool,
        has_copies: bool,
    ) {
        let policy = &self.compiled.policy;
        let is_read = |atom| bits.read[policy.atoms.bit(atom).index()];
        for id in actions {
            self.reported.insert(policy.atoms.bit(LawAtom::Call(id)));
            let effects = policy.effects[id].iter();
            let mut named = effects.clone().flat_map(Effects::named);
            let is_counted = OUTCOMES.iter().any(|&outcome| is_read(LawAtom::Result(id, outcome)))
                || named.any(|id| is_read(LawAtom::Proposition(id)) || is_read(LawAtom::Clear(id)))
                || is_whole && (bits.blank.is_none() || has_copies);
            let is_forced = effects.clone().any(|own| !own.sets.is_empty() || !own.clears.is_empty());
            let (mut ends, mut has_other) = (Guard::FALSE, false);
            for outcome in OUTCOMES {
                let atom = LawAtom::Result(id, outcome);
                let is_own = is_read(atom) || outcome == CallOutcome::Ok && is_forced;
                let bit = self.guards.bit(policy.atoms.bit(atom));
                if is_counted && (is_own || !std::mem::replace(&mut has_other, true)) {
                    ends = self.guards.or(ends, bit);
                    self.reported.insert(policy.atoms.bit(atom));
                } else {
                    self.world = self.guards.minus(self.world, bit);
                }
            }
            if is_counted {
                self.pending.push((id, ends));
            }
        }
    }

    /// A letter of the agent has one call and no bit of the world; a letter of the world is not empty and has no bit of
    /// the agent.
    fn restrict(&mut self, bits: &Bits) {
        let atoms = &self.compiled.policy.atoms;
        let (mut one, mut none, mut is_empty) = (Guard::FALSE, Guard::TRUE, Guard::TRUE);
        for bit in self.told.clone() {
            let own = self.guards.bit(bit);
            let is_agents = bits.agents[bit.index()];
            let is_told = match atoms.atom(bit) {
                LawAtom::Call(_) => {
                    one = self.guards.ite(own, none, one);
                    none = self.guards.minus(none, own);
                    true
                }
                LawAtom::Result(..) | LawAtom::Opaque => true,
                LawAtom::Proposition(id) | LawAtom::Clear(id) => !atoms.propositions[id].is_computed,
            };
            if !is_told || !is_agents {
                self.agent = self.guards.minus(self.agent, own);
            }
            if !is_told || is_agents {
                self.world = self.guards.minus(self.world, own);
            }
            if !is_agents {
                is_empty = self.guards.minus(is_empty, own);
            }
        }
        self.agent = self.guards.and(self.agent, one);
        self.world = self.guards.minus(self.world, is_empty);
        // One outcome at a time.
        let (mut one, mut none) = (Guard::FALSE, Guard::TRUE);
        for (_, ends) in self.pending.clone() {
            one = self.guards.ite(ends, none, one);
            none = self.guards.minus(none, ends);
        }
        let few = self.guards.or(one, none);
        self.world = self.guards.and(self.world, few);
    }

    /// The letters with an outcome of an action that may set or clear a proposition; with its call, if the agent raises
    /// it.
    fn changing(&mut self, id: PropositionId, sets: bool, bits: &Bits) -> Guard {
        let (compiled, mut all) = (self.compiled, Guard::FALSE);
        for effect in compiled.roles.effects[id].iter().filter(|effect| effect.may(sets)) {
            let action = effect.action;
            let ends = self.pending.iter().find(|(own, _)| *own == action);
            let ends = ends.map_or(Guard::FALSE, |&(_, ends)| ends);
            all = self.guards.or(all, ends);
            let atoms = &compiled.policy.atoms;
            if bits.agents[atoms.bit(LawAtom::Proposition(id)).index()] {
                let call = self.guards.bit(atoms.bit(LawAtom::Call(action)));
                all = self.guards.or(all, call);
            }
        }
        all
    }

    /// Restricts the letters by the declared effects, as the game does.
    fn frame(&mut self, bits: &Bits) {
        let (policy, roles) = (&self.compiled.policy, &self.compiled.roles);
        let mut all = Guard::TRUE;
        for id in policy.atoms.propositions.ids().filter(|&id| roles.is_framed(id)) {
            let [set, clear] =
                [LawAtom::Proposition(id), LawAtom::Clear(id)].map(|atom| policy.atoms.bit(atom));
            let is_state = policy.atoms.propositions[id].is_state;
            let (setters, clearers) = (self.changing(id, true, bits), self.changing(id, false, bits));
            let holds = self.guards.bit(set);
            let ceases = if is_state { self.guards.bit(clear) } else { Guard::FALSE };
            for (change, allowed) in [(holds, setters), (ceases, clearers)] {
                let wrong = self.guards.minus(change, allowed);
                all = self.guards.minus(all, wrong);
            }
            if !(bits.read[set.index()] || bits.read[clear.index()]) || bits.agents[set.index()] {
                continue;
            }
            for effect in &roles.effects[id] {
                let ok = self.guards.bit(policy.atoms.bit(LawAtom::Result(effect.action, CallOutcome::Ok)));
                if effect.set == Change::Sure {
                    let either = self.guards.or(holds, clearers);
                    let wrong = self.guards.minus(ok, either);
                    all = self.guards.minus(all, wrong);
                }
                if effect.clear == Change::Sure {
                    let done = if is_state { ceases } else { self.guards.not(holds) };
                    let either = self.guards.or(done, setters);
                    let wrong = self.guards.minus(ok, either);
                    all = self.guards.minus(all, wrong);
                }
            }
        }
        self.world = self.guards.and(self.world, all);
        self.agent = self.guards.and(self.agent, all);
    }

    /// The number of bits that letters may have.
    pub(super) fn bits_told(&self) -> usize {
        self.told.len()
    }

    /// The letters of the agent in a position, at most `most`, and whether these are all.
    pub(super) fn of_agent(&mut self, position: &PolicyPosition, most: usize) -> (Vec<Letter>, bool) {
        self.classes(position, self.agent, most)
    }

    /// The letters of the world in a position, at most `most`, and whether these are all. Letters that break an
    /// `assume` law are included.
    pub(super) fn of_world(&mut self, position: &PolicyPosition, most: usize) -> (Vec<Letter>, bool) {
        let mut letters = self.world;
        for &(action, ends) in &self.pending {
            if !position.pending.keys().any(|(own, _)| *own == action) {
                letters = self.guards.minus(letters, ends);
            }
        }
        self.classes(position, letters, most)
    }

    /// One letter of each class, with the computed propositions.
    fn classes(&mut self, position: &PolicyPosition, letters: Guard, most: usize) -> (Vec<Letter>, bool) {
        let (mut all, mut rest) = (Vec::new(), letters);
        while let Some(letter) = self.guards.pick(rest) {
            if all.len() >= most {
                return (all, false);
            }
            let (whole, computed) = self.whole(position, &letter);
            let same = self.like(position, &whole, &computed);
            rest = self.guards.minus(rest, same);
            all.push(whole);
        }
        (all, true)
    }

    /// A letter with the computed propositions, and their values.
    fn whole(&self, position: &PolicyPosition, letter: &Letter) -> (Letter, Vec<(BitId, bool)>) {
        let policy = &self.compiled.policy;
        let (mut whole, mut computed) = (letter.clone(), Vec::new());
        for &id in &self.registers {
            let register = &policy.registers[id];
            let value = position.registers[id.index()][0];
            let holds = if register.is_exact() {
                let counts = policy.guards.contains(register.on, &whole);
                f64::from(value + u32::from(counts)) > register.above
            } else {
                value > 0
            };
            let bit = policy.atoms.bit(LawAtom::Proposition(register.proposition));
            if holds {
                whole.insert(bit);
            }
            computed.push((bit, holds));
        }
        (whole, computed)
    }

    /// The letters with the same effect as this one.
    fn like(&mut self, position: &PolicyPosition, letter: &Letter, computed: &[(BitId, bool)]) -> Guard {
        let computed_value =
            |bit: BitId| computed.iter().find(|(own, _)| *own == bit).map(|&(_, value)| value);
        // The letters are those with the same reported bits: given these, the guards are small.
        let reported = self.reported.clone();
        let known =
            |bit: BitId| computed_value(bit).or_else(|| reported.contains(bit).then(|| letter.contains(bit)));
        let mut same = Guard::TRUE;
        for &id in &self.registers {
            let register = &self.compiled.policy.registers[id];
            for guard in [register.on, register.reset_on] {
                let holds = self.guards.contains(guard, letter);
                let own = self.guards.given(guard, &known);
                same = if holds { self.guards.and(same, own) } else { self.guards.minus(same, own) };
            }
        }
        for law in 0..self.laws.len() {
            let states = position.laws[self.laws[law].index()].clone();
            for state in states {
                let edges = self.edges(law, state);
                let own = edges.iter().find(|(_, letters)| self.guards.contains(*letters, letter));
                let own = own.map_or(Guard::FALSE, |&(_, letters)| letters);
                let own = self.guards.given(own, &known);
                same = self.guards.and(same, own);
            }
        }
        let same_report: Vec<(BitId, bool)> =
            reported.iter().map(|bit| (bit, letter.contains(bit))).collect();
        let same_report = self.guards.cube(&same_report);
        let same = self.guards.and(same_report, same);
        // The letter itself is always included, so that no letter is picked twice.
        let told = self.told.iter().filter(|&&bit| computed_value(bit).is_none());
        let cube: Vec<(BitId, bool)> = told.map(|&bit| (bit, letter.contains(bit))).collect();
        let itself = self.guards.cube(&cube);
        self.guards.or(same, itself)
    }

    /// The next states of a law, each with the letters that lead there.
    fn edges(&mut self, law: usize, state: u32) -> Edges {
        if let Some(edges) = self.edges.get(&(law, state)) {
            return Rc::clone(edges);
        }
        let dfa = self.compiled.monitors[self.laws[law]].dfa();
        let mut edges: Vec<(u32, Guard)> = Vec::new();
        for (letter, letters) in (0..).zip(self.letters[law].clone()) {
            let target = dfa.next(state, letter);
            match edges.iter_mut().find(|(known, _)| *known == target) {
                Some((_, sum)) => *sum = self.guards.or(*sum, letters),
                None => edges.push((target, letters)),
            }
        }
        let edges: Edges = edges.into();
        self.edges.insert((law, state), Rc::clone(&edges));
        edges
    }

    /// The positions to which a letter may lead: the world decides whether a sum rises above its bound, and whether as
    /// many calls as are counted are left when one ends.
    pub(super) fn after(
        &self,
        stepping: &Stepping,
        position: &PolicyPosition,
        letter: &GameLetter,
    ) -> Vec<PolicyPosition> {
        let policy = &self.compiled.policy;
        let mut next = stepping.after(position, letter);
        next.pending.retain(|(action, _), _| self.pending.iter().any(|(own, _)| own == action));
        let counted = |action: ActionId| self.compiled.open_calls()[action];
        for ((action, _), count) in &mut next.pending {
            *count = (*count).min(counted(*action));
        }
        let mut all = vec![next];
        for &id in &self.registers {
            let register = &policy.registers[id];
            // The agent chooses the values that are counted, and may choose one that was counted before.
            let is_open = !register.is_exact() && !matches!(register.amount, Amount::Distinct(_));
            let rises = is_open
                && policy.guards.contains(register.on, &letter.bits)
                && !policy.guards.contains(register.reset_on, &letter.bits);
            if rises {
                let risen = all.clone().into_iter().map(|mut one| {
                    one.registers[id.index()][0] = 1;
                    one
                });
                all = all.iter().cloned().chain(risen).collect();
            }
        }
        let ended: Vec<_> = position
            .pending
            .iter()
            .filter(|(slot, count)| {
                **count == counted(slot.0) && all[0].pending.get(*slot) == Some(&(**count - 1))
            })
            .map(|(slot, count)| (slot.clone(), *count))
            .collect();
        for (slot, count) in ended {
            let several = all.clone().into_iter().map(|mut one| {
                one.pending.insert(slot.clone(), count);
                one
            });
            all = all.iter().cloned().chain(several).collect();
        }
        all.dedup();
        all
    }
}
