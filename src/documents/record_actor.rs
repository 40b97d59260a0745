//! Records of actors under a policy.

use super::oracle::is_false;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How an actor is run.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ActorRunDocument {
    /// `monologue`, `score` or `plan`.
    pub actor: String,
    /// The task of the agent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub task: String,
    /// The largest number of steps.
    pub steps: u32,
    /// The number of further proposals in a step after a refusal.
    pub retries: u32,
    /// Whether refused actions are executed nevertheless.
    #[serde(default, skip_serializing_if = "is_false")]
    pub shadow: bool,
    /// Whether a thought is asked for before each choice.
    #[serde(default, skip_serializing_if = "is_false")]
    pub thoughts: bool,
    /// `hard` or `none`, if it differs from the policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
}

/// A step of an actor.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ActorStepDocument {
    /// From 0.
    pub number: u32,
    /// The propositions that the world reported as true.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub truths: Vec<String>,
    /// If the laws leave no action: a minimal set of laws that leaves none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub core: Vec<String>,
    /// The soft laws that were not enforced.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    /// The laws of the world that it broke.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<String>,
    /// The plan that the model wrote before this step, action by action.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plan: Vec<String>,
    /// The hard laws that the environment violated before the agent could act.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
    /// The refused proposals.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<ActorRefusal>,
    /// What the model thought before it chose the action.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub thought: String,
    /// The executed action; absent if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// The calls that it came to, if it is no call of the tool of its name. They are not written: a record has them in the
    /// answers of the environment.
    #[serde(skip)]
    pub calls: Vec<(String, serde_json::Value)>,
    /// The laws that the action violated; only if refused actions are executed nevertheless.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub violated: Vec<String>,
    /// Whether the action succeeded.
    pub ok: bool,
    /// The report of the world after the action.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The sub-goals that it reached.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<String>,
}

/// A proposal that was refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActorRefusal {
    /// The action.
    pub action: String,
    /// The laws that refused it.
    pub by: Vec<String>,
    /// The reason that was given for the refusal.
    pub reason: String,
}

/// Totals over records of actors.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ActorTotalsDocument {
    /// The version of the document.
    pub schema_version: String,
    /// Runs.
    pub runs: usize,
    /// Executed actions.
    pub actions: usize,
    /// How many of them failed.
    pub failed: usize,
    /// Proposals that were refused.
    pub refused: usize,
    /// Executed actions that violate laws.
    pub violating: usize,
    /// States in which the laws leave no action.
    pub over_constrained: usize,
    /// Minimal sets of laws that do so.
    pub cores: Vec<ActorCore>,
    /// Sub-goals.
    pub goals: Vec<ActorGoal>,
    /// The number of runs by the reason of their end.
    pub ends: std::collections::BTreeMap<String, usize>,
}

/// Laws that together leave no action.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize)]
pub struct ActorCore {
    /// The laws.
    pub laws: Vec<String>,
    /// The number of states in which they leave no action.
    pub states: usize,
}

/// A sub-goal.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize)]
pub struct ActorGoal {
    /// The sub-goal.
    pub name: String,
    /// The runs that reached it.
    pub runs: usize,
    /// The average number of actions after which it was reached.
    pub actions: f64,
}
