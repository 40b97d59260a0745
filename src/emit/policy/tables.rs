//! A policy as tables that all targets share: numbered atoms, tests of letters, and transitions.

use crate::input::EmitError;
use rustc_hash::FxHashMap;
use std::fmt::Write;
use tsl_synth_core::base::{Decimal, sha256};
use tsl_synth_core::logic::{BitId, Guard, Guards};
use tsl_synth_documents::{PolicyTestView, PolicyTestsView};
use tsl_synth_policy::language::{Amount, Law, LawAtom, LawId, LawKind, OUTCOMES, OnViolation};
use tsl_synth_policy::{CompiledPolicy, DecisionResult};

/// The most entries in the tables of all laws together.
const MOST_ENTRIES: usize = 1 << 20;
/// The number of decimal places of amounts, unless a limit has more.
const SCALE: u32 = 6;

/// An atom of letters.
pub(super) struct TableAtom {
    pub(super) bit: BitId,
    pub(super) name: String,
    pub(super) computed: bool,
}

pub(super) struct TableRegister {
    pub(super) name: String,
    pub(super) atom: usize,
    pub(super) is_sum: bool,
    /// In units of `10^-scale` for sums.
    pub(super) limit: String,
    pub(super) window: Option<i64>,
    pub(super) on: PolicyTestsView,
    pub(super) reset_on: PolicyTestsView,
}

/// The tables of a policy.
pub(super) struct PolicyTables<'p> {
    pub(super) compiled: &'p CompiledPolicy,
    pub(super) atoms: Vec<TableAtom>,
    /// All names of `for_each`, sorted.
    pub(super) names: Vec<String>,
    pub(super) registers: Vec<TableRegister>,
    pub(super) scale: u32,
    numbers: FxHashMap<BitId, usize>,
}

