//! The limits of the readers: long lines, deep values, large archives, many calls.

use super::events::{line, read, read_lines};
use std::io::Write;
use std::ops::ControlFlow;
use tsl_synth_core::model::HostEvent;
use tsl_synth_seats::log::{LogFormat, LogReader};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

#[test]
fn a_line_of_ten_megabytes_is_read() {
    let text = "x \\\"y\\n".repeat(12 << 17);
    let long = format!("{{\"event\":\"result\",\"id\":\"c\",\"ok\":true,\"result\":\"{text}\"}}");
    assert!(long.len() > 10 << 20);
    let lines =
        format!("{{\"event\":\"call\",\"id\":\"c\",\"tool\":\"t\"}}\n{long}\n{{\"event\":\"end\"}}\n");
    let (events, notes) = read_lines(LogFormat::Jsonl, "log", &lines);
    assert_eq!(events.len(), 5);
    assert!(events[2].ends_with(&format!("\"{text}\"")) && notes.results_without_call == 0);
}

#[test]
fn deep_values_pass_unread() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let lines = format!(
        "{{\"event\":\"call\",\"id\":1,\"tool\":\"t\",\"arguments\":{deep}}}\n{{\"event\":{deep}}}\n{{\"event\":\"end\",\"x\":{deep}}}\n"
    );
    let (events, notes) = read_lines(LogFormat::Jsonl, "log", &lines);
    assert!(events[1].ends_with(&deep), "a value that nobody reads is passed on");
    assert_eq!((events.len(), notes.unknown_lines), (4, 1));
    for format in LogFormat::ALL {
        let _ = read(format, "log", deep.as_bytes());
        let _ = read(
            format,
            "log",
            format!("{{\"messages\":[{{\"role\":\"user\",\"content\":{deep}}}]}}").as_bytes(),
        );
    }
}

#[test]
fn memory_does_not_grow_with_calls_without_results() {
    let mut reader = LogReader::new(LogFormat::Jsonl, "log");
    let mut count = 0u64;
    let mut sink = |_: &HostEvent<'_>| {
        count += 1;
        ControlFlow::Continue(())
    };
    for i in 0..5000 {
        let line = format!("{{\"event\":\"call\",\"id\":{i},\"tool\":\"t\"}}");
        assert!(reader.feed_line(&line, &mut sink).is_continue());
    }
    assert_eq!(reader.notes().calls_without_result, 5000 - 1024, "the latest 1024 names are kept");
    assert!(reader.finish(&mut sink).is_continue());
    assert_eq!((reader.notes().calls_without_result, count), (5000, 5002));
}

#[test]
fn the_sink_ends_the_reading() {
    for (name, format, bytes) in super::fixtures::all() {
        let whole = read(format, "log", &bytes).map(|(events, _)| events).unwrap_or_default();
        for limit in 1..=whole.len() {
            let mut events = Vec::new();
            let mut sink = |event: &HostEvent<'_>| {
                assert!(events.len() < limit, "{name}: an event after the end");
                events.push(line(event));
                if events.len() == limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let mut reader = LogReader::new(format, "log");
            let flow = reader.read_document(&bytes, &mut sink).expect("the fixture can be read");
            let flow = if flow.is_break() { flow } else { reader.finish(&mut sink) };
            assert!(flow.is_break(), "{name}: {limit}");
            assert_eq!(events, whole[..limit], "{name}");
        }
    }
}

fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in files {
        writer.start_file(*name, SimpleFileOptions::default()).expect("a file begins");
        writer.write_all(content).expect("a file is written");
    }
    writer.finish().expect("an archive").into_inner()
}

#[test]
fn archives_that_are_damaged_or_too_large_are_refused() {
    let sample = br#"{"id":1,"epoch":1,"messages":[{"role":"user","content":"hi"}]}"#;
    let good = archive(&[("header.json", b"{}"), ("samples/1_epoch_1.json", sample)]);
    assert_eq!(read(LogFormat::Inspect, "log", &good).expect("an archive").0.len(), 3);
    let mut refused = 0;
    for cut in 0..good.len() {
        refused += usize::from(read(LogFormat::Inspect, "log", &good[..cut]).is_err());
    }
    assert_eq!(refused, good.len() - usize::from(read(LogFormat::Inspect, "log", b"").is_ok()));
    let none = archive(&[("header.json", b"{}")]);
    assert!(read(LogFormat::Inspect, "log", &none).expect_err("no samples").contains("TSL0560"));
    let bomb = archive(&[("samples/1_epoch_1.json", &vec![b' '; 40 << 20])]);
    assert!(bomb.len() < 1 << 20);
    assert!(read(LogFormat::Inspect, "log", &bomb).expect_err("a bomb").contains("larger than"));
}

#[test]
fn files_of_one_session_share_it() {
    let mut events = Vec::new();
    let mut sink = |event: &HostEvent<'_>| {
        events.push(line(event));
        ControlFlow::Continue(())
    };
    let mut reader = LogReader::new(LogFormat::Claude, "a");
    let record = |id: &str, side: bool| {
        format!(
            r#"{{"type":"assistant","sessionId":"s","isSidechain":{side},"message":{{"id":"{id}","content":[{{"type":"tool_use","id":"{id}","name":"t","input":{{}}}}]}}}}"#
        )
    };
    assert!(reader.feed_line(&record("m1", false), &mut sink).is_continue());
    assert!(reader.feed_line("{\"type\":\"user\",", &mut sink).is_continue());
    assert!(reader.next_file("b", &mut sink).is_continue());
    assert!(reader.feed_line(&record("m2", true), &mut sink).is_continue());
    assert!(reader.finish(&mut sink).is_continue());
    let expected = [
        "1 s: start",
        "1 s: call m1 t {}",
        "1 s/subagent: call m2 t {}",
        "1 s: result m1 unknown -",
        "1 s/subagent: result m2 unknown -",
        "1 s: close",
    ];
    assert_eq!(events, expected);
    assert_eq!((reader.notes().torn_line, reader.notes().broken_lines), (Some(2), 0));
}
