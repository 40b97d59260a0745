//! The journals of the gate, in memory or in locked files.

use tsl_synth_seats::journal::JournalRecord;
use tsl_synth_service::{GateJournal, MemoryJournal};
use tsl_synth_stores::DiskJournals;

/// Journals of sessions of one host.
pub(crate) enum Journals {
    /// In memory, as long as the process runs.
    Memory(MemoryJournal),
    /// In files.
    Disk(DiskJournals),
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
    fn totals(&self) -> Option<Box<dyn GateJournal + Send>> {
        match self {
            Self::Memory(journal) => journal.totals(),
            Self::Disk(journals) => journals.totals(),
        }
    }
    fn host(&self) -> Option<&str> {
        match self {
            Self::Memory(journal) => journal.host(),
            Self::Disk(journals) => journals.host(),
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
    fn set_retention(&mut self, milliseconds: Option<u64>) {
        match self {
            Self::Memory(journal) => journal.set_retention(milliseconds),
            Self::Disk(journals) => journals.set_retention(milliseconds),
        }
    }
    fn remove(&mut self) -> Result<(), String> {
        match self {
            Self::Memory(journal) => journal.remove(),
            Self::Disk(journals) => journals.remove(),
        }
    }
    fn forget(&mut self, session: &str) {
        match self {
            Self::Memory(journal) => journal.forget(session),
            Self::Disk(journals) => journals.forget(session),
        }
    }
}
