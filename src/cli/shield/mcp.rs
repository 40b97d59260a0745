//! A proxy in front of an MCP server: it serves the client, and starts the server and forwards to it.
//!
//! Two threads read the lines of the client and of the server, have the main thread judge each line, and forward the
//! result. So a side that does not read blocks only the other side, as without a proxy. If judging a line of the client
//! fails, the line is not forwarded; a line of the server is forwarded in any case.

use super::args::GateArgs;
use super::gate_file::GateFile;
use super::grants::Grants;
use super::lines::now;
use crate::exit::{Exit, is_interrupted, report_when_interrupted};
use crate::output;
use crate::terminal::{eprint, escape_lines};
use std::io::{BufRead, BufReader, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};
use tsl_synth_core::model::{HostEvent, HostEventKind, ProposalAnswer};
use tsl_synth_seats::hook::HookHost;
use tsl_synth_seats::mcp::{MESSAGE_LIMIT, error};
use tsl_synth_service::{Forward, McpGate, McpProxy, McpStep};

/// How long a server may take to end after the client has ended; clients wait longer than this before they kill us.
const GRACE: Duration = Duration::from_millis(1_500);
/// How long we wait for the last lines of a server that has ended: programs that it started may hold its output open.
const LAST_LINES: Duration = Duration::from_millis(500);
/// The interval at which we check whether the server still runs.
const TICK: Duration = Duration::from_millis(100);
/// The error code of JSON-RPC for an internal error.
const INTERNAL_ERROR: i32 = -32_603;

/// A gate with its own session, for a host without hooks.
struct ProxySession(GateFile);

impl McpGate for ProxySession {
    fn event(&mut self, event: &HostEvent<'_>) -> Result<ProposalAnswer, String> {
        let mut event = event.clone();
        event.time = now();
        let reported = catch_unwind(AssertUnwindSafe(|| self.0.event(&event)));
        let reported = reported.unwrap_or_else(|_| Err("it panicked".into()))?;
        for (what, laws) in [("violated", &reported.document.broken), ("owed", &reported.document.owed)] {
            if !laws.is_empty() && reported.document.verdict.is_none() {
                note(&format!("{what}: {}", laws.join(", ")));
            }
        }
        Ok(reported.answer)
    }
    fn never_permits(&mut self, server: &str, tool: &str) -> bool {
        let reported = catch_unwind(AssertUnwindSafe(|| {
            self.0.shield().is_ok_and(|shield| shield.never_permits(Some(server), tool))
        }));
        reported.unwrap_or(false)
    }
    fn is_shadow(&self) -> bool {
        self.0.is_shadow()
    }
}

/// A message of a thread that reads.
enum ThreadMessage {
    /// A line, and the channel for the result of judging it.
    Line(McpSide, Vec<u8>, SyncSender<(Vec<u8>, McpStep)>),
    /// The input from a side has ended.
    Ended(McpSide),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum McpSide {
    Client,
    Server,
}

fn note(text: &str) {
    eprint(&format!("tsl-synth: {}\n", escape_lines(text.trim_end())));
}

/// The name of the server: as given, or that of the file of its program.
fn server_name(args: &GateArgs, program: &str) -> String {
    let file = Path::new(program).file_stem().map(|name| name.to_string_lossy().into_owned());
    args.server.clone().or(file).unwrap_or_else(|| program.to_owned())
}

/// Runs the server behind the gate; the exit code is the server's, or ours where it does not start.
pub(crate) fn run(args: &GateArgs) -> i32 {
    let Some((program, rest)) = args.command.split_first() else {
        return output::wrong("`--proto mcp` needs the program of the server: `-- SERVER ARGS...`").code();
    };
    // Calls that a hook judges are not judged again here, since this session sees only some of the events.
    let host = args.host.map(HookHost::from);
    let keeper = match GateFile::new(args, "mcp", host.is_none()) {
        Ok(keeper) => keeper,
        Err(error) => return output::error(&error).code(),
    };
    if let Some(why) = keeper.broken() {
        return output::wrong(why).code();
    }
    let mut gate: Box<dyn McpGate> = match host {
        None => Box::new(ProxySession(keeper)),
        Some(host) => match Grants::new(args, keeper, host) {
            Ok(grants) => Box::new(grants),
            Err(error) => return output::error(&error).code(),
        },
    };
    let server = server_name(args, program);
    let own = format!("{}-{}", now().unwrap_or_default(), std::process::id());
    let session = args.session.clone().unwrap_or_else(|| format!("{server}-{own}"));
    let mut proxy = McpProxy::new(&session, &server, &own);
    let mut command = Command::new(program);
    command.args(rest).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            return output::wrong(&format!("the server `{program}` does not start: {error}")).code();
        }
    };
    report_when_interrupted();
    // A session that was named may be shared with other processes, so it does not start or end here.
    let is_ours = args.session.is_none();
    notify(&proxy, &mut *gate, is_ours.then_some(HostEventKind::Start));
    let code = serve(&mut child, &mut proxy, &mut *gate);
    notify(&proxy, &mut *gate, is_ours.then_some(HostEventKind::Close));
    code
}

