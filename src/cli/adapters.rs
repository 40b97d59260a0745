//! Runs a request of the library with the files, clock, progress display and limits of the command line.

use crate::cache::DiskCache;
use crate::exit::Exit;
use crate::files::DiskLoader;
use crate::flags::{EngineArgs, OutputArgs, ProgressChoice};
use crate::settings::Settings;
use crate::supervise::{self, ResultSender, WorkEnd};
use crate::terminal::{self, Spinner};
use crate::{output, text};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tsl_synth_core::diag::{Diagnostic, Severity};
use tsl_synth_core::source::SourceMap;
use tsl_synth_service::{
    Clock, Counter, Event, Failure, FailureKind, Limit, LimitKind, Observer, Phase, Session, SessionObserver,
    StopFlag,
};

/// An answer with the texts that its spans point into.
#[derive(Clone, Debug)]
pub(crate) struct WithSources<T> {
    /// What the library answered.
    pub(crate) answer: T,
    /// The texts.
    pub(crate) sources: SourceMap,
}

/// The adapters with which a verb calls the library.
pub(crate) struct Adapters {
    /// The flags about the computation.
    pub(crate) settings: Settings,
    loader: DiskLoader,
    cache: Option<DiskCache>,
    spinner: Arc<Spinner>,
    quiet: bool,
    color: bool,
}

/// The time since its creation.
struct Stopwatch(Instant);

impl Clock for Stopwatch {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Shows progress, and sends the preliminary results that events contain.
struct Watcher<'a, T, F> {
    spinner: &'a Spinner,
    results: &'a ResultSender<T>,
    preliminary: F,
}

impl<T: Send, F: Sync> Observer for Watcher<'_, T, F> {
    fn phase(&self, phase: Phase) {
        self.spinner.phase(phase);
    }
    fn count(&self, what: Counter, value: u64) {
        self.spinner.count(what, value);
    }
}

impl<T: Send, F: Fn(Event<'_>) -> Option<T> + Sync> SessionObserver for Watcher<'_, T, F> {
    fn event(&self, event: Event<'_>) {
        self.spinner.event(event);
        if let Some(result) = (self.preliminary)(event) {
            self.results.hand_out(result);
        }
    }
}

impl Adapters {
    /// The adapters of a verb with these flags.
    pub(crate) fn new(engine: &EngineArgs, output: &OutputArgs, import_root: Option<&PathBuf>) -> Self {
        Self {
            settings: Settings::new(engine.clone()),
            loader: DiskLoader::new(import_root.cloned()),
            cache: None,
            spinner: Arc::new(Spinner::new(output.progress, output.quiet)),
            quiet: output.quiet,
            color: terminal::wants_color(output.color),
        }
    }

    /// The same with verdicts kept in this cache.
    pub(crate) fn with_cache(self, cache: Option<DiskCache>) -> Self {
        Self { cache, ..self }
    }

    /// The adapters for each of several simultaneous requests, which show no progress and share memory and cores.
    pub(crate) fn shared(&self, requests: u32) -> Self {
        Self {
            settings: self.settings.shared(requests),
            loader: self.loader.clone(),
            cache: self.cache.clone(),
            spinner: Arc::new(Spinner::new(ProgressChoice::Never, self.quiet)),
            ..*self
        }
    }

    /// Asks the library. `preliminary` makes a preliminary answer from an event; the last one is used if the work does
    /// not end in time.
    pub(crate) fn ask_with<T: Send + 'static>(
        &self,
        preliminary: impl Fn(Event<'_>) -> Option<WithSources<T>> + Send + Sync + 'static,
        request: impl FnOnce(&mut Session<'_>) -> T + Send + 'static,
    ) -> WorkEnd<WithSources<T>> {
        let stop = StopFlag::new();
        let (loader, spinner, cancel) = (self.loader.clone(), Arc::clone(&self.spinner), stop.clone());
        let cache = self.cache.clone();
        let end = supervise::run(self.settings.allowance, &stop, move |results| {
            let clock = Stopwatch(Instant::now());
            let watcher = Watcher { spinner: &spinner, results, preliminary };
            let mut session = Session::new()
                .with_loader(&loader)
                .with_clock(&clock)
                .with_observer(&watcher)
                .with_cancel(cancel);
            if let Some(cache) = &cache {
                session = session.with_cache(cache);
            }
            let answer = request(&mut session);
            WithSources { answer, sources: session.sources }
        });
        self.spinner.clear();
        end
    }

    /// Asks the library.
    pub(crate) fn ask<T: Send + 'static>(
        &self,
        request: impl FnOnce(&mut Session<'_>) -> T + Send + 'static,
    ) -> WorkEnd<WithSources<T>> {
        self.ask_with(|_| None, request)
    }

    /// Asks the library for a report. If there is none, the reason is printed, and the error is the exit code.
    pub(crate) fn report<T: Send + 'static>(
        &self,
        request: impl FnOnce(&mut Session<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<(T, SourceMap), Exit> {
        let WithSources { answer, sources } = self.ask(request).or_exit()?;
        match answer {
            Ok(report) => Ok((report, sources)),
            Err(failure) => Err(self.failed(&failure, &sources)),
        }
    }

    /// Shows findings of at least this severity, with `--quiet` errors only.
    pub(crate) fn show<'d>(
        &self,
        found: impl IntoIterator<Item = &'d Diagnostic>,
        least: Severity,
        sources: &SourceMap,
    ) {
        let least = if self.quiet { Severity::Error } else { least };
        let shown = found.into_iter().filter(|diagnostic| diagnostic.severity >= least);
        terminal::eprint(&text::render(shown, sources, self.color));
    }

    /// Prints why there is no report, and returns the exit code.
    pub(crate) fn failed(&self, failure: &Failure, sources: &SourceMap) -> Exit {
        self.show(&failure.diagnostics, Severity::Warning, sources);
        match &failure.kind {
            FailureKind::Input => Exit::Wrong,
            FailureKind::NoStrategy { .. } => {
                terminal::eprint(&format!("{}\n", terminal::escape_lines(&failure.reason())));
                Exit::No
            }
            FailureKind::Limit { .. } => {
                terminal::eprint(&format!("unknown: {}\n", terminal::escape_lines(&failure.reason())));
                Exit::Unknown
            }
            FailureKind::Certificate(failed) => output::internal(&failed.to_string()),
            FailureKind::Internal(message) => output::internal(message),
            _ => output::wrong(&failure.reason()),
        }
    }
}

/// The limit to report for work that did not stop in time.
pub(crate) fn not_stopped(kind: LimitKind) -> Limit {
    Limit::new(kind, "the computation did not stop by itself")
}
