//! How heavy the clauses of a problem are for the engines.

use super::tuning::{WEIGHED_STATES, WEIGHT_WORK};
use tsl_synth_automata::ltl_to_buchi;
use tsl_synth_core::base::Budget;
use tsl_synth_core::model::Role;
use tsl_synth_lang::spec::{ClauseId, Problem};

/// How heavy a clause is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClauseWeight {
    /// The clause.
    pub clause: ClauseId,
    /// States of a Büchi automaton of what it demands: of the clause itself for an assumption, of its negation for a
    /// guarantee. `None` if there are more than `WEIGHED_STATES` or the work did not suffice.
    pub states: Option<usize>,
    /// Atomic propositions that it mentions.
    pub atoms: usize,
}

/// The most states of an automaton that are counted.
pub const MOST_WEIGHED: usize = WEIGHED_STATES;

/// The written guarantees and assumptions, heavy ones first. Each automaton is built with limited work of its own, all of them
/// within the budget.
pub fn clause_weights(problem: &Problem, budget: &Budget) -> Vec<ClauseWeight> {
    let mut formulas = problem.formulas.clone();
    let is_weighed = |role| matches!(role, Role::Assumption | Role::Guarantee);
    let mut weights = Vec::new();
    for (clause, written) in problem.clauses.enumerate() {
        if written.span.is_none() || !(written.is_duty() || is_weighed(written.role)) {
            continue;
        }
        let demanded = match written.role {
            Role::Assumption => written.formula,
            _ => formulas.not(written.formula),
        };
        let own = budget.child(WEIGHT_WORK.min(budget.left()));
        let automaton = ltl_to_buchi(&mut formulas, &problem.alphabet, demanded, WEIGHED_STATES, &own);
        let states = automaton.ok().map(|automaton| automaton.edges.len());
        weights.push(ClauseWeight { clause, states, atoms: problem.support(&[written.formula]).len() });
    }
    weights.sort_by_key(|weight| {
        (std::cmp::Reverse((weight.states.unwrap_or(usize::MAX), weight.atoms)), weight.clause)
    });
    weights
}
