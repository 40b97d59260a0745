//! Stores of sessions.

use crate::errors::{GateError, value_error};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;
use tsl_synth_stores::FileStore;

/// A home of sessions. All gates of a session in one store agree about what was granted.
#[pyclass(frozen, module = "tsl_synth")]
pub(crate) struct Store {
    pub(crate) inner: Arc<dyn tsl_synth_gate::Store>,
    files: Option<FileStore>,
}

impl Store {
    fn of_files(files: FileStore) -> Self {
        Self { inner: Arc::new(files.clone()), files: Some(files) }
    }
}

#[pymethods]
impl Store {
    /// Sessions in the memory of this process.
    #[staticmethod]
    fn memory() -> Self {
        Self { inner: Arc::new(tsl_synth_stores::memory()), files: None }
    }
    /// Sessions in the files of a folder, for all processes of this machine. With `durable`, each decision waits until
    /// the disk has its record.
    #[staticmethod]
    #[pyo3(signature = (folder, durable = false))]
    fn files(folder: PathBuf, durable: bool) -> PyResult<Self> {
        let files = FileStore::new(&folder, durable);
        files.map(Self::of_files).map_err(|error| GateError::new_err(error.to_string()))
    }
    /// Sessions in the folder of the user's state, or in that of `TSL_SYNTH_STATE`.
    #[staticmethod]
    #[pyo3(signature = (durable = false))]
    fn of_user(durable: bool) -> PyResult<Self> {
        let files = FileStore::of_user(durable);
        files.map(Self::of_files).map_err(|error| GateError::new_err(error.to_string()))
    }
    /// Removes the sessions whose last event is older than the policy says that decided last in them (`retain`); returns how
    /// many. A session that another process is deciding in stays.
    fn remove_old(&self, py: Python<'_>) -> PyResult<usize> {
        let files = self.files.as_ref().ok_or_else(|| value_error("a store in memory has no files"))?;
        py.detach(|| files.remove_old()).map_err(|error| GateError::new_err(error.to_string()))
    }
    /// The file with the journal of a session.
    fn journal(&self, session: &str) -> PyResult<PathBuf> {
        let files = self.files.as_ref().ok_or_else(|| value_error("a store in memory has no files"))?;
        Ok(files.journal(session))
    }
    fn __repr__(&self) -> String {
        match &self.files {
            Some(files) => format!("<Store {}>", files.folder().display()),
            None => "<Store in memory>".into(),
        }
    }
}
