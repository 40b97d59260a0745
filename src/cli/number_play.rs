//! Plays in numbers as text.

use std::collections::BTreeMap;
use std::fmt::Write;
use tsl_synth_documents::{ProgramPlay, ProgramPlayStep};

/// A play that the environment wins, step by step; empty if there is none.
pub(crate) fn text(play: &ProgramPlay) -> String {
    let mut text = String::new();
    if play.steps.is_empty() && play.lost.is_none() {
        return text;
    }
    let _ = writeln!(text, "the environment wins whatever the system answers, for example:");
    let width = (play.steps.len() + usize::from(play.lost.is_some())).to_string().len();
    let begin = |step: &ProgramPlayStep| {
        let at = (!step.location.is_empty()).then(|| format!("at {}", step.location));
        let with = (!step.state.is_empty()).then(|| format!("with {}", values(&step.state)));
        at.into_iter().chain(with).collect::<Vec<String>>().join(" ")
    };
    for (number, step) in play.steps.iter().enumerate() {
        let _ = write!(text, "  {:>width$}. {}", number + 1, begin(step));
        if !step.inputs.is_empty() {
            let _ = write!(text, ": inputs {}", values(&step.inputs));
        }
        if !step.answer.is_empty() {
            let _ = write!(text, "; the system answers {}", step.answer.join(", "));
        }
        text.push('\n');
    }
    match (play.repeats_from, &play.lost) {
        (Some(from), _) => {
            let _ = writeln!(text, "  and so on from step {}", from + 1);
        }
        (None, Some(step)) => {
            let (number, begin) = (play.steps.len() + 1, begin(step));
            let end = if step.inputs.is_empty() {
                "lost, whatever comes then".to_owned()
            } else {
                format!("inputs {}; no answer helps", values(&step.inputs))
            };
            let _ = writeln!(text, "  {number:>width$}. {begin}: {end}");
        }
        (None, None) => {
            let _ = writeln!(text, "  and so on");
        }
    }
    text
}

fn values(values: &BTreeMap<String, String>) -> String {
    let all: Vec<String> = values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    all.join(", ")
}
