//! The flags of `view`.

use crate::flags::{EngineArgs, InputArgs, OutputArgs};
use clap::Args;
use std::path::PathBuf;

/// `view`
#[derive(Args, Debug)]
#[command(after_long_help = "\
The page shows the controller of a specification, the counter-strategy of an unrealizable one with what would help, or \
the machine of a file (HOA, AIGER, machine JSON). The file of a trace in JSON is played on the machine that it names, \
or that `--spec` or `--machine` names; the causes of its effect are marked, and beside it stands the nearest run without \
the effect, whose inputs can be changed one by one. Of a policy the page has the laws with their monitors; with logs after it, or of \
the journal of a gate or the record of an agent under a policy, it shows event by event how they stood and what the gate \
said. Without `-o` the page goes to standard output.")]
pub(crate) struct ViewArgs {
    /// Of a trace, mark the causes of this effect [default: the one that the trace names]
    #[arg(long, value_name = "FORMULA", help_heading = "Traces")]
    pub(crate) effect: Option<String>,
    /// Of a trace, compare the cause with this formula over the inputs
    #[arg(long, value_name = "FORMULA", help_heading = "Traces")]
    pub(crate) hypothesis: Option<String>,
    /// The specification of the controller that made the trace [default: what the trace names]
    #[arg(long, value_name = "FILE", conflicts_with = "machine", help_heading = "Traces")]
    pub(crate) spec: Option<PathBuf>,
    /// The machine that made the trace (HOA, AIGER, machine JSON) [default: what the trace names]
    #[arg(long, value_name = "FILE", help_heading = "Traces")]
    pub(crate) machine: Option<PathBuf>,
    /// Format of the logs that follow a policy [default: recognized by their beginning]
    #[arg(long, value_name = "FORMAT", value_parser = crate::monitor::args::format, help_heading = "Policies")]
    pub(crate) from: Option<tsl_synth_seats::log::LogFormat>,
    /// Of a policy, show the decision of the gate about a call: a shell command, or JSON; may be given several times
    #[arg(long = "try", value_name = "CALL", conflicts_with = "from", help_heading = "Policies")]
    pub(crate) tried: Vec<String>,
    /// Open the page in the browser; without `-o` it is written to a new folder for temporary files
    #[arg(long, help_heading = "Output")]
    pub(crate) open: bool,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
