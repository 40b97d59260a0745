//! Journals of sessions: JSON lines that are appended and never changed, each with a checksum.
//!
//! ```text
//! {"sum":"83d4f5e1c02b9a76","n":1,"kind":"journal","data":{"version":1,"host":"codex","session":"s1"}}
//! {"sum":"1f0c77ab39d2e488","n":2,"kind":"event","data":{..}}
//! ```
//!
//! `sum` is the beginning of the SHA-256 hash of the `sum` before it (nothing, for the first line) and of the rest of
//! the line after `"sum":"..",`. So it detects lines that were damaged, removed, reordered or inserted by accident. It
//! does not protect against an attacker who can write the file.
//!
//! A line counts once its line feed is written. Bytes after the last line feed are a *torn* line: the process that
//! wrote it was stopped before it answered, so they must be removed before anything is appended. Any other damage is an
//! error.

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Longer journals are not read.
pub const JOURNAL_LIMIT: u64 = 1 << 30;
/// The kind of the first record.
pub const HEADER: &str = "journal";
/// The kind of a record that summarizes all records before it.
pub const CHECKPOINT: &str = "checkpoint";

const SUM: usize = 16;
const BEFORE_SUM: &str = "{\"sum\":\"";
const AFTER_SUM: &str = "\",";
/// The offset in a line at which the part covered by the checksum begins.
const BODY: usize = BEFORE_SUM.len() + SUM + AFTER_SUM.len();

/// A record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalRecord {
    /// The number of its line, from 1 on.
    pub number: u64,
    /// The kind of record: 1 to 32 lower-case letters and hyphens.
    pub kind: String,
    /// JSON on one line.
    pub data: String,
}

/// The end of a journal: number and checksum of its last line, which the next line depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JournalEnd {
    number: u64,
    sum: String,
}

impl JournalEnd {
    /// The number of the last line; 0 for an empty journal.
    pub fn number(&self) -> u64 {
        self.number
    }
}

/// The result of [`parse`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JournalPart {
    /// The records in order.
    pub records: Vec<JournalRecord>,
    /// The number of bytes in complete lines. The rest is an incompletely written line.
    pub whole: usize,
    /// The end of the journal after these records.
    pub end: JournalEnd,
}

/// A journal that is damaged before its end, or a record that does not fit into one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalFault {
    /// The line, from 1 on.
    pub line: u64,
    /// What is wrong, in a sentence without a full stop.
    pub message: String,
}

impl std::fmt::Display for JournalFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {} of the journal: {}", self.line, self.message)
    }
}

impl std::error::Error for JournalFault {}

fn sum(before: &str, body: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(before.as_bytes());
    hash.update(body.as_bytes());
    let mut text = String::with_capacity(SUM);
    for byte in hash.finalize().iter().take(SUM / 2) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn is_word(kind: &str) -> bool {
    (1..=32).contains(&kind.len()) && kind.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')
}

/// The line of the next record, with its line feed, and the end of the journal after it.
///
/// # Errors
/// If `kind` is not one word of lower-case letters and hyphens, or `data` is not a JSON value on one line.
pub fn line(end: &JournalEnd, kind: &str, data: &str) -> Result<(String, JournalEnd), JournalFault> {
    let number = end.number + 1;
    let fault = |message: &str| JournalFault { line: number, message: message.into() };
    if !is_word(kind) {
        return Err(fault("the kind of a record is one word of lower-case letters"));
    }
    let is_json = serde_json::from_str::<serde::de::IgnoredAny>(data).is_ok();
    if !is_json || data.bytes().any(|byte| byte < b' ') {
        return Err(fault("a record is a JSON value on one line"));
    }
    let body = format!("\"n\":{number},\"kind\":\"{kind}\",\"data\":{data}}}");
    let sum = sum(&end.sum, &body);
    let text = format!("{BEFORE_SUM}{sum}{AFTER_SUM}{body}\n");
    Ok((text, JournalEnd { number, sum }))
}

/// The parts of a line without its line feed. Only the form is checked.
struct RawJournalLine<'a> {
    sum: &'a str,
    body: &'a str,
    number: u64,
    kind: &'a str,
    data: &'a str,
}

