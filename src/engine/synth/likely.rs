//! The likely winner of a game: no strategy is made and nothing is certified. Searches ask for it many times before they
//! ask a few questions whose answers are certified.

use super::equivalent::with_equal_atoms;
use super::fixed::Fixed;
use super::tuning::LIKELY_NODES;
use crate::game::{FEW_STATES, Sharing, compile_contract, symbolic_winner_of_large};
use tsl_synth_core::base::{Budget, Limit};
use tsl_synth_core::logic::Player;
use tsl_synth_lang::spec::Problem;

/// The player that wins the contract of a problem, by the symbolic engine.
///
/// # Errors
/// A limit: of the budget, of diagrams, or of automata.
pub fn likely_winner(problem: &mut Problem, budget: &Budget) -> Result<Player, Limit> {
    let contract = problem.contract();
    let Problem { formulas, alphabet, .. } = problem;
    let contract = with_equal_atoms(formulas, &contract);
    let (contract, _) = Fixed::by_polarity(formulas, alphabet, &contract);
    let compiled = compile_contract(formulas, alphabet, &contract, Sharing::Memory(FEW_STATES), budget)?;
    symbolic_winner_of_large(&compiled, alphabet, LIKELY_NODES, budget)
}
