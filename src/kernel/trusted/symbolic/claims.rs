//! A symbolic tableau: Clarke, Grumberg and Hamaguchi, "Another look at LTL model checking" (CAV 1994; FMSD 1997).
//!
//! Every temporal subformula has a variable, its *claim*: that its operand (X) or it itself (all others) holds in the
//! next step. The claims of one step are *pending* in the next, where they must come true. A play satisfies the
//! conjuncts iff claims can be chosen along it such that the conjuncts are true in the first step, every pending claim
//! comes true, and no strong fixpoint is postponed and no weak one denied forever. Departure: where a subformula occurs
//! in one polarity only, claims in the other are not checked and need no fairness; then, for a positive occurrence, a
//! true value is right and a false one may be wrong (for a negative one conversely), which suffices in this polarity.

use super::diagrams::Bdd;
use super::model::CircuitModel;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{IdVec, Limit, Variable};
use tsl_synth_core::logic::{Alphabet, BitId, FormulaId, Formulas, Guards, Node};

/// The tableau of a conjunction over the plays of a model.
pub(crate) struct Claims {
    /// The conjuncts hold, in terms of latches, inputs and claims.
    pub(crate) start: Bdd,
    /// The pending claims come true.
    pub(crate) relation: Bdd,
    /// Each holds infinitely often.
    pub(crate) fairness: Vec<Bdd>,
}

/// In which polarities a subformula occurs.
#[derive(Clone, Copy, Default)]
struct Polarity {
    positive: bool,
    negative: bool,
}

impl Polarity {
    fn of(value: bool) -> Self {
        Self { positive: value, negative: !value }
    }
    fn flipped(self) -> Self {
        Self { positive: self.negative, negative: self.positive }
    }
    fn add(&mut self, other: Self) {
        self.positive |= other.positive;
        self.negative |= other.negative;
    }
}

/// The subformulas of the conjuncts with their polarities, operands first.
fn polarities(formulas: &Formulas, conjuncts: &[(FormulaId, bool)]) -> Vec<(FormulaId, Polarity)> {
    let roots: Vec<FormulaId> = conjuncts.iter().map(|&(f, _)| f).collect();
    let all = formulas.subformulas(&roots);
    let mut found: FxHashMap<FormulaId, Polarity> = FxHashMap::default();
    for &(f, value) in conjuncts {
        found.entry(f).or_default().add(Polarity::of(value));
    }
    // Operands have smaller ids.
    for &f in all.iter().rev() {
        let own = found.get(&f).copied().unwrap_or_default();
        let node = formulas.node(f);
        node.for_each_operand(|g| {
            let below = match node {
                Node::Not(_) => own.flipped(),
                Node::Iff(..) => Polarity { positive: true, negative: true },
                _ => own,
            };
            found.entry(g).or_default().add(below);
        });
    }
    all.into_iter().map(|f| (f, found[&f])).collect()
}

/// The temporal subformulas of a conjunction, in the order of their claims.
pub(crate) fn temporal(formulas: &Formulas, conjuncts: &[(FormulaId, bool)]) -> Vec<FormulaId> {
    let roots: Vec<FormulaId> = conjuncts.iter().map(|&(f, _)| f).collect();
    formulas.subformulas(&roots).into_iter().filter(|&f| is_temporal(formulas.node(f))).collect()
}

fn is_temporal(node: &Node) -> bool {
    !matches!(
        node,
        Node::True | Node::False | Node::Atom(_) | Node::Not(_) | Node::And(_) | Node::Or(_) | Node::Iff(..)
    )
}

/// Builds the tableau; `pairs` has the variables (claim, pending) of every temporal subformula. Linear in the subformulas,
/// apart from the diagrams.
pub(crate) fn claims(
    model: &CircuitModel<'_>,
    (formulas, alphabet): (&Formulas, &Alphabet),
    bits: &IdVec<BitId, Bdd>,
    conjuncts: &[(FormulaId, bool)],
    pairs: &[(Variable, Variable)],
) -> Result<Claims, Limit> {
    let d = &model.diagrams;
    let mut values: FxHashMap<FormulaId, Bdd> = FxHashMap::default();
    let mut made = Claims { start: d.top.clone(), relation: d.top.clone(), fairness: Vec::new() };
    let mut pairs = pairs.iter();
    let mut guards = Guards::new();
    for (f, polarity) in polarities(formulas, conjuncts) {
        let node = formulas.node(f);
        let of = |g: &FormulaId| &values[g];
        let (claim, pending) = if is_temporal(node) {
            let &(claim, pending) = pairs.next().expect("every claim has a pair of variables");
            (d.variable(claim), d.variable(pending))
        } else {
            (&d.bottom, &d.bottom)
        };
        let value = match node {
            Node::True => d.top.clone(),
            Node::False => d.bottom.clone(),
            Node::Atom(atom) => {
                let guard = alphabet.guard(*atom, &mut guards);
                model.guard(&guards, guard, bits)?
            }
            Node::Not(g) => d.not(of(g))?,
            Node::And(gs) => gs.iter().try_fold(d.top.clone(), |sum, g| d.and(&sum, of(g)))?,
            Node::Or(gs) => gs.iter().try_fold(d.bottom.clone(), |sum, g| d.or(&sum, of(g)))?,
            Node::Iff(a, b) => d.iff(of(a), of(b))?,
            Node::Next(_) => claim.clone(),
            Node::Finally(g) => d.or(of(g), claim)?,
            Node::Globally(g) => d.and(of(g), claim)?,
            Node::Until(a, b) | Node::WeakUntil(a, b) => d.or(of(b), &d.and(of(a), claim)?)?,
            Node::Release(a, b) | Node::StrongRelease(a, b) => d.and(of(b), &d.or(of(a), claim)?)?,
        };
        if is_temporal(node) {
            let target = if let Node::Next(g) = node { of(g).clone() } else { value.clone() };
            if polarity.positive {
                made.relation = d.and(&made.relation, &d.implies(pending, &target)?)?;
            }
            if polarity.negative {
                made.relation = d.and(&made.relation, &d.implies(&target, pending)?)?;
            }
        }
        let fair = match node {
            // The value is false or the goal is reached, infinitely often: it is not postponed forever.
            Node::Finally(g) | Node::Until(_, g) if polarity.positive => Some(d.implies(&value, of(g))?),
            Node::StrongRelease(a, b) if polarity.positive => Some(d.implies(&value, &d.and(of(a), of(b))?)?),
            // The value is true or its operands justify that it is false, infinitely often: it is not denied forever
            // while they hold.
            Node::Globally(g) | Node::Release(_, g) if polarity.negative => Some(d.implies(of(g), &value)?),
            Node::WeakUntil(a, b) if polarity.negative => Some(d.implies(&d.or(of(a), of(b))?, &value)?),
            _ => None,
        };
        made.fairness.extend(fair.filter(|fair| *fair != d.top && !made.fairness.contains(fair)));
        values.insert(f, value);
    }
    for &(f, positive) in conjuncts {
        let value = &values[&f];
        made.start = if positive { d.and(&made.start, value)? } else { d.minus(&made.start, value)? };
    }
    Ok(made)
}
