//! `openagi`: the share of valid plans of Formal-LLM's Tables 1 and 2, with a simulated model.
//!
//! The model has a plan in mind, drawn uniformly from the short plans of the task, and writes it down with errors: a
//! tool is replaced by another one, or left out. A plan that is written freely is judged by the grammar; under the
//! grammar, the model only chooses among the allowed steps. The rates are in [`MODELS`], one set for all tasks, and
//! none is fitted to a row of the paper.

use super::chooser::RandomChooser;
use super::ltlcrit::first_error;
use super::replaced::{Part, Replaced};
use super::{Experiment, ExperimentReport, Row};
use std::fmt::Write;
use std::sync::Arc;
use tsl_synth_agents::plan::{
    DriveEnd, DriveOptions, OnInvalid, PlanDriver, PlanLength, WordReport, dead_configurations,
};
use tsl_synth_agents::plan_grammar::TerminalId;
use tsl_synth_agents::{Conversation, NoLog, NoOracle};
use tsl_synth_core::base::{Budget, Id, Random, sha256};
use tsl_synth_service::{Failure, Input, PlanRequest, Session};

/// The grammars of the tasks.
pub const TASKS: [(&str, &str); 4] = [
    ("Task 1", tsl_synth_specs::text("plans/openagi_task1.cfg")),
    ("Task 2", tsl_synth_specs::text("plans/openagi_task2.cfg")),
    ("Task 3", tsl_synth_specs::text("plans/openagi_task3.cfg")),
    ("Task X", tsl_synth_specs::text("plans/openagi_taskx.cfg")),
];

/// The percentages of valid plans in the paper: model, prompting method, without and with the grammar.
pub const PAPER: [(&str, &str, u32, u32); 9] = [
    ("GPT-3.5-turbo", "zero-shot", 29, 100),
    ("GPT-3.5-turbo", "few-shot", 71, 100),
    ("Claude-2", "zero-shot", 29, 100),
    ("Claude-2", "few-shot", 47, 100),
    ("GPT-4", "zero-shot", 53, 100),
    ("GPT-4", "few-shot", 76, 100),
    ("Flan-T5-Large", "RLTF", 24, 100),
    ("Vicuna-7B", "RLTF", 29, 100),
    ("LLaMA-2-13B", "RLTF", 47, 100),
];

/// The error rates of a simulated model, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorRates {
    /// Its name.
    pub name: &'static str,
    /// A tool is replaced by one drawn from all tools.
    pub wrong_tool: u32,
    /// A tool is left out.
    pub left_out: u32,
    /// An answer to a question is not a number.
    pub malformed: u32,
}

/// The simulated models.
pub const MODELS: [ErrorRates; 3] = [
    ErrorRates { name: "weak", wrong_tool: 15, left_out: 10, malformed: 20 },
    ErrorRates { name: "medium", wrong_tool: 8, left_out: 5, malformed: 10 },
    ErrorRates { name: "strong", wrong_tool: 3, left_out: 2, malformed: 2 },
];

/// How large the experiment is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenAgiSettings {
    /// Plans per task and model.
    pub plans: u32,
    /// The maximal number of steps of the plans that models have in mind.
    pub longest: u32,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The names of the tasks, and their grammars.
    pub tasks: Arc<[(String, String)]>,
}

impl Default for OpenAgiSettings {
    fn default() -> Self {
        let tasks = TASKS.map(|(name, text)| (name.to_owned(), text.to_owned()));
        Self { plans: 100, longest: 6, seed: 19, tasks: tasks.into() }
    }
}

