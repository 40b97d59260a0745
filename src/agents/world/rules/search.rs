//! Shortest plans in a world, if chances are favorable.

use super::rule::{Luck, Rule};
use super::state::State;
use super::{EffectsWorld, WorldSpec};
use std::collections::BTreeSet;

/// The state after an action where everything goes well; `None` if it fails.
pub(super) fn favorable(spec: &WorldSpec, rule: &Rule, state: &State) -> Option<State> {
    EffectsWorld::after(spec, rule, state, Luck::Good).ok()
}

/// The actions that may help toward something that depends on these slots: those that change one of them, or one that a
/// helpful action reads. Walks always may.
pub(super) fn helpful(spec: &WorldSpec, goal: impl IntoIterator<Item = usize>) -> Vec<&Rule> {
    let mut wanted: BTreeSet<usize> = goal.into_iter().collect();
    let mut helps = vec![false; spec.rules.len()];
    if let Some(map) = &spec.map {
        wanted.extend(map.uses.iter().map(|(slot, _)| *slot));
    }
    loop {
        let mut grows = false;
        for (rule, helps) in spec.rules.iter().zip(&mut helps).filter(|(_, helps)| !**helps) {
            if rule.walk.is_some() || rule.changed().any(|slot| wanted.contains(&slot)) {
                *helps = true;
                grows = true;
                wanted.extend(rule.read());
            }
        }
        if !grows {
            let helpful = spec.rules.iter().zip(helps).filter(|(_, helps)| *helps);
            return helpful.map(|(rule, _)| rule).collect();
        }
    }
}
