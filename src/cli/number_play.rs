//! Plays in numbers as text.

use std::collections::BTreeMap;
use std::fmt::Write;
use tsl_synth_documents::ProgramPlay;

/// A play that the environment wins, step by step; empty if there is none.
pub(crate) fn text(play: &ProgramPlay) -> String {
    let mut text = String::new();
    if play.steps.is_empty() {
        return text;
    }
    let _ = writeln!(text, "the environment wins whatever the system answers, for example:");
    let width = play.steps.len().to_string().len();
    for (number, step) in play.steps.iter().enumerate() {
        let at = (!step.location.is_empty()).then(|| format!("at {}", step.location));
        let with = (!step.state.is_empty()).then(|| format!("with {}", values(&step.state)));
        let begin: Vec<String> = at.into_iter().chain(with).collect();
        let _ = write!(text, "  {:>width$}. {}", number + 1, begin.join(" "));
        if !step.inputs.is_empty() {
            let _ = write!(text, ": inputs {}", values(&step.inputs));
        }
        if !step.answer.is_empty() {
            let _ = write!(text, "; the system answers {}", step.answer.join(", "));
        }
        text.push('\n');
    }
    match play.repeats_from {
        Some(from) => {
            let _ = writeln!(text, "  and so on from step {}", from + 1);
        }
        None => {
            let _ = writeln!(text, "  and so on");
        }
    }
    text
}

fn values(values: &BTreeMap<String, String>) -> String {
    let all: Vec<String> = values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    all.join(", ")
}
