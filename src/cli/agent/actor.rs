//! `agent POLICY`: a model proposes actions in an environment, and the gate decides about each.

use super::RunArgs;
use super::worlds::SimulatedWorld;
use crate::adapters::{Adapters, WithSources};
use crate::exit::Exit;
use crate::oracles::{self, Access};
use crate::output;
use crate::terminal::{eprint, escape, escape_lines, print};
use anyhow::Result;
use clap::{Args, ValueEnum};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use tsl_synth_agents::{Oracle, Port, Sim, SimRates, SimWorld};
use tsl_synth_core::diag::Severity;
use tsl_synth_documents::{ActorRunDocument, ActorStepDocument, Record};
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_service::{
    ActorEnd, ActorKind, ActorOptions, ActorOutcome, ActorRun, ActorTotals, Fallback, Input, actor_options,
    is_stdin, replay_actor, run_actor,
};

/// How actions are proposed under a policy.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Policies")]
pub(crate) struct ActorArgs {
    /// How the model proposes actions
    #[arg(long, value_enum, value_name = "ACTOR")]
    pub(crate) actor: Option<Actor>,
    /// Ask for another action after one was refused, so many times in a step [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=100))]
    pub(crate) retries: Option<u32>,
    /// What becomes of soft laws where all laws leave no action [default: what the policy says]
    #[arg(long, value_enum, value_name = "FALLBACK")]
    pub(crate) fallback: Option<GiveWay>,
    /// Do refused actions all the same, and record what was refused
    #[arg(long)]
    pub(crate) shadow: bool,
    /// Judge a whole plan before anything is done: `--actor plan`
    #[arg(long, conflicts_with = "actor")]
    pub(crate) rollout: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Actor {
    /// It says what it thinks and names an action; if that is refused, it is told why and asked for another one
    Monologue,
    /// It scores the actions that the gate lets through, and the best one is done
    Score,
    /// It writes a whole plan, which is judged before its first action is done
    Plan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GiveWay {
    /// Soft laws refuse like hard ones
    None,
    /// Soft laws give way, hard ones stay
    Hard,
}

impl ActorArgs {
    /// The first of these flags that was given, if any.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let flags = [
            (self.actor.is_some(), "--actor"),
            (self.retries.is_some(), "--retries"),
            (self.fallback.is_some(), "--fallback"),
            (self.shadow, "--shadow"),
            (self.rollout, "--rollout"),
        ];
        flags.into_iter().find(|(given, _)| *given).map(|(_, flag)| flag)
    }
}

impl Actor {
    /// How the library names it.
    pub(crate) fn kind(self) -> ActorKind {
        match self {
            Self::Monologue => ActorKind::Monologue,
            Self::Score => ActorKind::Score,
            Self::Plan => ActorKind::Plan,
        }
    }
}

/// The task that was given, else that of a simulated world.
pub(crate) fn task(given: Option<&String>, world: Option<&SimulatedWorld>) -> String {
    given.cloned().or_else(|| world.map(SimulatedWorld::sentence)).unwrap_or_default()
}

/// Whether an actor is asked for thoughts: simulated models have none.
pub(crate) fn has_thoughts(kind: ActorKind, oracle: &str) -> bool {
    kind == ActorKind::Monologue && oracle != "sim" && !oracle.starts_with("sim:")
}

fn options(args: &RunArgs, kind: ActorKind, world: Option<&SimulatedWorld>) -> ActorOptions {
    let mut options = ActorOptions::new(kind);
    options.task = task(args.task.as_ref(), world);
    options.thoughts = has_thoughts(kind, args.oracles.text(Port::Generator).unwrap_or_default());
    options.steps = args.turns.unwrap_or(options.steps);
    options.retries = args.actor.retries.unwrap_or(options.retries);
    options.shadow = args.actor.shadow;
    options.fallback = args.actor.fallback.map(|fallback| match fallback {
        GiveWay::None => Fallback::None,
        GiveWay::Hard => Fallback::Hard,
    });
    options
}

/// Loads a policy file and makes an actor under it.
fn load(
    adapters: &Adapters,
    path: &Path,
    options: impl FnOnce(&Arc<CompiledPolicy>) -> Result<ActorOptions>,
) -> Result<ActorRun, Exit> {
    let input = Input::File(path.to_path_buf());
    let (loaded, sources) = adapters.report(move |session| session.policy(&input))?;
    adapters.show(&loaded.diagnostics, Severity::Warning, &sources);
    let text = sources.iter().next().map(|(_, source)| source.text.clone()).unwrap_or_default();
    let options = options(&Arc::new(loaded.compiled.clone())).map_err(|error| output::error(&error))?;
    let WithSources { answer, .. } =
        adapters.ask(move |_| ActorRun::new(loaded, &text, options)).or_exit()?;
    answer.map_err(|failure| adapters.failed(&failure, &sources))
}

