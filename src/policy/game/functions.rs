//! The effect of a letter on a position: the variables of the next position as functions of the present variables.

use super::layout::{CallSlot, GameLayout, Instance, RegisterVars, Turns};
use super::roles::Roles;
use crate::CompiledPolicy;
use crate::language::{Amount, LawAtom, OUTCOMES};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit, LimitKind};
use tsl_synth_core::logic::{BitId, Guard, Guards};

/// The value of each bit of a letter of the policy, as a function of the variables.
pub(super) type Values = Vec<Guard>;

/// The effect of a letter.
#[derive(Clone, Debug)]
pub(super) struct Advance {
    /// The variables of the next position; `None` for unchanged ones.
    pub next: IdVec<BitId, Option<Guard>>,
    /// For each track: some law that the agent keeps is violated.
    pub bad: Vec<Guard>,
    /// For each track: some law that the world keeps is violated, and was not before.
    pub broken: Vec<Guard>,
    /// The computed propositions, with the conditions under which they hold on the first track.
    pub computed: Vec<(BitId, Guard)>,
}

/// Builds the functions of a game.
pub(super) struct FunctionBuilder<'a> {
    pub compiled: &'a CompiledPolicy,
    pub layout: &'a GameLayout,
    pub roles: &'a Roles,
    pub store: Guards,
    pub budget: &'a Budget,
    /// Nodes of the store that the budget has counted.
    pub counted: usize,
}

/// Counts the growth of a store.
///
/// # Errors
/// The budget, or a store that is full.
pub(super) fn tick(store: &Guards, counted: &mut usize, budget: &Budget) -> Result<(), Limit> {
    let nodes = store.node_count();
    let what = || String::from("the game of all laws");
    budget.tick((nodes - *counted) as u64 + 1, what)?;
    *counted = nodes;
    if store.is_exhausted() {
        return Err(Limit::new(LimitKind::Memory, format!("{}: {nodes} nodes of diagrams", what())));
    }
    Ok(())
}

