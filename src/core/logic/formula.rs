//! Hash-consed LTL formulas in an arena. Formulas are made only through smart constructors; they keep the
//! structure of what was written, up to constants, double negation, and flattened, sorted, deduplicated
//! conjunctions and disjunctions. Everything stronger is in the simplifier.

use super::class::Class;
use super::encoded::{EncodedSignal, ValueCode};
use super::ids::AtomId;
use crate::base::{Id, IdSet, IdVec, steps};
use crate::define_id;
use rustc_hash::FxHashMap;

define_id! {
    /// A formula in a [`Formulas`] arena.
    pub struct FormulaId;
}

/// One operator with its operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// ⊤
    True,
    /// ⊥
    False,
    /// An atom.
    Atom(AtomId),
    /// Negation; never of a constant or a negation.
    Not(FormulaId),
    /// Conjunction of at least two different formulas, sorted by id, none a conjunction.
    And(Box<[FormulaId]>),
    /// Disjunction of at least two different formulas, sorted by id, none a disjunction.
    Or(Box<[FormulaId]>),
    /// Equivalence, the smaller id first.
    Iff(FormulaId, FormulaId),
    /// X f
    Next(FormulaId),
    /// F f
    Finally(FormulaId),
    /// G f
    Globally(FormulaId),
    /// f U g
    Until(FormulaId, FormulaId),
    /// f R g
    Release(FormulaId, FormulaId),
    /// f W g
    WeakUntil(FormulaId, FormulaId),
    /// f M g
    StrongRelease(FormulaId, FormulaId),
}

