//! Warnings about uninterpreted functions of theories: names such as `add` and `eq` are interpreted only in files of TSL
//! modulo theories (`.tslmt`), and so is the theory that a first line such as `#LIA#` names.

use super::modules::Unit;
use super::problem::Problem;
use super::signature::Sort;
use crate::syntax::ast::{ExprId, ExprKind, Exprs, Item, Module, TheoryKind};
use crate::syntax::theory_operator;
use std::collections::BTreeMap;
use std::sync::Arc;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::Span;

/// Reports, once for each file, what its author may expect to be computed and is not.
pub(super) fn uninterpreted(units: &[Unit], problem: &Problem, diagnostics: &mut Diagnostics) {
    let own: Vec<&str> = units.iter().flat_map(|unit| own_names(&unit.module)).collect();
    for unit in units {
        let theory = unit.module.theory.as_ref();
        let mut functions = functions(&unit.module.exprs, &own, theory.is_some());
        // These are computed for declared integers, with a note of their own where they are not.
        let mut symbols = problem.signature.symbols.iter();
        let has_integers = symbols
            .any(|symbol| symbol.kind.is_signal() && matches!(symbol.sort, Sort::Int | Sort::Range(..)));
        functions.retain(|name, _| !matches!(&**name, "mod" | "div") || !has_integers);
        if let Some((first, (operator, _))) = functions.iter().min_by_key(|(_, (_, span))| span.start) {
            let names: Vec<String> = functions.keys().map(|name| format!("`{name}`")).collect();
            let message = match names.len() {
                1 => format!(
                    "{} has no meaning of its own here: its value is left to the environment",
                    names[0]
                ),
                _ => format!(
                    "{} have no meaning of their own here: their values are left to the environment",
                    names.join(", ")
                ),
            };
            let warning = Diagnostic::warning(Code::THEORY_TAG, message);
            diagnostics.push(functions.values().fold(warning, |warning, (_, span)| {
                warning.at(*span, "not interpreted")
            }).hint(format!(
                "the operator `{operator}` is computed for declared numbers (`cell x: Int = 0;`); in a file with the ending `.tslmt`, `{first}` is that operator"
            )));
            continue;
        }
        let Some(theory) = theory.filter(|_| problem.signature.uninterpreted_arithmetic) else { continue };
        let message = match theory.kind {
            TheoryKind::Uf => continue,
            TheoryKind::Euf => "equality of undeclared names stays uninterpreted",
            TheoryKind::Lia => "arithmetic of undeclared names stays uninterpreted",
        };
        diagnostics.push(
            Diagnostic::warning(Code::THEORY_TAG, message)
                .at(theory.span, "this theory is not interpreted")
                .hint("declared numbers are computed exactly, `cell c: Int = 0;` or `cell c: 0..9 = 0;`; in a file with the ending `.tslmt` names without a declaration are numbers"),
        );
    }
}

/// The names that a module gives a meaning.
fn own_names(module: &Module) -> impl Iterator<Item = &str> {
    module.items.iter().flat_map(|item| {
        let names: Vec<&str> = match item {
            Item::Definition(definition) => vec![&definition.name.text],
            Item::Declaration(declaration) => declaration.names.iter().map(|name| &*name.text).collect(),
            Item::Import(_) | Item::Section(_) => Vec::new(),
        };
        names
    })
}

/// The functions of the theory that are applied, each with its operator and its first place. Without a tag only those
/// applied to a number count.
fn functions(exprs: &Exprs, own: &[&str], has_tag: bool) -> BTreeMap<Arc<str>, (&'static str, Span)> {
    let mut found = BTreeMap::new();
    let is_number =
        |id: &ExprId| matches!(exprs.kind(exprs.strip(*id)), ExprKind::Int(_) | ExprKind::Real(_));
    for (id, expr) in exprs.enumerate() {
        let ExprKind::Apply { function, arguments, .. } = &expr.kind else { continue };
        let ExprKind::Name(name) = exprs.kind(*function) else { continue };
        let [left, right] = arguments.as_slice() else { continue };
        let Some(operator) = theory_operator(name).filter(|_| !own.contains(&&**name)) else { continue };
        if has_tag || is_number(left) || is_number(right) {
            let span = exprs.span(id);
            let place: &mut (&str, Span) = found.entry(name.clone()).or_insert((operator, span));
            if span.start < place.1.start {
                place.1 = span;
            }
        }
    }
    found
}
