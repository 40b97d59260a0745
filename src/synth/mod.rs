//! The only composer: runs the engines, refines the abstraction of TSL, minimizes, and has every answer
//! certified.

mod claim;
mod equivalent;
mod fixed;
mod less;
mod options;
mod parts;
mod query;
mod settle;
mod verify;

pub use crate::game::Wanted;
pub use crate::model::Engine;
pub use options::{Certificate, FailedCertificate, Method, Options, Outcome, Statistics};
pub use verify::{Candidate, Judgment, Verification, VerifyOptions, verify};

use crate::base::{Budget, Limit};
use crate::certify::{Certified, CertifyError, certify_counter, certify_mealy};
use crate::game::objective;
use crate::logic::Player;
use crate::mealy::{merge_states, moore, moore_circuit, quotient_mealy, smallest_mealy};
use crate::model::{
    Contract, CounterStrategy, Form, Mealy, Notion, Observer, Phase, Stage, Unknown, Verdict,
};
use crate::spec::{
    Clause, Consistency, Constraint, Language, Problem, Target, check_plays, frame_constraints,
};
use claim::Claim;
use settle::{Settled, premises_out, settle};
use std::cell::Cell;

/// Counted work of one question about the plays of a counter-strategy.
const PLAYS_WORK: u64 = 400_000;
/// Machines with more states are not merged state by state.
const MAX_MERGED_STATES: usize = 80;
/// Counted work of the search for the smallest machine.
const EXACT_WORK: u64 = 1_500_000;
/// Counted work of one question while merging states, and of all of them.
const MERGE_WORK: u64 = 100_000;
const ALL_MERGE_WORK: u64 = 4_000_000;

/// Counted work of the certificate of a controller and of a counter-strategy that are circuits, before an explicit machine
/// is tried: the guarantees of a controller are asked for one by one.
const CIRCUIT_WORK: u64 = 1_500_000;
const COUNTER_WORK: u64 = 200_000;

/// Decides a problem and certifies the answer.
///
/// The arena of formulas grows; the clauses of the problem stay. Facts found by refinement are in
/// [`Outcome::constraints`]; the verdict holds for the problem with them.
///
/// # Errors
/// The certifier refutes an engine's answer, which is a bug of this program.
pub fn synthesize(
    problem: &mut Problem,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Outcome, FailedCertificate> {
    let mut run = Run {
        contract: problem.contract(),
        problem,
        options,
        observer,
        constraints: Vec::new(),
        core: None,
        statistics: Statistics::default(),
    };
    match run.refine() {
        Ok((claim, notion)) => run.finish(claim, notion),
        Err(unknown) => Ok(run.outcome(Verdict::Unknown(unknown), None)),
    }
}

struct Run<'a> {
    problem: &'a mut Problem,
    /// The contract with the constraints found so far.
    contract: Contract,
    options: &'a Options,
    observer: &'a dyn Observer,
    constraints: Vec<Clause>,
    /// The guarantees that the environment's strategy needs; `None` for all.
    core: Option<Vec<usize>>,
    statistics: Statistics,
}

