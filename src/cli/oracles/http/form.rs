//! The parts of a prompt that chat models need in addition: the choices, and the form of the answer.

use crate::oracles::reading::lists_choices;
use std::fmt::Write;
use tsl_synth_agents::{AnswerKind, OracleRequest};

/// The prompt, with the choices numbered from 1 below it unless it lists them.
pub(super) fn question(request: &OracleRequest) -> String {
    let mut text = request.prompt.clone();
    if !lists_choices(request) {
        text.push('\n');
        for (i, choice) in request.choices.iter().enumerate() {
            let _ = write!(text, "\n{}. {choice}", i + 1);
        }
    }
    text
}

/// The instruction on the form of the answer; `None` if the answer is free text. `think`: thoughts may precede it.
pub(super) fn form(request: &OracleRequest, think: bool) -> Option<String> {
    let n = request.choices.len();
    let form = match request.kind {
        AnswerKind::Predicate => {
            "Respond with 0 if it is false, or 1 if it is true, and with nothing else.".into()
        }
        AnswerKind::Choose if request.thought => format!(
            "Respond with two lines: `Thought:` with one or two sentences on what to do and why, then `Action:` with the \
             number of one choice, from 1 to {n}, and nothing else."
        ),
        AnswerKind::Choose => {
            format!("Respond with the number of one choice, from 1 to {n}, and with nothing else.")
        }
        AnswerKind::ChooseMany => format!(
            "Respond with the numbers of the choices, from 1 to {n}, with commas between them, and with nothing else."
        ),
        AnswerKind::Score => format!(
            "Respond with a JSON list of {n} numbers, one for each choice in their order, more for a better choice, \
             and with nothing else."
        ),
        AnswerKind::Generate
        | AnswerKind::Message
        | AnswerKind::Act
        | AnswerKind::Imagine
        | AnswerKind::Translate => return None,
    };
    let again = if request.attempt > 1 { "Your last response did not have this form. " } else { "" };
    if think {
        let first = "Think first, between <think> and </think>. After that, respond";
        return Some(format!("{again}{}", form.replacen("Respond", first, 1)));
    }
    Some(format!("{again}{form}"))
}

/// The text before the first of the stop strings.
pub(super) fn before_stop<'t>(text: &'t str, stop: &[String]) -> &'t str {
    let found = stop.iter().filter(|stop| !stop.is_empty()).filter_map(|stop| text.find(stop.as_str()));
    &text[..found.min().unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_listed_once() {
        let request = OracleRequest::new(AnswerKind::Choose, "s", "Which?").choices(["left", "right"]);
        assert_eq!(question(&request), "Which?\n\n1. left\n2. right");
        let listed =
            OracleRequest::new(AnswerKind::Choose, "s", question(&request)).choices(["left", "right"]);
        assert_eq!(question(&listed), listed.prompt);
        // A prompt that merely mentions the choices does not list them.
        let named = OracleRequest::new(AnswerKind::Choose, "s", "left or right?").choices(["left", "right"]);
        assert_eq!(question(&named), "left or right?\n\n1. left\n2. right");
        let predicate = OracleRequest::new(AnswerKind::Predicate, "s", "Is it?");
        assert_eq!(question(&predicate), "Is it?");
        let thought = form(&predicate, true).expect("a form");
        assert!(thought.starts_with("Think first") && thought.contains("respond with 0 if"), "{thought}");
    }
}
