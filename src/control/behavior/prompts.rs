//! Finding prompts in what a model writes, and joining texts so that no other prompt arises.

use super::Behavior;
use crate::base::Id;
use crate::model::{AgentStateId, BehaviorNodeId};
use crate::spec::BehaviorSpec;

/// White space around texts; emitted code knows no other in any language.
pub(super) const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

/// The prompts of an agent.
#[derive(Clone, Debug)]
pub(super) struct StatePrompts {
    all: Vec<(AgentStateId, String)>,
}

/// A prompt in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) state: AgentStateId,
}

impl StatePrompts {
    pub(super) fn new(spec: &BehaviorSpec) -> Self {
        Self { all: spec.states.enumerate().map(|(id, state)| (id, state.prompt.clone())).collect() }
    }

    /// The leftmost prompt that ends after `least`, the longest of those at the same position, of equal ones a `preferred` one.
    pub(super) fn first(
        &self,
        text: &str,
        least: usize,
        preferred: impl Fn(AgentStateId) -> bool,
    ) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        for (state, prompt) in &self.all {
            let mut from = (least + 1).saturating_sub(prompt.len()).min(text.len());
            while !text.is_char_boundary(from) {
                from += 1;
            }
            let Some(at) = text[from..].find(prompt.as_str()) else { continue };
            let hit = Hit { start: from + at, end: from + at + prompt.len(), state: *state };
            let is_better = best.is_none_or(|best| {
                let order = |hit: Hit| (hit.start, std::cmp::Reverse(hit.end));
                order(hit) < order(best)
                    || order(hit) == order(best) && preferred(hit.state) && !preferred(best.state)
            });
            if is_better {
                best = Some(hit);
            }
        }
        best
    }
}

/// What a text of a model is read as, from the state that it was written in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadText<'t> {
    /// What stands in the state.
    pub content: &'t str,
    /// The state whose prompt was removed, since it may not come there.
    pub removed: Option<AgentStateId>,
    /// The state that the text enters by its prompt; `None` if one has to be forced, or the run may end.
    pub next: Option<AgentStateId>,
    /// What follows the prompt of `next`. What follows a prompt that was removed is gone.
    pub rest: &'t str,
}

/// A text of a model and the state that is forced after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glued<'t> {
    /// The text, without an end that would make another prompt of what follows.
    pub content: &'t str,
    /// What stands between the text and the prompt: nothing or a line feed.
    pub joint: &'static str,
}

impl Behavior {
    /// Reads what a model wrote in the state of a node.
    ///
    /// The text is seen behind the prompt of its state, so that the two together make no other prompt.
    pub fn read<'t>(&self, node: BehaviorNodeId, text: &'t str) -> ReadText<'t> {
        let prompt = self.prompt_of(node);
        let joined = [prompt, text].concat();
        let is_legal = |state| self.automaton.step(node, state).is_some();
        let Some(hit) = self.prompts.first(&joined, prompt.len(), is_legal) else {
            return ReadText { content: text, removed: None, next: None, rest: "" };
        };
        let Some(start) = hit.start.checked_sub(prompt.len()) else {
            return ReadText { content: "", removed: Some(hit.state), next: None, rest: "" };
        };
        let content = &text[..start];
        if is_legal(hit.state) {
            let rest = &text[hit.end - prompt.len()..];
            return ReadText { content, removed: None, next: Some(hit.state), rest };
        }
        ReadText { content, removed: Some(hit.state), next: None, rest: "" }
    }

    /// The prompt that a text which a model was to begin begins with, if it is that of a state that may follow; and the
    /// rest of the text.
    pub(super) fn leading<'t>(&self, node: BehaviorNodeId, text: &'t str) -> Option<(AgentStateId, &'t str)> {
        let is_legal = |state| self.automaton.step(node, state).is_some();
        let hit = self.prompts.first(text, 0, is_legal).filter(|hit| hit.start == 0)?;
        is_legal(hit.state).then(|| (hit.state, &text[hit.end..]))
    }

    /// The prompt of the state of a node.
    pub(super) fn prompt_of(&self, node: BehaviorNodeId) -> &str {
        self.automaton.node(node).state.map_or("", |state| self.state(state).prompt.as_str())
    }

    /// Joins a text of a model, which has no prompt in it, with a state that is forced after it: its end is cut as long as
    /// it would make another prompt of what follows.
    pub fn glue<'t>(&self, node: BehaviorNodeId, content: &'t str, next: AgentStateId) -> Glued<'t> {
        let (own, prompt) = (self.prompt_of(node), self.state(next).prompt.as_str());
        let mut content = content;
        loop {
            let before = [own, content].concat();
            let joint = self.joint(&before, next);
            let hit = self.prompts.first(&[&before, joint, prompt].concat(), before.len(), |s| s == next);
            match hit {
                Some(hit) if hit.start < before.len() && !content.is_empty() => {
                    content = &content[..hit.start.saturating_sub(own.len())];
                }
                _ => return Glued { content, joint },
            }
        }
    }

    /// What stands between a text and a prompt that we write after it: a line feed, unless there is white space already
    /// or it would make another prompt.
    pub(super) fn joint(&self, before: &str, next: AgentStateId) -> &'static str {
        if before.is_empty() || before.ends_with(BLANKS) {
            return "";
        }
        let line = ["\n", &self.state(next).prompt].concat();
        match self.prompts.first(&line, 0, |state| state == next) {
            Some(hit) if hit.start == 0 => "",
            _ => "\n",
        }
    }

    /// The longest common prefix of the prompts of the states that may follow.
    pub fn legal_prefix(&self, node: BehaviorNodeId) -> String {
        let legal = self.legal(node);
        common_prefix(legal.iter().map(|state| self.state(*state).prompt.as_str()))
    }

    /// What the prompt says about the states that it may enter.
    pub(super) fn reported(&self, states: &[AgentStateId]) -> String {
        let line = |(i, state): (usize, &AgentStateId)| {
            let state = self.state(*state);
            format!("{}. {} (`{}`)\n", i + 1, state.name, state.prompt.trim())
        };
        states.iter().enumerate().map(line).collect()
    }

    /// The first state in the order of declaration.
    pub(super) fn first_of(states: &[AgentStateId]) -> AgentStateId {
        states.iter().copied().min().unwrap_or(AgentStateId::from_index(0))
    }
}

/// The longest common prefix of some texts.
pub fn common_prefix<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let mut texts = texts.into_iter();
    let Some(first) = texts.next() else { return String::new() };
    let mut prefix = first;
    for text in texts {
        let same = prefix.chars().zip(text.chars()).take_while(|(a, b)| a == b);
        let length = same.map(|(c, _)| c.len_utf8()).sum();
        prefix = &prefix[..length];
    }
    prefix.to_owned()
}
