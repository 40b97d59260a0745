//! The transition system of the world that the declared effects describe.

use super::frame::AnalysisFrame;
use crate::declared_world::{DeclaredWorld, Facts};
use crate::language::{ActionId, LawAtom, Policy, PropositionId, TraceMode};
use tsl_synth_core::base::{Limit, LimitKind};
use tsl_synth_core::logic::Letter;

/// The maximal number of propositions that one action may set or clear.
const MAX_OPEN: usize = 10;

/// The transition system of the world.
pub(super) struct WorldModel<'p> {
    policy: &'p Policy,
    world: DeclaredWorld,
}

impl<'p> WorldModel<'p> {
    /// The world of a policy; the error is the reason why its effects do not determine one.
    pub(super) fn new(frame: &AnalysisFrame<'p>) -> Result<Self, &'static str> {
        let policy = &frame.compiled.policy;
        if policy.atoms.actions.is_empty() || policy.effects.iter().any(Option::is_none) {
            return Err("not every action has declared effects, `[actions.effects]`");
        }
        if !policy.registers.is_empty() {
            return Err("registers are not part of the declared effects");
        }
        if policy.trace != TraceMode::PerAction {
            return Err("only letters with one action each, `trace = \"per-action\"`, are searched");
        }
        Ok(Self { policy, world: DeclaredWorld::new(policy) })
    }
    /// The facts before the first letter.
    pub(super) fn initial(&self) -> Facts {
        self.world.initial(self.policy)
    }
    /// The letter of the world after a change. A proposition that holds until it is cleared is reported when it
    /// changes; without `before`, each of them is reported.
    pub(super) fn letter(&self, before: Option<&[u8]>, facts: &[u8]) -> Letter {
        let mut letter = Letter::new();
        for (id, proposition) in self.policy.atoms.propositions.enumerate() {
            let now = self.world.holds(facts, id);
            let is_news = before.is_none_or(|facts| self.world.holds(facts, id) != now);
            if now && (is_news || !proposition.is_state) {
                letter.insert(self.policy.atoms.bit(LawAtom::Proposition(id)));
            } else if !now && is_news && proposition.is_state {
                letter.insert(self.policy.atoms.bit(LawAtom::Clear(id)));
            }
        }
        letter
    }
    /// The facts that an action may lead to, without repetitions.
    pub(super) fn answers(&self, facts: &Facts, action: Option<ActionId>) -> Result<Vec<Facts>, Limit> {
        let Some(effects) = action.and_then(|action| self.policy.effects[action].as_ref()) else {
            return Ok(vec![facts.clone()]);
        };
        if DeclaredWorld::missing(facts, effects).next().is_some() {
            return Ok(vec![facts.clone()]);
        }
        let mut next = facts.clone();
        self.world.change(self.policy, &mut next, effects);
        let may = |id: PropositionId, value: u8| {
            self.world.place(id).filter(|&place| next[place] != value).map(|place| (place, value))
        };
        let set = effects.may_set.iter().filter_map(|&id| may(id, 1));
        let mut open: Vec<(usize, u8)> =
            set.chain(effects.may_clear.iter().filter_map(|&id| may(id, 0))).collect();
        open.sort_unstable();
        open.dedup();
        if open.len() > MAX_OPEN {
            let what = format!("an action may set or clear more than {MAX_OPEN} propositions");
            return Err(Limit::new(LimitKind::Size, what));
        }
        let outcomes = (0..1usize << open.len()).map(|mask| {
            let mut facts = next.clone();
            for (i, &(place, value)) in open.iter().enumerate() {
                if mask >> i & 1 == 1 {
                    facts[place] = value;
                }
            }
            facts
        });
        Ok(outcomes.collect())
    }
}
