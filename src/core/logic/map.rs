//! Formulas rebuilt from the bottom up, in their own arena or in another one.

use super::formula::{FormulaId, Formulas, Node};
use super::ids::AtomId;
use rustc_hash::FxHashMap;

impl Formulas {
    /// The image of a formula: `image` is called once for each subformula, with the images of its operands; if it
    /// returns `None`, the operator is applied to these images. Linear.
    pub fn map(
        &mut self,
        f: FormulaId,
        mut image: impl FnMut(&mut Self, FormulaId, &[FormulaId]) -> Option<FormulaId>,
    ) -> FormulaId {
        let mut images: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
        for g in self.subformulas(&[f]) {
            let node = self.node(g).clone();
            let mut operands = Vec::new();
            node.for_each_operand(|h| operands.push(images[&h]));
            let mapped = image(self, g, &operands).unwrap_or_else(|| self.rebuild(&node, &operands));
            images.insert(g, mapped);
        }
        images[&f]
    }

    /// A formula of another arena in this one, with a formula of this one in the place of each atom. Linear.
    ///
    /// # Errors
    /// The first error of `atom`.
    pub fn import<E>(
        &mut self,
        other: &Self,
        f: FormulaId,
        mut atom: impl FnMut(&mut Self, AtomId) -> Result<FormulaId, E>,
    ) -> Result<FormulaId, E> {
        let mut images: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
        for g in other.subformulas(&[f]) {
            let node = other.node(g);
            let mut operands = Vec::new();
            node.for_each_operand(|h| operands.push(images[&h]));
            let image = match *node {
                Node::Atom(a) => atom(self, a)?,
                _ => self.rebuild(node, &operands),
            };
            images.insert(g, image);
        }
        Ok(images[&f])
    }
}
