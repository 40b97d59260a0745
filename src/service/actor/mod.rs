//! Actors under a policy (LTLCrit, Safety Chip): a model proposes actions in an environment, and the gate decides about each.
//!
//! There are three kinds of actors. A *monologue* actor names an action, after a thought if one is asked for; if the
//! action is refused, the model is told by which law and why, and asked for another one, a bounded number of times. A
//! *score* actor gives a number to each action that the gate lets through; the highest wins. A *plan* actor writes a
//! whole plan, which the gate judges on a copy of the session before anything is executed; a refused plan is explained,
//! and another one is asked for. If the laws leave no action, the step records a minimal set of laws that
//! leaves none, and soft laws are dropped if the policy says so (`fallback = "hard"`).
//!
//! Every action goes through [`GateSolver::propose`] before the environment executes it: all of its calls in order, on a
//! copy of the session. Nothing else decides about actions.

mod drive;
mod events;
mod prompts;
mod rollout;
mod totals;

pub use events::{RunEvents, TASK_DONE, reported_goals, run_events};
pub use totals::{ActorTotals, GoalTotal, actor_totals};

use super::recording::{Oracles, RecordWriter};
use super::{Failure, LoadedPolicy, recording};
use drive::Drive;
use std::sync::Arc;
use tsl_synth_agents::{NoOracle, Oracle, Replay, StopReason};
use tsl_synth_core::base::{Budget, sha256};
use tsl_synth_documents::{
    ActorRunDocument, ActorStepDocument, EndDocument, Record, RecordHeader, RecordLine,
};
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::gate::{GateOptions, GateSolver};
use tsl_synth_policy::language::Fallback;

/// How actions are proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActorKind {
    /// The model names an action; a refusal is explained to it, and it is asked for another action (InnerMonologue).
    Monologue,
    /// The model scores the actions that the gate allows (SayCan).
    Score,
    /// The model writes a whole plan, which is judged before its first action is executed (Safety Chip).
    Plan,
}

impl ActorKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Monologue, Self::Score, Self::Plan];
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Monologue => "monologue",
            Self::Score => "score",
            Self::Plan => "plan",
        }
    }
    /// The actor of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// How an actor is run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ActorOptions {
    /// How actions are proposed.
    pub kind: ActorKind,
    /// The task of the agent, in a sentence.
    pub task: String,
    /// Whether a monologue actor is asked for a thought before each choice.
    pub thoughts: bool,
    /// The maximal number of steps.
    pub steps: u32,
    /// How many times another action is requested in a step after one was refused.
    pub retries: u32,
    /// Whether refused actions are executed all the same, and only recorded.
    pub shadow: bool,
    /// Replaces the policy's fallback, which decides whether soft laws are dropped when all laws together leave no
    /// action.
    pub fallback: Option<Fallback>,
}

