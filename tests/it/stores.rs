//! The store of decision diagrams compared with that of `oxidd`, on operations recorded from hard specifications.

use crate::friendly_table::{Disk, Time};
use std::path::Path;
use std::time::{Duration, Instant};
use tsl_synth_core::base::diagrams::DiagramStore;
use tsl_synth_core::base::oxidd_store::OxiddStore;
use tsl_synth_core::base::recording::{Recording, ReplayResult, record};
use tsl_synth_core::base::{LimitKind, Random, StopFlag, Store};
use tsl_synth_engine::synth::Engine;
use tsl_synth_service::{CheckRequest, Hints, Session, SpecRequest};
use tsl_synth_testkit::{files_below, shared};

/// The longest recording of a check by the symbolic engine, which is stopped after this time.
fn recorded(file: &Path, most: Duration) -> Option<Recording> {
    let stop = StopFlag::new();
    let raised = stop.clone();
    let (done, wait) = std::sync::mpsc::channel::<()>();
    let timer = std::thread::spawn(move || {
        if wait.recv_timeout(most).is_err() {
            raised.raise(LimitKind::Time);
        }
    });
    let mut session = Session::new().with_cancel(stop).with_loader(&Disk).with_clock(&Time);
    let mut request = CheckRequest::new(SpecRequest::files([file]));
    request.hints = Hints::None;
    request.solver.engine = Engine::Symbolic;
    let (_, recordings) = record(|| session.check(&request).is_ok());
    let _ = done.send(());
    timer.join().expect("the timer ends");
    recordings.into_iter().max_by_key(Recording::steps)
}

fn kibibytes(key: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
    line.trim_start_matches(':').split_whitespace().next().and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// A replay and how many MiB the process needed for it.
fn measured<S: Store>(recording: &Recording) -> (ReplayResult, f64) {
    // Resets the peak.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let before = kibibytes("VmRSS");
    let (start, mut most) = (Instant::now(), 0);
    let replay = recording.replay::<S>(|| start.elapsed(), |_| most = kibibytes("VmHWM"));
    (replay, most.saturating_sub(before) as f64 / 1024.0)
}

/// A table of `TSL_SYNTH_SPECS` specifications, whose checks are stopped after `TSL_SYNTH_SECONDS` seconds; with
/// `TSL_SYNTH_ONLY` only of files with that name.
#[test]
#[ignore = "prints a table: see tests/README.md"]
fn stores_table() {
    let number = |name: &str, or: usize| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(or);
    let (specs, seconds) = (number("TSL_SYNTH_SPECS", 20), number("TSL_SYNTH_SECONDS", 5));
    let only = std::env::var_os("TSL_SYNTH_ONLY");
    let Some(root) = shared("bench/syntcomp") else { return };
    let mut files = files_below(&root, &["tlsf"]);
    let mut random = Random::new(20_261_123);
    for i in (1..files.len()).rev() {
        files.swap(i, random.below(i + 1));
    }
    println!(
        "{:44} {:>9} | {:>8} {:>8} | {:>8} {:>8} | {:>8} {:>8}",
        "operations of", "steps", "ours s", "oxidd s", "MiB", "MiB", "wait ms", "wait ms"
    );
    let mut sums = [0.0; 4];
    let mut waits = [0.0_f64; 2];
    let mut rows = 0;
    for file in &files {
        if rows == specs {
            break;
        }
        if only.as_ref().is_some_and(|only| file.file_stem() != Some(only)) {
            continue;
        }
        let Some(recording) = recorded(file, Duration::from_secs(seconds as u64)) else { continue };
        // Median of three, alternating.
        let mut runs: Vec<[(ReplayResult, f64); 2]> = (0..1)
            .map(|_| [measured::<DiagramStore>(&recording), measured::<OxiddStore>(&recording)])
            .collect();
        // Short replays are not compared.
        if runs[0][1].0.time < Duration::from_millis(300) {
            continue;
        }
        runs.extend(
            (0..2).map(|_| [measured::<DiagramStore>(&recording), measured::<OxiddStore>(&recording)]),
        );
        for [(ours, _), (theirs, _)] in &runs {
            if ours.left_out + theirs.left_out == 0 {
                assert_eq!(ours.sizes, theirs.sizes, "{}", file.display());
            }
        }
        let median = |of: &dyn Fn(&[(ReplayResult, f64); 2]) -> f64| {
            let mut all: Vec<f64> = runs.iter().map(of).collect();
            all.sort_by(f64::total_cmp);
            all[all.len() / 2]
        };
        let own = [0, 1].map(|i| median(&|run| run[i].0.time.as_secs_f64()));
        let memory = [0, 1].map(|i| runs[0][i].1);
        let wait = [0, 1].map(|i| median(&|run| run[i].0.longest_wait.as_secs_f64() * 1000.0));
        let left_out = [0, 1].map(|i| runs[0][i].0.left_out);
        rows += 1;
        println!(
            "{:44} {:>9} | {:>8.2} {:>8.2} | {:>8.0} {:>8.0} | {:>8.1} {:>8.1}{}",
            file.file_stem().unwrap_or_default().display(),
            recording.steps(),
            own[0],
            own[1],
            memory[0],
            memory[1],
            wait[0],
            wait[1],
            if left_out == [0, 0] { String::new() } else { format!("  no room: {left_out:?}") }
        );
        for (sum, one) in sums.iter_mut().zip([own[0], own[1], memory[0], memory[1]]) {
            *sum += one;
        }
        waits = [waits[0].max(wait[0]), waits[1].max(wait[1])];
    }
    let [ours, theirs, our_memory, their_memory] = sums;
    println!(
        "{:44} {:>9} | {ours:>8.2} {theirs:>8.2} | {our_memory:>8.0} {their_memory:>8.0} | {:>8.1} {:>8.1}",
        "sum; longest", "", waits[0], waits[1]
    );
    assert!(rows > 0);
}