impl OpenAgiSettings {
    /// The experiment with grammars given by the user.
    ///
    /// # Errors
    /// What is wrong with a file, in a sentence.
    pub fn with_files(self, files: &Replaced) -> Result<Self, String> {
        files.only("openagi", &[Part::Specs], "`--spec` (grammars of plans, each of them a task)")?;
        if files.specs.is_empty() {
            return Ok(self);
        }
        let mut tasks: Vec<(String, String)> = Vec::new();
        for file in &files.specs {
            let name = file.stem().to_owned();
            if tasks.iter().any(|(own, _)| *own == name) {
                return Err(format!("two grammars have the name `{name}`"));
            }
            let input = Input::Text { name: file.name.clone(), text: file.text.clone() };
            let read = Session::new().plans(&PlanRequest::new(input));
            read.map_err(|failure| format!("`{}`: {}", file.name, first_error(&failure)))?;
            tasks.push((name, file.text.clone()));
        }
        Ok(Self { tasks: tasks.into(), ..self })
    }

    /// The names of the tasks, and their grammars.
    pub(crate) fn tasks(&self) -> &[(String, String)] {
        &self.tasks
    }
}

/// A row: a task and a model.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenAgiRow {
    /// The task.
    pub task: String,
    /// The model.
    pub model: &'static str,
    /// Percent of valid plans when the model writes freely.
    pub free: f64,
    /// Percent of valid plans when the model chooses among the steps that the grammar allows, with look-ahead.
    pub guarded: f64,
    /// The same without look-ahead, with backtracking at dead ends.
    pub backtracking: f64,
    /// Dead ends per plan without look-ahead.
    pub dead_ends: f64,
    /// Configurations that can be reached without look-ahead, and those of them that lead to no plan.
    pub configurations: (usize, usize),
}

/// Runs the experiment.
///
/// # Errors
/// A limit.
pub fn openagi(settings: &OpenAgiSettings, budget: &Budget) -> Result<Vec<OpenAgiRow>, Failure> {
    let mut rows = Vec::new();
    for (task, _) in settings.tasks() {
        for model in MODELS {
            rows.push(row(settings, task, model.name, budget)?);
        }
    }
    Ok(rows)
}

/// A task and a model.
fn row(settings: &OpenAgiSettings, task: &str, model: &str, budget: &Budget) -> Result<OpenAgiRow, Failure> {
    let task = settings.tasks().iter().find(|(name, _)| *name == task);
    let model = MODELS.iter().enumerate().find(|(_, other)| other.name == model);
    let (Some((task, text)), Some((number, model))) = (task, model) else {
        return Err(Failure::internal("there is no such task or model"));
    };
    let input = Input::Text { name: format!("{task}.cfg"), text: text.clone() };
    let plans = Session::new().plans(&PlanRequest::new(input))?;
    let mut planner = plans.planner(PlanLength::Any, budget);
    let dead = dead_configurations(&mut planner)?;
    let mut random = Random::new(settings.seed.wrapping_mul(1_000).wrapping_add(number as u64));
    let mut short = plans.planner(PlanLength::AtMost(settings.longest), budget);
    let meant = short.sample(settings.plans as usize, &mut random)?.unwrap_or_default();
    let (mut free, mut valid, mut dead_ends) = (0u32, [0u32; 2], 0u64);
    for word in &meant {
        let steps: Vec<TerminalId> = word.iter().map(|step| step.terminal).collect();
        let wrote = written(&steps, *model, plans.grammar.terminals.len(), &mut random);
        free += u32::from(planner.check(&wrote)? == WordReport::Plan);
        for (look_ahead, valid) in [true, false].into_iter().zip(&mut valid) {
            let options = DriveOptions {
                look_ahead,
                on_invalid: OnInvalid::Random,
                seed: random.bits(),
                ..DriveOptions::default()
            };
            let mut oracle = RandomChooser { random: Random::new(random.bits()), malformed: model.malformed };
            let (mut a, mut b, mut c, mut log) = (NoOracle, NoOracle, NoOracle, NoLog);
            let mut conversation = Conversation::new(&mut oracle, &mut a, &mut b, &mut c, &mut log, 3);
            let driven = PlanDriver::new(&mut planner, options).run(&mut conversation)?;
            // The result of the driver is checked independently.
            let word: Vec<TerminalId> = driven.nodes.iter().map(|node| node.step.terminal).collect();
            let is_plan = driven.end == DriveEnd::Plan && planner.check(&word)? == WordReport::Plan;
            *valid += u32::from(is_plan);
            dead_ends += driven.backtracks;
        }
    }
    let share = |count: u32| 100.0 * f64::from(count) / f64::from(settings.plans.max(1));
    Ok(OpenAgiRow {
        task: task.clone(),
        model: model.name,
        free: share(free),
        guarded: share(valid[0]),
        backtracking: share(valid[1]),
        dead_ends: dead_ends as f64 / f64::from(settings.plans.max(1)),
        configurations: (dead.configurations, dead.dead),
    })
}