impl<'p> PolicyTables<'p> {
    pub(super) fn new(compiled: &'p CompiledPolicy) -> Result<Self, EmitError> {
        let policy = &compiled.policy;
        let entries: usize = compiled
            .policy
            .laws
            .ids()
            .map(|law| {
                let decision = &compiled.decisions[law];
                decision.tests().len() + decision.classes() as usize * compiled.monitors[law].len()
            })
            .sum();
        if entries > MOST_ENTRIES {
            let message =
                format!("the tables of this policy have {entries} entries, more than {MOST_ENTRIES}");
            return Err(EmitError::Limit(message));
        }
        let mut atoms = Vec::new();
        let mut add = |atom: LawAtom, computed: bool| {
            let bit = policy.atoms.bit(atom);
            atoms.push(TableAtom { bit, name: policy.atoms.bit_name(bit), computed });
        };
        for (id, proposition) in policy.atoms.propositions.enumerate() {
            add(LawAtom::Proposition(id), proposition.is_computed);
            if proposition.is_state {
                add(LawAtom::Clear(id), false);
            }
        }
        add(LawAtom::Opaque, false);
        for id in policy.atoms.actions.ids() {
            add(LawAtom::Call(id), false);
            for outcome in OUTCOMES {
                add(LawAtom::Result(id, outcome), false);
            }
        }
        if policy.asks_outside_of_events() {
            let what = "a table asks what was said before or for the answer of a probe, which emitted monitors do not; \
                        the gate and `monitor` do";
            return Err(EmitError::Unsupported(what.into()));
        }
        if let Some(register) = policy.registers.iter().find(|one| matches!(one.amount, Amount::Distinct(_)))
        {
            let what = format!(
                "the register `{}` counts distinct values, which emitted monitors do not; the gate and `monitor` do",
                policy.atoms.propositions[register.proposition].name
            );
            return Err(EmitError::Unsupported(what));
        }
        if let Some(register) = policy.registers.iter().find(|one| one.returned_on != Guard::FALSE) {
            let what = format!(
                "the register `{}` takes amounts back, which emitted monitors do not; the gate and `monitor` do",
                policy.atoms.propositions[register.proposition].name
            );
            return Err(EmitError::Unsupported(what));
        }
        if let Some(register) = policy.registers.iter().find(|one| !one.for_each.is_empty()) {
            let what = format!(
                "the register `{}` has a number for each value, which emitted monitors do not; the gate and `monitor` do",
                policy.atoms.propositions[register.proposition].name
            );
            return Err(EmitError::Unsupported(what));
        }
        if let Some((_, name)) = policy.registers_over_sessions().next() {
            let what = format!(
                "`{name}` is counted over all sessions, which emitted monitors do not see; the gate does"
            );
            return Err(EmitError::Unsupported(what));
        }
        let numbers: FxHashMap<BitId, usize> =
            atoms.iter().enumerate().map(|(number, atom)| (atom.bit, number)).collect();
        let mut names: Vec<String> = policy.laws.iter().flat_map(|law| law.for_each.clone()).collect();
        names.sort();
        names.dedup();
        let limits = policy.registers.iter().filter(|one| one.amount != Amount::One).map(|one| &one.limit);
        let scale = limits.map(|limit| parts(limit).1).max().unwrap_or(0).max(SCALE);
        let mut tables = Self { compiled, atoms, names, registers: Vec::new(), scale, numbers };
        for register in &policy.registers {
            let is_sum = register.amount != Amount::One;
            let own = TableRegister {
                name: policy.atoms.propositions[register.proposition].name.clone(),
                atom: tables.number(policy.atoms.bit(LawAtom::Proposition(register.proposition))),
                is_sum,
                limit: units(&register.limit, if is_sum { scale } else { 0 }),
                window: register.window,
                on: tables.guard(&policy.guards, register.on),
                reset_on: tables.guard(&policy.guards, register.reset_on),
            };
            tables.registers.push(own);
        }
        Ok(tables)
    }
    /// The number of the atom of a bit. All bits of guards have one, since a state proposition has an atom for each of
    /// its two bits.
    pub(super) fn number(&self, bit: BitId) -> usize {
        self.numbers.get(&bit).copied().unwrap_or(0)
    }
    fn target(decided: DecisionResult) -> i64 {
        match decided {
            DecisionResult::Test(number) => i64::from(number),
            DecisionResult::Class(class) => -1 - i64::from(class),
        }
    }
    /// The tests by which a law classifies letters.
    pub(super) fn tests(&self, law: LawId) -> PolicyTestsView {
        let decision = &self.compiled.decisions[law];
        let test = |test: &tsl_synth_policy::DecisionTest| PolicyTestView {
            atom: self.number(test.bit),
            low: Self::target(test.low),
            high: Self::target(test.high),
        };
        PolicyTestsView {
            tests: decision.tests().iter().map(test).collect(),
            root: Self::target(decision.root()),
        }
    }
    /// The tests of a guard: class 1 contains its letters.
    fn guard(&self, guards: &Guards, guard: Guard) -> PolicyTestsView {
        // In postorder: children before their parents.
        let mut order: Vec<Guard> = Vec::new();
        let mut stack = vec![(guard, false)];
        while let Some((own, done)) = stack.pop() {
            let Some((_, low, high)) = guards.branch(own) else { continue };
            if order.contains(&own) {
                continue;
            }
            if done {
                order.push(own);
            } else {
                stack.extend([(own, true), (high, false), (low, false)]);
            }
        }
        let target = |own: Guard| match order.iter().position(|&other| other == own) {
            Some(place) => i64::try_from(place).unwrap_or(i64::MAX),
            None => {
                if own == Guard::TRUE {
                    -2
                } else {
                    -1
                }
            }
        };
        let tests = order.iter().filter_map(|&own| guards.branch(own)).map(|(bit, low, high)| {
            PolicyTestView { atom: self.number(bit), low: target(low), high: target(high) }
        });
        PolicyTestsView { tests: tests.collect(), root: target(guard) }
    }
    /// The transition table of the monitor of a law: for each state the successor for each class.
    pub(super) fn rows(&self, law: LawId) -> Vec<Vec<u32>> {
        self.compiled.decisions[law].rows().map(<[u32]>::to_vec).collect()
    }
    /// The verdict of a law in each state as a number, 0 for the worst.
    pub(super) fn verdicts(&self, law: LawId) -> Vec<u8> {
        let monitor = &self.compiled.monitors[law];
        (0..monitor.len() as u32).map(|state| monitor.standing(state) as u8).collect()
    }
    /// The indices of the `for_each` names of a law.
    pub(super) fn for_each(&self, law: &Law) -> Vec<usize> {
        law.for_each.iter().filter_map(|name| self.names.iter().position(|own| own == name)).collect()
    }
    /// The hash of all tables, by which snapshots name their machine.
    pub(super) fn machine_id(&self) -> String {
        let mut text = String::new();
        let policy = &self.compiled.policy;
        let _ = writeln!(text, "{} {} {:?}", policy.max_values, self.scale, self.names);
        for atom in &self.atoms {
            let _ = writeln!(text, "{:?} {}", atom.name, atom.computed);
        }
        for (id, law) in policy.laws.enumerate() {
            let tests = self.tests(id);
            let _ = writeln!(text, "{:?} {:?} {:?} {tests:?}", law.id, law.kind, law.for_each);
            let _ = writeln!(text, "{:?} {:?}", self.rows(id), self.verdicts(id));
        }
        for one in &self.registers {
            let _ =
                writeln!(text, "{:?} {} {} {} {:?}", one.name, one.atom, one.is_sum, one.limit, one.window);
            let _ = writeln!(text, "{:?} {:?}", one.on, one.reset_on);
        }
        sha256(text.as_bytes())
    }
    /// Lines for a comment that list the laws and the registers.
    pub(super) fn doc(&self) -> Vec<String> {
        let mut lines = vec![String::new(), "Laws:".into()];
        for law in &self.compiled.policy.laws {
            let each = match law.for_each.as_slice() {
                [] => String::new(),
                names => format!(", for each {}", names.join(", ")),
            };
            let why = if law.why.is_empty() { String::new() } else { format!(": {}", law.why) };
            lines.push(format!("  {} ({}{each}){why}", law.id, kind_name(law.kind)));
            lines.push(format!("    {}", law.ltl));
        }
        if !self.registers.is_empty() {
            lines.extend([String::new(), "Registers, counted before the laws are judged:".into()]);
        }
        for register in &self.registers {
            let what = if register.is_sum {
                format!("a sum above {} units of 1e-{}", register.limit, self.scale)
            } else {
                format!("a count above {}", register.limit)
            };
            let window = register.window.map_or(String::new(), |ms| format!(" within {ms} ms"));
            lines.push(format!("  {}: {what}{window}", register.name));
        }
        lines
    }
}

