//! Handwritten logs with the difficult cases of each format, and the exact events that are expected of them.
//! `UPDATE_FIXTURES=1 cargo test --test it logs::fixtures` rewrites the expectations; review the difference.

use super::events::{read, read_lines};
use std::fmt::Write;
use std::path::Path;
use tsl_synth_core::diag::{Code, all_codes};
use tsl_synth_seats::log::LogFormat;

/// All fixtures: name and bytes.
pub(super) fn all() -> Vec<(String, LogFormat, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/logs");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("the fixtures are here")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| Path::new(name).extension().is_none_or(|ending| ending != "expected"))
        .collect();
    names.sort();
    names
        .into_iter()
        .map(|name| {
            let format = name.split('-').next().and_then(LogFormat::from_name);
            let format = format.unwrap_or_else(|| panic!("{name}: the name begins with that of a format"));
            let bytes = std::fs::read(folder.join(&name)).expect("fixtures can be read");
            (name, format, bytes)
        })
        .collect()
}

#[test]
fn fixtures_have_the_events_that_they_mean() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/logs");
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    let (mut failures, mut count, mut said) = (String::new(), 0, String::new());
    for (name, format, bytes) in all() {
        let mut found = String::new();
        match read(format, "log", &bytes) {
            Ok((events, notes)) => {
                for event in &events {
                    let _ = writeln!(found, "{event}");
                }
                for finding in &notes.findings() {
                    let _ = writeln!(found, "{:?} {finding}", finding.severity);
                }
            }
            Err(why) => found = format!("not read: {why}\n"),
        }
        let path = folder.join(format!("{name}.expected"));
        if update {
            std::fs::write(&path, &found).expect("the expectation can be written");
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        if expected != found {
            let _ = writeln!(failures, "== {name}\nexpected:\n{expected}\nfound:\n{found}");
        }
        said += &found;
        count += 1;
    }
    let missing: Vec<Code> = all_codes()
        .map(|(code, _)| code)
        .filter(|code| (560..570).contains(&code.0) && !said.contains(&code.to_string()))
        .collect();
    assert!(missing.is_empty(), "no fixture for {missing:?}");
    assert!(count >= 20, "only {count} fixtures");
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn formats_are_recognized_by_their_beginning() {
    for (name, format, bytes) in all() {
        assert_eq!(LogFormat::detect(&bytes), Some(format), "{name}");
        let head = &bytes[..bytes.len().min(4096)];
        assert_eq!(LogFormat::detect(head), Some(format), "{name}");
    }
    for nothing in ["", " ", "{", "[", "{}", "hello", "<xml/>", "{\"a\":\"\\\"sessionId\\\":1\"}"] {
        assert_eq!(LogFormat::detect(nothing.as_bytes()), None, "{nothing}");
    }
    for format in LogFormat::ALL {
        assert_eq!(LogFormat::from_name(format.name()), Some(format));
    }
}

#[test]
fn lines_and_documents_are_read_alike() {
    let mut lines = 0;
    for (name, format, bytes) in all() {
        let Ok(text) = String::from_utf8(bytes.clone()) else { continue };
        if Path::new(&name).extension().is_some_and(|ending| ending == "jsonl")
            && format.streams(text.lines().next().unwrap_or_default())
        {
            lines += 1;
            let whole = read(format, "log", &bytes).expect("the fixture can be read");
            let line_by_line = read_lines(format, "log", &text);
            assert_eq!(whole, line_by_line, "{name}");
            // Lines may end with CR LF, and files may begin with a byte order mark.
            let windows = format!("\u{feff}{}", text.replace("\r\n", "\n").replace('\n', "\r\n"));
            assert_eq!(read_lines(format, "log", &windows), line_by_line, "{name} on Windows");
        }
    }
    assert!(lines >= 5, "only {lines} fixtures are lines");
}
