//! Systems in HOA that are not machines: they do not read every input letter, leave outputs or next states open, or
//! accept only some of their plays.

use super::guided::NoPlayReason;
use super::machine::bad;
use super::tuning::MOST_STATES;
use super::{Failure, Input};
use tsl_synth_automata::emerson_lei_to_buchi;
use tsl_synth_core::base::{Budget, Id};
use tsl_synth_core::logic::{Alphabet, Guard, Guards, Lasso, Player};
use tsl_synth_core::model::{Buchi, EmersonLei, NodeId, Observation, Trace};
use tsl_synth_explain::cause::{Letters, play_with, stuck_at};
use tsl_synth_formats::hoa::HoaAutomaton;

/// The plays that an automaton in a file allows, and notes about it for readers of an answer.
pub(super) fn open_system(
    file: &Input,
    hoa: &HoaAutomaton,
    alphabet: &Alphabet,
) -> Result<(Buchi, Vec<String>), Failure> {
    let over = hoa.over(alphabet).map_err(|error| bad(&file.shown(), error))?;
    let mut notes = Vec::new();
    if let Some((state, letter)) = refused(&over, alphabet) {
        notes.push(format!(
            "state {state} does not read every input letter, such as `{letter}`: inputs without a play are no counterfactuals"
        ));
    }
    if let Some(state) = leaves_open(&over, alphabet) {
        notes.push(format!(
            "the file leaves outputs open (first in state {state}): every play that it allows counts"
        ));
    }
    if !over.acceptance.is_true() {
        notes.push("only plays that the acceptance condition of the file accepts count".into());
    }
    let system = emerson_lei_to_buchi(&over, MOST_STATES, &Budget::unlimited())?;
    Ok((system, notes))
}

/// The states that some run reaches, in order.
fn reached(automaton: &EmersonLei) -> Vec<NodeId> {
    let mut seen = vec![false; automaton.edges.len()];
    let mut stack = automaton.initial.clone();
    while let Some(state) = stack.pop() {
        if !std::mem::replace(&mut seen[state.index()], true) {
            stack.extend(automaton.edges[state].iter().map(|edge| edge.next));
        }
    }
    automaton.edges.ids().filter(|state| seen[state.index()]).collect()
}

/// The first state that does not read some input letter, with such a letter as literals.
fn refused(automaton: &EmersonLei, alphabet: &Alphabet) -> Option<(usize, String)> {
    let mut guards = automaton.guards.clone();
    let output = |bit| alphabet.owner(bit) == Player::System;
    reached(automaton).into_iter().find_map(|state| {
        let edges = automaton.edges[state].iter();
        let all = edges.fold(Guard::FALSE, |all, edge| guards.or(all, edge.guard));
        let read = guards.exists(all, &output);
        let rest = guards.not(read);
        let letter = guards.pick(rest)?;
        let literal = |atom| {
            let not = if alphabet.holds(atom, &letter) { "" } else { "!" };
            format!("{not}{}", alphabet.atoms()[atom].name)
        };
        let literals: Vec<String> = alphabet.inputs().map(literal).collect();
        Some((state.index(), literals.join(" & ")))
    })
}

/// The first state with two output letters for one input letter.
fn leaves_open(automaton: &EmersonLei, alphabet: &Alphabet) -> Option<usize> {
    let mut guards = automaton.guards.clone();
    let output = |bit| alphabet.owner(bit) == Player::System;
    let outputs: Vec<_> =
        alphabet.atoms().ids().filter(|&atom| alphabet.player(atom) == Player::System).collect();
    let found = reached(automaton).into_iter().find(|&state| {
        let edges = automaton.edges[state].iter();
        let all = edges.fold(Guard::FALSE, |all, edge| guards.or(all, edge.guard));
        outputs.iter().any(|&atom| {
            let holds = alphabet.guard(atom, &mut guards);
            let fails = guards.not(holds);
            let [with, without] = [holds, fails].map(|half| {
                let half = guards.and(all, half);
                guards.exists(half, &output)
            });
            guards.intersects(with, without)
        })
    });
    found.map(Id::index)
}

/// A play of an open system that agrees with a trace; the last inputs of a finite trace are repeated.
pub(super) fn play(
    name: &str,
    alphabet: &Alphabet,
    system: &Buchi,
    trace: &Trace,
) -> Result<Lasso, NoPlayReason> {
    let mut guards = Guards::new();
    let prefix: Vec<Guard> = trace.prefix.iter().map(|given| guard(alphabet, given, &mut guards)).collect();
    let mut cycle: Vec<Guard> = trace.cycle.iter().map(|given| guard(alphabet, given, &mut guards)).collect();
    if let (true, Some(&last)) = (cycle.is_empty(), prefix.last()) {
        cycle.push(guards.exists(last, &|bit| alphabet.owner(bit) == Player::System));
    }
    let letters = Letters { guards, prefix, cycle };
    if let Some(step) = stuck_at(system, &letters) {
        return Err(NoPlayReason::Invalid(format!(
            "This is no trace of {name}: no play of it is as the trace says up to step {step}."
        )));
    }
    play_with(alphabet, system, &letters).ok_or_else(|| {
        NoPlayReason::Invalid(format!(
            "This is no trace of {name}: its acceptance condition rejects every play that is as the trace says."
        ))
    })
}

/// The letters that agree with an observation.
fn guard(alphabet: &Alphabet, given: &Observation, guards: &mut Guards) -> Guard {
    let mut all = Guard::TRUE;
    for atom in alphabet.atoms().ids() {
        let Some(value) = given.value(atom) else { continue };
        let holds = alphabet.guard(atom, guards);
        let literal = if value { holds } else { guards.not(holds) };
        all = guards.and(all, literal);
    }
    all
}