impl ActorOptions {
    /// No task, no thoughts, at most 150 steps, 3 retries, no shadow mode, and the fallback of the policy.
    pub fn new(kind: ActorKind) -> Self {
        let task = String::new();
        Self { kind, task, thoughts: false, steps: 150, retries: 3, shadow: false, fallback: None }
    }
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActorEnd {
    /// The goal is reached.
    Goal,
    /// The agent said that it is done, and it owes nothing or the run is in shadow mode.
    Done,
    /// The maximal number of steps was reached.
    Limit,
    /// All proposals of one step, actions or plans, were refused; how many there were.
    Refused(usize),
    /// No action was left.
    Stuck,
    /// A model or the environment did not answer.
    Stopped(StopReason),
    /// The environment reported something that cannot be used.
    World(String),
}

impl ActorEnd {
    /// Its name in records.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Goal => "goal",
            Self::Done => "done",
            Self::Limit => "limit",
            Self::Refused(_) => "refused",
            Self::Stuck => "stuck",
            Self::Stopped(stop) if stop.is_end() => "left",
            Self::Stopped(_) => "stopped",
            Self::World(_) => "world",
        }
    }
    /// An explanation in a sentence; empty if the name is enough.
    pub fn text(&self) -> String {
        match self {
            Self::Goal | Self::Done | Self::Limit => String::new(),
            Self::Refused(proposals) => {
                format!("all {proposals} proposals of one step were refused, and no more are asked for")
            }
            Self::Stuck => "the laws leave no action".into(),
            Self::Stopped(stop) => stop.to_string(),
            Self::World(why) => why.clone(),
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ActorOutcome {
    /// All steps.
    pub steps: Vec<ActorStepDocument>,
    /// Why it ended.
    pub end: ActorEnd,
    /// Whether the environment reports that the goal is reached.
    pub reached: bool,
    /// The propositions that the environment reports at the end.
    pub truths: Vec<String>,
    /// The hard laws that were violated, by id.
    pub violated: Vec<String>,
    /// The hard laws whose obligations were still open when the run ended.
    pub owed: Vec<String>,
}

/// A policy, and an actor under it.
pub struct ActorRun {
    judge: GateSolver,
    sha256: String,
    /// How it is run.
    pub options: ActorOptions,
}

impl ActorRun {
    /// An actor under a policy with this text.
    ///
    /// # Errors
    /// Laws that the game cannot decide, or a limit.
    pub fn new(loaded: LoadedPolicy, text: &str, options: ActorOptions) -> Result<Self, Failure> {
        let mut compiled = loaded.compiled;
        if let Some(fallback) = options.fallback {
            compiled.policy.fallback = fallback;
        }
        let judge = GateSolver::new(Arc::new(compiled), GateOptions::default(), &Budget::unlimited())?;
        Ok(Self { judge, sha256: sha256(text.as_bytes()), options })
    }

    /// The hash of the text of the policy.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// The policy.
    pub fn compiled(&self) -> &CompiledPolicy {
        self.judge.compiled()
    }

    /// The first line of a record.
    pub fn header(&self, spec: Vec<String>, attempts: u32, seed: u64) -> RecordHeader {
        let ActorOptions { kind, task, thoughts, steps, retries, shadow, fallback } = &self.options;
        let fallback = fallback.map(|fallback| match fallback {
            Fallback::None => "none".to_string(),
            Fallback::Hard => "hard".to_string(),
        });
        RecordHeader {
            actor: Some(ActorRunDocument {
                actor: kind.name().into(),
                task: task.clone(),
                steps: *steps,
                retries: *retries,
                shadow: *shadow,
                thoughts: *thoughts,
                fallback,
            }),
            ..recording::header(spec, self.sha256.clone(), attempts, seed)
        }
    }
}

/// The options of a record.
///
/// # Errors
/// An unknown actor or fallback.
pub fn actor_options(document: &ActorRunDocument) -> Result<ActorOptions, String> {
    let kind = ActorKind::of_name(&document.actor)
        .ok_or_else(|| format!("there is no actor `{}`", document.actor))?;
    let fallback = match document.fallback.as_deref() {
        None => None,
        Some("none") => Some(Fallback::None),
        Some("hard") => Some(Fallback::Hard),
        Some(other) => return Err(format!("there is no fallback `{other}`")),
    };
    let ActorRunDocument { task, thoughts, steps, retries, shadow, .. } = document.clone();
    Ok(ActorOptions { kind, task, thoughts, steps, retries, shadow, fallback })
}

/// Runs an actor and records it. `heard` is called for each step when it is over.
pub fn run_actor(
    run: &mut ActorRun,
    mut oracles: Oracles<'_>,
    header: RecordHeader,
    heard: &mut dyn FnMut(&ActorStepDocument),
    write: &mut dyn FnMut(&str),
) -> ActorOutcome {
    let attempts = header.attempts;
    let writer = RecordWriter::new(header, write);
    let mut log = &writer;
    let mut conversation = oracles.conversation(&mut log, attempts);
    let mut reported = |step: &ActorStepDocument| {
        writer.line(&RecordLine::Step(Box::new(step.clone())));
        heard(step);
    };
    let outcome = Drive::new(&mut run.judge, &run.options, &mut conversation).run(&mut reported);
    let end = &outcome.end;
    let turns = outcome.steps.len();
    writer.line(&RecordLine::End(EndDocument { reason: end.name().into(), text: end.text(), turns }));
    outcome
}

/// Runs an actor without a record: a model proposes actions, and a world executes them.
pub fn play_actor(
    run: &mut ActorRun,
    model: &mut dyn Oracle,
    world: &mut dyn Oracle,
    attempts: u32,
    seed: u64,
) -> ActorOutcome {
    let (mut evaluator, mut user) = (NoOracle, NoOracle);
    let oracles = Oracles { evaluator: &mut evaluator, generator: model, user: &mut user, world };
    let header = run.header(Vec::new(), attempts, seed);
    run_actor(run, oracles, header, &mut |_| {}, &mut |_| {})
}

/// Runs an actor again on the answers of a record. The same policy yields the same record, byte for byte.
pub fn replay_actor(
    run: &mut ActorRun,
    record: &Record,
    heard: &mut dyn FnMut(&ActorStepDocument),
    write: &mut dyn FnMut(&str),
) -> ActorOutcome {
    let RecordHeader { spec, attempts, seed, oracles: named, .. } = &record.header;
    let header = RecordHeader { oracles: named.clone(), ..run.header(spec.clone(), *attempts, *seed) };
    let mut ports = Replay::ports(&record.exchanges);
    run_actor(run, Oracles::of(&mut ports), header, heard, write)
}
