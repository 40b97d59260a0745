//! Top-level items of a TSL file.

use pest::iterators::{Pair, Pairs};

use super::Rule;
use super::mistakes;
use super::reader::{Context, Part, Reader, Separator};
use crate::diag::{Code, Diagnostic};
use crate::source::Span;
use crate::syntax::Dialect;
use crate::syntax::ast::{
    Alternative, Declaration, DeclarationKind, Definition, ExprId, ExprKind, Guard, Import, Item, Mode,
    Modifier, Name, Section, SectionKind, Signature, Sort, SortKind, Theory, TheoryKind,
};
use crate::syntax::operators::{BinaryOp, reserved_word};

const KEYWORDS: &[&str] = &["initially", "always", "assume", "guarantee"];

/// The theory tag and the items of a file.
pub(super) fn module<'a>(reader: &mut Reader<'a>, pairs: Pairs<'a, Rule>) -> (Option<Theory>, Vec<Item>) {
    survey(reader, &pairs);
    let mut theory = None;
    let mut items = Vec::new();
    for (index, pair) in pairs.enumerate() {
        match pair.as_rule() {
            Rule::theory => theory = theory_tag(reader, &pair, index == 0).or(theory),
            Rule::import => items.extend(import(reader, &pair).map(Item::Import)),
            Rule::section => items.extend(section(reader, pair).map(Item::Section)),
            Rule::declaration => declaration(reader, pair, &mut items),
            Rule::definition => items.extend(definition(reader, pair).map(Item::Definition)),
            Rule::stray => stray(reader, pair),
            _ => {
                if items.is_empty() && !reader.diagnostics.has_errors() {
                    let message = "the file states nothing".to_owned();
                    let error = Diagnostic::error(Code::NOTHING_STATED, message)
                        .at(reader.place(0, 0), "expected a section")
                        .hint("a first line could be `always guarantee { F goal; }`");
                    reader.report(error);
                }
            }
        }
    }
    (theory, items)
}

/// Looks through a file for the names it introduces and for what only some tools read.
fn survey<'a>(reader: &mut Reader<'a>, pairs: &Pairs<'a, Rule>) {
    for pair in pairs.clone() {
        match pair.as_rule() {
            Rule::definition => {
                reader.compared.1 = false;
                if let Some(head) = pair.into_inner().next() {
                    let names = head.into_inner().flatten().filter(|p| p.as_rule() == Rule::name);
                    reader.known.extend(names.map(|p| p.as_str()));
                }
            }
            Rule::declaration => {
                let declared = pair.into_inner().filter(|p| p.as_rule() == Rule::declared);
                let names = declared.filter_map(|p| p.into_inner().next());
                reader.known.extend(names.map(|p| p.as_str()));
            }
            Rule::import => reader.compared.1 = false,
            Rule::theory => reader.compared.0 = false,
            _ => {}
        }
    }
}

fn theory_tag<'a>(reader: &mut Reader<'a>, pair: &Pair<'a, Rule>, first: bool) -> Option<Theory> {
    let text = pair.as_str().trim_end();
    let start = pair.as_span().start();
    let span = reader.place(start, start + text.len());
    let kind = match text {
        "#UF" => TheoryKind::Uf,
        "#EUF" => TheoryKind::Euf,
        "#LIA" => TheoryKind::Lia,
        _ => {
            let message = "this is no theory".to_owned();
            let hint = "a first line may be `#LIA`, `#UF` or `#EUF`; comments begin with `//`";
            reader.error(Code::BAD_THEORY, span, message, "", hint);
            return None;
        }
    };
    if !first {
        let message = "a theory stands on the first line".to_owned();
        reader.error(Code::BAD_THEORY, span, message, "", "");
        return None;
    }
    Some(Theory { kind, span })
}