/// Runs the verb.
pub(crate) fn play(args: &RunArgs, path: &Path) -> Exit {
    for (given, flag) in [
        (args.regenerate > 0, "--regenerate"),
        (args.prompts.is_some(), "--prompts"),
        (args.on_broken_assumption.is_some(), "--on-broken-assumption"),
        (args.repair > 0, "--repair"),
        (args.choose_forced, "--choose-forced"),
        (args.max_loops.is_some(), "--max-loops"),
        (args.most_states.is_some(), "--most-states"),
    ] {
        if given {
            return output::wrong(&format!("`{flag}` is not about policies, and this is a policy"));
        }
    }
    if args.oracles.text(Port::World).is_none() {
        return output::wrong(
            "an actor under a policy acts on an environment: say `--env inventory`, `--env household:TASK`, \
             `--env effects:FILE`, or `--env cmd:PROGRAM` (`tsl-synth help agent`)",
        );
    }
    let kind = match args.actor.actor {
        _ if args.actor.rollout => ActorKind::Plan,
        given => given.unwrap_or(Actor::Monologue).kind(),
    };
    let adapters = Adapters::new(&args.engine, &args.output, args.input.import_root.as_ref());
    let mut world = None;
    let loaded = load(&adapters, path, |compiled| {
        world = SimulatedWorld::named(args.oracles.text(Port::World).unwrap_or_default(), compiled)?;
        Ok(options(args, kind, world.as_ref()))
    });
    let mut run = match loaded {
        Ok(run) => run,
        Err(exit) => return exit,
    };
    match perform(args, &mut run, world.as_ref()) {
        Ok(outcome) => exit_of(&outcome, &run.options, args.output.quiet),
        Err(error) => output::error(&error),
    }
}

/// Opens an oracle. The text `env` stands for the world, if that is a simulated one, and `sim` for a simulated model that
/// acts in it.
pub(crate) fn open(
    text: &str,
    (env, world): (&str, Option<&SimulatedWorld>),
    compiled: &Arc<CompiledPolicy>,
    seed: u64,
    access: &Access,
) -> Result<Box<dyn Oracle>> {
    if let Some(world) = world.filter(|_| text == env) {
        return Ok(world.port(seed));
    }
    if let Some(rates) = text.strip_prefix("sim:") {
        let rates = SimRates::read(rates).map_err(|why| anyhow::anyhow!("`{text}`: {why}"))?;
        return Ok(Box::new(Sim::new(rates, SimWorld::default(), seed)));
    }
    if text != "sim" {
        return oracles::open(text, access);
    }
    Ok(match world {
        Some(world) => world.model(compiled, seed ^ 1),
        None => Box::new(Sim::new(SimRates::default(), SimWorld::default(), seed)),
    })
}

fn perform(args: &RunArgs, run: &mut ActorRun, world: Option<&SimulatedWorld>) -> Result<ActorOutcome> {
    let seed = args.engine.seed.unwrap_or(0);
    let color = crate::terminal::wants_color(args.output.color);
    let access = Access::new(&args.oracles.access, args.engine.seed, color);
    let env = args.oracles.text(Port::World).unwrap_or_default().to_string();
    let compiled = Arc::new(run.compiled().clone());
    let mut ports = args.oracles.ports(&|text| open(text, (&env, world), &compiled, seed, &access))?;
    let mut header = run.header(super::spec_names(args), args.oracles.access.attempts, seed);
    header.oracles = args.oracles.named();
    let silent = args.record.as_deref().is_some_and(is_stdin);
    let mut heard = |step: &ActorStepDocument| {
        if !silent {
            let _ = print(&escape_lines(&words(step)));
        }
    };
    let outcome = super::with_record(args.record.as_deref(), |write| {
        run_actor(run, ports.oracles(), header, &mut heard, write)
    });
    ports.report_usage(args.output.quiet);
    outcome
}

/// A step in words.
fn words(step: &ActorStepDocument) -> String {
    let mut text = format!("Step {}\n", step.number + 1);
    if !step.broken.is_empty() {
        let _ = writeln!(text, "  the world broke: {}", step.broken.join(", "));
    }
    if !step.lost.is_empty() {
        let _ = writeln!(text, "  violated by the environment: {}", step.lost.join(", "));
    }
    if !step.core.is_empty() {
        let _ = writeln!(text, "  no action is left by: {}", step.core.join(", "));
    }
    for refusal in &step.refused {
        let by = if refusal.by.is_empty() { "no law" } else { &refusal.by.join(", ") };
        let _ = writeln!(text, "  refused:  {} (by {by})", refusal.action);
    }
    if !step.dropped.is_empty() && !step.core.is_empty() {
        let _ = writeln!(text, "  soft laws gave way: {}", step.dropped.len());
    }
    if !step.plan.is_empty() {
        let _ = writeln!(text, "  plan:     {}", step.plan.join(", "));
    }
    if !step.thought.is_empty() {
        let _ = writeln!(text, "  thought:  {}", step.thought);
    }
    if let Some(action) = &step.action {
        let outcome = if step.ok { "" } else { ", and failed" };
        let _ = writeln!(text, "  done:     {action}{outcome}");
    }
    if !step.ok
        && let Some(first) = step.text.lines().next().filter(|line| line.starts_with("Error"))
    {
        let _ = writeln!(text, "  {first}");
    }
    for goal in &step.goals {
        let _ = writeln!(text, "  reached:  {goal}");
    }
    text
}

