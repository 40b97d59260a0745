//! Events in a few words.

use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, Speaker};

/// An event in a few words.
pub fn describe(event: &HostEvent<'_>) -> String {
    let short = |text: &str| {
        let mut cut: String = text.chars().take(100).collect();
        if cut.len() < text.len() {
            cut.push_str("...");
        }
        cut
    };
    match &event.kind {
        HostEventKind::Start => "the session begins".into(),
        HostEventKind::Message { speaker, text } => {
            let who = if *speaker == Speaker::User { "user" } else { "agent" };
            format!("the {who} says \"{}\"", short(text))
        }
        HostEventKind::Call { tool, arguments, .. } => {
            format!("call of {tool} {}", short(arguments.as_str()))
        }
        HostEventKind::Result { call, outcome, .. } => {
            let how = match outcome {
                CallOutcome::Ok => "ends well",
                CallOutcome::Failed => "fails",
                CallOutcome::Unknown => "ends with unknown outcome",
            };
            call.as_ref().map_or_else(|| format!("a call {how}"), |call| format!("call {call} {how}"))
        }
        HostEventKind::Observe { truths, .. } => {
            let truths: Vec<String> = truths
                .iter()
                .map(|(name, holds)| format!("{}{name}", if *holds { "" } else { "!" }))
                .collect();
            format!("observed: {}", truths.join(", "))
        }
        HostEventKind::Step { action, .. } => {
            action.as_ref().map_or_else(|| "a step".into(), |action| format!("step with {action}"))
        }
        HostEventKind::Tick => "time passes".into(),
        HostEventKind::End => "the agent wants to stop".into(),
        HostEventKind::Close => "the session ends".into(),
        HostEventKind::Untold(_) => "the log lacks facts".into(),
    }
}
