//! Records of a session, and the port to where they are kept.

use std::collections::BTreeMap;

/// A record of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateRecord {
    /// Its number in the journal of its session, from 1 on.
    pub number: u64,
    /// What it is: one word.
    pub kind: String,
    /// JSON on one line.
    pub data: String,
}

/// Keeps the records of sessions. Between `lock` and `unlock` nobody else appends to the journal of the session.
pub trait GateJournal {
    /// Locks the journal of a session and gives its records.
    ///
    /// # Errors
    /// Why it cannot be locked or read.
    fn lock(&mut self, session: &str) -> Result<Vec<GateRecord>, String>;
    /// Appends a record to the journal that is locked; gives its number.
    ///
    /// # Errors
    /// Why it cannot be written.
    fn append(&mut self, kind: &str, data: &str) -> Result<u64, String>;
    /// Gives up the lock.
    fn unlock(&mut self);
}

/// Journals in memory: for one process, and for as long as it runs.
#[derive(Clone, Debug, Default)]
pub struct MemoryJournal {
    numbers: BTreeMap<String, u64>,
    locked: Option<String>,
}

impl GateJournal for MemoryJournal {
    fn lock(&mut self, session: &str) -> Result<Vec<GateRecord>, String> {
        self.locked = Some(session.to_owned());
        Ok(Vec::new())
    }
    fn append(&mut self, _kind: &str, _data: &str) -> Result<u64, String> {
        let session = self.locked.clone().ok_or("no journal is locked")?;
        let number = self.numbers.entry(session).or_insert(0);
        *number += 1;
        Ok(*number)
    }
    fn unlock(&mut self) {
        self.locked = None;
    }
}
