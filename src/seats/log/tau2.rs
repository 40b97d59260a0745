//! Simulations of tau2-bench: `{"simulations": [..]}`, a list of simulations, or one. A simulation has `messages`, or
//! `ticks`, if agent and user can speak at the same time.
//!
//! - The user calls tools, too. These are not the agent's calls: they and their results are skipped and counted in
//!   [`LogNotes::user_calls`](super::LogNotes).
//! - A result names its call in `id`, and failed if `error` is true.
//! - Each of the `ticks` is an event `Tick`. Speech without a pause is one message; speech whose text the log does not
//!   have is counted in [`LogNotes::untold_speech`](super::LogNotes).
//! - The agent stopped of its own accord if `termination_reason` is `agent_stop`.

use super::lenient::{LenientObject, LenientScalar, LenientText, List};
use super::messages::{MessageCall, MessageItem, MessageReader};
use super::session_table::{At, SessionTable, Sink};
use super::text;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::ops::ControlFlow;
use tsl_synth_core::model::{HostEventKind, Speaker};

#[derive(Default, Deserialize)]
#[serde(default)]
struct Results<'a> {
    #[serde(borrow)]
    simulations: List<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Tau2Simulation<'a> {
    #[serde(borrow)]
    id: LenientScalar<'a>,
    #[serde(borrow)]
    termination_reason: LenientText<'a>,
    #[serde(borrow)]
    messages: List<&'a RawValue>,
    #[serde(borrow)]
    ticks: List<LenientObject<Tick<'a>>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Tick<'a> {
    #[serde(borrow)]
    timestamp: LenientText<'a>,
    #[serde(borrow)]
    agent_chunk: LenientObject<Chunk<'a>>,
    #[serde(borrow)]
    user_chunk: LenientObject<Chunk<'a>>,
    #[serde(borrow)]
    agent_tool_calls: List<LenientObject<MessageCall<'a>>>,
    #[serde(borrow)]
    agent_tool_results: List<LenientObject<MessageItem<'a>>>,
    user_tool_calls: List<IgnoredAny>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Chunk<'a> {
    #[serde(borrow)]
    content: LenientText<'a>,
    #[serde(borrow)]
    contains_speech: LenientScalar<'a>,
    #[serde(borrow)]
    tool_calls: List<LenientObject<MessageCall<'a>>>,
}

/// Reads a document, or a line that is one.
pub(super) fn document(
    sessions: &mut SessionTable,
    name: &str,
    count: &mut u64,
    raw: &RawValue,
    sink: &mut Sink<'_>,
) -> ControlFlow<()> {
    let parts: Vec<&RawValue> = if raw.get().starts_with('[') {
        serde_json::from_str(raw.get()).unwrap_or_default()
    } else {
        let results =
            serde_json::from_str::<LenientObject<Results<'_>>>(raw.get()).ok().and_then(|results| results.0);
        results
            .filter(|results| !results.simulations.0.is_empty())
            .map_or(vec![raw], |results| results.simulations.0)
    };
    for part in parts {
        let simulation =
            serde_json::from_str::<LenientObject<Tau2Simulation<'_>>>(part.get()).ok().and_then(|one| one.0);
        let Some(simulation) = simulation.filter(|one| !one.messages.0.is_empty() || !one.ticks.0.is_empty())
        else {
            sessions.notes.unknown_lines += 1;
            continue;
        };
        *count += 1;
        let session = simulation.id.name().unwrap_or_else(|| Cow::Owned(format!("{name}#{count}")));
        let mut walk = MessageReader::new(true);
        walk.items(sessions, &session, &simulation.messages.0, sink)?;
        if simulation.messages.0.is_empty() {
            ticks(sessions, &mut walk, &session, &simulation.ticks.0, sink)?;
        }
        let stopped = simulation.termination_reason.is("agent_stop");
        walk.finish_as(stopped, sessions, &session, sink)?;
    }
    ControlFlow::Continue(())
}

/// The current speech of one speaker.
#[derive(Default)]
struct Speech {
    speaks: bool,
    text: String,
}

impl Speech {
    /// Adds the next chunk. Returns the text of the speech when a pause ends it; the text is empty if the log does not
    /// have it.
    fn next(&mut self, chunk: Option<&Chunk<'_>>) -> Option<String> {
        let text = chunk.and_then(|chunk| chunk.content.get()).unwrap_or_default();
        if !text.is_empty() || chunk.is_some_and(|chunk| chunk.contains_speech.flag() == Some(true)) {
            self.speaks = true;
            self.text.push_str(text);
            return None;
        }
        std::mem::take(&mut self.speaks).then(|| std::mem::take(&mut self.text))
    }
}

fn ticks(
    sessions: &mut SessionTable,
    walk: &mut MessageReader,
    session: &str,
    ticks: &[LenientObject<Tick<'_>>],
    sink: &mut Sink<'_>,
) -> ControlFlow<()> {
    // The user may speak while a tool runs.
    let results = ticks.iter().filter_map(|tick| tick.0.as_ref()).flat_map(|tick| &tick.agent_tool_results.0);
    for id in results.filter_map(|result| result.0.as_ref()?.answered()) {
        sessions.expect_result(session, &id);
    }
    let (mut user, mut agent) = (Speech::default(), Speech::default());
    let nothing = Tick::default();
    // After the last tick all are silent.
    for tick in ticks.iter().map(|tick| tick.0.as_ref()).chain([None]) {
        let is_last = tick.is_none();
        let tick = tick.unwrap_or(&nothing);
        walk.count += u64::from(!is_last);
        sessions.notes.lines += u64::from(!is_last);
        let at = At {
            session,
            agent: None,
            time: tick.timestamp.get().and_then(text::time),
            line: walk.count,
            facts: None,
        };
        if !is_last {
            sessions.other(&at, HostEventKind::Tick, sink)?;
        }
        let said = [
            (Speaker::User, user.next(tick.user_chunk.0.as_ref())),
            (Speaker::Agent, agent.next(tick.agent_chunk.0.as_ref())),
        ];
        for (speaker, text) in said {
            match text {
                Some(text) if text.trim().is_empty() => sessions.notes.untold_speech += 1,
                Some(text) => sessions.message(&at, speaker, Cow::Owned(text), sink)?,
                None => {}
            }
        }
        for result in tick.agent_tool_results.0.iter().filter_map(|result| result.0.as_ref()) {
            walk.tool(sessions, &at, result, sink)?;
        }
        if let Some(chunk) = &tick.agent_chunk.0 {
            walk.calls(sessions, &at, &chunk.tool_calls, sink)?;
        }
        walk.calls(sessions, &at, &tick.agent_tool_calls, sink)?;
        let by_user = tick.user_chunk.0.as_ref().map_or(0, |chunk| chunk.tool_calls.0.len());
        sessions.notes.user_calls += by_user.max(tick.user_tool_calls.0.len()) as u64;
    }
    ControlFlow::Continue(())
}
