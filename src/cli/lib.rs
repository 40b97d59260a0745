//! `tsl-synth`: the command line. Only this crate and `stores` read files, sleep or read the clock; only this one prints.

#![forbid(unsafe_code)]

mod agent;
mod bench;
mod cache;
mod cause_text;
mod check;
mod choices;
mod command;
mod convert;
mod critic;
mod diff;
mod emit;
mod eval;
mod exit;
mod experiment;
mod explain;
mod files;
mod flags;
mod fmt;
mod from_english;
mod github;
mod help;
mod layout;
mod leads;
mod lsp;
mod memory;
mod monitor;
mod new;
mod number_play;
mod oracles;
mod output;
mod panics;
mod pipe;
mod plan;
mod policy;
mod policy_file;
mod project;
mod report;
mod adapters;
mod advice;
mod settings;
mod shield;
mod simulate;
mod started;
mod supervise;
mod targets;
mod terminal;
mod text;
mod units;
mod verbs;
mod verify;
mod xml;
mod view;

use command::{Cli, Verb, command};

/// Runs the program and ends the process with its exit code.
pub fn main() {
    exit::exit_on_interrupt();
    panics::keep_panics();
    let code = match std::panic::catch_unwind(run) {
        Ok(code) => code,
        Err(panic) => output::internal(&panics::panic_text(&*panic)).code(),
    };
    std::process::exit(code);
}

/// Runs the program within another one, such as an interpreter, and ends the process: `program` is the file that starts
/// it, for hooks and child processes, and `arguments` are those after its name.
pub fn main_within(program: std::path::PathBuf, arguments: Vec<std::ffi::OsString>) {
    started::within(program, arguments);
    main();
}

fn run() -> i32 {
    let cli = Cli::of_process();
    if cli.verb.has_stray_dialect() {
        return output::wrong("`--dialect duckdb` is a dialect of SQL: it is for `emit POLICY --lang sql`")
            .code();
    }
    match cli.verb {
        Verb::Check(args) => check::run(*args),
        Verb::Emit(args) => emit::run(*args).code(),
        Verb::Simulate(args) => simulate::run(*args).code(),
        Verb::Plan(args) => plan::run(*args).code(),
        Verb::Policy(args) => policy::run(*args),
        Verb::Monitor(args) => monitor::run(&args).code(),
        Verb::Shield(args) => shield::run(&args),
        Verb::Critic(args) => critic::run(&args).code(),
        Verb::New(args) => new::run(&args).code(),
        Verb::View(args) => view::run(*args).code(),
        Verb::Verify(args) => verify::run(*args).code(),
        Verb::Diff(args) => diff::run(&args).code(),
        Verb::Convert(args) => convert::run(*args).code(),
        Verb::Fmt(args) => fmt::run(&args).code(),
        Verb::Explain(args) => explain::run(*args).code(),
        Verb::Bench(args) => bench::run(&args).code(),
        Verb::Agent(args) => agent::run(*args).code(),
        Verb::Experiment(args) => experiment::run(&args).code(),
        Verb::Oracle(args) => oracles::run(&args).code(),
        Verb::Schema(args) => verbs::schema(&args).code(),
        Verb::Lsp(args) => lsp::run(&args).code(),
        Verb::Completions(args) => verbs::completions(&args, command()).code(),
        Verb::Man(args) => verbs::man(&args, command()).code(),
        Verb::Help(args) => help::run(&args, &command()).code(),
    }
}
