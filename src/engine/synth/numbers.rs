//! Numbers of a counter-strategy: which truth values of comparisons it needs, invariants under which the environment can
//! choose numbers for them, and facts about numbers that it violates.

use super::terms::{number_states, vocabulary};
use tsl_synth_core::base::{Budget, Id, IdVec, Limit, LimitKind};
use tsl_synth_core::logic::{AtomId, FormulaId, Player};
use tsl_synth_core::model::{Contract, CounterStrategy, StateId};
use tsl_synth_kernel::{
    Certified, CertifyError, NumberState, StrategyClaim, StrategyRef, certify_numbers, defeats_with_free,
};
use tsl_synth_lang::spec::{
    AtomMeaning, Clause, Consistency, Constraint, Problem, Refinement, SymbolKind, compared_numbers,
    impossible_play, number_plan, numbers_are_separate, refutation,
};

/// The largest number of questions about which truth values are needed.
const QUESTIONS: usize = 400;
/// The work of one such question.
const QUESTION_WORK: u64 = 200_000;
/// The work of a search for invariants or for an impossible play.
const SEARCH_WORK: u64 = 4_000_000;

/// What the numbers say about a counter-strategy.
#[derive(Debug)]
pub(super) enum NumberAnswer {
    /// The environment can choose numbers that agree with this machine, which has the same plays.
    Possible(CounterStrategy, IdVec<StateId, NumberState>),
    /// It violates this fact.
    Violated(Clause),
    /// Not known.
    Unknown(Limit),
}

/// Whether the verdict depends on the arithmetic of numbers.
pub(super) fn has_comparisons(problem: &Problem) -> bool {
    let of_environment = |atom: &AtomId| problem.alphabet.player(*atom) == Player::Environment;
    !problem.signature.uninterpreted_arithmetic
        && compared_numbers(&problem.signature).iter().any(of_environment)
}

/// Whether all assumptions are about inputs of the environment only, which it chooses in every step.
pub(super) fn assumptions_are_about_inputs(problem: &Problem) -> bool {
    let signature = &problem.signature;
    let assumptions = problem.contract().assumptions;
    problem.formulas.support(&assumptions).iter().all(|atom| match signature.atoms.get(atom) {
        Some(AtomMeaning::Predicate(term)) => {
            let reads = signature.signals_of(*term);
            reads.into_iter().all(|symbol| signature.symbols[symbol].kind == SymbolKind::Input)
        }
        _ => false,
    })
}

/// Whether some numbers allow a play, which is given as a strategy of the environment.
pub(super) fn play_over_numbers(
    problem: &mut Problem,
    play: &CounterStrategy,
    budget: &Budget,
) -> Consistency {
    let what = "no numbers were found for the play, which may need more steps than were tried";
    let unknown = || Limit::new(LimitKind::Work, what);
    if !numbers_are_separate(problem) {
        return Consistency::Unknown(unknown());
    }
    let free = IdVec::filled(Vec::new(), play.states.len());
    match number_plan(problem, play, &free, &budget.child(SEARCH_WORK)) {
        Ok(Some(_)) => return Consistency::Consistent,
        Err(limit) if budget_is_over(&limit) => return Consistency::Unknown(limit),
        Ok(None) | Err(_) => {}
    }
    match impossible_play(problem, play, &free, &budget.child(SEARCH_WORK)) {
        Ok(Some(clause)) => Consistency::Inconsistent(Refinement {
            clause,
            states: Vec::new(),
            updates: Vec::new(),
            evaluations: Vec::new(),
        }),
        Ok(None) => Consistency::Unknown(unknown()),
        Err(limit) => Consistency::Unknown(limit),
    }
}

/// Whether no predicate or function is without a meaning.
pub(super) fn is_interpreted(problem: &Problem) -> bool {
    problem.signature.symbols.iter().all(|symbol| symbol.kind.is_signal())
}

