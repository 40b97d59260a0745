//! Timed terms: first-order terms over inputs of a step, constants, and initial or opaque values.
//! Hash-consed, so that two evaluations denote the same term by congruence exactly if they are one node.

use super::super::signature::{LiteralValue, Operator, Signature, SymbolId, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::{IdVec, steps};
use tsl_synth_core::define_id;

define_id! {
    /// A timed term.
    pub(super) struct TimedTermId;
}

/// A timed term; arguments have smaller ids.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum TimedTerm {
    /// An opaque value, of which only the identity is known.
    Leaf(u32),
    /// The value of a cell in the step over which terms are expressed.
    Cell(SymbolId),
    /// The value of an input in a step.
    Input(SymbolId, u32),
    /// One evaluation of a term with a noisy predicate on top.
    Noisy(TermId, u32),
    Literal(LiteralValue),
    Apply(SymbolId, Box<[TimedTermId]>),
    Operation(Operator, TimedTermId, TimedTermId),
    /// The value of a cell with saturating or wrapping arithmetic after an update to a value.
    Stored(SymbolId, TimedTermId),
}

impl TimedTerm {
    pub(super) fn for_each(&self, mut visit: impl FnMut(TimedTermId)) {
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
    nodes: IdVec<TimedTermId, TimedTerm>,
    index: FxHashMap<TimedTerm, TimedTermId>,
}

impl Nodes {
    pub(super) fn intern(&mut self, node: TimedTerm) -> TimedTermId {
        steps::count(2);
        if let Some(&id) = self.index.get(&node) {
            return id;
        }
        let id = self.nodes.push(node.clone());
        self.index.insert(node, id);
        id
    }
    pub(super) fn get(&self, id: TimedTermId) -> &TimedTerm {
        &self.nodes[id]
    }
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }
    /// All subterms of the roots, arguments first.
    pub(super) fn reachable(&self, roots: impl IntoIterator<Item = TimedTermId>) -> Vec<TimedTermId> {
        let mut seen: FxHashSet<TimedTermId> = FxHashSet::default();
        let mut todo: Vec<TimedTermId> = roots.into_iter().filter(|&n| seen.insert(n)).collect();
        while let Some(id) = todo.pop() {
            self.nodes[id].for_each(|n| {
                if seen.insert(n) {
                    todo.push(n);
                }
            });
        }
        let mut all: Vec<TimedTermId> = seen.into_iter().collect();
        all.sort_unstable();
        all
    }
    /// The node with other arguments.
    pub(super) fn rebuild(
        &mut self,
        id: TimedTermId,
        image: impl Fn(TimedTermId) -> TimedTermId,
    ) -> TimedTermId {
        let node = match self.nodes[id].clone() {
            TimedTerm::Apply(symbol, arguments) => {
                TimedTerm::Apply(symbol, arguments.iter().map(|&a| image(a)).collect())
            }
            TimedTerm::Operation(operator, a, b) => TimedTerm::Operation(operator, image(a), image(b)),
            TimedTerm::Stored(symbol, a) => TimedTerm::Stored(symbol, image(a)),
            _ => return id,
        };
        self.intern(node)
    }
    /// The timed term that a term denotes, given what its signals and noisy applications denote.
    pub(super) fn evaluate(
        &mut self,
        signature: &Signature,
        term: TermId,
        memory: &mut FxHashMap<TermId, TimedTermId>,
        leaf: &mut impl FnMut(&mut Self, TimedLeaf) -> TimedTermId,
    ) -> TimedTermId {
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if memory.contains_key(&top) {
                stack.pop();
                continue;
            }
            let node = match signature.terms.get(top) {
                Term::Signal(symbol) => leaf(self, TimedLeaf::Signal(*symbol)),
                Term::Literal(literal) => self.intern(TimedTerm::Literal(literal.clone())),
                Term::Apply(symbol, _) if signature.symbols[*symbol].noisy => {
                    leaf(self, TimedLeaf::Noisy(top))
                }
                Term::Apply(symbol, arguments) => {
                    if missing(arguments, memory, &mut stack) {
                        continue;
                    }
                    let arguments = arguments.iter().map(|a| memory[a]).collect();
                    self.intern(TimedTerm::Apply(*symbol, arguments))
                }
                Term::Operation(operator, a, b) => {
                    if missing(&[*a, *b], memory, &mut stack) {
                        continue;
                    }
                    self.intern(TimedTerm::Operation(*operator, memory[a], memory[b]))
                }
            };
            memory.insert(top, node);
            stack.pop();
        }
        memory[&term]
    }
}

/// A leaf whose timed term [`Nodes::evaluate`] gets from its caller.
#[derive(Clone, Copy, Debug)]
pub(super) enum TimedLeaf {
    Signal(SymbolId),
    Noisy(TermId),
}

fn missing(arguments: &[TermId], memory: &FxHashMap<TermId, TimedTermId>, stack: &mut Vec<TermId>) -> bool {
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
