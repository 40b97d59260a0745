//! Strategies as diagrams for Graphviz, Mermaid and terminals, with labels over the terms of the specification.

use super::dot::DotGraph;
use super::graph::{GraphEdge, GraphState};
use super::input::{EmitError, EmitInput, Strategy};
use super::overview::{Shown, shown};
use super::text::plain;
use super::unfold::drawn;
use std::fmt::Write;

/// Longer labels are ignored when the targets of edges are aligned in a column.
const WIDEST: usize = 72;

/// The title of a diagram.
pub(super) fn title(input: &EmitInput<'_>) -> String {
    let what = match input.strategy {
        Strategy::Controller(_) => "controller",
        Strategy::Counter(_) => "counter-strategy of the environment",
    };
    let certified = match &input.meta.certified_by {
        Some(by) => format!("certified: {by}"),
        None => "not certified".to_owned(),
    };
    plain(&format!(
        "{}: {what}, tsl-synth {}, {}, {certified}, sha256 {}",
        input.meta.spec_name, input.meta.tool_version, input.meta.origin, input.meta.spec_sha256
    ))
}

/// The labels of the edges of a state, grouped by target.
pub(super) fn bundles(state: &GraphState) -> Vec<(usize, Vec<String>)> {
    let mut bundles: Vec<(usize, Vec<String>)> = Vec::new();
    for edge in &state.edges {
        match bundles.iter_mut().find(|(next, _)| *next == edge.next) {
            Some((_, lines)) => lines.push(edge.text()),
            None => bundles.push((edge.next, vec![edge.text()])),
        }
    }
    bundles
}

/// A strategy for Graphviz.
pub(super) fn dot(input: &EmitInput<'_>) -> Result<String, EmitError> {
    let escape = |text: &str| {
        text.chars().fold(String::new(), |mut out, c| {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                c => out.push(c),
            }
            out
        })
    };
    let mut drawing = DotGraph::new("machine");
    let Shown { states, note } = shown(drawn(input)?);
    let lines: Vec<String> = [title(input)].iter().chain(&note).map(|line| escape(line)).collect();
    drawing.attribute(format!("label=\"{}\"", lines.join("\\n")));
    drawing.attribute("labelloc=t");
    drawing.attribute("rankdir=LR");
    let font = || "fontname=\"Helvetica\"".to_owned();
    drawing.node("node", vec!["shape=box".into(), "style=rounded".into(), font()]);
    drawing.node("edge", vec![font(), "fontsize=11".into()]);
    drawing.node("start", vec!["shape=point".into()]);
    for (i, state) in states.iter().enumerate() {
        let mut name = escape(&state.name);
        for literal in &state.letter {
            name.push_str("\\n");
            name.push_str(&escape(&plain(literal)));
        }
        let mut attributes = vec![format!("label=\"{name}\"")];
        if state.sink {
            attributes.extend(["style=\"rounded,dashed\"".into(), "tooltip=\"sink: never left\"".into()]);
        }
        drawing.node(format!("s{i}"), attributes);
        if state.start {
            drawing.edge("start", format!("s{i}"), Vec::new());
        }
    }
    for (i, state) in states.iter().enumerate() {
        for (next, lines) in bundles(state) {
            let lines: Vec<String> = lines.iter().map(|line| format!("{}\\l", escape(line))).collect();
            let label = format!("label=\"{}\"", lines.concat());
            drawing.edge(format!("s{i}"), format!("s{next}"), vec![label]);
        }
    }
    drawing.render()
}

/// A strategy as a Mermaid flowchart.
pub(super) fn mermaid(input: &EmitInput<'_>) -> Result<String, EmitError> {
    // Everything but letters, digits and a few signs is written as a character code, so that nothing is read as markup.
    let escape = |text: &str| {
        text.chars().fold(String::new(), |mut out, c| {
            if c.is_ascii_alphanumeric() || " .,:_+-*()[]!|/=".contains(c) {
                out.push(c);
            } else {
                write!(out, "#{};", u32::from(c)).expect("strings take everything");
            }
            out
        })
    };
    let comment: String = title(input).chars().map(|c| if "%{}".contains(c) { ' ' } else { c }).collect();
    let mut out = format!("%% {comment}\nflowchart LR\n  start(( ))\n");
    let Shown { states, note } = shown(drawn(input)?);
    if let Some(note) = note {
        writeln!(out, "  note[\"{}\"]", escape(&note)).expect("strings take everything");
    }
    for (i, state) in states.iter().enumerate() {
        let mut name = escape(&state.name);
        for literal in &state.letter {
            name.push_str("<br/>");
            name.push_str(&escape(&plain(literal)));
        }
        let (open, close) = if state.sink { ("[[", "]]") } else { ("(", ")") };
        writeln!(out, "  s{i}{open}\"{name}\"{close}").expect("strings take everything");
        if state.start {
            writeln!(out, "  start --> s{i}").expect("strings take everything");
        }
    }
    for (i, state) in states.iter().enumerate() {
        for (next, lines) in bundles(state) {
            let lines: Vec<String> = lines.iter().map(|line| escape(line)).collect();
            writeln!(out, "  s{i} -->|\"{}\"| s{next}", lines.join("<br/>"))
                .expect("strings take everything");
        }
    }
    if states.iter().any(|state| state.sink) {
        out.push_str("  classDef sink stroke-dasharray: 4 4\n");
        for (i, state) in states.iter().enumerate().filter(|(_, state)| state.sink) {
            debug_assert!(state.sink);
            writeln!(out, "  class s{i} sink").expect("strings take everything");
        }
    }
    Ok(out)
}

/// A strategy for a terminal: each state with its edges, the targets of edges aligned in one column.
pub(super) fn text(input: &EmitInput<'_>) -> Result<String, EmitError> {
    let mut out = title(input) + "\n";
    let states = drawn(input)?;
    for state in &states {
        let mut line = state.name.clone();
        if state.start {
            line.push_str("  (start)");
        }
        if state.sink {
            line.push_str("  (never left)");
        }
        if !state.letter.is_empty() {
            let letter: Vec<String> = state.letter.iter().map(|literal| plain(literal)).collect();
            line = format!("{line}  gives {}", letter.join(", "));
        }
        writeln!(out, "\n{line}").expect("strings take everything");
        let labels: Vec<String> = state.edges.iter().map(GraphEdge::text).collect();
        let width =
            labels.iter().map(|label| label.chars().count()).filter(|&n| n <= WIDEST).max().unwrap_or(0);
        for (i, (edge, label)) in state.edges.iter().zip(&labels).enumerate() {
            let corner = if i + 1 == labels.len() { "└─" } else { "├─" };
            let line = "─".repeat(width.saturating_sub(label.chars().count()) + 1);
            let next = if states[edge.next].name == state.name { "itself" } else { &states[edge.next].name };
            writeln!(out, "  {corner} {label} {line}▶ {next}").expect("strings take everything");
        }
    }
    Ok(out)
}
