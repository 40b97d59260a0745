//! Texts for clauses whose own text would mislead: instances of big conjunctions, and formulas that LTL reads differently.

use super::super::problem::{Clause, ClauseId, Wordings};
use super::expand::{Scope, TlsfExpander};
use crate::syntax::tlsf::{TlsfBinder, TlsfId, TlsfKind, TlsfModule, rewritten};
use std::sync::Arc;
use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::source::Span;

/// The most instances for which texts are stored.
const MOST_INSTANCES: usize = 10_000;

/// An instance of the body of a big conjunction.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClauseInstance {
    /// The body.
    pub(super) expr: TlsfId,
    /// The names that are bound in it.
    pub(super) scope: Scope,
}

/// The texts for the clauses of a file; `instances` belong to the first clauses.
pub(super) fn of(
    module: &TlsfModule,
    text: &str,
    expander: &TlsfExpander<'_>,
    instances: &[Option<ClauseInstance>],
    clauses: &IdVec<ClauseId, Clause>,
) -> Wordings {
    let mut wordings = Wordings::default();
    let spans = clauses.iter().filter_map(|clause| clause.span);
    let written = spans.filter_map(|span| Some((span, rewritten(text, span, &module.implied, &[])?)));
    wordings.parenthesized = written.collect();
    if instances.iter().flatten().take(MOST_INSTANCES + 1).count() > MOST_INSTANCES {
        return wordings;
    }
    let names = names(module);
    for (clause, instance) in clauses.iter().zip(instances) {
        if let (Some(span), Some(instance)) = (clause.span, instance)
            && let Some(text) = instance_text(module, text, expander, *instance, &names)
        {
            wordings.instances.insert((span, clause.formula), text);
        }
    }
    // Clauses of one place that are not told apart otherwise are shown as formulas.
    for (i, clause) in clauses.iter().enumerate() {
        let Some(span) = clause.span else { continue };
        let is_known = wordings.instances.contains_key(&(span, clause.formula));
        let is_other = |other: &Clause| other.span == Some(span) && other.formula != clause.formula;
        let neighbors = [i.checked_sub(1), Some(i + 1)].into_iter().flatten();
        let neighbors = neighbors.filter(|&i| i < clauses.len()).map(|i| &clauses[ClauseId::from_index(i)]);
        if !is_known && neighbors.into_iter().any(is_other) {
            wordings.shared.insert(span);
        }
    }
    wordings
}

/// All names of a file in order, with their places.
fn names(module: &TlsfModule) -> Vec<(Span, Arc<str>)> {
    let mut names: Vec<(Span, Arc<str>)> = Vec::new();
    for (_, expr) in module.exprs.enumerate() {
        if let TlsfKind::Name(name) = &expr.kind {
            names.push((expr.span, name.clone()));
        }
    }
    names.sort_unstable_by_key(|(span, _)| (span.start, span.end));
    names
}

/// The body of a big conjunction with the values of the bound names; `None` if they cannot be written.
fn instance_text(
    module: &TlsfModule,
    text: &str,
    expander: &TlsfExpander<'_>,
    instance: ClauseInstance,
    names: &[(Span, Arc<str>)],
) -> Option<String> {
    let part = module.exprs.span(instance.expr);
    let bound = expander.bound(instance.scope);
    let first = names.partition_point(|(span, _)| span.start < part.start);
    let mut words: Vec<(Span, String)> = Vec::new();
    for (span, name) in names[first..].iter().take_while(|(span, _)| span.start < part.end) {
        if let Some((_, value)) = bound.iter().find(|(own, _)| own == name) {
            words.push((*span, value.clone()?));
        }
    }
    // A big operator in the body may bind the name again.
    let binds_again = module.exprs.enumerate().any(|(_, expr)| match &expr.kind {
        TlsfKind::Big { binders, .. } if part.start <= expr.span.start && expr.span.end <= part.end => {
            binders.iter().any(|binder| {
                let (TlsfBinder::In(name, _) | TlsfBinder::Between { name, .. }) = binder;
                bound.iter().any(|(own, _)| *own == name.text)
            })
        }
        _ => false,
    });
    if binds_again {
        return None;
    }
    let written = rewritten(text, part, &module.implied, &words);
    Some(written.unwrap_or_else(|| text[part.range()].to_owned()))
}
