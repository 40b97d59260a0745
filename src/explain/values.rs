//! Values of signals of finite sorts, and conditions on them as people write them: `credit < 5`, `mode != idle`.

use rustc_hash::FxHashMap;
use tsl_synth_core::logic::{AtomId, Class, EncodedSignal, FormulaId, Formulas, Lasso, Letter, Node, Player};
use tsl_synth_core::model::Role;
use tsl_synth_lang::spec::{
    AtomMeaning, ClauseId, EnumeratedSignal, Operator, Problem, Sort, SymbolId, Term, ValueSet, ValueSets,
};

/// The signal whose value an atom encodes, and the code.
fn encoded(problem: &Problem, atom: AtomId) -> Option<(SymbolId, &EncodedSignal)> {
    let signals = problem.alphabet.encoded().iter();
    let mut signals = problem.signature.encoded.iter().copied().zip(signals);
    signals.find(|(_, signal)| signal.atoms.contains(&atom))
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

/// Equations such as `credit = 5`: the values that a letter gives to the signals which these atoms encode. Also the atoms
/// whose values follow from the equations.
pub fn values_told(problem: &Problem, atoms: &[AtomId], letter: &Letter) -> (Vec<String>, Vec<AtomId>) {
    let (mut told, mut covered) = (Vec::new(), Vec::new());
    let signals = problem.alphabet.encoded().iter().filter(|s| s.atoms.iter().any(|a| atoms.contains(a)));
    for signal in signals {
        let index = signal.index(|atom| problem.alphabet.holds(atom, letter));
        told.push(format!("{} = {}", signal.name, signal.values[index]));
        covered.extend(signal.atoms.iter().copied().filter(|atom| atoms.contains(atom)));
    }
    let sets = ValueSets::new(problem);
    for signal in problem.signature.enumerated.iter().filter(|s| s.atoms.iter().any(|a| atoms.contains(a))) {
        let literal = |&atom: &AtomId| (atom, problem.alphabet.holds(atom, letter));
        let (values, left) = sets.told(&signal.atoms.iter().map(literal).collect::<Vec<_>>());
        // Not every code denotes a value.
        if left.is_empty() && values.iter().any(ValueSet::is_possible) {
            told.extend(values.iter().filter_map(|set| sets.text(set)));
            covered.extend(signal.atoms.iter().copied());
        }
    }
    (told, covered)
}

/// Why an update is not available in a letter: "`credit` is already 5, its maximum".
pub(super) fn why_unavailable(problem: &Problem, update: AtomId, letter: &Letter) -> Option<String> {
    let Some(AtomMeaning::Update(symbol, _)) = problem.signature.atoms.get(update) else { return None };
    let info = &problem.signature.symbols[*symbol];
    let Sort::Range(low, high) = info.sort else { return None };
    let signal = problem.encoded(*symbol)?;
    let index = signal.index(|atom| problem.alphabet.holds(atom, letter));
    let value: i64 = signal.values[index].parse().ok()?;
    let end = match value {
        value if value == high => "maximum",
        value if value == low => "minimum",
        _ => return None,
    };
    Some(format!("`{}` is already {value}, its {end}", info.name))
}

/// Where a play first makes an update that is not available, as a restriction of the language says: the step, the update,
/// and why. `None` for other clauses.
pub fn first_unavailable(
    problem: &Problem,
    clause: ClauseId,
    play: &Lasso,
) -> Option<(usize, AtomId, Option<String>)> {
    let clause = &problem.clauses[clause];
    if clause.role != Role::Restriction || clause.constraint.is_none() {
        return None;
    }
    let Node::Globally(body) = *problem.formulas.node(clause.formula) else { return None };
    if !problem.formulas.class(body).is(Class::BOOLEAN) {
        return None;
    }
    let alphabet = &problem.alphabet;
    let fails =
        |step: &usize| !truth(&problem.formulas, body, &|atom| alphabet.holds(atom, play.letter(*step)));
    let step = (0..play.len()).find(fails)?;
    let letter = play.letter(step);
    let support = problem.formulas.support(&[body]);
    let mut chosen = support
        .iter()
        .filter(|&atom| alphabet.player(atom) == Player::System && alphabet.holds(atom, letter));
    let update = chosen.next()?;
    Some((step, update, why_unavailable(problem, update, letter)))
}

/// A formula as a short condition on the value of one signal, if it has this form.
pub(super) fn condition(problem: &Problem, formulas: &Formulas, f: FormulaId) -> Option<String> {
    if !formulas.class(f).is(Class::BOOLEAN) {
        return None;
    }
    let mut found = None;
    for atom in formulas.support(&[f]).iter() {
        let (symbol, signal) = encoded(problem, atom)?;
        if found.get_or_insert((symbol, signal)).0 != symbol {
            return None;
        }
    }
    let (symbol, signal) = found?;
    let ordered = matches!(problem.signature.symbols[symbol].sort, Sort::Range(..));
    let (name, values) = (&signal.name, &signal.values);
    let holds = |index: usize| {
        truth(formulas, f, &|atom| signal.literals(index).any(|literal| literal == (atom, true)))
    };
    let holds: Vec<bool> = (0..values.len()).map(holds).collect();
    let (count, all) = (holds.iter().filter(|&&h| h).count(), values.len());
    let at = |wanted: bool| holds.iter().position(|&h| h == wanted);
    if count == 1 {
        return Some(format!("{name} = {}", values[at(true)?]));
    }
    if count + 1 == all && count > 1 {
        let out = at(false)?;
        return Some(match (ordered, out) {
            (true, 0) => format!("{name} > {}", values[0]),
            (true, last) if last + 1 == all => format!("{name} < {}", values[last]),
            _ => format!("{name} != {}", values[out]),
        });
    }
    if !ordered || count == 0 || count == all {
        return None;
    }
    let changes = holds.windows(2).filter(|pair| pair[0] != pair[1]).count();
    match (changes, holds[0]) {
        (1, true) => Some(format!("{name} < {}", values[at(false)?])),
        (1, false) => Some(format!("{name} >= {}", values[at(true)?])),
        _ => None,
    }
}

/// A formula over the bits of a signal of an enumeration of TLSF as a comparison, `cmd != turbo`, if it is one.
pub(super) fn enumerated_condition(problem: &Problem, formulas: &Formulas, f: FormulaId) -> Option<String> {
    /// Codes with more open bits are not tried.
    const MOST_OPEN: usize = 10;
    if !formulas.class(f).is(Class::BOOLEAN) {
        return None;
    }
    let support: Vec<AtomId> = formulas.support(&[f]).iter().collect();
    let of_all = |signal: &&EnumeratedSignal| support.iter().all(|atom| signal.atoms.contains(atom));
    let signal = problem.signature.enumerated.iter().find(of_all).filter(|_| !support.is_empty())?;
    let mut holds = Vec::new();
    for (_, codes) in &signal.values {
        let mut of_value = None;
        for code in codes {
            let open: Vec<usize> = (0..code.len()).filter(|&i| code[i].is_none()).collect();
            if open.len() > MOST_OPEN {
                return None;
            }
            for choice in 0..1usize << open.len() {
                let bit = |atom: AtomId| {
                    let i = signal.atoms.iter().position(|own| *own == atom).unwrap_or_default();
                    let free = open.iter().position(|&own| own == i);
                    code[i].unwrap_or_else(|| free.is_some_and(|place| choice >> place & 1 == 1))
                };
                let now = truth(formulas, f, &bit);
                if *of_value.get_or_insert(now) != now {
                    return None;
                }
            }
        }
        holds.push(of_value?);
    }
    let (name, count) = (&signal.name, holds.iter().filter(|&&holds| holds).count());
    let value = |wanted: bool| Some(&signal.values[holds.iter().position(|&h| h == wanted)?].0);
    match count {
        1 => Some(format!("{name} == {}", value(true)?)),
        _ if count + 1 == holds.len() => Some(format!("{name} != {}", value(false)?)),
        _ => None,
    }
}

/// Whether a Boolean formula holds for these truth values of its atoms.
fn truth(formulas: &Formulas, f: FormulaId, value: &dyn Fn(AtomId) -> bool) -> bool {
    let mut known: FxHashMap<FormulaId, bool> = FxHashMap::default();
    for g in formulas.subformulas(&[f]) {
        let holds = match formulas.node(g) {
            Node::True => true,
            Node::Atom(atom) => value(*atom),
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
