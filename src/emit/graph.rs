//! A strategy of either player as a labeled graph, the common basis of diagrams, HOA and machine JSON.

use super::input::{EmitError, EmitInput, Strategy};
use super::labels::{actions, atom_text, guard_text, literal_text, state_names};
use super::machine::{Control, leaf_of};
use super::names::{Identifiers, NameCase};
use super::reserved::LTL;
use super::text::plain;
use std::collections::BTreeMap;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::atoms::{AtomGuards, atom_of};
use tsl_synth_core::logic::cover::{cover, formula};
use tsl_synth_core::logic::{AtomId, Guard, Guards};
use tsl_synth_core::model::MealyEdge;
use tsl_synth_documents::SCHEMA_VERSION;
use tsl_synth_documents::machine::{
    MachineAtom, MachineCell, MachineDocument, MachineEdge, MachineKind, MachinePlayer, MachineSpec,
    MachineState,
};
use tsl_synth_engine::mealy::{counter_id, machine_id};
use tsl_synth_lang::spec::ValueSets;

/// Longer labels are cut to this number of characters, followed by an ellipsis.
const LONGEST: usize = 400;

/// An edge with readable labels.
#[derive(Clone, Debug)]
pub(super) struct GraphEdge {
    /// The guard as a small formula over terms.
    pub(super) guard: String,
    /// The updates and true outputs as texts.
    pub(super) actions: Vec<String>,
    pub(super) next: usize,
    /// The guard over atoms; that of a counter-strategy counts only for letters with exactly one update for each cell.
    pub(super) letters: Guard,
    /// The updates and the true outputs that a controller chooses; empty for a counter-strategy.
    pub(super) chosen: Vec<AtomId>,
}

impl GraphEdge {
    /// The label on one line: guard and actions.
    pub(super) fn text(&self) -> String {
        let guard = if self.guard == "1" { "always".to_owned() } else { plain(&self.guard) };
        let actions = plain(&self.actions.join(", "));
        let text = if actions.is_empty() { guard } else { format!("{guard} / {actions}") };
        if text.chars().count() > LONGEST {
            format!("{}…", text.chars().take(LONGEST).collect::<String>())
        } else {
            text
        }
    }
    /// An edge that has only a label, in a graph that is not over letters.
    pub(super) fn labeled(next: usize, label: String) -> Self {
        Self { guard: label, actions: Vec::new(), next, letters: Guard::TRUE, chosen: Vec::new() }
    }
}

/// A state with readable labels.
#[derive(Clone, Debug)]
pub(super) struct GraphState {
    pub(super) name: String,
    /// Lines under the name: the input letter that a counter-strategy gives in this state, or remarks.
    pub(super) letter: Vec<String>,
    pub(super) start: bool,
    pub(super) sink: bool,
    pub(super) edges: Vec<GraphEdge>,
}

/// The ids of atoms in guards of machine JSON.
fn ids(input: &EmitInput<'_>) -> Vec<String> {
    let mut names = Identifiers::new(&[LTL]);
    let atoms = input.problem.alphabet.atoms();
    atoms.ids().map(|atom| names.fresh(&atom_text(input.problem, atom), NameCase::Keep)).collect()
}

/// The states and edges of a strategy, edges with the same ends and actions merged, and the store that contains the guards of
/// its edges.
pub(super) fn guarded_graph(input: &EmitInput<'_>) -> Result<(Vec<GraphState>, Guards), EmitError> {
    match input.strategy {
        Strategy::Controller(mealy) => {
            let mut control = Control::build(input.problem, mealy, &[])?;
            let names = state_names(&control);
            let sets = ValueSets::new(input.problem);
            let mut states = Vec::new();
            for id in control.states.ids() {
                let mut edges = Vec::new();
                for i in 0..control.states[id].leaves.len() {
                    let (leaf, guard) = (control.states[id].leaves[i].clone(), control.states[id].guards[i]);
                    let letters = guard;
                    let guard = guard_text(input.problem, &sets, &mut control, guard);
                    if guard != "0" {
                        let actions = actions(input.problem, &leaf);
                        let chosen = [leaf.updates, leaf.outputs].concat();
                        edges.push(GraphEdge { guard, actions, next: leaf.next.index(), letters, chosen });
                    }
                }
                states.push(GraphState {
                    name: names[id.index()].clone(),
                    letter: Vec::new(),
                    start: id == control.initial,
                    sink: control.states[id].sink,
                    edges,
                });
            }
            Ok((states, control.atoms.guards))
        }
        Strategy::Counter(_) => {
            let name = |atom, value| literal_text(input.problem, atom, value);
            let sets = ValueSets::new(input.problem);
            let (states, guards) = counter_graph(input, &name, &sets);
            Ok((states.into_iter().map(|(state, _)| state).collect(), guards))
        }
    }
}

