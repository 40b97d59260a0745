//! Logs of requests: conversations whose records grow, and the times of records.

use super::{lines, words};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use tsl_synth_core::base::Random;
use tsl_synth_core::model::{HostEvent, HostEventKind};
use tsl_synth_seats::log::{LogFormat, LogReader};

/// The messages of a conversation with so many calls, some of which are the same.
fn messages(random: &mut Random, calls: usize) -> Vec<Value> {
    let mut all = vec![json!({ "role": "user", "content": "Help." })];
    for i in 0..calls {
        let arguments = json!({ "order": random.below(2) }).to_string();
        let function = json!({ "name": "look", "arguments": arguments });
        let call = json!({ "id": format!("c{i}"), "type": "function", "function": function });
        all.push(json!({ "role": "assistant", "content": null, "tool_calls": [call] }));
        all.push(json!({ "role": "tool", "tool_call_id": format!("c{i}"), "content": "fine" }));
        if random.below(2) == 0 {
            all.push(json!({ "role": "assistant", "content": "Go on?" }));
            all.push(json!({ "role": "user", "content": "yes" }));
        }
    }
    all.push(json!({ "role": "assistant", "content": "Done." }));
    all
}

/// The requests of a conversation: each has the messages before an answer of the agent from one on, and the answer.
fn requests(session: &str, all: &[Value], from: &dyn Fn(usize) -> usize) -> Vec<Value> {
    let system = json!({ "role": "system", "content": "Be kind." });
    let answers = (0..all.len()).filter(|&i| all[i]["role"] == "assistant");
    let request = |i: usize| {
        let mut before = vec![system.clone()];
        before.extend(all[from(i)..i].iter().cloned());
        let mut answer = all[i].clone();
        answer["refusal"] = Value::Null;
        json!({ "id": format!("req{i}"), "session_id": session, "messages": before,
            "response": { "choices": [{ "message": answer }] } })
    };
    answers.map(request).collect()
}

#[test]
fn a_growing_conversation_is_one_session() {
    let mut random = Random::new(7);
    for calls in 0..8 {
        let (one, two) = (messages(&mut random, calls), messages(&mut random, 3));
        let whole = json!({ "session_id": "a", "messages": one }).to_string();
        let (right, _) = words(LogFormat::OpenAi, &whole);
        // All messages before, the last few, or only the new ones.
        for from in [&|_| 0, &|i: usize| i.saturating_sub(6)] as [&dyn Fn(usize) -> usize; 2] {
            let mut all = requests("a", &one, from);
            let (own, notes) = words(LogFormat::OpenAi, &lines(&all));
            assert_eq!(own, right, "{calls}");
            assert_eq!((notes.sessions, notes.repeated_calls), (1, 0));
            // Another conversation in between changes nothing.
            let other = requests("b", &two, &|_| 0);
            for (i, record) in other.into_iter().enumerate() {
                all.insert((2 * i + 1).min(all.len()), record);
            }
            let (mixed, notes) = words(LogFormat::OpenAi, &lines(&all));
            let both =
                right.len() + words(LogFormat::OpenAi, &json!({ "messages": two }).to_string()).0.len();
            assert_eq!((mixed.len(), notes.sessions), (both, 2), "{calls}");
        }
        let parts: Vec<Value> =
            one.chunks(2).map(|part| json!({ "thread_id": "a", "messages": part })).collect();
        assert_eq!(words(LogFormat::OpenAi, &lines(&parts)).0, right, "only new messages");
    }
}

#[test]
fn records_with_ids_of_their_own_are_sessions() {
    let message = json!({ "role": "user", "content": "Help." });
    let log =
        lines(&[json!({ "id": "a", "messages": [message] }), json!({ "id": "b", "messages": [message] })]);
    assert_eq!(words(LogFormat::OpenAi, &log).1.sessions, 2);
}

#[test]
fn records_tell_times() {
    let seconds = 1_793_500_000;
    for (key, value) in [
        ("created", json!(seconds)),
        ("created_at", json!(seconds)),
        ("created_at", json!(f64::from(seconds))),
        ("created_at", json!(i64::from(seconds) * 1000)),
        ("created_at", json!("2026-11-01T02:26:40Z")),
    ] {
        for inside in [false, true] {
            let mut record = json!({ "messages": [{ "role": "user", "content": "x" }] });
            if inside {
                record["response"] = json!({ key: value, "choices": [] });
            } else {
                record[key] = value.clone();
            }
            let mut times = Vec::new();
            let mut sink = |event: &HostEvent<'_>| {
                if !matches!(event.kind, HostEventKind::Close) {
                    times.push(event.time);
                }
                ControlFlow::Continue(())
            };
            let mut reader = LogReader::new(LogFormat::OpenAi, "log");
            assert!(reader.feed_line(&record.to_string(), &mut sink).is_continue());
            assert!(reader.finish(&mut sink).is_continue());
            assert!(times.iter().all(|time| *time == Some(i64::from(seconds) * 1000)), "{record} {times:?}");
        }
    }
}
