//! The folder of `--cache`: a file for each verdict.

use crate::files;
use anyhow::Result;
use std::io::Read;
use std::path::{Path, PathBuf};
use tsl_synth_service::{Cache, MAX_INPUT};

/// A folder whose files are named after the keys.
#[derive(Clone, Debug)]
pub(crate) struct DiskCache {
    folder: PathBuf,
}

impl DiskCache {
    /// The cache in this folder, which is created if it does not exist.
    ///
    /// # Errors
    /// When the folder cannot be created.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        files::make_folder(folder)?;
        Ok(Self { folder: folder.into() })
    }

    fn file(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }
}

impl Cache for DiskCache {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        let path = self.file(key);
        // Reading anything but a regular file, such as a pipe, might never end.
        if !path.metadata().ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        std::fs::File::open(path).ok()?.take(MAX_INPUT).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    fn put(&self, key: &str, value: &[u8]) -> Result<(), String> {
        files::write(&self.file(key), value).map_err(|error| error.to_string())
    }
}
