//! Remarks that need no engine: probable misspellings, constants written as inputs, implications under
//! `G` that were meant the other way around, clauses that say nothing.

use std::sync::Arc;

use super::declare::Declarations;
use super::infer::Inferred;
use super::modules::Unit;
use super::problem::Problem;
use super::signature::{Literal, Sort, Symbol};
use super::value::Values;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use rustc_hash::FxHashSet;

/// An initial value must be a value of the declared sort.
pub(super) fn initial_value(
    symbol: &Symbol,
    literal: Option<&Literal>,
    span: Span,
    diagnostics: &mut Diagnostics,
) {
    let wrong = match (&symbol.sort, literal) {
        (Sort::Range(low, high), Some(Literal::Int(i))) => (!(*low..=*high).contains(i))
            .then(|| format!("{i} is not in the range {low}..{high} of `{}`", symbol.name)),
        (Sort::Range(..), _) => {
            Some(format!("the initial value of `{}` is not an integer literal", symbol.name))
        }
        (Sort::Enum(_), Some(Literal::Variant(_))) => None,
        (Sort::Enum(names), _) => Some(format!("`{}` is one of `{}`", symbol.name, names.join("`, `"))),
        _ => None,
    };
    if let Some(message) = wrong {
        diagnostics.push(Diagnostic::error(Code::NOT_CONSTANT, message).at(span, "the initial value"));
    }
}

/// Names that are probably misspelt or meant as constants.
pub(super) fn names(
    _units: &[Unit],
    _macros: &FxHashSet<Arc<str>>,
    _declarations: &Declarations,
    _values: &Values,
    _inferred: &Inferred,
    _diagnostics: &mut Diagnostics,
) {
}

/// Remarks on clauses.
pub(super) fn clauses(_units: &[Unit], _problem: &Problem, _diagnostics: &mut Diagnostics) {}
