//! Terms over declared numbers that have a value but are not computed, such as some remainders. A strategy of the
//! environment chooses what comparisons with them say, which numbers may not allow: it shows nothing about clauses that
//! depend on such terms.

use super::facts::uninterpreted_arithmetic;
use super::problem::Problem;
use super::signature::{AtomMeaning, SymbolId, Term, TermId};
use rustc_hash::FxHashSet;
use tsl_synth_core::logic::AtomId;
use tsl_synth_core::model::Role;

/// How a problem depends on terms that are not computed.
#[derive(Clone, Debug)]
pub enum OpenTerms {
    /// Not at all.
    Unused,
    /// Some guarantees depend on them. If this problem without these is unrealizable, so is the whole one.
    Guaranteed(Box<Problem>),
    /// An assumption depends on them, so that no answer for the environment is known to be right.
    Assumed,
}

/// How a problem depends on terms that are not computed. Linear in the sizes of its atoms and clauses.
pub fn open_terms(problem: &Problem) -> OpenTerms {
    let affected = affected(problem);
    if affected.is_empty() {
        return OpenTerms::Unused;
    }
    let mut without = problem.clone();
    without.signature.open.clear();
    without.signature.uninterpreted_arithmetic =
        uninterpreted_arithmetic(&problem.signature, &|atom| affected.contains(&atom));
    let mut is_used = false;
    for (id, clause) in problem.clauses.enumerate() {
        if !problem.formulas.support(&[clause.formula]).iter().any(|atom| affected.contains(&atom)) {
            continue;
        }
        match clause.role {
            Role::Fact => {}
            Role::Assumption => return OpenTerms::Assumed,
            // Without them the system can do more.
            Role::Guarantee | Role::Restriction => {
                is_used = true;
                without.clauses[id].formula = without.formulas.top();
            }
        }
    }
    if is_used { OpenTerms::Guaranteed(Box::new(without)) } else { OpenTerms::Unused }
}

/// The atoms of the environment whose values depend on terms that are not computed: comparisons with them, and with cells
/// that store them.
fn affected(problem: &Problem) -> FxHashSet<AtomId> {
    let signature = &problem.signature;
    let mut cells: FxHashSet<SymbolId> = FxHashSet::default();
    if signature.open.is_empty() {
        return FxHashSet::default();
    }
    let depends = |term: TermId, cells: &FxHashSet<SymbolId>| {
        let (mut todo, mut seen) = (vec![term], FxHashSet::from_iter([term]));
        while let Some(term) = todo.pop() {
            if signature.open.contains(&term) {
                return true;
            }
            match signature.terms.get(term) {
                Term::Signal(symbol) if cells.contains(symbol) => return true,
                Term::Signal(_) | Term::Literal(_) => {}
                Term::Operation(_, a, b) => todo.extend([*a, *b].into_iter().filter(|&t| seen.insert(t))),
                Term::Apply(_, all) => todo.extend(all.iter().copied().filter(|&t| seen.insert(t))),
            }
        }
        false
    };
    loop {
        let before = cells.len();
        for meaning in &signature.atoms {
            let AtomMeaning::Update(cell, term) = *meaning else { continue };
            if !cells.contains(&cell) && depends(term, &cells) {
                cells.insert(cell);
            }
        }
        if cells.len() == before {
            break;
        }
    }
    let is_affected = |meaning: &AtomMeaning| match *meaning {
        AtomMeaning::Predicate(term) => depends(term, &cells),
        AtomMeaning::Update(..) | AtomMeaning::Proposition => false,
    };
    signature.atoms.enumerate().filter(|(_, meaning)| is_affected(meaning)).map(|(atom, _)| atom).collect()
}
