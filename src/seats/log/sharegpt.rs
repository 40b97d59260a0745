//! Conversations of ShareGPT: `{"conversations": [{"from": "human", "value": ".."}, ..]}`, with calls from `function_call`,
//! whose value is `{"name": .., "arguments": ..}` or a list of these, and results from `observation` or `tool`.
//!
//! Calls have no ids: the results of several calls are in their order. Outcomes are not told. A session is a record, with
//! its `id`, else the name of the log with the number of the record.

use super::lenient::{LenientObject, LenientScalar, LenientText, List, given};
use super::session_table::{Arguments, At, LoggedCall, SessionTable, Sink, split_mcp};
use super::{blocks, text};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::ops::ControlFlow;
use tsl_synth_core::model::{HostEventKind, Speaker, UntoldFacts};

#[derive(Default, Deserialize)]
#[serde(default)]
struct Conversation<'a> {
    #[serde(borrow)]
    id: LenientScalar<'a>,
    #[serde(borrow)]
    conversations: List<LenientObject<Turn<'a>>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Turn<'a> {
    #[serde(borrow)]
    from: LenientText<'a>,
    #[serde(borrow)]
    value: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Function<'a> {
    #[serde(borrow)]
    name: LenientText<'a>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// Reads a document, or a line that is one.
pub(super) fn document(
    sessions: &mut SessionTable,
    name: &str,
    records: &mut u64,
    raw: &RawValue,
    sink: &mut Sink<'_>,
) -> ControlFlow<()> {
    let all: Vec<&RawValue> = if raw.get().starts_with('[') {
        serde_json::from_str(raw.get()).unwrap_or_default()
    } else {
        vec![raw]
    };
    for raw in all {
        let one = serde_json::from_str::<LenientObject<Conversation<'_>>>(raw.get()).ok();
        match one.and_then(|one| one.0).filter(|one| !one.conversations.0.is_empty()) {
            Some(one) => conversation(sessions, name, records, &one, sink)?,
            None => sessions.notes.unknown_lines += 1,
        }
    }
    ControlFlow::Continue(())
}

fn conversation(
    sessions: &mut SessionTable,
    name: &str,
    records: &mut u64,
    one: &Conversation<'_>,
    sink: &mut Sink<'_>,
) -> ControlFlow<()> {
    *records += 1;
    let session = one.id.name().map_or_else(|| format!("{name}#{records}"), Cow::into_owned);
    let mut at = At { session: &session, agent: None, time: None, line: 1, facts: None };
    sessions.start(&at, sink)?;
    let untold = UntoldFacts { outcomes: true, ..UntoldFacts::default() };
    sessions.other(&at, HostEventKind::Untold(untold), sink)?;
    // The calls so far, those of them that have results, and whether the last turn is what the agent says.
    let (mut calls, mut ended, mut rests) = (0_u64, 0_u64, false);
    for turn in one.conversations.0.iter().filter_map(|turn| turn.0.as_ref()) {
        sessions.notes.lines += 1;
        let said = given(turn.value).and_then(text::unquoted);
        let from = turn.from.get().unwrap_or_default();
        rests = matches!(from, "gpt" | "assistant" | "model");
        match from {
            "human" | "user" => {
                sessions.message(&at, Speaker::User, said.unwrap_or_default(), sink)?;
            }
            "gpt" | "assistant" | "model" => {
                sessions.message(&at, Speaker::Agent, said.unwrap_or_default(), sink)?;
            }
            "system" => {}
            "function_call" => {
                let raw = said.as_deref().or(given(turn.value)).unwrap_or_default();
                let list = serde_json::from_str::<List<LenientObject<Function<'_>>>>(raw);
                let list = list.map(|list| list.0).ok().filter(|list| !list.is_empty());
                let one =
                    || vec![serde_json::from_str::<LenientObject<Function<'_>>>(raw).unwrap_or_default()];
                for function in list.unwrap_or_else(one) {
                    let Some(function) = function.0.filter(|own| own.name.get().is_some()) else {
                        *sessions.notes.unknown_blocks.entry("function_call".into()).or_default() += 1;
                        continue;
                    };
                    calls += 1;
                    let (server, tool) = split_mcp(function.name.get().unwrap_or_default());
                    let arguments = Arguments::of(given(function.arguments));
                    let id = Some(Cow::Owned(format!("{calls}")));
                    sessions.call(&at, LoggedCall { id, server, tool, arguments }, sink)?;
                }
            }
            "observation" | "tool" | "function_response" => {
                ended += 1;
                let value = given(turn.value).map(blocks::result);
                sessions.result(&at, Some(Cow::Owned(format!("{ended}"))), None, value, sink)?;
            }
            other => *sessions.notes.unknown_blocks.entry(other.to_owned()).or_default() += 1,
        }
        at.line += 1;
    }
    if rests {
        sessions.other(&at, HostEventKind::End, sink)?;
    }
    sessions.close(&session, None, sink)
}
