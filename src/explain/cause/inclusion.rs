//! Questions about the cause and another language of input sequences, as emptiness of products.
//!
//! `H ⊆ C` is `H ∩ N = ∅` for the nondeterministic automaton N of the counterfactuals: no complement is needed. `C ⊆ H` is `C
//! ∩ ¬H = ∅`, with the deterministic automaton of the cause built only where ¬H leads. Polynomial in the product, so
//! cheap in the first direction. Witnesses are checked by the definition in the tests.

use super::counterfactuals::{Arc, Counterfactuals};
use super::determinate::{Determinate, unpack};
use super::events::bits;
use super::flips::{FlipLabel, Flips};
use rustc_hash::FxHashMap;
use tsl_synth_automata::{Loop, ParityArrow, accepting_loop};
use tsl_synth_core::base::{Budget, Id, IdSet, Limit};
use tsl_synth_core::logic::{BitId, Guard, Guards, Lasso, Letter};
use tsl_synth_core::model::{Buchi, Edge, Marks, NodeId};

/// A sequence of inputs outside the cause, and the sequence not farther from the actual one that shows it: the
/// effect fails there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoiled {
    /// The sequence outside the cause.
    pub far: Lasso,
    /// The sequence that breaks the effect.
    pub close: Lasso,
}

/// Cells that must keep their actual values: masks for the steps of a lasso.
#[derive(Clone, Debug)]
pub(super) struct KeptCells {
    masks: Vec<Flips>,
    repeats_from: usize,
}

impl KeptCells {
    /// No cell.
    pub(super) fn nothing() -> Self {
        Self { masks: vec![0], repeats_from: 0 }
    }
    /// These masks, repeated from `repeats_from` on; stored as the shortest lasso.
    pub(super) fn new(mut masks: Vec<Flips>, repeats_from: usize) -> Self {
        let round = &masks[repeats_from..];
        let n = round.len();
        let repeats = |d: usize| n.is_multiple_of(d) && (d..n).all(|i| round[i] == round[i - d]);
        let period = (1..n).find(|&d| repeats(d)).unwrap_or(n);
        masks.truncate(repeats_from + period);
        let mut start = repeats_from;
        while start > 0 && masks[start - 1] == masks[masks.len() - 1] {
            masks.pop();
            start -= 1;
        }
        Self { masks, repeats_from: start }
    }
    fn next(&self, step: usize) -> usize {
        if step + 1 == self.masks.len() { self.repeats_from } else { step + 1 }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct PairedState {
    /// A state of the counterfactuals, or of the cause.
    state: usize,
    position: usize,
    other: NodeId,
    step: usize,
}

/// The letters of an arrow: far letters of a guard that a label admits, and a close one with these flips; `None` if the
/// close letter is the far one.
struct FlipMove {
    guard: Guard,
    label: FlipLabel,
    close: Option<Flips>,
}

struct InclusionProduct<'a> {
    counterfactuals: &'a Counterfactuals,
    guards: Guards,
    nodes: Vec<PairedState>,
    index: FxHashMap<PairedState, usize>,
    graph: Vec<Vec<ParityArrow>>,
    /// The moves of each arrow. Letters are computed only for the arrows of the result.
    moves: Vec<Vec<FlipMove>>,
    /// Whether a guard has a letter that a label admits in a position.
    admits: FxHashMap<(Guard, FlipLabel, usize), bool>,
}

impl<'a> InclusionProduct<'a> {
    fn new(counterfactuals: &'a Counterfactuals, guards: &Guards) -> Self {
        Self {
            counterfactuals,
            guards: guards.clone(),
            nodes: Vec::new(),
            index: FxHashMap::default(),
            graph: Vec::new(),
            moves: Vec::new(),
            admits: FxHashMap::default(),
        }
    }
    fn node(&mut self, node: PairedState) -> usize {
        *self.index.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        })
    }
    fn admits(&mut self, guard: Guard, label: FlipLabel, position: usize) -> bool {
        if guard == Guard::TRUE || guard == Guard::FALSE {
            return guard == Guard::TRUE;
        }
        let (guards, counterfactuals) = (&mut self.guards, self.counterfactuals);
        *self.admits.entry((guard, label, position)).or_insert_with(|| {
            restricted(guards, guard, counterfactuals, counterfactuals.actual.letter(position), label)
                != Guard::FALSE
        })
    }
    fn letters(&mut self, arrows: &[(usize, usize)]) -> (Vec<Letter>, Vec<Letter>) {
        let (guards, counterfactuals) = (&mut self.guards, self.counterfactuals);
        let pair = |&(v, i): &(usize, usize)| {
            let FlipMove { guard, label, close } = self.moves[v][i];
            let actual = counterfactuals.actual.letter(self.nodes[v].position);
            let far = nearest_letter(guards, guard, counterfactuals, actual, label);
            let close =
                close.map_or_else(|| far.clone(), |flips| flipped(actual, &counterfactuals.inputs, flips));
            (far, close)
        };
        arrows.iter().map(pair).unzip()
    }
    fn lassos(&mut self, found: &Loop) -> Spoiled {
        let (far, close) = self.letters(&found.prefix);
        let (far_cycle, close_cycle) = self.letters(&found.cycle);
        Spoiled {
            far: super::question::shortest_lasso(&Lasso { prefix: far, cycle: far_cycle }),
            close: super::question::shortest_lasso(&Lasso { prefix: close, cycle: close_cycle }),
        }
    }
}

/// The states that accept every word by staying.
fn universal(automaton: &Buchi) -> Vec<bool> {
    let all = Marks::all(automaton.sets);
    let stays = |(state, edges): (NodeId, &Vec<Edge>)| {
        edges.iter().any(|e| e.next == state && e.guard == Guard::TRUE && e.marks.covers(all))
    };
    automaton.edges.enumerate().map(stays).collect()
}

