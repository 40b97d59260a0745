//! Parses an `.agent` text to nested lists of words; unbalanced parentheses are reported with their positions.

use super::MAX_AGENT_NESTING;
use pest::Parser;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::{SourceId, SourceMap, Span};

use tsl_synth_grammars::agent as grammar;

use grammar::Rule;

/// A word or a list of them.
#[derive(Clone, Debug)]
pub(super) struct AgentItem {
    pub(super) kind: ItemKind,
    /// Of a list: with its parentheses.
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum ItemKind {
    List(Vec<AgentItem>),
    Name(String),
    /// With its colon.
    Keyword(String),
    Number(String),
    Quoted(String),
}

impl AgentItem {
    /// The span of the first character of a list, or of a whole word.
    pub(super) fn head(&self) -> Span {
        match &self.kind {
            ItemKind::List(_) => Span { end: self.span.start + 1, ..self.span },
            _ => self.span,
        }
    }
    /// A description for messages.
    pub(super) fn reported(&self) -> String {
        match &self.kind {
            ItemKind::List(items) => match items.first() {
                Some(AgentItem { kind: ItemKind::Name(word) | ItemKind::Keyword(word), .. }) => {
                    format!("`({word} ...)`")
                }
                Some(_) => "a list".into(),
                None => "`()`".into(),
            },
            ItemKind::Name(word) | ItemKind::Keyword(word) | ItemKind::Number(word) => format!("`{word}`"),
            ItemKind::Quoted(_) => "a text".into(),
        }
    }
}

/// A list that is not closed yet.
struct OpenList {
    at: Span,
    items: Vec<AgentItem>,
}

/// The lists of a text. Unbalanced parentheses are errors: missing ones are added at the end, superfluous ones ignored.
pub(super) fn read(map: &SourceMap, source: SourceId, diagnostics: &mut Diagnostics) -> Vec<AgentItem> {
    let text = map.get(source).text.as_str();
    let pairs = match grammar::AgentGrammar::parse(Rule::text, text) {
        Ok(mut pairs) => pairs.next().map(pest::iterators::Pair::into_inner),
        Err(_) => None,
    };
    let mut top = Vec::new();
    let mut open: Vec<OpenList> = Vec::new();
    let mut stray = None;
    for pair in pairs.into_iter().flatten() {
        let at = pair.as_span();
        let span = Span::new(source, at.start(), at.end());
        let word = pair.as_str().to_owned();
        let kind = match pair.as_rule() {
            Rule::open if open.len() >= MAX_AGENT_NESTING => {
                let message = format!("parentheses are nested deeper than {MAX_AGENT_NESTING}");
                let error = Diagnostic::error(Code::TOO_DEEP, message).at(span, "the limit is reached here");
                diagnostics.push(error);
                return Vec::new();
            }
            Rule::open => {
                open.push(OpenList { at: span, items: Vec::new() });
                continue;
            }
            Rule::close => {
                if let Some(list) = open.pop() {
                    let item = AgentItem { kind: ItemKind::List(list.items), span: list.at.to(span) };
                    open.last_mut().map_or(&mut top, |list| &mut list.items).push(item);
                } else {
                    stray.get_or_insert(span);
                }
                continue;
            }
            Rule::name => ItemKind::Name(word),
            Rule::keyword => ItemKind::Keyword(word),
            Rule::number => ItemKind::Number(word),
            Rule::quoted => ItemKind::Quoted(unescaped(&word, span, diagnostics)),
            Rule::EOI => continue,
            _ => {
                if word == "\"" {
                    let error = Diagnostic::error(Code::AGENT_TEXT, "this text is never closed");
                    diagnostics.push(error.at(span, "`\"` without its `\"`"));
                    // The rest of the text would be read as words.
                    return Vec::new();
                }
                let message = format!("`{}` means nothing here", word.escape_debug());
                let hint = "names have no quotes, blanks and commas; texts stand between double quotes";
                diagnostics.push(Diagnostic::error(Code::CHARACTER, message).at(span, "").hint(hint));
                continue;
            }
        };
        open.last_mut().map_or(&mut top, |list| &mut list.items).push(AgentItem { kind, span });
    }
    if let Some(close) = stray {
        diagnostics.push(unopened(close, top.first()));
    }
    unclosed(source, text, open, &mut top, diagnostics);
    top
}

/// The error for a superfluous closing parenthesis. If the first list ended before it, some parenthesis inside of that
/// list closes too early.
fn unopened(close: Span, first: Option<&AgentItem>) -> Diagnostic {
    let error = Diagnostic::error(Code::NOT_OPENED, "unbalanced: this `)` closes nothing")
        .at(close, "no parenthesis is open here");
    let Some(first) = first.filter(|item| matches!(item.kind, ItemKind::List(_))) else { return error };
    let end = Span { start: first.span.end.saturating_sub(1), ..first.span };
    error
        .at(first.head(), format!("{} was opened here", first.reported()))
        .at(end, "and is closed here already")
        .hint("some `)` before that place is one too many: compare the parentheses of each line")
}

/// Closes the lists that are open at the end of the text, and reports the innermost one with some of those around it.
fn unclosed(
    source: SourceId,
    text: &str,
    mut open: Vec<OpenList>,
    top: &mut Vec<AgentItem>,
    diagnostics: &mut Diagnostics,
) {
    let end = Span::new(source, text.trim_end().len(), text.trim_end().len());
    if let Some(inner) = open.last() {
        let many = if open.len() == 1 { String::new() } else { format!(", and {} others", open.len() - 1) };
        let mut error = Diagnostic::error(
            Code::NOT_CLOSED,
            format!("unbalanced: a `(` is not closed before the end of the file{many}"),
        )
        .at(end, "expected `)`")
        .at(inner.at, "opened here");
        // Only the innermost lists are shown.
        for list in open.iter().rev().skip(1).take(3) {
            error = error.at(list.at, "opened here and not closed either");
        }
        diagnostics.push(error);
    }
    while let Some(list) = open.pop() {
        let item = AgentItem { kind: ItemKind::List(list.items), span: list.at.to(end) };
        open.last_mut().map_or(&mut *top, |list| &mut list.items).push(item);
    }
}

/// The text between quotes, with escapes replaced.
fn unescaped(quoted: &str, span: Span, diagnostics: &mut Diagnostics) -> String {
    let mut text = String::new();
    let mut chars = quoted[1..quoted.len() - 1].chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (c, false) => text.push(c),
            (_, true) => match chars.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('r') => text.push('\r'),
                Some(c @ ('"' | '\\')) => text.push(c),
                other => {
                    let other = other.map_or(String::new(), |c| c.escape_debug().to_string());
                    let error =
                        Diagnostic::error(Code::AGENT_TEXT, format!("`\\{other}` means nothing in a text"))
                            .at(span, "in this text")
                            .hint("a text knows `\\n`, `\\t`, `\\r`, `\\\"` and `\\\\`");
                    diagnostics.push(error);
                }
            },
        }
    }
    text
}
