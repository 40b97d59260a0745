//! Evaluation of operators on values.

use super::expand::TlsfExpander;
use super::tree::{FormulaTree, TreeId};
use super::value::TlsfValue;
use crate::syntax::tlsf::{TlsfId, TlsfKind};
use std::rc::Rc;
use tsl_synth_core::base::Limit;
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::source::Span;
use tsl_synth_ltl::operators::{BigOp, BinaryOp, UnaryOp};

impl TlsfExpander<'_> {
    /// The value of an expression whose children have these values.
    ///
    /// # Errors
    /// The budget is spent.
    pub(super) fn compute(&mut self, id: TlsfId, children: &[TlsfValue]) -> Result<TlsfValue, Limit> {
        let exprs = self.exprs;
        let at = exprs.span(id);
        if children.contains(&TlsfValue::Error) {
            return Ok(TlsfValue::Error);
        }
        Ok(match (exprs.kind(id), children) {
            (TlsfKind::Index(bus, index), [value, i]) => {
                let (bus, index) = (exprs.span(*bus), exprs.span(*index));
                self.index(value, bus, i, index)
            }
            (TlsfKind::Unary(op, a), [value]) => self.unary(*op, value, exprs.span(*a)),
            (TlsfKind::StrongNext(a), [value]) => match self.formula(value, exprs.span(*a)) {
                Some(tree) => TlsfValue::Formula(self.trees.add(FormulaTree::StrongNext(tree))),
                None => TlsfValue::Error,
            },
            (TlsfKind::SizeOf(a), [value]) => match value {
                TlsfValue::Bus(bus) => count(self.buses[*bus].atoms.len()),
                other => {
                    let message = format!("`SIZEOF` is the width of a bus, and this is {}", other.sort());
                    self.error(Code::WRONG_KIND, exprs.span(*a), message)
                }
            },
            (TlsfKind::Match(_, pattern), [value]) => match self.formula(value, at) {
                Some(formula) => {
                    let matches = self.matched(formula, *pattern).is_some();
                    TlsfValue::Formula(self.trees.bool(matches))
                }
                None => TlsfValue::Error,
            },
            (TlsfKind::Bounded { op, strong, low, high, body }, [first, last, formula]) => {
                let first = self.int(first, exprs.span(*low));
                let last = self.int(last, exprs.span(*high));
                let formula = self.formula(formula, exprs.span(*body));
                match (first, last, formula) {
                    (Some(first), Some(last), Some(formula)) => {
                        let at = exprs.span(*low).to(exprs.span(*high));
                        self.past(*op, formula, exprs.span(*body));
                        self.bounded((*op, *strong), (first, last), formula, at)?
                    }
                    _ => TlsfValue::Error,
                }
            }
            (TlsfKind::Binary(op, a, b), [left, right]) => {
                self.binary(*op, (left, exprs.span(*a)), (right, exprs.span(*b)), at)?
            }
            (TlsfKind::Set(_), all) => TlsfValue::Set(normal(all.to_vec())),
            (TlsfKind::Progression { .. }, all) => self.progression(all, at)?,
            (TlsfKind::Big { op, body, .. }, all) => self.big(*op, all, exprs.span(*body), at)?,
            _ => TlsfValue::Error,
        })
    }

    fn index(&mut self, value: &TlsfValue, at: Span, index: &TlsfValue, index_at: Span) -> TlsfValue {
        let TlsfValue::Bus(bus) = value else {
            let message = format!("only buses have signals, and this is {}", value.sort());
            return self.error(Code::WRONG_KIND, at, message);
        };
        let Some(index) = self.int(index, index_at) else { return TlsfValue::Error };
        let bus = &self.buses[*bus];
        let atom = usize::try_from(index).ok().and_then(|i| bus.atoms.get(i)).copied();
        if let Some(atom) = atom {
            return TlsfValue::Formula(self.trees.add(FormulaTree::Atom(atom)));
        }
        let message = format!("`{}` has {} signals, and none with index {index}", bus.name, bus.atoms.len());
        let hint = match bus.atoms.len() {
            0 => "its width is 0".into(),
            width => format!("the indices are 0 to {}", width - 1),
        };
        self.report(Diagnostic::error(Code::OUTSIDE_OF_BUS, message).at(index_at, "this index").hint(hint));
        TlsfValue::Error
    }

    fn unary(&mut self, op: UnaryOp, value: &TlsfValue, at: Span) -> TlsfValue {
        match op {
            _ if op.is_logical() => match self.formula(value, at) {
                Some(tree) => {
                    self.past(op, tree, at);
                    TlsfValue::Formula(self.trees.unary(op, tree))
                }
                None => TlsfValue::Error,
            },
            UnaryOp::Size => match self.set(value, at) {
                Some(set) => count(set.len()),
                None => TlsfValue::Error,
            },
            UnaryOp::Min | UnaryOp::Max => {
                let Some(set) = self.set(value, at) else { return TlsfValue::Error };
                let end = if op == UnaryOp::Min { set.first() } else { set.last() };
                match end {
                    Some(TlsfValue::Int(_)) if set.iter().all(|v| matches!(v, TlsfValue::Int(_))) => {
                        set_end(end)
                    }
                    Some(_) => self.error(Code::WRONG_KIND, at, "this set holds other things than numbers"),
                    None => {
                        let message = "the empty set has neither a least nor a greatest element";
                        self.error(Code::EMPTY_SET, at, message)
                    }
                }
            }
            _ => self.error(Code::SYNTAX, at, "this operator is not part of TLSF"),
        }
    }

    /// `X[n] f`, `F[n:m] f`, `G[n:m] f`
    /// and the like of the past, written out with single steps. On finite words those of `F` and `G` need not exist, as
    /// in the format's tool, unless they are strong; those of `O` have to, those of `H` need not.
    fn bounded(
        &mut self,
        (op, strong): (UnaryOp, bool),
        (low, high): (i64, i64),
        f: TreeId,
        at: Span,
    ) -> Result<TlsfValue, Limit> {
        if low < 0 || high < 0 {
            let message = "bounds count steps, from 0";
            return Ok(self.error(Code::NEGATIVE_BOUND, at, message));
        }
        if low > high {
            // The interval is empty: `G` and `H` hold vacuously, `F` and `O` are false.
            let value = matches!(op, UnaryOp::Globally | UnaryOp::Historically);
            return Ok(TlsfValue::Formula(self.trees.bool(value)));
        }
        self.spend(usize::try_from(high).unwrap_or(usize::MAX).saturating_mul(2))?;
        let join = match op {
            UnaryOp::Globally | UnaryOp::Historically => Some(BinaryOp::And),
            UnaryOp::Finally | UnaryOp::Once => Some(BinaryOp::Or),
            _ => None,
        };
        let step = match op {
            UnaryOp::Yesterday | UnaryOp::Once => Some(UnaryOp::Yesterday),
            UnaryOp::WeakYesterday | UnaryOp::Historically => Some(UnaryOp::WeakYesterday),
            _ if strong => None,
            _ => Some(UnaryOp::Next),
        };
        let mut tree = f;
        for _ in (low..high).filter(|_| join.is_some()) {
            let later = self.step(step, tree);
            tree = join.map_or(later, |join| self.trees.binary(join, f, later));
        }
        for _ in 0..low {
            tree = self.step(step, tree);
        }
        Ok(TlsfValue::Formula(tree))
    }

    /// The formula one step away; without an operator by the strong next.
    fn step(&mut self, op: Option<UnaryOp>, tree: TreeId) -> TreeId {
        match op {
            Some(op) => self.trees.unary(op, tree),
            None => self.trees.add(FormulaTree::StrongNext(tree)),
        }
    }

    /// Reports a past operator above a future operator.
    fn past(&mut self, op: UnaryOp, operand: TreeId, at: Span) {
        if op.is_past() && self.trees.has_future(operand) {
            self.past_over_future(at);
        }
    }

    fn past_over_future(&mut self, at: Span) {
        let message = "a past operator cannot be above a future operator";
        let error = Diagnostic::error(Code::PAST_OVER_FUTURE, message).at(at, "speaks about the future");
        let hint = "`Y X f` is `f`, except in the first step; move the past operator inside";
        self.report(error.hint(hint));
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        (left, left_at): (&TlsfValue, Span),
        (right, right_at): (&TlsfValue, Span),
        at: Span,
    ) -> Result<TlsfValue, Limit> {
        use BinaryOp as B;
        Ok(match op {
            B::Union | B::Intersection | B::Difference => {
                let (Some(a), Some(b)) = (self.set(left, left_at), self.set(right, right_at)) else {
                    return Ok(TlsfValue::Error);
                };
                self.spend(a.len() + b.len())?;
                TlsfValue::Set(if op == B::Union {
                    normal(a.iter().chain(&*b).cloned().collect())
                } else {
                    let keep = op == B::Intersection;
                    a.iter().filter(|v| b.binary_search(v).is_ok() == keep).cloned().collect()
                })
            }
            B::In => {
                let Some(set) = self.set(right, right_at) else { return Ok(TlsfValue::Error) };
                let value = set.binary_search(left).is_ok();
                TlsfValue::Formula(self.trees.bool(value))
            }
            B::Eq | B::Ne => self.equality(op == B::Eq, left, right, at),
            B::Lt | B::Le | B::Gt | B::Ge => {
                let (Some(a), Some(b)) = (self.int(left, left_at), self.int(right, right_at)) else {
                    return Ok(TlsfValue::Error);
                };
                let value = match op {
                    B::Lt => a < b,
                    B::Le => a <= b,
                    B::Gt => a > b,
                    _ => a >= b,
                };
                TlsfValue::Formula(self.trees.bool(value))
            }
            B::Add | B::Sub | B::Mul | B::Div | B::Mod => {
                let (Some(a), Some(b)) = (self.int(left, left_at), self.int(right, right_at)) else {
                    return Ok(TlsfValue::Error);
                };
                self.arithmetic(op, a, b, at)
            }
            _ => {
                let (Some(a), Some(b)) = (self.formula(left, left_at), self.formula(right, right_at)) else {
                    return Ok(TlsfValue::Error);
                };
                for (operand, at) in [(a, left_at), (b, right_at)] {
                    if op.is_past() && self.trees.has_future(operand) {
                        self.past_over_future(at);
                    }
                }
                TlsfValue::Formula(self.trees.binary(op, a, b))
            }
        })
    }

    fn arithmetic(&mut self, op: BinaryOp, a: i64, b: i64, at: Span) -> TlsfValue {
        if b == 0 && matches!(op, BinaryOp::Div | BinaryOp::Mod) {
            return self.error(Code::DIVISION_BY_ZERO, at, "division by zero");
        }
        let result = match op {
            BinaryOp::Add => a.checked_add(b),
            BinaryOp::Sub => a.checked_sub(b),
            BinaryOp::Mul => a.checked_mul(b),
            // Rounded down, as the format's tool does, so that `n % m` is never negative.
            BinaryOp::Div => a.checked_div_euclid(b),
            _ => a.checked_rem_euclid(b),
        };
        result.map_or_else(
            || self.error(Code::OVERFLOW, at, "this number does not fit 64 bits"),
            TlsfValue::Int,
        )
    }

    /// `a == b` of numbers and of values, and of a bus with a value of its enumeration.
    fn equality(&mut self, equal: bool, left: &TlsfValue, right: &TlsfValue, at: Span) -> TlsfValue {
        let tree = match (left, right) {
            (TlsfValue::Int(_), TlsfValue::Int(_))
            | (TlsfValue::Variant(..), TlsfValue::Variant(..))
            | (TlsfValue::Set(_), TlsfValue::Set(_)) => self.trees.bool(left == right),
            (TlsfValue::Bus(bus), TlsfValue::Variant(sort, value))
            | (TlsfValue::Variant(sort, value), TlsfValue::Bus(bus)) => {
                let (bus_sort, width) = (self.buses[*bus].sort, self.buses[*bus].atoms.len());
                if let Some(other) = bus_sort.filter(|other| other != sort) {
                    let (bus, other) = (&self.buses[*bus].name, &self.enums[other].name);
                    let message =
                        format!("`{bus}` holds values of `{other}`, and this is one of another enumeration");
                    return self.error(Code::WRONG_KIND, at, message);
                }
                if width != self.enums[*sort].width {
                    let (bus, sort) = (&self.buses[*bus], &self.enums[*sort]);
                    let message = format!(
                        "`{}` has {} signals, and the codes of `{}` have {} bits",
                        bus.name, width, sort.name, sort.width
                    );
                    return self.error(Code::WRONG_KIND, at, message);
                }
                self.holds(*bus, *sort, *value)
            }
            _ => {
                let message = format!("{} and {} cannot be compared", left.sort(), right.sort());
                return self.error(Code::WRONG_KIND, at, message);
            }
        };
        TlsfValue::Formula(if equal { tree } else { self.trees.unary(UnaryOp::Not, tree) })
    }

    /// The formula "the bus has a code of the value".
    pub(super) fn holds(&mut self, bus: usize, sort: usize, value: usize) -> TreeId {
        let codes = self.enums[sort].values[value].1.clone();
        let atoms = self.buses[bus].atoms.clone();
        let mut any = self.trees.bool(false);
        for code in codes {
            let mut all = self.trees.bool(true);
            for (&atom, bit) in atoms.iter().zip(code) {
                let Some(bit) = bit else { continue };
                let mut literal = self.trees.add(FormulaTree::Atom(atom));
                if !bit {
                    literal = self.trees.unary(UnaryOp::Not, literal);
                }
                all = self.trees.binary(BinaryOp::And, all, literal);
            }
            any = self.trees.binary(BinaryOp::Or, any, all);
        }
        any
    }

    /// `{first .. last}`, `{first, second .. last}`
    fn progression(&mut self, ends: &[TlsfValue], at: Span) -> Result<TlsfValue, Limit> {
        let mut numbers = Vec::new();
        for end in ends {
            let Some(int) = self.int(end, at) else { return Ok(TlsfValue::Error) };
            numbers.push(i128::from(int));
        }
        let (first, step, last) = match numbers[..] {
            [first, last] => (first, 1, last),
            [first, second, last] => (first, second - first, last),
            _ => return Ok(TlsfValue::Error),
        };
        if step == 0 {
            return Ok(self.error(
                Code::EMPTY_SET,
                at,
                "the first two elements are the same: the set has no end",
            ));
        }
        let count = ((last - first) / step + 1).max(0);
        let count = if (last - first) * step.signum() < 0 { 0 } else { count };
        self.spend(usize::try_from(count).unwrap_or(usize::MAX))?;
        let mut all = Vec::new();
        for i in 0..count {
            // Fits, since it lies between the ends, which fit.
            all.push(TlsfValue::Int(i64::try_from(first + i * step).unwrap_or(i64::MAX)));
        }
        Ok(TlsfValue::Set(normal(all)))
    }

    fn big(&mut self, op: BigOp, all: &[TlsfValue], body: Span, at: Span) -> Result<TlsfValue, Limit> {
        self.spend(all.len())?;
        Ok(match op {
            BigOp::And | BigOp::Or => {
                let join = if op == BigOp::And { BinaryOp::And } else { BinaryOp::Or };
                let mut tree: Option<TreeId> = None;
                for value in all {
                    let Some(formula) = self.formula(value, body) else { return Ok(TlsfValue::Error) };
                    tree = Some(tree.map_or(formula, |tree| self.trees.binary(join, tree, formula)));
                }
                TlsfValue::Formula(tree.unwrap_or_else(|| self.trees.bool(op == BigOp::And)))
            }
            BigOp::Sum | BigOp::Product => {
                let (join, mut total) =
                    if op == BigOp::Sum { (BinaryOp::Add, 0) } else { (BinaryOp::Mul, 1) };
                for value in all {
                    let Some(int) = self.int(value, body) else { return Ok(TlsfValue::Error) };
                    match self.arithmetic(join, total, int, at) {
                        TlsfValue::Int(next) => total = next,
                        error => return Ok(error),
                    }
                }
                TlsfValue::Int(total)
            }
            BigOp::Union | BigOp::Intersection => {
                let mut sets = Vec::new();
                for value in all {
                    let Some(set) = self.set(value, body) else { return Ok(TlsfValue::Error) };
                    self.spend(set.len())?;
                    sets.push(set);
                }
                match sets.split_first() {
                    _ if op == BigOp::Union => {
                        TlsfValue::Set(normal(sets.iter().flat_map(|set| set.iter().cloned()).collect()))
                    }
                    Some((first, rest)) => {
                        let everywhere = |v: &&TlsfValue| rest.iter().all(|set| set.binary_search(v).is_ok());
                        TlsfValue::Set(first.iter().filter(everywhere).cloned().collect())
                    }
                    None => self.error(Code::EMPTY_SET, at, "the intersection of no sets is not defined"),
                }
            }
        })
    }
}

fn count(n: usize) -> TlsfValue {
    TlsfValue::Int(i64::try_from(n).unwrap_or(i64::MAX))
}

fn set_end(end: Option<&TlsfValue>) -> TlsfValue {
    end.cloned().unwrap_or(TlsfValue::Error)
}

/// Sorted, without repetition.
fn normal(mut values: Vec<TlsfValue>) -> Rc<[TlsfValue]> {
    values.sort_unstable();
    values.dedup();
    values.into()
}
