//! Parses rows of words to expressions, iteratively; reports each error and continues.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::tsl::mistakes::wrong_infix;
use super::words::{TlsfWord, TlsfWordKind, letter_names};
use super::{TlsfBinder, TlsfExprs, TlsfId, TlsfKind};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::Name;
use tsl_synth_core::source::Span;
use tsl_synth_ltl::operators::Dialect;
use tsl_synth_ltl::operators::{BigOp, BinaryOp, Level, PREFIX, Side, UnaryOp};
use tsl_synth_ltl::scan::{MAX_NESTING, too_deep};
use tsl_synth_ltl::shunting_yard::{OperatorNode, RowSymbol, shunting_yard};
use tsl_synth_ltl::signs::{in_ascii, latex_hint};

/// More errors than this are not listed one by one.
const MAX_ERRORS: usize = 200;
/// The level of `SIZEOF`, as that of `SIZE`.
const SIZE_OF: Level = 95;
/// The level of `~`, the loosest.
const MATCH: Level = 10;

/// A separator between two parts of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TlsfSeparator {
    Comma,
    Dots,
    Colon,
    /// No text: a new alternative of a definition begins.
    Alternative,
}

/// A part of a row between two separators.
#[derive(Clone, Copy, Debug)]
pub(super) struct TlsfRowPart {
    /// `None` if the part is empty.
    pub(super) expr: Option<TlsfId>,
    pub(super) span: Span,
    /// The separator before it.
    pub(super) before: Option<TlsfSeparator>,
}

/// The construct that a row belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TlsfRowOwner {
    Clause,
    Definition,
    Group,
    /// The arguments of a call; the last operand of the outer row is the name.
    Call,
    Index,
    Bounds,
    Binders,
    Set,
    /// `|set|`
    Bars,
}