/// Searches for invariants of a counter-strategy of the contract, or a fact that it violates.
pub(super) fn numbers_of(
    problem: &mut Problem,
    contract: &Contract,
    constraints: &[Clause],
    counter: &CounterStrategy,
    budget: &Budget,
) -> Result<NumberAnswer, Limit> {
    if !numbers_are_separate(problem) {
        let what = "numbers that predicates without a meaning are about";
        return Ok(NumberAnswer::Unknown(Limit::new(LimitKind::Work, what)));
    }
    let (given, contract) = split(problem, contract, constraints);
    let mut search = FreeSearch::new(problem, &contract, &given, counter, budget);
    search.run();
    let (machine, free) = search.reached();
    let counter = &machine;
    let work = budget.child(SEARCH_WORK);
    match number_plan(problem, counter, &free, &work) {
        Ok(Some(plan)) => {
            let states = number_states(problem, &free, &plan);
            return Ok(NumberAnswer::Possible(machine, states));
        }
        Err(limit) if budget_is_over(&limit) => return Err(limit),
        Ok(None) | Err(_) => {}
    }
    let search = budget.child(SEARCH_WORK);
    Ok(match impossible_play(problem, counter, &free, &search) {
        Ok(Some(clause)) => NumberAnswer::Violated(clause),
        Ok(None) => NumberAnswer::Unknown(Limit::new(
            LimitKind::Work,
            "no invariants over numbers were found for the environment's strategy",
        )),
        Err(limit) => NumberAnswer::Unknown(limit),
    })
}

/// Whether a limit is not that of the work of one search.
fn budget_is_over(limit: &Limit) -> bool {
    !matches!(limit.kind, LimitKind::Work | LimitKind::Size)
}

/// The facts about numbers, and the contract without them.
fn split(problem: &Problem, contract: &Contract, constraints: &[Clause]) -> (Vec<FormulaId>, Contract) {
    let about_numbers = |clause: &&Clause| clause.constraint == Some(Constraint::Arithmetic);
    let numbers: Vec<FormulaId> =
        problem.clauses.iter().chain(constraints).filter(about_numbers).map(|c| c.formula).collect();
    let mut contract = contract.clone();
    let (given, facts) = contract.facts.iter().partition(|fact| numbers.contains(fact));
    contract.facts = facts;
    (given, contract)
}

/// The search for truth values of comparisons that a counter-strategy does not need. Each state has a copy, for plays on
/// which a guarantee is broken for ever, so that only the facts and assumptions have to be kept.
struct FreeSearch<'a> {
    problem: &'a Problem,
    contract: &'a Contract,
    given: &'a [FormulaId],
    budget: &'a Budget,
    comparisons: Vec<AtomId>,
    /// The counter-strategy, then the copies of its states.
    machine: CounterStrategy,
    originals: usize,
    free: IdVec<StateId, Vec<AtomId>>,
    questions: usize,
}

impl<'a> FreeSearch<'a> {
    fn new(
        problem: &'a Problem,
        contract: &'a Contract,
        given: &'a [FormulaId],
        counter: &CounterStrategy,
        budget: &'a Budget,
    ) -> Self {
        let originals = counter.states.len();
        let mut machine = counter.clone();
        for state in &counter.states {
            let mut copy = state.clone();
            copy.edges.iter_mut().for_each(|edge| edge.next = copied(edge.next, originals));
            machine.states.push(copy);
        }
        let free = IdVec::filled(Vec::new(), machine.states.len());
        let mut comparisons = compared_numbers(&problem.signature);
        // What the assumptions are about is freed last: other comparisons may imply it.
        let assumed = problem.formulas.support(&contract.assumptions);
        comparisons.sort_by_key(|&atom| assumed.contains(atom));
        let questions = QUESTIONS;
        Self { problem, contract, given, budget, comparisons, machine, originals, free, questions }
    }

