//! `monitor` for many sessions: groups, times, metrics and columns agree with each other and with the logs.

use super::Folder;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

const POLICY: &str = "policy = 1\nname = \"shop\"\nunmatched = \"allow\"\n\
    [actions]\ngroups = [[\"pay\", \"ship\"]]\n\
    [[match]]\non = \"call\"\ntool = \"pay\"\naction = \"pay\"\n\
    [[match]]\non = \"call\"\ntool = \"ship\"\naction = \"ship\"\n\
    [[law]]\nid = \"paid\"\nltl = \"(!ship W pay)\"\n\
    [[law]]\nid = \"ships\"\nltl = \"G (pay -> F ship)\"\n";

const MODELS: [&str; 3] = ["small-1", "large, \"2\"", ""];
const DAY: i64 = 86_400_000;

/// A session of the log: when it begins, its model, and its calls.
struct Made {
    day: i64,
    model: usize,
    calls: &'static [&'static str],
}

/// Sessions whose days, models and calls follow from their numbers.
fn made(sessions: i64) -> Vec<Made> {
    let runs: [&[&str]; 4] = [&["pay", "ship"], &["ship"], &["pay"], &[]];
    let of = |n: i64| Made {
        day: n % 7,
        model: usize::try_from(n % 3).expect("small"),
        calls: runs[usize::try_from(n * n % 4 + n % 2).expect("small") % 4],
    };
    (0..sessions).map(of).collect()
}

/// The first of November 2026.
const BEGIN: i64 = 1_793_491_200_000;

fn log(sessions: &[Made]) -> String {
    let mut text = String::new();
    for (n, own) in sessions.iter().enumerate() {
        let time = BEGIN + own.day * DAY + 1_000;
        let model = match MODELS[own.model] {
            "" => String::new(),
            model => format!(",\"model\":{}", Value::from(model)),
        };
        let _ = writeln!(text, "{{\"event\":\"start\",\"session\":\"s{n}\",\"time\":{time}{model}}}");
        for (i, tool) in (1_i64..).zip(own.calls) {
            let time = time + 1_000 * i;
            let at = format!("\"session\":\"s{n}\",\"time\":{time},\"id\":\"{i}\"");
            let _ = writeln!(text, "{{\"event\":\"call\",{at},\"tool\":\"{tool}\"}}");
            let _ = writeln!(text, "{{\"event\":\"result\",{at},\"ok\":true}}");
        }
        let _ = writeln!(text, "{{\"event\":\"close\",\"session\":\"s{n}\",\"time\":{}}}", time + 9_000);
    }
    text
}

/// Sessions and violations of both laws by definition.
fn expected<'s>(sessions: impl Iterator<Item = &'s Made>) -> [u64; 3] {
    let mut all = [0; 3];
    for own in sessions {
        let unpaid = own.calls.first() == Some(&"ship");
        let unshipped = own.calls.contains(&"pay") && !own.calls.contains(&"ship");
        all[0] += 1;
        all[1] += u64::from(unpaid);
        all[2] += u64::from(unshipped);
    }
    all
}

fn counts(total: &Value) -> [u64; 3] {
    let number = |value: &Value| value.as_u64().expect("a number");
    [number(&total["sessions"]), number(&total["laws"][0]["violated"]), number(&total["laws"][1]["violated"])]
}

/// The last line of the answer in JSON.
fn total(folder: &Folder, flags: &[&str]) -> Value {
    let call = ["policy", "monitor", "p.toml", "log.jsonl", "--stats", "--format", "json"];
    let run = folder.run(call.iter().chain(flags));
    assert!(run.code < 2, "{run:?}");
    serde_json::from_str(run.out.lines().last().expect("a line")).expect("JSON")
}

#[test]
fn groups_are_those_of_the_sessions() {
    for size in [1, 10, 100, 1_000] {
        let sessions = made(size);
        let folder = Folder::new();
        folder.file("p.toml", POLICY);
        folder.file("log.jsonl", log(&sessions));
        let whole = total(&folder, &[]);
        assert_eq!(counts(&whole), expected(sessions.iter()), "{size}");
        assert!(whole.get("groups").is_none());
        let by_day: BTreeMap<String, Vec<&Made>> = sessions.iter().fold(BTreeMap::new(), |mut all, own| {
            all.entry(format!("2026-11-{:02}", own.day + 1)).or_insert_with(Vec::new).push(own);
            all
        });
        let by_model: BTreeMap<String, Vec<&Made>> = sessions.iter().fold(BTreeMap::new(), |mut all, own| {
            all.entry(MODELS[own.model].to_owned()).or_insert_with(Vec::new).push(own);
            all
        });
        for (by, groups) in [("day", &by_day), ("model", &by_model)] {
            let told = total(&folder, &["--group-by", by]);
            let told = told["groups"].as_array().expect("groups");
            let found: Vec<(&str, [u64; 3])> =
                told.iter().map(|own| (own["name"].as_str().expect("a name"), counts(own))).collect();
            let wanted: Vec<(&str, [u64; 3])> =
                groups.iter().map(|(name, own)| (name.as_str(), expected(own.iter().copied()))).collect();
            assert_eq!(found, wanted, "{size} by {by}");
        }
        let by_file = total(&folder, &["--group-by", "file"]);
        assert_eq!(by_file["groups"][0]["name"], "log.jsonl");
        assert_eq!(counts(&by_file["groups"][0]), expected(sessions.iter()));
    }
}

