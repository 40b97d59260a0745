//! TSL modulo theories as other tools write it (`.tslmt`): Issy with a header of declarations, Raboniel with comments that
//! name the signals, TeMoS with a tag only. The text is made a text of TSL with every word at its old place, and the
//! functions of the theory become operators.

use super::ast::{
    Declaration, DeclarationKind, Expr, ExprId, ExprKind, Exprs, Item, Module, SortExpr, SortKind,
    SortSignature,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use tsl_synth_core::source::{Name, SourceId, Span};
use tsl_synth_ltl::operators::{BinaryOp, UnaryOp};

/// The functions of the theory with two arguments.
const BINARY: [(&str, BinaryOp); 23] = [
    ("add", BinaryOp::Add),
    ("sub", BinaryOp::Sub),
    ("plus", BinaryOp::Add),
    ("minus", BinaryOp::Sub),
    ("mul", BinaryOp::Mul),
    ("mult", BinaryOp::Mul),
    ("div", BinaryOp::Div),
    ("mod", BinaryOp::Mod),
    ("eq", BinaryOp::Eq),
    ("neq", BinaryOp::Ne),
    ("lt", BinaryOp::Lt),
    ("gt", BinaryOp::Gt),
    ("lq", BinaryOp::Lt),
    ("gq", BinaryOp::Gt),
    ("lte", BinaryOp::Le),
    ("leq", BinaryOp::Le),
    ("le", BinaryOp::Le),
    ("gte", BinaryOp::Ge),
    ("geq", BinaryOp::Ge),
    ("ge", BinaryOp::Ge),
    ("and", BinaryOp::And),
    ("or", BinaryOp::Or),
    ("implies", BinaryOp::Implies),
];

/// The functions of the theory that are operators in other languages.
pub(super) const FUNCTIONS: [&str; 4] = ["and", "or", "implies", "not"];

/// Whether a file with this name is TSL modulo theories.
pub fn is_tsl_mt(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("tslmt"))
}

/// The operator that a function such as `add` or `eq` is in a text of TSL modulo theories.
pub fn theory_operator(function: &str) -> Option<&'static str> {
    let &(_, operator) = BINARY.iter().find(|(known, _)| *known == function)?;
    (operator.is_comparison() || operator.is_data()).then(|| operator.spelling())
}

/// A text of another tool that can be read as TSL.
pub(super) struct Foreign {
    /// The text of TSL, in which each word is at its old place.
    pub(super) text: String,
    declared: Vec<Declared>,
    has_fractions: bool,
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
    /// The place of a line of the header that is no declaration.
    pub(super) fn new(text: &str) -> Result<Self, Range<usize>> {
        let mut declared = Vec::new();
        let mut bytes = text.as_bytes().to_vec();
        blank(&mut bytes, 0..tag(text));
        if let Some(end) = header(text, &mut declared)? {
            blank(&mut bytes, 0..end);
        }
        named_in_comments(text, &mut declared);
        let has_fractions = literals(text, &mut bytes);
        let text = String::from_utf8(bytes).unwrap_or_default();
        Ok(Self { text, declared, has_fractions })
    }

