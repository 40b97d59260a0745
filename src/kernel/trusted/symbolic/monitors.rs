//! Boolean combinations of `F b` and `G b`, b without temporal operators, by monitors instead of claims: a monitor
//! stores whether b was true in some step so far, or in all. Its value changes at most once, so the combination holds
//! iff from some step on it holds of the values of the monitors. For images these are better than claims: the past
//! determines them.

use super::claims::claims;
use super::diagrams::Bdd;
use super::model::CircuitModel;
use crate::trusted::normal::SignedFormula;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{IdVec, Limit, Variable};
use tsl_synth_core::logic::{Alphabet, BitId, Class, FormulaId, Formulas, Node};

/// The monitors of some conjuncts.
pub(crate) struct Monitors {
    /// Constrains the values of the monitors in the first step.
    pub(crate) first: Bdd,
    /// Constrains the values in each later step, given those of the step before.
    pub(crate) relation: Bdd,
    /// The conjuncts hold of the values.
    pub(crate) stable: Bdd,
}

/// Whether a formula is such a combination.
pub(crate) fn is_monitored(formulas: &Formulas, f: FormulaId) -> bool {
    let mut stack = vec![f];
    while let Some(f) = stack.pop() {
        match formulas.node(f) {
            Node::Finally(b) | Node::Globally(b) if formulas.class(*b).is(Class::BOOLEAN) => {}
            node @ (Node::Not(_) | Node::And(_) | Node::Or(_) | Node::Iff(..)) => {
                node.for_each_operand(|g| stack.push(g));
            }
            _ => return false,
        }
    }
    true
}

/// Monitors of some conjuncts; `pairs` has the variables (now, before) of each of their temporal subformulas.
pub(crate) fn monitors(
    model: &CircuitModel<'_>,
    context: (&Formulas, &Alphabet),
    bits: &IdVec<BitId, Bdd>,
    conjuncts: &[SignedFormula],
    pairs: &[(Variable, Variable)],
) -> Result<Monitors, Limit> {
    let (d, formulas) = (&model.diagrams, context.0);
    let mut made = Monitors { first: d.top.clone(), relation: d.top.clone(), stable: d.top.clone() };
    let roots: Vec<FormulaId> = conjuncts.iter().map(|&(f, _)| f).collect();
    let mut values: FxHashMap<FormulaId, Bdd> = FxHashMap::default();
    let mut pairs = pairs.iter();
    for f in formulas.subformulas(&roots) {
        let value = match formulas.node(f) {
            node @ (Node::Finally(b) | Node::Globally(b)) => {
                let &(now, before) = pairs.next().expect("every operator has a pair of variables");
                let (now, before) = (d.variable(now), d.variable(before));
                let holds = claims(model, context, bits, &[(*b, true)], &[])?.start;
                let so_far = match node {
                    Node::Finally(_) => d.or(before, &holds)?,
                    _ => d.and(before, &holds)?,
                };
                made.first = d.and(&made.first, &d.iff(now, &holds)?)?;
                made.relation = d.and(&made.relation, &d.iff(now, &so_far)?)?;
                now.clone()
            }
            // Subformulas below F and G have no value here.
            Node::Not(g) if values.contains_key(g) => d.not(&values[g])?,
            Node::And(gs) if gs.iter().all(|g| values.contains_key(g)) => {
                gs.iter().try_fold(d.top.clone(), |sum, g| d.and(&sum, &values[g]))?
            }
            Node::Or(gs) if gs.iter().all(|g| values.contains_key(g)) => {
                gs.iter().try_fold(d.bottom.clone(), |sum, g| d.or(&sum, &values[g]))?
            }
            Node::Iff(a, b) if values.contains_key(a) && values.contains_key(b) => {
                d.iff(&values[a], &values[b])?
            }
            _ => continue,
        };
        values.insert(f, value);
    }
    for (f, value) in conjuncts {
        let holds = if *value { values[f].clone() } else { d.not(&values[f])? };
        made.stable = d.and(&made.stable, &holds)?;
    }
    Ok(made)
}
