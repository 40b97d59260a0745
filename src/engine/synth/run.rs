//! One run of synthesis: solving the game, refinement of the abstraction of TSL, minimization, certification.

use super::found::WinningStrategy;
use super::friendliness::Friendliness;
use super::monitored::certify_in_turn;
use super::numbers::{NumberAnswer, certified_numbers, has_comparisons, is_interpreted, numbers_of};
use super::options::{Certificate, FailedCertificate, Outcome, SolverOptions, Statistics};
use super::portfolio::{EngineAnswer, is_large_opponent};
use super::solve_contract::{SolveRequest, solve_contract, to_assume_guarantee};
use super::terms;
use super::tuning::{
    ALL_MERGE_WORK, ALONE, CIRCUIT_WORK, COUNTER_WORK, EXACT_WORK, MAX_MERGED_STATES, MERGE_WORK,
    NUMBER_ROUNDS, PLAYS_WORK, REGISTER_EDGES,
};
use crate::game::{StrategyForm, determined_inputs, objective};
use crate::mealy::{Registers, merge_states, moore, moore_circuit, quotient_mealy, smallest_mealy};
use std::cell::Cell;
use tsl_synth_core::base::{Budget, IdVec, Limit, LimitKind};
use tsl_synth_core::logic::Player;
use tsl_synth_core::model::{
    Abstraction, Contract, CounterStrategy, Engine, Mealy, Observer, Phase, Register, Stage, StateId,
    StrategyRepr, Unknown, Verdict,
};
use tsl_synth_kernel::{
    Certified, CertifyError, Friendly, NumberState, StrategyClaim, StrategyRef, certify, certify_friendly,
};
use tsl_synth_lang::spec::{
    Clause, Consistency, Constraint, Language, Problem, Target, check_plays, frame_constraints,
};

/// One problem with the facts found so far.
pub(super) struct Synthesis<'a> {
    pub(super) problem: &'a mut Problem,
    /// The contract with the constraints found so far.
    pub(super) contract: Contract,
    pub(super) options: &'a SolverOptions,
    pub(super) observer: &'a dyn Observer,
    pub(super) constraints: Vec<Clause>,
    /// The guarantees that the environment's strategy needs; `None` for all.
    core: Option<Vec<usize>>,
    /// The numbers of the counter-strategy that was found, if the specification compares numbers.
    numbers: Option<IdVec<StateId, NumberState>>,
    pub(super) statistics: Statistics,
}

impl<'a> Synthesis<'a> {
    /// The problem with facts that were found before.
    pub(super) fn new(
        problem: &'a mut Problem,
        constraints: Vec<Clause>,
        options: &'a SolverOptions,
        observer: &'a dyn Observer,
    ) -> Self {
        let mut contract = problem.contract();
        contract.facts.extend(constraints.iter().map(|clause| clause.formula));
        let (core, numbers, statistics) = (None, None, Statistics::default());
        Self { problem, contract, options, observer, constraints, core, numbers, statistics }
    }

    pub(super) fn budget(&self) -> Budget {
        self.options.budget()
    }

    /// Decides the contract with the constraints found so far.
    fn answer_of_engines(
        &mut self,
        options: &SolverOptions,
        wanted: &dyn Fn(Player) -> StrategyForm,
    ) -> Result<EngineAnswer, Limit> {
        let Problem { formulas, alphabet, finite, .. } = &mut *self.problem;
        let (contract, finite, observer) = (&self.contract, *finite, self.observer);
        let Statistics { log, progress, .. } = &mut self.statistics;
        solve_contract(SolveRequest {
            formulas,
            alphabet,
            contract,
            finite,
            options,
            wanted,
            observer,
            log,
            progress,
        })
    }

    fn answer(&mut self) -> Result<WinningStrategy, Limit> {
        let SolverOptions { form, counter, .. } = *self.options;
        let tsl = self.problem.language == Language::Tsl;
        let wanted = move |winner| match winner {
            Player::Environment if counter.is_some() => counter.unwrap_or(form),
            // The plays of a counter-strategy are checked on explicit machines.
            Player::Environment if form == StrategyForm::Either && tsl => StrategyForm::PreferExplicit,
            _ => form,
        };
        let settled = self.answer_of_engines(self.options, &wanted)?;
        self.statistics.bound = settled.bound;
        self.statistics.engine = Some(settled.engine);
        self.core = settled.core;
        Ok(settled.winner)
    }

