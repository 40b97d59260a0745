//! A limited number of questions to the synthesizer about parts and variants of a problem. Every claim rests on
//! certified answers; without an answer nothing is claimed.

use super::tuning::{FRIENDLY_WORK, QUESTION_WORK, SEARCH_WORK};
use tsl_synth_core::base::{Budget, IdVec, StopFlag};
use tsl_synth_core::logic::Alphabet;
use tsl_synth_core::model::{
    Abstraction, Counter, CounterStrategy, Engine, Mealy, Observer, Role, Silent, StrategyRepr, Verdict,
};
use tsl_synth_engine::synth::{FailedCertificate, Friendliness, SolverOptions, StrategyForm, synthesize};
use tsl_synth_kernel::{Friendly, StrategyClaim, StrategyRef, certify_friendly};
use tsl_synth_lang::spec::{Clause, ClauseId, Constraint, Problem, compared_numbers};

/// The answer to a question.
#[derive(Clone, Debug)]
pub(super) enum SynthesisAnswer {
    /// There is a controller.
    Realizable(StrategyRepr<Mealy>),
    /// There is none; this is a counter-strategy.
    Unrealizable(StrategyRepr<CounterStrategy>, Abstraction),
    /// Not within the limits.
    Unknown,
}

/// The answer to the question for a friendly controller.
#[derive(Clone, Debug)]
pub(super) enum Help {
    /// A friendly controller, and the problem with the facts that it needs.
    Friendly(Box<Problem>, Mealy),
    /// The controller that was found makes the assumptions false.
    Unfriendly,
    /// There is no controller; with a counter-strategy unless that is a circuit.
    Unrealizable(Option<CounterStrategy>),
    /// Not within the limits.
    Unknown,
}

/// The data about a controller besides the machine.
struct FriendlyFound {
    /// The problem with the facts that the controller needs.
    problem: Box<Problem>,
    friendly: Friendliness,
}

/// Asks at most as many questions as are allowed.
pub(super) struct Synthesizer<'a> {
    options: SolverOptions,
    /// Whether the options name an engine.
    is_named: bool,
    observer: &'a dyn Observer,
    left: usize,
    unanswered: usize,
    asked: usize,
}

impl<'a> Synthesizer<'a> {
    /// Questions with these options; none are allowed before [`Synthesizer::allow`].
    pub(super) fn new(options: &SolverOptions, observer: &'a dyn Observer) -> Self {
        let friendly_work = SEARCH_WORK;
        let options = SolverOptions {
            minimize: false,
            friendly_work,
            counter: Some(StrategyForm::PreferExplicit),
            ..options.clone()
        };
        let is_named = options.engine != Engine::Auto || options.bound.is_some();
        Self { options, is_named, observer, left: 0, unanswered: 0, asked: 0 }
    }

    /// Switches the following questions to the symbolic engine alone, with counter-strategies as circuits, or back to all
    /// engines with explicit machines preferred. Has no effect if the options name an engine. Where the counter-strategy of
    /// the verdict is a circuit, explicit machines rarely succeed within little work.
    pub(super) fn ask_for_circuits(&mut self, asked: bool) {
        if !self.is_named {
            self.options.engine = if asked { Engine::Symbolic } else { Engine::Auto };
            self.options.counter =
                Some(if asked { StrategyForm::Circuit } else { StrategyForm::PreferExplicit });
        }
    }

    /// Reports the progress through a list of candidates.
    pub(super) fn progress(&self, done: usize, of: usize) {
        self.observer.count(Counter::Candidates { of: of as u64 }, done as u64);
    }

    /// At most `questions` from now on. Questions without an answer are the expensive ones: after `unanswered`
    /// of them no further ones are asked.
    pub(super) fn allow(&mut self, questions: usize, unanswered: usize) {
        self.left = questions;
        self.unanswered = unanswered;
    }

    /// The questions, and unanswered ones, that are left, to restore them with [`Synthesizer::allow`].
    pub(super) fn allowance(&self) -> (usize, usize) {
        (self.left, self.unanswered)
    }

    /// Whether no further question is allowed.
    pub(super) fn exhausted(&self) -> bool {
        self.left == 0 || self.unanswered == 0 || self.is_stopped()
    }

