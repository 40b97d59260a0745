//! Counts of irregularities in a log.

use std::collections::BTreeMap;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};

/// At most this many unreadable lines are listed with their line numbers.
const LISTED: usize = 8;

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenLine {
    /// Its number, from 1 on.
    pub line: u64,
    /// What is wrong with it.
    pub why: String,
}

/// Counts of what a log lacks, repeats, or has in an unknown form. None of these ends the reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogNotes {
    /// Lines, or records of a document.
    pub lines: u64,
    /// Lines and records of an unknown kind. They are skipped.
    pub unknown_lines: u64,
    /// Lines that are not JSON. They are skipped.
    pub broken_lines: u64,
    /// The first broken lines, at most 8.
    pub first_broken: Vec<BrokenLine>,
    /// The number of the last line of the log, if it is incomplete: its writer is still running or was stopped. It is
    /// not among the broken lines.
    pub torn_line: Option<u64>,
    /// Results whose outcome the log does not contain. Laws are judged for both outcomes.
    pub untold_outcomes: u64,
    /// Calls whose arguments the log does not have: they are `null`.
    pub untold_arguments: u64,
    /// Calls whose arguments are a text that is not JSON: they are that text.
    pub broken_arguments: u64,
    /// Speech whose text the log does not have: it is not reported as a message.
    pub untold_speech: u64,
    /// Calls logged again with the same id and arguments: they are reported once.
    pub repeated_calls: u64,
    /// Results logged again: the first counts.
    pub repeated_results: u64,
    /// Results of calls that the log does not have, or that were logged long before.
    pub results_without_call: u64,
    /// Calls whose result never came.
    pub calls_without_result: u64,
    /// Calls that the host or a hook refused. They were not made, and are not reported.
    pub refused_calls: u64,
    /// Calls by the user of the agent. They are not the agent's.
    pub user_calls: u64,
    /// Files in an archive that could not be read.
    pub unread_files: u64,
    /// Records of a journal that do not follow the record before them: records were removed, changed or exchanged.
    pub journal_faults: u64,
    /// The first of them.
    pub first_journal_faults: Vec<BrokenLine>,
    /// Blocks in messages that are not understood, by their types. They are skipped.
    pub unknown_blocks: BTreeMap<String, u64>,
    /// Sessions.
    pub sessions: u64,
}

/// At most so many types of blocks that are not understood are listed.
const MOST_TYPES: usize = 8;

impl LogNotes {
    /// Counts a record of a journal that does not follow the one before it.
    pub(super) fn journal_fault(&mut self, line: u64, why: String) {
        self.journal_faults += 1;
        if self.first_journal_faults.len() < LISTED {
            self.first_journal_faults.push(BrokenLine { line, why });
        }
    }
    pub(super) fn broken(&mut self, line: u64, why: &serde_json::Error) {
        self.broken_lines += 1;
        if self.first_broken.len() < LISTED {
            let why = why.to_string();
            // The number of the line within the text of the line is always 1.
            let why = why.split(" at line ").next().unwrap_or_default().to_owned();
            self.first_broken.push(BrokenLine { line, why });
        }
    }
    /// The notes as findings: warnings for parts that were not read, notes for all other counts.
    pub fn findings(&self) -> Diagnostics {
        let mut all = Diagnostics::new();
        for broken in &self.first_broken {
            let message = format!("line {} of the log is not JSON: {}", broken.line, broken.why);
            all.push(Diagnostic::warning(Code::LOG_BROKEN_LINE, message));
        }
        let more = self.broken_lines.saturating_sub(self.first_broken.len() as u64);
        if more > 0 {
            let message = format!("further lines of the log that are not JSON: {more}");
            all.push(Diagnostic::warning(Code::LOG_BROKEN_LINE, message));
        }
        for fault in &self.first_journal_faults {
            let message = format!("line {} of the journal: {}", fault.line, fault.why);
            all.push(Diagnostic::warning(Code::LOG_CHANGED, message));
        }
        let more = self.journal_faults.saturating_sub(self.first_journal_faults.len() as u64);
        if more > 0 {
            let message =
                format!("further lines of the journal that do not follow the line before them: {more}");
            all.push(Diagnostic::warning(Code::LOG_CHANGED, message));
        }
        if let Some(line) = self.torn_line {
            let message =
                format!("line {line}, the last line of the log, ends in the middle; it is passed over");
            all.push(Diagnostic::warning(Code::LOG_TORN, message));
        }
        if self.unread_files > 0 {
            let message = format!("files of the archive that could not be read: {}", self.unread_files);
            all.push(Diagnostic::warning(Code::LOG_UNREAD, message));
        }
        if !self.unknown_blocks.is_empty() {
            let named = self.unknown_blocks.iter().take(MOST_TYPES);
            let mut named: Vec<String> = named.map(|(kind, count)| format!("`{kind}`: {count}")).collect();
            let more = self.unknown_blocks.len().saturating_sub(MOST_TYPES);
            named.extend((more > 0).then(|| format!("further types: {more}")));
            let message =
                format!("blocks of messages of types that are not known are not read: {}", named.join(", "));
            all.push(Diagnostic::warning(Code::LOG_PASSED_OVER, message));
        }
        for (count, what) in [
            (
                self.untold_outcomes,
                "results that the log does not mark as ok or failed; laws are judged for both outcomes",
            ),
            (self.untold_arguments, "calls without arguments in the log"),
            (self.broken_arguments, "calls whose arguments are not JSON; they are taken as text"),
            (self.untold_speech, "messages without text in the log"),
            (self.calls_without_result, "calls whose result never came"),
        ] {
            if count > 0 {
                all.push(Diagnostic::note(Code::LOG_UNTOLD, format!("{what}: {count}")));
            }
        }
        for (count, what) in [
            (self.unknown_lines, "records of an unknown kind; they are skipped"),
            (self.repeated_calls, "calls that the log tells again; they count once"),
            (self.repeated_results, "results that the log tells again; the first counts"),
            (self.results_without_call, "results whose call the log does not tell"),
            (self.refused_calls, "calls that were refused and not made"),
            (self.user_calls, "calls by the user of the agent, which are not the agent's"),
        ] {
            if count > 0 {
                all.push(Diagnostic::note(Code::LOG_PASSED_OVER, format!("{what}: {count}")));
            }
        }
        all
    }
}
