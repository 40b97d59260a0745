//! Declarations: `cell c: 0..3 = 0;`.

use pest::iterators::Pair;

use super::Rule;
use super::pieces::{check_name, leftover, single_pair, trimmed};
use super::reader::{RowContext, TslReader};
use crate::syntax::ast::{
    Declaration, DeclarationKind, ExprId, ExprKind, Item, Modifier, SortExpr, SortKind, SortSignature,
};
use tsl_synth_core::diag::Code;
use tsl_synth_core::source::Name;
use tsl_synth_core::source::Span;

pub(super) fn declaration<'a>(reader: &mut TslReader<'a>, pair: Pair<'a, Rule>, items: &mut Vec<Item>) {
    let span = reader.span(&pair);
    let mut modifiers = Vec::new();
    let mut kind = DeclarationKind::Input;
    let mut pending: Vec<Name> = Vec::new();
    let mut widths: Vec<Option<ExprId>> = Vec::new();
    let mut kind_word = "";
    for inner in pair.into_inner() {
        let at = reader.span(&inner);
        match inner.as_rule() {
            Rule::modifier => modifiers.push((modifier(inner.as_str()), at)),
            Rule::declaration_kind => {
                kind_word = inner.as_str();
                let singular = kind_word.trim_end_matches('s');
                kind = match singular {
                    "input" => DeclarationKind::Input,
                    "output" => DeclarationKind::Output,
                    "cell" => DeclarationKind::Cell,
                    "predicate" => DeclarationKind::Predicate,
                    _ => DeclarationKind::Function,
                };
                if singular != kind_word {
                    let message = format!("`{kind_word}` begins no declaration");
                    let hint = format!("write `{singular}`");
                    reader.error(Code::BAD_DECLARATION, at, message, "", &hint);
                }
            }
            Rule::declared => {
                let mut own = modifiers.clone();
                let DeclaredName { name, width, signature, init } = declared(reader, inner, &mut own);
                if width.is_some() && matches!(kind, DeclarationKind::Predicate | DeclarationKind::Function) {
                    let message = format!("`{kind_word}` has no index");
                    let hint = "inputs, outputs and cells have one: `input r[3]: Bool;`";
                    reader.error(Code::BAD_DECLARATION, at, message, "", hint);
                }
                if let (Some(_), true) = (init, kind != DeclarationKind::Cell) {
                    let message = format!("`{kind_word}` has no first value");
                    let hint = "only a cell has one: `cell c: Sort = init;`";
                    reader.error(Code::BAD_DECLARATION, at, message, "", hint);
                }
                pending.push(name);
                widths.push(width);
                if signature.is_some() || init.is_some() {
                    let names = std::mem::take(&mut pending);
                    items.push(Item::Declaration(Declaration {
                        span,
                        kind,
                        modifiers: own,
                        names,
                        widths: std::mem::take(&mut widths),
                        signature,
                        init,
                    }));
                }
            }
            Rule::leftover => leftover(reader, &inner, span, Code::BAD_DECLARATION, "a declaration"),
            _ => {}
        }
    }
    if !pending.is_empty() {
        let names = pending;
        items.push(Item::Declaration(Declaration {
            span,
            kind,
            modifiers,
            names,
            widths,
            signature: None,
            init: None,
        }));
    }
}

fn modifier(word: &str) -> Modifier {
    match word {
        "saturating" => Modifier::Saturating,
        "wrapping" => Modifier::Wrapping,
        _ => Modifier::Noisy,
    }
}

/// A declared name with its width, its signature and its initial value.
struct DeclaredName {
    name: Name,
    width: Option<ExprId>,
    signature: Option<SortSignature>,
    init: Option<ExprId>,
}

