//! Finding prompts in the text of a model, and joining texts without creating another prompt.

use super::Behavior;
use crate::behavior_spec::BehaviorSpec;
use tsl_synth_core::base::Id;
use tsl_synth_core::model::{AgentStateId, BehaviorNodeId};

/// White space around texts: the same characters as in the emitted code of every target language.
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

    /// The leftmost prompt that ends after byte `least`: the longest at its position, and a `preferred` one among equal
    /// ones.
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

/// A text that a model wrote in a state, split at the first prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadText<'t> {
    /// The text that belongs to the state.
    pub content: &'t str,
    /// The state whose prompt was removed because it is not allowed there.
    pub removed: Option<AgentStateId>,
    /// The state that the text enters by its prompt; `None` if one has to be forced, or the run may end.
    pub next: Option<AgentStateId>,
    /// The text after the prompt of `next`; the text after a removed prompt is dropped.
    pub rest: &'t str,
}

/// A text of a model, prepared for the prompt of a state that is forced after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glued<'t> {
    /// The text without an end that, joined with what follows, would read as another prompt.
    pub content: &'t str,
    /// The separator between the text and the prompt: empty or a line feed.
    pub joint: &'static str,
}

impl Behavior {
    /// Reads what a model wrote in the state of a node.
    ///
    /// The prompt of the state is put before the text, to find also a prompt that begins in the former and ends in the
    /// latter.
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

    /// For a text that a model was to begin with a prompt: the state of this prompt, if it may follow, and the text
    /// after it.
    pub(super) fn leading<'t>(&self, node: BehaviorNodeId, text: &'t str) -> Option<(AgentStateId, &'t str)> {
        let is_legal = |state| self.automaton.step(node, state).is_some();
        let hit = self.prompts.first(text, 0, is_legal).filter(|hit| hit.start == 0)?;
        is_legal(hit.state).then(|| (hit.state, &text[hit.end..]))
    }

    /// Whether a text that begins after a node is a whole stretch: it begins with a prompt, every state is allowed where it
    /// comes and has an allowed text, and it ends with a prompt of the environment or where a run may end.
    pub fn is_stretch(&self, node: BehaviorNodeId, text: &str) -> bool {
        let Some((state, mut rest)) = self.leading(node, text) else { return false };
        let (mut node, mut state) = (node, state);
        loop {
            let Some(next) = self.automaton.step(node, state) else { return false };
            node = next;
            if self.state(state).env_input {
                return rest.is_empty();
            }
            let read = self.read(node, rest);
            if read.removed.is_some() || self.check_content(state, read.content).is_err() {
                return false;
            }
            match read.next {
                Some(next) => (state, rest) = (next, read.rest),
                None => return self.may_end(node),
            }
        }
    }

    /// The prompt of the state of a node.
    pub(super) fn prompt_of(&self, node: BehaviorNodeId) -> &str {
        self.automaton.node(node).state.map_or("", |state| self.state(state).prompt.as_str())
    }

    /// Joins a text of a model that contains no prompt with a state that is forced after it: the end of the text is cut
    /// while it would form another prompt together with the text after it.
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

    /// The separator between a text and a prompt that we write after it: a line feed, unless the text is empty or ends
    /// in white space, or the line feed would form another prompt.
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

    /// The numbered list of the states that a prompt offers as choices.
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
