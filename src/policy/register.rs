//! The values of registers in a session.

use super::program::{BoundLetter, HASHED, UNKNOWN_VALUE};
use super::recent::Recent;
use super::shared_map::SharedMap;
use crate::language::{Amount, LawRegister, RegisterId, UnknownAmount};
use serde_json::Value;
use tsl_synth_core::base::Decimal;

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
}

impl RegisterState {
    /// Whether something that was counted has left the window at this time.
    pub(super) fn has_old(&self, register: &LawRegister, time: Option<i64>) -> bool {
        let old = |(window, now): (i64, i64)| {
            self.recent.first().is_some_and(|(then, _)| now.saturating_sub(*then) >= window)
        };
        register.window.zip(time).is_some_and(old)
    }
    /// Takes away what has left the window at this time.
    pub(super) fn remove_old(&mut self, register: &LawRegister, time: Option<i64>) {
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
    pub(super) fn count(
        &mut self,
        id: RegisterId,
        register: &LawRegister,
        letter: &BoundLetter,
        time: Option<i64>,
    ) {
        let amount = self.amount(id, register, letter);
        self.value = self.value.plus(&amount).unwrap_or_else(|| above(register));
        if register.window.is_some() {
            self.recent.push((time.unwrap_or(0), amount));
        }
    }
    /// Takes an amount back that was counted; what has left the window was taken away with it.
    pub(super) fn take_back(&mut self, register: &LawRegister, amount: &Decimal) {
        if register.window.is_some() && !self.recent.remove_last(amount) {
            return;
        }
        let less = self.value.plus(&amount.negated());
        self.value = less.filter(|less| !less.is_negative()).unwrap_or_default();
    }
    /// Makes the value 0.
    pub(super) fn reset(&mut self) {
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
