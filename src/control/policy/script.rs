//! Shell commands as programs of letters: each command is a call and, before the script goes on, its outcome; the outcome of
//! the last one is that of the whole.

use super::compiled::CompiledPolicy;
use super::program::{Arrow, BoundLetter, Last, Program};
use crate::format::json_text;
use crate::logic::Letter;
use crate::model::{Outcome, Pointer};
use crate::spec::policy::{ActionId, Atom, Match, ShellMatch, Unmatched};
use crate::syntax::shell::{
    ArgvPattern, CommandLetter, CommandOutcome, argv_automaton, letter_automaton, script_automaton,
};

/// The program of a call: first what tables about the whole call say, then the commands of the script.
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
        program = then(program, commands(compiled, &own, place, arguments, bindings));
    }
    program
}

/// One program after another; the first is one letter at most.
fn then(first: Program, second: Program) -> Program {
    let Some(letter) = first.only_letter() else { return second };
    let mut program = second;
    let begin = program.arrows.len();
    program.arrows.push(Vec::new());
    // State 0 is the first: what began there begins at the new state.
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

/// The letters that a command may be: what its patterns say for sure, and that with one that may match; `None` for no letter.
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
                letter.insert(atoms.bit(Atom::Call(action)));
                if !actions.contains(&action) {
                    actions.push(action);
                }
            }
            for &(proposition, value) in &table.set {
                if value {
                    letter.insert(atoms.bit(Atom::Proposition(proposition)));
                } else if atoms.propositions[proposition].is_state {
                    letter.insert(atoms.bit(Atom::Clear(proposition)));
                }
            }
        }
        if opaque {
            letter.insert(atoms.bit(Atom::Opaque));
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
    let atoms = &compiled.policy.atoms;
    for (at, state) in automaton.states.iter().enumerate() {
        if at == 0 && (state.ends_ok || state.ends_failed) {
            program.last.push(Last::with(0, Vec::new()));
        }
        for edge in &state.edges {
            for (letter, actions) in &of_letters[edge.letter] {
                let called = program.arrows.len();
                program.arrows.push(Vec::new());
                program.arrows[at].push(Arrow { to: called, letter: letter.clone() });
                let target = &automaton.states[edge.to];
                if !target.edges.is_empty() {
                    for (outcome, ok) in [(Outcome::Ok, true), (Outcome::Failed, false)] {
                        if !edge.outcome.allows(ok) {
                            continue;
                        }
                        let mut ended = Letter::default();
                        for &action in actions {
                            ended.insert(atoms.bit(Atom::Result(action, outcome)));
                        }
                        let ended = (!ended.is_empty()).then(|| BoundLetter {
                            letter: ended,
                            bindings: bindings.to_vec(),
                            amounts: Vec::new(),
                        });
                        let arrow = Arrow { to: edge.to, letter: ended };
                        if !program.arrows[called].contains(&arrow) {
                            program.arrows[called].push(arrow);
                        }
                    }
                }
                if target.ends_ok || target.ends_failed {
                    let ok =
                        if edge.outcome == CommandOutcome::Failed { Outcome::Failed } else { Outcome::Ok };
                    let failed =
                        if edge.outcome == CommandOutcome::Ok { Outcome::Ok } else { Outcome::Failed };
                    program.last.push(Last {
                        state: called,
                        actions: actions.clone(),
                        on_ok: target.ends_ok.then_some(ok),
                        on_failed: target.ends_failed.then_some(failed),
                    });
                }
            }
        }
    }
    program
}
