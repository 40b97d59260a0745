//! Trajectories in the Agent Trajectory Interchange Format (ATIF) of Harbor, versions 1.0 to 1.8: one object with
//! `schema_version` and `steps`, or one such object a line.
//!
//! - The steps of `system` say nothing of the agent, but the results in them do. Steps that were copied from an earlier
//!   trajectory (`is_copied_context`) are skipped, since that one has them.
//! - The format does not mark failures. A result has an outcome if its `extra` says so, as those of the exporters for
//!   Claude Code and others do: `is_error`, `tool_result_is_error`, `success`, `exit_code`.
//! - A result without `source_call_id` is that of the only call of its step.
//! - Subagents whose trajectories are in the document are agents of the session, before the result that refers to them;
//!   those in other files are sessions of their own.
//! - If the last step is the agent's and calls no tool, the agent stopped of its own accord.

use super::blocks::{MessageContent, result};
use super::lenient::{LenientObject, LenientScalar, LenientText, List, given};
use super::session_table::{Arguments, At, LoggedCall, SessionTable, Sink, split_mcp};
use super::text;
use rustc_hash::FxHashSet;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::ops::ControlFlow;
use tsl_synth_core::model::{CallOutcome, HostEventKind, Speaker, UntoldFacts};

/// Subagents of subagents nested deeper are not read.
const DEPTH: usize = 8;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Trajectory<'a> {
    #[serde(borrow)]
    session_id: LenientScalar<'a>,
    #[serde(borrow, rename = "trajectory_id")]
    id: LenientScalar<'a>,
    #[serde(borrow)]
    agent: LenientObject<TrajectoryAgent<'a>>,
    #[serde(borrow)]
    steps: List<LenientObject<Step<'a>>>,
    #[serde(borrow)]
    subagent_trajectories: List<LenientObject<Self>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct TrajectoryAgent<'a> {
    #[serde(borrow)]
    name: LenientText<'a>,
    #[serde(borrow)]
    model_name: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Step<'a> {
    #[serde(borrow)]
    timestamp: LenientScalar<'a>,
    #[serde(borrow)]
    source: LenientText<'a>,
    #[serde(borrow)]
    message: MessageContent<'a>,
    #[serde(borrow)]
    tool_calls: List<LenientObject<ToolCall<'a>>>,
    #[serde(borrow)]
    observation: LenientObject<Observation<'a>>,
    #[serde(borrow)]
    is_copied_context: LenientScalar<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ToolCall<'a> {
    #[serde(borrow, rename = "tool_call_id")]
    id: LenientScalar<'a>,
    #[serde(borrow)]
    function_name: LenientText<'a>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Observation<'a> {
    #[serde(borrow)]
    results: List<LenientObject<Observed<'a>>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Observed<'a> {
    #[serde(borrow)]
    source_call_id: LenientScalar<'a>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    subagent_trajectory_ref: List<LenientObject<SubagentRef<'a>>>,
    #[serde(borrow)]
    extra: LenientObject<Extra<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SubagentRef<'a> {
    #[serde(borrow)]
    session_id: LenientScalar<'a>,
    #[serde(borrow)]
    trajectory_id: LenientScalar<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Extra<'a> {
    #[serde(borrow)]
    is_error: LenientScalar<'a>,
    #[serde(borrow)]
    tool_result_is_error: LenientScalar<'a>,
    #[serde(borrow)]
    success: LenientScalar<'a>,
    #[serde(borrow)]
    exit_code: LenientScalar<'a>,
}

impl Observed<'_> {
    /// The outcome, if the exporter recorded one.
    fn outcome(&self) -> Option<CallOutcome> {
        let extra = self.extra.0.as_ref()?;
        let failed = extra.is_error.flag().or(extra.tool_result_is_error.flag());
        let failed = failed.or(extra.success.flag().map(|success| !success));
        let failed = failed.or(extra.exit_code.int().map(|code| code != 0))?;
        Some(if failed { CallOutcome::Failed } else { CallOutcome::Ok })
    }
}

/// Reads a document, or a line that is one.
pub(super) fn document(
    sessions: &mut SessionTable,
    name: &str,
    count: &mut u64,
    raw: &RawValue,
    sink: &mut Sink<'_>,
) -> ControlFlow<()> {
    let read = serde_json::from_str::<LenientObject<Trajectory<'_>>>(raw.get()).ok().and_then(|one| one.0);
    let Some(trajectory) = read.filter(|one| !one.steps.0.is_empty()) else {
        sessions.notes.unknown_lines += 1;
        return ControlFlow::Continue(());
    };
    *count += 1;
    let named = trajectory.session_id.name().or_else(|| trajectory.id.name());
    let session = named.unwrap_or_else(|| Cow::Owned(format!("{name}#{count}")));
    if let Some(agent) = &trajectory.agent.0 {
        sessions.told(&session, agent.model_name.get(), agent.name.get());
    }
    let mut reader = TrajectoryReader { session: &session, steps: 0, subagents: FxHashSet::default() };
    let rests = reader.trajectory(sessions, &trajectory, None, 0, sink)?;
    if rests {
        let at = At { session: &session, agent: None, time: None, line: reader.steps, facts: None };
        sessions.other(&at, HostEventKind::End, sink)?;
    }
    sessions.close(&session, None, sink)
}

