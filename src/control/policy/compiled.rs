//! A policy with the monitors of its laws.

use super::decision::LawDecision;
use crate::automaton::law_to_monitor;
use crate::base::{Budget, IdVec, Limit};
use crate::logic::{BitId, Guard, Letter};
use crate::model::LawMonitor;
use crate::spec::policy::{ActionId, Atom, LawId, OUTCOMES, Policy, TraceMode};

/// A policy and, for each law, its deterministic monitor.
#[derive(Clone, Debug)]
pub struct CompiledPolicy {
    /// The policy.
    pub policy: Policy,
    /// The monitors.
    pub monitors: IdVec<LawId, LawMonitor>,
    /// The same monitors as tables, which steps are taken with.
    pub decisions: IdVec<LawId, LawDecision>,
}

impl CompiledPolicy {
    /// Compiles the laws of a policy.
    ///
    /// # Errors
    /// A law whose monitor has too many states, or the budget.
    pub fn new(mut policy: Policy, budget: &Budget) -> Result<Self, Limit> {
        let apart = policy.trace == TraceMode::PerEvent;
        let possible = policy.atoms.possible(&mut policy.guards, apart);
        let mut monitors = IdVec::new();
        for law in &policy.laws {
            let formula = &law.formula;
            monitors.push(law_to_monitor(
                &mut policy.guards,
                possible,
                &formula.guards,
                &formula.formulas,
                formula.root,
                budget,
            )?);
        }
        let mut decisions = IdVec::new();
        for monitor in &monitors {
            decisions.push(LawDecision::new(monitor, &policy.guards, budget)?);
        }
        Ok(Self { policy, monitors, decisions })
    }
    /// The bits of letters that a law reads, in their order.
    pub fn reads(&self, law: LawId) -> Vec<BitId> {
        let guards = self.monitors[law].guards().iter();
        let mut bits: Vec<BitId> = guards.flat_map(|&guard| self.policy.guards.support(guard)).collect();
        bits.sort_unstable();
        bits.dedup();
        bits
    }
    /// Whether some law or register depends on the outcome of an action.
    pub fn reads_outcome(&self, action: ActionId) -> bool {
        let policy = &self.policy;
        let bits = OUTCOMES.map(|outcome| policy.atoms.bit(Atom::Result(action, outcome)));
        let reads = |&guard: &Guard| policy.guards.support(guard).iter().any(|bit| bits.contains(bit));
        self.monitors.iter().flat_map(LawMonitor::guards).any(reads)
            || policy.registers.iter().any(|register| reads(&register.on) || reads(&register.reset_on))
    }
    /// The state of a law's monitor after a letter.
    pub fn step(&self, law: LawId, state: u32, letter: &Letter) -> u32 {
        let decision = &self.decisions[law];
        decision.next(state, decision.class(letter))
    }
    /// Which guards of a law a letter is in, as bits.
    pub fn valuation(&self, law: LawId, letter: &Letter) -> usize {
        let monitor = &self.monitors[law];
        let mut valuation = 0;
        for (i, &guard) in monitor.guards().iter().enumerate() {
            valuation |= usize::from(self.policy.guards.contains(guard, letter)) << i;
        }
        valuation
    }
}
