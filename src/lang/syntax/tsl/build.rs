//! Closes rows: operands of brackets, applications, and trees of rows by precedence.

use super::mistakes;
use super::reader::{RowContext, RowFrame, RowOwner, RowPart, Separator, TslReader};
use super::row::{Juxtaposed, OpenRow, RowToken, TokenKind, symbols};
use super::{Rule, readings};
use crate::syntax::ast::{ApplicationStyle, ExprId, ExprKind};
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::source::Span;
use tsl_synth_ltl::operators::Dialect;
use tsl_synth_ltl::operators::UnaryOp;
use tsl_synth_ltl::shunting_yard::{OperatorNode, shunting_yard};

impl<'a> TslReader<'a> {
    /// Ends the part that is being read and appends it to the frame's parts.
    pub(super) fn end_part(&mut self, frame: &mut RowFrame<'a>) {
        let mut row = std::mem::take(&mut frame.row);
        let before = frame.before.take();
        let empty = match before {
            Some((_, span)) => Span { start: span.end, ..span },
            None => Span { end: frame.span.start, ..frame.span },
        };
        if frame.muted {
            let expr = Some(self.hole(frame.span));
            frame.parts.push(RowPart { expr, span: frame.span, before });
            return;
        }
        if row.is_empty() {
            frame.parts.push(RowPart { expr: None, span: empty, before });
            return;
        }
        let last = row.last_span().unwrap_or(empty);
        if row.expects_operand() {
            self.dangling(&row, last);
            let hole = self.hole(last);
            row.tokens.push(RowToken { kind: TokenKind::Operand(hole), span: last });
        }
        self.end_operand(&mut row);
        while let Some((tokens, open)) = row.sizes.pop() {
            let message = "`|` before a set asks for its size and is not closed".to_owned();
            self.error(Code::WRONG_OPERATOR, open, message, "", "write `|s|`, or `||` for or");
            row.tokens = tokens;
            let hole = self.hole(open);
            row.tokens.push(RowToken { kind: TokenKind::Operand(hole), span: open });
        }
        let expr = self.build(&row.tokens, frame.kind == RowOwner::Binders);
        let span = self.exprs.span(expr);
        frame.parts.push(RowPart { expr: Some(expr), span, before });
    }

    /// Reports an operator at the end of a row.
    fn dangling(&mut self, row: &OpenRow, last: Span) {
        let text = self.slice(last).to_owned();
        let message = match row.tokens.last().map(|t| &t.kind) {
            Some(TokenKind::Infix(_) | TokenKind::BoundedInfix { .. } | TokenKind::Every) => {
                format!("`{text}` lacks its right side")
            }
            Some(TokenKind::Unary(op)) if op.is_temporal() => {
                let (message, hint) = mistakes::reserved_message(&text);
                let message = format!("{message}, and lacks its formula");
                self.error(Code::MISSING_OPERAND, last, message, "expected a formula after it", &hint);
                return;
            }
            _ => format!("`{text}` lacks its operand"),
        };
        self.error(Code::MISSING_OPERAND, last, message, "expected a formula or a term after it", "");
    }

    /// Turns juxtaposed atoms into one operand.
    pub(super) fn end_operand(&mut self, row: &mut OpenRow) {
        let Some(app) = row.operand.take() else { return };
        let expr = self.applied(&app);
        let span = self.exprs.span(expr);
        row.tokens.push(RowToken { kind: TokenKind::Operand(expr), span });
    }

    fn applied(&mut self, app: &Juxtaposed) -> ExprId {
        let head = app.atoms[0];
        let [_, arguments @ ..] = app.atoms.as_slice() else { return head.expr };
        let Some(last) = arguments.last() else { return head.expr };
        self.check_glued(head.expr);
        let span = head.span.to(last.span);
        if app.argument_called && self.dialect == Dialect::TslSynth && (self.compared.0 || self.compared.1) {
            let text = self.slice(span).to_owned();
            let warning = Diagnostic::warning(
                Code::READ_DIFFERENTLY,
                "other TSL tools read this application differently".to_owned(),
            )
            .at(span, "here, a parenthesis glued to a name belongs to that name")
            .hint(format!("elsewhere `{text}` has one argument more; a blank or parentheses tell"));
            self.report(warning);
        }
        let arguments = arguments.iter().map(|a| a.expr).collect();
        self.exprs.push(
            span,
            ExprKind::Apply { function: head.expr, arguments, style: ApplicationStyle::Juxtaposition },
        )
    }

