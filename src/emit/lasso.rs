//! One lasso per reachable state, for the tests of scaffolds: a shortest path from the initial state to the state, and
//! a continuation that closes a loop. Each step has its inputs and the leaf that the machine chooses.

use super::machine::{Control, MachineLeaf};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::atoms::variable;
use tsl_synth_core::logic::{Alphabet, AtomId, Guard};
use tsl_synth_core::model::StateId;

/// A step of a lasso.
#[derive(Clone, Debug)]
pub(super) struct LassoStep {
    pub(super) from: StateId,
    /// The input atoms that hold.
    pub(super) holds: Vec<AtomId>,
    pub(super) leaf: MachineLeaf,
}

/// A lasso whose path visits `state`.
#[derive(Clone, Debug)]
pub(super) struct StateLasso {
    pub(super) state: StateId,
    pub(super) steps: Vec<LassoStep>,
    /// The step with which the loop begins.
    pub(super) turn: usize,
}

/// The lassos of all reachable states in the order of the states. Quadratic in the states.
pub(super) fn lassos(alphabet: &Alphabet, control: &mut Control<'_>) -> Vec<StateLasso> {
    let steps: Vec<Vec<LassoStep>> =
        control.states.ids().map(|state| outgoing(alphabet, control, state)).collect();
    let mut parents: FxHashMap<StateId, Option<LassoStep>> = FxHashMap::default();
    parents.insert(control.initial, None);
    let mut queue = VecDeque::from([control.initial]);
    while let Some(state) = queue.pop_front() {
        for step in &steps[state.index()] {
            if let Entry::Vacant(entry) = parents.entry(step.leaf.next) {
                entry.insert(Some(step.clone()));
                queue.push_back(step.leaf.next);
            }
        }
    }
    let reached = control.states.ids().filter(|state| parents.contains_key(state));
    reached
        .map(|state| {
            let mut word = Vec::new();
            let mut at = state;
            while let Some(Some(step)) = parents.get(&at) {
                word.push(step.clone());
                at = step.from;
            }
            word.reverse();
            let mut at = state;
            let turn = loop {
                if let Some(turn) = word.iter().position(|step| step.from == at) {
                    break turn;
                }
                // Every state has an edge; the last one is less often a self-loop than the first.
                let step = steps[at.index()].last().expect("the machine is total").clone();
                at = step.leaf.next;
                word.push(step);
            };
            StateLasso { state, steps: word, turn }
        })
        .collect()
}

/// One letter for every leaf of a state.
fn outgoing(alphabet: &Alphabet, control: &mut Control<'_>, state: StateId) -> Vec<LassoStep> {
    let data = &control.states[state];
    let guards = &mut control.atoms.guards;
    // All atoms of the letters are shown.
    let care = control.care.all(guards);
    let mut steps = Vec::new();
    for (leaf, &guard) in data.leaves.iter().zip(&data.guards) {
        let possible = guards.and(guard, care);
        if possible == Guard::FALSE {
            continue;
        }
        let letter = guards.pick(possible).unwrap_or_default();
        let holds = alphabet.inputs().filter(|&atom| letter.contains(variable(atom))).collect();
        steps.push(LassoStep { from: state, holds, leaf: leaf.clone() });
    }
    steps
}
