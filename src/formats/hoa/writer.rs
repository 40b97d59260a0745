//! Strategies as HOA. Every atom is an atomic proposition with its text as name; a cell is one proposition per option,
//! and every label requires that exactly one of them holds.

use crate::quoted;
use std::fmt::Write;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::atoms::{AtomGuards, variable};
use tsl_synth_core::logic::cover::cover;
use tsl_synth_core::logic::{Alphabet, AtomId, Guard, Player};
use tsl_synth_core::model::{CounterStrategy, Mealy};

/// The parts of the header that do not depend on the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HoaHeader {
    /// Name of the automaton.
    pub name: String,
    /// Version of this tool.
    pub tool_version: String,
}

/// A machine of the system: labels are inputs and outputs of an edge, the outputs are controllable.
pub fn write_mealy(alphabet: &Alphabet, mealy: &Mealy, header: &HoaHeader) -> String {
    let mut out = head(alphabet, header, mealy.states.len(), mealy.initial.index(), Player::System);
    let mut atoms = AtomGuards::new(alphabet);
    let mut from = mealy.guards.clone();
    for (id, state) in mealy.states.enumerate() {
        writeln!(out, "State: {}", id.index()).expect("strings take everything");
        for edge in &state.edges {
            let guard = atoms.import(edge.guard, &mut from);
            let cube: Vec<(AtomId, bool)> = alphabet
                .atoms()
                .ids()
                .filter(|&atom| alphabet.player(atom) == Player::System)
                .map(|atom| (atom, alphabet.holds(atom, &edge.output)))
                .collect();
            label(&mut out, &mut atoms, guard, &cube, &edge.next.index().to_string());
        }
    }
    out.push_str("--END--\n");
    out
}

/// A counter-strategy: labels are the inputs of a state and the outputs of an edge, the inputs are
/// controllable.
pub fn write_counter_strategy(alphabet: &Alphabet, counter: &CounterStrategy, header: &HoaHeader) -> String {
    let mut out = head(alphabet, header, counter.states.len(), counter.initial.index(), Player::Environment);
    let mut atoms = AtomGuards::new(alphabet);
    let mut from = counter.guards.clone();
    let care = atoms.care();
    for (id, state) in counter.states.enumerate() {
        writeln!(out, "State: {}", id.index()).expect("strings take everything");
        let cube: Vec<(AtomId, bool)> =
            alphabet.inputs().map(|atom| (atom, alphabet.holds(atom, &state.input))).collect();
        for edge in &state.edges {
            let guard = atoms.import(edge.guard, &mut from);
            let guard = atoms.guards.and(guard, care);
            label(&mut out, &mut atoms, guard, &cube, &edge.next.index().to_string());
        }
    }
    out.push_str("--END--\n");
    out
}

fn head(alphabet: &Alphabet, header: &HoaHeader, states: usize, start: usize, player: Player) -> String {
    let mut out = String::from("HOA: v1\n");
    let names: Vec<String> = alphabet.atoms().iter().map(|atom| quoted(&atom.name)).collect();
    let owned = alphabet.atoms().ids().filter(|&atom| alphabet.player(atom) == player);
    let controllable: Vec<String> = owned.map(|atom| format!(" {}", atom.index())).collect();
    let props = if names.is_empty() { String::new() } else { format!(" {}", names.join(" ")) };
    write!(
        out,
        "name: {}\ntool: \"tsl-synth\" {}\nStates: {states}\nStart: {start}\nAP: {}{props}\n\
         controllable-AP:{}\nacc-name: all\nAcceptance: 0 t\n\
         properties: trans-labels explicit-labels state-acc deterministic\n--BODY--\n",
        quoted(&header.name),
        quoted(&header.tool_version),
        names.len(),
        controllable.concat(),
    )
    .expect("strings take everything");
    out
}

/// Writes one edge: a sum of products over the guard, times a cube.
fn label(out: &mut String, atoms: &mut AtomGuards<'_>, guard: Guard, cube: &[(AtomId, bool)], next: &str) {
    if guard == Guard::FALSE {
        return;
    }
    let literal = |variable: usize, value: bool| format!("{}{variable}", if value { "" } else { "!" });
    let fixed: Vec<String> = cube.iter().map(|&(a, value)| literal(variable(a).index(), value)).collect();
    let products: Vec<String> = cover(&mut atoms.guards, guard, guard)
        .iter()
        .map(|product| product.iter().map(|&(bit, value)| literal(bit.index(), value)).collect::<Vec<_>>())
        .filter(|product| !product.is_empty())
        .map(|product| product.join("&"))
        .collect();
    let sum = match products.len() {
        0 => None,
        1 => Some(products.concat()),
        _ if fixed.is_empty() => Some(products.join(" | ")),
        _ => Some(format!("({})", products.join(" | "))),
    };
    let parts: Vec<String> = sum.into_iter().chain(fixed).collect();
    let text = if parts.is_empty() { "t".to_owned() } else { parts.join("&") };
    writeln!(out, "[{text}] {next}").expect("strings take everything");
}
