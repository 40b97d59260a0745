//! Segments: the texts that a model may write from the beginning of a run, or after a text of the environment, to the
//! next text of the environment or the end of the run.

use super::content::PromptBeginnings;
use super::pattern::CharPattern;
use std::collections::BTreeMap;
use tsl_synth_agents::behavior::{Behavior, common_prefix};
use tsl_synth_core::base::Id;
use tsl_synth_core::model::{AgentStateId, BehaviorNodeId};

/// Patterns of a larger [`CharPattern::size`] are refused.
const LARGEST: usize = 200_000;

/// A segment, as a finite automaton whose edges are labeled by patterns. Node 0 is initial, node 1 final.
pub(super) struct Segment {
    /// The node of the behavior after which the segment begins.
    pub(super) node: BehaviorNodeId,
    /// The states that it may begin with.
    pub(super) first: Vec<AgentStateId>,
    /// The longest common prefix of their prompts.
    pub(super) prefix: String,
    /// Whether a run may end in it.
    pub(super) may_end: bool,
    /// Source node, target node and the pattern of the text that is written.
    pub(super) edges: Vec<(usize, usize, CharPattern)>,
    pub(super) nodes: usize,
}

/// The segments of a behavior in the order of its nodes: after the start, and after each state of the environment at
/// which the run cannot end, if the model may write next.
pub(super) fn segments(behavior: &Behavior, contents: &PromptBeginnings) -> Vec<Segment> {
    let automaton = behavior.automaton();
    let mut all = Vec::new();
    for (id, node) in automaton.nodes() {
        let begins = node.state.is_none() || behavior.is_env_input(id) && !node.may_end;
        let legal = behavior.legal(id);
        if begins && legal.iter().any(|&state| !behavior.state(state).env_input) {
            all.push(segment(behavior, contents, id));
        }
    }
    all
}

fn segment(behavior: &Behavior, contents: &PromptBeginnings, start: BehaviorNodeId) -> Segment {
    let automaton = behavior.automaton();
    let first = behavior.legal(start);
    let prompt = |state: AgentStateId| behavior.state(state).prompt.as_str();
    let prefix = common_prefix(first.iter().map(|&state| prompt(state)));
    let mut edges = Vec::new();
    let mut numbers: BTreeMap<BehaviorNodeId, usize> = BTreeMap::new();
    let mut todo: Vec<BehaviorNodeId> = Vec::new();
    let mut number = |node: BehaviorNodeId, todo: &mut Vec<BehaviorNodeId>| {
        if behavior.is_env_input(node) {
            return 1;
        }
        let fresh = numbers.len() + 2;
        *numbers.entry(node).or_insert_with(|| {
            todo.push(node);
            fresh
        })
    };
    for &(state, to) in &automaton.node(start).next {
        let to = number(to, &mut todo);
        edges.push((0, to, CharPattern::text(&prompt(state)[prefix.len()..])));
    }
    let mut may_end = false;
    let mut at = 0;
    while let Some(&node) = todo.get(at) {
        let from = at + 2;
        at += 1;
        let Some(own) = automaton.node(node).state else { continue };
        let one_of: Vec<String> = behavior.state(own).one_of.iter().map(|text| text.text.clone()).collect();
        let content = contents.after(prompt(own), &one_of, false);
        for &(state, to) in &automaton.node(node).next {
            let to = number(to, &mut todo);
            edges.push((from, to, CharPattern::seq([content.clone(), CharPattern::text(prompt(state))])));
        }
        if automaton.node(node).may_end {
            may_end = true;
            edges.push((from, 1, contents.after(prompt(own), &one_of, true)));
        }
    }
    Segment { node: start, first, prefix, may_end, edges, nodes: todo.len() + 2 }
}

impl Segment {
    /// The whole segment as one pattern, by state elimination; `None` if the pattern would be too large.
    pub(super) fn pattern(&self) -> Option<CharPattern> {
        let mut edges: BTreeMap<(usize, usize), CharPattern> = BTreeMap::new();
        let add = |edges: &mut BTreeMap<(usize, usize), CharPattern>, key, pattern: CharPattern| {
            let joined = match edges.remove(&key) {
                Some(other) => CharPattern::alt([other, pattern]),
                None => pattern,
            };
            edges.insert(key, joined);
        };
        for (from, to, pattern) in &self.edges {
            add(&mut edges, (*from, *to), pattern.clone());
        }
        for node in (2..self.nodes).rev() {
            let again = edges.remove(&(node, node)).map(CharPattern::star);
            let take =
                |edges: &BTreeMap<(usize, usize), CharPattern>, into: bool| -> Vec<(usize, CharPattern)> {
                    let touches = |key: &(usize, usize)| if into { key.1 == node } else { key.0 == node };
                    let other = |key: &(usize, usize)| if into { key.0 } else { key.1 };
                    edges.iter().filter(|(k, _)| touches(k)).map(|(k, p)| (other(k), p.clone())).collect()
                };
            let (before, after) = (take(&edges, true), take(&edges, false));
            edges.retain(|key, _| key.0 != node && key.1 != node);
            for (from, first) in &before {
                for (to, last) in &after {
                    let parts = [Some(first.clone()), again.clone(), Some(last.clone())];
                    add(&mut edges, (*from, *to), CharPattern::seq(parts.into_iter().flatten()));
                }
            }
            if edges.values().map(CharPattern::size).sum::<usize>() > LARGEST {
                return None;
            }
        }
        edges.remove(&(0, 1))
    }

    /// The patterns on the path from the initial to the final node, if there is only one path.
    pub(super) fn only_way(&self) -> Option<Vec<&CharPattern>> {
        let (mut at, mut way) = (0, Vec::new());
        while at != 1 {
            let mut out = self.edges.iter().filter(|(from, _, _)| *from == at);
            let (Some((_, to, pattern)), None) = (out.next(), out.next()) else { return None };
            if way.len() > self.nodes {
                return None;
            }
            way.push(pattern);
            at = *to;
        }
        Some(way)
    }
    /// The index of the node after which the segment begins.
    pub(super) fn number(&self) -> usize {
        self.node.index()
    }
}
