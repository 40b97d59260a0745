//! The questions that follow a verdict: which clauses are at fault, which repairs would help, whether clauses are
//! vacuous or redundant. Each has its own budget of counted work.

use super::ports::Clock;
use super::tuning::{HEALTH_SIZE, LONG_QUESTION_MEMORY, LONG_QUESTION_ROUNDS};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tsl_synth_core::base::StopFlag;
use tsl_synth_core::model::{Counter, Observer, Phase};
use tsl_synth_engine::synth::SolverOptions;
use tsl_synth_lang::spec::Problem;

/// The options of the questions that follow a verdict, with this stop flag. They run on one thread, so that their
/// counted work is reproducible.
pub(super) fn questions(options: &SolverOptions, stop: StopFlag, rounds: u32, memory: u64) -> SolverOptions {
    let memory = options.memory.min(memory);
    SolverOptions { stop, rounds, threads: 1, memory, friendly: false, ..options.clone() }
}

/// The options of questions that may take long, with more rounds and memory.
pub(super) fn long_questions(options: &SolverOptions) -> SolverOptions {
    let memory = options.memory.min(LONG_QUESTION_MEMORY);
    SolverOptions { rounds: LONG_QUESTION_ROUNDS, memory, friendly: false, ..options.clone() }
}

/// Whether a contract is small enough to be examined for vacuity.
pub(super) fn is_examined(problem: &Problem) -> bool {
    let sizes = problem.clauses.iter().map(|clause| problem.formulas.size(clause.formula));
    sizes.fold(0u32, u32::saturating_add) <= HEALTH_SIZE
}

/// Passes the progress of the engines on, and records when the certificate check begins.
pub(super) struct CertificateTimer<'a> {
    observer: &'a dyn Observer,
    clock: &'a dyn Clock,
    certificate: Mutex<Option<Duration>>,
}

impl<'a> CertificateTimer<'a> {
    pub(super) fn new(observer: &'a dyn Observer, clock: &'a dyn Clock) -> Self {
        Self { observer, clock, certificate: Mutex::new(None) }
    }
    /// The time since the certificate check began, if it did.
    pub(super) fn certificate(&self) -> Option<Duration> {
        let start = *self.certificate.lock().unwrap_or_else(PoisonError::into_inner);
        start.map(|start| self.clock.now().saturating_sub(start))
    }
}

impl Observer for CertificateTimer<'_> {
    fn phase(&self, phase: Phase) {
        if phase == Phase::Certificate {
            *self.certificate.lock().unwrap_or_else(PoisonError::into_inner) = Some(self.clock.now());
        }
        self.observer.phase(phase);
    }
    fn count(&self, what: Counter, value: u64) {
        self.observer.count(what, value);
    }
}
