//! Bounded integers with few values are treated as signals of finite ranges, which the engines follow exactly, if the
//! specification has a remainder, quotient or product of them that is not computed for unbounded integers:
//! `cell x: Int in 0..20` becomes `cell x: 0..20`. For terms that are still not computed, facts that always hold are added.

use super::declare::{Declarations, Declared};
use super::finite::FINITE_VALUES;
use super::lower::RawClause;
use super::number_functions::{Function, function};
use super::remainders::WholeSum;
use super::signature::{Operator, Overflow, Sort};
use super::value::{Expanded, ExpandedId, ExpandedValues, NameId};
use crate::syntax::ast::DeclarationKind;
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::Limit;
use tsl_synth_core::model::Role;

/// The bounds of a signal of sort `Int` with at most [`FINITE_VALUES`] values.
fn small_bounds(values: &ExpandedValues, declared: &Declared) -> Option<(i64, i64)> {
    let is_signal = matches!(declared.kind, DeclarationKind::Input | DeclarationKind::Cell);
    if !is_signal || declared.sort != Some(Sort::Int) || declared.overflow != Overflow::Unavailable {
        return None;
    }
    let (Some(low), Some(high)) = declared.bounds else { return None };
    let (&Expanded::Int(low), &Expanded::Int(high)) = (values.get(low), values.get(high)) else {
        return None;
    };
    let count = i128::from(high) - i128::from(low) + 1;
    (count > 0 && count <= FINITE_VALUES as i128).then_some((low, high))
}

/// Whether a name is a declared number, and whether it has the sort `Int` or `Real`.
fn number(declarations: &Declarations, name: NameId) -> (bool, bool) {
    let declared = declarations.by_name.get(&name).map(|&at| &declarations.all[at]);
    let signal = declared.filter(|d| matches!(d.kind, DeclarationKind::Input | DeclarationKind::Cell));
    let sort = signal.and_then(|d| d.sort.as_ref());
    let is_large = matches!(sort, Some(Sort::Int | Sort::Real));
    (is_large || matches!(sort, Some(Sort::Range(..))), is_large)
}

/// The names in a value.
fn names(values: &ExpandedValues, id: ExpandedId) -> Vec<NameId> {
    let name = |id| if let Expanded::Name(name) = values.get(id) { Some(*name) } else { None };
    values.reachable([id]).into_iter().filter_map(name).collect()
}

/// Whether a term over declared numbers is one that stays open: it is no sum with constant factors.
fn is_open(values: &ExpandedValues, declarations: &Declarations, id: ExpandedId) -> bool {
    let is_candidate = match *values.get(id) {
        Expanded::Apply(..) => function(values, declarations, id).is_some(),
        Expanded::Operation(Operator::Mul, a, b) => {
            !names(values, a).is_empty() && !names(values, b).is_empty()
        }
        Expanded::Operation(Operator::Mod, ..) => true,
        Expanded::Operation(Operator::Div, a, b) => {
            let is_real = |name: NameId| {
                let declared = declarations.by_name.get(&name).map(|&at| &declarations.all[at]);
                declared.is_some_and(|declared| declared.sort == Some(Sort::Real))
            };
            !names(values, b).is_empty() || !names(values, a).into_iter().any(is_real)
        }
        _ => false,
    };
    let of = |name| number(declarations, name);
    let read = || names(values, id).into_iter().map(of);
    is_candidate && read().all(|(is_number, _)| is_number) && read().any(|(_, is_large)| is_large)
}

/// The terms over declared numbers in some clauses that are not computed.
pub(super) fn open_terms(
    values: &ExpandedValues,
    clauses: &[RawClause],
    declarations: &Declarations,
) -> Vec<ExpandedId> {
    let reachable = values.reachable(clauses.iter().map(|clause| clause.formula));
    reachable.into_iter().filter(|&id| is_open(values, declarations, id)).collect()
}

/// The names whose remainders are asked for.
pub(super) fn remaindered(
    values: &ExpandedValues,
    clauses: &[RawClause],
    declarations: &Declarations,
) -> Vec<ExpandedId> {
    let is_remainder = |&id: &ExpandedId| match values.get(id) {
        Expanded::Apply(..) => function(values, declarations, id) == Some(Function::Mod),
        Expanded::Operation(operator, ..) => *operator == Operator::Mod,
        _ => false,
    };
    open_terms(values, clauses, declarations).into_iter().filter(is_remainder).collect()
}

/// The numbers that are compared with each other, or taken by each other, as groups.
struct Groups {
    /// The group of each name that was seen.
    of: FxHashMap<NameId, usize>,
    /// The groups that were joined into another one.
    joined: Vec<usize>,
    /// Groups with a member that has too many values, or is taken by a function of the specification.
    large: FxHashSet<usize>,
}

impl Groups {
    fn new(values: &ExpandedValues, clauses: &[RawClause], declarations: &Declarations) -> Self {
        let mut groups = Self { of: FxHashMap::default(), joined: Vec::new(), large: FxHashSet::default() };
        for id in values.reachable(clauses.iter().map(|clause| clause.formula)) {
            let (mut members, mut is_large) = (Vec::new(), false);
            match values.get(id) {
                Expanded::Operation(..) => members = names(values, id),
                Expanded::Update(cell, term) => {
                    members = names(values, *term);
                    members.push(*cell);
                }
                Expanded::Apply(..) => {
                    is_large = function(values, declarations, id).is_none();
                    members = names(values, id);
                }
                _ => {}
            }
            members.retain(|&name| number(declarations, name).1);
            let Some(&first) = members.first() else { continue };
            let first = groups.group(first);
            for name in members {
                let other = groups.group(name);
                let first = groups.root(first);
                groups.joined[other] = first;
                let declared = &declarations.all[declarations.by_name[&name]];
                if is_large || small_bounds(values, declared).is_none() {
                    groups.large.insert(first);
                }
            }
        }
        let large = groups.large.iter().map(|&group| groups.root(group)).collect();
        groups.large = large;
        groups
    }