    /// `XX a` is probably `X X a`.
    pub(super) fn check_glued(&mut self, head: ExprId) {
        let ExprKind::Name(name) = self.exprs.kind(head) else { return };
        if self.known.contains(&**name) {
            return;
        }
        if let Some(apart) = mistakes::glued_operators(name) {
            let span = self.exprs.span(head);
            let message = format!("`{name}` would be a predicate");
            self.error(Code::GLUED_OPERATORS, span, message, "", &format!("did you mean `{apart}`?"));
        }
    }

    /// The tree of a well-formed row.
    pub(super) fn build(&mut self, tokens: &[RowToken], binders: bool) -> ExprId {
        if let [RowToken { kind: TokenKind::Operand(expr), .. }] = tokens {
            return *expr;
        }
        let row = symbols(tokens, self.dialect, true).expect("every operator has a level");
        let nodes = shunting_yard(row.into_iter());
        if tokens.len() > 2 && (self.compared.0 || self.compared.1) && !binders {
            readings::compare(self, tokens, &nodes);
        }
        let mut exprs: Vec<ExprId> = Vec::with_capacity(nodes.len());
        for node in &nodes {
            let expr = match *node {
                OperatorNode::Operand(place) => match tokens[place as usize].kind {
                    TokenKind::Operand(expr) => expr,
                    _ => unreachable!("operands stay operands"),
                },
                OperatorNode::Prefix(place, inner) => {
                    self.prefix(&tokens[place as usize], exprs[inner as usize])
                }
                OperatorNode::Infix(place, left, right) => {
                    let [left, right] = [exprs[left as usize], exprs[right as usize]];
                    self.infix(&tokens[place as usize], left, right, binders)
                }
            };
            exprs.push(expr);
        }
        *exprs.last().expect("a row has a root")
    }

    fn prefix(&mut self, token: &RowToken, inner: ExprId) -> ExprId {
        let span = token.span.to(self.exprs.span(inner));
        if token.kind.is_logical() {
            self.check_braces(inner);
        }
        let kind = match &token.kind {
            TokenKind::Unary(UnaryOp::Negate) => match self.exprs.kind(inner) {
                ExprKind::Int(n) => ExprKind::Int(-n),
                ExprKind::Real(text) if !text.starts_with('-') => ExprKind::Real(format!("-{text}").into()),
                _ => ExprKind::Unary(UnaryOp::Negate, inner),
            },
            TokenKind::Unary(op) => ExprKind::Unary(*op, inner),
            TokenKind::Bounded { op, low, high } => {
                ExprKind::Bounded { op: *op, low: *low, high: *high, body: inner }
            }
            TokenKind::Timed { op, count } => ExprKind::Timed { op: *op, count: *count, body: inner },
            TokenKind::Big { op, binders } => {
                ExprKind::Big { op: *op, binders: binders.clone().unwrap_or_default(), body: inner }
            }
            TokenKind::Operand(_)
            | TokenKind::Infix(_)
            | TokenKind::BoundedInfix { .. }
            | TokenKind::Every => {
                unreachable!("only prefix operators are here")
            }
        };
        self.exprs.push(span, kind)
    }

