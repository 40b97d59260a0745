//! Bounds of declared numbers, `input temp: Real in -40..125;` and `cell n: Nat;`: inputs are within them, cells begin
//! within them, and an update that would leave them is not available.

use super::declare::Declarations;
use super::lower::RawClause;
use super::signature::Operator;
use super::value::{Expanded, ExpandedId, ExpandedValues};
use crate::syntax::ast::DeclarationKind;
use tsl_synth_core::base::Limit;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::model::Role;
use tsl_synth_core::source::Span;

/// Adds assumptions about bounded inputs and the first values of bounded cells, and restrictions of updates of such cells.
/// Declared first values have to be within the bounds.
///
/// # Errors
/// The budget of values is spent.
pub(super) fn add_clauses(
    values: &mut ExpandedValues,
    clauses: &mut Vec<RawClause>,
    declarations: &Declarations,
    diagnostics: &mut Diagnostics,
) -> Result<(), Limit> {
    let reachable = values.reachable(clauses.iter().map(|clause| clause.formula));
    let mut added = Vec::new();
    for declared in &declarations.all {
        if declared.bounds == (None, None) {
            continue;
        }
        let (span, at) = (declared.whole, declared.span);
        let own = values.intern(Expanded::Name(declared.name), at)?;
        let is_input = declared.kind == DeclarationKind::Input;
        if let Some((initial, place)) = declared.initial {
            let inside = within(values, initial, declared.bounds, place)?;
            if *values.get(inside) != Expanded::Bool(true) {
                let message =
                    format!("the first value of `{}` is not within its bounds", values.text(declared.name));
                diagnostics
                    .push(Diagnostic::error(Code::NOT_CONSTANT, message).at(place, "the initial value"));
            }
        } else {
            let inside = within(values, own, declared.bounds, at)?;
            added.push(clause(Role::Assumption, is_input, inside, span));
        }
        if is_input {
            continue;
        }
        for &id in &reachable {
            let &Expanded::Update(cell, term) = values.get(id) else { continue };
            if cell != declared.name || term == own {
                continue;
            }
            let inside = within(values, term, declared.bounds, values.span(id))?;
            if *values.get(inside) != Expanded::Bool(true) {
                let kept = values.intern(Expanded::Implies(id, inside), at)?;
                added.push(clause(Role::Restriction, true, kept, span));
            }
        }
    }
    clauses.extend(added);
    Ok(())
}

fn clause(role: Role, always: bool, formula: ExpandedId, span: Span) -> RawClause {
    RawClause { role, always, after: 0, is_bare: false, is_meaning: false, formula, span }
}

/// That a term has a value within bounds.
fn within(
    values: &mut ExpandedValues,
    term: ExpandedId,
    (low, high): (Option<ExpandedId>, Option<ExpandedId>),
    span: Span,
) -> Result<ExpandedId, Limit> {
    let mut parts = Vec::new();
    let mut exclude = |values: &mut ExpandedValues, greater: ExpandedId, smaller: ExpandedId| {
        // A constant within the bounds needs no condition.
        if let (Some(greater), Some(smaller)) = (values.number(greater), values.number(smaller))
            && greater <= smaller
        {
            return Ok(());
        }
        let outside = values.intern(Expanded::Operation(Operator::Greater, greater, smaller), span)?;
        parts.push(values.intern(Expanded::Not(outside), span)?);
        Ok::<(), Limit>(())
    };
    if let Some(low) = low {
        exclude(values, low, term)?;
    }
    if let Some(high) = high {
        exclude(values, term, high)?;
    }
    match parts.as_slice() {
        [] => values.intern(Expanded::Bool(true), span),
        [one] => Ok(*one),
        _ => values.intern(Expanded::And(parts.into()), span),
    }
}
