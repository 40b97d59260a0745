//! Sessions that are not kept any more: each journal says for how long it is kept after its last record.

use crate::error::{StoreError, Tried};
use crate::journal::{read_end, remove};
use crate::store::{JournalStore, is_removed};
use std::fs::{File, Metadata, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tsl_synth_gate::{POLICY_RECORD, RETAIN};
use tsl_synth_seats::journal::{CHECKPOINT, JournalRecord};

/// How much work is done at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// A few journals that are chosen at random, for a decision that somebody waits for.
    Little,
    /// All journals.
    All,
}

/// How many times of files are looked at with little effort.
const LOOKED_AT: usize = 256;
/// How many journals are read with little effort.
const READ: usize = 16;

/// What was done about the sessions that are not kept any more.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Removed {
    /// The journals that were removed.
    pub journals: Vec<PathBuf>,
    /// The journals that another process holds, or that cannot be read or removed, with the reasons.
    pub left: Vec<(PathBuf, String)>,
}

impl JournalStore {
    /// The hosts that have sessions.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn hosts(&self) -> Result<Vec<String>, StoreError> {
        let mut hosts: Vec<String> = entries(&self.folder().join("journals"))?
            .into_iter()
            .filter(|path| path.is_dir())
            .filter_map(|path| path.file_name()?.to_str().map(str::to_owned))
            .collect();
        hosts.sort();
        Ok(hosts)
    }
    /// Removes sessions of a host whose last record is older than the policy says that decided last in them (`retain`),
    /// and than the retention of this store if it has one. Journals that another process has locked stay.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn remove_old(&self, host: &str, effort: Effort) -> Result<Removed, StoreError> {
        let any = self.path(host, "");
        let mut paths = entries(any.parent().tried(|| "a journal is in a folder".into())?)?;
        let (looked_at, mut left_to_read) = match effort {
            Effort::Little => (LOOKED_AT, READ),
            Effort::All => (usize::MAX, usize::MAX),
        };
        if paths.len() > looked_at {
            // Every journal has its turn some time.
            let start = RandomState::new().hash_one(0) % paths.len() as u64;
            paths.rotate_left(usize::try_from(start)?);
        }
        let mut removed = Removed::default();
        for path in paths.into_iter().take(looked_at) {
            let Some(age) = path.metadata().ok().as_ref().and_then(age) else { continue };
            if path.extension().is_none_or(|ending| ending != "jsonl")
                || self.retention().is_some_and(|retention| age <= retention)
            {
                continue;
            }
            if left_to_read == 0 {
                break;
            }
            left_to_read -= 1;
            match remove_if_old(&path) {
                Ok(true) => removed.journals.push(path),
                Ok(false) => {}
                Err(error) => removed.left.push((path, error.to_string())),
            }
        }
        Ok(removed)
    }
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).tried(|| "cannot read the folder of journals".into()),
    };
    entries.map(|entry| Ok(entry.tried(|| "cannot read the folder of journals".into())?.path())).collect()
}

/// The time since a journal with content was written to; a time in the future counts as now.
fn age(file: &Metadata) -> Option<Duration> {
    let is_journal = file.is_file() && file.len() > 0;
    is_journal.then(|| Some(file.modified().ok()?.elapsed().unwrap_or_default())).flatten()
}

/// For how long the journal with these last records is kept.
fn retention(records: &[JournalRecord]) -> Option<Duration> {
    let is_saying = |record: &&JournalRecord| record.kind == POLICY_RECORD || record.kind == CHECKPOINT;
    let last = records.iter().rev().find(is_saying)?;
    let data: serde_json::Value = serde_json::from_str(&last.data).ok()?;
    data[RETAIN].as_u64().map(Duration::from_millis)
}

/// Removes a journal if it is not kept any more; whether that was so. A journal that is locked is an error.
fn remove_if_old(path: &Path) -> Result<bool, StoreError> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    file.try_lock().map_err(|_| StoreError::new("another process holds it"))?;
    // Only now, since somebody may have appended a record before.
    let (Some(age), false) = (age(&file.metadata()?), is_removed(&file)?) else { return Ok(false) };
    if !is_same(&file, path)? {
        return Ok(false);
    }
    let (part, _) = read_end(&mut file)?;
    if retention(&part.records).is_none_or(|retention| age <= retention) {
        return Ok(false);
    }
    remove(&file, path)?;
    Ok(true)
}

/// Whether the file still has this path.
fn is_same(file: &File, path: &Path) -> Result<bool, StoreError> {
    let (own, named) = (file.metadata()?, path.metadata()?);
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Ok((own.dev(), own.ino()) == (named.dev(), named.ino()))
    }
    #[cfg(not(unix))]
    Ok(own.len() == named.len())
}
