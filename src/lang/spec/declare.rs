//! Declarations with their sorts, ranges and initial values evaluated.

use super::expand::Expander;
use super::signature::{Overflow, Sort};
use super::value::{Expanded, ExpandedId, ExpandedValues, NameId};
use crate::syntax::ast;
use crate::syntax::ast::{DeclarationKind, Item, Modifier, SortKind};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::Limit;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::Span;

/// One declared name.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub(super) name: NameId,
    pub(super) span: Span,
    pub(super) kind: DeclarationKind,
    pub(super) arguments: Vec<Sort>,
    /// The number of arguments; `None` for a function or predicate declared without a signature.
    pub(super) arity: Option<usize>,
    pub(super) sort: Option<Sort>,
    pub(super) initial: Option<(ExpandedId, Span)>,
    /// The least and the greatest value of a number.
    pub(super) bounds: (Option<ExpandedId>, Option<ExpandedId>),
    /// The span of the declaration.
    pub(super) whole: Span,
    pub(super) noisy: bool,
    pub(super) overflow: Overflow,
}

/// All declarations, in source order, and the variants of all enumerations.
#[derive(Clone, Debug, Default)]
pub(super) struct Declarations {
    pub(super) all: Vec<Declared>,
    pub(super) by_name: FxHashMap<NameId, usize>,
    /// The enumerations that have a variant of this name.
    pub(super) variants: FxHashMap<NameId, Vec<Vec<String>>>,
}

/// Evaluates all declarations.
pub(super) fn declarations(expander: &mut Expander<'_>) -> Result<Declarations, Limit> {
    let mut result = Declarations::default();
    let units = expander.units;
    for (index, unit) in units.iter().enumerate() {
        for item in &unit.module.items {
            if let Item::Declaration(declaration) = item {
                declare(expander, &mut result, index, declaration)?;
            }
        }
    }
    for declared in &result.all {
        if result.variants.contains_key(&declared.name) {
            let name = expander.values.text(declared.name).clone();
            let message = format!("`{name}` is declared and also a variant of an enumeration");
            expander
                .report(Diagnostic::error(Code::REDEFINITION, message).at(declared.span, "declared here"));
        }
    }
    Ok(result)
}

