//! The world that the declared effects describe: bounded quantities and remembered propositions, which actions change.

use super::frame::AnalysisFrame;
use crate::language::{ActionId, Effects, LawAtom, Policy, PropositionId, TraceMode};
use tsl_synth_core::base::{Id, Limit, LimitKind};
use tsl_synth_core::logic::Letter;

/// The maximal number of propositions that one action may set or clear.
const MAX_OPEN: usize = 10;

/// The values of the quantities, then of the propositions that are no thresholds.
pub(super) type Facts = Box<[u8]>;

/// The transition system of the world.
pub(super) struct WorldModel<'p> {
    policy: &'p Policy,
    /// For each proposition its index among the facts; `None` for thresholds.
    places: Vec<Option<usize>>,
    /// For each proposition the quantities whose amount makes it hold, with the least such amount.
    thresholds: Vec<Vec<(usize, u32)>>,
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
        let mut thresholds = vec![Vec::new(); policy.atoms.propositions.len()];
        for (quantity, one) in policy.quantities.iter().enumerate() {
            for &(id, least) in &one.thresholds {
                thresholds[id.index()].push((quantity, least));
            }
        }
        let mut places = vec![None; policy.atoms.propositions.len()];
        let mut next = policy.quantities.len();
        for id in policy.atoms.propositions.ids() {
            if thresholds[id.index()].is_empty() {
                places[id.index()] = Some(next);
                next += 1;
            }
        }
        Ok(Self { policy, places, thresholds })
    }
    /// The facts before the first letter.
    pub(super) fn initial(&self) -> Facts {
        let mut facts: Vec<u8> = self.policy.quantities.iter().map(|one| one.initial as u8).collect();
        for (id, proposition) in self.policy.atoms.propositions.enumerate() {
            if self.places[id.index()].is_some() {
                facts.push(u8::from(proposition.initial));
            }
        }
        facts.into()
    }
    fn holds(&self, facts: &[u8], id: PropositionId) -> bool {
        match self.places[id.index()] {
            Some(place) => facts[place] != 0,
            None => self.thresholds[id.index()]
                .iter()
                .any(|&(quantity, least)| u32::from(facts[quantity]) >= least),
        }
    }
    /// The letter of the world after a change. A proposition that holds until it is cleared is reported when it
    /// changes; without `before`, each of them is reported.
    pub(super) fn letter(&self, before: Option<&[u8]>, facts: &[u8]) -> Letter {
        let mut letter = Letter::new();
        for (id, proposition) in self.policy.atoms.propositions.enumerate() {
            let now = self.holds(facts, id);
            let is_news = before.is_none_or(|facts| self.holds(facts, id) != now);
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
        if effects.needs.iter().any(|&(quantity, least)| u32::from(facts[quantity]) < least) {
            return Ok(vec![facts.clone()]);
        }
        let next = self.surely(facts, effects);
        let may = |id: PropositionId, value: u8| {
            self.places[id.index()].filter(|&place| next[place] != value).map(|place| (place, value))
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
    fn surely(&self, facts: &Facts, effects: &Effects) -> Facts {
        let mut next = facts.clone();
        for &(quantity, by) in &effects.changes {
            // At most 255, as quantities are read.
            let most = i64::from(self.policy.quantities[quantity].most);
            let value = (i64::from(next[quantity]) + i64::from(by)).clamp(0, most);
            next[quantity] = u8::try_from(value).unwrap_or(u8::MAX);
        }
        for (ids, value) in [(&effects.sets, 1), (&effects.clears, 0)] {
            for id in ids {
                if let Some(place) = self.places[id.index()] {
                    next[place] = value;
                }
            }
        }
        next
    }
}