    /// Whether the work was interrupted, or its time is over.
    pub(super) fn is_stopped(&self) -> bool {
        self.options.stop.raised().is_some()
    }

    /// A budget of `work` units with the stop flag of the questions.
    pub(super) fn budget(&self, work: u64) -> Budget {
        self.options.budget().child(work)
    }

    /// A budget of `work` units in which the steps without a budget of their own count as well, as under a stop flag.
    pub(super) fn budget_of_all(&self, work: u64) -> Budget {
        Budget::unlimited().with_flag(self.options.stop.within(work))
    }

    /// Whether there is a controller; unknown if the strategy is too large for an explicit machine.
    pub(super) fn ask(&mut self, problem: &Problem) -> Result<SynthesisAnswer, FailedCertificate> {
        Ok(self.question(problem, StrategyForm::Explicit, false)?.0)
    }

    /// As [`Synthesizer::ask`], decided within this much counted work.
    pub(super) fn ask_for_machine_within(
        &mut self,
        problem: &Problem,
        work: u64,
    ) -> Result<SynthesisAnswer, FailedCertificate> {
        self.within(work, |asker| asker.ask(problem))
    }

    /// Whether there is a controller, which may be a circuit.
    pub(super) fn ask_at_length(&mut self, problem: &Problem) -> Result<SynthesisAnswer, FailedCertificate> {
        Ok(self.question(problem, StrategyForm::Either, false)?.0)
    }

    /// Whether there is a controller, which may be a circuit, decided within this much counted work.
    pub(super) fn ask_within(
        &mut self,
        problem: &Problem,
        work: u64,
    ) -> Result<SynthesisAnswer, FailedCertificate> {
        self.within(work, |asker| asker.ask_at_length(problem))
    }

    /// Asks a question that is decided within this much counted work.
    fn within<T>(&mut self, work: u64, ask: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.limited(work);
        let answer = ask(self);
        self.restore(outer);
        answer
    }

    /// Limits the counted work of the next questions together, until [`Synthesizer::restore`] gets the result.
    pub(super) fn limited(&mut self, work: u64) -> StopFlag {
        let stop = self.options.stop.within(work);
        std::mem::replace(&mut self.options.stop, stop)
    }

    /// Ends what [`Synthesizer::limited`] began.
    pub(super) fn restore(&mut self, outer: StopFlag) {
        self.options.stop = outer;
    }

    /// Whether there is a friendly controller.
    pub(super) fn ask_for_friendly(&mut self, problem: &Problem) -> Result<Help, FailedCertificate> {
        let (answer, found) = self.question(problem, StrategyForm::Explicit, true)?;
        let machine = match answer {
            SynthesisAnswer::Realizable(machine) => machine,
            SynthesisAnswer::Unrealizable(counter, _) => return Ok(Help::Unrealizable(counter.explicit())),
            SynthesisAnswer::Unknown => return Ok(Help::Unknown),
        };
        let (Some(FriendlyFound { problem, friendly }), StrategyRepr::Explicit(machine)) = (found, machine)
        else {
            return Ok(Help::Unknown);
        };
        Ok(match friendly {
            Friendliness::Friendly => Help::Friendly(problem, machine),
            // The assumptions are about inputs only, which the environment chooses in every step.
            Friendliness::Independent if !compared_numbers(&problem.signature).is_empty() => {
                Help::Friendly(problem, machine)
            }
            Friendliness::Independent => {
                let contract = problem.contract();
                let Problem { formulas, alphabet, .. } = &*problem;
                let strategy = StrategyRef::Mealy(&machine);
                let claim = StrategyClaim { formulas, alphabet, contract: &contract, strategy };
                match certify_friendly(&claim, &self.budget(FRIENDLY_WORK)) {
                    Ok(Friendly::Yes(_)) => Help::Friendly(problem, machine),
                    Ok(Friendly::No(_) | Friendly::Unsatisfiable) => Help::Unfriendly,
                    Err(_) => Help::Unknown,
                }
            }
            // On finite words friendliness is not defined: a certified controller is one that helps.
            Friendliness::NotAsked if problem.finite => Help::Friendly(problem, machine),
            Friendliness::None(_) | Friendliness::Unsatisfiable | Friendliness::Undecided(_, Some(_)) => {
                Help::Unfriendly
            }
            Friendliness::NotAsked | Friendliness::Undecided(_, None) => Help::Unknown,
        })
    }

