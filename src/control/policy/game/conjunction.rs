//! How all laws together stand: whether some continuation keeps all of them, though each may have one of its own.

use super::functions::tick;
use crate::base::{Budget, Id, IdVec, Limit};
use crate::control::policy::CompiledPolicy;
use crate::logic::{BitId, Guard, Guards, Letter};
use crate::model::Standing;
use crate::spec::policy::{Atom, LawId, TraceMode};
use rustc_hash::FxHashMap;

/// The positions of the monitors of some laws from which some word keeps all of them: the least fixpoint of the accepting
/// positions and those from which a possible letter leads on. Letters are all that can be written; computed propositions
/// have any value, and nothing is assumed about the world. With copies of laws, for one copy.
#[derive(Clone, Debug)]
pub struct Conjunction {
    laws: Vec<LawId>,
    store: Guards,
    states: Vec<Vec<BitId>>,
    live: Guard,
}

impl Conjunction {
    /// Solves the question for some laws.
    ///
    /// # Errors
    /// The budget, or more than `nodes` nodes of diagrams.
    pub fn new(
        compiled: &CompiledPolicy,
        laws: &[LawId],
        nodes: usize,
        budget: &Budget,
    ) -> Result<Self, Limit> {
        let mut policy = compiled.policy.clone();
        let possible = policy.atoms.possible(&mut policy.guards, policy.trace == TraceMode::PerEvent);
        let mut store = Guards::new();
        store.set_limit(nodes);
        let mut counted = 0;
        // Calls, then letters and states in the order of laws, as in the game.
        let (mut letter, mut next_bit) = (FxHashMap::<BitId, BitId>::default(), 0);
        let mut fresh = || {
            next_bit += 1;
            BitId::from_index(next_bit - 1)
        };
        let mut states: Vec<Vec<BitId>> = Vec::new();
        let is_call = |bit: BitId| matches!(policy.atoms.atom(bit), Atom::Call(_));
        let guards = laws.iter().flat_map(|&law| compiled.monitors[law].guards());
        let mut calls: Vec<BitId> =
            guards.flat_map(|&guard| policy.guards.support(guard)).filter(|&bit| is_call(bit)).collect();
        calls.sort_unstable();
        calls.dedup();
        for &call in &calls {
            letter.insert(call, fresh());
        }
        for &law in laws {
            let monitor = &compiled.monitors[law];
            for &guard in monitor.guards() {
                for bit in policy.guards.support(guard) {
                    letter.entry(bit).or_insert_with(&mut fresh);
                }
            }
            let width = u32::BITS - (monitor.len() as u32 - 1).leading_zeros();
            states.push((0..width).map(|_| fresh()).collect());
        }
        let count = next_bit;
        let is_read = |bit: BitId| letter.contains_key(&bit);
        let written = policy.guards.exists(possible, &|bit| !is_read(bit));
        let care = policy.guards.exists(written, &|bit| calls.binary_search(&bit).is_err());
        let mut translated: FxHashMap<Guard, Guard> = FxHashMap::default();
        let mut translate = |store: &mut Guards, guard: Guard| {
            let renamed = |bit: BitId| letter.get(&bit).copied();
            rename(&policy.guards, guard, store, &renamed, &mut translated)
        };
        let (written, care) = (translate(&mut store, written), translate(&mut store, care));
        let mut next: IdVec<BitId, Option<Guard>> = IdVec::filled(None, count);
        let mut end = Guard::TRUE;
        for (&law, bits) in laws.iter().zip(&states) {
            let monitor = &compiled.monitors[law];
            let guards: Vec<Guard> =
                monitor.guards().iter().map(|&guard| translate(&mut store, guard)).collect();
            let mut functions = vec![Guard::FALSE; bits.len()];
            let mut accepting = Guard::FALSE;
            for state in 0..monitor.len() as u32 {
                let here = code(&mut store, bits, state);
                if monitor.dfa().is_accepting(state) {
                    accepting = store.or(accepting, here);
                }
                for (i, function) in functions.iter_mut().enumerate() {
                    let set = |valuation: usize| monitor.next(state, valuation) >> i & 1 == 1;
                    let mut leaves: Vec<Guard> = (0..1 << guards.len())
                        .map(|valuation| if set(valuation) { Guard::TRUE } else { Guard::FALSE })
                        .collect();
                    for &guard in guards.iter().rev() {
                        let half = leaves.len() / 2;
                        leaves = (0..half).map(|v| store.ite(guard, leaves[v + half], leaves[v])).collect();
                    }
                    let own = store.and(care, leaves[0]);
                    let own = store.and(here, own);
                    *function = store.or(*function, own);
                }
                tick(&store, &mut counted, budget)?;
            }
            for (&bit, function) in bits.iter().zip(functions) {
                next[bit] = Some(function);
            }
            end = store.and(end, accepting);
            tick(&store, &mut counted, budget)?;
        }
        let (mut live, mut done) = (end, FxHashMap::default());
        loop {
            let before = store.compose(live, &|bit| next[bit], &mut done);
            let before = store.and(written, before);
            let before = store.exists(before, &|bit| next[bit].is_none());
            let more = store.or(live, before);
            tick(&store, &mut counted, budget)?;
            if more == live {
                return Ok(Self { laws: laws.to_vec(), store, states, live });
            }
            live = more;
        }
    }
    /// The laws.
    pub fn laws(&self) -> &[LawId] {
        &self.laws
    }
    /// How the laws stand together, given the state of the monitor of each, in the order of [`Conjunction::laws`].
    pub fn standing(&self, compiled: &CompiledPolicy, states: &[u32]) -> Standing {
        let mut set = Letter::new();
        for (bits, &state) in self.states.iter().zip(states) {
            set.extend(bits.iter().enumerate().filter(|(i, _)| state >> i & 1 == 1).map(|(_, &bit)| bit));
        }
        let all = |holds: &dyn Fn(Standing) -> bool| {
            self.laws.iter().zip(states).all(|(&law, &state)| holds(compiled.monitors[law].standing(state)))
        };
        if !self.store.contains(self.live, &set) {
            Standing::Violated
        } else if all(&|one| one == Standing::Satisfied) {
            Standing::Satisfied
        } else if all(&Standing::holds) {
            Standing::CurrentlySatisfied
        } else {
            Standing::CurrentlyViolated
        }
    }
}

/// The states with this number, the lowest bit first.
fn code(store: &mut Guards, bits: &[BitId], state: u32) -> Guard {
    let cube: Vec<(BitId, bool)> =
        bits.iter().enumerate().map(|(i, &bit)| (bit, state >> i & 1 == 1)).collect();
    store.cube(&cube)
}

/// A guard over other bits. Recursion is as deep as there are bits.
fn rename(
    from: &Guards,
    guard: Guard,
    store: &mut Guards,
    renamed: &dyn Fn(BitId) -> Option<BitId>,
    done: &mut FxHashMap<Guard, Guard>,
) -> Guard {
    let Some((bit, low, high)) = from.branch(guard) else { return guard };
    if let Some(&own) = done.get(&guard) {
        return own;
    }
    let low = rename(from, low, store, renamed, done);
    let high = rename(from, high, store, renamed, done);
    let condition = renamed(bit).map_or(Guard::FALSE, |bit| store.bit(bit));
    let own = store.ite(condition, high, low);
    done.insert(guard, own);
    own
}
