//! TSL modulo theories as other tools write it (`.tslmt`): Issy with a header of declarations, Raboniel with comments that
//! name the signals, TeMoS with a theory tag only. The text is rewritten as TSL, where each token keeps its byte offset, and
//! the functions of the theory become operators.

mod functions;
mod header;
mod literals;

pub(super) use functions::FUNCTIONS;
pub use functions::theory_operator;
pub(super) use header::WrongHeader;

use super::ast::{
    Declaration, DeclarationKind, Expr, ExprId, ExprKind, Exprs, Item, Module, SortExpr, SortKind,
    SortSignature,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use tsl_synth_core::diag::Diagnostic;
use tsl_synth_core::source::{Name, SourceId, Span};

/// Whether a file with this name is TSL modulo theories.
pub fn is_tsl_mt(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("tslmt"))
}

/// A text of another tool that can be read as TSL.
pub(super) struct Foreign {
    /// The text as TSL. Each token keeps its byte offset, so that spans are those of the original text.
    pub(super) text: String,
    declared: Vec<Declared>,
    has_fractions: bool,
    /// Whether the text has a theory in which functions have no meaning.
    is_uninterpreted: bool,
}

struct Declared {
    kind: DeclarationKind,
    /// `None`: a number, of the sort that the text suggests.
    sort: Option<&'static str>,
    name: String,
    at: Range<usize>,
}

impl Foreign {
    /// Prepares a text.
    ///
    /// # Errors
    /// A header that cannot be read.
    pub(super) fn new(text: &str) -> Result<Self, WrongHeader> {
        let mut declared = Vec::new();
        let mut bytes = text.as_bytes().to_vec();
        let tag = header::tag(text);
        blank(&mut bytes, 0..tag);
        if let Some(end) = header::header(text, &mut declared)? {
            blank(&mut bytes, 0..end);
        }
        header::named_in_comments(text, &mut declared);
        let has_fractions = literals::literals(text, &mut bytes);
        let is_uninterpreted = text[..tag].contains("UF");
        let text = String::from_utf8(bytes).unwrap_or_default();
        Ok(Self { text, declared, has_fractions, is_uninterpreted })
    }

    /// Turns functions of the theory into operators, and adds the declarations of the text; signals without one are
    /// numbers if they are compared or computed with. Returns what is wrong with the functions.
    pub(super) fn finish(self, module: &mut Module) -> Vec<Diagnostic> {
        let defined: BTreeSet<Arc<str>> = module
            .items
            .iter()
            .flat_map(|item| match item {
                Item::Definition(definition) => {
                    let own = definition.parameters.iter().chain([&definition.name]);
                    own.map(|name| name.text.clone()).collect()
                }
                Item::Declaration(own) => own.names.iter().map(|name| name.text.clone()).collect(),
                Item::Import(_) | Item::Section(_) => Vec::new(),
            })
            .collect();
        let mut diagnostics = Vec::new();
        functions::operators(&mut module.exprs, &defined, &mut diagnostics);
        if !self.is_uninterpreted {
            diagnostics.extend(functions::unknown(&module.exprs, &defined));
        }
        let mut declared = self.declared;
        let updated = updated(&module.exprs);
        let numbers = numbers(&module.exprs);
        let truth_values = truth_values(module);
        for one in declared.iter_mut().filter(|one| one.sort.is_none()) {
            if truth_values.contains(&*one.name) && !numbers.contains_key(&*one.name) {
                one.sort = Some("Bool");
            }
        }
        for (name, at) in numbers {
            if defined.contains(&name) || declared.iter().any(|known| *known.name == *name) {
                continue;
            }
            let kind = if updated.contains(&name) { DeclarationKind::Cell } else { DeclarationKind::Input };
            let at = at.start as usize..at.end as usize;
            declared.push(Declared { kind, sort: None, name: name.to_string(), at });
        }
        let has_real_names = declared.iter().any(|one| one.name.starts_with("r_"));
        let number = |name: &str| {
            let is_real = self.has_fractions && (!has_real_names || name.starts_with("r_"));
            if is_real { "Real" } else { "Int" }
        };
        let items = declared.iter().map(|one| {
            let sort = one.sort.unwrap_or_else(|| number(&one.name));
            Item::Declaration(one.declaration(sort, module.source))
        });
        module.items.splice(0..0, items.collect::<Vec<_>>());
        diagnostics
    }
}

impl Declared {
    fn declaration(&self, sort: &'static str, source: SourceId) -> Declaration {
        let span = Span::new(source, self.at.start, self.at.end);
        let kind = if sort == "Bool" { SortKind::Bool } else { SortKind::Named(sort.into()) };
        Declaration {
            span,
            kind: self.kind,
            modifiers: Vec::new(),
            names: vec![Name { text: self.name.as_str().into(), span }],
            widths: vec![None],
            signature: Some(SortSignature { arguments: Vec::new(), result: SortExpr { span, kind } }),
            init: None,
        }
    }
}

fn blank(bytes: &mut [u8], range: Range<usize>) {
    bytes[range].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

/// The names of cells that are updated.
fn updated(exprs: &Exprs) -> BTreeSet<Arc<str>> {
    let cell = |(_, expr): (ExprId, &Expr)| match &expr.kind {
        ExprKind::Update { cell, .. } => Some(cell.clone()),
        _ => None,
    };
    exprs.enumerate().filter_map(cell).collect()
}

/// The names that are compared or computed with, each with its first place.
fn numbers(exprs: &Exprs) -> BTreeMap<Arc<str>, Span> {
    let mut found = BTreeMap::new();
    let mut add = |id: ExprId| {
        if let ExprKind::Name(name) = exprs.kind(exprs.strip(id)) {
            found.entry(name.clone()).or_insert_with(|| exprs.span(id));
        }
    };
    for (_, expr) in exprs.enumerate() {
        match expr.kind {
            ExprKind::Binary(operator, left, right) if operator.is_comparison() || operator.is_data() => {
                add(left);
                add(right);
            }
            _ => {}
        }
    }
    found
}

/// The names that stand where a formula belongs, the cells that are updated by a truth value, and cells that are updated
/// by such names.
fn truth_values(module: &Module) -> BTreeSet<Arc<str>> {
    let exprs = &module.exprs;
    let mut found = BTreeSet::new();
    let name_of = |id: ExprId| match exprs.kind(exprs.strip(id)) {
        ExprKind::Name(name) => Some(name.clone()),
        _ => None,
    };
    let sections = module.items.iter().filter_map(|item| match item {
        Item::Section(section) => Some(section.clauses.iter().copied()),
        _ => None,
    });
    found.extend(sections.flatten().filter_map(name_of));
    let mut copies = Vec::new();
    for (_, expr) in exprs.enumerate() {
        match &expr.kind {
            ExprKind::Unary(_, body)
            | ExprKind::Bounded { body, .. }
            | ExprKind::Timed { body, .. }
            | ExprKind::Every { body, .. } => found.extend(name_of(*body)),
            ExprKind::Binary(operator, left, right) if !operator.is_comparison() && !operator.is_data() => {
                found.extend([*left, *right].into_iter().filter_map(name_of));
            }
            ExprKind::Update { cell, value, .. } => match exprs.kind(exprs.strip(*value)) {
                ExprKind::Bool(_) => {
                    found.insert(cell.clone());
                }
                ExprKind::Name(name) => copies.push((cell.clone(), name.clone())),
                _ => {}
            },
            _ => {}
        }
    }
    loop {
        let before = found.len();
        for (cell, value) in &copies {
            if found.contains(cell) || found.contains(value) {
                found.extend([cell.clone(), value.clone()]);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}