fn import<'a>(reader: &mut Reader<'a>, pair: &Pair<'a, Rule>) -> Option<Import> {
    let mut path = None;
    let mut module = None;
    let mut as_word = false;
    let mut end = reader.span(pair);
    for inner in pair.clone().into_inner() {
        let span = reader.span(&inner);
        match inner.as_rule() {
            Rule::string => {
                let text = inner.as_str();
                let text = &text[1..text.len() - 1];
                let inside = Span { start: span.start + 1, end: span.end - 1, ..span };
                path = Some(Name { text: reader.intern(text), span: inside });
            }
            Rule::bare_path => {
                let message = "the path of an import stands between quotes".to_owned();
                let hint = format!("write `\"{}\"`", inner.as_str());
                reader.error(Code::BAD_IMPORT, span, message, "", &hint);
                return None;
            }
            Rule::as_word => as_word = true,
            Rule::name => module = Some(reader.name(&inner)),
            Rule::import_word => {}
            _ => continue,
        }
        end = span;
    }
    let whole = Span { end: end.end, ..reader.span(pair) };
    let hint = "write `import \"rel/path.tsl\" as Mod`";
    let Some(path) = path else {
        reader.error(
            Code::BAD_IMPORT,
            end,
            "this import names no file".to_owned(),
            "expected a path between quotes",
            hint,
        );
        return None;
    };
    let Some(module) = module else {
        let expected = if as_word { "expected a name after it" } else { "expected `as Mod` after it" };
        reader.error(
            Code::BAD_IMPORT,
            end,
            "this import gives no name to the file".to_owned(),
            expected,
            hint,
        );
        return None;
    };
    if !module.text.starts_with(char::is_uppercase) {
        let message = "the name of an import begins with a capital letter".to_owned();
        reader.error(Code::BAD_IMPORT, module.span, message, "", "");
    }
    Some(Import { span: whole, path, module })
}

/// The words of a section's header.
#[derive(Default)]
struct Header {
    mode: Option<Mode>,
    kind: Option<SectionKind>,
    after: Option<ExprId>,
}

fn section<'a>(reader: &mut Reader<'a>, pair: Pair<'a, Rule>) -> Option<Section> {
    let span = reader.span(&pair);
    let mut header = None;
    let mut header_span = span;
    let mut open = span;
    let mut clauses = Vec::new();
    // The place behind the last `;` or `{`, while no clause has come since.
    let mut fresh: Option<Span> = None;
    for inner in pair.into_inner() {
        let at = reader.span(&inner);
        match inner.as_rule() {
            Rule::header => {
                header_span = trimmed(reader, at);
                header = section_header(reader, inner, header_span);
            }
            Rule::open_brace => open = at,
            Rule::missing_body => {
                let message = "a section stands between braces".to_owned();
                let expected = Span { start: header_span.end, end: header_span.end, ..header_span };
                let hint = "write `always guarantee { formula; ... }`";
                reader.error(Code::BAD_SECTION, expected, message, "expected `{`", hint);
                return None;
            }
            Rule::clause => {
                let at = trimmed(reader, at);
                let parts = reader.read(inner.into_inner(), Context::Clause, at);
                clauses.extend(reader.single(&parts, Context::Clause));
                fresh = None;
            }
            Rule::semicolon => {
                if fresh.is_some() || clauses.is_empty() && open.end <= at.start && is_blank(reader, open, at)
                {
                    let message = "an empty formula".to_owned();
                    reader.error(
                        Code::EMPTY_FORMULA,
                        at,
                        message,
                        "nothing stands before this `;`",
                        "remove it",
                    );
                }
                fresh = Some(at);
            }
            Rule::unclosed => {
                let next = Span { end: at.start + u32::from(at.start < reader.end()), ..at };
                let next = Span { end: reader.char_end(next.start), ..next };
                reader.note_unclosed(open, next);
                reader.report_unclosed();
            }
            _ => {}
        }
    }
    let header = header?;
    Some(Section {
        span,
        header: header_span,
        mode: header.mode,
        kind: header.kind?,
        after: header.after,
        clauses,
    })
}

fn is_blank(reader: &Reader<'_>, open: Span, at: Span) -> bool {
    reader.slice(Span { start: open.end, end: at.start, ..open }).trim().is_empty()
}

