//! What registers over all sessions have counted: a journal of its own for each policy, in which each session keeps its
//! amounts.
//!
//! The journal is locked from before a decision until after its record, always after the journal of the session. The
//! amounts of a session are written before its own record: a process that ends in between leaves more than was granted,
//! never less, and the next event of the session corrects it.

use crate::journal::GateJournal;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use tsl_synth_core::base::{Decimal, Id};
use tsl_synth_policy::gate::GateSession;
use tsl_synth_policy::language::{LawRegister, Policy};
use tsl_synth_policy::{Key, RegisterState, WantedTotal, key_values, total_name};
use tsl_synth_seats::journal::{CHECKPOINT, JournalRecord};

/// The kind of records with the amounts of a session.
const AMOUNTS: &str = "amounts";
/// The number of records after which all amounts are written as a checkpoint.
const RECORDS: usize = 64;

/// Amounts with their times in milliseconds, as they are written.
type Written = Vec<(i64, String)>;

/// Amounts with their times in milliseconds.
pub(crate) type Amounts = Vec<(i64, Decimal)>;

/// The amounts of a session in a register, of one combination of values if the register has a number for each.
#[derive(Deserialize, Serialize)]
struct SessionAmounts {
    session: String,
    register: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    values: Vec<String>,
    amounts: Written,
}

/// The amounts of a session in a register, by the values that the register has numbers for; those of values that the
/// session has not seen, and of a register with one number, are under no values.
type OfSession = BTreeMap<Vec<String>, Amounts>;

/// By register and session.
type AllAmounts = BTreeMap<String, BTreeMap<String, OfSession>>;

/// What other sessions than one have counted.
#[derive(Default)]
pub(crate) struct OtherTotals {
    all: Arc<AllAmounts>,
    session: String,
}

