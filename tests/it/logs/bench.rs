//! The time to read a log, compared with only parsing its lines as JSON:
//! `campaigns log-times`

use serde::de::IgnoredAny;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use tsl_synth_core::model::HostEvent;
use tsl_synth_seats::log::{LogFormat, LogReader};

/// The size of a log in bytes; `TSL_SYNTH_MEGABYTES` sets another size.
const BYTES: usize = 32_000_000;

/// A log of a format with short and long results, as in logs of coding agents.
fn log(format: LogFormat, bytes: usize) -> String {
    let mut out = String::new();
    let mut i = 0;
    while out.len() < bytes {
        i += 1;
        let output = "fn main() { println!(\\\"hello\\\"); }\\n".repeat(if i % 10 == 0 { 200 } else { 8 });
        let time = "2026-11-20T10:00:00.123Z";
        let _ = match format {
            LogFormat::Jsonl => writeln!(
                out,
                "{{\"event\":\"message\",\"session\":\"s{s}\",\"role\":\"user\",\"text\":\"please go on with part {i} of it\"}}\n\
                 {{\"event\":\"call\",\"session\":\"s{s}\",\"id\":\"c{i}\",\"tool\":\"Bash\",\"arguments\":{{\"command\":\"cargo test -- {i}\"}}}}\n\
                 {{\"event\":\"result\",\"session\":\"s{s}\",\"id\":\"c{i}\",\"ok\":true,\"result\":{{\"output\":\"{output}\"}}}}",
                s = i / 200,
            ),
            LogFormat::Claude => writeln!(
                out,
                "{{\"parentUuid\":\"u{i}\",\"isSidechain\":false,\"userType\":\"external\",\"cwd\":\"/home/me/project\",\"sessionId\":\"s1\",\"version\":\"2.1.240\",\"gitBranch\":\"main\",\"type\":\"assistant\",\"message\":{{\"id\":\"msg_{i}\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[{{\"type\":\"text\",\"text\":\"I look at part {i} now.\"}},{{\"type\":\"tool_use\",\"id\":\"toolu_{i}\",\"name\":\"Bash\",\"input\":{{\"command\":\"cargo test -- {i}\",\"description\":\"tests\"}}}}],\"stop_reason\":\"tool_use\",\"usage\":{{\"input_tokens\":1,\"output_tokens\":2}}}},\"uuid\":\"v{i}\",\"timestamp\":\"{time}\"}}\n\
                 {{\"parentUuid\":\"v{i}\",\"isSidechain\":false,\"userType\":\"external\",\"cwd\":\"/home/me/project\",\"sessionId\":\"s1\",\"version\":\"2.1.240\",\"gitBranch\":\"main\",\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":[{{\"tool_use_id\":\"toolu_{i}\",\"type\":\"tool_result\",\"content\":\"{output}\",\"is_error\":false}}]}},\"uuid\":\"w{i}\",\"timestamp\":\"{time}\",\"toolUseResult\":{{\"stdout\":\"{output}\",\"stderr\":\"\",\"interrupted\":false}}}}",
            ),
            _ => writeln!(
                out,
                "{{\"timestamp\":\"{time}\",\"type\":\"response_item\",\"payload\":{{\"type\":\"function_call\",\"name\":\"shell\",\"arguments\":\"{{\\\"command\\\":[\\\"bash\\\",\\\"-lc\\\",\\\"cargo test -- {i}\\\"]}}\",\"call_id\":\"c{i}\"}}}}\n\
                 {{\"timestamp\":\"{time}\",\"type\":\"response_item\",\"payload\":{{\"type\":\"function_call_output\",\"call_id\":\"c{i}\",\"output\":\"Exit code: 0\\nOutput:\\n{output}\"}}}}\n\
                 {{\"timestamp\":\"{time}\",\"type\":\"event_msg\",\"payload\":{{\"type\":\"token_count\",\"info\":{{\"total\":{i}}}}}}}",
            ),
        };
    }
    out
}

/// The shortest time of five runs.
fn shortest(mut work: impl FnMut()) -> Duration {
    let times = (0..5).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    times.min().unwrap_or_default()
}

#[test]
#[ignore = "a benchmark"]
fn reading_beside_parsing_into_nothing() {
    let megabytes = std::env::var("TSL_SYNTH_MEGABYTES").ok().and_then(|text| text.parse::<usize>().ok());
    let bytes = megabytes.map_or(BYTES, |megabytes| megabytes * 1_000_000);
    println!("{:8} {:>9} {:>12} {:>12} {:>6}", "format", "events", "parse MB/s", "read MB/s", "ratio");
    for format in [LogFormat::Jsonl, LogFormat::Claude, LogFormat::Codex] {
        let text = log(format, bytes);
        let parse = shortest(|| {
            for line in text.lines() {
                assert!(serde_json::from_str::<IgnoredAny>(line).is_ok());
            }
        });
        let mut events = 0u64;
        let read = shortest(|| {
            let mut reader = LogReader::new(format, "log");
            events = 0;
            let mut sink = |_: &HostEvent<'_>| {
                events += 1;
                ControlFlow::Continue(())
            };
            for line in text.lines() {
                let _ = reader.feed_line(line, &mut sink);
            }
            let _ = reader.finish(&mut sink);
        });
        let speed = |time: Duration| text.len() as f64 / 1e6 / time.as_secs_f64();
        let ratio = read.as_secs_f64() / parse.as_secs_f64();
        println!("{:8} {events:9} {:12.0} {:12.0} {ratio:6.2}", format.name(), speed(parse), speed(read));
    }
}
