//! A policy with the monitors of its laws.

use super::decision::LawDecision;
use crate::language::{ActionId, LawAtom, LawId, LawRegister, OUTCOMES, Policy, RegisterId, TraceMode};
use crate::roles::Roles;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::sync::Arc;
use tsl_synth_automata::LawMonitors;
use tsl_synth_core::base::{Budget, Id, IdSet, IdVec, Limit};
use tsl_synth_core::logic::{BitId, Guard, Guards, Letter};
use tsl_synth_core::model::{CallOutcome, LawMonitor};

/// Calls without an outcome are counted in games up to this number even if no law counts outcomes.
const LEAST_OPEN: u32 = 2;
/// They are counted up to this number at most. Larger: limits on outcomes permit more calls side by side, and games are
/// larger.
const MOST_OPEN: u32 = 8;

/// A policy and, for each law, its deterministic monitor.
#[derive(Clone, Debug)]
pub struct CompiledPolicy {
    /// The policy.
    pub policy: Policy,
    /// The monitors.
    pub monitors: IdVec<LawId, LawMonitor>,
    /// The same monitors as decision tables, which compute the steps.
    pub decisions: IdVec<LawId, LawDecision>,
    /// The roles of its names.
    pub(crate) roles: Arc<Roles>,
    due: Due,
    /// The outcomes that no law and no register reads.
    unread_outcomes: Letter,
    /// The laws that read whether an outcome is unknown.
    reads_unknown: IdSet<LawId>,
    open_calls: IdVec<ActionId, u32>,
}

/// The laws whose states a letter may change.
#[derive(Clone, Debug)]
struct Due {
    /// For each bit of letters the laws that test it.
    of_bit: Vec<IdSet<LawId>>,
    /// Laws that may change their state on a letter in which every bit that they test is false.
    always: IdSet<LawId>,
    /// The laws with bound values, by the names of these: all of one set have copies for the same values.
    of_names: Vec<IdSet<LawId>>,
    /// For each bit the registers that read it.
    registers_of_bit: Vec<IdSet<RegisterId>>,
    /// Registers that count or are reset in a letter in which nothing holds.
    registers_always: IdSet<RegisterId>,
}