/// A place without the blanks at its end.
fn trimmed(reader: &Reader<'_>, span: Span) -> Span {
    let text = reader.slice(span);
    Span { end: span.start + text.trim_end().len() as u32, ..span }
}

fn section_header<'a>(reader: &mut Reader<'a>, pair: Pair<'a, Rule>, whole: Span) -> Option<Header> {
    let mut header = Header::default();
    let mut good = true;
    let hint = "a header is `[initially|always] (assume|guarantee) [after n]`";
    for inner in pair.into_inner() {
        let span = reader.span(&inner);
        let word = inner.as_str().trim();
        let late = header.kind.is_some();
        match (inner.as_rule(), word) {
            (Rule::keyword, "initially" | "always") => {
                let mode = if word == "always" { Mode::Always } else { Mode::Initially };
                if header.mode.is_some() {
                    let message = format!("`{word}` after another mode");
                    reader.error(Code::BAD_SECTION, span, message, "", hint);
                    good = false;
                } else if late {
                    let message = format!("`{word}` stands before `assume` or `guarantee`");
                    reader.error(Code::BAD_SECTION, span, message, "", hint);
                    good = false;
                }
                header.mode = Some(mode);
            }
            (Rule::keyword, _) => {
                if late {
                    let message = "a section has either assumptions or guarantees".to_owned();
                    reader.error(Code::BAD_SECTION, span, message, "", "write two sections");
                    good = false;
                }
                header.kind =
                    Some(if word == "assume" { SectionKind::Assume } else { SectionKind::Guarantee });
            }
            (Rule::after, _) => {
                let operand = inner.into_inner().filter(|p| p.as_rule() != Rule::after_word);
                let operand: Vec<_> = operand.collect();
                header.after = operand.first().and_then(|p| single_pair(reader, p.clone()));
                if header.after.is_none() {
                    let message = "`after` needs a number of steps".to_owned();
                    reader.error(Code::BAD_SECTION, span, message, "", "write `after 2 { ... }`");
                    good = false;
                }
            }
            _ => {
                let at = trimmed(reader, span);
                let message = format!("`{word}` begins no section");
                let near = mistakes::nearest(word, KEYWORDS);
                let hint = near.map_or_else(|| hint.to_owned(), |n| format!("did you mean `{n}`?"));
                reader.error(Code::BAD_SECTION, at, message, "", &hint);
                return None;
            }
        }
    }
    if header.after.is_some() && header.mode == Some(Mode::Initially) {
        let message = "`initially` and `after` exclude each other".to_owned();
        reader.error(Code::BAD_SECTION, whole, message, "", "leave `initially` out");
        good = false;
    }
    if good && header.kind.is_none() {
        let at = Span { start: whole.end, ..whole };
        let message = "this header says neither `assume` nor `guarantee`".to_owned();
        reader.error(Code::BAD_SECTION, at, message, "expected `assume` or `guarantee`", hint);
    }
    (good && header.kind.is_some()).then_some(header)
}

/// One element as an expression.
fn single_pair<'a>(reader: &mut Reader<'a>, pair: Pair<'a, Rule>) -> Option<ExprId> {
    let at = reader.span(&pair);
    let parts = reader.read(Pairs::single(pair), Context::Term, at);
    reader.single(&parts, Context::Term)
}

/// What follows an item instead of its `;`.
fn leftover<'a>(reader: &mut Reader<'a>, pair: &Pair<'a, Rule>, item: Span, code: Code, what: &str) {
    let at = reader.span(pair);
    let end = trimmed(reader, Span { end: at.start, ..item }).end;
    let text = pair.as_str().trim();
    if text.is_empty() {
        let at = Span { start: end, end: reader.char_end(end), ..at };
        let message = format!("expected `;` after {what}");
        reader.error(Code::MISSING_SEMICOLON, at, message, "expected `;`", "");
    } else {
        let at = trimmed(reader, at);
        let at = Span { end: reader.char_end(at.start), ..at };
        let message = format!("{what} goes on with something else");
        reader.error(code, at, message, "expected `;`", "");
    }
}

