//! The text of journals: records are read back, torn lines are recognized, and damage is found.

use tsl_synth_seats::journal::{CHECKPOINT, HEADER, JournalEnd, JournalPart, last_checkpoint, line, parse};
use tsl_synth_testkit::Rng;

/// A journal with these records.
fn journal(records: &[(&str, &str)]) -> (String, JournalEnd) {
    let (mut text, mut end) = (String::new(), JournalEnd::default());
    for (kind, data) in records {
        let (next, after) = line(&end, kind, data).expect("a record");
        text.push_str(&next);
        end = after;
    }
    (text, end)
}

fn small() -> String {
    journal(&[
        (HEADER, r#"{"version":1}"#),
        ("event", r#"{"text":"\"},{é\\"}"#),
        ("decision", "null"),
        ("event", "[1]"),
    ])
    .0
}

/// The number of line feeds.
fn feeds(bytes: &[u8]) -> usize {
    String::from_utf8_lossy(bytes).matches('\n').count()
}

#[test]
fn what_is_written_is_read() {
    let text = small();
    let part = parse(text.as_bytes(), &JournalEnd::default()).expect("a journal");
    let read: Vec<_> = part.records.iter().map(|r| (r.number, r.kind.as_str(), r.data.as_str())).collect();
    assert_eq!(
        read,
        [
            (1, HEADER, r#"{"version":1}"#),
            (2, "event", r#"{"text":"\"},{é\\"}"#),
            (3, "decision", "null"),
            (4, "event", "[1]"),
        ]
    );
    assert_eq!((part.whole, part.end.number()), (text.len(), 4));
    for line in text.lines() {
        let value: serde_json::Value = serde_json::from_str(line).expect("each line is JSON");
        assert!(value["sum"].as_str().is_some_and(|sum| sum.len() == 16) && !value["kind"].is_null());
    }
    // Computed by another program: 16 hexadecimal digits of SHA-256 of the previous checksum and the rest of the line.
    let sums: Vec<&str> = text.lines().map(|line| &line[8..24]).collect();
    assert_eq!(sums[..2], ["e625b910c0f770c8", "aa19d4219de0a0b9"]);
    assert_eq!(parse(b"", &JournalEnd::default()).expect("nothing"), JournalPart::default());
}

#[test]
fn what_follows_the_last_line_feed_is_torn() {
    let text = small();
    for length in 0..=text.len() {
        let part =
            parse(&text.as_bytes()[..length], &JournalEnd::default()).expect("a beginning of a journal");
        let whole = text.as_bytes()[..length].iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        assert_eq!(part.whole, whole);
        assert_eq!(part.records.len(), feeds(&text.as_bytes()[..length]));
    }
    // Also if the disk filled the rest with zeros, or with half of a character.
    for torn in
        [&b"\0\0\0\0"[..], b"\xc3", b"{\"sum\":\"0123456789abcdef\",\"n\":5,\"kind\":\"event\",\"data\":1}"]
    {
        let bytes = [text.as_bytes(), torn].concat();
        assert_eq!(parse(&bytes, &JournalEnd::default()).expect("torn").whole, text.len());
    }
}

#[test]
fn every_change_of_a_whole_line_is_found() {
    let text = small();
    let mut rng = Rng(7);
    for at in 0..text.len() - 1 {
        let mut bytes = text.clone().into_bytes();
        bytes[at] ^= 1 << rng.below(7);
        let line = 1 + feeds(&text.as_bytes()[..at]) as u64;
        let fault = parse(&bytes, &JournalEnd::default()).expect_err("it is damaged");
        assert_eq!(fault.line, line, "{at}: {fault}");
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for (order, line) in
        [(&[0, 2, 3][..], 2), (&[0, 2, 1, 3], 2), (&[1, 2], 1), (&[0, 1, 1, 2], 3), (&[0, 1, 2, 3, 3], 5)]
    {
        let mixed: String = order.iter().map(|&i| lines[i]).collect();
        assert_eq!(
            parse(mixed.as_bytes(), &JournalEnd::default()).expect_err("mixed").line,
            line,
            "{order:?}"
        );
    }
    // A line of another journal with the right number.
    let other = journal(&[(HEADER, r#"{"version":2}"#), ("event", "2")]).0;
    let mixed = lines[0].to_owned() + other.lines().nth(1).expect("a line") + "\n";
    assert_eq!(parse(mixed.as_bytes(), &JournalEnd::default()).expect_err("foreign").line, 2);
}

#[test]
fn records_are_one_word_and_one_line_of_json() {
    let end = JournalEnd::default();
    for (kind, data) in [
        ("", "1"),
        ("Event", "1"),
        ("a b", "1"),
        ("a\"", "1"),
        ("event", ""),
        ("event", "{\n}"),
        ("event", "1 2"),
        ("event", "{"),
    ] {
        line(&end, kind, data).expect_err(kind);
    }
}

/// Wherever the window begins, parsing from the last checkpoint gives the last records of the whole journal.
#[test]
fn the_last_checkpoint_is_found_from_behind() {
    let mut rng = Rng(3);
    for _ in 0..50 {
        let count = 1 + rng.below(12);
        let records: Vec<(&str, &str)> = (0..count)
            .map(|_| {
                [("event", "1"), ("event", r#"{"kind":"checkpoint"}"#), (CHECKPOINT, "{}")][rng.below(3)]
            })
            .collect();
        let mut text = journal(&records).0;
        if rng.flip() {
            text.push_str(r#"{"sum":"0123456789abcdef","n":99,"kind":"checkpoint","data":"#);
        }
        let all = parse(text.as_bytes(), &JournalEnd::default()).expect("a journal");
        let last = all.records.iter().rposition(|record| record.kind == CHECKPOINT);
        let mut seen = false;
        for from in (0..text.len()).rev() {
            let Some((start, end)) = last_checkpoint(&text.as_bytes()[from..]) else {
                assert!(!seen, "a larger window finds it, too");
                continue;
            };
            seen = true;
            let part = parse(&text.as_bytes()[from + start..], &end).expect("from the checkpoint on");
            assert_eq!(part.records, all.records[last.expect("there is one")..]);
            assert_eq!(part.end, all.end);
        }
        // A checkpoint with fewer than two lines before it is found only by parsing the whole journal.
        assert!(seen || last.is_none_or(|last| last < 2));
    }
}
