//! The command line: the verbs, each with the flags that stand beside it.

use crate::emit::target::EmitTarget;
use crate::flags::DialectArg;
use crate::{leads, started};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;

/// Certified synthesis of controllers from temporal stream logic (TSL), TLSF and LTL.
#[derive(Debug, Parser)]
#[command(
    name = "tsl-synth",
    version,
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
    Check(Box<crate::check::args::CheckArgs>),
    /// The controller as code, diagram or automaton
    Emit(Box<crate::emit::args::EmitArgs>),
    /// Play a controller, or against the environment of an unrealizable specification, step by step
    Simulate(Box<crate::simulate::args::SimulateArgs>),
    /// A page for the browser: a machine drawn and played, a policy over a log, an agent, plans; one file, no network
    View(Box<crate::view::args::ViewArgs>),
    /// Does this machine (HOA, AIGER, machine JSON; ours or another tool's) do what the specification asks? If not,
    /// a play that shows it
    Verify(Box<crate::verify::VerifyArgs>),
    /// Two machines or two specifications: equivalent, or a play that tells them apart
    Diff(Box<crate::diff::DiffArgs>),
    /// A specification or a machine in another format: TSL, TLSF, LTL, HOA, AIGER, machine JSON, SMV
    Convert(Box<crate::convert::ConvertArgs>),
    /// Plans under a grammar: check, count, list and draw them, or let an oracle choose one
    Plan(Box<crate::plan::args::PlanArgs>),
    /// Policies of agents: checked, explained, as a gate in front of their calls, over their logs, as code
    Policy(Box<crate::policy::PolicyArgs>),
    /// Logs of agents judged by a policy: how each law stands after each step, and over many sessions
    #[command(hide = true)]
    Monitor(Box<crate::monitor::args::MonitorArgs>),
    /// A policy as a gate in front of the calls of an agent: put into the settings of a host, taken out, checked
    #[command(hide = true)]
    Shield(Box<crate::shield::ShieldArgs>),
    /// Edits of a policy's laws from recorded runs: mined or by a model, each admitted or refused with the reason
    #[command(hide = true)]
    Critic(Box<crate::critic::CriticArgs>),
    /// Files to start from: a specification, a policy, an agent, a workflow of GitHub
    New(Box<crate::new::NewArgs>),
    /// Rewrite TSL files in the standard layout, comments kept
    Fmt(crate::fmt::FmtArgs),
    /// Why a specification has no controller and what would help; why an effect happened on a trace; what a
    /// code such as TSL0303 means
    Explain(Box<crate::explain::args::ExplainArgs>),
    /// Run many specifications with limits, hold the verdicts against a table, compare with another solver
    Bench(Box<crate::bench::args::BenchArgs>),
    /// A language server over standard input and output, for editors
    Lsp(crate::lsp::LspArgs),
    /// Let a controller drive a model, a user and a world: it chooses what is to be done, they do it
    Agent(Box<crate::agent::AgentArgs>),
    /// A paper's table and ours beside it, by simulated models: seeded, resumable, with CSV and a chart
    Experiment(Box<crate::experiment::ExperimentArgs>),
    /// Ask an oracle, which is a model, a program, a script or a person: does it answer, and what?
    Oracle(Box<crate::oracles::OracleVerbArgs>),
    /// Print the JSON schema of a result
    Schema(crate::verbs::SchemaArgs),
    /// Print a completion script for a shell
    Completions(crate::verbs::CompletionsArgs),
    /// Print the manual page
    Man(crate::verbs::ManArgs),
    /// The manual: a topic, a verb, or without either the list of topics
    Help(crate::help::HelpArgs),
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

impl Cli {
    /// The arguments of this process; usage errors end it with exit code 2, `--help` and `--version` with 0.
    pub(crate) fn of_process() -> Self {
        let command = command();
        let arguments: Vec<OsString> = if started::is_within() {
            std::iter::once(command.get_name().into()).chain(started::arguments()).collect()
        } else {
            std::env::args_os().collect()
        };
        let words: Vec<String> = arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let matches =
            command.try_get_matches_from(arguments).unwrap_or_else(|error| leads::exit(&error, &words));
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

/// The command with its verbs.
pub(crate) fn command() -> clap::Command {
    crate::policy::arranged(Cli::command())
}
