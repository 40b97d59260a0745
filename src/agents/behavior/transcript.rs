//! Transcripts checked against a behavior: texts with prompts, or lists of states.

use super::Behavior;
use std::ops::Range;
use tsl_synth_core::model::{AgentStateId, BehaviorNodeId};

/// The runs in a transcript, one after another, such as the examples of a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    /// The states of each run, with the positions where they begin.
    pub runs: Vec<Vec<(AgentStateId, Range<usize>)>>,
    /// The first fault, if the transcript is not accepted; the text after it is not read.
    pub fault: Option<TranscriptFault>,
}

/// Why a transcript is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptFault {
    /// The kind of the fault.
    pub kind: FaultKind,
    /// The range of the fault, in bytes.
    pub place: Range<usize>,
    /// The state before it; `None` at the beginning of a run.
    pub after: Option<AgentStateId>,
    /// The states that are allowed there.
    pub allowed: Vec<AgentStateId>,
}

/// The kinds of faults of a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A state that is not allowed there.
    Illegal(AgentStateId),
    /// A word of a list that names no state.
    Unknown(String),
    /// A text that its state does not allow; the reason.
    Content(String),
    /// The transcript ends where a run may not end.
    Unfinished,
    /// The transcript contains no prompt and no state.
    Nothing,
}

/// Follows runs in the automaton, one after another.
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
    /// Whether a state may come next, or may begin another run if the current one may end.
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
    /// Checks a transcript against the behavior: a list of states if all of its words are names of states (separated by
    /// white space, commas, quotes and brackets), otherwise a text with prompts.
    ///
    /// Text before the first prompt belongs to no state. A text of the environment ends at the next allowed prompt, all
    /// other texts at the next prompt. Where a run may end, another one may begin. If runs of the behavior never end,
    /// every prefix of a run is accepted.
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

    /// The first allowed prompt after a text of the environment. Only the longest prompt at a position counts, so an
    /// illegal prompt hides a shorter legal one.
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