    /// Solves the plain game; while the counter-strategy has an inconsistent play, adds a fact that this play violates,
    /// and solves the game again.
    pub(super) fn refine(&mut self) -> Result<(WinningStrategy, Abstraction), Unknown> {
        let mut plain: Option<CounterStrategy> = None;
        let opponent = |counter| WinningStrategy::Environment(StrategyRepr::Explicit(counter));
        loop {
            let counter = match self.answer() {
                Ok(WinningStrategy::Environment(StrategyRepr::Explicit(counter))) => counter,
                Ok(found) => {
                    let plain = self.problem.language != Language::Tsl;
                    return Ok((found, if plain { Abstraction::Tsl } else { Abstraction::Ltl }));
                }
                Err(limit) => {
                    let stage = Stage::Solving(self.options.engine_in_use());
                    let Some(counter) = plain else { return Err(Unknown { stage, limit }) };
                    // The game with the constraints exceeds the limits of the engine; the abstraction without them is
                    // unrealizable.
                    self.constraints.clear();
                    self.core = None;
                    self.contract = self.problem.contract();
                    return Ok((opponent(counter), Abstraction::Ltl));
                }
            };
            let budget = self.budget().child(PLAYS_WORK);
            let over_numbers = has_comparisons(self.problem);
            let clause = match check_plays(self.problem, &counter, &budget) {
                Consistency::Consistent if over_numbers && self.options.refinement_rounds == 0 => {
                    return Ok((opponent(counter), Abstraction::Ltl));
                }
                Consistency::Consistent if over_numbers => match self.numbers_of(&counter)? {
                    Ok(machine) => return Ok((opponent(machine), Abstraction::Tsl)),
                    Err(clause) => clause,
                },
                Consistency::Consistent => return Ok((opponent(counter), Abstraction::Tsl)),
                Consistency::Unknown(limit) if over_numbers => return Err(refining(limit)),
                Consistency::Unknown(_) => return Ok((opponent(counter), Abstraction::Ltl)),
                Consistency::Inconsistent(refinement) => refinement.clause,
            };
            let rounds = if over_numbers { NUMBER_ROUNDS } else { self.options.refinement_rounds };
            if self.statistics.rounds >= rounds.min(self.options.refinement_rounds) {
                if over_numbers {
                    return Err(refining(Limit::new(LimitKind::Work, "rounds of refinement over numbers")));
                }
                return Ok((opponent(counter), Abstraction::Ltl));
            }
            self.statistics.rounds += 1;
            self.observer.phase(Phase::Refinement(self.statistics.rounds));
            for clause in self.violated_frames(&counter) {
                self.add(clause);
            }
            self.add(clause);
            if !over_numbers {
                plain.get_or_insert(counter);
            }
        }
    }

    /// A machine with the plays of a counter-strategy, with invariants over numbers that are kept for its certificate, or
    /// a fact that it violates.
    fn numbers_of(&mut self, counter: &CounterStrategy) -> Result<Result<CounterStrategy, Clause>, Unknown> {
        let budget = self.budget();
        match numbers_of(self.problem, &self.contract, &self.constraints, counter, &budget)
            .map_err(refining)?
        {
            NumberAnswer::Possible(machine, states) => {
                self.numbers = Some(states);
                Ok(Ok(machine))
            }
            NumberAnswer::Violated(clause) if self.contract.facts.contains(&clause.formula) => {
                Err(refining(Limit::new(LimitKind::Work, "a fact about numbers that is known already")))
            }
            NumberAnswer::Violated(clause) => Ok(Err(clause)),
            NumberAnswer::Unknown(limit) => Err(refining(limit)),
        }
    }

    fn add(&mut self, clause: Clause) {
        if !self.contract.facts.contains(&clause.formula) {
            self.contract.facts.push(clause.formula);
            self.constraints.push(clause);
        }
    }

    /// The frame constraints that some play of the counter-strategy violates.
    fn violated_frames(&mut self, counter: &CounterStrategy) -> Vec<Clause> {
        let frames = frame_constraints(self.problem);
        let mut violated = Vec::new();
        for clause in frames {
            debug_assert_eq!(clause.constraint, Some(Constraint::Frame));
            let contract = Contract { facts: vec![clause.formula], ..Contract::default() };
            let budget = self.budget().child(PLAYS_WORK);
            let Problem { formulas, alphabet, .. } = &*self.problem;
            let strategy = StrategyRef::Counter(counter);
            let result =
                certify(&StrategyClaim { formulas, alphabet, contract: &contract, strategy }, &budget);
            if let Err(CertifyError::Violated(v)) = result
                && v.role == tsl_synth_core::model::Role::Fact
            {
                violated.push(clause);
            }
        }
        violated
    }

