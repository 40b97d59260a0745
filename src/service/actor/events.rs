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

/// A step as events: the observation, the call, and its result. An action is a call of the tool of its name.
pub fn step_events(step: &ActorStepDocument) -> Vec<HostEventKind<'static>> {
    let mut events = vec![observed(&step.truths)];
    if let Some(action) = &step.action {
        let id: Cow<'static, str> = format!("c{}", step.number).into();
        events.push(HostEventKind::Call {
            id: Some(id.clone()),
            server: None,
            tool: action.clone().into(),
            arguments: JsonText::of(&serde_json::json!({})),
        });
        let outcome = if step.ok { CallOutcome::Ok } else { CallOutcome::Failed };
        events.push(HostEventKind::Result { call: Some(id), outcome, result: None });
    }
    events
}

/// A run as events: its steps, and what holds at its end.
pub fn run_events(outcome: &ActorOutcome) -> Vec<HostEventKind<'static>> {
    let steps = outcome.steps.iter().flat_map(step_events);
    steps.chain((!outcome.truths.is_empty()).then(|| observed(&outcome.truths))).collect()
}
