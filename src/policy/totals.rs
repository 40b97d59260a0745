//! What other sessions have counted, where a register counts over all sessions: which totals a decision needs, and the
//! names under which an event has them.

use super::copies::{Key, key_of, key_values, known_values};
use super::interpret::Interpreter;
use super::observation::EventContent;
use super::program::BoundLetter;
use crate::CompiledPolicy;
use crate::language::{LawAtom, OUTCOMES, RegisterId};
use std::collections::BTreeMap;
use tsl_synth_core::base::Decimal;
use tsl_synth_core::model::{HostEvent, HostEventKind};

/// A total of other sessions that a decision needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedTotal {
    /// The register.
    pub register: RegisterId,
    /// The values, if the register has a number for each; `None` also for a letter that may be about any values.
    pub key: Option<Key>,
}

/// The name of a total: that of the register, and the values as a list in JSON if there are any.
pub fn total_name(register: &str, key: Option<&Key>) -> String {
    let values = |key: &Key| format!("{register} {}", serde_json::json!(key_values(key)));
    key.map_or_else(|| register.to_owned(), values)
}

/// The totals of a register that an event has.
pub(super) fn told_totals(register: &str, totals: &BTreeMap<String, String>) -> Vec<(Option<Key>, Decimal)> {
    let told = |(name, total): (&String, &String)| {
        let rest = name.strip_prefix(register)?;
        let key = if rest.is_empty() {
            None
        } else {
            Some(key_of(serde_json::from_str::<Vec<String>>(rest.strip_prefix(' ')?).ok()?))
        };
        Some((key, Decimal::parse(total)?))
    };
    totals
        .range(register.to_owned()..)
        .map_while(|own| own.0.starts_with(register).then_some(own))
        .filter_map(told)
        .collect()
}

impl Interpreter {
    /// The totals of other sessions that a decision about a call needs.
    pub fn wanted_totals(&self, compiled: &CompiledPolicy, event: &HostEvent<'_>) -> Vec<WantedTotal> {
        let policy = &compiled.policy;
        let all: Vec<RegisterId> = policy.registers_over_sessions().map(|(register, _)| register).collect();
        let is_one = |register: &RegisterId| policy.registers[*register].for_each.is_empty();
        let (one, each): (Vec<RegisterId>, Vec<RegisterId>) = all.into_iter().partition(is_one);
        let mut wanted: Vec<WantedTotal> =
            one.into_iter().map(|register| WantedTotal { register, key: None }).collect();
        if each.is_empty() || !matches!(event.kind, HostEventKind::Call { .. }) {
            return wanted;
        }
        let EventContent::Call { program, .. } = self.clone().read(compiled, event, &mut Vec::new()) else {
            return wanted;
        };
        let letters = program.arrows.iter().flatten().filter_map(|arrow| arrow.letter.as_ref());
        for letter in letters {
            for &register in each.iter().filter(|&&register| may_count(compiled, register, letter)) {
                let (values, _) = known_values(&policy.registers[register].for_each, letter);
                let key = values.iter().all(Option::is_some).then(|| values.into());
                let own = WantedTotal { register, key };
                if !wanted.contains(&own) {
                    wanted.push(own);
                }
            }
        }
        wanted
    }
}

/// Whether a register counts a letter, or may count an outcome of a call in it.
fn may_count(compiled: &CompiledPolicy, register: RegisterId, letter: &BoundLetter) -> bool {
    let policy = &compiled.policy;
    let on = policy.registers[register].on;
    let support = policy.guards.support(on);
    let ends = |bit| match policy.atoms.atom(bit) {
        LawAtom::Call(action) => {
            OUTCOMES.iter().any(|&one| support.contains(&policy.atoms.bit(LawAtom::Result(action, one))))
        }
        _ => false,
    };
    policy.guards.contains(on, &letter.letter) || letter.letter.iter().any(ends)
}