#[test]
fn windows_choose_sessions_by_their_beginning() {
    let sessions = made(200);
    let folder = Folder::new();
    folder.file("p.toml", POLICY);
    folder.file("log.jsonl", log(&sessions));
    for (since, until) in [(0, 7), (2, 5), (3, 4), (6, 7), (7, 8), (-3, 2), (6, 40)] {
        let day = |n: i64| tsl_synth_core::base::calendar::date(BEGIN + n * DAY);
        let (first, last) = (day(since), format!("{}T00:00:00Z", day(until)));
        let told = total(&folder, &["--since", &first, "--until", &last, "--group-by", "day"]);
        let inside = || sessions.iter().filter(|own| (since..until).contains(&own.day));
        assert_eq!(counts(&told), expected(inside()), "{first} to {last}");
        let groups = told["groups"].as_array().map_or(0, Vec::len);
        let days = inside().map(|own| own.day).collect::<std::collections::BTreeSet<_>>();
        assert_eq!(groups, days.len());
    }
    // All of it is long ago, or the log tells no time.
    let run = folder.run(["policy", "monitor", "p.toml", "log.jsonl", "--stats", "--since", "2h"]).exits(0);
    assert!(run.out.contains("not judged, since they begin at other times: 200 sessions"), "{run:?}");
    assert!(run.out.starts_with("no session was judged"), "{run:?}");
    let told = total(&folder, &["--since", "2h"]);
    assert_eq!((told["outside"].as_u64(), told.get("undated")), (Some(200), None));
    let timeless: String = log(&sessions).lines().filter(|line| !line.contains("\"start\"")).fold(
        String::new(),
        |text, line| {
            let (before, rest) = line.split_once(",\"time\":").expect("a time");
            let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            text + before + rest + "\n"
        },
    );
    folder.file("log.jsonl", &timeless);
    // A violation among sessions without a time is not ruled out.
    let call = ["policy", "monitor", "p.toml", "log.jsonl", "--stats", "--since", "2026-11-01"];
    let run = folder.run(call).exits(3);
    assert!(run.out.contains("not judged, since the log has no time for them: 200 sessions"), "{run:?}");
    let run = folder.run(call.iter().chain(&["--format", "prometheus"])).exits(3);
    assert!(run.out.contains("\ntsl_synth_monitor_undated_sessions{policy=\"shop\"} 200\n"), "{run:?}");
    let told = folder.run(call.iter().chain(&["--format", "json"])).exits(3).json();
    assert_eq!((told["undated"].as_u64(), told.get("outside")), (Some(200), None));
    for (since, until) in [("2026-11-02", "2026-11-01"), ("2026-11-01", "2026-11-01"), ("1d", "2d")] {
        let window = ["--since", since, "--until", until];
        let run = folder.run(["policy", "monitor", "p.toml", "log.jsonl"].iter().chain(&window)).exits(2);
        assert!(run.err.contains("--until 2026-11-02"), "{run:?}");
    }
    for wrong in ["yesterday", "2026-13-01", "2026-11-01 10:00", "7", "-3d", ""] {
        let run =
            folder.run(["policy", "monitor", "p.toml", "log.jsonl", &format!("--since={wrong}")]).exits(2);
        assert!(run.err.contains("2026-11-01T08:00:00Z"), "{wrong}: {run:?}");
    }
}

