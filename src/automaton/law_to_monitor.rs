//! From a formula on finite words over guards to a deterministic monitor. The letters of its automaton are the valuations of
//! the guards that some possible letter has.

use super::finite_to_dfa;
use crate::base::{Budget, Limit};
use crate::logic::{FiniteFormulas, FiniteId, Guard, Guards};
use crate::model::LawMonitor;

/// The monitor of a law has at most so many states.
pub const LAW_MONITOR_STATES: usize = 1 << 12;

/// The monitor of a formula whose proposition `i` is `used[i]`, over the letters in `possible`.
///
/// # Errors
/// More than [`LAW_MONITOR_STATES`] states, or the budget.
///
/// # Panics
/// If there are more than 16 guards.
pub fn law_to_monitor(
    guards: &mut Guards,
    possible: Guard,
    used: &[Guard],
    formulas: &FiniteFormulas,
    root: FiniteId,
    budget: &Budget,
) -> Result<LawMonitor, Limit> {
    assert!(used.len() <= 16, "letters of monitors are 16-bit");
    let mut valuations: Vec<(u32, Guard)> = vec![(0, possible)];
    for (i, &guard) in used.iter().enumerate() {
        budget.tick(valuations.len() as u64, || "the letters of a law".into())?;
        let split = valuations.iter().flat_map(|&(valuation, letters)| {
            let (inside, outside) = (guards.and(letters, guard), guards.minus(letters, guard));
            [(valuation, outside), (valuation | 1 << i, inside)]
        });
        valuations = split.filter(|&(_, letters)| letters != Guard::FALSE).collect();
    }
    let mut valuations: Vec<u32> = valuations.into_iter().map(|(valuation, _)| valuation).collect();
    valuations.sort_unstable();
    let dfa = finite_to_dfa(formulas, root, &valuations, LAW_MONITOR_STATES, budget)?;
    Ok(LawMonitor::new(used.to_vec(), valuations, dfa))
}
