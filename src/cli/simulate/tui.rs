//! `simulate --tui`: play on the whole terminal, by keys. The view is built before it is drawn, so that tests can check
//! it without a terminal.

use super::{SimulatedPlay, show};
use crate::exit::Exit;
use crate::output;
use crate::terminal::escape;
use ratatui::Frame;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, read};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Paragraph};
use std::collections::BTreeMap;
use std::path::PathBuf;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{AtomId, Player};
use tsl_synth_core::model::{Observation, Role, StateId};
use tsl_synth_lang::spec::ClauseId;
use tsl_synth_service::{PlayEvent, clause_text};

/// The line that explains the keys.
const KEYS: &str = "up/down choose   left/right change   Enter step   r random   u undo   x reset   l loop   s save   q quit";

/// A choice of the user for the next step.
enum TuiChoice {
    /// An atom and its value; `None` if it is open.
    Atom(AtomId, Option<bool>),
    /// A cell, its options, and the index of the chosen one; `None` if it is open.
    Cell(String, Vec<AtomId>, Option<usize>),
}

/// What to do after a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Go,
    Quit,
    Interrupt,
}

/// The play with the choices for the next step.
struct Screen<'t, 'a> {
    table: &'t mut SimulatedPlay<'a>,
    choices: Vec<TuiChoice>,
    cursor: usize,
    /// The clauses that were lost in each step.
    lost: BTreeMap<usize, Vec<ClauseId>>,
    message: String,
}

/// The contents of the screen.
#[derive(Debug, Default, PartialEq, Eq)]
struct TuiView {
    title: String,
    /// Lines, and the index of the marked one.
    states: (Vec<String>, usize),
    choices: (Vec<String>, usize),
    values: Vec<String>,
    clauses: Vec<String>,
    history: Vec<String>,
    message: String,
}

/// Plays until the user ends it.
///
/// # Errors
/// The exit code, after the error was printed.
pub(super) fn play(table: &mut SimulatedPlay<'_>) -> Result<(), Exit> {
    let mut screen = Screen::new(table);
    let mut terminal =
        ratatui::try_init().map_err(|error| output::wrong(&format!("`--tui` needs a terminal: {error}")))?;
    let ended = loop {
        let view = screen.view();
        if let Err(error) = terminal.draw(|frame| draw(frame, &view)) {
            break Err(error);
        }
        match read() {
            Ok(Event::Key(key)) if key.kind != KeyEventKind::Release => match screen.press(key) {
                Next::Go => {}
                next => break Ok(next),
            },
            Ok(_) => {}
            Err(error) => break Err(error),
        }
    };
    ratatui::restore();
    match ended {
        Ok(Next::Interrupt) => Err(Exit::Interrupted),
        Ok(_) => Ok(()),
        Err(error) => Err(output::wrong(&format!("the terminal: {error}"))),
    }
}

impl<'t, 'a> Screen<'t, 'a> {
    fn new(table: &'t mut SimulatedPlay<'a>) -> Self {
        let alphabet = &table.machine.shown;
        let choices = match table.play.chooser() {
            Player::Environment => alphabet.inputs().map(|atom| TuiChoice::Atom(atom, None)).collect(),
            Player::System => {
                let cells = alphabet.cells().iter();
                let cells = cells.map(|cell| TuiChoice::Cell(cell.name.clone(), cell.options.clone(), None));
                cells.chain(alphabet.outputs().map(|atom| TuiChoice::Atom(atom, None))).collect()
            }
        };
        Self { table, choices, cursor: 0, lost: BTreeMap::new(), message: String::new() }
    }

