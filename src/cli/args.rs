//! The arguments of the command line.

pub(crate) use crate::choices::{
    ColorChoice, Deny, DialectArg, EngineArg, ExitCodes, InputFormat, OutputFormat, ProgressChoice,
    SchemaName,
};
use crate::emit::target::{EmitTarget, adapter, adapters, grammars, lang, langs, target};
use crate::units::{memory, time};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;
use tsl_synth_seats::log::LogFormat;
use tsl_synth_service::{Adapter, Hints, Lang, OnBroken};

/// Certified synthesis of controllers from temporal stream logic (TSL), TLSF and LTL.
#[derive(Debug, Parser)]
#[command(
    name = "tsl-synth",
    version,
    about,
    max_term_width = 100,
    disable_help_subcommand = true,
    after_help = "Exit codes: 0 yes, 1 no, 2 wrong input or call, 3 unknown (a limit was reached), \
                  4 internal error, 130 interrupted.\n\
                  `tsl-synth help` lists the topics of the manual."
)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Is there a controller? A certified verdict, warnings, and the reason when there is none
    Check(Box<CheckArgs>),
    /// The controller as code, diagram or automaton
    Emit(Box<EmitArgs>),
    /// Play a controller, or against the environment of an unrealizable specification, step by step
    Simulate(Box<SimulateArgs>),
    /// A page for the browser: a machine drawn and played, a policy over a log, an agent, plans; one file, no network
    View(Box<crate::view::ViewArgs>),
    /// Does this machine (HOA, AIGER, machine JSON; ours or another tool's) do what the specification asks? If not,
    /// a play that shows it
    Verify(Box<VerifyArgs>),
    /// Two machines or two specifications: equivalent, or a play that tells them apart
    Diff(Box<crate::diff::DiffArgs>),
    /// A specification or a machine in another format: TSL, TLSF, LTL, HOA, AIGER, machine JSON, SMV
    Convert(Box<crate::convert::ConvertArgs>),
    /// Plans under a grammar: check, count, list and draw them, or let an oracle choose one
    Plan(Box<crate::plan::args::PlanArgs>),
    /// Logs of agents judged by a policy: how each law stands after each step, and over many sessions
    Monitor(Box<crate::monitor::args::MonitorArgs>),
    /// A policy as a gate in front of the calls of an agent: put into the settings of a host, taken out, checked
    Shield(Box<crate::shield::ShieldArgs>),
    /// Edits of a policy's laws from recorded runs: mined or by a model, each admitted or refused with the reason
    Critic(Box<crate::critic::CriticArgs>),
    /// Files to start from: a specification, a policy, an agent, a workflow of GitHub
    New(crate::new::NewArgs),
    /// Rewrite TSL files in the standard layout, comments kept
    Fmt(FmtArgs),
    /// Why a specification has no controller and what would help; why an effect happened on a trace; what a
    /// code such as TSL0303 means
    Explain(Box<ExplainArgs>),
    /// Run many specifications with limits, hold the verdicts against a table, compare with another solver
    Bench(Box<BenchArgs>),
    /// A language server over standard input and output, for editors
    Lsp(crate::lsp::LspArgs),
    /// Let a controller drive a model, a user and a world: it chooses what is to be done, they do it
    Agent(Box<crate::agent::AgentArgs>),
    /// A paper's table and ours beside it, by simulated models: seeded, resumable, with CSV and a chart
    Experiment(crate::experiment::ExperimentArgs),
    /// Ask an oracle, which is a model, a program, a script or a person: does it answer, and what?
    Oracle(Box<crate::oracles::OracleVerbArgs>),
    /// Print the JSON schema of a result
    Schema(SchemaArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man(ManArgs),
    /// The manual: a topic, a verb, or without either the list of topics
    Help(HelpArgs),
}

impl Verb {
    /// Whether `--dialect` names a dialect of SQL where one of TSL is expected.
    pub(crate) fn has_stray_dialect(&self) -> bool {
        let dialect = match self {
            Self::Check(args) => args.input.dialect,
            Self::Emit(args) if args.lang != Some(EmitTarget::Sql) => args.input.dialect,
            Self::Simulate(args) => args.input.dialect,
            Self::View(args) => args.input.dialect,
            Self::Verify(args) => args.input.dialect,
            Self::Diff(args) => args.input.dialect,
            Self::Convert(args) => args.input.dialect,
            Self::Fmt(args) => args.dialect,
            Self::Explain(args) => args.dialect,
            _ => None,
        };
        dialect == Some(DialectArg::Duckdb)
    }
}

/// Where the specification comes from.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Input")]
pub(crate) struct InputArgs {
    /// Files that together are one specification; `-` is standard input; `check` also takes folders
    /// and globs. Without any: what `tsl-synth.toml` names in this folder or above, else the only
    /// specification in this folder
    #[arg(value_name = "SPEC", help_heading = None::<&str>)]
    pub(crate) specs: Vec<PathBuf>,
    /// The language of standard input (files are recognized by their extension)
    #[arg(long, value_enum, value_name = "LANG")]
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
    /// The value of a parameter of a TLSF specification, such as N=4; may be given more than once
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parameter)]
    pub(crate) parameters: Vec<(String, i64)>,
    /// An LTL formula instead of a file; may be given more than once
    #[arg(long, value_name = "LTL")]
    pub(crate) formula: Vec<String>,
}

fn parameter(text: &str) -> Result<(String, i64), String> {
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
    /// Any controller will do, also one that wins by making the assumptions false
    #[arg(long)]
    pub(crate) allow_falsifying: bool,
    /// Do not check the answer
    #[arg(long)]
    pub(crate) no_certify: bool,
    /// Holds with or without this flag: answers, choices and counted work never vary with time or threads
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
    /// Append a table of the results to this file, in Markdown
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) summary: Option<PathBuf>,
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