    /// The answer, and more about a controller.
    fn question(
        &mut self,
        problem: &Problem,
        form: StrategyForm,
        friendly: bool,
    ) -> Result<(SynthesisAnswer, Option<FriendlyFound>), FailedCertificate> {
        if self.exhausted() {
            return Ok((SynthesisAnswer::Unknown, None));
        }
        // The work of building the game, before positions are counted.
        let size: u64 =
            problem.clauses.iter().map(|clause| u64::from(problem.formulas.size(clause.formula))).sum();
        if self.options.budget().tick(QUESTION_WORK + size, String::new).is_err() {
            return Ok((SynthesisAnswer::Unknown, None));
        }
        self.left -= 1;
        self.asked += 1;
        self.observer.count(Counter::Questions, self.asked as u64);
        self.options.form = form;
        self.options.friendly = friendly;
        // Facts only help the system, and many of them make large games: the problem is first solved without those that
        // refinement found for another question. Refinement finds the necessary ones again.
        let mut answer = (SynthesisAnswer::Unknown, None);
        if problem.clauses.iter().any(was_found) {
            answer = self.decide(part(problem, |_, clause| !was_found(clause)))?;
        }
        if matches!(answer.0, SynthesisAnswer::Unknown | SynthesisAnswer::Unrealizable(_, Abstraction::Ltl)) {
            answer = self.decide(problem.clone())?;
        }
        self.unanswered -= usize::from(matches!(answer.0, SynthesisAnswer::Unknown));
        Ok(answer)
    }

    fn decide(
        &self,
        mut problem: Problem,
    ) -> Result<(SynthesisAnswer, Option<FriendlyFound>), FailedCertificate> {
        let outcome = synthesize(&mut problem, &self.options, &Silent)?;
        let answer = match outcome.verdict {
            Verdict::Realizable(controller) => SynthesisAnswer::Realizable(controller),
            Verdict::Unrealizable(counter, notion) => SynthesisAnswer::Unrealizable(counter, notion),
            Verdict::Unknown(_) => SynthesisAnswer::Unknown,
        };
        for constraint in outcome.constraints {
            problem.clauses.push(constraint);
        }
        Ok((answer, Some(FriendlyFound { problem: Box::new(problem), friendly: outcome.friendly })))
    }

    /// Whether all clauses can be true together, decided by the game in which the system owns every atom.
    pub(super) fn satisfiable(&mut self, mut problem: Problem) -> Result<Option<bool>, FailedCertificate> {
        problem.alphabet = owned_by_the_system(&problem.alphabet);
        for clause in &mut problem.clauses {
            clause.role = Role::Guarantee;
        }
        Ok(match self.ask(&problem)? {
            SynthesisAnswer::Realizable(_) => Some(true),
            SynthesisAnswer::Unrealizable(..) => Some(false),
            SynthesisAnswer::Unknown => None,
        })
    }
}

/// Whether a clause is a fact that refinement found.
fn was_found(clause: &Clause) -> bool {
    let found = matches!(clause.constraint, Some(Constraint::Frame | Constraint::Refinement));
    clause.role == Role::Fact && found
}

/// The problem with some of its clauses.
pub(super) fn part(problem: &Problem, keep: impl Fn(ClauseId, &Clause) -> bool) -> Problem {
    let clauses: IdVec<ClauseId, Clause> =
        problem.clauses.enumerate().filter(|(id, c)| keep(*id, c)).map(|(_, c)| c.clone()).collect();
    Problem { clauses, ..problem.clone() }
}

/// The problem with some of its guarantees and written restrictions, and everything else.
pub(super) fn with_guarantees(problem: &Problem, guarantees: &[ClauseId]) -> Problem {
    part(problem, |id, c| !c.is_duty() || guarantees.contains(&id))
}

/// The same atoms, all owned by the system.
pub(super) fn owned_by_the_system(alphabet: &Alphabet) -> Alphabet {
    alphabet.with_outputs(|_| true)
}
