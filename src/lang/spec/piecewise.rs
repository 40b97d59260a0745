//! `abs`, `min`, `max` and `ite` over declared numbers, and quotients and remainders of integers by constants: comparisons
//! and updates of such terms become case distinctions over linear terms.
//!
//! `div x n` and `mod x n` are the quotient and the remainder of SMT-LIB: `x = n * div x n + mod x n` and
//! `0 <= mod x n < |n|`. `x / n` and `x % n` round toward zero. A quotient is compared without a division, since
//! `div x n > y` is `x > n * y + n - 1` for a positive `n`.

use super::chosen::with_operands;
use super::declare::Declarations;
use super::lower::RawClause;
use super::number_functions::{Function, function};
use super::remainders::{Remainders, WholeSum, give_ranges, is_integer, quotient, report};
use super::signature::{Operator, Sort};
use super::small_numbers;
use super::value::{Expanded, ExpandedId, ExpandedValues, NameId};
use crate::syntax::ast::DeclarationKind;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Limit, LimitKind};
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::source::Span;

/// The most cases of a term.
const CASES: usize = 64;

/// The cases of a term: a condition, a formula, and the value under it. Exactly one condition holds.
type Cases = Vec<(Option<ExpandedId>, CaseValue)>;

/// The value of a term in a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CaseValue {
    /// A term over numbers.
    Number(ExpandedId),
    /// A term over signals of ranges and remainders, within these bounds, and whether it has a remainder.
    Small { term: ExpandedId, low: i128, high: i128, is_remainder: bool },
    /// The quotient of a term by a positive number, rounded down, with the other sign if `is_negative`.
    Quotient { of: ExpandedId, by: i64, is_negative: bool },
}

/// What rewriting found.
#[derive(Debug, Default)]
pub(super) struct Rewritten {
    /// The hidden cells of remainders.
    pub(super) hidden: Vec<NameId>,
    /// The terms over declared numbers that are not computed.
    pub(super) open: Vec<ExpandedId>,
}

/// The most values of cells, together, that are followed where their remainders could be followed instead.
const FEW_VALUES: u128 = 1 << 8;

/// Replaces comparisons and updates of piecewise linear terms in all clauses by case distinctions. A term is left as it
/// is if it has a name that is not declared as a number, or applies a declared function. Bounded integers with few values
/// become signals of ranges where a term about them would be left open. Linear in the number of cases.
///
/// # Errors
/// A term has too many cases, a divisor is too large, or the budget of values is spent.
pub(super) fn rewrite_clauses(
    values: &mut ExpandedValues,
    clauses: &mut Vec<RawClause>,
    declarations: &mut Declarations,
    diagnostics: &mut Diagnostics,
) -> Result<Rewritten, Limit> {
    let asked = small_numbers::remaindered(values, clauses, declarations);
    small_numbers::give_ranges(values, clauses, declarations, &asked, FEW_VALUES);
    let (before, declared) = (clauses.clone(), declarations.clone());
    let mut remainders = rewrite(values, clauses, declarations)?;
    let mut open = small_numbers::open_terms(values, clauses, declarations);
    let mut followed = declared;
    if small_numbers::give_ranges(values, &before, &mut followed, &open, u128::MAX) {
        (*clauses, *declarations) = (before, followed);
        remainders = rewrite(values, clauses, declarations)?;
        open = small_numbers::open_terms(values, clauses, declarations);
    }
    let Some(remainders) = remainders else { return Ok(Rewritten { hidden: Vec::new(), open }) };
    report(values, clauses, declarations, diagnostics);
    if diagnostics.has_errors() {
        return Ok(Rewritten::default());
    }
    let hidden = remainders.finish(values, clauses, declarations)?;
    small_numbers::add_facts(values, clauses, declarations, &open)?;
    Ok(Rewritten { hidden, open })
}

