//! Whether an explanation of UNREALIZABLE may depend on arithmetic that is not computed: then there may be a controller if
//! the operators have their usual meaning on numbers.

use super::cores::Core;
use rustc_hash::FxHashSet;
use tsl_synth_core::model::Role;
use tsl_synth_lang::spec::{AtomMeaning, Problem, SymbolId};

/// Whether the guarantees of a core, or the assumptions, mention values that arithmetic computes: then the environment may
/// win only because it chooses these values. If they mention none, the verdict is the same for every meaning of the
/// operators.
pub fn may_hang_on_arithmetic(problem: &Problem, core: &Core) -> bool {
    let signature = &problem.signature;
    if !signature.uninterpreted_arithmetic {
        return false;
    }
    let given = problem.clauses.iter().filter(|c| matches!(c.role, Role::Assumption | Role::Restriction));
    let asked = core.guarantees.iter().map(|&id| problem.clauses[id].formula);
    let roots: Vec<_> = given.map(|clause| clause.formula).chain(asked).collect();
    let computed = computed(problem);
    problem.formulas.support(&roots).iter().any(|atom| match signature.atoms.get(atom) {
        Some(&AtomMeaning::Predicate(term)) => {
            let signals = signature.signals_of(term);
            let is_followed = signals.iter().all(|symbol| signature.encoded.contains(symbol));
            !is_followed
                && (signature.has_operation(term) || signals.iter().any(|symbol| computed.contains(symbol)))
        }
        _ => false,
    })
}

/// The cells whose values arithmetic may have computed, here or in a cell that they were copied from.
fn computed(problem: &Problem) -> FxHashSet<SymbolId> {
    let signature = &problem.signature;
    let mut found = FxHashSet::default();
    loop {
        let before = found.len();
        for meaning in &signature.atoms {
            let &AtomMeaning::Update(cell, term) = meaning else { continue };
            let reads = || signature.signals_of(term).iter().any(|symbol| found.contains(symbol));
            if !signature.encoded.contains(&cell) && (signature.has_operation(term) || reads()) {
                found.insert(cell);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}
