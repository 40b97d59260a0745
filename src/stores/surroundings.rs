//! The files and processes of this machine, which decisions may look at.

use crate::error::StoreError;
use crate::probes::ProcessProbes;
use crate::scripts::DiskScripts;
use std::path::Path;
use std::sync::Arc;
use tsl_synth_gate::Surroundings;

/// The scripts and probes of this machine, for calls of which it is not known in which folder they begin.
pub fn surroundings() -> Surroundings {
    Surroundings { scripts: Some(Arc::new(DiskScripts)), probes: Some(Arc::new(ProcessProbes)), folder: None }
}

/// The scripts and probes of this machine, for calls that begin in a folder; a relative path is seen from the current folder.
///
/// # Errors
/// A relative path, if the current folder cannot be determined, and a path that is not UTF-8 text.
pub fn surroundings_in(folder: &Path) -> Result<Surroundings, StoreError> {
    let text = std::path::absolute(folder)?.into_os_string().into_string();
    let no_text = |path: std::ffi::OsString| {
        StoreError::new(format!("the path `{}` is not UTF-8 text", path.to_string_lossy()))
    };
    Ok(Surroundings { folder: Some(text.map_err(no_text)?), ..surroundings() })
}
