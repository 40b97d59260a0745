//! Closes brackets: groups and calls, updates, bounds, binders, sets.

use super::reader::{RowFrame, RowOwner, RowPart, Separator, TslReader};
use super::row::{RowAtom, RowToken, TokenKind};
use crate::syntax::ast::{ApplicationStyle, Binder, ExprId, ExprKind};
use tsl_synth_core::diag::Code;
use tsl_synth_core::source::Name;
use tsl_synth_core::source::Span;
use tsl_synth_ltl::operators::Dialect;
use tsl_synth_ltl::operators::{BinaryOp, UnaryOp};
use tsl_synth_ltl::signs::BOUNDS;

impl<'a> TslReader<'a> {
    /// Closes `|s|`.
    pub(super) fn close_size(&mut self, frame: &mut RowFrame<'a>, span: Span) {
        self.end_operand(&mut frame.row);
        let inner = std::mem::take(&mut frame.row.tokens);
        let Some((tokens, open)) = frame.row.sizes.pop() else { return };
        frame.row.tokens = tokens;
        let set = self.build(&inner, false);
        let whole = open.to(span);
        let set = self.exprs.push(whole, ExprKind::Group(set));
        let size = self.exprs.push(whole, ExprKind::Unary(UnaryOp::Size, set));
        self.operand(frame, size, whole, false);
    }

    /// Closes a bracket and adds its contents to the row around it.
    pub(super) fn close(&mut self, frame: &RowFrame<'a>, parent: &mut RowFrame<'a>) {
        if parent.muted {
            return;
        }
        if frame.muted {
            return self.push_hole(parent, frame.span);
        }
        match frame.kind {
            RowOwner::Group => self.close_group(frame, parent),
            RowOwner::Brackets => self.close_brackets(frame, parent),
            RowOwner::Binders => self.close_binders(frame, parent),
            RowOwner::Set => self.close_set(frame, parent),
            RowOwner::Top(_) => {}
        }
    }

    /// Recovers from an error in a bracket: a constant takes its place.
    fn push_hole(&mut self, parent: &mut RowFrame<'a>, span: Span) {
        let hole = self.hole(span);
        if parent.row.expects_operand() {
            if let Some(RowToken { kind: TokenKind::Big { binders: binders @ None, .. }, .. }) =
                parent.row.tokens.last_mut()
            {
                *binders = Some(Vec::new());
                return;
            }
            self.operand(parent, hole, span, true);
        }
    }

    /// Whether all parts are separated by commas; reports the first other separator.
    fn only_commas(&mut self, frame: &RowFrame<'a>) -> bool {
        let odd = frame.parts.iter().filter_map(|p| p.before).find(|(s, _)| *s != Separator::Comma);
        let Some((separator, span)) = odd else { return true };
        let text = self.slice(span).to_owned();
        match separator {
            Separator::Arrow | Separator::Assign => {
                let message = "an update stands in square brackets".to_owned();
                self.error(Code::BAD_UPDATE, span, message, "", "write `[cell <- term]`");
            }
            _ => {
                let message = format!("`{text}` means nothing here");
                self.error(Code::SYNTAX, span, message, "expected an operator or `)`", "");
            }
        }
        false
    }

    /// The expressions of all parts; an empty one is an error.
    fn all_parts(&mut self, frame: &RowFrame<'a>) -> Vec<ExprId> {
        let mut exprs = Vec::with_capacity(frame.parts.len());
        for part in &frame.parts {
            exprs.push(if let Some(expr) = part.expr {
                expr
            } else {
                let message = "nothing stands between these separators".to_owned();
                self.error(Code::EMPTY_FORMULA, part.span, message, "expected a term", "");
                self.hole(part.span)
            });
        }
        exprs
    }

