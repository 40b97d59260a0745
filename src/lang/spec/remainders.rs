//! Remainders of declared integers by constants. The remainder of a cell is the value of a hidden cell with a range: an
//! update `[x <- 2 * y + 1]` comes with the update of the remainder of `x` to `2 * r + 1`, modulo the divisor, for the
//! remainder `r` of `y`. So it is followed exactly, as all cells with ranges are, and nothing about division is left to
//! prove. Inputs with ranges are computed with as they are.

use super::declare::{Declarations, Declared};
use super::finite::FINITE_VALUES;
use super::fold::Folded;
use super::lower::RawClause;
use super::number_functions::{Function, function};
use super::signature::{Operator, Overflow, Sort};
use super::value::{Expanded, ExpandedId, ExpandedValues, NameId};
use crate::syntax::ast::DeclarationKind;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use tsl_synth_core::base::{Limit, LimitKind};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::model::Role;
use tsl_synth_core::source::Span;

/// A sum of names with integer factors, and a constant.
#[derive(Clone, Debug, Default)]
pub(super) struct WholeSum {
    factors: BTreeMap<NameId, i64>,
    constant: i64,
}

impl WholeSum {
    /// The sum that a term is; `None` if it is none, or a number is too large.
    pub(super) fn new(values: &ExpandedValues, term: ExpandedId) -> Option<Self> {
        let mut sums: FxHashMap<ExpandedId, Self> = FxHashMap::default();
        for id in values.reachable([term]) {
            let sum = match values.get(id) {
                Expanded::Int(value) => Self { constant: *value, ..Self::default() },
                Expanded::Name(name) => Self { factors: BTreeMap::from([(*name, 1)]), constant: 0 },
                Expanded::Operation(Operator::Add, a, b) => sums.get(a)?.plus(1, sums.get(b)?)?,
                Expanded::Operation(Operator::Sub, a, b) => sums.get(a)?.plus(-1, sums.get(b)?)?,
                Expanded::Operation(Operator::Mul, a, b) => {
                    let (a, b) = (sums.get(a)?, sums.get(b)?);
                    match (a.factors.is_empty(), b.factors.is_empty()) {
                        (true, _) => Self::default().plus(a.constant, b)?,
                        (_, true) => Self::default().plus(b.constant, a)?,
                        _ => return None,
                    }
                }
                _ => return None,
            };
            sums.insert(id, sum);
        }
        sums.remove(&term)
    }

    /// The value for these values of the names; `None` if one is not known, or a number is too large.
    pub(super) fn value(&self, of: impl Fn(NameId) -> Option<i64>) -> Option<i64> {
        let add =
            |sum: i64, (&name, &factor): (&NameId, &i64)| sum.checked_add(factor.checked_mul(of(name)?)?);
        self.factors.iter().try_fold(self.constant, add)
    }

    fn plus(&self, factor: i64, other: &Self) -> Option<Self> {
        let mut sum = self.clone();
        for (&name, &value) in &other.factors {
            let entry = sum.factors.entry(name).or_insert(0);
            *entry = entry.checked_add(factor.checked_mul(value)?)?;
        }
        sum.constant = sum.constant.checked_add(factor.checked_mul(other.constant)?)?;
        Some(sum)
    }
}

/// The hidden cells of remainders.
#[derive(Debug, Default)]
pub(super) struct Remainders {
    /// The cells whose remainders can be followed, with their first values.
    followed: FxHashMap<NameId, i64>,
    /// All divisors.
    divisors: Vec<i64>,
    /// The remainder of each cell by each divisor, in the order of their first use.
    cells: Vec<(NameId, i64, HiddenCell)>,
}

/// Whether there are more remainders than values of a range that are followed.
fn is_large(divisor: i64) -> bool {
    usize::try_from(divisor).map_or(true, |divisor| divisor > FINITE_VALUES)
}

