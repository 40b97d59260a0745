//! Writes automata with any acceptance condition as HOA, over the atoms that their labels depend on; a cell is included
//! with all its options.

use super::writer::HoaHeader;
use crate::quoted;
use std::fmt::Write;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::atoms::{AtomGuards, variable};
use tsl_synth_core::logic::cover::cover_within;
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, Guard, Guards};
use tsl_synth_core::model::{Acceptance, Edge, EmersonLei, Marks};

/// The largest number of products in the label of an edge.
const MAX_PRODUCTS: usize = 1_024;

/// An automaton with acceptance on edges. Its labels require that exactly one option of each cell is chosen. `None` if
/// a label needs too many products.
pub fn write_emerson_lei(alphabet: &Alphabet, automaton: &EmersonLei, header: &HoaHeader) -> Option<String> {
    let mut labels = AtomLabels::new(alphabet, automaton);
    let names: Vec<String> = labels
        .propositions
        .iter()
        .map(|&atom| format!(" {}", quoted(&alphabet.atoms()[atom].name)))
        .collect();
    let starts: Vec<String> = automaton.initial.iter().map(|q| format!("Start: {}\n", q.index())).collect();
    let mut out = format!(
        "HOA: v1\nname: {}\ntool: \"tsl-synth\" {}\nStates: {}\n{}AP: {}{}\n{}Acceptance: {} {}\n\
         properties: trans-labels explicit-labels trans-acc{}\n--BODY--\n",
        quoted(&header.name),
        quoted(&header.tool_version),
        automaton.edges.len(),
        starts.concat(),
        names.len(),
        names.concat(),
        acceptance_name(&automaton.acceptance).map_or(String::new(), |name| format!("acc-name: {name}\n")),
        automaton.acceptance.sets,
        condition(&automaton.acceptance),
        if is_deterministic(automaton) { " deterministic" } else { "" },
    );
    for (q, edges) in automaton.edges.enumerate() {
        writeln!(out, "State: {}", q.index()).expect("strings take everything");
        for edge in edges {
            let label = labels.exact(edge.guard)?;
            // `f`: no letter of the guard chooses exactly one option of each cell.
            if label != "f" {
                writeln!(out, "[{label}] {}{}", edge.next.index(), sets(edge.marks))
                    .expect("strings take everything");
            }
        }
    }
    out.push_str("--END--\n");
    Some(out)
}

fn is_deterministic(automaton: &EmersonLei) -> bool {
    let mut guards = automaton.guards.clone();
    let mut disjoint = |out: &Vec<Edge>| {
        let mut covered = Guard::FALSE;
        out.iter().all(|edge| {
            let new = !guards.intersects(covered, edge.guard);
            covered = guards.or(covered, edge.guard);
            new
        })
    };
    automaton.initial.len() <= 1 && automaton.edges.iter().all(&mut disjoint)
}

/// The acceptance sets of an edge: ` {0 2}`, or nothing.
pub(crate) fn sets(marks: Marks) -> String {
    let sets: Vec<String> = marks.iter().map(|set| set.to_string()).collect();
    if sets.is_empty() { String::new() } else { format!(" {{{}}}", sets.join(" ")) }
}

/// The acceptance condition as HOA writes it.
pub(crate) fn condition(acceptance: &Acceptance) -> String {
    let clauses: Vec<String> = acceptance
        .clauses
        .iter()
        .map(|clause| {
            let inf = clause.inf.iter().map(|set| format!("Inf({set})"));
            let fin = clause.fin.iter().map(|set| format!("Fin({set})"));
            let literals: Vec<String> = inf.chain(fin).collect();
            match literals.len() {
                0 => "t".to_owned(),
                1 => literals.concat(),
                _ if acceptance.clauses.len() == 1 => literals.join("&"),
                _ => format!("({})", literals.join("&")),
            }
        })
        .collect();
    if clauses.is_empty() { "f".to_owned() } else { clauses.join(" | ") }
}

