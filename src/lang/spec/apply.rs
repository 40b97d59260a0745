//! Applications of names and definitions, and the binders of big operators.

use super::expand::{ExpandTask, Expander, Scope};
use super::value::{Expanded, ExpandedId, ValueUse};
use crate::syntax::ast::{ApplicationStyle, Binder, ExprId, ExprKind};
use tsl_synth_core::base::{Limit, LimitKind};
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::source::Span;

impl<'a> Expander<'a> {
    /// Pushes the value of `function` applied to `arguments`.
    pub(super) fn apply(
        &mut self,
        function: ExpandedId,
        arguments: &[ExpandedId],
        style: ApplicationStyle,
        span: Span,
    ) -> Result<(), Limit> {
        let value = self.values.get(function).clone();
        match value {
            Expanded::Error => self.stack.push(function),
            Expanded::Closure(id, given) => {
                let needed = self.macros[id].definition.parameters.len() - given.len();
                if arguments.is_empty() {
                    let value = self.fail(self.not_applicable(function, arguments.len(), span), span)?;
                    self.stack.push(value);
                } else if arguments.len() < needed {
                    self.push(Expanded::Closure(id, [&given[..], arguments].concat().into()), span)?;
                } else {
                    let (now, later) = arguments.split_at(needed);
                    if !later.is_empty() {
                        self.tasks.push(ExpandTask::ApplyTo(id, later.into(), span));
                    }
                    self.call(id, [&given[..], now].concat().into(), span)?;
                }
            }
            Expanded::Name(name) => {
                let arguments = self.terms(arguments, function, style)?;
                self.push(Expanded::Apply(name, arguments), span)?;
            }
            Expanded::Apply(name, ref given) if !given.is_empty() && !arguments.is_empty() => {
                let arguments = self.terms(arguments, function, style)?;
                self.push(Expanded::Apply(name, [&given[..], &arguments].concat().into()), span)?;
            }
            _ => {
                let value = self.fail(self.not_applicable(function, arguments.len(), span), span)?;
                self.stack.push(value);
            }
        }
        Ok(())
    }

    fn not_applicable(&self, function: ExpandedId, arguments: usize, span: Span) -> Diagnostic {
        let what = self.values.describe(function);
        let diagnostic = Diagnostic::error(Code::NOT_A_FUNCTION, format!("{what} is no function here"))
            .at(span, "applied to arguments here");
        match self.values.get(function) {
            Expanded::Apply(name, given) if given.is_empty() => diagnostic.hint(format!(
                "`{}()` is a constant; a function is written without `()`",
                self.values.text(*name)
            )),
            _ if arguments == 0 => {
                diagnostic.hint("`()` makes a constant of a name; a definition is used without it")
            }
            _ => diagnostic.hint("is an operator missing between the two?"),
        }
    }

    fn terms(
        &mut self,
        arguments: &[ExpandedId],
        function: ExpandedId,
        style: ApplicationStyle,
    ) -> Result<Box<[ExpandedId]>, Limit> {
        let mut terms = Vec::with_capacity(arguments.len());
        for &argument in arguments {
            let class = self.values.class(argument);
            if class.is_term() || class == ValueUse::Error {
                terms.push(argument);
                continue;
            }
            let span = self.values.span(argument);
            let what = self.values.describe(argument);
            let to = self.values.describe(function);
            let hint = match style {
                ApplicationStyle::Juxtaposition => "is an operator missing in front of it?",
                ApplicationStyle::Call => {
                    "arguments are terms: names, literals, applications, arithmetic, comparisons"
                }
            };
            let diagnostic = Diagnostic::error(Code::WRONG_KIND, format!("{what} is no argument for {to}"))
                .at(span, "a term was expected")
                .hint(hint);
            terms.push(self.fail(diagnostic, span)?);
        }
        Ok(terms.into())
    }

