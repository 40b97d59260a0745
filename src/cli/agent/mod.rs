//! `agent`: a controller drives models, a user and a world, or a gate decides about what a model proposes.

pub(crate) mod actor;
mod behavior;
pub(crate) mod eval;
pub(crate) mod recorded;
mod replay;
mod show;
mod stats;
pub(crate) mod worlds;

use crate::adapters::Adapters;
use crate::exit::Exit;
use crate::flags::{EngineArgs, InputArgs, OutputArgs, on_broken};
use crate::oracles::{self, Access, OracleArgs};
use crate::{output, project};
use anyhow::{Context, Result, anyhow};
use clap::{Args, Subcommand};
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use tsl_synth_agents::story::{Audience, NoAudience, Played, StoryEnd, StoryOptions};
use tsl_synth_agents::{Oracle, Port, Sim, SimRates, SimWorld};
use tsl_synth_core::diag::Severity;
use tsl_synth_documents::RecordHeader;
use tsl_synth_service::{Input, LoadedStory, OnBroken, Oracles, StoryRequest, is_stdin, run_story};

/// `agent`
#[derive(Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "The controller of the specification chooses the updates in every turn, and an oracle fills in \
                  their content. Under a policy the oracle proposes actions, and the gate decides about each: `help agent`. Without --user an oracle that is `tty` or `sim` plays the user, too. \
                  Exit codes: 0 it came to its end (under a policy: to its goal), 1 there is no controller, or a broken \
                  assumption, a refusal, or an oracle without an answer ended it, 2 wrong input or call, 3 unknown."
)]
pub(crate) struct AgentArgs {
    #[command(subcommand)]
    command: Option<AgentCommand>,
    #[command(flatten)]
    run: RunArgs,
}

/// The subcommands; without one, an agent is run.
#[derive(Debug, Subcommand)]
enum AgentCommand {
    /// What records say: guarantees kept, who is to blame, and how often texts came to what was asked for
    Stats(stats::StatsArgs),
    /// Measure a model of your own: guarded by a specification, policy, behavior or grammar, and alone
    Eval(Box<eval::EvalArgs>),
}

/// Running an agent.
#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    /// The prompts of predicates and functions; else `NAME.prompts.toml` beside the specification, and
    /// `prompts.toml` for its folder
    #[arg(long, value_name = "FILE")]
    prompts: Option<PathBuf>,
    /// End after so many turns [default: 20; steps under a policy: 150]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    turns: Option<u32>,
    /// Write a passage that fails its check again, up to so many times, before it is shown
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=100))]
    regenerate: u32,
    /// What is done when an assumption is broken: error, hold, continue, resync [default: error]
    #[arg(long, value_name = "POLICY", value_parser = on_broken)]
    on_broken_assumption: Option<OnBroken>,
    /// Write all that is asked, answered and done to this file, as it happens; `-`: standard output
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Play a record again: no oracle is asked, and the new record has to equal the old one
    #[arg(long, value_name = "RECORD", conflicts_with_all = ["record", "prompts", "turns", "regenerate", "on_broken_assumption", "oracle", "task", "actor", "retries", "fallback", "shadow"])]
    replay: Option<PathBuf>,
    /// What stands before the first state of a behavior: instructions, examples, the task; what an actor under a policy is
    /// to do
    #[arg(long, value_name = "TEXT", help_heading = "Behaviors")]
    task: Option<String>,
    /// Let the model repair a text that enters no legal state, up to so many times, before one is entered
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Behaviors", value_parser = clap::value_parser!(u32).range(..=100))]
    repair: u32,
    /// Let the evaluator choose the state that is entered where several may be [default: the first declared]
    #[arg(long, help_heading = "Behaviors")]
    choose_forced: bool,
    /// Run the body of every loop at most so many times
    #[arg(long, value_name = "N", help_heading = "Behaviors")]
    max_loops: Option<u32>,
    /// End after so many states [default: 200]
    #[arg(long, value_name = "N", help_heading = "Behaviors")]
    most_states: Option<usize>,
    #[command(flatten)]
    actor: actor::ActorArgs,
    #[command(flatten)]
    oracles: OracleArgs,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
pub(crate) fn run(args: AgentArgs) -> Exit {
    match args.command {
        Some(AgentCommand::Stats(stats)) => stats::run(&stats),
        Some(AgentCommand::Eval(args)) => eval::run(&args),
        None => match args.run.replay.clone() {
            Some(record) => replay::run(args.run, &record),
            None => play(args.run),
        },
    }
}

/// The request for the agent of a specification.
pub(crate) fn load_story(adapters: &Adapters, input: &InputArgs, prompts: Option<&PathBuf>) -> StoryRequest {
    let mut request = StoryRequest::new(input.spec());
    request.prompts = prompts.cloned().map(Input::File);
    request.solver = adapters.settings.solver();
    request
}

