//! Questions about the cause and another language of input sequences, as emptiness of products.
//!
//! `H ⊆ C` is `H ∩ N = ∅` for the nondeterministic automaton N of the spoilers: no complement is needed. `C ⊆ H`
//! is `C ∩ ¬H = ∅`, with the deterministic automaton of the cause made only where ¬H leads. Polynomial in the
//! product, so cheap in the first direction. Witnesses are checked by the definition in the tests.

use super::determinate::{Determinate, unpack};
use super::events::bits;
use super::flips::{Flips, Label};
use super::spoilers::Spoilers;
use crate::automaton::{Arrow, Loop, accepting_loop};
use crate::base::{Budget, IdSet, Limit};
use crate::logic::{BitId, Guard, Guards, Lasso, Letter};
use crate::model::{Buchi, Marks, NodeId};
use rustc_hash::FxHashMap;

/// A sequence of inputs outside the cause, and the sequence not farther from the actual one that shows it: the
/// effect fails there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoiled {
    /// The sequence outside the cause.
    pub far: Lasso,
    /// The sequence that breaks the effect.
    pub close: Lasso,
}

/// Cells that must be as they were: masks for the steps of a lasso.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) masks: Vec<Flips>,
    pub(super) repeats_from: usize,
}

impl Kept {
    /// No cell.
    pub(super) fn nothing() -> Self {
        Self { masks: vec![0], repeats_from: 0 }
    }
    fn next(&self, step: usize) -> usize {
        if step + 1 == self.masks.len() { self.repeats_from } else { step + 1 }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    /// A state of the spoilers, or of the cause.
    state: usize,
    position: usize,
    other: NodeId,
    step: usize,
}

struct Product {
    nodes: Vec<Node>,
    index: FxHashMap<Node, usize>,
    graph: Vec<Vec<Arrow>>,
    /// Per arrow the far letter and the close one.
    letters: Vec<Vec<(Letter, Letter)>>,
}

impl Product {
    fn new() -> Self {
        Self { nodes: Vec::new(), index: FxHashMap::default(), graph: Vec::new(), letters: Vec::new() }
    }
    fn node(&mut self, node: Node) -> usize {
        *self.index.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        })
    }
    fn lassos(&self, found: &Loop) -> Spoiled {
        let pick = |arrows: &[(usize, usize)]| -> (Vec<Letter>, Vec<Letter>) {
            arrows.iter().map(|&(v, i)| self.letters[v][i].clone()).unzip()
        };
        let ((far, close), (far_cycle, close_cycle)) = (pick(&found.prefix), pick(&found.cycle));
        Spoiled {
            far: super::question::shortest_lasso(&Lasso { prefix: far, cycle: far_cycle }),
            close: super::question::shortest_lasso(&Lasso { prefix: close, cycle: close_cycle }),
        }
    }
}

/// A word of `automaton` outside the cause that changes no cell of `kept`; `None` if there is none. The
/// automaton is about inputs only.
///
/// # Errors
/// A limit of the budget.
pub(super) fn outside(
    spoilers: &Spoilers,
    automaton: &Buchi,
    kept: &Kept,
    budget: &Budget,
) -> Result<Option<Spoiled>, Limit> {
    let mut guards = automaton.guards.clone();
    let mut product = Product::new();
    for &state in &spoilers.initial {
        for &other in &automaton.initial {
            product.node(Node { state, position: 0, other, step: 0 });
        }
    }
    let initial: Vec<usize> = (0..product.nodes.len()).collect();
    // Two goals: the sets of the automaton and the acceptance of the spoilers as one set more.
    let goal = automaton.sets;
    while product.graph.len() < product.nodes.len() {
        let node = product.nodes[product.graph.len()];
        let actual = spoilers.actual.letter(node.position);
        let (position, step) = (spoilers.actual.successor(node.position), kept.next(node.step));
        let top = [super::spoilers::Arc { next: node.state, accepting: true, label: Label::default() }];
        let arcs = if spoilers.top[node.state] { &top[..] } else { &spoilers.arcs[node.state][..] };
        let (mut arrows, mut letters) = (Vec::new(), Vec::new());
        for arc in arcs.iter().filter(|arc| arc.label.need & kept.masks[node.step] == 0) {
            let fixed = Label { forbid: arc.label.forbid | kept.masks[node.step], ..arc.label };
            for edge in &automaton.edges[node.other] {
                budget.tick(1, || "comparing the cause".into())?;
                let Some(far) = nearest_letter(&mut guards, edge.guard, spoilers, actual, fixed) else {
                    continue;
                };
                let to = product.node(Node { state: arc.next, position, other: edge.next, step });
                let marks = if arc.accepting { edge.marks.union(Marks::of(goal)) } else { edge.marks };
                arrows.push(Arrow { to, marks, priority: 0 });
                letters.push((far, flipped(actual, &spoilers.inputs, arc.label.need)));
            }
        }
        budget.charge(arrows.len() as u64 * 96, || "comparing the cause".into())?;
        product.graph.push(arrows);
        product.letters.push(letters);
    }
    Ok(accepting_loop(&product.graph, &initial, goal + 1).map(|found| product.lassos(&found)))
}