fn declare(
    expander: &mut Expander<'_>,
    result: &mut Declarations,
    unit: usize,
    declaration: &ast::Declaration,
) -> Result<(), Limit> {
    use DeclarationKind as K;
    let prefix = expander.units[unit].prefix.clone();
    let kind = declaration.kind;
    let mut arguments = Vec::new();
    let (mut sort, mut arity) = (None, None);
    let mut bounds = (None, None);
    if let Some(signature) = &declaration.signature {
        for argument in &signature.arguments {
            arguments.push(self::sort(expander, result, unit, argument)?);
        }
        arity = Some(arguments.len());
        sort = Some(self::sort(expander, result, unit, &signature.result)?);
        let span = signature.result.span;
        bounds = self::bounds(expander, unit, kind, &signature.result)?;
        if matches!(kind, K::Input | K::Output | K::Cell) && !arguments.is_empty() {
            let message = "a signal has one sort and no arguments";
            expander.report(
                Diagnostic::error(Code::IDLE_DECLARATION, message).at(span, "this makes it a function"),
            );
        }
        if kind == K::Predicate && sort != Some(Sort::Bool) {
            let message = "the result of a predicate is `Bool`";
            expander.report(Diagnostic::error(Code::IDLE_DECLARATION, message).at(span, "not `Bool`"));
        }
    } else if kind == K::Predicate {
        sort = Some(Sort::Bool);
    } else if matches!(kind, K::Input | K::Output | K::Cell) {
        arity = Some(0);
    }
    let mut overflow = Overflow::Unavailable;
    let mut noisy = false;
    for &(modifier, span) in &declaration.modifiers {
        let fits = match modifier {
            Modifier::Noisy => {
                noisy = true;
                kind == K::Predicate
            }
            Modifier::Saturating | Modifier::Wrapping => {
                overflow =
                    if modifier == Modifier::Wrapping { Overflow::Wrapping } else { Overflow::Saturating };
                matches!(kind, K::Cell | K::Output) && matches!(sort, Some(Sort::Range(..)))
            }
        };
        if !fits {
            let message = "`noisy` is for predicates, `saturating` and `wrapping` for cells with a range";
            expander
                .report(Diagnostic::error(Code::IDLE_DECLARATION, message).at(span, "has no meaning here"));
        }
    }
    let initial = match declaration.init {
        Some(init) => {
            let span = expander.units[unit].module.exprs.span(init);
            let value = expander.expand(unit, init)?;
            if !matches!(kind, K::Cell | K::Output) {
                let message = "only cells have an initial value";
                expander.report(
                    Diagnostic::error(Code::IDLE_DECLARATION, message).at(span, "for something else"),
                );
            }
            Some((value, span))
        }
        None => None,
    };
    for (name, index) in elements(expander, unit, declaration)? {
        let full = match index {
            None => format!("{prefix}{}", name.text),
            Some(index) => format!("{prefix}{}_{index}", name.text),
        };
        let id = expander.values.name(&full);
        let first = expander.by_name.get(full.as_str()).map(|&id| expander.macros[id].definition.name.span);
        let first = first.or_else(|| result.by_name.get(&id).map(|&i| result.all[i].span));
        if let Some(first) = first {
            let message = format!("`{full}` is declared twice");
            expander.report(
                Diagnostic::error(Code::REDEFINITION, message)
                    .at(name.span, "declared again here")
                    .at(first, "first here"),
            );
            continue;
        }
        result.by_name.insert(id, result.all.len());
        result.all.push(Declared {
            name: id,
            span: name.span,
            kind,
            arguments: arguments.clone(),
            arity,
            sort: sort.clone(),
            initial,
            bounds,
            whole: declaration.span,
            noisy,
            overflow,
        });
    }
    Ok(())
}

/// The bounds of a sort of numbers.
fn bounds(
    expander: &mut Expander<'_>,
    unit: usize,
    kind: DeclarationKind,
    sort: &ast::SortExpr,
) -> Result<(Option<ExpandedId>, Option<ExpandedId>), Limit> {
    let takes_bounds = matches!(kind, DeclarationKind::Input | DeclarationKind::Cell);
    if matches!(sort.kind, SortKind::Bounded { .. }) && !takes_bounds {
        let message = "only inputs and cells have bounds";
        let error = Diagnostic::error(Code::IDLE_DECLARATION, message);
        expander.report(error.at(sort.span, "for something else"));
    }
    match &sort.kind {
        SortKind::Named(name) if &**name == "Nat" && takes_bounds => {
            let zero = expander.values.intern(Expanded::Int(0), sort.span)?;
            Ok((Some(zero), None))
        }
        SortKind::Bounded { low, high, .. } => {
            let (low, high) = (expander.expand(unit, *low)?, expander.expand(unit, *high)?);
            let numbers = (expander.values.number(low), expander.values.number(high));
            let error = match numbers {
                (Some(least), Some(greatest)) if least <= greatest => return Ok((Some(low), Some(high))),
                (Some(_), Some(_)) => {
                    Diagnostic::error(Code::EMPTY_RANGE, "the lower bound is above the upper bound")
                }
                _ => Diagnostic::error(Code::BAD_DECLARATION, "bounds are numbers"),
            };
            expander.report(error.at(sort.span, "these bounds"));
            Ok((None, None))
        }
        _ => Ok((None, None)),
    }
}

/// Reports names of several signals without an index.
pub(super) fn bare_arrays(
    widths: &FxHashMap<NameId, i64>,
    values: &ExpandedValues,
    roots: &[ExpandedId],
    diagnostics: &mut Diagnostics,
) {
    if widths.is_empty() {
        return;
    }
    for id in values.reachable(roots.iter().copied()) {
        let (Expanded::Name(name) | Expanded::Update(name, _)) = values.get(id) else { continue };
        let Some(width) = widths.get(name) else { continue };
        let text = values.text(*name);
        let message = format!("`{text}` has {width} signals, and none is named");
        let hint = format!("one of them is `{text}[0]`, all of them are `&&[0 <= i < {width}] {text}[i]`");
        diagnostics
            .push(Diagnostic::error(Code::WRONG_KIND, message).at(values.span(id), "no index").hint(hint));
    }
}

