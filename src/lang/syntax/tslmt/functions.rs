//! Rewrites applications of the theory's functions, such as `add x y`, as operators, and reports all others.

use super::super::ast::{ExprId, ExprKind, Exprs};
use std::collections::BTreeSet;
use std::sync::Arc;
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_ltl::operators::{BinaryOp, UnaryOp};

/// The functions of the theory with two arguments.
const BINARY: [(&str, BinaryOp); 21] = [
    ("add", BinaryOp::Add),
    ("sub", BinaryOp::Sub),
    ("plus", BinaryOp::Add),
    ("minus", BinaryOp::Sub),
    ("mul", BinaryOp::Mul),
    ("mult", BinaryOp::Mul),
    ("eq", BinaryOp::Eq),
    ("neq", BinaryOp::Ne),
    ("lt", BinaryOp::Lt),
    ("gt", BinaryOp::Gt),
    ("lq", BinaryOp::Lt),
    ("gq", BinaryOp::Gt),
    ("lte", BinaryOp::Le),
    ("leq", BinaryOp::Le),
    ("le", BinaryOp::Le),
    ("gte", BinaryOp::Ge),
    ("geq", BinaryOp::Ge),
    ("ge", BinaryOp::Ge),
    ("and", BinaryOp::And),
    ("or", BinaryOp::Or),
    ("implies", BinaryOp::Implies),
];

/// The functions of the theory with another number of arguments, or without an operator.
const OTHERS: [(&str, usize); 8] = [
    ("not", 1),
    ("to_real", 1),
    ("abs", 1),
    ("min", 2),
    ("max", 2),
    ("ite", 3),
    // The operators round toward zero.
    ("mod", 2),
    ("div", 2),
];

/// The functions of the theory that are operators in other languages.
pub(crate) const FUNCTIONS: [&str; 4] = ["and", "or", "implies", "not"];

/// The operator that a function such as `add` or `eq` is in a text of TSL modulo theories.
pub fn theory_operator(function: &str) -> Option<&'static str> {
    match function {
        "mod" => return Some(BinaryOp::Mod.spelling()),
        "div" => return Some(BinaryOp::Div.spelling()),
        _ => {}
    }
    let &(_, operator) = BINARY.iter().find(|(known, _)| *known == function)?;
    (operator.is_comparison() || operator.is_data()).then(|| operator.spelling())
}

/// How many arguments a function of the theory has.
fn arity(function: &str) -> Option<usize> {
    let binary = BINARY.iter().find(|(known, _)| *known == function).map(|_| 2);
    binary.or_else(|| OTHERS.iter().find(|(known, _)| *known == function).map(|&(_, count)| count))
}

/// Writes applications of functions of the theory as operators. Functions that the text defines stay.
///
/// # Errors
/// One for each application with another number of arguments.
pub(super) fn operators(exprs: &mut Exprs, defined: &BTreeSet<Arc<str>>, diagnostics: &mut Vec<Diagnostic>) {
    let ids: Vec<ExprId> = exprs.enumerate().map(|(id, _)| id).collect();
    for id in ids {
        let ExprKind::Apply { function, arguments, .. } = exprs.kind(id) else { continue };
        let ExprKind::Name(name) = exprs.kind(*function) else { continue };
        let Some(expected) = arity(name).filter(|_| !defined.contains(name)) else { continue };
        if arguments.len() != expected {
            diagnostics.push(wrong_arity(exprs, id, name, arguments.len(), expected));
            continue;
        }
        let kind = match arguments.as_slice() {
            [left, right] => BINARY
                .iter()
                .find(|(known, _)| **known == **name)
                .map(|&(_, operator)| ExprKind::Binary(operator, *left, *right)),
            [inner] if &**name == "not" => Some(ExprKind::Unary(UnaryOp::Not, *inner)),
            [inner] if &**name == "to_real" => Some(ExprKind::Group(*inner)),
            _ => None,
        };
        if let Some(kind) = kind {
            exprs.replace(id, kind);
        }
    }
}

fn wrong_arity(exprs: &Exprs, id: ExprId, name: &str, found: usize, expected: usize) -> Diagnostic {
    let plural =
        |count: usize| if count == 1 { "one argument".to_owned() } else { format!("{count} arguments") };
    let hint = match (name, found, expected) {
        ("sub" | "minus", 1, _) => format!("a negative number is `{name} i0() x`"),
        (_, _, 2) if found > 2 && theory_operator(name).is_none_or(|operator| "+-*".contains(operator)) => {
            format!("nest it: `{name} ({name} x y) z`")
        }
        (_, _, 2) if found > 2 => format!("write one `{name}` for each pair and join them by `&&`"),
        _ if found > expected => "put parentheses around arguments that are applications".to_owned(),
        _ => format!("it is applied to {}", plural(expected)),
    };
    Diagnostic::error(Code::ARITY_CLASH, format!("`{name}` has {}, not {found}", plural(expected)))
        .at(exprs.span(id), "applied here")
        .hint(hint)
}

/// A warning that names the functions that the theory does not have, unless the text defines them.
pub(super) fn unknown(exprs: &Exprs, defined: &BTreeSet<Arc<str>>) -> Option<Diagnostic> {
    let mut found: Vec<(Arc<str>, ExprId)> = Vec::new();
    for (id, expr) in exprs.enumerate() {
        let ExprKind::Apply { function, .. } = &expr.kind else { continue };
        let ExprKind::Name(name) = exprs.kind(*function) else { continue };
        let is_known = arity(name).is_some() || defined.contains(name);
        if !is_known && !found.iter().any(|(other, _)| other == name) {
            found.push((name.clone(), id));
        }
    }
    let names: Vec<String> = found.iter().map(|(name, _)| format!("`{name}`")).collect();
    let message = match names.as_slice() {
        [] => return None,
        [one] => format!("{one} is no function of the theory: its value is left to the environment"),
        all => format!(
            "{} are no functions of the theory: their values are left to the environment",
            all.join(", ")
        ),
    };
    let warning = found.iter().fold(Diagnostic::warning(Code::THEORY_TAG, message), |warning, &(_, id)| {
        warning.at(exprs.span(id), "not interpreted")
    });
    Some(warning.hint(
        "those that are computed are `add sub mul abs min max ite`, `eq neq lt gt lte gte`, `and or not implies`, \
         and numbers such as `i5()`, `i-5()` and `r0.5()`",
    ))
}