/// A word of `automaton` in the cause; `None` if there is none. The automaton is about inputs only.
///
/// # Errors
/// A limit of the budget or of the cause automaton.
pub(super) fn inside(
    spoilers: &Spoilers,
    cause: &mut Determinate<'_>,
    automaton: &Buchi,
    budget: &Budget,
) -> Result<Option<Lasso>, Limit> {
    let mut guards = automaton.guards.clone();
    let mut product = Product::new();
    if spoilers.spares_actual() {
        for &other in &automaton.initial {
            product.node(Node { state: 0, position: 0, other, step: 0 });
        }
    }
    let initial: Vec<usize> = (0..product.nodes.len()).collect();
    while product.graph.len() < product.nodes.len() {
        let node = product.nodes[product.graph.len()];
        let actual = spoilers.actual.letter(node.position);
        let position = spoilers.actual.successor(node.position);
        let row = cause.row(node.state, budget)?.clone();
        let (mut arrows, mut letters) = (Vec::new(), Vec::new());
        for (letter, target) in row.targets.iter().enumerate() {
            let Some((state, priority)) = *target else { continue };
            let need = unpack(letter, row.local);
            let fixed = Label { need, forbid: row.local & !need };
            for edge in &automaton.edges[node.other] {
                budget.tick(1, || "comparing the cause".into())?;
                let Some(far) = nearest_letter(&mut guards, edge.guard, spoilers, actual, fixed) else {
                    continue;
                };
                let to = product.node(Node { state, position, other: edge.next, step: 0 });
                arrows.push(Arrow { to, marks: edge.marks, priority });
                letters.push((far.clone(), far));
            }
        }
        budget.charge(arrows.len() as u64 * 96, || "comparing the cause".into())?;
        product.graph.push(arrows);
        product.letters.push(letters);
    }
    Ok(accepting_loop(&product.graph, &initial, automaton.sets).map(|found| product.lassos(&found).far))
}

/// A letter of the guard whose differences from the actual one are admitted by the label, with few differences
/// elsewhere.
fn nearest_letter(
    guards: &mut Guards,
    guard: Guard,
    spoilers: &Spoilers,
    actual: &Letter,
    label: Label,
) -> Option<Letter> {
    let literal = |i: u32, differs: bool| {
        let bit = spoilers.inputs[i as usize];
        (bit, actual.contains(bit) != differs)
    };
    let mut cube: Vec<(BitId, bool)> = bits(label.need).map(|i| literal(i, true)).collect();
    cube.extend(bits(label.forbid).map(|i| literal(i, false)));
    let cube = guards.cube(&cube);
    let mut guard = guards.and(guard, cube);
    let mut letter = actual.clone();
    if guard == Guard::FALSE {
        return None;
    }
    // Follow the actual values where that is possible.
    while let Some((bit, low, high)) = guards.branch(guard) {
        let (same, other) = if actual.contains(bit) { (high, low) } else { (low, high) };
        if same == Guard::FALSE {
            if !letter.remove(bit) {
                letter.insert(bit);
            }
            guard = other;
        } else {
            guard = same;
        }
    }
    Some(letter)
}

/// The letter with these inputs changed.
pub(super) fn flipped(actual: &Letter, inputs: &[BitId], flips: Flips) -> Letter {
    let mut letter: IdSet<BitId> = actual.clone();
    for i in bits(flips) {
        if !letter.remove(inputs[i as usize]) {
            letter.insert(inputs[i as usize]);
        }
    }
    letter
}
