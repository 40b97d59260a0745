//! Which atoms the environment is free to choose.

use tsl_synth_core::logic::{AtomId, Player};
use tsl_synth_lang::spec::{AtomMeaning, Problem, Sort, SymbolKind, Term};

/// Whether the environment is free to choose the value of an atom: not an update, and not a value that
/// follows from earlier updates.
pub fn is_given(problem: &Problem, atom: AtomId) -> bool {
    if problem.alphabet.player(atom) != Player::Environment || problem.is_hidden(atom) {
        return false;
    }
    let Some(AtomMeaning::Predicate(term)) = problem.signature.atoms.get(atom) else { return true };
    let mut stack = vec![*term];
    while let Some(term) = stack.pop() {
        match problem.signature.terms.get(term) {
            Term::Literal(_) => {}
            Term::Operation(_, a, b) => stack.extend([*a, *b]),
            Term::Signal(symbol) => {
                let symbol = &problem.signature.symbols[*symbol];
                let never_set = symbol.kind == SymbolKind::Output
                    && !problem
                        .signature
                        .cells
                        .iter()
                        .any(|cell| problem.signature.symbols[*cell] == *symbol);
                if never_set {
                    return true;
                }
                let exact = matches!(symbol.sort, Sort::Bool | Sort::Range(..) | Sort::Enum(_));
                if symbol.kind == SymbolKind::Input || !exact {
                    return true;
                }
            }
            Term::Apply(..) => return true,
        }
    }
    false
}
