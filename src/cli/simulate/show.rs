//! Plays as text.

use crate::terminal::escape;
use serde::Serialize;
use std::path::{Component, Path, PathBuf};
use tsl_synth_core::base::counted;
use tsl_synth_core::logic::{AtomId, AtomKind, Letter, Player};
use tsl_synth_core::model::{Role, StateId};
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::{LetterDocument, TraceDocument};
use tsl_synth_lang::spec::{ClauseId, Problem};
use tsl_synth_service::{Blame, Deviation, PlayEvent, PlayedMachine, PlayedStrategy, clause_text, role_word};

/// The lines before the first step.
pub(super) fn heading(subject: &PlayedMachine) -> String {
    let nameless = if subject.problem.is_some() { "the specification" } else { "<stdin>" };
    let name = subject.path.as_ref().map_or(nameless.into(), |path| path.to_string_lossy().into_owned());
    let what = if subject.is_counter_strategy() {
        "unrealizable: you are the system, against the counter-strategy of"
    } else {
        "controller of"
    };
    let states = match &subject.strategy {
        PlayedStrategy::Circuit(circuit) => {
            let (latches, gates) = (circuit.latches.len(), circuit.gates.len());
            format!(
                "a circuit (latches: {latches}, gates: {gates}), whose states are numbered as they are met"
            )
        }
        _ => counted(subject.states().unwrap_or_default(), "state"),
    };
    let atoms = subject.shown.atoms();
    let list = |atoms: Vec<&str>| if atoms.is_empty() { "none".into() } else { atoms.join(", ") };
    let inputs = subject.shown.input_names();
    let inputs = list(inputs.iter().map(String::as_str).collect());
    let cells = subject.shown.cells().iter().map(|cell| cell.name.as_str());
    let outputs = list(cells.chain(subject.shown.outputs().map(|a| atoms[a].name.as_str())).collect());
    format!(
        "{what} {}, {states}\ninputs: {}\noutputs: {}\n",
        escape(&name),
        escape(&inputs),
        escape(&outputs)
    )
}

/// An atom or its negation.
fn literal(subject: &PlayedMachine, atom: AtomId, letter: &Letter) -> String {
    let not = if subject.shown.holds(atom, letter) { "" } else { "!" };
    format!("{not}{}", subject.shown.atoms()[atom].name)
}

/// The part of a letter that a player decides. Cells that keep their value are left out.
pub(super) fn part(subject: &PlayedMachine, letter: &Letter, player: Player) -> String {
    let alphabet = &subject.shown;
    let words: Vec<String> = match player {
        Player::Environment => alphabet.input_words(letter).iter().map(ToString::to_string).collect(),
        Player::System => {
            let chosen = alphabet.cells().ids().map(|cell| (cell, alphabet.chosen(letter, cell)));
            let changes = chosen
                .filter(|&(cell, atom)| {
                    alphabet.update_term(atom) != Some(alphabet.cells()[cell].name.as_str())
                })
                .map(|(_, atom)| alphabet.atoms()[atom].name.clone());
            changes.chain(alphabet.outputs().map(|atom| literal(subject, atom, letter))).collect()
        }
    };
    if words.is_empty() { "-".into() } else { words.join(", ") }
}

/// An event of a play as text.
pub(super) fn event(machine: &PlayedMachine, sources: &SourceMap, event: &PlayEvent) -> String {
    match event {
        PlayEvent::Step { number, states, letter, lost: clauses, blame } => {
            let mut text = step(machine, *number, *states, letter);
            if let Some(problem) = &machine.problem {
                let blame = blame.as_ref();
                text.extend(clauses.iter().map(|&clause| lost(machine, problem, sources, clause, blame)));
                text.extend(blame.and_then(|blame| unsaid(machine, problem, clauses, blame)));
            }
            text
        }
        PlayEvent::NoAnswer(number, state) => {
            format!("{number:>4}  {}: no answer\n", escape(&machine.name(*state)))
        }
        PlayEvent::NoInputKeepsAssumptions(step) => {
            format!("      no input keeps all assumptions in step {step}\n")
        }
        PlayEvent::Repeats(step) => format!("      and again from step {step}\n"),
        PlayEvent::StaysFinite => "      no state was there before: the trace stays finite\n".into(),
        _ => String::new(),
    }
}

/// A step.
pub(super) fn step(
    subject: &PlayedMachine,
    number: usize,
    (from, to): (StateId, StateId),
    letter: &Letter,
) -> String {
    let line = format!(
        "{number:>4}  {} -> {}  {} / {}",
        subject.name(from),
        subject.name(to),
        part(subject, letter, Player::Environment),
        part(subject, letter, Player::System)
    );
    format!("{}\n", escape(&line))
}

