//! Reads rows of elements into expressions, iteratively; names every mistake it meets and goes on.

use std::sync::Arc;

use pest::iterators::{Pair, Pairs};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Rule;
use super::mistakes;
use super::row::{Atom, Juxtaposed, Row, Token, TokenKind};
use crate::diag::{Code, Diagnostic, Diagnostics, Severity};
use crate::source::{SourceId, Span};
use crate::syntax::Dialect;
use crate::syntax::ast::{ExprId, ExprKind, Exprs, Name};
use crate::syntax::operators::{BigOp, BinaryOp, UnaryOp, reserved_word};
use crate::syntax::scan::{MAX_NESTING, too_deep};

/// More errors than this, or more warnings, are not listed one by one.
const MAX_FINDINGS: usize = 200;

/// What stands between two parts of a row.
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

/// What stands between two separators.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// Nothing if the part is empty.
    pub(super) expr: Option<ExprId>,
    /// The place; if the part is empty, where it was expected.
    pub(super) span: Span,
    /// The separator before it.
    pub(super) before: Option<(Separator, Span)>,
}

/// Where a row stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    Clause,
    Definition,
    Term,
}

/// A row's surroundings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Top(Context),
    Group,
    Brackets,
    /// The binders of a big operator.
    Binders,
    Set,
}

/// A row that is being read.
pub(super) struct Frame<'a> {
    pub(super) pairs: Pairs<'a, Rule>,
    pub(super) kind: Kind,
    pub(super) span: Span,
    pub(super) row: Row,
    pub(super) parts: Vec<Part>,
    pub(super) before: Option<(Separator, Span)>,
    /// After a mistake that makes the rest meaningless.
    pub(super) muted: bool,
}

impl<'a> Frame<'a> {
    fn new(pairs: Pairs<'a, Rule>, kind: Kind, span: Span) -> Self {
        Self { pairs, kind, span, row: Row::default(), parts: Vec::new(), before: None, muted: false }
    }
}

