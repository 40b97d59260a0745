//! Policies.

use crate::errors::policy_error;
use pyo3::prelude::*;
use std::path::PathBuf;
use tsl_synth_gate::PolicyFinding;

/// A finding about the text of a policy.
#[pyclass(frozen, get_all, module = "tsl_synth")]
#[derive(Clone)]
pub(crate) struct Finding {
    /// Its stable code, such as `TSL0504`.
    code: String,
    /// `error`, `warning` or `note`.
    severity: &'static str,
    /// What is wrong.
    message: String,
    /// The line, from 1 on.
    line: Option<u32>,
    /// The column in characters, from 1 on.
    column: Option<u32>,
    /// What to do.
    hints: Vec<String>,
}

impl From<&PolicyFinding> for Finding {
    fn from(finding: &PolicyFinding) -> Self {
        Self {
            code: finding.code.clone(),
            severity: finding.severity_word(),
            message: finding.message.clone(),
            line: finding.place.map(|place| place.line),
            column: finding.place.map(|place| place.column),
            hints: finding.hints.clone(),
        }
    }
}

#[pymethods]
impl Finding {
    fn __repr__(&self) -> String {
        format!("<Finding {} {}: {}>", self.severity, self.code, self.message)
    }
}

/// A policy that gates decide by. One policy serves all sessions and threads of a process.
#[pyclass(frozen, module = "tsl_synth")]
pub(crate) struct Policy {
    pub(crate) inner: tsl_synth_gate::Policy,
}

#[pymethods]
impl Policy {
    /// Reads and compiles the policy in a file: TOML, JSON of the same shape, or a JSON list of laws. Gates take up what is
    /// edited in the file from their next decision on, or deny everything if the policy says `on_change = "deny"`.
    #[staticmethod]
    fn from_file(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let read = py.detach(|| tsl_synth_stores::policy_from_file(&path));
        read.map(|inner| Self { inner }).map_err(|error| policy_error(py, &error))
    }
    /// Reads and compiles a policy; the name is for messages and journals.
    #[staticmethod]
    #[pyo3(signature = (text, name = "policy.toml"))]
    fn from_text(py: Python<'_>, text: &str, name: &str) -> PyResult<Self> {
        let read = py.detach(|| tsl_synth_gate::Policy::from_text(name, text));
        read.map(|inner| Self { inner }).map_err(|error| policy_error(py, &error))
    }
    /// The name of the text.
    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }
    /// SHA-256 of the text.
    #[getter]
    fn sha256(&self) -> String {
        self.inner.sha256()
    }
    /// The ids of the laws, in the order of the text.
    #[getter]
    fn laws(&self) -> Vec<String> {
        self.inner.laws()
    }
    /// Warnings and notes about the text.
    #[getter]
    fn warnings(&self) -> Vec<Finding> {
        self.inner.warnings().iter().map(Finding::from).collect()
    }
    fn __repr__(&self) -> String {
        format!("<Policy {}: {} laws>", self.inner.name(), self.inner.laws().len())
    }
}
