//! `critic --loop`: an actor and the critic in turn.

use super::{CriticArgs, changes, diff, edits, request, write};
use crate::adapters::Adapters;
use crate::agent::actor::{self, Actor};
use crate::agent::worlds::SimulatedWorld;
use crate::exit::Exit;
use crate::flags::OutputFormat;
use crate::oracles::{self, Access};
use crate::{output, terminal};
use clap::Args;
use std::fmt::Write;
use std::sync::Arc;
use tsl_synth_agents::{NoLog, Oracle};
use tsl_synth_core::base::Random;
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_service::{
    ActorOptions, ActorOutcome, ActorRun, CriticGoal, CriticLoopReport, CriticLoopRequest, Failure, Fallback,
    LoadedPolicy, LoopActor, LoopIteration, TASK_DONE, play_actor,
};

/// The flags of `--loop`.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "An actor and the critic in turn")]
pub(crate) struct LoopArgs {
    /// Let an actor play under the policy, edit its laws from what happened, and so on until nothing changes
    #[arg(long = "loop", conflicts_with_all = ["trajectories", "from"], requires = "env")]
    pub(crate) looped: bool,
    /// The environment: `effects:FILE:TASK`, `inventory`, `household:TASK`, `tools:FILE`, `cmd:PROGRAM`
    #[arg(long, value_name = "ENV")]
    pub(crate) env: Option<String>,
    /// Who acts [default: `sim`, a simulated model of the environment]
    #[arg(long, value_name = "ORACLE")]
    pub(crate) actor_oracle: Option<String>,
    /// How the model proposes actions
    #[arg(long, value_enum, value_name = "ACTOR")]
    pub(crate) actor: Option<Actor>,
    /// What the agent is to do [default: what the environment says]
    #[arg(long, value_name = "TEXT")]
    pub(crate) task: Option<String>,
    /// Runs in each iteration [default: 20]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) runs: Option<u32>,
    /// End a run after so many steps [default: 150]
    #[arg(long, value_name = "N")]
    pub(crate) turns: Option<u32>,
    /// The largest number of iterations [default: 5]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) iterations: Option<u32>,
}

impl LoopArgs {
    /// The first of these flags that was given, if any.
    pub(super) fn given(&self) -> Option<&'static str> {
        let flags = [
            (self.env.is_some(), "--env"),
            (self.actor_oracle.is_some(), "--actor-oracle"),
            (self.actor.is_some(), "--actor"),
            (self.task.is_some(), "--task"),
            (self.runs.is_some(), "--runs"),
            (self.turns.is_some(), "--turns"),
            (self.iterations.is_some(), "--iterations"),
        ];
        flags.into_iter().find(|(given, _)| *given).map(|(_, flag)| flag)
    }
}

/// The runs of an iteration, if `--runs` does not say it.
const RUNS: u32 = 20;
/// The largest number of iterations, if `--iterations` does not say it.
const ITERATIONS: u32 = 5;

/// The actor that the flags name.
struct NamedActor {
    args: LoopArgs,
    access: Access,
    seed: u64,
    attempts: u32,
    /// The world of this iteration, if it is a simulated one.
    world: Option<SimulatedWorld>,
}

impl NamedActor {
    fn env(&self) -> &str {
        self.args.env.as_deref().unwrap_or_default()
    }
    fn oracle(&self) -> &str {
        self.args.actor_oracle.as_deref().unwrap_or("sim")
    }
    fn open(
        &self,
        text: &str,
        compiled: &Arc<CompiledPolicy>,
        seed: u64,
    ) -> Result<Box<dyn Oracle>, Failure> {
        let opened = actor::open(text, (self.env(), self.world.as_ref()), compiled, seed, &self.access);
        opened.map_err(|error| cannot(&error))
    }
}

fn cannot(error: &anyhow::Error) -> Failure {
    Diagnostic::error(Code::CANNOT_READ, format!("{error:#}")).into()
}

