//! Conjuncts as acceptance conditions on the paths of a deterministic product: on the letters that are read infinitely
//! often, and on the safety and co-safety formulas that are broken or fulfilled at some point. A conjunct that is a
//! Boolean combination of `GF b`, `FG b` (b without temporal operators), safety and co-safety formulas becomes clauses
//! of a conjunctive normal form: an Emerson-Lei condition (Emerson and Lei, "Modalities for model checking", SCP 1987).
//! Strong fairness `GF a → GF b` is one clause; a tableau guesses which side holds, and from when on.

use super::normal::{NormalForms, NormalId, SignedFormula};
use super::residuals::{ResidualId, Residuals};
use crate::tuning::{MAX_CLAUSES, MAX_DEPTH};
use tsl_synth_core::base::{Budget, Limit};
use tsl_synth_core::logic::{Alphabet, Class, FormulaId, Formulas, Guard, Guards, Node};

/// A clause, which holds iff one of the following alternatives does.
#[derive(Clone, Debug)]
pub(crate) struct FairnessClause {
    /// Some letter of this set is read infinitely often.
    pub(crate) often: Guard,
    /// Sets of letters, of which one is read only finitely often.
    pub(crate) seldom: Vec<Guard>,
    /// Safety formulas, by their numbers, of which one holds.
    pub(crate) kept: Vec<usize>,
    /// Safety formulas, by their numbers, of which one does not hold.
    pub(crate) broken: Vec<usize>,
}

/// The conditions on a play: the conjunction of the clauses and of the required safety formulas.
#[derive(Debug, Default)]
pub(crate) struct Conditions {
    pub(crate) clauses: Vec<FairnessClause>,
    /// For each safety formula its residual before the first letter, and whether the formula is required.
    pub(crate) safety: Vec<(ResidualId, bool)>,
}

/// An operand of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConditionLeaf {
    Often(SignedFormula),
    Seldom(SignedFormula),
    Kept(SignedFormula),
    Broken(SignedFormula),
}

/// The stores for translating formulas to sets of letters and residuals.
pub(crate) struct ConditionContext<'c> {
    pub(crate) formulas: &'c Formulas,
    pub(crate) alphabet: &'c Alphabet,
    pub(crate) guards: &'c mut Guards,
    pub(crate) forms: &'c mut NormalForms,
    pub(crate) residuals: &'c mut Residuals,
    pub(crate) budget: &'c Budget,
}

impl Conditions {
    /// Adds the conjuncts that can be expressed as conditions; returns the others.
    pub(crate) fn take(
        &mut self,
        conjuncts: impl Iterator<Item = SignedFormula>,
        c: &mut ConditionContext<'_>,
    ) -> Result<Vec<SignedFormula>, Limit> {
        let (mut bounded, mut others) = (Vec::new(), Vec::new());
        for literal in conjuncts {
            let Some(clauses) = clauses(c.formulas, literal, MAX_DEPTH) else {
                others.push(literal);
                continue;
            };
            for leaves in clauses {
                match leaves[..] {
                    [ConditionLeaf::Kept(f)] if is_bounded(c.formulas, f) => bounded.push(c.normal(f)?),
                    [ConditionLeaf::Kept(f)] => {
                        self.formula(f, true, c)?;
                    }
                    _ => self.clause(&leaves, c)?,
                }
            }
        }
        if !bounded.is_empty() {
            self.safety.push((c.residuals.of(c.forms, c.guards, &bounded), true));
        }
        Ok(others)
    }

    fn clause(&mut self, leaves: &[ConditionLeaf], c: &mut ConditionContext<'_>) -> Result<(), Limit> {
        let (kept, broken) = (Vec::new(), Vec::new());
        let mut clause = FairnessClause { often: Guard::FALSE, seldom: Vec::new(), kept, broken };
        for &leaf in leaves {
            match leaf {
                ConditionLeaf::Often(b) => {
                    let letters = c.letters(b)?;
                    clause.often = c.guards.or(clause.often, letters);
                }
                ConditionLeaf::Seldom(b) => clause.seldom.push(c.letters(b)?),
                ConditionLeaf::Kept(f) => clause.kept.push(self.formula(f, false, c)?),
                ConditionLeaf::Broken((f, value)) => {
                    clause.broken.push(self.formula((f, !value), false, c)?);
                }
            }
        }
        self.clauses.push(clause);
        Ok(())
    }

    /// Adds a safety formula, required if `always`; returns its number.
    fn formula(
        &mut self,
        f: SignedFormula,
        always: bool,
        c: &mut ConditionContext<'_>,
    ) -> Result<usize, Limit> {
        let root = c.normal(f)?;
        self.safety.push((c.residuals.of(c.forms, c.guards, &[root]), always));
        Ok(self.safety.len() - 1)
    }
}

