//! The effect of a letter on a position: the variables of the next position as functions of the present variables.
//!
//! Letters are divided into classes by the call or the outcome that they have (see [`LetterClass`]), so that the effect
//! of a class concerns only the laws that read them; in one relation for all letters the actions would multiply. What a
//! class does to laws that do not read its call or outcome is computed once (see [`CommonEffect`]).

use super::layout::{CallSlot, GameLayout, Instance, RegisterVars, Turns};
use crate::CompiledPolicy;
use crate::language::{ActionId, LawAtom, OUTCOMES};
use crate::roles::Roles;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use tsl_synth_core::base::{Budget, Id, Limit, LimitKind};
use tsl_synth_core::logic::{BitId, Guard, Guards};

/// A class of letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LetterClass {
    /// Letters of the world without an outcome; with [`Turns::TruthsFirst`] all letters of the world.
    World,
    /// Letters of the world with an outcome of this action.
    Outcome(ActionId),
    /// Letters with the call that has this variable, which actions may share that nothing distinguishes.
    Call(BitId),
}

/// The value of each bit of a letter of the policy, as a function of the variables.
#[derive(Clone, Debug)]
pub(super) struct Values {
    /// By the number of the bit.
    pub bits: Vec<Guard>,
    /// Whether some proposition holds that no law reads.
    pub blank: Guard,
}

/// The effect of a letter.
#[derive(Clone, Debug)]
pub(super) struct Advance {
    /// The variables of the next position that may change.
    pub next: FxHashMap<BitId, Guard>,
    /// For each track: some law that the agent keeps is violated.
    pub bad: Vec<Guard>,
    /// For each law that the agent keeps and that some letter violates, by its index in the layout, these letters.
    pub lost: Vec<(usize, Guard)>,
    /// For each track: some law that the world keeps is violated, and was not before.
    pub broken: Vec<Guard>,
    /// The computed propositions, with the conditions under which they hold on the first track.
    pub computed: Vec<(BitId, Guard)>,
}

/// The effect of a letter on one law or one register.
#[derive(Clone, Debug, Default)]
struct Effect {
    /// For a law: the letters that violate it. For a register: the letters in which its proposition holds.
    when: Option<Guard>,
    /// The variables that may change.
    next: Vec<(BitId, Guard)>,
}

