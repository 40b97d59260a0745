//! The flags of `explain`.

use crate::emit::target::lang;
use crate::flags::{
    DialectArg, EmitFormat, EngineArgs, InputFormat, InputFormatParser, OutputArgs, parameter,
};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use tsl_synth_service::Lang;

/// `explain`
#[derive(Args, Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "flags are bools")]
pub(crate) struct ExplainArgs {
    /// A specification (one or more files), or a trace (JSON, ITF, JSON lines, or a word) whose effect is to be
    /// explained, or the record of an agent, or a code as diagnostics show it
    #[arg(value_name = "SPEC|TRACE|TSLnnnn", required_unless_present_any = ["trace", "formula"])]
    pub(crate) what: Vec<String>,
    /// All sets of guarantees of a specification that cannot be kept together, up to N [default: 16], instead
    /// of one
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "16", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Specifications")]
    pub(crate) all_cores: Option<u16>,
    /// The counter-strategy of an unrealizable specification as a machine: hoa, dot, mermaid, json
    #[arg(short, long, value_parser = lang, value_name = "LANG", help_heading = "Specifications")]
    pub(crate) lang: Option<Lang>,
    /// The language of standard input, which is else known by its text, and of files whose ending
    /// does not tell it
    #[arg(long, value_parser = InputFormatParser, value_name = "LANG", help_heading = "Specifications")]
    pub(crate) input_format: Option<InputFormat>,
    /// Imports must stay inside this folder
    #[arg(long, value_name = "DIR", help_heading = "Specifications")]
    pub(crate) import_root: Option<PathBuf>,
    /// The inputs of an LTL specification: names, or regular expressions between slashes
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Specifications")]
    pub(crate) ins: Vec<String>,
    /// The value of a parameter of a TLSF specification, such as N=4; may be given more than once
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parameter, help_heading = "Specifications")]
    pub(crate) parameters: Vec<(String, i64)>,
    /// The component of an export of FRET (`.json`)
    #[arg(long, value_name = "NAME")]
    pub(crate) component: Option<String>,
    /// An LTL formula instead of a file; may be given more than once
    #[arg(short = 'f', long, value_name = "LTL", help_heading = "Specifications")]
    pub(crate) formula: Vec<String>,
    /// A trace as a word instead of a file: `a & !b; cycle{a}`
    #[arg(long, value_name = "WORD", conflicts_with = "what", help_heading = "Question")]
    pub(crate) trace: Option<String>,
    /// The machine that made the trace (HOA, AIGER, or machine JSON); else what the trace names
    #[arg(long, value_name = "FILE", help_heading = "Question")]
    pub(crate) machine: Option<PathBuf>,
    /// The specification whose controller (or counter-strategy: then causes are moves of the system) made the trace;
    /// else what the trace names
    #[arg(long, value_name = "FILE", help_heading = "Question")]
    pub(crate) spec: Option<PathBuf>,
    /// Why did this happen? LTL, TSL in the terms of the specification, or a file with such a formula (`.ltl`, `.tsl`,
    /// `.txt`) or in HOA; may be given more than once
    #[arg(long, value_name = "FORMULA", help_heading = "Question")]
    pub(crate) effect: Vec<String>,
    /// Why did the controller do what it did in this step, counted from 0? [default: the last step of the trace]
    #[arg(long, value_name = "N", conflicts_with = "effect", help_heading = "Question")]
    pub(crate) at: Option<usize>,
    /// The turn of the record of an agent whose choice is to be explained [default: the last]
    #[arg(long, value_name = "N", help_heading = "Question")]
    pub(crate) turn: Option<u32>,
    /// The number of the record, in the journal of a gate, whose refusal is to be explained [default: the last refusal]
    #[arg(long, value_name = "N", help_heading = "Question")]
    pub(crate) step: Option<u64>,
    /// Is this the cause? A formula over the inputs, or a file in HOA; exit code 0 only if it is
    #[arg(long, value_name = "FORMULA", help_heading = "Question")]
    pub(crate) hypothesis: Option<String>,
    /// How a finite trace goes on: `last` repeats the last input, `any` asks only about effects within the trace
    #[arg(long = "continue", value_enum, default_value_t, value_name = "HOW", help_heading = "Question")]
    pub(crate) continuation: ContinueArg,
    /// Inputs that a letter of the trace does not name are false
    #[arg(long, help_heading = "Question")]
    pub(crate) default_false: bool,
    /// Counterfactuals may keep actual outputs (for machines whose outputs determine their states)
    #[arg(long, help_heading = "Question")]
    pub(crate) contingencies: bool,
    /// Compare so that closest counterfactuals always exist
    #[arg(long, help_heading = "Question")]
    pub(crate) limit_assumption: bool,
    /// Only inputs that keep the assumptions of the specification count
    #[arg(long, help_heading = "Question")]
    pub(crate) respect_assumptions: bool,
    /// An assumption, as if the specification had it; may be given more than once, implies
    /// `--respect-assumptions`
    #[arg(long, value_name = "FORMULA", help_heading = "Question")]
    pub(crate) assume: Vec<String>,
    /// The outputs of an LTL specification, or of a machine in HOA without `controllable-AP`
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Question")]
    pub(crate) outs: Vec<String>,
    /// The dialect of TSL, which determines the precedence of operators
    #[arg(long, value_enum, help_heading = "Question")]
    pub(crate) dialect: Option<DialectArg>,
    /// Write the exact cause as an automaton to this file: HOA, or DOT if it ends in `.dot`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) automaton: Option<PathBuf>,
    /// Write a picture of the trace and its cause to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) svg: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Form of the answer
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: EmitFormat,
}

/// How a finite trace goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ContinueArg {
    /// The last input is repeated for ever
    #[default]
    Last,
    /// Any way: the effect has to be decided within the trace
    Any,
}
