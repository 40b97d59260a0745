//! The journals of the gate, in memory or in locked files.

use super::store::{Journal, JournalMark, JournalStore};
use std::collections::BTreeMap;
use std::time::Duration;
use tsl_synth_seats::journal::JournalRecord;
use tsl_synth_service::{GateJournal, MemoryJournal};

/// How long a decision waits for another process that decides about the same session.
pub(super) const LOCK_WAIT: Duration = Duration::from_secs(2);

/// Journals of sessions of one host.
pub(crate) enum Journals {
    /// In memory, as long as the process runs.
    Memory(MemoryJournal),
    /// In files.
    Disk(DiskJournals),
}

/// Journals in files.
pub(crate) struct DiskJournals {
    store: JournalStore,
    host: String,
    locked: Option<(String, Journal)>,
    /// How far the journal of each session was read.
    marks: BTreeMap<String, JournalMark>,
}

impl DiskJournals {
    /// The journals of a host in a store.
    pub(crate) fn new(store: JournalStore, host: &str) -> Self {
        Self { store, host: host.to_owned(), locked: None, marks: BTreeMap::new() }
    }
}

impl GateJournal for DiskJournals {
    fn lock(&mut self, session: &str, seen: u64) -> Result<Vec<JournalRecord>, String> {
        // A mark is valid only for a caller that has seen exactly the records before it.
        let mark = self.marks.get(session).filter(|mark| mark.number() == seen);
        let journal = self
            .store
            .lock_after(&self.host, session, LOCK_WAIT, mark)
            .map_err(|error| format!("{error:#}"))?;
        let records = journal.records.iter().filter(|record| record.number > seen).cloned().collect();
        self.locked = Some((session.to_owned(), journal));
        Ok(records)
    }
    fn append(&mut self, kind: &str, data: &str) -> Result<u64, String> {
        let (_, journal) = self.locked.as_mut().ok_or("no journal is locked")?;
        journal.append(kind, data).map_err(|error| format!("{error:#}"))?;
        Ok(journal.number())
    }
    fn whole(&mut self) -> Result<Vec<JournalRecord>, String> {
        let (_, journal) = self.locked.as_mut().ok_or("no journal is locked")?;
        journal.whole().map_err(|error| format!("{error:#}"))
    }
    fn is_shared(&self) -> bool {
        true
    }
    fn unlock(&mut self) {
        if let Some((session, journal)) = self.locked.take() {
            self.marks.insert(session, journal.mark());
        }
    }
}

impl GateJournal for Journals {
    fn lock(&mut self, session: &str, seen: u64) -> Result<Vec<JournalRecord>, String> {
        match self {
            Self::Memory(journal) => journal.lock(session, seen),
            Self::Disk(journals) => journals.lock(session, seen),
        }
    }
    fn append(&mut self, kind: &str, data: &str) -> Result<u64, String> {
        match self {
            Self::Memory(journal) => journal.append(kind, data),
            Self::Disk(journals) => journals.append(kind, data),
        }
    }
    fn whole(&mut self) -> Result<Vec<JournalRecord>, String> {
        match self {
            Self::Memory(journal) => journal.whole(),
            Self::Disk(journals) => journals.whole(),
        }
    }
    fn is_shared(&self) -> bool {
        matches!(self, Self::Disk(_))
    }
    fn unlock(&mut self) {
        match self {
            Self::Memory(journal) => journal.unlock(),
            Self::Disk(journals) => journals.unlock(),
        }
    }
}
