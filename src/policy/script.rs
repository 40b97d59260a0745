//! Shell commands as programs over letters: each command is a call, followed by its outcome before the script
//! continues; the outcome of the last command is that of the whole script.

use super::compiled::CompiledPolicy;
use super::program::{Arrow, BoundLetter, Last, Program};
use crate::language::{ActionId, LawAtom, Match, ShellMatch, Unmatched};
use crate::shell::{
    ArgvPattern, CommandLetter, CommandOutcome, ScriptEdge, argv_automaton, letter_automaton,
    script_automaton,
};
use std::collections::BTreeMap;
use tsl_synth_core::json_text;
use tsl_synth_core::logic::Letter;
use tsl_synth_core::model::{CallOutcome, Pointer};

/// The program of a call: first the letter of the tables about the whole call, then the commands of the script.
pub(super) fn program(
    compiled: &CompiledPolicy,
    whole: Program,
    tables: &[(usize, &Match)],
    arguments: &str,
    bindings: &[(String, String)],
) -> Program {
    let mut program = whole;
    let mut places: Vec<&Pointer> = Vec::new();
    for shell in tables.iter().filter_map(|(_, table)| table.shell.as_ref()) {
        if !places.contains(&&shell.pointer) {
            places.push(&shell.pointer);
        }
    }
    for place in places {
        let own: Vec<(&Match, &ShellMatch)> = tables
            .iter()
            .filter_map(|(_, table)| table.shell.as_ref().map(|shell| (*table, shell)))
            .filter(|(_, shell)| shell.pointer == *place)
            .collect();
        program = then(&program, commands(compiled, &own, place, arguments, bindings));
    }
    program
}

/// The concatenation of two programs, of which the first has at most one letter.
fn then(first: &Program, second: Program) -> Program {
    let Some(letter) = first.only_letter() else { return second };
    let mut program = second;
    let begin = program.arrows.len();
    program.arrows.push(Vec::new());
    // State 0 is the initial state, so the old state 0 is moved to a new index.
    program.arrows.swap(0, begin);
    let moved = |state: usize| if state == 0 { begin } else { state };
    for arrow in program.arrows.iter_mut().flatten() {
        arrow.to = moved(arrow.to);
    }
    for last in &mut program.last {
        last.state = moved(last.state);
    }
    program.arrows[0] = vec![Arrow { to: begin, letter: Some(letter.clone()) }];
    program
}

/// The possible letters of a command: of the patterns that surely match, and of these with one more that may match;
/// `None` for no letter.
fn letters(
    compiled: &CompiledPolicy,
    tables: &[(&Match, &ShellMatch)],
    command: &CommandLetter,
    bindings: &[(String, String)],
) -> Vec<(Option<BoundLetter>, Vec<ActionId>)> {
    let atoms = &compiled.policy.atoms;
    let letter = |matched: &[usize], opaque: bool| {
        let mut letter = Letter::default();
        let mut actions = Vec::new();
        for (table, _) in matched.iter().map(|&i| &tables[i]) {
            if let Some(action) = table.action {
                letter.insert(atoms.bit(LawAtom::Call(action)));
                if !actions.contains(&action) {
                    actions.push(action);
                }
            }
            for &(proposition, value) in &table.set {
                if value {
                    letter.insert(atoms.bit(LawAtom::Proposition(proposition)));
                } else if atoms.propositions[proposition].is_state {
                    letter.insert(atoms.bit(LawAtom::Clear(proposition)));
                }
            }
        }
        if opaque {
            letter.insert(atoms.bit(LawAtom::Opaque));
        }
        let bound = BoundLetter { letter, bindings: bindings.to_vec(), amounts: Vec::new() };
        ((!bound.letter.is_empty()).then_some(bound), actions)
    };
    let opaque = command.opaque && tables.iter().any(|(_, shell)| shell.opaque != Unmatched::Allow);
    let mut all = vec![letter(&command.sure, opaque)];
    for &maybe in &command.maybe {
        let mut matched = command.sure.clone();
        matched.push(maybe);
        all.push(letter(&matched, opaque));
    }
    all
}

