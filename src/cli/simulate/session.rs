//! Interactive play: each line is a letter or a command.

use super::SimulatedPlay;
use super::show;
use crate::exit::Exit;
use crate::terminal::{eprint, escape, escape_lines, print};
use std::fmt::Write;
use std::io::{BufRead, IsTerminal};
use std::path::Path;
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::logic::Player;
use tsl_synth_service::read_choice;

/// The largest length of a line, in bytes.
const LINE: u64 = 1 << 20;

const HELP: &str = "\
a letter: the terms that hold, such as `a !b`, `a & !b`, `a=1`, `.` for none
state           the current state and the atoms that you choose
random [N]      N random steps
undo, back N    take back one step, N steps
reset           back to the start
trace           all steps so far
loop            let the trace repeat from where this state was before
save FILE       write the trace as JSON
help, quit
";

/// The command in a line.
#[derive(Debug, PartialEq, Eq)]
enum SessionCommand<'a> {
    Nothing,
    Help,
    State,
    Random(usize),
    Back(usize),
    Reset,
    Trace,
    Loop,
    Save(&'a str),
    Quit,
    Letter(&'a str),
    Mistake(String),
}

fn parse(line: &str) -> SessionCommand<'_> {
    let line = line.trim();
    let (word, rest) =
        line.split_once(char::is_whitespace).map_or((line, ""), |(word, rest)| (word, rest.trim()));
    let number = |default: Option<usize>| match (rest, default) {
        ("", Some(default)) => Some(default),
        _ => rest.parse::<usize>().ok().filter(|n| *n <= 1_000_000),
    };
    match (word, rest) {
        ("", _) => SessionCommand::Nothing,
        ("help" | "?", "") => SessionCommand::Help,
        ("state", "") => SessionCommand::State,
        ("undo", "") => SessionCommand::Back(1),
        ("reset", "") => SessionCommand::Reset,
        ("trace", "") => SessionCommand::Trace,
        ("loop", "") => SessionCommand::Loop,
        ("quit" | "exit" | "q", "") => SessionCommand::Quit,
        ("random", _) if number(Some(1)).is_some() => SessionCommand::Random(number(Some(1)).unwrap_or(1)),
        ("back", _) => number(None).map_or_else(
            || SessionCommand::Mistake("`back N` takes a number of steps".into()),
            SessionCommand::Back,
        ),
        ("save", "") => SessionCommand::Mistake("`save FILE` takes the name of a file".into()),
        ("save", file) => SessionCommand::Save(file),
        (".", "") => SessionCommand::Letter(""),
        _ => SessionCommand::Letter(line),
    }
}

/// Plays until the input ends. On a terminal mistakes are reported; elsewhere the first one ends the play.
///
/// # Errors
/// The exit code, after the error was printed.
pub(super) fn play(table: &mut SimulatedPlay<'_>) -> Result<(), Exit> {
    let input = std::io::stdin();
    let terminal = input.is_terminal();
    let mut input = input.lock();
    if terminal && !table.args.output.quiet {
        table.print_message("a line is a letter: the terms that hold; `help` lists the commands\n");
    }
    let mut number = 0;
    loop {
        prompt(table, terminal);
        let mut line = String::new();
        number += 1;
        match std::io::Read::take(&mut input, LINE).read_line(&mut line) {
            Ok(0) => {
                if terminal {
                    table.print_message("\n");
                }
                break;
            }
            Ok(_) => {}
            Err(error) => {
                eprint(&format!("error: standard input, line {number}: {error}\n"));
                return Err(Exit::Wrong);
            }
        }
        let text = line.split("//").next().unwrap_or("");
        match act(table, parse(text)) {
            Ok(true) => {}
            Ok(false) => break,
            Err(message) if terminal => table.print_message(&format!("{}\n", escape_lines(&message))),
            Err(message) => {
                eprint(&format!("error: standard input, line {number}: {}\n", escape_lines(&message)));
                return Err(Exit::Wrong);
            }
        }
    }
    if table.args.close {
        table.act(|play, tell| play.close(tell));
    }
    Ok(())
}

