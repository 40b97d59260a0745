//! Automata as graphs for Graphviz.

use super::hoa::{AtomLabels, acceptance_condition, acceptance_sets, parity_propositions, parity_sum};
use super::quoted;
use std::fmt::Write;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::Alphabet;
use tsl_synth_core::model::{EmersonLei, Parity};

/// The labels of the edges of every state, over inputs.
pub fn parity_labels(alphabet: &Alphabet, automaton: &Parity) -> Vec<Vec<String>> {
    let propositions = parity_propositions(alphabet, automaton);
    let mut guards = automaton.guards.clone();
    let mut label = |guard| {
        let label = parity_sum(&mut guards, guard, &propositions, |i| propositions[i].1.clone());
        if label == "t" { "true".to_owned() } else { label }
    };
    automaton.edges.iter().map(|edges| edges.iter().map(|edge| label(edge.guard)).collect()).collect()
}

/// A deterministic parity automaton over inputs: accepting edges of a Büchi automaton are bold, other priorities
/// are written in braces.
pub fn write_parity_dot(alphabet: &Alphabet, automaton: &Parity, name: &str) -> String {
    let propositions = parity_propositions(alphabet, automaton);
    let buchi = automaton.edges.iter().flatten().all(|edge| edge.priority <= 1);
    let mut guards = automaton.guards.clone();
    let mut out = format!(
        "digraph {} {{\n  rankdir=LR;\n  node [shape=circle];\n  start [shape=point];\n  start -> {};\n",
        quoted(name),
        automaton.initial.index()
    );
    for (q, edges) in automaton.edges.enumerate() {
        writeln!(out, "  {};", q.index()).expect("strings take everything");
        for edge in edges {
            let label = parity_sum(&mut guards, edge.guard, &propositions, |i| propositions[i].1.clone());
            let label = if label == "t" { "true".to_owned() } else { label };
            let (label, style) = match edge.priority {
                0 if buchi => (label, ", style=bold"),
                1 if buchi => (label, ""),
                priority => (format!("{label} {{{priority}}}"), ""),
            };
            let (from, to) = (q.index(), edge.next.index());
            writeln!(out, "  {from} -> {to} [label={}{style}];", quoted(&label))
                .expect("strings take everything");
        }
    }
    out.push_str("}\n");
    out
}

/// An automaton over all atoms: the acceptance sets of an edge are written in braces, name and acceptance condition are
/// the label of the graph. `None` if the label of an edge needs too many products.
pub fn write_emerson_lei_dot(alphabet: &Alphabet, automaton: &EmersonLei, name: &str) -> Option<String> {
    let mut labels = AtomLabels::new(alphabet, automaton);
    let mut out = format!(
        "digraph {} {{\n  rankdir=LR;\n  label={};\n  node [shape=circle];\n",
        quoted(name),
        quoted(&format!("{name}: {}", acceptance_condition(&automaton.acceptance))),
    );
    for (i, q) in automaton.initial.iter().enumerate() {
        writeln!(out, "  start{i} [shape=point];\n  start{i} -> {};", q.index())
            .expect("strings take everything");
    }
    for (q, edges) in automaton.edges.enumerate() {
        writeln!(out, "  {};", q.index()).expect("strings take everything");
        for edge in edges {
            let label = labels.short(edge.guard)?;
            let label = if label == "t" { "true".to_owned() } else { label };
            let label = quoted(&format!("{label}{}", acceptance_sets(edge.marks)));
            writeln!(out, "  {} -> {} [label={label}];", q.index(), edge.next.index())
                .expect("strings take everything");
        }
    }
    out.push_str("}\n");
    Some(out)
}
