//! Arguments of runs of LangSmith that are written as Python writes them.

use super::{lines, words};
use serde_json::json;
use tsl_synth_seats::log::LogFormat;

fn run(input: &str) -> (Vec<String>, tsl_synth_seats::log::LogNotes) {
    let time = |second: u32| format!("2026-11-01T08:00:{second:02}.000Z");
    let log = lines(&[
        json!({ "id": "r", "trace_id": "r", "name": "agent", "run_type": "chain", "start_time": time(0), "inputs": {} }),
        json!({ "id": "1", "trace_id": "r", "parent_run_id": "r", "name": "refund", "run_type": "tool",
            "start_time": time(9), "inputs": { "input": input }, "outputs": { "output": "ok" }, "error": null }),
    ]);
    words(LogFormat::LangGraph, &log)
}

#[test]
fn a_dict_of_python_is_read() {
    for input in
        ["{'order_id': 'A', 'n': 1}", "{\"order_id\": \"A\", \"n\": 1}", " {'order_id': \"A\", 'n': 1,} "]
    {
        let (events, notes) = run(input);
        assert!(
            events.contains(&"call refund {\"n\":1,\"order_id\":\"A\"}".to_owned()),
            "{input} {events:?}"
        );
        assert_eq!(notes.untold_arguments, 0);
    }
    let (events, _) = run("order A");
    assert!(events.contains(&"call refund {\"input\":\"order A\"}".to_owned()), "{events:?}");
}

#[test]
fn what_is_no_literal_is_not_told() {
    for input in ["{'order': Order(id=1)}", "{'order_id': 'A'", "{1: 2}", "{'d': datetime.date(2026, 1, 1)}"]
    {
        let (events, notes) = run(input);
        assert!(events.contains(&"call refund null".to_owned()), "{input} {events:?}");
        assert_eq!(notes.untold_arguments, 1, "{input}");
    }
}
