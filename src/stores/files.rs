//! Stores and policies for programs that embed a gate.

use crate::compiled::Compiled;
use crate::disk::DiskJournals;
use crate::error::StoreError;
use crate::old::Effort;
use crate::store::JournalStore;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use tsl_synth_core::model::Cache;
use tsl_synth_gate::{GateJournal, MemoryStore, Policy, PolicyError, PolicyText, Store};

/// The name of the host in journals, which is that of `shield --journal` without a protocol: both have the same sessions.
const HOST: &str = "jsonl";
/// The largest policy in bytes.
const MAX_POLICY: u64 = 64 << 20;

/// The Unix time in milliseconds; `None` if the clock is set to a time before 1970.
pub fn now() -> Option<i64> {
    let passed = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(passed.as_millis()).ok()
}

/// A store in memory, with the clock of the system.
pub fn memory() -> MemoryStore {
    MemoryStore::new(now)
}

/// Sessions in the files of a folder. Processes on one machine share them, and they outlive the processes.
#[derive(Clone, Debug)]
pub struct FileStore {
    store: JournalStore,
}

impl FileStore {
    /// The sessions in this folder, which is created when needed. If they are `durable`, each decision waits until the
    /// disk has its record, so that not even a power failure loses one.
    ///
    /// # Errors
    /// A relative path, if the current folder cannot be determined.
    pub fn new(folder: &Path, durable: bool) -> Result<Self, StoreError> {
        Ok(Self { store: JournalStore::new(std::path::absolute(folder)?, durable) })
    }
    /// The sessions of this user: `TSL_SYNTH_STATE`, or the folder for the state of programs.
    ///
    /// # Errors
    /// When there is no home folder.
    pub fn of_user(durable: bool) -> Result<Self, StoreError> {
        Ok(Self { store: JournalStore::of_user(durable)? })
    }
    /// The journal of a session.
    pub fn journal(&self, session: &str) -> PathBuf {
        self.store.path(HOST, session)
    }
    /// Removes the sessions whose last event is older than the policy says that decided last in them (`retain`). A session
    /// that another process is deciding in stays. Returns how many were removed.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn remove_old(&self) -> Result<usize, StoreError> {
        Ok(self.store.remove_old(HOST, Effort::All)?.journals.len())
    }
    /// The folder.
    pub fn folder(&self) -> &Path {
        self.store.folder()
    }
}

impl Store for FileStore {
    fn journals(&self) -> Box<dyn GateJournal + Send> {
        Box::new(DiskJournals::new(self.store.clone(), HOST))
    }
    fn games(&self, policy: &str) -> Option<Box<dyn Cache + Send>> {
        Some(Box::new(Compiled::new(&self.store, policy)))
    }
    fn now(&self) -> Option<i64> {
        now()
    }
}

/// The file of a policy.
struct PolicyFile {
    path: PathBuf,
}

impl PolicyText for PolicyFile {
    fn stamp(&self) -> Option<[u64; 3]> {
        let metadata = std::fs::metadata(&self.path).ok()?;
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        // A file that replaces another one may have its time and its length.
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(&metadata);
        #[cfg(not(unix))]
        let number = 0;
        Some([u64::try_from(modified.as_nanos()).ok()?, metadata.len(), number])
    }
    fn read(&self) -> Result<String, String> {
        let file = std::fs::File::open(&self.path).map_err(|error| error.to_string())?;
        let mut bytes = Vec::new();
        file.take(MAX_POLICY + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        if bytes.len() as u64 > MAX_POLICY {
            return Err(format!("it is larger than {} MiB", MAX_POLICY >> 20));
        }
        String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".into())
    }
}

/// Reads and compiles the policy in a file; gates take up what is edited there: see [`Policy`].
///
/// # Errors
/// A file that cannot be read, errors of its text, or a limit.
pub fn policy_from_file(path: &Path) -> Result<Policy, PolicyError> {
    // The current folder may be another one when the file is read again.
    let absolute = std::path::absolute(path)
        .map_err(|error| PolicyError::Unreadable(format!("cannot read `{}`: {error}", path.display())))?;
    Policy::followed(&path.to_string_lossy(), Arc::new(PolicyFile { path: absolute }))
}
