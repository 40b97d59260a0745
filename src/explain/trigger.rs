//! Whether the trigger of a clause ever happens in the plays of a controller that satisfy the assumptions. A guarantee
//! whose trigger never happens is vacuous; an added assumption `enter -> F leave` is useless if `enter` never happens
//! with the controller.

use tsl_synth_core::base::{Budget, Limit};
use tsl_synth_core::logic::{Class, FormulaId, Formulas, Node, Player};
use tsl_synth_core::model::{Contract, Mealy, Role};
use tsl_synth_kernel::{CertifyError, StrategyClaim, StrategyRef, certify};
use tsl_synth_lang::spec::Problem;

/// Whether the trigger of a formula, read as a clause of this role, happens on some play of a controller that satisfies
/// facts and assumptions; `true` for formulas without a trigger. `formulas` extends the arena of the problem.
///
/// # Errors
/// A limit of the budget.
pub(super) fn is_triggered(
    problem: &Problem,
    formulas: &mut Formulas,
    machine: &Mealy,
    (role, f): (Role, FormulaId),
    budget: &Budget,
) -> Result<bool, Limit> {
    let Some(never) = never_triggered(problem, formulas, role, f) else { return Ok(true) };
    let contract = Contract { guarantees: vec![never], restrictions: Vec::new(), ..problem.contract() };
    let strategy = StrategyRef::Mealy(machine);
    let claim = StrategyClaim { formulas, alphabet: &problem.alphabet, contract: &contract, strategy };
    match certify(&claim, budget) {
        Ok(_) => Ok(false),
        Err(CertifyError::Limit(limit)) => Err(limit),
        Err(_) => Ok(true),
    }
}

/// For `G (trigger -> consequence)`: `G !trigger`.
///
/// The consequence of a guarantee consists of the disjuncts with outputs. That of an assumption consists of the
/// disjuncts about later steps; if there are none, of those with inputs only, and the trigger then consists of those
/// without inputs.
fn never_triggered(
    problem: &Problem,
    formulas: &mut Formulas,
    role: Role,
    f: FormulaId,
) -> Option<FormulaId> {
    let Node::Globally(body) = *formulas.node(f) else { return None };
    let Node::Or(parts) = formulas.node(body).clone() else { return None };
    let speaks_of = |formulas: &Formulas, f: FormulaId, player: Player| {
        formulas.support(&[f]).iter().any(|atom| problem.alphabet.player(atom) == player)
    };
    let has_outputs = |f: &FormulaId| speaks_of(formulas, *f, Player::System);
    let (triggers, consequences): (Vec<FormulaId>, Vec<FormulaId>) = if role == Role::Guarantee {
        parts.iter().copied().partition(|f| !has_outputs(f))
    } else if parts.iter().all(|&f| formulas.class(f).is(Class::BOOLEAN)) {
        let has_inputs = |f: &FormulaId| speaks_of(formulas, *f, Player::Environment);
        let (with, without): (Vec<_>, Vec<_>) = parts.iter().copied().partition(has_inputs);
        (without, with.into_iter().filter(|f| !has_outputs(f)).collect())
    } else {
        parts.iter().copied().partition(|&f| formulas.class(f).is(Class::BOOLEAN))
    };
    if triggers.is_empty() || consequences.is_empty() {
        return None;
    }
    let never = formulas.or(triggers);
    Some(formulas.globally(never))
}