    /// Whether the certifier agrees that this strategy wins a contract.
    pub(super) fn wins(&self, strategy: StrategyRef<'_>, contract: &Contract, budget: &Budget) -> bool {
        let Problem { formulas, alphabet, .. } = &*self.problem;
        certify(&StrategyClaim { formulas, alphabet, contract, strategy }, budget).is_ok()
    }

    /// Whether the certifier agrees that this controller of the game's contract is friendly.
    pub(super) fn stays_friendly(&self, strategy: StrategyRef<'_>, budget: &Budget) -> bool {
        let Problem { formulas, alphabet, .. } = &*self.problem;
        let claim = StrategyClaim { formulas, alphabet, contract: &self.contract, strategy };
        matches!(certify_friendly(&claim, budget), Ok(Friendly::Yes(_)))
    }

    /// The contract with the guarantees of the core: a counter-strategy against these is a counter-strategy against all
    /// guarantees.
    fn core_contract(&self) -> Contract {
        let mut contract = self.contract.clone();
        if let Some(core) = &self.core {
            contract.guarantees = core.iter().map(|&i| self.contract.guarantees[i]).collect();
        }
        contract
    }

    /// Minimizes and certifies; a controller that is friendly stays so.
    pub(super) fn finish(
        mut self,
        found: WinningStrategy,
        notion: Abstraction,
        friendly: bool,
    ) -> Result<Outcome, FailedCertificate> {
        let found = if self.options.minimize { self.minimize(found, notion, friendly) } else { found };
        let found = self.preferred(found, friendly);
        let found = match self.keeping_registers(found, friendly) {
            Ok(found) => found,
            Err(limit) => {
                let stage = Stage::Certificate(Player::System);
                return Ok(self.outcome(Verdict::Unknown(Unknown { stage, limit }), None));
            }
        };
        let mut found = self.for_target(found);
        if !self.options.certify {
            return Ok(self.outcome(found.verdict(notion), None));
        }
        self.observer.phase(Phase::Certificate);
        let budget = self.budget().with_memory(self.options.memory);
        let mut early = None;
        if self.options.form == StrategyForm::Either && found.states().is_none() {
            let work = match found.player() {
                Player::System => CIRCUIT_WORK,
                Player::Environment => COUNTER_WORK,
            };
            let first = budget.child(work);
            let checked = self.certified(&found, &first);
            self.statistics.log.push(format!("certificate of a circuit: {} units of work", first.work()));
            match (checked, self.options.stop.raised()) {
                // The check goes on below.
                (Err(CertifyError::Limit(_)), None) if self.is_large_opponent(&found) => {}
                (Err(CertifyError::Limit(_)), None) => {
                    // A large explicit machine may be easier to certify than its circuit. The explicit engine gets as much
                    // work as the check; the positions of the symbolic strategy may take longer.
                    let explicit = SolverOptions {
                        engine: Engine::Explicit,
                        work: work.div_ceil(ALONE),
                        ..self.options.clone()
                    };
                    let symbolic = SolverOptions { engine: Engine::Symbolic, ..self.options.clone() };
                    let settled = self.answer_of_engines(&explicit, &|_| StrategyForm::Explicit);
                    let settled =
                        settled.or_else(|_| self.answer_of_engines(&symbolic, &|_| StrategyForm::Explicit));
                    if let Ok(settled) = settled
                        && let Ok(winner) = self.keeping_registers(settled.winner, friendly)
                    {
                        self.core = settled.core;
                        found = self.for_target(winner);
                    }
                    self.observer.phase(Phase::Certificate);
                }
                (checked, _) => early = Some(checked),
            }
        }
        let checked = early.unwrap_or_else(|| self.certified(&found, &budget));
        let checked = checked.and_then(|certified| {
            self.certify_numbers(&found, notion, &budget)?;
            Ok(certified)
        });
        let player = found.player();
        match checked {
            Ok(certified) => {
                let by = found.method(&certified);
                let invariants = player == Player::Environment && self.numbers.is_some();
                let plays_checked_once = player == Player::Environment
                    && !(invariants && is_interpreted(self.problem))
                    && notion == Abstraction::Tsl
                    && self.problem.language == Language::Tsl;
                let certificate = Certificate {
                    by,
                    product_states: certified.product_states,
                    facts: terms::derived_again(self.problem, &self.constraints, &budget),
                    plays_checked_once,
                    invariants,
                    friendly: false,
                };
                Ok(self.outcome(found.verdict(notion), Some(certificate)))
            }
            Err(CertifyError::Limit(limit)) => {
                let unknown = Unknown { stage: Stage::Certificate(player), limit };
                Ok(self.outcome(Verdict::Unknown(unknown), None))
            }
            Err(error) => Err(FailedCertificate { player, error, statistics: Box::new(self.statistics) }),
        }
    }

