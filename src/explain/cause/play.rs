//! Plays that automata accept, among those whose letters are restricted step by step.

use super::question::{CauseQuestion, shortest_lasso};
use rustc_hash::FxHashMap;
use tsl_synth_automata::{ParityArrow, accepting_loop};
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{Alphabet, BitId, Guard, Guards, Lasso, Letter, Player};
use tsl_synth_core::model::{Buchi, Edge, Marks, NodeId};

/// Constraints on the letters of a word, step by step; the cycle is not empty.
#[derive(Clone, Debug)]
pub struct Letters {
    /// Owns the guards.
    pub guards: Guards,
    /// The constraints before the cycle.
    pub prefix: Vec<Guard>,
    /// The constraints in the cycle.
    pub cycle: Vec<Guard>,
}

impl Letters {
    /// The words that agree with a word on these bits.
    fn of(bits: &[BitId], word: &Lasso) -> Self {
        let mut guards = Guards::new();
        let mut known =
            |letters: &[Letter]| letters.iter().map(|l| guards.valuation(bits.iter().copied(), l)).collect();
        let (prefix, cycle) = (known(&word.prefix), known(&word.cycle));
        Self { guards, prefix, cycle }
    }
    fn at(&self, position: usize) -> Guard {
        match position.checked_sub(self.prefix.len()) {
            None => self.prefix[position],
            Some(later) => self.cycle[later],
        }
    }
    fn successor(&self, position: usize) -> usize {
        if position + 1 == self.prefix.len() + self.cycle.len() { self.prefix.len() } else { position + 1 }
    }
}

/// A word with such letters that both automata accept; `None` if there is none. O(|letters| · |first| · |second|).
fn common(alphabet: &Alphabet, letters: &Letters, first: &Buchi, second: &Buchi) -> Option<Lasso> {
    type Node = (usize, NodeId, NodeId);
    let mut guards = letters.guards.clone();
    let mut nodes: Vec<Node> = Vec::new();
    for &q in &first.initial {
        nodes.extend(second.initial.iter().map(|&b| (0, q, b)));
    }
    let initial: Vec<usize> = (0..nodes.len()).collect();
    let mut index: FxHashMap<Node, usize> = nodes.iter().copied().zip(0..).collect();
    let (mut graph, mut chosen) = (Vec::new(), Vec::new());
    while graph.len() < nodes.len() {
        let (position, q, b) = nodes[graph.len()];
        let (mut arrows, mut labels) = (Vec::new(), Vec::new());
        for play in &first.edges[q] {
            let copy = first.guards.copy_into(play.guard, &mut guards);
            let known = guards.and(letters.at(position), copy);
            if known == Guard::FALSE {
                continue;
            }
            for edge in &second.edges[b] {
                let copy = second.guards.copy_into(edge.guard, &mut guards);
                let both = guards.and(known, copy);
                let Some(letter) = guards.pick(both) else { continue };
                let node = (letters.successor(position), play.next, edge.next);
                let to = *index.entry(node).or_insert_with(|| {
                    nodes.push(node);
                    nodes.len() - 1
                });
                let marks = play.marks.iter().map(|set| Marks::of(set + second.sets));
                arrows.push(ParityArrow { to, marks: marks.fold(edge.marks, Marks::union), priority: 0 });
                labels.push(alphabet.canonical(&letter));
            }
        }
        graph.push(arrows);
        chosen.push(labels);
    }
    let found = accepting_loop(&graph, &initial, first.sets + second.sets)?;
    let word = |part: &[(usize, usize)]| part.iter().map(|&(v, i)| chosen[v][i].clone()).collect();
    Some(shortest_lasso(&Lasso { prefix: word(&found.prefix), cycle: word(&found.cycle) }))
}

/// The automaton of all words.
fn everything() -> Buchi {
    let node = NodeId::from_index(0);
    let edge = Edge { next: node, marks: Marks::NONE, guard: Guard::TRUE };
    Buchi { guards: Guards::new(), edges: vec![vec![edge]].into(), initial: vec![node], sets: 0 }
}

/// A play of a system with such letters; `None` if there is none.
pub fn play_with(alphabet: &Alphabet, system: &Buchi, letters: &Letters) -> Option<Lasso> {
    common(alphabet, letters, system, &everything())
}

/// The first step of the letters at which every run of the system has ended; `None` if there is an infinite run.
/// O((|letters| · |system|)^2) at most.
pub fn stuck_at(system: &Buchi, letters: &Letters) -> Option<usize> {
    let mut guards = letters.guards.clone();
    let mut states: Vec<NodeId> = system.initial.clone();
    let mut position = 0;
    // A run with more steps has been in some state twice at the same position.
    for step in 0..=(letters.prefix.len() + letters.cycle.len()) * system.edges.len() {
        let mut next: Vec<NodeId> = Vec::new();
        for edge in states.iter().flat_map(|&state| &system.edges[state]) {
            let copy = system.guards.copy_into(edge.guard, &mut guards);
            if guards.intersects(copy, letters.at(position)) {
                next.push(edge.next);
            }
        }
        next.sort_unstable();
        next.dedup();
        if next.is_empty() {
            return Some(step);
        }
        states = next;
        position = letters.successor(position);
    }
    None
}

/// Whether an automaton over inputs and outputs accepts a word.
pub fn accepts(alphabet: &Alphabet, automaton: &Buchi, word: &Lasso) -> bool {
    let bits: Vec<BitId> = (0..alphabet.bit_count()).map(BitId::from_index).collect();
    play_with(alphabet, automaton, &Letters::of(&bits, word)).is_some()
}

/// A play of the system on these inputs without the effect; `None` if there is none.
pub(super) fn play_without(question: &CauseQuestion<'_>, inputs: &Lasso) -> Option<Lasso> {
    let environment: Vec<BitId> = question.alphabet.bits_of(Player::Environment).collect();
    common(question.alphabet, &Letters::of(&environment, inputs), question.system, question.without)
}