/// The agent of a specification.
fn load(adapters: &Adapters, input: &InputArgs, prompts: Option<&PathBuf>) -> Result<LoadedStory, Exit> {
    let request = load_story(adapters, input, prompts);
    let (loaded, sources) = adapters.report(move |session| session.story(&request))?;
    adapters.show(&loaded.diagnostics, Severity::Warning, &sources);
    Ok(loaded)
}

fn play(mut args: RunArgs) -> Exit {
    if let Err(error) = project::complete(&mut args.input, &mut args.engine) {
        return output::error(&error);
    }
    if args.oracles.text(Port::Evaluator).is_none() || args.oracles.text(Port::Generator).is_none() {
        return output::wrong(
            "nobody is there to answer: say `--oracle tty` to play the model yourself, `--oracle sim` for a \
             simulated model, or `--oracle http:URL` for a chat model (`tsl-synth help oracles`)",
        );
    }
    if let Some(message) = overwrites(&args) {
        return output::wrong(&message);
    }
    if args.output.output.is_some() {
        return output::wrong("`agent` writes no result to a file: `--record FILE` keeps what it does");
    }
    if let [path] = args.input.specs.as_slice()
        && behavior::is_behavior(path)
    {
        return behavior::play(&args, &path.clone());
    }
    if let [path] = args.input.specs.as_slice()
        && crate::policy_file::is_policy(path)
    {
        return actor::play(&args, &path.clone());
    }
    if let Some(flag) = args.actor.given() {
        return output::wrong(&format!("`{flag}` is about policies, and this is none"));
    }
    for (given, flag) in [
        (args.task.is_some(), "--task"),
        (args.repair > 0, "--repair"),
        (args.choose_forced, "--choose-forced"),
        (args.max_loops.is_some(), "--max-loops"),
        (args.most_states.is_some(), "--most-states"),
    ] {
        if given {
            return output::wrong(&format!("`{flag}` is about behaviors, whose files end in `.agent`"));
        }
    }
    let adapters = Adapters::new(&args.engine, &args.output, args.input.import_root.as_ref());
    let loaded = match load(&adapters, &args.input, args.prompts.as_ref()) {
        Ok(loaded) => loaded,
        Err(exit) => return exit,
    };
    match perform(&args, &loaded) {
        Ok(played) => exit_of(&loaded, &played, args.output.quiet),
        Err(error) => output::error(&error),
    }
}

/// Runs the agent with the oracles that the flags name.
fn perform(args: &RunArgs, loaded: &LoadedStory) -> Result<Played> {
    let seed = args.engine.seed.unwrap_or(0);
    let access =
        Access::new(&args.oracles.access, args.engine.seed, crate::terminal::wants_color(args.output.color));
    let mut named = args.oracles.clone();
    let is_local = |text: &str| text == "tty" || text == "sim" || text.starts_with("sim:");
    if named.user.is_none() && loaded.needs_user() {
        named.user = named.oracle.clone().filter(|text| is_local(text));
    }
    let mut ports = named.ports(&|text| open_oracle(text, loaded.world(), seed, &access))?;
    let options = StoryOptions {
        turns: args.turns.unwrap_or(20),
        regenerate: args.regenerate,
        on_broken: args.on_broken_assumption.unwrap_or_default(),
        with_user: named.user.is_some(),
    };
    let mut header = loaded.header(spec_names(args), &options, args.oracles.access.attempts, seed);
    header.prompts = args.prompts.as_ref().map(|path| named_in_record(args, path));
    header.oracles = named.named();
    let typed = named.text(Port::Generator) == Some("tty");
    let played = recorded(args.record.as_deref(), args, loaded, header, ports.oracles(), &options, typed);
    ports.report_usage(args.output.quiet);
    played
}

fn recorded(
    record: Option<&Path>,
    args: &RunArgs,
    loaded: &LoadedStory,
    header: RecordHeader,
    oracles: Oracles<'_>,
    options: &StoryOptions,
    typed: bool,
) -> Result<Played> {
    let mut audience = show::TurnPrinter::new(args.output.color, typed);
    let silent = record.is_some_and(is_stdin);
    let mut nobody = NoAudience;
    let audience: &mut dyn Audience = if silent { &mut nobody } else { &mut audience };
    with_record(record, |write| run_story(loaded, oracles, options, header, audience, write))
}

/// Runs an agent whose record goes to this file, or to standard output for `-`, line by line, so that a run that is cut
/// off leaves what it did.
fn with_record<T>(record: Option<&Path>, run: impl FnOnce(&mut dyn FnMut(&str)) -> T) -> Result<T> {
    let mut file = match record.filter(|path| !is_stdin(path)) {
        Some(path) => {
            Some(std::fs::File::create(path).with_context(|| format!("cannot write `{}`", path.display()))?)
        }
        None => None,
    };
    let mut failed = None;
    let outcome = run(&mut |line: &str| {
        if failed.is_some() || record.is_none() {
            return;
        }
        let written = match &mut file {
            Some(file) => file.write_all(line.as_bytes()),
            None => crate::terminal::print(line),
        };
        failed = written.err();
    });
    match failed {
        Some(error) => Err(anyhow!(error).context("cannot write the record")),
        None => Ok(outcome),
    }
}

