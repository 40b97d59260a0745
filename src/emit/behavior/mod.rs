//! Emits behaviors of agents as code, and as grammars for constrained decoding.
//!
//! | target | files |
//! |---|---|
//! | `rust`, `js`, `python` | a class with the current state: `legal`, `prefix`, `read`, `advance`, `step`, snapshots; no dependencies |
//! | `dot`, `svg`, `json` | the automaton |
//! | `regex`, `gbnf`, `lark`, `structural-tag` | a JSON document ([`SegmentsDocument`](tsl_synth_documents::SegmentsDocument)): for each segment the text that is written before the model begins (`prefix`), the `stop` strings and the `grammar`; beside it each grammar of `gbnf` and `lark` as a file |
//!
//! A segment is a text that a model may write from the beginning of a run, or after a text of the environment, up to
//! and with the next prompt of a state of the environment, or to the end of the run. In the grammars every prompt but
//! the first one follows a line feed (or a tab or a blank, if a prompt contains a line feed); at run time a prompt is
//! recognized anywhere. So every text that a grammar accepts belongs to a run, and each sequence of states that is
//! possible in the segment has an accepted text.

mod code;
mod content;
mod pattern;
mod segments;

use super::dot::DotGraph;
use super::graph::{GraphEdge, GraphState};
use super::input::{Contents as FileContents, EmitError, EmittedFile};
use super::page_sessions::{FollowedNode, FollowedPart, followed_graph};
use content::PromptBeginnings;
use segments::{Segment, segments};
use serde_json::{Value, json};
use std::fmt::Write;
use tsl_synth_agents::behavior::Behavior;
use tsl_synth_core::base::{Id, sha256};
use tsl_synth_core::model::BehaviorNodeId;
use tsl_synth_documents::{
    BehaviorDocument, BehaviorEdgeDocument, BehaviorNodeDocument, BehaviorStateDocument, SegmentDocument,
    SegmentsDocument,
};

/// The output format of a behavior.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BehaviorTarget {
    /// Rust, with the standard library only.
    Rust,
    /// An ES module.
    Js,
    /// Python 3.10 or later.
    Python,
    /// Graphviz.
    Dot,
    /// A drawing as scalable vector graphics.
    Svg,
    /// The automaton as JSON.
    Json,
    /// Regular expressions without look-around.
    Regex,
    /// GBNF, the grammars of llama.cpp.
    Gbnf,
    /// The Lark dialect of llguidance.
    Lark,
    /// Structural tags of XGrammar.
    StructuralTag,
}

impl BehaviorTarget {
    /// All targets.
    pub const ALL: [Self; 10] = [
        Self::Rust,
        Self::Js,
        Self::Python,
        Self::Dot,
        Self::Svg,
        Self::Json,
        Self::Regex,
        Self::Gbnf,
        Self::Lark,
        Self::StructuralTag,
    ];
    /// The targets that only behaviors have.
    pub const GRAMMARS: [Self; 4] = [Self::Regex, Self::Gbnf, Self::Lark, Self::StructuralTag];
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Js => "js",
            Self::Python => "python",
            Self::Dot => "dot",
            Self::Svg => "svg",
            Self::Json => "json",
            Self::Regex => "regex",
            Self::Gbnf => "gbnf",
            Self::Lark => "lark",
            Self::StructuralTag => "structural-tag",
        }
    }
    /// The target with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|target| target.name() == name)
    }
}

/// Emits a behavior; `stem` is the common stem of the file names.
///
/// # Errors
/// If line feed, tab and blank all occur in prompts, so that none can separate prompts in grammars, or if a regular
/// expression would be too large.
pub fn emit_behavior(
    behavior: &Behavior,
    target: BehaviorTarget,
    stem: &str,
    tool_version: &str,
) -> Result<Vec<EmittedFile>, EmitError> {
    let file = |ending: &str, text: String, main| EmittedFile {
        path: format!("{stem}.{ending}"),
        contents: FileContents::Text(text),
        main,
    };
    match target {
        BehaviorTarget::Rust | BehaviorTarget::Js | BehaviorTarget::Python => {
            let (ending, text) = code::code(behavior, target, &machine_id(behavior), tool_version)?;
            Ok(vec![file(ending, text, true)])
        }
        BehaviorTarget::Dot => Ok(vec![file("dot", dot(behavior)?, true)]),
        BehaviorTarget::Svg => Ok(vec![file("svg", svg(behavior)?, true)]),
        BehaviorTarget::Json => {
            let text = pretty(&document(behavior, tool_version))?;
            Ok(vec![file("json", text, true)])
        }
        _ => {
            let (document, grammars) = grammars(behavior, target, tool_version)?;
            let mut files = vec![file("json", pretty(&document)?, true)];
            for (node, grammar) in grammars {
                files.push(file(&format!("{node}.{}", target.name()), grammar, false));
            }
            Ok(files)
        }
    }
}

fn pretty(document: &impl serde::Serialize) -> Result<String, EmitError> {
    serde_json::to_string_pretty(document)
        .map(|text| text + "\n")
        .map_err(|error| EmitError::Internal(format!("JSON of a behavior: {error}")))
}

