//! Readable formulas and updates over the terms of the specification, for diagrams and comments.

use super::machine::{Control, MachineLeaf};
use tsl_synth_core::logic::cover::cover_within;
use tsl_synth_core::logic::{AtomId, Cube, Guard, Player};
use tsl_synth_core::model::StateId;
use tsl_synth_lang::spec::{AtomMeaning, Operator, Problem, Term, TermId, ValueSet, ValueSets};

/// Conditions whose covers have more cubes are not shown.
const LONGEST: usize = 64;

/// The term of an atom: `inCave(summary)`, `storyPassage <- toCave(summary)`, `req`.
pub(super) fn atom_text(problem: &Problem, atom: AtomId) -> String {
    match problem.signature.atoms[atom] {
        AtomMeaning::Predicate(term) => problem.signature.display(term),
        AtomMeaning::Update(symbol, term) => {
            format!("{} <- {}", problem.signature.symbols[symbol].name, problem.signature.display(term))
        }
        AtomMeaning::Proposition => problem.alphabet.atoms()[atom].name.clone(),
    }
}

/// The texts of the actions of a leaf: updates that change a cell and Boolean outputs that are true.
pub(super) fn actions(problem: &Problem, leaf: &MachineLeaf) -> Vec<String> {
    let changes = |atom: &&AtomId| match problem.signature.atoms[**atom] {
        AtomMeaning::Update(symbol, term) => *problem.signature.terms.get(term) != Term::Signal(symbol),
        _ => true,
    };
    let updates = leaf.updates.iter().filter(changes).map(|&atom| atom_text(problem, atom));
    if problem.signature.enumerated.is_empty() {
        return updates.chain(leaf.outputs.iter().map(|&atom| atom_text(problem, atom))).collect();
    }
    let (mut outputs, mut values) = (leaf.outputs.clone(), Vec::new());
    let sets = ValueSets::new(problem);
    for signal in &problem.signature.enumerated {
        if !signal.atoms.iter().all(|&atom| problem.alphabet.player(atom) == Player::System) {
            continue;
        }
        let bits: Vec<(AtomId, bool)> =
            signal.atoms.iter().map(|&atom| (atom, leaf.outputs.contains(&atom))).collect();
        let (told, left) = sets.told(&bits);
        // Not every code denotes a value.
        if left.is_empty() && told.iter().any(ValueSet::is_possible) {
            outputs.retain(|atom| !signal.atoms.contains(atom));
            values.extend(told.iter().filter_map(|set| sets.text(set)));
        }
    }
    updates.chain(outputs.iter().map(|&atom| atom_text(problem, atom))).chain(values).collect()
}

/// A guard over atoms as a small formula over terms; letters outside of the care set are don't-cares.
pub(super) fn guard_text(
    problem: &Problem,
    sets: &ValueSets,
    control: &mut Control<'_>,
    guard: Guard,
) -> String {
    let guards = &mut control.atoms.guards;
    let care = control.care.around(guards, &[guard]);
    let lower = guards.and(guard, care);
    let impossible = guards.not(care);
    let upper = guards.or(guard, impossible);
    let Some(cubes) = cover_within(guards, lower, upper, LONGEST) else {
        return "a long condition".into();
    };
    condition_text(problem, sets, &cubes)
}

/// Cubes as a small formula, in which values of signals stand for the bits that encode them.
pub(super) fn condition_text(problem: &Problem, sets: &ValueSets, cubes: &[Cube]) -> String {
    sets.condition(cubes, &|atom, value| literal_text(problem, atom, value))
}

/// An atom or its negation: `!inCave(s)`, `[x <- f(x)]`, `t <= 22`.
pub(super) fn literal_text(problem: &Problem, atom: AtomId, value: bool) -> String {
    let not = if value { "" } else { "!" };
    match problem.signature.atoms[atom] {
        AtomMeaning::Predicate(term) => match comparison(problem, term, value) {
            Some(text) => text,
            None => format!("{not}{}", problem.signature.display(term)),
        },
        AtomMeaning::Update(..) => format!("{not}[{}]", atom_text(problem, atom)),
        AtomMeaning::Proposition => format!("{not}{}", atom_text(problem, atom)),
    }
}

/// A comparison or its negation in the usual notation, with a literal on the right; `None` for other terms.
pub(super) fn comparison(problem: &Problem, term: TermId, value: bool) -> Option<String> {
    let terms = &problem.signature.terms;
    let Term::Operation(operator, mut a, mut b) = *terms.get(term) else { return None };
    let swapped = matches!(terms.get(a), Term::Literal(_));
    if swapped {
        std::mem::swap(&mut a, &mut b);
    }
    let sign = match (operator, swapped, value) {
        (Operator::Equal, _, true) => "=",
        (Operator::Equal, _, false) => "!=",
        (Operator::Greater, false, true) => ">",
        (Operator::Greater, false, false) => "<=",
        (Operator::Greater, true, true) => "<",
        (Operator::Greater, true, false) => ">=",
        _ => return None,
    };
    Some(format!("{} {sign} {}", problem.signature.display(a), problem.signature.display(b)))
}

/// Names of the states in machine JSON, snapshots and diagrams: `S0`, sinks `Sink3`.
pub(super) fn state_names(control: &Control<'_>) -> Vec<String> {
    use tsl_synth_core::base::Id;
    let name = |id: StateId| format!("{}{}", if control.states[id].sink { "Sink" } else { "S" }, id.index());
    control.states.ids().map(name).collect()
}

/// A line that describes a state: its role and its edges.
pub(super) fn state_text(
    problem: &Problem,
    control: &mut Control<'_>,
    names: &[String],
    id: StateId,
) -> String {
    use tsl_synth_core::base::Id;
    let mut parts = Vec::new();
    if id == control.initial {
        parts.push("start");
    }
    if control.states[id].sink {
        parts.push("sink, never left");
    }
    if !control.states[id].expected {
        parts.push("not reached while the watched assumptions hold");
    }
    let leaves: Vec<(MachineLeaf, Guard)> = {
        let state = &control.states[id];
        state.leaves.iter().cloned().zip(state.guards.iter().copied()).collect()
    };
    let mut edges = Vec::new();
    let sets = ValueSets::new(problem);
    for (leaf, guard) in leaves {
        let condition = guard_text(problem, &sets, control, guard);
        let what = actions(problem, &leaf).join(", ");
        let what = if what.is_empty() { "keep all".to_owned() } else { what };
        let next = &names[leaf.next.index()];
        edges.push(match condition.as_str() {
            "0" => continue,
            "1" => format!("{what} -> {next}"),
            _ => format!("if {condition}: {what} -> {next}"),
        });
    }
    let mut text = edges.join("; ");
    if text.chars().count() > 300 {
        text = format!("{}; {} cases in all", text.chars().take(280).collect::<String>(), edges.len());
    }
    let role = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    format!("{}{role}: {text}", names[id.index()])
}