fn notify(proxy: &McpProxy, gate: &mut dyn McpGate, kind: Option<HostEventKind<'static>>) {
    if let Some(kind) = kind
        && let Err(why) = gate.event(&proxy.event(kind))
    {
        note(&why);
    }
}

fn serve(child: &mut Child, proxy: &mut McpProxy, gate: &mut dyn McpGate) -> i32 {
    let (sender, reported) = channel();
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return output::internal("the server has no pipes").code();
    };
    let of_client = sender.clone();
    let threads =
        std::thread::Builder::new().name("client".into()).spawn(move || from_client(stdin, &of_client));
    let threads = threads.and_then(|_| {
        std::thread::Builder::new().name("server".into()).spawn(move || from_server(stdout, &sender))
    });
    if let Err(error) = threads {
        stop(child);
        return output::wrong(&format!("a thread does not start: {error}")).code();
    }
    let status = judge_lines(child, &reported, proxy, gate);
    let step = proxy.server_gone(gate);
    let mut out = std::io::stdout().lock();
    for answer in &step.answers {
        // The client may have ended.
        let _ = out.write_all(format!("{answer}\n").as_bytes());
    }
    let _ = out.flush();
    if is_interrupted() { Exit::Interrupted.code() } else { status.map_or(0, code) }
}

/// Judges lines for the threads until the server has ended; returns its status, `None` if it was killed.
fn judge_lines(
    child: &mut Child,
    reported: &Receiver<ThreadMessage>,
    proxy: &mut McpProxy,
    gate: &mut dyn McpGate,
) -> Option<ExitStatus> {
    // When to kill the server, and when to stop waiting for its last lines after it has ended.
    let (mut stop_at, mut leave_at): (Option<Instant>, Option<Instant>) = (None, None);
    let (mut is_silent, mut status) = (false, None);
    loop {
        match reported.recv_timeout(TICK) {
            Ok(ThreadMessage::Line(side, line, reply)) => {
                let step = judge_line(side, &line, proxy, gate);
                for text in &step.notes {
                    note(text);
                }
                // Sending fails only if the thread has ended.
                let _ = reply.send((line, step));
            }
            Ok(ThreadMessage::Ended(side)) => {
                is_silent |= side == McpSide::Server;
                stop_at.get_or_insert_with(|| Instant::now() + GRACE);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => is_silent = true,
        }
        if status.is_none()
            && let Ok(Some(ended)) = child.try_wait()
        {
            status = Some(ended);
            leave_at = Some(Instant::now() + LAST_LINES);
        }
        let now = Instant::now();
        if status.is_some() && (is_silent || leave_at.is_some_and(|at| at <= now)) {
            return status;
        }
        if is_interrupted() || stop_at.is_some_and(|at| at <= now) {
            stop(child);
            return None;
        }
    }
}

fn judge_line(side: McpSide, line: &[u8], proxy: &mut McpProxy, gate: &mut dyn McpGate) -> McpStep {
    let step = catch_unwind(AssertUnwindSafe(|| match side {
        McpSide::Client => proxy.from_client(line, gate),
        McpSide::Server => proxy.from_server(line, gate),
    }));
    step.unwrap_or_else(|_| {
        let why = "the proxy failed";
        let (forward, answers) = match side {
            McpSide::Client => (Forward::Nothing, vec![error(None, INTERNAL_ERROR, why)]),
            McpSide::Server => (Forward::Same, Vec::new()),
        };
        McpStep { forward, answers, notes: vec![why.into()] }
    })
}

fn stop(child: &mut Child) {
    // It may have ended meanwhile.
    let _ = child.kill();
    let _ = child.wait();
}

fn code(status: ExitStatus) -> i32 {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1)
    }
    #[cfg(not(unix))]
    status.code().unwrap_or(1)
}

