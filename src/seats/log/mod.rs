//! Logs of agents: reads the files that hosts write into [`HostEvent`](tsl_synth_core::model::HostEvent)s.
//!
//! A [`LogReader`] takes lines ([`LogReader::feed_line`]) or whole documents ([`LogReader::read_document`]) and passes
//! events to a function as it finds them. Formats change from version to version: unknown records are skipped and
//! counted in [`LogNotes`], never an error.
//!
//! ```
//! use std::ops::ControlFlow;
//! use tsl_synth_seats::log::{LogFormat, LogReader};
//!
//! let mut reader = LogReader::new(LogFormat::Jsonl, "log");
//! let mut calls = 0;
//! let mut sink = |event: &tsl_synth_core::model::HostEvent<'_>| {
//!     calls += u64::from(matches!(event.kind, tsl_synth_core::model::HostEventKind::Call { .. }));
//!     ControlFlow::Continue(())
//! };
//! let _ = reader.feed_line(r#"{"event":"call","id":"c1","tool":"refund","arguments":{"eur":9}}"#, &mut sink);
//! let _ = reader.finish(&mut sink);
//! assert_eq!(calls, 1);
//! assert_eq!(reader.notes().calls_without_result, 1);
//! ```
//!
//! For all formats:
//!
//! - `Start` comes before the first event of a session, `Close` after its last: at the end of the log, unless the log
//!   contains it. `End` is reported when the agent stops of its own accord; the documentation of each format defines
//!   when that is.
//! - A call or result that is logged twice is reported once: it is recognized by the id of the call and, for calls,
//!   their content. The ids of the latest 1024 calls of a session are remembered.
//! - Calls that the host or one of its hooks refused were not made: they are not reported, where the log tells it. So a
//!   call of Claude Code and Codex is reported when its result is known, before all later events of its session.
//! - A result without any mark of failure counts as ok in a format that marks failures. In the others its outcome is not
//!   told, and it is counted in [`LogNotes::untold_outcomes`].
//! - JSON inside of strings is read: `arguments` and results that are strings containing a JSON object or array become
//!   that object or array. Arguments that are not JSON stay a JSON string, and the call is reported.
//! - `mcp__shop__refund` is the tool `refund` of the server `shop`.

mod anthropic;
mod archive;
mod atif;
mod block_calls;
mod blocks;
mod claude;
mod codex;
mod codex_results;
mod session_table;
mod documents;
mod formats;
mod gemini;
mod inspect;
mod jsonl;
mod langfuse;
mod langgraph;
mod lenient;
mod messages;
mod notes;
mod notice;
mod openai;
mod otel;
mod moment;
mod otel_calls;
mod patch;
mod record;
pub(crate) mod shared;
mod python;
mod schedule;
mod sharegpt;
mod shell;
mod tau2;
mod text;
mod timeline;

pub use formats::{LogFolder, LogFormat};
pub use notes::{BrokenLine, LogNotes};
pub use schedule::scheduled_prompt;
pub use session_table::{Sink, split_mcp};
pub use text::time;

use super::journal::JournalEnd;
use claude::ClaudeLog;
use codex::CodexLog;
use documents::{Manner, MessageLog};
use gemini::GeminiLog;
use record::RecordReader;
use serde_json::value::RawValue;
use session_table::SessionTable;
use std::ops::ControlFlow;
use timeline::Timeline;
use tsl_synth_core::diag::{Code, Diagnostic};

/// Reads one log, or several files of one host.
#[derive(Debug)]
pub struct LogReader {
    format: LogFormat,
    name: String,
    sessions: SessionTable,
    line: u64,
    /// The last line, if it is incomplete.
    torn: Option<(u64, serde_json::Error)>,
    /// The last line of a journal.
    journal: JournalEnd,
    running: MessageLog,
    claude: ClaudeLog,
    codex: CodexLog,
    record: RecordReader,
    gemini: GeminiLog,
    timeline: Timeline,
    /// Simulations so far.
    records: u64,
}

