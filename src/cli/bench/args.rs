//! The flags of `bench`.

use crate::flags::EngineArgs;
use clap::Args;
use std::path::PathBuf;

/// `bench`
#[derive(Args, Debug)]
pub(crate) struct BenchArgs {
    /// Specifications, folders of them, and lists of them (`.txt`, a file in each line)
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// A table of expected verdicts: CSV with the columns `name` (without folder and ending), `status` and, if
    /// known, `reference_size`
    #[arg(long, value_name = "FILE")]
    pub(crate) expected: Option<PathBuf>,
    /// Write the results to this table, row by row; states and gates are those of the first machine found, as of
    /// `check --verdict-only`
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Keep the rows that are in the table already
    #[arg(long, requires = "csv")]
    pub(crate) resume: bool,
    /// Only the i-th of n parts of the specifications
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub(crate) shard: Option<(usize, usize)>,
    /// Also run another solver on each specification, in the same limit; `{}` is the file
    #[arg(long, value_name = "COMMAND")]
    pub(crate) versus: Option<String>,
    /// Do not print each result on standard error
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

fn shard(text: &str) -> Result<(usize, usize), String> {
    let parsed =
        text.split_once('/').and_then(|(i, n)| Some((i.trim().parse().ok()?, n.trim().parse().ok()?)));
    parsed.filter(|&(i, n)| 1 <= i && i <= n).ok_or_else(|| "expected a part such as `1/4`".into())
}
