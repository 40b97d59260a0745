//! Operators applied to expanded operands: connectives build formulas, numbers and sets are computed, arithmetic and
//! comparisons of data become terms, derived operators are rewritten to basic ones.

use super::expand::Expander;
use super::value::{Expanded, ExpandedId, ValueUse};
use crate::syntax::ast::{ExprId, ExprKind};
use tsl_synth_core::base::Limit;
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::source::Span;
use tsl_synth_ltl::operators::{BigOp, BinaryOp, UnaryOp};

pub(super) type Folded = Result<ExpandedId, Limit>;

impl Expander<'_> {
    /// Pushes the value of an expression whose children have these values.
    pub(super) fn finish(&mut self, unit: usize, expr: ExprId, operands: &[ExpandedId]) -> Result<(), Limit> {
        let exprs = self.exprs(unit);
        let span = exprs.span(expr);
        let value = match exprs.kind(expr) {
            ExprKind::Apply { function, arguments, style } => {
                self.suspect(unit, *function, arguments, *style, operands);
                return self.apply(operands[0], &operands[1..], *style, span);
            }
            ExprKind::Index { name_span, index, .. } => {
                self.element(operands[0], *name_span, operands[1], exprs.span(*index), span)?
            }
            ExprKind::Update { cell, cell_span, index: None, .. } => {
                self.update(cell, *cell_span, operands, span)?
            }
            ExprKind::Update { cell, cell_span, index: Some(index), .. } => {
                let target =
                    self.element(operands[0], *cell_span, operands[1], exprs.span(*index), *cell_span)?;
                self.update(cell, *cell_span, &[target, operands[2]], span)?
            }
            ExprKind::Unary(op, _) => self.unary(*op, operands[0], span)?,
            ExprKind::Bounded { op, low, .. } => {
                let (low, high) = match low {
                    Some(_) => (Some(operands[0]), operands[1]),
                    None => (None, operands[0]),
                };
                self.bounded(*op, low, high, operands[operands.len() - 1], span)?
            }
            ExprKind::Timed { op, .. } => self.timed(*op, operands[0], operands[1], span)?,
            ExprKind::Every { .. } => self.every(operands[0], operands[1], span)?,
            ExprKind::Binary(op, ..) => self.binary(*op, operands[0], operands[1], span)?,
            ExprKind::BoundedBinary { op, .. } => self.bounded_binary(*op, operands, span)?,
            ExprKind::Big { op, .. } => self.big(*op, operands, span)?,
            ExprKind::Set(elements) => {
                let mut all = Vec::new();
                for (&element, &value) in elements.iter().zip(operands) {
                    match (exprs.kind(element), self.values.get(value)) {
                        (ExprKind::Progression { .. }, Expanded::Set(steps)) => all.extend_from_slice(steps),
                        (_, Expanded::Error) => {}
                        _ => all.push(value),
                    }
                }
                self.set(all, span)?
            }
            ExprKind::Progression { second, .. } => self.progression(operands, second.is_some(), span)?,
            ExprKind::Name(_)
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Group(_) => operands[0],
        };
        self.push_id(value);
        Ok(())
    }

    pub(super) fn make(&mut self, value: Expanded, span: Span) -> Folded {
        self.values.intern(value, span)
    }

    /// "expected a set, found the number 3".
    pub(super) fn expected(&self, wanted: &str, found: ExpandedId, span: Span) -> Diagnostic {
        let found = self.values.describe(found);
        Diagnostic::error(Code::WRONG_KIND, format!("expected {wanted}, found {found}"))
            .at(span, format!("{wanted} belongs here"))
    }
    pub(super) fn error(&mut self, diagnostic: Diagnostic, span: Span) -> Folded {
        self.fail(diagnostic, span)
    }
    /// The value itself if it is a formula, else an error value after a report.
    pub(super) fn formula(&mut self, value: ExpandedId, span: Span) -> Folded {
        let class = self.values.class(value);
        if class.is_formula() || class == ValueUse::Error {
            return Ok(value);
        }
        let mut diagnostic = self.expected("a formula", value, span);
        match self.values.get(value) {
            Expanded::Int(0 | 1) => diagnostic = diagnostic.hint("write `true` or `false`"),
            Expanded::Operation(..) => diagnostic = diagnostic.hint("compare it with something: `... = 0`"),
            Expanded::Closure(id, given) => {
                let parameters = self.macros[*id].definition.parameters.len();
                let text = format!(
                    "`{}` takes {parameters} arguments and has {}",
                    self.macros[*id].name,
                    given.len()
                );
                diagnostic = diagnostic.hint(text);
            }
            _ => {}
        }
        self.error(diagnostic, span)
    }

    fn update(&mut self, cell: &str, cell_span: Span, operands: &[ExpandedId], span: Span) -> Folded {
        let (target, value) = (operands[0], operands[1]);
        let class = self.values.class(value);
        if !class.is_term() && class != ValueUse::Error {
            let diagnostic = self.expected("a term", value, span).hint(format!(
                "an update takes no formula; for a Boolean cell write `f -> [{cell} <- true]` and `!f -> [{cell} <- false]`"
            ));
            return self.error(diagnostic, span);
        }
        match *self.values.get(target) {
            Expanded::Error => Ok(target),
            _ if class == ValueUse::Error => Ok(value),
            Expanded::Name(name) => self.make(Expanded::Update(name, value), span),
            _ => {
                let diagnostic = self.expected("the name of a cell", target, cell_span);
                self.error(diagnostic, span)
            }
        }
    }

    /// `name[i]`: the signal of this index, which is called `name_i`.
    fn element(
        &mut self,
        name: ExpandedId,
        name_span: Span,
        index: ExpandedId,
        index_span: Span,
        span: Span,
    ) -> Folded {
        if let Some(error) = self.is_error(&[name, index]) {
            return Ok(error);
        }
        let Expanded::Name(base) = *self.values.get(name) else {
            let diagnostic = self.expected("the name of a signal", name, name_span);
            return self.error(diagnostic, span);
        };
        let text = self.values.text(base).clone();
        let &Expanded::Int(index) = self.values.get(index) else {
            let argument = self.exprs_text(index);
            let diagnostic = self.expected("a number", index, index_span).hint(format!(
                "the index of a signal is a number that is known, as in `{text}[0]`; a predicate is applied: `{text}{argument}`"
            ));
            return self.error(diagnostic, span);
        };
        let width = self.widths.get(&base).copied();
        if index < 0 || width.is_some_and(|width| index >= width) {
            let message = match width {
                Some(width) => format!("`{text}` has {width} signals, and none with index {index}"),
                None => format!("the index {index} is negative"),
            };
            let mut diagnostic =
                Diagnostic::error(Code::OUTSIDE_OF_BUS, message).at(index_span, "this index");
            if let Some(width) = width.filter(|width| *width > 0) {
                diagnostic = diagnostic.hint(format!("the indices are 0 to {}", width - 1));
            }
            return self.error(diagnostic, span);
        }
        let element = self.values.name(&format!("{text}_{index}"));
        self.make(Expanded::Name(element), span)
    }

    /// The name in the place of an index, as an argument.
    fn exprs_text(&self, value: ExpandedId) -> String {
        match self.values.get(value) {
            Expanded::Name(name) => format!(" {}", self.values.text(*name)),
            _ => "(x)".into(),
        }
    }

    fn is_error(&self, operands: &[ExpandedId]) -> Option<ExpandedId> {
        operands.iter().copied().find(|&v| self.values.class(v) == ValueUse::Error)
    }

    fn unary(&mut self, op: UnaryOp, operand: ExpandedId, span: Span) -> Folded {
        if let Some(error) = self.is_error(&[operand]) {
            return Ok(error);
        }
        match op {
            UnaryOp::Size | UnaryOp::Min | UnaryOp::Max => self.measure(op, operand, span),
            UnaryOp::Negate => {
                let zero = self.make(Expanded::Int(0), span)?;
                self.binary(BinaryOp::Sub, zero, operand, span)
            }
            _ => {
                let f = self.formula(operand, span)?;
                if self.values.class(f) == ValueUse::Error {
                    return Ok(f);
                }
                match op {
                    UnaryOp::Not => self.not(f, span),
                    UnaryOp::Next => self.make(Expanded::Next(f), span),
                    UnaryOp::Finally => self.make(Expanded::Finally(f), span),
                    UnaryOp::Globally => self.make(Expanded::Globally(f), span),
                    UnaryOp::Yesterday => self.make(Expanded::Yesterday(f), span),
                    UnaryOp::WeakYesterday => {
                        let not = self.not(f, span)?;
                        let before = self.make(Expanded::Yesterday(not), span)?;
                        self.not(before, span)
                    }
                    UnaryOp::Once => self.once(f, span),
                    _ => {
                        let never = self.not(f, span)?;
                        let once = self.once(never, span)?;
                        self.not(once, span)
                    }
                }
            }
        }
    }
    pub(super) fn not(&mut self, f: ExpandedId, span: Span) -> Folded {
        match *self.values.get(f) {
            Expanded::Bool(b) => self.make(Expanded::Bool(!b), span),
            _ => self.make(Expanded::Not(f), span),
        }
    }
    fn once(&mut self, f: ExpandedId, span: Span) -> Folded {
        let top = self.make(Expanded::Bool(true), span)?;
        self.make(Expanded::Since(top, f), span)
    }
    fn and(&mut self, a: ExpandedId, b: ExpandedId, span: Span) -> Folded {
        match (self.values.get(a), self.values.get(b)) {
            (&Expanded::Bool(a), &Expanded::Bool(b)) => self.make(Expanded::Bool(a && b), span),
            _ => self.make(Expanded::And([a, b].into()), span),
        }
    }
    fn or(&mut self, a: ExpandedId, b: ExpandedId, span: Span) -> Folded {
        match (self.values.get(a), self.values.get(b)) {
            (&Expanded::Bool(a), &Expanded::Bool(b)) => self.make(Expanded::Bool(a || b), span),
            _ => self.make(Expanded::Or([a, b].into()), span),
        }
    }

    fn binary(&mut self, op: BinaryOp, a: ExpandedId, b: ExpandedId, span: Span) -> Folded {
        if let Some(error) = self.is_error(&[a, b]) {
            return Ok(error);
        }
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => {
                self.arithmetic(op, a, b, span)
            }
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                self.compare(op, a, b, span)
            }
            BinaryOp::In => match self.elements(b, span) {
                Some(elements) => self.make(Expanded::Bool(elements.contains(&a)), span),
                None => self.make(Expanded::Error, span),
            },
            BinaryOp::Union | BinaryOp::Intersection | BinaryOp::Difference => {
                let (left, right) = (self.elements(a, span), self.elements(b, span));
                let (Some(left), Some(right)) = (left, right) else {
                    return self.make(Expanded::Error, span);
                };
                self.values.charge(left.len() + right.len())?;
                let inside: rustc_hash::FxHashSet<ExpandedId> = right.iter().copied().collect();
                let all = match op {
                    BinaryOp::Union => [&left[..], &right[..]].concat(),
                    BinaryOp::Intersection => left.iter().copied().filter(|v| inside.contains(v)).collect(),
                    _ => left.iter().copied().filter(|v| !inside.contains(v)).collect(),
                };
                self.set(all, span)
            }
            _ => {
                let (a, b) = (self.formula(a, span)?, self.formula(b, span)?);
                if let Some(error) = self.is_error(&[a, b]) {
                    return Ok(error);
                }
                self.connective(op, a, b, span)
            }
        }
    }

    fn connective(&mut self, op: BinaryOp, a: ExpandedId, b: ExpandedId, span: Span) -> Folded {
        let constants = match (self.values.get(a), self.values.get(b)) {
            (&Expanded::Bool(a), &Expanded::Bool(b)) => Some((a, b)),
            _ => None,
        };
        match op {
            BinaryOp::And => self.and(a, b, span),
            BinaryOp::Or => self.or(a, b, span),
            BinaryOp::Implies => match constants {
                Some((a, b)) => self.make(Expanded::Bool(!a || b), span),
                None => self.make(Expanded::Implies(a, b), span),
            },
            BinaryOp::Iff => match constants {
                Some((a, b)) => self.make(Expanded::Bool(a == b), span),
                None => self.make(Expanded::Iff(a, b), span),
            },
            BinaryOp::Xor => {
                let same = self.connective(BinaryOp::Iff, a, b, span)?;
                self.not(same, span)
            }
            BinaryOp::Until => self.make(Expanded::Until(a, b), span),
            BinaryOp::WeakUntil => self.make(Expanded::WeakUntil(a, b), span),
            BinaryOp::Release => self.make(Expanded::Release(a, b), span),
            BinaryOp::StrongRelease => self.make(Expanded::StrongRelease(a, b), span),
            BinaryOp::AsSoonAs => {
                // a A b = (!b) W (a && b)
                let not_b = self.not(b, span)?;
                let both = self.and(a, b, span)?;
                self.make(Expanded::WeakUntil(not_b, both), span)
            }
            BinaryOp::Since => self.make(Expanded::Since(a, b), span),
            _ => {
                // a T b = !((!a) S (!b))
                let (a, b) = (self.not(a, span)?, self.not(b, span)?);
                let since = self.make(Expanded::Since(a, b), span)?;
                self.not(since, span)
            }
        }
    }

    pub(super) fn bounded(
        &mut self,
        op: UnaryOp,
        low: Option<ExpandedId>,
        high: ExpandedId,
        body: ExpandedId,
        span: Span,
    ) -> Folded {
        let low = match low {
            Some(low) => self.int(low, span).map(Some),
            None => Some(None),
        };
        let high = self.int(high, span);
        let body = self.formula(body, span)?;
        let (Some(low), Some(high)) = (low, high) else { return self.make(Expanded::Error, span) };
        if self.values.class(body) == ValueUse::Error {
            return Ok(body);
        }
        let step = |this: &mut Self, f: ExpandedId| match op {
            UnaryOp::Next | UnaryOp::Finally | UnaryOp::Globally => this.make(Expanded::Next(f), span),
            _ => this.make(Expanded::Yesterday(f), span),
        };
        let least = low.unwrap_or(high);
        if least < 0 || high < 0 {
            let diagnostic = Diagnostic::error(Code::NEGATIVE_BOUND, "a bound is negative")
                .at(span, "bounds count steps, from 0");
            return self.error(diagnostic, span);
        }
        let single = matches!(op, UnaryOp::Next | UnaryOp::Yesterday | UnaryOp::WeakYesterday);
        if single != low.is_none() {
            let wanted = if single { "one bound, as in `X[3] f`" } else { "two bounds, as in `F[0:3] f`" };
            let diagnostic =
                Diagnostic::error(Code::WRONG_KIND, format!("this operator takes {wanted}")).at(span, "here");
            return self.error(diagnostic, span);
        }
        self.check_count(i128::from(high.max(least)))?;
        // H is the dual of O, and Z of Y: steps before the first satisfy the body.
        let historically = op == UnaryOp::Historically;
        let dual = historically || op == UnaryOp::WeakYesterday;
        let body = if dual { self.not(body, span)? } else { body };
        let mut f = if single {
            body
        } else if least > high {
            return self.make(Expanded::Bool(op == UnaryOp::Globally || historically), span);
        } else {
            let mut f = body;
            for _ in least..high {
                let later = step(self, f)?;
                f = if op == UnaryOp::Globally {
                    self.and(body, later, span)?
                } else {
                    self.or(body, later, span)?
                };
            }
            f
        };
        for _ in 0..least {
            f = step(self, f)?;
        }
        if dual { self.not(f, span) } else { Ok(f) }
    }

    /// `a U[n:m] b`: b after n to m steps, and a in every step before; `W` also if a holds in all steps up to m. `R` and
    /// `M` are the duals of `U` and `W`.
    fn bounded_binary(&mut self, op: BinaryOp, operands: &[ExpandedId], span: Span) -> Folded {
        let [left, low, high, right] = operands[..] else { unreachable!("two operands and two bounds") };
        let (low, high) = (self.int(low, span), self.int(high, span));
        let (left, right) = (self.formula(left, span)?, self.formula(right, span)?);
        let (Some(low), Some(high)) = (low, high) else { return self.make(Expanded::Error, span) };
        if let Some(error) = self.is_error(&[left, right]) {
            return Ok(error);
        }
        if low < 0 || high < 0 {
            let diagnostic = Diagnostic::error(Code::NEGATIVE_BOUND, "a bound is negative")
                .at(span, "bounds count steps, from 0");
            return self.error(diagnostic, span);
        }
        self.check_count(i128::from(high.max(low)))?;
        let dual = matches!(op, BinaryOp::Release | BinaryOp::StrongRelease);
        let weak = matches!(op, BinaryOp::WeakUntil | BinaryOp::StrongRelease);
        let (a, b) = if dual { (self.not(left, span)?, self.not(right, span)?) } else { (left, right) };
        // What holds after the last step, and then back to the first one.
        let mut f = if weak { a } else { self.make(Expanded::Bool(false), span)? };
        for step in (0..=high).rev() {
            if step < high {
                let later = self.make(Expanded::Next(f), span)?;
                f = self.and(a, later, span)?;
            }
            if (low..=high).contains(&step) {
                f = self.or(b, f, span)?;
            }
        }
        if dual { self.not(f, span) } else { Ok(f) }
    }

    fn big(&mut self, op: BigOp, operands: &[ExpandedId], span: Span) -> Folded {
        if let Some(error) = self.is_error(operands) {
            return Ok(error);
        }
        match op {
            BigOp::And | BigOp::Or => {
                for &operand in operands {
                    let f = self.formula(operand, span)?;
                    if self.values.class(f) == ValueUse::Error {
                        return Ok(f);
                    }
                }
                let constant = |v: &ExpandedId| {
                    if let Expanded::Bool(b) = self.values.get(*v) { Some(*b) } else { None }
                };
                let constants: Option<Vec<bool>> = operands.iter().map(constant).collect();
                match (constants, op) {
                    (Some(values), BigOp::And) => self.make(Expanded::Bool(values.iter().all(|&b| b)), span),
                    (Some(values), _) => self.make(Expanded::Bool(values.iter().any(|&b| b)), span),
                    (None, BigOp::And) => self.make(Expanded::And(operands.into()), span),
                    (None, _) => self.make(Expanded::Or(operands.into()), span),
                }
            }
            BigOp::Sum | BigOp::Product => {
                let (op, unit) = if op == BigOp::Sum { (BinaryOp::Add, 0) } else { (BinaryOp::Mul, 1) };
                let mut all = operands.iter().copied();
                let Some(mut sum) = all.next() else { return self.make(Expanded::Int(unit), span) };
                for operand in all {
                    sum = self.binary(op, sum, operand, span)?;
                }
                Ok(sum)
            }
            BigOp::Union | BigOp::Intersection => {
                let op = if op == BigOp::Union { BinaryOp::Union } else { BinaryOp::Intersection };
                let mut all = operands.iter().copied();
                match (all.next(), op) {
                    (None, BinaryOp::Union) => self.set(Vec::new(), span),
                    (None, _) => {
                        let diagnostic =
                            Diagnostic::error(Code::EMPTY_SET, "the intersection of no sets is not a set")
                                .at(span, "its binders have no values");
                        self.error(diagnostic, span)
                    }
                    (Some(first), _) => {
                        let mut result = first;
                        for operand in all {
                            result = self.binary(op, result, operand, span)?;
                        }
                        Ok(result)
                    }
                }
            }
        }
    }
}
