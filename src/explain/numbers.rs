//! Losing plays over numbers: numbers for the inputs and cells of a play, with which it is played again, so that what is
//! shown happens.

use super::cores::Core;
use super::endless::PlayStep;
use super::letters::{answers, idle};
use super::play::{BrokenClause, LosingPlay, PlayEnding, abstract_play, losing_clauses};
use super::progress::after;
use tsl_synth_core::base::{Budget, Limit, LimitKind};
use tsl_synth_core::logic::{FormulaId, Letter};
use tsl_synth_core::model::Role;
use tsl_synth_lang::spec::{ClauseId, Problem, compared_numbers, numbers_of_steps};

/// A losing play against the guarantees of a core.
///
/// # Errors
/// The limit that was reached before a play was found.
pub fn losing_play(problem: &Problem, core: &Core, budget: &Budget) -> Result<LosingPlay, Limit> {
    let play = abstract_play(problem, core, budget)?;
    with_numbers(problem, &losing_clauses(problem, core), play)
        .ok_or_else(|| Limit::new(LimitKind::Work, "no numbers were found for the play"))
}

/// The play with numbers; unchanged if the specification compares none. `None` if no numbers were found with which the
/// system loses on it.
fn with_numbers(problem: &Problem, clauses: &[ClauseId], play: LosingPlay) -> Option<LosingPlay> {
    if problem.signature.uninterpreted_arithmetic || compared_numbers(&problem.signature).is_empty() {
        return Some(play);
    }
    let assumptions: Vec<FormulaId> =
        problem.clauses.iter().filter(|c| c.role == Role::Assumption).map(|c| c.formula).collect();
    let fixed = problem.formulas.support(&assumptions);
    let steps: Vec<(Letter, Option<Letter>)> =
        play.steps.iter().map(|step| (step.input.clone(), step.output.clone())).collect();
    let repeats_from = match play.ending {
        PlayEnding::Repeats(from) => Some(from),
        PlayEnding::Violated => None,
    };
    let found = numbers_of_steps(problem, &steps, &fixed, repeats_from)?;
    let is_same = steps.iter().zip(&found.inputs).all(|((input, _), now)| input == now);
    if is_same {
        return Some(LosingPlay { numbers: found.numbers, ..play });
    }
    if repeats_from.is_some() {
        return None;
    }
    let steps: Vec<PlayStep> = play
        .steps
        .into_iter()
        .zip(found.inputs)
        .map(|(step, input)| PlayStep { input, output: step.output })
        .collect();
    let (steps, failures) = played_again(problem, clauses, &assumptions, steps)?;
    let mut numbers = found.numbers;
    numbers.truncate(steps.len());
    Some(LosingPlay { steps, failures, numbers, ..play })
}

/// The steps up to the first one in which every answer violates a clause, and what it violates; `None` if an answer of
/// the play violates a clause before, or an assumption is violated.
fn played_again(
    problem: &Problem,
    clauses: &[ClauseId],
    assumptions: &[FormulaId],
    mut steps: Vec<PlayStep>,
) -> Option<(Vec<PlayStep>, Vec<BrokenClause>)> {
    let (mut formulas, alphabet) = (problem.formulas.clone(), &problem.alphabet);
    let bottom = formulas.bottom();
    let mut assumed = assumptions.to_vec();
    let mut rest: Vec<FormulaId> = clauses.iter().map(|&id| problem.clauses[id].formula).collect();
    for step in 0..steps.len() {
        let input = steps[step].input.clone();
        let atoms: Vec<_> = formulas.support(&rest).iter().collect();
        let tried = answers(alphabet, &idle(alphabet), &atoms, &[]);
        let mut deaths: Vec<(Letter, Vec<usize>)> = Vec::new();
        for answer in &tried.letters {
            let mut letter = input.clone();
            letter.union_with(answer);
            let next = after(&mut formulas, alphabet, &rest, &letter);
            let dead: Vec<usize> = (0..next.len()).filter(|&i| next[i] == bottom).collect();
            if !dead.is_empty() {
                deaths.push((answer.clone(), dead));
            }
        }
        if tried.complete && deaths.len() == tried.letters.len() {
            steps.truncate(step + 1);
            steps[step].output = None;
            return Some((steps, failures(clauses, &deaths)));
        }
        let mut letter = input;
        letter.union_with(steps[step].output.as_ref()?);
        rest = after(&mut formulas, alphabet, &rest, &letter);
        assumed = after(&mut formulas, alphabet, &assumed, &letter);
        if rest.contains(&bottom) || assumed.contains(&bottom) {
            return None;
        }
    }
    None
}

/// The clause that every answer violates, or one clause for each answer.
fn failures(clauses: &[ClauseId], deaths: &[(Letter, Vec<usize>)]) -> Vec<BrokenClause> {
    let common = (0..clauses.len()).find(|i| deaths.iter().all(|(_, dead)| dead.contains(i)));
    if let Some(i) = common {
        return vec![BrokenClause { clause: clauses[i], answer: None }];
    }
    let mut failures: Vec<BrokenClause> = Vec::new();
    for (answer, dead) in deaths {
        let clause = clauses[dead[0]];
        if !failures.iter().any(|failure| failure.clause == clause) {
            failures.push(BrokenClause { clause, answer: Some(answer.clone()) });
        }
    }
    failures
}