#[test]
fn tables_and_metrics_have_the_same_numbers() {
    let sessions = made(50);
    let folder = Folder::new();
    folder.file("p.toml", POLICY);
    folder.file("log.jsonl", log(&sessions));
    let call = ["policy", "monitor", "p.toml", "log.jsonl", "--group-by", "model", "--format"];
    let csv = folder.run(call.iter().chain(&["csv"])).exits(1).out;
    let metrics = folder.run(call.iter().chain(&["prometheus"])).exits(1).out;
    let text = folder.run(call.iter().chain(&["text", "--stats"])).exits(1).out;
    for (model, field, label) in [
        ("small-1", "small-1", "small-1"),
        ("large, \"2\"", "\"large, \"\"2\"\"\"", "large, \\\"2\\\""),
        ("", "", ""),
    ] {
        let own = sessions.iter().filter(|own| MODELS[own.model] == model);
        let [count, unpaid, unshipped] = expected(own);
        for (law, violated) in [("paid", unpaid), ("ships", unshipped)] {
            let line =
                csv.lines().find(|line| line.starts_with(&format!("{field},{count},")) && line.contains(law));
            let line = line.unwrap_or_else(|| panic!("{csv}"));
            assert_eq!(line.rsplit(',').nth(1), Some(violated.to_string().as_str()), "{line}");
            let metric = format!(
                "tsl_synth_monitor_law_sessions{{policy=\"shop\",model=\"{label}\",law=\"{law}\",\
                 standing=\"violated\"}} {violated}\n"
            );
            assert!(metrics.contains(&metric), "{metric}\n{metrics}");
        }
        assert!(
            metrics.contains(&format!(
                "tsl_synth_monitor_sessions{{policy=\"shop\",model=\"{label}\"}} {count}\n"
            ))
        );
        let shown = if model.is_empty() { "(not told)" } else { model };
        let row = text.lines().find(|line| line.starts_with(shown)).unwrap_or_else(|| panic!("{text}"));
        assert!(row.contains(&format!(" {count} ")), "{row}");
    }
    // Each family has its help and its type once, before its values.
    for line in metrics.lines().filter(|line| !line.starts_with('#')) {
        let name = line.split('{').next().expect("a name");
        assert_eq!(metrics.matches(&format!("# TYPE {name} gauge\n")).count(), 1, "{line}");
        assert!(metrics.find(&format!("# HELP {name} ")) < metrics.find(&format!("\n{name}{{")), "{line}");
    }
}

/// Logs of hosts, each with a call of the tool `ship`; the model and the service that they tell.
const HOSTS: &[(&str, &str, &str, &str)] = &[
    (
        "claude",
        r#"{"type":"assistant","sessionId":"s","timestamp":"2026-11-02T00:00:00Z","message":{"id":"m","model":"opus-x","content":[{"type":"tool_use","id":"1","name":"ship","input":{}}]}}
{"type":"user","sessionId":"s","timestamp":"2026-11-02T00:00:01Z","message":{"content":[{"type":"tool_result","tool_use_id":"1","content":"done"}]}}"#,
        "opus-x",
        "",
    ),
    (
        "codex",
        r#"{"timestamp":"2026-11-02T00:00:00Z","type":"session_meta","payload":{"id":"t","originator":"codex_exec"}}
{"timestamp":"2026-11-02T00:00:00Z","type":"turn_context","payload":{"model":"gpt-x"}}
{"timestamp":"2026-11-02T00:00:01Z","type":"response_item","payload":{"type":"function_call","call_id":"1","name":"ship","arguments":"{}"}}
{"timestamp":"2026-11-02T00:00:02Z","type":"response_item","payload":{"type":"function_call_output","call_id":"1","output":"done"}}"#,
        "gpt-x",
        "codex_exec",
    ),
    (
        "otel",
        r#"{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"store"}}]},"scopeSpans":[{"spans":[{"traceId":"t","spanId":"a","name":"chat m","startTimeUnixNano":"1793577600000000000","endTimeUnixNano":"1793577601000000000","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.request.model","value":{"stringValue":"m-1"}}]},{"traceId":"t","spanId":"b","name":"execute_tool ship","startTimeUnixNano":"1793577602000000000","endTimeUnixNano":"1793577603000000000","attributes":[]}]}]}]}"#,
        "m-1",
        "store",
    ),
    (
        "otel",
        r#"{"name":"execute_tool ship","context":{"trace_id":"t","span_id":"b"},"start_time":"2026-11-02T00:00:00Z","end_time":"2026-11-02T00:00:01Z","attributes":{"gen_ai.response.model":"m-2"},"resource":{"attributes":{"service.name":"store"}}}"#,
        "m-2",
        "store",
    ),
    (
        "openai",
        r#"{"model":"gpt-y","messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"ship","arguments":"{}"}}]}]}"#,
        "gpt-y",
        "",
    ),
    (
        "atif",
        r#"{"schema_version":"ATIF-v1.4","session_id":"s","agent":{"name":"terminus","version":"2","model_name":"m-3"},"steps":[{"step_id":1,"timestamp":"2026-11-02T00:00:00Z","source":"agent","message":"","tool_calls":[{"tool_call_id":"1","function_name":"ship","arguments":{}}]}]}"#,
        "m-3",
        "terminus",
    ),
    (
        "inspect",
        r#"{"eval":{"model":"x"},"samples":[{"id":1,"epoch":1,"model_usage":{"m-4":{"total_tokens":3}},"messages":[{"role":"assistant","content":"","tool_calls":[{"id":"1","function":"ship","arguments":{}}]}]}]}"#,
        "m-4",
        "",
    ),
];

