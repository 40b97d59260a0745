//! Moore machines of the system: outputs that do not depend on the input of the same step.

use super::{Certified, CertifyError, certify_mealy};
use crate::base::Budget;
use crate::logic::{Alphabet, Formulas};
use crate::model::{Contract, Mealy};

/// Certifies that a machine is a controller for the contract, as [`certify_mealy`], and that the edges of each
/// state have one output.
///
/// # Errors
/// [`CertifyError`]: malformed, refuted by a play, or a limit of the budget.
pub fn certify_moore(
    formulas: &Formulas,
    alphabet: &Alphabet,
    contract: &Contract,
    machine: &Mealy,
    budget: &Budget,
) -> Result<Certified, CertifyError> {
    for (id, state) in machine.states.enumerate() {
        if state.edges.windows(2).any(|pair| pair[0].output != pair[1].output) {
            let message = format!("the output of state {id:?} depends on the input of the same step");
            return Err(CertifyError::Malformed(message));
        }
    }
    certify_mealy(formulas, alphabet, contract, machine, budget)
}
