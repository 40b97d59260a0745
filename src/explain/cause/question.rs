//! The question for a cause: a system, a trace, and an effect.

use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, BitId, Guard, Guards, Lasso, Letter, Player};
use tsl_synth_core::model::{Buchi, Edge, Marks, Mealy, NodeId};

/// Why did the effect happen on this trace of this system?
#[derive(Clone, Copy, Debug)]
pub struct CauseQuestion<'a> {
    /// The atoms of all parts.
    pub alphabet: &'a Alphabet,
    /// The plays of the system; see [`plays`].
    pub system: &'a Buchi,
    /// The trace: inputs and outputs.
    pub actual: &'a Lasso,
    /// The plays without the effect (and, where they are to be respected, with the assumptions).
    pub without: &'a Buchi,
}

impl CauseQuestion<'_> {
    /// The bits of the environment in order: the i-th is bit i of a set of flips.
    pub(super) fn inputs(&self) -> Vec<BitId> {
        self.alphabet.bits_of(Player::Environment).collect()
    }
}

/// The plays of a machine as an automaton over the bits of both players.
pub fn plays(alphabet: &Alphabet, machine: &Mealy) -> Buchi {
    let mut guards: Guards = machine.guards.clone();
    let mut edges: IdVec<NodeId, Vec<Edge>> = IdVec::new();
    for state in &machine.states {
        let mut out = Vec::with_capacity(state.edges.len());
        for edge in &state.edges {
            let output = guards.valuation(alphabet.bits_of(Player::System), &edge.output);
            let guard = guards.and(edge.guard, output);
            out.push(Edge { next: NodeId::from_index(edge.next.index()), marks: Marks::NONE, guard });
        }
        edges.push(out);
    }
    Buchi { guards, edges, initial: vec![NodeId::from_index(machine.initial.index())], sets: 0 }
}

/// The same word with the shortest prefix and cycle. Linear, apart from the divisors of the cycle's length.
pub fn shortest_lasso(word: &Lasso) -> Lasso {
    let Lasso { mut prefix, mut cycle } = word.clone();
    let n = cycle.len();
    let repeats = |d: usize| n.is_multiple_of(d) && (d..n).all(|i| cycle[i] == cycle[i - d]);
    let period = (1..n).find(|&d| repeats(d)).unwrap_or(n);
    cycle.truncate(period);
    while prefix.pop_if(|last| Some(&*last) == cycle.last()).is_some() {
        cycle.rotate_right(1);
    }
    Lasso { prefix, cycle }
}

/// The atom of an input.
pub(super) fn input_atom(alphabet: &Alphabet, bit: BitId) -> AtomId {
    let is = |atom: &AtomId| alphabet.atoms()[*atom].kind == AtomKind::Input(bit);
    alphabet.inputs().find(is).expect("every bit of the environment is an input")
}

/// The letter at any step of a word.
pub(super) fn letter_at(word: &Lasso, step: usize) -> &Letter {
    match step.checked_sub(word.prefix.len()) {
        None => &word.prefix[step],
        Some(later) => &word.cycle[later % word.cycle.len()],
    }
}

/// The input sequences of the plays of a system that an automaton accepts, as an automaton over inputs only. O(|system|
/// · |automaton|) states.
///
/// # Errors
/// A limit of the budget.
pub(super) fn project(
    alphabet: &Alphabet,
    system: &Buchi,
    automaton: &Buchi,
    budget: &Budget,
) -> Result<Buchi, Limit> {
    let output = |bit: BitId| alphabet.owner(bit) == Player::System;
    let about_outputs = |edge: &Edge| automaton.guards.support(edge.guard).into_iter().any(output);
    if !automaton.edges.iter().flatten().any(about_outputs) {
        return Ok(automaton.clone());
    }
    let mut guards = system.guards.clone();
    let mut states: Vec<(NodeId, NodeId)> = Vec::new();
    let mut index: FxHashMap<(NodeId, NodeId), NodeId> = FxHashMap::default();
    let mut state = |pair: (NodeId, NodeId), states: &mut Vec<(NodeId, NodeId)>| {
        *index.entry(pair).or_insert_with(|| {
            states.push(pair);
            NodeId::from_index(states.len() - 1)
        })
    };
    let mut initial = Vec::new();
    for &q in &system.initial {
        for &b in &automaton.initial {
            initial.push(state((q, b), &mut states));
        }
    }
    let mut edges: IdVec<NodeId, Vec<Edge>> = IdVec::new();
    while edges.len() < states.len() {
        let (q, b) = states[edges.len()];
        let mut out = Vec::new();
        for play in &system.edges[q] {
            for edge in &automaton.edges[b] {
                budget.tick(1, || "input sequences of an automaton".into())?;
                let copy = automaton.guards.copy_into(edge.guard, &mut guards);
                let both = guards.and(play.guard, copy);
                let guard = guards.exists(both, &output);
                if guard != Guard::FALSE {
                    let next = state((play.next, edge.next), &mut states);
                    let shifted = (0..system.sets)
                        .filter(|&set| play.marks.covers(Marks::of(set)))
                        .fold(edge.marks, |marks, set| marks.union(Marks::of(set + automaton.sets)));
                    out.push(Edge { next, marks: shifted, guard });
                }
            }
        }
        edges.push(out);
    }
    Ok(Buchi { guards, edges, initial, sets: automaton.sets + system.sets })
}