/// One round of rewriting; `None` if there is nothing to rewrite.
fn rewrite(
    values: &mut ExpandedValues,
    clauses: &mut [RawClause],
    declarations: &mut Declarations,
) -> Result<Option<Remainders>, Limit> {
    let roots: Vec<ExpandedId> = clauses.iter().map(|clause| clause.formula).collect();
    let reachable = values.reachable(roots.iter().copied());
    let has_int = declarations.all.iter().any(|declared| declared.sort == Some(Sort::Int));
    let is_piecewise = |&id: &ExpandedId| {
        // A quotient or remainder of signals of ranges may be compared with a cell of sort `Int`.
        let is_division = || matches!(values.get(id), Expanded::Operation(Operator::Div | Operator::Mod, ..));
        function(values, declarations, id).is_some()
            || quotient(values, declarations, id).is_some()
            || has_int && is_division()
    };
    if !reachable.iter().any(is_piecewise) {
        return Ok(None);
    }
    give_ranges(values, &reachable, declarations);
    let remainders = Remainders::new(values, clauses, declarations);
    let (made, terms, quotients) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
    let mut rewriter = Rewriter { values, declarations, remainders, made, terms, quotients };
    for id in reachable {
        rewriter.add(id)?;
    }
    for clause in clauses.iter_mut() {
        clause.formula = rewriter.made[&clause.formula];
    }
    Ok(Some(rewriter.remainders))
}

struct Rewriter<'a> {
    values: &'a mut ExpandedValues,
    declarations: &'a mut Declarations,
    remainders: Remainders,
    /// The image of each value as a formula, or as a term that stays.
    made: FxHashMap<ExpandedId, ExpandedId>,
    /// The cases of each term over declared numbers.
    terms: FxHashMap<ExpandedId, Cases>,
    /// What the computed quotients of sums of signals of ranges are: the sum, the positive divisor, and whether the sign is
    /// the other one.
    quotients: FxHashMap<ExpandedId, (ExpandedId, i64, bool)>,
}

