//! Definitions and their alternatives: `f n = n == 0 : a  otherwise : b;`.

use pest::iterators::Pair;

use super::Rule;
use super::pieces::{check_name, leftover, trimmed};
use super::reader::{RowContext, RowPart, Separator, TslReader};
use crate::syntax::ast::{Alternative, AlternativeGuard, Definition};
use tsl_synth_core::diag::Code;
use tsl_synth_core::source::Name;
use tsl_synth_core::source::Span;
use tsl_synth_ltl::operators::{BinaryOp, reserved_word};
use tsl_synth_ltl::signs::in_ascii;

pub(super) fn definition<'a>(reader: &mut TslReader<'a>, pair: Pair<'a, Rule>) -> Option<Definition> {
    let span = reader.span(&pair);
    let mut names: Vec<Name> = Vec::new();
    let mut alternatives = Vec::new();
    let mut keyword = None;
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
                keyword = constant_keyword(&names);
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
                let uses =
                    |name: &Name| inner.clone().into_inner().flatten().any(|p| p.as_str() == &*name.text);
                if let Some((word, name)) = keyword.take().filter(|(_, name)| !uses(name)) {
                    let text: &str = &name.text;
                    let message =
                        format!("`{}` is no word of TSL, and would be the name of a macro", word.text);
                    let hint = format!("a constant is a definition: `{text} = {};`", reader.slice(at));
                    let remark = "definitions of constants begin with their name";
                    reader.error(Code::BAD_DEFINITION, word.span, message, remark, &hint);
                }
                alternatives = body(reader, inner, at);
            }
            Rule::leftover => leftover(reader, &inner, span, Code::BAD_DEFINITION, "a definition"),
            _ => {}
        }
    }
    let mut names = names.into_iter();
    Some(Definition { span, name: names.next()?, parameters: names.collect(), alternatives })
}

/// The word before the name in `const N = 5`, and the name: in other languages such a word begins the definition of a
/// constant.
fn constant_keyword(names: &[Name]) -> Option<(Name, Name)> {
    let words =
        ["parameter", "param", "const", "constant", "define", "def", "let", "var", "val", "int", "bool"];
    match names {
        [word, name] if words.contains(&&*word.text) => Some((word.clone(), name.clone())),
        _ => None,
    }
}

/// `f(x, y) = ...` is `f x y = ...`.
fn parameters<'a>(reader: &mut TslReader<'a>, group: &Pair<'a, Rule>, names: &mut Vec<Name>) {
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
fn body<'a>(reader: &mut TslReader<'a>, pair: Pair<'a, Rule>, at: Span) -> Vec<Alternative> {
    if !cut_alternatives(reader, &pair) {
        return Vec::new();
    }
    let parts = reader.read(pair.into_inner(), RowContext::Definition, at);
    reader.cuts.clear();
    let hint = "guards are `cond : a  otherwise : b`, every alternative on a line of its own";
    let odd = parts
        .iter()
        .filter_map(|p| p.before)
        .find(|b| !matches!(b.0, Separator::Colon | Separator::Otherwise | Separator::Line));
    if odd.is_some() {
        reader.single(&parts, RowContext::Definition);
        return Vec::new();
    }
    if let [only] = parts[..] {
        let Some(body) = only.expr else {
            let message = "a definition of nothing".to_owned();
            reader.error(Code::BAD_DEFINITION, at, message, "expected an expression", "");
            return Vec::new();
        };
        return vec![Alternative { guard: AlternativeGuard::None, body }];
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
        let [body @ RowPart { before: Some((Separator::Colon, _)), .. }, ..] = after else {
            let message = "this alternative has no `:`".to_owned();
            reader.error(Code::BAD_DEFINITION, guard.span, message, "expected `:` after it", hint);
            return alternatives;
        };
        let Some(value) = body.expr else {
            let message = "this alternative has no value".to_owned();
            reader.error(Code::BAD_DEFINITION, body.span, message, "expected an expression", hint);
            return alternatives;
        };
        let guard = match (otherwise, guard.expr) {
            (Some(at), None) => AlternativeGuard::Otherwise(at),
            (None, Some(cond)) => AlternativeGuard::When(cond),
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
        if let [next, ..] = rest
            && matches!(next.before, Some((Separator::Colon, _)))
        {
            let message = "it is not clear where this alternative ends".to_owned();
            reader.error(Code::BAD_DEFINITION, body.span, message, "", hint);
            return alternatives;
        }
    }
    alternatives
}

/// Finds where alternatives end at line breaks, and definitions whose `;` is missing; `false` after an error.
fn cut_alternatives<'a>(reader: &mut TslReader<'a>, body: &Pair<'a, Rule>) -> bool {
    let mut colons = 0usize;
    let mut otherwise = false;
    let mut last: Option<Span> = None;
    // The start of the last line that begins with an operand, if the line before it ends with an operand.
    let mut cut = None;
    // The end of the line before a line that so far holds only names: `... \n NAME x`.
    let mut line_of_names: Option<Span> = None;
    for pair in body.clone().into_inner() {
        let span = reader.span(&pair);
        let text = pair.as_str();
        let infix = match pair.as_rule() {
            Rule::symbol => !matches!(in_ascii(text), "!" | "-" | "X" | "F" | "G" | "true" | "false"),
            Rule::separator => true,
            Rule::name => BinaryOp::of_spelling(text).is_some(),
            _ => false,
        };
        let before = last.filter(|l| reader.line_break(*l, span) && ends_operand(reader.slice(*l)));
        if let (Some(before), false) = (before, infix) {
            cut = Some(pair.as_span().start());
            line_of_names = (pair.as_rule() == Rule::name).then_some(before);
        } else if let (Some(before), "=", 0) = (line_of_names, text, colons) {
            let at = Span { start: before.end, end: reader.char_end(before.end), ..before };
            let message = "expected `;` after a definition".to_owned();
            reader.error(Code::MISSING_SEMICOLON, at, message, "expected `;`", "");
            return false;
        } else if !matches!(pair.as_rule(), Rule::name | Rule::group) {
            line_of_names = None;
        }
        otherwise |= text == "otherwise";
        if pair.as_rule() == Rule::separator && text == ":" {
            colons += 1;
            if colons > 1 && !otherwise {
                reader.cuts.extend(cut);
            }
            otherwise = false;
            cut = None;
        }
        last = Some(span);
    }
    true
}

/// Whether a formula may end with this word.
fn ends_operand(word: &str) -> bool {
    match word.chars().next_back() {
        Some(')' | ']' | '}' | '⊤' | '⊥') => true,
        Some(c) if c.is_alphanumeric() || matches!(c, '_' | '@' | '\'') => {
            reserved_word(word).is_none() || matches!(word, "true" | "false")
        }
        _ => false,
    }
}