/// The automaton as JSON.
fn document(behavior: &Behavior, tool_version: &str) -> BehaviorDocument {
    let spec = behavior.spec();
    let states = spec.states.iter().map(|state| BehaviorStateDocument {
        name: state.name.clone(),
        prompt: state.prompt.clone(),
        env_input: state.env_input,
        one_of: state.one_of.iter().map(|text| text.text.clone()).collect(),
    });
    let nodes = behavior.automaton().nodes().map(|(_, node)| BehaviorNodeDocument {
        state: node.state.map(Id::index),
        may_end: node.may_end,
        next: node
            .next
            .iter()
            .map(|(state, to)| BehaviorEdgeDocument { state: state.index(), node: to.index() })
            .collect(),
    });
    BehaviorDocument::new(tool_version, &spec.name, machine_id(behavior), states.collect(), nodes.collect())
}

/// The hash of states and nodes.
fn machine_id(behavior: &Behavior) -> String {
    let mut text = String::new();
    for state in &behavior.spec().states {
        let one_of: Vec<&str> = state.one_of.iter().map(|text| text.text.as_str()).collect();
        let _ = writeln!(text, "{:?} {:?} {} {one_of:?}", state.name, state.prompt, state.env_input);
    }
    for (_, node) in behavior.automaton().nodes() {
        let _ = writeln!(text, "{:?} {} {:?}", node.state, node.may_end, node.next);
    }
    sha256(text.as_bytes())
}

fn dot(behavior: &Behavior) -> Result<String, EmitError> {
    let quoted = |text: &str| tsl_synth_formats::quoted(&super::plain(text));
    let mut graph = DotGraph::new(quoted(&behavior.spec().name));
    graph.attribute("rankdir=LR");
    for (id, node) in behavior.automaton().nodes() {
        let attributes = match node.state.map(|state| behavior.state(state)) {
            None => vec!["shape=point".to_owned()],
            Some(state) => vec![
                format!("label={}", quoted(&state.name)),
                format!("shape={}", if state.env_input { "box" } else { "ellipse" }),
                format!("peripheries={}", if node.may_end { 2 } else { 1 }),
            ],
        };
        graph.node(format!("n{}", id.index()), attributes);
    }
    for (id, node) in behavior.automaton().nodes() {
        for (_, to) in &node.next {
            graph.edge(format!("n{}", id.index()), format!("n{}", to.index()), Vec::new());
        }
    }
    graph.render()
}

/// The states of the drawing: one for each node that has a state; nodes without a state mark the beginning of runs.
fn drawn(behavior: &Behavior) -> Vec<GraphState> {
    let automaton = behavior.automaton();
    let drawn: Vec<_> = automaton.nodes().filter(|(_, node)| node.state.is_some()).collect();
    let begins =
        |to| automaton.nodes().any(|(_, node)| node.state.is_none() && node.next.iter().any(|e| e.1 == to));
    let mut states = Vec::new();
    for (id, node) in &drawn {
        let Some(state) = node.state.map(|state| behavior.state(state)) else { continue };
        let remarks = [(state.env_input, "input"), (node.may_end, "may end")];
        let next = node.next.iter().filter_map(|(_, to)| drawn.iter().position(|(id, _)| id == to));
        states.push(GraphState {
            name: state.name.clone(),
            letter: remarks.iter().filter(|remark| remark.0).map(|remark| remark.1.into()).collect(),
            start: begins(*id),
            sink: false,
            edges: next.map(|to| GraphEdge::labeled(to, String::new())).collect(),
        });
    }
    states
}

fn svg(behavior: &Behavior) -> Result<String, EmitError> {
    let name = super::plain(&behavior.spec().name);
    let description = "the order of its states; `input` marks what is read, `may end` where a run may end";
    let title = format!("Behavior of {name}");
    super::svg::document(&drawn(behavior), &title, description, ("`--lang json` has them all", None))
}

