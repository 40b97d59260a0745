//! Runs one specification in a separate process.

use super::TIME_LIMIT;
use crate::bench::args::BenchArgs;
use anyhow::{Context, Result};
use clap::ValueEnum;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tsl_synth_documents::CheckDocument;
use tsl_synth_service::{BenchRow, BenchVerdict};

/// How much longer than its time limit a process of ours may run before it is killed.
const GRACE: Duration = Duration::from_secs(3);
/// The first interval between two checks of a process; it doubles up to 20 ms.
const TICK: Duration = Duration::from_millis(2);

/// How a process ended.
struct ProcessEnd {
    /// `None` if a signal ended it, as when we kill it.
    code: Option<i32>,
    /// Whether it was killed because it exceeded the limit.
    late: bool,
    seconds: f64,
    output: Vec<u8>,
}

pub(super) fn limit_of(args: &BenchArgs) -> Duration {
    args.engine.time_limit.unwrap_or(TIME_LIMIT)
}

/// Runs a command until it ends; kills it when it exceeds the limit.
fn execute(command: &mut Command, limit: Duration) -> Result<ProcessEnd> {
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot run `{}`", command.get_program().to_string_lossy()))?;
    let pipe = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut output = Vec::new();
        // On an error, the output read so far is used.
        let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut output));
        output
    });
    let (mut late, mut wait) = (false, TICK);
    let status = loop {
        match child.try_wait().context("cannot wait for a process")? {
            Some(status) => break status,
            None if !late && start.elapsed() > limit => {
                late = true;
                let _ = child.kill();
            }
            None => {
                std::thread::sleep(wait);
                wait = (wait * 2).min(Duration::from_millis(20));
            }
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    Ok(ProcessEnd { code: status.code(), late, seconds, output: reader.join().unwrap_or_default() })
}

/// Runs `tsl-synth check` on a file.
pub(super) fn ours(file: &Path, args: &BenchArgs, limit: Duration) -> BenchRow {
    let failed = |reason: String| {
        let mut row = BenchRow::default();
        (row.verdict, row.reason) = (BenchVerdict::Crash, reason);
        row
    };
    let program = match crate::started::program() {
        Ok(program) => program,
        Err(error) => return failed(format!("cannot find this program: {error}")),
    };
    let mut command = Command::new(program);
    command.args(["check", "--format", "json", "--verdict-only", "--quiet", "--progress", "never"]);
    // Verdicts are compared and timed, not controllers.
    command.arg("--allow-falsifying");
    command.arg(format!("--time-limit={}ms", limit.as_millis()));
    let engine = &args.engine;
    if let Some(engine) = engine.engine.and_then(|e| e.to_possible_value()) {
        command.arg(format!("--engine={}", engine.get_name()));
    }
    let numbers = [
        ("memory-limit", engine.memory_limit),
        ("threads", engine.threads.map(u64::from)),
        ("bound", engine.bound.map(u64::from)),
        ("refinements", engine.refinements.map(u64::from)),
        ("seed", engine.seed),
    ];
    for (name, value) in numbers {
        command.args(value.map(|value| format!("--{name}={value}")));
    }
    for (name, given) in [("--no-certify", engine.no_certify), ("--deterministic", engine.deterministic)] {
        command.args(given.then_some(name));
    }
    command.arg("--").arg(file);
    let end = match execute(&mut command, limit + GRACE) {
        Ok(end) => end,
        Err(error) => return failed(format!("{error:#}")),
    };
    let document: Option<CheckDocument> = serde_json::from_slice(&end.output).ok();
    let mut row =
        document.and_then(|document| document.results.first().map(BenchRow::of)).unwrap_or_default();
    row.seconds = end.seconds;
    match (end.code, end.late) {
        (_, true) => {
            row.verdict = BenchVerdict::Timeout;
            row.reason = "did not stop by itself".into();
        }
        (Some(0 | 1 | 3), _) => {}
        (Some(2), _) => row.verdict = BenchVerdict::Error,
        (code, _) => {
            row.verdict = BenchVerdict::Crash;
            if code.is_none() {
                row.reason = "ended by a signal".into();
            }
        }
    }
    row
}

/// Runs another solver: `{}` in its command stands for the file, which is appended to a command without `{}`.
pub(super) fn theirs(command: &str, file: &Path, limit: Duration) -> Result<(BenchVerdict, Option<f64>)> {
    let mut words = command.split_whitespace();
    let program = words.next().context("`--versus` names no command")?;
    let mut process = Command::new(program);
    let name = file.to_string_lossy();
    let mut placed = false;
    for word in words {
        placed |= word.contains("{}");
        process.arg(word.replace("{}", &name));
    }
    if !placed {
        process.arg(file);
    }
    let end = execute(&mut process, limit)?;
    if end.late {
        return Ok((BenchVerdict::Timeout, None));
    }
    let output = String::from_utf8_lossy(&end.output);
    let said = |word: &str| output.lines().any(|line| line.trim() == word);
    let verdict = match () {
        () if said("UNREALIZABLE") => BenchVerdict::Unrealizable,
        () if said("REALIZABLE") => BenchVerdict::Realizable,
        () if said("UNKNOWN") => BenchVerdict::Unknown,
        () => BenchVerdict::Error,
    };
    Ok((verdict, Some(end.seconds)))
}
