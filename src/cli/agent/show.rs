//! Prints the turns of an agent: what holds, what the controller chose and why, and what was written.

use crate::flags::ColorChoice;
use crate::terminal::{escape, escape_lines, print, wants_color_on};
use console::Style;
use std::fmt::Write;
use tsl_synth_agents::story::{AppliedUpdate, Audience, Story, Turn};
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::AtomId;

/// Prints every turn on standard output.
pub(crate) struct TurnPrinter {
    color: bool,
    /// Whether the user typed the passages, so that they need not be printed again.
    typed: bool,
}

impl TurnPrinter {
    pub(crate) fn new(color: ColorChoice, typed: bool) -> Self {
        let color = wants_color_on(color, &std::io::stdout());
        Self { color, typed }
    }

    fn styled(&self, style: &Style, text: &str) -> String {
        if self.color { style.clone().force_styling(true).apply_to(text).to_string() } else { text.into() }
    }

    /// The updates that write something, and the outputs that hold.
    fn wants(story: &Story, turn: &Turn) -> String {
        let alphabet = &story.problem.alphabet;
        let mut wants: Vec<String> = Vec::new();
        for (atom, content) in story.contents() {
            if alphabet.holds(atom, &turn.letter) && *content != tsl_synth_agents::story::UpdateSource::Keep {
                wants.push(escape(story.name(atom)));
            }
        }
        wants.extend(turn.outputs.iter().map(|&atom| escape(story.name(atom))));
        if wants.is_empty() { "nothing new".into() } else { wants.join(", ") }
    }
}

/// Literals as text: `inTown(s), not inCave(s)`.
fn literals(story: &Story, literals: impl IntoIterator<Item = (AtomId, bool)>) -> String {
    let words = literals.into_iter().map(|(atom, holds)| {
        let name = escape(story.name(atom));
        if holds { name } else { format!("not {name}") }
    });
    words.collect::<Vec<_>>().join(", ")
}

impl Audience for TurnPrinter {
    fn decided(&mut self, story: &Story, turn: &Turn) {
        let (dim, bold) = (Style::new().dim(), Style::new().bold());
        let (cyan, red) = (Style::new().cyan(), Style::new().red());
        let mut text = format!("{}\n", self.styled(&bold, &format!("Turn {}", turn.number)));
        let holds: Vec<(AtomId, bool)> = turn
            .evaluations
            .iter()
            .filter(|evaluation| evaluation.holds)
            .map(|evaluation| (evaluation.atom, true))
            .collect();
        let holds = if holds.is_empty() { "nothing".to_string() } else { literals(story, holds) };
        text.push_str(&self.styled(&dim, &format!("  holds now:  {holds}")));
        text.push('\n');
        for &assumption in &turn.broken {
            let broken = escape(&story.clauses.assumptions[assumption].text);
            text.push_str(&self.styled(&red, &format!("  broken:     {broken}")));
            text.push('\n');
        }
        if turn.resynchronized {
            text.push_str(
                &self.styled(&red, "  the controller restarts where these evaluations are expected"),
            );
            text.push('\n');
        }
        if turn.held {
            text.push_str("  nothing is done in this turn\n");
        } else {
            let _ = writeln!(text, "  wanted:     {}", self.styled(&cyan, &Self::wants(story, turn)));
            let why = literals(story, turn.because.iter().copied());
            let state = turn.state.index();
            let why = if why.is_empty() { "whatever holds".to_string() } else { format!("because {why}") };
            text.push_str(&self.styled(&dim, &format!("  why:        {why}, in state S{state}")));
            text.push('\n');
        }
        for &guarantee in &turn.violated {
            let violated = escape(&story.clauses.guarantees[guarantee].text);
            text.push_str(&self.styled(&red, &format!("  violated:   {violated}")));
            text.push('\n');
        }
        // A failure to print must not stop the agent.
        let _ = print(&text);
    }

    fn finished(&mut self, _story: &Story, turn: &Turn) {
        let mut text = String::new();
        for AppliedUpdate { cell, value, generated, discarded, .. } in &turn.made {
            if *discarded > 0 {
                let _ = writeln!(text, "  ({discarded} written before and discarded)");
            }
            if !*generated {
                let _ = writeln!(text, "  {} = {}", escape(cell), escape(&value.to_string()));
            } else if !self.typed {
                let _ = writeln!(text, "\n{}", escape_lines(value.to_string().trim()));
            }
        }
        text.push('\n');
        let _ = print(&text);
    }
}