fn prompt(table: &SimulatedPlay<'_>, terminal: bool) {
    if !terminal {
        return;
    }
    let mut text = String::new();
    if let Some(given) = table.play.given() {
        let part = show::part(table.machine, given, Player::Environment);
        let _ = writeln!(text, "      the environment gives {}", escape(&part));
    }
    let state = table.machine.name(table.play.state());
    let _ = write!(text, "step {}, {}> ", table.play.len(), escape(&state));
    if table.args.format == crate::simulate::args::TraceFormat::Json {
        eprint(&text);
    } else {
        let _ = print(&text);
    }
}

/// Runs the command in a line. Returns `false` at the end of the play; the error is the message about a mistake.
fn act(table: &mut SimulatedPlay<'_>, line: SessionCommand<'_>) -> Result<bool, String> {
    match line {
        SessionCommand::Nothing => {}
        SessionCommand::Help => table.print_message(HELP),
        SessionCommand::State => table.print_message(&state(table)),
        SessionCommand::Quit => return Ok(false),
        SessionCommand::Back(steps) => {
            let before = table.play.len();
            table.play.back(steps);
            table.print_message(&format!("took back {}\n", before - table.play.len()));
        }
        SessionCommand::Reset => table.play.back(usize::MAX),
        SessionCommand::Trace => {
            let mut steps = String::new();
            for (i, states, letter) in table.play.steps() {
                steps += &show::step(table.machine, i, states, letter);
                if let Some(blame) = table.play.blame().filter(|blame| blame.steps == i + 1) {
                    steps += &show::blamed(table.machine, blame);
                }
            }
            table.print_message(if steps.is_empty() { "no step was taken\n" } else { &steps });
        }
        SessionCommand::Loop => table.act(|play, tell| play.close(tell)),
        SessionCommand::Save(file) => {
            table.save(Path::new(file)).map_err(|error| format!("{error:#}"))?;
            table.print_message(&format!("wrote {}\n", escape(file)));
        }
        SessionCommand::Random(steps) => {
            table.act(|play, tell| play.random(steps, false, tell));
        }
        SessionCommand::Mistake(message) => return Err(message),
        SessionCommand::Letter(text) => letter(table, text)?,
    }
    Ok(true)
}

/// The current state, the atoms that the user chooses, and the step before which the play was in this state.
fn state(table: &SimulatedPlay<'_>) -> String {
    let alphabet = &table.machine.shown;
    let mut text = format!("state {}\n", table.machine.name(table.play.state()));
    let names: Vec<String> = match table.play.chooser() {
        Player::Environment => alphabet.input_names(),
        Player::System => {
            let options = alphabet.cells().iter().flat_map(|cell| cell.options.iter().copied());
            options.chain(alphabet.outputs()).map(|atom| alphabet.atoms()[atom].name.clone()).collect()
        }
    };
    let _ = writeln!(text, "you choose: {}", names.join(", "));
    if let Some(back) = table.play.recurrence() {
        let _ = writeln!(text, "the play was in this state before step {back}");
    }
    escape_lines(&text)
}

fn letter(table: &mut SimulatedPlay<'_>, text: &str) -> Result<(), String> {
    let reported = |found: &Diagnostics| -> String {
        let lines = found
            .iter()
            .map(|d| std::iter::once(&d.message).chain(&d.hints).cloned().collect::<Vec<_>>().join("; "));
        lines.collect::<Vec<_>>().join("\n")
    };
    let given = read_choice(table.machine, table.play.len(), text).map_err(|found| reported(&found))?;
    let observed = table.act(|play, tell| play.observe(&given, tell));
    observed.map_err(|deviation| show::deviation(table.machine, &deviation).1)
}
