//! Parts of a policy: sets of laws that share nothing but the choice of the next action, so that the game of all laws is
//! the product of the games of the parts.
//!
//! # When a policy has parts
//!
//! Two laws belong to one part if they read atoms of the same action or proposition, also through registers, or if the
//! declared effects of an action connect what they read. Laws of several parts are decided apart under these conditions;
//! otherwise the policy is one part:
//!
//! - Each event is a letter of its own ([`Turns::Apart`]).
//! - A letter in which nothing holds that a law reads leaves the law as it is. (Some laws with `X` count every letter:
//!   they are not like that.) A register with a window may decrease in every letter, and one above its bound may
//!   violate a law in any letter; a part with such registers is given a letter of the world in which nothing else
//!   happens, so that positions that stay winning stay so under letters about other laws.
//! - The agent may always do something that concerns no law: nothing at all (`idle`) or, where it may have to raise
//!   propositions of its own, an action that no law reads.
//!
//! # Why that is sound and complete
//!
//! Let `X_i`, `C_i`, `E_i` be the winning positions of part `i`, those that stay winning whatever the world does, and
//! those in which the end is accepted. A letter of the world is in each part a letter of the world or one in which
//! nothing holds; so the product of the `C_i` is closed, and no larger set of winning positions is, because the letters
//! of each part alone are letters of the game of all laws. A call concerns one part and leaves the others as they are.
//! From the product of the `C_i` the agent discharges one part after the other: the way to `E_1` that exists in part 1
//! leaves all other parts where they are, then that to `E_2` leaves part 1 in `E_1`, and so on, so that in the end all
//! parts accept the end. Hence a position in which every part is in `C_i` is winning. If some part is in `X_i` but not
//! in `C_i`, the agent has to act in this part before the world does: so at most one part may be like that, and a call
//! has to take it to `C_i`; or all parts accept the end at once. That is [`Standing`].
//!
//! # Parts that share actions
//!
//! Laws that share actions or propositions are decided apart, too, as far as no law needs what harms another one
//! ([`parts`]; [`connected_parts`] are those that share nothing). The terms are those of the module `influence`:
//!
//! - A law that accepts every end as long as it is not violated needs nothing. Alone it is a part whose positions in `C`
//!   are left only by letters that it *refuses*: the product argument holds as long as no other part needs these.
//! - In every other part, the way to `E_i` needs only letters of sources that *help* some law of the part: without the
//!   others it leads to positions that are at least as good, and so does a way without a letter in which nothing is left.
//!   Another part must not be *harmed* by these letters. Then they lead, in the other part, to a position at least as good
//!   as the one after a letter that it does not read; `C_j` and `E_j` contain with each position all better ones, also
//!   with more pending calls whose outcomes harm nothing.
//! - Calls may harm a law that owes something (`A then B immediately` refuses all other actions until `B` succeeds) if its
//!   part is discharged before the part that needs them: there must be an order of the parts for that. Where the world
//!   makes the law owe something again, the order begins anew.
//! - If a letter that no law of a part reads may harm one of them (`A within N of B` counts letters), the part is given a
//!   letter of the world in which nothing happens. So its `C_i` are those positions that stay winning however many other
//!   letters come, which may be fewer than there are. Such a letter must help nothing, no letter of the world may violate
//!   the law, and it must accept every end.
//! - Laws with `for_each`, assumptions, and laws about propositions that the agent raises or that effects name share
//!   nothing with other parts.
//!
//! Several parts that are in `X_i` but not in `C_i` may need the same call.
//!
//! If a session may be in several states (a script with unknown outcomes), each part is judged for all states that its
//! own laws may be in. That is sound; it refuses what only a strategy could save that learns from letters about one part
//! in which state another part is.
//!
//! Compared with the game of all laws, position by position, in `tests/it/policy_game/parts.rs`.

use super::influence::{Influence, influence};
use super::layout::{Calm, Turns, calm, turns};
use crate::CompiledPolicy;
use crate::language::{ActionId, Ending, LawAtom, LawId, LawKind, OUTCOMES, RegisterId};
use crate::roles::Roles;
use std::collections::{BTreeMap, BTreeSet};
use tsl_synth_automata::components;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::BitId;