/// A word of `automaton` outside the cause that changes no cell of `kept`; `None` if there is none. The
/// automaton is about inputs only.
///
/// # Errors
/// A limit of the budget.
pub(super) fn outside(
    counterfactuals: &Counterfactuals,
    automaton: &Buchi,
    kept: &KeptCells,
    budget: &Budget,
) -> Result<Option<Spoiled>, Limit> {
    let mut product = InclusionProduct::new(counterfactuals, &automaton.guards);
    for &state in &counterfactuals.initial {
        for &other in &automaton.initial {
            product.node(PairedState { state, position: 0, other, step: 0 });
        }
    }
    let initial: Vec<usize> = (0..product.nodes.len()).collect();
    let universal = universal(automaton);
    // Once a pair of states is found in which both accept every continuation, only such pairs are explored further.
    let mut ends = false;
    // The acceptance sets of the product: those of the automaton, and one more for the counterfactuals.
    let goal = automaton.sets;
    while product.graph.len() < product.nodes.len() {
        let node = product.nodes[product.graph.len()];
        let (position, step) = (counterfactuals.actual.successor(node.position), kept.next(node.step));
        let top = [Arc { next: node.state, accepting: true, label: FlipLabel::default() }];
        let is_top = counterfactuals.top[node.state];
        let is_end = is_top && universal[node.other.index()];
        let arcs = match (is_top, ends) {
            (_, true) if !is_end => &[],
            (true, _) => &top[..],
            (false, _) => &counterfactuals.arcs[node.state][..],
        };
        ends |= is_end;
        let (mut arrows, mut moves) = (Vec::new(), Vec::new());
        for arc in arcs.iter().filter(|arc| arc.label.need & kept.masks[node.step] == 0) {
            let label = FlipLabel { forbid: arc.label.forbid | kept.masks[node.step], ..arc.label };
            for edge in &automaton.edges[node.other] {
                budget.tick(1, || "comparing the cause".into())?;
                if is_end && (edge.next != node.other || edge.guard != Guard::TRUE) {
                    continue;
                }
                if !product.admits(edge.guard, label, node.position) {
                    continue;
                }
                let to = product.node(PairedState { state: arc.next, position, other: edge.next, step });
                let marks = if arc.accepting { edge.marks.union(Marks::of(goal)) } else { edge.marks };
                arrows.push(ParityArrow { to, marks, priority: 0 });
                moves.push(FlipMove { guard: edge.guard, label, close: Some(arc.label.need) });
            }
        }
        budget.charge(arrows.len() as u64 * 64, || "comparing the cause".into())?;
        product.graph.push(arrows);
        product.moves.push(moves);
    }
    Ok(accepting_loop(&product.graph, &initial, goal + 1).map(|found| product.lassos(&found)))
}

/// A word of `automaton` in the cause; `None` if there is none. The automaton is about inputs only.
///
/// # Errors
/// A limit of the budget or of the cause automaton.
pub(super) fn inside(
    counterfactuals: &Counterfactuals,
    cause: &mut Determinate<'_>,
    automaton: &Buchi,
    budget: &Budget,
) -> Result<Option<Lasso>, Limit> {
    let mut product = InclusionProduct::new(counterfactuals, &automaton.guards);
    if counterfactuals.spares_actual() {
        for &other in &automaton.initial {
            product.node(PairedState { state: 0, position: 0, other, step: 0 });
        }
    }
    let initial: Vec<usize> = (0..product.nodes.len()).collect();
    while product.graph.len() < product.nodes.len() {
        let node = product.nodes[product.graph.len()];
        let position = counterfactuals.actual.successor(node.position);
        let row = cause.row(node.state, budget)?.clone();
        let (mut arrows, mut moves) = (Vec::new(), Vec::new());
        for (letter, target) in row.targets.iter().enumerate() {
            let Some((state, priority)) = *target else { continue };
            let need = unpack(letter, row.local);
            let label = FlipLabel { need, forbid: row.local & !need };
            for edge in &automaton.edges[node.other] {
                budget.tick(1, || "comparing the cause".into())?;
                if !product.admits(edge.guard, label, node.position) {
                    continue;
                }
                let to = product.node(PairedState { state, position, other: edge.next, step: 0 });
                arrows.push(ParityArrow { to, marks: edge.marks, priority });
                moves.push(FlipMove { guard: edge.guard, label, close: None });
            }
        }
        budget.charge(arrows.len() as u64 * 64, || "comparing the cause".into())?;
        product.graph.push(arrows);
        product.moves.push(moves);
    }
    Ok(accepting_loop(&product.graph, &initial, automaton.sets).map(|found| product.lassos(&found).far))
}

/// The letters of the guard whose differences from the actual one are admitted by the label.
fn restricted(
    guards: &mut Guards,
    guard: Guard,
    counterfactuals: &Counterfactuals,
    actual: &Letter,
    label: FlipLabel,
) -> Guard {
    let literal = |i: u32, differs: bool| {
        let bit = counterfactuals.inputs[i as usize];
        (bit, actual.contains(bit) != differs)
    };
    let mut cube: Vec<(BitId, bool)> = bits(label.need).map(|i| literal(i, true)).collect();
    cube.extend(bits(label.forbid).map(|i| literal(i, false)));
    let cube = guards.cube(&cube);
    guards.and(guard, cube)
}

/// One of these letters with few differences where the label leaves them open.
fn nearest_letter(
    guards: &mut Guards,
    guard: Guard,
    counterfactuals: &Counterfactuals,
    actual: &Letter,
    label: FlipLabel,
) -> Letter {
    let mut guard = restricted(guards, guard, counterfactuals, actual, label);
    let mut letter = actual.clone();
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
    letter
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
