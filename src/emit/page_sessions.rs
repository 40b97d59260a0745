//! A page in HTML that runs automata event by event: monitors of laws over a log, the behavior of an agent over a run,
//! plans as trees.

use super::graph::{GraphEdge, GraphState};
use super::input::EmitError;
use super::page::{STYLE, hash, in_script};
use super::render::embedded;
use super::svg::Picture;
use super::text::plain;
use serde::Serialize;
use tsl_synth_documents::{
    FollowedAutomaton, FollowedEdge, FollowedSession, FollowedState, SessionsDocument,
};

/// Automata with more states are not drawn.
const MOST_DRAWN: usize = 300;

/// The script in the order in which it runs, and the part of the style sheet that other pages do not have.
const SCRIPTS: [&str; 3] = [
    tsl_synth_templates::text("view/stage.js"),
    tsl_synth_templates::text("view/follow.js"),
    tsl_synth_templates::text("view/sessions.js"),
];
const OWN_STYLE: &str = tsl_synth_templates::text("view/sessions.css");

/// An automaton with the states of its drawing.
#[derive(Clone, Debug)]
pub struct FollowedPart {
    /// The automaton.
    pub automaton: FollowedAutomaton,
    pub(super) states: Vec<GraphState>,
}

/// The contents of a page.
#[derive(Clone, Debug)]
pub struct SessionsParts {
    /// The title.
    pub title: String,
    /// The version of this tool.
    pub version: String,
    /// What the page is about, in a sentence.
    pub about: String,
    /// The kind of the automata: `law`, `behavior` or `plan`.
    pub kind: &'static str,
    /// The automata.
    pub automata: Vec<FollowedPart>,
    /// The names of the atoms of letters.
    pub atoms: Vec<String>,
    /// The atoms that some automaton tests.
    pub offered: Vec<usize>,
    /// Pairs of atoms that are never true together.
    pub conflicts: Vec<(usize, usize)>,
    /// The sessions.
    pub sessions: Vec<FollowedSession>,
    /// Notes for the reader of the page.
    pub notes: Vec<String>,
}

/// The data of the template, which escapes all texts except the markup that was made here.
#[derive(Serialize)]
struct PageContent {
    title: String,
    version: String,
    about: String,
    is_law: bool,
    is_plan: bool,
    /// The capitalized noun for one automaton and for several.
    word: &'static str,
    words: &'static str,
    names: Vec<(String, String)>,
    notes: Vec<String>,
    drawings: Vec<String>,
    style: String,
    style_hash: String,
    script: String,
    script_hash: String,
    data: String,
}

/// Makes a page. The same parts make the same bytes.
///
/// # Errors
/// If the template is wrong: a bug.
pub fn emit_sessions(parts: SessionsParts) -> Result<String, EmitError> {
    let mut drawings = Vec::new();
    let mut automata = Vec::new();
    for part in parts.automata {
        let mut automaton = part.automaton;
        let picture = if part.states.len() <= MOST_DRAWN { Picture::new(&part.states) } else { None };
        automaton.drawn = picture.is_some();
        drawings.push(picture.map_or_else(
            || "<p class=\"quiet\">This automaton is too large for a drawing.</p>\n".into(),
            |picture| picture.part(&plain(&automaton.name)),
        ));
        automata.push(automaton);
    }
    let names = automata.iter().map(|one| {
        let text = one.about.first().map(|(_, text)| plain(text)).unwrap_or_default();
        (plain(&one.name), text)
    });
    let (word, words) = match parts.kind {
        "law" => ("Law", "Laws"),
        "plan" => ("Tree", "Trees"),
        _ => ("Behavior", "Behavior"),
    };
    let names = names.collect();
    let document = SessionsDocument {
        kind: parts.kind,
        automata,
        atoms: parts.atoms,
        offered: parts.offered,
        conflicts: parts.conflicts,
        sessions: parts.sessions,
    };
    let data = serde_json::to_string(&document)
        .map_err(|error| EmitError::Internal(format!("the data of a page: {error}")))?;
    let style = format!("{STYLE}\n{OWN_STYLE}");
    let script = format!("\"use strict\";\n(() => {{\n{}}})();\n", SCRIPTS.concat());
    embedded(
        "view/sessions",
        &PageContent {
            title: plain(&parts.title),
            version: parts.version,
            about: plain(&parts.about),
            is_law: parts.kind == "law",
            is_plan: parts.kind == "plan",
            word,
            words,
            names,
            notes: parts.notes.iter().map(|note| plain(note)).collect(),
            drawings,
            style_hash: hash(&style),
            style,
            script_hash: hash(&script),
            script,
            data: in_script(&data),
        },
    )
}

/// A node of a graph for [`followed_graph`].
#[derive(Clone, Debug)]
pub struct FollowedNode {
    /// Its name.
    pub name: String,
    /// Further lines in it.
    pub texts: Vec<String>,
    /// Whether it is initial.
    pub start: bool,
    /// Its successors by their numbers, with the labels of the edges.
    pub to: Vec<(usize, String)>,
}

/// The part of a page for a graph whose edges do not depend on letters: a behavior, a plan as a tree, the rules of a
/// grammar.
pub fn followed_graph(name: &str, role: &str, nodes: Vec<FollowedNode>) -> FollowedPart {
    let (mut states, mut edges, mut drawn) = (Vec::new(), Vec::new(), Vec::new());
    for (from, node) in nodes.into_iter().enumerate() {
        states.push(FollowedState { name: node.name.clone(), standing: node.texts.join(", ") });
        let mut leaving = Vec::new();
        for (to, when) in node.to {
            edges.push(FollowedEdge { from, to, when: when.clone() });
            leaving.push(GraphEdge::labeled(to, when));
        }
        drawn.push(GraphState {
            name: node.name,
            letter: node.texts,
            start: node.start,
            sink: false,
            edges: leaving,
        });
    }
    let automaton = FollowedAutomaton {
        name: name.into(),
        role: role.into(),
        about: Vec::new(),
        each: Vec::new(),
        states,
        edges,
        tests: Vec::new(),
        root: 0,
        rows: Vec::new(),
        drawn: false,
    };
    FollowedPart { automaton, states: drawn }
}
