//! Commands of probes as processes.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tsl_synth_core::model::{PROBE_OUTPUT, ProbeAnswer};
use tsl_synth_gate::ProbeRunner;

/// The pause between two looks at a process.
const PAUSE: Duration = Duration::from_millis(1);

/// Runs the commands of probes as processes without input. What they print to the standard error is ignored.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProcessProbes;

impl ProbeRunner for ProcessProbes {
    fn run(&self, folder: &str, words: &[String], time: Duration) -> ProbeAnswer {
        let Some((program, arguments)) = words.split_first() else {
            return ProbeAnswer::Failed("it has no program".into());
        };
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        match command.spawn() {
            Ok(child) => wait(child, time),
            Err(error) => ProbeAnswer::Failed(format!("`{program}` cannot be run: {}", error.kind())),
        }
    }
}

/// Waits for a process and reads what it prints; ends it when its time is over.
fn wait(mut child: Child, time: Duration) -> ProbeAnswer {
    let start = Instant::now();
    let Some(output) = child.stdout.take() else {
        return ProbeAnswer::Failed("what it prints cannot be read".into());
    };
    // A process that inherited the output may keep it open, so the reader is not joined but asked.
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut printed = Vec::new();
        let read = output.take(PROBE_OUTPUT as u64 + 1).read_to_end(&mut printed);
        let _ = sender.send(read.map(|_| printed));
    });
    let left = || time.saturating_sub(start.elapsed());
    let printed = receiver.recv_timeout(left());
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if printed.is_err() || left().is_zero() => break None,
            Ok(None) => std::thread::sleep(PAUSE),
            Err(_) => break None,
        }
    };
    let Some(status) = status else {
        let _ = child.kill();
        let _ = child.wait();
        return ProbeAnswer::Failed(format!("it took longer than {} ms", time.as_millis()));
    };
    match (printed, status.code()) {
        (Ok(Ok(printed)), Some(code)) => ProbeAnswer::ended(code, &printed),
        (Ok(Ok(_)), None) => ProbeAnswer::Failed("a signal ended it".into()),
        (Ok(Err(_)), _) => ProbeAnswer::Failed("what it printed cannot be read".into()),
        (Err(_), _) => ProbeAnswer::Failed(format!("it took longer than {} ms", time.as_millis())),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn run(folder: &str, words: &[&str], milliseconds: u64) -> ProbeAnswer {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        ProcessProbes.run(folder, &words, Duration::from_millis(milliseconds))
    }

    #[test]
    fn processes_answer_or_fail() {
        let long = 60_000;
        assert_eq!(run("/", &["pwd"], long), ProbeAnswer::ended(0, b"/"));
        assert_eq!(run("/", &["sh", "-c", "echo a; echo b; exit 3"], long), ProbeAnswer::ended(3, b"a\nb"));
        assert_eq!(run("/", &["cat"], long), ProbeAnswer::ended(0, b""));
        let failed = |answer: ProbeAnswer, why: &str| match answer {
            ProbeAnswer::Failed(own) => assert!(own.contains(why), "{own}"),
            ProbeAnswer::Ended { .. } => panic!("{answer:?}"),
        };
        failed(run("/", &["/no/such/program"], long), "cannot be run");
        failed(run("/no/such/folder", &["pwd"], long), "cannot be run");
        failed(run("/", &[], long), "no program");
        failed(run("/", &["sleep", "60"], 50), "longer than 50 ms");
        // A process that it left behind keeps the output open.
        failed(run("/", &["sh", "-c", "sleep 60 & echo x"], 200), "longer than 200 ms");
        failed(run("/", &["sh", "-c", "kill -9 $$"], long), "signal");
        failed(run("/", &["sh", "-c", "yes | head -c 100000"], long), "more than");
    }
}
