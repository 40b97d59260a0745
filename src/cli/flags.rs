//! Flags that several verbs have.

pub(crate) use crate::choices::{
    ColorChoice, Deny, DialectArg, EngineArg, ExitCodes, InputFormat, InputFormatParser, OutputFormat,
    ProgressChoice, SchemaName,
};
use crate::units::{memory, time};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;
use tsl_synth_service::{OnBroken, Prefer};

/// Where the specification comes from.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Input")]
pub(crate) struct InputArgs {
    /// Files that together are one specification; `-` is standard input; `check` also takes folders
    /// and globs. Without any: what `tsl-synth.toml` names in this folder or above, else the only
    /// specification in this folder
    #[arg(value_name = "SPEC", help_heading = None::<&str>)]
    pub(crate) specs: Vec<PathBuf>,
    /// The language of standard input, which is else known by its text, and of files whose ending
    /// does not tell it
    #[arg(long, value_parser = InputFormatParser, value_name = "LANG")]
    pub(crate) input_format: Option<InputFormat>,
    /// The dialect of TSL, which determines the precedence of operators
    #[arg(long, value_enum)]
    pub(crate) dialect: Option<DialectArg>,
    /// Every name of a TSL specification must be declared (TSL0124); nothing is inferred from how it is used
    #[arg(long)]
    pub(crate) strict: bool,
    /// Imports must stay inside this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) import_root: Option<PathBuf>,
    /// The inputs of an LTL specification: names, or regular expressions between slashes
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) ins: Vec<String>,
    /// The outputs of an LTL specification: names, or regular expressions between slashes
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) outs: Vec<String>,
    /// The value of a parameter of a TLSF specification, or of a number that a TSL specification
    /// defines, such as N=4; may be given more than once
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parameter)]
    pub(crate) parameters: Vec<(String, i64)>,
    /// The component of an export of FRET (`.json`)
    #[arg(long, value_name = "NAME")]
    pub(crate) component: Option<String>,
    /// An LTL formula instead of a file; may be given more than once
    #[arg(short = 'f', long, value_name = "LTL")]
    pub(crate) formula: Vec<String>,
}

pub(crate) fn parameter(text: &str) -> Result<(String, i64), String> {
    let parsed = text.split_once('=').and_then(|(name, value)| {
        let (name, value) = (name.trim(), value.trim().parse().ok()?);
        (!name.is_empty()).then(|| (name.to_string(), value))
    });
    parsed.ok_or_else(|| "expected a name and a number, such as `N=4`".into())
}

/// The engine and its limits.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Engine and limits")]
pub(crate) struct EngineArgs {
    /// Which engine decides [default: auto]
    #[arg(long, value_enum)]
    pub(crate) engine: Option<EngineArg>,
    /// Only this bound on rejecting visits, for both players (else 0, 1, 2, 4, ...)
    #[arg(long, value_name = "K")]
    pub(crate) bound: Option<u32>,
    /// Rounds of refinement of the TSL abstraction; 0 plays the plain LTL game [default: 64]
    #[arg(long, value_name = "N")]
    pub(crate) refinements: Option<u32>,
    /// Accept a controller that wins by making the assumptions false
    #[arg(long)]
    pub(crate) allow_falsifying: bool,
    /// Which controller: `keep` changes cells only where a clause requires it, `fast` fulfils obligations soonest, `any` takes
    /// the first that is found [default: keep]
    #[arg(long, value_name = "keep|fast|any", value_parser = prefer)]
    pub(crate) prefer: Option<Prefer>,
    /// Do not check the answer
    #[arg(long)]
    pub(crate) no_certify: bool,
    /// Changes nothing: answers, choices and counted work never depend on time or threads
    #[arg(long)]
    pub(crate) deterministic: bool,
    /// Stop after this time, such as 500ms, 60s, 5m [default: none, 300s under CI]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) time_limit: Option<Duration>,
    /// Stop at this much memory, such as 512MiB, 2GiB [default: half of the machine]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub(crate) memory_limit: Option<u64>,
    /// At most this many threads; more than 2 are not used [default: 2, or as many as there are]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
    /// Seed of whatever is random
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

/// Where the result goes and how it looks.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Write the result to this file, whole or not at all
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Say nothing on standard error but errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more on standard error
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Colors
    #[arg(long, value_enum, default_value_t)]
    pub(crate) color: ColorChoice,
    /// Progress on standard error (only ever on a terminal)
    #[arg(long, value_enum, default_value_t)]
    pub(crate) progress: ProgressChoice,
}

pub(crate) fn prefer(text: &str) -> Result<Prefer, String> {
    let all = || Prefer::ALL.map(Prefer::name).join(", ");
    Prefer::from_name(text).ok_or_else(|| format!("expected one of {}", all()))
}

pub(crate) fn on_broken(text: &str) -> Result<OnBroken, String> {
    let all = || OnBroken::ALL.map(OnBroken::name).join(", ");
    OnBroken::from_name(text).ok_or_else(|| format!("expected one of {}", all()))
}

/// Forms of what is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum EmitFormat {
    /// Text for people, or the main file of what is emitted
    #[default]
    Text,
    /// One JSON document with everything
    Json,
}