/// The declared names, each with its index if it is a signal of several.
fn elements<'d>(
    expander: &mut Expander<'_>,
    unit: usize,
    declaration: &'d ast::Declaration,
) -> Result<Vec<(&'d tsl_synth_core::source::Name, Option<i64>)>, Limit> {
    let mut all = Vec::new();
    for (name, width) in declaration.names.iter().zip(&declaration.widths) {
        let Some(width) = *width else {
            all.push((name, None));
            continue;
        };
        let span = expander.units[unit].module.exprs.span(width);
        let value = expander.expand(unit, width)?;
        let Some(count) = expander.int(value, span) else { continue };
        if count < 0 {
            let message = "the number of signals is negative";
            expander.report(Diagnostic::error(Code::NEGATIVE_BOUND, message).at(span, "negative"));
            continue;
        }
        expander.check_count(i128::from(count))?;
        let full = format!("{}{}", expander.units[unit].prefix, name.text);
        let base = expander.values.name(&full);
        expander.widths.insert(base, count);
        all.extend((0..count).map(|index| (name, Some(index))));
    }
    Ok(all)
}

fn sort(
    expander: &mut Expander<'_>,
    result: &mut Declarations,
    unit: usize,
    sort: &ast::SortExpr,
) -> Result<Sort, Limit> {
    Ok(match &sort.kind {
        SortKind::Bool => Sort::Bool,
        SortKind::Named(name) if matches!(&**name, "Int" | "Nat") => Sort::Int,
        SortKind::Named(name) if &**name == "Real" => Sort::Real,
        SortKind::Named(name) => Sort::Named(name.to_string()),
        SortKind::Bounded { name, .. } => match &*name.text {
            "Int" => Sort::Int,
            "Real" => Sort::Real,
            _ => {
                let message = format!("`{}` has no bounds", name.text);
                let hint = "`Int` and `Real` have: `Real in -40..125`; a range is `0..3`";
                let error = Diagnostic::error(Code::BAD_DECLARATION, message);
                expander.report(error.at(name.span, "not `Int` or `Real`").hint(hint));
                Sort::Number
            }
        },
        SortKind::Range { low, high } => {
            let (low_value, high_value) = (expander.expand(unit, *low)?, expander.expand(unit, *high)?);
            let low = expander.int(low_value, sort.span);
            let high = expander.int(high_value, sort.span);
            let (Some(low), Some(high)) = (low, high) else { return Ok(Sort::Number) };
            if low > high {
                let message = format!("the range {low}..{high} is empty");
                expander.report(
                    Diagnostic::error(Code::EMPTY_RANGE, message)
                        .at(sort.span, "the lower end is above the upper end")
                        .hint(format!("did you mean `{high}..{low}`?")),
                );
                return Ok(Sort::Number);
            }
            Sort::Range(low, high)
        }
        SortKind::Enum(names) => {
            let prefix = &expander.units[unit].prefix;
            let full: Vec<String> = names.iter().map(|name| format!("{prefix}{}", name.text)).collect();
            for (i, name) in names.iter().enumerate() {
                if let Some(first) = names[..i].iter().find(|n| n.text == name.text) {
                    let message = format!("the variant `{}` is there twice", name.text);
                    expander.report(
                        Diagnostic::error(Code::REDEFINITION, message)
                            .at(name.span, "again here")
                            .at(first.span, "first here"),
                    );
                }
                let id = expander.values.name(&full[i]);
                let of = result.variants.entry(id).or_default();
                if !of.contains(&full) {
                    of.push(full.clone());
                }
            }
            Sort::Enum(full)
        }
    })
}