fn take_apart(line: &[u8]) -> Option<RawJournalLine<'_>> {
    let text = std::str::from_utf8(line).ok()?;
    let sum = text.strip_prefix(BEFORE_SUM)?.get(..SUM)?;
    let body = text.get(BODY..)?;
    text.get(..BODY)?.strip_suffix(AFTER_SUM)?;
    let (number, rest) = body.strip_prefix("\"n\":")?.split_once(',')?;
    let (kind, rest) = rest.strip_prefix("\"kind\":\"")?.split_once("\",\"data\":")?;
    let data = rest.strip_suffix('}')?;
    let number = number.parse().ok()?;
    (is_word(kind) && !data.is_empty()).then_some(RawJournalLine { sum, body, number, kind, data })
}

/// Reads the lines that follow `start`, which is the default for a whole journal. Linear.
///
/// # Errors
/// The first line that is damaged, missing or out of order.
pub fn parse(bytes: &[u8], start: &JournalEnd) -> Result<JournalPart, JournalFault> {
    let mut part = JournalPart { end: start.clone(), ..JournalPart::default() };
    while let Some(length) = bytes[part.whole..].iter().position(|&byte| byte == b'\n') {
        let line = next_line(&bytes[part.whole..part.whole + length], &part.end)?;
        part.end = JournalEnd { number: line.number, sum: line.sum.into() };
        part.records.push(JournalRecord {
            number: line.number,
            kind: line.kind.into(),
            data: line.data.into(),
        });
        part.whole += length + 1;
    }
    Ok(part)
}

/// The parts of the line that follows `end`.
fn next_line<'a>(line: &'a [u8], end: &JournalEnd) -> Result<RawJournalLine<'a>, JournalFault> {
    let next = end.number + 1;
    let fault = |message: String| JournalFault { line: next, message };
    let line = take_apart(line).ok_or_else(|| fault("it is no record of a journal".into()))?;
    if line.number != next {
        return Err(fault(format!("it has the number {}: lines are missing or exchanged", line.number)));
    }
    if line.sum != sum(&end.sum, line.body) {
        return Err(fault("its checksum is wrong: it was changed, or it is damaged".into()));
    }
    Ok(line)
}

impl JournalEnd {
    /// Moves on to a line without its line feed, whether it follows or not.
    ///
    /// # Errors
    /// What is wrong with the line if it does not follow. The next line is compared with this one then.
    pub fn advance(&mut self, line: &str) -> Result<(), JournalFault> {
        let checked = next_line(line.as_bytes(), self).map(|_| ());
        if let Some(line) = take_apart(line.as_bytes()) {
            *self = Self { number: line.number, sum: line.sum.into() };
        }
        checked
    }
}

/// The offset of the last checkpoint in `bytes`, which are the last bytes of a journal, and the end of the journal
/// before it. `None` if `bytes` do not contain a checkpoint together with the complete line before it. `bytes` may
/// begin in the middle of a line.
pub fn last_checkpoint(bytes: &[u8]) -> Option<(usize, JournalEnd)> {
    // The line feed of the last complete line.
    let mut end = bytes.iter().rposition(|&byte| byte == b'\n')?;
    loop {
        let start = bytes[..end].iter().rposition(|&byte| byte == b'\n')? + 1;
        let is_checkpoint = take_apart(&bytes[start..end]).is_some_and(|line| line.kind == CHECKPOINT);
        if is_checkpoint {
            let before = bytes[..start - 1].iter().rposition(|&byte| byte == b'\n')? + 1;
            let line = take_apart(&bytes[before..start - 1])?;
            return Some((start, JournalEnd { number: line.number, sum: line.sum.into() }));
        }
        end = start - 1;
    }
}
