//! Conditions on the value of one cell of a finite sort, as people write them: `credit < 5`, `mode != idle`.

use crate::logic::{AtomId, Class, FormulaId, Formulas, Node};
use crate::spec::{AtomMeaning, Literal, Operator, Problem, Sort, SymbolId, Term};
use rustc_hash::FxHashMap;

/// The cell and the value that an atom `cell = value` speaks about.
fn value_of(problem: &Problem, atom: AtomId) -> Option<(SymbolId, Literal)> {
    let terms = &problem.signature.terms;
    let Some(AtomMeaning::Predicate(term)) = problem.signature.atoms.get(atom) else { return None };
    let Term::Operation(Operator::Equal, a, b) = terms.get(*term) else { return None };
    match (terms.get(*a), terms.get(*b)) {
        (Term::Signal(symbol), Term::Literal(value)) => Some((*symbol, value.clone())),
        _ => None,
    }
}

/// The condition, if that is what the formula is, and the values that satisfy it can be said briefly.
pub(super) fn condition(problem: &Problem, formulas: &Formulas, f: FormulaId) -> Option<String> {
    if !formulas.class(f).is(Class::BOOLEAN) {
        return None;
    }
    let mut asked: FxHashMap<AtomId, Literal> = FxHashMap::default();
    let mut cell = None;
    for atom in formulas.support(&[f]).iter() {
        let (symbol, value) = value_of(problem, atom)?;
        if *cell.get_or_insert(symbol) != symbol {
            return None;
        }
        asked.insert(atom, value);
    }
    let symbol = &problem.signature.symbols[cell?];
    let (values, ordered): (Vec<Literal>, bool) = match &symbol.sort {
        Sort::Range(low, high) => ((*low..=*high).map(Literal::Int).collect(), true),
        Sort::Enum(names) => (names.iter().cloned().map(Literal::Variant).collect(), false),
        _ => return None,
    };
    let holds: Vec<bool> = values.iter().map(|value| truth(formulas, f, &asked, value)).collect();
    let shown = |value: &Literal| match value {
        Literal::Int(number) => number.to_string(),
        Literal::Variant(name) | Literal::Real(name) => name.clone(),
        Literal::Bool(value) => value.to_string(),
    };
    let name = &symbol.name;
    let (count, all) = (holds.iter().filter(|&&h| h).count(), values.len());
    let at = |wanted: bool| holds.iter().position(|&h| h == wanted);
    if count == 1 {
        return Some(format!("{name} = {}", shown(&values[at(true)?])));
    }
    if count + 1 == all && count > 1 {
        let out = at(false)?;
        return Some(match (ordered, out) {
            (true, 0) => format!("{name} > {}", shown(&values[0])),
            (true, last) if last + 1 == all => format!("{name} < {}", shown(&values[last])),
            _ => format!("{name} != {}", shown(&values[out])),
        });
    }
    if !ordered || count == 0 || count == all {
        return None;
    }
    let changes = holds.windows(2).filter(|pair| pair[0] != pair[1]).count();
    match (changes, holds[0]) {
        (1, true) => Some(format!("{name} < {}", shown(&values[at(false)?]))),
        (1, false) => Some(format!("{name} >= {}", shown(&values[at(true)?]))),
        _ => None,
    }
}

/// Whether a Boolean formula over `cell = value` holds for a value of the cell.
fn truth(formulas: &Formulas, f: FormulaId, asked: &FxHashMap<AtomId, Literal>, value: &Literal) -> bool {
    let mut known: FxHashMap<FormulaId, bool> = FxHashMap::default();
    for g in formulas.subformulas(&[f]) {
        let holds = match formulas.node(g) {
            Node::True => true,
            Node::Atom(atom) => asked.get(atom) == Some(value),
            Node::Not(h) => !known[h],
            Node::And(hs) => hs.iter().all(|h| known[h]),
            Node::Or(hs) => hs.iter().any(|h| known[h]),
            Node::Iff(a, b) => known[a] == known[b],
            // A Boolean formula has no others but `false`.
            _ => false,
        };
        known.insert(g, holds);
    }
    known[&f]
}