    fn close_group(&mut self, frame: &RowFrame<'a>, parent: &mut RowFrame<'a>) {
        let span = frame.span;
        if !self.only_commas(frame) {
            return self.push_hole(parent, span);
        }
        let nothing = frame.parts.len() == 1 && frame.parts[0].expr.is_none();
        let last = parent.row.operand.as_ref().and_then(|app| app.atoms.last().copied());
        let callee = last.filter(|atom| atom.applicable && (nothing || atom.span.end == span.start));
        // In the other dialects parentheses only group.
        let groups = self.dialect != Dialect::TslSynth && frame.parts.len() == 1;
        if let Some(callee) = callee.filter(|_| nothing || !groups) {
            let arguments = if nothing { Vec::new() } else { self.all_parts(frame) };
            self.check_glued(callee.expr);
            let whole = callee.span.to(span);
            let kind = ExprKind::Apply { function: callee.expr, arguments, style: ApplicationStyle::Call };
            let call = self.exprs.push(whole, kind);
            if let Some(app) = &mut parent.row.operand {
                app.argument_called |= app.atoms.len() > 1 && !nothing;
                if let Some(atom) = app.atoms.last_mut() {
                    (atom.expr, atom.span) = (call, whole);
                }
            }
            return;
        }
        if nothing {
            let message = "nothing stands between these parentheses".to_owned();
            let is_number =
                |atom: &RowAtom| matches!(self.exprs.kind(atom.expr), ExprKind::Int(_) | ExprKind::Real(_));
            let after_number =
                last.as_ref().is_some_and(|atom| atom.span.end == span.start && is_number(atom));
            let hint = if after_number {
                "a number is a constant by itself: `0`, not `0()`"
            } else {
                "a constant is written `c()`"
            };
            self.error(Code::EMPTY_FORMULA, span, message, "expected a formula or a term", hint);
            return self.push_hole(parent, span);
        }
        let parts = self.all_parts(frame);
        if let [inner] = parts[..] {
            let group = self.exprs.push(span, ExprKind::Group(inner));
            self.operand(parent, group, span, true);
        } else {
            let at = frame.parts[1].before.map_or(span, |b| b.1);
            let message = "a comma between parentheses that only group".to_owned();
            let hint = "the parenthesis of a call is glued to its name: `f(x, y)`";
            self.error(Code::BAD_COMMA, at, message, "", hint);
            self.push_hole(parent, span);
        }
    }

    fn close_brackets(&mut self, frame: &RowFrame<'a>, parent: &mut RowFrame<'a>) {
        let span = frame.span;
        let arrow = frame
            .parts
            .iter()
            .filter_map(|p| p.before)
            .find(|b| matches!(b.0, Separator::Arrow | Separator::Assign));
        if let Some((separator, at)) = arrow {
            if separator == Separator::Assign {
                let message = "`:=` is not the arrow of an update".to_owned();
                self.error(Code::BAD_UPDATE, at, message, "", "write `[cell <- term]`");
            }
            let expr = self.update(frame, at);
            return self.operand(parent, expr, span, false);
        }
        let bounded = match parent.row.tokens.last() {
            Some(RowToken { kind: TokenKind::Unary(op), span }) if parent.row.expects_operand() => {
                op.is_temporal().then_some((*op, *span))
            }
            _ => None,
        };
        let nothing = frame.parts.len() == 1 && frame.parts[0].expr.is_none();
        let equation =
            frame.parts.first().and_then(|p| p.expr).is_some_and(|e| {
                matches!(self.exprs.kind(e), ExprKind::Binary(BinaryOp::Eq | BinaryOp::Le, ..))
            });
        if equation && (parent.row.expects_operand() || bounded.is_none()) {
            let message = "this is no update".to_owned();
            let hint = "an update is written `[cell <- term]`; a comparison has no brackets";
            self.error(Code::BAD_UPDATE, span, message, "expected `<-` inside", hint);
            return self.push_hole(parent, span);
        }
        if let Some((op, at)) = bounded.filter(|_| !nothing) {
            return self.bounds(frame, parent, op, at);
        }
        if self.index(frame, parent) || self.infix_bounds(frame, parent) {
            return;
        }
        let (message, hint) = if nothing && parent.row.expects_operand() {
            ("`[]` is not an operator of TSL".to_owned(), "always is `G`".to_owned())
        } else if let Some(last) = parent.row.last_span().filter(|_| !parent.row.expects_operand()) {
            let (name, inner) = (self.slice(last), self.slice(span));
            let inner = &inner[1..inner.len().max(2) - 1];
            let hint = match inner.trim() {
                "" => "an index stands between them: `g[0]`".to_owned(),
                inner => format!(
                    "the bracket of an index is glued to a name, as in `g[{inner}]`; a predicate is applied: `{name} {inner}`"
                ),
            };
            ("these square brackets index nothing".to_owned(), hint)
        } else if self.text[..span.start as usize - self.base].trim_end_matches('{').ends_with('_') {
            ("bounds of another form".to_owned(), BOUNDS.to_owned())
        } else {
            (
                "these square brackets hold no update".to_owned(),
                "an update is written `[cell <- term]`; formulas are grouped with parentheses".to_owned(),
            )
        };
        self.error(Code::BAD_BRACKETS, span, message, "", &hint);
        self.push_hole(parent, span);
    }

