//! Transcripts held to a behavior: texts with prompts, or lists of states.

use super::Behavior;
use crate::model::{AgentStateId, BehaviorNodeId};
use std::ops::Range;

/// What a transcript is read as: runs one after another, such as the examples of a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    /// The states of each run, with the positions where they begin.
    pub runs: Vec<Vec<(AgentStateId, Range<usize>)>>,
    /// Why it is not accepted, if it is not. What follows is not read.
    pub fault: Option<TranscriptFault>,
}

/// Why a transcript is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptFault {
    /// What is wrong.
    pub kind: FaultKind,
    /// Where, in bytes.
    pub place: Range<usize>,
    /// The state before it; `None` at the beginning of a run.
    pub after: Option<AgentStateId>,
    /// The states that may come there.
    pub allowed: Vec<AgentStateId>,
}

/// What can be wrong with a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A state that may not come there.
    Illegal(AgentStateId),
    /// A word of a list that is no state.
    Unknown(String),
    /// A text that may not stand in its state; why.
    Content(String),
    /// It ends where a run may not end.
    Unfinished,
    /// There is no prompt and no state in it.
    Nothing,
}

/// Runs that are followed one after another.
struct RunFollower<'b> {
    behavior: &'b Behavior,
    node: BehaviorNodeId,
    found: Transcript,
}

impl<'b> RunFollower<'b> {
    fn new(behavior: &'b Behavior) -> Self {
        let node = behavior.automaton.start();
        Self { behavior, node, found: Transcript::default() }
    }
    fn fault(&mut self, kind: FaultKind, place: Range<usize>) {
        let after = self.behavior.automaton.node(self.node).state;
        let allowed = self.behavior.legal(self.node);
        self.found.fault = Some(TranscriptFault { kind, place, after, allowed });
    }
    /// Whether a state may come next; after the end of a run also as the first one of another.
    fn may_come(&self, state: AgentStateId) -> bool {
        let automaton = &self.behavior.automaton;
        automaton.step(self.node, state).is_some()
            || self.behavior.may_end(self.node) && automaton.step(automaton.start(), state).is_some()
    }
    fn enter(&mut self, state: AgentStateId, place: Range<usize>) -> bool {
        let automaton = &self.behavior.automaton;
        let next = automaton.step(self.node, state).or_else(|| {
            let again = self.behavior.may_end(self.node).then(|| automaton.start())?;
            let next = automaton.step(again, state)?;
            self.found.runs.push(Vec::new());
            Some(next)
        });
        let Some(next) = next else {
            self.fault(FaultKind::Illegal(state), place);
            return false;
        };
        self.node = next;
        if self.found.runs.is_empty() {
            self.found.runs.push(Vec::new());
        }
        self.found.runs.last_mut().expect("there is one now").push((state, place));
        true
    }
    fn finish(mut self, end: usize) -> Transcript {
        if self.found.fault.is_none() && self.found.runs.is_empty() {
            self.fault(FaultKind::Nothing, end..end);
        } else if self.found.fault.is_none()
            && !self.behavior.may_end(self.node)
            && self.behavior.automaton.nodes().any(|(_, node)| node.may_end)
        {
            self.fault(FaultKind::Unfinished, end..end);
        }
        self.found
    }
}

impl Behavior {
    /// Holds a transcript to the behavior: a list of states if all of its words are names of states (between blanks, commas,
    /// quotes and brackets), else a text with prompts.
    ///
    /// What stands before the first prompt belongs to no state. The text of the environment ends at a prompt that may come
    /// after it, all other texts at any prompt. Where a run may end, another one may begin. The run of a behavior
    /// without end is accepted as far as it goes.
    pub fn transcript(&self, text: &str) -> Transcript {
        let separates = |c: char| c.is_whitespace() || matches!(c, ',' | '[' | ']' | '"' | '\'');
        let mut words = text.split(separates).filter(|word| !word.is_empty());
        if words.clone().next().is_some() && words.all(|word| self.spec.named(word).is_some()) {
            return self.list(text, separates);
        }
        self.text(text)
    }

    fn list(&self, text: &str, separates: impl Fn(char) -> bool) -> Transcript {
        let mut follower = RunFollower::new(self);
        let mut rest = text;
        while let Some(start) = rest.find(|c| !separates(c)) {
            let word = &rest[start..];
            let word = &word[..word.find(&separates).unwrap_or(word.len())];
            let from = text.len() - rest.len() + start;
            let place = from..from + word.len();
            match self.spec.named(word) {
                Some(state) if follower.enter(state, place.clone()) => {}
                Some(_) => break,
                None => {
                    follower.fault(FaultKind::Unknown(word.into()), place);
                    break;
                }
            }
            rest = &rest[start + word.len()..];
        }
        follower.finish(text.trim_end().len())
    }

    fn text(&self, text: &str) -> Transcript {
        let mut follower = RunFollower::new(self);
        // The end of the last prompt.
        let mut at = 0;
        loop {
            let state = self.automaton.node(follower.node).state;
            let hit = if self.is_env_input(follower.node) {
                self.first_legal(&text[at..], &follower)
            } else {
                self.prompts.first(&text[at..], 0, |state| follower.may_come(state))
            };
            let end = hit.map_or(text.len(), |hit| at + hit.start);
            if let Some(Err(why)) = state.map(|state| self.check_content(state, &text[at..end])) {
                let content = text[at..end].trim();
                let start = at + text[at..end].find(content).unwrap_or(0);
                follower.fault(FaultKind::Content(why), start..start + content.len());
                break;
            }
            let Some(hit) = hit else { break };
            if !follower.enter(hit.state, at + hit.start..at + hit.end) {
                break;
            }
            at += hit.end;
        }
        follower.finish(text.trim_end().len())
    }

    /// The leftmost prompt after a text of the environment that may come there; the longest of those at its position, which
    /// may be one that may not come.
    fn first_legal(&self, text: &str, follower: &RunFollower<'_>) -> Option<super::prompts::Hit> {
        let mut from = 0;
        loop {
            let hit = self.prompts.first(&text[from..], 0, |state| follower.may_come(state))?;
            if follower.may_come(hit.state) {
                return Some(super::prompts::Hit { start: from + hit.start, end: from + hit.end, ..hit });
            }
            from += hit.end;
        }
    }
}