/// A session of one trajectory and those of its subagents.
struct TrajectoryReader<'s> {
    session: &'s str,
    /// Steps so far.
    steps: u64,
    /// The subagents whose steps were read.
    subagents: FxHashSet<String>,
}

impl TrajectoryReader<'_> {
    /// Reports the steps of an agent. Returns whether the last step is by the agent and calls no tool.
    fn trajectory(
        &mut self,
        sessions: &mut SessionTable,
        trajectory: &Trajectory<'_>,
        agent: Option<&str>,
        depth: usize,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<(), bool> {
        let mut rests = false;
        let is_new = |step: &&Step<'_>| step.is_copied_context.flag() != Some(true);
        for step in trajectory.steps.0.iter().filter_map(|step| step.0.as_ref()).filter(is_new) {
            self.steps += 1;
            sessions.notes.lines += 1;
            let time = step.timestamp.name().and_then(|time| text::time(&time));
            let at = At { session: self.session, agent, time, line: self.steps, facts: None };
            sessions.start(&at, sink)?;
            if self.steps == 1 {
                let untold = UntoldFacts { outcomes: true, ..UntoldFacts::default() };
                sessions.other(&At { agent: None, ..at }, HostEventKind::Untold(untold), sink)?;
            }
            let speaker = match step.source.get() {
                Some("user") => Some(Speaker::User),
                Some("agent") => Some(Speaker::Agent),
                _ => None,
            };
            // What a subagent is asked to do are the words of the agent that calls it.
            let speaker = speaker.filter(|speaker| agent.is_none() || *speaker == Speaker::Agent);
            if let Some((speaker, said)) = speaker.zip(step.message.said()) {
                sessions.message(&at, speaker, said, sink)?;
            }
            rests = speaker == Some(Speaker::Agent) && step.tool_calls.0.is_empty();
            for call in step.tool_calls.0.iter().filter_map(|call| call.0.as_ref()) {
                let (server, tool) = split_mcp(call.function_name.get().unwrap_or_default());
                let arguments = Arguments::of(given(call.arguments));
                let call = LoggedCall { id: call.id.name(), server, tool, arguments };
                sessions.call(&at, call, sink)?;
            }
            self.results(sessions, trajectory, step, &at, depth, sink)?;
        }
        ControlFlow::Continue(rests)
    }
    /// Reports the results of a step, each after the steps of the subagents that it refers to.
    fn results(
        &mut self,
        sessions: &mut SessionTable,
        trajectory: &Trajectory<'_>,
        step: &Step<'_>,
        at: &At<'_>,
        depth: usize,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        let results = step.observation.0.iter().flat_map(|observation| &observation.results.0);
        for observed in results.filter_map(|one| one.0.as_ref()) {
            for subagent in observed.subagent_trajectory_ref.0.iter().filter_map(|one| one.0.as_ref()) {
                if depth < DEPTH {
                    self.subagent(sessions, trajectory, subagent, depth, sink)?;
                }
            }
            let only = match &step.tool_calls.0[..] {
                [call] => call.0.as_ref().and_then(|call| call.id.name()),
                _ => None,
            };
            let Some(call) = observed.source_call_id.name().or(only) else { continue };
            let value = given(observed.content).map(result);
            sessions.result(at, Some(call), observed.outcome(), value, sink)?;
        }
        ControlFlow::Continue(())
    }
    fn subagent(
        &mut self,
        sessions: &mut SessionTable,
        trajectory: &Trajectory<'_>,
        subagent: &SubagentRef<'_>,
        depth: usize,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        let Some(name) = subagent.trajectory_id.name().or_else(|| subagent.session_id.name()) else {
            return ControlFlow::Continue(());
        };
        if !self.subagents.insert(name.clone().into_owned()) {
            return ControlFlow::Continue(());
        }
        let is_meant = |id: &LenientScalar<'_>| id.name().is_some_and(|id| id == name);
        for own in trajectory.subagent_trajectories.0.iter().filter_map(|own| own.0.as_ref()) {
            if is_meant(&own.id) || is_meant(&own.session_id) {
                let _: bool = self.trajectory(sessions, own, Some(&name), depth + 1, sink)?;
            }
        }
        ControlFlow::Continue(())
    }
}
