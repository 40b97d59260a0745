//! Seeded hostile logs: fixtures that are cut, spliced, repeated and mixed with other bytes. No reader panics or hangs.

use super::events::{read, read_lines};
use tsl_synth_seats::log::LogFormat;
use tsl_synth_testkit::Rng;

/// Byte sequences that are difficult for parsers.
const PIECES: [&[u8]; 16] = [
    b"null",
    b"[[[[[[[[[[[[",
    b"{\"a\":{\"a\":{\"a\":",
    b"\\u0000",
    b"\\ud800",
    b"\xff\xfe",
    b"1e999",
    b"-99999999999999999999999999999999",
    b"NaN",
    b"\"",
    b"\r",
    b"\xef\xbb\xbf",
    b"\n",
    b"\\",
    b"\"2026-99-99T99:99:99.999999999999999999999Z\"",
    b"9223372036854775807",
];

fn mutated(rng: &mut Rng, all: &[(String, LogFormat, Vec<u8>)]) -> (LogFormat, Vec<u8>) {
    let (_, format, bytes) = &all[rng.below(all.len())];
    let mut bytes = bytes.clone();
    for _ in 0..=rng.below(4) {
        let at = rng.below(bytes.len() + 1);
        match rng.below(6) {
            0 => bytes.truncate(at),
            1 => {
                let piece = PIECES[rng.below(PIECES.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
            2 => {
                let end = (at + rng.below(20)).min(bytes.len());
                bytes.drain(at..end);
            }
            3 => {
                let (_, _, other) = &all[rng.below(all.len())];
                let from = rng.below(other.len());
                let to = (from + rng.below(400)).min(other.len());
                bytes.splice(at..at, other[from..to].iter().copied());
            }
            4 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = (rng.draw() & 0xff) as u8;
                }
            }
            _ => {
                let end = (at + rng.below(300)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                for _ in 0..=rng.below(3) {
                    bytes.splice(at..at, piece.iter().copied());
                }
            }
        }
        if bytes.is_empty() {
            bytes.push(b'{');
        }
    }
    let format = if rng.below(4) == 0 { LogFormat::ALL[rng.below(LogFormat::ALL.len())] } else { *format };
    (format, bytes)
}

#[test]
fn hostile_logs_are_read_without_panic() {
    let all = super::fixtures::all();
    let seed = std::env::var("TSL_SYNTH_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let count = std::env::var("TSL_SYNTH_HOSTILE").ok().and_then(|count| count.parse().ok()).unwrap_or(4000);
    let mut events = 0;
    for seed in seed..seed + count {
        let (format, bytes) = mutated(&mut Rng(seed), &all);
        let work = || {
            let _ = LogFormat::detect(&bytes);
            let whole = read(format, "log", &bytes).map_or(0, |(events, notes)| {
                assert!(notes.findings().iter().all(|finding| !finding.message.is_empty()));
                events.len()
            });
            let lines = read_lines(format, "log", &String::from_utf8_lossy(&bytes)).0.len();
            whole.max(lines)
        };
        let Ok(found) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) else {
            panic!("seed {seed}, {format:?}: a panic on {:?}", String::from_utf8_lossy(&bytes));
        };
        events += usize::from(found > 0);
    }
    assert!(events as u64 > count / 4, "only {events} of {count} logs have events");
}