impl FunctionBuilder<'_> {
    /// Counts the growth of the store.
    pub(super) fn tick(&mut self) -> Result<(), Limit> {
        tick(&self.store, &mut self.counted, self.budget)
    }
    /// The values of the bits of a letter: variables of the letter, or of the truths since the last one. Without
    /// `has_call` the bits of the agent are false.
    pub(super) fn values(&mut self, has_call: bool) -> Values {
        let truths = self.layout.turns == Turns::TruthsFirst;
        let atoms = &self.compiled.policy.atoms;
        let mut values = Vec::new();
        for (at, var) in self.layout.letter.iter().enumerate() {
            let is_agents = self.roles.is_agents(atoms.atom(BitId::from_index(at)));
            values.push(match var {
                None => Guard::FALSE,
                Some(_) if is_agents && !has_call => Guard::FALSE,
                Some(var) if !truths || is_agents => self.store.bit(*var),
                Some(var) => {
                    let state = self.layout.truths.iter().find(|(letter, _)| letter == var);
                    state.map_or(Guard::FALSE, |&(_, state)| self.store.bit(state))
                }
            });
        }
        values
    }
    /// A guard of the policy in the game. Recursion is as deep as there are bits.
    pub(super) fn translate(
        &mut self,
        guard: Guard,
        values: &Values,
        done: &mut FxHashMap<Guard, Guard>,
    ) -> Guard {
        let Some((bit, low, high)) = self.compiled.policy.guards.branch(guard) else { return guard };
        if let Some(&translated) = done.get(&guard) {
            return translated;
        }
        let (low, high) = (self.translate(low, values, done), self.translate(high, values, done));
        let translated = self.store.ite(values[bit.index()], high, low);
        done.insert(guard, translated);
        translated
    }
    /// The positions in which bits, the highest first, have this value.
    pub(super) fn is_code(&mut self, bits: &[BitId], code: u32) -> Guard {
        let mut cube = Guard::TRUE;
        for (i, &bit) in bits.iter().rev().enumerate() {
            let literal = self.store.literal(bit, code >> i & 1 == 1);
            cube = self.store.and(literal, cube);
        }
        cube
    }
    /// The effect of a letter on laws and registers; only defined for letters with at most one call.
    pub(super) fn advance(&mut self, values: &Values) -> Result<Advance, Limit> {
        let mut advance = Advance {
            next: self.layout.kinds.iter().map(|_| None).collect(),
            bad: vec![Guard::FALSE; self.layout.tracks],
            broken: vec![Guard::FALSE; self.layout.tracks],
            computed: Vec::new(),
        };
        let care = self.few_calls(values);
        for track in 0..self.layout.tracks {
            let mut own = values.clone();
            let layout = self.layout;
            for vars in layout.registers.iter().filter(|vars| vars.track == track) {
                let holds = self.register(vars, &own, &mut advance);
                let proposition = self.compiled.policy.registers[vars.register].proposition;
                let bit = self.compiled.policy.atoms.bit(LawAtom::Proposition(proposition));
                own[bit.index()] = holds;
                if track == 0 {
                    advance.computed.push((bit, holds));
                }
                self.tick()?;
            }
            let mut done = FxHashMap::default();
            for instance in layout.instances.iter().filter(|instance| instance.track == track) {
                self.instance(instance, &own, care, &mut done, &mut advance)?;
            }
        }
        Ok(advance)
    }
    /// The function that maps each valuation of the guards to the value with its index.
    fn decide(&mut self, guards: &[Guard], mut leaves: Vec<Guard>) -> Guard {
        for &guard in guards.iter().rev() {
            let half = leaves.len() / 2;
            leaves = (0..half).map(|v| self.store.ite(guard, leaves[v + half], leaves[v])).collect();
        }
        leaves[0]
    }
    fn instance(
        &mut self,
        instance: &Instance,
        values: &Values,
        care: Guard,
        done: &mut FxHashMap<Guard, Guard>,
        advance: &mut Advance,
    ) -> Result<(), Limit> {
        let compiled = self.compiled;
        let monitor = &compiled.monitors[instance.law];
        let guards: Vec<Guard> =
            monitor.guards().iter().map(|&guard| self.translate(guard, values, done)).collect();
        let valuations = 1 << guards.len();
        let mut next = vec![Guard::FALSE; instance.bits.len()];
        let mut lost = Guard::FALSE;
        let is_dead = |state: u32| !monitor.dfa().is_live(state);
        for state in 0..monitor.len() as u32 {
            let Some(code) = instance.codes[state as usize] else { continue };
            let here = self.is_code(&instance.bits, code);
            let targets: Vec<u32> = (0..valuations).map(|valuation| monitor.next(state, valuation)).collect();
            let constant = |yes: bool| if yes { Guard::TRUE } else { Guard::FALSE };
            if !is_dead(state) && targets.iter().any(|&to| is_dead(to)) {
                let leaves = targets.iter().map(|&to| constant(is_dead(to))).collect();
                let dies = self.decide(&guards, leaves);
                let dies = self.store.and(care, dies);
                let dies = self.store.and(here, dies);
                lost = self.store.or(lost, dies);
            }
            for (i, function) in next.iter_mut().enumerate() {
                let shift = instance.bits.len() - 1 - i;
                let is_set = |to: u32| instance.codes[to as usize].is_some_and(|code| code >> shift & 1 == 1);
                if targets.iter().any(|&to| is_set(to)) {
                    let leaves = targets.iter().map(|&to| constant(is_set(to))).collect();
                    let sets = self.decide(&guards, leaves);
                    let sets = self.store.and(care, sets);
                    let sets = self.store.and(here, sets);
                    *function = self.store.or(*function, sets);
                }
            }
            self.budget.tick(valuations as u64 / 8, || "the game of all laws".into())?;
            self.tick()?;
        }
        let reached = match instance.copy {
            Some((key, copy)) => self.store.bit(self.layout.reach[key][copy]),
            None => Guard::TRUE,
        };
        let lost = self.store.and(reached, lost);
        let sum = if instance.is_kept { &mut advance.bad } else { &mut advance.broken };
        sum[instance.track] = self.store.or(sum[instance.track], lost);
        for (&bit, function) in instance.bits.iter().zip(next) {
            let stays = self.store.bit(bit);
            advance.next[bit] = Some(self.store.ite(reached, function, stays));
        }
        self.tick()
    }
    /// The positions in which a law would be kept if the word ended.
    fn accepts(&mut self, instance: &Instance) -> Guard {
        let monitor = &self.compiled.monitors[instance.law];
        let mut all = Guard::FALSE;
        for state in (0..monitor.len() as u32).filter(|&state| monitor.dfa().is_accepting(state)) {
            if let Some(code) = instance.codes[state as usize] {
                let here = self.is_code(&instance.bits, code);
                all = self.store.or(all, here);
            }
        }
        all
    }
    /// The positions in which all laws that the agent keeps would be kept if the word ended.
    pub(super) fn accepting(&mut self) -> Result<Guard, Limit> {
        let mut all = Guard::TRUE;
        let layout = self.layout;
        for track in 0..layout.tracks {
            let mut accepted = Guard::TRUE;
            for instance in layout.instances.iter().filter(|own| own.is_kept && own.track == track) {
                let own = self.accepts(instance);
                accepted = self.store.and(accepted, own);
                self.tick()?;
            }
            let out = self.ruled_out(track);
            let own = self.store.or(accepted, out);
            all = self.store.and(all, own);
        }
        Ok(all)
    }
    /// The positions in which a track is ruled out.
    fn ruled_out(&mut self, track: usize) -> Guard {
        self.layout.ruled_out.get(track).map_or(Guard::FALSE, |&bit| self.store.bit(bit))
    }
    /// The letters that violate a law which the agent keeps, on a track that is not ruled out. The agent's own letters
    /// rule out no track.
    pub(super) fn bad(&mut self, advance: &Advance) -> Guard {
        let mut bad = Guard::FALSE;
        for (track, &own) in advance.bad.iter().enumerate() {
            let out = self.ruled_out(track);
            let own = self.store.minus(own, out);
            bad = self.store.or(bad, own);
        }
        bad
    }
    /// Rules out the tracks on which a letter of the world breaks an `assume` law. Returns the letters that would rule
    /// out the last track: the world cannot choose them.
    pub(super) fn rule_out(&mut self, broken: &[Guard], advance: &mut Advance) -> Guard {
        let mut everywhere = Guard::TRUE;
        for (track, &own) in broken.iter().enumerate() {
            let out = self.ruled_out(track);
            let out = self.store.or(out, own);
            everywhere = self.store.and(everywhere, out);
            if let Some(&bit) = self.layout.ruled_out.get(track) {
                advance.next[bit] = Some(out);
                advance.bad[track] = self.store.minus(advance.bad[track], own);
            }
        }
        everywhere
    }
    /// Sets the next value of a register; returns the condition under which its proposition holds.
    fn register(&mut self, vars: &RegisterVars, values: &Values, advance: &mut Advance) -> Guard {
        let register = &self.compiled.policy.registers[vars.register];
        let mut done = FxHashMap::default();
        let on = self.translate(register.on, values, &mut done);
        let reset = self.translate(register.reset_on, values, &mut done);
        let now: Vec<Guard> = vars.bits.iter().map(|&bit| self.store.bit(bit)).collect();
        let (shown, mut next) = if let Amount::Sum(_) = register.amount {
            let rise = vars.rise.map_or(Guard::FALSE, |bit| self.store.bit(bit));
            let rises = self.store.and(on, rise);
            let above = self.store.or(now[0], rises);
            (now[0], vec![above])
        } else {
            let top = self.is_code(&vars.bits, vars.top);
            let (mut carry, mut next) = (self.store.minus(on, top), Vec::new());
            for &bit in now.iter().rev() {
                let same = self.store.iff(bit, carry);
                next.push(self.store.not(same));
                carry = self.store.and(bit, carry);
            }
            next.reverse();
            // The proposition holds from the letter on that reaches the top.
            let below = self.is_code(&vars.bits, vars.top - 1);
            let reaches = self.store.and(on, below);
            (self.store.or(top, reaches), next)
        };
        for bit in &mut next {
            *bit = self.store.minus(*bit, reset);
        }
        if !vars.fall.is_empty() {
            // The smaller of the two numbers.
            let fall: Vec<Guard> = vars.fall.iter().map(|&bit| self.store.bit(bit)).collect();
            let mut is_less = Guard::FALSE;
            for (&own, &other) in next.iter().zip(&fall).rev() {
                let same = self.store.iff(own, other);
                is_less = self.store.ite(same, is_less, other);
            }
            next = next.iter().zip(&fall).map(|(&own, &other)| self.store.ite(is_less, own, other)).collect();
        }
        for (&bit, function) in vars.bits.iter().zip(next) {
            advance.next[bit] = Some(function);
        }
        shown
    }
    /// The letters that reach the copies of a slot. Calls that are never bound share one slot, whatever the rest of
    /// their letters is bound to.
    fn reaches(&mut self, slot: &CallSlot) -> Guard {
        let mut all = Guard::TRUE;
        for (key, &mask) in slot.reaches.iter().enumerate() {
            if !self.roles.of_call(key, slot.action).is_apart() {
                continue;
            }
            for (copy, &bit) in self.layout.reach[key].iter().enumerate() {
                let literal = self.store.literal(bit, mask >> copy & 1 == 1);
                all = self.store.and(all, literal);
            }
        }
        all
    }
    /// Updates the pending calls by these calls and then by these outcomes; returns the letters with an outcome of an
    /// action that is not pending.
    pub(super) fn pend(
        &mut self,
        calls: &Values,
        outcomes: &Values,
        advance: &mut Advance,
    ) -> Result<Guard, Limit> {
        let atoms = &self.compiled.policy.atoms;
        let layout = self.layout;
        let mut unfounded = Guard::FALSE;
        for id in atoms.actions.ids() {
            let call = calls[atoms.bit(LawAtom::Call(id)).index()];
            let mut ends = Guard::FALSE;
            for outcome in OUTCOMES {
                let own = outcomes[atoms.bit(LawAtom::Result(id, outcome)).index()];
                ends = self.store.or(ends, own);
            }
            let mut founded = Guard::FALSE;
            for slot in layout.slots.iter().filter(|slot| slot.action == id) {
                let own = self.reaches(slot);
                let (called, ended) = (self.store.and(call, own), self.store.and(ends, own));
                let [one, two] = slot.bits.map(|bit| self.store.bit(bit));
                let chance = self.store.bit(slot.chance);
                let second = self.store.and(one, called);
                let (one, two) = (self.store.or(one, called), self.store.or(two, second));
                let own = self.store.and(one, ended);
                founded = self.store.or(founded, own);
                let left = self.store.and(two, chance);
                advance.next[slot.bits[0]] = Some(self.store.ite(ended, two, one));
                advance.next[slot.bits[1]] = Some(self.store.ite(ended, left, two));
            }
            let own = self.store.minus(ends, founded);
            unfounded = self.store.or(unfounded, own);
            self.tick()?;
        }
        Ok(unfounded)
    }
}