/// A remark on a clause that is lost; for an assumption with the player that made the assumptions impossible, if that
/// was in this step.
fn lost(
    machine: &PlayedMachine,
    problem: &Problem,
    map: &SourceMap,
    id: ClauseId,
    blame: Option<&Blame>,
) -> String {
    let text = clause_text(problem, map, id);
    let role = problem.clauses[id].role;
    remark(&match (role, blame) {
        (Role::Fact, _) => format!("this cannot happen by the meaning of the specification: `{text}`"),
        (Role::Restriction, _) => format!("the system must not do this: `{text}`"),
        (Role::Assumption, Some(blame)) if !blame.facts => machine.blame_text(blame, Some(&text)),
        (Role::Assumption, _) => format!("the assumption `{text}` is broken, whatever follows"),
        (Role::Guarantee, _) => format!("the {} `{text}` can no longer be kept", role_word(role)),
    })
}

/// A remark that the assumptions became impossible, unless the remarks on lost clauses say so.
fn unsaid(machine: &PlayedMachine, problem: &Problem, clauses: &[ClauseId], blame: &Blame) -> Option<String> {
    let role = if blame.facts { Role::Fact } else { Role::Assumption };
    let is_said = match machine.blamed_clause(blame) {
        Some(clause) => clauses.contains(&clause),
        None => clauses.iter().any(|&clause| problem.clauses[clause].role == role),
    };
    (!is_said).then(|| blamed(machine, blame))
}

/// A remark that the assumptions became impossible, and which player made them so.
pub(super) fn blamed(machine: &PlayedMachine, blame: &Blame) -> String {
    remark(&machine.blame_text(blame, None))
}

/// A line below a step.
fn remark(text: &str) -> String {
    format!("      {}\n", escape(text))
}

/// The step at which a trace deviates from the machine, and a sentence about it.
pub(super) fn deviation(subject: &PlayedMachine, deviation: &Deviation) -> (usize, String) {
    match deviation {
        Deviation::Outputs { step, state, atom, expected, given } => {
            let alphabet = &subject.shown;
            let name = &alphabet.atoms()[*atom].name;
            let atoms = alphabet.atoms();
            let (said, done) = if let AtomKind::Update(cell, _) = atoms[*atom].kind {
                let options = &alphabet.cells()[cell].options;
                let reported = options.iter().find(|&&option| given.holds.contains(option));
                let reported = reported.map_or(format!("not `{name}`"), |&o| format!("`{}`", atoms[o].name));
                (reported, format!("`{}`", atoms[alphabet.chosen(expected, cell)].name))
            } else {
                let not = |value: bool| format!("`{}{name}`", if value { "" } else { "!" });
                (not(given.holds.contains(*atom)), not(alphabet.holds(*atom, expected)))
            };
            let state = subject.name(*state);
            let decides = match (subject.is_counter_strategy(), alphabet.player(*atom)) {
                (false, Player::System) => "the machine",
                (true, Player::Environment) => "the environment",
                _ => "the play",
            };
            (*step, format!("step {step}: {said} was said, but in state {state} {decides} gives {done}"))
        }
        Deviation::Stuck { step, state } => (
            *step,
            format!("step {step}: the machine has no edge for this letter in state {}", subject.name(*state)),
        ),
        Deviation::TooLong(limit) => (0, limit.to_string()),
    }
}

/// The path of a file relative to a folder, with `/`.
pub(crate) fn relative(folder: &Path, file: &Path) -> String {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let path = match (folder.canonicalize(), file.canonicalize()) {
        (Ok(folder), Ok(file)) => {
            let (from, to): (Vec<Component<'_>>, Vec<Component<'_>>) =
                (folder.components().collect(), file.components().collect());
            let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            let up = std::iter::repeat_n(Component::ParentDir, from.len() - common);
            up.chain(to[common..].iter().copied()).collect::<PathBuf>()
        }
        _ => file.to_path_buf(),
    };
    path.to_string_lossy().replace('\\', "/")
}

/// Trace JSON with a line for each letter.
pub(crate) fn document(trace: &TraceDocument) -> String {
    fn json(value: &impl Serialize) -> String {
        serde_json::to_string(value).unwrap_or_default()
    }
    let mut fields = vec![
        format!("\"schemaVersion\": {}", json(&trace.schema_version)),
        format!("\"tool\": {}", json(&trace.tool)),
    ];
    let optional = [
        ("spec", &trace.spec),
        ("machine", &trace.machine),
        ("machineId", &trace.machine_id),
        ("effect", &trace.effect),
    ];
    for (key, value) in optional {
        fields.extend(value.as_ref().map(|value| format!("\"{key}\": {}", json(value))));
    }
    let letters = |key: &str, letters: &[LetterDocument]| {
        let lines: Vec<String> = letters.iter().map(|letter| format!("\n    {}", json(letter))).collect();
        format!("\"{key}\": [{}{}]", lines.join(","), if lines.is_empty() { "" } else { "\n  " })
    };
    fields.push(letters("prefix", &trace.prefix));
    if !trace.cycle.is_empty() {
        fields.push(letters("loop", &trace.cycle));
    }
    fields.extend(trace.assumptions.as_ref().map(|found| format!("\"assumptions\": {}", json(found))));
    format!("{{\n  {}\n}}\n", fields.join(",\n  "))
}
