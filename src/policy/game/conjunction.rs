//! The standing of a conjunction of laws: whether some continuation keeps all of them, even if each alone can be kept.
//!
//! States in which a law is violated have no code: if all laws are safety laws, all encoded positions are accepting and
//! no fixpoint is needed. Other laws need a fixpoint, with one round for each letter of the continuation.

use super::functions::tick;
use super::layout::together;
use crate::CompiledPolicy;
use crate::language::{LawAtom, LawId, Policy, TraceMode};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, IdVec, Limit};
use tsl_synth_core::logic::{BitId, Guard, Guards, Letter};
use tsl_synth_core::model::LawStatus;

/// The positions of the monitors of some laws from which some word keeps all of them: the least fixpoint of the
/// accepting positions and the predecessors by possible letters. All letters that an event can have are possible;
/// computed propositions have any value, and nothing is assumed about the world. Laws with copies are represented by
/// one copy.
#[derive(Clone, Debug)]
pub struct Conjunction {
    laws: Vec<LawId>,
    store: Guards,
    codes: Vec<Coded>,
    live: Guard,
}

/// The encoding of the states in which a law is not violated.
#[derive(Clone, Debug)]
struct Coded {
    /// The variables of the state, the highest first.
    bits: Vec<BitId>,
    /// The code of each state of the monitor; there is none where the law is violated.
    codes: Vec<Option<u32>>,
}

/// Builds the diagrams.
struct ConjunctionBuilder<'a> {
    compiled: &'a CompiledPolicy,
    /// The policy, whose guards are extended by the possible letters.
    policy: Policy,
    budget: &'a Budget,
    store: Guards,
    counted: usize,
    /// The variable of each bit of letters that some law reads.
    letter: FxHashMap<BitId, BitId>,
    translated: FxHashMap<Guard, Guard>,
    next: IdVec<BitId, Option<Guard>>,
}

impl Conjunction {
    /// Computes the positions for these laws.
    ///
    /// # Errors
    /// The budget, or more than `nodes` nodes of diagrams.
    pub fn new(
        compiled: &CompiledPolicy,
        laws: &[LawId],
        nodes: usize,
        budget: &Budget,
    ) -> Result<Self, Limit> {
        let mut store = Guards::new();
        store.set_limit(nodes);
        let mut maker = ConjunctionBuilder {
            compiled,
            policy: compiled.policy.clone(),
            budget,
            store,
            counted: 0,
            letter: FxHashMap::default(),
            translated: FxHashMap::default(),
            next: IdVec::new(),
        };
        let codes = maker.lay_out(laws);
        let mut live = Guard::TRUE;
        for (&law, coded) in laws.iter().zip(&codes) {
            let own = maker.accepting(law, coded);
            live = maker.store.and(live, own);
        }
        maker.tick()?;
        if live != Guard::TRUE && live != Guard::FALSE {
            live = maker.reaching(live, laws, &codes)?;
        }
        Ok(Self { laws: laws.to_vec(), store: maker.store, codes, live })
    }
    /// The laws.
    pub fn laws(&self) -> &[LawId] {
        &self.laws
    }
    /// The number of diagram nodes that were created.
    pub fn nodes(&self) -> usize {
        self.store.node_count()
    }
    /// The standing of the conjunction, given the state of the monitor of each law, in the order of
    /// [`Conjunction::laws`].
    pub fn standing(&self, compiled: &CompiledPolicy, states: &[u32]) -> LawStatus {
        let mut set = Letter::new();
        for (coded, &state) in self.codes.iter().zip(states) {
            let Some(code) = coded.codes[state as usize] else { return LawStatus::Violated };
            let bits = coded.bits.iter().rev().enumerate();
            set.extend(bits.filter(|(i, _)| code >> i & 1 == 1).map(|(_, &bit)| bit));
        }
        let all = |holds: &dyn Fn(LawStatus) -> bool| {
            self.laws.iter().zip(states).all(|(&law, &state)| holds(compiled.monitors[law].standing(state)))
        };
        if !self.store.contains(self.live, &set) {
            LawStatus::Violated
        } else if all(&|one| one == LawStatus::Satisfied) {
            LawStatus::Satisfied
        } else if all(&LawStatus::holds) {
            LawStatus::CurrentlySatisfied
        } else {
            LawStatus::CurrentlyViolated
        }
    }
}

