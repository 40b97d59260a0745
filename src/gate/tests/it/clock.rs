//! A time that tests move. Each test has a thread, and a clock, of its own.

use std::sync::atomic::{AtomicI64, Ordering};

thread_local! {
    static CLOCK: AtomicI64 = const { AtomicI64::new(0) };
}

/// The time in milliseconds.
pub(crate) fn now() -> i64 {
    CLOCK.with(|clock| clock.load(Ordering::Relaxed))
}

/// Moves the time.
pub(crate) fn wait(milliseconds: i64) {
    CLOCK.with(|clock| clock.fetch_add(milliseconds, Ordering::Relaxed));
}