impl Run<'_> {
    fn budget(&self) -> Budget {
        Budget::unlimited().with_flag(self.options.stop.clone())
    }

    /// Who wins the contract so far.
    fn settle(&mut self, options: &Options, wanted: &dyn Fn(Player) -> Wanted) -> Result<Settled, Limit> {
        let Problem { formulas, alphabet, .. } = &mut *self.problem;
        let log = &mut self.statistics.log;
        settle(formulas, alphabet, &self.contract, options, wanted, self.observer, log)
    }

    fn answer(&mut self) -> Result<Claim, Limit> {
        let Options { form, counter, .. } = *self.options;
        let tsl = self.problem.language == Language::Tsl;
        let wanted = move |winner| match winner {
            Player::Environment if counter.is_some() => counter.unwrap_or(form),
            // The plays of a counter-strategy are checked on explicit machines.
            Player::Environment if form == Wanted::Either && tsl => Wanted::RatherExplicit,
            _ => form,
        };
        let settled = self.settle(self.options, &wanted)?;
        self.statistics.bound = settled.bound;
        self.statistics.engine = Some(settled.engine);
        self.core = settled.core;
        Ok(settled.winner)
    }

    /// The plain game; while its counter-strategy has an inconsistent play, the game with what that play
    /// violates as a fact.
    fn refine(&mut self) -> Result<(Claim, Notion), Unknown> {
        let mut plain: Option<CounterStrategy> = None;
        let opponent = |counter| Claim::Environment(Form::Explicit(counter));
        loop {
            let counter = match self.answer() {
                Ok(Claim::Environment(Form::Explicit(counter))) => counter,
                Ok(claim) => {
                    let plain = self.problem.language == Language::Ltl;
                    return Ok((claim, if plain { Notion::Tsl } else { Notion::Ltl }));
                }
                Err(limit) => {
                    let stage = Stage::Solving(self.options.engine_in_use());
                    let Some(counter) = plain else { return Err(Unknown { stage, limit }) };
                    // The constraints are too much for the engine; the abstraction is unrealizable.
                    self.constraints.clear();
                    self.core = None;
                    self.contract = self.problem.contract();
                    return Ok((opponent(counter), Notion::Ltl));
                }
            };
            let budget = self.budget().with_work(PLAYS_WORK);
            let refinement = match check_plays(self.problem, &counter, &budget) {
                Consistency::Consistent => return Ok((opponent(counter), Notion::Tsl)),
                Consistency::Unknown(_) => return Ok((opponent(counter), Notion::Ltl)),
                Consistency::Inconsistent(refinement) => refinement,
            };
            if self.statistics.rounds >= self.options.refinement_rounds {
                return Ok((opponent(counter), Notion::Ltl));
            }
            self.statistics.rounds += 1;
            self.observer.phase(Phase::Refinement(self.statistics.rounds));
            for clause in self.violated_frames(&counter) {
                self.add(clause);
            }
            self.add(refinement.clause);
            plain.get_or_insert(counter);
        }
    }

    fn add(&mut self, clause: Clause) {
        if !self.contract.facts.contains(&clause.formula) {
            self.contract.facts.push(clause.formula);
            self.constraints.push(clause);
        }
    }

    /// The cheap constraints that some play of the counter-strategy violates.
    fn violated_frames(&mut self, counter: &CounterStrategy) -> Vec<Clause> {
        let frames = frame_constraints(self.problem);
        let mut violated = Vec::new();
        for clause in frames {
            debug_assert_eq!(clause.constraint, Some(Constraint::Frame));
            let contract = Contract { facts: vec![clause.formula], ..Contract::default() };
            let budget = self.budget().with_work(PLAYS_WORK);
            let Problem { formulas, alphabet, .. } = &*self.problem;
            let result = certify_counter(formulas, alphabet, &contract, counter, &budget);
            if let Err(CertifyError::Violated(v)) = result
                && v.role == crate::model::Role::Fact
            {
                violated.push(clause);
            }
        }
        violated
    }

    fn certify_mealy(&self, machine: &Mealy, budget: &Budget) -> Result<Certified, CertifyError> {
        let Problem { formulas, alphabet, .. } = &*self.problem;
        certify_mealy(formulas, alphabet, &self.contract, machine, budget)
    }

    fn certify_counter(&self, machine: &CounterStrategy, budget: &Budget) -> Result<Certified, CertifyError> {
        let Problem { formulas, alphabet, .. } = &*self.problem;
        certify_counter(formulas, alphabet, &self.core_contract(), machine, budget)
    }

    /// The contract with the guarantees of the core: a strategy that keeps the system from these keeps it from all.
    fn core_contract(&self) -> Contract {
        let mut contract = self.contract.clone();
        if let Some(core) = &self.core {
            contract.guarantees = core.iter().map(|&i| self.contract.guarantees[i]).collect();
        }
        contract
    }

    /// Minimizes and certifies.
    fn finish(mut self, claim: Claim, notion: Notion) -> Result<Outcome, FailedCertificate> {
        let claim = if self.options.minimize { self.minimize(claim, notion) } else { claim };
        let mut claim = self.for_target(claim);
        if !self.options.certify {
            return Ok(self.outcome(claim.verdict(notion), None));
        }
        self.observer.phase(Phase::Certificate);
        let budget = self.budget().with_memory(self.options.memory);
        let mut early = None;
        if self.options.form == Wanted::Either && claim.states().is_none() {
            let work = match claim.player() {
                Player::System => CIRCUIT_WORK,
                Player::Environment => COUNTER_WORK,
            };
            let first = budget.clone().with_work(work);
            let checked = self.certified(&claim, &first);
            self.statistics.log.push(format!("certificate of a circuit: {} units of work", first.work()));
            match (checked, self.options.stop.raised()) {
                (Err(CertifyError::Limit(_)), None) => {
                    // A large explicit machine may be easier to certify than its circuit.
                    let options = Options { engine: Engine::Symbolic, ..self.options.clone() };
                    if let Ok(settled) = self.settle(&options, &|_| Wanted::Explicit) {
                        self.core = settled.core;
                        claim = self.for_target(settled.winner);
                    }
                    self.observer.phase(Phase::Certificate);
                }
                (checked, _) => early = Some(checked),
            }
        }
        let checked = early.unwrap_or_else(|| self.certified(&claim, &budget));
        let player = claim.player();
        match checked {
            Ok(certified) => {
                let by = claim.method(&certified);
                let certificate = Certificate { by, product_states: certified.product_states };
                Ok(self.outcome(claim.verdict(notion), Some(certificate)))
            }
            Err(CertifyError::Limit(limit)) => {
                let unknown = Unknown { stage: Stage::Certificate(player), limit };
                Ok(self.outcome(Verdict::Unknown(unknown), None))
            }
            Err(error) => Err(FailedCertificate { player, error, statistics: self.statistics }),
        }
    }

    /// The claim with a machine of the kind that is asked for.
    fn for_target(&self, claim: Claim) -> Claim {
        match claim {
            Claim::System(controller) if self.problem.target == Target::Moore => {
                Claim::System(match controller {
                    Form::Explicit(machine) => Form::Explicit(moore(&machine)),
                    Form::Circuit(circuit) => Form::Circuit(moore_circuit(&circuit)),
                })
            }
            other => other,
        }
    }

    fn certified(&mut self, claim: &Claim, budget: &Budget) -> Result<Certified, CertifyError> {
        let whole = match claim.player() {
            Player::System => self.problem.target_contract(&self.contract),
            Player::Environment => self.contract.clone(),
        };
        let core = self.core_contract();
        let Problem { formulas, alphabet, target, .. } = &*self.problem;
        if claim.player() == Player::Environment && core != whole {
            // Equal atoms were written as one: a clause that makes them equal may be missing in the core.
            match claim.certify(formulas, alphabet, &core, *target, budget) {
                Err(CertifyError::Violated(_)) => {}
                certified => return certified,
            }
        }
        claim.certify(formulas, alphabet, &whole, *target, budget)
    }

    fn outcome(self, verdict: Verdict, certificate: Option<Certificate>) -> Outcome {
        let Self { constraints, statistics, .. } = self;
        Outcome { verdict, certificate, constraints, statistics }
    }

    /// A controller with the fewest states; `None` when that is too hard to find.
    fn smallest(&mut self, machine: &Mealy) -> Option<Mealy> {
        let machine = quotient_mealy(machine);
        let states = machine.states.len();
        if states == 1 {
            return Some(machine);
        }
        self.observer.phase(Phase::SmallestMachine);
        let budget = self.budget().with_work(EXACT_WORK);
        let Problem { formulas, alphabet, .. } = &mut *self.problem;
        let contract = premises_out(formulas, &self.contract);
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

    /// The smallest machine, or states merged as long as the certifier agrees.
    fn minimize(&mut self, claim: Claim, notion: Notion) -> Claim {
        let tries = |n: usize| if n > MAX_MERGED_STATES { 0 } else { 4 * n * n };
        let left = Cell::new(ALL_MERGE_WORK);
        // Asks with a share of the work that is left.
        let asked = |this: &Self, question: &dyn Fn(&Self, &Budget) -> bool| {
            let budget = this.budget().with_work(MERGE_WORK.min(left.get()));
            let yes = question(this, &budget);
            left.set(left.get().saturating_sub(1 + budget.work()));
            yes
        };
        match claim {
            Claim::System(Form::Explicit(machine)) => {
                if let Some(smallest) = self.smallest(&machine) {
                    return Claim::System(Form::Explicit(smallest));
                }
                let tries = tries(machine.states.len());
                let keeps = |m: &Mealy| asked(self, &|this, budget| this.certify_mealy(m, budget).is_ok());
                Claim::System(Form::Explicit(merge_states(&machine, tries, keeps)))
            }
            Claim::Environment(Form::Explicit(counter)) if notion == Notion::Ltl => {
                let tries = tries(counter.states.len());
                let keeps = |m: &CounterStrategy| {
                    asked(self, &|this, budget| this.certify_counter(m, budget).is_ok())
                };
                Claim::Environment(Form::Explicit(merge_states(&counter, tries, keeps)))
            }
            // The plays of the merged counter-strategy must be consistent, too: leave it as it is.
            other => other,
        }
    }
}