/// The journal of a policy's registers over all sessions, and what it has.
pub(crate) struct SharedTotals {
    journal: Box<dyn GateJournal + Send>,
    policy: String,
    seen: u64,
    /// The number of records since the last checkpoint.
    since: usize,
    amounts: Arc<AllAmounts>,
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
        Self { journal, policy: policy.to_owned(), seen: 0, since: 0, amounts: Arc::default() }
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
                (self.since, self.amounts) = (0, Arc::default());
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
            self.set(own.register, own.session, own.values, amounts);
        }
        self.seen = self.seen.max(record.number);
        Some(())
    }
    fn set(&mut self, register: String, session: String, values: Vec<String>, amounts: Amounts) {
        let of_register = Arc::make_mut(&mut self.amounts).entry(register).or_default();
        of_register.entry(session).or_default().insert(values, amounts);
    }
    /// What other sessions have counted. The result is to be dropped before amounts are written, which would copy all.
    pub(crate) fn others(&self, session: &str) -> OtherTotals {
        OtherTotals { all: self.amounts.clone(), session: session.to_owned() }
    }
    /// Moves the amounts of a removed session to a key of their own, so that a new session of the same name does not
    /// overwrite them.
    ///
    /// # Errors
    /// Why they cannot be written.
    pub(crate) fn keep_removed(&mut self, session: &str) -> Result<(), String> {
        let mut own: Vec<(String, Vec<String>, Amounts)> = Vec::new();
        for (register, sessions) in &*self.amounts {
            let amounts = sessions.get(session).into_iter().flatten().filter(|(_, list)| !list.is_empty());
            own.extend(amounts.map(|(values, list)| (register.clone(), values.clone(), list.clone())));
        }
        for (register, values, amounts) in own {
            let removed = format!("{session} removed {}", self.seen);
            self.write(&removed, &register, values.clone(), amounts)?;
            self.write(session, &register, values, Amounts::new())?;
        }
        Ok(())
    }
    /// Writes the amounts of a session in a register.
    fn write(
        &mut self,
        session: &str,
        register: &str,
        values: Vec<String>,
        amounts: Amounts,
    ) -> Result<(), String> {
        let own = SessionAmounts {
            session: session.to_owned(),
            register: register.to_owned(),
            values,
            amounts: written(&amounts),
        };
        let data = serde_json::to_string(&own).map_err(|error| error.to_string())?;
        self.seen = self.journal.append(AMOUNTS, &data)?;
        self.since += 1;
        self.set(own.register, own.session, own.values, amounts);
        Ok(())
    }
    /// Writes what a session has counted, where that changed: of the states that it may be in, the one with the most.
    ///
    /// # Errors
    /// Why it cannot be written.
    pub(crate) fn put(&mut self, policy: &Policy, session: &str, live: &GateSession) -> Result<(), String> {
        for (id, name) in policy.registers_over_sessions() {
            let register = &policy.registers[id];
            let states: Vec<&RegisterState> =
                live.state().worlds().iter().map(|world| &*world.registers[id.index()]).collect();
            let mut keys: Vec<Option<&Key>> = vec![None];
            keys.extend(states.iter().flat_map(|state| state.each.iter().map(|(key, _)| Some(key))));
            keys.sort_unstable();
            keys.dedup();
            for key in keys {
                let amounts = amounts_of(register, &states, key);
                let values: Vec<String> = key.map_or_else(Vec::new, key_values);
                let known = self.amounts.get(name).and_then(|sessions| sessions.get(session)?.get(&values));
                if known.map_or(&[][..], Vec::as_slice) == amounts {
                    continue;
                }
                self.write(session, name, values, amounts)?;
            }
        }
        if self.since >= RECORDS && self.journal.is_shared() { self.checkpoint(policy) } else { Ok(()) }
    }
    /// Writes all amounts but those that have left their windows, as seen from the last one.
    fn checkpoint(&mut self, policy: &Policy) -> Result<(), String> {
        let windows: BTreeMap<&str, Option<i64>> =
            policy.registers_over_sessions().map(|(id, name)| (name, policy.registers[id].window)).collect();
        let amounts = Arc::make_mut(&mut self.amounts);
        let lists = amounts.values().flat_map(BTreeMap::values).flat_map(BTreeMap::values);
        let last = lists.flatten().map(|(time, _)| *time).max().unwrap_or(0);
        let mut all: Vec<SessionAmounts> = Vec::new();
        for (register, sessions) in amounts.iter_mut() {
            // Registers that this policy does not have may be of another version of it.
            let window = windows.get(register.as_str()).copied().flatten();
            for (session, lists) in sessions.iter_mut() {
                lists.retain(|_, amounts| {
                    amounts.retain(|(time, _)| is_in(*time, Some(last), window));
                    !amounts.is_empty()
                });
                all.extend(lists.iter().map(|(values, amounts)| SessionAmounts {
                    session: session.clone(),
                    register: register.clone(),
                    values: values.clone(),
                    amounts: written(amounts),
                }));
            }
            sessions.retain(|_, lists| !lists.is_empty());
        }
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

/// What a session has counted in a register: of the states that it may be in, in the one with the most.
fn amounts_of(register: &LawRegister, states: &[&RegisterState], key: Option<&Key>) -> Amounts {
    let numbers = states.iter().map(|state| key.and_then(|key| state.each.get(key)).unwrap_or(state));
    match numbers.max_by(|a, b| a.value.cmp(&b.value)) {
        Some(most) if register.window.is_some() => most.recent.iter().cloned().collect(),
        Some(most) if most.value != Decimal::default() => vec![(0, most.value.clone())],
        _ => Amounts::new(),
    }
}

impl OtherTotals {
    /// The totals that a decision at a time needs, as decimal numbers, by the names of the registers; those of values by
    /// [`total_name`].
    pub(crate) fn at(
        &self,
        policy: &Policy,
        wanted: &[WantedTotal],
        now: Option<i64>,
    ) -> BTreeMap<String, String> {
        let total = |own: &WantedTotal| {
            let register = &policy.registers[own.register];
            let name = register.over_sessions.as_deref()?;
            let sum = |amounts: &Amounts| {
                let amounts = amounts.iter().filter(|(time, _)| is_in(*time, now, register.window));
                amounts.map(|(_, amount)| amount).try_fold(Decimal::default(), |sum, own| sum.plus(own))
            };
            let values = own.key.as_ref().map(key_values);
            let of_session = |lists: &OfSession| match &values {
                Some(values) => lists
                    .get(values)
                    .or_else(|| lists.get(&[][..]))
                    .map_or_else(|| Some(Decimal::default()), sum),
                // Of whatever values the letter is, there are no more.
                None => {
                    lists.values().map(sum).try_fold(Decimal::default(), |most, own| Some(most.max(own?)))
                }
            };
            let sessions = self.all.get(name).into_iter().flatten().filter(|(own, _)| **own != self.session);
            let sum = sessions
                .map(|(_, lists)| of_session(lists))
                .try_fold(Decimal::default(), |sum, own| sum.plus(&own?))
                // A sum that cannot be computed is above every limit.
                .or_else(|| register.limit.plus(&Decimal::one()))?;
            Some((total_name(name, own.key.as_ref()), sum.to_string()))
        };
        wanted.iter().filter_map(total).collect()
    }
}
