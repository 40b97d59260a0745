//! Top-level items of a TSL file.

use pest::iterators::{Pair, Pairs};

use super::pieces::{single_pair, trimmed};
use super::reader::{RowContext, TslReader};
use super::{Rule, declarations, definitions, mistakes, readings};
use crate::syntax::ast::{ExprId, Import, Item, Section, SectionKind, SectionMode, Theory, TheoryKind};
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::source::Name;
use tsl_synth_core::source::Span;

const KEYWORDS: &[&str] = &["initially", "always", "assume", "guarantee"];

/// The theory tag and the items of a file.
pub(super) fn module<'a>(reader: &mut TslReader<'a>, pairs: Pairs<'a, Rule>) -> (Option<Theory>, Vec<Item>) {
    survey(reader, &pairs);
    let mut theory = None;
    let mut items = Vec::new();
    for (index, pair) in pairs.enumerate() {
        match pair.as_rule() {
            Rule::theory => theory = theory_tag(reader, &pair, index == 0).or(theory),
            Rule::import => items.extend(import(reader, &pair).map(Item::Import)),
            Rule::section => items.extend(section(reader, pair).map(Item::Section)),
            Rule::declaration => declarations::declaration(reader, pair, &mut items),
            Rule::definition => items.extend(definitions::definition(reader, pair).map(Item::Definition)),
            Rule::stray => stray(reader, &pair),
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

/// Collects the names that a file introduces, and excludes other tools that certainly cannot read it, or for which
/// nothing shows that it was written.
fn survey<'a>(reader: &mut TslReader<'a>, pairs: &Pairs<'a, Rule>) {
    if !readings::bears_sign(pairs) {
        reader.compared = (false, false);
    }
    for pair in pairs.clone() {
        match pair.as_rule() {
            Rule::definition => {
                reader.compared.1 = false;
                if let Some(head) = pair.into_inner().next() {
                    let names = head.into_inner().flatten().filter(|p| p.as_rule() == Rule::name);
                    let names: Vec<&str> = names.map(|p| p.as_str()).collect();
                    reader.known.extend(&names);
                    // A definition with parameters is no number.
                    reader.numbers.extend(if names.len() > 1 { &names[1..] } else { &names });
                }
            }
            Rule::declaration => {
                let declared = pair.into_inner().filter(|p| p.as_rule() == Rule::declared);
                let names = declared.filter_map(|p| p.into_inner().next());
                reader.known.extend(names.map(|p| p.as_str()));
            }
            Rule::import => {
                reader.compared.1 = false;
                let names = pair.into_inner().filter(|p| p.as_rule() == Rule::name);
                reader.numbers.extend(names.map(|p| p.as_str()));
            }
            Rule::theory => reader.compared.0 = false,
            _ => {}
        }
    }
}

fn theory_tag<'a>(reader: &mut TslReader<'a>, pair: &Pair<'a, Rule>, first: bool) -> Option<Theory> {
    let text = pair.as_str().trim_end();
    let start = pair.as_span().start();
    let span = reader.place(start, start + text.len());
    let kind = match text {
        "#UF" => TheoryKind::Uf,
        "#EUF" => TheoryKind::Euf,
        "#LIA" => TheoryKind::Lia,
        _ => {
            let theories = "a first line may be `#LIA`, `#UF` or `#EUF`; comments begin with `//`";
            let is_name = text.len() > 1 && text[1..].chars().all(|c| c.is_ascii_uppercase());
            let (message, hint) = if is_name {
                (format!("unknown theory `{text}`"), theories)
            } else {
                ("comments do not begin with `#`".to_owned(), "comments begin with `//`")
            };
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

fn import<'a>(reader: &mut TslReader<'a>, pair: &Pair<'a, Rule>) -> Option<Import> {
    let (mut path, mut module) = (None, None);
    let (mut as_word, mut is_library) = (false, false);
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
            Rule::library => {
                is_library = true;
                path = Some(reader.name(&inner));
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
    if module.is_none() && (as_word || !is_library) {
        let expected = if as_word { "expected a name after it" } else { "expected `as Mod` after it" };
        reader.error(
            Code::BAD_IMPORT,
            end,
            "this import gives no name to the file".to_owned(),
            expected,
            hint,
        );
        return None;
    }
    if let Some(module) = module.as_ref().filter(|name| !name.text.starts_with(char::is_uppercase)) {
        let message = "the name of an import begins with a capital letter".to_owned();
        reader.error(Code::BAD_IMPORT, module.span, message, "", "");
    }
    Some(Import { span: whole, path, is_library, module })
}

/// The words of a section's header.
#[derive(Default)]
struct SectionHeader {
    mode: Option<SectionMode>,
    kind: Option<SectionKind>,
    after: Option<ExprId>,
}

fn section<'a>(reader: &mut TslReader<'a>, pair: Pair<'a, Rule>) -> Option<Section> {
    let span = reader.span(&pair);
    let mut header = None;
    let mut header_span = span;
    let mut open = span;
    let mut clauses = Vec::new();
    // The last `;`, if no clause has followed it.
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
                let parts = reader.read(inner.into_inner(), RowContext::Clause, at);
                clauses.extend(reader.single(&parts, RowContext::Clause));
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

fn is_blank(reader: &TslReader<'_>, open: Span, at: Span) -> bool {
    reader.slice(Span { start: open.end, end: at.start, ..open }).trim().is_empty()
}

fn section_header<'a>(
    reader: &mut TslReader<'a>,
    pair: Pair<'a, Rule>,
    whole: Span,
) -> Option<SectionHeader> {
    let mut header = SectionHeader::default();
    let mut good = true;
    let hint = "a header is `[initially|always] (assume|guarantee) [after n]`";
    for inner in pair.into_inner() {
        let span = reader.span(&inner);
        let word = inner.as_str().trim();
        let late = header.kind.is_some();
        match (inner.as_rule(), word) {
            (Rule::keyword, "initially" | "always") => {
                let mode = if word == "always" { SectionMode::Always } else { SectionMode::Initially };
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
                let message = format!("unknown section `{word}`");
                let near = mistakes::nearest(word, KEYWORDS);
                let hint = match word {
                    "input" | "inputs" | "output" | "outputs" | "cell" | "cells" => {
                        let kind = word.trim_end_matches('s');
                        format!("{kind}s need no declaration; `{kind} name: Bool;` declares one")
                    }
                    _ => near.map_or_else(|| hint.to_owned(), |n| format!("did you mean `{n}`?")),
                };
                reader.error(Code::BAD_SECTION, at, message, "", &hint);
                return None;
            }
        }
    }
    if header.after.is_some() && header.mode == Some(SectionMode::Initially) {
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

/// Text outside of all items.
fn stray<'a>(reader: &mut TslReader<'a>, pair: &Pair<'a, Rule>) {
    let whole = reader.span(pair);
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
