//! Runs of actors as events of a host.

use super::ActorOutcome;
use std::borrow::Cow;
use std::collections::BTreeMap;
use tsl_synth_core::model::{CallOutcome, HostEventKind, JsonText};
use tsl_synth_documents::ActorStepDocument;

fn observed(truths: &[String]) -> HostEventKind<'static> {
    let truths: BTreeMap<Cow<'static, str>, bool> =
        truths.iter().map(|name| (Cow::Owned(name.clone()), true)).collect();
    HostEventKind::Observe { truths, complete: true }
}

/// A step as events: the observation, the calls, and their results. An action is a call of the tool of its name, unless
/// it came to others.
pub fn step_events(step: &ActorStepDocument) -> Vec<HostEventKind<'static>> {
    let mut events = vec![observed(&step.truths)];
    if let Some(action) = &step.action {
        let outcome = if step.ok { CallOutcome::Ok } else { CallOutcome::Failed };
        let own = [(action.clone(), serde_json::json!({}))];
        let calls = if step.calls.is_empty() { &own[..] } else { &step.calls };
        let mut results = Vec::new();
        for (number, (tool, arguments)) in calls.iter().enumerate() {
            let id: Cow<'static, str> = match number {
                0 => format!("c{}", step.number).into(),
                _ => format!("c{}.{number}", step.number).into(),
            };
            events.push(HostEventKind::Call {
                id: Some(id.clone()),
                server: None,
                tool: tool.clone().into(),
                arguments: JsonText::of(arguments),
            });
            results.push(HostEventKind::Result { call: Some(id), outcome, result: None });
        }
        events.extend(results);
    }
    events
}

/// A run as events: its steps, and what holds at its end.
pub fn run_events(outcome: &ActorOutcome) -> Vec<HostEventKind<'static>> {
    let steps = outcome.steps.iter().flat_map(step_events);
    steps.chain((!outcome.truths.is_empty()).then(|| observed(&outcome.truths))).collect()
}