    /// Runs the command of a key.
    fn press(&mut self, key: KeyEvent) -> Next {
        self.message.clear();
        let count = self.choices.len();
        match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return Next::Interrupt,
            KeyCode::Char('q') | KeyCode::Esc => return Next::Quit,
            KeyCode::Up | KeyCode::Char('k') if count > 0 => self.cursor = (self.cursor + count - 1) % count,
            KeyCode::Down | KeyCode::Char('j') if count > 0 => self.cursor = (self.cursor + 1) % count,
            KeyCode::Right | KeyCode::Char(' ') => self.change(true),
            KeyCode::Left => self.change(false),
            KeyCode::Enter => self.step(),
            KeyCode::Char('r') => self.random(),
            KeyCode::Char('u') | KeyCode::Backspace => self.back(1),
            KeyCode::Char('x') => self.back(usize::MAX),
            KeyCode::Char('l') => {
                let mut reported = String::new();
                let (machine, sources) = (self.table.machine, self.table.sources);
                self.table.play.close(&mut |event| reported += &show::event(machine, sources, &event));
                reported.trim().clone_into(&mut self.message);
            }
            KeyCode::Char('s') => self.save(),
            _ => {}
        }
        Next::Go
    }

    fn change(&mut self, forward: bool) {
        match self.choices.get_mut(self.cursor) {
            Some(TuiChoice::Atom(_, value)) => {
                *value = match (*value, forward) {
                    (None, true) | (Some(false), false) => Some(true),
                    (Some(true), true) | (None, false) => Some(false),
                    (Some(false), true) | (Some(true), false) => None,
                };
            }
            Some(TuiChoice::Cell(_, options, chosen)) => {
                let count = options.len();
                *chosen = match (*chosen, forward) {
                    (None, true) => Some(0),
                    (None, false) => Some(count - 1),
                    (Some(at), true) => Some(at + 1).filter(|&at| at < count),
                    (Some(at), false) => at.checked_sub(1),
                };
            }
            None => {}
        }
    }

    /// The choices that are not open.
    fn given(&self) -> Observation {
        let mut given = Observation::default();
        for choice in &self.choices {
            match choice {
                TuiChoice::Atom(atom, Some(value)) => {
                    given.record(*atom, *value);
                }
                TuiChoice::Cell(_, options, Some(at)) => {
                    given.record(options[*at], true);
                }
                _ => {}
            }
        }
        given
    }

    fn step(&mut self) {
        let given = self.given();
        let (lost, message) = (&mut self.lost, &mut self.message);
        let (machine, sources) = (self.table.machine, self.table.sources);
        let observed = self
            .table
            .play
            .observe(&given, &mut |event| record_losses(lost, message, machine, sources, &event));
        if let Err(deviation) = observed {
            self.message = show::deviation(machine, &deviation).1;
        }
    }

    fn random(&mut self) {
        let (lost, message) = (&mut self.lost, &mut self.message);
        let (machine, sources) = (self.table.machine, self.table.sources);
        self.table.play.random(1, false, &mut |event| record_losses(lost, message, machine, sources, &event));
    }

    fn back(&mut self, steps: usize) {
        self.table.play.back(steps);
        let left = self.table.play.len();
        self.lost.retain(|&step, _| step < left);
    }

    fn save(&mut self) {
        let path = self.table.args.output.output.clone().unwrap_or_else(|| PathBuf::from("trace.json"));
        self.message = match self.table.save(&path) {
            Ok(()) => format!("wrote {}", path.display()),
            Err(error) => format!("{error:#}"),
        };
    }

    /// The current contents of the screen.
    fn view(&self) -> TuiView {
        let SimulatedPlay { machine, sources, play, .. } = &*self.table;
        let alphabet = &machine.shown;
        let number = play.state().index();
        let states = (0..machine.states().unwrap_or_default())
            .map(|state| machine.name(StateId::from_index(state)))
            .collect();
        let choices = self.choices.iter().map(|choice| match choice {
            TuiChoice::Atom(atom, value) => {
                let mark = value.map_or('?', |value| if value { '+' } else { '-' });
                format!("{mark} {}", alphabet.atoms()[*atom].name)
            }
            TuiChoice::Cell(name, options, chosen) => {
                let chosen = chosen.map_or("?", |at| alphabet.update_term(options[at]).unwrap_or_default());
                format!("{name} <- {chosen}")
            }
        });
        let mut values = Vec::new();
        if let Some(given) = play.given() {
            values.push(format!("given: {}", show::part(machine, given, Player::Environment)));
        }
        if let Some((_, _, letter)) = play.steps().last() {
            for (id, cell) in alphabet.cells().enumerate() {
                let term = alphabet.update_term(alphabet.chosen(letter, id)).unwrap_or_default();
                values.push(format!("{} <- {term}", cell.name));
            }
            let outputs = alphabet.outputs();
            let value = |atom| {
                format!(
                    "{} {}",
                    if alphabet.holds(atom, letter) { '+' } else { '-' },
                    alphabet.atoms()[atom].name
                )
            };
            values.extend(outputs.map(value));
        }
        let lost: Vec<ClauseId> = self.lost.values().flatten().copied().collect();
        let clauses = machine.problem.iter().flat_map(|problem| {
            let written = problem.clauses.enumerate().filter(|(_, clause)| clause.span.is_some());
            written.map(|(id, clause)| {
                let role = if clause.role == Role::Assumption { "assume" } else { "keep" };
                let mark = if lost.contains(&id) { "LOST" } else { role };
                format!("{mark:<6} {}", clause_text(problem, sources, id))
            })
        });
        let history = play.steps().map(|(i, states, letter)| show::step(machine, i, states, letter));
        TuiView {
            title: show::heading(machine).lines().next().unwrap_or_default().to_owned(),
            states: (states, number),
            choices: (choices.map(|line| escape(&line)).collect(), self.cursor),
            values: values.iter().map(|line| escape(line)).collect(),
            clauses: clauses.map(|line| escape(&line)).collect(),
            history: history.map(|line| line.trim_end().to_owned()).collect(),
            message: escape(&self.message),
        }
    }
}

/// Records the clauses that an event of the play loses, and its remarks as the message.
fn record_losses(
    lost: &mut BTreeMap<usize, Vec<ClauseId>>,
    message: &mut String,
    machine: &tsl_synth_service::PlayedMachine,
    sources: &tsl_synth_core::source::SourceMap,
    event: &PlayEvent,
) {
    let text = show::event(machine, sources, event);
    // The first line of a step is in the history.
    let skipped = usize::from(matches!(event, PlayEvent::Step { .. }));
    let remarks: Vec<&str> = text.lines().skip(skipped).map(str::trim).collect();
    if !remarks.is_empty() {
        *message = remarks.join("; ");
    }
    if let PlayEvent::Step { number, lost: clauses, .. } = event
        && !clauses.is_empty()
    {
        lost.insert(*number, clauses.clone());
    }
}

