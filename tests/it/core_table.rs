//! A table of cores beside those of a plain deletion loop over verdicts: sizes, counted work and seconds.
//!
//! `TSL_SYNTH_CORPUS` and `TSL_SYNTH_SHARD`, which `cores` reads, choose the files; `TSL_SYNTH_SECONDS` is the limit of each.

use crate::core_families::{among_responses, load, part};
use crate::cores::{corpus, shard};
use crate::gallery::problem as problem_of;
use std::time::{Duration, Instant};
use tsl_synth_core::base::{LimitKind, StopFlag};
use tsl_synth_core::model::{Abstraction, Silent, Verdict};
use tsl_synth_engine::synth::{SolverOptions, synthesize};
use tsl_synth_explain::minimal_core;
use tsl_synth_lang::spec::{ClauseId, Problem};

/// Counted work of a search, and its part for each unit of the verdict's effort, as in `check`.
const WORK: u64 = 5_000_000;
const SHARE: u64 = 48;

/// Runs `work` with a flag that the clock raises after this time.
fn timed<T>(limit: Duration, work: impl FnOnce(StopFlag) -> T) -> (T, f64) {
    let stop = StopFlag::new();
    let (flag, start) = (stop.clone(), Instant::now());
    let (done, waits) = std::sync::mpsc::channel::<()>();
    let clock = std::thread::spawn(move || {
        if waits.recv_timeout(limit).is_err() {
            flag.raise(LimitKind::Time);
        }
    });
    let result = work(stop);
    let _ = done.send(());
    let _ = clock.join();
    (result, start.elapsed().as_secs_f64())
}

fn options(stop: StopFlag) -> SolverOptions {
    SolverOptions { minimize: false, friendly: false, stop, ..SolverOptions::default() }
}

/// Whether some guarantees are unrealizable in this sense; `None` if undecided.
fn unrealizable(
    problem: &Problem,
    guarantees: &[ClauseId],
    notion: Abstraction,
    options: &SolverOptions,
) -> Option<bool> {
    match synthesize(&mut part(problem, guarantees), options, &Silent).expect("a certified answer").verdict {
        Verdict::Unrealizable(_, n) => (n == notion || n == Abstraction::Tsl).then_some(true),
        Verdict::Realizable(_) => Some(false),
        Verdict::Unknown(_) => None,
    }
}

/// Leaves out one guarantee after the other, the first one first; `None` if the time is over.
fn deletion_loop(problem: &Problem, notion: Abstraction, options: &SolverOptions) -> Option<Vec<ClauseId>> {
    let mut kept: Vec<ClauseId> =
        problem.clauses.enumerate().filter(|(_, c)| c.is_duty()).map(|(id, _)| id).collect();
    for id in kept.clone() {
        let fewer: Vec<ClauseId> = kept.iter().copied().filter(|&other| other != id).collect();
        if unrealizable(problem, &fewer, notion, options) == Some(true) {
            kept = fewer;
        }
        if options.stop.raised().is_some() {
            return None;
        }
    }
    Some(kept)
}

/// Sums of the rows in which both ended.
#[derive(Default)]
struct Sums {
    rows: usize,
    minimal: usize,
    found: usize,
    by_loop: usize,
    seconds: [f64; 3],
}

impl Sums {
    fn row(&mut self, name: &str, mut problem: Problem, limit: Duration) {
        let (outcome, verdict_seconds) = timed(limit, |stop| {
            synthesize(&mut problem, &options(stop), &Silent).expect("a certified answer")
        });
        let Verdict::Unrealizable(counter, notion) = outcome.verdict else { return };
        for clause in outcome.constraints {
            problem.clauses.push(clause);
        }
        let all = problem.clauses.iter().filter(|clause| clause.is_duty()).count();
        let ((core, work), seconds) = timed(limit, |stop| {
            let stop = stop.within(WORK.max(SHARE * outcome.statistics.progress.effort));
            let asked = SolverOptions { threads: 1, rounds: 1, ..options(stop.clone()) };
            let core = minimal_core(&problem, Some(&counter), notion, &asked, &Silent);
            (core.expect("certified answers"), stop.spent())
        });
        let (looped, loop_seconds) =
            timed(limit, |stop| deletion_loop(&problem, core.notion, &options(stop)));
        let size = looped.as_ref().map_or("-".to_string(), |kept| kept.len().to_string());
        println!(
            "{name:60} {all:4} {verdict_seconds:7.2} {:4} {:5} {work:9} {seconds:7.2} {size:>4} {loop_seconds:7.2}",
            core.guarantees.len(),
            core.minimal,
        );
        if core.minimal {
            let rest = |id: &ClauseId| {
                core.guarantees.iter().copied().filter(|other| other != id).collect::<Vec<_>>()
            };
            let (checked, _) = timed(limit, |stop| {
                let options = options(stop);
                let holds = |set: &[ClauseId]| unrealizable(&problem, set, core.notion, &options);
                assert_ne!(holds(&core.guarantees), Some(false), "{name}");
                core.guarantees.len() == 1 || core.guarantees.iter().all(|id| holds(&rest(id)) != Some(true))
            });
            assert!(checked, "{name}: {:?}", core.guarantees);
        }
        let Some(looped) = looped else { return };
        self.rows += 1;
        self.minimal += usize::from(core.minimal);
        self.found += core.guarantees.len();
        self.by_loop += looped.len();
        for (sum, seconds) in self.seconds.iter_mut().zip([verdict_seconds, seconds, loop_seconds]) {
            *sum += seconds;
        }
    }
}

#[test]
#[ignore = "a table: see tests/README.md"]
fn cores_beside_a_deletion_loop() {
    let seconds = std::env::var("TSL_SYNTH_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let limit = Duration::from_secs(seconds);
    let (k, n) = shard();
    println!(
        "{:60} {:>4} {:>7} {:>4} {:5} {:>9} {:>7} {:>4} {:>7}",
        "specification", "all", "verdict", "core", "min", "work", "seconds", "loop", "seconds"
    );
    let mut sums = Sums::default();
    for path in corpus().iter().skip(k - 1).step_by(n) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        sums.row(&name, problem_of(path), limit);
    }
    if k == 1 {
        for responses in [1, 2, 10, 50, 100] {
            let text = among_responses(responses, &["p"], &["q"], &[], &["G (p -> q)", "G (p -> !q)"]);
            sums.row(&format!("a pair among {responses} responses"), load(&text).0, limit);
        }
    }
    let Sums { rows, minimal, found, by_loop, seconds: [verdict, core, looped] } = sums;
    println!(
        "{rows} rows in which both ended: {minimal} minimal cores, sizes {found} and {by_loop}; \
         seconds {verdict:.1} for the verdicts, {core:.1} and {looped:.1}"
    );
    assert!(found <= by_loop);
}