    fn root(&self, mut group: usize) -> usize {
        while self.joined[group] != group {
            group = self.joined[group];
        }
        group
    }

    fn group(&mut self, name: NameId) -> usize {
        let count = self.joined.len();
        let group = *self.of.entry(name).or_insert(count);
        if group == count {
            self.joined.push(count);
        }
        self.root(group)
    }
}

/// Makes ranges of the bounded integers that are compared with those in the given terms or take their values, where all of
/// them have at most [`FINITE_VALUES`] values, and together no more than `most`. Returns whether there are any. Linear in
/// the size of the clauses for each of them.
pub(super) fn give_ranges(
    values: &ExpandedValues,
    clauses: &[RawClause],
    declarations: &mut Declarations,
    terms: &[ExpandedId],
    most: u128,
) -> bool {
    if terms.is_empty() {
        return false;
    }
    let groups = Groups::new(values, clauses, declarations);
    let asked: FxHashSet<usize> = terms
        .iter()
        .flat_map(|&term| names(values, term))
        .filter_map(|name| groups.of.get(&name))
        .map(|&group| groups.root(group))
        .filter(|group| !groups.large.contains(group))
        .collect();
    let mut is_any = false;
    for group in asked {
        let members: Vec<(usize, (i64, i64))> = groups
            .of
            .iter()
            .filter(|(_, own)| groups.root(**own) == group)
            .filter_map(|(name, _)| {
                let at = *declarations.by_name.get(name)?;
                Some((at, small_bounds(values, &declarations.all[at])?))
            })
            .collect();
        let count = |(low, high): (i64, i64)| (i128::from(high) - i128::from(low) + 1).unsigned_abs();
        let cells = members.iter().filter(|(at, _)| declarations.all[*at].kind == DeclarationKind::Cell);
        if cells.map(|(_, bounds)| count(*bounds)).fold(1, u128::saturating_mul) > most {
            continue;
        }
        for (at, (low, high)) in members {
            let declared = &mut declarations.all[at];
            declared.sort = Some(Sort::Range(low, high));
            declared.bounds = (None, None);
            is_any = true;
        }
    }
    is_any
}

/// Adds what holds of remainders that are not computed, whatever the numbers are: `0 <= mod x n < |n|`, `|x % n| < |n|`, and
/// the values of remainders and quotients in the first step, where all cells in them have a first value.
///
/// # Errors
/// The budget of values is spent.
pub(super) fn add_facts(
    values: &mut ExpandedValues,
    clauses: &mut Vec<RawClause>,
    declarations: &Declarations,
    open: &[ExpandedId],
) -> Result<(), Limit> {
    for &id in open {
        let (dividend, divisor, found) = match *values.get(id) {
            Expanded::Operation(Operator::Mod, a, b) => (a, b, None),
            Expanded::Apply(_, ref arguments) => match (function(values, declarations, id), &**arguments) {
                (found @ Some(Function::Mod | Function::Div), &[a, b]) => (a, b, found),
                _ => continue,
            },
            _ => continue,
        };
        let &Expanded::Int(by) = values.get(divisor) else { continue };
        let Some(last) = by.checked_abs().and_then(|size| size.checked_sub(1)).filter(|_| by != 0) else {
            continue;
        };
        let is_integer = |name| {
            let declared = declarations.by_name.get(&name).map(|&at| &declarations.all[at]);
            declared.is_some_and(super::remainders::is_integer)
        };
        if !names(values, dividend).into_iter().all(is_integer) {
            continue;
        }
        let span = values.span(id);
        let first = first_value(values, declarations, dividend);
        let mut facts = Vec::new();
        if found != Some(Function::Div) {
            let low = if found.is_some() { 0 } else { -last };
            let (low, high) =
                (values.intern(Expanded::Int(low), span)?, values.intern(Expanded::Int(last), span)?);
            for (a, b) in [(low, id), (id, high)] {
                let outside = values.intern(Expanded::Operation(Operator::Greater, a, b), span)?;
                facts.push((true, values.intern(Expanded::Not(outside), span)?));
            }
        }
        let value = first.and_then(|first| match found {
            Some(Function::Div) => first.checked_div_euclid(by),
            Some(_) => first.checked_rem_euclid(by),
            None => first.checked_rem(by),
        });
        if let Some(value) = value {
            let value = values.intern(Expanded::Int(value), span)?;
            facts.push((false, values.intern(Expanded::Operation(Operator::Equal, id, value), span)?));
        }
        clauses.extend(facts.into_iter().map(|(always, formula)| RawClause {
            role: Role::Fact,
            always,
            after: 0,
            is_bare: false,
            is_meaning: true,
            formula,
            span,
        }));
    }
    Ok(())
}

/// The value of a sum in the first step, if all its names are cells with a first value.
fn first_value(values: &ExpandedValues, declarations: &Declarations, sum: ExpandedId) -> Option<i64> {
    let value = |name: NameId| {
        let declared = &declarations.all[*declarations.by_name.get(&name)?];
        let (initial, _) = declared.initial.filter(|_| declared.kind == DeclarationKind::Cell)?;
        if let Expanded::Int(value) = values.get(initial) { Some(*value) } else { None }
    };
    WholeSum::new(values, sum)?.value(value)
}
