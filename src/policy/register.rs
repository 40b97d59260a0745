//! The values of registers in a session.
//!
//! A register with `for_each` has a number for each combination of values seen; the number of the values that were not
//! seen is that of the register itself. A letter that binds all names counts for its values. One that does not, or whose
//! values are not known, may be about any value: it counts for all that agree with it, and takes back or resets nothing
//! that may be of another value.

use super::copies::{Key, known_values};
use super::program::{BoundLetter, HASHED, UNKNOWN_VALUE};
use super::recent::Recent;
use super::shared_map::SharedMap;
use crate::language::{Amount, LawRegister, RegisterId, UnknownAmount};
use serde_json::Value;
use std::sync::Arc;
use tsl_synth_core::base::Decimal;
use tsl_synth_core::logic::{Guard, Guards};

/// The value of a register.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RegisterState {
    /// The present value.
    pub value: Decimal,
    /// The amounts that were added, with their times, oldest first; only for registers with a window.
    pub recent: Recent,
    /// The values that were counted, for registers that count distinct ones; at most one more than the limit.
    pub values: SharedMap<String, ()>,
    /// What other sessions had counted when the last call was proposed.
    pub others: Decimal,
    /// For registers with `for_each`: the numbers of values seen.
    pub each: SharedMap<Key, RegisterState>,
}

/// A letter as registers read it.
#[derive(Clone, Copy, Debug)]
pub(super) struct CountedLetter<'l> {
    pub(super) letter: &'l BoundLetter,
    pub(super) time: Option<i64>,
    pub(super) guards: &'l Guards,
    /// Whether it may count, take back or reset.
    pub(super) is_due: bool,
}

impl CountedLetter<'_> {
    fn is_in(&self, guard: Guard) -> bool {
        self.is_due && self.guards.contains(guard, &self.letter.letter)
    }
}

/// What a letter does to a register.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Counted {
    /// Whether the proposition of the register holds in the letter.
    pub(super) is_over: bool,
    /// The amount that is taken back.
    pub(super) returned: Option<Decimal>,
}

