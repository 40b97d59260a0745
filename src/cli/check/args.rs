//! The flags of `check`.

use super::report_file::{ReportFile, ReportForm};
use crate::flags::{Deny, EngineArgs, ExitCodes, InputArgs, OutputArgs, OutputFormat};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use tsl_synth_seats::log::LogFormat;
use tsl_synth_service::Hints;

/// `check`
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "flags are bools")]
pub(crate) struct CheckArgs {
    /// Form of the result [default: text]
    #[arg(long = "format", value_enum, value_name = "FORMAT", help_heading = "Output")]
    pub(crate) given_format: Option<OutputFormat>,
    /// The form of the result: from the flag, else from the project file
    #[arg(skip)]
    pub(crate) format: OutputFormat,
    /// Check every file by itself, several at a time; the exit code is the worst one. A folder among the files implies it
    #[arg(long)]
    pub(crate) each: bool,
    /// Check again whenever one of the files changes, imports included, until Ctrl-C
    #[arg(long, conflicts_with_all = ["evidence", "write_baseline"])]
    pub(crate) watch: bool,
    /// With `--each`, at most this many specifications at a time [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) jobs: Option<u32>,
    /// Failures that this file lists are known and do not fail the run
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write what fails now into the baseline; entries of specifications that are not checked stay
    #[arg(long)]
    pub(crate) write_baseline: bool,
    /// Keep verdicts with their strategies in this folder; one that is there is certified again instead of solved
    #[arg(long, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,
    /// Write evidence that other programs can replay into this folder, which is new or empty: `help verdicts`
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) evidence: Option<PathBuf>,
    /// Write a certificate of the verdict, which the program `tsl-check` checks, into this file: `help certificate`
    #[arg(long, value_name = "FILE", help_heading = "Output", conflicts_with = "watch")]
    pub(crate) certificate: Option<PathBuf>,
    /// Append a table of the results to this file, in Markdown
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) summary: Option<PathBuf>,
    /// Write the result in this form to this file as well: json, github, sarif, junit, markdown; may be given more than once
    #[arg(long, value_name = "FORMAT=FILE", value_parser = super::report_file::report_file, help_heading = "Output")]
    pub(crate) report: Vec<ReportFile>,
    /// Exit codes: ours, or 10/20/0 for realizable/unrealizable/unknown
    #[arg(long, value_enum, default_value_t)]
    pub(crate) exit_code: ExitCodes,
    /// Findings that make the exit code 1: `critical` (the default), `warnings`, or a code such as TSL0123
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "critical", value_delimiter = ',')]
    pub(crate) deny: Vec<Deny>,
    /// How much is reported besides the verdict: `brief` is what is found in a second or two
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) hints: HintsArg,
    /// Only the verdict: `--hints none`, and no smaller machine than the first
    #[arg(long, conflicts_with = "hints")]
    pub(crate) verdict_only: bool,
    /// Print what the engines did
    #[arg(long, help_heading = "Output")]
    pub(crate) stats: bool,
    /// Hold a transcript to an `.agent` behavior (a text with prompts, or a list of states), or a policy to a log (a file
    /// or a folder); may be given more than once
    #[arg(long, value_name = "FILE")]
    pub(crate) against: Vec<PathBuf>,
    /// Format of the logs given to `--against` [default: recognized by their beginning]
    #[arg(long, value_name = "FORMAT", value_parser = crate::monitor::args::format, requires = "against")]
    pub(crate) from: Option<LogFormat>,
    /// List, for each table of a policy about shell commands, equivalent and similar commands, each with whether the table
    /// matches and what the gate decides
    #[arg(long, conflicts_with = "verdict_only", help_heading = "Output")]
    pub(crate) spellings: bool,
    /// Read sentences as laws over the names of the policy, and print their LTL: a text, or a file with some in each
    /// line; may be given more than once
    #[arg(long, value_name = "FILE|TEXT", conflicts_with = "against", help_heading = "Sentences")]
    pub(crate) from_nl: Vec<String>,
    /// Who translates sentences that no built-in pattern reads: `script:FILE`, `cmd:PROGRAM ARGS..`, `http:URL`
    #[arg(long, value_name = "ORACLE", requires = "from_nl", help_heading = "Sentences")]
    pub(crate) oracle: Option<String>,
    #[command(flatten)]
    pub(crate) access: crate::oracles::AccessArgs,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl CheckArgs {
    /// Whether the result is written in this form.
    pub(super) fn writes(&self, format: OutputFormat) -> bool {
        self.format == format || self.report.iter().any(|report| report.form == ReportForm::Result(format))
    }
    /// Whether a table in Markdown is written.
    pub(super) fn has_table(&self) -> bool {
        self.summary.is_some() || self.report.iter().any(|report| report.form == ReportForm::Markdown)
    }
}

/// How much `check` reports besides the verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum HintsArg {
    /// No explanation and no semantic warnings
    None,
    /// What is found with a small amount of counted work
    #[default]
    Brief,
    /// Everything, however long it takes
    Full,
}

impl HintsArg {
    /// The corresponding option of the library.
    pub(crate) fn service(self) -> Hints {
        match self {
            Self::None => Hints::None,
            Self::Brief => Hints::Brief,
            Self::Full => Hints::Full,
        }
    }
}
