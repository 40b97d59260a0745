//! Proofs that systems of inequalities have no solution.

use crate::elimination::{LinearAnswer, decide};
use crate::simplex::{Bound, Simplex, SimplexAnswer};
use std::collections::BTreeMap;
use tsl_synth_core::base::Rational;
use tsl_synth_core::logic::{Inequality, LinearProof, LinearSystem};

/// A proof that a system of inequalities has no solution, if one is found: factors from the simplex method, and cases or
/// integer cuts from elimination where rational numbers solve the system.
pub fn refute(system: &LinearSystem) -> Option<LinearProof> {
    let normal = |part: &Inequality| part.normalized(|v| system.is_integer(v));
    let rows: Vec<Inequality> = system.inequalities.iter().map(normal).collect::<Option<_>>()?;
    if let Some(at) = rows.iter().position(|row| row.known() == Some(false)) {
        return Some(LinearProof::Combine(vec![vec![(at, Rational::ONE)]]));
    }
    match factors(&rows) {
        Some(found) => Some(LinearProof::Combine(vec![found])),
        None => match decide(system) {
            LinearAnswer::Impossible(proof) => Some(proof),
            LinearAnswer::Possible(_) | LinearAnswer::Unknown => None,
        },
    }
}

/// The factors of inequalities whose sum is false.
fn factors(rows: &[Inequality]) -> Option<Vec<(usize, Rational)>> {
    let mut columns: BTreeMap<u32, usize> = BTreeMap::new();
    for (variable, _) in rows.iter().flat_map(|row| row.sum.terms()) {
        let next = columns.len();
        columns.entry(variable).or_insert(next);
    }
    let (mut table, mut bounds, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    for (number, row) in rows.iter().enumerate().filter(|(_, row)| row.known().is_none()) {
        let mut factors = vec![Rational::ZERO; columns.len()];
        row.sum.terms().for_each(|(variable, factor)| factors[columns[&variable]] = factor);
        bounds.push(Bound {
            form: columns.len() + table.len(),
            upper: true,
            value: row.sum.offset().negated(),
            strict: row.strict,
        });
        table.push(factors);
        numbers.push(number);
    }
    match Simplex::new(columns.len(), table).decide(&bounds) {
        SimplexAnswer::Impossible(found) => {
            let mut found: Vec<(usize, Rational)> =
                found.into_iter().map(|(bound, factor)| (numbers[bound], factor)).collect();
            found.sort_unstable_by_key(|&(number, _)| number);
            Some(found)
        }
        SimplexAnswer::Possible(_) | SimplexAnswer::Unknown => None,
    }
}