    /// Whether this is a counter-strategy whose explicit form would be too large to be searched for.
    fn is_large_opponent(&mut self, found: &WinningStrategy) -> bool {
        let Problem { formulas, alphabet, .. } = &mut *self.problem;
        found.player() == Player::Environment
            && is_large_opponent(alphabet, determined_inputs(formulas, alphabet, &self.contract))
    }

    /// Makes a controller compute the registers of past operators itself, as they are not inputs of the specification;
    /// states are merged again if machines are to be minimized.
    fn keeping_registers(
        &mut self,
        found: WinningStrategy,
        friendly: bool,
    ) -> Result<WinningStrategy, Limit> {
        let budget = self.budget();
        let Problem { formulas, alphabet, signature, .. } = &*self.problem;
        // If the system owns all atoms, its strategy chooses the registers as the facts require.
        let follows = |register: &Register| alphabet.player(register.atom) == Player::Environment;
        if !signature.registers.iter().any(follows) {
            return Ok(found);
        }
        let registers = Registers { formulas, alphabet, all: &signature.registers };
        let machine = match found {
            WinningStrategy::System(StrategyRepr::Explicit(machine)) => {
                registers.with_internal_registers(&machine, REGISTER_EDGES, &budget)?
            }
            WinningStrategy::System(StrategyRepr::Circuit(circuit)) => {
                return Ok(WinningStrategy::System(StrategyRepr::Circuit(
                    registers.kept_by_circuit(&circuit),
                )));
            }
            found @ WinningStrategy::Environment(_) => return Ok(found),
        };
        let machine = quotient_mealy(&machine);
        let found = WinningStrategy::System(StrategyRepr::Explicit(machine.clone()));
        Ok(if self.options.minimize { self.merged(&machine, friendly) } else { found })
    }

    /// The strategy, with a controller converted to the kind of machine to synthesize.
    fn for_target(&self, found: WinningStrategy) -> WinningStrategy {
        match found {
            WinningStrategy::System(controller) if self.problem.target == Target::Moore => {
                WinningStrategy::System(match controller {
                    StrategyRepr::Explicit(machine) => StrategyRepr::Explicit(moore(&machine)),
                    StrategyRepr::Circuit(circuit) => StrategyRepr::Circuit(moore_circuit(&circuit)),
                })
            }
            other => other,
        }
    }

    fn certified(&mut self, found: &WinningStrategy, budget: &Budget) -> Result<Certified, CertifyError> {
        let whole = match found.player() {
            Player::System => self.problem.target_contract(&self.contract),
            Player::Environment => self.contract.clone(),
        };
        let core = self.core_contract();
        let Problem { formulas, alphabet, target, .. } = &*self.problem;
        let strategy = found.strategy(*target);
        let check =
            |contract| certify_in_turn(&StrategyClaim { formulas, alphabet, contract, strategy }, budget);
        if found.player() == Player::Environment && core != whole {
            // Equal atoms were merged, so a clause that makes them equal may be missing in the core.
            match check(&core) {
                Err(CertifyError::Violated(_)) => {}
                certified => return certified,
            }
        }
        check(&whole)
    }

    /// Certifies the facts about numbers, and that the environment can choose numbers for a counter-strategy.
    fn certify_numbers(
        &self,
        found: &WinningStrategy,
        notion: Abstraction,
        budget: &Budget,
    ) -> Result<(), CertifyError> {
        terms::certify_arithmetic(self.problem, &self.constraints, budget)?;
        if notion == Abstraction::Ltl || !has_comparisons(self.problem) {
            return Ok(());
        }
        let WinningStrategy::Environment(form) = found else { return Ok(()) };
        match (form.as_explicit(), &self.numbers) {
            (Some(counter), Some(states)) => {
                certified_numbers(self.problem, &self.contract, counter, states, budget).map(|_| ())
            }
            _ => {
                Err(Limit::new(LimitKind::Work, "a counter-strategy over numbers without invariants").into())
            }
        }
    }