impl ConjunctionBuilder<'_> {
    fn tick(&mut self) -> Result<(), Limit> {
        tick(&self.store, &mut self.counted, self.budget)
    }
    /// Orders the variables: calls, then for each law its letter bits and states, with laws about the same letters
    /// adjacent.
    fn lay_out(&mut self, laws: &[LawId]) -> Vec<Coded> {
        let reads: Vec<Vec<BitId>> = laws.iter().map(|&law| self.compiled.reads(law)).collect();
        let mut calls: Vec<BitId> = reads.iter().flatten().copied().collect();
        calls.retain(|&bit| matches!(self.policy.atoms.atom(bit), LawAtom::Call(_)));
        calls.sort_unstable();
        for bit in calls {
            self.letter.entry(bit).or_insert_with(|| self.next.push(None));
        }
        let mut all: Vec<Option<Coded>> = vec![None; laws.len()];
        for i in together(&[&reads]) {
            for &bit in &reads[i] {
                self.letter.entry(bit).or_insert_with(|| self.next.push(None));
            }
            let dfa = self.compiled.monitors[laws[i]].dfa();
            let mut alive = 0;
            let mut codes = Vec::new();
            for state in 0..dfa.len() as u32 {
                let is_live = dfa.is_live(state);
                codes.push(is_live.then_some(alive));
                alive += u32::from(is_live);
            }
            let width = u32::BITS - alive.saturating_sub(1).leading_zeros();
            all[i] = Some(Coded { bits: (0..width).map(|_| self.next.push(None)).collect(), codes });
        }
        all.into_iter().flatten().collect()
    }
    /// The states with this code.
    fn is_code(&mut self, coded: &Coded, code: u32) -> Guard {
        let bits = coded.bits.iter().rev().enumerate();
        let cube: Vec<(BitId, bool)> = bits.map(|(i, &bit)| (bit, code >> i & 1 == 1)).collect();
        self.store.cube(&cube)
    }
    /// The states in which a law is kept if the word ends.
    fn accepting(&mut self, law: LawId, coded: &Coded) -> Guard {
        let dfa = self.compiled.monitors[law].dfa();
        let accepts = |state: usize| dfa.is_accepting(state as u32);
        if (0..coded.codes.len()).all(|state| coded.codes[state].is_none() || accepts(state))
            && coded.codes.iter().any(Option::is_some)
        {
            return Guard::TRUE;
        }
        let mut all = Guard::FALSE;
        for (state, &code) in coded.codes.iter().enumerate() {
            if let Some(code) = code.filter(|_| accepts(state)) {
                let here = self.is_code(coded, code);
                all = self.store.or(all, here);
            }
        }
        all
    }
    /// The positions from which some word leads to the positions `to` without violating a law.
    fn reaching(&mut self, to: Guard, laws: &[LawId], codes: &[Coded]) -> Result<Guard, Limit> {
        let (mut possible, care) = self.letters();
        for (&law, coded) in laws.iter().zip(codes) {
            let dies = self.step(law, coded, care)?;
            possible = self.store.minus(possible, dies);
            self.tick()?;
        }
        let (mut live, mut done) = (to, FxHashMap::default());
        loop {
            let before = self.store.compose(live, &|bit| self.next[bit], &mut done);
            let before = self.store.and(possible, before);
            let before = self.store.exists(before, &|bit| self.next[bit].is_none());
            let more = self.store.or(live, before);
            self.tick()?;
            if more == live {
                return Ok(live);
            }
            live = more;
        }
    }
    /// The possible letters, and the letters whose calls are possible.
    fn letters(&mut self) -> (Guard, Guard) {
        let policy = &mut self.policy;
        let all = policy.atoms.possible(&mut policy.guards, policy.trace == TraceMode::PerEvent);
        let is_read = |bit: BitId| self.letter.contains_key(&bit);
        let all = policy.guards.exists(all, &|bit| !is_read(bit));
        let is_call = |bit: BitId| matches!(policy.atoms.atom(bit), LawAtom::Call(_));
        let care = policy.guards.exists(all, &|bit| !is_call(bit));
        (self.translate(all), self.translate(care))
    }
    /// Sets the next-state functions of a law; returns the steps that violate it.
    fn step(&mut self, law: LawId, coded: &Coded, care: Guard) -> Result<Guard, Limit> {
        let monitor = &self.compiled.monitors[law];
        let guards: Vec<Guard> = monitor.guards().iter().map(|&guard| self.translate(guard)).collect();
        let mut functions = vec![Guard::FALSE; coded.bits.len()];
        let mut dies = Guard::FALSE;
        for (state, &code) in coded.codes.iter().enumerate() {
            let Some(code) = code else { continue };
            let here = self.is_code(coded, code);
            let here = self.store.and(care, here);
            let to = |valuation: usize| coded.codes[monitor.next(state as u32, valuation) as usize];
            let targets: Vec<Option<u32>> = (0..1 << guards.len()).map(to).collect();
            let own = self.decide(&guards, targets.iter().map(Option::is_none));
            let own = self.store.and(here, own);
            dies = self.store.or(dies, own);
            for (i, function) in functions.iter_mut().rev().enumerate() {
                let is_set = |to: &Option<u32>| to.is_some_and(|to| to >> i & 1 == 1);
                let own = self.decide(&guards, targets.iter().map(is_set));
                let own = self.store.and(here, own);
                *function = self.store.or(*function, own);
            }
            self.tick()?;
        }
        for (&bit, function) in coded.bits.iter().zip(functions) {
            self.next[bit] = Some(function);
        }
        Ok(dies)
    }
    /// The function that maps each valuation of the guards to the value with its index.
    fn decide(&mut self, guards: &[Guard], values: impl Iterator<Item = bool>) -> Guard {
        let mut leaves: Vec<Guard> =
            values.map(|value| if value { Guard::TRUE } else { Guard::FALSE }).collect();
        for &guard in guards.iter().rev() {
            let half = leaves.len() / 2;
            leaves = (0..half).map(|v| self.store.ite(guard, leaves[v + half], leaves[v])).collect();
        }
        leaves[0]
    }
    /// A guard of the policy over the variables. Recursion is as deep as there are bits.
    fn translate(&mut self, guard: Guard) -> Guard {
        let Some((bit, low, high)) = self.policy.guards.branch(guard) else { return guard };
        if let Some(&own) = self.translated.get(&guard) {
            return own;
        }
        let (low, high) = (self.translate(low), self.translate(high));
        let condition = self.letter.get(&bit).map_or(Guard::FALSE, |&bit| self.store.bit(bit));
        let own = self.store.ite(condition, high, low);
        self.translated.insert(guard, own);
        own
    }
}
