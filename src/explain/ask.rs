//! Questions to the synthesizer, counted: everything that is claimed about parts and variants of a problem
//! rests on certified answers, and what was not answered is not claimed.

use super::tuning::QUESTION_WORK;
use crate::base::{Budget, IdVec};
use crate::logic::Alphabet;
use crate::model::{Counter, CounterStrategy, Form, Mealy, Notion, Observer, Role, Silent, Verdict};
use crate::spec::{Clause, ClauseId, Constraint, Problem};
use crate::synth::{FailedCertificate, Options, Wanted, synthesize};

/// The answer to a question.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// There is a controller, given unless it is a circuit.
    Realizable(Option<Mealy>),
    /// There is none; with a counter-strategy unless that is a circuit.
    Unrealizable(Option<CounterStrategy>, Notion),
    /// Not within the limits.
    Unknown,
}

/// Asks, as often as is allowed.
pub(super) struct Asker<'a> {
    options: Options,
    observer: &'a dyn Observer,
    left: usize,
    patience: usize,
    asked: usize,
}

impl<'a> Asker<'a> {
    /// Questions with these options; [`Asker::allow`] says how many.
    pub(super) fn new(options: &Options, observer: &'a dyn Observer) -> Self {
        let options = Options { minimize: false, counter: Some(Wanted::RatherExplicit), ..options.clone() };
        Self { options, observer, left: 0, patience: 0, asked: 0 }
    }

    /// Tells how far a list of candidates has been gone through.
    pub(super) fn tell(&self, done: usize, of: usize) {
        self.observer.count(Counter::Candidates { of: of as u64 }, done as u64);
    }

    /// At most `questions` from now on. Questions without an answer are the expensive ones: after `patience`
    /// of them no further ones are asked.
    pub(super) fn allow(&mut self, questions: usize, patience: usize) {
        self.left = questions;
        self.patience = patience;
    }

    /// Whether no further question is allowed.
    pub(super) fn exhausted(&self) -> bool {
        self.left == 0 || self.patience == 0 || self.options.stop.raised().is_some()
    }

    /// So much counted work, and the stop flag of the questions.
    pub(super) fn budget(&self, work: u64) -> Budget {
        self.options.budget().child(work)
    }

    /// Whether there is a controller; strategies that are large machines are no answers.
    pub(super) fn ask(&mut self, problem: &Problem) -> Result<Answer, FailedCertificate> {
        self.question(problem, Wanted::Explicit)
    }

    /// Whether there is a controller, be it a circuit.
    pub(super) fn ask_at_length(&mut self, problem: &Problem) -> Result<Answer, FailedCertificate> {
        self.question(problem, Wanted::Either)
    }

    fn question(&mut self, problem: &Problem, form: Wanted) -> Result<Answer, FailedCertificate> {
        if self.exhausted() {
            return Ok(Answer::Unknown);
        }
        // What it takes before there is a game to count positions of.
        let size: u64 =
            problem.clauses.iter().map(|clause| u64::from(problem.formulas.size(clause.formula))).sum();
        if self.options.budget().tick(QUESTION_WORK + size, String::new).is_err() {
            return Ok(Answer::Unknown);
        }
        self.left -= 1;
        self.asked += 1;
        self.observer.count(Counter::Questions, self.asked as u64);
        self.options.form = form;
        // Facts help the system only, and many of them make large games: who wins without those that refinement found
        // for another question needs none of them, and the others are found again.
        let mut answer = Answer::Unknown;
        if problem.clauses.iter().any(was_found) {
            answer = self.decide(part(problem, |_, clause| !was_found(clause)))?;
        }
        if matches!(answer, Answer::Unknown | Answer::Unrealizable(_, Notion::Ltl)) {
            answer = self.decide(problem.clone())?;
        }
        self.patience -= usize::from(matches!(answer, Answer::Unknown));
        Ok(answer)
    }

    fn decide(&self, mut problem: Problem) -> Result<Answer, FailedCertificate> {
        Ok(match synthesize(&mut problem, &self.options, &Silent)?.verdict {
            Verdict::Realizable(Form::Explicit(controller)) => Answer::Realizable(Some(controller)),
            Verdict::Realizable(Form::Circuit(_)) => Answer::Realizable(None),
            Verdict::Unrealizable(Form::Explicit(counter), notion) => {
                Answer::Unrealizable(Some(counter), notion)
            }
            Verdict::Unrealizable(Form::Circuit(_), notion) => Answer::Unrealizable(None, notion),
            Verdict::Unknown(_) => Answer::Unknown,
        })
    }

    /// Whether all clauses can be true together, whoever decides: the game in which the system owns every
    /// atom.
    pub(super) fn satisfiable(&mut self, mut problem: Problem) -> Result<Option<bool>, FailedCertificate> {
        problem.alphabet = owned_by_the_system(&problem.alphabet);
        for clause in &mut problem.clauses {
            clause.role = Role::Guarantee;
        }
        Ok(match self.ask(&problem)? {
            Answer::Realizable(_) => Some(true),
            Answer::Unrealizable(..) => Some(false),
            Answer::Unknown => None,
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

/// The problem with some of its guarantees and everything else.
pub(super) fn with_guarantees(problem: &Problem, guarantees: &[ClauseId]) -> Problem {
    part(problem, |id, c| c.role != Role::Guarantee || guarantees.contains(&id))
}

/// The same atoms, all owned by the system.
pub(super) fn owned_by_the_system(alphabet: &Alphabet) -> Alphabet {
    alphabet.with_outputs(|_| true)
}