/// Whether a signal that is declared so is an integer that is computed with.
pub(super) fn is_integer(declared: &Declared) -> bool {
    matches!(declared.kind, DeclarationKind::Input | DeclarationKind::Cell)
        && matches!(declared.sort, Some(Sort::Int | Sort::Range(..)))
}

impl Remainders {
    /// Finds the cells of sort `Int` with a declared first value whose updates are sums of such cells and of inputs with
    /// ranges. Linear for each round, of which there are at most as many as cells.
    pub(super) fn new(values: &ExpandedValues, clauses: &[RawClause], declarations: &Declarations) -> Self {
        let mut followed: FxHashMap<NameId, i64> = FxHashMap::default();
        for declared in &declarations.all {
            let Some((initial, _)) = declared.initial else { continue };
            let is_cell = declared.kind == DeclarationKind::Cell && declared.sort == Some(Sort::Int);
            if let (true, Expanded::Int(first)) = (is_cell, values.get(initial)) {
                followed.insert(declared.name, *first);
            }
        }
        let reachable = values.reachable(clauses.iter().map(|clause| clause.formula));
        let divisor = |&id: &ExpandedId| {
            let divisor = match values.get(id) {
                Expanded::Operation(Operator::Mod, _, divisor) => *divisor,
                Expanded::Apply(_, arguments) if arguments.len() == 2 => arguments[1],
                _ => return None,
            };
            match values.get(divisor) {
                Expanded::Int(divisor) => divisor.checked_abs().filter(|n| *n > 0 && !is_large(*n)),
                _ => None,
            }
        };
        let divisors: Vec<i64> = reachable.iter().filter_map(divisor).collect();
        loop {
            let can_follow = can_follow(values, &reachable, declarations, &followed);
            let lost: Vec<NameId> = reachable
                .iter()
                .filter_map(|&id| match values.get(id) {
                    Expanded::Update(cell, term) if !can_follow.contains(term) => Some(*cell),
                    _ => None,
                })
                .filter(|cell| followed.contains_key(cell))
                .collect();
            if lost.is_empty() {
                return Self { followed, divisors, cells: Vec::new() };
            }
            followed.retain(|name, _| !lost.contains(name));
        }
    }

    /// A term over hidden cells and inputs with ranges whose value is the remainder of a sum by a positive divisor, from 0 to
    /// the divisor minus 1; `None` if there is no such term.
    ///
    /// # Errors
    /// The divisor is too large, or the budget of values is spent.
    pub(super) fn of(
        &mut self,
        values: &mut ExpandedValues,
        declarations: &mut Declarations,
        sum: &WholeSum,
        divisor: i64,
        span: Span,
    ) -> Result<Option<ExpandedId>, Limit> {
        let Some((term, is_reduced)) = self.congruent(values, declarations, sum, divisor, span)? else {
            return Ok(None);
        };
        if is_reduced {
            return Ok(Some(term));
        }
        let divisor = values.intern(Expanded::Int(divisor), span)?;
        Ok(Some(values.intern(Expanded::Operation(Operator::Mod, term, divisor), span)?))
    }

    /// A term that is not negative and has the same remainder as a sum, and whether it is the remainder.
    fn congruent(
        &mut self,
        values: &mut ExpandedValues,
        declarations: &mut Declarations,
        sum: &WholeSum,
        divisor: i64,
        span: Span,
    ) -> Result<Option<(ExpandedId, bool)>, Limit> {
        if is_large(divisor) {
            let message = format!("remainders by {divisor}; those by at most {FINITE_VALUES} are followed");
            return Err(Limit::new(LimitKind::Size, message));
        }
        let constant = sum.constant.rem_euclid(divisor);
        let mut total: Option<ExpandedId> = None;
        let mut is_reduced = constant == 0;
        for (&name, &factor) in &sum.factors {
            let factor = factor.rem_euclid(divisor);
            if factor == 0 {
                continue;
            }
            let Some((mut part, reduced)) = self.of_name(values, declarations, name, divisor, span)? else {
                return Ok(None);
            };
            is_reduced &= reduced && factor == 1 && total.is_none();
            if factor != 1 {
                let factor = values.intern(Expanded::Int(factor), span)?;
                part = values.intern(Expanded::Operation(Operator::Mul, factor, part), span)?;
            }
            total = Some(match total {
                None => part,
                Some(total) => values.intern(Expanded::Operation(Operator::Add, total, part), span)?,
            });
        }
        let constant_term = values.intern(Expanded::Int(constant), span)?;
        Ok(Some(match total {
            None => (constant_term, true),
            Some(total) if constant == 0 => (total, is_reduced),
            Some(total) => {
                (values.intern(Expanded::Operation(Operator::Add, total, constant_term), span)?, false)
            }
        }))
    }

