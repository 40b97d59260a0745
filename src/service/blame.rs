//! Finds, along a play, which player makes the assumptions of the specification unsatisfiable.

use super::tuning::{BLAME_CLAUSE_WORK, BLAME_WORK};
use tsl_synth_core::base::{Budget, StopFlag};
use tsl_synth_core::model::{Mealy, Role};
use tsl_synth_core::source::SourceMap;
use tsl_synth_explain::clause_text;
use tsl_synth_kernel::{Blame, Tracker};
use tsl_synth_lang::spec::{Clause, ClauseId, Problem, Target};

/// A tracker of the assumptions of a problem along plays, with these further facts; `machine` plays the system. `None`
/// if there are no assumptions, words are finite, machines are Moore machines, or a limit is reached.
pub(super) fn tracker(
    problem: &Problem,
    further: &[Clause],
    machine: Option<&Mealy>,
    cancel: &StopFlag,
    memory: u64,
) -> Option<Tracker> {
    if problem.finite || problem.target != Target::Mealy {
        return None;
    }
    let mut contract = problem.contract();
    if contract.assumptions.is_empty() {
        return None;
    }
    contract.facts.extend(further.iter().map(|clause| clause.formula));
    let budget = Budget::unlimited().with_flag(cancel.clone()).with_memory(memory).with_work(BLAME_WORK);
    Tracker::new(&problem.formulas, &problem.alphabet, &contract, machine, &budget).ok()
}

/// The budget for finding the clause of one blame.
pub(super) fn clause_budget() -> Budget {
    Budget::unlimited().with_work(BLAME_CLAUSE_WORK)
}

/// The texts of the assumptions.
pub(super) fn assumption_texts(problem: &Problem, sources: &SourceMap) -> Vec<String> {
    assumptions(problem).map(|id| clause_text(problem, sources, id)).collect()
}

/// The text of the assumption that a blame names.
pub(super) fn named<'a>(texts: &'a [String], blame: &Blame) -> Option<&'a str> {
    texts.get(blame.assumption?).map(String::as_str)
}

/// The assumption that a blame names.
pub(super) fn named_clause(problem: &Problem, blame: &Blame) -> Option<ClauseId> {
    assumptions(problem).nth(blame.assumption?)
}

fn assumptions(problem: &Problem) -> impl Iterator<Item = ClauseId> {
    let all = problem.clauses.enumerate();
    all.filter(|(_, clause)| clause.role == Role::Assumption).map(|(id, _)| id)
}
