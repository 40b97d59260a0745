//! Steps of operations that have no budget at hand, counted for the thread that runs them.
//!
//! Stores of guards, formulas and terms are used everywhere, and small questions spend much of their time in them. A
//! [`StopFlag`](super::StopFlag) with a limit adds these steps to the work that budgets tick, so that a limit of
//! counted work means about the same time for every question. Budgets themselves do not count these steps, so the
//! results of engines do not depend on them.

use std::cell::Cell;

/// Steps that count as much as one unit of work.
const STEPS_PER_WORK: u64 = 8;

thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// Counts steps of this thread.
pub fn count(steps: u64) {
    STEPS.set(STEPS.get().wrapping_add(steps));
}

/// The units of work in the steps of this thread since the last call.
pub(super) fn take_work() -> u64 {
    let steps = STEPS.get();
    STEPS.set(steps % STEPS_PER_WORK);
    steps / STEPS_PER_WORK
}

/// Resets the count of this thread.
pub(super) fn forget() {
    STEPS.set(0);
}