impl Node {
    /// Calls `visit` on every operand in order.
    pub fn for_each_operand(&self, mut visit: impl FnMut(FormulaId)) {
        match *self {
            Self::True | Self::False | Self::Atom(_) => {}
            Self::Not(f) | Self::Next(f) | Self::Finally(f) | Self::Globally(f) => visit(f),
            Self::And(ref fs) | Self::Or(ref fs) => fs.iter().copied().for_each(visit),
            Self::Iff(a, b)
            | Self::Until(a, b)
            | Self::Release(a, b)
            | Self::WeakUntil(a, b)
            | Self::StrongRelease(a, b) => {
                visit(a);
                visit(b);
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Info {
    class: Class,
    size: u32,
}

/// An arena of formulas. Operands have smaller ids than the formulas made of them, so passes go through
/// the ids in order and never recurse.
#[derive(Clone, Debug)]
pub struct Formulas {
    nodes: IdVec<FormulaId, Node>,
    infos: IdVec<FormulaId, Info>,
    index: FxHashMap<Node, FormulaId>,
}

impl Default for Formulas {
    fn default() -> Self {
        Self::new()
    }
}

impl Formulas {
    /// An arena that holds the two constants.
    pub fn new() -> Self {
        let mut this = Self { nodes: IdVec::new(), infos: IdVec::new(), index: FxHashMap::default() };
        this.intern(Node::True);
        this.intern(Node::False);
        this
    }
    /// The operator of a formula.
    pub fn node(&self, f: FormulaId) -> &Node {
        &self.nodes[f]
    }
    /// The syntactic classes of a formula.
    pub fn class(&self, f: FormulaId) -> Class {
        self.infos[f].class
    }
    /// The number of operators and atoms in the formula as a tree, saturating at 2³²−1.
    pub fn size(&self, f: FormulaId) -> u32 {
        self.infos[f].size
    }
    /// How many formulas the arena holds.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
    /// Whether the arena is empty (it never is).
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn intern(&mut self, node: Node) -> FormulaId {
        steps::count(1);
        if let Some(&f) = self.index.get(&node) {
            return f;
        }
        let info = self.info(&node);
        let f = self.nodes.push(node.clone());
        self.infos.push(info);
        self.index.insert(node, f);
        f
    }

    fn info(&self, node: &Node) -> Info {
        let class_of = |f: FormulaId| self.infos[f].class;
        let class = match *node {
            Node::True | Node::False => Class::ALL,
            Node::Atom(_) => Class::ATOM,
            Node::Not(f) => class_of(f).negated(),
            Node::And(ref fs) | Node::Or(ref fs) => {
                fs.iter().fold(Class::ALL, |class, &f| class.combined(class_of(f)))
            }
            Node::Iff(a, b) => {
                let both = class_of(a).combined(class_of(b));
                both.combined(both.negated())
            }
            Node::Next(f) => class_of(f).next(),
            Node::Finally(f) => class_of(f).finally(),
            Node::Globally(f) => class_of(f).globally(),
            Node::Until(a, b) => class_of(a).until(class_of(b)),
            Node::Release(a, b) => class_of(a).release(class_of(b)),
            // a W b = b R (a | b), a M b = b U (a & b).
            Node::WeakUntil(a, b) => class_of(b).release(class_of(a).combined(class_of(b))),
            Node::StrongRelease(a, b) => class_of(b).until(class_of(a).combined(class_of(b))),
        };
        let mut size = 1u32;
        node.for_each_operand(|f| size = size.saturating_add(self.infos[f].size));
        Info { class, size }
    }

    /// ⊤
    pub fn top(&self) -> FormulaId {
        FormulaId::from_index(0)
    }
    /// ⊥
    pub fn bottom(&self) -> FormulaId {
        FormulaId::from_index(1)
    }
    /// ⊤ or ⊥
    pub fn constant(&self, value: bool) -> FormulaId {
        if value { self.top() } else { self.bottom() }
    }
    /// Whether f is ⊤ or ⊥.
    pub fn is_constant(&self, f: FormulaId) -> bool {
        f.index() < 2
    }
    /// An atom.
    pub fn atom(&mut self, atom: AtomId) -> FormulaId {
        self.intern(Node::Atom(atom))
    }
    /// ¬f
    pub fn not(&mut self, f: FormulaId) -> FormulaId {
        match *self.node(f) {
            Node::True => self.bottom(),
            Node::False => self.top(),
            Node::Not(g) => g,
            _ => self.intern(Node::Not(f)),
        }
    }
    /// The conjunction of all.
    pub fn and(&mut self, fs: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        self.nary(fs, true)
    }
    /// The disjunction of all.
    pub fn or(&mut self, fs: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        self.nary(fs, false)
    }
    fn nary(&mut self, fs: impl IntoIterator<Item = FormulaId>, conjunction: bool) -> FormulaId {
        let (unit, zero) = (self.constant(conjunction), self.constant(!conjunction));
        let mut operands = Vec::new();
        for f in fs {
            match &self.nodes[f] {
                _ if f == unit => {}
                _ if f == zero => return zero,
                Node::And(gs) if conjunction => operands.extend_from_slice(gs),
                Node::Or(gs) if !conjunction => operands.extend_from_slice(gs),
                _ => operands.push(f),
            }
        }
        operands.sort_unstable();
        operands.dedup();
        match operands.len() {
            0 => unit,
            1 => operands[0],
            _ if conjunction => self.intern(Node::And(operands.into())),
            _ => self.intern(Node::Or(operands.into())),
        }
    }
    /// f → g
    pub fn implies(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        let not_f = self.not(f);
        self.or([not_f, g])
    }
    /// f ↔ g
    pub fn iff(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        let (top, bottom) = (self.top(), self.bottom());
        match (f.min(g), f.max(g)) {
            (a, b) if a == b => top,
            (a, b) if a == top => b,
            (a, b) if a == bottom => self.not(b),
            (a, b) => self.intern(Node::Iff(a, b)),
        }
    }
    /// Exclusive or.
    pub fn xor(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        let same = self.iff(f, g);
        self.not(same)
    }
    /// The formula "the signal has its value with this index", in letters in which the atoms encode a value.
    pub fn has_value(&mut self, signal: &EncodedSignal, index: usize) -> FormulaId {
        match (signal.code, signal.atoms.get(index)) {
            (ValueCode::OneHot, Some(&atom)) => self.atom(atom),
            (ValueCode::OneHot, None) => {
                let atoms: Vec<FormulaId> = signal.atoms.iter().map(|&atom| self.atom(atom)).collect();
                let any = self.or(atoms);
                self.not(any)
            }
            (ValueCode::Binary, _) => self.has_code(signal, index),
        }
    }

    /// The formula "all atoms have the truth values that encode this index".
    pub fn has_code(&mut self, signal: &EncodedSignal, index: usize) -> FormulaId {
        let mut parts = Vec::new();
        for (atom, holds) in signal.literals(index) {
            let atom = self.atom(atom);
            parts.push(if holds { atom } else { self.not(atom) });
        }
        self.and(parts)
    }

    /// X f
    pub fn next(&mut self, f: FormulaId) -> FormulaId {
        if self.is_constant(f) { f } else { self.intern(Node::Next(f)) }
    }
    /// Xⁿ f
    pub fn next_n(&mut self, n: u32, f: FormulaId) -> FormulaId {
        (0..n).fold(f, |f, _| self.next(f))
    }
    /// F f
    pub fn finally(&mut self, f: FormulaId) -> FormulaId {
        if self.is_constant(f) || matches!(self.node(f), Node::Finally(_)) {
            f
        } else {
            self.intern(Node::Finally(f))
        }
    }
    /// G f
    pub fn globally(&mut self, f: FormulaId) -> FormulaId {
        if self.is_constant(f) || matches!(self.node(f), Node::Globally(_)) {
            f
        } else {
            self.intern(Node::Globally(f))
        }
    }
    /// f U g
    pub fn until(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        if self.is_constant(g) || f == self.bottom() || f == g {
            g
        } else if f == self.top() {
            self.finally(g)
        } else {
            self.intern(Node::Until(f, g))
        }
    }
    /// f R g
    pub fn release(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        if self.is_constant(g) || f == self.top() || f == g {
            g
        } else if f == self.bottom() {
            self.globally(g)
        } else {
            self.intern(Node::Release(f, g))
        }
    }
    /// f W g
    pub fn weak_until(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        if f == self.top() || g == self.top() {
            self.top()
        } else if f == self.bottom() || f == g {
            g
        } else if g == self.bottom() {
            self.globally(f)
        } else {
            self.intern(Node::WeakUntil(f, g))
        }
    }
    /// f M g
    pub fn strong_release(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        if f == self.bottom() || g == self.bottom() {
            self.bottom()
        } else if f == self.top() || f == g {
            g
        } else if g == self.top() {
            self.finally(f)
        } else {
            self.intern(Node::StrongRelease(f, g))
        }
    }

    /// The formula with the operator of `node` over other operands, as many as the node has.
    ///
    /// # Panics
    /// If `operands` is too short.
    pub fn rebuild(&mut self, node: &Node, operands: &[FormulaId]) -> FormulaId {
        match node {
            Node::True => self.top(),
            Node::False => self.bottom(),
            Node::Atom(a) => self.atom(*a),
            Node::Not(_) => self.not(operands[0]),
            Node::And(_) => self.and(operands.iter().copied()),
            Node::Or(_) => self.or(operands.iter().copied()),
            Node::Iff(..) => self.iff(operands[0], operands[1]),
            Node::Next(_) => self.next(operands[0]),
            Node::Finally(_) => self.finally(operands[0]),
            Node::Globally(_) => self.globally(operands[0]),
            Node::Until(..) => self.until(operands[0], operands[1]),
            Node::Release(..) => self.release(operands[0], operands[1]),
            Node::WeakUntil(..) => self.weak_until(operands[0], operands[1]),
            Node::StrongRelease(..) => self.strong_release(operands[0], operands[1]),
        }
    }

    /// All subformulas of the roots, operands before the formulas made of them.
    pub fn subformulas(&self, roots: &[FormulaId]) -> Vec<FormulaId> {
        let mut seen: rustc_hash::FxHashSet<FormulaId> = roots.iter().copied().collect();
        let mut stack = roots.to_vec();
        while let Some(f) = stack.pop() {
            self.node(f).for_each_operand(|g| {
                if seen.insert(g) {
                    stack.push(g);
                }
            });
        }
        let mut all: Vec<FormulaId> = seen.into_iter().collect();
        steps::count(2 * all.len() as u64);
        // Operands have smaller ids.
        all.sort_unstable();
        all
    }

    /// The atoms of the formulas.
    pub fn support(&self, roots: &[FormulaId]) -> IdSet<AtomId> {
        self.subformulas(roots)
            .into_iter()
            .filter_map(|f| if let Node::Atom(a) = self.node(f) { Some(*a) } else { None })
            .collect()
    }
}
