//! Entry points for all claims about strategies.

use super::claim::{StrategyClaim, StrategyRef};
use super::outcome::{Certified, CertifyError, Violation};
use super::search::couvreur::SearchExtent;
use super::search::explicit::Explicit;
use super::search::mixed::Mixed;
use super::search::symbolic::{Growing, Symbolic};
use crate::trusted::cases::Cases;
use crate::trusted::checker::Checker;
use crate::trusted::plays::Plays;
use crate::trusted::symbolic::{check_shape, circuit_of_counter, circuit_of_mealy};
use std::cell::LazyCell;
use tsl_synth_core::base::{Budget, Id, Limit};
use tsl_synth_core::model::{Circuit, Contract, Mealy};

/// Certifies a claim. An explicit machine is also checked to be a strategy: total on the letters of its opponent,
/// deterministic, with one update per cell and step. A Moore machine, its circuit, and the circuit of a
/// counter-strategy are also checked not to depend on the opponent's letter of the same step. All else holds by
/// construction.
///
/// # Errors
/// [`CertifyError`]: malformed, refuted by a play, or a limit of the budget.
pub fn certify(claim: &StrategyClaim<'_>, budget: &Budget) -> Result<Certified, CertifyError> {
    let alphabet = claim.alphabet;
    match claim.strategy {
        StrategyRef::Mealy(machine) => {
            let plays = Plays::of_mealy(alphabet, machine, budget)?;
            certify_plays(claim, plays, || circuit_of_mealy(alphabet, machine), budget)
        }
        StrategyRef::Moore(machine) => {
            check_moore(machine)?;
            certify(&StrategyClaim { strategy: StrategyRef::Mealy(machine), ..*claim }, budget)
        }
        StrategyRef::Counter(machine) => {
            let plays = Plays::of_counter(alphabet, machine, budget)?;
            certify_plays(claim, plays, || circuit_of_counter(alphabet, machine), budget)
        }
        StrategyRef::MealyCircuit(circuit) => certify_circuit(claim, circuit, false, budget),
        StrategyRef::MooreCircuit(circuit) | StrategyRef::CounterCircuit(circuit) => {
            certify_circuit(claim, circuit, true, budget)
        }
    }
}

/// A play that refutes a claim; `None` if there is none. For an explicit machine it is a short play, for a person to
/// read: whole products are explored, which costs more than [`certify`] on a wrong machine.
///
/// # Errors
/// [`CertifyError::Malformed`] or [`CertifyError::Limit`].
pub fn find_violation(claim: &StrategyClaim<'_>, budget: &Budget) -> Result<Option<Violation>, CertifyError> {
    let &StrategyClaim { formulas, alphabet, contract, strategy } = claim;
    let plays = match strategy {
        StrategyRef::Mealy(machine) => Some(Plays::of_mealy(alphabet, machine, budget)?),
        StrategyRef::Moore(machine) => {
            check_moore(machine)?;
            Some(Plays::of_mealy(alphabet, machine, budget)?)
        }
        StrategyRef::Counter(machine) => Some(Plays::of_counter(alphabet, machine, budget)?),
        StrategyRef::MealyCircuit(_) | StrategyRef::MooreCircuit(_) | StrategyRef::CounterCircuit(_) => None,
    };
    let checked = match plays {
        Some(plays) => {
            let cases = &Cases::new(formulas, contract);
            let search = Explicit::new(&cases.formulas, alphabet, plays, SearchExtent::Shortest, budget);
            Checker::new(cases, alphabet, search).check(strategy.owner(), contract)
        }
        None => certify(claim, budget),
    };
    match checked {
        Ok(_) => Ok(None),
        Err(CertifyError::Violated(violation)) => Ok(Some(violation)),
        Err(error) => Err(error),
    }
}

/// Certifies an explicit machine that is given by its plays and, for searches on diagrams, as a circuit.
fn certify_plays(
    claim: &StrategyClaim<'_>,
    plays: Plays,
    circuit: impl FnOnce() -> Circuit,
    budget: &Budget,
) -> Result<Certified, CertifyError> {
    let cases = &Cases::new(claim.formulas, claim.contract);
    let circuit = LazyCell::new(circuit);
    let owner = claim.strategy.owner();
    let explicit = Explicit::new(&cases.formulas, claim.alphabet, plays, SearchExtent::First, budget);
    let search = Mixed::new(explicit, owner, &circuit, budget);
    Checker::new(cases, claim.alphabet, search).check(owner, claim.contract)
}

/// Certifies a claim about a circuit; with `blind` also that its outputs do not depend on the inputs of the same step.
pub(super) fn certify_circuit(
    claim: &StrategyClaim<'_>,
    circuit: &Circuit,
    blind: bool,
    budget: &Budget,
) -> Result<Certified, CertifyError> {
    check_circuit(claim, circuit, blind, budget)?;
    let &StrategyClaim { formulas, alphabet, contract, strategy } = claim;
    let owner = strategy.owner();
    let cases = Cases::new(formulas, contract);
    let mut search = Symbolic::new(&cases.formulas, alphabet, circuit, owner, budget);
    let Contract { facts, restrictions, assumptions, guarantees } = contract;
    search.clauses = [facts, restrictions, assumptions, guarantees].into_iter().flatten().copied().collect();
    Checker::new(&cases, alphabet, search).check(owner, contract)
}

/// Checks that a circuit is a strategy, with `blind` one whose outputs do not depend on the inputs of the same step.
pub(super) fn check_circuit(
    claim: &StrategyClaim<'_>,
    circuit: &Circuit,
    blind: bool,
    budget: &Budget,
) -> Result<(), CertifyError> {
    let owner = claim.strategy.owner();
    check_shape(claim.alphabet, circuit, owner)?;
    if blind {
        Symbolic::new(claim.formulas, claim.alphabet, circuit, owner, budget).check_blind()?;
    }
    Ok(())
}

/// A shortest sequence of inputs in whose last step the output with this index is false; `None` if it is always true.
///
/// # Errors
/// A limit, also if the reachable states could not be computed.
///
/// # Panics
/// If there is no such output or the circuit is not well formed.
pub fn find_false_output(
    circuit: &Circuit,
    output: usize,
    budget: &Budget,
) -> Result<Option<Vec<Vec<bool>>>, Limit> {
    assert!(circuit.is_well_formed(), "the circuit is well formed");
    let mut store = Growing::new(circuit, true, budget);
    store.run(|store| store.model.inputs_to_false(output))
}

/// Checks that all edges of each state have the same output.
pub(super) fn check_moore(machine: &Mealy) -> Result<(), CertifyError> {
    for (id, state) in machine.states.enumerate() {
        if state.edges.windows(2).any(|pair| pair[0].output != pair[1].output) {
            let message = format!("the output of state {} depends on the input of the same step", id.index());
            return Err(CertifyError::Malformed(message));
        }
    }
    Ok(())
}
