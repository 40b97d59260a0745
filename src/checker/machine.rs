//! Whether a machine is one for its player: total, deterministic, and not looking at what it must not see.

use crate::contract::Signals;
use crate::cube::{Cube, uncovered};
use crate::hoa::{Machine, State};
use std::collections::BTreeSet;

/// Kinds of machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineKind {
    /// A controller that sees the inputs of a step before it answers.
    Mealy,
    /// A controller that answers first.
    Moore,
    /// A strategy of the environment, which moves first.
    Counter,
}

impl MachineKind {
    /// The word for it in certificates.
    pub fn word(self) -> &'static str {
        match self {
            Self::Mealy => "mealy",
            Self::Moore => "moore",
            Self::Counter => "counter",
        }
    }

    /// Whether the machine owns an atom.
    pub fn owns(self, is_input: bool) -> bool {
        (self == Self::Counter) == is_input
    }
}

/// Most comparisons and cases of one state.
const MOST_CASES: usize = 20_000_000;

/// The states that are reached from the start.
pub fn reached(machine: &Machine) -> BTreeSet<State> {
    let (mut seen, mut todo) = (BTreeSet::new(), vec![machine.start]);
    while let Some(state) = todo.pop() {
        if seen.insert(state) {
            todo.extend(machine.edges[state].iter().map(|edge| edge.1));
        }
    }
    seen
}

/// Checks a machine: it controls exactly the signals of its player; in each reached state every legal letter of the
/// opponent has one answer and one next state; every label fixes all signals that the machine controls and gives each
/// cell one update; for Moore machines and counter-strategies all labels of a state agree on them.
///
/// # Errors
/// The reason why it is none.
pub fn check_machine(machine: &Machine, kind: MachineKind, signals: &Signals) -> Result<(), String> {
    for atom in signals.atoms() {
        let owned = kind.owns(signals.is_input(atom));
        if machine.controls[atom as usize] != owned {
            let not = if owned { " not" } else { "" };
            return Err(format!("{:?} is{not} controlled by the machine", signals.name(atom)));
        }
    }
    for state in reached(machine) {
        check_state(machine, state, kind, signals).map_err(|why| format!("state {state}: {why}"))?;
    }
    Ok(())
}

fn check_state(machine: &Machine, state: State, kind: MachineKind, signals: &Signals) -> Result<(), String> {
    let is_own = |atom| kind.owns(signals.is_input(atom));
    let own_count = signals.atoms().filter(|&atom| is_own(atom)).count();
    let mut edges: Vec<(Cube, Cube, State)> = Vec::new();
    for (cube, next) in &machine.edges[state] {
        let (own, read) = (cube.of(&is_own), cube.of(&|atom| !is_own(atom)));
        if own.literals().len() != own_count {
            return Err("a label leaves open a signal that the machine controls".into());
        }
        for cell in signals.cells.iter().filter(|cell| cell.iter().all(|&atom| is_own(atom))) {
            if cell.iter().filter(|&&atom| own.value(atom) == Some(true)).count() != 1 {
                return Err("a label gives a cell no update or several".into());
            }
        }
        if kind != MachineKind::Mealy && edges.first().is_some_and(|first| first.0 != own) {
            return Err("what the machine controls depends on letters that it cannot see yet".into());
        }
        edges.push((own, read, *next));
    }
    if edges.len() * edges.len() > MOST_CASES {
        return Err("too many labels to compare".into());
    }
    for (i, (own, read, next)) in edges.iter().enumerate() {
        for (other_own, other_read, other_next) in &edges[..i] {
            if (own, next) != (other_own, other_next) && !read.excludes(other_read) {
                return Err("two answers or next states for one letter".into());
            }
        }
    }
    let mut covered: Vec<Cube> = edges.into_iter().map(|edge| edge.1).collect();
    covered.extend(illegal(signals, &is_own));
    match uncovered(&covered, MOST_CASES)? {
        None => Ok(()),
        Some(letter) => Err(format!("no answer to {}", show(&letter, signals))),
    }
}

/// The letters of the opponent that give a cell no update or two.
fn illegal(signals: &Signals, is_own: &dyn Fn(u32) -> bool) -> Vec<Cube> {
    let mut found = Vec::new();
    for cell in signals.cells.iter().filter(|cell| !cell.iter().any(|&atom| is_own(atom))) {
        let mut none = Cube::default();
        for (i, &a) in cell.iter().enumerate() {
            none.add(a, false);
            for &b in &cell[..i] {
                let mut two = Cube::default();
                two.add(a, true);
                two.add(b, true);
                found.push(two);
            }
        }
        found.push(none);
    }
    found
}

fn show(cube: &Cube, signals: &Signals) -> String {
    let literal =
        |&(atom, value): &(u32, bool)| format!("{}{:?}", if value { "" } else { "!" }, signals.name(atom));
    let all: Vec<String> = cube.literals().iter().map(literal).collect();
    if all.is_empty() { "any letter".into() } else { all.join(" & ") }
}
