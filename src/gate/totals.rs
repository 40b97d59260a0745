//! What registers over all sessions have counted: a journal of its own for each policy, in which each session keeps its
//! amounts.
//!
//! The journal is locked from before a decision until after its record, always after the journal of the session. The
//! amounts of a session are written before its own record: a process that ends in between leaves more than was granted,
//! never less, and the next event of the session corrects it.

use crate::journal::GateJournal;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tsl_synth_core::base::{Decimal, Id};
use tsl_synth_policy::gate::GateSession;
use tsl_synth_policy::language::Policy;
use tsl_synth_seats::journal::{CHECKPOINT, JournalRecord};

/// The kind of records with the amounts of a session.
const AMOUNTS: &str = "amounts";
/// The number of records after which all amounts are written as a checkpoint.
const RECORDS: usize = 64;

/// Amounts with their times in milliseconds, as they are written.
type Written = Vec<(i64, String)>;

/// Amounts with their times in milliseconds.
pub(crate) type Amounts = Vec<(i64, Decimal)>;

/// The amounts of a session in a register.
#[derive(Deserialize, Serialize)]
struct SessionAmounts {
    session: String,
    register: String,
    amounts: Written,
}

/// The journal of a policy's registers over all sessions, and what it has.
pub(crate) struct SharedTotals {
    journal: Box<dyn GateJournal + Send>,
    policy: String,
    seen: u64,
    /// The number of records since the last checkpoint.
    since: usize,
    /// By session and register.
    amounts: BTreeMap<(String, String), Amounts>,
}

fn read_amounts(written: &Written) -> Option<Amounts> {
    written.iter().map(|(time, amount)| Some((*time, Decimal::parse(amount)?))).collect()
}

fn written(amounts: &Amounts) -> Written {
    amounts.iter().map(|(time, amount)| (*time, amount.to_string())).collect()
}