    /// A term that is not negative and has the same remainder as a name, and whether it is the remainder.
    fn of_name(
        &mut self,
        values: &mut ExpandedValues,
        declarations: &mut Declarations,
        name: NameId,
        divisor: i64,
        span: Span,
    ) -> Result<Option<(ExpandedId, bool)>, Limit> {
        let Some(declared) = declarations.by_name.get(&name).map(|&at| &declarations.all[at]) else {
            return Ok(None);
        };
        if let (DeclarationKind::Input, Some(Sort::Range(low, high))) = (declared.kind, &declared.sort) {
            let (low, high) = (*low, *high);
            let own = values.intern(Expanded::Name(name), span)?;
            if low >= 0 {
                return Ok(Some((own, high < divisor)));
            }
            // A multiple of the divisor makes it positive.
            let Some(offset) = (low / divisor - 1).checked_mul(-divisor) else { return Ok(None) };
            let offset = values.intern(Expanded::Int(offset), span)?;
            return Ok(Some((values.intern(Expanded::Operation(Operator::Add, own, offset), span)?, false)));
        }
        let Some(&first) = self.followed.get(&name) else { return Ok(None) };
        // The remainder by a multiple of the divisor tells the one by the divisor.
        let multiples = self.divisors.iter().copied().filter(|other| other % divisor == 0);
        let (asked, divisor) = (divisor, multiples.max().unwrap_or(divisor));
        let known = self.cells.iter().find(|(of, by, _)| (*of, *by) == (name, divisor));
        let cell = if let Some((_, _, cell)) = known {
            *cell
        } else {
            let text = format!("{}_mod_{divisor}", values.text(name));
            // No name of a text has a blank.
            let hidden = values.name(&format!("{text} "));
            values.rename(hidden, &text);
            let first = first.rem_euclid(divisor);
            let overflow = Overflow::Wrapping;
            let cell = HiddenCell { name: hidden, first, last: divisor - 1, overflow, span };
            cell.declare(values, declarations)?;
            self.cells.push((name, divisor, cell));
            cell
        };
        Ok(Some((cell.value(values)?, asked == divisor)))
    }

    /// Adds that remainders are updated together with their cells. Returns their names.
    ///
    /// # Errors
    /// The remainder of a value cannot be followed, or the budget of values is spent.
    pub(super) fn finish(
        mut self,
        values: &mut ExpandedValues,
        clauses: &mut Vec<RawClause>,
        declarations: &mut Declarations,
    ) -> Result<Vec<NameId>, Limit> {
        let reachable = values.reachable(clauses.iter().map(|clause| clause.formula));
        let mut done = 0;
        while done < self.cells.len() {
            let (of, divisor, cell) = self.cells[done];
            done += 1;
            let own = values.intern(Expanded::Name(of), cell.span)?;
            let mut terms: Vec<ExpandedId> = vec![own];
            terms.extend(reachable.iter().filter_map(|&id| match values.get(id) {
                Expanded::Update(updated, term) if *updated == of && *term != own => Some(*term),
                _ => None,
            }));
            for term in terms {
                let sum = WholeSum::new(values, term);
                let next = match &sum {
                    Some(sum) => self.congruent(values, declarations, sum, divisor, cell.span)?,
                    None => None,
                };
                let Some((next, _)) = next else {
                    let message = format!(
                        "the remainder of `{}` by {divisor} after some update is not known",
                        values.text(of)
                    );
                    return Err(Limit::new(LimitKind::Size, message));
                };
                let update = values.intern(Expanded::Update(of, term), cell.span)?;
                let then = values.intern(Expanded::Update(cell.name, next), cell.span)?;
                let both = values.intern(Expanded::Implies(update, then), cell.span)?;
                clauses.push(cell.meaning(both));
            }
        }
        Ok(self.cells.iter().map(|(_, _, cell)| cell.name).collect())
    }
}

