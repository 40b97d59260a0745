//! In which polarity atoms occur, and constants in the place of atoms.

use super::formula::{FormulaId, Formulas, Node};
use super::ids::AtomId;
use crate::base::IdSet;
use rustc_hash::FxHashSet;

/// The atoms that occur positively and those that occur negatively.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Polarities {
    /// Atoms with a positive occurrence.
    pub positive: IdSet<AtomId>,
    /// Atoms with a negative occurrence.
    pub negative: IdSet<AtomId>,
}

impl Formulas {
    /// The polarities of the atoms in `roots`, each root given with whether it counts as it is (`true`) or negated. A
    /// formula is monotone in an atom that occurs in one polarity only. Linear.
    pub fn polarities(&self, roots: impl IntoIterator<Item = (FormulaId, bool)>) -> Polarities {
        let mut found = Polarities::default();
        let mut stack: Vec<(FormulaId, bool)> = roots.into_iter().collect();
        let mut seen: FxHashSet<(FormulaId, bool)> = FxHashSet::default();
        while let Some((f, sign)) = stack.pop() {
            if !seen.insert((f, sign)) {
                continue;
            }
            match *self.node(f) {
                Node::Atom(a) => {
                    if sign {
                        found.positive.insert(a);
                    } else {
                        found.negative.insert(a);
                    }
                }
                Node::Not(g) => stack.push((g, !sign)),
                Node::Iff(a, b) => stack.extend([(a, true), (a, false), (b, true), (b, false)]),
                ref node => node.for_each_operand(|g| stack.push((g, sign))),
            }
        }
        found
    }

    /// The formula with some atoms replaced by constants. Linear.
    pub fn with_constants(&mut self, f: FormulaId, value: &dyn Fn(AtomId) -> Option<bool>) -> FormulaId {
        self.map(f, |formulas, g, _| match *formulas.node(g) {
            Node::Atom(a) => value(a).map(|constant| formulas.constant(constant)),
            _ => None,
        })
    }
}