impl SharedTotals {
    /// The totals of a policy in a journal.
    pub(crate) fn new(journal: Box<dyn GateJournal + Send>, policy: &str) -> Self {
        Self { journal, policy: policy.to_owned(), seen: 0, since: 0, amounts: BTreeMap::new() }
    }
    /// Locks the journal and reads what is new in it.
    ///
    /// # Errors
    /// Why that is not possible.
    pub(crate) fn lock(&mut self) -> Result<(), String> {
        let records = self.journal.lock(&self.policy, self.seen)?;
        for record in &records {
            self.take(record).ok_or_else(|| format!("record {} of the totals is damaged", record.number))?;
        }
        Ok(())
    }
    fn take(&mut self, record: &JournalRecord) -> Option<()> {
        let all: Vec<SessionAmounts> = match record.kind.as_str() {
            CHECKPOINT => {
                (self.since, self.amounts) = (0, BTreeMap::new());
                serde_json::from_str(&record.data).ok()?
            }
            AMOUNTS => {
                self.since += 1;
                vec![serde_json::from_str(&record.data).ok()?]
            }
            // The header, and records that later versions add.
            _ => Vec::new(),
        };
        for own in all {
            let amounts = read_amounts(&own.amounts)?;
            self.amounts.insert((own.session, own.register), amounts);
        }
        self.seen = self.seen.max(record.number);
        Some(())
    }
    /// What other sessions have counted in the registers of a policy, by their names.
    pub(crate) fn others(&self, policy: &Policy, session: &str) -> BTreeMap<String, Amounts> {
        let mut all: BTreeMap<String, Amounts> =
            policy.registers_over_sessions().map(|(_, name)| (name.to_owned(), Amounts::new())).collect();
        for ((own, register), amounts) in &self.amounts {
            if let Some(list) = all.get_mut(register).filter(|_| own != session) {
                list.extend(amounts.iter().cloned());
            }
        }
        all
    }
    /// Moves the amounts of a removed session to a key of their own, so that a new session of the same name does not
    /// overwrite them.
    ///
    /// # Errors
    /// Why they cannot be written.
    pub(crate) fn keep_removed(&mut self, session: &str) -> Result<(), String> {
        let own = self.amounts.iter().filter(|((name, _), amounts)| name == session && !amounts.is_empty());
        let own: Vec<(String, Amounts)> =
            own.map(|((_, register), amounts)| (register.clone(), amounts.clone())).collect();
        for (register, amounts) in own {
            let removed = format!("{session} removed {}", self.seen);
            self.write(&removed, &register, amounts)?;
            self.write(session, &register, Amounts::new())?;
        }
        Ok(())
    }
    /// Writes the amounts of a session in a register.
    fn write(&mut self, session: &str, register: &str, amounts: Amounts) -> Result<(), String> {
        let own = SessionAmounts {
            session: session.to_owned(),
            register: register.to_owned(),
            amounts: written(&amounts),
        };
        let data = serde_json::to_string(&own).map_err(|error| error.to_string())?;
        self.seen = self.journal.append(AMOUNTS, &data)?;
        self.since += 1;
        self.amounts.insert((session.to_owned(), register.to_owned()), amounts);
        Ok(())
    }
    /// Writes what a session has counted, where that changed: of the states that it may be in, the one with the most.
    ///
    /// # Errors
    /// Why it cannot be written.
    pub(crate) fn put(&mut self, policy: &Policy, session: &str, live: &GateSession) -> Result<(), String> {
        for (id, name) in policy.registers_over_sessions() {
            let registers = live.state().worlds().iter().map(|world| &world.registers[id.index()]);
            let Some(most) = registers.max_by(|a, b| a.value.cmp(&b.value)) else { continue };
            let amounts: Amounts = if policy.registers[id].window.is_some() {
                most.recent.iter().cloned().collect()
            } else if most.value == Decimal::default() {
                Amounts::new()
            } else {
                vec![(0, most.value.clone())]
            };
            let key = (session.to_owned(), name.to_owned());
            if self.amounts.get(&key).map_or(&[][..], Vec::as_slice) == amounts {
                continue;
            }
            self.write(session, name, amounts)?;
        }
        if self.since >= RECORDS && self.journal.is_shared() { self.checkpoint(policy) } else { Ok(()) }
    }
    /// Writes all amounts but those that have left their windows, as seen from the last one.
    fn checkpoint(&mut self, policy: &Policy) -> Result<(), String> {
        let windows: BTreeMap<&str, Option<i64>> =
            policy.registers_over_sessions().map(|(id, name)| (name, policy.registers[id].window)).collect();
        let last = self.amounts.values().flatten().map(|(time, _)| *time).max().unwrap_or(0);
        self.amounts.retain(|(_, register), amounts| {
            // Registers that this policy does not have may be of another version of it.
            let window = windows.get(register.as_str()).copied().flatten();
            amounts.retain(|(time, _)| is_in(*time, Some(last), window));
            !amounts.is_empty()
        });
        let all: Vec<SessionAmounts> = self
            .amounts
            .iter()
            .map(|((session, register), amounts)| SessionAmounts {
                session: session.clone(),
                register: register.clone(),
                amounts: written(amounts),
            })
            .collect();
        let data = serde_json::to_string(&all).map_err(|error| error.to_string())?;
        self.seen = self.journal.append(CHECKPOINT, &data)?;
        self.since = 0;
        Ok(())
    }
    /// Releases the lock.
    pub(crate) fn unlock(&mut self) {
        self.journal.unlock();
    }
}

/// Whether an amount of this time counts now. Without the present time all amounts count.
fn is_in(time: i64, now: Option<i64>, window: Option<i64>) -> bool {
    window.zip(now).is_none_or(|(window, now)| now.saturating_sub(time) < window)
}

/// The totals of other sessions at a time, as decimal numbers, by the names of the registers.
pub(crate) fn totals_at(
    policy: &Policy,
    others: &BTreeMap<String, Amounts>,
    now: Option<i64>,
) -> BTreeMap<String, String> {
    let total = |(id, name): (_, &str)| {
        let register = &policy.registers[id];
        let amounts = others.get(name)?.iter().filter(|(time, _)| is_in(*time, now, register.window));
        let sum = amounts.map(|(_, amount)| amount).try_fold(Decimal::default(), |sum, own| sum.plus(own));
        // A sum that cannot be computed is above every limit.
        let sum = sum.or_else(|| register.limit.plus(&Decimal::one()))?;
        Some((name.to_owned(), sum.to_string()))
    };
    policy.registers_over_sessions().filter_map(total).collect()
}