/// The dividend and the divisor of `/` or `%`, if the first is an integer over names of which one has the sort `Int`, and
/// the other a number that is not 0.
pub(super) fn quotient(
    values: &ExpandedValues,
    declarations: &Declarations,
    id: ExpandedId,
) -> Option<(ExpandedId, i64)> {
    let Expanded::Operation(Operator::Div | Operator::Mod, a, b) = *values.get(id) else { return None };
    let Expanded::Int(divisor) = *values.get(b) else { return None };
    let mut has_int = false;
    for part in values.reachable([a]) {
        match values.get(part) {
            Expanded::Name(name) => {
                let declared = &declarations.all[*declarations.by_name.get(name)?];
                if !is_integer(declared) {
                    return None;
                }
                has_int |= declared.sort == Some(Sort::Int);
            }
            Expanded::Real(_) => return None,
            _ => {}
        }
    }
    (has_int && divisor != 0).then_some((a, divisor))
}

/// Makes ranges of bounded inputs of sort `Int` whose remainders are asked for: only those of ranges are computed.
pub(super) fn give_ranges(
    values: &ExpandedValues,
    reachable: &[ExpandedId],
    declarations: &mut Declarations,
) {
    let is_remainder = |&&id: &&ExpandedId| match values.get(id) {
        Expanded::Operation(Operator::Mod, ..) => quotient(values, declarations, id).is_some(),
        _ => matches!(function(values, declarations, id), Some(Function::Mod)),
    };
    let divided = reachable.iter().filter(is_remainder).filter_map(|&id| match values.get(id) {
        Expanded::Operation(_, dividend, _) => Some(*dividend),
        Expanded::Apply(_, arguments) => arguments.first().copied(),
        _ => None,
    });
    let divided: Vec<ExpandedId> = divided.collect();
    for id in values.reachable(divided) {
        let Expanded::Name(name) = values.get(id) else { continue };
        let Some(&at) = declarations.by_name.get(name) else { continue };
        let declared = &mut declarations.all[at];
        let (Some(low), Some(high)) = declared.bounds else { continue };
        if let (DeclarationKind::Input, Some(Sort::Int), &Expanded::Int(low), &Expanded::Int(high)) =
            (declared.kind, &declared.sort, values.get(low), values.get(high))
            && high
                .checked_sub(low)
                .and_then(|width| usize::try_from(width).ok())
                .is_some_and(|w| w < FINITE_VALUES)
        {
            declared.sort = Some(Sort::Range(low, high));
            declared.bounds = (None, None);
        }
    }
}

