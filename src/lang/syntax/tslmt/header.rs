//! What stands before the formulas: a tag, the declarations of Issy, comments of Raboniel that name the signals.

use super::{Declared, blank};
use crate::syntax::ast::DeclarationKind;
use std::ops::Range;
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::source::{SourceId, Span};

/// A part of a header that cannot be read.
#[derive(Debug)]
pub(in crate::syntax) enum WrongHeader {
    /// A line before `SPECIFICATION` that is no declaration.
    Line(Range<usize>),
    /// A first declaration in a text without the line `SPECIFICATION`.
    NoEnd(Range<usize>),
}

impl WrongHeader {
    pub(in crate::syntax) fn report(self, source: SourceId) -> Diagnostic {
        let (at, message, label, hint) = match self {
            Self::Line(at) => (
                at,
                "a line before `SPECIFICATION` is no declaration",
                "expected a declaration",
                "it is `var` or `inp`, then `Int`, `Real` or `Bool`, then one name: `var Int x`",
            ),
            Self::NoEnd(at) => (
                at,
                "the line `SPECIFICATION` is missing",
                "a declaration",
                "write `SPECIFICATION` on a line of its own between the declarations and the formulas",
            ),
        };
        let error = Diagnostic::error(Code::BAD_DECLARATION, message);
        error.at(Span::new(source, at.start, at.end), label).hint(hint)
    }
}

/// The length of the first line if it is a theory tag, such as `#LIA` or `#RA#`, else 0. Numbers are computed exactly under
/// each of them, so the tag is skipped.
pub(super) fn tag(text: &str) -> usize {
    let line = text.split_inclusive('\n').next().unwrap_or_default();
    let name = line.trim_end().strip_prefix('#').map(|name| name.strip_suffix('#').unwrap_or(name));
    let is_tag =
        name.is_some_and(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic()));
    if is_tag { line.len() } else { 0 }
}

/// The declarations before the line `SPECIFICATION`, with the end of that line; `None` without a header.
///
/// # Errors
/// A line that is no declaration, or declarations without that line.
pub(super) fn header(text: &str, declared: &mut Vec<Declared>) -> Result<Option<usize>, WrongHeader> {
    let text = without_comments(text);
    if !text.lines().any(|line| line.trim() == "SPECIFICATION") {
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let start = at;
            at += line.len();
            if let Some(one) = declaration(line, start) {
                return Err(WrongHeader::NoEnd(one.at));
            }
        }
        return Ok(None);
    }
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if line.trim() == "SPECIFICATION" {
            return Ok(Some(at));
        }
        if line.trim().is_empty() || start == 0 && at == tag(&text) {
            continue;
        }
        let Some(one) = declaration(line, start) else {
            let begin = start + (line.len() - line.trim_start().len());
            return Err(WrongHeader::Line(begin..begin + line.trim().len()));
        };
        declared.push(one);
    }
    Ok(None)
}

/// A line such as `var Int x`.
fn declaration(line: &str, start: usize) -> Option<Declared> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let &[role, sort, name] = words.as_slice() else { return None };
    let kind = match role {
        "var" => DeclarationKind::Cell,
        "inp" => DeclarationKind::Input,
        _ => return None,
    };
    let sort = ["Int", "Real", "Bool"].into_iter().find(|known| *known == sort)?;
    let from = start + line.rfind(name).filter(|_| is_name(name))?;
    Some(Declared { kind, sort: Some(sort), name: name.to_owned(), at: from..from + name.len() })
}

fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '\'' | '@' | '.')
}

fn is_name(word: &str) -> bool {
    word.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | '@'))
        && word.chars().all(is_part)
}

/// The text with blanks in place of comments.
fn without_comments(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        let (length, is_comment) = if rest.starts_with(b"//") {
            (rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len()), true)
        } else if rest.starts_with(b"/*") {
            let end = rest.windows(2).skip(2).position(|pair| pair == b"*/");
            (end.map_or(rest.len(), |end| end + 4), true)
        } else {
            (1, false)
        };
        if is_comment {
            blank(&mut bytes, at..at + length);
        }
        at += length;
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// Lines such as `//-- State: x, y` and `//-- Inputs: i`. Tools that write them run names together sometimes, so words
/// count only if the text has them.
pub(super) fn named_in_comments(text: &str, declared: &mut Vec<Declared>) {
    let code = without_comments(text);
    let used: Vec<&str> = code.split(|one: char| !is_part(one)).collect();
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
        for part in names.split(|one: char| one == ',' || one.is_whitespace()) {
            let begin = from;
            from += part.len() + 1;
            let is_known = declared.iter().any(|one| one.name == part);
            if is_name(part) && used.contains(&part) && !is_known {
                let at = begin..begin + part.len();
                declared.push(Declared { kind, sort: None, name: part.to_owned(), at });
            }
        }
    }
}
