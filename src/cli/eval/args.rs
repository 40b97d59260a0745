//! The flags of evaluations.

use crate::oracles::AccessArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use tsl_synth_experiments::eval::{Arm, EvalOptions, Judge};
use tsl_synth_service::ActorKind;

/// How a model is measured.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Measuring")]
pub(crate) struct MeasureArgs {
    /// The model that is measured alone, with the rules in its prompt [default: that of `--oracle`]
    #[arg(long, value_name = "ORACLE")]
    pub(crate) baseline: Option<String>,
    /// Measure one arm only
    #[arg(long, value_enum, value_name = "ARM")]
    pub(crate) only: Option<ArmArg>,
    /// How answers are judged: exact, f1, regex, or an oracle such as `cmd:PROGRAM` [default: exact]
    #[arg(long, value_name = "JUDGE")]
    pub(crate) judge: Option<String>,
    /// Limit on the turns, actions or texts of a run, or on the steps of a plan
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) turns: Option<u32>,
    /// Write a passage that fails its check again, up to so many times
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=100))]
    pub(crate) regenerate: u32,
    /// Ask for another action after one was refused, so many times in a step [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=100))]
    pub(crate) retries: Option<u32>,
    /// How the model proposes actions under a policy [default: monologue]
    #[arg(long, value_enum, value_name = "ACTOR")]
    pub(crate) actor: Option<ActorArg>,
    /// Ask at most so many questions in a minute
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) rate: Option<u32>,
    /// What a million tokens of prompts cost
    #[arg(long, value_name = "PRICE", value_parser = price)]
    pub(crate) price_in: Option<f64>,
    /// What a million tokens of answers cost
    #[arg(long, value_name = "PRICE", value_parser = price)]
    pub(crate) price_out: Option<f64>,
    /// Begin no run once the runs have cost so much
    #[arg(long, value_name = "PRICE", value_parser = price)]
    pub(crate) budget: Option<f64>,
    /// Begin no run once the runs have taken so many tokens
    #[arg(long, value_name = "N")]
    pub(crate) budget_tokens: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ArmArg {
    /// Under the controller, gate, behavior or grammar
    Guarded,
    /// With the rules in its prompt
    Alone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ActorArg {
    /// It names an action
    Monologue,
    /// It scores the actions that the gate lets through
    Score,
}

fn price(text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0);
    value.ok_or_else(|| "a number of at least 0 is expected".into())
}

impl MeasureArgs {
    /// The arms that are measured.
    pub(crate) fn arms(&self) -> Vec<Arm> {
        match self.only {
            None => Arm::ALL.into(),
            Some(ArmArg::Guarded) => vec![Arm::Guarded],
            Some(ArmArg::Alone) => vec![Arm::Alone],
        }
    }
    /// The prices of a million input tokens and of a million output tokens, if one of them was given.
    pub(crate) fn prices(&self) -> Option<[f64; 2]> {
        let given = self.price_in.is_some() || self.price_out.is_some();
        given.then(|| [self.price_in.unwrap_or(0.0), self.price_out.unwrap_or(0.0)])
    }
    /// How answers are judged, and by which oracle.
    pub(crate) fn judge(&self) -> (Judge, Option<String>) {
        match self.judge.as_deref() {
            None | Some("exact") => (Judge::Exact, None),
            Some("f1") => (Judge::F1, None),
            Some("regex") => (Judge::Regex, None),
            Some(oracle) => (Judge::Oracle, Some(oracle.to_string())),
        }
    }
    /// The options of runs.
    pub(crate) fn options(&self, access: &AccessArgs, seed: u64) -> EvalOptions {
        let mut options = EvalOptions { seed, attempts: access.attempts, ..EvalOptions::default() };
        options.turns = self.turns;
        options.regenerate = self.regenerate;
        options.retries = self.retries.unwrap_or(options.retries);
        options.judge = self.judge().0;
        options.actor = match self.actor {
            None | Some(ActorArg::Monologue) => ActorKind::Monologue,
            Some(ActorArg::Score) => ActorKind::Score,
        };
        options
    }
    /// The first of these flags that was given, if any.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let flags = [
            (self.baseline.is_some(), "--baseline"),
            (self.only.is_some(), "--only"),
            (self.judge.is_some(), "--judge"),
            (self.turns.is_some(), "--turns"),
            (self.regenerate > 0, "--regenerate"),
            (self.retries.is_some(), "--retries"),
            (self.actor.is_some(), "--actor"),
            (self.rate.is_some(), "--rate"),
            (self.prices().is_some(), "--price-in"),
            (self.budget.is_some(), "--budget"),
            (self.budget_tokens.is_some(), "--budget-tokens"),
        ];
        flags.into_iter().find(|(given, _)| *given).map(|(_, flag)| flag)
    }
}

/// Where the results go, and what is measured.
pub(crate) struct Evaluation {
    /// The title of the report, and the stem of its files.
    pub(crate) name: String,
    /// What the rows depend on besides the options: the texts of the subject and the tasks.
    pub(crate) identity: String,
    /// The runs of each task.
    pub(crate) runs: u32,
    /// The folder for the results.
    pub(crate) folder: Option<PathBuf>,
    /// Whether progress is shown on a terminal.
    pub(crate) progress: bool,
    /// Whether only results are printed.
    pub(crate) quiet: bool,
}