    fn infix(&mut self, token: &RowToken, left: ExprId, right: ExprId, binders: bool) -> ExprId {
        if let TokenKind::BoundedInfix { op, low, high } = token.kind {
            self.check_braces(left);
            self.check_braces(right);
            let span = self.exprs.span(left).to(self.exprs.span(right));
            return self.exprs.push(span, ExprKind::BoundedBinary { op, low, high, left, right });
        }
        if let TokenKind::Every = token.kind {
            self.check_braces(left);
            let span = self.exprs.span(left).to(self.exprs.span(right));
            return self.exprs.push(span, ExprKind::Every { body: left, period: right });
        }
        let TokenKind::Infix(op) = token.kind else { unreachable!("only infix operators are here") };
        if op.is_logical() {
            self.check_braces(left);
            self.check_braces(right);
        }
        if op.is_comparison()
            && !binders
            && let ExprKind::Binary(inner, ..) = self.exprs.kind(left)
            && inner.is_comparison()
        {
            let message = "comparisons do not chain".to_owned();
            let hint = "write `a < b && b < c`";
            self.error(Code::CHAINED_COMPARISON, token.span, message, "", hint);
        }
        let span = self.exprs.span(left).to(self.exprs.span(right));
        self.exprs.push(span, ExprKind::Binary(op, left, right))
    }

    /// Reports a set in the place of a formula.
    pub(super) fn check_braces(&mut self, expr: ExprId) {
        if let ExprKind::Set(_) = self.exprs.kind(expr) {
            let span = self.exprs.span(expr);
            let message = "braces inside of a formula".to_owned();
            self.error(Code::BRACES, span, message, "this is a set", "group with parentheses");
        }
    }

    /// `f -1`: in dialect `barnard` the number is an argument, here the minus is an operator. Returns
    /// whether the sign was consumed as a part of an argument.
    pub(super) fn signed_argument(&mut self, frame: &mut RowFrame<'a>, sign: &str, span: Span) -> bool {
        if frame.kind == RowOwner::Binders || !(self.dialect == Dialect::Barnard || self.compared.1) {
            return false;
        }
        let Some(next) = frame.pairs.peek() else { return false };
        let digits = self.span(&next);
        let last = frame.row.operand.as_ref().and_then(|app| app.atoms.last().copied());
        let Some(last) = last.filter(|atom| atom.applicable) else { return false };
        if next.as_rule() != Rule::number || digits.start != span.end || last.span.end == span.start {
            return false;
        }
        if self.dialect == Dialect::Barnard {
            frame.pairs.next();
            let digits_text = self.slice(digits);
            let whole = span.to(digits);
            let text = self.slice(whole);
            let kind = match text.trim_start_matches('+').parse::<i64>() {
                Ok(n) => ExprKind::Int(n),
                Err(_) => ExprKind::Real(if sign == "-" { text } else { digits_text }.into()),
            };
            let expr = self.exprs.push(whole, kind);
            self.operand(frame, expr, whole, false);
            return true;
        }
        let (name, number) = (self.slice(last.span), self.slice(digits));
        let warning = Diagnostic::warning(
            Code::READ_DIFFERENTLY,
            "another TSL tool reads this sign as part of the number".to_owned(),
        )
        .at(span.to(digits), format!("read as `{name} {sign} {number}`"))
        .hint(format!(
            "Barnard-PL-Labs/tsltools reads `{name} ({sign}{number})`; a blank after the sign tells"
        ));
        self.report(warning);
        false
    }

    /// A row that must be exactly one expression.
    pub(super) fn single(&mut self, parts: &[RowPart], context: RowContext) -> Option<ExprId> {
        if let Some(&(separator, at)) = parts.iter().find_map(|p| p.before.as_ref()) {
            let text = self.slice(at).to_owned();
            match separator {
                Separator::Arrow | Separator::Assign => {
                    let message = "an update stands in square brackets".to_owned();
                    self.error(Code::BAD_UPDATE, at, message, "", "write `[cell <- term]`");
                }
                Separator::Comma => {
                    let message = "a comma does not join formulas".to_owned();
                    self.error(
                        Code::BAD_COMMA,
                        at,
                        message,
                        "",
                        "formulas end with `;` or are joined with `&&`",
                    );
                }
                _ => {
                    let message = format!("`{text}` means nothing here");
                    self.error(Code::SYNTAX, at, message, "expected an operator or `;`", "");
                }
            }
            return None;
        }
        let expr = parts.first()?.expr?;
        if context == RowContext::Clause {
            self.check_braces(expr);
        }
        Some(expr)
    }
}
