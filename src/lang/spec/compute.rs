//! Arithmetic, sets and comparisons of expanded operands: constants are computed, operations on data become terms.

use super::expand::Expander;
use super::fold::Folded;
use super::signature::Operator;
use super::value::{Expanded, ExpandedId, ValueUse};
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::source::Span;
use tsl_synth_ltl::operators::{BinaryOp, UnaryOp};

impl Expander<'_> {
    pub(super) fn measure(&mut self, op: UnaryOp, operand: ExpandedId, span: Span) -> Folded {
        let Some(elements) = self.elements(operand, span) else { return self.make(Expanded::Error, span) };
        if op == UnaryOp::Size {
            return self.make(Expanded::Int(i64::try_from(elements.len()).unwrap_or(i64::MAX)), span);
        }
        let mut numbers = Vec::new();
        for &element in &elements {
            match self.int(element, span) {
                Some(i) => numbers.push(i),
                None => return self.make(Expanded::Error, span),
            }
        }
        let extreme = if op == UnaryOp::Min { numbers.iter().min() } else { numbers.iter().max() };
        if let Some(&i) = extreme {
            return self.make(Expanded::Int(i), span);
        }
        let diagnostic = Diagnostic::error(Code::EMPTY_SET, "the empty set has no least or greatest element")
            .at(span, "of an empty set");
        self.error(diagnostic, span)
    }

    pub(super) fn overflow(&mut self, span: Span) -> Folded {
        let diagnostic =
            Diagnostic::error(Code::OVERFLOW, "this number does not fit 64 bits").at(span, "overflows");
        self.error(diagnostic, span)
    }

    pub(super) fn arithmetic(&mut self, op: BinaryOp, a: ExpandedId, b: ExpandedId, span: Span) -> Folded {
        if matches!(op, BinaryOp::Div | BinaryOp::Mod) && *self.values.get(b) == Expanded::Int(0) {
            let diagnostic =
                Diagnostic::error(Code::DIVISION_BY_ZERO, "division by zero").at(span, "the divisor is 0");
            return self.error(diagnostic, span);
        }
        if let (&Expanded::Int(a), &Expanded::Int(b)) = (self.values.get(a), self.values.get(b)) {
            let result = match op {
                BinaryOp::Add => a.checked_add(b),
                BinaryOp::Sub => a.checked_sub(b),
                BinaryOp::Mul => a.checked_mul(b),
                // Rounds toward zero, as the arithmetic of finite cells does.
                BinaryOp::Div => a.checked_div(b),
                _ => a.checked_rem(b),
            };
            return match result {
                Some(i) => self.make(Expanded::Int(i), span),
                None => self.overflow(span),
            };
        }
        let operator = match op {
            BinaryOp::Add => Operator::Add,
            BinaryOp::Sub => Operator::Sub,
            BinaryOp::Mul => Operator::Mul,
            BinaryOp::Div => Operator::Div,
            _ => Operator::Mod,
        };
        for operand in [a, b] {
            let class = self.values.class(operand);
            if !matches!(class, ValueUse::Term | ValueUse::Int | ValueUse::Number) {
                let diagnostic = self.expected("a number", operand, span);
                let hint = match class {
                    ValueUse::Set => "sets are joined with `(+)`, `(*)`, `(-)`",
                    _ => "arithmetic is on numbers and terms; use parentheses around comparisons",
                };
                return self.error(diagnostic.hint(hint), span);
            }
        }
        self.make(Expanded::Operation(operator, a, b), span)
    }

    pub(super) fn compare(&mut self, op: BinaryOp, a: ExpandedId, b: ExpandedId, span: Span) -> Folded {
        if let (&Expanded::Int(a), &Expanded::Int(b)) = (self.values.get(a), self.values.get(b)) {
            let result = match op {
                BinaryOp::Eq => a == b,
                BinaryOp::Ne => a != b,
                BinaryOp::Lt => a < b,
                BinaryOp::Le => a <= b,
                BinaryOp::Gt => a > b,
                _ => a >= b,
            };
            return self.make(Expanded::Bool(result), span);
        }
        for operand in [a, b] {
            if !self.values.class(operand).is_term() {
                let mut diagnostic = self.expected("a term", operand, span);
                if op == BinaryOp::Eq {
                    diagnostic = diagnostic.hint("formulas are compared with `<->`");
                }
                return self.error(diagnostic, span);
            }
        }
        // Literals are put on the right of `=`, so that `3 = x` and `x = 3` are one predicate term.
        let literal =
            |v| matches!(self.values.get(v), Expanded::Int(_) | Expanded::Real(_) | Expanded::Bool(_));
        let (x, y) = if literal(a) { (b, a) } else { (a, b) };
        match op {
            BinaryOp::Eq => self.equal(x, y, span),
            BinaryOp::Ne => {
                let equal = self.equal(x, y, span)?;
                self.not(equal, span)
            }
            BinaryOp::Gt => self.make(Expanded::Operation(Operator::Greater, a, b), span),
            BinaryOp::Lt => self.make(Expanded::Operation(Operator::Greater, b, a), span),
            BinaryOp::Le => {
                let greater = self.make(Expanded::Operation(Operator::Greater, a, b), span)?;
                self.not(greater, span)
            }
            _ => {
                let greater = self.make(Expanded::Operation(Operator::Greater, b, a), span)?;
                self.not(greater, span)
            }
        }
    }

    fn equal(&mut self, a: ExpandedId, b: ExpandedId, span: Span) -> Folded {
        match *self.values.get(b) {
            // `b = true` is `b`.
            Expanded::Bool(value) if self.values.class(a).is_formula() => {
                if value {
                    Ok(a)
                } else {
                    self.not(a, span)
                }
            }
            _ => self.make(Expanded::Operation(Operator::Equal, a, b), span),
        }
    }

    /// The set of these values without repetition.
    pub(super) fn set(&mut self, elements: Vec<ExpandedId>, span: Span) -> Folded {
        let mut seen = rustc_hash::FxHashSet::default();
        let elements: Vec<ExpandedId> = elements.into_iter().filter(|&v| seen.insert(v)).collect();
        self.make(Expanded::Set(elements.into()), span)
    }

    pub(super) fn progression(&mut self, operands: &[ExpandedId], has_second: bool, span: Span) -> Folded {
        let mut numbers = Vec::new();
        for &operand in operands {
            match self.int(operand, span) {
                Some(i) => numbers.push(i128::from(i)),
                None => return self.make(Expanded::Error, span),
            }
        }
        let (first, last) = (numbers[0], numbers[numbers.len() - 1]);
        let step = if has_second { numbers[1] - first } else { 1 };
        if step == 0 {
            let diagnostic = Diagnostic::error(Code::EMPTY_SET, "this sequence does not advance")
                .at(span, "the first two elements are the same");
            return self.error(diagnostic, span);
        }
        let count = ((last - first) / step + 1).max(0);
        let count = if (last - first).signum() * step.signum() < 0 { 0 } else { count };
        self.check_count(count)?;
        let mut elements = Vec::new();
        for i in 0..count {
            elements.push(self.make(Expanded::Int((first + i * step) as i64), span)?);
        }
        self.set(elements, span)
    }

    pub(super) fn elements(&mut self, value: ExpandedId, span: Span) -> Option<Box<[ExpandedId]>> {
        match self.values.get(value) {
            Expanded::Set(elements) => Some(elements.clone()),
            Expanded::Error => None,
            _ => {
                let diagnostic = self.expected("a set", value, span);
                self.report(diagnostic);
                None
            }
        }
    }

    /// The integer, or `None` if it is none, which has then been reported.
    pub(super) fn int(&mut self, value: ExpandedId, span: Span) -> Option<i64> {
        match self.values.get(value) {
            Expanded::Int(i) => Some(*i),
            Expanded::Error => None,
            Expanded::Name(name) => {
                let name = self.values.text(*name).clone();
                let diagnostic =
                    self.expected("an integer", value, span).hint(format!("define it: `{name} = 3;`"));
                self.report(diagnostic);
                None
            }
            _ => {
                let diagnostic = self.expected("an integer", value, span);
                self.report(diagnostic);
                None
            }
        }
    }
}
