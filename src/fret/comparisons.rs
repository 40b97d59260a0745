//! Comparisons of sums as formulas.

use crate::logic::{Formula, Logic, ago, and, constant, not};
use crate::numbers::{Comparison, Form, Relation, Symbols, form};
use std::rc::Rc;
use tsl_synth_core::base::Rational;
use tsl_synth_core::logic::Sum;

/// The comparison as it holds for integers, if `integer`: `<` becomes `<=`, bounds become integers.
pub(crate) fn tightened(one: &Comparison, integer: bool) -> Formula {
    let bound = one.bound;
    let tight =
        |relation, bound| Rc::new(Logic::Comparison(Comparison { form: one.form.clone(), relation, bound }));
    if !integer {
        return tight(one.relation, bound);
    }
    match one.relation {
        Relation::Equal if bound.is_integer() => tight(Relation::Equal, bound),
        Relation::Equal => constant(false),
        Relation::AtMost => tight(Relation::AtMost, bound.floor()),
        Relation::Below => match bound.ceiling().minus(Rational::ONE) {
            Some(below) => tight(Relation::AtMost, below),
            None => tight(Relation::Below, bound),
        },
    }
}

/// `form = bound` by the two other relations.
pub(crate) fn equal(form: &Form, bound: Rational, integer: bool) -> Formula {
    let one = |relation| tightened(&Comparison { form: form.clone(), relation, bound }, integer);
    and([one(Relation::AtMost), not(&one(Relation::Below))])
}

/// `sum < 0`, `sum <= 0` or `sum = 0` as a formula. If all its symbols are of earlier steps, it is a comparison of the last
/// of them: `pre x < 5` is `Y (x < 5)`. `None` if a number is too large.
pub(crate) fn compared(symbols: &mut Symbols, sum: &Sum, relation: Relation) -> Option<Formula> {
    if let Some(value) = sum.value() {
        return Some(constant(match relation {
            Relation::Below => value.is_negative(),
            Relation::AtMost => !value.is_positive(),
            Relation::Equal => value.is_zero(),
        }));
    }
    let steps = symbols.latest(sum);
    let sum = symbols.shifted(sum, -i64::from(steps))?;
    let (form, scale) = form(&sum)?;
    let bound = sum.offset().times(scale)?.negated();
    let integer = symbols.is_integer(&sum);
    let made = |relation| tightened(&Comparison { form: form.clone(), relation, bound }, integer);
    let formula = match (relation, scale.is_negative()) {
        (Relation::Equal, _) => made(Relation::Equal),
        (relation, false) => made(relation),
        // A negative factor turns the relation round.
        (Relation::Below, true) => not(&made(Relation::AtMost)),
        (Relation::AtMost, true) => not(&made(Relation::Below)),
    };
    // A value of an earlier step is asked for only where there was one.
    let negated = matches!(&*formula, Logic::Not(_));
    Some(if negated { not(&ago(not(&formula), steps)) } else { ago(formula, steps) })
}