/// Reports how the run ended.
fn exit_of(outcome: &ActorOutcome, options: &ActorOptions, quiet: bool) -> Exit {
    let mut totals = ActorTotals::default();
    totals.add(&outcome.steps, outcome.end.name());
    let end = match &outcome.end {
        ActorEnd::Goal => "the goal is reached".to_string(),
        ActorEnd::Done if outcome.reached => "the agent is done, and the goal is reached".to_string(),
        ActorEnd::Done => "the agent says it is done, and the goal is not reached".to_string(),
        ActorEnd::Limit => format!("it was ended after {} steps: `--turns` allows more", outcome.steps.len()),
        other => format!("it stopped: {}", other.text()),
    };
    let mut text = format!(
        "{end}; actions: {}, failed: {}, refused: {}, states without an allowed action: {}\n",
        totals.actions, totals.failed, totals.refused, totals.over_constrained
    );
    if options.fallback.is_none() && outcome.end == ActorEnd::Stuck {
        text.push_str("help: `--fallback hard` lets soft laws give way where they leave no action\n");
    }
    if !outcome.violated.is_empty() {
        let _ = writeln!(text, "hard laws violated: {}", outcome.violated.join(", "));
    }
    if !outcome.owed.is_empty() {
        let _ = writeln!(text, "owed as it ended: {}", outcome.owed.join(", "));
    }
    let is_good = outcome.reached && matches!(outcome.end, ActorEnd::Goal | ActorEnd::Done);
    let is_good = is_good && outcome.violated.is_empty();
    if !quiet || !is_good {
        eprint(&escape_lines(&text));
    }
    if is_good { Exit::Yes } else { Exit::No }
}

/// Plays a record again.
pub(crate) fn replay(
    args: &RunArgs,
    path: &Path,
    record: &Record,
    text: &str,
    document: &ActorRunDocument,
) -> Exit {
    let named =
        args.input.specs.first().cloned().or_else(|| super::recorded::specs(record, path).into_iter().next());
    let Some(file) = named else { return output::wrong("the record names no policy") };
    let options = match actor_options(document) {
        Ok(options) => options,
        Err(why) => return output::wrong(&why),
    };
    let adapters = Adapters::new(&args.engine, &args.output, args.input.import_root.as_ref());
    let mut run = match load(&adapters, &file, |_| Ok(options)) {
        Ok(run) => run,
        Err(exit) => return exit,
    };
    if run.sha256() != record.header.sha256 {
        eprint(&format!(
            "the policy changed since the record was made: `{}`\n",
            escape(&path.to_string_lossy())
        ));
        return Exit::No;
    }
    let quiet = args.output.quiet;
    let mut again = String::new();
    let mut heard = |step: &ActorStepDocument| {
        if !quiet {
            let _ = print(&escape_lines(&words(step)));
        }
    };
    replay_actor(&mut run, record, &mut heard, &mut |line| again.push_str(line));
    super::recorded::compared(&again, text)
}

/// The totals of records of actors, as text.
pub(crate) fn totals(totals: &ActorTotals) -> String {
    let mut text = format!(
        "runs: {}, actions: {}\n\nfailed actions: {} ({:.1} %)\nrefused proposals: {} ({:.1} %)\n",
        totals.runs,
        totals.actions,
        totals.failed,
        totals.failed_percent(),
        totals.refused,
        totals.refused_percent(),
    );
    if totals.violating > 0 {
        let _ = writeln!(text, "actions that violate a law (shadow mode): {}", totals.violating);
    }
    let _ = writeln!(text, "states without an allowed action: {}", totals.over_constrained);
    for (core, count) in &totals.cores {
        let _ = writeln!(text, "  {count:>5}  {}", core.join(", "));
    }
    if !totals.goals.is_empty() {
        text.push_str("\nsub-goals: runs, and actions on average\n");
        for goal in &totals.goals {
            let mean = goal.mean().unwrap_or(0.0);
            let _ = writeln!(text, "  {:>5}  {mean:>7.1}  {}", goal.runs, goal.name);
        }
    }
    text.push_str("\nends\n");
    for (end, count) in &totals.ends {
        let _ = writeln!(text, "  {count:>5}  {end}");
    }
    escape_lines(&text)
}
