//! Parses rows of elements to expressions, iteratively; reports each error and continues.

use std::sync::Arc;

use pest::iterators::{Pair, Pairs};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Rule;
use super::mistakes;
use super::row::{OpenRow, RowToken, TokenKind};
use crate::syntax::ast::{ExprId, ExprKind, Exprs};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics, Severity};
use tsl_synth_core::source::Name;
use tsl_synth_core::source::{SourceId, Span};
use tsl_synth_ltl::operators::Dialect;
use tsl_synth_ltl::signs::latex_hint;

/// More errors than this, or more warnings, are not listed one by one.
const MAX_FINDINGS: usize = 200;

/// A separator between two parts of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    Comma,
    Dots,
    Arrow,
    Assign,
    Colon,
    Otherwise,
    /// A line break between two alternatives of a definition.
    Line,
}

/// A part of a row between two separators.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowPart {
    /// `None` if the part is empty.
    pub(super) expr: Option<ExprId>,
    /// The span; if the part is empty, where it was expected.
    pub(super) span: Span,
    /// The separator before it.
    pub(super) before: Option<(Separator, Span)>,
}

/// The construct for which an outermost row is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowContext {
    Clause,
    Definition,
    Term,
}

/// The construct that a row belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowOwner {
    Top(RowContext),
    Group,
    Brackets,
    /// The binders of a big operator.
    Binders,
    Set,
}

/// A row that is being read.
pub(super) struct RowFrame<'a> {
    pub(super) pairs: Pairs<'a, Rule>,
    pub(super) kind: RowOwner,
    pub(super) span: Span,
    pub(super) row: OpenRow,
    pub(super) parts: Vec<RowPart>,
    pub(super) before: Option<(Separator, Span)>,
    /// Whether the rest is ignored, after an error that makes it meaningless.
    pub(super) muted: bool,
}

impl<'a> RowFrame<'a> {
    fn new(pairs: Pairs<'a, Rule>, kind: RowOwner, span: Span) -> Self {
        Self { pairs, kind, span, row: OpenRow::default(), parts: Vec::new(), before: None, muted: false }
    }
}

/// The state of reading one file.
pub(super) struct TslReader<'a> {
    pub(super) text: &'a str,
    /// The offset of `text` in its source.
    pub(super) base: usize,
    pub(super) source: SourceId,
    pub(super) dialect: Dialect,
    pub(super) exprs: Exprs,
    pub(super) diagnostics: Diagnostics,
    /// Names that are declared, defined or parameters: they may look like operators.
    pub(super) known: FxHashSet<&'a str>,
    /// Names that may be numbers of steps: those of definitions without parameters, of parameters, of variables of big
    /// operators, and of imported modules.
    pub(super) numbers: FxHashSet<&'a str>,
    /// Whether trees are compared with those of reactive-systems/tsltools and of Barnard-PL-Labs/tsltools, that is,
    /// whether these tools could read the file.
    pub(super) compared: (bool, bool),
    /// Positions at which a new part of a row begins without a separator.
    pub(super) cuts: FxHashSet<usize>,
    names: FxHashMap<&'a str, Arc<str>>,
    unclosed: Option<(Span, Vec<Span>)>,
    errors: usize,
    warnings: usize,
    /// Whether a command of LaTeX was reported.
    has_latex: bool,
}

impl<'a> TslReader<'a> {
    pub(super) fn new(text: &'a str, at: Span, dialect: Dialect) -> Self {
        Self {
            text,
            base: at.start as usize,
            source: at.source,
            dialect,
            exprs: Exprs::new(),
            diagnostics: Diagnostics::new(),
            known: FxHashSet::default(),
            numbers: FxHashSet::default(),
            compared: (dialect == Dialect::TslSynth, dialect == Dialect::TslSynth),
            cuts: FxHashSet::default(),
            names: FxHashMap::default(),
            unclosed: None,
            errors: 0,
            warnings: 0,
            has_latex: false,
        }
    }