/// `emit`
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "flags are bools")]
pub(crate) struct EmitArgs {
    #[arg(short, long, value_parser = target, value_name = "LANG", help = format!("The target [default: by the ending of `-o`]: {}; of an `.agent` file rust, js, python, dot, svg, json, {}; of a policy python, ts, js, rust, c, hoa, sql", langs(), grammars()))]
    pub(crate) lang: Option<EmitTarget>,
    /// Form of the result: the main file, or one JSON document with all files
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: EmitFormat,
    /// The counter-strategy of an unrealizable specification (dot, mermaid, svg, hoa, aiger, json)
    #[arg(long)]
    pub(crate) counter: bool,
    /// Instead of the controller, the deterministic automaton of each conjunct that the symbolic engine plays on, one
    /// after another (hoa, dot)
    #[arg(long, alias = "monitors", conflicts_with_all = ["counter", "template", "scaffold"])]
    pub(crate) conjunct_automata: bool,
    /// Predicates and functions are asynchronous (rust, js, ts, python)
    #[arg(long = "async")]
    pub(crate) asynchronous: bool,
    /// Evaluate predicates only where the decision asks for them
    #[arg(long)]
    pub(crate) lazy: bool,
    /// What the controller does when the environment breaks a safety assumption: error, hold, continue, resync
    /// [default: error, with `--llm` resync]
    #[arg(long, value_parser = on_broken, value_name = "WHAT")]
    pub(crate) on_broken_assumption: Option<OnBroken>,
    /// A minijinja template of your own instead of the embedded one
    #[arg(long, value_name = "FILE", conflicts_with = "scaffold")]
    pub(crate) template: Option<PathBuf>,
    /// Make a project in this folder that builds and runs at once, with stubs and a test
    #[arg(long, value_name = "DIR", conflicts_with_all = ["output", "format"])]
    pub(crate) scaffold: Option<PathBuf>,
    /// The project is an agent that asks a language model (js, python): scripted at first, or a chat model; of a policy a
    /// loop of a model and tools behind the gate
    #[arg(long, requires = "scaffold", conflicts_with_all = ["asynchronous", "lazy", "counter"])]
    pub(crate) llm: bool,
    /// Let `--scaffold` replace files
    #[arg(long, requires = "scaffold")]
    pub(crate) force: bool,
    /// The query of `--lang sql` answers after each letter; without it at the end of each session
    #[arg(long)]
    pub(crate) rows: bool,
    /// Of a policy the monitor of its laws alone, where `--lang` has the whole gate (python, ts, js, rust)
    #[arg(long, alias = "monitor")]
    pub(crate) law_monitor: bool,
    #[arg(long, value_parser = adapter, value_name = "SDK", help = format!("Of a policy, beside the gate, the code that puts it in front of the tools of an SDK: {}", adapters()))]
    pub(crate) adapter: Option<Adapter>,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

pub(crate) fn on_broken(text: &str) -> Result<OnBroken, String> {
    let all = || OnBroken::ALL.map(OnBroken::name).join(", ");
    OnBroken::from_name(text).ok_or_else(|| format!("expected one of {}", all()))
}

/// Forms of what is emitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum EmitFormat {
    /// The main file
    #[default]
    Text,
    /// One JSON document with all files
    Json,
}

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

/// `verify`
#[derive(Args, Debug)]
#[command(
    override_usage = "tsl-synth verify [OPTIONS] [SPEC]... <MACHINE>",
    after_help = "The last file is the machine: HOA, AIGER (ASCII or binary) or machine JSON; a controller, or a \
                  counter-strategy of an unrealizable specification. `--engine symbolic` checks on decision \
                  diagrams what is otherwise enumerated. Exit codes: 0 holds, 1 violated, 2 wrong input, 3 unknown."
)]
pub(crate) struct VerifyArgs {
    /// Form of the answer
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: EmitFormat,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// `fmt`
#[derive(Args, Debug)]
pub(crate) struct FmtArgs {
    /// TSL files to rewrite in place; `-` reads standard input and writes standard output
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Write nothing; exit with 1 if a file would change
    #[arg(long)]
    pub(crate) check: bool,
    /// Write the result of the one file here instead of in place
    #[arg(short, long, value_name = "FILE", conflicts_with = "check")]
    pub(crate) output: Option<PathBuf>,
    /// The dialect of TSL in which the files are read; they are written in ours
    #[arg(long, value_enum)]
    pub(crate) dialect: Option<DialectArg>,
    /// Colors
    #[arg(long, value_enum, default_value_t)]
    pub(crate) color: ColorChoice,
}

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
    /// The language of standard input (files are recognized by their extension)
    #[arg(long, value_enum, value_name = "LANG", help_heading = "Specifications")]
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
    /// An LTL formula instead of a file; may be given more than once
    #[arg(long, value_name = "LTL", help_heading = "Specifications")]
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
    /// Why did this happen? LTL, TSL in the terms of the specification, or a file in HOA; may be given more
    /// than once
    #[arg(long, value_name = "FORMULA", help_heading = "Question")]
    pub(crate) effect: Vec<String>,
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

/// `schema`
#[derive(Args, Debug)]
pub(crate) struct SchemaArgs {
    /// Which one
    #[arg(value_enum)]
    pub(crate) name: SchemaName,
}

/// `completions`
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// `man`
#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// Write a page for the program and for each verb into this folder instead of printing one
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

/// `help`
#[derive(Args, Debug)]
pub(crate) struct HelpArgs {
    /// A topic of the manual, or a verb
    #[arg(value_name = "TOPIC|VERB", value_parser = crate::help::subjects())]
    pub(crate) subject: Option<String>,
}
