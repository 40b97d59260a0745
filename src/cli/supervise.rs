//! Runs work on a thread with a large stack, enforces the limits of time and memory, and catches panics.

use crate::exit::{self, Exit};
use crate::memory::resident_memory;
use crate::panics::panic_text;
use crate::{output, terminal};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use tsl_synth_core::base::{LARGE_STACK, NoResult, with_large_stack};
use tsl_synth_service::{LimitKind, StopFlag};

/// The interval between two checks of interrupts, memory and the deadline.
const TICK: Duration = Duration::from_millis(50);
/// How long the work may take to stop after its stop flag was raised.
const GRACE: Duration = Duration::from_millis(700);
/// How long to wait after an interrupt for a preliminary result that is being sent.
const ON_ITS_WAY: Duration = Duration::from_millis(500);

/// How the work ended.
#[derive(Debug)]
pub(crate) enum WorkEnd<T> {
    /// With this result.
    Done(T),
    /// It was interrupted or did not stop in time: the limit, and the last preliminary result, if any.
    Abandoned(LimitKind, Option<T>),
    /// It panicked; the message.
    Panicked(String),
}

impl<T> WorkEnd<T> {
    /// Returns the result; if there is none, prints the reason (unless the user interrupted the work) and returns the
    /// exit code.
    pub(crate) fn or_exit(self) -> Result<T, Exit> {
        match self {
            Self::Done(result) => Ok(result),
            Self::Abandoned(kind, _) => {
                if kind == LimitKind::Interrupted {
                    return Err(Exit::Interrupted);
                }
                let what = if kind == LimitKind::Memory { "memory" } else { "time" };
                terminal::eprint(&format!("unknown: the {what} limit was reached\n"));
                Err(Exit::Unknown)
            }
            Self::Panicked(message) => Err(output::internal(&message)),
        }
    }
}

/// The limits of the work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    /// Time, from now.
    pub(crate) time: Option<Duration>,
    /// Resident memory of the process, in bytes.
    pub(crate) memory: u64,
}

/// Sends preliminary results; the last one is used if the work is abandoned later.
pub(crate) struct ResultSender<T>(Sender<WorkMessage<T>>);

impl<T> ResultSender<T> {
    /// Sends a preliminary result.
    pub(crate) fn hand_out(&self, result: T) {
        // Sending fails only if the work was abandoned and the receiver is gone.
        let _ = self.0.send(WorkMessage::Preliminary(result));
    }
}

enum WorkMessage<T> {
    Preliminary(T),
    End(Result<T, String>),
}

/// Runs `work` on a separate thread. When a limit of the allowance is reached, `stop` is raised.
pub(crate) fn run<T: Send + 'static>(
    allowance: Allowance,
    stop: &StopFlag,
    work: impl FnOnce(&ResultSender<T>) -> T + Send + 'static,
) -> WorkEnd<T> {
    let (sender, receiver) = channel();
    let results = ResultSender(sender.clone());
    let spawned = std::thread::Builder::new().name("work".into()).stack_size(LARGE_STACK).spawn(move || {
        let result = catch_unwind(AssertUnwindSafe(|| with_large_stack(|| work(&results))));
        let _ = sender.send(WorkMessage::End(result.map_err(|panic| panic_text(&*panic))));
    });
    if let Err(error) = spawned {
        return WorkEnd::Panicked(format!("cannot start a thread: {error}"));
    }
    let start = Instant::now();
    let mut deadline = allowance.time.map(|t| (start + t, LimitKind::Time));
    let mut stopped: Option<LimitKind> = None;
    let mut preliminary = None;
    loop {
        match receiver.recv_timeout(TICK) {
            Ok(WorkMessage::End(Ok(result))) => return WorkEnd::Done(result),
            Ok(WorkMessage::End(Err(panic))) => return WorkEnd::Panicked(panic),
            Ok(WorkMessage::Preliminary(result)) => {
                preliminary = Some(result);
                exit::report_when_interrupted();
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => {
                return WorkEnd::Panicked("the worker thread ended without a result".into());
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if exit::is_interrupted() {
            stop.raise(LimitKind::Interrupted);
            // `exit::report_when_interrupted` may have been called just before the result is sent.
            if preliminary.is_none()
                && let Ok(WorkMessage::Preliminary(result)) = receiver.recv_timeout(ON_ITS_WAY)
            {
                preliminary = Some(result);
            }
            return WorkEnd::Abandoned(LimitKind::Interrupted, preliminary);
        }
        let now = Instant::now();
        if stopped.is_none() && resident_memory().is_some_and(|bytes| bytes > allowance.memory) {
            deadline = Some((now, LimitKind::Memory));
        }
        match (deadline, stopped) {
            (Some((at, kind)), None) if now >= at => {
                stop.raise(kind);
                stopped = Some(kind);
                deadline = Some((now + GRACE, kind));
            }
            (Some((at, _)), Some(kind)) if now >= at => return WorkEnd::Abandoned(kind, preliminary),
            _ => {}
        }
    }
}

/// Runs `work` on a thread with a large stack and waits for it. The error is the message of a panic.
pub(crate) fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    tsl_synth_core::base::on_large_stack(work).map_err(|failed| match failed {
        NoResult::NoStack(error) => format!("cannot start a thread: {error}"),
        NoResult::Panic(panic) => panic_text(&*panic),
    })
}
