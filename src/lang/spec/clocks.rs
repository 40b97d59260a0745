//! `F within n f`, `G for n f` and `f every n`. The first two are bounded operators. The last one says that `f` holds at
//! the steps 0, n, 2n, .. of the play that have not passed: `G (clock = 0 -> f)` with a hidden cell that counts steps
//! modulo n.

use super::declare::{Declarations, Declared};
use super::expand::{Clock, Expander};
use super::finite::FINITE_VALUES;
use super::fold::Folded;
use super::lower::RawClause;
use super::signature::{Operator, Overflow, Sort};
use super::value::{Expanded, ExpandedId, ExpandedValues, NameId, ValueUse};
use crate::syntax::ast::DeclarationKind;
use tsl_synth_core::base::{Limit, LimitKind};
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::model::Role;
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
        let known = self.clocks.iter().find(|clock| clock.period == period).map(|clock| clock.name);
        let name = known.unwrap_or_else(|| {
            // No name of a text has a blank.
            let name = self.values.name(&format!("every {period}"));
            self.clocks.push(Clock { period, name, span });
            name
        });
        let clock = self.values.intern(Expanded::Name(name), span)?;
        let zero = self.values.intern(Expanded::Int(0), span)?;
        let now = self.values.intern(Expanded::Operation(Operator::Equal, clock, zero), span)?;
        let then = self.values.intern(Expanded::Implies(now, body), span)?;
        self.values.intern(Expanded::Globally(then), span)
    }
}

/// Declares the clocks that the clauses use, and adds that they count. Returns their names.
///
/// # Errors
/// The budget of values is spent.
pub(super) fn declare(
    clocks: &[Clock],
    values: &mut ExpandedValues,
    clauses: &mut Vec<RawClause>,
    declarations: &mut Declarations,
) -> Result<Vec<NameId>, Limit> {
    let reachable = values.reachable(clauses.iter().map(|clause| clause.formula));
    let is_used = |clock: &&Clock| {
        let is_it = |&id: &ExpandedId| matches!(values.get(id), Expanded::Name(name) if *name == clock.name);
        reachable.iter().any(is_it)
    };
    let used: Vec<Clock> = clocks.iter().filter(is_used).copied().collect();
    for &Clock { period, name, span } in &used {
        values.rename(name, &format!("clock{period}"));
        let cell = HiddenCell { name, first: 0, last: period - 1, overflow: Overflow::Wrapping, span };
        cell.declare(values, declarations)?;
        let counts = cell.step(values, Operator::Add)?;
        clauses.push(cell.meaning(counts));
    }
    Ok(used.iter().map(|clock| clock.name).collect())
}

/// A cell with values from 0 on that belongs to the meaning of an operator.
#[derive(Clone, Copy, Debug)]
pub(super) struct HiddenCell {
    pub(super) name: NameId,
    pub(super) first: i64,
    pub(super) last: i64,
    pub(super) overflow: Overflow,
    pub(super) span: Span,
}

impl HiddenCell {
    pub(super) fn declare(
        self,
        values: &mut ExpandedValues,
        declarations: &mut Declarations,
    ) -> Result<(), Limit> {
        let first = self.number(values, self.first)?;
        declarations.by_name.insert(self.name, declarations.all.len());
        declarations.all.push(Declared {
            name: self.name,
            span: self.span,
            kind: DeclarationKind::Cell,
            arguments: Vec::new(),
            arity: Some(0),
            sort: Some(Sort::Range(0, self.last)),
            initial: Some((first, self.span)),
            bounds: (None, None),
            whole: self.span,
            noisy: false,
            overflow: self.overflow,
        });
        Ok(())
    }

    pub(super) fn number(self, values: &mut ExpandedValues, value: i64) -> Folded {
        values.intern(Expanded::Int(value), self.span)
    }

    pub(super) fn value(self, values: &mut ExpandedValues) -> Folded {
        values.intern(Expanded::Name(self.name), self.span)
    }

    /// The update to the value after this one, or before it.
    pub(super) fn step(self, values: &mut ExpandedValues, operator: Operator) -> Folded {
        let (own, one) = (self.value(values)?, self.number(values, 1)?);
        let next = values.intern(Expanded::Operation(operator, own, one), self.span)?;
        values.intern(Expanded::Update(self.name, next), self.span)
    }

    /// That a formula about the cell holds in every step.
    pub(super) fn meaning(self, formula: ExpandedId) -> RawClause {
        RawClause {
            role: Role::Restriction,
            always: true,
            after: 0,
            is_bare: false,
            is_meaning: true,
            formula,
            span: self.span,
        }
    }
}
