//! Homes of sessions that several gates share.

use crate::journal::GateJournal;
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use tsl_synth_core::model::Cache;
use tsl_synth_seats::journal::JournalRecord;

/// A home of sessions. All gates of a session in one store decide one after the other, each with what the others granted.
pub trait Store: Send + Sync {
    /// An access to the journals of the store, for one gate.
    fn journals(&self) -> Box<dyn GateJournal + Send>;
    /// A cache for the solved games of the policy whose text has this hash.
    fn games(&self, _policy: &str) -> Option<Box<dyn Cache + Send>> {
        None
    }
    /// The time of events, in milliseconds since 1970; `None` if the store has no clock.
    fn now(&self) -> Option<i64>;
}

impl GateJournal for Box<dyn GateJournal + Send> {
    fn lock(&mut self, session: &str, seen: u64) -> Result<Vec<JournalRecord>, String> {
        (**self).lock(session, seen)
    }
    fn append(&mut self, kind: &str, data: &str) -> Result<u64, String> {
        (**self).append(kind, data)
    }
    fn whole(&mut self) -> Result<Vec<JournalRecord>, String> {
        (**self).whole()
    }
    fn is_shared(&self) -> bool {
        (**self).is_shared()
    }
    fn unlock(&mut self) {
        (**self).unlock();
    }
    fn totals(&self) -> Option<Box<dyn GateJournal + Send>> {
        (**self).totals()
    }
    fn host(&self) -> Option<&str> {
        (**self).host()
    }
}

/// The records of a session in memory.
#[derive(Debug, Default)]
struct Records {
    all: Vec<JournalRecord>,
    is_locked: bool,
}

#[derive(Debug, Default)]
struct Shared {
    sessions: Mutex<BTreeMap<String, Records>>,
    /// Signaled when a journal is unlocked.
    unlocked: Condvar,
}

impl Shared {
    /// Records are appended whole, so a panic of another thread leaves none incomplete.
    fn sessions(&self) -> MutexGuard<'_, BTreeMap<String, Records>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A store in memory: for one process, and for as long as it runs. Clones have the same sessions.
#[derive(Clone, Debug)]
pub struct MemoryStore {
    shared: Arc<Shared>,
    totals: Arc<Shared>,
    clock: fn() -> Option<i64>,
}

impl MemoryStore {
    /// An empty store with a source of the time, in milliseconds since 1970.
    pub fn new(clock: fn() -> Option<i64>) -> Self {
        Self { shared: Arc::default(), totals: Arc::default(), clock }
    }
}

impl Store for MemoryStore {
    fn journals(&self) -> Box<dyn GateJournal + Send> {
        Box::new(SharedJournal { shared: self.shared.clone(), totals: self.totals.clone(), locked: None })
    }
    fn now(&self) -> Option<i64> {
        (self.clock)()
    }
}

/// An access to the journals of a [`MemoryStore`].
struct SharedJournal {
    shared: Arc<Shared>,
    totals: Arc<Shared>,
    locked: Option<String>,
}

impl SharedJournal {
    fn with_locked<T>(&self, act: impl FnOnce(&mut Records) -> T) -> Result<T, String> {
        let session = self.locked.as_ref().ok_or("no journal is locked")?;
        Ok(act(self.shared.sessions().entry(session.clone()).or_default()))
    }
}

impl GateJournal for SharedJournal {
    fn lock(&mut self, session: &str, seen: u64) -> Result<Vec<JournalRecord>, String> {
        let mut sessions = self.shared.sessions();
        while sessions.get(session).is_some_and(|records| records.is_locked) {
            sessions = self.shared.unlocked.wait(sessions).unwrap_or_else(PoisonError::into_inner);
        }
        let records = sessions.entry(session.to_owned()).or_default();
        records.is_locked = true;
        self.locked = Some(session.to_owned());
        let seen = usize::try_from(seen).unwrap_or(usize::MAX);
        Ok(records.all.get(seen..).unwrap_or_default().to_vec())
    }
    fn append(&mut self, kind: &str, data: &str) -> Result<u64, String> {
        self.with_locked(|records| {
            let number = records.all.len() as u64 + 1;
            records.all.push(JournalRecord { number, kind: kind.into(), data: data.into() });
            number
        })
    }
    fn whole(&mut self) -> Result<Vec<JournalRecord>, String> {
        self.with_locked(|records| records.all.clone())
    }
    fn is_shared(&self) -> bool {
        false
    }
    fn unlock(&mut self) {
        let _ = self.with_locked(|records| records.is_locked = false);
        self.locked = None;
        self.shared.unlocked.notify_all();
    }
    fn totals(&self) -> Option<Box<dyn GateJournal + Send>> {
        let totals = self.totals.clone();
        Some(Box::new(Self { shared: totals.clone(), totals, locked: None }))
    }
}

impl Drop for SharedJournal {
    fn drop(&mut self) {
        if self.locked.is_some() {
            self.unlock();
        }
    }
}