fn from_client(mut stdin: ChildStdin, reported: &Sender<ThreadMessage>) {
    let mut input = BufReader::new(std::io::stdin());
    // An error means that one side has ended; `judge_lines` notices if that is the server.
    let _ = pump(McpSide::Client, &mut input, &mut stdin, &mut ClientOutput, reported);
    drop(stdin);
    let _ = reported.send(ThreadMessage::Ended(McpSide::Client));
}

fn from_server(stdout: std::process::ChildStdout, reported: &Sender<ThreadMessage>) {
    let mut input = BufReader::with_capacity(1 << 16, stdout);
    // Lines of the server are never refused, so there are no answers to write back.
    let _ = pump(McpSide::Server, &mut input, &mut ClientOutput, &mut std::io::sink(), reported);
    let _ = reported.send(ThreadMessage::Ended(McpSide::Server));
}

/// Our standard output, locked for each line.
struct ClientOutput;

impl Write for ClientOutput {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        std::io::stdout().write(bytes)
    }
    fn write_all(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        std::io::stdout().write_all(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        std::io::stdout().flush()
    }
}

/// Forwards lines as they are judged, until one side ends.
fn pump(
    side: McpSide,
    input: &mut impl BufRead,
    out: &mut impl Write,
    back: &mut impl Write,
    reported: &Sender<ThreadMessage>,
) -> std::io::Result<()> {
    loop {
        let mut line = Vec::new();
        let limit = MESSAGE_LIMIT as u64 + 1;
        if input.by_ref().take(limit).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let is_cut = line.len() > MESSAGE_LIMIT && !line.ends_with(b"\n");
        let (sender, receiver) = sync_channel(1);
        let asked =
            reported.send(ThreadMessage::Line(side, line, sender)).ok().and_then(|()| receiver.recv().ok());
        let Some((line, step)) = asked else { return Ok(()) };
        match &step.forward {
            Forward::Same => out.write_all(&line)?,
            Forward::Text(text) => out.write_all(format!("{text}\n").as_bytes())?,
            Forward::Nothing => {}
        }
        if is_cut {
            rest_of_line(input, (step.forward == Forward::Same).then_some(&mut *out))?;
        }
        out.flush()?;
        for answer in &step.answers {
            back.write_all(format!("{answer}\n").as_bytes())?;
        }
        back.flush()?;
    }
}

/// Reads the rest of a line, and copies it to `out`, if any.
fn rest_of_line(input: &mut impl BufRead, mut out: Option<&mut impl Write>) -> std::io::Result<()> {
    loop {
        let bytes = input.fill_buf()?;
        let end = bytes.iter().position(|&byte| byte == b'\n').map(|place| place + 1);
        let length = end.unwrap_or(bytes.len());
        if let Some(out) = &mut out {
            out.write_all(&bytes[..length])?;
        }
        let is_over = end.is_some() || length == 0;
        input.consume(length);
        if is_over {
            return Ok(());
        }
    }
}
