//! LTL on finite words (De Giacomo and Vardi, "Linear temporal logic and linear dynamic logic on finite traces", IJCAI
//! 2013) with past operators, in negation normal form. A letter is a number; [`LetterEncoding`] defines which
//! propositions hold in a step with that letter.
//!
//! `X f` is weak, as in TLSF: it holds in the last step. `X[!] f` requires a next step. After the last step of a word,
//! which is where the empty word begins, no proposition holds, `G` and weak next hold, `F`, `U` and strong next do not.
//! `Y f` requires a previous step, `Z f` does not. Operands of past operators have no future operators.

use crate::base::{Id, IdVec};
use crate::define_id;
use rustc_hash::FxHashMap;

define_id! {
    /// A formula on finite words.
    pub struct FiniteId;
}

/// Which propositions hold in a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LetterEncoding {
    /// Only the one with the number of the letter.
    #[default]
    Symbols,
    /// Those whose bit is set in the number of the letter.
    Bits,
}

impl LetterEncoding {
    /// Whether a proposition holds in a letter.
    pub fn holds(self, letter: u32, proposition: u32) -> bool {
        match self {
            Self::Symbols => letter == proposition,
            Self::Bits => proposition < 32 && letter >> proposition & 1 == 1,
        }
    }
}

/// The forms of a formula in negation normal form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FiniteNode {
    /// True or false.
    Constant(bool),
    /// A proposition holds in the step, or, negated, it does not or there is no step.
    Letter {
        /// The number of the proposition.
        letter: u32,
        /// Whether it does not hold.
        negated: bool,
    },
    /// Both operands hold.
    And(FiniteId, FiniteId),
    /// At least one operand holds.
    Or(FiniteId, FiniteId),
    /// If there is a next step, it holds there.
    Next(FiniteId),
    /// There is a next step, and it holds there.
    StrongNext(FiniteId),
    /// `f U g`
    Until(FiniteId, FiniteId),
    /// `f R g`
    Release(FiniteId, FiniteId),
    /// There is a previous step, and the operand held there.
    Yesterday(FiniteId),
    /// If there is a previous step, the operand held there.
    WeakYesterday(FiniteId),
    /// `f S g`
    Since(FiniteId, FiniteId),
    /// `f T g`, which is `!(!f S !g)`
    Triggered(FiniteId, FiniteId),
}

impl FiniteNode {
    /// Whether this is a future operator.
    fn is_future(&self) -> bool {
        matches!(self, Self::Next(_) | Self::StrongNext(_) | Self::Until(..) | Self::Release(..))
    }
    /// Whether this is a past operator.
    pub fn is_past(&self) -> bool {
        matches!(self, Self::Yesterday(_) | Self::WeakYesterday(_) | Self::Since(..) | Self::Triggered(..))
    }
    fn operands(&self) -> impl Iterator<Item = FiniteId> + use<> {
        let (f, g) = match *self {
            Self::Constant(_) | Self::Letter { .. } => (None, None),
            Self::Next(f) | Self::StrongNext(f) | Self::Yesterday(f) | Self::WeakYesterday(f) => {
                (Some(f), None)
            }
            Self::And(f, g)
            | Self::Or(f, g)
            | Self::Until(f, g)
            | Self::Release(f, g)
            | Self::Since(f, g)
            | Self::Triggered(f, g) => (Some(f), Some(g)),
        };
        f.into_iter().chain(g)
    }
}

/// An arena of formulas on finite words; equal formulas have equal ids.
#[derive(Clone, Debug, Default)]
pub struct FiniteFormulas {
    letters: LetterEncoding,
    nodes: IdVec<FiniteId, FiniteNode>,
    /// Whether the formula has a future operator.
    future: IdVec<FiniteId, bool>,
    ids: FxHashMap<FiniteNode, FiniteId>,
}

