//! Strict implications: a restriction `θ → (ψ W ¬e)` whose premises θ and G e are assumptions and include all safety
//! assumptions (the `Strict` semantics of TLSF; Bloem, Jobstmann, Piterman, Pnueli and Sa'ar, JCSS 2012, Section 3).
//!
//! Such a restriction is violated when ψ is, unless an assumption is violated in the same step or before. The modes of
//! the game already record violated assumptions, so an automaton for G ψ suffices: a *promise*, which is checked after
//! the assumptions. An automaton for each restriction would detect violated assumptions again. All violations in a step
//! must be detected at the same time, so promises and assumptions that look less far ahead are evaluated with a delay.

use std::collections::BTreeSet;
use tsl_synth_core::logic::{Class, FormulaId, Formulas, Node, Normalizer};
use tsl_synth_core::model::Contract;

/// The restrictions of a contract, of which some are replaced by promises.
#[derive(Debug)]
pub(super) struct Strict {
    /// The other restrictions.
    pub(super) restrictions: Vec<FormulaId>,
    /// What the system must satisfy as long as no assumption is violated, in the form G g where g has no temporal
    /// operator but X.
    pub(super) promises: Vec<FormulaId>,
    /// The most steps that a promise or a safety assumption of the form G g looks ahead.
    pub(super) lag: u32,
}

/// The strict implications of a contract, if there are any.
pub(super) fn strict(
    formulas: &mut Formulas,
    normalizer: &mut Normalizer,
    contract: &Contract,
) -> Option<Strict> {
    let mut assumed: BTreeSet<FormulaId> = BTreeSet::new();
    for &f in &contract.assumptions {
        assumed.extend(conjuncts(formulas, normalizer, f, false));
    }
    let safety: BTreeSet<FormulaId> =
        assumed.iter().copied().filter(|&f| formulas.class(f).is(Class::SAFETY)).collect();
    let mut found = Strict { restrictions: Vec::new(), promises: Vec::new(), lag: 0 };
    for &f in &contract.restrictions {
        match promises(formulas, normalizer, f, &assumed, &safety) {
            Some(promises) => found.promises.extend(promises),
            None => found.restrictions.push(f),
        }
    }
    let mut windows = found.promises.clone();
    windows.extend(safety.iter().filter_map(|&f| window(formulas, f)));
    found.lag = windows.iter().map(|&f| formulas.next_depth(f)).max().unwrap_or(0);
    (!found.promises.is_empty()).then_some(found)
}

/// A formula as `G g` where g has no temporal operator but X, if it has this form: X G g is G X g.
pub(super) fn window(formulas: &mut Formulas, f: FormulaId) -> Option<FormulaId> {
    let (mut body, mut steps) = (f, 0);
    while let Node::Next(g) = *formulas.node(body) {
        (body, steps) = (g, steps + 1);
    }
    let Node::Globally(body) = *formulas.node(body) else { return None };
    let shifted = formulas.next_n(steps, body);
    let window = formulas.globally(shifted);
    (formulas.is_windowed(window) && formulas.class(f).is(Class::SAFETY)).then_some(window)
}

/// Whether a formula depends only on the first `lag` + 1 letters.
pub(super) fn is_known_in_time(formulas: &Formulas, f: FormulaId, lag: u32) -> bool {
    let class = formulas.class(f);
    class.is(Class::SAFETY) && class.is(Class::COSAFETY) && formulas.next_depth(f) <= lag
}

/// The conjuncts of G ψ for a restriction `θ → (ψ W ¬e)`; `None` unless its premises are assumed and include all
/// `safety` assumptions.
fn promises(
    formulas: &mut Formulas,
    normalizer: &mut Normalizer,
    f: FormulaId,
    assumed: &BTreeSet<FormulaId>,
    safety: &BTreeSet<FormulaId>,
) -> Option<Vec<FormulaId>> {
    let parts = match formulas.node(f) {
        Node::Or(parts) => parts.to_vec(),
        _ => vec![f],
    };
    let is_kept = |f: &FormulaId| matches!(formulas.node(*f), Node::WeakUntil(..) | Node::Globally(_));
    let (kept, others): (Vec<FormulaId>, Vec<FormulaId>) = parts.into_iter().partition(is_kept);
    let [kept] = kept[..] else { return None };
    let mut premises: BTreeSet<FormulaId> = BTreeSet::new();
    for other in others {
        premises.extend(conjuncts(formulas, normalizer, other, true));
    }
    let (body, release) = match *formulas.node(kept) {
        Node::WeakUntil(body, release) => (body, release),
        Node::Globally(body) => (body, formulas.bottom()),
        _ => return None,
    };
    let required = formulas.not(release);
    let required = formulas.globally(required);
    premises.extend(conjuncts(formulas, normalizer, required, false));
    if !premises.is_subset(assumed) || !safety.is_subset(&premises) {
        return None;
    }
    let promised = formulas.globally(body);
    let promised = conjuncts(formulas, normalizer, promised, false);
    promised.into_iter().map(|f| window(formulas, f)).collect()
}

/// The conjuncts of a formula or of its negation in normal form; G distributes over them.
fn conjuncts(
    formulas: &mut Formulas,
    normalizer: &mut Normalizer,
    f: FormulaId,
    negated: bool,
) -> Vec<FormulaId> {
    let mut stack = vec![normalizer.normalize(formulas, f, negated)];
    let mut found = Vec::new();
    while let Some(f) = stack.pop() {
        let body = match formulas.node(f).clone() {
            Node::And(fs) => {
                stack.extend(fs.iter().rev());
                continue;
            }
            Node::Globally(body) => body,
            _ => {
                found.push(f);
                continue;
            }
        };
        match formulas.node(body).clone() {
            Node::And(fs) => stack.extend(fs.iter().rev().map(|&g| formulas.globally(g))),
            _ => found.push(f),
        }
    }
    found.retain(|&f| f != formulas.top());
    found
}
