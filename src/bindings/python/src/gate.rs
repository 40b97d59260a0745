//! Gates and their answers.

use crate::errors::{GateError, gate_error, policy_error, value_error};
use crate::policy::Policy;
use crate::store::Store;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use tsl_synth_gate::{Call, Speaker};
use tsl_synth_stores::{surroundings, surroundings_in};

/// The decision about a call, or about the end of the session. It is true if the call may be made without the approval of
/// a person.
#[pyclass(frozen, module = "tsl_synth")]
pub(crate) struct Decision {
    inner: tsl_synth_gate::Decision,
}

#[pymethods]
impl Decision {
    /// `allow`, `warn`, `ask` (a person must approve) or `deny`.
    #[getter]
    fn verdict(&self) -> &'static str {
        self.inner.verdict.name()
    }
    /// Why, in sentences for the model and for people; empty only if the call is simply allowed.
    #[getter]
    fn reason(&self) -> &str {
        &self.inner.reason
    }
    /// The ids of the laws that the verdict is due to.
    #[getter]
    fn by(&self) -> Vec<String> {
        self.inner.by.clone()
    }
    /// The actions that are allowed instead; `None` if the call is allowed.
    #[getter]
    fn allowed(&self) -> Option<Vec<String>> {
        self.inner.allowed.clone()
    }
    /// The laws that would be violated if the session ended here, as far as they were determined.
    #[getter]
    fn owed(&self) -> Vec<String> {
        self.inner.owed.clone()
    }
    /// Identifies the call in `commit`; `None` if it is denied.
    #[getter]
    fn ticket(&self) -> Option<String> {
        self.inner.ticket.clone()
    }
    /// The id of the call.
    #[getter]
    fn id(&self) -> Option<String> {
        self.inner.document.id.clone()
    }
    /// Whether the verdict is recorded and not enforced.
    #[getter]
    fn shadow(&self) -> bool {
        self.inner.document.shadow
    }
    /// The answer with all details, in JSON: `tsl-synth help shield` lists its fields.
    #[getter]
    fn json(&self) -> PyResult<String> {
        serde_json::to_string(&self.inner.document).map_err(|error| value_error(error.to_string()))
    }
    fn __bool__(&self) -> bool {
        self.inner.is_allowed()
    }
    fn __repr__(&self) -> String {
        match self.inner.by.as_slice() {
            [] => format!("<Decision {}>", self.verdict()),
            by => format!("<Decision {} by {}>", self.verdict(), by.join(", ")),
        }
    }
}

/// What an event that is no proposal did to the session.
#[pyclass(frozen, get_all, module = "tsl_synth")]
pub(crate) struct Heard {
    /// The laws that are violated since this event.
    broken: Vec<String>,
    /// At the close of a session, the laws that are violated because of it.
    owed: Vec<String>,
    /// What is wrong with the event.
    faults: Vec<String>,
}

impl From<tsl_synth_gate::Heard> for Heard {
    fn from(heard: tsl_synth_gate::Heard) -> Self {
        Self { broken: heard.broken, owed: heard.owed, faults: heard.faults }
    }
}

#[pymethods]
impl Heard {
    fn __repr__(&self) -> String {
        format!("<Heard broken={:?} owed={:?} faults={:?}>", self.broken, self.owed, self.faults)
    }
}

/// The gate of one session, with arguments and results in JSON.
#[pyclass(frozen, module = "tsl_synth")]
pub(crate) struct Gate {
    inner: tsl_synth_gate::Gate,
}

#[pymethods]
impl Gate {
    #[new]
    fn new(
        py: Python<'_>,
        policy: &Policy,
        session: &str,
        store: &Store,
        shadow: bool,
        folder: Option<PathBuf>,
    ) -> PyResult<Self> {
        let store = store.inner.clone();
        let around = folder.map_or_else(|| Ok(surroundings()), |folder| surroundings_in(&folder));
        let around = around.map_err(|error| GateError::new_err(error.to_string()))?;
        let made = py.detach(|| {
            if shadow {
                tsl_synth_gate::Gate::shadow(&policy.inner, session, store)
            } else {
                tsl_synth_gate::Gate::new(&policy.inner, session, store)
            }
        });
        let inner = made.map_err(|error| policy_error(py, &error))?;
        inner.look_around(around).map_err(gate_error)?;
        Ok(Self { inner })
    }
    /// The session.
    #[getter]
    fn session(&self) -> &str {
        self.inner.session()
    }
    fn propose(
        &self,
        py: Python<'_>,
        tool: &str,
        arguments: &str,
        id: Option<&str>,
        server: Option<&str>,
        agent: Option<&str>,
    ) -> PyResult<Decision> {
        let call = Call { id, server, agent, ..Call::new(tool, arguments) };
        let decided = py.detach(|| self.inner.propose_call(&call));
        decided.map(|inner| Decision { inner }).map_err(gate_error)
    }
    fn commit(
        &self,
        py: Python<'_>,
        ticket: &str,
        ok: Option<bool>,
        result: Option<&str>,
    ) -> PyResult<Heard> {
        py.detach(|| self.inner.commit(ticket, ok, result)).map(Heard::from).map_err(gate_error)
    }
    fn result(&self, py: Python<'_>, id: &str, ok: Option<bool>, result: Option<&str>) -> PyResult<Heard> {
        py.detach(|| self.inner.result(id, ok, result)).map(Heard::from).map_err(gate_error)
    }
    fn observe(&self, py: Python<'_>, truths: BTreeMap<String, bool>) -> PyResult<Heard> {
        py.detach(|| self.inner.observe(&truths)).map(Heard::from).map_err(gate_error)
    }
    fn message(&self, py: Python<'_>, text: &str, role: &str) -> PyResult<Heard> {
        let speaker = match role {
            "user" => Speaker::User,
            "agent" | "assistant" => Speaker::Agent,
            _ => return Err(value_error("`role` is `user` or `agent`")),
        };
        py.detach(|| self.inner.message(speaker, text)).map(Heard::from).map_err(gate_error)
    }
    fn tick(&self, py: Python<'_>) -> PyResult<Heard> {
        py.detach(|| self.inner.tick()).map(Heard::from).map_err(gate_error)
    }
    fn end(&self, py: Python<'_>) -> PyResult<Decision> {
        py.detach(|| self.inner.end()).map(|inner| Decision { inner }).map_err(gate_error)
    }
    fn close(&self, py: Python<'_>, remove: bool) -> PyResult<Heard> {
        let closed = py.detach(|| if remove { self.inner.close_and_remove() } else { self.inner.close() });
        closed.map(Heard::from).map_err(gate_error)
    }
    fn options(&self, py: Python<'_>) -> PyResult<String> {
        let document = py.detach(|| self.inner.options()).map_err(gate_error)?;
        serde_json::to_string(&document).map_err(|error| value_error(error.to_string()))
    }
}