    /// Records that `f(x y)` was written, for a hint in case `x` is not a function.
    pub(super) fn suspect(
        &mut self,
        unit: usize,
        function: ExprId,
        arguments: &[ExprId],
        style: ApplicationStyle,
        operands: &[ExpandedId],
    ) {
        let exprs = self.exprs(unit);
        let (ApplicationStyle::Call, [argument]) = (style, arguments) else { return };
        let ExprKind::Apply { function: inner, arguments, style: ApplicationStyle::Juxtaposition } =
            exprs.kind(*argument)
        else {
            return;
        };
        let text = |expr| match exprs.kind(expr) {
            ExprKind::Name(name) => name.to_string(),
            ExprKind::Int(i) => i.to_string(),
            _ => "...".into(),
        };
        let list: Vec<String> = std::iter::once(inner).chain(arguments).map(|&expr| text(expr)).collect();
        let meant = format!("{}({})", text(function), list.join(", "));
        self.suspects.entry(operands[1]).or_insert(meant);
    }

    fn binder(&self, unit: usize, expr: ExprId, binder: usize) -> Option<&'a Binder> {
        match self.exprs(unit).kind(expr) {
            ExprKind::Big { binders, .. } => binders.get(binder),
            _ => None,
        }
    }

    pub(super) fn bind(&mut self, unit: usize, expr: ExprId, scope: Scope, binder: usize) {
        match self.binder(unit, expr, binder) {
            Some(Binder::In { set, .. }) => {
                self.tasks.push(ExpandTask::Spread(unit, expr, scope, binder));
                self.tasks.push(ExpandTask::Eval(unit, *set, scope));
            }
            Some(Binder::Between { low, high, .. }) => {
                self.tasks.push(ExpandTask::Spread(unit, expr, scope, binder));
                self.tasks.push(ExpandTask::Eval(unit, *high, scope));
                self.tasks.push(ExpandTask::Eval(unit, *low, scope));
            }
            None => {
                if let ExprKind::Big { body, .. } = self.exprs(unit).kind(expr) {
                    self.tasks.push(ExpandTask::Eval(unit, *body, scope));
                }
            }
        }
    }

    pub(super) fn spread(
        &mut self,
        unit: usize,
        expr: ExprId,
        scope: Scope,
        binder: usize,
    ) -> Result<(), Limit> {
        let first = self.tasks.len();
        match self.binder(unit, expr, binder) {
            Some(Binder::In { name, set }) => {
                let value = self.pop();
                let span = self.exprs(unit).span(*set);
                match self.values.get(value).clone() {
                    Expanded::Set(elements) => {
                        self.values.charge(elements.len())?;
                        for &element in &elements {
                            let inner = self.scope(scope, &name.text, element);
                            self.tasks.push(ExpandTask::Bind(unit, expr, inner, binder + 1));
                        }
                    }
                    Expanded::Error => {}
                    _ => self.report(self.expected("a set", value, span)),
                }
            }
            Some(Binder::Between { low, low_strict, name, high, high_strict }) => {
                let exprs = self.exprs(unit);
                let (high_value, low_value) = (self.pop(), self.pop());
                let low = self.int(low_value, exprs.span(*low));
                let high = self.int(high_value, exprs.span(*high));
                if let (Some(low), Some(high)) = (low, high) {
                    let low = i128::from(low) + i128::from(*low_strict);
                    let high = i128::from(high) - i128::from(*high_strict);
                    self.check_count(high - low + 1)?;
                    for i in low..=high {
                        let value = self.values.intern(Expanded::Int(i as i64), name.span)?;
                        let inner = self.scope(scope, &name.text, value);
                        self.tasks.push(ExpandTask::Bind(unit, expr, inner, binder + 1));
                    }
                }
            }
            None => {}
        }
        self.tasks[first..].reverse();
        Ok(())
    }

    /// Charges `count` to the node budget, and fails before anything of that size is allocated.
    pub(super) fn check_count(&mut self, count: i128) -> Result<(), Limit> {
        match usize::try_from(count.max(0)) {
            Ok(count) if count <= self.values.left() => self.values.charge(count),
            _ => Err(Limit::new(
                LimitKind::Size,
                format!(
                    "{count} elements or steps are more than the {} nodes left for expansion",
                    self.values.left()
                ),
            )),
        }
    }
}
