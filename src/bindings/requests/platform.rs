//! What depends on the machine: files and the clock.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use tsl_synth_gate::{Policy, PolicyError, Store, Surroundings};

/// A store, with what is known of its files.
pub struct OpenStore {
    /// The store.
    pub store: Arc<dyn Store>,
    /// What is known of its files, if the store has files.
    pub files: Option<StoreFiles>,
}

/// The files of a store.
pub struct StoreFiles {
    /// The folder.
    pub folder: PathBuf,
    /// The journal of a session.
    pub journal: Box<dyn Fn(&str) -> PathBuf + Send + Sync>,
    /// Removes the sessions that are older than their policies say; how many there were, or why that is not possible.
    pub remove_old: Box<dyn Fn() -> Result<usize, String> + Send + Sync>,
}

impl OpenStore {
    /// A store without files.
    pub fn in_memory(store: Arc<dyn Store>) -> Self {
        Self { store, files: None }
    }
}

/// The machine that the gates run on.
pub trait Platform: Send + Sync {
    /// A new store in memory.
    fn memory(&self) -> Arc<dyn Store>;
    /// The sessions in the files of a folder; without a folder, those of the user.
    ///
    /// # Errors
    /// Why there are none.
    fn files(&self, folder: Option<&Path>, is_durable: bool) -> Result<OpenStore, String>;
    /// Reads and compiles the policy in a file.
    ///
    /// # Errors
    /// A file that cannot be read, or what is wrong with the policy.
    fn policy(&self, file: &Path) -> Result<Policy, PolicyError>;
    /// What reads scripts and runs probes for decisions about commands that run in this folder.
    ///
    /// # Errors
    /// A folder that this platform cannot use.
    fn surroundings(&self, folder: Option<&Path>) -> Result<Surroundings, String>;
}
