//! Formulas of a few well-known forms over two literals, for causes whose automaton returns to states that it
//! has left. A form is tried on the trace and on the nearest counterfactual first, and kept only if it is verified
//! to be equivalent to the cause by both inclusions.

use super::answer::input_atom;
use super::determinate::Determinate;
use super::inclusion::{Kept, inside, outside};
use super::spoilers::Spoilers;
use crate::automaton::ltl_to_buchi;
use crate::base::{Budget, Limit};
use crate::logic::{Alphabet, BitId, FormulaId, Formulas, Lasso, Meaning};

/// More inputs than this make too many pairs of literals.
const MOST_INPUTS: usize = 3;

/// A formula over these inputs that is equivalent to the cause; `broken` is a sequence outside it.
pub(super) fn templates(
    spoilers: &Spoilers,
    inputs: &[BitId],
    broken: &Lasso,
    alphabet: &Alphabet,
    formulas: &mut Formulas,
    most: usize,
    budget: &Budget,
) -> Option<FormulaId> {
    if inputs.len() > MOST_INPUTS {
        return None;
    }
    let mut literals = Vec::new();
    for &input in inputs {
        let atom = formulas.atom(input_atom(alphabet, input));
        literals.extend([atom, formulas.not(atom)]);
    }
    for &a in &literals {
        for &b in &literals {
            for f in forms(formulas, a, b) {
                let tried = Meaning::new(formulas, alphabet, &spoilers.actual).holds(f)
                    && !Meaning::new(formulas, alphabet, broken).holds(f);
                if tried && is_cause(spoilers, f, alphabet, formulas, most, budget).unwrap_or(false) {
                    return Some(f);
                }
            }
        }
    }
    None
}

/// `G (a | X b)`, `G (a | F b)`, `F (a & X b)`, `G F (a & X b)`, `F G (a | X b)`.
fn forms(formulas: &mut Formulas, a: FormulaId, b: FormulaId) -> [FormulaId; 5] {
    let (next, later) = (formulas.next(b), formulas.finally(b));
    let (or_next, or_later) = (formulas.or([a, next]), formulas.or([a, later]));
    let and_next = formulas.and([a, next]);
    let (always, once) = (formulas.globally(or_next), formulas.finally(and_next));
    let (response, again) = (formulas.globally(or_later), formulas.globally(once));
    let settled = formulas.finally(always);
    [always, response, once, again, settled]
}

fn is_cause(
    spoilers: &Spoilers,
    f: FormulaId,
    alphabet: &Alphabet,
    formulas: &mut Formulas,
    most: usize,
    budget: &Budget,
) -> Result<bool, Limit> {
    let not = formulas.not(f);
    let holds = ltl_to_buchi(formulas, alphabet, f, most, budget)?;
    if outside(spoilers, &holds, &Kept::nothing(), budget)?.is_some() {
        return Ok(false);
    }
    let fails = ltl_to_buchi(formulas, alphabet, not, most, budget)?;
    Ok(inside(spoilers, &mut Determinate::new(spoilers, most), &fails, budget)?.is_none())
}
