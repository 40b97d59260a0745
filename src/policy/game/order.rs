//! Which positions are at least as good as others, by the order of the states of each law.

use super::influence::{Influence, influence};
use super::position::PolicyPosition;
use crate::CompiledPolicy;
use crate::language::{ActionId, LawAtom, LawId};
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::Letter;

/// What is known about the order of the states of some laws, by which a position is compared with another one.
#[derive(Clone, Debug)]
pub struct PositionOrder {
    laws: Vec<(LawId, Influence)>,
}

impl PositionOrder {
    /// The order for some laws; `None` if letters that these laws do not read may help one of them.
    pub fn new(compiled: &CompiledPolicy, laws: &[LawId]) -> Option<Self> {
        let laws = laws.iter().map(|&law| Some((law, influence(compiled, law)?)));
        Some(Self { laws: laws.collect::<Option<_>>()? })
    }
    /// Whether the laws can be kept from one position whatever the world does if they can from another one, where the
    /// world may let letters pass about which no law says anything. Both are positions of one copy of each law. `false` if
    /// that is not known.
    pub fn is_at_least_as_good(
        &self,
        compiled: &CompiledPolicy,
        good: &PolicyPosition,
        bad: &PolicyPosition,
    ) -> bool {
        let covers = |(law, own): &(LawId, Influence)| {
            let (good, bad) = (&good.laws[law.index()], &bad.laws[law.index()]);
            let (states, decision) = (compiled.monitors[*law].len(), &compiled.decisions[*law]);
            let none = decision.class(&Letter::new());
            let is_covered = |(&good, &bad): (&u32, &u32)| {
                let passed = if own.counts_letters { decision.next(bad, none) } else { bad };
                good == bad || own.covered.get(passed as usize * states + good as usize) == Some(&true)
            };
            good.len() == bad.len() && good.iter().zip(bad).all(is_covered)
        };
        // A call without an outcome gives the world more letters.
        let adds_nothing = |(slot, count): (&(ActionId, Vec<u32>), &u32)| {
            let source = compiled.policy.atoms.bit(LawAtom::Call(slot.0));
            bad.pending.get(slot).is_some_and(|known| known >= count)
                || self.laws.iter().all(|(_, own)| !own.harmful_ends.contains(&source))
        };
        // A call that has an outcome now is one that the world may not end any more.
        let takes_nothing = |(slot, count): (&(ActionId, Vec<u32>), &u32)| {
            let source = compiled.policy.atoms.bit(LawAtom::Call(slot.0));
            good.pending.get(slot).is_some_and(|known| known >= count)
                || self.laws.iter().all(|(_, own)| !own.helps.contains(&source))
        };
        good.registers == bad.registers
            && self.laws.iter().all(covers)
            && good.pending.iter().all(adds_nothing)
            && bad.pending.iter().all(takes_nothing)
    }
}
