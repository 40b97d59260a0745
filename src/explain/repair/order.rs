//! Comparison of assumptions by implication.

use crate::tuning::{COMPARED_STATES, COMPARED_WORK};
use tsl_synth_automata::ltl_to_buchi;
use tsl_synth_core::base::Budget;
use tsl_synth_core::logic::FormulaId;
use tsl_synth_lang::spec::Problem;

/// Whether every word of `stronger` satisfies `weaker`: the language of `stronger ∧ ¬weaker` is empty. `false` if the
/// answer is not found within the limits: the two are then treated as incomparable.
pub(super) fn implies(problem: &mut Problem, stronger: FormulaId, weaker: FormulaId) -> bool {
    let budget = Budget::unlimited().with_work(COMPARED_WORK);
    let Problem { formulas, alphabet, .. } = problem;
    let not = formulas.not(weaker);
    let both = formulas.and([stronger, not]);
    ltl_to_buchi(formulas, alphabet, both, COMPARED_STATES, &budget)
        .is_ok_and(|automaton| automaton.initial.is_empty())
}
