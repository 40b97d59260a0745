//! The machine id: a hash of the transition table. Equal machines over equal alphabets have equal ids,
//! whatever text they came from.

use super::machine::Control;
use crate::base::Id;
use crate::logic::{Alphabet, Guard, Guards};
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// SHA-256 in lower-case hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut out, byte| {
        write!(out, "{byte:02x}").expect("strings take everything");
        out
    })
}

/// The id of a machine: the first 32 digits of the hash of its canonical table. The table names the atoms in
/// order and gives for every state its leaves in order of their first letter, with their guards as diagrams
/// in the order of the atoms.
pub(super) fn machine_id(alphabet: &Alphabet, control: &Control<'_>) -> String {
    let mut table = String::from("tsl-synth machine 1\n");
    for atom in alphabet.atoms() {
        writeln!(table, "atom {:?} {:?}", atom.name, atom.kind).expect("strings take everything");
    }
    writeln!(table, "initial {}", control.initial.index()).expect("strings take everything");
    for (state, data) in control.states.enumerate() {
        let mut rows: Vec<String> = Vec::new();
        for (leaf, &guard) in data.leaves.iter().zip(&data.guards) {
            let numbers = |atoms: &[crate::logic::AtomId]| {
                atoms.iter().map(|a| a.index().to_string()).collect::<Vec<_>>().join(",")
            };
            rows.push(format!(
                "edge {} / {} / {} / {}",
                serialize(&control.atoms.guards, guard),
                numbers(&leaf.updates),
                numbers(&leaf.outputs),
                leaf.next.index()
            ));
        }
        rows.sort_unstable();
        writeln!(table, "state {}\n{}", state.index(), rows.join("\n")).expect("strings take everything");
    }
    let mut hash = sha256(table.as_bytes());
    hash.truncate(32);
    hash
}

/// A diagram as a list of its nodes, numbered in the order of a depth-first walk.
fn serialize(guards: &Guards, guard: Guard) -> String {
    let mut numbers: FxHashMap<Guard, usize> = [(Guard::FALSE, 0), (Guard::TRUE, 1)].into_iter().collect();
    let mut nodes = Vec::new();
    let mut stack = vec![(guard, false)];
    while let Some((guard, ready)) = stack.pop() {
        let Some((bit, low, high)) = guards.branch(guard) else { continue };
        if numbers.contains_key(&guard) {
            continue;
        }
        if ready {
            numbers.insert(guard, numbers.len());
            nodes.push(format!("{}?{}:{}", bit.index(), numbers[&high], numbers[&low]));
        } else {
            stack.extend([(guard, true), (high, false), (low, false)]);
        }
    }
    format!("{} {}", nodes.join(" "), numbers[&guard])
}

/// The id of a counter-strategy: the hash of its table as text.
pub(super) fn counter_id(alphabet: &Alphabet, states: &[super::graph::GraphState]) -> String {
    let mut table = String::from("tsl-synth counter-strategy 1\n");
    for atom in alphabet.atoms() {
        writeln!(table, "atom {:?} {:?}", atom.name, atom.kind).expect("strings take everything");
    }
    for state in states {
        writeln!(table, "state {} {:?}", state.start, state.letter).expect("strings take everything");
        for edge in &state.edges {
            writeln!(table, "edge {:?} {}", edge.guard, edge.next).expect("strings take everything");
        }
    }
    let mut hash = sha256(table.as_bytes());
    hash.truncate(32);
    hash
}