fn declared<'a>(
    reader: &mut TslReader<'a>,
    pair: Pair<'a, Rule>,
    modifiers: &mut Vec<(Modifier, Span)>,
) -> DeclaredName {
    let mut name = Name { text: reader.intern(""), span: reader.span(&pair) };
    let (mut width, mut signature, mut init) = (None, None, None);
    for inner in pair.into_inner() {
        let at = reader.span(&inner);
        match inner.as_rule() {
            Rule::name => {
                name = reader.name(&inner);
                check_name(reader, &name);
            }
            Rule::modifier => modifiers.push((modifier(inner.as_str()), at)),
            Rule::width => {
                let parts = reader.read(inner.into_inner(), RowContext::Term, trimmed(reader, at));
                width = reader.single(&parts, RowContext::Term);
                if width.is_none() && !reader.diagnostics.has_errors() {
                    let message = "nothing stands between these brackets".to_owned();
                    let hint = "a width is a number: `input r[3]: Bool;`";
                    reader.error(Code::EMPTY_FORMULA, at, message, "expected a number", hint);
                }
            }
            Rule::signature => {
                let mut sorts: Vec<SortExpr> = Vec::new();
                for sort_pair in inner.into_inner() {
                    sorts.extend(sort(reader, sort_pair));
                }
                signature = sorts.pop().map(|result| SortSignature { arguments: sorts, result });
            }
            Rule::initial => {
                let parts = reader.read(inner.into_inner(), RowContext::Term, trimmed(reader, at));
                init = reader.single(&parts, RowContext::Term);
            }
            _ => {}
        }
    }
    DeclaredName { name, width, signature, init }
}

fn sort<'a>(reader: &mut TslReader<'a>, pair: Pair<'a, Rule>) -> Option<SortExpr> {
    let span = trimmed(reader, reader.span(&pair));
    let inner = pair.into_inner().next()?;
    let kind = match inner.as_rule() {
        Rule::enumeration => {
            let mut names = Vec::new();
            for value in inner.into_inner().filter(|p| p.as_rule() == Rule::name) {
                let name = reader.name(&value);
                check_name(reader, &name);
                names.push(name);
            }
            if names.is_empty() {
                let message = "an enumeration has at least one value".to_owned();
                reader.error(Code::BAD_DECLARATION, span, message, "", "write `enum {red, green}`");
            }
            SortKind::Enum(names)
        }
        Rule::range => {
            let ends: Vec<Option<ExprId>> = inner.into_inner().map(|end| range_end(reader, end)).collect();
            match ends[..] {
                [Some(low), Some(high)] => SortKind::Range { low, high },
                _ => return None,
            }
        }
        Rule::bounded => {
            let mut parts = inner.into_inner();
            let name = reader.name(&parts.next()?);
            let range = parts.find(|part| part.as_rule() == Rule::range)?;
            let ends: Vec<Option<ExprId>> = range.into_inner().map(|end| range_end(reader, end)).collect();
            match ends[..] {
                [Some(low), Some(high)] => SortKind::Bounded { name, low, high },
                _ => return None,
            }
        }
        _ => match inner.as_str() {
            "Bool" => SortKind::Bool,
            "bool" | "boolean" | "Boolean" | "BOOL" => {
                let message = format!("`{}` is not the sort of truth values", inner.as_str());
                reader.error(Code::BAD_DECLARATION, span, message, "", "write `Bool`");
                SortKind::Bool
            }
            text => SortKind::Named(reader.intern(text)),
        },
    };
    Some(SortExpr { span, kind })
}

fn range_end<'a>(reader: &mut TslReader<'a>, pair: Pair<'a, Rule>) -> Option<ExprId> {
    let at = trimmed(reader, reader.span(&pair));
    let mut negative = false;
    let mut expr = None;
    for inner in pair.into_inner() {
        if inner.as_rule() == Rule::minus {
            negative = true;
        } else {
            expr = single_pair(reader, inner);
        }
    }
    let expr = expr?;
    match reader.exprs.kind(expr) {
        ExprKind::Int(n) if negative => {
            let n = -n;
            Some(reader.exprs.push(at, ExprKind::Int(n)))
        }
        ExprKind::Real(text) if negative => {
            let text = format!("-{text}").into();
            Some(reader.exprs.push(at, ExprKind::Real(text)))
        }
        _ => Some(expr),
    }
}
