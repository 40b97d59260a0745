//! Events of traces, each with its time.

use tsl_synth_core::model::{CallOutcome, JsonText, Speaker};

/// An event that a record reports.
#[derive(Debug)]
pub(super) enum TimelineEvent {
    Message(Speaker, String),
    /// All messages of the user so far; only the new ones are reported.
    Heard(Vec<String>),
    Call {
        id: String,
        name: String,
        server: Option<String>,
        arguments: Option<String>,
    },
    Result {
        call: String,
        /// `None` if the record does not tell it.
        outcome: Option<CallOutcome>,
        result: Option<JsonText<'static>>,
    },
    End,
}

/// One event of a trace.
#[derive(Debug)]
pub(super) struct Moment {
    pub(super) session: String,
    pub(super) agent: Option<String>,
    /// Microseconds since 1970.
    pub(super) time: Option<i64>,
    /// The order of moments with the same time.
    pub(super) order: String,
    /// The number of the record.
    pub(super) record: u64,
    pub(super) what: TimelineEvent,
}
