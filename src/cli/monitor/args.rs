//! The flags of `monitor`.

use crate::flags::ColorChoice;
use crate::units::time;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;
use tsl_synth_seats::log::LogFormat;
use tsl_synth_service::MonitorGroup;

/// `monitor`
#[derive(Args, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct MonitorArgs {
    /// The policy: TOML, JSON of the same shape, or a JSON list of laws
    pub(crate) policy: PathBuf,
    /// Logs: files, folders, or `-` for standard input [default: the folder of the host that `--from` names]
    #[arg(value_name = "LOG")]
    pub(crate) logs: Vec<PathBuf>,
    /// Format of the logs [default: recognized by their beginning]
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    pub(crate) from: Option<LogFormat>,
    /// Only numbers, law by law: judged, kept, violated, undecidable; and the first violations
    #[arg(long)]
    pub(crate) stats: bool,
    /// At each violation say which laws, and why they are there
    #[arg(long)]
    pub(crate) blame: bool,
    /// Report whether the log is safe, with each change of the propositions up to the first unsafe one
    #[arg(long, conflicts_with = "stats")]
    pub(crate) query: bool,
    /// Count the sessions of each day, agent, model, service or file, too
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) group_by: Option<GroupBy>,
    /// Only sessions that begin at this time or later: 2026-11-01, 2026-11-01T08:00:00Z, or 7d ago
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) since: Option<i64>,
    /// Only sessions that begin before this time
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) until: Option<i64>,
    /// Go on reading while logs grow and, in a folder, new ones appear; numbers go to the file of `-o`, which is written
    /// anew; Ctrl-C ends it
    #[arg(long, conflicts_with_all = ["letters", "query"])]
    pub(crate) follow: bool,
    /// Write the letters as a table to this file: what `emit POLICY --lang sql` folds
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) letters: Option<PathBuf>,
    /// Form of the answer
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: MonitorFormat,
    /// Write the answer to this file, whole or not at all
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    /// Say nothing on standard error but errors
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,
    /// Colors
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) color: ColorChoice,
    /// Stop compiling the policy after this time, such as 500ms, 60s [default: none, 300s under CI]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) time_limit: Option<Duration>,
}

/// The form of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum MonitorFormat {
    /// For people
    #[default]
    Text,
    /// JSON lines: one for each event that says something, then one for all
    Json,
    /// A table: session, line, step, law, standing, time, agent, service, model, file; with `--stats` or `--group-by`
    /// of the numbers
    Csv,
    /// The numbers as metrics, in the text format of Prometheus
    Prometheus,
}

/// The property by which sessions are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GroupBy {
    /// The day on which they begin, in UTC
    Day,
    /// The agent that is named first
    Agent,
    /// The model that the agent uses
    Model,
    /// The service that runs the agent
    Service,
    /// The file of the log
    File,
}

impl GroupBy {
    /// The name of the column.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Agent => "agent",
            Self::Model => "model",
            Self::Service => "service",
            Self::File => "file",
        }
    }
}

impl From<GroupBy> for MonitorGroup {
    fn from(by: GroupBy) -> Self {
        match by {
            GroupBy::Day => Self::Day,
            GroupBy::Agent => Self::Agent,
            GroupBy::Model => Self::Model,
            GroupBy::Service => Self::Service,
            GroupBy::File => Self::File,
        }
    }
}

/// Reads a day, a time, or how long ago, as milliseconds since the Unix epoch.
fn moment(text: &str) -> Result<i64, String> {
    let text = text.trim();
    let whole = if text.len() == 10 { format!("{text}T00:00:00Z") } else { text.to_owned() };
    if let Some(time) = tsl_synth_seats::log::time(&whole) {
        return Ok(time);
    }
    let days = text.strip_suffix('d').and_then(|days| days.parse::<u32>().ok());
    let ago = days.map(|days| Duration::from_secs(u64::from(days) * 86_400));
    let ago =
        ago.or_else(|| text.ends_with(|c: char| c.is_ascii_alphabetic()).then(|| time(text).ok()).flatten());
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let then = ago.and_then(|ago| i64::try_from(now.saturating_sub(ago).as_millis()).ok());
    then.ok_or_else(|| {
        "expected a day such as `2026-11-01`, a time such as `2026-11-01T08:00:00Z`, or how long ago: `7d`, `12h`"
            .to_owned()
    })
}

/// A format by its name.
pub(crate) fn format(text: &str) -> Result<LogFormat, String> {
    LogFormat::from_name(text).ok_or_else(|| {
        let names: Vec<&str> = LogFormat::ALL.iter().map(|format| format.name()).collect();
        format!("the formats are {}", names.join(", "))
    })
}
