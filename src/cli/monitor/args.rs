//! The flags of `monitor`.

use crate::flags::ColorChoice;
use crate::units::time;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;
use tsl_synth_seats::log::LogFormat;

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
    /// Go on reading while the log grows; Ctrl-C ends it
    #[arg(long)]
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
    /// A table: session, line, step, law, standing
    Csv,
}

/// A format by its name.
pub(crate) fn format(text: &str) -> Result<LogFormat, String> {
    LogFormat::from_name(text).ok_or_else(|| {
        let names: Vec<&str> = LogFormat::ALL.iter().map(|format| format.name()).collect();
        format!("the formats are {}", names.join(", "))
    })
}