    fn run(&mut self) {
        let initial = self.machine.initial;
        let broken = Contract { guarantees: vec![self.problem.formulas.bottom()], ..self.contract.clone() };
        self.machine.initial = copied(initial, self.originals);
        self.free_all(&broken);
        self.machine.initial = initial;
        self.redirect();
        let contract = self.contract;
        self.free_all(contract);
    }

    /// The states that are reached, with their free comparisons.
    fn reached(self) -> (CounterStrategy, IdVec<StateId, Vec<AtomId>>) {
        let mut kept = from_the_last(&self.machine);
        kept.reverse();
        let number = |state: StateId| {
            StateId::from_index(kept.iter().position(|&known| known == state).unwrap_or_default())
        };
        let (mut states, mut free) = (IdVec::new(), IdVec::new());
        for &state in &kept {
            let mut copy = self.machine.states[state].clone();
            copy.edges.iter_mut().for_each(|edge| edge.next = number(edge.next));
            states.push(copy);
            free.push(self.free[state].clone());
        }
        let initial = number(self.machine.initial);
        (CounterStrategy { guards: self.machine.guards, states, initial }, free)
    }

    /// Whether the machine with the present free comparisons defeats every controller of a contract.
    fn wins(&mut self, contract: &Contract) -> bool {
        if self.questions == 0 {
            return false;
        }
        self.questions -= 1;
        let Problem { formulas, alphabet, .. } = self.problem;
        let strategy = StrategyRef::Counter(&self.machine);
        let claim = StrategyClaim { formulas, alphabet, contract, strategy };
        let work = self.budget.child(QUESTION_WORK);
        defeats_with_free(&claim, &self.free, self.given, &work).is_ok()
    }

    /// Lets edges lead to copies where that does no harm.
    fn redirect(&mut self) {
        for state in from_the_last(&self.machine) {
            for edge in 0..self.machine.states[state].edges.len() {
                let next = self.machine.states[state].edges[edge].next;
                self.machine.states[state].edges[edge].next = copied(next, self.originals);
                let contract = self.contract;
                if !self.wins(contract) {
                    self.machine.states[state].edges[edge].next = next;
                }
            }
        }
    }

    /// Frees comparisons one by one, first in the states that are reached last.
    fn free_all(&mut self, contract: &Contract) {
        for state in from_the_last(&self.machine) {
            let before = std::mem::replace(&mut self.free[state], self.comparisons.clone());
            if self.wins(contract) {
                continue;
            }
            self.free[state] = before;
            for atom in self.comparisons.clone() {
                if self.free[state].contains(&atom) {
                    continue;
                }
                self.free[state].push(atom);
                if !self.wins(contract) {
                    self.free[state].pop();
                }
            }
        }
    }
}

/// The copy of a state of which there are this many, or the state itself if it is one.
fn copied(state: StateId, originals: usize) -> StateId {
    if state.index() < originals { StateId::from_index(state.index() + originals) } else { state }
}

/// The states that are reached, by their distance from the initial state, the largest first.
fn from_the_last(counter: &CounterStrategy) -> Vec<StateId> {
    let mut order = vec![counter.initial];
    let mut next = 0;
    while let Some(&state) = order.get(next) {
        next += 1;
        for edge in &counter.states[state].edges {
            if !order.contains(&edge.next) {
                order.push(edge.next);
            }
        }
    }
    order.reverse();
    order
}

/// Certifies that the environment can choose numbers for a counter-strategy.
///
/// # Errors
/// [`CertifyError`]: wrong, or a limit of the budget.
pub(super) fn certified_numbers(
    problem: &Problem,
    contract: &Contract,
    counter: &CounterStrategy,
    states: &IdVec<StateId, NumberState>,
    budget: &Budget,
) -> Result<Certified, CertifyError> {
    let strategy = StrategyRef::Counter(counter);
    let claim =
        StrategyClaim { formulas: &problem.formulas, alphabet: &problem.alphabet, contract, strategy };
    certify_numbers(&claim, &vocabulary(problem), states, &mut |system| refutation(system), budget)
}
