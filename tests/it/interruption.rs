//! How long a check still runs after its stop flag is raised.

use crate::friendly_table::{Disk, Time};
use std::path::Path;
use std::time::{Duration, Instant};
use tsl_synth_core::base::{LimitKind, Random, StopFlag};
use tsl_synth_service::{CheckRequest, Session, SpecRequest};
use tsl_synth_testkit::{files_below, shared};

/// Raises the stop flag of a check after this time. Returns how long the check still ran; `None` if it had ended
/// before.
fn lateness(file: &Path, moment: Duration) -> Option<Duration> {
    let stop = StopFlag::new();
    let raised = stop.clone();
    let (done, wait) = std::sync::mpsc::channel::<()>();
    let timer = std::thread::spawn(move || {
        let is_late = wait.recv_timeout(moment).is_err();
        raised.raise(LimitKind::Interrupted);
        is_late.then(Instant::now)
    });
    let mut session = Session::new().with_cancel(stop).with_loader(&Disk).with_clock(&Time);
    let report = session.check(&CheckRequest::new(SpecRequest::files([file])));
    let end = Instant::now();
    let _ = done.send(());
    let raised = timer.join().expect("the timer ends")?;
    drop(report);
    Some(end.saturating_duration_since(raised))
}

/// A table of random moments of hard public specifications: those that take longer than all moments tried. The numbers
/// of moments and specifications are `TSL_SYNTH_MOMENTS` and `TSL_SYNTH_SPECS`.
#[test]
#[ignore = "prints a table: see tests/README.md"]
fn interruption_table() {
    let number = |name: &str, or: usize| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(or);
    let (moments, specs) = (number("TSL_SYNTH_MOMENTS", 50), number("TSL_SYNTH_SPECS", 20));
    let Some(root) = shared("bench/syntcomp") else { return };
    let mut files = files_below(&root, &["tlsf"]);
    let mut random = Random::new(20_261_123);
    for i in (1..files.len()).rev() {
        files.swap(i, random.below(i + 1));
    }
    let each = moments.div_ceil(specs);
    let (mut all, mut hard) = (Vec::new(), 0);
    for file in &files {
        if hard == specs {
            break;
        }
        let mut own = Vec::new();
        for _ in 0..each {
            let moment = Duration::from_millis(400 + random.below(2_600) as u64);
            let Some(late) = lateness(file, moment) else { break };
            own.push(late.as_secs_f64() * 1000.0);
        }
        // A specification counts if its check was still running at all moments.
        if own.len() == each {
            hard += 1;
            let name = file.file_name().unwrap_or_default().display();
            let shown: Vec<String> = own.iter().map(|ms| format!("{ms:8.1}")).collect();
            println!("{name:60} {}", shown.join(""));
            all.extend(own);
        }
    }
    all.sort_by(f64::total_cmp);
    println!("{} moments of {hard} specifications, milliseconds until the check ended:", all.len());
    let at = |tenths: usize| all[(all.len() - 1) * tenths / 10];
    println!("median {:.1}, nine tenths {:.1}, most {:.1}", at(5), at(9), at(10));
}
