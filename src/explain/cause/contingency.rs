//! Contingencies: counterfactuals in which some outputs keep their actual values, for causes in the presence of
//! preemption (Halpern, *A modification of the Halpern-Pearl definition of causality*, IJCAI 2015; Coenen et al.,
//! *Temporal causality in reactive systems*, ATVA 2022).
//!
//! In state q at position k of the trace, an input may be answered by the outputs of the edge, or with some of them
//! reset to their actual values in step k. If no output changes, the run continues as the machine does. Otherwise it
//! continues in every state that some edge of the machine enters with these outputs, because outputs are assumed to
//! identify states; if there is none, as the machine does. O(|trace| · edges · 2^outputs).

use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::logic::{Alphabet, BitId, Lasso, Letter, Player};
use tsl_synth_core::model::{Buchi, Edge, Marks, Mealy, NodeId, StateId};

/// The plays of a machine with contingencies on a trace.
///
/// # Errors
/// A limit of the budget.
pub fn contingent_plays(
    alphabet: &Alphabet,
    machine: &Mealy,
    actual: &Lasso,
    budget: &Budget,
) -> Result<Buchi, Limit> {
    let what = || "the plays with contingencies".to_owned();
    let mut entered: FxHashMap<Letter, Vec<StateId>> = FxHashMap::default();
    for edge in machine.states.iter().flat_map(|state| &state.edges) {
        let states = entered.entry(edge.output.clone()).or_default();
        if !states.contains(&edge.next) {
            states.push(edge.next);
        }
    }
    let mut guards = machine.guards.clone();
    let outputs: Vec<BitId> = alphabet.bits_of(Player::System).collect();
    let mut states: Vec<(StateId, usize)> = vec![(machine.initial, 0)];
    let mut index: FxHashMap<(StateId, usize), NodeId> = FxHashMap::default();
    index.insert(states[0], NodeId::from_index(0));
    let mut edges: IdVec<NodeId, Vec<Edge>> = IdVec::new();
    while edges.len() < states.len() {
        let (state, position) = states[edges.len()];
        let after = actual.successor(position);
        let mut out: Vec<Edge> = Vec::new();
        for edge in &machine.states[state].edges {
            for answer in resets(alphabet, &edge.output, actual.letter(position)) {
                let targets = match entered.get(&answer) {
                    Some(targets) if answer != edge.output => targets.clone(),
                    _ => vec![edge.next],
                };
                let letter = guards.valuation(outputs.iter().copied(), &answer);
                let guard = guards.and(edge.guard, letter);
                for target in targets {
                    budget.tick(1, what)?;
                    let next = *index.entry((target, after)).or_insert_with(|| {
                        states.push((target, after));
                        NodeId::from_index(states.len() - 1)
                    });
                    out.push(Edge { next, marks: Marks::NONE, guard });
                }
            }
        }
        budget.charge(out.len() as u64 * 16, what)?;
        edges.push(out);
    }
    Ok(Buchi { guards, edges, initial: vec![NodeId::from_index(0)], sets: 0 })
}

/// The output letters with some cells and Boolean outputs as in the actual letter; the given one first.
fn resets(alphabet: &Alphabet, output: &Letter, actual: &Letter) -> Vec<Letter> {
    let mut all = vec![output.clone()];
    let mut reset = |change: &dyn Fn(&mut Letter)| {
        let more: Vec<Letter> = all
            .iter()
            .map(|letter| {
                let mut letter = letter.clone();
                change(&mut letter);
                letter
            })
            .collect();
        all.extend(more);
    };
    for cell in alphabet.cells().ids() {
        let was = alphabet.chosen(actual, cell);
        if alphabet.chosen(output, cell) != was {
            reset(&|letter| alphabet.choose(was, letter));
        }
    }
    for atom in alphabet.outputs() {
        if alphabet.holds(atom, output) != alphabet.holds(atom, actual) {
            reset(&|letter| {
                if alphabet.holds(atom, actual) {
                    alphabet.choose(atom, letter);
                } else {
                    let mut only = Letter::new();
                    alphabet.choose(atom, &mut only);
                    *letter = letter.iter().filter(|&bit| !only.contains(bit)).collect();
                }
            });
        }
    }
    all
}
