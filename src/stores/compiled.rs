//! A cache of solved games beside the journals: a folder for each policy, named by its hash, and a file for each game.
//! Files are written whole or not at all, and several processes may write the same one.

use crate::store::JournalStore;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tsl_synth_core::model::Cache;
use tsl_synth_seats::packed::PACKED_LIMIT;

/// The largest number of policies that have folders; the oldest are removed first.
const POLICIES: usize = 32;

/// The folder of a policy.
#[derive(Clone, Debug)]
pub struct Compiled {
    folder: PathBuf,
}

impl Compiled {
    /// The folder for the solved games of the policy with this hash.
    pub fn new(store: &JournalStore, policy: &str) -> Self {
        Self { folder: store.folder().join("compiled").join(&policy[..policy.len().min(32)]) }
    }
    /// Creates the folder, private like those of journals, and removes old ones.
    fn make(&self) -> std::io::Result<()> {
        if self.folder.is_dir() {
            return Ok(());
        }
        let mut folders = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut folders, 0o700);
        folders.recursive(true).create(&self.folder)?;
        if let Some(all) = self.folder.parent() {
            remove_old(all, &self.folder)?;
        }
        Ok(())
    }
}

fn remove_old(all: &Path, own: &Path) -> std::io::Result<()> {
    let mut folders: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(all)? {
        let path = entry?.path();
        if path != own && path.is_dir() {
            folders.push((path.metadata()?.modified()?, path));
        }
    }
    folders.sort();
    for (_, path) in folders.iter().rev().skip(POLICIES - 1) {
        std::fs::remove_dir_all(path)?;
    }
    Ok(())
}

impl Cache for Compiled {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        let file = File::open(self.folder.join(key)).ok()?;
        let metadata = file.metadata().ok()?;
        // Reading anything but a regular file, such as a pipe, might never end.
        if !metadata.is_file() || metadata.len() > PACKED_LIMIT as u64 + 64 {
            return None;
        }
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).ok()?);
        file.take(PACKED_LIMIT as u64 + 64).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    fn put(&self, key: &str, value: &[u8]) -> Result<(), String> {
        let write = || {
            self.make()?;
            // Temporary files are private, and stay so.
            let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(&self.folder)?;
            file.write_all(value)?;
            file.persist(self.folder.join(key)).map_err(|error| error.error).map(drop)
        };
        write().map_err(|error: std::io::Error| error.to_string())
    }
}
