//! What the values of cells with numbers depend on: the updates of these cells, and the inputs that the updates read.

use rustc_hash::FxHashSet;
use tsl_synth_core::base::{Id, IdSet, Rational};
use tsl_synth_core::logic::AtomId;
use tsl_synth_lang::spec::{
    AtomMeaning, LiteralValue, Problem, SymbolId, SymbolKind, TermId, compared_numbers, comparison_of,
};

/// The updates of the cells whose numbers some atoms compare, and of the cells whose numbers these updates read.
pub fn updates_of_numbers(problem: &Problem, atoms: &IdSet<AtomId>) -> Vec<AtomId> {
    let compared = compared_numbers(&problem.signature);
    let roots = atoms.iter().filter(|atom| compared.contains(atom));
    let read = read_by(problem, &roots.collect::<Vec<AtomId>>());
    let is_update = |meaning: &AtomMeaning| match meaning {
        AtomMeaning::Update(cell, _) => read.contains(cell),
        AtomMeaning::Predicate(_) | AtomMeaning::Proposition => false,
    };
    let updates = problem.signature.atoms.enumerate().filter(|(_, meaning)| is_update(meaning));
    updates.map(|(atom, _)| atom).filter(|&atom| !problem.is_hidden(atom)).collect()
}

/// The names of the inputs that decide comparisons of cells with numbers, if one of the atoms is such a comparison and reads
/// no input itself.
pub(super) fn deciding_inputs(problem: &Problem, atoms: &[AtomId]) -> Vec<String> {
    let signature = &problem.signature;
    let compared = compared_numbers(signature);
    let is_input = |symbol: &SymbolId| signature.symbols[*symbol].kind == SymbolKind::Input;
    let is_of_cells = |atom: &&AtomId| match signature.atoms.get(**atom) {
        Some(AtomMeaning::Predicate(term)) => !signature.signals_of(*term).iter().any(is_input),
        _ => false,
    };
    let of_cells = atoms.iter().filter(|atom| compared.contains(atom)).filter(is_of_cells);
    let mut inputs: Vec<SymbolId> =
        read_by(problem, &of_cells.copied().collect::<Vec<AtomId>>()).into_iter().filter(is_input).collect();
    inputs.sort_unstable();
    inputs.into_iter().map(|symbol| signature.symbols[symbol].name.clone()).collect()
}

/// The signals on which predicates depend: those that they read and, transitively, those that updates of such cells read.
fn read_by(problem: &Problem, atoms: &[AtomId]) -> FxHashSet<SymbolId> {
    let signature = &problem.signature;
    let mut read: FxHashSet<SymbolId> = FxHashSet::default();
    let mut todo: Vec<SymbolId> = Vec::new();
    let add = |term: TermId, read: &mut FxHashSet<SymbolId>, todo: &mut Vec<SymbolId>| {
        todo.extend(signature.signals_of(term).into_iter().filter(|&symbol| read.insert(symbol)));
    };
    for &atom in atoms {
        if let Some(&AtomMeaning::Predicate(term)) = signature.atoms.get(atom) {
            add(term, &mut read, &mut todo);
        }
    }
    while let Some(cell) = todo.pop() {
        for meaning in &signature.atoms {
            if let AtomMeaning::Update(own, term) = *meaning
                && own == cell
            {
                add(term, &mut read, &mut todo);
            }
        }
    }
    read
}

/// Whether a comparison has one truth value only for all numbers within the declared bounds.
pub(crate) fn is_decided_by_bounds(problem: &Problem, atom: AtomId) -> bool {
    let signature = &problem.signature;
    let Some(&AtomMeaning::Predicate(term)) = signature.atoms.get(atom) else { return false };
    let Some(comparison) = comparison_of(signature, term) else { return false };
    let bound = |variable: u32, end: usize| match &signature.symbols[SymbolId::from_index(variable as usize)]
        .bounds[end]
    {
        Some(LiteralValue::Int(value)) => Rational::integer((*value).into()),
        _ => None,
    };
    // The least and the greatest value of the difference of the sides.
    let end = |which: usize| {
        comparison.sum.terms().try_fold(comparison.sum.offset(), |total, (variable, factor)| {
            let side = if factor.is_negative() { 1 - which } else { which };
            total.plus(factor.times(bound(variable, side)?)?)
        })
    };
    let (low, high) = (end(0), end(1));
    let is_above = |value: Option<Rational>| value.is_some_and(Rational::is_positive);
    let is_below = |value: Option<Rational>| value.is_some_and(Rational::is_negative);
    let is_at_most_zero = high.is_some_and(|high| !high.is_positive());
    if comparison.equal { is_above(low) || is_below(high) } else { is_above(low) || is_at_most_zero }
}
