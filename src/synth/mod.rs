//! The only composer: runs the engines, refines the abstraction of TSL, minimizes, and has every answer
//! certified.

mod equivalent;
mod fixed;
mod options;
mod query;
mod settle;
mod verify;

pub use crate::game::Wanted;
pub use options::{Certificate, Engine, Options, Outcome, Statistics};
pub use verify::{Candidate, Judgment, Verification, VerifyOptions, verify};

use crate::base::{Budget, Limit, LimitKind, Observer};
use crate::certify::{
    Certified, CertifyError, certify_controller, certify_counter, certify_mealy, certify_moore_controller,
    certify_opponent,
};
use crate::game::objective;
use crate::logic::Player;
use crate::mealy::{merge_states, moore, moore_circuit, quotient_mealy, smallest_mealy};
use crate::model::{Contract, CounterStrategy, Form, Mealy, Notion, Unknown, Verdict};
use crate::spec::{
    Clause, Consistency, Constraint, Language, Problem, Target, check_plays, frame_constraints,
};
use settle::{Winner, premises_out, settle};
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

/// Counted work of the certificate of a circuit before an explicit machine is tried.
const CIRCUIT_WORK: u64 = 100_000;

/// Decides a problem and certifies the answer.
///
/// The arena of formulas grows; the clauses of the problem stay. Facts found by refinement are in
/// [`Outcome::constraints`]; the verdict holds for the problem with them.
pub fn synthesize(problem: &mut Problem, options: &Options, observer: &dyn Observer) -> Outcome {
    let mut run = Run {
        contract: problem.contract(),
        problem,
        options,
        observer,
        constraints: Vec::new(),
        statistics: Statistics { engine: "bounded".into(), ..Statistics::default() },
    };
    let verdict = run.refine();
    run.finish(verdict)
}

struct Run<'a> {
    problem: &'a mut Problem,
    /// The contract with the constraints found so far.
    contract: Contract,
    options: &'a Options,
    observer: &'a dyn Observer,
    constraints: Vec<Clause>,
    statistics: Statistics,
}

