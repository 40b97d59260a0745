//! `abs`, `min`, `max` and `ite` over declared numbers: comparisons and updates of such terms become case distinctions
//! over linear terms.

use super::chosen::with_operands;
use super::declare::Declarations;
use super::lower::RawClause;
use super::signature::{Operator, Sort};
use super::value::{Expanded, ExpandedId, ExpandedValues};
use crate::syntax::ast::DeclarationKind;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Limit, LimitKind};
use tsl_synth_core::source::Span;

/// The most cases of a term.
const CASES: usize = 64;

/// The cases of a term: a condition, a formula, and the value under it. Exactly one condition holds.
type Cases = Vec<(Option<ExpandedId>, ExpandedId)>;

/// Replaces comparisons and updates of piecewise linear terms in all clauses by case distinctions. A term is left as it
/// is if it has a name that is not declared as a number, or applies a declared function. Linear in the number of cases.
///
/// # Errors
/// A term has too many cases, or the budget of values is spent.
pub(super) fn rewrite_clauses(
    values: &mut ExpandedValues,
    clauses: &mut [RawClause],
    declarations: &Declarations,
) -> Result<(), Limit> {
    let roots: Vec<ExpandedId> = clauses.iter().map(|clause| clause.formula).collect();
    let reachable = values.reachable(roots.iter().copied());
    let is_piecewise = |&id: &ExpandedId| function(values, declarations, id).is_some();
    if !reachable.iter().any(is_piecewise) {
        return Ok(());
    }
    let mut rewriter =
        Rewriter { values, declarations, made: FxHashMap::default(), terms: FxHashMap::default() };
    for id in reachable {
        rewriter.add(id)?;
    }
    for clause in clauses {
        clause.formula = rewriter.made[&clause.formula];
    }
    Ok(())
}

/// The functions that are understood.
#[derive(Clone, Copy)]
enum Function {
    Abs,
    Min,
    Max,
    Ite,
}

/// The function of a value if it is an application of one that is understood and not declared.
fn function(values: &ExpandedValues, declarations: &Declarations, id: ExpandedId) -> Option<Function> {
    let Expanded::Apply(name, arguments) = values.get(id) else { return None };
    if declarations.by_name.contains_key(name) {
        return None;
    }
    match (&**values.text(*name), arguments.len()) {
        ("abs", 1) => Some(Function::Abs),
        ("min", 2) => Some(Function::Min),
        ("max", 2) => Some(Function::Max),
        ("ite", 3) => Some(Function::Ite),
        _ => None,
    }
}

struct Rewriter<'a> {
    values: &'a mut ExpandedValues,
    declarations: &'a Declarations,
    /// The image of each value as a formula, or as a term that stays.
    made: FxHashMap<ExpandedId, ExpandedId>,
    /// The cases of each term over declared numbers.
    terms: FxHashMap<ExpandedId, Cases>,
}

impl Rewriter<'_> {
    fn add(&mut self, id: ExpandedId) -> Result<(), Limit> {
        let span = self.values.span(id);
        if let Some(cases) = self.cases(id, span)? {
            if cases.len() > CASES {
                let what = format!("a term with `abs`, `min`, `max` or `ite` has more than {CASES} cases");
                return Err(Limit::new(LimitKind::Size, what));
            }
            self.terms.insert(id, cases);
            self.made.insert(id, id);
            return Ok(());
        }
        let value = self.values.get(id).clone();
        let image = match value {
            Expanded::Operation(operator @ (Operator::Equal | Operator::Greater), a, b) => {
                let (Some(left), Some(right)) = (self.terms.get(&a).cloned(), self.terms.get(&b).cloned())
                else {
                    self.made.insert(id, id);
                    return Ok(());
                };
                let mut all = Vec::new();
                for (first, a) in &left {
                    for (second, b) in &right {
                        let holds = self.values.intern(Expanded::Operation(operator, *a, *b), span)?;
                        all.push(self.both([*first, *second, Some(holds)], span)?);
                    }
                }
                self.either(all, span)?
            }
            Expanded::Update(cell, term) => {
                let Some(cases) = self.terms.get(&term).cloned() else {
                    self.made.insert(id, id);
                    return Ok(());
                };
                let mut all = Vec::new();
                for (condition, value) in cases {
                    let update = self.values.intern(Expanded::Update(cell, value), span)?;
                    all.push(self.both([condition, Some(update), None], span)?);
                }
                self.either(all, span)?
            }
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

    /// The cases of a term over declared numbers; `None` for other values.
    fn cases(&mut self, id: ExpandedId, span: Span) -> Result<Option<Cases>, Limit> {
        let value = self.values.get(id).clone();
        Ok(match value {
            Expanded::Int(_) | Expanded::Real(_) => Some(vec![(None, id)]),
            Expanded::Name(name) => {
                let declared = self.declarations.by_name.get(&name).map(|&at| &self.declarations.all[at]);
                let is_number = declared.is_some_and(|declared| {
                    matches!(declared.kind, DeclarationKind::Input | DeclarationKind::Cell)
                        && matches!(declared.sort, Some(Sort::Int | Sort::Real | Sort::Range(..)))
                });
                is_number.then(|| vec![(None, id)])
            }
            Expanded::Operation(operator, a, b)
                if !matches!(operator, Operator::Equal | Operator::Greater) =>
            {
                let (Some(left), Some(right)) = (self.terms.get(&a).cloned(), self.terms.get(&b).cloned())
                else {
                    return Ok(None);
                };
                let mut all = Vec::new();
                for (first, a) in &left {
                    for (second, b) in &right {
                        let value = self.values.intern(Expanded::Operation(operator, *a, *b), span)?;
                        all.push((self.conjunction([*first, *second, None], span)?, value));
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

    fn applied(
        &mut self,
        function: Function,
        arguments: &[ExpandedId],
        span: Span,
    ) -> Result<Option<Cases>, Limit> {
        let mut all = Vec::new();
        match (function, arguments) {
            (Function::Abs, [inner]) => {
                let Some(cases) = self.terms.get(inner).cloned() else { return Ok(None) };
                let zero = self.values.intern(Expanded::Int(0), span)?;
                for (condition, value) in cases {
                    let below =
                        self.values.intern(Expanded::Operation(Operator::Greater, zero, value), span)?;
                    let minus = self.values.intern(Expanded::Operation(Operator::Sub, zero, value), span)?;
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
                        let above =
                            self.values.intern(Expanded::Operation(Operator::Greater, *a, *b), span)?;
                        let pair = if matches!(function, Function::Max) { (*a, *b) } else { (*b, *a) };
                        self.split(&mut all, [*first, *second], above, pair, span)?;
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
        (yes, no): (ExpandedId, ExpandedId),
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
