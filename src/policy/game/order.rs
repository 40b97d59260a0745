//! Which positions cover others: each law is at least as easy to keep from them (see the module `influence`).

use super::influence::{Influence, influence};
use super::layout::{Turns, turns};
use super::position::PolicyPosition;
use crate::CompiledPolicy;
use crate::language::{ActionId, Ending, LawAtom, LawId};
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::Letter;

/// For some laws which states of their monitors cover which others, by which positions are compared.
#[derive(Clone, Debug)]
pub struct PositionOrder {
    laws: Vec<(LawId, Influence)>,
}

impl PositionOrder {
    /// The order for some laws; `None` if one of them may depend on the letters about any other law, also by counting
    /// letters if the world may have none that no law reads (`has_others`), or if laws read letters in which calls join
    /// other truths.
    pub fn new(compiled: &CompiledPolicy, laws: &[LawId], has_others: bool) -> Option<Self> {
        if turns(&compiled.policy) != Turns::Apart || compiled.policy.end != Ending::Finite {
            return None;
        }
        let laws = laws.iter().map(|&law| Some((law, influence(compiled, law)?)));
        let laws: Vec<(LawId, Influence)> = laws.collect::<Option<_>>()?;
        let is_known = |(_, own): &(LawId, Influence)| has_others || !own.counts_letters;
        laws.iter().all(is_known).then_some(Self { laws })
    }
    /// Whether the agent wins from one position if it wins from another one, where the world may also choose letters that
    /// no law reads, if the order was made for other parts, too. Both are positions of one copy of each law. `false` if
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
        // A pending call gives the world more letters: its outcomes.
        let adds_nothing = |(slot, count): (&(ActionId, Vec<u32>), &u32)| {
            let source = compiled.policy.atoms.bit(LawAtom::Call(slot.0));
            bad.pending.get(slot).is_some_and(|known| known >= count)
                || self.laws.iter().all(|(_, own)| !own.harmful_ends.contains(&source))
        };
        // The outcome of a call that is no longer pending cannot help any more.
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