/// The automaton of a behavior for a page, with its nodes in order; the first node is the start of every run.
pub fn followed_behavior(behavior: &Behavior, about: Vec<(&'static str, String)>) -> FollowedPart {
    let nodes = behavior.automaton().nodes().map(|(_, node)| {
        let state = node.state.map(|state| behavior.state(state));
        let remarks = [(state.is_some_and(|state| state.env_input), "input"), (node.may_end, "may end")];
        FollowedNode {
            name: state.map_or_else(|| "start".to_owned(), |state| state.name.clone()),
            texts: remarks.iter().filter(|remark| remark.0).map(|remark| remark.1.to_owned()).collect(),
            start: node.state.is_none(),
            to: node.next.iter().map(|(_, to)| (to.index(), String::new())).collect(),
        }
    });
    let mut part = followed_graph(&behavior.spec().name, "behavior", nodes.collect());
    part.automaton.about = about;
    part
}

/// The segments with their grammars, and the grammars that are also written as files, each with the node that its
/// segment follows.
fn grammars(
    behavior: &Behavior,
    target: BehaviorTarget,
    tool_version: &str,
) -> Result<(SegmentsDocument, Vec<(usize, String)>), EmitError> {
    let spec = behavior.spec();
    let contents =
        PromptBeginnings::new(spec.states.iter().map(|state| state.prompt.as_str())).ok_or_else(|| {
            let what = "prompts of this agent have line feeds, tabs and blanks in them: \
                    grammars need a white space that is in no prompt";
            EmitError::Unsupported(what.into())
        })?;
    let (mut all, mut files) = (Vec::new(), Vec::new());
    for segment in segments(behavior, &contents) {
        let grammar = match target {
            BehaviorTarget::Gbnf => Value::String(gbnf(&segment)),
            BehaviorTarget::Lark => Value::String(lark(&whole(&segment)?)),
            BehaviorTarget::StructuralTag => structural_tag(&segment)?,
            _ => Value::String(whole(&segment)?.regex()),
        };
        if let (Value::String(text), BehaviorTarget::Gbnf | BehaviorTarget::Lark) = (&grammar, target) {
            files.push((segment.number(), text.clone()));
        }
        let name = |state: tsl_synth_core::model::AgentStateId| spec.states[state].name.clone();
        all.push(SegmentDocument {
            node: segment.number(),
            after: behavior.automaton().node(segment.node).state.map(name),
            first: segment.first.iter().map(|state| name(*state)).collect(),
            prefix: segment.prefix.clone(),
            stop: behavior.stop_strings(),
            may_end: segment.may_end,
            grammar,
        });
    }
    Ok((SegmentsDocument::new(tool_version, &spec.name, target.name(), all), files))
}

/// The segments of a behavior: the node that each begins after, the text before the model begins, and the grammar, for
/// [`BehaviorTarget::Gbnf`] or [`BehaviorTarget::Regex`].
///
/// # Errors
/// As for [`emit_behavior`].
pub fn segment_grammars(
    behavior: &Behavior,
    target: BehaviorTarget,
    tool_version: &str,
) -> Result<Vec<(BehaviorNodeId, String, String)>, EmitError> {
    let (document, _) = grammars(behavior, target, tool_version)?;
    let nodes: Vec<BehaviorNodeId> = behavior.automaton().nodes().map(|(id, _)| id).collect();
    let segment = |segment: SegmentDocument| {
        let grammar = segment.grammar.as_str()?.to_string();
        Some((*nodes.get(segment.node)?, segment.prefix, grammar))
    };
    Ok(document.segments.into_iter().filter_map(segment).collect())
}

fn whole(segment: &Segment) -> Result<pattern::CharPattern, EmitError> {
    segment.pattern().ok_or_else(|| {
        let what = "a segment of this agent is too large for one regular expression: `--lang gbnf` has rules";
        EmitError::Unsupported(what.into())
    })
}

/// A GBNF grammar with one rule for each node of the segment.
fn gbnf(segment: &Segment) -> String {
    let name = |node: usize| if node == 0 { "root".to_owned() } else { format!("n{node}") };
    let (mut text, mut named) = (String::new(), Vec::new());
    for node in (0..segment.nodes).filter(|&node| node != 1) {
        let mut choices = Vec::new();
        for (_, to, pattern) in segment.edges.iter().filter(|(from, _, _)| *from == node) {
            pattern.named(&mut named);
            let rest = if *to == 1 { String::new() } else { format!(" {}", name(*to)) };
            let own = pattern.gbnf();
            let is_idle = own == "\"\"" && !rest.is_empty();
            choices.push(if is_idle { rest.trim_start().to_owned() } else { own + &rest });
        }
        let _ = writeln!(text, "{} ::= {}", name(node), choices.join(" | "));
    }
    for (name, pattern) in named {
        let _ = writeln!(text, "{name} ::= {}", pattern.gbnf());
    }
    text
}

/// A Lark grammar with a single terminal for the segment, so that a lexer cannot split the text.
fn lark(pattern: &pattern::CharPattern) -> String {
    let mut named = Vec::new();
    pattern.named(&mut named);
    let mut text = format!("start: SEGMENT\nSEGMENT: {}\n", pattern.lark());
    for (name, pattern) in named {
        let _ = writeln!(text, "{}: /{}/", name.to_ascii_uppercase(), pattern.regex());
    }
    text
}

/// A sequence of texts and patterns if there is only one path through the segment, else one regular expression.
fn structural_tag(segment: &Segment) -> Result<Value, EmitError> {
    let element = |pattern: &pattern::CharPattern| match pattern {
        pattern::CharPattern::Text(text) => json!({ "type": "const_string", "value": text }),
        other => json!({ "type": "regex", "pattern": other.regex() }),
    };
    let format = if let Some(way) = segment.only_way() {
        let parts = pattern::CharPattern::seq(way.into_iter().cloned());
        let parts = if let pattern::CharPattern::Seq(parts) = parts { parts } else { vec![parts] };
        json!({ "type": "sequence", "elements": parts.iter().map(element).collect::<Vec<_>>() })
    } else {
        element(&whole(segment)?)
    };
    Ok(json!({ "type": "structural_tag", "format": format }))
}
