//! The journals of a gate in locked files.

use crate::journal::{Journal, JournalMark, remove};
use crate::old::Effort;
use crate::store::JournalStore;
use std::collections::BTreeMap;
use std::time::Duration;
use tsl_synth_gate::GateJournal;
use tsl_synth_seats::journal::JournalRecord;

/// How long a decision waits for another process that decides about the same session.
pub const LOCK_WAIT: Duration = Duration::from_secs(2);

/// In the place of a host: what is counted over all sessions. No host has an empty name.
const TOTALS: &str = "";

/// The journals of the sessions of one host.
#[derive(Debug)]
pub struct DiskJournals {
    store: JournalStore,
    host: String,
    locked: Option<(String, Journal)>,
    /// How far the journal of each session was read.
    marks: BTreeMap<String, JournalMark>,
    /// Whether the journal that is locked was begun now.
    is_new: bool,
}

impl DiskJournals {
    /// The journals of a host in a store.
    pub fn new(store: JournalStore, host: &str) -> Self {
        Self { store, host: host.to_owned(), locked: None, marks: BTreeMap::new(), is_new: false }
    }
}

impl GateJournal for DiskJournals {
    fn lock(&mut self, session: &str, seen: u64) -> Result<Vec<JournalRecord>, String> {
        // A mark is valid only for a caller that has seen exactly the records before it.
        let mark = self.marks.get(session).filter(|mark| mark.number() == seen);
        let mut journal =
            self.store.lock_after(&self.host, session, LOCK_WAIT, mark).map_err(|error| error.to_string())?;
        self.is_new = journal.is_new;
        let records = if journal.is_other {
            journal.whole().map_err(|error| error.to_string())?
        } else {
            journal.records.iter().filter(|record| record.number > seen).cloned().collect()
        };
        self.locked = Some((session.to_owned(), journal));
        Ok(records)
    }
    fn append(&mut self, kind: &str, data: &str) -> Result<u64, String> {
        let (_, journal) = self.locked.as_mut().ok_or("no journal is locked")?;
        journal.append(kind, data).map_err(|error| error.to_string())?;
        Ok(journal.number())
    }
    fn whole(&mut self) -> Result<Vec<JournalRecord>, String> {
        let (_, journal) = self.locked.as_mut().ok_or("no journal is locked")?;
        journal.whole().map_err(|error| error.to_string())
    }
    fn is_shared(&self) -> bool {
        true
    }
    fn totals(&self) -> Option<Box<dyn GateJournal + Send>> {
        // What is counted for ever outlives the sessions.
        let mut store = self.store.clone();
        store.set_retention(None);
        Some(Box::new(Self::new(store, TOTALS)))
    }
    fn host(&self) -> Option<&str> {
        Some(&self.host)
    }
    fn unlock(&mut self) {
        let Some((session, journal)) = self.locked.take() else { return };
        self.marks.insert(session, journal.mark());
        drop(journal);
        if self.is_new && self.store.retention().is_some() {
            // Other sessions are removed on this occasion; what cannot be removed now is tried again later.
            let _ = self.store.remove_old(&self.host, Effort::Little);
        }
    }
    fn set_retention(&mut self, milliseconds: Option<u64>) {
        self.store.set_retention(milliseconds.map(Duration::from_millis));
    }
    fn remove(&mut self) -> Result<(), String> {
        let (session, journal) = self.locked.take().ok_or("no journal is locked")?;
        let removed = remove(&journal.file, &self.store.path(&self.host, &session));
        self.marks.remove(&session);
        removed.map_err(|error| error.to_string())
    }
    fn forget(&mut self, session: &str) {
        self.marks.remove(session);
    }
}