impl LogReader {
    /// A reader. `name` is the name of sessions that the log does not name, for example the name of the file.
    pub fn new(format: LogFormat, name: impl Into<String>) -> Self {
        let tells_refusals =
            matches!(format, LogFormat::Claude | LogFormat::Codex | LogFormat::AiSdk | LogFormat::Gemini);
        Self {
            format,
            name: name.into(),
            sessions: SessionTable::new(
                tells_refusals,
                !matches!(format, LogFormat::Jsonl | LogFormat::Record),
            ),
            line: 0,
            torn: None,
            journal: JournalEnd::default(),
            running: MessageLog::default(),
            claude: ClaudeLog::default(),
            codex: CodexLog::default(),
            record: RecordReader::default(),
            gemini: GeminiLog::default(),
            timeline: Timeline::default(),
            records: 0,
        }
    }
    /// The format.
    pub fn format(&self) -> LogFormat {
        self.format
    }
    /// The notes so far.
    pub fn notes(&self) -> &LogNotes {
        &self.sessions.notes
    }
    /// Names the file that is read, for [`SessionOrigin`](tsl_synth_core::model::SessionOrigin).
    pub fn set_file(&mut self, file: impl Into<String>) {
        self.sessions.set_file(file.into());
    }
    /// Sets the number of the next line, for lines of several files that were sorted.
    pub fn set_line(&mut self, number: u64) {
        self.line = number.saturating_sub(1);
    }
    /// Reads the next line, with or without its line end. In a format that is not line-based, a line is a document.
    /// Breaks if the sink does.
    pub fn feed_line(&mut self, line: &str, sink: &mut Sink<'_>) -> ControlFlow<()> {
        self.line += 1;
        let line = text::trimmed(line);
        if line.is_empty() {
            return ControlFlow::Continue(());
        }
        if let Some((number, why)) = self.torn.take() {
            self.sessions.notes.broken(number, &why);
        }
        let read = match self.format {
            LogFormat::Jsonl => {
                self.sessions.notes.lines += 1;
                if jsonl::is_of_journal(line)
                    && let Err(fault) = self.journal.advance(line)
                {
                    self.sessions.notes.journal_fault(self.line, fault.message);
                }
                jsonl::line(&mut self.sessions, &self.name, self.line, line, sink)
            }
            LogFormat::Claude => {
                self.sessions.notes.lines += 1;
                self.claude.line(&mut self.sessions, &self.name, self.line, line, sink)
            }
            LogFormat::Codex => {
                self.sessions.notes.lines += 1;
                self.codex.line(&mut self.sessions, &self.name, self.line, line, sink)
            }
            LogFormat::Record => {
                self.sessions.notes.lines += 1;
                self.record.line(&mut self.sessions, &self.name, self.line, line, sink)
            }
            _ => self.of_document(line, true, sink),
        };
        match read {
            Ok(flow) => flow,
            Err(why) if why.is_eof() => {
                self.torn = Some((self.line, why));
                ControlFlow::Continue(())
            }
            Err(why) => {
                self.sessions.notes.broken(self.line, &why);
                ControlFlow::Continue(())
            }
        }
    }
    fn of_document(
        &mut self,
        text: &str,
        numbered: bool,
        sink: &mut Sink<'_>,
    ) -> Result<ControlFlow<()>, serde_json::Error> {
        let clean = text::without_nan(text);
        let raw: &RawValue = serde_json::from_str(&clean)?;
        let Self { sessions, running, name, timeline, records, gemini, .. } = self;
        Ok(match self.format {
            LogFormat::OpenAi => openai::document(sessions, running, name, numbered, raw, sink),
            LogFormat::Anthropic => anthropic::document(sessions, running, name, numbered, raw, sink),
            LogFormat::AiSdk | LogFormat::Bedrock => {
                let manner = Manner { name, marks_failures: true, numbered };
                documents::document(sessions, running, manner, raw, sink)
            }
            LogFormat::Gemini => gemini::document(sessions, gemini, name, numbered, raw, sink),
            LogFormat::ShareGpt => sharegpt::document(sessions, name, records, raw, sink),
            LogFormat::LangGraph => {
                let manner = Manner { name, marks_failures: true, numbered };
                langgraph::document(sessions, running, timeline, manner, raw, sink)
            }
            LogFormat::Otel => {
                otel::document(sessions, timeline, name, raw);
                ControlFlow::Continue(())
            }
            LogFormat::Langfuse => {
                langfuse::document(sessions, timeline, name, raw);
                ControlFlow::Continue(())
            }
            LogFormat::Inspect => inspect::document(sessions, name, raw, sink),
            LogFormat::Atif => atif::document(sessions, name, records, raw, sink),
            LogFormat::Tau2 => tau2::document(sessions, name, records, raw, sink),
            LogFormat::Jsonl | LogFormat::Claude | LogFormat::Codex | LogFormat::Record => {
                ControlFlow::Continue(())
            }
        })
    }
    /// Reads a whole log, line-based or not. Breaks if the sink does. Call [`Self::finish`] afterwards, too.
    ///
    /// # Errors
    /// If the log is not JSON and none of its lines is, or if it is an archive that is damaged, has no samples or is
    /// too large.
    pub fn read_document(
        &mut self,
        bytes: &[u8],
        sink: &mut Sink<'_>,
    ) -> Result<ControlFlow<()>, Diagnostic> {
        if self.format == LogFormat::Inspect && archive::is_archive(bytes) {
            return inspect::archive(&mut self.sessions, bytes, sink);
        }
        let text = String::from_utf8_lossy(bytes);
        let document = text::trimmed(&text);
        if !self.format.is_line_based()
            && let Ok(flow) = self.of_document(document, false, sink)
        {
            return Ok(flow);
        }
        let before = self.sessions.notes.broken_lines;
        let mut read = 0u64;
        for line in text.lines() {
            read += u64::from(!text::trimmed(line).is_empty());
            if self.feed_line(line, sink).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        let broken = self.sessions.notes.broken_lines - before + u64::from(self.torn.is_some());
        if read > 0 && broken == read {
            let why = self.sessions.notes.first_broken.last().map(|line| line.why.clone());
            let why = why.or_else(|| self.torn.as_ref().map(|(_, why)| why.to_string())).unwrap_or_default();
            let message = format!("the log is not JSON: {why}");
            return Err(Diagnostic::error(Code::LOG_NOT_READ, message));
        }
        Ok(ControlFlow::Continue(()))
    }
    /// Ends a file, which another one of the same host follows: line numbers start again, sessions stay open.
    pub fn next_file(&mut self, name: impl Into<String>, sink: &mut Sink<'_>) -> ControlFlow<()> {
        self.file_ends(sink)?;
        self.line = 0;
        self.journal = JournalEnd::default();
        self.name = name.into();
        ControlFlow::Continue(())
    }
    fn file_ends(&mut self, sink: &mut Sink<'_>) -> ControlFlow<()> {
        if let Some((line, _)) = self.torn.take() {
            self.sessions.notes.torn_line = Some(line);
        }
        self.claude.flush(&mut self.sessions, sink)?;
        self.codex.finish(&mut self.sessions, &self.name, sink)?;
        self.gemini.finish(&mut self.sessions, sink)?;
        documents::finish(&mut self.sessions, &mut self.running, &self.name, sink)
    }
    /// Ends the log: reports the events that had to be sorted, and closes the open sessions.
    pub fn finish(&mut self, sink: &mut Sink<'_>) -> ControlFlow<()> {
        self.file_ends(sink)?;
        self.timeline.emit(&mut self.sessions, sink)?;
        self.sessions.close_all(sink)
    }
}