impl ConditionContext<'_> {
    /// The normal form of a formula or negated formula.
    pub(crate) fn normal(&mut self, literal: SignedFormula) -> Result<NormalId, Limit> {
        self.forms.add(self.formulas, self.alphabet, self.guards, literal, self.budget)
    }

    /// The letters that satisfy a formula or negated formula without temporal operators.
    fn letters(&mut self, literal: SignedFormula) -> Result<Guard, Limit> {
        let root = self.normal(literal)?;
        Ok(self.forms.letters_of(root).expect("no temporal operator is in it"))
    }
}

/// Whether a conjunct is about the first few letters only, or becomes clauses without safety formulas: such conditions
/// hardly enlarge the product.
pub(crate) fn is_cheap(formulas: &Formulas, literal: SignedFormula) -> bool {
    is_bounded(formulas, literal)
        || clauses(formulas, literal, MAX_DEPTH).is_some_and(|clauses| {
            clauses
                .iter()
                .flatten()
                .all(|leaf| matches!(leaf, ConditionLeaf::Often(_) | ConditionLeaf::Seldom(_)))
        })
}

fn is_bounded(formulas: &Formulas, (f, _): SignedFormula) -> bool {
    let class = formulas.class(f);
    class.is(Class::SAFETY) && class.is(Class::COSAFETY)
}

/// The g of a formula `GF g` (with `true`) or `FG g` (with `false`).
pub(crate) fn recurring(formulas: &Formulas, f: FormulaId) -> Option<(FormulaId, bool)> {
    match *formulas.node(f) {
        Node::Globally(f) => match *formulas.node(f) {
            Node::Finally(g) => Some((g, true)),
            _ => None,
        },
        Node::Finally(f) => match *formulas.node(f) {
            Node::Globally(g) => Some((g, false)),
            _ => None,
        },
        _ => None,
    }
}

/// A conjunctive normal form of a formula or negated formula, if it is a combination of leaves.
fn clauses(formulas: &Formulas, (f, value): SignedFormula, depth: usize) -> Option<Vec<Vec<ConditionLeaf>>> {
    let class = if value { formulas.class(f) } else { formulas.class(f).negated() };
    let is_boolean = |g: FormulaId| formulas.class(g).is(Class::BOOLEAN);
    let node = formulas.node(f);
    if let Some((b, often)) = recurring(formulas, f).filter(|&(b, _)| is_boolean(b)) {
        let leaf =
            if often == value { ConditionLeaf::Often((b, often)) } else { ConditionLeaf::Seldom((b, often)) };
        return Some(vec![vec![leaf]]);
    }
    let below = |literal: SignedFormula| clauses(formulas, literal, depth.checked_sub(1)?);
    let conjunction = match *node {
        Node::And(ref gs) if value => Some(gs.iter().map(|&g| (g, true)).collect()),
        Node::Or(ref gs) if !value => Some(gs.iter().map(|&g| (g, false)).collect()),
        Node::Not(g) => Some(vec![(g, !value)]),
        _ => None,
    };
    if let Some(parts) = conjunction.filter(|_| !is_boolean(f)) {
        let parts: Option<Vec<_>> = parts.into_iter().map(below).collect();
        return Some(parts?.concat());
    }
    if class.is(Class::SAFETY) {
        return Some(vec![vec![ConditionLeaf::Kept((f, value))]]);
    }
    if class.is(Class::COSAFETY) {
        return Some(vec![vec![ConditionLeaf::Broken((f, value))]]);
    }
    let either = |parts: Vec<SignedFormula>| -> Option<Vec<Vec<ConditionLeaf>>> {
        let mut product: Vec<Vec<ConditionLeaf>> = vec![Vec::new()];
        for part in parts {
            let part = below(part)?;
            if product.len() * part.len() > MAX_CLAUSES {
                return None;
            }
            let joined = |clause: &Vec<ConditionLeaf>| -> Vec<Vec<ConditionLeaf>> {
                part.iter().map(|more| [&clause[..], &more[..]].concat()).collect()
            };
            product = product.iter().flat_map(joined).collect();
        }
        Some(product)
    };
    match *node {
        Node::And(ref gs) | Node::Or(ref gs) => either(gs.iter().map(|&g| (g, value)).collect()),
        Node::Iff(a, b) => {
            let sides = [either(vec![(a, false), (b, value)])?, either(vec![(a, true), (b, !value)])?];
            Some(sides.concat())
        }
        _ => None,
    }
}
