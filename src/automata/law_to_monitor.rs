//! From a formula on finite words over guards to a deterministic monitor. The letters of its automaton are the
//! valuations of the guards that occur for some possible letter.

use super::finite_to_dfa;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Limit};
use tsl_synth_core::logic::{FiniteFormulas, FiniteId, FiniteNode, Guard, Guards};
use tsl_synth_core::model::{Dfa, LawMonitor};

/// The most states of the monitor of a law.
pub const LAW_MONITOR_STATES: usize = 1 << 12;

/// A formula over numbered propositions, with the valuations of the propositions that can occur.
type LawShape = (Vec<FiniteNode>, FiniteId, Vec<u32>);

/// Monitors of laws. Laws that differ only in their names share an automaton.
#[derive(Debug, Default)]
pub struct LawMonitors {
    automata: FxHashMap<LawShape, Dfa>,
}

impl LawMonitors {
    /// The monitor of a formula whose proposition `i` is `used[i]`, over the letters in `possible`.
    ///
    /// # Errors
    /// More than [`LAW_MONITOR_STATES`] states, or the budget.
    ///
    /// # Panics
    /// If there are more than 16 guards.
    pub fn monitor(
        &mut self,
        guards: &mut Guards,
        possible: Guard,
        used: &[Guard],
        formulas: &FiniteFormulas,
        root: FiniteId,
        budget: &Budget,
    ) -> Result<LawMonitor, Limit> {
        assert!(used.len() <= 16, "letters of monitors are 16-bit");
        let mut valuations: Vec<(u32, Guard)> = vec![(0, Guard::TRUE)];
        for (i, &guard) in used.iter().enumerate() {
            budget.tick(valuations.len() as u64, || "the letters of a law".into())?;
            let split = valuations.iter().flat_map(|&(valuation, letters)| {
                let (inside, outside) = (guards.and(letters, guard), guards.minus(letters, guard));
                [(valuation, outside), (valuation | 1 << i, inside)]
            });
            valuations = split.collect();
            valuations.retain(|&(_, letters)| guards.overlap(letters, possible));
        }
        let mut valuations: Vec<u32> = valuations.into_iter().map(|(valuation, _)| valuation).collect();
        valuations.sort_unstable();
        let shape = (formulas.nodes().to_vec(), root, valuations.clone());
        if let Some(dfa) = self.automata.get(&shape) {
            return Ok(LawMonitor::new(used.to_vec(), valuations, dfa.clone()));
        }
        let dfa = finite_to_dfa(formulas, root, &valuations, LAW_MONITOR_STATES, budget)?;
        self.automata.insert(shape, dfa.clone());
        Ok(LawMonitor::new(used.to_vec(), valuations, dfa))
    }
}
