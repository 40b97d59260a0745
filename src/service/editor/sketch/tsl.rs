//! The sketch of a text in TSL.

use super::{
    ClauseAt, ImportAt, NameRole, OutlineItem, OutlineKind, SketchDraft, SketchForm, SketchScope, snippet,
};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::Id;
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::source::Name;
use tsl_synth_core::source::{SourceId, SourceMap, Span};
use tsl_synth_lang::syntax::ast::{
    Binder, Declaration, DeclarationKind, Definition, ExprId, ExprKind, Item, Module, Section, SectionKind,
    SectionMode, SortKind,
};
use tsl_synth_lang::syntax::parse_tsl_partly;

pub(super) fn draft(map: &SourceMap, source: SourceId) -> SketchDraft {
    let mut draft = SketchDraft::default();
    let Some(module) = parse_tsl_partly(map, source, &mut Diagnostics::new()) else { return draft };
    let text = map.get(source).text.as_str();
    nodes(&module, &mut draft);
    for item in &module.items {
        match item {
            Item::Import(import) => {
                let Some(name) = import.module.as_ref().filter(|_| !import.is_library) else {
                    // There is no file to go to.
                    draft.keywords.push(import.span.start as usize..import.path.span.start as usize);
                    continue;
                };
                let path = &import.path;
                draft.imports.push(ImportAt {
                    path: path.text.to_string(),
                    path_range: path.span.range(),
                    module: name.text.to_string(),
                });
                let written = snippet(text, import.span.range(), 120);
                draft.introduced.push((name.text.to_string(), NameRole::Module, name.span.range(), written));
                let (start, name_start) = (import.span.start as usize, name.span.start as usize);
                draft.keywords.push(start..path.span.start as usize);
                draft.keywords.push(path.span.end as usize..name_start);
                draft.items.push(leaf(
                    text,
                    OutlineKind::Import,
                    import.span,
                    name,
                    &format!("{} = {}", name.text, path.text),
                ));
            }
            Item::Declaration(declaration) => self::declaration(text, declaration, &mut draft),
            Item::Definition(definition) => self::definition(text, definition, &mut draft),
            Item::Section(section) => self::section(text, &module, section, &mut draft),
        }
    }
    draft.guessed = guesses(&module, &draft);
    draft
}

fn leaf(text: &str, kind: OutlineKind, whole: Span, name: &Name, shown: &str) -> OutlineItem {
    let range = trimmed(text, whole);
    let selection = name.span.range();
    let range = range.start.min(selection.start)..range.end.max(selection.end);
    OutlineItem { name: shown.into(), kind, range, selection, children: Vec::new() }
}

/// A span without the blanks around it.
fn trimmed(text: &str, span: Span) -> std::ops::Range<usize> {
    let piece = &text[span.range()];
    let start = span.start as usize + (piece.len() - piece.trim_start().len());
    start..start + piece.trim().len()
}

fn nodes(module: &Module, draft: &mut SketchDraft) {
    let ids = |ids: &[ExprId]| ids.iter().map(|id| id.index()).collect::<Vec<_>>();
    for (id, expr) in module.exprs.enumerate() {
        let mut children = Vec::new();
        module.exprs.for_each_child(id, |child| children.push(child));
        let mut children = ids(&children);
        let form = match &expr.kind {
            ExprKind::Name(_) | ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Real(_) => SketchForm::Leaf,
            ExprKind::Apply { .. } => SketchForm::Apply,
            ExprKind::Update { cell, cell_span, .. } => {
                draft.written.insert(cell_span.start as usize);
                SketchForm::Update(cell.to_string())
            }
            ExprKind::Unary(op, _) => SketchForm::Unary(*op),
            ExprKind::Bounded { op, .. } => SketchForm::Bounded(*op),
            ExprKind::Timed { op, .. } => SketchForm::Timed(*op),
            ExprKind::Every { .. } => SketchForm::Every,
            ExprKind::Binary(op, ..) => SketchForm::Binary(*op),
            ExprKind::Big { op, binders, body } => {
                let within = expr.span.range();
                for binder in binders {
                    let (Binder::In { name, .. } | Binder::Between { name, .. }) = binder;
                    let bound = (name.text.to_string(), NameRole::Variable, name.span.range());
                    draft.scopes.push(SketchScope { within: within.clone(), names: vec![bound] });
                }
                children = vec![body.index()];
                SketchForm::Big(*op)
            }
            ExprKind::Group(_) => SketchForm::Group,
            ExprKind::Set(_)
            | ExprKind::Progression { .. }
            | ExprKind::Index { .. }
            | ExprKind::BoundedBinary { .. } => SketchForm::Other,
        };
        draft.push(expr.span.range(), form, children);
    }
}

