//! Timed terms: first-order terms over inputs of a step, constants, and initial or opaque values.
//! Hash-consed, so that two evaluations denote the same term by congruence exactly if they are one node.

use super::super::signature::{Literal, Operator, Signature, SymbolId, Term, TermId};
use crate::base::{IdVec, steps};
use crate::define_id;
use rustc_hash::{FxHashMap, FxHashSet};

define_id! {
    /// A timed term.
    pub(super) struct NodeId;
}

/// A timed term; arguments have smaller ids.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// A value of which nothing is known but its identity.
    Leaf(u32),
    /// The value of a cell at the present frontier.
    Cell(SymbolId),
    /// The value of an input in a step.
    Input(SymbolId, u32),
    /// One evaluation of a term with a noisy predicate on top.
    Noisy(TermId, u32),
    Literal(Literal),
    Apply(SymbolId, Box<[NodeId]>),
    Operation(Operator, NodeId, NodeId),
    /// What a cell with saturating or wrapping arithmetic holds after an update to a value.
    Stored(SymbolId, NodeId),
}

impl Node {
    pub(super) fn for_each(&self, mut visit: impl FnMut(NodeId)) {
        match self {
            Self::Leaf(_) | Self::Cell(_) | Self::Input(..) | Self::Noisy(..) | Self::Literal(_) => {}
            Self::Apply(_, arguments) => arguments.iter().copied().for_each(visit),
            Self::Operation(_, a, b) => {
                visit(*a);
                visit(*b);
            }
            Self::Stored(_, a) => visit(*a),
        }
    }
}

/// The arena of timed terms.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    nodes: IdVec<NodeId, Node>,
    index: FxHashMap<Node, NodeId>,
}

impl Nodes {
    pub(super) fn intern(&mut self, node: Node) -> NodeId {
        steps::count(2);
        if let Some(&id) = self.index.get(&node) {
            return id;
        }
        let id = self.nodes.push(node.clone());
        self.index.insert(node, id);
        id
    }
    pub(super) fn get(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }
    /// The nodes that the roots are made of, arguments first.
    pub(super) fn reachable(&self, roots: impl IntoIterator<Item = NodeId>) -> Vec<NodeId> {
        let mut seen: FxHashSet<NodeId> = FxHashSet::default();
        let mut todo: Vec<NodeId> = roots.into_iter().filter(|&n| seen.insert(n)).collect();
        while let Some(id) = todo.pop() {
            self.nodes[id].for_each(|n| {
                if seen.insert(n) {
                    todo.push(n);
                }
            });
        }
        let mut all: Vec<NodeId> = seen.into_iter().collect();
        all.sort_unstable();
        all
    }
    /// The node with other arguments.
    pub(super) fn rebuild(&mut self, id: NodeId, image: impl Fn(NodeId) -> NodeId) -> NodeId {
        let node = match self.nodes[id].clone() {
            Node::Apply(symbol, arguments) => {
                Node::Apply(symbol, arguments.iter().map(|&a| image(a)).collect())
            }
            Node::Operation(operator, a, b) => Node::Operation(operator, image(a), image(b)),
            Node::Stored(symbol, a) => Node::Stored(symbol, image(a)),
            _ => return id,
        };
        self.intern(node)
    }
    /// The timed term that a term denotes, given what its signals and noisy applications denote.
    pub(super) fn evaluate(
        &mut self,
        signature: &Signature,
        term: TermId,
        memory: &mut FxHashMap<TermId, NodeId>,
        leaf: &mut impl FnMut(&mut Self, Leaf) -> NodeId,
    ) -> NodeId {
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if memory.contains_key(&top) {
                stack.pop();
                continue;
            }
            let node = match signature.terms.get(top) {
                Term::Signal(symbol) => leaf(self, Leaf::Signal(*symbol)),
                Term::Literal(literal) => self.intern(Node::Literal(literal.clone())),
                Term::Apply(symbol, _) if signature.symbols[*symbol].noisy => leaf(self, Leaf::Noisy(top)),
                Term::Apply(symbol, arguments) => {
                    if missing(arguments, memory, &mut stack) {
                        continue;
                    }
                    let arguments = arguments.iter().map(|a| memory[a]).collect();
                    self.intern(Node::Apply(*symbol, arguments))
                }
                Term::Operation(operator, a, b) => {
                    if missing(&[*a, *b], memory, &mut stack) {
                        continue;
                    }
                    self.intern(Node::Operation(*operator, memory[a], memory[b]))
                }
            };
            memory.insert(top, node);
            stack.pop();
        }
        memory[&term]
    }
}

/// What [`Nodes::evaluate`] asks for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Leaf {
    Signal(SymbolId),
    Noisy(TermId),
}

fn missing(arguments: &[TermId], memory: &FxHashMap<TermId, NodeId>, stack: &mut Vec<TermId>) -> bool {
    let before = stack.len();
    stack.extend(arguments.iter().filter(|a| !memory.contains_key(a)));
    stack.len() > before
}

/// Whether a term has a noisy predicate in it.
pub(super) fn is_noisy(signature: &Signature, term: TermId) -> bool {
    let mut todo = vec![term];
    let mut seen = FxHashSet::default();
    while let Some(term) = todo.pop() {
        match signature.terms.get(term) {
            Term::Apply(symbol, arguments) => {
                if signature.symbols[*symbol].noisy {
                    return true;
                }
                todo.extend(arguments.iter().copied().filter(|a| seen.insert(*a)));
            }
            Term::Operation(_, a, b) => todo.extend([*a, *b].into_iter().filter(|t| seen.insert(*t))),
            Term::Signal(_) | Term::Literal(_) => {}
        }
    }
    false
}