#[test]
fn hosts_tell_models_and_services() {
    for (format, log, model, service) in HOSTS {
        let folder = Folder::new();
        folder.file("p.toml", POLICY);
        folder.file("log.jsonl", log);
        let call = ["policy", "monitor", "p.toml", "log.jsonl", "--from", format];
        for (by, name) in [("model", model), ("service", service)] {
            let run = folder.run(call.iter().chain(&["--stats", "--format", "json", "--group-by", by]));
            let last: Value = serde_json::from_str(run.out.lines().last().expect("a line")).expect("JSON");
            assert_eq!(last["groups"][0]["name"], *name, "{format}: {run:?}");
            assert_eq!(last["groups"].as_array().map(Vec::len), Some(1), "{format}");
        }
        let run = folder.run(call.iter().chain(&["--format", "json"]));
        let step: Value = serde_json::from_str(run.out.lines().next().expect("a line")).expect("JSON");
        assert_eq!(step["model"].as_str().unwrap_or_default(), *model, "{format}: {run:?}");
        assert_eq!(step["service"].as_str().unwrap_or_default(), *service, "{format}");
        assert_eq!(step["file"], "log.jsonl", "{format}");
        let csv = folder.run(call.iter().chain(&["--format", "csv"])).out;
        let columns = csv.lines().next().map_or(0, |line| line.split(',').count());
        let row = csv.lines().nth(1).unwrap_or_else(|| panic!("{format}: {csv}"));
        assert_eq!(row.split(',').count(), columns, "{format}: {row}");
        assert!(row.ends_with(&format!(",{service},{model},log.jsonl")), "{format}: {row}");
    }
}

#[test]
fn what_is_not_read_gets_no_all_clear() {
    let said = |role: &str, content: Value| serde_json::json!({ "role": role, "content": content });
    let hello = said("user", Value::from("hello"));
    let block = said("assistant", serde_json::json!([{ "type": "tool_widget", "name": "ship" }]));
    let ship = serde_json::json!({ "role": "assistant", "tool_calls": [
        { "id": "1", "function": { "name": "pay", "arguments": "{}" } } ] });
    // The log, the format, and the exit codes without and with `--query`.
    for (log, from, plain, query, answer) in [
        (String::new(), "jsonl", 3, 3, "unknown: no session was judged"),
        ("{\"trajectory\":[{\"action\":\"ship\"}]}".into(), "openai", 3, 3, "unknown: no session was judged"),
        ("{\"steps\":[{\"role\":\"user\"}]}".into(), "anthropic", 3, 3, "unknown: no session was judged"),
        ("{\"resource\":1}".into(), "otel", 3, 3, "unknown: no session was judged"),
        (Value::from(vec![hello.clone()]).to_string(), "anthropic", 0, 0, "yes: the plan is safe"),
        (
            Value::from(vec![hello.clone(), block]).to_string(),
            "anthropic",
            0,
            3,
            "unknown: the log has parts",
        ),
        (Value::from(vec![hello, ship]).to_string(), "openai", 1, 1, "no: the plan violates the policy"),
    ] {
        let folder = Folder::new();
        folder.file("p.toml", POLICY);
        folder.file("log.json", &log);
        let call = ["policy", "monitor", "p.toml", "log.json", "--from", from];
        for more in [&[][..], &["--stats"], &["--format", "json"], &["--format", "csv"]] {
            let run = folder.run(call.iter().chain(more));
            assert_eq!(run.code, plain, "{log} {more:?}: {run:?}");
        }
        let run = folder.run(call.iter().chain(&["--query"]));
        assert_eq!(run.code, query, "{log}: {run:?}");
        assert!(run.out.lines().last().is_some_and(|line| line.starts_with(answer)), "{log}: {run:?}");
    }
    let folder = Folder::new();
    folder.file("p.toml", POLICY.replace("G (pay -> F ship)", "G (ship -> O pay.ok)").as_str());
    folder.file("log.jsonl", "{\"event\":\"call\",\"id\":\"1\",\"tool\":\"pay\"}\n{\"event\":\"result\",\"id\":\"1\",\"ok\":null}\n{\"event\":\"call\",\"id\":\"2\",\"tool\":\"ship\"}\n");
    let run = folder.run(["policy", "monitor", "p.toml", "log.jsonl", "--query"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.out.contains("unknown: the log does not tell"), "{run:?}");
}