fn declaration(text: &str, declaration: &Declaration, draft: &mut SketchDraft) {
    let role = match declaration.kind {
        DeclarationKind::Input => NameRole::Input,
        DeclarationKind::Output => NameRole::Output,
        DeclarationKind::Cell => NameRole::Cell,
        DeclarationKind::Predicate => NameRole::Predicate,
        DeclarationKind::Function => NameRole::Function,
    };
    let Some(first) = declaration.names.first() else { return };
    draft.keywords.push(declaration.span.start as usize..first.span.start as usize);
    let written = snippet(text, declaration.span.range(), 200);
    for name in &declaration.names {
        draft.introduced.push((name.text.to_string(), role, name.span.range(), written.clone()));
        let kind = OutlineKind::Name(role);
        draft.items.push(OutlineItem {
            name: name.text.to_string(),
            kind,
            range: name.span.range(),
            selection: name.span.range(),
            children: Vec::new(),
        });
    }
    let Some(signature) = &declaration.signature else { return };
    for sort in signature.arguments.iter().chain([&signature.result]) {
        match &sort.kind {
            SortKind::Bool | SortKind::Named(_) => draft.sorts.push(sort.span.range()),
            SortKind::Range { .. } | SortKind::Bounded { .. } => {}
            SortKind::Enum(values) => {
                if let Some(first) = values.first() {
                    draft.keywords.push(sort.span.start as usize..first.span.start as usize);
                }
                for value in values {
                    draft.introduced.push((
                        value.text.to_string(),
                        NameRole::Value,
                        value.span.range(),
                        written.clone(),
                    ));
                }
            }
        }
    }
}

fn definition(text: &str, definition: &Definition, draft: &mut SketchDraft) {
    let name = &definition.name;
    let written = snippet(text, definition.span.range(), 200);
    draft.introduced.push((name.text.to_string(), NameRole::Definition, name.span.range(), written));
    let parameter = |name: &Name| (name.text.to_string(), NameRole::Parameter, name.span.range());
    let names = definition.parameters.iter().map(parameter).collect();
    draft.scopes.push(SketchScope { within: definition.span.range(), names });
    let kind = OutlineKind::Name(NameRole::Definition);
    draft.items.push(leaf(text, kind, definition.span, name, &name.text));
}

fn section(text: &str, module: &Module, section: &Section, draft: &mut SketchDraft) {
    let always = section.mode == Some(SectionMode::Always);
    let assumed = section.kind == SectionKind::Assume;
    let header = trimmed(text, section.header);
    draft.keywords.push(header.clone());
    let mut children = Vec::new();
    for &clause in &section.clauses {
        draft.clauses.push(ClauseAt { root: clause.index(), assumed, always });
        let range = trimmed(text, module.exprs.span(clause));
        children.push(OutlineItem {
            name: snippet(text, range.clone(), 60),
            kind: OutlineKind::Clause,
            selection: range.clone(),
            range,
            children: Vec::new(),
        });
    }
    let range = trimmed(text, section.span);
    draft.items.push(OutlineItem {
        name: snippet(text, header.clone(), 60),
        kind: OutlineKind::Section,
        range: range.start.min(header.start)..range.end.max(header.end),
        selection: header,
        children,
    });
}

/// The roles of names that are introduced nowhere, guessed from their uses.
fn guesses(module: &Module, draft: &SketchDraft) -> FxHashMap<String, NameRole> {
    let exprs = &module.exprs;
    let mut parents: Vec<Option<usize>> = vec![None; draft.nodes.len()];
    for (i, node) in draft.nodes.iter().enumerate() {
        node.children.iter().for_each(|&child| parents[child] = Some(i));
    }
    let outer = |node: usize| {
        let mut up = parents[node];
        while let Some(group) = up.filter(|&up| draft.nodes[up].form == SketchForm::Group) {
            up = parents[group];
        }
        up
    };
    let in_term = |node: usize| {
        outer(node).is_some_and(|up| match &draft.nodes[up].form {
            SketchForm::Update(_) | SketchForm::Apply => true,
            SketchForm::Binary(op) => op.is_data() || op.is_comparison(),
            _ => false,
        })
    };
    let mut guessed: FxHashMap<String, NameRole> = FxHashMap::default();
    let mut updated: FxHashMap<&str, bool> = FxHashMap::default();
    for (_, expr) in exprs.enumerate() {
        if let ExprKind::Update { cell, .. } = &expr.kind {
            updated.entry(cell).or_insert(false);
        }
    }
    for (id, expr) in exprs.enumerate() {
        let ExprKind::Name(name) = &expr.kind else { continue };
        if let Some(read) = updated.get_mut(&**name) {
            // An update to itself does not count as reading.
            let own = outer(id.index()).map(|up| &draft.nodes[up].form);
            *read |= own != Some(&SketchForm::Update(name.to_string()));
            continue;
        }
        if name.contains('.') {
            guessed.insert(name.to_string(), NameRole::Imported);
            continue;
        }
        let up = parents[id.index()].filter(|&up| {
            draft.nodes[up].form == SketchForm::Apply && draft.nodes[up].children.first() == Some(&id.index())
        });
        let role = match up {
            Some(up) if draft.nodes[up].children.len() == 1 => NameRole::Constant,
            Some(up) if in_term(up) => NameRole::Function,
            Some(_) => NameRole::Predicate,
            None => NameRole::Input,
        };
        let known = guessed.entry(name.to_string()).or_insert(role);
        if *known == NameRole::Input {
            *known = role;
        }
    }
    for (name, read) in updated {
        guessed.insert(name.into(), if read { NameRole::Cell } else { NameRole::Output });
    }
    guessed
}