/// The name of a kind of laws.
pub(super) fn kind_name(kind: LawKind) -> &'static str {
    match kind {
        LawKind::Assume => "assume",
        LawKind::Hard => "hard",
        LawKind::Soft => "soft",
    }
}

/// The name of a reaction to a violation.
pub(super) fn on_violation_name(what: OnViolation) -> &'static str {
    match what {
        OnViolation::Deny => "deny",
        OnViolation::Ask => "ask",
        OnViolation::Warn => "warn",
        OnViolation::Log => "log",
    }
}

/// The digits of a nonnegative number, the number of its decimal places, and the number of zeros to append.
fn parts(number: &Decimal) -> (String, u32, usize) {
    let text = number.to_string();
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent: i64 = exponent.parse().unwrap_or(0);
    let behind = i64::try_from(fraction.len()).unwrap_or(i64::MAX).saturating_sub(exponent);
    let zeros = usize::try_from(-behind).unwrap_or(0);
    (format!("{whole}{fraction}"), u32::try_from(behind).unwrap_or(0), zeros)
}

/// A nonnegative number in units of `10^-scale`, rounded down.
fn units(number: &Decimal, scale: u32) -> String {
    let (mut digits, behind, zeros) = parts(number);
    digits.push_str(&"0".repeat(zeros));
    if scale >= behind {
        digits.push_str(&"0".repeat((scale - behind) as usize));
    } else {
        let keep = digits.len().saturating_sub((behind - scale) as usize);
        digits.truncate(keep);
    }
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() { "0".into() } else { digits.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_exact_in_units() {
        for (number, scale, expected) in [
            ("500", 6, "500000000"),
            ("0.5", 0, "0"),
            ("2.75", 0, "2"),
            ("2.75", 2, "275"),
            ("0", 6, "0"),
            ("1e25", 1, "100000000000000000000000000"),
            ("0.0000001", 7, "1"),
            ("1.5e-9", 10, "15"),
        ] {
            let number = Decimal::parse(number).expect("a number");
            assert_eq!(units(&number, scale), expected, "{number} {scale}");
        }
    }
}
