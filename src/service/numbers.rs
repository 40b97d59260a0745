//! Synthesis from specifications with numbers: first by predicate abstraction, whose controllers are finite-state machines, then
//! as a game over numbers.

use super::program::{Actions, ProgramReport};
use super::tuning::{NUMBER_CORE_WORK, NUMBER_FIRST_WORK};
use super::{CheckReport, Explanation, Failure, Searched, SolverOptions};
use crate::Session;
use tsl_synth_core::model::{Abstraction, Verdict};
use tsl_synth_documents::CheckVerdict;
use tsl_synth_engine::synth::Outcome;
use tsl_synth_explain::{Core, clause_text};
use tsl_synth_lang::spec::{NumberGame, Problem, has_numbers, number_game};

/// A game over numbers that has an answer.
pub(super) struct DecidedGame {
    /// The answer.
    pub report: ProgramReport,
    /// The problem whose game it is, without what engines added.
    pub problem: Problem,
}

impl Session<'_> {
    /// Solves a problem by `solve`. One with numbers is first solved with a bound on work, then as a game, then without
    /// that bound. Without refinement there are no games: the verdict is then that of the formulas.
    ///
    /// # Errors
    /// Those of `solve`, and a certificate that was refused.
    pub(super) fn solve_with_games<T>(
        &mut self,
        name: &str,
        problem: &mut Problem,
        options: &SolverOptions,
        mut solve: impl FnMut(&mut Self, &mut Problem, &SolverOptions) -> Result<(Outcome, T), Failure>,
    ) -> Result<(Outcome, T, Option<DecidedGame>), Failure> {
        if !has_numbers(&problem.signature) || options.refinement_rounds == 0 {
            return solve(self, problem, options).map(|(outcome, more)| (outcome, more, None));
        }
        let unsolved = problem.clone();
        let stop = options.stop.within(NUMBER_FIRST_WORK);
        // On one thread the counted work, and so the answer, is the same in every run.
        let brief = SolverOptions { stop: stop.clone(), threads: 1, ..options.clone() };
        let (outcome, more) = solve(self, problem, &brief)?;
        let is_open = match outcome.verdict {
            Verdict::Unknown(_) => self.cancel.raised().is_none(),
            Verdict::Unrealizable(_, notion) => {
                notion == Abstraction::Ltl || problem.signature.uninterpreted_arithmetic
            }
            Verdict::Realizable(_) => false,
        };
        if !is_open {
            return Ok((outcome, more, None));
        }
        let report = self.number_answer(name, &unsolved)?;
        if let Some(report) = report.filter(|report| report.verdict() != CheckVerdict::Unknown) {
            return Ok((outcome, more, Some(DecidedGame { report, problem: unsolved })));
        }
        if matches!(outcome.verdict, Verdict::Unknown(_)) && stop.raised().is_some() {
            problem.clone_from(&unsolved);
            return solve(self, problem, options).map(|(outcome, more)| (outcome, more, None));
        }
        Ok((outcome, more, None))
    }

    /// The clauses at fault of a game that the environment wins, for its report, and repairs if they are asked for.
    ///
    /// # Errors
    /// A certificate was refused.
    pub(super) fn explain_game(
        &self,
        game: &DecidedGame,
        report: &CheckReport,
        with_repairs: bool,
    ) -> Result<Option<Explanation>, Failure> {
        let Some(problem) = report.problem.as_ref().filter(|_| report.is_unrealizable()) else {
            return Ok(None);
        };
        let core = self.number_core(&game.problem, NUMBER_CORE_WORK)?;
        let sentence = Some(self.number_sentence(problem, &core));
        let (mut searched, mut repairs) = (Searched::NotYet, Vec::new());
        if with_repairs {
            repairs = self.number_repairs(&game.problem, &core)?;
            searched = Searched::Partly;
        }
        Ok(Some(Explanation { core, play: None, sentence, repairs, searched }))
    }

    /// The answer of the game of a specification with numbers; `None` if it is no such game.
    fn number_answer(&self, name: &str, problem: &Problem) -> Result<Option<ProgramReport>, Failure> {
        let Ok(game) = number_game(problem) else { return Ok(None) };
        let NumberGame { text, alphabet, actions, is_exact, has_unknown_terms } = game;
        let mut report = self.decided(name.to_owned(), &text, is_exact, &self.cancel)?;
        let chosen = problem.signature.chosen.iter();
        let outputs = chosen.map(|&symbol| problem.signature.symbols[symbol].name.clone()).collect();
        let hidden = problem.signature.symbols.iter().filter(|symbol| symbol.hidden);
        let registers = problem.signature.registers.iter();
        let registers = registers.map(|register| problem.alphabet.atoms()[register.atom].name.clone());
        let hidden = hidden.map(|symbol| symbol.name.clone()).chain(registers).collect();
        report.actions = Some(Actions { alphabet, atoms: actions, outputs, hidden, has_unknown_terms });
        Ok(Some(report))
    }

    /// Guarantees of an unrealizable problem with numbers that cannot be kept together: they are left out one by one, as
    /// long as the environment still wins.
    fn number_core(&self, problem: &Problem, work: u64) -> Result<Core, Failure> {
        let stop = self.cancel.within(work);
        let mut left = problem.clone();
        let duties = problem.clauses.enumerate().filter(|(_, clause)| clause.is_duty());
        let mut core = Core {
            guarantees: duties.map(|(id, _)| id).collect(),
            assumptions: Vec::new(),
            minimal: true,
            undecided: Vec::new(),
            counter: None,
            notion: Abstraction::Tsl,
        };
        for id in core.guarantees.clone() {
            let mut without = left.clone();
            without.clauses[id].formula = without.formulas.top();
            let answer = match number_game(&without) {
                Ok(NumberGame { text, is_exact, .. }) => {
                    self.decided(String::new(), &text, is_exact, &stop)?
                }
                Err(_) => continue,
            };
            match answer.verdict() {
                CheckVerdict::Unrealizable => {
                    left = without;
                    core.guarantees.retain(|&other| other != id);
                }
                CheckVerdict::Realizable => {}
                CheckVerdict::Unknown | CheckVerdict::Error => core.undecided.push(id),
            }
        }
        core.minimal = core.undecided.is_empty();
        Ok(core)
    }

    /// What the environment can do against a core, in a sentence.
    fn number_sentence(&self, problem: &Problem, core: &Core) -> String {
        let text = |&id| format!("`{}`", clause_text(problem, &self.sources, id));
        let broken = match core.guarantees.as_slice() {
            [one] => text(one),
            [first, second] => format!("{} or {}", text(first), text(second)),
            all => format!("one of {} guarantees", all.len()),
        };
        format!("The environment can break {broken}, whatever the system answers.")
    }
}