impl FiniteFormulas {
    /// The empty arena over symbols.
    pub fn new() -> Self {
        Self::default()
    }
    /// The empty arena over letters in which several propositions may hold, at most 32.
    pub fn over_bits() -> Self {
        Self { letters: LetterEncoding::Bits, ..Self::default() }
    }
    /// Which propositions hold in a letter.
    pub fn letters(&self) -> LetterEncoding {
        self.letters
    }
    /// Whether a formula has a future operator.
    pub fn has_future(&self, id: FiniteId) -> bool {
        self.future[id]
    }
    /// The form of a formula.
    pub fn node(&self, id: FiniteId) -> &FiniteNode {
        &self.nodes[id]
    }
    /// The forms of all formulas, operands first.
    pub fn nodes(&self) -> &[FiniteNode] {
        self.nodes.as_slice()
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
        let future = node.is_future() || node.operands().any(|f| self.future[f]);
        let id = self.nodes.push(node.clone());
        self.future.push(future);
        self.ids.insert(node, id);
        id
    }
    /// True or false.
    pub fn constant(&mut self, value: bool) -> FiniteId {
        self.intern(FiniteNode::Constant(value))
    }
    /// A proposition holds in the step.
    pub fn letter(&mut self, letter: u32) -> FiniteId {
        self.intern(FiniteNode::Letter { letter, negated: false })
    }
    /// A proposition does not hold in the step, or there is no step.
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
    /// Y f
    pub fn yesterday(&mut self, f: FiniteId) -> FiniteId {
        self.intern(FiniteNode::Yesterday(f))
    }
    /// Z f
    pub fn weak_yesterday(&mut self, f: FiniteId) -> FiniteId {
        self.intern(FiniteNode::WeakYesterday(f))
    }
    /// f S g
    pub fn since(&mut self, f: FiniteId, g: FiniteId) -> FiniteId {
        self.intern(FiniteNode::Since(f, g))
    }
    /// f T g
    pub fn triggered(&mut self, f: FiniteId, g: FiniteId) -> FiniteId {
        self.intern(FiniteNode::Triggered(f, g))
    }

    /// Whether a word satisfies a formula, by the definition. Time and memory are the product of the numbers of formulas
    /// and of steps.
    pub fn holds(&self, f: FiniteId, word: &[u32]) -> bool {
        let past = self.past_rows(word);
        // Operands have smaller ids; each row is a position, from the end on.
        let mut after: Option<Vec<bool>> = None;
        for at in (0..=word.len()).rev() {
            let mut row: Vec<bool> = Vec::with_capacity(self.nodes.len());
            let next = after.as_ref().filter(|_| at + 1 < word.len());
            for (id, node) in self.nodes.enumerate() {
                let inside = at < word.len();
                let value = match *node {
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
                    FiniteNode::And(f, g) => row[f.index()] && row[g.index()],
                    FiniteNode::Or(f, g) => row[f.index()] || row[g.index()],
                    _ => past[at][id.index()],
                };
                row.push(value);
            }
            after = Some(row);
        }
        after.is_some_and(|row| row[f.index()])
    }
    /// For each position, including the one after the last step, which formulas hold there; correct only for formulas
    /// without future operators.
    fn past_rows(&self, word: &[u32]) -> Vec<Vec<bool>> {
        let mut rows: Vec<Vec<bool>> = Vec::with_capacity(word.len() + 1);
        for at in 0..=word.len() {
            let mut row: Vec<bool> = Vec::with_capacity(self.nodes.len());
            for node in &self.nodes {
                let before = rows.last();
                let own = row.len();
                let value = match *node {
                    FiniteNode::Constant(value) => value,
                    FiniteNode::Letter { letter, negated } => {
                        word.get(at).is_some_and(|&own| self.letters.holds(own, letter)) != negated
                    }
                    FiniteNode::And(f, g) => row[f.index()] && row[g.index()],
                    FiniteNode::Or(f, g) => row[f.index()] || row[g.index()],
                    FiniteNode::Yesterday(f) => before.is_some_and(|before| before[f.index()]),
                    FiniteNode::WeakYesterday(f) => before.is_none_or(|before| before[f.index()]),
                    FiniteNode::Since(f, g) => {
                        row[g.index()] || row[f.index()] && before.is_some_and(|before| before[own])
                    }
                    FiniteNode::Triggered(f, g) => {
                        row[g.index()] && (row[f.index()] || before.is_none_or(|before| before[own]))
                    }
                    FiniteNode::Next(_)
                    | FiniteNode::StrongNext(_)
                    | FiniteNode::Until(..)
                    | FiniteNode::Release(..) => false,
                };
                row.push(value);
            }
            rows.push(row);
        }
        rows
    }
}
