//! Declared Boolean outputs without updates, as in Spectra, TLSF and LTL: after `output gnt: Bool;`, `gnt` means `[gnt
//! <- true]` and `!gnt` means `[gnt <- false]`. The output has these two updates and no self-update, since its value
//! cannot be read in later steps.

use super::declare::{Declarations, Declared};
use super::lower::RawClause;
use super::signature::Sort;
use super::value::{Expanded, ExpandedId, ExpandedValues, NameId};
use crate::syntax::ast::DeclarationKind;
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::Limit;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::Span;

/// The outputs that the system chooses, and a report for each that is read as well. Outputs without a sort are Boolean if
/// they are used as formulas and as nothing else.
pub(super) fn find(
    declarations: &Declarations,
    values: &ExpandedValues,
    roots: &[ExpandedId],
    diagnostics: &mut Diagnostics,
) -> FxHashSet<NameId> {
    let mut chosen = FxHashSet::default();
    let is_candidate = |d: &&Declared| {
        d.kind == DeclarationKind::Output && d.initial.is_none() && matches!(d.sort, None | Some(Sort::Bool))
    };
    let candidates: Vec<&Declared> = declarations.all.iter().filter(is_candidate).collect();
    if candidates.is_empty() {
        return chosen;
    }
    let uses = Uses::of(values, roots);
    for declared in candidates {
        let name = declared.name;
        let (stated, read) = (uses.stated.contains(&name), uses.read.get(&name));
        match (stated, read) {
            _ if uses.updated.contains(&name) => {}
            (true, None) => {
                chosen.insert(name);
            }
            (_, Some(&place)) if declared.sort.is_some() => {
                diagnostics.push(no_value(values.text(name), place, declared.span));
            }
            _ => {}
        }
    }
    chosen
}

fn no_value(name: &str, place: Span, declared: Span) -> Diagnostic {
    let message =
        format!("`{name}` is an output that the system chooses in each step, and no value to be read");
    Diagnostic::error(Code::CHOSEN_OUTPUT, message)
        .at(place, "used as a term here")
        .at(declared, "declared as an output, and never updated")
        .hint(format!(
            "in a formula, `{name}` and `!{name}` say which value it gets in this step; a value that can be read is that of \
             a cell: `cell {name}: Bool = false;`, set by `[{name} <- true]`"
        ))
}

/// How names are used.
#[derive(Default)]
struct Uses {
    updated: FxHashSet<NameId>,
    /// As a formula.
    stated: FxHashSet<NameId>,
    /// As a term, with the first place.
    read: FxHashMap<NameId, Span>,
}

impl Uses {
    fn of(values: &ExpandedValues, roots: &[ExpandedId]) -> Self {
        let mut uses = Self::default();
        let name = |id: ExpandedId| match values.get(id) {
            Expanded::Name(name) => Some(*name),
            _ => None,
        };
        uses.stated.extend(roots.iter().filter_map(|&root| name(root)));
        for id in values.reachable(roots.iter().copied()) {
            let value = values.get(id);
            if let Expanded::Update(cell, _) = value {
                uses.updated.insert(*cell);
            }
            let states = has_formulas(value);
            value.for_each_operand(|operand| match name(operand) {
                Some(name) if states => {
                    uses.stated.insert(name);
                }
                Some(name) => {
                    uses.read.entry(name).or_insert(values.span(id));
                }
                None => {}
            });
        }
        uses
    }
}

/// Whether the operands of a value are formulas.
fn has_formulas(value: &Expanded) -> bool {
    value.is_boolean_operator() || value.is_future_operator() || value.is_past_operator()
}

/// Replaces the names of chosen outputs in formulas by their updates to `true`. Linear.
///
/// # Errors
/// The budget of values is spent.
pub(super) fn rewrite_clauses(
    values: &mut ExpandedValues,
    clauses: &mut [RawClause],
    chosen: &FxHashSet<NameId>,
) -> Result<(), Limit> {
    let roots: Vec<ExpandedId> = clauses.iter().map(|clause| clause.formula).collect();
    let rewritten = rewrite(values, &roots, chosen)?;
    for (clause, formula) in clauses.iter_mut().zip(rewritten) {
        clause.formula = formula;
    }
    Ok(())
}

/// The roots with the names of chosen outputs replaced, in order.
///
/// # Errors
/// The budget of values is spent.
pub(super) fn rewrite(
    values: &mut ExpandedValues,
    roots: &[ExpandedId],
    chosen: &FxHashSet<NameId>,
) -> Result<Vec<ExpandedId>, Limit> {
    if chosen.is_empty() {
        return Ok(roots.to_vec());
    }
    let mut made: FxHashMap<ExpandedId, ExpandedId> = FxHashMap::default();
    // Operands come before the values made of them.
    for id in values.reachable(roots.iter().copied()) {
        let span = values.span(id);
        let value = match values.get(id) {
            Expanded::Name(name) if chosen.contains(name) => {
                let name = *name;
                let yes = values.intern(Expanded::Bool(true), span)?;
                Expanded::Update(name, yes)
            }
            value if has_formulas(value) => with_operands(value, |operand| made[&operand]),
            // Of terms nothing changes.
            _ => {
                made.insert(id, id);
                continue;
            }
        };
        let new = values.intern(value, span)?;
        made.insert(id, new);
    }
    Ok(roots.iter().map(|root| made[root]).collect())
}

/// A value whose operands are formulas, with other operands.
pub(super) fn with_operands(value: &Expanded, of: impl Fn(ExpandedId) -> ExpandedId) -> Expanded {
    match value {
        Expanded::Not(a) => Expanded::Not(of(*a)),
        Expanded::Next(a) => Expanded::Next(of(*a)),
        Expanded::Finally(a) => Expanded::Finally(of(*a)),
        Expanded::Globally(a) => Expanded::Globally(of(*a)),
        Expanded::Yesterday(a) => Expanded::Yesterday(of(*a)),
        Expanded::And(all) => Expanded::And(all.iter().map(|&a| of(a)).collect()),
        Expanded::Or(all) => Expanded::Or(all.iter().map(|&a| of(a)).collect()),
        Expanded::Implies(a, b) => Expanded::Implies(of(*a), of(*b)),
        Expanded::Iff(a, b) => Expanded::Iff(of(*a), of(*b)),
        Expanded::Until(a, b) => Expanded::Until(of(*a), of(*b)),
        Expanded::Release(a, b) => Expanded::Release(of(*a), of(*b)),
        Expanded::WeakUntil(a, b) => Expanded::WeakUntil(of(*a), of(*b)),
        Expanded::StrongRelease(a, b) => Expanded::StrongRelease(of(*a), of(*b)),
        Expanded::Since(a, b) => Expanded::Since(of(*a), of(*b)),
        other => other.clone(),
    }
}
