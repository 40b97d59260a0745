//! The sketch of a text in TLSF.

use super::{ClauseAt, NameRole, OutlineItem, OutlineKind, SketchDraft, SketchForm, SketchScope, snippet};
use std::ops::Range;
use tsl_synth_core::base::Id;
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::source::Name;
use tsl_synth_core::source::{SourceId, SourceMap};
use tsl_synth_lang::syntax::tlsf::{MainSection, TlsfBinder, TlsfKind, TlsfModule, parse_tlsf_partly};
use tsl_synth_ltl::word::{Word, WordKind};

pub(super) fn draft(map: &SourceMap, source: SourceId, words: &[Word]) -> SketchDraft {
    let mut draft = SketchDraft::default();
    let Some(module) = parse_tlsf_partly(map, source, &mut Diagnostics::new()) else { return draft };
    let text = map.get(source).text.as_str();
    nodes(&module, &mut draft);
    names(text, &module, &mut draft);
    for (part, clauses) in &module.sections {
        let assumed = matches!(part, MainSection::Initially | MainSection::Require | MainSection::Assume);
        let always = matches!(part, MainSection::Require | MainSection::Assert);
        let roots = clauses.iter().map(|root| root.index());
        draft.clauses.extend(roots.map(|root| ClauseAt { root, assumed, always }));
    }
    sections(text, words, &mut draft);
    draft
}

fn nodes(module: &TlsfModule, draft: &mut SketchDraft) {
    for (_, expr) in module.exprs.enumerate() {
        let (form, children): (SketchForm, Vec<_>) = match &expr.kind {
            TlsfKind::Name(_) | TlsfKind::Bool(_) | TlsfKind::Int(_) | TlsfKind::Otherwise => {
                (SketchForm::Leaf, Vec::new())
            }
            TlsfKind::Call(_, arguments) => (SketchForm::Other, arguments.clone()),
            TlsfKind::Index(bus, index) => (SketchForm::Other, vec![*bus, *index]),
            TlsfKind::Unary(op, inner) => (SketchForm::Unary(*op), vec![*inner]),
            TlsfKind::StrongNext(inner) => {
                (SketchForm::Bounded(tsl_synth_ltl::operators::UnaryOp::Next), vec![*inner])
            }
            TlsfKind::SizeOf(inner) => (SketchForm::Other, vec![*inner]),
            TlsfKind::Bounded { op, low, high, body, .. } => {
                (SketchForm::Bounded(*op), vec![*low, *high, *body])
            }
            TlsfKind::Binary(op, a, b) => (SketchForm::Binary(*op), vec![*a, *b]),
            TlsfKind::Match(a, b) => (SketchForm::Other, vec![*a, *b]),
            TlsfKind::Big { op, binders, body } => {
                for binder in binders {
                    let (TlsfBinder::In(name, _) | TlsfBinder::Between { name, .. }) = binder;
                    let bound = (name.text.to_string(), NameRole::Variable, name.span.range());
                    draft.scopes.push(SketchScope { within: expr.span.range(), names: vec![bound] });
                }
                (SketchForm::Big(*op), vec![*body])
            }
            TlsfKind::Set(elements) => (SketchForm::Other, elements.clone()),
            TlsfKind::Progression { first, last, .. } => (SketchForm::Other, vec![*first, *last]),
        };
        draft.push(expr.span.range(), form, children.into_iter().map(Id::index).collect());
    }
}

