//! Registers as cells, for games over programs, whose states are the values of variables.

use crate::spec::problem::{Clause, Constraint, Problem};
use crate::spec::signature::{AtomMeaning, LiteralValue, Overflow, Sort, Symbol, SymbolKind, Term};
use tsl_synth_core::model::{Register, Role};

/// The same problem with a hidden Boolean cell for each register, false at first, which a restriction updates to the value
/// that the register stores.
pub(super) fn registers_as_cells(problem: &Problem) -> Problem {
    let mut result = problem.clone();
    let kept = problem.clauses.iter().filter(|clause| !problem.defines_register(clause));
    result.clauses = kept.cloned().collect();
    for Register { atom, now } in std::mem::take(&mut result.signature.registers) {
        let signature = &mut result.signature;
        let name = problem.alphabet.atoms()[atom].name.clone();
        let literal = |value| Term::Literal(LiteralValue::Bool(value));
        let values = [true, false].map(|value| signature.terms.intern(literal(value)));
        let symbol = signature.symbols.push(Symbol {
            name: name.clone(),
            kind: SymbolKind::Cell,
            arguments: Vec::new(),
            sort: Sort::Bool,
            initial: Some(values[1]),
            bounds: [None, None],
            noisy: false,
            overflow: Overflow::Unavailable,
            hidden: true,
        });
        signature.atoms[atom] = AtomMeaning::Predicate(signature.terms.intern(Term::Signal(symbol)));
        let texts = ["true", "false"].map(|value| format!("[{name} <- {value}]"));
        let cell = result.alphabet.add_cell(name, texts);
        signature.cells.push(symbol);
        for value in values {
            signature.atoms.push(AtomMeaning::Update(symbol, value));
        }
        let yes = result.formulas.atom(result.alphabet.cells()[cell].options[0]);
        let kept = result.formulas.iff(yes, now);
        let formula = result.formulas.globally(kept);
        let constraint = Some(Constraint::Interpretation);
        result.clauses.push(Clause { role: Role::Restriction, formula, span: None, constraint });
    }
    result
}
