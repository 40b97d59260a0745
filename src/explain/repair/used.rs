//! Whether what a clause is about ever happens in the plays of a controller that keep the assumptions. An assumption
//! `enter -> F leave` beside a controller that admits nobody helps nobody.

use crate::base::{Budget, Limit};
use crate::certify::{CertifyError, Claim, StrategyRef, certify};
use crate::logic::{Class, FormulaId, Formulas, Node, Player};
use crate::model::{Contract, Mealy};
use crate::spec::Problem;

/// Whether the trigger of a clause happens on some play of a controller that satisfies facts and assumptions; `true` for
/// clauses without a trigger.
///
/// # Errors
/// A limit of the budget.
pub(super) fn is_used(
    problem: &mut Problem,
    machine: &Mealy,
    clause: FormulaId,
    budget: &Budget,
) -> Result<bool, Limit> {
    let Some(never) = never_triggered(problem, clause) else { return Ok(true) };
    happens(problem, machine, never, budget)
}

/// The same of a guarantee whose trigger the environment alone decides; `true` for others.
///
/// # Errors
/// A limit of the budget.
pub(super) fn is_exercised(
    problem: &mut Problem,
    machine: &Mealy,
    guarantee: FormulaId,
    budget: &Budget,
) -> Result<bool, Limit> {
    let Some(never) = never_triggered(problem, guarantee) else { return Ok(true) };
    let support = problem.formulas.support(&[never]);
    if support.iter().any(|atom| problem.alphabet.player(atom) == Player::System) {
        return Ok(true);
    }
    happens(problem, machine, never, budget)
}

/// Whether some play of a controller satisfies facts and assumptions, and not this formula.
fn happens(problem: &Problem, machine: &Mealy, never: FormulaId, budget: &Budget) -> Result<bool, Limit> {
    let contract = Contract { guarantees: vec![never], restrictions: Vec::new(), ..problem.contract() };
    let Problem { formulas, alphabet, .. } = problem;
    let claim = Claim { formulas, alphabet, contract: &contract, strategy: StrategyRef::Mealy(machine) };
    match certify(&claim, budget) {
        Ok(_) => Ok(false),
        Err(CertifyError::Limit(limit)) => Err(limit),
        Err(_) => Ok(true),
    }
}

/// For `G (trigger -> consequence)`: `G !trigger`. The consequence is what speaks of later steps; without such a part, what
/// speaks of inputs where the trigger speaks of outputs only, or the other way round.
fn never_triggered(problem: &mut Problem, clause: FormulaId) -> Option<FormulaId> {
    let Problem { formulas, alphabet, .. } = problem;
    let Node::Globally(body) = *formulas.node(clause) else { return None };
    let Node::Or(parts) = formulas.node(body).clone() else { return None };
    let is_boolean = |formulas: &Formulas, f: FormulaId| formulas.class(f).is(Class::BOOLEAN);
    let (mut triggers, later): (Vec<FormulaId>, Vec<FormulaId>) =
        parts.iter().copied().partition(|&part| is_boolean(formulas, part));
    if later.is_empty() {
        let owned = |f: FormulaId, player: Player| {
            formulas.support(&[f]).iter().all(|atom| alphabet.player(atom) == player)
        };
        let outputs: Vec<FormulaId> =
            parts.iter().copied().filter(|&part| owned(part, Player::System)).collect();
        if !parts.iter().any(|&part| owned(part, Player::Environment)) {
            return None;
        }
        triggers = outputs;
    }
    if triggers.is_empty() {
        return None;
    }
    let never = formulas.or(triggers);
    Some(formulas.globally(never))
}