fn declaration<'a>(reader: &mut Reader<'a>, pair: Pair<'a, Rule>, items: &mut Vec<Item>) {
    let span = reader.span(&pair);
    let mut modifiers = Vec::new();
    let mut kind = DeclarationKind::Input;
    let mut pending: Vec<Name> = Vec::new();
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
                let (name, signature, init) = declared(reader, inner, &mut own);
                if let (Some(_), true) = (init, kind != DeclarationKind::Cell) {
                    let message = format!("`{kind_word}` has no first value");
                    let hint = "only a cell has one: `cell c: Sort = init;`";
                    reader.error(Code::BAD_DECLARATION, at, message, "", hint);
                }
                pending.push(name);
                if signature.is_some() || init.is_some() {
                    let names = std::mem::take(&mut pending);
                    items.push(Item::Declaration(Declaration {
                        span,
                        kind,
                        modifiers: own,
                        names,
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

/// A declared name with what is said of it.
fn declared<'a>(
    reader: &mut Reader<'a>,
    pair: Pair<'a, Rule>,
    modifiers: &mut Vec<(Modifier, Span)>,
) -> (Name, Option<Signature>, Option<ExprId>) {
    let mut name = Name { text: reader.intern(""), span: reader.span(&pair) };
    let (mut signature, mut init) = (None, None);
    for inner in pair.into_inner() {
        let at = reader.span(&inner);
        match inner.as_rule() {
            Rule::name => {
                name = reader.name(&inner);
                check_name(reader, &name);
            }
            Rule::modifier => modifiers.push((modifier(inner.as_str()), at)),
            Rule::signature => {
                let mut sorts: Vec<Sort> = Vec::new();
                for sort_pair in inner.into_inner() {
                    sorts.extend(sort(reader, sort_pair));
                }
                signature = sorts.pop().map(|result| Signature { arguments: sorts, result });
            }
            Rule::initial => {
                let parts = reader.read(inner.into_inner(), Context::Term, trimmed(reader, at));
                init = reader.single(&parts, Context::Term);
            }
            _ => {}
        }
    }
    (name, signature, init)
}

/// A name that is introduced may not be a reserved word.
fn check_name(reader: &mut Reader<'_>, name: &Name) {
    let other = name.text.as_ref() == "M" && reader.dialect != Dialect::TslSynth;
    if reserved_word(&name.text).is_some() && !other {
        let (message, hint) = mistakes::reserved_message(&name.text);
        reader.error(Code::RESERVED, name.span, message, "", &hint);
    }
}

fn sort<'a>(reader: &mut Reader<'a>, pair: Pair<'a, Rule>) -> Option<Sort> {
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
    Some(Sort { span, kind })
}

fn range_end<'a>(reader: &mut Reader<'a>, pair: Pair<'a, Rule>) -> Option<ExprId> {
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
        _ => Some(expr),
    }
}

fn definition<'a>(reader: &mut Reader<'a>, pair: Pair<'a, Rule>) -> Option<Definition> {
    let span = reader.span(&pair);
    let mut names: Vec<Name> = Vec::new();
    let mut alternatives = Vec::new();
    for inner in pair.into_inner() {
        let at = reader.span(&inner);
        match inner.as_rule() {
            Rule::definition_head => {
                for name in inner.into_inner() {
                    if name.as_rule() == Rule::name {
                        names.push(reader.name(&name));
                    } else {
                        parameters(reader, &name, &mut names);
                    }
                }
                for name in names.clone() {
                    check_name(reader, &name);
                }
                for (index, name) in names.iter().enumerate().skip(1).take(64) {
                    if names[..index].iter().any(|n| n.text == name.text) {
                        let message = format!("`{}` is named twice", name.text);
                        reader.error(Code::BAD_DEFINITION, name.span, message, "", "");
                        break;
                    }
                }
            }
            Rule::body => {
                let at = trimmed(reader, at);
                alternatives = body(reader, inner, at);
            }
            Rule::leftover => leftover(reader, &inner, span, Code::BAD_DEFINITION, "a definition"),
            _ => {}
        }
    }
    let mut names = names.into_iter();
    Some(Definition { span, name: names.next()?, parameters: names.collect(), alternatives })
}