impl Due {
    fn new(policy: &Policy, decisions: &IdVec<LawId, LawDecision>) -> Self {
        let (mut of_bit, mut always) = (vec![IdSet::new(); policy.atoms.bits()], IdSet::new());
        for (law, decision) in decisions.enumerate() {
            for test in decision.tests() {
                of_bit[test.bit.index()].insert(law);
            }
            let nothing = decision.class(&Letter::new()) as usize;
            let moves = decision.rows().enumerate().any(|(state, row)| row[nothing] as usize != state);
            if moves {
                always.insert(law);
            }
        }
        let mut of_names: BTreeMap<&[String], IdSet<LawId>> = BTreeMap::new();
        for (id, law) in policy.laws.enumerate().filter(|(_, law)| !law.for_each.is_empty()) {
            of_names.entry(&law.for_each).or_default().insert(id);
        }
        let of_names = of_names.into_values().collect();
        let (mut registers_of_bit, mut registers_always) =
            (vec![IdSet::new(); policy.atoms.bits()], IdSet::new());
        for (id, register) in policy.registers.enumerate() {
            for guard in [register.on, register.returned_on, register.reset_on] {
                for bit in policy.guards.support(guard) {
                    registers_of_bit[bit.index()].insert(id);
                }
                if policy.guards.contains(guard, &Letter::new()) {
                    registers_always.insert(id);
                }
            }
        }
        Self { of_bit, always, of_names, registers_of_bit, registers_always }
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
    for guard in
        policy.registers.iter().flat_map(|register| [register.on, register.returned_on, register.reset_on])
    {
        for bit in policy.guards.support(guard) {
            unread.remove(bit);
        }
    }
    unread
}

fn reads_unknown(policy: &Policy, decisions: &IdVec<LawId, LawDecision>) -> IdSet<LawId> {
    let is_unknown = |bit| matches!(policy.atoms.atom(bit), LawAtom::Result(_, CallOutcome::Unknown));
    let laws =
        decisions.enumerate().filter(|(_, decision)| decision.tests().iter().any(|one| is_unknown(one.bit)));
    laws.map(|(id, _)| id).collect()
}

/// For each action up to how many of its calls without an outcome are counted in games.
fn open_calls(policy: &Policy, decisions: &IdVec<LawId, LawDecision>) -> IdVec<ActionId, u32> {
    let mut all: IdVec<ActionId, u32> = policy.atoms.actions.iter().map(|_| LEAST_OPEN).collect();
    for action in policy.atoms.actions.ids() {
        for outcome in OUTCOMES {
            let bit = policy.atoms.bit(LawAtom::Result(action, outcome));
            let letter: Letter = [bit].into_iter().collect();
            let readers = decisions.iter().filter(|own| own.tests().iter().any(|test| test.bit == bit));
            let of_laws = readers.filter_map(|decision| longest_count(decision, &letter));
            let counts = |register: &&LawRegister| {
                register.is_exact()
                    && register.for_each.is_empty()
                    && policy.guards.contains(register.on, &letter)
            };
            let of_registers = policy.registers.iter().filter(counts);
            let of_registers = of_registers.map(|register| register.limit.saturating_u32().saturating_add(1));
            let most = of_laws.chain(of_registers).max().unwrap_or(0);
            all[action] = all[action].max(most.min(MOST_OPEN));
        }
    }
    all
}

/// How often in a row a letter may change the state of a law; `None` if there is no end of it.
fn longest_count(decision: &LawDecision, letter: &Letter) -> Option<u32> {
    let class = decision.class(letter);
    let states = decision.rows().count() as u32;
    let changes = |mut state: u32| {
        for count in 0..=states {
            let next = decision.next(state, class);
            if next == state {
                return Some(count);
            }
            state = next;
        }
        None
    };
    (0..states).map(changes).try_fold(0, |most, own| Some(most.max(own?)))
}

/// The bits that guards depend on, in their order.
fn support(store: &Guards, guards: &[Guard]) -> Vec<BitId> {
    let mut bits: Vec<BitId> = guards.iter().flat_map(|&guard| store.support(guard)).collect();
    bits.sort_unstable();
    bits.dedup();
    bits
}

impl CompiledPolicy {
    /// Compiles the laws of a policy.
    ///
    /// # Errors
    /// A law whose monitor has too many states, or the budget.
    pub fn new(mut policy: Policy, budget: &Budget) -> Result<Self, Limit> {
        let apart = policy.trace == TraceMode::PerEvent;
        let (mut compiler, mut monitors) = (LawMonitors::default(), IdVec::new());
        for law in &policy.laws {
            let formula = &law.formula;
            let reads = support(&policy.guards, &formula.guards);
            let possible = policy.atoms.possible_values(&mut policy.guards, &reads, apart);
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
        let reads_unknown = reads_unknown(&policy, &decisions);
        let open_calls = open_calls(&policy, &decisions);
        let roles = Arc::new(Roles::new(&policy));
        Ok(Self { policy, monitors, decisions, roles, due, unread_outcomes, reads_unknown, open_calls })
    }
    /// For each action up to how many of its calls without an outcome are counted in games; of more of them any number may
    /// end. A law that counts outcomes needs as many as there may be before it is violated.
    pub fn open_calls(&self) -> &IdVec<ActionId, u32> {
        &self.open_calls
    }
    /// The outcomes of actions that no law and no register reads. In a trace with one letter per action and the timing
    /// `same`, these alone form no letter at the end.
    pub fn unread_outcomes(&self) -> &Letter {
        &self.unread_outcomes
    }
    /// Whether a result of unknown outcome is read as that of a call that succeeded, and of one that failed: where it is a
    /// letter of its own. For outcomes that join a later letter, no game is about both.
    pub(crate) fn assumes_outcomes(&self) -> bool {
        self.policy.trace != TraceMode::PerAction
    }
    /// Whether a law reads the proposition of a count.
    pub fn reads_count(&self, law: LawId) -> bool {
        let policy = &self.policy;
        self.reads(law).into_iter().any(|bit| match policy.atoms.atom(bit) {
            LawAtom::Proposition(id) => policy.atoms.propositions[id].is_computed,
            _ => false,
        })
    }
    /// Whether a law reads that some outcome is unknown. Other laws read that the call succeeded or failed, whichever is
    /// assumed.
    pub(crate) fn reads_unknown_outcomes(&self, law: LawId) -> bool {
        self.reads_unknown.contains(law)
    }
    /// A letter without the outcomes that are assumed where the letter also has that they are unknown; `None` if it has
    /// no such outcomes.
    pub(crate) fn without_assumed_outcomes(&self, letter: &Letter) -> Option<Letter> {
        let atoms = &self.policy.atoms;
        let is_assumed = |bit: &BitId| match atoms.atom(*bit) {
            LawAtom::Result(action, CallOutcome::Ok | CallOutcome::Failed) => {
                letter.contains(atoms.bit(LawAtom::Result(action, CallOutcome::Unknown)))
            }
            _ => false,
        };
        let has_assumed = self.assumes_outcomes() && letter.iter().any(|bit| is_assumed(&bit));
        has_assumed.then(|| letter.iter().filter(|bit| !is_assumed(bit)).collect())
    }
    /// The bits of letters that a law reads, in their order.
    pub fn reads(&self, law: LawId) -> Vec<BitId> {
        support(&self.policy.guards, self.monitors[law].guards())
    }
    /// The bits of letters that guards read, also through registers.
    pub(crate) fn reads_through_registers(
        &self,
        guards: impl IntoIterator<Item = Guard>,
    ) -> FxHashSet<BitId> {
        let policy = &self.policy;
        let (mut bits, mut left) = (FxHashSet::default(), guards.into_iter().collect::<Vec<_>>());
        while let Some(guard) = left.pop() {
            for bit in policy.guards.support(guard) {
                if bits.insert(bit)
                    && let LawAtom::Proposition(id) | LawAtom::Clear(id) = policy.atoms.atom(bit)
                    && let Some(&register) = self.roles.registers.get(&id)
                {
                    let register = &policy.registers[register];
                    left.extend([register.on, register.returned_on, register.reset_on]);
                }
            }
        }
        bits
    }
    /// The laws whose states a letter may change, unless it is the first one about some value.
    pub(crate) fn due(&self, letter: &Letter) -> IdSet<LawId> {
        let mut all = self.due.always.clone();
        for bit in letter.iter() {
            all.union_with(&self.due.of_bit[bit.index()]);
        }
        all
    }
    /// The laws with bound values, in sets that have copies for the same values.
    pub(crate) fn laws_of_names(&self) -> &[IdSet<LawId>] {
        &self.due.of_names
    }
    /// The registers that a letter may count in or reset.
    pub(crate) fn due_registers(&self, letter: &Letter) -> IdSet<RegisterId> {
        let mut all = self.due.registers_always.clone();
        for bit in letter.iter() {
            all.union_with(&self.due.registers_of_bit[bit.index()]);
        }
        all
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
