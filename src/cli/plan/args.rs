//! The flags of `plan`.

use crate::flags::{ColorChoice, EmitFormat};
use crate::units::time;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// `plan`
#[derive(Args, Debug)]
#[command(subcommand_precedence_over_arg = true)]
pub(crate) struct PlanArgs {
    /// A grammar of plans, a `.cfg` file; `-` is standard input
    pub(crate) grammar: Option<PathBuf>,
    /// What to do with its plans
    #[command(subcommand)]
    pub(crate) command: PlanCommand,
    /// Only plans that keep this law over their steps, an LTL or TSL file; may be given more than once
    #[arg(long = "with", value_name = "SPEC", global = true)]
    pub(crate) with: Vec<PathBuf>,
    /// The same for an LTL formula; may be given more than once
    #[arg(long, value_name = "LTL", global = true)]
    pub(crate) law: Vec<String>,
    /// Form of the answer
    #[arg(long, value_enum, default_value_t, global = true, help_heading = "Output")]
    pub(crate) format: EmitFormat,
    /// Write the answer to this file, whole or not at all
    #[arg(short, long, value_name = "FILE", global = true, help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    /// Say nothing on standard error but errors
    #[arg(short, long, global = true, help_heading = "Output")]
    pub(crate) quiet: bool,
    /// Colors
    #[arg(long, value_enum, default_value_t, global = true, help_heading = "Output")]
    pub(crate) color: ColorChoice,
    /// Stop after this time, such as 500ms, 60s, 5m [default: none, 300s under CI]
    #[arg(long, value_name = "TIME", value_parser = time, global = true)]
    pub(crate) time_limit: Option<Duration>,
}

/// The commands on the plans of a grammar.
#[derive(Debug, Subcommand)]
pub(crate) enum PlanCommand {
    /// Is this word a plan? If not, where it goes wrong and what could stand there
    Check {
        /// Steps, separated by blanks; what a step chooses stands behind it: `seasoning{salt,sugar}`
        #[arg(value_name = "STEP")]
        word: Vec<String>,
    },
    /// Which steps may come after these?
    Next {
        /// The steps so far
        #[arg(value_name = "STEP")]
        prefix: Vec<String>,
        /// Also steps after which no plan is possible
        #[arg(long)]
        no_lookahead: bool,
    },
    /// How many plans are there? Exactly, or bounds where that is too much work
    Count {
        /// Only plans of at most this many steps
        #[arg(long, value_name = "N")]
        length: Option<u32>,
    },
    /// List plans: shorter ones first, those of one length in the order of the productions
    Enumerate {
        /// At most this many
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: usize,
        /// Only plans of at most this many steps
        #[arg(long, value_name = "N")]
        length: Option<u32>,
    },
    /// Draw plans at random, each plan as likely as every other
    Sample {
        /// Seed of the random numbers
        #[arg(long, value_name = "N", default_value_t = 0)]
        seed: u64,
        /// How many
        #[arg(long, value_name = "N", default_value_t = 1)]
        number: usize,
        /// Only plans of at most this many steps
        #[arg(long, value_name = "N")]
        length: Option<u32>,
    },
    /// Let an oracle choose until there is a plan
    Drive(DriveArgs),
    /// Write a grammar for the data of others; without GRAMMAR
    Import(ImportArgs),
    /// Judge travel plans by TravelPlanner's constraints; without GRAMMAR
    Judge(JudgeArgs),
}

/// The data that `plan import` reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlanData {
    /// Items of TravelPlanner: JSON, JSON lines or CSV
    Travelplanner,
    /// A list of tools with the kinds of their inputs and outputs, as those of OpenAGI: JSON, JSON lines or CSV
    Openagi,
}

/// `plan import`
#[derive(Args, Debug)]
pub(crate) struct ImportArgs {
    /// What the file contains
    #[arg(value_enum)]
    pub(crate) data: PlanData,
    /// The file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The item of the file, from 1
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) item: usize,
    /// For tools: the kinds that are given, such as `image,text`
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    pub(crate) given: Vec<String>,
    /// For tools: the kind that is wanted
    #[arg(long, value_name = "KIND")]
    pub(crate) want: Option<String>,
}

/// `plan judge`
#[derive(Args, Debug)]
pub(crate) struct JudgeArgs {
    /// Items of TravelPlanner
    #[arg(value_name = "ITEMS")]
    pub(crate) items: PathBuf,
    /// Plans: days as TravelPlanner's agents deliver them, or the JSON document of `plan drive`; one for each item
    #[arg(value_name = "PLANS")]
    pub(crate) plans: PathBuf,
    /// All plans are for this item, from 1
    #[arg(long, value_name = "N")]
    pub(crate) item: Option<usize>,
}

/// `plan GRAMMAR drive`
#[derive(Args, Debug)]
pub(crate) struct DriveArgs {
    /// Who chooses: `first`, `last`, `random`, `script:FILE`, `cmd:PROGRAM ARGS..`, `http:URL`, `tty`: `help
    /// oracles`
    #[arg(long, value_name = "ORACLE", default_value = "random")]
    pub(crate) oracle: String,
    /// Offer what is not used up, and go back at dead ends, instead of offering only what leads to a plan
    #[arg(long)]
    pub(crate) no_lookahead: bool,
    #[command(flatten)]
    pub(crate) access: crate::oracles::AccessArgs,
    /// What is taken when no answer fits
    #[arg(long, value_enum, default_value_t)]
    pub(crate) on_invalid: OnInvalidArg,
    /// A plan has at most this many steps and productions together
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    pub(crate) most: u64,
    /// Seed of the oracle `random` and of `--on-invalid random`
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// A program that rates plans: `cmd:PROGRAM`, a plan as a JSON line in, `{"id": 1, "reward": 0.5}` out
    #[arg(long, value_name = "cmd:PROGRAM")]
    pub(crate) reward: Option<String>,
    /// Ask for this many plans, and keep the one with the highest reward
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) best: u32,
    /// Write prompts, choices and rewards of all plans to this file, as JSON lines; training a model on them is not part
    /// of this program
    #[arg(long, value_name = "FILE")]
    pub(crate) export: Option<PathBuf>,
    /// The reward program answers within this time
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "30s")]
    pub(crate) reward_timeout: Duration,
}

/// The choice that is made when no answer of an oracle is valid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnInvalidArg {
    /// The first choice
    First,
    /// A choice at random
    Random,
    /// Nothing: the plan is given up
    #[default]
    Stop,
}
