//! Measuring one's own model: the same tasks by a model that a controller, gate, behavior or grammar guards, and by the model
//! alone, which is told the rules in its prompt.
//!
//! An evaluation is a list of groups (a subject with its tasks); each task is run so many times under each arm. A run
//! gives one [`RunRow`]; its seed depends on the seed of the evaluation, the task and the number of the run only, so that
//! runs may be resumed and repeated one by one. The two arms of a run have the same seed.

mod html;
mod judge;
mod presets;
mod report;
mod run;
mod statistics;

pub use html::{PageFacts, page};
pub use judge::{Judge, f1, normalized};
pub use presets::{PRESETS, preset, wiki_tools};
pub use report::{EvalTable, MetricLine, csv, table};
pub use run::{EvalFailure, EvalOptions, EvalPorts, EvalRole, Subject, run_once};
pub use statistics::{Interval, Metric, metrics};

use serde::{Deserialize, Serialize};
use tsl_synth_core::base::sha256;
use tsl_synth_service::ActorKind;

/// Who makes the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Arm {
    /// The model under the controller, gate, behavior or grammar.
    Guarded,
    /// The model alone, with the rules in its prompt.
    Alone,
}

impl Arm {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Guarded, Self::Alone];
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Guarded => "guarded",
            Self::Alone => "alone",
        }
    }
}

/// One or several texts.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Several {
    One(String),
    Many(Vec<String>),
}

impl Several {
    fn list(self) -> Vec<String> {
        match self {
            Self::One(one) => vec![one],
            Self::Many(many) => many,
        }
    }
}

/// A line of a file of tasks.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TaskLine {
    id: Option<String>,
    #[serde(default)]
    task: String,
    answer: Option<Several>,
    messages: Option<Vec<String>>,
    env: Option<String>,
}

/// A task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalTask {
    /// Its name: unique in its group.
    pub id: String,
    /// What is to be done, in words.
    pub text: String,
    /// The right answers; with [`Judge::Regex`] expressions. Empty: answers are not judged.
    pub answers: Vec<String>,
    /// What the user says, turn by turn.
    pub messages: Vec<String>,
    /// The environment, if not that of the whole evaluation.
    pub env: Option<String>,
}

impl EvalTask {
    /// A task in words.
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { id: id.into(), text: text.into(), answers: Vec::new(), messages: Vec::new(), env: None }
    }
}

/// Reads tasks: JSON lines with `task`, and where there are some `id`, `answer` (a text or a list of them), `messages` (of
/// the user) and `env`. Empty lines are skipped.
///
/// # Errors
/// The number of the first line that is no task, from 1, and why; 0 if there is none at all.
pub fn read_tasks(text: &str) -> Result<Vec<EvalTask>, (usize, String)> {
    let mut tasks: Vec<EvalTask> = Vec::new();
    for (i, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |why: String| (i + 1, why);
        let line: TaskLine = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        let id = line.id.unwrap_or_else(|| (tasks.len() + 1).to_string());
        if tasks.iter().any(|task| task.id == id) {
            return Err(wrong(format!("there are two tasks `{id}`")));
        }
        tasks.push(EvalTask {
            id,
            text: line.task,
            answers: line.answer.map_or_else(Vec::new, Several::list),
            messages: line.messages.unwrap_or_default(),
            env: line.env,
        });
    }
    if tasks.is_empty() {
        return Err((0, "there are no tasks".into()));
    }
    Ok(tasks)
}

/// A subject with its tasks.
pub struct EvalGroup {
    /// Its name in tables.
    pub name: String,
    /// What guards the model.
    pub subject: Subject,
    /// How actions are proposed, if not as in the whole evaluation.
    pub actor: Option<ActorKind>,
    /// The tasks.
    pub tasks: Vec<EvalTask>,
}

impl EvalGroup {
    /// A subject with its tasks.
    pub fn new(name: impl Into<String>, subject: Subject, tasks: Vec<EvalTask>) -> Self {
        Self { name: name.into(), subject, actor: None, tasks }
    }
}

/// What a run gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunRow {
    /// The group.
    pub group: String,
    /// The task.
    pub task: String,
    /// The number of the run, from 0.
    pub run: u32,
    /// `guarded` or `alone`.
    pub arm: String,
    /// The seed.
    pub seed: u64,
    /// Whether the run came to its end: no oracle failed.
    pub finished: bool,
    /// Why a model could not be reached, if that ended the run: then it says nothing about the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreached: Option<String>,
    /// Why it ended.
    pub end: String,
    /// Procedural adherence: no rule was violated.
    pub kept: bool,
    /// Whether the task was done: the goal reached, the plan valid, the behavior or the story at its end.
    pub done: bool,
    /// Turns, states, steps of a plan, or actions.
    pub steps: u64,
    /// Steps that no rule allows, or that failed.
    pub failed: u64,
    /// Proposals that were refused, or texts that were replaced.
    pub refused: u64,
    /// Point-in-time adherence: how often a text was to satisfy a predicate.
    pub asked: u64,
    /// How often it did.
    pub came: u64,
    /// The answer, if the task has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Whether the answer is right, by the judge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correct: Option<bool>,
    /// The best F1 of the answer, by words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub f1: Option<f64>,
    /// The rules that were violated, or why a plan is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub violated: Vec<String>,
    /// Questions to the model.
    pub questions: u64,
    /// Requests that were sent.
    pub requests: u64,
    /// Tokens of the prompts.
    pub prompt_tokens: u64,
    /// Tokens of the answers.
    pub completion_tokens: u64,
    /// Tokens of reasoning among them.
    pub reasoning_tokens: u64,
}

impl RunRow {
    /// What identifies a run.
    pub fn key(&self) -> (&str, &str, u32, &str) {
        (&self.group, &self.task, self.run, &self.arm)
    }
    /// All tokens.
    pub fn tokens(&self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }
}

/// The seed of a run.
pub fn run_seed(seed: u64, group: &str, task: &str, run: u32) -> u64 {
    let text = sha256(format!("{seed}\n{group}\n{task}\n{run}").as_bytes());
    u64::from_str_radix(&text[..15], 16).unwrap_or(seed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_read() {
        let text = "{\"task\":\"a\"}\n\n{\"id\":\"x\",\"task\":\"b\",\"answer\":[\"1\",\"one\"],\"env\":\"household:toilet\"}\n";
        let tasks = read_tasks(text).expect("two tasks");
        assert_eq!(tasks[0], EvalTask::new("1", "a"));
        assert_eq!((tasks[1].id.as_str(), tasks[1].answers.len()), ("x", 2));
        for (text, line) in [
            ("", 0),
            ("{\"task\":\"a\"}\n{\"taks\":\"b\"}", 2),
            ("{\"id\":\"a\"}\n{\"id\":\"a\"}", 2),
            ("x", 1),
        ] {
            assert_eq!(read_tasks(text).expect_err("a fault").0, line, "{text}");
        }
    }

    #[test]
    fn seeds_depend_on_all_parts() {
        let seeds = [
            run_seed(0, "g", "a", 0),
            run_seed(1, "g", "a", 0),
            run_seed(0, "h", "a", 0),
            run_seed(0, "g", "b", 0),
            run_seed(0, "g", "a", 1),
        ];
        let distinct: std::collections::BTreeSet<u64> = seeds.into();
        assert_eq!(distinct.len(), seeds.len());
        assert_eq!(seeds[0], run_seed(0, "g", "a", 0));
    }
}
