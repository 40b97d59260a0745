//! Which of two assumptions demands less.

use crate::automaton::ltl_to_buchi;
use crate::base::Budget;
use crate::explain::tuning::{COMPARED_STATES, COMPARED_WORK};
use crate::logic::FormulaId;
use crate::spec::Problem;

/// Whether every word of `stronger` that keeps the facts of the language satisfies `weaker`: the language of
/// `stronger ∧ ¬weaker` is empty. `false` where the answer is not found within the limits: an order of
/// preference may leave two things side by side.
pub(super) fn implies(problem: &mut Problem, stronger: FormulaId, weaker: FormulaId) -> bool {
    let budget = Budget::unlimited().with_work(COMPARED_WORK);
    let Problem { formulas, alphabet, .. } = problem;
    let not = formulas.not(weaker);
    let both = formulas.and([stronger, not]);
    ltl_to_buchi(formulas, alphabet, both, COMPARED_STATES, &budget)
        .is_ok_and(|automaton| automaton.initial.is_empty())
}