    /// `U[n:m]`, and the like for `W`, `R` and `M`; whether the bracket follows such an operator.
    fn infix_bounds(&mut self, frame: &RowFrame<'a>, parent: &mut RowFrame<'a>) -> bool {
        let is_expected = parent.row.expects_operand();
        let Some(RowToken { kind: TokenKind::Infix(op), span }) = parent.row.tokens.last_mut() else {
            return false;
        };
        let op = *op;
        let until =
            matches!(op, BinaryOp::Until | BinaryOp::WeakUntil | BinaryOp::Release | BinaryOp::StrongRelease);
        if !until || !is_expected {
            return false;
        }
        let [
            RowPart { expr: Some(low), .. },
            RowPart { expr: Some(high), before: Some((Separator::Colon, _)), .. },
        ] = frame.parts[..]
        else {
            let sign = op.spelling();
            let message = format!("the bounds of `{sign}` are two numbers with a colon");
            self.error(Code::BAD_BOUNDS, frame.span, message, "", &format!("write `a {sign}[n:m] b`"));
            return true;
        };
        *span = span.to(frame.span);
        if let Some(token) = parent.row.tokens.last_mut() {
            token.kind = TokenKind::BoundedInfix { op, low, high };
        }
        true
    }

    /// `name[i]`, the bracket glued to the name; whether it is one.
    fn index(&mut self, frame: &RowFrame<'a>, parent: &mut RowFrame<'a>) -> bool {
        let [RowPart { expr: Some(index), .. }] = frame.parts[..] else { return false };
        let Some(app) = &mut parent.row.operand else { return false };
        let Some(atom) = app.atoms.last_mut().filter(|atom| atom.span.end == frame.span.start) else {
            return false;
        };
        let ExprKind::Name(name) = self.exprs.kind(atom.expr) else { return false };
        let (name, name_span) = (name.clone(), atom.span);
        let span = name_span.to(frame.span);
        let expr = self.exprs.push(span, ExprKind::Index { name, name_span, index });
        (atom.expr, atom.span, atom.applicable) = (expr, span, false);
        true
    }

    /// `[cell <- term]`
    fn update(&mut self, frame: &RowFrame<'a>, arrow: Span) -> ExprId {
        let span = frame.span;
        if frame.parts.len() != 2 {
            let at = frame.parts[2].before.map_or(span, |b| b.1);
            let message = "an update has one cell, one arrow and one term".to_owned();
            self.error(Code::BAD_UPDATE, at, message, "expected `]`", "join updates with `&&`");
            return self.hole(span);
        }
        let [target, value] = [frame.parts[0], frame.parts[1]];
        let cell = target.expr.and_then(|e| match self.exprs.kind(e) {
            ExprKind::Name(name) => Some((name.clone(), target.span, None)),
            ExprKind::Index { name, name_span, index } => Some((name.clone(), *name_span, Some(*index))),
            _ => None,
        });
        match (cell, value.expr) {
            (Some((cell, cell_span, index)), Some(value)) => {
                self.check_value(value);
                self.exprs.push(span, ExprKind::Update { cell, cell_span, index, value })
            }
            (None, _) => {
                let message = "the target of an update is a name".to_owned();
                self.error(Code::BAD_UPDATE, target.span, message, "expected the name of a cell", "");
                self.hole(span)
            }
            (_, None) => {
                let message = "this update has no term".to_owned();
                self.error(Code::BAD_UPDATE, arrow, message, "expected a term after it", "");
                self.hole(span)
            }
        }
    }

