//! Starting an installed hook just as its host does, to see what it answers.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use tsl_synth_seats::hook::settings::InstalledHook;

/// How a hook ended.
#[derive(Clone, Debug)]
pub(crate) enum HookEnd {
    /// It exited with this code; `None` if a signal ended it.
    By(Option<i32>),
    /// It did not end in time.
    TooSlow,
    /// It could not be started.
    NotStarted(String),
}

/// A run of a hook.
#[derive(Clone, Debug)]
pub(crate) struct HookRun {
    pub(crate) ended: HookEnd,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// From its start to its end.
    pub(crate) took: Duration,
}

/// The largest number of bytes of an output that are read.
const OUTPUT: u64 = 1 << 20;

/// The command of a hook: with `args` no shell runs, else the shell of the system does.
fn command(hook: &InstalledHook) -> Command {
    if let Some(args) = &hook.args {
        let mut command = Command::new(&hook.command);
        command.args(args);
        return command;
    }
    let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut command = Command::new(shell);
    command.arg(flag).arg(&hook.command);
    command
}

fn reading(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.take(OUTPUT).read_to_end(&mut bytes);
        let _ = send.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receive
}

/// Runs a hook with a payload on its standard input, for at most the time that its host waits.
pub(crate) fn run(hook: &InstalledHook, payload: &str) -> HookRun {
    run_command(&mut command(hook), payload, Duration::from_secs(hook.timeout.unwrap_or(600)))
}

/// Runs a command.
pub(crate) fn run_command(command: &mut Command, payload: &str, patience: Duration) -> HookRun {
    let start = Instant::now();
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => {
            let ended = HookEnd::NotStarted(error.to_string());
            return HookRun { ended, stdout: String::new(), stderr: String::new(), took: start.elapsed() };
        }
    };
    if let Some(mut stdin) = child.stdin.take() {
        let payload = payload.to_owned();
        // A separate thread writes, because a hook that does not read would block it.
        std::thread::spawn(move || stdin.write_all(payload.as_bytes()));
    }
    let stdout = child.stdout.take().map(reading);
    let stderr = child.stderr.take().map(reading);
    let ended = wait(&mut child, start, patience);
    let took = start.elapsed();
    // A process that the hook started may keep the pipes open.
    let rest = Duration::from_millis(500);
    let text = |stream: Option<Receiver<String>>| {
        stream.and_then(|stream| stream.recv_timeout(rest).ok()).unwrap_or_default()
    };
    HookRun { ended, stdout: text(stdout), stderr: text(stderr), took }
}

fn wait(child: &mut Child, start: Instant, patience: Duration) -> HookEnd {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return HookEnd::By(status.code()),
            Ok(None) if start.elapsed() >= patience => {
                let _ = child.kill();
                let _ = child.wait();
                return HookEnd::TooSlow;
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(1)),
            Err(error) => return HookEnd::NotStarted(error.to_string()),
        }
    }
}
