//! Ranges that take integers: a cell `n: 0..3` with an update to a value of sort `Int` is computed as `Int in 0..3`, since
//! values are followed between cells and inputs with ranges only.

use super::declare::{Declarations, Declared};
use super::finite::FINITE_VALUES;
use super::number_functions::{Function, function};
use super::signature::{Operator, Overflow, Sort};
use super::value::{Expanded, ExpandedId, ExpandedValues, NameId};
use crate::syntax::ast::DeclarationKind;
use tsl_synth_core::base::Limit;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::Span;

/// Gives cells with ranges the sort of the values that they take, until no cell with a range takes an integer. A cell that
/// saturates or wraps around keeps its range: the inputs that it takes get theirs from their bounds. Linear in each round,
/// of which there are at most as many as declarations.
///
/// # Errors
/// The budget of values is spent.
pub(super) fn give_sorts(
    values: &mut ExpandedValues,
    roots: &[ExpandedId],
    declarations: &mut Declarations,
    diagnostics: &mut Diagnostics,
) -> Result<(), Limit> {
    let reachable = values.reachable(roots.iter().copied());
    loop {
        let update = reachable.iter().find_map(|&id| {
            let Expanded::Update(cell, term) = *values.get(id) else { return None };
            let cell = declarations.by_name.get(&cell).copied()?;
            let Some(Sort::Range(low, high)) = declarations.all[cell].sort else { return None };
            Some((cell, (low, high), term, integer(values, declarations, term)?))
        });
        let Some((cell, (low, high), term, name)) = update else { return Ok(()) };
        let declared = &declarations.all[cell];
        let own = values.text(declared.name).clone();
        let taken = values.text(name).clone();
        if declared.overflow == Overflow::Unavailable {
            let span = declared.span;
            let note =
                format!("`{own}` is computed as `Int in {low}..{high}`, since it takes a value of `{taken}`");
            diagnostics.push(
                Diagnostic::note(Code::FREE_VALUE, note)
                    .at(values.span(term), "of sort `Int`")
                    .hint("such an update is not available where the value is not in the range"),
            );
            let low = values.intern(Expanded::Int(low), span)?;
            let high = values.intern(Expanded::Int(high), span)?;
            let declared = &mut declarations.all[cell];
            declared.sort = Some(Sort::Int);
            declared.bounds = (Some(low), Some(high));
        } else if let Some((low, high)) = small_bounds(values, declarations, name) {
            let at = declarations.by_name[&name];
            let declared = &mut declarations.all[at];
            declared.sort = Some(Sort::Range(low, high));
            declared.bounds = (None, None);
        } else {
            diagnostics.push(not_followed(&own, &taken, (low, high), values.span(term)));
            return Ok(());
        }
    }
}

/// The bounds of an input of sort `Int` all of whose values can be followed.
fn small_bounds(values: &ExpandedValues, declarations: &Declarations, name: NameId) -> Option<(i64, i64)> {
    let declared = &declarations.all[*declarations.by_name.get(&name)?];
    let (Some(low), Some(high)) = declared.bounds else { return None };
    let (&Expanded::Int(low), &Expanded::Int(high)) = (values.get(low), values.get(high)) else {
        return None;
    };
    let is_integer = declared.kind == DeclarationKind::Input && declared.sort == Some(Sort::Int);
    let width = usize::try_from(high.checked_sub(low)?).ok()?;
    (is_integer && width < FINITE_VALUES).then_some((low, high))
}

/// The error about a cell that saturates or wraps around and takes an integer.
fn not_followed(cell: &str, taken: &str, (low, high): (i64, i64), span: Span) -> Diagnostic {
    let message = format!(
        "`{cell}` has a range and saturates or wraps around, and `{taken}` is of sort `Int`: this is not computed"
    );
    let hint = format!(
        "declare `{taken}` with a range, as `0..9`, or `{cell}` as `cell {cell}: Int in {low}..{high}` and write the value that \
         it takes, as `min {high} (max {low} {taken})`"
    );
    Diagnostic::error(Code::FREE_VALUE, message).at(span, "a value of sort `Int`").hint(hint)
}

/// A name of sort `Int` or `Real` whose value a term may have, or of which it is computed; remainders are followed
/// otherwise.
pub(super) fn integer(
    values: &ExpandedValues,
    declarations: &Declarations,
    term: ExpandedId,
) -> Option<NameId> {
    let is_number = |name: &NameId| {
        let declared: Option<&Declared> = declarations.by_name.get(name).map(|&at| &declarations.all[at]);
        declared.is_some_and(|one| matches!(one.sort, Some(Sort::Int | Sort::Real)))
    };
    let mut todo = vec![term];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(id) = todo.pop() {
        if !seen.insert(id) {
            continue;
        }
        match values.get(id) {
            Expanded::Name(name) if is_number(name) => return Some(*name),
            Expanded::Operation(Operator::Add | Operator::Sub | Operator::Mul, a, b) => todo.extend([*b, *a]),
            Expanded::Apply(name, arguments) => match function(values, declarations, id) {
                Some(Function::Abs | Function::Min | Function::Max) => todo.extend(arguments.iter().copied()),
                Some(Function::Ite) => todo.extend(arguments[1..].iter().copied()),
                None if is_number(name) => return Some(*name),
                Some(Function::Mod | Function::Div) | None => {}
            },
            _ => {}
        }
    }
    None
}