impl Run<'_> {
    fn budget(&self) -> Budget {
        Budget::unlimited().with_flag(self.options.stop.clone())
    }

    fn settle(&mut self) -> Result<Winner, Limit> {
        let (form, language) = (self.options.form, self.problem.language);
        let wanted = move |winner| match winner {
            // The plays of a counter-strategy are checked on explicit machines.
            Player::Environment if form == Wanted::Either && language == Language::Tsl => {
                Wanted::RatherExplicit
            }
            _ => form,
        };
        let Problem { formulas, alphabet, .. } = &mut *self.problem;
        let log = &mut self.statistics.log;
        let settled = settle(formulas, alphabet, &self.contract, self.options, &wanted, self.observer, log)?;
        self.statistics.bound = settled.bound;
        self.statistics.engine = settled.engine.into();
        Ok(settled.winner)
    }

    /// The plain game; while its counter-strategy has an inconsistent play, the game with what that play
    /// violates as a fact.
    fn refine(&mut self) -> Verdict {
        let mut plain: Option<CounterStrategy> = None;
        loop {
            let counter = match self.settle() {
                Ok(Winner::System(controller)) => return Verdict::Realizable(controller),
                Ok(Winner::Environment(Form::Explicit(counter))) => counter,
                Ok(Winner::Environment(circuit)) => {
                    let plain = self.problem.language == Language::Ltl;
                    return Verdict::Unrealizable(circuit, if plain { Notion::Tsl } else { Notion::Ltl });
                }
                Err(limit) => {
                    return match plain {
                        // The constraints are too much for the engine; the abstraction is unrealizable.
                        Some(counter) => self.plain(counter),
                        None => Verdict::Unknown(Unknown { stage: "bounded engine".into(), limit }),
                    };
                }
            };
            let budget = self.budget().with_work(PLAYS_WORK);
            let unrealizable = |counter, notion| Verdict::Unrealizable(Form::Explicit(counter), notion);
            let refinement = match check_plays(self.problem, &counter, &budget) {
                Consistency::Consistent => return unrealizable(counter, Notion::Tsl),
                Consistency::Unknown(_) => return unrealizable(counter, Notion::Ltl),
                Consistency::Inconsistent(refinement) => refinement,
            };
            if self.statistics.rounds >= self.options.refinement_rounds {
                return unrealizable(counter, Notion::Ltl);
            }
            self.statistics.rounds += 1;
            self.observer.phase(&format!("refinement {}", self.statistics.rounds));
            for clause in self.violated_frames(&counter) {
                self.add(clause);
            }
            self.add(refinement.clause);
            plain.get_or_insert(counter);
        }
    }

    /// A counter-strategy of the problem without constraints.
    fn plain(&mut self, counter: CounterStrategy) -> Verdict {
        self.constraints.clear();
        self.contract = self.problem.contract();
        Verdict::Unrealizable(Form::Explicit(counter), Notion::Ltl)
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
        certify_counter(formulas, alphabet, &self.contract, machine, budget)
    }

    /// Minimizes and certifies.
    fn finish(mut self, verdict: Verdict) -> Outcome {
        let verdict = if self.options.minimize { self.minimize(verdict) } else { verdict };
        let mut verdict = self.for_target(verdict);
        if matches!(verdict, Verdict::Unknown(_)) || !self.options.certify {
            return self.outcome(verdict, None, None);
        }
        self.observer.phase("certificate");
        let budget = self.budget().with_memory(self.options.memory);
        let mut early = None;
        if self.options.form == Wanted::Either && is_circuit(&verdict) {
            let first = budget.clone().with_work(CIRCUIT_WORK);
            let checked = self.certified(&verdict, &first);
            self.statistics.log.push(format!("certificate of a circuit: {} units of work", first.work()));
            match (checked, self.options.stop.raised()) {
                (Err(CertifyError::Limit(_)), None) => {
                    if let Some(explicit) = self.explicit() {
                        verdict = self.for_target(explicit);
                    }
                    self.observer.phase("certificate");
                }
                (checked, _) => early = Some(checked),
            }
        }
        let checked = early.unwrap_or_else(|| self.certified(&verdict, &budget));
        let name = if matches!(verdict, Verdict::Realizable(_)) { "REALIZABLE" } else { "UNREALIZABLE" };
        match checked {
            Ok(certified) => {
                let by = verify::method(&verdict, &certified).into();
                let certificate = Certificate { by, product_states: certified.product_states };
                self.outcome(verdict, Some(certificate), None)
            }
            Err(CertifyError::Limit(limit)) => {
                let unknown = Verdict::Unknown(Unknown { stage: format!("certificate of {name}"), limit });
                self.outcome(unknown, None, None)
            }
            Err(error) => {
                let limit = Limit::new(LimitKind::Work, "a failed certificate");
                let unknown = Verdict::Unknown(Unknown { stage: format!("certificate of {name}"), limit });
                let failure = format!("{name} failed its certificate check: {error}");
                self.outcome(unknown, None, Some(failure))
            }
        }
    }

    /// The verdict with a machine of the kind that is asked for.
    fn for_target(&self, verdict: Verdict) -> Verdict {
        match verdict {
            Verdict::Realizable(controller) if self.problem.target == Target::Moore => {
                Verdict::Realizable(match controller {
                    Form::Explicit(machine) => Form::Explicit(moore(&machine)),
                    Form::Circuit(circuit) => Form::Circuit(moore_circuit(&circuit)),
                })
            }
            other => other,
        }
    }

    fn certified(&mut self, verdict: &Verdict, budget: &Budget) -> Result<Certified, CertifyError> {
        let target = self.problem.target_contract(&self.contract);
        let Problem { formulas, alphabet, .. } = &*self.problem;
        match verdict {
            Verdict::Realizable(controller) if self.problem.target == Target::Moore => {
                certify_moore_controller(formulas, alphabet, &target, controller, budget)
            }
            Verdict::Realizable(controller) => {
                certify_controller(formulas, alphabet, &target, controller, budget)
            }
            Verdict::Unrealizable(opponent, _) => {
                certify_opponent(formulas, alphabet, &self.contract, opponent, budget)
            }
            Verdict::Unknown(Unknown { limit, .. }) => Err(CertifyError::Limit(limit.clone())),
        }
    }

    /// The answer of the symbolic engine with an explicit machine: a large one may be easier to certify than its
    /// circuit.
    fn explicit(&mut self) -> Option<Verdict> {
        let options = Options { engine: Engine::Symbolic, ..self.options.clone() };
        let Problem { formulas, alphabet, language, .. } = &mut *self.problem;
        let log = &mut self.statistics.log;
        let wanted = |_| Wanted::Explicit;
        let settled =
            settle(formulas, alphabet, &self.contract, &options, &wanted, self.observer, log).ok()?;
        let notion = if *language == Language::Ltl { Notion::Tsl } else { Notion::Ltl };
        Some(match settled.winner {
            Winner::System(controller) => Verdict::Realizable(controller),
            Winner::Environment(opponent) => Verdict::Unrealizable(opponent, notion),
        })
    }

    fn outcome(self, verdict: Verdict, certificate: Option<Certificate>, failure: Option<String>) -> Outcome {
        let Self { constraints, statistics, .. } = self;
        Outcome { verdict, certificate, constraints, failure, statistics }
    }

    /// A controller with the fewest states; `None` when that is too hard to find.
    fn smallest(&mut self, machine: &Mealy) -> Option<Mealy> {
        let machine = quotient_mealy(machine);
        let states = machine.states.len();
        if states == 1 {
            return Some(machine);
        }
        self.observer.phase("smallest machine");
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
    fn minimize(&mut self, verdict: Verdict) -> Verdict {
        let tries = |n: usize| if n > MAX_MERGED_STATES { 0 } else { 4 * n * n };
        let left = Cell::new(ALL_MERGE_WORK);
        // Asks with a share of the work that is left.
        let asked = |this: &Self, question: &dyn Fn(&Self, &Budget) -> bool| {
            let budget = this.budget().with_work(MERGE_WORK.min(left.get()));
            let yes = question(this, &budget);
            left.set(left.get().saturating_sub(1 + budget.work()));
            yes
        };
        match verdict {
            Verdict::Realizable(Form::Explicit(machine)) => {
                if let Some(smallest) = self.smallest(&machine) {
                    return Verdict::Realizable(Form::Explicit(smallest));
                }
                let tries = tries(machine.states.len());
                let keeps = |m: &Mealy| asked(self, &|this, budget| this.certify_mealy(m, budget).is_ok());
                Verdict::Realizable(Form::Explicit(merge_states(&machine, tries, keeps)))
            }
            Verdict::Unrealizable(Form::Explicit(counter), Notion::Ltl) => {
                let tries = tries(counter.states.len());
                let keeps = |m: &CounterStrategy| {
                    asked(self, &|this, budget| this.certify_counter(m, budget).is_ok())
                };
                Verdict::Unrealizable(Form::Explicit(merge_states(&counter, tries, keeps)), Notion::Ltl)
            }
            // The plays of the merged counter-strategy must be consistent, too: leave it as it is.
            other => other,
        }
    }
}

fn is_circuit(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Realizable(Form::Circuit(_)) | Verdict::Unrealizable(Form::Circuit(_), _))
}
