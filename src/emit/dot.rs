//! Graphs for Graphviz. All are written by the template `dot/graph.dot`.

use super::input::EmitError;
use super::render;
use serde::Serialize;
use std::fmt::Display;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::Alphabet;
use tsl_synth_core::model::{EmersonLei, Parity};
use tsl_synth_formats::edge_labels::{emerson_lei_condition, emerson_lei_labels, parity_labels};
use tsl_synth_formats::quoted;

/// A directed graph: its statements in order.
#[derive(Serialize)]
pub(super) struct DotGraph {
    name: String,
    statements: Vec<DotStatement>,
}

/// A node, an edge if there is a target, or an attribute of the graph.
#[derive(Serialize)]
struct DotStatement {
    from: String,
    to: Option<String>,
    attributes: Vec<String>,
}

impl DotGraph {
    /// An empty graph with a name in the syntax of DOT.
    pub(super) fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), statements: Vec::new() }
    }
    /// Adds an attribute of the graph.
    pub(super) fn attribute(&mut self, attribute: impl Into<String>) {
        self.node(attribute.into(), Vec::new());
    }
    /// Adds a node, or default attributes if it is called `node` or `edge`.
    pub(super) fn node(&mut self, id: impl Display, attributes: Vec<String>) {
        self.statements.push(DotStatement { from: id.to_string(), to: None, attributes });
    }
    /// Adds an edge.
    pub(super) fn edge(&mut self, from: impl Display, to: impl Display, attributes: Vec<String>) {
        let (from, to) = (from.to_string(), Some(to.to_string()));
        self.statements.push(DotStatement { from, to, attributes });
    }
    /// The text.
    pub(super) fn render(&self) -> Result<String, EmitError> {
        render::embedded("dot/graph", self)
    }
}

/// A deterministic parity automaton over inputs: accepting edges of a Büchi automaton are bold, other priorities
/// are written in braces.
///
/// # Errors
/// The template fails, which is a bug.
pub fn parity_dot(alphabet: &Alphabet, automaton: &Parity, name: &str) -> Result<String, EmitError> {
    let is_buchi = automaton.edges.iter().flatten().all(|edge| edge.priority <= 1);
    let mut graph = DotGraph::new(quoted(name));
    graph.attribute("rankdir=LR");
    graph.node("node", vec!["shape=circle".into()]);
    graph.node("start", vec!["shape=point".into()]);
    graph.edge("start", automaton.initial.index(), Vec::new());
    let labels = parity_labels(alphabet, automaton);
    for ((q, edges), labels) in automaton.edges.enumerate().zip(labels) {
        graph.node(q.index(), Vec::new());
        for (edge, label) in edges.iter().zip(labels) {
            let label = if is_buchi { label } else { format!("{label} {{{}}}", edge.priority) };
            let mut attributes = vec![format!("label={}", quoted(&label))];
            if is_buchi && edge.priority == 0 {
                attributes.push("style=bold".into());
            }
            graph.edge(q.index(), edge.next.index(), attributes);
        }
    }
    graph.render()
}

/// An automaton over all atoms: the acceptance sets of an edge are written in braces, name and acceptance condition are
/// the label of the graph. `None` if the label of an edge needs too many products.
///
/// # Errors
/// The template fails, which is a bug.
pub fn emerson_lei_dot(
    alphabet: &Alphabet,
    automaton: &EmersonLei,
    name: &str,
) -> Result<Option<String>, EmitError> {
    let Some(labels) = emerson_lei_labels(alphabet, automaton) else { return Ok(None) };
    let mut graph = DotGraph::new(quoted(name));
    graph.attribute("rankdir=LR");
    graph.attribute(format!("label={}", quoted(&format!("{name}: {}", emerson_lei_condition(automaton)))));
    graph.node("node", vec!["shape=circle".into()]);
    for (i, q) in automaton.initial.iter().enumerate() {
        graph.node(format!("start{i}"), vec!["shape=point".into()]);
        graph.edge(format!("start{i}"), q.index(), Vec::new());
    }
    for ((q, edges), labels) in automaton.edges.enumerate().zip(labels) {
        graph.node(q.index(), Vec::new());
        for (edge, label) in edges.iter().zip(labels) {
            graph.edge(q.index(), edge.next.index(), vec![format!("label={}", quoted(&label))]);
        }
    }
    graph.render().map(Some)
}