/// The effect of letters without a call and without an outcome on every law and register.
pub(super) struct CommonEffect {
    values: Values,
    registers: Vec<Rc<Effect>>,
    laws: Vec<Rc<Effect>>,
    /// The laws that such letters may change or violate.
    active: Vec<usize>,
    /// The registers that such letters may change.
    active_registers: Vec<usize>,
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
    /// For each bit of letters the laws that read it, also through registers, by their numbers in the layout.
    readers: Vec<Vec<usize>>,
    /// The same for registers.
    register_readers: Vec<Vec<usize>>,
    /// The effects on laws, by the translated guards of their monitors.
    known: FxHashMap<(usize, Vec<Guard>), Rc<Effect>>,
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

impl<'a> FunctionBuilder<'a> {
    pub(super) fn new(
        compiled: &'a CompiledPolicy,
        layout: &'a GameLayout,
        roles: &'a Roles,
        store: Guards,
        budget: &'a Budget,
    ) -> Self {
        let mut readers = vec![Vec::new(); layout.letter.len()];
        let mut register_readers = readers.clone();
        for (at, instance) in layout.instances.iter().enumerate() {
            let guards = compiled.monitors[instance.law].guards().iter().copied();
            for bit in compiled.reads_through_registers(guards) {
                readers[bit.index()].push(at);
            }
        }
        for (at, vars) in layout.registers.iter().enumerate() {
            let register = &compiled.policy.registers[vars.register];
            for bit in compiled.reads_through_registers([register.on, register.reset_on]) {
                register_readers[bit.index()].push(at);
            }
        }
        let known = FxHashMap::default();
        Self { compiled, layout, roles, store, budget, counted: 0, readers, register_readers, known }
    }
    /// Counts the growth of the store.
    pub(super) fn tick(&mut self) -> Result<(), Limit> {
        tick(&self.store, &mut self.counted, self.budget)
    }
    /// The atoms that letters of a class have and others do not.
    fn special(&self, class: LetterClass) -> Vec<BitId> {
        let atoms = &self.compiled.policy.atoms;
        match class {
            LetterClass::World => Vec::new(),
            LetterClass::Outcome(id) => OUTCOMES.map(|one| atoms.bit(LawAtom::Result(id, one))).to_vec(),
            LetterClass::Call(var) => {
                let calls = atoms.actions.ids().map(|id| atoms.bit(LawAtom::Call(id)));
                calls.filter(|bit| self.layout.letter[bit.index()] == Some(var)).collect()
            }
        }
    }
    /// The values of the bits of a letter: variables of the letter, or of the truths since the last one. Without
    /// `has_call` the bits of the agent are false. No letter has a call, and with [`Turns::Apart`] none has an outcome,
    /// and those with a call have no truths of the world.
    pub(super) fn values(&mut self, has_call: bool) -> Values {
        let turns = self.layout.turns;
        let atoms = &self.compiled.policy.atoms;
        let mut bits = Vec::new();
        for (at, var) in self.layout.letter.iter().enumerate() {
            let atom = atoms.atom(BitId::from_index(at));
            let is_agents = self.roles.is_agents(atom);
            let is_absent = match turns {
                Turns::Apart => is_agents != has_call || matches!(atom, LawAtom::Result(..)),
                Turns::CallFirst | Turns::TruthsFirst => is_agents && !has_call,
            };
            bits.push(match var {
                Some(var) if !is_absent && !matches!(atom, LawAtom::Call(_)) => {
                    if turns == Turns::TruthsFirst && !is_agents {
                        let state = self.layout.truths.iter().find(|(letter, _)| letter == var);
                        state.map_or(Guard::FALSE, |&(_, state)| self.store.bit(state))
                    } else {
                        self.store.bit(*var)
                    }
                }
                _ => Guard::FALSE,
            });
        }
        let has_blank = turns != Turns::Apart || !has_call;
        let blank = self.layout.blank.filter(|_| has_blank).map_or(Guard::FALSE, |bit| self.store.bit(bit));
        Values { bits, blank }
    }
    /// The values in a letter in which nothing holds.
    pub(super) fn nothing(&self) -> Values {
        Values { bits: vec![Guard::FALSE; self.layout.letter.len()], blank: Guard::FALSE }
    }
    /// The values in letters of a class, given those that all classes have in common.
    pub(super) fn values_of(&mut self, class: LetterClass, common: &Values) -> Values {
        let mut values = common.clone();
        for bit in self.special(class) {
            values.bits[bit.index()] = match (class, self.layout.letter[bit.index()]) {
                (LetterClass::Call(_), _) => Guard::TRUE,
                (_, Some(var)) => self.store.bit(var),
                (_, None) => Guard::FALSE,
            };
        }
        values
    }
    /// A guard of the policy in the game. Recursion is as deep as there are bits.
    fn translate(&mut self, guard: Guard, values: &[Guard], done: &mut FxHashMap<Guard, Guard>) -> Guard {
        let Some((bit, low, high)) = self.compiled.policy.guards.branch(guard) else { return guard };
        match values[bit.index()] {
            Guard::FALSE => return self.translate(low, values, done),
            Guard::TRUE => return self.translate(high, values, done),
            _ => {}
        }
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
    /// The number of the register in the layout, for a track.
    fn show(&self, at: usize, effect: &Effect, values: &mut [Vec<Guard>]) {
        let vars = &self.layout.registers[at];
        let proposition = self.compiled.policy.registers[vars.register].proposition;
        let bit = self.compiled.policy.atoms.bit(LawAtom::Proposition(proposition));
        values[vars.track][bit.index()] = effect.when.unwrap_or(Guard::FALSE);
    }
    /// The effect of letters with these values, which have no call, on every law and register.
    ///
    /// # Errors
    /// The budget.
    pub(super) fn common(&mut self, values: Values) -> Result<CommonEffect, Limit> {
        let layout = self.layout;
        let mut own = vec![values.bits.clone(); layout.tracks];
        let mut common = CommonEffect {
            values,
            registers: Vec::new(),
            laws: Vec::new(),
            active: Vec::new(),
            active_registers: Vec::new(),
        };
        for (at, vars) in layout.registers.iter().enumerate() {
            let effect = self.register(vars, &own[vars.track]);
            self.show(at, &effect, &mut own);
            if !effect.next.is_empty() {
                common.active_registers.push(at);
            }
            common.registers.push(Rc::new(effect));
            self.tick()?;
        }
        let mut done: Vec<_> = own.iter().map(|_| FxHashMap::default()).collect();
        for (at, instance) in layout.instances.iter().enumerate() {
            let effect = self.instance(at, &own[instance.track], &mut done[instance.track])?;
            if effect.when.is_some() || !effect.next.is_empty() {
                common.active.push(at);
            }
            common.laws.push(effect);
        }
        Ok(common)
    }
    /// The effect of the letters of a class on laws and registers; those of [`LetterClass::World`] are the common ones.
    ///
    /// # Errors
    /// The budget.
    pub(super) fn advance(
        &mut self,
        class: LetterClass,
        common: &CommonEffect,
    ) -> Result<(Values, Advance), Limit> {
        let layout = self.layout;
        let special = self.special(class);
        let among = |readers: &[Vec<usize>], active: &[usize]| {
            let own = special.iter().flat_map(|bit| readers[bit.index()].iter());
            let (own, mut all): (FxHashSet<usize>, Vec<usize>) = (own.copied().collect(), active.to_vec());
            all.extend(&own);
            all.sort_unstable();
            all.dedup();
            (own, all)
        };
        let (own_registers, registers) = among(&self.register_readers, &common.active_registers);
        let (own_laws, laws) = among(&self.readers, &common.active);
        let values = self.values_of(class, &common.values);
        let mut bits = vec![values.bits.clone(); layout.tracks];
        let mut advance = Advance {
            next: FxHashMap::default(),
            bad: vec![Guard::FALSE; layout.tracks],
            lost: Vec::new(),
            broken: vec![Guard::FALSE; layout.tracks],
            computed: Vec::new(),
        };
        for (at, effect) in common.registers.iter().enumerate() {
            self.show(at, effect, &mut bits);
        }
        for at in registers {
            let vars = &layout.registers[at];
            let effect = if own_registers.contains(&at) {
                Rc::new(self.register(vars, &bits[vars.track]))
            } else {
                common.registers[at].clone()
            };
            self.show(at, &effect, &mut bits);
            advance.next.extend(effect.next.iter().copied());
            self.tick()?;
        }
        for vars in layout.registers.iter().filter(|vars| vars.track == 0) {
            let proposition = self.compiled.policy.registers[vars.register].proposition;
            let bit = self.compiled.policy.atoms.bit(LawAtom::Proposition(proposition));
            advance.computed.push((bit, bits[0][bit.index()]));
        }
        let mut done: Vec<_> = bits.iter().map(|_| FxHashMap::default()).collect();
        // From the lowest variables on, so that each step adds nodes on top of those before it.
        for at in laws.into_iter().rev() {
            let instance = &layout.instances[at];
            let effect = if own_laws.contains(&at) {
                self.instance(at, &bits[instance.track], &mut done[instance.track])?
            } else {
                common.laws[at].clone()
            };
            if let Some(lost) = effect.when {
                let sum = if instance.is_kept { &mut advance.bad } else { &mut advance.broken };
                sum[instance.track] = self.store.or(lost, sum[instance.track]);
                if instance.is_kept {
                    advance.lost.push((at, lost));
                }
            }
            advance.next.extend(effect.next.iter().copied());
        }
        Ok((values, advance))
    }
    /// The function that maps each valuation of the guards to the value with its index.
    fn decide(&mut self, guards: &[Guard], mut leaves: Vec<Guard>) -> Guard {
        for &guard in guards.iter().rev() {
            let half = leaves.len() / 2;
            leaves = (0..half).map(|v| self.store.ite(guard, leaves[v + half], leaves[v])).collect();
        }
        leaves[0]
    }
    /// The effect of a letter with these values on a law.
    fn instance(
        &mut self,
        at: usize,
        values: &[Guard],
        done: &mut FxHashMap<Guard, Guard>,
    ) -> Result<Rc<Effect>, Limit> {
        let compiled = self.compiled;
        let instance = &self.layout.instances[at];
        let monitor = &compiled.monitors[instance.law];
        let guards: Vec<Guard> =
            monitor.guards().iter().map(|&guard| self.translate(guard, values, done)).collect();
        let key = (at, guards);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let effect = Rc::new(self.step(instance, &key.1)?);
        self.known.insert(key, effect.clone());
        Ok(effect)
    }
    /// The effect of a letter on a law, given the conditions under which the guards of its monitor hold.
    fn step(&mut self, instance: &Instance, guards: &[Guard]) -> Result<Effect, Limit> {
        let monitor = &self.compiled.monitors[instance.law];
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
                let dies = self.decide(guards, leaves);
                let dies = self.store.and(here, dies);
                lost = self.store.or(lost, dies);
            }
            for (i, function) in next.iter_mut().enumerate() {
                let shift = instance.bits.len() - 1 - i;
                let is_set = |to: u32| instance.codes[to as usize].is_some_and(|code| code >> shift & 1 == 1);
                if targets.iter().any(|&to| is_set(to)) {
                    let leaves = targets.iter().map(|&to| constant(is_set(to))).collect();
                    let sets = self.decide(guards, leaves);
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
        let mut effect = Effect { when: (lost != Guard::FALSE).then_some(lost), next: Vec::new() };
        // Where the law is violated, the next state does not matter: the step ends the game.
        let is_moot = instance.is_kept && self.layout.tracks == 1;
        for (&bit, function) in instance.bits.iter().zip(next) {
            let stays = self.store.bit(bit);
            let next = self.store.ite(reached, function, stays);
            let changed = self.store.iff(next, stays);
            let changed = if is_moot { self.store.or(changed, lost) } else { changed };
            if changed != Guard::TRUE {
                effect.next.push((bit, next));
            }
        }
        self.tick()?;
        Ok(effect)
    }
    /// The positions in which a law would be kept if the word ended; codes without a state are among them.
    fn accepts(&mut self, instance: &Instance) -> Guard {
        let monitor = &self.compiled.monitors[instance.law];
        let mut all = Guard::TRUE;
        for state in (0..monitor.len() as u32).filter(|&state| !monitor.dfa().is_accepting(state)) {
            if let Some(code) = instance.codes[state as usize] {
                let here = self.is_code(&instance.bits, code);
                all = self.store.minus(all, here);
            }
        }
        all
    }
    /// For each law that the agent keeps, by its index in the layout, the positions in which it would be kept if the
    /// word ended.
    pub(super) fn accepting_each(&mut self) -> Vec<(usize, Guard)> {
        let kept = self.layout.instances.iter().enumerate().filter(|(_, own)| own.is_kept);
        kept.rev().map(|(at, own)| (at, self.accepts(own))).collect()
    }
    /// The positions in which all laws that the agent keeps would be kept if the word ended.
    pub(super) fn accepting(&mut self) -> Result<Guard, Limit> {
        let mut all = Guard::TRUE;
        let layout = self.layout;
        let each = self.accepting_each();
        for track in 0..layout.tracks {
            let mut accepted = Guard::TRUE;
            for &(_, own) in each.iter().filter(|&&(at, _)| layout.instances[at].track == track) {
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
                advance.next.insert(bit, out);
                advance.bad[track] = self.store.minus(advance.bad[track], own);
            }
        }
        everywhere
    }
    /// The effect of a letter with these values on a register.
    fn register(&mut self, vars: &RegisterVars, values: &[Guard]) -> Effect {
        let register = &self.compiled.policy.registers[vars.register];
        let mut done = FxHashMap::default();
        let on = self.translate(register.on, values, &mut done);
        let reset = self.translate(register.reset_on, values, &mut done);
        let now: Vec<Guard> = vars.bits.iter().map(|&bit| self.store.bit(bit)).collect();
        let (shown, mut next) = if register.is_exact() {
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
        } else {
            let rise = vars.rise.map_or(Guard::FALSE, |bit| self.store.bit(bit));
            let rises = self.store.and(on, rise);
            let above = self.store.or(now[0], rises);
            (now[0], vec![above])
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
        let mut effect = Effect { when: Some(shown), next: Vec::new() };
        for (&bit, function) in vars.bits.iter().zip(next) {
            if function != self.store.bit(bit) {
                effect.next.push((bit, function));
            }
        }
        effect
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
        for id in atoms.actions.ids().rev() {
            let call = calls.bits[atoms.bit(LawAtom::Call(id)).index()];
            let mut ends = Guard::FALSE;
            for outcome in OUTCOMES {
                let own = outcomes.bits[atoms.bit(LawAtom::Result(id, outcome)).index()];
                ends = self.store.or(ends, own);
            }
            if (call, ends) == (Guard::FALSE, Guard::FALSE) {
                continue;
            }
            let mut founded = Guard::FALSE;
            for slot in layout.slots_of(id) {
                let own = self.reaches(slot);
                let (called, ended) = (self.store.and(call, own), self.store.and(ends, own));
                let now: Vec<Guard> = slot.bits.iter().map(|&bit| self.store.bit(bit)).collect();
                // With one more call there are at least as many as this if there was one less.
                let mut less = Guard::TRUE;
                let mut counted: Vec<Guard> = Vec::with_capacity(now.len() + 1);
                for &bit in &now {
                    let more = self.store.and(less, called);
                    counted.push(self.store.or(bit, more));
                    less = bit;
                }
                let own = self.store.and(counted[0], ended);
                founded = self.store.or(founded, own);
                let chance = self.store.bit(slot.chance);
                let left = self.store.and(counted[now.len() - 1], chance);
                counted.push(left);
                for (i, (&bit, now)) in slot.bits.iter().zip(now).enumerate() {
                    let next = self.store.ite(ended, counted[i + 1], counted[i]);
                    if next != now {
                        advance.next.insert(bit, next);
                    }
                }
            }
            let own = self.store.minus(ends, founded);
            unfounded = self.store.or(unfounded, own);
            self.tick()?;
        }
        Ok(unfounded)
    }
}