impl Rewriter<'_> {
    fn add(&mut self, id: ExpandedId) -> Result<(), Limit> {
        let span = self.values.span(id);
        if let Some(cases) = self.cases(id, span)? {
            if cases.len() > CASES {
                let what = format!(
                    "a term with `abs`, `min`, `max`, `ite`, a quotient or a remainder has more than {CASES} cases"
                );
                return Err(Limit::new(LimitKind::Size, what));
            }
            self.terms.insert(id, cases);
            self.made.insert(id, id);
            return Ok(());
        }
        let value = self.values.get(id).clone();
        let image = match value {
            Expanded::Operation(operator @ (Operator::Equal | Operator::Greater), a, b) => {
                self.comparison(operator, a, b, span)?.unwrap_or(id)
            }
            Expanded::Update(cell, term) => self.update(cell, term, span)?.unwrap_or(id),
            value
                if value.is_boolean_operator() || value.is_future_operator() || value.is_past_operator() =>
            {
                let value = with_operands(&value, |operand| self.made[&operand]);
                self.values.intern(value, span)?
            }
            _ => id,
        };
        self.made.insert(id, image);
        Ok(())
    }

    fn comparison(
        &mut self,
        operator: Operator,
        a: ExpandedId,
        b: ExpandedId,
        span: Span,
    ) -> Result<Option<ExpandedId>, Limit> {
        let (Some(left), Some(right)) = (self.terms.get(&a).cloned(), self.terms.get(&b).cloned()) else {
            return Ok(None);
        };
        let mut all = Vec::new();
        for (first, a) in &left {
            for (second, b) in &right {
                // A quotient is compared with a larger number without a division.
                let (a, b) = (self.undivided(*a, *b), self.undivided(*b, *a));
                for (third, a, b) in self.pairs(a, b, span)? {
                    let Some(holds) = self.compared(operator, a, b, span)? else { return Ok(None) };
                    let given = self.conjunction([*first, *second, third], span)?;
                    all.push(self.both([given, Some(holds), None], span)?);
                }
            }
        }
        Ok(Some(self.either(all, span)?))
    }

    fn update(&mut self, cell: NameId, term: ExpandedId, span: Span) -> Result<Option<ExpandedId>, Limit> {
        let Some(cases) = self.terms.get(&term).cloned() else { return Ok(None) };
        let declared = self.declarations.by_name.get(&cell).map(|&at| &self.declarations.all[at]);
        let is_large = declared.is_some_and(|d| matches!(d.sort, Some(Sort::Int | Sort::Real)));
        let mut all = Vec::new();
        for (condition, value) in cases {
            let split = if is_large { self.split_up(value, span)? } else { vec![(None, value)] };
            for (second, value) in split {
                let value = match value {
                    CaseValue::Small { is_remainder: true, .. } if is_large => return Ok(None),
                    CaseValue::Number(term) | CaseValue::Small { term, .. } => term,
                    CaseValue::Quotient { .. } => return Ok(None),
                };
                let update = self.values.intern(Expanded::Update(cell, value), span)?;
                all.push(self.both([condition, second, Some(update)], span)?);
            }
        }
        Ok(Some(self.either(all, span)?))
    }

    /// A value that is to be compared with another one: a computed quotient as the sum that is divided, if the other one is
    /// a larger number.
    fn undivided(&self, value: CaseValue, other: CaseValue) -> CaseValue {
        match (value, other) {
            (CaseValue::Small { term, .. }, CaseValue::Number(_)) => {
                let known = self.quotients.get(&term);
                known.map_or(value, |&(of, by, is_negative)| CaseValue::Quotient { of, by, is_negative })
            }
            _ => value,
        }
    }

    /// Two values, where a remainder meets a larger number in cases for each value of the remainder.
    fn pairs(
        &mut self,
        a: CaseValue,
        b: CaseValue,
        span: Span,
    ) -> Result<Vec<(Option<ExpandedId>, CaseValue, CaseValue)>, Limit> {
        let is_remainder = |value| matches!(value, CaseValue::Small { is_remainder: true, .. });
        let is_large = |value| !matches!(value, CaseValue::Small { .. });
        if is_remainder(a) && is_large(b) {
            let cases = self.split_up(a, span)?;
            return Ok(cases.into_iter().map(|(condition, a)| (condition, a, b)).collect());
        }
        if is_remainder(b) && is_large(a) {
            let cases = self.split_up(b, span)?;
            return Ok(cases.into_iter().map(|(condition, b)| (condition, a, b)).collect());
        }
        Ok(vec![(None, a, b)])
    }

    /// The cases of a remainder, a number in each, unless there are too many.
    fn split_up(&mut self, value: CaseValue, span: Span) -> Result<Cases, Limit> {
        let CaseValue::Small { term, low, high, is_remainder: true } = value else {
            return Ok(vec![(None, value)]);
        };
        if high - low >= CASES as i128 {
            return Ok(vec![(None, value)]);
        }
        let mut cases = Vec::new();
        for number in low..=high {
            let number = self.values.intern(Expanded::Int(number as i64), span)?;
            let is = self.values.intern(Expanded::Operation(Operator::Equal, term, number), span)?;
            let value = CaseValue::Small { term: number, low, high, is_remainder: false };
            cases.push((Some(is), value));
        }
        Ok(cases)
    }

    /// The comparison of two values; `None` if it is not linear.
    fn compared(
        &mut self,
        operator: Operator,
        a: CaseValue,
        b: CaseValue,
        span: Span,
    ) -> Result<Option<ExpandedId>, Limit> {
        let is_remainder = |value| matches!(value, CaseValue::Small { is_remainder: true, .. });
        Ok(match (a, b) {
            (CaseValue::Quotient { .. }, CaseValue::Quotient { .. }) => None,
            (CaseValue::Quotient { of, by, is_negative }, other) => {
                let Some((other, greater, less)) = self.around(of, by, is_negative, other, span)? else {
                    return Ok(None);
                };
                debug_assert!(self.values.class(other).is_term());
                match operator {
                    Operator::Greater => Some(greater),
                    _ => Some(self.neither(greater, less, span)?),
                }
            }
            (other, CaseValue::Quotient { of, by, is_negative }) => {
                let Some((_, greater, less)) = self.around(of, by, is_negative, other, span)? else {
                    return Ok(None);
                };
                match operator {
                    Operator::Greater => Some(less),
                    _ => Some(self.neither(greater, less, span)?),
                }
            }
            (CaseValue::Number(_), small) | (small, CaseValue::Number(_)) if is_remainder(small) => None,
            (
                CaseValue::Number(a) | CaseValue::Small { term: a, .. },
                CaseValue::Number(b) | CaseValue::Small { term: b, .. },
            ) => Some(self.values.intern(Expanded::Operation(operator, a, b), span)?),
        })
    }

    /// For a quotient and a sum of integers, the sum, and that the quotient is greater and less; `None` for other values.
    fn around(
        &mut self,
        of: ExpandedId,
        by: i64,
        is_negative: bool,
        other: CaseValue,
        span: Span,
    ) -> Result<Option<(ExpandedId, ExpandedId, ExpandedId)>, Limit> {
        let (CaseValue::Number(sum) | CaseValue::Small { term: sum, is_remainder: false, .. }) = other else {
            return Ok(None);
        };
        if !self.is_whole(sum) {
            return Ok(None);
        }
        let zero = self.values.intern(Expanded::Int(0), span)?;
        let sum = if is_negative { self.operation(Operator::Sub, zero, sum, span)? } else { sum };
        let (by_term, last) =
            (self.values.intern(Expanded::Int(by), span)?, self.values.intern(Expanded::Int(by - 1), span)?);
        let low = self.operation(Operator::Mul, by_term, sum, span)?;
        let high = self.operation(Operator::Add, low, last, span)?;
        let above = self.operation(Operator::Greater, of, high, span)?;
        let below = self.operation(Operator::Greater, low, of, span)?;
        Ok(Some(if is_negative { (sum, below, above) } else { (sum, above, below) }))
    }

    fn neither(&mut self, a: ExpandedId, b: ExpandedId, span: Span) -> Result<ExpandedId, Limit> {
        let (a, b) =
            (self.values.intern(Expanded::Not(a), span)?, self.values.intern(Expanded::Not(b), span)?);
        self.values.intern(Expanded::And([a, b].into()), span)
    }

    fn operation(
        &mut self,
        operator: Operator,
        a: ExpandedId,
        b: ExpandedId,
        span: Span,
    ) -> Result<ExpandedId, Limit> {
        self.values.intern(Expanded::Operation(operator, a, b), span)
    }

    /// Whether a term is a sum of integers.
    fn is_whole(&self, term: ExpandedId) -> bool {
        let is_integer = |id: ExpandedId| match self.values.get(id) {
            Expanded::Name(name) => {
                let declared = self.declarations.by_name.get(name).map(|&at| &self.declarations.all[at]);
                declared.is_some_and(is_integer)
            }
            _ => true,
        };
        WholeSum::new(self.values, term).is_some()
            && self.values.reachable([term]).into_iter().all(is_integer)
    }

    /// Whether all names of a term have the sort `Real`.
    fn is_real(&self, term: ExpandedId) -> bool {
        let is_real = |id: ExpandedId| match self.values.get(id) {
            Expanded::Name(name) => {
                let declared = self.declarations.by_name.get(name).map(|&at| &self.declarations.all[at]);
                declared.is_some_and(|declared| declared.sort == Some(Sort::Real))
            }
            _ => true,
        };
        self.values.reachable([term]).into_iter().all(is_real)
    }

    /// The cases of a term over declared numbers; `None` for other values.
    fn cases(&mut self, id: ExpandedId, span: Span) -> Result<Option<Cases>, Limit> {
        let value = self.values.get(id).clone();
        Ok(match value {
            Expanded::Int(value) => {
                let (low, high) = (i128::from(value), i128::from(value));
                Some(vec![(None, CaseValue::Small { term: id, low, high, is_remainder: false })])
            }
            Expanded::Real(_) => Some(vec![(None, CaseValue::Number(id))]),
            Expanded::Name(name) => {
                let declared = self.declarations.by_name.get(&name).map(|&at| &self.declarations.all[at]);
                let sort = declared
                    .filter(|d| matches!(d.kind, DeclarationKind::Input | DeclarationKind::Cell))
                    .and_then(|d| d.sort.clone());
                let value = match sort {
                    Some(Sort::Int | Sort::Real) => CaseValue::Number(id),
                    Some(Sort::Range(low, high)) => {
                        let (low, high) = (low.into(), high.into());
                        CaseValue::Small { term: id, low, high, is_remainder: false }
                    }
                    _ => return Ok(None),
                };
                Some(vec![(None, value)])
            }
            Expanded::Operation(operator, a, b)
                if !matches!(operator, Operator::Equal | Operator::Greater) =>
            {
                if let Some((dividend, divisor)) = quotient(self.values, self.declarations, id) {
                    return self.truncated(operator, dividend, divisor, span);
                }
                let (Some(left), Some(right)) = (self.terms.get(&a).cloned(), self.terms.get(&b).cloned())
                else {
                    return Ok(None);
                };
                let mut all = Vec::new();
                for (first, a) in &left {
                    for (second, b) in &right {
                        for (third, a, b) in self.pairs(*a, *b, span)? {
                            let Some(value) = self.combined(operator, a, b, span)? else { return Ok(None) };
                            all.push((self.conjunction([*first, *second, third], span)?, value));
                        }
                    }
                }
                Some(all)
            }
            Expanded::Apply(_, ref arguments) => {
                let Some(function) = function(self.values, self.declarations, id) else { return Ok(None) };
                let arguments: Vec<ExpandedId> = arguments.to_vec();
                self.applied(function, &arguments, span)?
            }
            _ => None,
        })
    }

    /// The result of an operation; `None` if it is not linear.
    fn combined(
        &mut self,
        operator: Operator,
        a: CaseValue,
        b: CaseValue,
        span: Span,
    ) -> Result<Option<CaseValue>, Limit> {
        if let (Operator::Div | Operator::Mod, CaseValue::Small { term: by, .. }) = (operator, b)
            && let Expanded::Int(divisor) = *self.values.get(by)
            && divisor != 0
        {
            let result = self.small_truncated(operator, a, divisor, span)?;
            if result.is_some() {
                return Ok(result);
            }
        }
        Ok(match (a, b) {
            (CaseValue::Quotient { .. }, _) | (_, CaseValue::Quotient { .. }) => None,
            (
                CaseValue::Small { term: x, low, high, is_remainder: left },
                CaseValue::Small { term: y, low: least, high: greatest, is_remainder: right },
            ) => {
                let term = self.small_operation(operator, x, y, span)?;
                let ends = |of: fn(i128, i128) -> Option<i128>| -> Option<(i128, i128)> {
                    let all = [of(low, least)?, of(low, greatest)?, of(high, least)?, of(high, greatest)?];
                    Some((all.into_iter().min()?, all.into_iter().max()?))
                };
                let bounds = match operator {
                    Operator::Add => ends(i128::checked_add),
                    Operator::Sub => ends(i128::checked_sub),
                    Operator::Mul => ends(i128::checked_mul),
                    // No more than the dividend, in size.
                    _ => Some((low.min(0).min(-high), high.max(0).max(-low))),
                };
                let Some((low, high)) =
                    bounds.filter(|(low, high)| i64::try_from(*low).is_ok() && i64::try_from(*high).is_ok())
                else {
                    return Ok((!left && !right).then_some(CaseValue::Number(term)));
                };
                Some(CaseValue::Small { term, low, high, is_remainder: left || right })
            }
            (CaseValue::Number(_), small) | (small, CaseValue::Number(_))
                if matches!(small, CaseValue::Small { is_remainder: true, .. }) =>
            {
                None
            }
            (
                CaseValue::Number(a) | CaseValue::Small { term: a, .. },
                CaseValue::Number(b) | CaseValue::Small { term: b, .. },
            ) => Some(CaseValue::Number(self.operation(operator, a, b, span)?)),
        })
    }

    /// An operation on terms over signals of ranges; of two numbers the result.
    fn small_operation(
        &mut self,
        operator: Operator,
        a: ExpandedId,
        b: ExpandedId,
        span: Span,
    ) -> Result<ExpandedId, Limit> {
        if let (&Expanded::Int(x), &Expanded::Int(y)) = (self.values.get(a), self.values.get(b)) {
            let result = match operator {
                Operator::Add => x.checked_add(y),
                Operator::Sub => x.checked_sub(y),
                Operator::Mul => x.checked_mul(y),
                Operator::Div => x.checked_div(y),
                Operator::Mod => x.checked_rem(y),
                Operator::Equal | Operator::Greater => None,
            };
            if let Some(result) = result {
                return self.values.intern(Expanded::Int(result), span);
            }
        }
        self.operation(operator, a, b, span)
    }

    /// `x / n` and `x % n` for an integer `x`, rounded toward zero.
    fn truncated(
        &mut self,
        operator: Operator,
        dividend: ExpandedId,
        divisor: i64,
        span: Span,
    ) -> Result<Option<Cases>, Limit> {
        let Some(cases) = self.terms.get(&dividend).cloned() else { return Ok(None) };
        let zero = self.values.intern(Expanded::Int(0), span)?;
        let mut all = Vec::new();
        for (condition, value) in cases {
            let CaseValue::Number(term) = value else {
                let Some(result) = self.small_truncated(operator, value, divisor, span)? else {
                    return Ok(None);
                };
                all.push((condition, result));
                continue;
            };
            let below = self.operation(Operator::Greater, zero, term, span)?;
            let minus = self.operation(Operator::Sub, zero, term, span)?;
            let not = self.values.intern(Expanded::Not(below), span)?;
            let is_nonnegative = self.is_nonnegative(term);
            for (side, of, is_negative) in [(not, term, false), (below, minus, true)] {
                if is_negative && is_nonnegative {
                    continue;
                }
                let side = (!is_nonnegative).then_some(side);
                let result = match operator {
                    Operator::Div => self.quotient_by(of, divisor, is_negative),
                    _ => self.remainder_by(of, divisor, is_negative, span)?,
                };
                let Some(result) = result else { return Ok(None) };
                all.push((self.conjunction([condition, side, None], span)?, result));
            }
        }
        Ok(Some(all))
    }

    /// `x / n` and `x % n` for a sum of signals of ranges.
    fn small_truncated(
        &mut self,
        operator: Operator,
        value: CaseValue,
        divisor: i64,
        span: Span,
    ) -> Result<Option<CaseValue>, Limit> {
        let CaseValue::Small { term: of, low, high, is_remainder } = value else { return Ok(None) };
        let by = self.values.intern(Expanded::Int(divisor), span)?;
        let term = self.small_operation(operator, of, by, span)?;
        if let Expanded::Int(number) = *self.values.get(term) {
            let (low, high) = (i128::from(number), i128::from(number));
            return Ok(Some(CaseValue::Small { term, low, high, is_remainder }));
        }
        let by = i128::from(divisor);
        let (least, greatest) = if operator == Operator::Div {
            ((low / by).min(high / by), (low / by).max(high / by))
        } else {
            let last = by.abs() - 1;
            (if low < 0 { (-last).max(low) } else { 0 }, if high > 0 { last.min(high) } else { 0 })
        };
        if operator == Operator::Div && low >= 0 {
            self.is_quotient(term, of, divisor);
        }
        Ok(Some(CaseValue::Small { term, low: least, high: greatest, is_remainder: true }))
    }

    /// Records that a computed term is the quotient of a sum by a number; it is rounded down if the number is positive.
    fn is_quotient(&mut self, term: ExpandedId, of: ExpandedId, divisor: i64) {
        if let Some(CaseValue::Quotient { of, by, is_negative }) = self.quotient_by(of, divisor, false) {
            self.quotients.insert(term, (of, by, is_negative));
        }
    }

    /// Whether a term is a signal that is declared with a lower bound from 0 on.
    fn is_nonnegative(&self, term: ExpandedId) -> bool {
        let Expanded::Name(name) = self.values.get(term) else { return false };
        let declared = self.declarations.by_name.get(name).map(|&at| &self.declarations.all[at]);
        let bound = declared.and_then(|declared| declared.bounds.0);
        // An input may leave its bounds, which the environment is assumed not to do.
        let is_cell = declared.is_some_and(|declared| declared.kind == DeclarationKind::Cell);
        is_cell && bound.is_some_and(|low| self.values.number(low).is_some_and(|low| !low.is_negative()))
    }

    /// The quotient of a sum by a number, rounded down for a positive one.
    fn quotient_by(&self, of: ExpandedId, divisor: i64, is_negative: bool) -> Option<CaseValue> {
        let by = divisor.checked_abs().filter(|_| self.is_whole(of))?;
        Some(CaseValue::Quotient { of, by, is_negative: is_negative != (divisor < 0) })
    }

    /// The remainder of a sum by a number, which is not negative, or with the other sign.
    fn remainder_by(
        &mut self,
        of: ExpandedId,
        divisor: i64,
        is_negative: bool,
        span: Span,
    ) -> Result<Option<CaseValue>, Limit> {
        let (Some(by), Some(sum)) = (divisor.checked_abs(), WholeSum::new(self.values, of)) else {
            return Ok(None);
        };
        let Some(term) = self.remainders.of(self.values, self.declarations, &sum, by, span)? else {
            return Ok(None);
        };
        let last = i128::from(by) - 1;
        if !is_negative {
            return Ok(Some(CaseValue::Small { term, low: 0, high: last, is_remainder: true }));
        }
        let zero = self.values.intern(Expanded::Int(0), span)?;
        let term = self.operation(Operator::Sub, zero, term, span)?;
        Ok(Some(CaseValue::Small { term, low: -last, high: 0, is_remainder: true }))
    }

    /// `mod x n` and `div x n`.
    fn euclidean(
        &mut self,
        function: Function,
        dividend: ExpandedId,
        divisor: ExpandedId,
        span: Span,
    ) -> Result<Option<Cases>, Limit> {
        let divisor = match *self.values.get(divisor) {
            Expanded::Int(divisor) if divisor != 0 => divisor,
            _ => return Ok(None),
        };
        let (Some(cases), Some(size)) = (self.terms.get(&dividend).cloned(), divisor.checked_abs()) else {
            return Ok(None);
        };
        let mut all = Vec::new();
        for (condition, value) in cases {
            let result = match (value, function) {
                (CaseValue::Quotient { .. }, _) => None,
                (CaseValue::Number(term), Function::Mod) => self.remainder_by(term, size, false, span)?,
                (CaseValue::Number(term), _) if self.is_whole(term) => self.quotient_by(term, divisor, false),
                // A number that is no integer is divided.
                (CaseValue::Number(term), _) => {
                    let by = self.values.intern(Expanded::Int(divisor), span)?;
                    let quotient = self.operation(Operator::Div, term, by, span)?;
                    self.is_real(term).then_some(CaseValue::Number(quotient))
                }
                (CaseValue::Small { term, low, is_remainder, high }, _) => {
                    let remainder = self.small_remainder(term, low, size, span)?;
                    let is_number = matches!(self.values.get(term), Expanded::Int(_));
                    let is_remainder = is_remainder || !is_number;
                    if function == Function::Mod {
                        let (low, high) = match self.values.get(remainder) {
                            Expanded::Int(value) => (i128::from(*value), i128::from(*value)),
                            _ => (0, i128::from(size) - 1),
                        };
                        Some(CaseValue::Small { term: remainder, low, high, is_remainder })
                    } else {
                        let rest = self.small_operation(Operator::Sub, term, remainder, span)?;
                        let by = self.values.intern(Expanded::Int(divisor), span)?;
                        let of = term;
                        let term = self.small_operation(Operator::Div, rest, by, span)?;
                        self.is_quotient(term, of, divisor);
                        let (size, sign) = (i128::from(size), i128::from(divisor.signum()));
                        let ends = [low.div_euclid(size) * sign, high.div_euclid(size) * sign];
                        let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
                        Some(CaseValue::Small { term, low, high, is_remainder })
                    }
                }
            };
            let Some(result) = result else { return Ok(None) };
            all.push((condition, result));
        }
        Ok(Some(all))
    }

    /// The remainder of a term over signals of ranges, of which the least value is given.
    fn small_remainder(
        &mut self,
        term: ExpandedId,
        low: i128,
        by: i64,
        span: Span,
    ) -> Result<ExpandedId, Limit> {
        if let Expanded::Int(value) = *self.values.get(term) {
            return self.values.intern(Expanded::Int(value.rem_euclid(by)), span);
        }
        let by = self.values.intern(Expanded::Int(by), span)?;
        let remainder = self.operation(Operator::Mod, term, by, span)?;
        if low >= 0 {
            return Ok(remainder);
        }
        let positive = self.operation(Operator::Add, remainder, by, span)?;
        self.operation(Operator::Mod, positive, by, span)
    }

    fn applied(
        &mut self,
        function: Function,
        arguments: &[ExpandedId],
        span: Span,
    ) -> Result<Option<Cases>, Limit> {
        let mut all = Vec::new();
        match (function, arguments) {
            (Function::Mod | Function::Div, [dividend, divisor]) => {
                return self.euclidean(function, *dividend, *divisor, span);
            }
            (Function::Abs, [inner]) => {
                let Some(cases) = self.terms.get(inner).cloned() else { return Ok(None) };
                let zero = self.values.intern(Expanded::Int(0), span)?;
                let none = CaseValue::Small { term: zero, low: 0, high: 0, is_remainder: false };
                for (condition, value) in cases {
                    let Some(below) = self.compared(Operator::Greater, none, value, span)? else {
                        return Ok(None);
                    };
                    let Some(minus) = self.combined(Operator::Sub, none, value, span)? else {
                        return Ok(None);
                    };
                    self.split(&mut all, [condition, None], below, (minus, value), span)?;
                }
            }
            (Function::Min | Function::Max, [a, b]) => {
                let (Some(left), Some(right)) = (self.terms.get(a).cloned(), self.terms.get(b).cloned())
                else {
                    return Ok(None);
                };
                for (first, a) in &left {
                    for (second, b) in &right {
                        for (third, a, b) in self.pairs(*a, *b, span)? {
                            let Some(above) = self.compared(Operator::Greater, a, b, span)? else {
                                return Ok(None);
                            };
                            let pair = if matches!(function, Function::Max) { (a, b) } else { (b, a) };
                            let given = self.conjunction([*first, *second, third], span)?;
                            self.split(&mut all, [given, None], above, pair, span)?;
                        }
                    }
                }
            }
            (Function::Ite, [condition, a, b]) => {
                let (Some(left), Some(right)) = (self.terms.get(a).cloned(), self.terms.get(b).cloned())
                else {
                    return Ok(None);
                };
                let yes = self.made[condition];
                let no = self.values.intern(Expanded::Not(yes), span)?;
                for (side, cases) in [(yes, left), (no, right)] {
                    for (condition, value) in cases {
                        all.push((self.conjunction([Some(side), condition, None], span)?, value));
                    }
                }
            }
            _ => return Ok(None),
        }
        Ok(Some(all))
    }

    /// Adds one case where a condition holds and one where it does not.
    fn split(
        &mut self,
        all: &mut Cases,
        given: [Option<ExpandedId>; 2],
        condition: ExpandedId,
        (yes, no): (CaseValue, CaseValue),
        span: Span,
    ) -> Result<(), Limit> {
        let not = self.values.intern(Expanded::Not(condition), span)?;
        for (side, value) in [(condition, yes), (not, no)] {
            all.push((self.conjunction([given[0], given[1], Some(side)], span)?, value));
        }
        Ok(())
    }

    fn conjunction(
        &mut self,
        parts: [Option<ExpandedId>; 3],
        span: Span,
    ) -> Result<Option<ExpandedId>, Limit> {
        let parts: Vec<ExpandedId> = parts.into_iter().flatten().collect();
        Ok(match parts.as_slice() {
            [] => None,
            [one] => Some(*one),
            _ => Some(self.values.intern(Expanded::And(parts.into()), span)?),
        })
    }

    fn both(&mut self, parts: [Option<ExpandedId>; 3], span: Span) -> Result<ExpandedId, Limit> {
        match self.conjunction(parts, span)? {
            Some(all) => Ok(all),
            None => self.values.intern(Expanded::Bool(true), span),
        }
    }

    fn either(&mut self, all: Vec<ExpandedId>, span: Span) -> Result<ExpandedId, Limit> {
        match all.as_slice() {
            [one] => Ok(*one),
            _ => self.values.intern(Expanded::Or(all.into()), span),
        }
    }
}
