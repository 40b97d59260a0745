//! The labels of the edges of automata as text, for drawings.

use super::hoa::{AtomLabels, acceptance_condition, acceptance_sets, parity_propositions, parity_sum};
use tsl_synth_core::logic::Alphabet;
use tsl_synth_core::model::{EmersonLei, Parity};

/// The labels of the edges of every state, over inputs.
pub fn parity_labels(alphabet: &Alphabet, automaton: &Parity) -> Vec<Vec<String>> {
    let propositions = parity_propositions(alphabet, automaton);
    let mut guards = automaton.guards.clone();
    let mut label =
        |guard| shown(parity_sum(&mut guards, guard, &propositions, |i| propositions[i].1.clone()));
    automaton.edges.iter().map(|edges| edges.iter().map(|edge| label(edge.guard)).collect()).collect()
}

/// The labels of the edges of every state, over atoms, with the acceptance sets of the edge in braces; `None` if a label
/// needs too many products.
pub fn emerson_lei_labels(alphabet: &Alphabet, automaton: &EmersonLei) -> Option<Vec<Vec<String>>> {
    let mut labels = AtomLabels::new(alphabet, automaton);
    let mut label = |guard, marks| Some(shown(labels.short(guard)?) + &acceptance_sets(marks));
    let states = automaton.edges.iter();
    let states = states.map(|edges| edges.iter().map(|edge| label(edge.guard, edge.marks)).collect());
    states.collect()
}

/// The acceptance condition in the syntax of HOA.
pub fn emerson_lei_condition(automaton: &EmersonLei) -> String {
    acceptance_condition(&automaton.acceptance)
}

fn shown(label: String) -> String {
    if label == "t" { "true".to_owned() } else { label }
}
