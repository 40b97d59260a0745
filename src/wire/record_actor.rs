//! Records of actors under a policy.

use super::oracle::is_false;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How an actor is run.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ActorRunDocument {
    /// `monologue` or `score`.
    pub actor: String,
    /// What the agent is to do.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub task: String,
    /// Most steps.
    pub steps: u32,
    /// How many times another action is asked for in a step after one was refused.
    pub retries: u32,
    /// Whether refused actions are done all the same.
    #[serde(default, skip_serializing_if = "is_false")]
    pub shadow: bool,
    /// `hard` or `none`, where it is not what the policy says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
}

/// A step of an actor.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ActorStepDocument {
    /// From 0.
    pub number: u32,
    /// The propositions that the world told as true.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub truths: Vec<String>,
    /// Where the laws leave no action: a smallest set of them that does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub core: Vec<String>,
    /// The soft laws that gave way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    /// The laws of the world that it broke.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<String>,
    /// What was proposed and refused.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<ActorRefusal>,
    /// What was done; absent if nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// The laws that the action violated; only where refused actions are done all the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub violated: Vec<String>,
    /// Whether it succeeded.
    pub ok: bool,
    /// What the world told then.
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
    /// What was said about it.
    pub reason: String,
}

/// What records of actors add up to.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ActorTotalsDocument {
    /// The version of the document.
    pub schema_version: String,
    /// Runs.
    pub runs: usize,
    /// Actions that were done.
    pub actions: usize,
    /// How many of them failed.
    pub failed: usize,
    /// Proposals that were refused.
    pub refused: usize,
    /// Actions that were done although they violate laws.
    pub violating: usize,
    /// States in which the laws leave no action.
    pub over_constrained: usize,
    /// Smallest sets of laws that do so.
    pub cores: Vec<ActorCore>,
    /// Sub-goals.
    pub goals: Vec<ActorGoal>,
    /// Why runs ended, and how many.
    pub ends: std::collections::BTreeMap<String, usize>,
}

/// Laws that together leave no action.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize)]
pub struct ActorCore {
    /// The laws.
    pub laws: Vec<String>,
    /// In so many states.
    pub states: usize,
}

/// A sub-goal.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize)]
pub struct ActorGoal {
    /// The sub-goal.
    pub name: String,
    /// The runs that reached it.
    pub runs: usize,
    /// After so many actions on average.
    pub actions: f64,
}
