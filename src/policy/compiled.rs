//! A policy with the monitors of its laws.

use super::decision::LawDecision;
use crate::language::{ActionId, LawAtom, LawId, OUTCOMES, Policy, TraceMode};
use tsl_synth_automata::LawMonitors;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::logic::{BitId, Guard, Letter};
use tsl_synth_core::model::LawMonitor;

/// A policy and, for each law, its deterministic monitor.
#[derive(Clone, Debug)]
pub struct CompiledPolicy {
    /// The policy.
    pub policy: Policy,
    /// The monitors.
    pub monitors: IdVec<LawId, LawMonitor>,
    /// The same monitors as decision tables, which compute the steps.
    pub decisions: IdVec<LawId, LawDecision>,
    due: Due,
    /// The outcomes that no law and no register reads.
    unread_outcomes: Letter,
}

/// The laws whose states a letter may change, as masks of 64 bits; not used for policies of more laws.
#[derive(Clone, Debug)]
struct Due {
    /// For each bit of letters the laws that test it.
    of_bit: Vec<u64>,
    /// Laws that may change their state on a letter in which every bit that they test is false, and laws with copies.
    always: u64,
    laws: usize,
}

impl Due {
    fn new(policy: &Policy, decisions: &IdVec<LawId, LawDecision>) -> Self {
        let (mut of_bit, mut always) = (vec![0; policy.atoms.bits()], 0);
        for (law, decision) in decisions.enumerate().take(64) {
            let own = 1_u64 << law.index();
            for test in decision.tests() {
                of_bit[test.bit.index()] |= own;
            }
            let nothing = decision.class(&Letter::new()) as usize;
            let moves = decision.rows().enumerate().any(|(state, row)| row[nothing] as usize != state);
            if moves || !policy.laws[law].for_each.is_empty() {
                always |= own;
            }
        }
        Self { of_bit, always, laws: decisions.len() }
    }
}

fn unread_outcomes(policy: &Policy, decisions: &IdVec<LawId, LawDecision>) -> Letter {
    let atoms = &policy.atoms;
    let outcomes =
        atoms.actions.ids().flat_map(|action| OUTCOMES.map(|outcome| LawAtom::Result(action, outcome)));
    let mut unread: Letter = outcomes.map(|atom| atoms.bit(atom)).collect();
    for test in decisions.iter().flat_map(LawDecision::tests) {
        unread.remove(test.bit);
    }
    for guard in policy.registers.iter().flat_map(|register| [register.on, register.reset_on]) {
        for bit in policy.guards.support(guard) {
            unread.remove(bit);
        }
    }
    unread
}

impl CompiledPolicy {
    /// Compiles the laws of a policy.
    ///
    /// # Errors
    /// A law whose monitor has too many states, or the budget.
    pub fn new(mut policy: Policy, budget: &Budget) -> Result<Self, Limit> {
        let apart = policy.trace == TraceMode::PerEvent;
        let possible = policy.atoms.possible(&mut policy.guards, apart);
        let (mut compiler, mut monitors) = (LawMonitors::default(), IdVec::new());
        for law in &policy.laws {
            let formula = &law.formula;
            monitors.push(compiler.monitor(
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
        let due = Due::new(&policy, &decisions);
        let unread_outcomes = unread_outcomes(&policy, &decisions);
        Ok(Self { policy, monitors, decisions, due, unread_outcomes })
    }
    /// The outcomes of actions that no law and no register reads. In a trace with one letter per action and the timing
    /// `same`, these alone form no letter at the end.
    pub fn unread_outcomes(&self) -> &Letter {
        &self.unread_outcomes
    }
    /// The bits of letters that a law reads, in their order.
    pub fn reads(&self, law: LawId) -> Vec<BitId> {
        let guards = self.monitors[law].guards().iter();
        let mut bits: Vec<BitId> = guards.flat_map(|&guard| self.policy.guards.support(guard)).collect();
        bits.sort_unstable();
        bits.dedup();
        bits
    }
    /// The laws whose states a letter may change, in order.
    pub fn due(&self, letter: &Letter) -> impl Iterator<Item = LawId> + use<> {
        let all = self.due.laws;
        let mut mask = if all > 64 { 0 } else { self.due.always };
        if all <= 64 {
            for bit in letter.iter() {
                mask |= self.due.of_bit[bit.index()];
            }
        }
        let mut rest = if all > 64 { 0..all } else { 0..0 };
        std::iter::from_fn(move || {
            if mask != 0 {
                let law = mask.trailing_zeros() as usize;
                mask &= mask - 1;
                return Some(LawId::from_index(law));
            }
            rest.next().map(LawId::from_index)
        })
    }
    /// Whether some law or register depends on the outcome of an action.
    pub fn reads_outcome(&self, action: ActionId) -> bool {
        let policy = &self.policy;
        let bits = OUTCOMES.map(|outcome| policy.atoms.bit(LawAtom::Result(action, outcome)));
        let reads = |&guard: &Guard| policy.guards.support(guard).iter().any(|bit| bits.contains(bit));
        self.monitors.iter().flat_map(LawMonitor::guards).any(reads)
            || policy.registers.iter().any(|register| reads(&register.on) || reads(&register.reset_on))
    }
    /// The state of a law's monitor after a letter.
    pub fn step(&self, law: LawId, state: u32, letter: &Letter) -> u32 {
        let decision = &self.decisions[law];
        decision.next(state, decision.class(letter))
    }
    /// The guards of a law that a letter satisfies, as a bit mask.
    pub fn valuation(&self, law: LawId, letter: &Letter) -> usize {
        let monitor = &self.monitors[law];
        let mut valuation = 0;
        for (i, &guard) in monitor.guards().iter().enumerate() {
            valuation |= usize::from(self.policy.guards.contains(guard, letter)) << i;
        }
        valuation
    }
}
