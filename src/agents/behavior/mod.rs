//! Behaviors at run time: the allowed next states, their recognition in the text of a model, runs, and transcripts.
//!
//! A state is recognized by its prompt, anywhere in the text of a model: the leftmost prompt counts, and the longest of
//! several at the same position. A prompt that is not allowed there is removed with all the text after it, and a legal
//! state is entered instead. During a run the text of the environment is never searched for prompts, and only the
//! environment writes it.

mod alone;
mod checks;
mod prompts;
mod run;
mod transcript;

pub use alone::FreeRun;
pub use checks::{BehaviorFindings, findings};
pub use prompts::{Glued, ReadText, common_prefix};
pub use run::{
    Author, BehaviorStep, Decide, Entered, Force, OnIllegalState, RunEnd, RunOptions, RunOutcome, Stretch,
    Stretches,
};
pub use transcript::{FaultKind, Transcript, TranscriptFault};

use crate::behavior_spec::{BehaviorSpec, BehaviorState};
use crate::behavior_to_automaton::behavior_to_automaton;
use prompts::StatePrompts;
use tsl_synth_core::base::Limit;
use tsl_synth_core::model::{AgentStateId, BehaviorAutomaton, BehaviorNodeId};

/// A behavior that can be run.
#[derive(Clone, Debug)]
pub struct Behavior {
    spec: BehaviorSpec,
    automaton: BehaviorAutomaton,
    prompts: StatePrompts,
}

/// The result of following a sequence of states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SequenceVerdict {
    /// Every state is allowed at its position; the last one leads to this node.
    To(BehaviorNodeId),
    /// A state is not allowed at its position.
    Rejected {
        /// The index of this state in the sequence.
        at: usize,
        /// The node before it, whose successors are the allowed states.
        node: BehaviorNodeId,
    },
}

impl Behavior {
    /// The behavior of an agent.
    ///
    /// # Errors
    /// If its automaton is too large.
    pub fn new(spec: BehaviorSpec) -> Result<Self, Limit> {
        let automaton = behavior_to_automaton(&spec)?;
        let prompts = StatePrompts::new(&spec);
        Ok(Self { spec, automaton, prompts })
    }
    /// The specification of the agent.
    pub fn spec(&self) -> &BehaviorSpec {
        &self.spec
    }
    /// The automaton of the behavior.
    pub fn automaton(&self) -> &BehaviorAutomaton {
        &self.automaton
    }
    /// A state of the agent.
    pub fn state(&self, id: AgentStateId) -> &BehaviorState {
        &self.spec.states[id]
    }
    /// The states that may follow, in the order of declaration.
    pub fn legal(&self, node: BehaviorNodeId) -> Vec<AgentStateId> {
        self.automaton.node(node).next.iter().map(|(state, _)| *state).collect()
    }
    /// The names of the states that may follow.
    pub fn legal_names(&self, node: BehaviorNodeId) -> Vec<String> {
        self.legal(node).into_iter().map(|state| self.state(state).name.clone()).collect()
    }
    /// Whether a run may end at this node.
    pub fn may_end(&self, node: BehaviorNodeId) -> bool {
        self.automaton.node(node).may_end
    }
    /// Whether the environment writes the text of this node.
    pub fn is_env_input(&self, node: BehaviorNodeId) -> bool {
        self.automaton.node(node).state.is_some_and(|state| self.state(state).env_input)
    }
    /// Follows a sequence of states from the beginning of a run.
    pub fn walk(&self, states: &[AgentStateId]) -> SequenceVerdict {
        let mut node = self.automaton.start();
        for (at, &state) in states.iter().enumerate() {
            match self.automaton.step(node, state) {
                Some(next) => node = next,
                None => return SequenceVerdict::Rejected { at, node },
            }
        }
        SequenceVerdict::To(node)
    }
    /// Whether these states are a complete run, which may end after the last one.
    pub fn accepts(&self, states: &[AgentStateId]) -> bool {
        matches!(self.walk(states), SequenceVerdict::To(node) if self.may_end(node))
    }
    /// The prompts of the states whose text comes from the environment: a model stops before them.
    pub fn stop_strings(&self) -> Vec<String> {
        let inputs = self.spec.states.iter().filter(|state| state.env_input);
        inputs.map(|state| state.prompt.clone()).collect()
    }
    /// Checks a text against the `:one-of` texts of a state, if it has any. Surrounding white space is ignored.
    ///
    /// # Errors
    /// The reason, as a sentence.
    pub fn check_content(&self, state: AgentStateId, content: &str) -> Result<(), String> {
        let one_of = &self.state(state).one_of;
        if one_of.is_empty() || one_of.iter().any(|text| text.text == content.trim_matches(prompts::BLANKS)) {
            return Ok(());
        }
        let allowed: Vec<String> = one_of.iter().map(|text| format!("`{}`", text.text)).collect();
        Err(format!("the text of `{}` is one of {}", self.state(state).name, allowed.join(", ")))
    }
}
