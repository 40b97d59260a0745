//! `agent eval`: one's own model measured under a specification, a policy, a behavior or a grammar, and alone.

use super::worlds::SimulatedWorld;
use super::{actor, behavior, load, open_oracle};
use crate::adapters::{Adapters, WithSources};
use crate::eval::{EvalFlags, Evaluation, MeasureArgs};
use crate::exit::Exit;
use crate::flags::{ColorChoice, EngineArgs, InputArgs, OutputArgs, ProgressChoice};
use crate::oracles::{Access, OracleArgs};
use crate::{eval, output, plan};
use anyhow::{Context, Result, anyhow};
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tsl_synth_agents::{Oracle, Port, SimWorld};
use tsl_synth_core::base::sha256;
use tsl_synth_core::diag::Severity;
use tsl_synth_experiments::eval::{EvalGroup, EvalTask, Subject, read_tasks};
use tsl_synth_service::{BehaviorRun, Input, PlanRequest};

/// `agent eval`
#[derive(Args, Debug)]
#[command(
    after_help = "Each line of TASKS is a JSON object: `task` (a text), and where there are some `id`, `answer` (a text, \
                  or a list of them), `messages` (of the user, turn by turn), `env`. With `-o DIR` the folder gets \
                  NAME.txt, NAME.csv, NAME.html, NAME.runs.jsonl, from which an evaluation that was cut off goes on, and \
                  answers.jsonl with all answers of models, which are not asked for again. Exit codes: 0 all runs are \
                  made, 2 wrong input or call, 3 a budget is used up or a model gave no answer."
)]
pub(crate) struct EvalArgs {
    /// What guards the model: a specification in TSL, a policy, a behavior (`.agent`) or a grammar (`.cfg`)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The tasks, as JSON lines
    #[arg(long, value_name = "FILE")]
    tasks: PathBuf,
    /// Runs of each task under each arm
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: u32,
    /// The prompts of a specification
    #[arg(long, value_name = "FILE")]
    prompts: Option<PathBuf>,
    /// Laws that the plans of a grammar keep, too
    #[arg(long, value_name = "FILE")]
    law: Vec<PathBuf>,
    /// Run the body of every loop of a behavior at most so many times
    #[arg(long, value_name = "N")]
    max_loops: Option<u32>,
    #[command(flatten)]
    measure: MeasureArgs,
    #[command(flatten)]
    oracles: OracleArgs,
    /// Put tables, report, runs and answers into this folder
    #[arg(short, long, value_name = "DIR", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Results only
    #[arg(short, long, help_heading = "Output")]
    quiet: bool,
    /// Colors
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    color: ColorChoice,
    /// Progress on standard error (only ever on a terminal)
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    progress: ProgressChoice,
    #[command(flatten)]
    engine: EngineArgs,
}

/// Opens the oracle that a text names; `sim` is a simulated model made for the subject and its environment.
pub(crate) fn open_for(
    text: &str,
    subject: &Subject,
    env: &str,
    seed: u64,
    access: &Access,
) -> Result<Box<dyn Oracle>> {
    match subject {
        Subject::Story(story) => open_oracle(text, story.world(), seed, access),
        Subject::Policy(loaded, _) => {
            let compiled = Arc::new(loaded.compiled.clone());
            let world = SimulatedWorld::named(env, &compiled)?;
            actor::open(text, (env, world.as_ref()), &compiled, seed, access)
        }
        Subject::Plans(..) if matches!(text, "first" | "last" | "random") => {
            let access = Access { seed, ..access.clone() };
            plan::oracle::open(text, &access).map_err(|why| anyhow!(why))
        }
        Subject::Behavior(_) | Subject::Plans(..) => open_oracle(text, SimWorld::default(), seed, access),
    }
}