/// At most `height` lines that include the one at `at`, with the index of the first of them.
fn window(lines: &[String], at: usize, height: u16) -> (usize, &[String]) {
    let height = usize::from(height).max(1);
    let start = (at + 1).saturating_sub(height);
    (start, &lines[start..lines.len().min(start + height)])
}

fn pane(frame: &mut Frame<'_>, area: Rect, title: &str, lines: &[String], at: Option<usize>) {
    let block = Block::bordered().title(title.to_owned());
    let inside = block.inner(area);
    let last = lines.len().saturating_sub(1);
    let (start, shown) = window(lines, at.unwrap_or(last), inside.height);
    let line = |(i, line): (usize, &String)| {
        let marked = at == Some(start + i);
        let style = if marked { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
        Line::styled(line.clone(), style)
    };
    let text: Vec<Line<'_>> = shown.iter().enumerate().map(line).collect();
    frame.render_widget(Paragraph::new(text).block(block), area);
}

fn draw(frame: &mut Frame<'_>, view: &TuiView) {
    let [title, main, history, message, keys] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Fill(3),
        Constraint::Fill(2),
        Constraint::Length(1),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    let [states, choices, rest] =
        Layout::horizontal([Constraint::Fill(1), Constraint::Fill(2), Constraint::Fill(3)]).areas(main);
    let [values, clauses] = Layout::vertical([Constraint::Fill(1), Constraint::Fill(1)]).areas(rest);
    frame.render_widget(Line::raw(view.title.clone()), title);
    pane(frame, states, "states", &view.states.0, Some(view.states.1));
    pane(frame, choices, "you choose", &view.choices.0, Some(view.choices.1));
    pane(frame, values, "cells and outputs", &view.values, None);
    pane(frame, clauses, "clauses", &view.clauses, None);
    pane(frame, history, "steps", &view.history, None);
    frame.render_widget(Line::raw(view.message.clone()), message);
    frame.render_widget(Line::raw(KEYS), keys);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Cli, Verb};
    use clap::Parser;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use tsl_synth_service::{Session, SimulateRequest, SpecLanguage, SpecRequest};

    const SPEC: &str = "input press: Bool; cell lamp: Bool = false;
        always guarantee { press && !lamp -> [lamp <- true]; press && lamp -> [lamp <- false]; !press -> [lamp <- lamp]; }";

    fn drawn(screen: &Screen<'_, '_>) -> String {
        let mut terminal = Terminal::new(TestBackend::new(110, 24)).expect("a terminal");
        let view = screen.view();
        terminal.draw(|frame| draw(frame, &view)).expect("it is drawn");
        terminal.backend().to_string()
    }

    #[test]
    fn keys_choose_step_and_take_back() {
        let mut session = Session::new();
        let request = SimulateRequest::new(SpecRequest::text(SpecLanguage::Tsl, "lamp.tsl", SPEC));
        let machine = session.simulate(&request).expect("a machine");
        let Ok(Cli { verb: Verb::Simulate(args) }) =
            Cli::try_parse_from(["tsl-synth", "simulate", "lamp.tsl", "--tui"])
        else {
            panic!("a call of simulate");
        };
        let mut table = SimulatedPlay::new(&args, &machine, &session.sources);
        let mut screen = Screen::new(&mut table);
        let press = |screen: &mut Screen<'_, '_>, code| screen.press(KeyEvent::new(code, KeyModifiers::NONE));
        assert!(drawn(&screen).contains("? press"), "{}", drawn(&screen));
        press(&mut screen, KeyCode::Right);
        press(&mut screen, KeyCode::Enter);
        assert_eq!(screen.table.play.len(), 1);
        let first = drawn(&screen);
        assert!(first.contains("+ press") && first.contains("lamp <- true"), "{first}");
        press(&mut screen, KeyCode::Enter);
        let second = drawn(&screen);
        assert!(second.contains("lamp <- false") && second.contains("   1  S0 -> S0"), "{second}");
        press(&mut screen, KeyCode::Char('u'));
        assert_eq!(drawn(&screen), first);
        for _ in 0..5 {
            press(&mut screen, KeyCode::Char('r'));
        }
        assert_eq!(screen.table.play.len(), 6);
        press(&mut screen, KeyCode::Char('x'));
        assert!(screen.table.play.is_empty());
        assert_eq!(press(&mut screen, KeyCode::Char('q')), Next::Quit);
        let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(screen.press(interrupt), Next::Interrupt);
    }

    #[test]
    fn the_marked_line_is_seen() {
        let lines: Vec<String> = (0..10).map(|i| i.to_string()).collect();
        for at in 0..10 {
            for height in 1..12 {
                let (start, shown) = window(&lines, at, height);
                assert_eq!(shown[at - start], at.to_string());
                assert!(shown.len() <= usize::from(height));
            }
        }
    }
}