/// The state of reading one file.
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    /// Where `text` begins in its source.
    pub(super) base: usize,
    pub(super) source: SourceId,
    pub(super) dialect: Dialect,
    pub(super) exprs: Exprs,
    pub(super) diagnostics: Diagnostics,
    /// Names that are declared, defined or parameters: they may look like operators.
    pub(super) known: FxHashSet<&'a str>,
    /// Whether the file could be one that reactive-systems/tsltools, Barnard-PL-Labs/tsltools reads.
    pub(super) compared: (bool, bool),
    /// Where a row is cut although there is no separator.
    pub(super) cuts: FxHashSet<usize>,
    names: FxHashMap<&'a str, Arc<str>>,
    unclosed: Option<(Span, Vec<Span>)>,
    errors: usize,
    warnings: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, at: Span, dialect: Dialect) -> Self {
        Self {
            text,
            base: at.start as usize,
            source: at.source,
            dialect,
            exprs: Exprs::new(),
            diagnostics: Diagnostics::new(),
            known: FxHashSet::default(),
            compared: (dialect == Dialect::TslSynth, dialect == Dialect::TslSynth),
            cuts: FxHashSet::default(),
            names: FxHashMap::default(),
            unclosed: None,
            errors: 0,
            warnings: 0,
        }
    }

    /// The place of the bytes `start..end` of the text.
    pub(super) fn place(&self, start: usize, end: usize) -> Span {
        Span::new(self.source, self.base + start, self.base + end)
    }
    pub(super) fn span(&self, pair: &Pair<'a, Rule>) -> Span {
        let span = pair.as_span();
        self.place(span.start(), span.end())
    }
    /// The text at a place.
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
    /// Reports an error with its place, the remark there, and a hint if not empty.
    pub(super) fn error(&mut self, code: Code, at: Span, message: String, remark: &str, hint: &str) {
        let mut error = Diagnostic::error(code, message).at(at, remark);
        if !hint.is_empty() {
            error = error.hint(hint);
        }
        self.report(error);
    }
    /// Stands for what could not be read.
    pub(super) fn hole(&mut self, span: Span) -> ExprId {
        self.exprs.push(span, ExprKind::Bool(true))
    }
    pub(super) fn line_break(&self, before: Span, after: Span) -> bool {
        before.end <= after.start
            && self.slice(Span { start: before.end, end: after.start, ..after }).contains('\n')
    }

    /// Reads a row and all rows in its brackets. `at` is its place.
    pub(super) fn read(&mut self, pairs: Pairs<'a, Rule>, context: Context, at: Span) -> Vec<Part> {
        let mut frames = vec![Frame::new(pairs, Kind::Top(context), at)];
        loop {
            let Some(frame) = frames.last_mut() else { return Vec::new() };
            let Some(pair) = frame.pairs.next() else {
                let mut frame = frames.pop().expect("there is a frame");
                self.end_part(&mut frame);
                match frames.last_mut() {
                    Some(parent) => self.close(frame, parent),
                    None => {
                        self.report_unclosed();
                        return frame.parts;
                    }
                }
                continue;
            };
            let span = self.span(&pair);
            if self.cuts.contains(&pair.as_span().start()) {
                self.separator(frame, Separator::Line, Span { end: span.start, ..span });
            }
            let kind = match pair.as_rule() {
                Rule::group => Kind::Group,
                Rule::set => Kind::Set,
                Rule::brackets => match frame.row.tokens.last() {
                    Some(Token { kind: TokenKind::Big { binders: None, .. }, .. })
                        if frame.row.expects_operand() =>
                    {
                        Kind::Binders
                    }
                    _ => Kind::Brackets,
                },
                _ => {
                    self.leaf(frame, &pair, span);
                    continue;
                }
            };
            frames.push(Frame::new(pair.into_inner(), kind, span));
        }
    }

    /// An element without inner elements.
    fn leaf(&mut self, frame: &mut Frame<'a>, pair: &Pair<'a, Rule>, span: Span) {
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
            Rule::semicolon if frame.kind == Kind::Set => {
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

    /// Something that is no part of any expression.
    fn oddity(&mut self, frame: &mut Frame<'a>, pair: &Pair<'a, Rule>, span: Span) {
        let text = pair.as_str();
        match pair.as_rule() {
            Rule::string => {
                let message = "TSL has no text literals".to_owned();
                let hint = "name the text with a constant, such as `greeting()`";
                self.error(Code::STRING, span, message, "a text", hint);
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
                let message = "`#` begins nothing here".to_owned();
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

    /// Reports the brackets that were not closed at one place, as one error.
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

    /// Reports a bracket that closes nothing, unless it was already named as the wrong one.
    pub(super) fn stray_close(&mut self, text: &str, span: Span) {
        if self.unclosed.as_ref().is_some_and(|(at, _)| at.start == span.start) {
            return;
        }
        let open = if text == ")" { "(" } else { "[" };
        let message = format!("`{text}` without its `{open}`");
        self.error(Code::NOT_OPENED, span, message, "closes nothing", "");
    }

    pub(super) fn separator(&mut self, frame: &mut Frame<'a>, separator: Separator, span: Span) {
        if frame.muted {
            return;
        }
        self.end_part(frame);
        frame.before = Some((separator, span));
    }

    /// An integer or real literal.
    fn number(&mut self, text: &'a str, span: Span) -> ExprId {
        if text.contains(|c: char| c != '.' && !c.is_ascii_digit()) {
            let message = format!("`{text}` is neither a number nor a name");
            self.error(Code::BAD_NUMBER, span, message, "", "names begin with a letter or `_`");
            return self.hole(span);
        }
        if text.contains('.') {
            let real = self.intern(text);
            return self.exprs.push(span, ExprKind::Real(real));
        }
        match text.parse() {
            Ok(value) => self.exprs.push(span, ExprKind::Int(value)),
            Err(_) => {
                let message = "this number does not fit 64 bits".to_owned();
                self.error(Code::BAD_NUMBER, span, message, "", "");
                self.hole(span)
            }
        }
    }

    /// A name, a constant, or an operator that is a word.
    fn word(&mut self, frame: &mut Frame<'a>, text: &'a str, span: Span) {
        let next = frame.pairs.peek().map(|p| p.as_rule());
        // The others take any word as the target of an update.
        let target = self.dialect != Dialect::TslSynth
            && frame.kind == Kind::Brackets
            && frame.row.is_empty()
            && next == Some(Rule::separator);
        let plain = target || (text == "M" && self.dialect != Dialect::TslSynth);
        let reserved = if plain { None } else { reserved_word(text) };
        match text {
            _ if plain => self.plain_name(frame, text, span),
            "true" | "false" => {
                let expr = self.exprs.push(span, ExprKind::Bool(text == "true"));
                self.operand(frame, expr, span, false);
            }
            "otherwise" if frame.kind == Kind::Top(Context::Definition) => {
                self.separator(frame, Separator::Otherwise, span);
            }
            "if" => {
                let message = "TSL has no `if`".to_owned();
                let hint = "write one implication for each case: `(c -> a) && (!c -> b)`";
                self.error(Code::CONDITIONAL, span, message, "", hint);
                frame.muted = true;
            }
            _ if reserved.is_some() => self.operator_word(frame, text, span, next),
            _ if !self.known.contains(text) && self.wrong_word(frame, text, span, next) => {}
            _ => self.plain_name(frame, text, span),
        }
    }

    fn plain_name(&mut self, frame: &mut Frame<'a>, text: &'a str, span: Span) {
        if matches!(text, "True" | "False" | "TRUE" | "FALSE") && !self.known.contains(text) {
            let small = text.to_lowercase();
            let warning =
                Diagnostic::warning(Code::LIKE_A_CONSTANT, format!("`{text}` is a name, not a constant"))
                    .at(span, "read as an input")
                    .hint(format!("did you mean `{small}`?"));
            self.report(warning);
        }
        let name = self.intern(text);
        let expr = self.exprs.push(span, ExprKind::Name(name));
        self.operand(frame, expr, span, true);
    }

    /// `and`, `not` and their like, where they can only be operators; tells whether it was one.
    fn wrong_word(&mut self, frame: &mut Frame<'a>, text: &str, span: Span, next: Option<Rule>) -> bool {
        let follows = [Rule::name, Rule::group, Rule::brackets, Rule::symbol, Rule::set];
        if !next.is_some_and(|n| follows.contains(&n)) {
            return false;
        }
        if frame.row.expects_operand() {
            let Some(op) = mistakes::wrong_prefix(text).filter(|_| text != "next") else { return false };
            self.wrong_operator(text, span, op.spelling());
            self.push_prefix(frame, TokenKind::Unary(op), span);
        } else {
            let member = (text == "in" && frame.kind == Kind::Binders).then_some(BinaryOp::In);
            let Some(op) = mistakes::wrong_infix(text).or(member) else { return false };
            self.wrong_operator(text, span, op.spelling());
            self.push_infix(frame, op, span);
        }
        true
    }

    /// A reserved word.
    fn operator_word(&mut self, frame: &mut Frame<'a>, text: &'a str, span: Span, next: Option<Rule>) {
        let (prefix, infix) = (UnaryOp::of_spelling(text), BinaryOp::of_spelling(text));
        let big = BigOp::of_spelling(text);
        if !frame.row.expects_operand() {
            if let Some(op) = infix {
                return self.push_infix(frame, op, span);
            }
            if prefix.is_some() || big.is_some() {
                self.side_by_side(frame, span);
            }
        }
        match (prefix, big) {
            (Some(op), _) => self.push_prefix(frame, TokenKind::Unary(op), span),
            (None, Some(op)) if next == Some(Rule::brackets) => {
                self.push_prefix(frame, TokenKind::Big { op, binders: None }, span);
            }
            (None, Some(_)) if infix.is_none() => {
                let message = format!("`{text}` binds a name");
                let hint = format!("write `{text}[i IN s] f`");
                self.error(Code::BAD_BINDER, span, message, "expected `[` after it", &hint);
                frame.muted = true;
            }
            _ if infix.is_some() && text.len() > 1 => self.lacks_left_side(frame, text, span),
            _ => {
                let (message, hint) = mistakes::reserved_message(text);
                self.error(Code::RESERVED, span, message, "expected a formula or a term", &hint);
                let hole = self.hole(span);
                self.operand(frame, hole, span, true);
            }
        }
    }

    /// An operator that is no word.
    fn symbol(&mut self, frame: &mut Frame<'a>, text: &'a str, span: Span) {
        if text == "?" {
            let message = "TSL has no `? :`".to_owned();
            let hint = "write one implication for each case: `(c -> a) && (!c -> b)`";
            self.error(Code::CONDITIONAL, span, message, "", hint);
            frame.muted = true;
        } else if frame.row.expects_operand() {
            self.symbol_before_operand(frame, text, span);
        } else {
            self.symbol_after_operand(frame, text, span);
        }
    }

    fn symbol_before_operand(&mut self, frame: &mut Frame<'a>, text: &'a str, span: Span) {
        let brackets = frame.pairs.peek().is_some_and(|p| p.as_rule() == Rule::brackets);
        let big = BigOp::of_spelling(text).filter(|_| brackets);
        if let Some(op) = big {
            self.push_prefix(frame, TokenKind::Big { op, binders: None }, span);
        } else if let Some(op) = UnaryOp::of_spelling(text) {
            self.push_prefix(frame, TokenKind::Unary(op), span);
        } else if let Some(op) = mistakes::wrong_prefix(text) {
            self.wrong_operator(text, span, op.spelling());
            self.push_prefix(frame, TokenKind::Unary(op), span);
        } else if text == "|" {
            let tokens = std::mem::take(&mut frame.row.tokens);
            frame.row.sizes.push((tokens, span));
        } else if text == "+" {
            // A plus sign before a number.
        } else {
            self.lacks_left_side(frame, text, span);
        }
    }

    fn lacks_left_side(&mut self, frame: &mut Frame<'a>, text: &'a str, span: Span) {
        let message = format!("`{text}` lacks its left side");
        self.error(Code::MISSING_OPERAND, span, message, "expected a formula or a term before it", "");
        let hole = self.hole(span);
        self.operand(frame, hole, Span { end: span.start, ..span }, true);
        self.symbol_after_operand(frame, text, span);
    }

    fn symbol_after_operand(&mut self, frame: &mut Frame<'a>, text: &'a str, span: Span) {
        if matches!(text, "+" | "-") && self.signed_argument(frame, text, span) {
            return;
        }
        if text == "|" && !frame.row.sizes.is_empty() {
            return self.close_size(frame, span);
        }
        if let Some(op) = BinaryOp::of_spelling(text) {
            return self.push_infix(frame, op, span);
        }
        if let Some(op) = mistakes::wrong_infix(text) {
            self.wrong_operator(text, span, op.spelling());
            return self.push_infix(frame, op, span);
        }
        match text {
            "~" => {
                let message = "pattern matching with `~` is not supported".to_owned();
                let hint = "negation is `!`; guards can compare: `n == 0 : a otherwise : b`";
                self.error(Code::PATTERN, span, message, "", hint);
                frame.muted = true;
            }
            "^" => {
                let message = "TSL has no exclusive or".to_owned();
                self.error(Code::WRONG_OPERATOR, span, message, "", "write `!(a <-> b)`");
                self.push_infix(frame, BinaryOp::Iff, span);
            }
            "<>" => {
                let message = "`<>` stands between two operands".to_owned();
                let hint = "unequal is `!=`, finally is `F`";
                self.error(Code::WRONG_OPERATOR, span, message, "", hint);
                self.push_infix(frame, BinaryOp::Ne, span);
            }
            _ => {
                self.side_by_side(frame, span);
                self.symbol_before_operand(frame, text, span);
            }
        }
    }

    pub(super) fn wrong_operator(&mut self, text: &str, span: Span, right: &str) {
        let message = format!("`{text}` is not an operator of TSL");
        self.error(Code::WRONG_OPERATOR, span, message, "", &format!("write `{right}`"));
    }

    pub(super) fn push_prefix(&mut self, frame: &mut Frame<'a>, kind: TokenKind, span: Span) {
        frame.row.prefixes += 1;
        if frame.row.prefixes > MAX_NESTING {
            self.report(too_deep(span, "prefix operators are"));
            frame.muted = true;
        } else {
            frame.row.tokens.push(Token { kind, span });
        }
    }

    pub(super) fn push_infix(&mut self, frame: &mut Frame<'a>, op: BinaryOp, span: Span) {
        self.end_operand(&mut frame.row);
        frame.row.tokens.push(Token { kind: TokenKind::Infix(op), span });
    }

    /// An operand; if another one stands before it, that one is applied to it.
    pub(super) fn operand(&mut self, frame: &mut Frame<'a>, expr: ExprId, span: Span, applicable: bool) {
        frame.row.prefixes = 0;
        let atom = Atom { expr, span, applicable };
        let Some((head, last)) =
            frame.row.operand.as_ref().map(|app| (app.atoms[0], *app.atoms.last().unwrap_or(&atom)))
        else {
            frame.row.operand = Some(Juxtaposed { atoms: vec![atom], argument_called: false });
            return;
        };
        if !head.applicable {
            self.side_by_side(frame, span);
            frame.row.operand = Some(Juxtaposed { atoms: vec![atom], argument_called: false });
            return;
        }
        let name = self.slice(head.span);
        if frame.kind == Kind::Top(Context::Clause)
            && self.line_break(last.span, span)
            && !self.known.contains(name)
        {
            let warning = Diagnostic::warning(
                Code::ACROSS_LINES,
                format!("`{name}` is applied to what stands on the next line"),
            )
            .at(span, "an argument")
            .hint("is a `;` missing before it?");
            self.report(warning);
        }
        if let Some(app) = &mut frame.row.operand {
            app.atoms.push(atom);
        }
    }

    /// Two formulas without an operator between them; goes on as if there was one.
    pub(super) fn side_by_side(&mut self, frame: &mut Frame<'a>, span: Span) {
        let before = frame.row.last_span().unwrap_or(span);
        let top = matches!(frame.kind, Kind::Top(_));
        if top && self.line_break(before, span) {
            let at = Span { start: before.end, end: before.end + self.width_at(before.end), ..before };
            let error = Diagnostic::error(
                Code::MISSING_SEMICOLON,
                "expected `;` or an operator between two formulas".to_owned(),
            )
            .at(at, "expected `;`")
            .at(span, "the next one begins here")
            .hint("every formula ends with `;`");
            self.report(error);
            // What follows is a formula of its own: nothing more can be said about this row.
            frame.muted = true;
        } else {
            let message = "expected an operator between two formulas".to_owned();
            self.error(Code::MISSING_OPERATOR, span, message, "expected an operator before this", "");
        }
        self.push_infix(frame, BinaryOp::And, Span { end: span.start, ..span });
    }
}