/// `f(x, y) = ...` is `f x y = ...`.
fn parameters<'a>(reader: &mut Reader<'a>, group: &Pair<'a, Rule>, names: &mut Vec<Name>) {
    let mut comma = true;
    for inner in group.clone().into_inner() {
        let good = match inner.as_rule() {
            Rule::name => std::mem::replace(&mut comma, false),
            Rule::separator => inner.as_str() == "," && !std::mem::replace(&mut comma, true),
            _ => false,
        };
        if !good {
            let span = reader.span(&inner);
            let message = "the parameters of a definition are names".to_owned();
            reader.error(Code::BAD_DEFINITION, span, message, "expected a name", "write `f x y = ...`");
            return;
        }
        if inner.as_rule() == Rule::name {
            names.push(reader.name(&inner));
        }
    }
}

/// The alternatives of a definition.
fn body<'a>(reader: &mut Reader<'a>, pair: Pair<'a, Rule>, at: Span) -> Vec<Alternative> {
    if !cut_alternatives(reader, &pair) {
        return Vec::new();
    }
    let parts = reader.read(pair.into_inner(), Context::Definition, at);
    reader.cuts.clear();
    let hint = "guards are `cond : a  otherwise : b`, every alternative on a line of its own";
    let odd = parts
        .iter()
        .filter_map(|p| p.before)
        .find(|b| !matches!(b.0, Separator::Colon | Separator::Otherwise | Separator::Line));
    if odd.is_some() {
        reader.single(&parts, Context::Definition);
        return Vec::new();
    }
    if let [only] = parts[..] {
        let Some(body) = only.expr else {
            let message = "a definition of nothing".to_owned();
            reader.error(Code::BAD_DEFINITION, at, message, "expected an expression", "");
            return Vec::new();
        };
        return vec![Alternative { guard: Guard::None, body }];
    }
    let mut alternatives = Vec::new();
    let mut rest = parts.as_slice();
    while let [guard, after @ ..] = rest {
        let otherwise = match (guard.before, after) {
            // `otherwise` at the very beginning leaves an empty part before it.
            (None, [next, ..])
                if guard.expr.is_none() && matches!(next.before, Some((Separator::Otherwise, _))) =>
            {
                rest = after;
                continue;
            }
            (Some((Separator::Otherwise, at)), _) => Some(at),
            _ => None,
        };
        let body = match after {
            [body @ Part { before: Some((Separator::Colon, _)), .. }, ..] => body,
            _ => {
                let message = "this alternative has no `:`".to_owned();
                reader.error(Code::BAD_DEFINITION, guard.span, message, "expected `:` after it", hint);
                return alternatives;
            }
        };
        let Some(value) = body.expr else {
            let message = "this alternative has no value".to_owned();
            reader.error(Code::BAD_DEFINITION, body.span, message, "expected an expression", hint);
            return alternatives;
        };
        let guard = match (otherwise, guard.expr) {
            (Some(at), None) => Guard::Otherwise(at),
            (None, Some(cond)) => Guard::When(cond),
            (Some(_), Some(_)) => {
                let message = "`otherwise` is a guard by itself".to_owned();
                reader.error(Code::BAD_DEFINITION, guard.span, message, "expected `:`", hint);
                return alternatives;
            }
            (None, None) => {
                let message = "this alternative has no guard".to_owned();
                reader.error(Code::BAD_DEFINITION, guard.span, message, "expected a condition", hint);
                return alternatives;
            }
        };
        alternatives.push(Alternative { guard, body: value });
        rest = &after[1..];
        if let [next, ..] = rest {
            if matches!(next.before, Some((Separator::Colon, _))) {
                let message = "it is not clear where this alternative ends".to_owned();
                reader.error(Code::BAD_DEFINITION, body.span, message, "", hint);
                return alternatives;
            }
        }
    }
    alternatives
}