impl TlsfRowOwner {
    fn close(self) -> &'static str {
        match self {
            Self::Clause | Self::Definition => ";",
            Self::Group | Self::Call => ")",
            Self::Index | Self::Bounds | Self::Binders => "]",
            Self::Set => "}",
            Self::Bars => "|",
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum TlsfRowToken {
    Operand(TlsfId),
    Prefix(UnaryOp),
    SizeOf,
    StrongNext,
    Bounded {
        op: UnaryOp,
        strong: bool,
        low: TlsfId,
        high: TlsfId,
    },
    /// The binders are `None` until they are read.
    Big(BigOp, Option<Vec<TlsfBinder>>),
    Infix(BinaryOp),
    Match,
}

/// A row that is being read.
pub(super) struct TlsfFrame {
    kind: TlsfRowOwner,
    open: Span,
    pub(super) tokens: Vec<(TlsfRowToken, Span)>,
    pieces: Vec<TlsfRowPart>,
    before: Option<TlsfSeparator>,
    /// The number of consecutive prefix operators before the next operand.
    pub(super) prefixes: usize,
    /// Whether bounds are strong.
    strong: bool,
}

impl TlsfFrame {
    fn new(kind: TlsfRowOwner, open: Span) -> Self {
        Self { kind, open, tokens: Vec::new(), pieces: Vec::new(), before: None, prefixes: 0, strong: false }
    }
    /// Whether nothing of the row was read yet.
    fn is_untouched(&self) -> bool {
        self.tokens.is_empty() && self.pieces.is_empty() && !self.strong
    }
    fn expects_operand(&self) -> bool {
        !matches!(self.tokens.last(), Some((TlsfRowToken::Operand(_), _)))
    }
}

/// The state of reading one file.
pub(super) struct TlsfReader<'a> {
    pub(super) text: &'a str,
    pub(super) words: Vec<TlsfWord<'a>>,
    pub(super) at: usize,
    pub(super) exprs: TlsfExprs,
    pub(super) diagnostics: Diagnostics,
    names: FxHashMap<&'a str, Arc<str>>,
    /// The letters of past operators, and `M`, that are names in this file.
    pub(super) letter_names: FxHashSet<&'a str>,
    errors: usize,
    /// Subformulas that parentheses would set apart, where LTL reads the formula differently.
    pub(super) implied: Vec<Span>,
    /// The number of formulas that LTL reads differently.
    pub(super) warnings: usize,
}

impl<'a> TlsfReader<'a> {
    pub(super) fn new(text: &'a str, words: Vec<TlsfWord<'a>>) -> Self {
        Self {
            text,
            letter_names: letter_names(&words),
            words,
            at: 0,
            exprs: TlsfExprs::new(),
            diagnostics: Diagnostics::new(),
            names: FxHashMap::default(),
            errors: 0,
            implied: Vec::new(),
            warnings: 0,
        }
    }
    /// The next word; at the end of the text always the last one.
    pub(super) fn peek(&self) -> TlsfWord<'a> {
        self.words[self.at.min(self.words.len() - 1)]
    }
    pub(super) fn next(&mut self) -> TlsfWord<'a> {
        let word = self.peek();
        self.at += 1;
        word
    }
    pub(super) fn intern(&mut self, text: &'a str) -> Arc<str> {
        self.names.entry(text).or_insert_with(|| Arc::from(text)).clone()
    }
    pub(super) fn name(&mut self, word: TlsfWord<'a>) -> Name {
        Name { text: self.intern(word.text), span: word.span }
    }
    pub(super) fn error(
        &mut self,
        code: Code,
        at: Span,
        message: impl Into<String>,
        remark: &str,
        hint: &str,
    ) {
        let mut error = Diagnostic::error(code, message).at(at, remark);
        if !hint.is_empty() {
            error = error.hint(hint);
        }
        self.report(error);
    }
    pub(super) fn report(&mut self, error: Diagnostic) {
        self.errors += 1;
        if self.errors <= MAX_ERRORS {
            self.diagnostics.push(error);
        }
    }
    fn hole(&mut self, span: Span) -> TlsfId {
        self.exprs.push(span, TlsfKind::Bool(true))
    }

    /// Reads the formula or term before the next `;` (which is consumed) or `}` (which is not).
    pub(super) fn clause(&mut self) -> Option<TlsfId> {
        let pieces = self.row(TlsfRowOwner::Clause);
        if let Some(piece) = pieces.get(1) {
            let word = match piece.before {
                Some(TlsfSeparator::Comma) => "`,`",
                Some(TlsfSeparator::Colon) => "`:`",
                _ => "`..`",
            };
            let message = format!("{word} means nothing here");
            self.error(Code::SYNTAX, piece.span, message, "", "formulas end with `;`");
        }
        pieces.first().and_then(|piece| piece.expr)
    }

    /// Reads the width of a bus up to its `]`, which is consumed.
    pub(super) fn size(&mut self) -> Option<TlsfId> {
        let pieces = self.row(TlsfRowOwner::Index);
        if let Some(piece) = pieces.get(1) {
            let message = "the width of a bus is one number";
            let hint = "`g[3]` declares the signals `g[0]`, `g[1]` and `g[2]`; the first index is always 0";
            self.error(Code::SYNTAX, piece.span, message, "a second number", hint);
        }
        pieces.first().and_then(|piece| piece.expr)
    }

    /// Reads the alternatives of a definition, with their guards, to its `;`.
    pub(super) fn alternatives(&mut self) -> Vec<(Option<TlsfId>, TlsfId)> {
        let pieces = self.row(TlsfRowOwner::Definition);
        let mut alternatives = Vec::new();
        let mut guard = None;
        for (i, piece) in pieces.iter().enumerate() {
            let Some(expr) = piece.expr else {
                let message = "there is nothing where an expression was expected";
                self.error(Code::EMPTY_FORMULA, piece.span, message, "", "");
                continue;
            };
            match pieces.get(i + 1).and_then(|next| next.before) {
                Some(TlsfSeparator::Colon) if guard.is_none() => guard = Some(expr),
                Some(TlsfSeparator::Comma | TlsfSeparator::Dots | TlsfSeparator::Colon) => {
                    let message = "a definition is `name(parameters) = expression;`, or has alternatives `guard : expression`";
                    self.error(Code::BAD_DEFINITION, pieces[i + 1].span, message, "", "");
                    break;
                }
                _ => {
                    if guard.is_none() && pieces.len() > 1 {
                        let message = "expected an operator between two expressions, or a guard";
                        let at = pieces.get(i + 1).map_or(piece.span, |next| next.span);
                        let hint = "every alternative of a definition has a guard: `guard : expression`";
                        self.error(Code::MISSING_OPERATOR, at, message, "", hint);
                        break;
                    }
                    alternatives.push((guard.take(), expr));
                }
            }
        }
        alternatives
    }

    /// Reads a row and all rows in its brackets.
    fn row(&mut self, kind: TlsfRowOwner) -> Vec<TlsfRowPart> {
        let start = self.peek().span;
        let mut frames = vec![TlsfFrame::new(kind, start)];
        loop {
            let word = self.peek();
            let ends = match word.text {
                ";" => word.sort == TlsfWordKind::Symbol,
                "}" => frames.last().is_none_or(|f| f.kind != TlsfRowOwner::Set),
                "]" => frames.len() == 1 && kind == TlsfRowOwner::Index,
                _ => word.sort == TlsfWordKind::End,
            };
            if ends {
                if frames.len() > 1 {
                    self.unclosed(&frames, word);
                    frames.truncate(1);
                    frames[0].tokens.clear();
                    frames[0].pieces.clear();
                    frames[0].before = None;
                    let hole = self.hole(word.span);
                    frames[0].tokens.push((TlsfRowToken::Operand(hole), word.span));
                }
                if word.text == kind.close() {
                    self.at += 1;
                }
                let mut frame = frames.pop().expect("the outermost row stays");
                let at = Span { end: word.span.start, ..word.span };
                self.end_piece(&mut frame, at);
                return frame.pieces;
            }
            self.at += 1;
            self.word(&mut frames, word);
        }
    }

    fn unclosed(&mut self, frames: &[TlsfFrame], word: TlsfWord<'_>) {
        let last = &frames[frames.len() - 1];
        let (open, close) = (self.slice(last.open), last.kind.close());
        let found = word.shown();
        let message = match frames.len() - 1 {
            1 => format!("`{open}` is not closed: expected `{close}` before {found}"),
            n => format!("{n} brackets are not closed: expected `{close}` before {found}"),
        };
        let error = Diagnostic::error(Code::NOT_CLOSED, message)
            .at(word.span, format!("expected `{close}`"))
            .at(last.open, "opened here");
        self.report(error);
    }

    pub(super) fn slice(&self, span: Span) -> &'a str {
        &self.text[span.range()]
    }

    fn word(&mut self, frames: &mut Vec<TlsfFrame>, word: TlsfWord<'a>) {
        let frame = frames.last_mut().expect("a row is open");
        match word.sort {
            TlsfWordKind::Number => {
                let value = word.text.parse().unwrap_or_else(|_| {
                    self.error(Code::BAD_NUMBER, word.span, "this number does not fit 63 bits", "", "");
                    0
                });
                self.operand(frame, TlsfKind::Int(value), word.span);
            }
            TlsfWordKind::Word => self.letters(frame, word),
            TlsfWordKind::Strong => match frame.tokens.last_mut() {
                Some((token @ TlsfRowToken::Prefix(UnaryOp::Next), _)) => *token = TlsfRowToken::StrongNext,
                _ => self.error(Code::BAD_BOUNDS, word.span, "only `X[!]` is strong", "", ""),
            },
            TlsfWordKind::String => {
                self.error(Code::STRING, word.span, "a text means nothing in an expression", "", "");
            }
            TlsfWordKind::Unknown | TlsfWordKind::End => {
                let hint = match word.text {
                    "&" => "and is `&&`",
                    "^" => "exclusive or is `!(a <-> b)`",
                    "." => "ranges are `{0 .. n}`",
                    _ => "",
                };
                let message = format!("{} means nothing here", word.shown());
                let latex = latex_hint(&self.text[word.span.start as usize..]);
                self.error(Code::CHARACTER, word.span, message, "", latex.as_deref().unwrap_or(hint));
            }
            TlsfWordKind::Symbol => self.symbol(frames, word),
        }
    }

    /// A name or an operator in letters.
    fn letters(&mut self, frame: &mut TlsfFrame, word: TlsfWord<'a>) {
        let big = matches!(word.text, "FORALL" | "EXISTS" | "SUM" | "PROD")
            || matches!(word.text, "AND" | "OR" | "CUP" | "CAP") && frame.expects_operand();
        if let Some(op) = BigOp::of_spelling(word.text).filter(|_| big) {
            return self.prefix(frame, TlsfRowToken::Big(op, None), word.span);
        }
        match word.text {
            "true" => self.operand(frame, TlsfKind::Bool(true), word.span),
            "false" => self.operand(frame, TlsfKind::Bool(false), word.span),
            "otherwise" => self.operand(frame, TlsfKind::Otherwise, word.span),
            "SIZEOF" => self.prefix(frame, TlsfRowToken::SizeOf, word.span),
            // This is an operator only in TSL.
            "A" => self.plain_name(frame, word),
            text if self.letter_names.contains(text) => self.plain_name(frame, word),
            "M" if frame.expects_operand() || !self.operand_follows() => self.plain_name(frame, word),
            text => match (UnaryOp::of_spelling(text), BinaryOp::of_spelling(text)) {
                (Some(op), _) => self.prefix(frame, TlsfRowToken::Prefix(op), word.span),
                (_, Some(op)) => self.infix(frame, TlsfRowToken::Infix(op), word),
                _ => match wrong_infix(text).filter(|_| !frame.expects_operand() && self.operand_follows()) {
                    Some(op) => self.wrong_infix(frame, op, word),
                    None => self.plain_name(frame, word),
                },
            },
        }
    }

    fn plain_name(&mut self, frame: &mut TlsfFrame, word: TlsfWord<'a>) {
        let name = self.intern(word.text);
        self.operand(frame, TlsfKind::Name(name), word.span);
    }

    fn symbol(&mut self, frames: &mut Vec<TlsfFrame>, word: TlsfWord<'a>) {
        let (text, span) = (in_ascii(word.text), word.span);
        let frame = frames.last_mut().expect("a row is open");
        match text {
            "true" | "false" => self.operand(frame, TlsfKind::Bool(text == "true"), span),
            "!" if frame.kind == TlsfRowOwner::Bounds
                && (frame.is_untouched() || self.peek().text == "]" && !frame.strong) =>
            {
                frame.strong = true;
            }
            "(" | "[" | "{" => self.open(frames, word),
            ")" | "]" | "}" => self.close(frames, word),
            "|" if !frame.expects_operand() && frame.kind == TlsfRowOwner::Bars => self.close(frames, word),
            "|" if frame.expects_operand() => self.push_frame(frames, TlsfRowOwner::Bars, span),
            "|" => self.error(
                Code::WRONG_OPERATOR,
                span,
                "`|` is no operator between formulas",
                "",
                "or is `||`",
            ),
            "," => self.separate(frame, TlsfSeparator::Comma, span),
            ".." => self.separate(frame, TlsfSeparator::Dots, span),
            ":" => self.separate(frame, TlsfSeparator::Colon, span),
            "!" | "X" | "F" | "G" => {
                let op = UnaryOp::of_spelling(text).expect("these are prefix operators");
                self.prefix(frame, TlsfRowToken::Prefix(op), span);
            }
            "~" => self.infix(frame, TlsfRowToken::Match, word),
            "=>" | "<=>" | "/\\" | "\\/" => {
                let op = wrong_infix(text).unwrap_or(BinaryOp::And);
                self.wrong_infix(frame, op, word);
            }
            "<-" => self.infix(frame, TlsfRowToken::Infix(BinaryOp::In), word),
            "=" => {
                self.error(
                    Code::WRONG_OPERATOR,
                    span,
                    "`=` is no operator of formulas",
                    "",
                    "equality is `==`",
                );
                self.infix(frame, TlsfRowToken::Infix(BinaryOp::Eq), word);
            }
            _ => match (BigOp::of_spelling(text), BinaryOp::of_spelling(text)) {
                (Some(op), _) if frame.expects_operand() => {
                    self.prefix(frame, TlsfRowToken::Big(op, None), span);
                }
                (_, Some(op)) => self.infix(frame, TlsfRowToken::Infix(op), word),
                _ => self.error(Code::SYNTAX, span, format!("`{text}` means nothing here"), "", ""),
            },
        }
    }

    fn push_frame(&mut self, frames: &mut Vec<TlsfFrame>, kind: TlsfRowOwner, span: Span) {
        frames.push(TlsfFrame::new(kind, span));
        if frames.len() == MAX_NESTING + 2 {
            self.report(too_deep(span, "brackets are"));
        }
    }

    fn open(&mut self, frames: &mut Vec<TlsfFrame>, word: TlsfWord<'a>) {
        let frame = frames.last_mut().expect("a row is open");
        let last = frame.tokens.last();
        let kind = match (word.text, last) {
            ("(", Some((TlsfRowToken::Operand(id), at)))
                if matches!(self.exprs.kind(*id), TlsfKind::Name(_))
                    && !self.text[at.end as usize..word.span.start as usize].contains('\n') =>
            {
                TlsfRowOwner::Call
            }
            ("[", Some((TlsfRowToken::Operand(_), _))) => TlsfRowOwner::Index,
            ("[", Some((TlsfRowToken::Prefix(op), _))) if op.is_temporal() => TlsfRowOwner::Bounds,
            ("[", Some((TlsfRowToken::Big(_, None), _))) => TlsfRowOwner::Binders,
            ("(", _) => {
                self.separate_operands(frame, word.span);
                TlsfRowOwner::Group
            }
            ("{", _) => {
                self.separate_operands(frame, word.span);
                TlsfRowOwner::Set
            }
            _ => {
                let hint = "`[` follows a bus, `X`, `F`, `G` or a big operator such as `&&`";
                self.error(Code::BAD_BRACKETS, word.span, "`[` means nothing here", "", hint);
                TlsfRowOwner::Group
            }
        };
        self.push_frame(frames, kind, word.span);
    }

    fn close(&mut self, frames: &mut Vec<TlsfFrame>, word: TlsfWord<'a>) {
        let expected = frames.last().map_or(";", |f| f.kind.close());
        if expected != word.text || frames.len() == 1 {
            let message = if frames.len() == 1 {
                format!("`{}` closes nothing", word.text)
            } else {
                format!("expected `{expected}`, found `{}`", word.text)
            };
            let mut error = Diagnostic::error(Code::NOT_OPENED, message).at(word.span, "here");
            if let Some(frame) = frames.last().filter(|_| frames.len() > 1) {
                error = error.at(frame.open, "opened here");
            }
            self.report(error);
            if frames.len() == 1 {
                return;
            }
        }
        let Some(mut frame) = frames.pop() else { return };
        let before = Span { end: word.span.start, ..word.span };
        self.end_piece(&mut frame, before);
        let whole = frame.open.to(word.span);
        let parent = frames.last_mut().expect("the outermost row stays");
        parent.prefixes = 0;
        match frame.kind {
            TlsfRowOwner::Clause | TlsfRowOwner::Definition => {}
            TlsfRowOwner::Group => {
                let id = self.single(&frame.pieces, whole);
                parent.tokens.push((TlsfRowToken::Operand(id), whole));
            }
            TlsfRowOwner::Bars => {
                let id = self.single(&frame.pieces, whole);
                let id = self.exprs.push(whole, TlsfKind::Unary(UnaryOp::Size, id));
                parent.tokens.push((TlsfRowToken::Operand(id), whole));
            }
            TlsfRowOwner::Set => {
                let kind = self.set(&frame.pieces, whole);
                let id = self.exprs.push(whole, kind);
                parent.tokens.push((TlsfRowToken::Operand(id), whole));
            }
            TlsfRowOwner::Call | TlsfRowOwner::Index => {
                let Some((TlsfRowToken::Operand(head), at)) = parent.tokens.pop() else { return };
                let whole = at.to(word.span);
                let kind = if frame.kind == TlsfRowOwner::Index {
                    let index = self.single(&frame.pieces, whole);
                    TlsfKind::Index(head, index)
                } else {
                    let TlsfKind::Name(name) = self.exprs.kind(head).clone() else { return };
                    TlsfKind::Call(name, self.arguments(&frame.pieces))
                };
                let id = self.exprs.push(whole, kind);
                parent.tokens.push((TlsfRowToken::Operand(id), whole));
            }
            TlsfRowOwner::Bounds => {
                let Some((TlsfRowToken::Prefix(op), at)) = parent.tokens.pop() else { return };
                let is_step = matches!(op, UnaryOp::Next | UnaryOp::Yesterday | UnaryOp::WeakYesterday);
                let bounds = match &frame.pieces[..] {
                    [TlsfRowPart { expr: Some(n), .. }] if is_step => Some((*n, *n)),
                    [
                        TlsfRowPart { expr: Some(low), .. },
                        TlsfRowPart { expr: Some(high), before: Some(TlsfSeparator::Colon), .. },
                    ] if !is_step => Some((*low, *high)),
                    _ => None,
                };
                let strong = frame.strong;
                let token = match bounds {
                    Some((low, high)) if !(strong && op.is_past()) => {
                        TlsfRowToken::Bounded { op, strong, low, high }
                    }
                    _ => {
                        let hint =
                            "write `X[n]`, `F[n:m]`, `G[n:m]`, and strong ones `X[n!]`, `F[n:m!]`, `G[n:m!]`";
                        self.error(Code::BAD_BOUNDS, whole, "bounds of another form", "", hint);
                        TlsfRowToken::Prefix(op)
                    }
                };
                parent.tokens.push((token, at.to(word.span)));
            }
            TlsfRowOwner::Binders => {
                let Some((TlsfRowToken::Big(op, None), at)) = parent.tokens.pop() else { return };
                let binders = self.binders(&frame.pieces);
                parent.tokens.push((TlsfRowToken::Big(op, Some(binders)), at.to(word.span)));
            }
        }
    }

    /// The one expression of a bracket.
    fn single(&mut self, pieces: &[TlsfRowPart], whole: Span) -> TlsfId {
        match pieces {
            [TlsfRowPart { expr: Some(id), .. }] => *id,
            [] | [TlsfRowPart { expr: None, .. }] => {
                self.error(Code::EMPTY_FORMULA, whole, "nothing stands between these brackets", "", "");
                self.hole(whole)
            }
            [first, second, ..] => {
                let message = "one expression was expected between these brackets";
                self.error(Code::BAD_COMMA, second.span, message, "", "");
                first.expr.unwrap_or_else(|| self.hole(whole))
            }
        }
    }

    fn arguments(&mut self, pieces: &[TlsfRowPart]) -> Vec<TlsfId> {
        if let [TlsfRowPart { expr: None, .. }] = pieces {
            return Vec::new();
        }
        let mut arguments = Vec::new();
        for piece in pieces {
            if !matches!(piece.before, None | Some(TlsfSeparator::Comma)) {
                self.error(Code::BAD_COMMA, piece.span, "arguments have commas between them", "", "");
            }
            match piece.expr {
                Some(id) => arguments.push(id),
                None => self.error(Code::EMPTY_FORMULA, piece.span, "an argument is missing", "here", ""),
            }
        }
        arguments
    }

    fn set(&mut self, pieces: &[TlsfRowPart], whole: Span) -> TlsfKind {
        let all: Option<Vec<TlsfId>> = pieces.iter().map(|p| p.expr).collect();
        let separators: Vec<TlsfSeparator> = pieces.iter().filter_map(|p| p.before).collect();
        match (all.as_deref(), &separators[..]) {
            (None, []) => TlsfKind::Set(Vec::new()),
            (Some(&[first, last]), [TlsfSeparator::Dots]) => {
                TlsfKind::Progression { first, second: None, last }
            }
            (Some(&[first, second, last]), [TlsfSeparator::Comma, TlsfSeparator::Dots]) => {
                TlsfKind::Progression { first, second: Some(second), last }
            }
            (Some(all), _) if separators.iter().all(|s| *s == TlsfSeparator::Comma) => {
                TlsfKind::Set(all.to_vec())
            }
            _ => {
                let message = "a set is `{a, b}`, `{first .. last}` or `{first, second .. last}`";
                self.error(Code::BAD_SET, whole, message, "", "");
                TlsfKind::Set(Vec::new())
            }
        }
    }

    fn binders(&mut self, pieces: &[TlsfRowPart]) -> Vec<TlsfBinder> {
        let mut binders = Vec::new();
        for piece in pieces {
            match piece.expr.and_then(|id| self.binder(id)) {
                Some(binder) if matches!(piece.before, None | Some(TlsfSeparator::Comma)) => {
                    binders.push(binder);
                }
                _ => {
                    let message = "a binder is `name IN set` or `low <= name < high`";
                    self.error(Code::BAD_BINDER, piece.span, message, "", "");
                }
            }
        }
        binders
    }

    fn binder(&self, id: TlsfId) -> Option<TlsfBinder> {
        let name = |id: TlsfId| match self.exprs.kind(id) {
            TlsfKind::Name(text) => Some(Name { text: text.clone(), span: self.exprs.span(id) }),
            _ => None,
        };
        match *self.exprs.kind(id) {
            TlsfKind::Binary(BinaryOp::In, bound, set) => Some(TlsfBinder::In(name(bound)?, set)),
            TlsfKind::Binary(right, inner, end) => {
                let TlsfKind::Binary(left, start, bound) = *self.exprs.kind(inner) else { return None };
                let strict = |op| matches!(op, BinaryOp::Lt | BinaryOp::Gt);
                let up = |op| matches!(op, BinaryOp::Lt | BinaryOp::Le);
                let down = |op| matches!(op, BinaryOp::Gt | BinaryOp::Ge);
                let (start, end) = ((start, strict(left)), (end, strict(right)));
                let (low, high) = match () {
                    () if up(left) && up(right) => (start, end),
                    () if down(left) && down(right) => (end, start),
                    () => return None,
                };
                Some(TlsfBinder::Between { low, name: name(bound)?, high })
            }
            _ => None,
        }
    }

    /// Called before an operand: if no operator precedes it, a new alternative begins in a definition; elsewhere that
    /// is an error.
    fn separate_operands(&mut self, frame: &mut TlsfFrame, span: Span) {
        if frame.expects_operand() {
            return;
        }
        if frame.kind == TlsfRowOwner::Definition {
            return self.separate(frame, TlsfSeparator::Alternative, Span { end: span.start, ..span });
        }
        if self.name_as_prefix(frame) {
            return;
        }
        let hint = if frame.kind == TlsfRowOwner::Clause { "formulas end with `;`" } else { "" };
        let message = "expected an operator between two expressions";
        self.error(Code::MISSING_OPERATOR, span, message, "", hint);
        frame.tokens.push((TlsfRowToken::Infix(BinaryOp::And), Span { end: span.start, ..span }));
    }

    fn operand(&mut self, frame: &mut TlsfFrame, kind: TlsfKind, span: Span) {
        self.separate_operands(frame, span);
        frame.prefixes = 0;
        let id = self.exprs.push(span, kind);
        frame.tokens.push((TlsfRowToken::Operand(id), span));
    }

    fn prefix(&mut self, frame: &mut TlsfFrame, token: TlsfRowToken, span: Span) {
        self.separate_operands(frame, span);
        frame.prefixes += 1;
        match frame.prefixes {
            n if n <= MAX_NESTING => frame.tokens.push((token, span)),
            n if n == MAX_NESTING + 1 => self.report(too_deep(span, "prefix operators are")),
            _ => {}
        }
    }

    pub(super) fn infix(&mut self, frame: &mut TlsfFrame, token: TlsfRowToken, word: TlsfWord<'a>) {
        frame.prefixes = 0;
        let span = word.span;
        if frame.expects_operand() {
            let message = format!("`{}` lacks its left side", word.text);
            let hint = past_hint(word.text);
            self.error(Code::MISSING_OPERAND, span, message, "expected an expression before it", hint);
            let at = Span { end: span.start, ..span };
            let hole = self.hole(at);
            frame.tokens.push((TlsfRowToken::Operand(hole), at));
        }
        frame.tokens.push((token, span));
    }

    fn separate(&mut self, frame: &mut TlsfFrame, separator: TlsfSeparator, span: Span) {
        self.end_piece(frame, span);
        frame.before = Some(separator);
    }

    fn end_piece(&mut self, frame: &mut TlsfFrame, at: Span) {
        let tokens = std::mem::take(&mut frame.tokens);
        frame.prefixes = 0;
        let (expr, span) = if tokens.is_empty() {
            (None, at)
        } else {
            let (id, span) = self.build(tokens);
            (Some(id), span)
        };
        frame.pieces.push(TlsfRowPart { expr, span, before: frame.before.take() });
    }

    /// The tree of a row.
    fn build(&mut self, mut tokens: Vec<(TlsfRowToken, Span)>) -> (TlsfId, Span) {
        if let Some((token, span)) = tokens.last().filter(|(t, _)| !matches!(t, TlsfRowToken::Operand(_))) {
            let word = self.slice(*span);
            let side = if matches!(token, TlsfRowToken::Infix(_) | TlsfRowToken::Match) {
                "right side"
            } else {
                "operand"
            };
            let (message, span) = (format!("`{word}` lacks its {side}"), *span);
            let hint = past_hint(word);
            self.error(Code::MISSING_OPERAND, span, message, "expected an expression after it", hint);
            let hole = self.hole(span);
            tokens.push((TlsfRowToken::Operand(hole), span));
        }
        let nodes = shunting_yard(tokens.iter().map(|(token, _)| symbol(token)));
        self.compare_with_ltl(&tokens, &nodes);
        // Each node with its span, parentheses around it included, which the tree does not keep.
        let mut built: Vec<(TlsfId, Span)> = Vec::new();
        for node in nodes {
            let (place, children) = match node {
                OperatorNode::Operand(place) => (place, vec![]),
                OperatorNode::Prefix(place, a) => (place, vec![built[a as usize]]),
                OperatorNode::Infix(place, a, b) => (place, vec![built[a as usize], built[b as usize]]),
            };
            let (token, at) = tokens[place as usize].clone();
            let span = children.iter().fold(at, |s, c| s.to(c.1));
            let kind = match (token, &children[..]) {
                (TlsfRowToken::Operand(id), _) => {
                    built.push((id, span));
                    continue;
                }
                (TlsfRowToken::Prefix(op), [a]) => TlsfKind::Unary(op, a.0),
                (TlsfRowToken::SizeOf, [a]) => TlsfKind::SizeOf(a.0),
                (TlsfRowToken::StrongNext, [a]) => TlsfKind::StrongNext(a.0),
                (TlsfRowToken::Bounded { op, strong, low, high }, [body]) => {
                    TlsfKind::Bounded { op, strong, low, high, body: body.0 }
                }
                (TlsfRowToken::Big(op, binders), [body]) => {
                    let binders = binders.unwrap_or_else(|| {
                        let hint = "a big operator has binders: `&&[0 <= i < n] f`";
                        let message = format!("`{}` lacks its left side", op.spelling());
                        self.error(Code::MISSING_OPERAND, at, message, "", hint);
                        Vec::new()
                    });
                    TlsfKind::Big { op, binders, body: body.0 }
                }
                (TlsfRowToken::Infix(op), [a, b]) => TlsfKind::Binary(op, a.0, b.0),
                (TlsfRowToken::Match, [a, b]) => TlsfKind::Match(a.0, b.0),
                _ => unreachable!("nodes have as many children as their operators"),
            };
            built.push((self.exprs.push(span, kind), span));
        }
        *built.last().expect("a row has a root")
    }
}