impl LoopActor for NamedActor {
    fn options(&mut self, loaded: &LoadedPolicy) -> Result<ActorOptions, Failure> {
        let compiled = Arc::new(loaded.compiled.clone());
        self.world = SimulatedWorld::named(self.env(), &compiled).map_err(|error| cannot(&error))?;
        let kind = self.args.actor.unwrap_or(Actor::Monologue).kind();
        let mut options = ActorOptions::new(kind);
        options.task = actor::task(self.args.task.as_ref(), self.world.as_ref());
        options.steps = self.args.turns.unwrap_or(options.steps);
        // Where the laws leave no action the run goes on under the hard ones, as in the paper, and the critic sees it.
        options.fallback = Some(Fallback::Hard);
        options.thoughts = actor::has_thoughts(kind, self.oracle());
        Ok(options)
    }

    fn goals(&self) -> Vec<CriticGoal> {
        let reported = self.world.as_ref().map_or(vec![TASK_DONE.to_owned()], SimulatedWorld::goals);
        reported.into_iter().map(CriticGoal::Reported).collect()
    }

    fn play(&mut self, run: &mut ActorRun, number: u32) -> Result<ActorOutcome, Failure> {
        let compiled = Arc::new(run.compiled().clone());
        let seed = Random::new(self.seed ^ (u64::from(number) << 20)).bits();
        let mut world = self.open(self.env(), &compiled, seed)?;
        let mut model = self.open(self.oracle(), &compiled, seed)?;
        Ok(play_actor(run, model.as_mut(), world.as_mut(), self.attempts, seed))
    }
}

/// Runs the loop.
pub(super) fn run(args: &CriticArgs, adapters: &Adapters) -> Exit {
    let own = args.rounds_with.clone();
    let request =
        CriticLoopRequest::new(request(args), own.runs.unwrap_or(RUNS), own.iterations.unwrap_or(ITERATIONS));
    let access = Access::new(&args.access, args.engine.seed, terminal::wants_color(args.color));
    let oracle = (args.oracle != "mine").then(|| args.oracle.clone());
    let is_text = args.format != OutputFormat::Json;
    let mut actor = NamedActor {
        args: own,
        access: access.clone(),
        seed: args.engine.seed.unwrap_or(0),
        attempts: args.access.attempts,
        world: None,
    };
    let asked = oracles::ask(adapters, oracle, access, move |session, oracle| {
        let mut number = 0;
        let mut heard = |one: &LoopIteration| {
            number += 1;
            if is_text {
                let _ = terminal::print(&terminal::escape_lines(&words(number, one)));
            }
        };
        session.critic_loop(&request, &mut actor, oracle, &mut NoLog, &mut heard)
    });
    let (report, _) = match asked {
        Ok(asked) => asked,
        Err(exit) => return exit,
    };
    match deliver(args, &report) {
        Ok(()) if report.is_settled() => Exit::Yes,
        Ok(()) => Exit::No,
        Err(error) => output::error(&error),
    }
}

/// The report of an iteration as text.
fn words(number: u32, one: &LoopIteration) -> String {
    let totals = &one.totals;
    let mean = totals.actions as f64 / totals.runs.max(1) as f64;
    let mut text = format!(
        "iteration {number}: {} of {} runs reach the goal, {mean:.1} actions each, {:.1} % of them failed, {:.1} % of \
         proposals refused\n",
        one.reached,
        totals.runs,
        totals.failed_percent(),
        totals.refused_percent()
    );
    let _ = writeln!(text, "steps in which the laws left no action: {}", totals.over_constrained);
    if let Some(critic) = &one.critic {
        return text + &edits(critic);
    }
    let before = number.saturating_sub(1);
    let _ = writeln!(
        text,
        "fewer runs reach the goal than before: the edits of iteration {before} are withdrawn"
    );
    text
}

fn deliver(args: &CriticArgs, report: &CriticLoopReport) -> anyhow::Result<()> {
    let is_written = write(args, &report.before, &report.after)?;
    let diff = diff(&report.name, &report.before, &report.after);
    let text = if args.format == OutputFormat::Json {
        let mut document = report.document();
        document.diff = diff;
        output::json(&document)
    } else {
        let mut text = changes(&diff, is_written);
        if !report.is_settled() {
            text += "the last iteration still changed something: `--iterations` allows more\n";
        }
        text
    };
    output::deliver(None, &text)
}
