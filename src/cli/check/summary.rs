//! The results of all specifications together: the closing line, and the table of `--summary`.

use super::CheckedSpec;
use crate::check::args::CheckArgs;
use crate::exit::Exit;
use crate::terminal::escape;
use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use tsl_synth_core::base::counted;
use tsl_synth_documents::CheckVerdict;

/// The largest number of rows; build servers limit the size of the page on which the table is shown.
const ROWS: usize = 1000;
/// The largest length of a reason, in characters.
const REASON: usize = 300;

/// Counts, and the rows of the table.
#[derive(Debug, Default)]
pub(super) struct Tally {
    realizable: usize,
    unrealizable: usize,
    unknown: usize,
    errors: usize,
    /// Realizable or unknown, with findings that are denied.
    denied: usize,
    known: usize,
    /// Files without guarantees.
    modules: usize,
    rows: Vec<String>,
}

impl Tally {
    /// Counts a result with its exit code. A `module` is a file without guarantees that was found in a folder or by a
    /// glob.
    pub(super) fn add(&mut self, answer: &CheckedSpec, exit: Exit, module: bool, args: &CheckArgs) {
        if module {
            self.modules += 1;
            return;
        }
        let verdict = answer.verdict();
        match verdict {
            CheckVerdict::Realizable => self.realizable += 1,
            CheckVerdict::Unrealizable => self.unrealizable += 1,
            CheckVerdict::Unknown => self.unknown += 1,
            CheckVerdict::Error => self.errors += 1,
        }
        self.known += usize::from(answer.known);
        let refused = exit == Exit::No && verdict != CheckVerdict::Unrealizable;
        self.denied += usize::from(refused);
        if !args.has_table() {
            return;
        }
        let result = answer.result(false);
        let mut why = match &answer.answer {
            Err(failure) => failure.to_string(),
            Ok(_) => result.reason.unwrap_or_default(),
        };
        if refused {
            let codes: Vec<String> = answer.denied(&args.deny).iter().map(ToString::to_string).collect();
            why = format!("denied: {} {why}", codes.join(", "));
        }
        let cut = if why.chars().count() > REASON { " ..." } else { "" };
        let why: String = why.chars().take(REASON).collect();
        let known = if answer.known { " (known)" } else { "" };
        self.rows.push(format!(
            "| {} | {verdict}{known} | {:.1} | {}{cut} |\n",
            cell(&answer.name),
            result.seconds,
            cell(why.trim()),
        ));
    }

    /// How many specifications there were.
    pub(super) fn specifications(&self) -> usize {
        self.realizable + self.unrealizable + self.unknown + self.errors
    }

    /// The closing line.
    pub(super) fn line(&self) -> String {
        let Self { realizable, unrealizable, unknown, errors, .. } = self;
        let mut line = format!(
            "{}: {realizable} realizable, {unrealizable} unrealizable, {unknown} unknown, {}",
            counted(self.specifications(), "specification"),
            counted(errors, "error"),
        );
        if self.known > 0 {
            let _ = write!(line, "; {}", counted(self.known, "known failure"));
        }
        if self.denied > 0 {
            let _ = write!(line, "; {} with denied findings", self.denied);
        }
        if self.modules > 0 {
            let _ = write!(line, "; {} without guarantees left out", counted(self.modules, "file"));
        }
        line
    }

    /// Appends the table to a file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn append_to(&self, file: &Path) -> Result<()> {
        let append = || {
            let mut target = std::fs::OpenOptions::new().append(true).create(true).open(file)?;
            target.write_all(self.table().as_bytes())
        };
        append().with_context(|| format!("cannot write `{}`", file.display()))
    }

    /// The table in Markdown.
    pub(super) fn table(&self) -> String {
        let mut text = String::from("### tsl-synth check\n\n| specification | verdict | seconds | why |\n");
        text.push_str("|---|---|---:|---|\n");
        text.extend(self.rows.iter().take(ROWS).map(String::as_str));
        if let Some(more) = self.rows.len().checked_sub(ROWS).filter(|&more| more > 0) {
            let _ = writeln!(text, "| and {more} more | | | |");
        }
        let _ = write!(text, "\n{}\n\n", self.line());
        text
    }
}

/// A cell of a Markdown table, escaped so that nothing in it is markup.
fn cell(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in escape(text).chars() {
        match c {
            c if c.is_ascii_punctuation() && !matches!(c, '.' | ',' | '/' | '-' | ':' | '(' | ')' | '\'') => {
                let _ = write!(out, "&#{};", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_only_text() {
        assert_eq!(
            cell("a|b`<script>\n[x](y) @z"),
            "a&#124;b&#96;&#60;script&#62;&#92;u&#123;a&#125;&#91;x&#93;(y) &#64;z"
        );
    }

    #[test]
    fn the_closing_line() {
        let tally = Tally { realizable: 1, ..Tally::default() };
        assert_eq!(tally.line(), "1 specification: 1 realizable, 0 unrealizable, 0 unknown, 0 errors");
        let tally = Tally { unrealizable: 2, errors: 1, known: 1, denied: 3, modules: 1, ..Tally::default() };
        assert_eq!(
            tally.line(),
            "3 specifications: 0 realizable, 2 unrealizable, 0 unknown, 1 error; 1 known failure; 3 with \
             denied findings; 1 file without guarantees left out"
        );
    }
}