impl RegisterState {
    /// Reads a letter: its own amount is counted before the number is compared with the limit.
    pub(super) fn read(
        this: &mut Arc<Self>,
        (id, register): (RegisterId, &LawRegister),
        read: CountedLetter<'_>,
    ) -> Counted {
        if register.for_each.is_empty() {
            return Self::read_one(this, (id, register), read, true);
        }
        let guards = [register.on, register.returned_on, register.reset_on];
        if !guards.iter().any(|&guard| read.is_in(guard)) {
            return Counted::default();
        }
        let (values, is_unknown) = known_values(&register.for_each, read.letter);
        if values.iter().all(Option::is_some) {
            let key: Key = values.into();
            let before = Arc::new(this.of(&key));
            let mut own = before.clone();
            let counted = Self::read_one(&mut own, (id, register), read, true);
            if own != before {
                Arc::make_mut(this).each.insert(key, Arc::unwrap_or_clone(own));
            }
            return counted;
        }
        let agrees = |key: &&Key| values.iter().zip(key.iter()).all(|(own, of)| own.is_none() || own == of);
        let is_for_all = !is_unknown && values.iter().all(Option::is_none);
        let mut unseen = Arc::new(this.unseen());
        let mut all = Self::read_one(&mut unseen, (id, register), read, is_for_all);
        let mut after = Self { each: this.each.clone(), ..Arc::unwrap_or_clone(unseen) };
        for key in this.each.iter().map(|(key, _)| key).filter(agrees) {
            let mut own = Arc::new(this.of(key));
            let counted = Self::read_one(&mut own, (id, register), read, !is_unknown);
            all.is_over |= counted.is_over;
            after.each.insert(key.clone(), Arc::unwrap_or_clone(own));
        }
        *this = Arc::new(after);
        all
    }
    /// The number of a combination of values.
    pub fn of(&self, key: &Key) -> Self {
        self.each.get(key).cloned().unwrap_or_else(|| self.unseen())
    }
    /// The number of values that were not seen.
    fn unseen(&self) -> Self {
        Self { each: SharedMap::default(), ..self.clone() }
    }
    /// Takes over what other sessions have counted, for a combination of values or for all of them.
    pub(super) fn set_others(this: &mut Arc<Self>, key: Option<&Key>, total: &Decimal) {
        match key {
            Some(key) if this.of(key).others != *total => {
                let own = Self { others: total.clone(), ..this.of(key) };
                Arc::make_mut(this).each.insert(key.clone(), own);
            }
            Some(_) => {}
            None => {
                let keys: Vec<Key> = this.each.iter().map(|(key, _)| key.clone()).collect();
                for key in keys {
                    Self::set_others(this, Some(&key), total);
                }
                if this.others != *total {
                    Arc::make_mut(this).others = total.clone();
                }
            }
        }
    }
    /// Reads a letter for one number. Amounts are taken back, and the number is reset, only if `returns`.
    fn read_one(
        this: &mut Arc<Self>,
        (id, register): (RegisterId, &LawRegister),
        read: CountedLetter<'_>,
        returns: bool,
    ) -> Counted {
        if this.has_old(register, read.time) {
            Arc::make_mut(this).remove_old(register, read.time);
        }
        let is_counted = read.is_in(register.on);
        if is_counted {
            Arc::make_mut(this).count(id, register, read.letter, read.time);
        }
        let mut returned = None;
        if returns && read.is_in(register.returned_on) {
            for (_, amount) in read.letter.amounts.iter().filter(|(own, _)| *own == id) {
                Arc::make_mut(this).take_back(register, amount);
                returned = Some(amount.clone());
            }
        }
        // What other sessions have counted is known, and matters, where this one counts.
        let is_over = this.is_over(register, is_counted);
        if returns && read.is_in(register.reset_on) {
            Arc::make_mut(this).reset();
        }
        Counted { is_over, returned }
    }
    /// Whether something that was counted has left the window at this time.
    fn has_old(&self, register: &LawRegister, time: Option<i64>) -> bool {
        let old = |(window, now): (i64, i64)| {
            self.recent.first().is_some_and(|(then, _)| now.saturating_sub(*then) >= window)
        };
        register.window.zip(time).is_some_and(old)
    }
    /// Takes away what has left the window at this time.
    fn remove_old(&mut self, register: &LawRegister, time: Option<i64>) {
        while self.has_old(register, time) {
            if let Some((_, old)) = self.recent.remove_first() {
                self.value = self.value.plus(&old.negated()).unwrap_or_default();
            }
        }
    }
    /// What a letter adds that the register counts in.
    fn amount(&mut self, id: RegisterId, register: &LawRegister, letter: &BoundLetter) -> Decimal {
        match &register.amount {
            Amount::One => Decimal::one(),
            Amount::Distinct(name) => {
                let values = letter.bindings.iter().filter(|(own, _)| *own == *name);
                let mut known = values.map(|(_, value)| value).filter(|value| *value != UNKNOWN_VALUE);
                match known.next() {
                    Some(value) => self.new_values(register, value),
                    None if register.unknown == UnknownAmount::Nothing => Decimal::default(),
                    None => Decimal::one(),
                }
            }
            Amount::Sum(_) => {
                // Outcomes of several calls may join in one letter.
                let mut own = letter.amounts.iter().filter(|(own, _)| *own == id);
                let sum = own.try_fold(Decimal::default(), |sum, (_, amount)| sum.plus(amount));
                sum.unwrap_or_else(|| above(register))
            }
        }
    }
    /// How many values are new in a value that a letter has; those of a list count each.
    fn new_values(&mut self, register: &LawRegister, value: &str) -> Decimal {
        // It may be a long list.
        if value.starts_with(HASHED) {
            return register.unreadable();
        }
        let parts =
            if value.starts_with('[') { serde_json::from_str::<Vec<Value>>(value).ok() } else { None };
        let parts: Vec<String> = match parts {
            Some(parts) => parts.into_iter().map(plain).collect(),
            None => vec![value.to_owned()],
        };
        let mut new = Decimal::default();
        for part in parts {
            if self.values.get(&part).is_some() {
                continue;
            }
            // Above the limit it does not matter which values there were.
            if self.value.plus(&new).is_some_and(|value| value <= register.limit) {
                self.values.insert(part, ());
            }
            new = new.plus(&Decimal::one()).unwrap_or_default();
        }
        new
    }
    /// Counts in a letter.
    fn count(&mut self, id: RegisterId, register: &LawRegister, letter: &BoundLetter, time: Option<i64>) {
        let amount = self.amount(id, register, letter);
        self.value = self.value.plus(&amount).unwrap_or_else(|| above(register));
        if register.window.is_some() {
            self.recent.push((time.unwrap_or(0), amount));
        }
    }
    /// Takes an amount back that was counted; what has left the window was taken away with it.
    fn take_back(&mut self, register: &LawRegister, amount: &Decimal) {
        if register.window.is_some() && !self.recent.remove_last(amount) {
            return;
        }
        let less = self.value.plus(&amount.negated());
        self.value = less.filter(|less| !less.is_negative()).unwrap_or_default();
    }
    /// Makes the value 0.
    fn reset(&mut self) {
        *self = Self { others: std::mem::take(&mut self.others), ..Self::default() };
    }
    /// Whether the value is above the limit; with `all`, together with what other sessions have counted.
    pub(super) fn is_over(&self, register: &LawRegister, all: bool) -> bool {
        if !all {
            return self.value > register.limit;
        }
        self.value.plus(&self.others).is_none_or(|total| total > register.limit)
    }
}

/// A value of a list as it is written when it is bound alone.
fn plain(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// A number above the limit.
fn above(register: &LawRegister) -> Decimal {
    register.limit.plus(&Decimal::one()).unwrap_or_default()
}
