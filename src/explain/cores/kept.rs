//! Which guarantees a controller satisfies besides those that it was synthesized for. They form a realizable set, so
//! that no query about a subset of it is needed.

use crate::synthesis_queries::with_guarantees;
use tsl_synth_core::base::{Budget, IdSet};
use tsl_synth_core::logic::LassoSemantics;
use tsl_synth_core::model::{Contract, Mealy, Role, StrategyRepr};
use tsl_synth_engine::synth::controller_ref;
use tsl_synth_kernel::{CertifyError, StrategyClaim, Violation, certify};
use tsl_synth_lang::spec::{ClauseId, Problem};

/// A controller in either form.
pub(super) type Controller = StrategyRepr<Mealy>;

/// Whether a controller keeps a problem, by a certificate; the error is the play that refutes it, or `None` if it is not
/// known within the budget.
pub(super) fn keeps(
    problem: &Problem,
    controller: &Controller,
    budget: &Budget,
) -> Result<(), Option<Violation>> {
    let mut problem = problem.clone();
    let contract = problem.contract();
    let contract = problem.target_contract(&contract);
    keeps_contract(&problem, &contract, controller, budget)
}

fn keeps_contract(
    problem: &Problem,
    contract: &Contract,
    controller: &Controller,
    budget: &Budget,
) -> Result<(), Option<Violation>> {
    let Problem { formulas, alphabet, .. } = problem;
    let strategy = controller_ref(controller, problem.target);
    match certify(&StrategyClaim { formulas, alphabet, contract, strategy }, budget) {
        Ok(_) => Ok(()),
        Err(CertifyError::Violated(violation)) => Err(Some(violation)),
        Err(CertifyError::Limit(_) | CertifyError::Malformed(_) | CertifyError::Wrong(_)) => Err(None),
    }
}

/// The guarantees among `all` that a controller of `own` keeps, with `own`. Those about which the answer is not known
/// within the budget are left out.
pub(super) fn kept(
    problem: &Problem,
    own: &[ClauseId],
    all: &[ClauseId],
    controller: &Controller,
    budget: &Budget,
) -> IdSet<ClauseId> {
    let mut kept: IdSet<ClauseId> = own.iter().copied().collect();
    let mut open: Vec<ClauseId> = all.iter().copied().filter(|&id| !kept.contains(id)).collect();
    while let Some(id) = open.pop() {
        let mut part = with_guarantees(problem, &[id]);
        let contract = part.contract();
        let contract = part.target_contract(&contract);
        match keeps_contract(&part, &contract, controller, budget) {
            Ok(()) => {
                kept.insert(id);
            }
            Err(Some(violation)) => {
                let formulas: Vec<_> =
                    open.iter().map(|&id| part.target_formula(problem.clauses[id].formula)).collect();
                let mut meaning = LassoSemantics::new(&part.formulas, &part.alphabet, &violation.play);
                // A play that breaks a restriction may break the assumptions, too.
                let mut survives = open.iter().zip(formulas).filter_map(|(&id, f)| {
                    let told =
                        violation.role == Role::Guarantee || problem.clauses[id].role == violation.role;
                    (!told || meaning.holds(f)).then_some(id)
                });
                open = survives.by_ref().collect();
            }
            Err(None) => {}
        }
    }
    kept
}
