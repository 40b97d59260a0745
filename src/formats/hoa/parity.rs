//! Deterministic parity automata as HOA: with Büchi acceptance if all priorities are at most 1, and then with
//! acceptance on states if the edges of every state have the same priority.

use super::writer::HoaHeader;
use crate::quoted;
use std::fmt::Write;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::cover::cover;
use tsl_synth_core::logic::{Alphabet, AtomKind, BitId, Guard, Guards};
use tsl_synth_core::model::{Parity, ParityEdge};

/// The bits that the labels of an automaton depend on, with the names of their atoms.
pub(crate) fn propositions(alphabet: &Alphabet, automaton: &Parity) -> Vec<(BitId, String)> {
    let mut bits: Vec<BitId> =
        automaton.edges.iter().flatten().flat_map(|edge| automaton.guards.support(edge.guard)).collect();
    bits.sort_unstable();
    bits.dedup();
    let name = |bit: BitId| {
        let atoms = alphabet.atoms().iter();
        let own =
            atoms.filter(|atom| atom.kind == AtomKind::Input(bit) || atom.kind == AtomKind::Output(bit));
        own.map(|atom| atom.name.clone()).next().unwrap_or_default()
    };
    bits.into_iter().map(|bit| (bit, name(bit))).collect()
}

/// A guard over these propositions as a sum of products; `name` gives the text of a proposition.
pub(crate) fn sum(
    guards: &mut Guards,
    guard: Guard,
    propositions: &[(BitId, String)],
    name: impl Fn(usize) -> String,
) -> String {
    let literal = |&(bit, value): &(BitId, bool)| {
        let index = propositions.iter().position(|(b, _)| *b == bit).unwrap_or_default();
        format!("{}{}", if value { "" } else { "!" }, name(index))
    };
    let products: Vec<String> = cover(guards, guard, guard)
        .iter()
        .map(|cube| {
            let literals: Vec<String> = cube.iter().map(literal).collect();
            if literals.is_empty() { "t".to_owned() } else { literals.join("&") }
        })
        .collect();
    products.join(" | ")
}

/// A deterministic parity automaton over inputs.
pub fn write_parity(alphabet: &Alphabet, automaton: &Parity, header: &HoaHeader) -> String {
    let propositions = propositions(alphabet, automaton);
    let names: Vec<String> = propositions.iter().map(|(_, name)| format!(" {}", quoted(name))).collect();
    let top = automaton.edges.iter().flatten().map(|edge| edge.priority).max().unwrap_or(1);
    let buchi = top <= 1;
    let on_states =
        buchi && automaton.edges.iter().all(|out| out.windows(2).all(|w| w[0].priority == w[1].priority));
    let (acc_name, acceptance) =
        if buchi { ("Buchi".to_owned(), "1 Inf(0)".to_owned()) } else { parity_condition(top + 1) };
    let mut out = format!(
        "HOA: v1\nname: {}\ntool: \"tsl-synth\" {}\nStates: {}\nStart: {}\nAP: {}{}\nacc-name: {acc_name}\n\
         Acceptance: {acceptance}\nproperties: trans-labels explicit-labels {} deterministic\n--BODY--\n",
        quoted(&header.name),
        quoted(&header.tool_version),
        automaton.edges.len(),
        automaton.initial.index(),
        names.len(),
        names.concat(),
        if on_states { "state-acc" } else { "trans-acc" },
    );
    let mut guards = automaton.guards.clone();
    let marks = |edge: &ParityEdge| match edge.priority {
        1 if buchi => String::new(),
        priority => format!(" {{{priority}}}"),
    };
    for (q, edges) in automaton.edges.enumerate() {
        let own = if on_states { edges.first().map_or(String::new(), marks) } else { String::new() };
        writeln!(out, "State: {}{own}", q.index()).expect("strings take everything");
        for edge in edges {
            let label = sum(&mut guards, edge.guard, &propositions, |i| i.to_string());
            let own = if on_states { String::new() } else { marks(edge) };
            writeln!(out, "[{label}] {}{own}", edge.next.index()).expect("strings take everything");
        }
    }
    out.push_str("--END--\n");
    out
}

/// `parity min even n`: `Inf(0) | (Fin(1) & (Inf(2) | ...))`.
fn parity_condition(sets: u32) -> (String, String) {
    let mut condition = String::new();
    for set in (0..sets).rev() {
        let (word, op) = if set % 2 == 0 { ("Inf", "|") } else { ("Fin", "&") };
        condition = if condition.is_empty() {
            format!("{word}({set})")
        } else {
            format!("{word}({set}) {op} ({condition})")
        };
    }
    (format!("parity min even {sets}"), format!("{sets} {condition}"))
}
