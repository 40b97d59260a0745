//! The agents (free text, partly constrained, constrained) and the judgment of their texts.

use super::text::{ReactState, states};
use super::tools::Tools;
use tsl_synth_agents::behavior::{Author, Behavior, Decide, RunEnd, RunOptions};
use tsl_synth_agents::wiki::Wiki;
use tsl_synth_agents::{AnswerKind, Conversation, NoLog, NoOracle, Oracle, OracleRequest, Port};
use tsl_synth_core::model::BehaviorNodeId;

/// How often an agent calls tools at most (Crouse et al., section 4).
pub(super) const MOST_LOOPS: usize = 3;
/// How often the model is asked for a text that the behavior allows.
const ATTEMPTS: u32 = 3;

/// The kinds of agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReactAgent {
    /// The model alone: its text is parsed as far as possible, the tools are called, no stop string is set.
    Free,
    /// The agent of Crouse et al., Figure 4: thoughts, observations and the final thought are constrained.
    Partial,
    /// The agent of Crouse et al., Figure 3, with the names of the tools as the texts of its action.
    Constrained,
}

impl ReactAgent {
    /// All agents.
    pub const ALL: [Self; 3] = [Self::Free, Self::Partial, Self::Constrained];
    /// Its name in rows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Free => "free text",
            Self::Partial => "partly constrained",
            Self::Constrained => "constrained",
        }
    }
}

/// A piece of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RunPiece {
    /// Text from the model, or forced by the behavior; it may contain prompts.
    Written(String),
    /// An observation from the tools.
    Returned(String),
}

/// The run of an agent on a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReactRun {
    /// The text without the prompt.
    pub text: String,
    /// How often a tool was called.
    pub calls: u32,
    /// The number of these calls without input.
    pub null_inputs: u32,
    /// The number of these calls without a tool that exists.
    pub unknown: u32,
    /// The number of states of the text, plus one if the agent came to an end.
    pub steps: u32,
    /// The number of steps that the behavior does not allow at their position, that are observations which no tool
    /// returned, or that have a text which the behavior does not allow, such as an action that is not a tool.
    pub illegal: u32,
}

#[derive(Debug)]
pub(super) struct Agents {
    pub(super) constrained: Behavior,
    pub(super) partial: Behavior,
}

impl Agents {
    /// Runs an agent on a prompt that ends with a question.
    pub(super) fn run(
        &self,
        agent: ReactAgent,
        prompt: &str,
        model: &mut dyn Oracle,
        wiki: &Wiki,
    ) -> ReactRun {
        let mut tools = Tools::new(wiki);
        let (mut evaluator, mut user, mut log) = (NoOracle, NoOracle, NoLog);
        let mut talk = Conversation::new(&mut evaluator, model, &mut user, &mut tools, &mut log, ATTEMPTS);
        let (pieces, ended) = match agent {
            ReactAgent::Free => free(prompt, &mut talk),
            ReactAgent::Partial => behaved(&self.partial, prompt, &mut talk),
            ReactAgent::Constrained => behaved(&self.constrained, prompt, &mut talk),
        };
        let (steps, illegal) = judge(&self.constrained, &pieces, ended);
        let text = pieces.iter().map(|piece| match piece {
            RunPiece::Written(text) | RunPiece::Returned(text) => text.as_str(),
        });
        let text = text.collect();
        ReactRun {
            text,
            calls: tools.calls,
            null_inputs: tools.null_inputs,
            unknown: tools.unknown,
            steps,
            illegal,
        }
    }
}

/// The run of a behavior.
fn behaved(behavior: &Behavior, prompt: &str, talk: &mut Conversation<'_>) -> (Vec<RunPiece>, bool) {
    let options = RunOptions { decide: Decide::Write, ..RunOptions::default() };
    let outcome = behavior.run(prompt, talk, &options, &mut |_| {});
    let mut pieces = Vec::new();
    for step in &outcome.steps {
        let text = [step.joint, &step.prompt, &step.text].concat();
        pieces.push(if step.author == Author::World {
            RunPiece::Returned(text)
        } else {
            RunPiece::Written(text)
        });
    }
    (pieces, !matches!(outcome.end, RunEnd::Stopped(_)))
}

/// Alternates texts of the model and observations of the tools, until the model gives an answer, fails, or has called
/// tools [`MOST_LOOPS`] times.
fn free(prompt: &str, talk: &mut Conversation<'_>) -> (Vec<RunPiece>, bool) {
    let mut pieces = Vec::new();
    let mut text = prompt.to_string();
    for turn in 0..=MOST_LOOPS {
        let request = OracleRequest::new(AnswerKind::Generate, "turn", &text).about(&text);
        let Ok(written) = talk.text(Port::Generator, &request) else { return (pieces, false) };
        let is_last =
            states(&written).iter().any(|(s, _)| matches!(s, ReactState::Answer | ReactState::FinalThought));
        text.push_str(&written);
        pieces.push(RunPiece::Written(written));
        if is_last || turn == MOST_LOOPS {
            break;
        }
        let joint = if text.ends_with('\n') { "" } else { "\n" };
        text.extend([joint, ReactState::Observation.prompt()]);
        let request = OracleRequest::new(AnswerKind::Act, "Observation", &text).about(&text);
        let Ok(returned) = talk.text(Port::World, &request) else { return (pieces, false) };
        text.push_str(&returned);
        pieces.push(RunPiece::Returned([joint, ReactState::Observation.prompt(), &returned].concat()));
    }
    (pieces, true)
}

/// A state of a run, its text, and whether the model wrote it.
type Found = (ReactState, String, bool);

/// The states of a run. Observations that the tools returned are not searched for prompts.
fn found(pieces: &[RunPiece]) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for run in pieces.chunk_by(|a, b| matches!((a, b), (RunPiece::Written(_), RunPiece::Written(_)))) {
        let mut written = String::new();
        for piece in run {
            match piece {
                RunPiece::Written(text) => written.push_str(text),
                RunPiece::Returned(text) => found.push((ReactState::Observation, text.clone(), false)),
            }
        }
        found.extend(states(&written).into_iter().map(|(state, content)| (state, content.to_string(), true)));
    }
    found
}

/// The number of steps and of illegal ones. After an illegal step, judging continues at the next node of its state.
fn judge(behavior: &Behavior, pieces: &[RunPiece], ended: bool) -> (u32, u32) {
    let found = found(pieces);
    let automaton = behavior.automaton();
    let of_prompt = |state: ReactState| {
        behavior.spec().states.enumerate().find(|(_, s)| s.prompt == state.prompt()).map(|(id, _)| id)
    };
    let (mut node, mut steps, mut illegal) = (automaton.start(), 0, 0);
    for (state, content, by_model) in &found {
        steps += 1;
        let Some(id) = of_prompt(*state) else {
            illegal += 1;
            continue;
        };
        let next = automaton.step(node, id);
        let is_own = *by_model && *state == ReactState::Observation;
        let fits = !*by_model || behavior.check_content(id, content).is_ok();
        illegal += u32::from(next.is_none() || is_own || !fits);
        node = next.unwrap_or_else(|| {
            let all: Vec<BehaviorNodeId> = automaton
                .nodes()
                .filter(|(_, other)| other.state == Some(id))
                .map(|(other, _)| other)
                .collect();
            all.iter().copied().find(|other| *other > node).or(all.last().copied()).unwrap_or(node)
        });
    }
    if ended {
        steps += 1;
        illegal += u32::from(!behavior.may_end(node));
    }
    (steps, illegal)
}
