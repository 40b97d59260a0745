//! The beginning of a log, by which its format is recognized.

use std::io::{BufRead, Read};
use tsl_synth_seats::log::LogFormat;

/// The largest number of bytes read to recognize the format of a log.
pub(super) const BEGINNING: usize = 16 << 10;

/// Whether the first line with something in it is a whole value, as in a log of lines.
fn is_whole(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let first = text.trim_start_matches('\u{feff}').lines().find(|line| !line.trim().is_empty());
    first.is_some_and(|first| !is_open(first))
}

/// Whether a line is the beginning of a value that goes on.
fn is_open(line: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(line).is_err_and(|error| error.is_eof())
}

/// The first lines of a stream, until the format is recognized or [`BEGINNING`] bytes are read.
pub(super) fn beginning(reader: &mut impl BufRead) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    while bytes.len() < BEGINNING {
        let before = bytes.len();
        reader.by_ref().take((BEGINNING - before) as u64).read_until(b'\n', &mut bytes)?;
        // No line is read after the format is recognized: on a growing stream, reading it could block. Of a document of
        // several lines the first ones may look like another format.
        if bytes.len() == before || (is_whole(&bytes) && LogFormat::detect(&bytes).is_some()) {
            break;
        }
    }
    Ok(bytes)
}