    /// The span of the bytes `start..end` of the text.
    pub(super) fn place(&self, start: usize, end: usize) -> Span {
        Span::new(self.source, self.base + start, self.base + end)
    }
    pub(super) fn span(&self, pair: &Pair<'a, Rule>) -> Span {
        let span = pair.as_span();
        self.place(span.start(), span.end())
    }
    /// The text of a span.
    pub(super) fn slice(&self, span: Span) -> &'a str {
        &self.text[span.start as usize - self.base..span.end as usize - self.base]
    }
    pub(super) fn intern(&mut self, text: &'a str) -> Arc<str> {
        self.names.entry(text).or_insert_with(|| Arc::from(text)).clone()
    }
    pub(super) fn name(&mut self, pair: &Pair<'a, Rule>) -> Name {
        Name { text: self.intern(pair.as_str()), span: self.span(pair) }
    }
    /// Adds a finding, up to a limit for errors and one for the others.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        let is_error = diagnostic.severity == Severity::Error;
        let count = if is_error { &mut self.errors } else { &mut self.warnings };
        *count += 1;
        if *count <= MAX_FINDINGS {
            self.diagnostics.push(diagnostic);
        } else if *count == MAX_FINDINGS + 1 {
            let kind = if is_error { "errors" } else { "warnings" };
            let message = format!("more than {MAX_FINDINGS} {kind}; the rest is not shown");
            self.diagnostics
                .push(Diagnostic { severity: Severity::Note, ..Diagnostic::error(Code::TOO_MANY, message) });
        }
    }
    /// Whether no further warning would be shown.
    pub(super) fn has_warned_enough(&self) -> bool {
        self.warnings > MAX_FINDINGS
    }
    /// Reports an error with its span, the remark there, and a hint if not empty.
    pub(super) fn error(&mut self, code: Code, at: Span, message: String, remark: &str, hint: &str) {
        let mut error = Diagnostic::error(code, message).at(at, remark);
        if !hint.is_empty() {
            error = error.hint(hint);
        }
        self.report(error);
    }
    /// An expression in the place of a part that could not be parsed.
    pub(super) fn hole(&mut self, span: Span) -> ExprId {
        self.exprs.push(span, ExprKind::Bool(true))
    }
    pub(super) fn line_break(&self, before: Span, after: Span) -> bool {
        before.end <= after.start
            && self.slice(Span { start: before.end, end: after.start, ..after }).contains('\n')
    }

    /// Reads a row and all rows in its brackets. `at` is its span.
    pub(super) fn read(&mut self, pairs: Pairs<'a, Rule>, context: RowContext, at: Span) -> Vec<RowPart> {
        let mut frames = vec![RowFrame::new(pairs, RowOwner::Top(context), at)];
        loop {
            let Some(frame) = frames.last_mut() else { return Vec::new() };
            let Some(pair) = frame.pairs.next() else {
                let mut frame = frames.pop().expect("there is a frame");
                self.end_part(&mut frame);
                if let Some(parent) = frames.last_mut() {
                    self.close(&frame, parent);
                } else {
                    self.report_unclosed();
                    return frame.parts;
                }
                continue;
            };
            let span = self.span(&pair);
            if self.cuts.contains(&pair.as_span().start()) {
                self.separator(frame, Separator::Line, Span { end: span.start, ..span });
            }
            let kind = match pair.as_rule() {
                Rule::group => RowOwner::Group,
                Rule::set => RowOwner::Set,
                Rule::brackets => match frame.row.tokens.last() {
                    Some(RowToken { kind: TokenKind::Big { binders: None, .. }, .. })
                        if frame.row.expects_operand() =>
                    {
                        RowOwner::Binders
                    }
                    Some(RowToken { kind: TokenKind::Unary(op), .. }) if frame.row.expects_operand() => {
                        let op = *op;
                        if self.comparing_bounds(op, pair.as_str(), span) {
                            continue;
                        }
                        RowOwner::Brackets
                    }
                    _ => RowOwner::Brackets,
                },
                _ => {
                    self.leaf(frame, &pair, span);
                    continue;
                }
            };
            frames.push(RowFrame::new(pair.into_inner(), kind, span));
        }
    }

    /// An element without inner elements.
    fn leaf(&mut self, frame: &mut RowFrame<'a>, pair: &Pair<'a, Rule>, span: Span) {
        if pair.as_rule() == Rule::unclosed {
            let open = Span { end: frame.span.start + 1, ..frame.span };
            let at = Span { end: span.start + self.width_at(span.start), ..span };
            self.note_unclosed(open, at);
            return;
        }
        if frame.muted {
            return;
        }
        let text = pair.as_str();
        match pair.as_rule() {
            Rule::name => self.word(frame, text, span),
            Rule::symbol => self.symbol(frame, text, span),
            Rule::number => {
                let expr = self.number(text, span);
                self.operand(frame, expr, span, false);
            }
            Rule::separator => {
                let separator = match text {
                    "," => Separator::Comma,
                    ".." => Separator::Dots,
                    ":" => Separator::Colon,
                    ":=" => Separator::Assign,
                    _ => Separator::Arrow,
                };
                self.separator(frame, separator, span);
            }
            Rule::semicolon if frame.kind == RowOwner::Set => {
                let at = Span { end: frame.span.start + 1, ..frame.span };
                let message = "braces inside of a formula".to_owned();
                self.error(Code::BRACES, at, message, "", "group with parentheses, and join with `&&`");
                frame.muted = true;
            }
            Rule::stray_close => self.stray_close(text, span),
            Rule::close_brace | Rule::EOI => {}
            _ => self.oddity(frame, pair, span),
        }
    }

    /// Reports an element that cannot be a part of an expression.
    fn oddity(&mut self, frame: &mut RowFrame<'a>, pair: &Pair<'a, Rule>, span: Span) {
        let text = pair.as_str();
        match pair.as_rule() {
            Rule::string => {
                let message = "TSL has no text literals".to_owned();
                let hint =
                    format!("name the text with a constant, such as `{}()`", mistakes::constant_for(text));
                self.error(Code::STRING, span, message, "a text", &hint);
                let hole = self.hole(span);
                self.operand(frame, hole, span, true);
            }
            Rule::stray_keyword => {
                let (message, mut hint) = mistakes::reserved_message(text.trim());
                if text.trim() == "always" {
                    "inside of a formula, always is `G`".clone_into(&mut hint);
                }
                self.error(Code::RESERVED, span, message, "", &hint);
                frame.muted = true;
            }
            Rule::theory => {
                let message = "comments do not begin with `#`".to_owned();
                self.error(Code::BAD_THEORY, span, message, "", "comments begin with `//`");
            }
            Rule::semicolon => {
                let message = "`;` after the expression".to_owned();
                self.error(Code::SYNTAX, span, message, "expected the end", "");
                frame.muted = true;
            }
            _ if matches!(text, "\"" | "'") => {
                let message = "TSL has no text literals, and this one is not closed".to_owned();
                let hint = "name the text with a constant, such as `greeting()`";
                self.error(Code::STRING, span, message, "a text begins here", hint);
                frame.muted = true;
            }
            _ => {
                let c = text.chars().next().unwrap_or(' ');
                let message = format!("the character `{}` means nothing here", c.escape_debug());
                let rest = &self.text[span.start as usize - self.base..];
                if let Some(hint) = latex_hint(rest) {
                    // One is enough.
                    if !std::mem::replace(&mut self.has_latex, true) {
                        self.error(Code::CHARACTER, span, message, "", &hint);
                    }
                    frame.muted = true;
                    return;
                }
                let hint = match c {
                    '.' => "a dot stands inside of names (`room.light`) and numbers (`3.14`), without blanks",
                    '“' | '”' | '‘' | '’' => "TSL has no text literals",
                    '–' | '—' | '−' => "the arrow is `->`, minus is `-`",
                    _ => "",
                };
                self.error(Code::CHARACTER, span, message, "", hint);
                frame.muted = true;
            }
        }
    }

    /// One past the last byte of the text.
    pub(super) fn end(&self) -> u32 {
        (self.base + self.text.len()) as u32
    }
    /// The end of the character that begins at `at`.
    pub(super) fn char_end(&self, at: u32) -> u32 {
        at + self.width_at(at)
    }
    fn width_at(&self, at: u32) -> u32 {
        let rest = &self.text[at as usize - self.base..];
        rest.chars().next().map_or(0, |c| c.len_utf8() as u32)
    }

    /// Remembers a bracket that is not closed before `at`.
    pub(super) fn note_unclosed(&mut self, open: Span, at: Span) {
        match &mut self.unclosed {
            Some((place, opens)) if place.start == at.start => opens.push(open),
            _ => {
                self.report_unclosed();
                self.unclosed = Some((at, vec![open]));
            }
        }
    }

    /// Reports the brackets that were not closed at one position, as one error.
    pub(super) fn report_unclosed(&mut self) {
        let Some((at, opens)) = self.unclosed.take() else { return };
        let open = self.slice(opens[0]);
        let close = match open {
            "(" => ")",
            "[" => "]",
            _ => "}",
        };
        let found = match self.slice(at) {
            "" => "the end of the text".to_owned(),
            text if text.starts_with(char::is_alphabetic) => {
                let rest = self.slice(Span { end: self.end(), ..at });
                let word = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or(text);
                format!("`{word}`")
            }
            text => format!("`{}`", text.escape_debug()),
        };
        let message = match opens.len() {
            1 => format!("`{open}` is not closed: expected `{close}` before {found}"),
            n => format!("{n} brackets are not closed: expected `{close}` before {found}"),
        };
        let mut error = Diagnostic::error(Code::NOT_CLOSED, message).at(at, format!("expected `{close}`"));
        for open in opens.iter().take(3) {
            error = error.at(*open, "opened here");
        }
        self.report(error);
    }

    /// Reports a bracket that closes nothing, unless an unclosed bracket was already noted at its position.
    pub(super) fn stray_close(&mut self, text: &str, span: Span) {
        if self.unclosed.as_ref().is_some_and(|(at, _)| at.start == span.start) {
            return;
        }
        let open = if text == ")" { "(" } else { "[" };
        let message = format!("`{text}` without its `{open}`");
        self.error(Code::NOT_OPENED, span, message, "closes nothing", "");
    }

    pub(super) fn separator(&mut self, frame: &mut RowFrame<'a>, separator: Separator, span: Span) {
        if frame.muted {
            return;
        }
        self.end_part(frame);
        frame.before = Some((separator, span));
    }

    /// An integer or real literal.
    pub(super) fn number(&mut self, text: &'a str, span: Span) -> ExprId {
        if text.contains(|c: char| c != '.' && !c.is_ascii_digit()) {
            let message = format!("`{text}` is neither a number nor a name");
            self.error(Code::BAD_NUMBER, span, message, "", "names begin with a letter or `_`");
            return self.hole(span);
        }
        if text.contains('.') {
            let real = self.intern(text);
            return self.exprs.push(span, ExprKind::Real(real));
        }
        if let Ok(value) = text.parse() {
            self.exprs.push(span, ExprKind::Int(value))
        } else {
            let message = "this number does not fit 64 bits".to_owned();
            self.error(Code::BAD_NUMBER, span, message, "", "");
            self.hole(span)
        }
    }
}
