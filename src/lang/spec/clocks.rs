//! `F within n f`, `G for n f` and `f every n`. The first two are bounded operators. The last one says that `f` holds at
//! the steps 0, n, 2n, .. of the play that have not passed: `G (tick -> f)`, where registers count steps modulo n.

use super::expand::Expander;
use super::finite::FINITE_VALUES;
use super::fold::Folded;
use super::value::{Expanded, ExpandedId, ValueUse};
use tsl_synth_core::base::{Limit, LimitKind};
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::source::Span;
use tsl_synth_ltl::operators::UnaryOp;

impl Expander<'_> {
    /// `F within n f` is `F[0:n] f`, `G for n f` is `G[0:n-1] f`, and likewise with `O` and `H`.
    pub(super) fn timed(&mut self, op: UnaryOp, count: ExpandedId, body: ExpandedId, span: Span) -> Folded {
        let Some(steps) = self.int(count, span) else { return self.values.intern(Expanded::Error, span) };
        let is_for = op.time_word() == Some("for");
        if steps < i64::from(is_for) {
            let sign = op.spelling();
            let diagnostic = if is_for {
                Diagnostic::error(Code::NEGATIVE_BOUND, format!("`{sign} for n` counts steps, from 1"))
                    .at(span, format!("for {steps} steps"))
                    .hint(format!("`{sign} for 1 f` is about the present step only"))
            } else {
                Diagnostic::error(Code::NEGATIVE_BOUND, "a bound is negative")
                    .at(span, "bounds count steps, from 0")
            };
            return self.error(diagnostic, span);
        }
        let low = self.values.intern(Expanded::Int(0), span)?;
        let high = self.values.intern(Expanded::Int(steps - i64::from(is_for)), span)?;
        self.bounded(op, Some(low), high, body, span)
    }

    pub(super) fn every(&mut self, body: ExpandedId, period: ExpandedId, span: Span) -> Folded {
        let period = self.int(period, span);
        let body = self.formula(body, span)?;
        let Some(period) = period else { return self.values.intern(Expanded::Error, span) };
        if self.values.class(body) == ValueUse::Error {
            return Ok(body);
        }
        if period < 1 {
            let message = format!("a period is at least 1, and this one is {period}");
            let diagnostic = Diagnostic::error(Code::NEGATIVE_BOUND, message)
                .at(span, "counts steps")
                .hint("`f every 1` is about all steps");
            return self.error(diagnostic, span);
        }
        if period == 1 {
            return self.values.intern(Expanded::Globally(body), span);
        }
        if usize::try_from(period).is_ok_and(|period| period > FINITE_VALUES) {
            let message =
                format!("a period of {period} steps; those of at most {FINITE_VALUES} are followed");
            return Err(Limit::new(LimitKind::Size, message));
        }
        let now = self.values.intern(Expanded::Tick(period), span)?;
        let then = self.values.intern(Expanded::Implies(now, body), span)?;
        self.values.intern(Expanded::Globally(then), span)
    }
}
