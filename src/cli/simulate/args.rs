//! The flags of `simulate`.

use crate::flags::{EngineArgs, InputArgs, OutputArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `simulate`
#[derive(Args, Debug)]
#[command(after_help = "\
Without `--script` and `--random` the letters come from standard input, one per line: `press !stop`, \
`inCave(s) & !inMarket(s)`, `a=1`; what is not named is false. In a play against a counter-strategy the lines \
are what the system does: `[x <- f(y)]`, `x <- f(y)`, `grant`; cells that are not named keep their values. \
`help` lists the commands: state, random, undo, back N, reset, trace, save FILE, quit.

A script is one letter per line, a word `a & b; !a; cycle{b}`, trace JSON, ITF, or JSON lines as emitted \
controllers give them to their trace hook. Outputs in it must be what the machine does.")]
pub(crate) struct SimulateArgs {
    /// Take the letters from this file, or from `-`: standard input
    #[arg(long, value_name = "FILE", conflicts_with = "random")]
    pub(crate) script: Option<PathBuf>,
    /// Take so many random steps (the same for the same `--seed`, which is 0 unless given)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    pub(crate) random: Option<u32>,
    /// Random steps keep the assumptions as long as some choice does
    #[arg(long, requires = "random")]
    pub(crate) respect_assumptions: bool,
    /// End in a loop: random steps go on until the machine is in a state again, scripts by repeating the last
    /// letter
    #[arg(long = "loop")]
    pub(crate) close: bool,
    /// Play on the whole terminal, by keys: states, choices, cells, clauses and steps
    #[cfg(feature = "tui")]
    #[arg(long, conflicts_with_all = ["script", "random", "format"])]
    pub(crate) tui: bool,
    /// What goes to standard output: the steps as text, or the trace as JSON
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: TraceFormat,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Forms of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TraceFormat {
    /// A line for each step
    #[default]
    Text,
    /// Trace JSON
    Json,
}