/// The precedence of a token.
pub(super) fn symbol(token: &TlsfRowToken) -> RowSymbol {
    match token {
        TlsfRowToken::Operand(_) => RowSymbol::Operand,
        TlsfRowToken::Prefix(op) => RowSymbol::Prefix(op.level()),
        TlsfRowToken::SizeOf => RowSymbol::Prefix(SIZE_OF),
        TlsfRowToken::StrongNext | TlsfRowToken::Bounded { .. } => RowSymbol::Prefix(PREFIX),
        TlsfRowToken::Big(op, _) => RowSymbol::Prefix(op.level()),
        TlsfRowToken::Match => RowSymbol::Infix(MATCH, Side::Left),
        TlsfRowToken::Infix(op) => {
            // Strong release, which the tools of TSL do not have, binds as weak until, its dual.
            let row = if *op == BinaryOp::StrongRelease { BinaryOp::WeakUntil } else { *op };
            let (level, side) = row.binding(Dialect::Tsltools).expect("the operators of TLSF are in TSL");
            // The only operator whose side tsltools changed.
            RowSymbol::Infix(level, if *op == BinaryOp::Since { Side::Right } else { side })
        }
    }
}

/// What to say about the letter of a past operator that lacks an operand.
fn past_hint(word: &str) -> &'static str {
    match word {
        "Y" | "Z" | "O" | "H" | "S" | "T" => {
            "this letter is a past operator, unless the file declares a signal, parameter or definition of this name"
        }
        _ => "",
    }
}
