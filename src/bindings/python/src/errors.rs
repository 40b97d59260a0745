//! Exceptions.

use crate::policy::Finding;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;

create_exception!(tsl_synth, TslSynthError, PyException, "All errors of this package.");
create_exception!(
    tsl_synth,
    PolicyError,
    TslSynthError,
    "There is no policy: its text has errors (`findings` lists them), or a limit was reached."
);
create_exception!(
    tsl_synth,
    GateError,
    TslSynthError,
    "The gate has no answer: a call that was proposed must not be made."
);

/// The exception for a policy.
pub(crate) fn policy_error(py: Python<'_>, error: &tsl_synth_gate::PolicyError) -> PyErr {
    let raised = PolicyError::new_err(error.to_string());
    let findings: Vec<Finding> = match error {
        tsl_synth_gate::PolicyError::Text { findings, .. } => findings.iter().map(Finding::from).collect(),
        _ => Vec::new(),
    };
    match raised.value(py).setattr("findings", findings) {
        Ok(()) => raised,
        Err(error) => error,
    }
}

/// The exception for a gate.
pub(crate) fn gate_error(error: tsl_synth_gate::GateError) -> PyErr {
    GateError::new_err(error.to_string())
}

/// The exception for an argument.
pub(crate) fn value_error(message: impl Into<String>) -> PyErr {
    PyValueError::new_err(message.into())
}