/// The states of a counter-strategy, each with its true inputs, and the store of their guards; `name` gives the text
/// of a literal that is not told as a value.
fn counter_graph(
    input: &EmitInput<'_>,
    name: &dyn Fn(AtomId, bool) -> String,
    sets: &ValueSets,
) -> (Vec<(GraphState, Vec<AtomId>)>, Guards) {
    let Strategy::Counter(counter) = input.strategy else { return (Vec::new(), Guards::new()) };
    let alphabet = &input.problem.alphabet;
    let mut atoms = AtomGuards::new(alphabet);
    let mut from = counter.guards.clone();
    let care = atoms.care();
    let mut states = Vec::new();
    for (id, state) in counter.states.enumerate() {
        let mut merged: Vec<(usize, Guard)> = Vec::new();
        for edge in &state.edges {
            let guard = atoms.import(edge.guard, &mut from);
            let next = edge.next.index();
            match merged.iter_mut().find(|(known, _)| *known == next) {
                Some(known) => known.1 = atoms.guards.or(known.1, guard),
                None => merged.push((next, guard)),
            }
        }
        let mut edges = Vec::new();
        for (next, guard) in merged {
            let lower = atoms.guards.and(guard, care);
            if lower == Guard::FALSE {
                continue;
            }
            let outside = atoms.guards.not(care);
            let upper = atoms.guards.or(guard, outside);
            let cubes = cover(&mut atoms.guards, lower, upper);
            edges.push(GraphEdge {
                guard: sets.condition(&cubes, name),
                actions: Vec::new(),
                next,
                letters: guard,
                chosen: Vec::new(),
            });
        }
        let holds: Vec<AtomId> = alphabet.inputs().filter(|&a| alphabet.holds(a, &state.input)).collect();
        let literals: Vec<(AtomId, bool)> =
            alphabet.inputs().map(|atom| (atom, holds.contains(&atom))).collect();
        let sink = id != counter.initial && state.edges.iter().all(|edge| edge.next == id);
        let graph = GraphState {
            name: format!("{}{}", if sink { "Sink" } else { "S" }, id.index()),
            letter: sets.texts(&literals, name),
            start: id == counter.initial,
            sink,
            edges,
        };
        states.push((graph, holds));
    }
    (states, atoms.guards)
}

/// The machine JSON of a strategy.
pub(super) fn document(input: &EmitInput<'_>) -> Result<MachineDocument, EmitError> {
    let problem = input.problem;
    let alphabet = &problem.alphabet;
    let ids = ids(input);
    let id = |atom: AtomId| ids[atom.index()].clone();
    let literal = |atom: AtomId, value: bool| format!("{}{}", if value { "" } else { "!" }, id(atom));
    let atom = |atom: AtomId| MachineAtom { id: id(atom), term: atom_text(problem, atom) };
    let term = |atom: AtomId| update_term(input, atom);
    let cell = |cell: &tsl_synth_core::logic::Cell| MachineCell {
        name: cell.name.clone(),
        terms: cell.options.iter().map(|&atom| term(atom)).collect(),
        ids: cell.options.iter().map(|&atom| id(atom)).collect(),
    };
    let mut document = MachineDocument {
        schema_version: SCHEMA_VERSION.into(),
        tool: tsl_synth_documents::Tool {
            name: "tsl-synth".into(),
            version: input.meta.tool_version.clone(),
        },
        kind: MachineKind::Mealy,
        player: MachinePlayer::System,
        machine_id: String::new(),
        spec: MachineSpec { name: input.meta.spec_name.clone(), sha256: input.meta.spec_sha256.clone() },
        certified_by: input.meta.certified_by.clone(),
        origin: input.meta.origin.clone(),
        inputs: alphabet.inputs().map(atom).collect(),
        cells: alphabet.cells().iter().map(cell).collect(),
        outputs: alphabet.outputs().map(atom).collect(),
        initial: 0,
        states: Vec::new(),
    };
    match input.strategy {
        Strategy::Controller(mealy) => {
            let mut control = Control::build(problem, mealy, &[])?;
            let names = state_names(&control);
            document.machine_id = machine_id(alphabet, mealy);
            document.initial = mealy.initial.index();
            for state in control.states.ids() {
                let data = control.states[state].clone();
                let mut edges = Vec::new();
                for (leaf, guard) in data.leaves.iter().zip(data.guards) {
                    let cubes = cover(&mut control.atoms.guards, guard, guard);
                    let updates = alphabet.cells().iter().zip(&leaf.updates);
                    let same = |edge: &MealyEdge| leaf_of(alphabet, &edge.output, edge.next) == *leaf;
                    let index = mealy.states[state].edges.iter().position(same);
                    let known = input.meta.asked.get(state.index()).zip(index);
                    edges.push(MachineEdge {
                        asked: known.and_then(|(own, i)| own.get(i)).cloned().unwrap_or_default(),
                        guard: formula(&cubes, &|bit, value| literal(atom_of(bit), value)),
                        next: leaf.next.index(),
                        updates: Some(updates.map(|(cell, &u)| (cell.name.clone(), term(u))).collect()),
                        outputs: Some(
                            alphabet.outputs().map(|a| (id(a), leaf.outputs.contains(&a))).collect(),
                        ),
                    });
                }
                let name = names[state.index()].clone();
                document.states.push(MachineState { id: state.index(), name, letter: None, edges });
            }
        }
        Strategy::Counter(counter) => {
            document.kind = MachineKind::Moore;
            document.player = MachinePlayer::Environment;
            document.initial = counter.initial.index();
            let (states, _) = counter_graph(input, &literal, &ValueSets::default());
            document.machine_id = counter_id(alphabet, counter);
            for (i, (state, holds)) in states.into_iter().enumerate() {
                let letter: BTreeMap<String, bool> =
                    alphabet.inputs().map(|a| (id(a), holds.contains(&a))).collect();
                let edge = |edge: GraphEdge| MachineEdge {
                    guard: edge.guard,
                    next: edge.next,
                    updates: None,
                    outputs: None,
                    asked: BTreeMap::new(),
                };
                document.states.push(MachineState {
                    id: i,
                    name: state.name,
                    letter: Some(letter),
                    edges: state.edges.into_iter().map(edge).collect(),
                });
            }
        }
    }
    Ok(document)
}

/// The term of an update without its cell.
fn update_term(input: &EmitInput<'_>, atom: AtomId) -> String {
    if let tsl_synth_lang::spec::AtomMeaning::Update(_, term) = input.problem.signature.atoms[atom] {
        return input.problem.signature.display(term);
    }
    let alphabet = &input.problem.alphabet;
    alphabet.update_term(atom).unwrap_or(&alphabet.atoms()[atom].name).to_owned()
}