    pub(super) fn outcome(self, verdict: Verdict, certificate: Option<Certificate>) -> Outcome {
        let Self { constraints, statistics, .. } = self;
        Outcome { verdict, certificate, friendly: Friendliness::NotAsked, constraints, statistics }
    }

    /// A controller with the fewest states; `None` when that is too hard to find.
    fn smallest(&mut self, machine: &Mealy) -> Option<Mealy> {
        let machine = quotient_mealy(machine);
        let states = machine.states.len();
        if states == 1 {
            return Some(machine);
        }
        self.observer.phase(Phase::SmallestMachine);
        let budget = self.budget().child(EXACT_WORK);
        let Problem { formulas, alphabet, .. } = &mut *self.problem;
        let contract = to_assume_guarantee(formulas, &self.contract);
        let smallest = objective(formulas, alphabet, &contract, Player::System, &budget)
            .and_then(|objective| smallest_mealy(&objective, alphabet, states, &budget));
        let log = &mut self.statistics.log;
        match smallest {
            Ok(found) => {
                let smallest = found.unwrap_or(machine);
                log.push(format!(
                    "{states} states, {} after the search for the smallest",
                    smallest.states.len()
                ));
                Some(smallest)
            }
            Err(limit) => {
                log.push(format!("{states} states, no search for the smallest machine: {limit}"));
                None
            }
        }
    }

    /// The smallest machine, or one with states merged as long as the certifier accepts it; a friendly controller stays
    /// friendly.
    fn minimize(&mut self, found: WinningStrategy, notion: Abstraction, friendly: bool) -> WinningStrategy {
        match found {
            WinningStrategy::System(StrategyRepr::Explicit(machine)) => {
                if let Some(smallest) = self.smallest(&machine) {
                    let smallest = WinningStrategy::System(StrategyRepr::Explicit(smallest));
                    let strategy = smallest.strategy(Target::Mealy);
                    if !friendly || self.stays_friendly(strategy, &self.budget().child(MERGE_WORK)) {
                        return smallest;
                    }
                    let log = &mut self.statistics.log;
                    log.push("the smallest machine would make the assumptions false".into());
                }
                self.merged(&machine, friendly)
            }
            WinningStrategy::Environment(StrategyRepr::Explicit(counter)) if notion == Abstraction::Ltl => {
                let share = MergeBudget::new();
                let keeps = |m: &CounterStrategy| {
                    share.asked(self, &|this, budget| {
                        this.wins(StrategyRef::Counter(m), &this.core_contract(), budget)
                    })
                };
                WinningStrategy::Environment(StrategyRepr::Explicit(merge_states(
                    &counter,
                    tries(counter.states.len()),
                    keeps,
                )))
            }
            // The plays of the merged counter-strategy must be consistent, too: leave it as it is.
            other => other,
        }
    }

    /// A controller with states merged as long as the certifier accepts it; a friendly controller stays friendly.
    fn merged(&self, machine: &Mealy, friendly: bool) -> WinningStrategy {
        let share = MergeBudget::new();
        let keeps = |m: &Mealy| {
            share.asked(self, &|this, budget| {
                let strategy = StrategyRef::Mealy(m);
                this.wins(strategy, &this.contract, budget)
                    && (!friendly || this.stays_friendly(strategy, budget))
            })
        };
        WinningStrategy::System(StrategyRepr::Explicit(merge_states(
            machine,
            tries(machine.states.len()),
            keeps,
        )))
    }
}

/// A limit of the refinement over numbers.
fn refining(limit: Limit) -> Unknown {
    Unknown { stage: Stage::Solving(Engine::Auto), limit }
}

/// How often merging states of a machine of this size is tried.
fn tries(states: usize) -> usize {
    if states > MAX_MERGED_STATES { 0 } else { 4 * states * states }
}

/// The work that is left for merging the states of one machine.
struct MergeBudget(Cell<u64>);

impl MergeBudget {
    fn new() -> Self {
        Self(Cell::new(ALL_MERGE_WORK))
    }
    /// Evaluates a check with a share of the work that is left.
    fn asked(&self, run: &Synthesis<'_>, question: &dyn Fn(&Synthesis<'_>, &Budget) -> bool) -> bool {
        let budget = run.budget().child(MERGE_WORK.min(self.0.get()));
        let yes = question(run, &budget);
        self.0.set(self.0.get().saturating_sub(1 + budget.work()));
        yes
    }
}
