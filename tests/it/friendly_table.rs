//! How many controllers make the assumptions of public specifications false, before and after the search for friendly
//! ones, and what that search costs.

use crate::spec::support::Folder;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tsl_synth_core::base::{LimitKind, StopFlag};
use tsl_synth_engine::synth::Friendliness;
use tsl_synth_lang::spec::Loader as ImportLoader;
use tsl_synth_service::{CheckRequest, Clock, Hints, Loader, ReadError, Session, SpecRequest};
use tsl_synth_testkit::{files_below, shared};

pub(crate) struct Disk;

impl Loader for Disk {
    fn read(&self, path: &Path) -> Result<Vec<u8>, ReadError> {
        std::fs::read(path).map_err(|error| ReadError::Unreadable(error.to_string()))
    }
    fn imports<'l>(&'l self, _: Option<&Path>) -> Box<dyn ImportLoader + 'l> {
        Box::new(Folder)
    }
}

pub(crate) struct Time;

impl Clock for Time {
    fn now(&self) -> Duration {
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed()
    }
}

#[derive(Default)]
struct Row {
    realizable: usize,
    independent: usize,
    friendly_at_once: usize,
    friendly_after: usize,
    none: usize,
    undecided: usize,
    unsatisfiable: usize,
}

/// Checks one file without explanations. Returns the answer to the search for a friendly controller, whether the first
/// controller was friendly, and the seconds before and after the verdict.
fn checked(file: &Path, seconds: u64) -> Option<(Friendliness, bool, f64, f64)> {
    let stop = StopFlag::new();
    let raised = stop.clone();
    let (done, wait) = std::sync::mpsc::channel::<()>();
    let timer = std::thread::spawn(move || {
        if wait.recv_timeout(Duration::from_secs(seconds)).is_err() {
            raised.raise(LimitKind::Time);
        }
    });
    let mut session = Session::new().with_cancel(stop).with_loader(&Disk).with_clock(&Time);
    let mut request = CheckRequest::new(SpecRequest::files([file]));
    request.hints = Hints::None;
    let report = session.check(&request);
    let _ = done.send(());
    timer.join().expect("the timer ends");
    let report = report.ok().filter(tsl_synth_service::CheckReport::is_realizable)?;
    let first_falsifies =
        report.statistics.log.iter().any(|line| line.contains("makes the assumptions false"));
    let after = report.friendly_time.as_secs_f64();
    Some((report.friendly, !first_falsifies, report.time.as_secs_f64() - after, after))
}

/// A table of the specifications that are realizable within `TSL_SYNTH_SECONDS`, out of every nth one.
#[test]
#[ignore = "prints a table: see tests/README.md"]
fn friendly_table() {
    let seconds = std::env::var("TSL_SYNTH_SECONDS").ok().and_then(|n| n.parse().ok()).unwrap_or(10);
    let every: usize = std::env::var("TSL_SYNTH_EVERY").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let gallery = Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("specs"));
    let corpora =
        [("gallery", gallery), ("cases/tsl", shared("cases/tsl")), ("syntcomp", shared("bench/syntcomp"))];
    let mut costs: Vec<f64> = Vec::new();
    for (name, root) in corpora {
        let Some(root) = root else { continue };
        let mut row = Row::default();
        for file in files_below(&root, &["tsl", "tlsf", "ltl"]).iter().step_by(every) {
            let Some((friendly, at_once, before, after)) = checked(file, seconds) else { continue };
            row.realizable += 1;
            let (word, place) = match friendly {
                Friendliness::Independent | Friendliness::NotAsked => ("", &mut row.independent),
                Friendliness::Friendly if at_once => ("friendly", &mut row.friendly_at_once),
                Friendliness::Friendly => ("friendly after the search", &mut row.friendly_after),
                Friendliness::None(_) => ("none", &mut row.none),
                Friendliness::Undecided(..) => ("undecided", &mut row.undecided),
                Friendliness::Unsatisfiable => ("unsatisfiable", &mut row.unsatisfiable),
            };
            *place += 1;
            if !word.is_empty() {
                costs.push(after / before.max(1e-4));
                println!("{before:>8.3} {after:>8.3} {word:<26} {}", file.display());
            }
        }
        let Row { realizable, independent, friendly_at_once, friendly_after, none, undecided, unsatisfiable } =
            row;
        println!(
            "{name}: {realizable} realizable; the assumptions do not depend on outputs: {independent}; friendly at once: \
             {friendly_at_once}, after the search: {friendly_after}, none: {none}, undecided: {undecided}, \
             unsatisfiable assumptions: {unsatisfiable}"
        );
    }
    costs.sort_by(f64::total_cmp);
    let median = costs.get(costs.len() / 2).copied().unwrap_or(0.0);
    println!(
        "time after the verdict, as a multiple of the time before it, median of {}: {median:.2}",
        costs.len()
    );
}