/// Finds where alternatives end at line breaks, and definitions whose `;` is missing; `false` after an error.
fn cut_alternatives<'a>(reader: &mut Reader<'a>, body: &Pair<'a, Rule>) -> bool {
    let mut colons = 0usize;
    // Where the last line with an operand begins, while only names follow it.
    let mut line: Option<usize> = None;
    let mut last: Option<Span> = None;
    let mut names_since_line = false;
    let mut otherwise = false;
    let mut cut_after_colon = None;
    let mut start_of_definition: Option<Span> = None;
    for pair in body.clone().into_inner() {
        let span = reader.span(&pair);
        let text = pair.as_str();
        let new_line = last.is_some_and(|l| reader.line_break(l, span));
        let operator = match pair.as_rule() {
            Rule::symbol => !matches!(text, "!" | "-"),
            Rule::separator => true,
            Rule::name => BinaryOp::of_spelling(text).is_some() && text != "M",
            _ => false,
        };
        let after_operand = last.is_some_and(|l| ends_operand(reader.slice(l)));
        if new_line && !operator && after_operand {
            line = Some(pair.as_span().start());
            cut_after_colon = line.filter(|_| colons > 0);
            names_since_line = pair.as_rule() == Rule::name;
            start_of_definition = last;
        } else if text == "=" && names_since_line && colons == 0 {
            let before = start_of_definition.unwrap_or(span);
            let at = Span { start: before.end, end: reader.char_end(before.end), ..before };
            let message = "expected `;` after a definition".to_owned();
            reader.error(Code::MISSING_SEMICOLON, at, message, "expected `;`", "");
            return false;
        } else if pair.as_rule() != Rule::name && pair.as_rule() != Rule::group {
            names_since_line = false;
        }
        if text == "otherwise" {
            otherwise = true;
        }
        if pair.as_rule() == Rule::separator && text == ":" {
            colons += 1;
            if colons > 1 && !otherwise {
                reader.cuts.extend(cut_after_colon);
            }
            otherwise = false;
            cut_after_colon = None;
        }
        last = Some(span);
    }
    let _ = line;
    true
}

/// Whether a formula may end with this word.
fn ends_operand(word: &str) -> bool {
    match word.chars().next_back() {
        Some(')' | ']' | '}') => true,
        Some(c) if c.is_alphanumeric() || matches!(c, '_' | '@' | '\'') => {
            reserved_word(word).is_none() || matches!(word, "true" | "false")
        }
        _ => false,
    }
}

/// Text outside of all items.
fn stray<'a>(reader: &mut Reader<'a>, pair: Pair<'a, Rule>) {
    let whole = reader.span(&pair);
    let span = trimmed(reader, whole);
    let text = reader.slice(span);
    let line = text.find('\n').map_or(text.len(), |n| text[..n].trim_end().len());
    let span = Span { end: span.start + line as u32, ..span };
    let first = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    if text.starts_with('}') {
        let at = Span { end: span.start + 1, ..span };
        let message = "`}` without its `{`".to_owned();
        let hint = "the section before it is closed already";
        reader.error(Code::NOT_OPENED, at, message, "closes nothing", hint);
        return;
    }
    if text == ";" {
        let message = "`;` after nothing".to_owned();
        reader.error(Code::STRAY, span, message, "", "a section does not end with `;`: remove it");
        return;
    }
    let words = [
        "initially",
        "always",
        "assume",
        "guarantee",
        "import",
        "input",
        "output",
        "cell",
        "predicate",
        "function",
    ];
    let hint = match mistakes::nearest(first, &words) {
        Some(word) if word != first => format!("did you mean `{word}`?"),
        _ => "formulas stand in sections: `always guarantee { formula; ... }`".to_owned(),
    };
    let message = "text outside of any section".to_owned();
    let expected = "expected a section, a definition, a declaration or an import";
    reader.error(Code::STRAY, span, message, expected, &hint);
}
