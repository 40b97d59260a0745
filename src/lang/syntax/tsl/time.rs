//! `F within n f`, `G for n f` and `f every n`. The three words are operators only before a number of steps, and only
//! where the text declares or defines nothing of their names; elsewhere they are names as any other.

use pest::iterators::Pair;

use super::Rule;
use super::pieces::single_pair;
use super::reader::{RowFrame, RowOwner, TslReader};
use super::row::{RowToken, TokenKind};
use crate::syntax::ast::{ExprId, ExprKind};
use tsl_synth_core::diag::Code;
use tsl_synth_core::source::Span;
use tsl_synth_ltl::operators::Dialect;
use tsl_synth_ltl::operators::UnaryOp;

impl<'a> TslReader<'a> {
    /// Reads a word of time with its number, if this is one; returns whether it is.
    pub(super) fn time_word(&mut self, frame: &mut RowFrame<'a>, text: &str, span: Span) -> bool {
        let is_name = self.dialect != Dialect::TslSynth || self.known.contains(text);
        match text {
            _ if is_name => false,
            "within" | "for" if frame.row.expects_operand() => self.duration(frame, text, span),
            // The value of an update is a term.
            "every" if !frame.row.expects_operand() && frame.kind != RowOwner::Brackets => {
                if !self.counts_next(frame, span) {
                    return false;
                }
                self.end_operand(&mut frame.row);
                frame.row.tokens.push(RowToken { kind: TokenKind::Every, span });
                true
            }
            _ => false,
        }
    }

    /// `within n` or `for n` after a temporal operator.
    fn duration(&mut self, frame: &mut RowFrame<'a>, word: &str, span: Span) -> bool {
        let Some(&RowToken { kind: TokenKind::Unary(op), span: at }) = frame.row.tokens.last() else {
            return false;
        };
        if op.time_word().is_none() || !self.counts_next(frame, span) {
            return false;
        }
        let (count, end) = self.count(frame, span);
        if op.time_word() != Some(word) {
            let sign = op.spelling();
            let (right, other) = match op {
                UnaryOp::Finally | UnaryOp::Once => ("within", if op == UnaryOp::Once { "H" } else { "G" }),
                _ => ("for", if op == UnaryOp::Historically { "O" } else { "F" }),
            };
            let message = format!("`{word}` does not belong to `{sign}`");
            let hint = format!(
                "`{sign} {right} n f` counts steps, and so does `{other} {word} n f`; a predicate of this name has to \
                 be declared"
            );
            self.error(Code::BAD_BOUNDS, span, message, "", &hint);
        }
        if let Some(token) = frame.row.tokens.last_mut() {
            *token = RowToken { kind: TokenKind::Timed { op, count }, span: at.to(end) };
        }
        true
    }

    /// Whether a number of steps comes next: a number, perhaps with a sign, the name of a definition or of a parameter,
    /// or a calculation with such in parentheses.
    fn counts_next(&self, frame: &RowFrame<'a>, word: Span) -> bool {
        let mut rest = frame.pairs.clone();
        let Some(next) = rest.next() else { return false };
        match next.as_rule() {
            Rule::number => true,
            Rule::name => self.may_be_number(next.as_str()),
            Rule::symbol => {
                next.as_str() == "-" && rest.next().is_some_and(|digits| digits.as_rule() == Rule::number)
            }
            // A parenthesis that is glued to the word makes it a call.
            Rule::group => self.span(&next).start > word.end && self.is_calculation(&next),
            _ => false,
        }
    }

    /// Whether a name may be a number; `Lib.n` if `Lib` is an imported module.
    fn may_be_number(&self, name: &str) -> bool {
        self.numbers.contains(name.split('.').next().unwrap_or(name))
    }

    /// Whether parentheses hold numbers and names of numbers only.
    fn is_calculation(&self, group: &Pair<'a, Rule>) -> bool {
        group.clone().into_inner().flatten().all(|part| match part.as_rule() {
            Rule::number | Rule::group => true,
            Rule::name => self.may_be_number(part.as_str()),
            Rule::symbol => matches!(part.as_str(), "+" | "-" | "*" | "/" | "%"),
            _ => false,
        })
    }

    /// The number of steps that comes next, and its span.
    fn count(&mut self, frame: &mut RowFrame<'a>, word: Span) -> (ExprId, Span) {
        let Some(next) = frame.pairs.next() else { return (self.hole(word), word) };
        let mut span = self.span(&next);
        if next.as_rule() == Rule::symbol
            && let Some(digits) = frame.pairs.next()
        {
            let digits_span = self.span(&digits);
            let number = self.number(digits.as_str(), digits_span);
            span = span.to(digits_span);
            let kind = match self.exprs.kind(number) {
                ExprKind::Int(value) => ExprKind::Int(-value),
                ExprKind::Real(text) => ExprKind::Real(format!("-{text}").into()),
                _ => return (number, span),
            };
            return (self.exprs.push(span, kind), span);
        }
        let count = single_pair(self, next).unwrap_or_else(|| self.hole(span));
        (count, span)
    }
}