/// A part of a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyPart {
    /// The laws, in declared order.
    pub laws: Vec<LawId>,
    /// The actions that its laws read, whose outcomes they read, or whose effects name what they read; all actions if it
    /// is the only part.
    pub actions: Vec<ActionId>,
    /// The registers that its laws read; all if it is the only part.
    pub registers: Vec<RegisterId>,
    /// The lists of bound values of its laws, by their numbers in the policy.
    pub lists: Vec<usize>,
    /// Whether every letter that concerns the part is bound to all values of its only list, so that the copies of its
    /// laws share nothing either.
    pub is_bound: bool,
    /// Whether letters about other parts may harm its laws (see the module). Then a position that is not shown to stay
    /// winning need not be lost.
    pub counts_letters: bool,
}

/// What a position is in the game of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It stays winning whatever the world does.
    Closed,
    /// It is winning only if the agent makes a call before the world does anything.
    Urgent,
    /// It is winning only because the run may end.
    AtEnd,
    /// It is not winning.
    Lost,
}

/// Sets of bits, each represented by one of its members.
struct Sets(Vec<usize>);

impl Sets {
    fn find(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b);
    }
}

/// The parts of a policy, as far as these laws concern it; a single part if the conditions of this module do not hold.
pub fn connected_parts(compiled: &CompiledPolicy, laws: &[LawId]) -> Vec<PolicyPart> {
    let policy = &compiled.policy;
    let atoms = &policy.atoms;
    let roles = compiled.roles.clone();
    let mut sets = Sets((0..atoms.bits() + policy.laws.len()).collect());
    let law_set = |law: LawId| atoms.bits() + law.index();
    // All atoms of an action belong together, and both of a proposition.
    for id in atoms.actions.ids() {
        let call = atoms.bit(LawAtom::Call(id)).index();
        for outcome in OUTCOMES {
            sets.join(call, atoms.bit(LawAtom::Result(id, outcome)).index());
        }
    }
    for id in atoms.propositions.ids() {
        let set = atoms.bit(LawAtom::Proposition(id)).index();
        sets.join(set, atoms.bit(LawAtom::Clear(id)).index());
    }
    for register in &policy.registers {
        let own = atoms.bit(LawAtom::Proposition(register.proposition)).index();
        for bit in [register.on, register.reset_on].into_iter().flat_map(|guard| policy.guards.support(guard))
        {
            sets.join(own, bit.index());
        }
    }
    let mut is_read = vec![false; atoms.bits()];
    for &law in laws {
        for bit in compiled.reads(law) {
            is_read[bit.index()] = true;
            sets.join(law_set(law), bit.index());
        }
    }
    for (id, effects) in roles.effects.enumerate() {
        let own = atoms.bit(LawAtom::Proposition(id));
        for effect in effects {
            sets.join(own.index(), atoms.bit(LawAtom::Call(effect.action)).index());
        }
    }
    let mut parts: Vec<(usize, PolicyPart)> = Vec::new();
    for &law in laws {
        let root = sets.find(law_set(law));
        let at = parts.iter().position(|(own, _)| *own == root).unwrap_or_else(|| {
            parts.push((root, PolicyPart::default()));
            parts.len() - 1
        });
        parts[at].1.laws.push(law);
    }
    for id in atoms.actions.ids() {
        let root = sets.find(atoms.bit(LawAtom::Call(id)).index());
        if let Some((_, part)) = parts.iter_mut().find(|(own, _)| *own == root) {
            part.actions.push(id);
        }
    }
    for (id, register) in policy.registers.enumerate() {
        let root = sets.find(atoms.bit(LawAtom::Proposition(register.proposition)).index());
        if let Some((_, part)) = parts.iter_mut().find(|(own, _)| *own == root) {
            part.registers.push(id);
        }
    }
    let roots: Vec<usize> = parts.iter().map(|(root, _)| *root).collect();
    let mut parts: Vec<PolicyPart> = parts.into_iter().map(|(_, part)| part).collect();
    let has_free_action = atoms.actions.ids().any(|id| {
        let root = sets.find(atoms.bit(LawAtom::Call(id)).index());
        !roots.contains(&root) && policy.effects[id].is_none()
    });
    if parts.len() > 1 && !are_apart(compiled, &roles, laws, has_free_action, &is_read) {
        parts = vec![PolicyPart {
            laws: laws.to_vec(),
            actions: atoms.actions.ids().collect(),
            ..PolicyPart::default()
        }];
    }
    complete(compiled, &mut parts);
    parts
}