/// The terms that are sums of cells with remainders and of inputs with ranges, perhaps by cases.
fn can_follow(
    values: &ExpandedValues,
    reachable: &[ExpandedId],
    declarations: &Declarations,
    followed: &FxHashMap<NameId, i64>,
) -> FxHashSet<ExpandedId> {
    let mut good: FxHashSet<ExpandedId> = FxHashSet::default();
    for &id in reachable {
        let is_good = match values.get(id) {
            Expanded::Int(_) => true,
            Expanded::Name(name) => {
                let declared = declarations.by_name.get(name).map(|&at| &declarations.all[at]);
                let is_input = |d: &Declared| {
                    d.kind == DeclarationKind::Input && matches!(d.sort, Some(Sort::Range(..)))
                };
                followed.contains_key(name) || declared.is_some_and(is_input)
            }
            Expanded::Operation(Operator::Add | Operator::Sub, a, b) => good.contains(a) && good.contains(b),
            Expanded::Operation(Operator::Mul, a, b) => {
                let is_number =
                    |id: ExpandedId| WholeSum::new(values, id).is_some_and(|sum| sum.factors.is_empty());
                good.contains(a) && good.contains(b) && (is_number(*a) || is_number(*b))
            }
            Expanded::Operation(Operator::Mod, a, b) => {
                good.contains(a) && matches!(values.get(*b), Expanded::Int(_))
            }
            Expanded::Apply(_, arguments) => match function(values, declarations, id) {
                Some(Function::Abs | Function::Min | Function::Max | Function::Mod) => {
                    arguments.iter().all(|argument| good.contains(argument))
                }
                Some(Function::Ite) => arguments[1..].iter().all(|argument| good.contains(argument)),
                Some(Function::Div) | None => false,
            },
            _ => false,
        };
        if is_good {
            good.insert(id);
        }
    }
    good
}

/// Reports divisions by 0, and notes `mod` and `div` that are not computed.
pub(super) fn report(
    values: &ExpandedValues,
    clauses: &[RawClause],
    declarations: &Declarations,
    diagnostics: &mut Diagnostics,
) {
    for id in values.reachable(clauses.iter().map(|clause| clause.formula)) {
        let (Some(found @ (Function::Mod | Function::Div)), Expanded::Apply(_, arguments)) =
            (function(values, declarations, id), values.get(id))
        else {
            continue;
        };
        let is_declared = |part: ExpandedId| match values.get(part) {
            Expanded::Name(name) => {
                declarations.by_name.get(name).is_some_and(|&at| is_integer(&declarations.all[at]))
            }
            _ => true,
        };
        if !values.reachable([arguments[0]]).into_iter().all(is_declared) {
            continue;
        }
        let note = |message: &str, hint: &str| {
            Diagnostic::note(Code::UNINTERPRETED_ARITHMETIC, message)
                .at(values.span(id), "left to the environment")
                .hint(hint)
        };
        diagnostics.push(match (values.get(arguments[1]), found) {
            (Expanded::Int(0), _) => Diagnostic::error(Code::DIVISION_BY_ZERO, "division by zero")
                .at(values.span(id), "the divisor is 0"),
            (Expanded::Int(_), Function::Div) => note(
                "this quotient is not computed",
                "a quotient of integers is computed where it is compared with a sum of numbers, not where a cell takes it or \
                 two quotients are compared: `div x 4 > y + 1`",
            ),
            (Expanded::Int(_), _) => note(
                "this remainder is not computed",
                "remainders are computed of inputs and cells with bounds, `x: Int in 0..90`, and of cells of sort `Int` with a \
                 first value whose updates are sums of such",
            ),
            _ => note("the divisor is not a number", "`mod` and `div` are computed for constant divisors"),
        });
    }
}

/// A cell with values from 0 on that belongs to the meaning of an operator.
#[derive(Clone, Copy, Debug)]
struct HiddenCell {
    name: NameId,
    first: i64,
    last: i64,
    overflow: Overflow,
    span: Span,
}

impl HiddenCell {
    fn declare(self, values: &mut ExpandedValues, declarations: &mut Declarations) -> Result<(), Limit> {
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

    fn number(self, values: &mut ExpandedValues, value: i64) -> Folded {
        values.intern(Expanded::Int(value), self.span)
    }

    fn value(self, values: &mut ExpandedValues) -> Folded {
        values.intern(Expanded::Name(self.name), self.span)
    }

    /// That a formula about the cell holds in every step.
    fn meaning(self, formula: ExpandedId) -> RawClause {
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
