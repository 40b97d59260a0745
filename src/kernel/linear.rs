//! Checks proofs that a system of linear constraints has no solution, by multiplying them out. The proofs are found
//! elsewhere, and nothing is searched for here.
//!
//! Soundness: a combination of inequalities with factors that are not negative follows from them; normalization drops
//! no integer solution (see [`Inequality::normalized`]); two cases that cover all values are refuted one by one.

use tsl_synth_core::base::Rational;
use tsl_synth_core::logic::{Inequality, LinearProof, LinearSplit, LinearSystem, Sum};

/// Finds proofs; what it finds is checked.
pub type Prover<'a> = dyn FnMut(&LinearSystem) -> Option<LinearProof> + 'a;

/// The deepest nesting of cases in a proof.
const DEPTH: usize = 64;

/// Whether the prover has a proof that the system has no solution, and it is right.
pub(super) fn is_refuted(system: &LinearSystem, prover: &mut Prover<'_>) -> bool {
    prover(system).is_some_and(|proof| refutes(system, &proof))
}

/// Whether a proof shows that a system has no solution.
pub fn refutes(system: &LinearSystem, proof: &LinearProof) -> bool {
    let normalized = |inequality: &Inequality| inequality.normalized(|variable| system.is_integer(variable));
    let Some(given) = system.inequalities.iter().map(normalized).collect::<Option<Vec<Inequality>>>() else {
        return false;
    };
    let mut todo = vec![(given, proof, 0)];
    while let Some((given, proof, depth)) = todo.pop() {
        match proof {
            LinearProof::Combine(steps) => {
                if !is_contradiction(system, given, steps) {
                    return false;
                }
            }
            LinearProof::Cases(split, both) => {
                let Some(cases) = cases(system, split) else { return false };
                if depth == DEPTH {
                    return false;
                }
                for (case, part) in cases.into_iter().zip(&**both) {
                    let Some(case) = normalized(&case) else { return false };
                    let mut more = given.clone();
                    more.push(case);
                    todo.push((more, part, depth + 1));
                }
            }
        }
    }
    true
}

/// The inequalities of the two cases; `None` if there is no such sum.
fn cases(system: &LinearSystem, split: &LinearSplit) -> Option<[Inequality; 2]> {
    Some(match split {
        LinearSplit::Sign(sum) => {
            [Inequality::at_most_zero(sum.clone()), Inequality::below_zero(sum.negated())]
        }
        LinearSplit::Different(index) => {
            let sum = system.different.get(*index)?;
            [Inequality::below_zero(sum.clone()), Inequality::below_zero(sum.negated())]
        }
    })
}

/// Whether the last of these combinations is a false inequality.
fn is_contradiction(
    system: &LinearSystem,
    mut known: Vec<Inequality>,
    steps: &[Vec<(usize, Rational)>],
) -> bool {
    for step in steps {
        let Some(result) = combination(&known, step) else { return false };
        let Some(result) = result.normalized(|variable| system.is_integer(variable)) else { return false };
        known.push(result);
    }
    !steps.is_empty() && known.last().and_then(Inequality::known) == Some(false)
}

fn combination(known: &[Inequality], factors: &[(usize, Rational)]) -> Option<Inequality> {
    let (mut sum, mut strict) = (Sum::constant(Rational::ZERO), false);
    for &(index, factor) in factors {
        let part = known.get(index).filter(|_| factor.is_positive())?;
        sum = sum.plus(factor, &part.sum)?;
        strict |= part.strict;
    }
    Some(Inequality { sum, strict })
}
