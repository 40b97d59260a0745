//! World files as they are written.

use serde::Deserialize;
use std::collections::BTreeMap;

/// Whose effects a world plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Source {
    /// Those that the policy declares, and those of the file.
    #[default]
    Policy,
    /// Those of the file alone: names and actions of the policy are not used.
    Own,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorldFile {
    pub(super) world: u32,
    /// Read by [`super::world_policy`].
    #[serde(rename = "policy")]
    pub(super) _policy: Option<String>,
    #[serde(default)]
    pub(super) effects: Source,
    #[serde(default)]
    pub(super) text: String,
    /// Whether the world tells which propositions hold; yes, if not given.
    pub(super) tells: Option<bool>,
    #[serde(default)]
    pub(super) facts: Vec<String>,
    /// Facts and counters that the agent is not told.
    #[serde(default)]
    pub(super) hidden: Vec<String>,
    #[serde(default)]
    pub(super) begin: Vec<String>,
    #[serde(default)]
    pub(super) amounts: BTreeMap<String, u32>,
    #[serde(default)]
    pub(super) calls: Vec<CallEntry>,
    pub(super) map: Option<MapEntry>,
    pub(super) hands: Option<HandsEntry>,
    #[serde(default, rename = "counter")]
    pub(super) counters: Vec<CounterEntry>,
    #[serde(default, rename = "container")]
    pub(super) containers: Vec<ContainerEntry>,
    #[serde(default, rename = "object")]
    pub(super) objects: Vec<ObjectEntry>,
    #[serde(default)]
    pub(super) actions: BTreeMap<String, ActionEntry>,
    #[serde(default, rename = "action")]
    pub(super) own: Vec<ActionEntry>,
    #[serde(default, rename = "task")]
    pub(super) tasks: Vec<TaskEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CounterEntry {
    pub(super) name: String,
    pub(super) shown: Option<String>,
    #[serde(default)]
    pub(super) initial: u32,
    pub(super) most: Option<u32>,
    #[serde(default)]
    pub(super) at_least: BTreeMap<String, u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MapEntry {
    pub(super) places: Vec<String>,
    #[serde(default)]
    pub(super) doors: Vec<Door>,
    /// The name of a walk, where `{place}` stands for where it leads.
    #[serde(default = "walk")]
    pub(super) walk: String,
    pub(super) here: Option<String>,
    /// The names of places in sentences.
    #[serde(default)]
    pub(super) shown: BTreeMap<String, String>,
    pub(super) tool: Option<String>,
    #[serde(default = "argument")]
    pub(super) argument: String,
    #[serde(default)]
    pub(super) doorways: bool,
    #[serde(default)]
    pub(super) uses: BTreeMap<String, u32>,
    pub(super) at: Option<String>,
}

fn walk() -> String {
    "walk to {place}".into()
}

fn argument() -> String {
    "to".into()
}

/// A door between two places, and how far apart they are: 1, if not given.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a door is `[\"A\", \"B\"]` or `[\"A\", \"B\", DISTANCE]`")]
pub(super) enum Door {
    Near(String, String),
    Far(String, String, u32),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HandsEntry {
    pub(super) capacity: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContainerEntry {
    pub(super) name: String,
    pub(super) at: Option<String>,
    #[serde(default)]
    pub(super) opens: bool,
    pub(super) capacity: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ObjectEntry {
    pub(super) name: String,
    pub(super) at: Option<String>,
    #[serde(rename = "in")]
    pub(super) inside: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ActionEntry {
    /// Of an action of the world's own.
    pub(super) name: Option<String>,
    pub(super) requires: Option<Requires>,
    pub(super) error: Option<String>,
    pub(super) succeeds: Option<f64>,
    pub(super) fails: Option<String>,
    #[serde(default)]
    pub(super) chances: BTreeMap<String, f64>,
    #[serde(default)]
    pub(super) calls: Vec<CallEntry>,
    pub(super) at: Option<String>,
    #[serde(default)]
    pub(super) after: Vec<String>,
    #[serde(default)]
    pub(super) undoes: Vec<String>,
    #[serde(default)]
    pub(super) ends_by_walking: bool,
    #[serde(default)]
    pub(super) needs: BTreeMap<String, u32>,
    #[serde(default)]
    pub(super) changes: BTreeMap<String, By>,
    #[serde(default)]
    pub(super) sets: Vec<String>,
    #[serde(default)]
    pub(super) clears: Vec<String>,
    #[serde(default)]
    pub(super) one_of: Vec<WayEntry>,
    pub(super) any_of_them: Option<f64>,
    #[serde(default)]
    pub(super) then: Vec<StepEntry>,
}

/// What an action requires.
#[derive(Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "`requires` is a condition, or a list of `{ when = .., error = .. }` or `{ when = .., missing = .. }`"
)]
pub(super) enum Requires {
    One(String),
    Several(Vec<RequiredEntry>),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RequiredEntry {
    pub(super) when: String,
    pub(super) error: Option<String>,
    pub(super) missing: Option<String>,
}

/// By how much a number changes.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged, expecting = "a change is a whole number, or `[LEAST, MOST]` for one that is drawn")]
pub(super) enum By {
    Fixed(i32),
    Drawn(i32, i32),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WayEntry {
    #[serde(default)]
    pub(super) needs: BTreeMap<String, u32>,
    #[serde(default)]
    pub(super) changes: BTreeMap<String, By>,
    #[serde(default)]
    pub(super) sets: Vec<String>,
    #[serde(default)]
    pub(super) clears: Vec<String>,
    pub(super) error: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StepEntry {
    pub(super) chance: Option<f64>,
    pub(super) when: Option<String>,
    #[serde(default)]
    pub(super) changes: BTreeMap<String, By>,
    #[serde(default)]
    pub(super) sets: Vec<String>,
    #[serde(default)]
    pub(super) clears: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallEntry {
    pub(super) tool: String,
    #[serde(default)]
    pub(super) arguments: serde_json::Map<String, serde_json::Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TaskEntry {
    pub(super) name: String,
    #[serde(default)]
    pub(super) sentence: String,
    pub(super) begin: Option<Vec<String>>,
    #[serde(default)]
    pub(super) amounts: BTreeMap<String, u32>,
    pub(super) at: Option<String>,
    pub(super) goal: Option<String>,
    /// Actions that are to be done.
    #[serde(default)]
    pub(super) done: Vec<String>,
    #[serde(default, rename = "sub_goal")]
    pub(super) sub_goals: Vec<SubGoalEntry>,
    #[serde(default)]
    pub(super) ends: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SubGoalEntry {
    pub(super) name: String,
    pub(super) when: String,
}