fn names(text: &str, module: &TlsfModule, draft: &mut SketchDraft) {
    let mut introduce = |name: &Name, role: NameRole, end: usize| {
        let range = name.span.range();
        let written = snippet(text, range.start..end.max(range.end), 120);
        draft.introduced.push((name.text.to_string(), role, range, written));
    };
    let end_of = |start: u32| text[start as usize..].find(';').map_or(text.len(), |n| start as usize + n);
    for (name, _) in &module.parameters {
        introduce(name, NameRole::Parameter, end_of(name.span.start));
    }
    for definition in &module.enums {
        introduce(&definition.name, NameRole::Enumeration, end_of(definition.name.span.start));
        for (value, codes) in &definition.values {
            let end = codes.last().map_or(value.span.end, |code| code.span.end);
            introduce(value, NameRole::Value, end as usize);
        }
    }
    for (signals, role) in [(&module.inputs, NameRole::Input), (&module.outputs, NameRole::Output)] {
        for signal in signals {
            introduce(&signal.name, role, end_of(signal.name.span.start));
        }
    }
    for definition in &module.definitions {
        let start = definition.name.span.start as usize;
        let last = definition.alternatives.last();
        let end = last.map_or(start, |(_, body)| module.exprs.span(*body).end as usize);
        introduce(&definition.name, NameRole::Definition, end);
        let parameter = |name: &Name| (name.text.to_string(), NameRole::Parameter, name.span.range());
        let names = definition.parameters.iter().map(parameter).collect();
        draft.scopes.push(SketchScope { within: start..end.max(start), names });
    }
}

/// The sections as they nest in the text, with their names and clauses.
fn sections(text: &str, words: &[Word], draft: &mut SketchDraft) {
    let word = |i: usize| words.get(i).map_or("", |word: &Word| &text[word.range.clone()]);
    let mut open: Vec<(usize, Option<OutlineItem>)> = Vec::new();
    let mut inside: Vec<OutlineItem> = draft
        .clauses
        .iter()
        .map(|clause| {
            let range = draft.nodes[clause.root].range.clone();
            item(snippet(text, range.clone(), 60), OutlineKind::Clause, range.clone(), range)
        })
        .collect();
    let leaves = draft.introduced.iter().filter(|(_, role, ..)| *role != NameRole::Value);
    inside.extend(leaves.map(|(name, role, range, _)| {
        item(name.clone(), OutlineKind::Name(*role), range.clone(), range.clone())
    }));
    inside.sort_by_key(|item| item.range.start);
    for i in 0..words.len() {
        match word(i) {
            "{" => {
                let header = i.checked_sub(1).filter(|&i| words[i].kind == WordKind::Keyword);
                let section = header.map(|h| {
                    let selection = words[h].range.clone();
                    item(word(h).into(), OutlineKind::Section, selection.start..words[i].range.end, selection)
                });
                open.push((i, section));
            }
            "}" => {
                let Some((start, section)) = open.pop() else { continue };
                let Some(section) = section else { continue };
                close(section, words[i].range.end, &mut inside, &mut open, draft);
                if word(start.wrapping_sub(1)) == "INFO" {
                    draft.keywords.push(words[start].range.start..words[i].range.end);
                }
            }
            _ => {}
        }
    }
    while let Some((_, section)) = open.pop() {
        if let Some(section) = section {
            close(section, text.len(), &mut inside, &mut open, draft);
        }
    }
    draft.items.append(&mut inside);
}

fn item(name: String, kind: OutlineKind, range: Range<usize>, selection: Range<usize>) -> OutlineItem {
    OutlineItem { name, kind, range, selection, children: Vec::new() }
}

/// Moves the items inside a section into it, and the section into the one around it.
fn close(
    mut section: OutlineItem,
    end: usize,
    inside: &mut Vec<OutlineItem>,
    open: &mut [(usize, Option<OutlineItem>)],
    draft: &mut SketchDraft,
) {
    section.range.end = end;
    let own = |item: &OutlineItem| section.range.start <= item.range.start && item.range.end <= end;
    let (children, rest) = std::mem::take(inside).into_iter().partition(own);
    *inside = rest;
    section.children.extend::<Vec<_>>(children);
    section.children.sort_by_key(|item| item.range.start);
    match open.iter_mut().rev().find_map(|(_, section)| section.as_mut()) {
        Some(outer) => outer.children.push(section),
        None => draft.items.push(section),
    }
}