fn acceptance_name(acceptance: &Acceptance) -> Option<String> {
    let all = Marks::all(acceptance.sets);
    match (&acceptance.clauses[..], acceptance.sets) {
        ([], 0) => Some("none".into()),
        ([clause], 0) if clause.inf == clause.fin => Some("all".into()),
        ([clause], 1) if clause.inf == all => Some("Buchi".into()),
        ([clause], 1) if clause.fin == all => Some("co-Buchi".into()),
        ([clause], n) if clause.inf == all && clause.fin == Marks::NONE => {
            Some(format!("generalized-Buchi {n}"))
        }
        _ => None,
    }
}

/// The labels of an automaton over atoms.
pub(crate) struct AtomLabels<'a> {
    /// The atoms that the labels depend on.
    pub(crate) propositions: Vec<AtomId>,
    atoms: AtomGuards<'a>,
    /// The care set: exactly one option of each of these cells.
    care: Guard,
    from: Guards,
}

impl<'a> AtomLabels<'a> {
    pub(crate) fn new(alphabet: &'a Alphabet, automaton: &EmersonLei) -> Self {
        let mut bits: Vec<_> =
            automaton.edges.iter().flatten().flat_map(|e| automaton.guards.support(e.guard)).collect();
        bits.sort_unstable();
        bits.dedup();
        let read = |bit| bits.binary_search(&bit).is_ok();
        let cells: Vec<_> = alphabet
            .cells()
            .enumerate()
            .filter(|(_, cell)| cell.bits.iter().any(|&bit| read(bit)))
            .map(|(id, _)| id)
            .collect();
        let is_read = |&atom: &AtomId| match alphabet.atoms()[atom].kind {
            AtomKind::Input(bit) | AtomKind::Output(bit) => read(bit),
            AtomKind::Update(cell, _) => cells.contains(&cell),
        };
        let propositions = alphabet.atoms().ids().filter(is_read).collect();
        let mut atoms = AtomGuards::new(alphabet);
        let care = atoms.one_of_each(cells);
        Self { propositions, atoms, care, from: automaton.guards.clone() }
    }

    /// The guard with exactly one option of each cell, over the numbers of the propositions.
    fn exact(&mut self, guard: Guard) -> Option<String> {
        let guard = self.atoms.import(guard, &mut self.from);
        let guard = self.atoms.guards.and(guard, self.care);
        self.sum(guard, guard, |number, _| number.to_string())
    }

    /// A short formula for the guard over the names of the atoms; letters that do not choose exactly one option of each
    /// cell are don't-cares.
    pub(crate) fn short(&mut self, guard: Guard) -> Option<String> {
        let guard = self.atoms.import(guard, &mut self.from);
        let lower = self.atoms.guards.and(guard, self.care);
        let other = self.atoms.guards.not(self.care);
        let upper = self.atoms.guards.or(guard, other);
        self.sum(lower, upper, |_, name| name.to_owned())
    }

    fn sum(&mut self, lower: Guard, upper: Guard, show: impl Fn(usize, &str) -> String) -> Option<String> {
        let products = cover_within(&mut self.atoms.guards, lower, upper, MAX_PRODUCTS)?;
        let literal = |&(bit, value): &_| {
            let number = self.propositions.iter().position(|&atom| variable(atom) == bit).unwrap_or_default();
            let name = &self.atoms.alphabet().atoms()[self.propositions[number]].name;
            format!("{}{}", if value { "" } else { "!" }, show(number, name))
        };
        let products: Vec<String> = products
            .iter()
            .map(|product| {
                let literals: Vec<String> = product.iter().map(literal).collect();
                if literals.is_empty() { "t".to_owned() } else { literals.join("&") }
            })
            .collect();
        Some(if products.is_empty() { "f".to_owned() } else { products.join(" | ") })
    }
}
