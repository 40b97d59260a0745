//! LTL on finite words (De Giacomo and Vardi, "Linear temporal logic and linear dynamic logic on finite traces", IJCAI
//! 2013), in negation normal form. A letter is one of finitely many symbols, and a proposition holds in a step whose letter
//! it is.
//!
//! `X f` is weak, as in TLSF: it holds in the last step. `X[!] f` asks for a next step. After the last step of a word,
//! which is where the empty word begins, no proposition holds, `G` and weak next hold, `F`, `U` and strong next do not.

use crate::base::{Id, IdVec};
use crate::define_id;
use rustc_hash::FxHashMap;

define_id! {
    /// A formula on finite words.
    pub struct FiniteId;
}

/// The forms of a formula in negation normal form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FiniteNode {
    /// True or false.
    Constant(bool),
    /// The letter of the step is this one, or, negated, another one or none.
    Letter {
        /// The number of the letter.
        letter: u32,
        /// Whether it is not that letter.
        negated: bool,
    },
    /// All of them.
    And(FiniteId, FiniteId),
    /// Some of them.
    Or(FiniteId, FiniteId),
    /// If there is a next step, it holds there.
    Next(FiniteId),
    /// There is a next step, and it holds there.
    StrongNext(FiniteId),
    /// `f U g`
    Until(FiniteId, FiniteId),
    /// `f R g`
    Release(FiniteId, FiniteId),
}

/// An arena of formulas on finite words; equal formulas have equal ids.
#[derive(Clone, Debug, Default)]
pub struct FiniteFormulas {
    nodes: IdVec<FiniteId, FiniteNode>,
    ids: FxHashMap<FiniteNode, FiniteId>,
}

impl FiniteFormulas {
    /// The empty arena.
    pub fn new() -> Self {
        Self::default()
    }
    /// The form of a formula.
    pub fn node(&self, id: FiniteId) -> &FiniteNode {
        &self.nodes[id]
    }
    /// How many formulas there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
    fn intern(&mut self, node: FiniteNode) -> FiniteId {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }
    /// True or false.
    pub fn constant(&mut self, value: bool) -> FiniteId {
        self.intern(FiniteNode::Constant(value))
    }
    /// The letter of the step is this one.
    pub fn letter(&mut self, letter: u32) -> FiniteId {
        self.intern(FiniteNode::Letter { letter, negated: false })
    }
    /// The letter of the step is another one, or there is no step.
    pub fn not_letter(&mut self, letter: u32) -> FiniteId {
        self.intern(FiniteNode::Letter { letter, negated: true })
    }
    /// f ∧ g
    pub fn and(&mut self, f: FiniteId, g: FiniteId) -> FiniteId {
        match (self.node(f), self.node(g)) {
            (FiniteNode::Constant(false), _) | (_, FiniteNode::Constant(true)) => f,
            (_, FiniteNode::Constant(false)) | (FiniteNode::Constant(true), _) => g,
            _ if f == g => f,
            _ => self.intern(FiniteNode::And(f, g)),
        }
    }
    /// f ∨ g
    pub fn or(&mut self, f: FiniteId, g: FiniteId) -> FiniteId {
        match (self.node(f), self.node(g)) {
            (FiniteNode::Constant(true), _) | (_, FiniteNode::Constant(false)) => f,
            (_, FiniteNode::Constant(true)) | (FiniteNode::Constant(false), _) => g,
            _ if f == g => f,
            _ => self.intern(FiniteNode::Or(f, g)),
        }
    }
    /// Weak next.
    pub fn next(&mut self, f: FiniteId) -> FiniteId {
        self.intern(FiniteNode::Next(f))
    }
    /// Strong next.
    pub fn strong_next(&mut self, f: FiniteId) -> FiniteId {
        self.intern(FiniteNode::StrongNext(f))
    }
    /// f U g
    pub fn until(&mut self, f: FiniteId, g: FiniteId) -> FiniteId {
        self.intern(FiniteNode::Until(f, g))
    }
    /// f R g
    pub fn release(&mut self, f: FiniteId, g: FiniteId) -> FiniteId {
        self.intern(FiniteNode::Release(f, g))
    }

    /// Whether a word satisfies a formula from position `at` on, by the definition. Time and memory are the product of the
    /// numbers of formulas and of steps.
    pub fn holds(&self, f: FiniteId, word: &[u32]) -> bool {
        // Operands have smaller ids; each row is a position, from the end on.
        let mut after: Option<Vec<bool>> = None;
        for at in (0..=word.len()).rev() {
            let mut row: Vec<bool> = Vec::with_capacity(self.nodes.len());
            let next = after.as_ref().filter(|_| at + 1 < word.len());
            for node in &self.nodes {
                let inside = at < word.len();
                let value = match *node {
                    FiniteNode::Constant(value) => value,
                    FiniteNode::Letter { letter, negated } => (word.get(at) == Some(&letter)) != negated,
                    FiniteNode::And(f, g) => row[f.index()] && row[g.index()],
                    FiniteNode::Or(f, g) => row[f.index()] || row[g.index()],
                    FiniteNode::Next(f) => next.is_none_or(|next| next[f.index()]),
                    FiniteNode::StrongNext(f) => next.is_some_and(|next| next[f.index()]),
                    FiniteNode::Until(f, g) => {
                        let later = next.is_some_and(|next| next[row.len()]);
                        inside && (row[g.index()] || row[f.index()] && later)
                    }
                    FiniteNode::Release(f, g) => {
                        let later = next.is_none_or(|next| next[row.len()]);
                        !inside || row[g.index()] && (row[f.index()] || later)
                    }
                };
                row.push(value);
            }
            after = Some(row);
        }
        after.is_some_and(|row| row[f.index()])
    }
}
