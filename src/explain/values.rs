//! Values of cells of finite sorts, and conditions on them as people write them: `credit < 5`, `mode != idle`.

use rustc_hash::FxHashMap;
use tsl_synth_core::logic::{AtomId, Class, FormulaId, Formulas, Letter, Node};
use tsl_synth_lang::spec::{
    AtomMeaning, LiteralValue, Operator, Problem, Sort, Symbol, SymbolId, SymbolKind, Term,
};

/// The cell and the value of an atom `cell = value`.
fn value_of(problem: &Problem, atom: AtomId) -> Option<(SymbolId, LiteralValue)> {
    let terms = &problem.signature.terms;
    let Some(AtomMeaning::Predicate(term)) = problem.signature.atoms.get(atom) else { return None };
    let Term::Operation(Operator::Equal, a, b) = terms.get(*term) else { return None };
    match (terms.get(*a), terms.get(*b)) {
        (Term::Signal(symbol), Term::Literal(value)) => Some((*symbol, value.clone())),
        _ => None,
    }
}

/// The value of an atom as people write it: `!go`, `health != 0`, `a + 1 <= 5`.
pub fn literal_text(problem: &Problem, atom: AtomId, holds: bool) -> String {
    let name = &problem.alphabet.atoms()[atom].name;
    let terms = &problem.signature.terms;
    let compared = match problem.signature.atoms.get(atom) {
        Some(AtomMeaning::Predicate(term)) => match terms.get(*term) {
            Term::Operation(operator @ (Operator::Equal | Operator::Greater), a, b) => {
                Some((*operator, *a, *b))
            }
            _ => None,
        },
        _ => None,
    };
    let Some((operator, a, b)) = compared else {
        return if holds { name.clone() } else { format!("!{name}") };
    };
    let is_number = matches!(terms.get(a), Term::Literal(_));
    let (left, right) = if is_number { (b, a) } else { (a, b) };
    let symbol = match (operator, is_number, holds) {
        (Operator::Equal, _, true) => "=",
        (Operator::Equal, _, false) => "!=",
        (_, false, true) => ">",
        (_, false, false) => "<=",
        (_, true, true) => "<",
        (_, true, false) => ">=",
    };
    let side = |term| problem.signature.display(term);
    format!("{} {symbol} {}", side(left), side(right))
}

/// All values of a symbol of a finite sort other than Boolean.
fn domain(symbol: &Symbol) -> Option<Vec<LiteralValue>> {
    match &symbol.sort {
        Sort::Range(low, high) if high.checked_sub(*low)? < MOST_VALUES => {
            Some((*low..=*high).map(LiteralValue::Int).collect())
        }
        Sort::Enum(names) => Some(names.iter().cloned().map(LiteralValue::Variant).collect()),
        _ => None,
    }
}

fn shown(value: &LiteralValue) -> String {
    match value {
        LiteralValue::Int(number) => number.to_string(),
        LiteralValue::Variant(name) | LiteralValue::Real(name) => name.clone(),
        LiteralValue::Bool(value) => value.to_string(),
    }
}

/// The value of a cell in a letter, if the atoms of the problem determine it.
fn value_in(problem: &Problem, symbol: SymbolId, letter: &Letter) -> Option<LiteralValue> {
    let mut left = domain(&problem.signature.symbols[symbol])?;
    for (atom, _) in problem.alphabet.atoms().enumerate() {
        if let Some((cell, value)) = value_of(problem, atom)
            && cell == symbol
        {
            if problem.alphabet.holds(atom, letter) {
                return Some(value);
            }
            left.retain(|other| *other != value);
        }
    }
    match left.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    }
}

/// The values in a letter of the cells that some atoms compare, as equations `credit = 5`; with the atoms that these
/// equations make redundant.
pub fn values_told(problem: &Problem, atoms: &[AtomId], letter: &Letter) -> (Vec<String>, Vec<AtomId>) {
    let (mut reported, mut covered, mut seen) = (Vec::new(), Vec::new(), Vec::new());
    for &atom in atoms {
        let Some((symbol, _)) = value_of(problem, atom) else { continue };
        // Inputs are reported by their atoms.
        if problem.signature.symbols[symbol].kind == SymbolKind::Input {
            continue;
        }
        let value = value_in(problem, symbol, letter);
        if let Some(value) = &value
            && !seen.contains(&symbol)
        {
            seen.push(symbol);
            reported.push(format!("{} = {}", problem.signature.symbols[symbol].name, shown(value)));
        }
        // A value that is not known is told by the atoms.
        if value.is_some() {
            covered.push(atom);
        }
    }
    (reported, covered)
}

/// Why an update is not available in a letter: "`credit` is already 5, its maximum".
pub(super) fn why_unavailable(problem: &Problem, update: AtomId, letter: &Letter) -> Option<String> {
    let Some(AtomMeaning::Update(symbol, _)) = problem.signature.atoms.get(update) else { return None };
    let info = &problem.signature.symbols[*symbol];
    let Sort::Range(low, high) = info.sort else { return None };
    let LiteralValue::Int(value) = value_in(problem, *symbol, letter)? else { return None };
    let end = match value {
        value if value == high => "maximum",
        value if value == low => "minimum",
        _ => return None,
    };
    Some(format!("`{}` is already {value}, its {end}", info.name))
}

/// Sorts with more values are not enumerated.
const MOST_VALUES: i64 = 1024;

/// A formula as a short condition on the value of one cell, if it has this form.
pub(super) fn condition(problem: &Problem, formulas: &Formulas, f: FormulaId) -> Option<String> {
    if !formulas.class(f).is(Class::BOOLEAN) {
        return None;
    }
    let mut asked: FxHashMap<AtomId, LiteralValue> = FxHashMap::default();
    let mut cell = None;
    for atom in formulas.support(&[f]).iter() {
        let (symbol, value) = value_of(problem, atom)?;
        if *cell.get_or_insert(symbol) != symbol {
            return None;
        }
        asked.insert(atom, value);
    }
    let symbol = &problem.signature.symbols[cell?];
    let (values, ordered) = (domain(symbol)?, matches!(symbol.sort, Sort::Range(..)));
    let holds: Vec<bool> = values.iter().map(|value| truth(formulas, f, &asked, value)).collect();
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
fn truth(
    formulas: &Formulas,
    f: FormulaId,
    asked: &FxHashMap<AtomId, LiteralValue>,
    value: &LiteralValue,
) -> bool {
    let mut known: FxHashMap<FormulaId, bool> = FxHashMap::default();
    for g in formulas.subformulas(&[f]) {
        let holds = match formulas.node(g) {
            Node::True => true,
            Node::Atom(atom) => asked.get(atom) == Some(value),
            Node::Not(h) => !known[h],
            Node::And(hs) => hs.iter().all(|h| known[h]),
            Node::Or(hs) => hs.iter().any(|h| known[h]),
            Node::Iff(a, b) => known[a] == known[b],
            // `false` is the only other Boolean node.
            _ => false,
        };
        known.insert(g, holds);
    }
    known[&f]
}
