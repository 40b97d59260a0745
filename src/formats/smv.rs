//! Writes strategies as SMV modules for NuSMV and nuXmv: the atoms that a strategy reads are free variables; the atoms
//! that it controls are defined by the state and, for a controller, by the atoms that it reads in the same step.

use std::fmt::Write;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::atoms::{AtomGuards, atom_of};
use tsl_synth_core::logic::cover::cover;
use tsl_synth_core::logic::{Alphabet, AtomId, Guard, Letter, Player};
use tsl_synth_core::model::{CounterStrategy, Mealy};

/// An edge: its source and target, its condition over the atoms that are read, and the controlled atoms that are true.
struct SmvEdge {
    from: usize,
    to: usize,
    when: String,
    gives: Vec<AtomId>,
}

/// Writes a controller. `names` has a variable for each atom, followed by one for the state.
pub fn write_mealy(alphabet: &Alphabet, machine: &Mealy, names: &[String], comments: &[String]) -> String {
    let mut atoms = AtomGuards::new(alphabet);
    let mut from = machine.guards.clone();
    let mut edges = Vec::new();
    for (id, state) in machine.states.enumerate() {
        for edge in &state.edges {
            let guard = atoms.import(edge.guard, &mut from);
            let when = condition(&mut atoms, guard, names);
            let gives = given(alphabet, &edge.output, Player::System);
            edges.push(SmvEdge { from: id.index(), to: edge.next.index(), when, gives });
        }
    }
    let size = (machine.states.len(), machine.initial.index());
    module(alphabet, Player::System, size, &edges, names, comments)
}

/// Writes a counter-strategy; an invariant restricts the updates of each cell, which it reads, to exactly one.
pub fn write_counter(
    alphabet: &Alphabet,
    machine: &CounterStrategy,
    names: &[String],
    comments: &[String],
) -> String {
    let mut atoms = AtomGuards::new(alphabet);
    let mut from = machine.guards.clone();
    let mut edges = Vec::new();
    for (id, state) in machine.states.enumerate() {
        for edge in &state.edges {
            let guard = atoms.import(edge.guard, &mut from);
            let when = condition(&mut atoms, guard, names);
            let gives = given(alphabet, &state.input, Player::Environment);
            edges.push(SmvEdge { from: id.index(), to: edge.next.index(), when, gives });
        }
    }
    let size = (machine.states.len(), machine.initial.index());
    module(alphabet, Player::Environment, size, &edges, names, comments)
}

fn given(alphabet: &Alphabet, letter: &Letter, player: Player) -> Vec<AtomId> {
    let own = alphabet.atoms().ids().filter(|&atom| alphabet.player(atom) == player);
    own.filter(|&atom| alphabet.holds(atom, letter)).collect()
}

/// A guard over atoms as a sum of products.
fn condition(atoms: &mut AtomGuards<'_>, guard: Guard, names: &[String]) -> String {
    let products = cover(&mut atoms.guards, guard, guard);
    let product = |cube: &Vec<_>| {
        let literals = cube.iter().map(|&(bit, value): &(_, bool)| {
            let name = &names[atom_of(bit).index()];
            if value { name.clone() } else { format!("!{name}") }
        });
        let literals: Vec<String> = literals.collect();
        if literals.is_empty() { "TRUE".into() } else { literals.join(" & ") }
    };
    match &products[..] {
        [] => "FALSE".into(),
        [one] => product(one),
        many => many.iter().map(|cube| format!("({})", product(cube))).collect::<Vec<_>>().join(" | "),
    }
}

fn module(
    alphabet: &Alphabet,
    owner: Player,
    (states, initial): (usize, usize),
    edges: &[SmvEdge],
    names: &[String],
    comments: &[String],
) -> String {
    let mut text = String::new();
    for line in comments {
        let _ = writeln!(text, "{}", format!("-- {line}").trim_end());
    }
    let of = |player: Player| alphabet.atoms().ids().filter(move |&atom| alphabet.player(atom) == player);
    let state = &names[alphabet.atoms().len()];
    text.push_str("MODULE main\nVAR\n");
    for atom in of(owner.opponent()) {
        let _ = writeln!(text, "  {} : boolean;", names[atom.index()]);
    }
    let _ = writeln!(text, "  {state} : 0..{};", states.saturating_sub(1));
    text.push_str("DEFINE\n");
    for atom in of(owner) {
        let when: Vec<String> = edges
            .iter()
            .filter(|edge| edge.gives.contains(&atom))
            .map(|edge| format!("({state} = {} & ({}))", edge.from, edge.when))
            .collect();
        let value = if when.is_empty() { "FALSE".into() } else { when.join(" |\n    ") };
        let _ = writeln!(text, "  {} :=\n    {value};", names[atom.index()]);
    }
    let _ = writeln!(text, "ASSIGN\n  init({state}) := {initial};\n  next({state}) := case");
    for edge in edges {
        let _ = writeln!(text, "    {state} = {} & ({}) : {};", edge.from, edge.when, edge.to);
    }
    let _ = writeln!(text, "    TRUE : {state};\n  esac;");
    if owner == Player::Environment {
        for cell in alphabet.cells() {
            let options: Vec<&str> = cell.options.iter().map(|atom| names[atom.index()].as_str()).collect();
            let _ = writeln!(text, "INVAR count({}) = 1;", options.join(", "));
        }
    }
    text
}