/// Runs the command.
pub(super) fn run(args: &EvalArgs) -> Exit {
    if args.oracles.text(Port::Generator).is_none() {
        return output::wrong(
            "no model is named: `--oracle http:URL`, or `--oracle sim` for a simulated one",
        );
    }
    if args.measure.budget.is_some() && args.measure.prices().is_none() {
        return output::wrong(
            "`--budget` needs `--price-in` or `--price-out`; `--budget-tokens` counts tokens",
        );
    }
    let (tasks, text) = match tasks(&args.tasks) {
        Ok(tasks) => tasks,
        Err(error) => return output::error(&error),
    };
    let shown =
        OutputArgs { quiet: args.quiet, color: args.color, progress: args.progress, ..OutputArgs::default() };
    let adapters = Adapters::new(&args.engine, &shown, None);
    let (subject, identity) = match subject(args, &adapters) {
        Ok(subject) => subject,
        Err(exit) => return exit,
    };
    if matches!(subject, Subject::Policy(..))
        && let Some(task) = tasks.iter().find(|task| task.env.is_none() && args.oracles.env.is_none())
    {
        return output::wrong(&format!(
            "task `{}` has no environment: `--env inventory`, `--env household:TASK`, `--env effects:FILE`, `--env cmd:PROGRAM`, or `env` in \
             its line",
            task.id
        ));
    }
    let name = args.file.file_stem().map_or("eval".into(), |stem| stem.to_string_lossy().into_owned());
    let evaluation = Evaluation {
        identity: format!("{identity} {}", sha256(text.as_bytes())),
        runs: args.runs,
        folder: args.output.clone(),
        progress: args.progress == ProgressChoice::Auto && !args.quiet,
        quiet: args.quiet,
        name: name.clone(),
    };
    let seed = args.engine.seed.unwrap_or(0);
    let access =
        Access::new(&args.oracles.access, args.engine.seed, crate::terminal::wants_color(args.color));
    let flags =
        EvalFlags { measure: &args.measure, oracles: &args.oracles, access: &access, seed, opener: open_for };
    let sources = tsl_synth_core::source::SourceMap::new();
    eval::run(&evaluation, &[EvalGroup::new(name, subject, tasks)], &flags, &|failure| {
        adapters.failed(failure, &sources)
    })
}

fn tasks(path: &Path) -> Result<(Vec<EvalTask>, String)> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let tasks = read_tasks(&text).map_err(|(line, why)| match line {
        0 => anyhow!("`{}`: {why}", path.display()),
        line => anyhow!("`{}`, line {line}: {why}", path.display()),
    })?;
    Ok((tasks, text))
}

/// What guards the model, and a text that identifies it.
fn subject(args: &EvalArgs, adapters: &Adapters) -> Result<(Subject, String), Exit> {
    let path = &args.file;
    let is_grammar = path.extension().is_some_and(|ending| ending == "cfg");
    let is_behavior = behavior::is_behavior(path);
    let is_policy = !is_grammar && !is_behavior && crate::policy_file::is_policy(path);
    let is_spec = !is_grammar && !is_behavior && !is_policy;
    for (given, flag, fits) in [
        (args.prompts.is_some(), "--prompts", is_spec),
        (!args.law.is_empty(), "--law", is_grammar),
        (args.max_loops.is_some(), "--max-loops", is_behavior),
    ] {
        if given && !fits {
            return Err(output::wrong(&format!("`{flag}` is not about `{}`", path.display())));
        }
    }
    if is_spec {
        let input = InputArgs { specs: vec![path.clone()], ..InputArgs::default() };
        let loaded = load(adapters, &input, args.prompts.as_ref())?;
        let identity = format!("{} {}", loaded.sha256, loaded.machine_id);
        return Ok((Subject::Story(Box::new(loaded)), identity));
    }
    let input = Input::File(path.clone());
    if is_policy {
        let (loaded, sources) = adapters.report(move |session| session.policy(&input))?;
        adapters.show(&loaded.diagnostics, Severity::Warning, &sources);
        let text = sources.iter().next().map(|(_, source)| source.text.clone()).unwrap_or_default();
        let identity = loaded.sha256.clone();
        return Ok((Subject::Policy(Box::new(loaded), text), identity));
    }
    if is_behavior {
        let max_loops = args.max_loops;
        let WithSources { answer, sources } =
            adapters.ask(move |session| session.behavior(&input, max_loops)).or_exit()?;
        let (behavior, diagnostics) = answer.map_err(|failure| adapters.failed(&failure, &sources))?;
        adapters.show(&diagnostics, Severity::Warning, &sources);
        let text = sources.iter().next().map(|(_, source)| source.text.clone()).unwrap_or_default();
        let identity = format!("{} {max_loops:?}", sha256(text.as_bytes()));
        let mut run = BehaviorRun::new(behavior, text, "");
        run.max_loops = max_loops;
        if args.oracles.access.decoding.is_some() {
            run = run.under_grammars().map_err(|failure| adapters.failed(&failure, &sources))?;
        }
        return Ok((Subject::Behavior(Box::new(run)), identity));
    }
    let request =
        args.law.iter().fold(PlanRequest::new(input), |request, law| request.with(Input::File(law.clone())));
    let (plans, sources) = adapters.report(move |session| session.plans(&request))?;
    adapters.show(&plans.diagnostics, Severity::Warning, &sources);
    let texts: String = sources.iter().map(|(_, source)| source.text.as_str()).collect();
    let laws: Vec<String> = sources.iter().skip(1).map(|(_, source)| source.text.clone()).collect();
    Ok((Subject::Plans(Box::new(plans), laws), sha256(texts.as_bytes())))
}