    /// Reports a value of an update that is a formula, not a term.
    fn check_value(&mut self, value: ExprId) {
        let inner = self.exprs.strip(value);
        let formula = match self.exprs.kind(inner) {
            ExprKind::Unary(op, _) => op.is_logical(),
            ExprKind::Binary(op, ..) => op.is_logical(),
            ExprKind::Big { op, .. } => op.is_logical(),
            ExprKind::Bounded { .. }
            | ExprKind::BoundedBinary { .. }
            | ExprKind::Timed { .. }
            | ExprKind::Every { .. }
            | ExprKind::Update { .. } => true,
            _ => false,
        };
        if formula {
            let span = self.exprs.span(value);
            let message = "the value of an update is a term, not a formula".to_owned();
            let hint = "say when with a formula: `(a && b) -> [x <- true]`";
            self.error(Code::UPDATE_VALUE, span, message, "", hint);
        }
    }

    fn bounds(&mut self, frame: &RowFrame<'a>, parent: &mut RowFrame<'a>, op: UnaryOp, at: Span) {
        let step = matches!(op, UnaryOp::Next | UnaryOp::Yesterday | UnaryOp::WeakYesterday);
        let (low, high) = match frame.parts[..] {
            [RowPart { expr: Some(high), .. }] if step => (None, high),
            [
                RowPart { expr: Some(low), .. },
                RowPart { expr: Some(high), before: Some((Separator::Colon, _)), .. },
            ] if !step => (Some(low), high),
            _ => {
                let sign = op.spelling();
                let (message, hint) = match frame.parts[..] {
                    _ if step => {
                        (format!("the bound of `{sign}` is one number"), format!("write `{sign}[n]`"))
                    }
                    [RowPart { expr: Some(_), span: low, .. }, RowPart { expr: Some(_), span: high, .. }] => {
                        (
                            format!("the bounds of `{sign}` are two numbers with a colon"),
                            format!("write `{sign}[{}:{}]`", self.slice(low), self.slice(high)),
                        )
                    }
                    [RowPart { expr: Some(_), span: only, .. }] => (
                        format!("the bounds of `{sign}` are two numbers with a colon"),
                        format!("write `{sign}[0:{}]`", self.slice(only)),
                    ),
                    _ => (
                        format!("the bounds of `{sign}` are two numbers with a colon"),
                        format!("write `{sign}[n:m]`"),
                    ),
                };
                self.error(Code::BAD_BOUNDS, frame.span, message, "", &hint);
                return;
            }
        };
        if let Some(token) = parent.row.tokens.last_mut() {
            *token = RowToken { kind: TokenKind::Bounded { op, low, high }, span: at.to(frame.span) };
        }
    }

    /// Reports bounds such as `[<=5]`, which metric logics have; whether these are such bounds.
    pub(super) fn comparing_bounds(&mut self, op: UnaryOp, text: &str, span: Span) -> bool {
        let inner = text.trim_start_matches('[').trim_end_matches(']').trim();
        let signs = ["<=", "≤", "<", ">=", "≥", ">", "=="];
        let Some(sign) = signs.into_iter().find(|sign| inner.starts_with(sign)) else { return false };
        if !op.is_temporal() || inner.starts_with("<-") {
            return false;
        }
        let bound = inner[sign.len()..].trim();
        let spelling = op.spelling();
        let is_step = matches!(op, UnaryOp::Next | UnaryOp::Yesterday | UnaryOp::WeakYesterday);
        let less = bound.parse::<i64>().ok().filter(|n| *n > 0).map(|n| n - 1);
        let hint = match (sign, less) {
            _ if is_step => format!("write `{spelling}[{bound}]`"),
            ("<", Some(less)) => {
                format!("write `{spelling}[0:{less}]`, for the steps from now on to {less} steps later")
            }
            ("<=" | "≤" | "==", _) => {
                format!("write `{spelling}[0:{bound}]`, for the steps from now on to {bound} steps later")
            }
            _ => format!(
                "bounds are two numbers, as in `{spelling}[0:5]`; from step n on it is `X[n] {spelling} f`"
            ),
        };
        let message = format!("the bounds of `{spelling}` are two numbers with a colon");
        self.error(Code::BAD_BOUNDS, span, message, "a comparison", &hint);
        true
    }

