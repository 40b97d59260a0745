//! The prompts of an actor.

use super::ActorOptions;
use std::fmt::Write;
use tsl_synth_agents::world::{Offer, WorldMessage};
use tsl_synth_agents::{AnswerKind, OracleRequest};
use tsl_synth_documents::{ActorRefusal, ActorStepDocument};

/// The number of earlier steps that a prompt lists.
const SHOWN: usize = 10;

/// The choice with which the agent ends the run.
pub(super) const DONE: &str = "DONE";

/// The subject of requests for an action.
const SUBJECT: &str = "action";

/// The task, the last steps with the thoughts before them and the errors after them, and the message of the world.
fn head(options: &ActorOptions, steps: &[ActorStepDocument], message: &WorldMessage) -> String {
    let mut text = String::new();
    if !options.task.is_empty() {
        let _ = writeln!(text, "Task: {}\n", options.task);
    }
    let first = steps.len().saturating_sub(SHOWN);
    for step in &steps[first..] {
        let Some(action) = &step.action else { continue };
        if !step.thought.is_empty() {
            let _ = writeln!(
                text,
                "   Thought: {}",
                step.thought.split_whitespace().collect::<Vec<_>>().join(" ")
            );
        }
        let _ = writeln!(text, "{}. {action}: {}", step.number + 1, outcome(step));
    }
    if !steps.is_empty() {
        text.push('\n');
    }
    let _ = writeln!(text, "{}\n", message.text);
    text
}

/// Whether an action was done, and what the world said if not.
fn outcome(step: &ActorStepDocument) -> String {
    if step.ok {
        return "done".into();
    }
    let error = step.text.lines().next().and_then(|line| line.strip_prefix("Error:"));
    error.map_or("failed".into(), |error| format!("failed: {}", error.trim()))
}

/// Asks for an action, with a thought before it if the options ask for thoughts.
pub(super) fn choose(
    options: &ActorOptions,
    steps: &[ActorStepDocument],
    message: &WorldMessage,
    step: &ActorStepDocument,
    choices: &[&Offer],
) -> OracleRequest {
    let mut text = head(options, steps, message);
    for refusal in &step.refused {
        let _ = writeln!(text, "`{}` was refused. {}\n", refusal.action, refusal.reason);
    }
    text.push_str(if step.refused.is_empty() {
        "What do you do next?\n"
    } else {
        "What do you do instead?\n"
    });
    let request = OracleRequest::new(AnswerKind::Choose, SUBJECT, text)
        .about(message.text.as_str())
        .choices(choices.iter().map(|offer| offer.name.as_str()));
    if options.thoughts { request.with_thought() } else { request }
}

/// Asks for a score of each action.
pub(super) fn score(
    options: &ActorOptions,
    steps: &[ActorStepDocument],
    message: &WorldMessage,
    choices: &[&Offer],
) -> OracleRequest {
    let mut text = head(options, steps, message);
    text.push_str("How much does each of these actions help now? Give a number for each.\n");
    OracleRequest::new(AnswerKind::Score, SUBJECT, text)
        .about(message.text.as_str())
        .choices(choices.iter().map(|offer| offer.name.as_str()))
}

/// Asks for a whole plan, with the refusals of earlier plans.
pub(super) fn plan(
    options: &ActorOptions,
    steps: &[ActorStepDocument],
    message: &WorldMessage,
    refused: &[ActorRefusal],
    offers: &[Offer],
) -> OracleRequest {
    let mut text = head(options, steps, message);
    let names = offers.iter().map(|offer| offer.name.as_str()).filter(|name| *name != DONE);
    let _ = writeln!(text, "The actions: {}.\n", names.collect::<Vec<_>>().join(", "));
    for refusal in refused {
        let _ = writeln!(text, "A plan was refused at {}: {}\n", refusal.action, refusal.reason);
    }
    text.push_str(if refused.is_empty() { "Write" } else { "Write another plan: " });
    text.push_str(" all actions from now to the end of the task, one in each line, and nothing else.");
    if message.ends {
        let _ = write!(text, " The last line is {DONE}.");
    }
    text.push('\n');
    OracleRequest::new(AnswerKind::Generate, "plan", text).about(message.text.as_str())
}
