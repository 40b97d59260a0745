//! Common parts of items, declarations and definitions: spans, names, and text after the end of an item.

use pest::iterators::{Pair, Pairs};

use super::reader::{RowContext, TslReader};
use super::{Rule, mistakes};
use crate::syntax::ast::ExprId;
use tsl_synth_core::diag::Code;
use tsl_synth_core::source::Name;
use tsl_synth_core::source::Span;
use tsl_synth_ltl::operators::Dialect;
use tsl_synth_ltl::operators::reserved_word;

/// A span without the blanks at its end.
pub(super) fn trimmed(reader: &TslReader<'_>, span: Span) -> Span {
    let text = reader.slice(span);
    Span { end: span.start + text.trim_end().len() as u32, ..span }
}

/// One element as an expression.
pub(super) fn single_pair<'a>(reader: &mut TslReader<'a>, pair: Pair<'a, Rule>) -> Option<ExprId> {
    let at = reader.span(&pair);
    let parts = reader.read(Pairs::single(pair), RowContext::Term, at);
    reader.single(&parts, RowContext::Term)
}

/// Reports text that follows an item instead of its `;`.
pub(super) fn leftover<'a>(
    reader: &mut TslReader<'a>,
    pair: &Pair<'a, Rule>,
    item: Span,
    code: Code,
    what: &str,
) {
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
        let hint = if code == Code::BAD_DECLARATION { declaration_hint(text) } else { "" };
        reader.error(code, at, message, "expected `;`", hint);
    }
}

/// A hint for text between a declaration and its `;`.
fn declaration_hint(text: &str) -> &'static str {
    let sort = text.strip_prefix(':').unwrap_or(text).trim_start();
    match sort.chars().next() {
        Some('{' | '[' | '(' | '|') => {
            "values are listed as `enum {idle, busy}`: `cell mode: enum {idle, busy} = idle;`"
        }
        Some('=' | '<') => "the first value follows `=`: `cell c: 0..3 = 0;`",
        _ => "",
    }
}

/// Reports a declared or defined name that is a reserved word.
pub(super) fn check_name(reader: &mut TslReader<'_>, name: &Name) {
    let other = matches!(name.text.as_ref(), "M" | "Z") && reader.dialect != Dialect::TslSynth;
    if reserved_word(&name.text).is_some() && !other {
        let (message, hint) = mistakes::reserved_message(&name.text);
        reader.error(Code::RESERVED, name.span, message, "", &hint);
    }
}