    fn close_binders(&mut self, frame: &RowFrame<'a>, parent: &mut RowFrame<'a>) {
        let mut list = Vec::new();
        if frame.parts.len() == 1 && frame.parts[0].expr.is_none() {
            let message = "a big operator binds a name".to_owned();
            let hint = "a binder is `i IN s` or `0 <= i < n`";
            self.error(Code::BAD_BINDER, frame.span, message, "expected a binder", hint);
        } else if self.only_commas(frame) {
            for expr in self.all_parts(frame) {
                if let Some(binder) = self.binder(expr) {
                    let (Binder::In { name, .. } | Binder::Between { name, .. }) = &binder;
                    let text = self.slice(name.span);
                    self.numbers.insert(text);
                    list.push(binder);
                } else {
                    let span = self.exprs.span(expr);
                    let message = "this binds no name".to_owned();
                    let hint = "a binder is `i IN s` or `0 <= i < n`";
                    self.error(Code::BAD_BINDER, span, message, "expected a binder", hint);
                }
            }
        }
        if let Some(RowToken { kind: TokenKind::Big { binders, .. }, span }) = parent.row.tokens.last_mut() {
            *binders = Some(list);
            *span = span.to(frame.span);
        }
    }

    fn binder(&self, expr: ExprId) -> Option<Binder> {
        let name_of = |id: ExprId| match self.exprs.kind(id) {
            ExprKind::Name(text) => Some(Name { text: text.clone(), span: self.exprs.span(id) }),
            _ => None,
        };
        let strict = |op: BinaryOp| match op {
            BinaryOp::Lt => Some(true),
            BinaryOp::Le => Some(false),
            _ => None,
        };
        let ExprKind::Binary(op, left, right) = *self.exprs.kind(expr) else { return None };
        if op == BinaryOp::In {
            return Some(Binder::In { name: name_of(left)?, set: right });
        }
        let high_strict = strict(op)?;
        let ExprKind::Binary(op, low, middle) = *self.exprs.kind(left) else { return None };
        Some(Binder::Between {
            low,
            low_strict: strict(op)?,
            name: name_of(middle)?,
            high: right,
            high_strict,
        })
    }

    fn close_set(&mut self, frame: &RowFrame<'a>, parent: &mut RowFrame<'a>) {
        let span = frame.span;
        let nothing = frame.parts.len() == 1 && frame.parts[0].expr.is_none();
        let dots = frame.parts.iter().any(|p| p.before.is_some_and(|b| b.0 == Separator::Dots));
        let elements = if nothing {
            Vec::new()
        } else if dots {
            let is = |part: &RowPart, s: Separator| part.before.is_some_and(|b| b.0 == s);
            let parts = &frame.parts;
            let progression = match &parts[..] {
                [_, last] => is(last, Separator::Dots),
                [_, second, last] => is(second, Separator::Comma) && is(last, Separator::Dots),
                _ => false,
            };
            if !progression || parts.iter().any(|p| p.expr.is_none()) {
                let message = "this set is neither a list nor a range".to_owned();
                let hint = "write `{a, b}`, `{1..7}` or `{1,3..7}`; join sets with `(+)`";
                self.error(Code::BAD_SET, span, message, "", hint);
                return self.push_hole(parent, span);
            }
            let exprs = self.all_parts(frame);
            let (first, last) = (exprs[0], exprs[exprs.len() - 1]);
            let second = (exprs.len() == 3).then(|| exprs[1]);
            let inner = self.exprs.span(first).to(self.exprs.span(last));
            vec![self.exprs.push(inner, ExprKind::Progression { first, second, last })]
        } else if self.only_commas(frame) {
            self.all_parts(frame)
        } else {
            return self.push_hole(parent, span);
        };
        let set = self.exprs.push(span, ExprKind::Set(elements));
        self.operand(parent, set, span, false);
    }
}
