//! The prompts of an actor.

use std::fmt::Write;
use tsl_synth_agents::world::{Offer, WorldMessage};
use tsl_synth_agents::{AnswerKind, OracleRequest};
use tsl_synth_documents::{ActorRefusal, ActorStepDocument};

/// The number of earlier steps that a prompt lists.
const SHOWN: usize = 10;

/// The subject of requests for an action.
const SUBJECT: &str = "action";

fn head(task: &str, steps: &[ActorStepDocument], message: &WorldMessage) -> String {
    let mut text = String::new();
    if !task.is_empty() {
        let _ = writeln!(text, "Task: {task}\n");
    }
    let first = steps.len().saturating_sub(SHOWN);
    for step in &steps[first..] {
        let Some(action) = &step.action else { continue };
        let _ = writeln!(text, "{}. {action}: {}", step.number + 1, if step.ok { "done" } else { "failed" });
    }
    if !steps.is_empty() {
        text.push('\n');
    }
    let _ = writeln!(text, "{}\n", message.text);
    text
}

/// Asks for an action.
pub(super) fn choose(
    task: &str,
    steps: &[ActorStepDocument],
    message: &WorldMessage,
    refused: &[ActorRefusal],
    choices: &[&Offer],
) -> OracleRequest {
    let mut text = head(task, steps, message);
    for refusal in refused {
        let _ = writeln!(text, "`{}` was refused. {}\n", refusal.action, refusal.reason);
    }
    text.push_str(if refused.is_empty() { "What do you do next?\n" } else { "What do you do instead?\n" });
    OracleRequest::new(AnswerKind::Choose, SUBJECT, text)
        .about(message.text.as_str())
        .choices(choices.iter().map(|offer| offer.name.as_str()))
}

/// Asks for a score of each action.
pub(super) fn score(
    task: &str,
    steps: &[ActorStepDocument],
    message: &WorldMessage,
    choices: &[&Offer],
) -> OracleRequest {
    let mut text = head(task, steps, message);
    text.push_str("How much does each of these actions help now? Give a number for each.\n");
    OracleRequest::new(AnswerKind::Score, SUBJECT, text)
        .about(message.text.as_str())
        .choices(choices.iter().map(|offer| offer.name.as_str()))
}
