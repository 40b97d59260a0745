//! Hostile inputs for every reader: nothing panics, overflows the stack of the program's threads, or hangs.
//!
//! A failure names the reader, the seed and the input; `TSL_SYNTH_SEED=<seed> TSL_SYNTH_HOSTILE=1` repeats one input in
//! the campaign.

mod bodies;
mod texts;

use bodies::{READERS, Reader};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use texts::Language;

/// The stack of the threads on which the program works (`supervise.rs`).
const STACK: usize = 256 << 20;
/// An input that takes longer counts as a hang.
const LONGEST: Duration = Duration::from_mins(2);
/// At least one of so many inputs has to be accepted; otherwise the inputs would test too little of the reader.
const READ: u64 = 200;

/// Runs a reader on `count` inputs with the seeds from `first` on. Returns how many of them it accepted.
fn run((name, body): Reader, first: u64, count: u64) -> u64 {
    let (sender, receiver) = channel();
    let work = move || {
        let language = Language::of(name);
        let mut read = 0;
        for seed in first..first + count {
            let input = language.input(seed);
            let _ = sender.send(Ok((seed, input.clone())));
            let Ok(was_read) = catch_unwind(AssertUnwindSafe(|| body(&input))) else {
                let _ = sender.send(Err((seed, input)));
                return read;
            };
            read += u64::from(was_read);
        }
        read
    };
    // The name of the thread stands before the message of a panic.
    let thread = std::thread::Builder::new().name(format!("hostile {name}")).stack_size(STACK);
    let thread = thread.spawn(work).expect("a thread");
    let shown = |input: &[u8]| {
        let text = String::from_utf8_lossy(&input[..input.len().min(4000)]).into_owned();
        format!("{} bytes: {text:?}", input.len())
    };
    let mut last = None;
    loop {
        match receiver.recv_timeout(LONGEST) {
            Ok(Ok(input)) => last = Some(input),
            Ok(Err((seed, input))) => panic!("{name}, seed {seed}: a panic on {}", shown(&input)),
            Err(RecvTimeoutError::Timeout) => {
                let (seed, input) = last.expect("an input");
                panic!("{name}, seed {seed}: no end on {}", shown(&input));
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    thread.join().expect("the inputs are made")
}

fn reader(name: &str) -> Reader {
    READERS.into_iter().find(|(other, _)| *other == name).expect("a reader of this name")
}

macro_rules! readers {
    ($($name:ident $count:literal)*) => {
        $(
            #[test]
            fn $name() {
                let read = run(reader(stringify!($name)), 1, $count);
                assert!(READ * read >= $count, "only {read} of {} inputs were read", $count);
            }
        )*
        /// The readers that have a test.
        const TESTED: &[&str] = &[$(stringify!($name)),*];
    };
}

readers! {
    tsl 500
    tlsf 2_000
    ltl 4_000
    question 4_000
    hoa_machine 10_000
    hoa_automaton 10_000
    aiger 10_000
    machine_json 10_000
    trace 10_000
    bench_table 10_000
}

#[test]
fn every_reader_has_a_test() {
    assert_eq!(READERS.map(|(name, _)| name), TESTED);
}

#[test]
#[ignore = "a campaign: see tests/README.md"]
fn campaign_hostile() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().map_or(default, |text| text.parse().expect("a number"))
    };
    let (first, count) = (number("TSL_SYNTH_SEED", 1), number("TSL_SYNTH_HOSTILE", 100_000));
    for (name, body) in READERS {
        let start = std::time::Instant::now();
        let read = run((name, body), first, count);
        println!(
            "{name}: {count} inputs from seed {first}, {read} read, in {:.1} s",
            start.elapsed().as_secs_f64()
        );
    }
}
