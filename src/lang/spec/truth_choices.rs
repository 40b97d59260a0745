//! `ite` between truth values: formulas and updates of such terms become case distinctions. `[b <- ite c p q]` is
//! `c && [b <- p] || !c && [b <- q]`.

use super::chosen::with_operands;
use super::declare::Declarations;
use super::lower::RawClause;
use super::number_functions::{Function, function};
use super::signature::{Operator, Sort};
use super::value::{Expanded, ExpandedId, ExpandedValues};
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::{Limit, LimitKind};

/// The most values of a term.
const VALUES: usize = 64;

/// Replaces `ite` between truth values in all clauses. A term is left as it is if none of its values is a literal or
/// declared as Boolean, or one is something else than that.
///
/// # Errors
/// The budget of values is spent.
pub(super) fn rewrite_clauses(
    values: &mut ExpandedValues,
    clauses: &mut [RawClause],
    declarations: &Declarations,
) -> Result<(), Limit> {
    let roots: Vec<ExpandedId> = clauses.iter().map(|clause| clause.formula).collect();
    let reachable = values.reachable(roots);
    let mut choices: FxHashSet<ExpandedId> = FxHashSet::default();
    for &id in &reachable {
        if is_choice(values, declarations, id)? {
            choices.insert(id);
        }
    }
    if choices.is_empty() {
        return Ok(());
    }
    let mut made: FxHashMap<ExpandedId, ExpandedId> = FxHashMap::default();
    // Operands come before the values made of them.
    for id in reachable {
        let image = match values.get(id).clone() {
            Expanded::Update(cell, term) if choices.contains(&term) => {
                chosen(values, &choices, &made, term, &|values, leaf| {
                    values.intern(Expanded::Update(cell, leaf), values.span(id))
                })?
            }
            Expanded::Apply(..) if choices.contains(&id) => {
                chosen(values, &choices, &made, id, &|_, leaf| Ok(leaf))?
            }
            // The condition of another choice.
            Expanded::Apply(name, arguments)
                if function(values, declarations, id) == Some(Function::Ite)
                    && made[&arguments[0]] != arguments[0] =>
            {
                let mut arguments = arguments;
                arguments[0] = made[&arguments[0]];
                values.intern(Expanded::Apply(name, arguments), values.span(id))?
            }
            Expanded::Update(cell, term) if made[&term] != term => {
                values.intern(Expanded::Update(cell, made[&term]), values.span(id))?
            }
            Expanded::Operation(Operator::Equal, a, b) if choices.contains(&a) || choices.contains(&b) => {
                values.intern(Expanded::Iff(made[&a], made[&b]), values.span(id))?
            }
            Expanded::Operation(operator, a, b) if made[&a] != a || made[&b] != b => {
                values.intern(Expanded::Operation(operator, made[&a], made[&b]), values.span(id))?
            }
            value
                if value.is_boolean_operator() || value.is_future_operator() || value.is_past_operator() =>
            {
                values.intern(with_operands(&value, |operand| made[&operand]), values.span(id))?
            }
            _ => id,
        };
        made.insert(id, image);
    }
    for clause in clauses.iter_mut() {
        clause.formula = made[&clause.formula];
    }
    Ok(())
}

/// Whether a value is an `ite` whose branches are Boolean.
fn is_choice(values: &ExpandedValues, declarations: &Declarations, id: ExpandedId) -> Result<bool, Limit> {
    if !matches!(values.get(id), Expanded::Apply(..)) {
        return Ok(false);
    }
    let (mut todo, mut count, mut is_known) = (vec![id], 0, false);
    while let Some(id) = todo.pop() {
        match values.get(id) {
            Expanded::Apply(_, arguments) if function(values, declarations, id) == Some(Function::Ite) => {
                todo.extend(&arguments[1..]);
            }
            Expanded::Bool(_) => is_known = true,
            Expanded::Name(name) => {
                let declared = declarations.by_name.get(name).map(|&at| &declarations.all[at]);
                if declared.is_none_or(|declared| declared.sort != Some(Sort::Bool)) {
                    return Ok(false);
                }
                is_known = true;
            }
            _ => return Ok(false),
        }
        count += 1;
        if count > 2 * VALUES {
            return Err(Limit::new(LimitKind::Size, format!("an `ite` has more than {VALUES} values")));
        }
    }
    Ok(is_known)
}

/// The case distinction of a choice, with an image of each value.
fn chosen(
    values: &mut ExpandedValues,
    choices: &FxHashSet<ExpandedId>,
    made: &FxHashMap<ExpandedId, ExpandedId>,
    id: ExpandedId,
    leaf: &dyn Fn(&mut ExpandedValues, ExpandedId) -> Result<ExpandedId, Limit>,
) -> Result<ExpandedId, Limit> {
    let (true, Expanded::Apply(_, arguments)) = (choices.contains(&id), values.get(id).clone()) else {
        return leaf(values, id);
    };
    let [condition, yes, no] = arguments[..] else { return leaf(values, id) };
    let span = values.span(id);
    let condition = made[&condition];
    let otherwise = values.intern(Expanded::Not(condition), span)?;
    let yes = chosen(values, choices, made, yes, leaf)?;
    let no = chosen(values, choices, made, no, leaf)?;
    let yes = values.intern(Expanded::And([condition, yes].into()), span)?;
    let no = values.intern(Expanded::And([otherwise, no].into()), span)?;
    values.intern(Expanded::Or([yes, no].into()), span)
}
