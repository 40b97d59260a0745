//! Homes of sessions that several gates share.

use crate::journal::GateJournal;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use tsl_synth_core::model::Cache;
use tsl_synth_seats::journal::{HEADER, JournalRecord};

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
    fn set_retention(&mut self, milliseconds: Option<u64>) {
        (**self).set_retention(milliseconds);
    }
    fn remove(&mut self) -> Result<(), String> {
        (**self).remove()
    }
    fn forget(&mut self, session: &str) {
        (**self).forget(session);
    }
}

/// How many sessions are looked at when a session begins, whether they are still kept.
const LOOKED_AT: usize = 64;

/// The records of a session in memory.
#[derive(Debug, Default)]
struct Records {
    /// No other session of the store had this number, also none with the same name.
    number: u64,
    all: Vec<JournalRecord>,
    is_locked: bool,
    /// The time of the last record.
    last: Option<i64>,
    /// For how many milliseconds after its last record it is kept.
    retention: Option<u64>,
}

impl Records {
    /// Whether the session is not kept any more.
    fn is_over(&self, retention: Option<u64>, now: Option<i64>) -> bool {
        let age = now.zip(self.last).and_then(|(now, last)| u64::try_from(now.saturating_sub(last)).ok());
        age.zip(retention).is_some_and(|(age, retention)| age > retention)
    }
}

#[derive(Debug, Default)]
struct Sessions {
    by_name: BTreeMap<String, Records>,
    /// How many sessions began.
    begun: u64,
    /// The session that was looked at last.
    looked_at: String,
}

impl Sessions {
    /// The records of a session; a session is created if the store has none of this name.
    fn records(&mut self, session: &str) -> &mut Records {
        let begun = &mut self.begun;
        self.by_name.entry(session.to_owned()).or_insert_with(|| {
            *begun += 1;
            Records { number: *begun, ..Records::default() }
        })
    }
    /// Removes sessions that are not kept any more and that no gate decides in, among the next few.
    fn remove_old(&mut self, now: Option<i64>) {
        let after = (Bound::Excluded(self.looked_at.clone()), Bound::Unbounded);
        let next = self.by_name.range(after).take(LOOKED_AT);
        let next: Vec<(String, bool)> = next
            .map(|(name, own)| (name.clone(), !own.is_locked && own.is_over(own.retention, now)))
            .collect();
        let is_end = next.len() < LOOKED_AT;
        self.looked_at = next.last().filter(|_| !is_end).map(|(name, _)| name.clone()).unwrap_or_default();
        for (name, _) in next.into_iter().filter(|(_, is_over)| *is_over) {
            self.by_name.remove(&name);
        }
    }
}

#[derive(Debug, Default)]
struct Shared {
    sessions: Mutex<Sessions>,
    /// Signaled when a journal is unlocked.
    unlocked: Condvar,
}

impl Shared {
    /// Records are appended whole, so a panic of another thread leaves none incomplete.
    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A store in memory: for one process, and for as long as it runs. Clones have the same sessions, which stay until they
/// are removed with [`Gate::close_and_remove`](crate::Gate::close_and_remove) or are older than the policy says (`retain`).
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
        Box::new(SharedJournal::new(self.shared.clone(), self.totals.clone(), self.clock))
    }
    fn now(&self) -> Option<i64> {
        (self.clock)()
    }
}

/// An access to the journals of a [`MemoryStore`].
struct SharedJournal {
    shared: Arc<Shared>,
    totals: Arc<Shared>,
    clock: fn() -> Option<i64>,
    locked: Option<String>,
    retention: Option<u64>,
    /// The numbers of the sessions that were read.
    read: BTreeMap<String, u64>,
}

impl SharedJournal {
    fn new(shared: Arc<Shared>, totals: Arc<Shared>, clock: fn() -> Option<i64>) -> Self {
        Self { shared, totals, clock, locked: None, retention: None, read: BTreeMap::new() }
    }
    fn with_locked<T>(&self, act: impl FnOnce(&mut Records) -> T) -> Result<T, String> {
        let session = self.locked.as_ref().ok_or("no journal is locked")?;
        Ok(act(self.shared.sessions().records(session)))
    }
}

impl GateJournal for SharedJournal {
    fn lock(&mut self, session: &str, seen: u64) -> Result<Vec<JournalRecord>, String> {
        let mut sessions = self.shared.sessions();
        while sessions.by_name.get(session).is_some_and(|records| records.is_locked) {
            sessions = self.shared.unlocked.wait(sessions).unwrap_or_else(PoisonError::into_inner);
        }
        // Read only where it matters, since it takes as long as a part of the decision.
        let now = self.retention.and_then(|_| (self.clock)());
        if sessions.by_name.get(session).is_some_and(|records| records.is_over(self.retention, now)) {
            sessions.by_name.remove(session);
        }
        if self.retention.is_some() && !sessions.by_name.contains_key(session) {
            sessions.remove_old(now);
        }
        let records = sessions.records(session);
        records.is_locked = true;
        records.retention = self.retention;
        self.locked = Some(session.to_owned());
        let known = self.read.insert(session.to_owned(), records.number);
        let is_other = known.is_some_and(|number| number != records.number);
        if is_other && seen > 0 && records.all.is_empty() {
            // The first record says that the session began anew.
            records.all.push(JournalRecord { number: 1, kind: HEADER.into(), data: "{}".into() });
        }
        let seen = if is_other { 0 } else { usize::try_from(seen).unwrap_or(usize::MAX) };
        Ok(records.all.get(seen..).unwrap_or_default().to_vec())
    }
    fn append(&mut self, kind: &str, data: &str) -> Result<u64, String> {
        let now = self.retention.and_then(|_| (self.clock)());
        self.with_locked(|records| {
            records.last = now;
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
        if let Some(session) = self.locked.take()
            && let Some(records) = self.shared.sessions().by_name.get_mut(&session)
        {
            records.is_locked = false;
        }
        self.shared.unlocked.notify_all();
    }
    fn totals(&self) -> Option<Box<dyn GateJournal + Send>> {
        let totals = self.totals.clone();
        Some(Box::new(Self::new(totals.clone(), totals, self.clock)))
    }
    fn set_retention(&mut self, milliseconds: Option<u64>) {
        self.retention = milliseconds;
    }
    fn remove(&mut self) -> Result<(), String> {
        let session = self.locked.take().ok_or("no journal is locked")?;
        self.shared.sessions().by_name.remove(&session);
        self.read.remove(&session);
        self.shared.unlocked.notify_all();
        Ok(())
    }
    fn forget(&mut self, session: &str) {
        self.read.remove(session);
    }
}

impl Drop for SharedJournal {
    fn drop(&mut self) {
        if self.locked.is_some() {
            self.unlock();
        }
    }
}
