//! An oracle that is a program: one JSON object per line in each direction.

use crate::terminal::{eprint, escape_lines};
use crate::units::shown;
use anyhow::{Context, Result, ensure};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tsl_synth_agents::{Oracle, OracleAnswer, OracleError, OracleRequest};
use tsl_synth_documents::{AnswerDocument, RequestDocument};

/// The largest length of an answer, in bytes.
const LINE: u64 = 8 << 20;
/// The number of last lines of standard error that are kept for a message.
const LAST_LINES: usize = 3;
/// How long a program that closed its output has to end.
const GRACE: Duration = Duration::from_millis(500);

/// A line that the program prints.
enum ProgramOutput {
    Line(Vec<u8>),
    /// A line longer than [`LINE`].
    Endless,
}

/// A program that is running.
pub(super) struct OracleProgram {
    name: String,
    child: Child,
    to_child: Sender<Vec<u8>>,
    from_child: Receiver<ProgramOutput>,
    last_words: Arc<Mutex<VecDeque<String>>>,
    timeout: Duration,
    next_id: u64,
    /// The error after which the program was killed; all further requests fail with it.
    over: Option<OracleError>,
}

impl OracleProgram {
    /// Starts the program of a command line, with quotes as in a shell.
    ///
    /// # Errors
    /// When the command line has an open quote, or the program cannot be started.
    pub(super) fn start(command: &str, timeout: Duration) -> Result<Self> {
        let words = shlex::split(command).with_context(|| format!("a quote in `{command}` is not closed"))?;
        ensure!(!words.is_empty(), "`cmd:` names no program");
        let mut child = Command::new(&words[0])
            .args(&words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot run `{}`", words[0]))?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (to_child, requests) = channel();
        let (answers, from_child) = sync_channel(64);
        let last_words = Arc::new(Mutex::new(VecDeque::new()));
        // The threads end when the program closes its pipes; a program that does not read blocks only the first one.
        let words_kept = Arc::clone(&last_words);
        std::thread::spawn(move || stdin.map(|stdin| write_requests(stdin, &requests)));
        std::thread::spawn(move || {
            stdout.map(|stdout| read_answers(stdout, |line| answers.send(line).is_ok()))
        });
        std::thread::spawn(move || stderr.map(|stderr| read_errors(stderr, &words_kept)));
        let name = words[0].clone();
        Ok(Self { name, child, to_child, from_child, last_words, timeout, next_id: 1, over: None })
    }

    /// The error for a program that closed its output.
    fn ended(&mut self) -> OracleError {
        let start = Instant::now();
        let status: Option<ExitStatus> = loop {
            match self.child.try_wait() {
                Ok(None) if start.elapsed() < GRACE => std::thread::sleep(Duration::from_millis(2)),
                Ok(status) => break status,
                Err(_) => break None,
            }
        };
        let name = &self.name;
        match status {
            Some(status) if status.success() => OracleError::Ended(format!("the program `{name}` ended")),
            Some(status) => {
                OracleError::Unavailable(format!("the program `{name}` ended ({status}){}", self.said()))
            }
            None => OracleError::Unavailable(format!("the program `{name}` closed its output")),
        }
    }

    /// The last lines on standard error.
    fn said(&self) -> String {
        // They may arrive shortly after the program has ended.
        let start = Instant::now();
        let lines = loop {
            let lines = self.last_words.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if !lines.is_empty() || start.elapsed() > Duration::from_millis(50) {
                break lines;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        if lines.is_empty() { String::new() } else { format!(": {}", Vec::from(lines).join(" / ")) }
    }

    fn exchange(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        let id = self.next_id;
        self.next_id += 1;
        let document = RequestDocument::new(id, request);
        let mut line = serde_json::to_vec(&document).expect("requests have string keys only");
        line.push(b'\n');
        // If the program has ended, reading from it reports that.
        let _ = self.to_child.send(line);
        let start = Instant::now();
        loop {
            let line = self.line(self.timeout.saturating_sub(start.elapsed()))?;
            let text = String::from_utf8_lossy(&line);
            let invalid = |why: String| OracleError::invalid(text.trim(), why);
            let answer: AnswerDocument = serde_json::from_str(&text)
                .map_err(|_| invalid("the program printed something else than an answer in JSON".into()))?;
            match answer.id {
                Some(given) if given == id => return answer.outcome(request.kind),
                // A late answer to an earlier request, which failed because the program had printed something else.
                Some(given) if given < id => {}
                Some(given) => {
                    return Err(invalid(format!("the program answered request {given} instead of {id}")));
                }
                None => return Err(invalid(format!("the program did not repeat the `id`, which is {id}"))),
            }
        }
    }

    /// The next line that the program prints. If there is none, the program is killed.
    fn line(&mut self, time: Duration) -> Result<Vec<u8>, OracleError> {
        let error = match self.from_child.recv_timeout(time) {
            Ok(ProgramOutput::Line(line)) => return Ok(line),
            Ok(ProgramOutput::Endless) => OracleError::Unavailable(format!(
                "the program `{}` prints a line of more than {LINE} bytes",
                self.name
            )),
            Err(RecvTimeoutError::Timeout) => OracleError::Unavailable(format!(
                "the program `{}` gave no answer within {}",
                self.name,
                shown(self.timeout)
            )),
            Err(RecvTimeoutError::Disconnected) => self.ended(),
        };
        let _ = self.child.kill();
        self.over = Some(error.clone());
        Err(error)
    }
}

impl Oracle for OracleProgram {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        match &self.over {
            Some(error) => Err(error.clone()),
            None => self.exchange(request),
        }
    }
}

impl Drop for OracleProgram {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write_requests(mut stdin: ChildStdin, requests: &Receiver<Vec<u8>>) {
    for request in requests {
        if stdin.write_all(&request).and_then(|()| stdin.flush()).is_err() {
            break;
        }
    }
}

/// Sends the lines that are not blank until `send` returns `false`.
fn read_answers(stdout: ChildStdout, send: impl Fn(ProgramOutput) -> bool) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let mut line = Vec::new();
        let read = stdout.by_ref().take(LINE).read_until(b'\n', &mut line);
        if !read.is_ok_and(|bytes| bytes > 0) {
            return;
        }
        let endless = line.len() as u64 == LINE && !line.ends_with(b"\n");
        let wanted = match endless {
            true => send(ProgramOutput::Endless),
            false if line.iter().all(u8::is_ascii_whitespace) => true,
            false => send(ProgramOutput::Line(line)),
        };
        if endless || !wanted {
            return;
        }
    }
}

/// Copies the standard error of the program to ours and keeps the last lines.
fn read_errors(stderr: ChildStderr, last: &Mutex<VecDeque<String>>) {
    const MOST: u64 = 4096;
    let mut stderr = BufReader::new(stderr);
    loop {
        let mut line = Vec::new();
        let read = stderr.by_ref().take(MOST).read_until(b'\n', &mut line);
        if !read.is_ok_and(|bytes| bytes > 0) {
            return;
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\n', '\r']);
        eprint(&format!("{}\n", escape_lines(line)));
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        last.push_back(line.to_string());
        if last.len() > LAST_LINES {
            last.pop_front();
        }
    }
}
