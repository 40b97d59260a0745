//! Runs of actors as events of a host.

use super::ActorOutcome;
use std::borrow::Cow;
use std::collections::BTreeMap;
use tsl_synth_agents::world::WorldTask;
use tsl_synth_core::model::{CallOutcome, HostEventKind, JsonText};
use tsl_synth_documents::ActorStepDocument;

fn observed(truths: &[String]) -> HostEventKind<'static> {
    let truths: BTreeMap<Cow<'static, str>, bool> =
        truths.iter().map(|name| (Cow::Owned(name.clone()), true)).collect();
    HostEventKind::Observe { truths, complete: true }
}

/// A step as events: the observation, the calls, and their results. An action is a call of the tool of its name, unless
/// it came to others.
fn step_events(step: &ActorStepDocument) -> Vec<HostEventKind<'static>> {
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

/// What an environment reports where it says that the task is done.
pub const TASK_DONE: &str = "the task is done";

/// The goals that a world reports in a task: what is reached on the way, in order, and [`TASK_DONE`].
pub fn reported_goals(task: &WorldTask) -> Vec<String> {
    let on_the_way = task.sub_goals().map(str::to_owned);
    on_the_way.chain(task.has_goal().then(|| TASK_DONE.into())).collect()
}

/// A run as events.
#[derive(Clone, Debug, Default)]
pub struct RunEvents {
    /// The events: its steps, and what holds at its end.
    pub events: Vec<HostEventKind<'static>>,
    /// The goals that the environment reports, and at the end [`TASK_DONE`]: each with the number of events before.
    pub goals: Vec<(usize, String)>,
}

/// A run as events. A goal is reached where the state that the last action of its step led to has been observed.
pub fn run_events(outcome: &ActorOutcome) -> RunEvents {
    let mut run = RunEvents::default();
    let mut goals: Vec<&String> = Vec::new();
    let reported = |run: &mut RunEvents, goals: &mut Vec<&String>| {
        let count = run.events.len();
        run.goals.extend(goals.drain(..).map(|goal| (count, goal.clone())));
    };
    for step in &outcome.steps {
        let mut events = step_events(step).into_iter();
        run.events.extend(events.next());
        reported(&mut run, &mut goals);
        run.events.extend(events);
        goals.extend(&step.goals);
    }
    if !outcome.truths.is_empty() {
        run.events.push(observed(&outcome.truths));
    }
    reported(&mut run, &mut goals);
    if outcome.reached {
        run.goals.push((run.events.len(), TASK_DONE.into()));
    }
    run
}
