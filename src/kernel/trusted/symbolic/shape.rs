//! Conjuncts that need no tableau, only a different search: `G b` and `GF b` constrain the moves and the fairness,
//! `FG b` the moves of the cycle, and a negated response `F(a ∧ G b)` also the move by which the play enters its last
//! part. Without claims the states of the product are those of the circuit, which is what makes fairness over many
//! inputs cheap.

use super::claims::{claims, temporal};
use super::diagrams::Bdd;
use super::model::CircuitModel;
use super::question::PlayQuestion;
use crate::trusted::normal::SignedFormula;
use tsl_synth_core::base::{IdVec, Limit};
use tsl_synth_core::logic::{BitId, Class, FormulaId, Node};

/// The conditions of some conjuncts on the letters of a play.
pub(crate) struct LetterConditions {
    /// Holds in every step.
    pub(crate) always: Bdd,
    /// Each holds infinitely often.
    pub(crate) fairness: Vec<Bdd>,
    /// Holds in some step, from which on `stable` holds.
    pub(crate) entry: Bdd,
    /// Holds from some step on.
    pub(crate) stable: Bdd,
}

/// The kind of conjuncts that `entry` and `stable` represent: only one kind at a time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Eventual {
    Free,
    /// `FG b`, any number.
    Stable,
    /// One `F(a ∧ G b)`.
    Entry,
}

/// Takes the conjuncts that have a shape; returns the others.
pub(crate) fn shape(
    question: &PlayQuestion<'_>,
    model: &CircuitModel<'_>,
    bits: &IdVec<BitId, Bdd>,
) -> Result<(LetterConditions, Vec<SignedFormula>), Limit> {
    let d = &model.diagrams;
    let top = || d.top.clone();
    let mut shape = LetterConditions { always: top(), fairness: Vec::new(), entry: top(), stable: top() };
    let (mut rest, mut eventual) = (Vec::new(), Eventual::Free);
    let context = (question.formulas, question.alphabet);
    let set = |f: FormulaId, value: bool| -> Result<Bdd, Limit> {
        debug_assert!(temporal(question.formulas, &[(f, value)]).is_empty());
        Ok(claims(model, context, bits, &[(f, value)], &[])?.start)
    };
    let is_boolean = |f: FormulaId| question.formulas.class(f).is(Class::BOOLEAN);
    for &(f, value) in question.conjuncts {
        // `always`: the conjunct is `G x` or `¬F x`; otherwise it is `F x` or `¬G x`.
        let (always, body) = match *question.formulas.node(f) {
            Node::Globally(g) => (value, g),
            Node::Finally(g) => (!value, g),
            _ => {
                rest.push((f, value));
                continue;
            }
        };
        let inner = match *question.formulas.node(body) {
            // G F b, ¬F G b
            Node::Finally(b) if value && is_boolean(b) => Some(b),
            Node::Globally(b) if !value && is_boolean(b) => Some(b),
            _ => None,
        };
        // F G b, ¬G F b
        let settled = match *question.formulas.node(body) {
            Node::Globally(b) if value && is_boolean(b) => Some(b),
            Node::Finally(b) if !value && is_boolean(b) => Some(b),
            _ => None,
        };
        if always && is_boolean(body) {
            shape.always = d.and(&shape.always, &set(body, value)?)?;
        } else if let Some(b) = inner.filter(|_| always) {
            shape.fairness.push(set(b, value)?);
        } else if let Some(b) = settled.filter(|_| !always && eventual != Eventual::Entry) {
            shape.stable = d.and(&shape.stable, &set(b, value)?)?;
            eventual = Eventual::Stable;
        } else if let Some((now, hence)) = response(question, body, value)
            && !always
            && eventual == Eventual::Free
        {
            for g in now {
                shape.entry = d.and(&shape.entry, &set(g, value)?)?;
            }
            if let Some(g) = hence {
                shape.stable = set(g, value)?;
            }
            eventual = Eventual::Entry;
        } else {
            rest.push((f, value));
        }
    }
    Ok((shape, rest))
}

/// For a negated `a ∨ F b` or an `a ∧ G b`: the operands without temporal operators, and the one operand b, if any.
fn response(
    question: &PlayQuestion<'_>,
    body: FormulaId,
    value: bool,
) -> Option<(Vec<FormulaId>, Option<FormulaId>)> {
    let formulas = question.formulas;
    let operands: Vec<FormulaId> = match formulas.node(body) {
        Node::Or(gs) if !value => gs.to_vec(),
        Node::And(gs) if value => gs.to_vec(),
        _ => vec![body],
    };
    let is_boolean = |f: FormulaId| formulas.class(f).is(Class::BOOLEAN);
    let (now, later): (Vec<FormulaId>, Vec<FormulaId>) = operands.into_iter().partition(|&f| is_boolean(f));
    match later[..] {
        [] => Some((now, None)),
        [f] => match *formulas.node(f) {
            Node::Finally(g) if !value && is_boolean(g) => Some((now, Some(g))),
            Node::Globally(g) if value && is_boolean(g) => Some((now, Some(g))),
            _ => None,
        },
        _ => None,
    }
}
