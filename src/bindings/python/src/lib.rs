//! The package `tsl_synth` of Python, as far as it is not in Python itself: policies, stores and gates, questions about
//! specifications, and the program.

// Synthetic functions of the macros call the interpreter.
#![allow(unsafe_code, reason = "the macros of PyO3 make functions that the interpreter calls")]
#![allow(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]

mod errors;
mod gate;
mod policy;
mod store;

use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// Answers a question about a specification, in JSON: see the document `question` of `tsl-synth schema`.
#[pyfunction]
fn answer(py: Python<'_>, question: &str) -> String {
    py.detach(|| tsl_synth_service::answer_json(question))
}

/// Runs the program with these arguments and ends the process; `program` is the file that starts it.
#[pyfunction]
fn main(py: Python<'_>, program: PathBuf, arguments: Vec<OsString>) {
    py.detach(|| tsl_synth_cli::main_within(program, arguments));
}

/// What `tsl_synth` is made of.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", tsl_synth_service::VERSION)?;
    module.add_class::<policy::Policy>()?;
    module.add_class::<policy::Finding>()?;
    module.add_class::<store::Store>()?;
    module.add_class::<gate::Gate>()?;
    module.add_class::<gate::Decision>()?;
    module.add_class::<gate::Heard>()?;
    module.add("TslSynthError", py.get_type::<errors::TslSynthError>())?;
    module.add("PolicyError", py.get_type::<errors::PolicyError>())?;
    module.add("GateError", py.get_type::<errors::GateError>())?;
    module.add_function(wrap_pyfunction!(answer, module)?)?;
    module.add_function(wrap_pyfunction!(main, module)?)
}
