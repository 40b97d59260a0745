//! Answers one payload of a hook; there is a process for each event. If anything fails, the host gets the answer that
//! makes it deny a call, or let the agent stop, in its own format.

use super::args::GateArgs;
use super::config_change;
use super::forks;
use super::gate_file::GateFile;
use super::lines::now;
use super::own_files::OwnFiles;
use std::io::{Read, Write};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use tsl_synth_core::model::{ProposalAnswer, Ruling};
use tsl_synth_seats::hook::{
    HookHost, HookKind, HookPayload, HookReply, PAYLOAD_LIMIT, answer, failure, read,
};

/// Our own deadline, far below that of every host.
const DEADLINE: Duration = Duration::from_secs(4);

/// Answers the payload on standard input, and returns the exit code that the host expects.
pub(crate) fn run(args: &GateArgs, host: HookHost) -> i32 {
    // The event for failures: until the payload is read, that of the settings; without one, it may be a call.
    let event = std::sync::Arc::new(std::sync::Mutex::new(args.event.clone()));
    let (sender, receiver) = channel();
    let (own, seen) = (args.clone(), event.clone());
    let spawned = std::thread::Builder::new().name("hook".into()).spawn(move || {
        let reply = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut bytes = Vec::new();
            let limit = PAYLOAD_LIMIT as u64 + 1;
            match std::io::stdin().lock().take(limit).read_to_end(&mut bytes) {
                Ok(_) => reply(&own, host, &bytes, &mut |name| {
                    *seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(name);
                }),
                Err(error) => {
                    failure(host, own.event.as_deref(), &format!("the payload cannot be read: {error}"))
                }
            }
        }));
        // Sending fails only after the deadline.
        let _ = sender.send(reply);
    });
    let name = || event.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
    let reply = match spawned {
        Err(error) => failure(host, args.event.as_deref(), &error.to_string()),
        Ok(_) => match receiver.recv_timeout(DEADLINE) {
            Ok(Ok(reply)) => reply,
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                failure(host, name().as_deref(), "the gate failed; nothing was decided")
            }
            Err(RecvTimeoutError::Timeout) => {
                failure(host, name().as_deref(), "the gate did not decide in time")
            }
        },
    };
    deliver(&reply)
}

/// Prints the reply at once. If that fails, or nobody can read it, the exit code is that of a denial: half an answer, or
/// none, with exit code 0 would let the call run.
fn deliver(reply: &HookReply) -> i32 {
    let stdout = std::io::stdout();
    let is_unread = is_discarded(&stdout);
    let mut out = stdout.lock();
    let written = out.write_all(reply.stdout.as_bytes()).and_then(|()| out.flush());
    let is_lost = (is_unread || written.is_err()) && reply.exit == 0 && !reply.stdout.is_empty();
    // For Codex, exit code 2 is a denial only together with a reason on standard error.
    let reason =
        if is_lost { "denied by tsl-synth: its answer could not be printed\n" } else { &reply.stderr };
    let _ = std::io::stderr().lock().write_all(reason.as_bytes());
    if is_lost { 2 } else { i32::from(reply.exit) }
}

/// Whether what is printed is thrown away: the runtime puts the null device in the place of a closed standard output.
#[cfg(unix)]
fn is_discarded(stdout: &std::io::Stdout) -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    let own = stdout.as_fd().try_clone_to_owned().and_then(|own| std::fs::File::from(own).metadata());
    match (own, std::fs::metadata("/dev/null")) {
        (Ok(own), Ok(null)) => own.rdev() == null.rdev() && own.rdev() != 0,
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_discarded(_: &std::io::Stdout) -> bool {
    false
}

fn reply(args: &GateArgs, host: HookHost, bytes: &[u8], seen: &mut dyn FnMut(String)) -> HookReply {
    let payload = match read(host, args.event.as_deref(), bytes) {
        Ok(payload) => payload,
        Err(fault) => {
            let event = fault.event.as_deref().or(args.event.as_deref());
            return failure(host, event, &fault.message);
        }
    };
    seen(payload.event.clone());
    match judge(args, &payload) {
        Ok(decided) => answer(&payload, &decided),
        // In shadow mode nothing is blocked, not even by our own errors.
        Err(why) if args.shadow => answer(&payload, &warning(&why)),
        Err(why) => failure(host, Some(&payload.event), &why),
    }
}

fn warning(reason: &str) -> ProposalAnswer {
    ProposalAnswer { ruling: Ruling::Warn, reason: reason.to_owned(), laws: Vec::new(), ticket: None }
}

/// Why what is proposed would change the gate itself, if it would.
fn own_refusal(args: &GateArgs, payload: &HookPayload) -> Option<String> {
    match payload.kind {
        HookKind::Settings => config_change::refusal(payload),
        HookKind::Call => {
            let own = OwnFiles::new(args, payload);
            payload.events.iter().find_map(|event| own.refusal(&event.kind))
        }
        _ => None,
    }
}

/// Judges the events of the payload. The answer is the strictest one to a proposal among them; other events yield at
/// most a warning.
fn judge(args: &GateArgs, payload: &HookPayload) -> Result<ProposalAnswer, String> {
    if let Some(why) = own_refusal(args, payload) {
        let denied = ProposalAnswer { ruling: Ruling::Deny, ..warning(&why) };
        return Ok(if args.shadow { warning(&format!("shadow mode, not enforced:\n{why}")) } else { denied });
    }
    let mut decided =
        ProposalAnswer { ruling: Ruling::Allow, reason: String::new(), laws: Vec::new(), ticket: None };
    if !payload.says_something() {
        return Ok(decided);
    }
    let mut keeper = GateFile::new(args, payload.host.name(), true).map_err(|error| format!("{error:#}"))?;
    let store = args.store().map_err(|error| format!("{error:#}"))?;
    forks::inherit(&mut keeper, &store, payload)?;
    let answers = keeper.payload(payload, now())?;
    if payload.is_fork {
        decided = warning(&format!("tsl-synth: {}", keeper.shield()?.about_forks()));
    }
    for (_, reported) in answers {
        if matches!(payload.kind, HookKind::Call | HookKind::End) {
            if reported.answer.ruling >= decided.ruling {
                decided = reported.answer;
            }
        } else if reported.answer.ruling > Ruling::Allow {
            decided = warning(&format!("tsl-synth: {}", reported.answer.reason));
        } else if !reported.document.broken.is_empty() {
            let reason = format!("tsl-synth: violated: {}", reported.document.broken.join(", "));
            decided = warning(&reason);
        }
    }
    if keeper.is_shadow() && decided.ruling > Ruling::Allow {
        decided = warning(&format!("shadow mode, not enforced:\n{}", decided.reason));
    }
    Ok(decided)
}
