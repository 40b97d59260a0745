//! Words and signs of a row: what each one is depends on whether an operand or an operator is expected.

use super::Rule;
use super::mistakes;
use super::reader::{RowContext, RowFrame, RowOwner, Separator, TslReader};
use super::row::{Juxtaposed, RowAtom, RowToken, TokenKind};
use crate::syntax::ast::{ExprId, ExprKind};
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::source::Span;
use tsl_synth_ltl::operators::Dialect;
use tsl_synth_ltl::operators::{BigOp, BinaryOp, UnaryOp, reserved_word};
use tsl_synth_ltl::scan::{MAX_NESTING, too_deep};
use tsl_synth_ltl::signs::{BOUNDS, ends_with_bounded, in_ascii};

impl<'a> TslReader<'a> {
    /// A name, a constant, or an operator that is a word.
    pub(super) fn word(&mut self, frame: &mut RowFrame<'a>, text: &'a str, span: Span) {
        if self.time_word(frame, text, span) {
            return;
        }
        let next = frame.pairs.peek().map(|p| p.as_rule());
        // The other dialects accept any word as the target of an update.
        let target = self.dialect != Dialect::TslSynth
            && frame.kind == RowOwner::Brackets
            && frame.row.is_empty()
            && next == Some(Rule::separator);
        let plain = target || (matches!(text, "M" | "Z") && self.dialect != Dialect::TslSynth);
        let reserved = if plain { None } else { reserved_word(text) };
        match text {
            _ if plain => self.plain_name(frame, text, span),
            "true" | "false" => {
                let expr = self.exprs.push(span, ExprKind::Bool(text == "true"));
                self.operand(frame, expr, span, false);
            }
            "otherwise" if frame.kind == RowOwner::Top(RowContext::Definition) => {
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

    fn plain_name(&mut self, frame: &mut RowFrame<'a>, text: &'a str, span: Span) {
        let constant = match text {
            "True" | "TRUE" | "tt" => Some("true"),
            "False" | "FALSE" | "ff" => Some("false"),
            _ => None,
        };
        // `True()` is the constant of that name.
        let is_called = frame.pairs.peek().is_some_and(|next| next.as_rule() == Rule::group);
        if let Some(small) = constant.filter(|_| !is_called && !self.known.contains(text)) {
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

    /// `and`, `not` and their like, where they can only be operators; returns whether it was one.
    fn wrong_word(&mut self, frame: &mut RowFrame<'a>, text: &str, span: Span, next: Option<Rule>) -> bool {
        let follows = [Rule::name, Rule::group, Rule::brackets, Rule::symbol, Rule::set];
        if !next.is_some_and(|n| follows.contains(&n)) {
            return false;
        }
        if frame.row.expects_operand() {
            let Some(op) = mistakes::wrong_prefix(text).filter(|_| text != "next") else { return false };
            self.wrong_operator(text, span, op.spelling());
            self.push_prefix(frame, TokenKind::Unary(op), span);
        } else if matches!(text, "xor" | "XOR" | "Xor") {
            self.exclusive_or(frame, span);
        } else {
            let member = (text == "in" && frame.kind == RowOwner::Binders).then_some(BinaryOp::In);
            let Some(op) = mistakes::wrong_infix(text).or(member) else { return false };
            self.wrong_operator(text, span, op.spelling());
            self.push_infix(frame, op, span);
        }
        true
    }

    /// A reserved word.
    fn operator_word(&mut self, frame: &mut RowFrame<'a>, text: &'a str, span: Span, next: Option<Rule>) {
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

    /// An operator that is not a word.
    pub(super) fn symbol(&mut self, frame: &mut RowFrame<'a>, text: &'a str, span: Span) {
        let text = in_ascii(text);
        if matches!(text, "true" | "false") {
            let expr = self.exprs.push(span, ExprKind::Bool(text == "true"));
            self.operand(frame, expr, span, false);
        } else if text == "?" {
            let message = "TSL has no `? :`".to_owned();
            let hint = "write one implication for each case: `(c -> a) && (!c -> b)`";
            self.error(Code::CONDITIONAL, span, message, "", hint);
            frame.muted = true;
        } else if let Some(op) = mistakes::assignment(text) {
            self.assignment(frame, text, op, span);
        } else if frame.row.expects_operand() {
            self.symbol_before_operand(frame, text, span);
        } else {
            self.symbol_after_operand(frame, text, span);
        }
    }

    /// `+=`, `++` and their like, which change a variable in other languages.
    fn assignment(&mut self, frame: &mut RowFrame<'a>, text: &str, op: char, span: Span) {
        let known =
            frame.row.operand.as_ref().and_then(|own| own.atoms.first()).map(|atom| self.slice(atom.span));
        let cell = known.unwrap_or("count");
        let by = if text.ends_with('=') { "n" } else { "1" };
        let message = format!("`{text}` is not an operator of TSL");
        let hint = format!("a cell is changed by an update: `[{cell} <- {cell} {op} {by}]`");
        self.error(Code::WRONG_OPERATOR, span, message, "", &hint);
        frame.muted = true;
    }

    fn symbol_before_operand(&mut self, frame: &mut RowFrame<'a>, text: &'a str, span: Span) {
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
            // A plus sign before a number is ignored.
        } else {
            self.lacks_left_side(frame, text, span);
        }
    }

    fn lacks_left_side(&mut self, frame: &mut RowFrame<'a>, text: &'a str, span: Span) {
        let before = &self.text[..span.start as usize - self.base];
        let after = self.text[span.end as usize - self.base..].trim_start();
        if matches!(text, "<" | "<=" | ">" | ">=" | "≤" | "≥")
            && after.starts_with(|c: char| c.is_ascii_digit())
            && ends_with_bounded(before)
        {
            self.error(Code::BAD_BOUNDS, span, "bounds of another form".to_owned(), "", BOUNDS);
            frame.muted = true;
            return;
        }
        let message = format!("`{text}` lacks its left side");
        self.error(Code::MISSING_OPERAND, span, message, "expected a formula or a term before it", "");
        let hole = self.hole(span);
        self.operand(frame, hole, Span { end: span.start, ..span }, true);
        self.symbol_after_operand(frame, text, span);
    }

    fn symbol_after_operand(&mut self, frame: &mut RowFrame<'a>, text: &'a str, span: Span) {
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
            "^" => self.exclusive_or(frame, span),
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

    fn exclusive_or(&mut self, frame: &mut RowFrame<'a>, span: Span) {
        let message = "TSL has no exclusive or".to_owned();
        self.error(Code::WRONG_OPERATOR, span, message, "", "write `!(a <-> b)`");
        self.push_infix(frame, BinaryOp::Iff, span);
    }

    pub(super) fn wrong_operator(&mut self, text: &str, span: Span, right: &str) {
        let message = format!("`{text}` is not an operator of TSL");
        self.error(Code::WRONG_OPERATOR, span, message, "", &format!("write `{right}`"));
    }

    pub(super) fn push_prefix(&mut self, frame: &mut RowFrame<'a>, kind: TokenKind, span: Span) {
        frame.row.prefixes += 1;
        if frame.row.prefixes > MAX_NESTING {
            self.report(too_deep(span, "prefix operators are"));
            frame.muted = true;
        } else {
            frame.row.tokens.push(RowToken { kind, span });
        }
    }

    pub(super) fn push_infix(&mut self, frame: &mut RowFrame<'a>, op: BinaryOp, span: Span) {
        self.end_operand(&mut frame.row);
        frame.row.tokens.push(RowToken { kind: TokenKind::Infix(op), span });
    }

    /// Adds an operand; if another operand directly precedes it, that one is applied to it.
    pub(super) fn operand(&mut self, frame: &mut RowFrame<'a>, expr: ExprId, span: Span, applicable: bool) {
        frame.row.prefixes = 0;
        let atom = RowAtom { expr, span, applicable };
        let Some((head, last)) =
            frame.row.operand.as_ref().map(|app| (app.atoms[0], *app.atoms.last().unwrap_or(&atom)))
        else {
            frame.row.operand =
                Some(Juxtaposed { atoms: vec![atom], argument_called: false, is_sentence: false });
            return;
        };
        if !head.applicable {
            self.side_by_side(frame, span);
            frame.row.operand =
                Some(Juxtaposed { atoms: vec![atom], argument_called: false, is_sentence: false });
            return;
        }
        let name = self.slice(head.span);
        let is_first = frame.row.operand.as_ref().is_some_and(|app| app.atoms.len() == 1);
        if let Some(app) = frame.row.operand.as_mut().filter(|app| !app.is_sentence) {
            app.is_sentence = self.prose(is_first.then_some(head), atom);
        }
        if frame.kind == RowOwner::Top(RowContext::Clause)
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

    /// Warns of an argument, or of the name that is applied to it, that is a word of a sentence; returns whether one is.
    fn prose(&mut self, head: Option<RowAtom>, argument: RowAtom) -> bool {
        for atom in head.into_iter().chain([argument]) {
            let word = self.slice(atom.span);
            let hint = mistakes::prose(word).filter(|_| !self.known.contains(word));
            if let Some(hint) = hint {
                let warning = Diagnostic::warning(Code::PROSE, format!("`{word}` is read as a name"));
                self.report(warning.at(atom.span, "a sentence?").hint(hint));
                return true;
            }
        }
        false
    }

    /// Reports two formulas without an operator between them, and continues as if there were one.
    pub(super) fn side_by_side(&mut self, frame: &mut RowFrame<'a>, span: Span) {
        let before = frame.row.last_span().unwrap_or(span);
        let top = matches!(frame.kind, RowOwner::Top(_));
        if top && self.line_break(before, span) {
            let at = Span { start: before.end, end: self.char_end(before.end), ..before };
            let error = Diagnostic::error(
                Code::MISSING_SEMICOLON,
                "expected `;` or an operator between two formulas".to_owned(),
            )
            .at(at, "expected `;`")
            .at(span, "the next one begins here")
            .hint("every formula ends with `;`");
            self.report(error);
            // The next line begins a separate formula, so the rest of this row is ignored.
            frame.muted = true;
        } else {
            let message = "expected an operator between two formulas".to_owned();
            let hint = mistakes::prose(self.slice(span)).unwrap_or_default();
            self.error(Code::MISSING_OPERATOR, span, message, "expected an operator before this", hint);
        }
        self.push_infix(frame, BinaryOp::And, Span { end: span.start, ..span });
    }
}
