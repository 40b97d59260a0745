//! Circular definitions: a definition must not depend on itself.

use super::expand::Expander;
use super::value::MacroId;
use crate::syntax::ast::{AlternativeGuard, Binder, ExprKind};
use rustc_hash::FxHashSet;
use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::diag::{Code, Diagnostic};

/// Reports every cycle of definitions once and marks its members as broken. Linear, iterative.
pub(super) fn mark_cycles(expander: &mut Expander<'_>) {
    let uses: IdVec<MacroId, Vec<MacroId>> = expander.macros.ids().map(|id| uses(expander, id)).collect();
    let mut state = IdVec::<MacroId, u8>::filled(0, expander.macros.len());
    for root in expander.macros.ids() {
        // A path of definitions, each with the number of its uses already followed.
        let mut path: Vec<(MacroId, usize)> = Vec::new();
        if state[root] == 0 {
            state[root] = 1;
            path.push((root, 0));
        }
        while let Some((id, next)) = path.last_mut() {
            let Some(&used) = uses[*id].get(*next) else {
                state[*id] = 2;
                path.pop();
                continue;
            };
            *next += 1;
            match state[used] {
                0 => {
                    state[used] = 1;
                    path.push((used, 0));
                }
                1 => {
                    let start = path.iter().position(|(id, _)| *id == used).unwrap_or(0);
                    let cycle: Vec<MacroId> = path[start..].iter().map(|(id, _)| *id).collect();
                    report(expander, &cycle);
                }
                _ => {}
            }
        }
    }
}

fn report(expander: &mut Expander<'_>, cycle: &[MacroId]) {
    let names: Vec<&str> = cycle.iter().chain(&cycle[..1]).map(|&id| &*expander.macros[id].name).collect();
    let mut diagnostic = Diagnostic::error(
        Code::CIRCULAR_DEFINITION,
        format!("this definition needs itself: {}", names.join(" -> ")),
    );
    for (i, &id) in cycle.iter().enumerate() {
        let text = if i == 0 { "defined through itself" } else { "on the way" };
        diagnostic = diagnostic.at(expander.macros[id].definition.name.span, text);
    }
    for &id in cycle {
        expander.macros[id].broken = true;
    }
    expander.report(diagnostic.hint(
        "definitions are macros and cannot be recursive; use a big operator such as `&&[0 <= i < n] f`",
    ));
}

fn uses(expander: &Expander<'_>, id: MacroId) -> Vec<MacroId> {
    let this = &expander.macros[id];
    let unit = &expander.units[this.unit];
    let mut todo = Vec::new();
    for alternative in &this.definition.alternatives {
        todo.push(alternative.body);
        if let AlternativeGuard::When(guard) = alternative.guard {
            todo.push(guard);
        }
    }
    let (mut names, mut bound) = (Vec::new(), FxHashSet::default());
    bound.extend(this.definition.parameters.iter().map(|p| p.text.clone()));
    while let Some(expr) = todo.pop() {
        match unit.module.exprs.kind(expr) {
            ExprKind::Name(text)
            | ExprKind::Index { name: text, .. }
            | ExprKind::Update { cell: text, .. } => names.push(text.clone()),
            ExprKind::Big { binders, .. } => bound.extend(binders.iter().map(|binder| match binder {
                Binder::In { name, .. } | Binder::Between { name, .. } => name.text.clone(),
            })),
            _ => {}
        }
        unit.module.exprs.for_each_child(expr, |child| todo.push(child));
    }
    names.retain(|name| !bound.contains(name));
    let mut found: Vec<MacroId> = names
        .iter()
        .filter_map(|name| expander.by_name.get(format!("{}{name}", unit.prefix).as_str()).copied())
        .collect();
    found.sort_by_key(|id| id.index());
    found.dedup();
    found
}
