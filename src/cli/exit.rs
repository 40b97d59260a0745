//! The exit codes, and ending the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tsl_synth_documents::CheckVerdict;

/// How a run ended. The numbers are the exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Realizable, holds, accepted, written.
    Yes = 0,
    /// Unrealizable, violated.
    No = 1,
    /// The input or the call is wrong.
    Wrong = 2,
    /// A limit was reached.
    Unknown = 3,
    /// An internal error, or an answer failed its own certificate check.
    Internal = 4,
    /// A signal interrupted it.
    Interrupted = 130,
}

impl Exit {
    /// The exit code of a verdict.
    pub(crate) fn of(verdict: CheckVerdict) -> Self {
        match verdict {
            CheckVerdict::Realizable => Self::Yes,
            CheckVerdict::Unrealizable => Self::No,
            CheckVerdict::Unknown => Self::Unknown,
            CheckVerdict::Error => Self::Wrong,
        }
    }
    /// The worse of two in the order 130 > 4 > 2 > 1 > 3 > 0.
    pub(crate) fn worst(self, other: Self) -> Self {
        let rank = |exit| match exit {
            Self::Interrupted => 5,
            Self::Internal => 4,
            Self::Wrong => 3,
            Self::No => 2,
            Self::Unknown => 1,
            Self::Yes => 0,
        };
        if rank(other) > rank(self) { other } else { self }
    }
    /// The exit code of the competition: 10 realizable, 20 unrealizable, 0 unknown.
    pub(crate) fn syntcomp(self) -> i32 {
        match self {
            Self::Yes => 10,
            Self::No => 20,
            Self::Unknown => 0,
            Self::Wrong | Self::Internal | Self::Interrupted => self.code(),
        }
    }
    /// The exit code.
    pub(crate) fn code(self) -> i32 {
        self as i32
    }
}

/// Held while a file is written, so that an interrupt does not leave an incomplete or temporary file.
static WRITING: Mutex<()> = Mutex::new(());

/// Runs `write` to its end even if there is an interrupt.
pub(crate) fn uninterrupted<T>(write: impl FnOnce() -> T) -> T {
    let _guard = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    write()
}

/// Whether the command reports its results so far after an interrupt.
static HAS_RESULTS: AtomicBool = AtomicBool::new(false);
/// Whether Ctrl-C was pressed while a command handles interrupts itself.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// How long the command may take to report what it has found so far.
const REPORT_TIME: Duration = Duration::from_secs(1);

/// From now on the first interrupt does not end the process at once: the command reports what it has found so far and
/// ends with exit code 130.
pub(crate) fn report_when_interrupted() {
    HAS_RESULTS.store(true, Ordering::SeqCst);
}

/// Whether there was an interrupt after `report_when_interrupted`.
pub(crate) fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// Installs the handler of Ctrl-C, SIGTERM and SIGHUP. It ends the process with exit code 130: at once at a second
/// interrupt or if there are no results to report, else after `REPORT_TIME` at the latest. It runs on its own thread,
/// so it need not wait for the engines.
pub(crate) fn exit_on_interrupt() {
    // If the handler cannot be installed, the default action of the signals remains.
    let _ = ctrlc::set_handler(|| {
        if HAS_RESULTS.load(Ordering::SeqCst) && !INTERRUPTED.swap(true, Ordering::SeqCst) {
            std::thread::spawn(|| {
                std::thread::sleep(REPORT_TIME);
                end();
            });
            return;
        }
        end();
    });
}

fn end() {
    let _guard = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    std::process::exit(Exit::Interrupted.code());
}

#[cfg(test)]
mod tests {
    use super::Exit::{Internal, Interrupted, No, Unknown, Wrong, Yes};

    #[test]
    fn the_worst_comes_first() {
        let order = [Yes, Unknown, No, Wrong, Internal, Interrupted];
        for (i, &a) in order.iter().enumerate() {
            for &b in &order[i..] {
                assert_eq!((a.worst(b), b.worst(a)), (b, b));
            }
        }
    }
}