/// Opens the oracle that a text names; `sim` or `sim:RATES` is the built-in simulated model, with the given `world`.
fn open_oracle(text: &str, world: SimWorld, seed: u64, access: &Access) -> Result<Box<dyn Oracle>> {
    let rates = match text.split_once(':') {
        None if text == "sim" => "",
        Some(("sim", rates)) => rates,
        _ => return oracles::open(text, access),
    };
    let rates = SimRates::read(rates).map_err(|why| anyhow!("`{text}`: {why}"))?;
    Ok(Box::new(Sim::new(rates, world, seed)))
}

/// The files of the specification as a record names them.
fn spec_names(args: &RunArgs) -> Vec<String> {
    args.input.specs.iter().map(|path| named_in_record(args, path)).collect()
}

/// A file as a record names it: relative to the folder of the record, if it lies below it.
fn named_in_record(args: &RunArgs, path: &Path) -> String {
    let folder = args.record.as_deref().filter(|path| !is_stdin(path)).and_then(Path::parent);
    let absolute = std::path::absolute(path).ok();
    let below = folder.and_then(|folder| std::path::absolute(Path::new(".").join(folder)).ok());
    let named = match (absolute, below) {
        (Some(path), Some(folder)) => {
            path.strip_prefix(&folder).map_or_else(|_| path.clone(), Path::to_path_buf)
        }
        _ => path.to_path_buf(),
    };
    named.to_string_lossy().into_owned()
}

/// The error message if the record would overwrite an input file of the agent.
fn overwrites(args: &RunArgs) -> Option<String> {
    let record = std::fs::canonicalize(args.record.as_ref()?).ok()?;
    let named = Port::ALL.iter().filter_map(|port| args.oracles.text(*port)?.strip_prefix("script:"));
    let mut used = args.input.specs.iter().chain(&args.prompts).cloned().chain(named.map(PathBuf::from));
    let same = used.find(|path| std::fs::canonicalize(path).is_ok_and(|path| path == record))?;
    Some(format!("`--record {}` would overwrite an input file of the agent", same.display()))
}

/// Reports violated guarantees and how the run ended. An unexplained violation is an internal error if all guarantees
/// were monitored.
fn exit_of(loaded: &LoadedStory, played: &Played, quiet: bool) -> Exit {
    let story = &loaded.story;
    let mut found = String::new();
    for violation in played.violations() {
        let text = &story.clauses.guarantees[violation.guarantee].text;
        let turn = violation.turn;
        match violation.broken {
            Some((first, assumption)) => {
                let broken = &story.clauses.assumptions[assumption].text;
                let _ = writeln!(
                    found,
                    "turn {turn} violates `{text}`; to blame is the environment, which broke `{broken}` in turn {first}"
                );
            }
            None if violation.given_up.is_some() => {
                let (first, assumption) = violation.given_up.unwrap_or_default();
                let given_up = &story.clauses.assumptions[assumption].text;
                let _ = writeln!(
                    found,
                    "turn {turn} violates `{text}`: the controller gave up the assumption `{given_up}` in turn {first}"
                );
            }
            None => {
                let _ = writeln!(found, "turn {turn} violates `{text}`, and no assumption was broken");
            }
        }
    }
    let blamed_on_us = played
        .violations()
        .iter()
        .any(|violation| violation.broken.is_none() && violation.given_up.is_none());
    let exit = match &played.end {
        StoryEnd::Turns => Exit::Yes,
        StoryEnd::Left(why) => {
            let _ = writeln!(found, "turns that came to their end: {}; {why}", played.turns.len());
            Exit::Yes
        }
        StoryEnd::Broken(assumption) => {
            let text = &story.clauses.assumptions[*assumption].text;
            let turn = played.turns.len();
            let _ = write!(
                found,
                "turn {turn} breaks the assumption `{text}`, so nothing is guaranteed any more\n\
                 help: `--on-broken-assumption resync` goes on as well as it can, `--regenerate 2` writes bad passages again\n"
            );
            Exit::No
        }
        StoryEnd::Stopped(stop) => {
            let _ = writeln!(found, "it stopped in turn {}: {stop}", played.turns.len());
            Exit::No
        }
        StoryEnd::NoAnswer => return output::internal("the controller has no answer to an input"),
    };
    if blamed_on_us && loaded.story.clauses.is_complete {
        return output::internal(&format!(
            "a certified controller violates a guarantee: {}",
            found.trim_end()
        ));
    }
    if !quiet || exit != Exit::Yes {
        crate::terminal::eprint(&crate::terminal::escape_lines(&found));
    }
    exit
}