/// Adds what follows from the laws, actions and registers of parts.
fn complete(compiled: &CompiledPolicy, parts: &mut [PolicyPart]) {
    let (policy, roles) = (&compiled.policy, &compiled.roles);
    for part in parts.iter_mut() {
        let lists = roles.keys.iter().enumerate();
        let of_part = |key: &Vec<String>| part.laws.iter().any(|&law| policy.laws[law].for_each == *key);
        part.lists = lists.filter(|(_, key)| of_part(key)).map(|(list, _)| list).collect();
        part.is_bound = is_bound(compiled, roles, part);
    }
    // Where there is no other part, calls that no law reads may matter: their outcomes are letters, too.
    if let [part] = parts {
        part.actions = policy.atoms.actions.ids().collect();
        part.registers = policy.registers.ids().collect();
        part.counts_letters = false;
    }
}

/// The finest parts of a policy, as far as these laws concern it (see the module).
pub fn parts(compiled: &CompiledPolicy, laws: &[LawId]) -> Vec<PolicyPart> {
    separate(compiled, laws).unwrap_or_else(|| connected_parts(compiled, laws))
}

/// Laws that are decided together.
#[derive(Default)]
struct Block {
    laws: Vec<usize>,
    /// The sources of letters that it may need for the way to an accepted end.
    needed: BTreeSet<BitId>,
    /// The sources of letters that may harm it, also where it accepts the end.
    harmed: BTreeSet<BitId>,
    /// The actions whose calls may harm it where it does not accept the end.
    blocked: BTreeSet<BitId>,
}

/// The laws in blocks, one for each of these sets, with how letters affect each law.
fn blocks(all: &[Influence], sets: &mut Sets) -> Vec<Block> {
    let mut found: BTreeMap<usize, Block> = BTreeMap::new();
    for at in 0..all.len() {
        found.entry(sets.find(at)).or_default().laws.push(at);
    }
    let mut found: Vec<Block> = found.into_values().collect();
    for block in &mut found {
        let owes = block.laws.iter().any(|&at| all[at].may_owe);
        for own in block.laws.iter().map(|&at| &all[at]) {
            block.needed.extend(own.helps.iter().filter(|_| owes));
            block.harmed.extend(if owes { &own.harms } else { &own.refuses });
            block.blocked.extend(&own.blocks);
        }
    }
    found
}

/// Pairs of blocks that have to be decided together: one needs letters that harm the other, or they depend on each other
/// in a cycle, where a block has to be discharged before those whose letters harm it while it owes something.
fn clashing(blocks: &[Block]) -> Vec<(usize, usize)> {
    let mut needing: BTreeMap<BitId, Vec<usize>> = BTreeMap::new();
    for (at, block) in blocks.iter().enumerate() {
        block.needed.iter().for_each(|&source| needing.entry(source).or_default().push(at));
    }
    let needing = |source: &BitId| needing.get(source).into_iter().flatten().copied();
    let (mut found, mut before) = (Vec::new(), vec![Vec::new(); blocks.len()]);
    for (at, block) in blocks.iter().enumerate() {
        let clashing = block.harmed.iter().flat_map(needing).map(|other| (at, other));
        found.extend(clashing.filter(|(one, other)| one != other));
        before[at].extend(block.blocked.iter().flat_map(needing).filter(|&other| other != at));
    }
    if found.is_empty() {
        let components = components(&before);
        let mut first = components.table(None);
        for (at, component) in components.iter().enumerate() {
            let one = *first[component].get_or_insert(at);
            found.extend((one != at).then_some((one, at)));
        }
    }
    found
}

