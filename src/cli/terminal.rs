//! Output on terminals: escaping, colors, progress, and writing to standard output without panics.

use crate::flags::{ColorChoice, ProgressChoice as ProgressArg};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tsl_synth_core::base::is_deceptive;
use tsl_synth_service::{Counter, Event, Observer, Phase, SessionObserver};

/// The text with deceptive characters written as `\u{..}`, except those that `keep` accepts.
fn escape_unless(text: &str, keep: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_deceptive(c) && !keep(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// A name or a single line, escaped for a terminal.
pub(crate) fn escape(text: &str) -> String {
    escape_unless(text, |_| false)
}

/// Lines, escaped for a terminal except for their line feeds.
pub(crate) fn escape_lines(text: &str) -> String {
    escape_unless(text, |c| c == '\n')
}

/// Whether standard error gets colors.
pub(crate) fn wants_color(when: ColorChoice) -> bool {
    wants_color_on(when, &std::io::stderr())
}

/// Whether this stream gets colors.
pub(crate) fn wants_color_on(when: ColorChoice, stream: &impl IsTerminal) -> bool {
    match when {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
                && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
                && stream.is_terminal()
        }
    }
}

/// Writes to standard output. A closed pipe is not an error.
///
/// # Errors
/// Any other failure.
pub(crate) fn print(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Writes to standard error; there is nowhere to report a failure to.
pub(crate) fn eprint(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

/// Shows the phases of long work on a terminal; nothing during the first moments.
pub(crate) struct Spinner {
    enabled: bool,
    start: Instant,
    bar: Mutex<Option<ProgressBar>>,
}

impl Spinner {
    /// A spinner that is shown only on a terminal.
    pub(crate) fn new(progress: ProgressArg, quiet: bool) -> Self {
        let enabled = progress == ProgressArg::Auto && !quiet && std::io::stderr().is_terminal();
        Self { enabled, start: Instant::now(), bar: Mutex::new(None) }
    }
    fn show(&self, update: impl FnOnce(&ProgressBar)) {
        if !self.enabled || self.start.elapsed() < Duration::from_millis(300) {
            return;
        }
        let mut bar = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        update(bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{spinner} [{elapsed}] {prefix} {wide_msg}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        }));
    }
    /// Removes the spinner from the terminal.
    pub(crate) fn clear(&self) {
        if let Some(bar) = self.bar.lock().unwrap_or_else(PoisonError::into_inner).take() {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Spinner {
    fn phase(&self, phase: Phase) {
        self.show(|bar| {
            bar.set_prefix(phase.to_string());
            bar.set_message("");
        });
    }
    fn count(&self, what: Counter, value: u64) {
        self.show(|bar| bar.set_message(format!("{value} {what}")));
    }
}

impl SessionObserver for Spinner {
    fn event(&self, event: Event<'_>) {
        // The verdict is printed next; a new spinner then appears below it.
        if matches!(event, Event::Verdict { .. }) {
            self.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_deceptive_reaches_a_terminal() {
        assert_eq!(escape("a\u{1b}[31mb\u{202e}c\n"), "a\\u{1b}[31mb\\u{202e}c\\u{a}");
        assert_eq!(escape_lines("ä → b\nc\r"), "ä → b\nc\\u{d}");
    }
}
