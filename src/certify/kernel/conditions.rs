//! Conjuncts as conditions on the plays of a deterministic product: what happens infinitely often, and what is left of
//! safety and co-safety formulas in the end. A conjunct that is a Boolean combination of `GF b`, `FG b` (b without
//! temporal operators), safety and co-safety formulas becomes clauses of a conjunctive normal form: an Emerson-Lei condition
//! (Emerson and Lei, "Modalities for model checking", SCP 1987). Strong fairness `GF a → GF b` is one clause; a tableau guesses
//! which side holds, and from when on.

use super::normal::{Literal, NormalForms, NormalId};
use super::residuals::{ResidualId, Residuals};
use crate::base::{Budget, Limit};
use crate::certify::tuning::{MAX_CLAUSES, MAX_DEPTH};
use crate::logic::{Alphabet, Class, FormulaId, Formulas, Guard, Guards, Node};

/// One of these holds.
#[derive(Clone, Debug)]
pub(in crate::certify) struct Clause {
    /// Letters of which some is read infinitely often.
    pub(in crate::certify) often: Guard,
    /// Sets of letters each of which is read finitely often.
    pub(in crate::certify) seldom: Vec<Guard>,
    /// Safety formulas, by their numbers, that hold.
    pub(in crate::certify) kept: Vec<usize>,
    /// Safety formulas that do not.
    pub(in crate::certify) broken: Vec<usize>,
}

/// The conditions on a play.
#[derive(Debug, Default)]
pub(in crate::certify) struct Conditions {
    pub(in crate::certify) clauses: Vec<Clause>,
    /// Safety formulas before the first letter, and whether no other play counts than those that keep one.
    pub(in crate::certify) safety: Vec<(ResidualId, bool)>,
}

/// What a condition is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leaf {
    Often(Literal),
    Seldom(Literal),
    Kept(Literal),
    Broken(Literal),
}

/// Where formulas become sets of letters and residuals.
pub(in crate::certify) struct Context<'c> {
    pub(in crate::certify) formulas: &'c Formulas,
    pub(in crate::certify) alphabet: &'c Alphabet,
    pub(in crate::certify) guards: &'c mut Guards,
    pub(in crate::certify) forms: &'c mut NormalForms,
    pub(in crate::certify) residuals: &'c mut Residuals,
    pub(in crate::certify) budget: &'c Budget,
}

impl Conditions {
    /// Takes some conjuncts; returns the others.
    pub(in crate::certify) fn take(
        &mut self,
        conjuncts: impl Iterator<Item = Literal>,
        c: &mut Context<'_>,
    ) -> Result<Vec<Literal>, Limit> {
        let (mut bounded, mut others) = (Vec::new(), Vec::new());
        for literal in conjuncts {
            let Some(clauses) = clauses(c.formulas, literal, MAX_DEPTH) else {
                others.push(literal);
                continue;
            };
            for leaves in clauses {
                match leaves[..] {
                    [Leaf::Kept(f)] if is_bounded(c.formulas, f) => bounded.push(c.normal(f)?),
                    [Leaf::Kept(f)] => {
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

    fn clause(&mut self, leaves: &[Leaf], c: &mut Context<'_>) -> Result<(), Limit> {
        let (kept, broken) = (Vec::new(), Vec::new());
        let mut clause = Clause { often: Guard::FALSE, seldom: Vec::new(), kept, broken };
        for &leaf in leaves {
            match leaf {
                Leaf::Often(b) => {
                    let letters = c.letters(b)?;
                    clause.often = c.guards.or(clause.often, letters);
                }
                Leaf::Seldom(b) => clause.seldom.push(c.letters(b)?),
                Leaf::Kept(f) => clause.kept.push(self.formula(f, false, c)?),
                Leaf::Broken((f, value)) => clause.broken.push(self.formula((f, !value), false, c)?),
            }
        }
        self.clauses.push(clause);
        Ok(())
    }

    /// The number of a safety formula.
    fn formula(&mut self, f: Literal, always: bool, c: &mut Context<'_>) -> Result<usize, Limit> {
        let root = c.normal(f)?;
        self.safety.push((c.residuals.of(c.forms, c.guards, &[root]), always));
        Ok(self.safety.len() - 1)
    }
}

impl Context<'_> {
    /// The normal form of a formula or negated formula.
    pub(in crate::certify) fn normal(&mut self, literal: Literal) -> Result<NormalId, Limit> {
        self.forms.add(self.formulas, self.alphabet, self.guards, literal, self.budget)
    }

    /// The letters of one without temporal operators.
    fn letters(&mut self, literal: Literal) -> Result<Guard, Limit> {
        let root = self.normal(literal)?;
        Ok(self.forms.letters_of(root).expect("no temporal operator is in it"))
    }
}

/// Whether a conjunct is about the first few letters only, or clauses without safety formulas: such conditions cost nothing
/// but to look at them.
pub(in crate::certify) fn is_cheap(formulas: &Formulas, literal: Literal) -> bool {
    is_bounded(formulas, literal)
        || clauses(formulas, literal, MAX_DEPTH).is_some_and(|clauses| {
            clauses.iter().flatten().all(|leaf| matches!(leaf, Leaf::Often(_) | Leaf::Seldom(_)))
        })
}

fn is_bounded(formulas: &Formulas, (f, _): Literal) -> bool {
    let class = formulas.class(f);
    class.is(Class::SAFETY) && class.is(Class::COSAFETY)
}

/// The g of a GF g or, where that is `false`, an FG g.
pub(in crate::certify) fn recurring(formulas: &Formulas, f: FormulaId) -> Option<(FormulaId, bool)> {
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
fn clauses(formulas: &Formulas, (f, value): Literal, depth: usize) -> Option<Vec<Vec<Leaf>>> {
    let class = if value { formulas.class(f) } else { formulas.class(f).negated() };
    let is_boolean = |g: FormulaId| formulas.class(g).is(Class::BOOLEAN);
    let node = formulas.node(f);
    if let Some((b, often)) = recurring(formulas, f).filter(|&(b, _)| is_boolean(b)) {
        let leaf = if often == value { Leaf::Often((b, often)) } else { Leaf::Seldom((b, often)) };
        return Some(vec![vec![leaf]]);
    }
    let below = |literal: Literal| clauses(formulas, literal, depth.checked_sub(1)?);
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
        return Some(vec![vec![Leaf::Kept((f, value))]]);
    }
    if class.is(Class::COSAFETY) {
        return Some(vec![vec![Leaf::Broken((f, value))]]);
    }
    let either = |parts: Vec<Literal>| -> Option<Vec<Vec<Leaf>>> {
        let mut product: Vec<Vec<Leaf>> = vec![Vec::new()];
        for part in parts {
            let part = below(part)?;
            if product.len() * part.len() > MAX_CLAUSES {
                return None;
            }
            let joined = |clause: &Vec<Leaf>| -> Vec<Vec<Leaf>> {
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
