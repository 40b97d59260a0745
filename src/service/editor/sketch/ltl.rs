//! The sketch of a text in LTL. An operator and a proposition may be written without a blank between them, so names are
//! taken from the syntax tree and not from the words.

use super::{ClauseAt, NameRole, OutlineItem, OutlineKind, SketchDraft, SketchForm, snippet};
use tsl_synth_core::base::Id;
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::source::{SourceId, SourceMap, Span};
use tsl_synth_ltl::ltl::{LtlKind, parse_ltl_partly};

pub(super) fn draft(map: &SourceMap, source: SourceId) -> SketchDraft {
    let mut draft = SketchDraft::default();
    let Some(module) = parse_ltl_partly(map, source, &|_| false, &mut Diagnostics::new()) else {
        return draft;
    };
    let text = map.get(source).text.as_str();
    for (_, expr) in module.exprs.enumerate() {
        let (form, children) = match &expr.kind {
            LtlKind::Constant(_) => (SketchForm::Leaf, Vec::new()),
            LtlKind::Proposition(_) => {
                draft.names.insert(bare(text, expr.span));
                (SketchForm::Leaf, Vec::new())
            }
            LtlKind::Unary(op, inner) => (SketchForm::Unary(*op), vec![inner.index()]),
            LtlKind::Bounded { op, body, .. } => (SketchForm::Bounded(*op), vec![body.index()]),
            LtlKind::Binary(op, a, b) => (SketchForm::Binary(*op), vec![a.index(), b.index()]),
        };
        draft.push(expr.span.range(), form, children);
    }
    for (names, role) in [(&module.inputs, NameRole::Input), (&module.outputs, NameRole::Output)] {
        for name in names.iter().flatten() {
            let (start, end) = bare(text, name.span);
            draft.names.insert((start, end));
            draft.introduced.push((name.text.to_string(), role, start..end, String::new()));
            draft.items.push(OutlineItem {
                name: name.text.to_string(),
                kind: OutlineKind::Name(role),
                range: start..end,
                selection: start..end,
                children: Vec::new(),
            });
        }
    }
    for (roots, assumed) in [(&module.assumptions, true), (&module.formulas, false)] {
        for &root in roots {
            draft.clauses.push(ClauseAt { root: root.index(), assumed, always: false });
            let range = module.exprs.span(root).range();
            let shown = snippet(text, range.clone(), 60);
            draft.items.push(OutlineItem {
                name: if assumed { format!("assume {shown}") } else { shown },
                kind: OutlineKind::Clause,
                selection: range.clone(),
                range,
                children: Vec::new(),
            });
        }
    }
    draft
}

/// The bytes of a name without its quotes.
fn bare(text: &str, span: Span) -> (usize, usize) {
    let (start, end) = (span.start as usize, span.end as usize);
    let quoted = end - start >= 2 && text[start..end].starts_with('"') && text[start..end].ends_with('"');
    if quoted { (start + 1, end - 1) } else { (start, end) }
}