/// The parts of a policy where two of them may share actions and propositions if neither needs letters that harm the
/// other; `None` where that is not decided.
fn separate(compiled: &CompiledPolicy, laws: &[LawId]) -> Option<Vec<PolicyPart>> {
    let policy = &compiled.policy;
    if turns(policy) != Turns::Apart || policy.end != Ending::Finite {
        return None;
    }
    let all: Vec<Influence> = laws.iter().map(|&law| influence(compiled, law)).collect::<Option<_>>()?;
    let read: BTreeSet<BitId> = all.iter().flat_map(|own| own.reads.iter().copied()).collect();
    let is_free =
        |id: ActionId| !read.contains(&policy.atoms.bit(LawAtom::Call(id))) && policy.effects[id].is_none();
    let raises = |&bit: &BitId| {
        let atom = policy.atoms.atom(bit);
        compiled.roles.is_agents(atom) && !matches!(atom, LawAtom::Call(_))
    };
    let may_wait = policy.idle && !read.iter().any(raises);
    if !may_wait && (!policy.atoms.actions.ids().any(is_free) || all.iter().any(|own| own.counts_letters)) {
        return None;
    }
    let mut sets = Sets((0..laws.len()).collect());
    let joined: BTreeSet<BitId> =
        all.iter().filter(|own| own.is_joined).flat_map(|own| own.reads.iter().copied()).collect();
    let mut reader: BTreeMap<BitId, usize> = BTreeMap::new();
    for (at, own) in all.iter().enumerate() {
        for &source in own.reads.intersection(&joined) {
            sets.join(at, *reader.entry(source).or_insert(at));
        }
    }
    let found = loop {
        let found = blocks(&all, &mut sets);
        let clashing = clashing(&found);
        if clashing.is_empty() {
            break found;
        }
        for (one, other) in clashing {
            sets.join(found[one].laws[0], found[other].laws[0]);
        }
    };
    let part = |block: &Block| {
        let own = || block.laws.iter().map(|&at| &all[at]);
        let guards = block.laws.iter().flat_map(|&at| compiled.monitors[laws[at]].guards().iter().copied());
        let bits = compiled.reads_through_registers(guards);
        let computes = |id: &RegisterId| {
            let proposition = policy.registers[*id].proposition;
            bits.contains(&policy.atoms.bit(LawAtom::Proposition(proposition)))
        };
        let reads =
            |id: &ActionId| own().any(|law| law.reads.contains(&policy.atoms.bit(LawAtom::Call(*id))));
        PolicyPart {
            laws: block.laws.iter().map(|&at| laws[at]).collect(),
            actions: policy.atoms.actions.ids().filter(reads).collect(),
            registers: policy.registers.ids().filter(computes).collect(),
            counts_letters: own().any(|law| law.counts_letters),
            ..PolicyPart::default()
        }
    };
    let mut parts: Vec<PolicyPart> = found.iter().map(part).collect();
    complete(compiled, &mut parts);
    Some(parts)
}

/// Whether laws that share no atoms may be decided apart.
fn are_apart(
    compiled: &CompiledPolicy,
    roles: &Roles,
    laws: &[LawId],
    has_free_action: bool,
    is_read: &[bool],
) -> bool {
    let policy = &compiled.policy;
    let atoms = &policy.atoms;
    let raises = |at: usize| {
        let atom = atoms.atom(BitId::from_index(at));
        is_read[at] && roles.is_agents(atom) && !matches!(atom, LawAtom::Call(_))
    };
    turns(policy) == Turns::Apart
        && (has_free_action || policy.idle && !(0..is_read.len()).any(raises))
        && laws.iter().all(|&law| calm(compiled, law) != Calm::No)
}

/// Whether every letter that concerns a part is bound to all values of its only list, no register counts for all values
/// together, and the part is one of several, or could be.
fn is_bound(compiled: &CompiledPolicy, roles: &Roles, part: &PolicyPart) -> bool {
    let policy = &compiled.policy;
    let atoms = &policy.atoms;
    let &[list] = part.lists.as_slice() else { return false };
    let is_own = |law: LawId| policy.laws[law].for_each == roles.keys[list];
    let reads = |law: LawId| compiled.reads(law).into_iter();
    let is_full = |bit: BitId| {
        let atom = atoms.atom(bit);
        let is_computed = matches!(atom, LawAtom::Proposition(id) | LawAtom::Clear(id)
            if atoms.propositions[id].is_computed);
        let binding = roles.of_atom(list, atom);
        !is_computed
            && binding.is_apart()
            && !binding.is_for_all()
            && (matches!(atom, LawAtom::Call(_)) || !roles.is_agents(atom))
    };
    let is_bound_action = |&id: &ActionId| {
        let binding = roles.of_call(list, id);
        binding.is_apart() && !binding.is_for_all()
    };
    turns(policy) == Turns::Apart
        && policy.idle
        && part.laws.iter().all(|&law| is_own(law) && calm(compiled, law) == Calm::Always)
        && part.laws.iter().all(|&law| reads(law).all(is_full))
        && part.actions.iter().all(is_bound_action)
        && part.laws.iter().all(|&law| policy.laws[law].kind != LawKind::Assume)
}
