//! Formulas as they were written, operator by operator, so that patterns can be matched against them. [`Formulas`]
//! flattens and sorts conjunctions, so trees are lowered to it only after matching.
//!
//! [`Formulas`]: tsl_synth_core::logic::Formulas

use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::define_id;
use tsl_synth_core::logic::AtomId;
use tsl_synth_ltl::operators::{BinaryOp, UnaryOp};

define_id! {
    /// A formula in a [`Trees`] arena.
    pub(super) struct TreeId;
}

/// The forms of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum FormulaTree {
    Bool(bool),
    Atom(AtomId),
    /// `! X F G Y Z O H`
    Unary(UnaryOp, TreeId),
    /// `X[!]`
    StrongNext(TreeId),
    /// `&& || -> <-> U W R S T`
    Binary(BinaryOp, TreeId, TreeId),
}

/// An arena; operands have smaller ids than the formulas made of them. Equal formulas have equal ids.
#[derive(Debug)]
pub(super) struct Trees {
    nodes: IdVec<TreeId, FormulaTree>,
    /// Whether a formula has a future operator.
    future: IdVec<TreeId, bool>,
    index: FxHashMap<FormulaTree, TreeId>,
}

impl Trees {
    pub(super) fn new() -> Self {
        Self { nodes: IdVec::new(), future: IdVec::new(), index: FxHashMap::default() }
    }
    pub(super) fn get(&self, id: TreeId) -> FormulaTree {
        self.nodes[id]
    }
    pub(super) fn ids(&self) -> impl Iterator<Item = TreeId> + use<> {
        (0..self.nodes.len()).map(TreeId::from_index)
    }
    pub(super) fn add(&mut self, tree: FormulaTree) -> TreeId {
        if let Some(&id) = self.index.get(&tree) {
            return id;
        }
        let future = match tree {
            FormulaTree::Bool(_) | FormulaTree::Atom(_) => false,
            FormulaTree::StrongNext(_) => true,
            FormulaTree::Unary(op, a) => op.is_temporal() && !op.is_past() || self.future[a],
            FormulaTree::Binary(op, a, b) => {
                let own = matches!(
                    op,
                    BinaryOp::Until | BinaryOp::Release | BinaryOp::WeakUntil | BinaryOp::StrongRelease
                );
                own || self.future[a] || self.future[b]
            }
        };
        let id = self.nodes.push(tree);
        self.future.push(future);
        self.index.insert(tree, id);
        id
    }
    /// Whether the formula has a future operator; it cannot be an operand of a past operator.
    pub(super) fn has_future(&self, id: TreeId) -> bool {
        self.future[id]
    }
    pub(super) fn bool(&mut self, value: bool) -> TreeId {
        self.add(FormulaTree::Bool(value))
    }
    /// The value of a constant.
    pub(super) fn constant(&self, id: TreeId) -> Option<bool> {
        match self.nodes[id] {
            FormulaTree::Bool(value) => Some(value),
            _ => None,
        }
    }
    /// Negations of constants are computed, since guards must evaluate to constants.
    pub(super) fn unary(&mut self, op: UnaryOp, a: TreeId) -> TreeId {
        match (op, self.constant(a)) {
            (UnaryOp::Not, Some(value)) => self.bool(!value),
            _ => self.add(FormulaTree::Unary(op, a)),
        }
    }
    /// Boolean operators on constants are computed.
    pub(super) fn binary(&mut self, op: BinaryOp, a: TreeId, b: TreeId) -> TreeId {
        use BinaryOp as B;
        match (op, self.constant(a), self.constant(b)) {
            (B::And | B::Implies | B::Iff, Some(true), _)
            | (B::Or, Some(false), _)
            | (B::And, _, Some(false))
            | (B::Or | B::Implies, _, Some(true)) => b,
            (B::And, Some(false), _)
            | (B::Or, Some(true), _)
            | (B::And | B::Iff, _, Some(true))
            | (B::Or, _, Some(false)) => a,
            (B::Implies, Some(false), _) => self.bool(true),
            (B::Iff, Some(false), _) => self.unary(UnaryOp::Not, b),
            (B::Iff | B::Implies, _, Some(false)) => self.unary(UnaryOp::Not, a),
            _ => self.add(FormulaTree::Binary(op, a, b)),
        }
    }
    /// All operands of nested conjunctions, from left to right.
    pub(super) fn conjuncts(&self, id: TreeId) -> Vec<TreeId> {
        let (mut all, mut todo) = (Vec::new(), vec![id]);
        while let Some(id) = todo.pop() {
            match self.nodes[id] {
                FormulaTree::Binary(BinaryOp::And, a, b) => todo.extend([b, a]),
                _ => all.push(id),
            }
        }
        all
    }
}
