//! Journals in memory that several gates share, as processes share files: with checkpoints.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use tsl_synth_seats::journal::CHECKPOINT;
use tsl_synth_seats::journal::JournalRecord;
use tsl_synth_service::GateJournal;

type Sessions = BTreeMap<String, Vec<JournalRecord>>;

/// A handle on shared journals.
#[derive(Clone, Default)]
pub(super) struct Kept {
    all: Rc<RefCell<Sessions>>,
    locked: Option<String>,
}

impl Kept {
    /// All records of a session.
    pub(super) fn records(&self, session: &str) -> Vec<JournalRecord> {
        self.all.borrow().get(session).cloned().unwrap_or_default()
    }
}

impl GateJournal for Kept {
    fn lock(&mut self, session: &str, seen: u64) -> Result<Vec<JournalRecord>, String> {
        self.locked = Some(session.to_owned());
        let all = self.records(session);
        let checkpoint = all.iter().rposition(|record| record.kind == CHECKPOINT).unwrap_or(0);
        let seen = usize::try_from(seen).expect("few records");
        Ok(all[seen.max(checkpoint).min(all.len())..].to_vec())
    }
    fn append(&mut self, kind: &str, data: &str) -> Result<u64, String> {
        let session = self.locked.clone().ok_or("no journal is locked")?;
        let mut all = self.all.borrow_mut();
        let records = all.entry(session).or_default();
        let number = records.len() as u64 + 1;
        records.push(JournalRecord { number, kind: kind.into(), data: data.into() });
        Ok(number)
    }
    fn whole(&mut self) -> Result<Vec<JournalRecord>, String> {
        Ok(self.records(self.locked.as_deref().ok_or("no journal is locked")?))
    }
    fn is_shared(&self) -> bool {
        true
    }
    fn unlock(&mut self) {
        self.locked = None;
    }
}