/// The commands of one script.
fn commands(
    compiled: &CompiledPolicy,
    tables: &[(&Match, &ShellMatch)],
    place: &Pointer,
    arguments: &str,
    bindings: &[(String, String)],
) -> Program {
    let inner = place.within("arguments").unwrap_or_else(|| place.clone());
    let Some(found) = json_text::at(&inner, arguments).ok().flatten() else { return Program::silent() };
    let automaton = if let Some(text) = found.string() {
        script_automaton(&text)
    } else if let Some(words) = found.strings() {
        argv_automaton(&words)
    } else {
        return Program::silent();
    };
    let patterns: Vec<ArgvPattern> = tables.iter().map(|(_, shell)| shell.argv.clone()).collect();
    let automaton = letter_automaton(&automaton, &patterns);
    let of_letters: Vec<_> =
        automaton.letters.iter().map(|command| letters(compiled, tables, command, bindings)).collect();
    let mut program = Program { arrows: vec![Vec::new(); automaton.states.len()], last: Vec::new() };
    for (at, state) in automaton.states.iter().enumerate() {
        if at == 0 && (state.ends_ok || state.ends_failed) {
            program.last.push(Last::with(0, Vec::new()));
        }
        // Edges with the same command share one call, whose outcome determines the edge.
        let mut called: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for edge in &state.edges {
            for (choice, (letter, actions)) in of_letters[edge.letter].iter().enumerate() {
                let called = *called.entry((edge.letter, choice)).or_insert_with(|| {
                    program.arrows.push(Vec::new());
                    let to = program.arrows.len() - 1;
                    program.arrows[at].push(Arrow { to, letter: letter.clone() });
                    to
                });
                let target = &automaton.states[edge.to];
                if !target.edges.is_empty() {
                    goes_on(compiled, &mut program, called, edge, actions, bindings);
                }
                if target.ends_ok || target.ends_failed {
                    let ok = if edge.outcome == CommandOutcome::Failed {
                        CallOutcome::Failed
                    } else {
                        CallOutcome::Ok
                    };
                    let failed = if edge.outcome == CommandOutcome::Ok {
                        CallOutcome::Ok
                    } else {
                        CallOutcome::Failed
                    };
                    let last = Last {
                        state: called,
                        actions: actions.clone(),
                        on_ok: target.ends_ok.then_some(ok),
                        on_failed: target.ends_failed.then_some(failed),
                    };
                    end(&mut program, last);
                }
            }
        }
    }
    program
}

/// Adds the outcomes after which the script continues along an edge.
fn goes_on(
    compiled: &CompiledPolicy,
    program: &mut Program,
    called: usize,
    edge: &ScriptEdge,
    actions: &[ActionId],
    bindings: &[(String, String)],
) {
    let atoms = &compiled.policy.atoms;
    for (outcome, ok) in [(CallOutcome::Ok, true), (CallOutcome::Failed, false)] {
        if !edge.outcome.allows(ok) {
            continue;
        }
        let mut ended = Letter::default();
        for &action in actions {
            ended.insert(atoms.bit(LawAtom::Result(action, outcome)));
        }
        let letter = (!ended.is_empty()).then(|| BoundLetter {
            letter: ended,
            bindings: bindings.to_vec(),
            amounts: Vec::new(),
        });
        let arrow = Arrow { to: edge.to, letter };
        if !program.arrows[called].contains(&arrow) {
            program.arrows[called].push(arrow);
        }
    }
}

/// Adds an end; it is merged with an end in the same state if they do not contradict each other.
fn end(program: &mut Program, last: Last) {
    let agree = |a: Option<CallOutcome>, b: Option<CallOutcome>| a.is_none() || b.is_none() || a == b;
    let known = program.last.iter_mut().find(|known| {
        known.state == last.state && agree(known.on_ok, last.on_ok) && agree(known.on_failed, last.on_failed)
    });
    match known {
        Some(known) => {
            known.on_ok = known.on_ok.or(last.on_ok);
            known.on_failed = known.on_failed.or(last.on_failed);
        }
        None => program.last.push(last),
    }
}
