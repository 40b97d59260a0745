//! Records of a session, and the port to their store.

use std::collections::BTreeMap;
use tsl_synth_seats::journal::JournalRecord;

/// Keeps the records of sessions. Between `lock` and `unlock` no other process appends to the journal of the session.
pub trait GateJournal {
    /// Locks the journal of a session and returns the records after the first `seen`. If there is a checkpoint among
    /// them, the records before the last one may be left out. If the journal began anew since, as its session was removed,
    /// all its records are returned: the first has the number 1.
    ///
    /// # Errors
    /// Why it cannot be locked or read.
    fn lock(&mut self, session: &str, seen: u64) -> Result<Vec<JournalRecord>, String>;
    /// Appends a record to the journal that is locked; returns its number.
    ///
    /// # Errors
    /// Why it cannot be written.
    fn append(&mut self, kind: &str, data: &str) -> Result<u64, String>;
    /// All records of the journal that is locked.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn whole(&mut self) -> Result<Vec<JournalRecord>, String>;
    /// Whether records are read again by other processes, so that checkpoints save work.
    fn is_shared(&self) -> bool;
    /// Releases the lock.
    fn unlock(&mut self);
    /// Journals of the same store for what is counted over all its sessions, by the names of policies; `None` if the store
    /// cannot keep that.
    fn totals(&self) -> Option<Box<dyn GateJournal + Send>> {
        None
    }
    /// The host of the sessions, if there may be sessions of several hosts with equal names.
    fn host(&self) -> Option<&str> {
        None
    }
    /// Says for how many milliseconds after its last record a session is kept; `None`: for ever. A journal that is locked
    /// later than that begins anew. By default, nothing is removed.
    fn set_retention(&mut self, _milliseconds: Option<u64>) {}
    /// Removes all records of the journal that is locked.
    ///
    /// # Errors
    /// Why they cannot be removed; by default, none can.
    fn remove(&mut self) -> Result<(), String> {
        Err("these journals cannot be removed".into())
    }
    /// Frees what is remembered about a session, whose records stay.
    fn forget(&mut self, _session: &str) {}
}

/// Journals in memory: for one process, and for as long as it runs.
#[derive(Clone, Debug, Default)]
pub struct MemoryJournal {
    records: BTreeMap<String, Vec<JournalRecord>>,
    locked: Option<String>,
}

impl GateJournal for MemoryJournal {
    fn lock(&mut self, session: &str, seen: u64) -> Result<Vec<JournalRecord>, String> {
        self.locked = Some(session.to_owned());
        let all = self.records.get(session).map_or(&[][..], Vec::as_slice);
        Ok(all.get(usize::try_from(seen).unwrap_or(usize::MAX)..).unwrap_or_default().to_vec())
    }
    fn append(&mut self, kind: &str, data: &str) -> Result<u64, String> {
        let session = self.locked.clone().ok_or("no journal is locked")?;
        let records = self.records.entry(session).or_default();
        let number = records.len() as u64 + 1;
        records.push(JournalRecord { number, kind: kind.into(), data: data.into() });
        Ok(number)
    }
    fn whole(&mut self) -> Result<Vec<JournalRecord>, String> {
        let session = self.locked.as_ref().ok_or("no journal is locked")?;
        Ok(self.records.get(session).cloned().unwrap_or_default())
    }
    fn is_shared(&self) -> bool {
        false
    }
    fn unlock(&mut self) {
        self.locked = None;
    }
    fn totals(&self) -> Option<Box<dyn GateJournal + Send>> {
        // Nobody else has the sessions, so nobody else has the totals.
        Some(Box::new(Self::default()))
    }
    fn remove(&mut self) -> Result<(), String> {
        let session = self.locked.as_ref().ok_or("no journal is locked")?;
        self.records.remove(session);
        Ok(())
    }
}
