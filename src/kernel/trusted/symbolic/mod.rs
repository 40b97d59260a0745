//! Emptiness questions about a circuit on decision diagrams.
//!
//! Each is answered on the cone of influence of its letters (`structure`) by a symbolic tableau (`claims`), a superset
//! of the reachable states (`reach`) and a search for fair cycles (`fair`, `forward`); or on the whole circuit by
//! forward reachability, with formulas about consecutive letters evaluated one step later (`past`).

pub(crate) mod answer;
pub(crate) mod claims;
mod clusters;
pub(crate) mod diagrams;
mod encode;
pub(crate) mod fair;
mod forward;
pub(crate) mod model;
mod monitors;
pub(crate) mod moves;
mod outputs;
mod past;
mod preimage;
pub(crate) mod question;
mod reach;
mod shape;
pub(crate) mod structure;
mod successors;

pub use encode::{circuit_of_counter, circuit_of_mealy};
pub(crate) use encode::{guard_literal, has_code};

use crate::outcome::CertifyError;
use tsl_synth_core::logic::{Alphabet, Player};
use tsl_synth_core::model::Circuit;

/// Checks that the circuit has an input for each bit that the strategy reads and an output for each bit that it
/// controls, and that no gate reads a later one.
pub(crate) fn check_shape(alphabet: &Alphabet, circuit: &Circuit, owner: Player) -> Result<(), CertifyError> {
    let malformed = |what: String| Err(CertifyError::Malformed(what));
    let (reads, gives) = (alphabet.bits_of(owner.opponent()).count(), alphabet.bits_of(owner).count());
    if circuit.inputs != reads || circuit.outputs.len() != gives {
        return malformed(format!(
            "a circuit with {} inputs and {} outputs over {reads} and {gives} bits",
            circuit.inputs,
            circuit.outputs.len()
        ));
    }
    if !circuit.is_well_formed() {
        return malformed("a circuit whose gates are out of order".into());
    }
    Ok(())
}
