//! A program that rates plans: one line of JSON in each direction.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tsl_synth_documents::RewardRequestDocument;

/// The largest length of a line, in bytes.
const MAX_LINE: u64 = 1 << 20;

/// The program, running.
pub(super) struct Rewarder {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    timeout: Duration,
}

impl Rewarder {
    /// Starts the program of `cmd:PROGRAM`; blanks separate its arguments.
    pub(super) fn start(spec: &str, timeout: Duration) -> Result<Self, String> {
        let Some(command) = spec.strip_prefix("cmd:") else {
            return Err(format!("`{spec}` is no reward program: say `cmd:PROGRAM`"));
        };
        let mut words = command.split_whitespace();
        let program = words.next().ok_or("`cmd:` names no program")?;
        let mut child = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot run the reward program `{program}`: {error}"))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (sender, lines) = channel();
        if let Some(output) = output {
            std::thread::spawn(move || {
                let mut reader = BufReader::new(output);
                loop {
                    let mut line = Vec::new();
                    match (&mut reader).take(MAX_LINE).read_until(b'\n', &mut line) {
                        Ok(n) if n > 0 => {}
                        _ => return,
                    }
                    if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                        return;
                    }
                }
            });
        }
        Ok(Self { child, input, lines, timeout })
    }

    /// The reward of a plan.
    pub(super) fn rate(&mut self, request: &RewardRequestDocument) -> Result<f64, String> {
        let mut line = serde_json::to_string(request).map_err(|error| error.to_string())?;
        line.push('\n');
        let input = self.input.as_mut().ok_or("the reward program takes no input")?;
        let written = input.write_all(line.as_bytes()).and_then(|()| input.flush());
        written.map_err(|error| format!("the reward program takes no input: {error}"))?;
        let answer =
            self.lines.recv_timeout(self.timeout).map_err(|_| "the reward program does not answer")?;
        let value: serde_json::Value = serde_json::from_str(answer.trim())
            .map_err(|_| format!("the reward program answers `{}`, which is no JSON", answer.trim()))?;
        let other = value.get("id").and_then(serde_json::Value::as_u64).is_some_and(|id| id != request.id);
        if other {
            return Err(format!("the reward program answers another plan than {}", request.id));
        }
        let number = value.get("reward").unwrap_or(&value).as_f64().filter(|reward| reward.is_finite());
        number.ok_or_else(|| format!("the reward program answers `{}`, which is no number", answer.trim()))
    }
}

impl Drop for Rewarder {
    fn drop(&mut self) {
        // The program sees the end of its input, and is killed if it still runs.
        drop(self.input.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