/// A plan with the errors of a model.
fn written(word: &[TerminalId], model: ErrorRates, tools: usize, random: &mut Random) -> Vec<TerminalId> {
    let mut wrote = Vec::new();
    for &step in word {
        let drawn = random.below(100) as u32;
        if drawn < model.wrong_tool {
            wrote.push(TerminalId::from_index(random.below(tools)));
        } else if drawn >= model.wrong_tool + model.left_out {
            wrote.push(step);
        }
    }
    wrote
}

impl Experiment for OpenAgiSettings {
    fn parts(&self) -> Vec<String> {
        self.tasks()
            .iter()
            .flat_map(|(task, _)| MODELS.iter().map(move |model| format!("{task}/{}", model.name)))
            .collect()
    }

    fn run(&self, part: &str) -> Result<Row, Failure> {
        let (task, model) = part.split_once('/').unwrap_or((part, ""));
        let found = row(self, task, model, &Budget::unlimited())?;
        let (configurations, dead) = found.configurations;
        let values = [
            ("free", found.free),
            ("grammar", found.guarded),
            ("backtracking", found.backtracking),
            ("dead ends per plan", found.dead_ends),
            ("configurations", configurations as f64),
            ("dead configurations", dead as f64),
        ];
        Ok(Row::new(part, &values))
    }

    fn report(&self, rows: &[Row]) -> ExperimentReport {
        let mut text = format!("valid plans in percent, {} plans for each task and model\n\n", self.plans);
        let _ = writeln!(
            text,
            "{:<16}{:>8}{:>10}{:>14}{:>12}{:>16}",
            "task/model", "free", "grammar", "backtracking", "dead ends", "dead of all"
        );
        for row in rows {
            let configurations =
                format!("{} of {}", row.get("dead configurations"), row.get("configurations"));
            let _ = writeln!(
                text,
                "{:<16}{:>8.1}{:>10.1}{:>14.1}{:>12.2}{configurations:>16}",
                row.part,
                row.get("free"),
                row.get("grammar"),
                row.get("backtracking"),
                row.get("dead ends per plan"),
            );
        }
        let _ = writeln!(
            text,
            "\nfree: written at once; grammar: chosen with look-ahead; backtracking: chosen without it; dead ends: per plan,\n  \
             without look-ahead; dead of all: configurations from which no plan can be completed\n\nthe paper, all tasks \
             together"
        );
        let _ = writeln!(text, "{:<16}{:<12}{:>8}{:>10}", "model", "asked", "free", "grammar");
        for (model, asked, free, grammar) in PAPER {
            let _ = writeln!(text, "{model:<16}{asked:<12}{free:>8}{grammar:>10}");
        }
        text.push_str("\nerror rates in percent, one set for all tasks, fixed before the first run\n");
        for ErrorRates { name, wrong_tool, left_out, malformed } in MODELS {
            let _ = writeln!(
                text,
                "{name:<10} wrong tool {wrong_tool}, left out {left_out}, malformed {malformed}"
            );
        }
        ExperimentReport { text, chart: None }
    }

    fn settings(&self) -> String {
        let Self { plans, longest, seed, tasks } = self;
        let own: String = tasks.iter().map(|(_, text)| text.as_str()).collect();
        format!("{plans} {longest} {seed} {} {MODELS:?}", sha256(own.as_bytes()))
    }
}