    /// Turns functions of the theory into operators, and adds the declarations of the text; signals without one are
    /// numbers if they are compared or computed with.
    pub(super) fn finish(self, module: &mut Module) {
        operators(&mut module.exprs);
        let defined: BTreeSet<Arc<str>> = module
            .items
            .iter()
            .flat_map(|item| match item {
                Item::Definition(definition) => {
                    let own = definition.parameters.iter().chain([&definition.name]);
                    own.map(|name| name.text.clone()).collect()
                }
                _ => Vec::new(),
            })
            .collect();
        let mut declared = self.declared;
        let updated = updated(&module.exprs);
        for (name, at) in numbers(&module.exprs) {
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

/// The end of a first line that names the theory: `#LIA`, `#RA#`. It is not needed, because numbers are computed exactly.
fn tag(text: &str) -> usize {
    let line = text.split_inclusive('\n').next().unwrap_or_default();
    let name = line.trim_end().strip_prefix('#').map(|name| name.strip_suffix('#').unwrap_or(name));
    let is_tag =
        name.is_some_and(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic()));
    if is_tag { line.len() } else { 0 }
}

/// The lines before `SPECIFICATION` and their declarations; the end of that line.
fn header(text: &str, declared: &mut Vec<Declared>) -> Result<Option<usize>, Range<usize>> {
    if !text.lines().any(|line| line.trim() == "SPECIFICATION") {
        return Ok(None);
    }
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let words: Vec<&str> = line.split_whitespace().collect();
        let start = at;
        at += line.len();
        let wrong = || {
            let begin = start + (line.len() - line.trim_start().len());
            Err(begin..begin + line.trim().len())
        };
        match words.as_slice() {
            ["SPECIFICATION"] => return Ok(Some(at)),
            [role @ ("var" | "inp"), sort, name] => {
                let kind = if *role == "var" { DeclarationKind::Cell } else { DeclarationKind::Input };
                let known = ["Int", "Real", "Bool"].into_iter().find(|known| known == sort);
                let (Some(sort), Some(from)) = (known, line.rfind(name)) else { return wrong() };
                let at = start + from..start + from + name.len();
                declared.push(Declared { kind, sort: Some(sort), name: (*name).to_owned(), at });
            }
            [] => {}
            [first, ..] if first.starts_with("//") || start == 0 && at == tag(text) => {}
            _ => return wrong(),
        }
    }
    Ok(None)
}

/// Lines such as `//-- State: x, y` and `//-- Inputs: i`.
fn named_in_comments(text: &str, declared: &mut Vec<Declared>) {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let Some(rest) = line.trim_start().strip_prefix("//--") else { continue };
        let Some((role, names)) = rest.split_once(':') else { continue };
        let kind = match role.trim() {
            "State" => DeclarationKind::Cell,
            "Inputs" | "Input" => DeclarationKind::Input,
            _ => continue,
        };
        let mut from = start + line.len() - names.len();
        for part in names.split(',') {
            let name = part.trim();
            let begin = from + (part.len() - part.trim_start().len());
            from += part.len() + 1;
            if !name.is_empty() {
                let at = begin..begin + name.len();
                declared.push(Declared { kind, sort: None, name: name.to_owned(), at });
            }
        }
    }
}

/// Writes literals such as `i5()`, `r0.5()`, `c1()` and `int5()` as numbers, at their places, and `true()` as `true`.
/// Whether some are fractions.
fn literals(text: &str, bytes: &mut [u8]) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'\'' || byte == b'.';
    let old = text.as_bytes();
    let (mut at, mut has_fractions) = (0, false);
    while at < old.len() {
        if !is_word(old[at]) {
            at += 1;
            continue;
        }
        let end = (at..old.len()).find(|&one| !is_word(old[one])).unwrap_or(old.len());
        let word = &text[at..end];
        let digits = word.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
        let prefix = &word[..word.len() - digits.len()];
        let is_number = digits.starts_with(|digit: char| digit.is_ascii_digit())
            && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
            && digits.matches('.').count() <= 1
            && !digits.ends_with('.');
        let is_literal = matches!(prefix, "i" | "r" | "c" | "int" | "real") && is_number;
        if is_literal && text[end..].starts_with("()") {
            blank(bytes, at..end + 2);
            bytes[at + prefix.len()..end].copy_from_slice(digits.as_bytes());
            has_fractions |= matches!(prefix, "r" | "real") || digits.contains('.');
        }
        if matches!(word, "true" | "false") && text[end..].starts_with("()") {
            blank(bytes, end..end + 2);
        }
        at = end;
    }
    has_fractions
}

/// Writes applications of functions of the theory as operators.
fn operators(exprs: &mut Exprs) {
    let ids: Vec<ExprId> = exprs.enumerate().map(|(id, _)| id).collect();
    for id in ids {
        let ExprKind::Apply { function, arguments, .. } = exprs.kind(id) else { continue };
        let ExprKind::Name(name) = exprs.kind(*function) else { continue };
        let kind = match arguments.as_slice() {
            [left, right] => BINARY
                .iter()
                .find(|(known, _)| **known == **name)
                .map(|&(_, operator)| ExprKind::Binary(operator, *left, *right)),
            [inner] if &**name == "not" => Some(ExprKind::Unary(UnaryOp::Not, *inner)),
            [inner] if &**name == "to_real" => Some(ExprKind::Group(*inner)),
            _ => None,
        };
        if let Some(kind) = kind {
            exprs.replace(id, kind);
        }
    }
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
