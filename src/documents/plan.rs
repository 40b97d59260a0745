//! The documents of `plan --format json`, and the lines that a reward program reads and `--export` writes.

use super::{SCHEMA_VERSION, Tool};
use schemars::JsonSchema;
use serde::Serialize;

/// A step of a plan.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlanStepDocument {
    /// Its symbol.
    pub step: String,
    /// Its text for people.
    pub text: String,
    /// The elements that it chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<Vec<String>>,
    /// The step that it serves, by its index in the word, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serves: Option<usize>,
}

impl PlanStepDocument {
    /// A step.
    pub fn new(step: String, text: String, chosen: Option<Vec<String>>, serves: Option<usize>) -> Self {
        Self { step, text, chosen, serves }
    }
}

/// The answer of `plan`. Which members are present depends on the question.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlanDocument {
    /// The version of this format.
    pub schema_version: String,
    /// The program that made the document.
    pub tool: Tool,
    /// The grammar.
    pub grammar: String,
    /// `plan`, `unfinished`, `wrong`, `none`, `stopped`, `counted` or `bounded`.
    pub answer: String,
    /// A sentence that explains the answer, if necessary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The index of the first step that no plan continues with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
    /// The steps that may be next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Vec<String>>,
    /// Those of the next steps after which it is not known whether a plan is possible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsure: Option<Vec<String>>,
    /// Whether the prefix is a plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_plan: Option<bool>,
    /// The number of words, in decimal digits, or `infinite`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// The number of words, counted with the subsets that their steps choose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with_subsets: Option<String>,
    /// The number of derivation trees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trees: Option<String>,
    /// For `bounded`: a number of plans that certainly exist, in decimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least: Option<String>,
    /// For `bounded`: a number that the number of plans does not exceed, in decimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<String>,
    /// For `bounded`: the number of steps of a shortest plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortest: Option<u32>,
    /// For `bounded`: the number of steps of a longest plan, if there is a known bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest: Option<u32>,
    /// Plans, each in the order of its word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plans: Option<Vec<Vec<PlanStepDocument>>>,
    /// Whether there are more plans than are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<bool>,
    /// For `drive`: the indices of the steps in the order in which they are carried out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<usize>>,
    /// For `drive`: the number of questions on the way to the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub questions: Option<usize>,
    /// For `drive`: the number of dead ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backtracks: Option<u64>,
    /// For `drive`: the number of choices that were announced as possible dead ends, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub possible_dead_ends: Option<u64>,
    /// For `drive --reward`: the reward of the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reward: Option<f64>,
}

impl PlanDocument {
    /// The document of an answer.
    pub fn new(version: &str, grammar: &str, answer: &str) -> Self {
        Self {
            schema_version: SCHEMA_VERSION.into(),
            tool: Tool::new(version),
            grammar: grammar.into(),
            answer: answer.into(),
            reason: None,
            at: None,
            next: None,
            unsure: None,
            is_plan: None,
            words: None,
            with_subsets: None,
            trees: None,
            at_least: None,
            at_most: None,
            shortest: None,
            longest: None,
            plans: None,
            more: None,
            order: None,
            questions: None,
            backtracks: None,
            possible_dead_ends: None,
            reward: None,
        }
    }
}

/// A plan, as a reward program reads it on one line.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct RewardRequestDocument {
    /// Repeated in the answer `{"id": 1, "reward": 0.5}`.
    pub id: u64,
    /// The task of the grammar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The steps, in the order in which they are carried out.
    pub plan: Vec<PlanStepDocument>,
}

impl RewardRequestDocument {
    /// The request for the reward of a plan.
    pub fn new(id: u64, task: Option<String>, plan: Vec<PlanStepDocument>) -> Self {
        Self { id, task, plan }
    }
}

/// A line of `--export`: a question, the choices, and the reward of the plan.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct ExportDocument {
    /// The number of the plan it belongs to, from 1.
    pub plan: usize,
    /// The whole question.
    pub prompt: String,
    /// The texts of the choices that were made.
    pub choice: Vec<String>,
    /// The reward of the plan; absent without a reward program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reward: Option<f64>,
}

impl ExportDocument {
    /// A line.
    pub fn new(plan: usize, prompt: String, choice: Vec<String>, reward: Option<f64>) -> Self {
        Self { plan, prompt, choice, reward }
    }
}

/// A constraint of a travel plan.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct ConstraintDocument {
    /// Its name in TravelPlanner.
    pub constraint: String,
    /// Whether it is kept.
    pub kept: bool,
    /// What is wrong, if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong: Option<String>,
}

impl ConstraintDocument {
    /// A constraint that is kept, or what is wrong.
    pub fn new(constraint: &str, wrong: Option<String>) -> Self {
        Self { constraint: constraint.into(), kept: wrong.is_none(), wrong }
    }
}

/// The judgment of a travel plan.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct JudgmentDocument {
    /// The number of the item, from 1.
    pub item: usize,
    /// Whether all constraints are kept.
    pub passes: bool,
    /// The eight constraints of common sense.
    pub commonsense: Vec<ConstraintDocument>,
    /// Those of the five hard constraints that the query has.
    pub hard: Vec<ConstraintDocument>,
    /// Dollars for all of it, as far as its parts are known.
    pub cost: u64,
}

impl JudgmentDocument {
    /// A judgment.
    pub fn new(
        item: usize,
        passes: bool,
        commonsense: Vec<ConstraintDocument>,
        hard: Vec<ConstraintDocument>,
        cost: u64,
    ) -> Self {
        Self { item, passes, commonsense, hard, cost }
    }
}

/// The answer of `plan judge --format json`.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TravelJudgmentDocument {
    /// The version of this format.
    pub schema_version: String,
    /// The program that made the document.
    pub tool: Tool,
    /// The judgment of each plan.
    pub plans: Vec<JudgmentDocument>,
}

impl TravelJudgmentDocument {
    /// The judgments of plans.
    pub fn new(version: &str, plans: Vec<JudgmentDocument>) -> Self {
        Self { schema_version: SCHEMA_VERSION.into(), tool: Tool::new(version), plans }
    }
}
